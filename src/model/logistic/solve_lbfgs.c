/* model/logistic/solve_lbfgs.c - limited-memory BFGS (Nocedal 1980) by libLBFGS; with a Laplace
 * prior its orthant-wise form (Andrew & Gao 2007).
 *
 * Weights of rare and of common features bend the likelihood by very different amounts. The search
 * goes over φ = θ √h, where h is the curvature along each weight at the start: then all are alike,
 * and it takes fewer steps. A Laplace prior would not be the same in φ, and goes without.
 *
 * Slopes along rare features are small from the start, so small slopes alone do not tell that the
 * search is over: the last steps must have gained little, too. */
#include <lbfgs.h>
#include <limits.h>
#include <math.h>
#include <string.h>

#include "base/fail.h"
#include "base/memory.h"
#include "model/logistic/solve.h"

#define ROUNDING 1e-7 /* slopes per row that rounding errors of the likelihood can hide */

enum { LAST = 3 }; /* steps whose gain is looked at */

typedef struct climb {
    cr__lr_search *search;
    size_t all;
    int begun;
    double past[LAST]; /* the value after step k at k % LAST, and at first that of the start */
    double *scale; /* [P] 1/√h, or NULL */
    double *theta; /* [P] of the φ at hand */
    cr_status status;
    cr_error *err;
} climb;

static const double *from_search(const climb *c, const double *x)
{
    if (c->scale == NULL)
        return x;
    for (size_t p = 0; p < c->all; p++)
        c->theta[p] = x[p] * c->scale[p];
    return c->theta;
}

/* Per row, so that the same steps are fit for few rows and for many. */
static lbfgsfloatval_t evaluate(void *instance, const lbfgsfloatval_t *x, lbfgsfloatval_t *g,
                                const int n, const lbfgsfloatval_t step)
{
    climb *c = instance;
    const double total = c->search->objective->total, each = 1 / total;
    const double *theta = from_search(c, x);
    const double value = cr__lr_evaluate(c->search->objective, theta, g);

    (void)step;
    for (size_t p = 0; p < c->all; p++)
        g[p] *= c->scale == NULL ? each : each * c->scale[p];
    for (size_t p = c->all; p < (size_t)n; p++)
        g[p] = 0;
    for (size_t i = 0; !c->begun && i < LAST; i++)
        c->past[i] = value / total;
    c->begun = 1;
    return value / total;
}

/* Whether the last steps gained less than √ε of the value, or than ε per row where that is more: a
 * likelihood that has no maximum always gains. */
static int gains_little(climb *c, size_t step, double value)
{
    double *before = &c->past[step % LAST];
    const double gained = *before - value, epsilon = c->search->epsilon;

    *before = value;
    return gained <= fmax(sqrt(epsilon) * value, epsilon);
}

static int progress(void *instance, const lbfgsfloatval_t *x, const lbfgsfloatval_t *g,
                    const lbfgsfloatval_t fx, const lbfgsfloatval_t xnorm,
                    const lbfgsfloatval_t gnorm, const lbfgsfloatval_t step, int n, int k, int ls)
{
    climb *c = instance;
    cr__lr_search *s = c->search;
    const double total = s->objective->total, laplace = s->laplace;
    const int little = gains_little(c, (size_t)k, fx);

    (void)xnorm;
    (void)gnorm;
    (void)step;
    (void)n;
    (void)ls;
    s->iterations = (size_t)k;
    s->value = fx * total;
    s->laplace = laplace / total; /* g is per row already */
    s->gradient = c->scale == NULL ? cr__lr_steepest(s, x, g) * total : 0;
    for (size_t p = 0; c->scale != NULL && p < c->all; p++)
        if (fabs(g[p]) > s->gradient * c->scale[p])
            s->gradient = fabs(g[p]) / c->scale[p];
    s->laplace = laplace;
    if ((c->status = cr__lr_step(s, c->err)) != CR_OK)
        return 1;
    s->converged = s->gradient <= s->epsilon && little;
    return s->converged;
}

/* The curvature of weights that nothing depends on is 0: they stay where they are. */
static cr_status precondition(climb *c)
{
    if (c->search->laplace > 0)
        return CR_OK;
    c->scale = cr__alloc(c->all, sizeof *c->scale);
    c->theta = cr__alloc(c->all, sizeof *c->theta);
    if (c->scale == NULL || c->theta == NULL) {
        cr__free(c->scale);
        cr__free(c->theta);
        return CR_ENOMEM;
    }
    cr__lr_curvature(c->search->objective, c->search->theta, c->scale);
    for (size_t p = 0; p < c->all; p++)
        c->scale[p] = c->scale[p] > 0 ? sqrt(c->search->objective->total / c->scale[p]) : 1;
    return CR_OK;
}

/* A search that finds no better point because of rounding has found the best there is, as far as the
 * slope agrees. Then the weights are those of the step before, which is evaluated again. */
static cr_status settle(cr__lr_search *s, int code, cr_error *err)
{
    double *gradient;

    if (s->converged || code == LBFGSERR_MAXIMUMITERATION)
        return CR_OK;
    gradient = cr__alloc(cr__lr_parameters(s->objective->design->shape), sizeof *gradient);
    if (gradient == NULL)
        return cr__fail_memory(err);
    cr__lr_evaluate(s->objective, s->theta, gradient);
    s->gradient = cr__lr_steepest(s, s->theta, gradient);
    s->converged = s->gradient <= fmax(s->epsilon, ROUNDING);
    cr__free(gradient);
    return CR_OK;
}

cr_status cr__lr_solve_lbfgs(cr__lr_search *s, cr_error *err)
{
    const size_t all = cr__lr_parameters(s->objective->design->shape);
    climb c = {.search = s, .all = all, .err = err};
    lbfgs_parameter_t param;
    lbfgsfloatval_t *x, value;
    int code;

    if (all > INT_MAX - 16)
        return cr__fail(err, CR_ELIMIT, "%zu weights are too many for solver=lbfgs", all);
    if ((x = lbfgs_malloc((int)all)) == NULL)
        return cr__fail_memory(err);
    if ((c.status = precondition(&c)) != CR_OK) {
        lbfgs_free(x);
        return cr__fail_memory(err);
    }
    for (size_t p = 0; p < all; p++)
        x[p] = c.scale == NULL ? s->theta[p] : s->theta[p] / c.scale[p];
    lbfgs_parameter_init(&param);
    param.epsilon = 0;
    param.max_iterations = s->most > INT_MAX ? INT_MAX : (int)s->most;
    param.max_linesearch = 40;
    if (s->laplace > 0) {
        param.linesearch = LBFGS_LINESEARCH_BACKTRACKING;
        param.orthantwise_c = s->laplace / s->objective->total;
        param.orthantwise_start = (int)s->objective->design->shape->sets;
        param.orthantwise_end = (int)all;
    }
    code = lbfgs((int)all, x, &value, evaluate, progress, &c, &param);
    memcpy(s->theta, from_search(&c, x), all * sizeof *x);
    cr__free(c.scale);
    cr__free(c.theta);
    lbfgs_free(x);
    if (c.status != CR_OK)
        return c.status;
    if (code == LBFGSERR_OUTOFMEMORY)
        return cr__fail_memory(err);
    return settle(s, code, err);
}
