/* sql/trainer.h - a model that grows row by row: what both engines aggregate into.
 *
 * Rows are gathered column by column and handed to the library in blocks, so that a row costs
 * little more than the copying of its values. Rows may also be taken back, which is what a window
 * that moves on asks for. A trainer belongs to one thread; the library runs without threads of its
 * own.
 */
#ifndef CREDENCE_SQL_TRAINER_H
#define CREDENCE_SQL_TRAINER_H

#include "credence/credence.h"

typedef struct trainer trainer;

typedef struct trainer_column {
    const char *name; /* copied */
    cr_kind kind;     /* CR_REAL, CR_SYMBOL, CR_BAG, or CR_IGNORE */
    cr_role role;
    int open; /* real until its first value says what it is: see trainer_settle() */
} trainer_column;

/* What is learned and how. learner NULL is naive Bayes; params are "KEY=VALUE" each; basis, which
 * may be NULL, is that of cr_source_options. */
typedef struct trainer_settings {
    const char *learner, *basis;
    const char *const *params;
    size_t param_count;
} trainer_settings;

/* Columns and settings are copied. */
cr_status trainer_new(trainer **out, const trainer_column *column, size_t columns,
                      const trainer_settings *settings, cr_error *err);
void trainer_free(trainer *t); /* NULL is allowed */

size_t trainer_columns(const trainer *t);
const trainer_column *trainer_column_at(const trainer *t, size_t column);

/* A row that is learned (sign 1) or taken back (-1). What is not set is missing. Only a real column
 * is set to a number. A text is copied; where the column is real it must be a number. */
cr_status trainer_begin_row(trainer *t, int sign, cr_error *err);
void trainer_set_real(trainer *t, size_t column, double x);
cr_status trainer_set_text(trainer *t, size_t column, const char *bytes, size_t size,
                           cr_error *err);
cr_status trainer_end_row(trainer *t, cr_error *err);

/* Before its first value, make an open column real or a symbol. Too late when so many rows wait
 * without a value that they had to be learned: then it is real. CR_ENOMEM. */
cr_status trainer_settle(trainer *t, size_t column, cr_kind kind, cr_error *err);

/* How many rows are learned and not taken back. */
uint64_t trainer_rows(const trainer *t);

/* Whether some rows are learned already, so that their columns and knobs are known to be right. */
int trainer_has_model(const trainer *t);

/* The model of all rows so far, borrowed; NULL when there are none. */
cr_status trainer_model(trainer *t, const cr_model **out, cr_error *err);

/* Add all rows of another trainer of the same columns. */
cr_status trainer_merge(trainer *t, trainer *other, cr_error *err);

/* As bytes, and back: columns, learner, knobs and the model. To be freed with cr_bytes_free() and
 * trainer_free(). */
cr_status trainer_save(trainer *t, void **bytes, size_t *size, cr_error *err);
cr_status trainer_load(trainer **out, const void *bytes, size_t size, cr_error *err);

#endif
