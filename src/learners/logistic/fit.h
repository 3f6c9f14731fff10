/* learners/logistic/fit.h - the parts of fitting. */
#ifndef CR_LEARNERS_LOGISTIC_FIT_H
#define CR_LEARNERS_LOGISTIC_FIT_H

#include "learners/logistic/solve.h"

/* The state of fitting. */
typedef struct cr__lr_fit {
    const cr__fit_input *input;
    cr__lr *lr;           /* being made; its shape is known */
    double *class_weight; /* [classes], or NULL */
    cr__lr_design *design;
    cr_pool *pool;
    cr__lr_objective objective;
    cr__lr_search search;
    double *theta, *precision, *matrix, *centre, *scale; /* [P] each, matrix [P * P]; or NULL */
    unsigned solver, prior;
    double lambda;
} cr__lr_fit;

/* Weights of the classes by the knob class-weight; *out is NULL when all are 1. */
cr_status cr__lr_class_weights(double **out, const cr__stats *stats, const cr__knobs *knobs,
                               cr_error *err);

/* The factors of the features of texts, [P]: 1, but for words the log of how much more often they
 * occur in the set's class than in the others (Wang & Manning 2012). */
cr_status cr__lr_ratios(double **out, const cr__lr_shape *shape, const cr__stats *stats,
                        const cr__knobs *knobs, cr_error *err);

/* The Gaussian prior's precision, [P], for λ: that of the features as the knob standardise says. */
void cr__lr_precision(const cr__lr_fit *f, double lambda, double *precision);

/* The Gaussian prior's mean by the knob prior-mean, into centre, which stays NULL when the mean is
 * 0. */
cr_status cr__lr_prior_mean(cr__lr_fit *f, cr_error *err);

/* Stochastic gradient ascent over the input's source: weights, posterior, everything. */
cr_status cr__lr_stream(cr__lr_fit *f, cr_error *err);

/* λ by cross-validation inside the rows, along a path that begins with the strongest prior, unless
 * it is given; and the answers to rows not seen, where the input wants them. */
cr_status cr__lr_choose_lambda(cr__lr_fit *f, cr_error *err);

/* The covariance of the weights by the Laplace approximation, into lr. */
cr_status cr__lr_approximate(cr__lr_fit *f, cr_error *err);

/* The inverse of a symmetric matrix of at most CR__LR_MOST_FULL rows, a weight of a set each, in
 * place. A weight without influence (of a column that does not vary) has a 0 on the diagonal: it is
 * known, and 0 in the inverse too. Where the sum of a feature's weights over the sets makes no
 * difference it is held at 0: then this is the inverse of the rest. Returns 0 when there is none.
 */
int cr__lr_invert(double *a, size_t n, size_t sets);

/* Begin from what was fitted before: its weights, and its posterior as the prior. */
cr_status cr__lr_resume(cr__lr_fit *f, cr_error *err);

/* Begin the search at the weights of the input's start, if there is one. The prior is that of the
 * knobs.
 */
cr_status cr__lr_start(cr__lr_fit *f, cr_error *err);

/* A copy with other knobs. CR_EARG: a knob that needs the rows was changed. */
cr_status cr__lr_refit(cr__lr **out, const cr__lr *from, const cr__fit_input *input, cr_error *err);

#endif
