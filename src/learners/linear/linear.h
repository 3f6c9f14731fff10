/* learners/linear/linear.h - linear regression: a number as a linear function of features.
 *
 *     y = w_0 + w · x + noise,   noise normal with variance σ²
 *
 * Maximum conditional likelihood is least squares (λ = 0); a normal prior on the weights, with
 * variance σ² / λ, gives ridge regression as its mode; with p(σ²) ∝ 1/σ² the posterior over
 * weights and noise is Normal-Inverse-Gamma, and predictions are Student-t (Bishop, Pattern
 * Recognition and Machine Learning, 3.3; Gelman et al., Bayesian Data Analysis, 14). Symbols are
 * coded by their values. All of it comes from cross products.
 */
#ifndef CR_LEARNERS_LINEAR_LINEAR_H
#define CR_LEARNERS_LINEAR_LINEAR_H

#include "credence/linear.h"
#include "model/learner.h"

/* The weight of a column or value: of x - x' for a symbol coded by effect. */
typedef struct cr__reg_term {
    uint32_t column;
    uint32_t value;     /* CR__TERM_REAL for a real column */
    uint32_t reference; /* value that counts as -1, or CR__TERM_REAL */
    uint32_t values;    /* of the column */
} cr__reg_term;

typedef struct cr__reg_head {
    double rows, incomplete, lambda, noise, freedom, r2, log_evidence, mean;
    uint64_t terms, rank, constant;
} cr__reg_head;

typedef struct cr__reg {
    cr__reg_head head;
    const cr__reg_term *term; /* [terms] */
    const double *weight;     /* [terms] */
    const double *center;     /* [terms] mean of x */
    const double *spread;     /* [terms * terms] M: the weights' covariance is noise² M M' */
    cr__reg_term *own_term;
    double *own; /* the memory behind them, or NULL when it is borrowed */
} cr__reg;

cr_status cr__reg_new(cr__reg **out, size_t terms);
void cr__reg_free(void *fitted);

/* solve.c */
cr_status cr__reg_fit(void **fitted, const cr__fit_input *input, cr_error *err);

/* regress.c */
cr_status cr__reg_regress(const void *fitted, void *state, const cr__batch *batch,
                          cr_regression *out, cr_error *err);
/* The variance of x · w, divided by noise², for x in [terms], centred. */
double cr__reg_variance(const cr__reg *reg, const double *x);

/* The contributions of the columns to the answer for a row; see cr__regresses. */
void cr__reg_shares(const void *fitted, const cr__batch *batch, size_t row,
                    cr_regression_share *share, cr_regression_explanation *e);

/* reg_sections.c */
void cr__reg_save(const void *fitted, cr__draft *draft);
cr_status cr__reg_open(void **fitted, const cr__container *container, const cr_schema *schema,
                       const size_t *values, size_t classes, cr_error *err);

#endif
