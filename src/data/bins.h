/* data/bins.h - real columns cut into intervals, so that they can be counted like words.
 *
 * Cuts c1 < c2 < … < ck make the intervals x <= c1, c1 < x <= c2, …, x > ck, whose names are
 * "<=c1", "c1..c2", …, ">ck" with the numbers in their shortest form. The names define the
 * intervals, so a model stores only the names.
 */
#ifndef CR_DATA_BINS_H
#define CR_DATA_BINS_H

#include "data/schema.h"

typedef struct cr__cuts {
    size_t count; /* 0: the column is not cut, */
    double *cut;  /* [count] ascending */
    int whole;    /* unless a rule found no cut worth making: then there is one interval, "all" */
} cr__cuts;

typedef struct cr__bins {
    size_t columns;
    cr__cuts *column; /* [columns] */
} cr__bins;           /* {0} cuts nothing */

/* Read "COLUMN:CUT:CUT,COLUMN:CUT" (or "none") for the columns of a schema. CR_EARG: a name that is
 * not a real feature, a cut that is not a number. Free it even after a failure. */
cr_status cr__bins_read(cr__bins *out, const char *list, const cr_schema *schema, cr_error *err);
void cr__bins_free(cr__bins *bins);

/* The cuts that the columns of a schema declare: those of the model. Free it likewise. */
cr_status cr__bins_declared(cr__bins *out, const cr_schema *schema, cr_error *err);

/* Every real feature in one interval, "all". Free it likewise. */
cr_status cr__bins_whole(cr__bins *out, const cr_schema *schema, cr_error *err);

/* The code of the interval x lies in, 1 … count + 1; CR__MISSING for NaN. */
uint32_t cr__cuts_code(const cr__cuts *cuts, double x);

/* The interval low < x <= high of a code; infinite at the ends. */
void cr__cuts_interval(const cr__cuts *cuts, uint32_t code, double *low, double *high);

/* The same for many numbers at once. */
void cr__cuts_codes(const cr__cuts *cuts, const double *x, size_t rows, uint32_t *code);

/* The cuts of a column; none when bins is NULL or has none for it. */
const cr__cuts *cr__bins_cuts(const cr__bins *bins, size_t column);

/* Add the names of all intervals to a dictionary, in their order. */
cr_status cr__cuts_name(const cr__cuts *cuts, cr__dict *names, cr_error *err);

/* The cuts behind the names of a column's intervals, in order. CR_EFORMAT: the names are not
 * valid. */
cr_status cr__cuts_of_names(cr__cuts *out, const cr__dict *names);

/* The cuts of a real column that declares this many intervals. CR_EFORMAT: they are not valid. */
cr_status cr__cuts_of_column(cr__cuts *out, const cr__column *column, size_t values, cr_error *err);

/* The interval low < x <= high that a name stands for; 0 when it is not such a name. */
int cr__interval_of_name(const char *name, size_t length, double *low, double *high);

#endif
