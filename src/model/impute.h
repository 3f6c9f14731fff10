/* model/impute.h - missing values, filled in from the training rows.
 *
 * For learners that cannot leave a feature out. An imputer is learned from rows, filled into the
 * same rows before the learner sees them, kept with the model, and filled into every row that is
 * predicted or learned later. How:
 *
 *     mean, median   of a number; of a symbol its commonest value
 *     mode           the commonest value (the smallest of several)
 *     model          the expectation given the row's other features (impute_fill.c)
 *     drop           nothing is filled in: rows that lack something are not learned
 */
#ifndef CR_MODEL_IMPUTE_H
#define CR_MODEL_IMPUTE_H

#include <stdatomic.h>

#include "data/table.h"
#include "data/container.h"
#include "stats/cross.h"

typedef enum cr__impute_how {
    CR__IMPUTE_NONE,
    CR__IMPUTE_MEAN,
    CR__IMPUTE_MEDIAN,
    CR__IMPUTE_MODE,
    CR__IMPUTE_MODEL,
    CR__IMPUTE_DROP
} cr__impute_how;

typedef struct cr__impute {
    cr__impute_how how;
    size_t columns;
    unsigned char *kind;  /* [columns] a cr_kind; CR_IGNORE where nothing is filled in */
    double *real;         /* [columns] for a real column; NaN: nothing is known */
    uint32_t *code;       /* [columns] for a symbol column, by dict */
    cr__dict **dict;      /* [columns] its words, as far as they matter */
    size_t terms;         /* of the model; 0 for the others */
    cr__cross_term *term; /* [terms] value v is code v + 1 of dict */
    double *mean;         /* [terms] */
    double *covariance;   /* [terms * terms] */
    atomic_size_t others; /* owners besides the first one */
} cr__impute;

/* "mean|median|mode|model|drop"; CR_EARG with the choices. */
cr_status cr__impute_read(cr__impute_how *out, const char *text, cr_error *err);
const char *cr__impute_name(cr__impute_how how);

/* From the features of a table's rows, all of them. */
cr_status cr__impute_learn(cr__impute **out, cr__impute_how how, const cr__table *table,
                           int threads, cr_error *err);

/* Drop one reference; the last one frees it. NULL is allowed. */
void cr__impute_free(cr__impute *impute);

/* Add an owner. Returns the imputer, NULL for NULL. Any thread. */
cr__impute *cr__impute_share(cr__impute *impute);

/* Room for the columns; NULL when out of memory. */
cr__impute *cr__impute_new(cr__impute_how how, size_t columns);

#define CR__IMPUTE_SEED UINT64_C(0x696d70757465) /* of its dictionaries */

/* Translation between the imputer's codes and those of others. */
typedef struct cr__impute_codes {
    size_t columns;
    uint32_t **there; /* [columns] code of the imputer to theirs; CR__MISSING: they have none */
    uint32_t **here;  /* [columns] and back, for codes up to limit; only of a model */
    size_t *limit;    /* [columns] */
} cr__impute_codes;

/* dict [columns]; with grow, missing words are added to them. */
cr_status cr__impute_bind(cr__impute_codes *out, const cr__impute *impute, cr__dict *const *dict,
                          int grow, cr_error *err);
void cr__impute_unbind(cr__impute_codes *codes);

/* Columns of rows, to be filled in place. */
typedef struct cr__impute_column {
    double *real;
    uint32_t *code;
} cr__impute_column;

cr_status cr__impute_fill_batch(const cr__impute *impute, const cr__impute_codes *codes,
                                cr__batch *batch, cr_error *err);
cr_status cr__impute_fill_table(const cr__impute *impute, cr__table *table, cr_error *err);

/* The rows of a table that lack no feature, as a list that the caller frees. NULL when out of
 * memory. */
uint32_t *cr__impute_complete(const cr__table *table, const uint32_t *row, size_t rows,
                              size_t *count);

void cr__impute_save(const cr__impute *impute, cr__draft *draft);
/* NULL when the file has none. */
cr_status cr__impute_open(cr__impute **out, const cr__container *container, const cr_schema *schema,
                          cr_error *err);

#endif
