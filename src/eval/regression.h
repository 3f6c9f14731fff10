/* eval/regression.h - figures of merit of a regression, accumulated row by row. */
#ifndef CR_EVAL_REGRESSION_H
#define CR_EVAL_REGRESSION_H

#include "credence/linear.h"
#include "data/table.h"
#include "eval/cv_impl.h"
#include "eval/study.h"

/* Sums over answers; {.level = 0.95} is empty. */
typedef struct cr__regression_sum {
    double level, weight, square, absolute, bias, log_density, inside, width;
    double mean, spread; /* of the truth: Σ w (y - mean)² */
} cr__regression_sum;

void cr__regression_add(cr__regression_sum *sum, const cr_regression *answer, double weight);

/* CR_EARG when the level is not between 0 and 1. */
cr_status cr__regression_level(double level, cr_error *err);

/* There must be at least one answer. */
void cr__regression_figures(const cr__regression_sum *sum, cr_regression_metrics *out);

/* A model's predictions for the listed rows, with the truth. */
cr_status cr__regress_rows(const cr_model *model, const cr__table *table, const uint32_t *row,
                           size_t rows, cr_regression *out, cr_error *err);

/* The figures of a model on the rows listed, with intervals of 95 %. */
cr_status cr__regression_judge(const cr_model *model, const cr__table *table, const uint32_t *row,
                               size_t rows, cr_regression_metrics *out, cr_error *err);

/* The predictions of the model without fold i for the rows of the fold, into their places. */
cr_status cr__cv_regress_fold(cr_cv *cv, const cr__rowset *set, size_t i, const cr_model *model,
                              cr_error *err);

#endif
