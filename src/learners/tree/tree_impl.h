/* learners/tree/tree_impl.h - growing a tree: the worth of a split. */
#ifndef CR_LEARNERS_TREE_TREE_IMPL_H
#define CR_LEARNERS_TREE_TREE_IMPL_H

#include <math.h>

#include "learners/tree/tree.h"

/* The best split by one column. */
typedef struct cr__tree_cut {
    size_t column;
    double gain, ratio, threshold;
    size_t below; /* rows at most the threshold */
    size_t value; /* binary: this value against the others, as a code */
} cr__tree_cut;

/* n log2 n of whole numbers: most counts are integers, and each is needed many times. */
typedef struct cr__tree_logs {
    size_t count;
    double *n_log_n; /* [count] */
    int64_t *unit;   /* [rows + 1] the same in units of 2^-bits */
    int bits;
    int64_t margin; /* by how much a place must be better */
} cr__tree_logs;

/* For this many rows, whose weights sum to `most`. Free it even after a failure. */
cr_status cr__tree_logs_make(cr__tree_logs *logs, size_t rows, double most);
void cr__tree_logs_free(cr__tree_logs *logs);

static inline double cr__tree_n_log_n(const cr__tree_logs *logs, double n)
{
    const size_t whole = n > 0 && n < (double)logs->count ? (size_t)n : 0;

    if ((double)whole == n)
        return logs->n_log_n[whole];
    return n > 0 ? n * log2(n) : 0;
}

/* n times the entropy. */
static inline double cr__tree_info(const cr__tree_logs *logs, const double *n, size_t classes)
{
    double all = 0, sum = 0, info;

    for (size_t c = 0; c < classes; c++) {
        all += n[c];
        sum += cr__tree_n_log_n(logs, n[c]);
    }
    info = cr__tree_n_log_n(logs, all) - sum;
    return info > 0 ? info : 0;
}

static inline double cr__tree_sum(const double *n, size_t classes)
{
    double all = 0;

    for (size_t c = 0; c < classes; c++)
        all += n[c];
    return all;
}

/* Scratch numbers for evaluation: for the widest column a row of classes for each value, and three
 * more, and a number for each value. */
size_t cr__tree_table_size(const cr__tree_plan *plan);

/* Rows that each side of a threshold must have: a tenth of what a class has, but no fewer than the
 * least and no more than 25. */
double cr__tree_least_side(const cr__tree_plan *plan, double known);

/* A symbol whose rows by value and class are in the table, [values * classes]; row values + 1 of
 * it has those of all values. All rows weigh `total`. */
void cr__tree_judge_symbol(const cr__tree_plan *plan, const cr__tree_logs *logs, double *table,
                           double total, cr__tree_cut *cut);

/* A number cut between a and b: `below` of the `known` rows are at most a, `rest` bits are left of
 * `info`, and `tried` places were tried. */
void cr__tree_judge_real(cr__tree_cut *cut, double info, double rest, double below, double known,
                         double total, size_t tried, double a, double b);

/* The column to test: among those whose gain is at least the mean of all positive gains, the one
 * with the best ratio, the first among equals. SIZE_MAX: none. */
size_t cr__tree_choose(const cr__tree_cut *cuts, size_t columns);

/* Whether this many more nodes are allowed. */
static inline int cr__tree_may_add(const cr__tree_plan *plan, size_t more)
{
    return atomic_fetch_add(plan->made, more) + more <= plan->most;
}

#endif
