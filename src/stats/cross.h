/* stats/cross.h - cross products: the statistics behind covariances and least squares.
 *
 * For every class the weight of its rows, and the sums and the products of all pairs of terms. A
 * term is a real column, or a value of a symbol column (1 in rows that have it, 0 in others).
 * Numbers are centred on a fixed shift per term, near the mean, so that little is lost to
 * cancellation; two statistics with different shifts are converted to one shift before they are
 * added. Rows that lack some term are summed separately, pair by pair:
 *
 *     complete rows    count,  sum_i = Σ x_i,  product_ij = Σ x_i x_j
 *     the others       pair_count_ij, pair_sum_ij = Σ x_i, pair_product_ij = Σ x_i x_j,
 *                      each over the rows that have both i and j
 *
 * Unlike other statistics these are rounded: merging and learning agree with one pass to about ten
 * digits, not to the last bit. One pass gives the same bytes with any number of threads, and a
 * lesson that is taken back leaves the same bytes (stats/cross_lessons.h).
 */
#ifndef CR_STATS_CROSS_H
#define CR_STATS_CROSS_H

#include "data/schema.h"

#define CR__TERM_REAL UINT32_MAX

/* Which terms of which rows a learner wants. */
typedef enum cr__cross_use {
    CR__CROSS_NONE,
    CR__CROSS_CLASSES,  /* real features, class by class */
    CR__CROSS_TARGET,   /* all features and the real target, all rows as one class */
    CR__CROSS_FEATURES, /* all features, all rows as one class */
    CR__CROSS_REALS     /* real columns and a real target; class by class if there are classes */
} cr__cross_use;

typedef struct cr__cross_term {
    uint32_t column;
    uint32_t value; /* of a symbol column; CR__TERM_REAL for a real one */
} cr__cross_term;

typedef struct cr__cross_lessons cr__cross_lessons;

/* Of one class. Matrices are [terms * terms]; of the symmetric ones the lower triangle counts. */
typedef struct cr__cross_sum {
    double count;
    double *sum; /* [terms] */
    double *product;
    double *pair_count, *pair_sum, *pair_product; /* NULL when no row lacks anything */
    cr__cross_lessons *lessons;                   /* what lessons changed, or NULL: nothing */
} cr__cross_sum;

typedef struct cr__cross {
    cr__cross_use use;
    size_t terms, classes;
    cr__cross_term *term; /* [terms] in the order of columns, then values */
    double *shift;        /* [terms]; NaN where nothing was ever seen */
    cr__cross_sum *of;    /* [classes] */
} cr__cross;

/* Whether rows are separated by class. */
int cr__cross_by_class(const cr_schema *schema, cr__cross_use use);

/* Whether a column has terms. */
int cr__cross_takes(const cr_schema *schema, cr__cross_use use, size_t column);

/* The terms of a schema, with the values of the dictionaries [columns]; all sums 0, no shift known.
 * NULL when out of memory. */
cr__cross *cr__cross_lay_out(const cr_schema *schema, cr__cross_use use, cr__dict *const *dict,
                             size_t classes);
void cr__cross_free(cr__cross *cross);

/* Room for rows that lack something. 0 when out of memory. */
int cr__cross_sum_pairs(cr__cross_sum *sum, size_t terms);

/* into += sign * from, converted to the shift of into. term[i] is the index in into of term i of
 * from, class_of[c] that of its class c; UINT32_MAX: it does not exist any more. */
cr_status cr__cross_add(cr__cross *into, const cr__cross *from, const uint32_t *term,
                        const uint32_t *class_of, int sign);

/* Over all rows, or the complete ones only: how many have both i and j, and around the shift the
 * sum of x_i and of x_i x_j over them. */
typedef struct cr__cross_pair_sum {
    double count, sum_i, sum_j, product;
} cr__cross_pair_sum;
cr__cross_pair_sum cr__cross_pair(const cr__cross *cross, size_t class_index, size_t i, size_t j,
                                  int complete);

#endif
