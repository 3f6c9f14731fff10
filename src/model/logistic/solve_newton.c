/* model/logistic/solve_newton.c - Newton's method, which here is iteratively reweighted least
 * squares: θ ← θ - H⁻¹ g, halved until the log posterior grows. */
#include <lapacke.h>
#include <math.h>
#include <string.h>

#include "base/fail.h"
#include "base/memory.h"
#include "model/logistic/solve.h"

cr_status cr__lr_solve_symmetric(double *a, double *b, size_t n, double *added, cr_error *err)
{
    double *kept = cr__alloc(n * n, sizeof *kept), mean = 0;
    const lapack_int size = (lapack_int)n;

    *added = 0;
    if (kept == NULL)
        return cr__fail_memory(err);
    memcpy(kept, a, n * n * sizeof *kept);
    for (size_t i = 0; i < n; i++)
        mean += a[i * n + i] / (double)n;
    while (LAPACKE_dpotrf(LAPACK_ROW_MAJOR, 'L', size, a, size) != 0 && *added < mean + 1) {
        *added = *added == 0 ? 1e-10 * (mean + 1e-10) : *added * 10;
        memcpy(a, kept, n * n * sizeof *kept);
        for (size_t i = 0; i < n; i++)
            a[i * n + i] += *added;
    }
    if (b != NULL)
        LAPACKE_dpotrs(LAPACK_ROW_MAJOR, 'L', size, 1, a, size, b, 1);
    cr__free(kept);
    return CR_OK;
}

typedef struct newton {
    double *gradient, *direction, *trial, *hessian;
} newton;

/* Halve the step until it gains: at a maximum rounding may leave nothing to gain. */
static int take_step(cr__lr_search *s, newton *n, size_t all)
{
    double step = 1, slope = 0;

    for (size_t p = 0; p < all; p++)
        slope += n->gradient[p] * n->direction[p];
    for (int halvings = 0; halvings < 40; halvings++, step /= 2) {
        double value;

        for (size_t p = 0; p < all; p++)
            n->trial[p] = s->theta[p] - step * n->direction[p];
        value = cr__lr_evaluate(s->objective, n->trial, n->gradient);
        if (value <= s->value - 1e-4 * step * slope ||
            (isfinite(value) && fabs(value - s->value) <= 1e-14 * fabs(s->value))) {
            memcpy(s->theta, n->trial, all * sizeof *s->theta);
            s->value = value;
            return 1;
        }
    }
    s->value = cr__lr_evaluate(s->objective, s->theta, n->gradient);
    return 0;
}

static cr_status run(cr__lr_search *s, newton *n, size_t all, cr_error *err)
{
    cr_status st;
    double added;

    s->value = cr__lr_evaluate(s->objective, s->theta, n->gradient);
    for (;;) {
        s->gradient = cr__lr_steepest(s, s->theta, n->gradient);
        if ((st = cr__lr_step(s, err)) != CR_OK)
            return st;
        s->converged = s->gradient <= s->epsilon;
        if (s->converged || s->iterations >= s->most)
            return CR_OK;
        if ((st = cr__lr_hessian(s->objective, s->theta, n->hessian, err)) != CR_OK)
            return st;
        memcpy(n->direction, n->gradient, all * sizeof *n->direction);
        if ((st = cr__lr_solve_symmetric(n->hessian, n->direction, all, &added, err)) != CR_OK)
            return st;
        s->iterations++;
        if (!take_step(s, n, all))
            return CR_OK;
    }
}

cr_status cr__lr_solve_newton(cr__lr_search *s, cr_error *err)
{
    const size_t all = cr__lr_parameters(s->objective->design->shape);
    newton n = {.gradient = cr__alloc(all, sizeof(double)),
                .direction = cr__alloc(all, sizeof(double)),
                .trial = cr__alloc(all, sizeof(double)),
                .hessian = cr__alloc(all * all, sizeof(double))};
    cr_status st = CR_OK;

    if (n.gradient == NULL || n.direction == NULL || n.trial == NULL || n.hessian == NULL)
        st = cr__fail_memory(err);
    else
        st = run(s, &n, all, err);
    cr__free(n.gradient);
    cr__free(n.direction);
    cr__free(n.trial);
    cr__free(n.hessian);
    return st;
}
