/* learners/logistic/solve_newton.c - Newton's method, which here is iteratively reweighted least
 * squares: θ ← θ - H⁻¹ g, halved until the log posterior grows.
 *
 * H costs far more than g and need not be exact: with many more rows than weights it is computed
 * from a sample (Byrd, Chin, Neveitt & Nocedal 2011), which also gives a good starting point. The
 * gradient is that of all rows, so the maximum is theirs. */
#include <math.h>
#include <string.h>

#include "base/fail.h"
#include "base/matrix.h"
#include "base/memory.h"
#include "learners/logistic/solve.h"

enum {
    COARSE = 16,   /* rows for each weight in the first sample; CR__LR_SAMPLE in the last */
    MANY = 1 << 14 /* least rows for sampling */
};

/* Solve A x = b for a symmetric A, [n * n], in place of b; A is overwritten by its Cholesky factor.
 * Where A is not positive definite, ever more of the identity is added: *added says how much. */
static cr_status solve_symmetric(double *a, double *b, size_t n, double *added, cr_error *err)
{
    double *kept, mean = 0;
    const cr_status st = cr__matrix_open(err);

    *added = 0;
    if (st != CR_OK)
        return st;
    if ((kept = cr__alloc(n * n, sizeof *kept)) == NULL)
        return cr__fail_memory(err);
    memcpy(kept, a, n * n * sizeof *kept);
    for (size_t i = 0; i < n; i++)
        mean += a[i * n + i] / (double)n;
    while (cr__cholesky(a, n) != 0 && *added < mean + 1) {
        *added = *added == 0 ? 1e-10 * (mean + 1e-10) : *added * 10;
        memcpy(a, kept, n * n * sizeof *kept);
        for (size_t i = 0; i < n; i++)
            a[i * n + i] += *added;
    }
    if (b != NULL)
        cr__cholesky_solve(a, n, b);
    cr__free(kept);
    return CR_OK;
}

typedef struct newton {
    double *direction, *trial;
    cr__lr_expansion at; /* the last one; its Hessian is a Cholesky factor here */
} newton;

static size_t weights(const cr__lr_search *s)
{
    return cr__lr_parameters(s->objective->design->shape);
}

static double slope(const newton *n, size_t all)
{
    double sum = 0;

    for (size_t p = 0; p < all; p++)
        sum += n->at.gradient[p] * n->direction[p];
    return sum;
}

/* H⁻¹ g with the current factor. */
static void solve(newton *n, size_t all)
{
    memcpy(n->direction, n->at.gradient, all * sizeof *n->direction);
    cr__cholesky_solve(n->at.hessian, all, n->direction);
}

/* Second derivatives by every stride-th block, with the value and the gradient if wanted, and their
 * factor. */
static cr_status expand(cr__lr_search *s, newton *n, size_t stride, int gradient, cr_error *err)
{
    cr__lr_expansion out = {.gradient = gradient ? n->at.gradient : NULL, .hessian = n->at.hessian};
    double added;
    cr_status st = cr__lr_expand(s->objective, s->theta, stride, &out, err);

    n->at.value = out.value;
    return st == CR_OK ? solve_symmetric(n->at.hessian, NULL, weights(s), &added, err) : st;
}

/* --- a start from samples ------------------------------------------------------------------- */

/* The stride between blocks for a sample of this many rows per weight. */
static size_t sample(const cr__lr_search *s, size_t rows_per_weight)
{
    const size_t stride = s->objective->design->rows / (rows_per_weight * weights(s));

    return stride < 1 ? 1 : stride;
}

/* Newton steps on a sample, until the remaining gain is less than what the next larger sample will
 * change: half a unit of log likelihood per weight, several times. An overlong step is halved. */
static cr_status climb_sample(cr__lr_search *s, newton *n, size_t stride, cr_error *err)
{
    enum { STEPS = 12 };
    const size_t all = weights(s);
    double before = INFINITY, left = INFINITY;
    cr_status st = CR_OK;

    for (int i = 0; i < STEPS && left > 4 * (double)(all * stride); i++) {
        if ((st = expand(s, n, stride, 1, err)) != CR_OK)
            return st;
        if (!(n->at.value <= before)) {
            for (size_t p = 0; p < all; p++)
                s->theta[p] = (s->theta[p] + n->trial[p]) / 2;
            continue;
        }
        before = n->at.value;
        solve(n, all);
        left = slope(n, all);
        memcpy(n->trial, s->theta, all * sizeof *n->trial);
        for (size_t p = 0; p < all; p++)
            s->theta[p] -= n->direction[p];
    }
    return st;
}

/* From zero to near the maximum, with samples of increasing size. The last one, every stride-th
 * block, keeps its second derivatives, unless that is all blocks. */
static cr_status approach(cr__lr_search *s, newton *n, size_t stride, cr_error *err)
{
    cr_status st = CR_OK;

    for (size_t at = sample(s, COARSE); st == CR_OK && at > stride; at /= 4)
        st = climb_sample(s, n, at, err);
    return st == CR_OK && stride > 1 ? climb_sample(s, n, stride, err) : st;
}

static int many(const cr__lr_search *s)
{
    return s->objective->design->rows >= MANY && !s->keep_trace;
}

static int at_nothing(const cr__lr_search *s)
{
    for (size_t p = 0; p < weights(s); p++)
        if (s->theta[p] != 0)
            return 0;
    return 1;
}

/* Where to begin: near the maximum when there are many rows and no better place is known. Returns 1
 * if the second derivatives of every stride-th block are known then. Samples that did not help (for
 * example because their classes were separable) are discarded. */
static int begin(cr__lr_search *s, newton *n, size_t *stride, cr_status *st, cr_error *err)
{
    const double start = s->objective->total * log((double)s->objective->design->shape->classes);
    const int sampled = many(s) && at_nothing(s);

    *stride = many(s) ? sample(s, CR__LR_SAMPLE) : 1;
    if (sampled)
        *st = approach(s, n, *stride, err);
    s->value = cr__lr_evaluate(s->objective, s->theta, n->at.gradient);
    if (sampled && !(s->value < start)) {
        *stride = 1;
        memset(s->theta, 0, weights(s) * sizeof *s->theta);
        s->value = cr__lr_evaluate(s->objective, s->theta, n->at.gradient);
    }
    return sampled && *stride > 1;
}

/* --- all rows ------------------------------------------------------------------------------- */

/* Halve the step until it gains: at a maximum, rounding may leave no gain. */
static int take_step(cr__lr_search *s, newton *n, size_t all)
{
    const double gain = slope(n, all);
    double step = 1;

    for (int halvings = 0; halvings < 40; halvings++, step /= 2) {
        double value;

        for (size_t p = 0; p < all; p++)
            n->trial[p] = s->theta[p] - step * n->direction[p];
        value = cr__lr_evaluate(s->objective, n->trial, n->at.gradient);
        if (value <= s->value - 1e-4 * step * gain ||
            (isfinite(value) && fabs(value - s->value) <= 1e-14 * fabs(s->value))) {
            memcpy(s->theta, n->trial, all * sizeof *s->theta);
            s->value = value;
            return 1;
        }
    }
    s->value = cr__lr_evaluate(s->objective, s->theta, n->at.gradient);
    return 0;
}

/* Where rows are many, the same second derivatives serve for all steps, as long as each step
 * reduces the slope to at most a quarter; otherwise they are recomputed from four times the
 * rows. */
static cr_status run(cr__lr_search *s, newton *n, size_t all, cr_error *err)
{
    size_t stride;
    double before = INFINITY;
    cr_status st = CR_OK;
    int known = begin(s, n, &stride, &st, err);

    while (st == CR_OK) {
        s->gradient = cr__lr_steepest(s, s->theta, n->at.gradient);
        if ((st = cr__lr_step(s, err)) != CR_OK)
            return st;
        s->converged = s->gradient <= s->epsilon;
        if (s->converged || s->iterations >= s->most)
            return CR_OK;
        if (known && s->gradient > before / 4) {
            stride = stride / 4 > 1 ? stride / 4 : 1;
            known = 0;
        }
        if (!known && (st = expand(s, n, stride, 0, err)) != CR_OK)
            return st;
        known = many(s);
        before = s->gradient;
        solve(n, all);
        s->iterations++;
        if (!take_step(s, n, all))
            return CR_OK;
    }
    return st;
}

cr_status cr__lr_solve_newton(cr__lr_search *s, cr_error *err)
{
    const size_t all = weights(s);
    newton n = {.direction = cr__alloc(all, sizeof(double)),
                .trial = cr__alloc(all, sizeof(double)),
                .at = {.gradient = cr__alloc(all, sizeof(double)),
                       .hessian = cr__alloc(all * all, sizeof(double))}};
    cr_status st = CR_OK;

    if (n.direction == NULL || n.trial == NULL || n.at.gradient == NULL || n.at.hessian == NULL)
        st = cr__fail_memory(err);
    else
        st = run(s, &n, all, err);
    cr__free(n.direction);
    cr__free(n.trial);
    cr__free(n.at.gradient);
    cr__free(n.at.hessian);
    return st;
}
