/* sql/trainer.h - a model that grows row by row, the state of both engines' aggregates.
 *
 * Rows are stored by column and passed to the library in blocks, so that a row costs little more
 * than copying its values. Rows may also be taken back, as a moving window requires. A trainer
 * belongs to one thread; the library runs without threads of its own.
 */
#ifndef CREDENCE_SQL_TRAINER_H
#define CREDENCE_SQL_TRAINER_H

#include "credence/credence.h"

typedef struct trainer trainer;

typedef struct trainer_column {
    const char *name; /* copied */
    cr_kind kind;     /* CR_REAL, CR_SYMBOL, CR_BAG, or CR_IGNORE */
    cr_role role;
    int open; /* undecided until its first value: see trainer_settle() */
} trainer_column;

/* What is learned and how. learner NULL is naive Bayes; params are "KEY=VALUE" each; basis may be
 * NULL and is that of cr_source_options; calibrate NULL is what the command does, "none" nothing.
 */
typedef struct trainer_settings {
    const char *learner, *basis, *calibrate;
    const char *const *params;
    size_t param_count;
} trainer_settings;

/* Columns and settings are copied. */
cr_status trainer_new(trainer **out, const trainer_column *column, size_t columns,
                      const trainer_settings *settings, cr_error *err);
void trainer_free(trainer *t); /* NULL is allowed */

size_t trainer_columns(const trainer *t);
const trainer_column *trainer_column_at(const trainer *t, size_t column);

/* Add a row to be learned (sign 1) or taken back (-1). Values not set are missing. Only a real
 * column takes a number. A text is copied; in a real column it must be a number. */
cr_status trainer_begin_row(trainer *t, int sign, cr_error *err);
void trainer_set_real(trainer *t, size_t column, double x);
cr_status trainer_set_text(trainer *t, size_t column, const char *bytes, size_t size,
                           cr_error *err);
cr_status trainer_end_row(trainer *t, cr_error *err);

/* Make an open column real or a symbol before its first value. If so many rows without a value came
 * first that they were learned, it stays real. CR_ENOMEM. */
cr_status trainer_settle(trainer *t, size_t column, cr_kind kind, cr_error *err);

/* How many rows are learned and not taken back. */
uint64_t trainer_rows(const trainer *t);

/* Whether some rows have been learned, so that the columns and knobs are known to be valid. */
int trainer_has_model(const trainer *t);

/* Say that rows come and go: the model is then that of trainer_model() in the end, too. Taking back
 * a row says it as well. */
void trainer_is_window(trainer *t);

/* The model of all rows, borrowed until the next change; NULL when there are none. Up to 100,000
 * rows of up to 16 MB are trained on together as the command does it, in the order of their values,
 * column by column. More are counted as they come, with textbook settings, and the model is
 * calibrated by a sample of them. Neither depends on the order of the rows, nor on which of them
 * other trainers had before they were merged. */
cr_status trainer_finish(trainer *t, const cr_model **out, cr_error *err);

/* The model of all rows so far with textbook settings and not calibrated, borrowed; NULL when there
 * are none. */
cr_status trainer_model(trainer *t, const cr_model **out, cr_error *err);

/* Add all rows of another trainer of the same columns. */
cr_status trainer_merge(trainer *t, trainer *other, cr_error *err);

/* Convert to bytes and back: columns, learner, knobs and the model. Free them with cr_bytes_free()
 * and trainer_free(). */
cr_status trainer_save(trainer *t, void **bytes, size_t *size, cr_error *err);
cr_status trainer_load(trainer **out, const void *bytes, size_t size, cr_error *err);

#endif
