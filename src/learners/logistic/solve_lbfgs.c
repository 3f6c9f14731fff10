/* learners/logistic/solve_lbfgs.c - limited-memory BFGS for a Laplace prior: the orthant-wise form
 * of Andrew & Gao (2007), by libLBFGS. Weights are not scaled as they are in solve_memory.c: that
 * would change the prior. */
#include <lbfgs.h>
#include <limits.h>
#include <string.h>

#include "base/fail.h"
#include "base/library.h"
#include "learners/logistic/solve.h"

#define FUNCTIONS(X) X(lbfgs) X(lbfgs_parameter_init) X(lbfgs_malloc) X(lbfgs_free)
#define POINTER(name) __typeof__(name) *name;

static struct {
    FUNCTIONS(POINTER)
} liblbfgs;
static cr__library library = {CREDENCE_LIBLBFGS, "", CR__NAMES(FUNCTIONS), &liblbfgs, 0};

typedef struct climb {
    cr__lr_search *search;
    size_t all;
    int begun;
    cr_status status;
    cr_error *err;
} climb;

/* Per row, so that the same steps suit few rows and many. */
static lbfgsfloatval_t evaluate(void *instance, const lbfgsfloatval_t *x, lbfgsfloatval_t *g,
                                const int n, const lbfgsfloatval_t step)
{
    climb *c = instance;
    const double total = c->search->objective->total, each = 1 / total;
    const double value = cr__lr_evaluate(c->search->objective, x, g);

    (void)step;
    for (size_t p = 0; p < c->all; p++)
        g[p] *= each;
    for (size_t p = c->all; p < (size_t)n; p++)
        g[p] = 0;
    if (!c->begun)
        cr__lr_begin(c->search, value);
    c->begun = 1;
    return value / total;
}

static int progress(void *instance, const lbfgsfloatval_t *x, const lbfgsfloatval_t *g,
                    const lbfgsfloatval_t fx, const lbfgsfloatval_t xnorm,
                    const lbfgsfloatval_t gnorm, const lbfgsfloatval_t step, int n, int k, int ls)
{
    climb *c = instance;
    cr__lr_search *s = c->search;
    const double total = s->objective->total, laplace = s->laplace;

    (void)xnorm;
    (void)gnorm;
    (void)step;
    (void)n;
    (void)ls;
    s->iterations = (size_t)k;
    s->value = fx * total;
    s->laplace = laplace / total; /* g is already per row */
    s->gradient = cr__lr_steepest(s, x, g) * total;
    s->laplace = laplace;
    if ((c->status = cr__lr_step(s, c->err)) != CR_OK)
        return 1;
    s->converged = cr__lr_is_there(s);
    return s->converged;
}

cr_status cr__lr_solve_lbfgs(cr__lr_search *s, cr_error *err)
{
    const size_t all = cr__lr_parameters(s->objective->design->shape);
    climb c = {.search = s, .all = all, .err = err};
    lbfgs_parameter_t param;
    lbfgsfloatval_t *x, value;
    cr_status st = cr__library_open(&library, err);
    int code;

    if (st != CR_OK)
        return st;
    if (all > INT_MAX - 16)
        return cr__fail(err, CR_ELIMIT, "%zu weights are too many for solver=lbfgs", all);
    if ((x = liblbfgs.lbfgs_malloc((int)all)) == NULL)
        return cr__fail_memory(err);
    memcpy(x, s->theta, all * sizeof *x);
    liblbfgs.lbfgs_parameter_init(&param);
    param.epsilon = 0;
    param.max_iterations = s->most > INT_MAX ? INT_MAX : (int)s->most;
    param.max_linesearch = 40;
    param.linesearch = LBFGS_LINESEARCH_BACKTRACKING;
    param.orthantwise_c = s->laplace / s->objective->total;
    param.orthantwise_start = (int)s->objective->design->shape->sets;
    param.orthantwise_end = (int)all;
    code = liblbfgs.lbfgs((int)all, x, &value, evaluate, progress, &c, &param);
    memcpy(s->theta, x, all * sizeof *x);
    liblbfgs.lbfgs_free(x);
    if (c.status != CR_OK)
        return c.status;
    if (code == LBFGSERR_OUTOFMEMORY)
        return cr__fail_memory(err);
    return s->converged || code == LBFGSERR_MAXIMUMITERATION ? CR_OK : cr__lr_settle(s, err);
}
