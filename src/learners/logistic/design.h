/* learners/logistic/design.h - rows in the form the objective needs: coded, standardised, in
 * blocks.
 *
 * Real features are dense. They stay in the columns of the input and are standardised a block of 64
 * rows at a time: the block is in the first-level cache while scores and gradient are computed from
 * it, and the rows are in memory only once. Indicators and words are sparse, by rows for the scores
 * and by features for the gradient; an absent value array means that all are 1.
 */
#ifndef CR_LEARNERS_LOGISTIC_DESIGN_H
#define CR_LEARNERS_LOGISTIC_DESIGN_H

#include "learners/logistic/logistic.h"

enum { CR__LR_BLOCK = 64 };

typedef struct cr__lr_sparse {
    uint64_t *start; /* [lines + 1] */
    uint32_t *index; /* [entries] */
    double *value;   /* [entries], or NULL: all 1 */
} cr__lr_sparse;

/* A real feature: (value - centre) * inverse, and 0 where the value is missing. */
typedef struct cr__lr_real {
    const double *value; /* [rows] borrowed */
    double centre, inverse;
} cr__lr_real;

static inline double cr__lr_real_at(const cr__lr_real *real, size_t row)
{
    const double x = (real->value[row] - real->centre) * real->inverse;

    return x == x ? x : 0;
}

typedef struct cr__lr_design {
    const cr__lr_shape *shape;
    size_t rows, blocks;
    cr__lr_real *real;        /* [reals]; products of two are taken in each block */
    cr__lr_sparse by_row;     /* features, from shape->dense on, of each row */
    cr__lr_sparse by_feature; /* rows of each sparse feature */
    uint32_t *label;          /* [blocks * 64] classes */
    double *weight;           /* [blocks * 64]; 0 beyond the last row */
    double total;             /* the sum of the weights */
    int unit;                 /* all weights are 1 */
} cr__lr_design;

/* The input's rows are borrowed. frame: centre and spread by column, as in cr__lr. class_weight,
 * [classes], may be NULL. by_feature: also store sparse features by feature, for gradients over all
 * rows. */
cr_status cr__lr_design_new(cr__lr_design **out, const cr__lr_shape *shape,
                            const cr__fit_input *input, const double *frame,
                            const double *class_weight, int by_feature, cr_error *err);
void cr__lr_design_free(cr__lr_design *design);

/* Centre and spread of the real columns: mean and standard deviation (of the population) over all
 * classes. A spread of 0 marks a column that does not vary: its feature is 0 everywhere. */
void cr__lr_frame(const cr__stats *stats, double *frame);

cr_status cr__lr_idf(double **out, const cr__bag *bag, cr__text_weight weight, cr_error *err);

#endif
