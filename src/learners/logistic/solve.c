/* learners/logistic/solve.c - common parts of the solvers, and plain gradient ascent. */
#include "learners/logistic/solve.h"

#include <math.h>
#include <string.h>

#include "base/fail.h"
#include "base/memory.h"
#include "base/sized.h"

#define ROUNDING 1e-7 /* slopes per row that rounding errors of the likelihood can hide */

cr_status cr__lr_step(cr__lr_search *s, cr_error *err)
{
    const cr_run run = cr__run_of(s->run);

    if (s->keep_trace) {
        if (!cr__grow(&s->trace, &s->trace_capacity, s->steps + 1, sizeof *s->trace))
            return cr__fail_memory(err);
        s->trace[s->steps++] = s->objective->log_likelihood;
    }
    if (run.progress != NULL &&
        run.progress(run.context, s->iterations, s->most, s->objective->design->rows) != 0)
        return cr__fail(err, CR_ESTOPPED, "stopped after %zu steps", s->iterations);
    return CR_OK;
}

double cr__lr_steepest(const cr__lr_search *s, const double *theta, const double *gradient)
{
    const cr__lr_shape *shape = s->objective->design->shape;
    const size_t all = cr__lr_parameters(shape);
    double most = 0;

    for (size_t p = 0; p < all; p++) {
        double d = fabs(gradient[p]);

        if (s->laplace > 0 && p >= shape->sets)
            d = theta[p] == 0 ? fmax(d - s->laplace, 0)
                              : fabs(gradient[p] + copysign(s->laplace, theta[p]));
        most = d > most ? d : most;
    }
    return most / s->objective->total;
}

void cr__lr_begin(cr__lr_search *s, double value)
{
    s->value = value;
    for (size_t i = 0; i < CR__LR_LAST; i++)
        s->past[i] = value;
}

int cr__lr_is_there(cr__lr_search *s)
{
    double *before = &s->past[s->iterations % CR__LR_LAST];
    const double gained = *before - s->value;

    *before = s->value;
    return s->gradient <= s->epsilon &&
           gained <= fmax(sqrt(s->epsilon) * s->value, s->epsilon * s->objective->total);
}

cr_status cr__lr_settle(cr__lr_search *s, cr_error *err)
{
    const size_t all = cr__lr_parameters(s->objective->design->shape);
    double *gradient = cr__alloc(all, sizeof *gradient);

    if (gradient == NULL)
        return cr__fail_memory(err);
    cr__lr_evaluate(s->objective, s->theta, gradient);
    s->gradient = cr__lr_steepest(s, s->theta, gradient);
    s->converged = s->gradient <= fmax(s->epsilon, ROUNDING);
    cr__free(gradient);
    return CR_OK;
}

/* --- the lectures' gradient ascent --------------------------------------------------------- */

/* A step that cannot overshoot is 1 / L, where L bounds the curvature: the largest eigenvalue of
 * Σ w x x' ⊗ (diag p - p p') is at most ¼ Σ w |x|² for one set of weights, ½ for more. */
static double safe_step(const cr__lr_objective *o)
{
    const cr__lr_design *d = o->design;
    const size_t sets = d->shape->sets;
    double squares = o->total, most = 0;

    for (size_t j = 0; j < d->shape->reals; j++)
        for (size_t r = 0; r < d->rows; r++) {
            const double x = cr__lr_real_at(&d->real[j], r);

            squares += o->weight[r] * x * x;
        }
    for (size_t k = 0; k < d->shape->pairs; k++)
        for (size_t r = 0; d->shape->pair[k].first < d->shape->dense && r < d->rows; r++) {
            const cr__lr_slot *slot = d->shape->slot;
            const double x = cr__lr_real_at(&d->real[slot[d->shape->pair[k].a].first], r) *
                             cr__lr_real_at(&d->real[slot[d->shape->pair[k].b].first], r);

            squares += o->weight[r] * x * x;
        }
    for (size_t r = 0; d->by_row.start != NULL && r < d->rows; r++)
        for (uint64_t k = d->by_row.start[r]; k < d->by_row.start[r + 1]; k++) {
            const double x = d->by_row.value == NULL ? 1 : d->by_row.value[k];
            const size_t at = (1 + d->by_row.index[k]) * sets;
            const double scale = o->scale == NULL ? 1 : o->scale[at];

            squares += o->weight[r] * x * x * scale * scale;
        }
    for (size_t p = 0; o->precision != NULL && p < cr__lr_parameters(d->shape); p++)
        most = fmax(most, o->precision[p]);
    return 1 / (squares * (sets == 1 ? 0.25 : 0.5) + most);
}

/* w ← w + η (Σ x (y - P) - λ w), until the log posterior changes by less than ε per row. */
static cr_status solve_gradient(cr__lr_search *s, cr_error *err)
{
    const size_t all = cr__lr_parameters(s->objective->design->shape);
    const double eta = isnan(s->eta) ? safe_step(s->objective) : s->eta;
    double *gradient = cr__alloc(all, sizeof *gradient);
    double before = 0;
    cr_status st = gradient == NULL ? cr__fail_memory(err) : CR_OK;

    while (st == CR_OK) {
        s->value = cr__lr_evaluate(s->objective, s->theta, gradient);
        s->gradient = cr__lr_steepest(s, s->theta, gradient);
        if (!isfinite(s->value)) {
            cr__fail(err, CR_EARG, "the weights grow beyond all bounds after %zu steps",
                     s->iterations);
            st = cr__fail_hint(err, CR_EARG, "eta is too large: it is %g, a safe one is %g", eta,
                               safe_step(s->objective));
            break;
        }
        if ((st = cr__lr_step(s, err)) != CR_OK)
            break;
        s->converged =
            s->iterations > 0 && fabs(before - s->value) <= s->epsilon * s->objective->total;
        if (s->converged || s->iterations >= s->most)
            break;
        before = s->value;
        for (size_t p = 0; p < all; p++)
            s->theta[p] -= eta * gradient[p];
        s->iterations++;
    }
    cr__free(gradient);
    return st;
}

cr_status cr__lr_solve(cr__lr_search *s, unsigned solver, cr_error *err)
{
    const size_t all = cr__lr_parameters(s->objective->design->shape);

    if (s->laplace > 0 && solver != CR__LR_LBFGS)
        return cr__fail(err, CR_EARG, "prior=laplace goes with solver=lbfgs");
    if (solver == CR__LR_NEWTON && all > CR__LR_MOST_FULL) {
        cr__fail(err, CR_EARG, "solver=newton is for up to %d weights; here are %zu",
                 CR__LR_MOST_FULL, all);
        return cr__fail_hint(err, CR_EARG, "solver=lbfgs has no such limit");
    }
    s->iterations = s->steps = 0;
    s->converged = 0;
    switch (solver) {
    case CR__LR_NEWTON: return cr__lr_solve_newton(s, err);
    case CR__LR_GRADIENT: return solve_gradient(s, err);
    default: return s->laplace > 0 ? cr__lr_solve_lbfgs(s, err) : cr__lr_solve_memory(s, err);
    }
}
