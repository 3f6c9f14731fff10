/* learners/ensemble/stack.c - stacking: the mixture that predicts held-out labels best.
 *
 * Maximise L(w) = Σ_r v_r log Σ_m w_m p_rm over weights w that are at least 0 and add up to 1, with
 * p_rm = P(label of row r | member m) and v_r the weight of the row, all v adding up to 1 (D.
 * Wolpert, "Stacked generalization", 1992; Y. Yao et al., "Using stacking to average Bayesian
 * predictive distributions", 2018). L is concave, with
 *
 *     gradient g_m = Σ_r v_r p_rm / Σ_k w_k p_rk      Hessian -H, H_mn = Σ_r v_r p_rm p_rn / (…)²
 *
 * and L* - L <= log max g, so the largest g bounds the remaining gain. Newton steps among the
 * weights above 0 are fast; where one gains nothing, a step of EM, w_m g_m, always does.
 */
#include <math.h>
#include <string.h>

#include "base/fail.h"
#include "base/memory.h"
#include "learners/ensemble/ensemble.h"

enum { MOST_STEPS = 500, HALVINGS = 40, NEWTON_MEMBERS = 64 };
#define CLOSE 1e-9 /* in the score of a row, on average */

typedef struct problem {
    double *p; /* [rows * members] relative to the best member of the row */
    double *v; /* [rows] */
    size_t rows, members;
    double *w, *trial, *g, *step; /* [members] */
    double *h;                    /* [members * members], NULL for very many members */
    double *system;               /* [(members + 1) * (members + 2)] */
    size_t *free;                 /* [members] members whose weight is above 0 */
} problem;

static void release(problem *k)
{
    cr__free(k->p);
    cr__free(k->v);
    cr__free(k->w);
    cr__free(k->h);
    cr__free(k->system);
    cr__free(k->free);
}

static cr_status allocate(problem *k, cr_error *err)
{
    const size_t M = k->members;

    k->p = k->rows > SIZE_MAX / sizeof *k->p / M ? NULL : cr__alloc(k->rows * M, sizeof *k->p);
    k->v = cr__alloc(k->rows, sizeof *k->v);
    k->w = cr__alloc(M, 4 * sizeof *k->w);
    k->free = cr__alloc(M, sizeof *k->free);
    if (k->p == NULL || k->v == NULL || k->w == NULL || k->free == NULL)
        return cr__fail_memory(err);
    k->trial = k->w + M;
    k->g = k->trial + M;
    k->step = k->g + M;
    if (M > NEWTON_MEMBERS)
        return CR_OK;
    k->h = cr__alloc(M * M, sizeof *k->h);
    k->system = cr__alloc((M + 1) * (M + 2), sizeof *k->system);
    return k->h == NULL || k->system == NULL ? cr__fail_memory(err) : CR_OK;
}

/* Likelihoods relative to the best member of the row. A row impossible for all is uninformative and
 * gets weight 0. Returns whether any row is left. */
static int scale(problem *k, const double *log_p, const double *weight)
{
    double sum = 0;

    for (size_t r = 0; r < k->rows; r++, log_p += k->members) {
        double best = -INFINITY;

        for (size_t m = 0; m < k->members; m++)
            best = fmax(best, log_p[m]);
        k->v[r] = isinf(best) ? 0 : weight[r];
        sum += k->v[r];
        for (size_t m = 0; m < k->members; m++)
            k->p[r * k->members + m] = isinf(best) ? 0 : exp(log_p[m] - best);
    }
    for (size_t r = 0; sum > 0 && r < k->rows; r++)
        k->v[r] /= sum;
    return sum > 0;
}

/* L at w, up to a constant. */
static double score(const problem *k, const double *w)
{
    double sum = 0;

    for (size_t r = 0; r < k->rows; r++) {
        const double *p = k->p + r * k->members;
        double mixture = 0;

        for (size_t m = 0; m < k->members; m++)
            mixture += w[m] * p[m];
        if (k->v[r] > 0)
            sum += k->v[r] * log(mixture);
    }
    return sum;
}

/* g and, when it is kept, the lower half of H at w. */
static void differentiate(problem *k)
{
    const size_t M = k->members;

    memset(k->g, 0, M * sizeof *k->g);
    if (k->h != NULL)
        memset(k->h, 0, M * M * sizeof *k->h);
    for (size_t r = 0; r < k->rows; r++) {
        const double *p = k->p + r * M;
        double mixture = 0, share;

        for (size_t m = 0; m < M; m++)
            mixture += k->w[m] * p[m];
        share = mixture > 0 ? k->v[r] / mixture : 0;
        for (size_t m = 0; m < M; m++) {
            k->g[m] += share * p[m];
            for (size_t n = 0; k->h != NULL && n <= m; n++)
                k->h[m * M + n] += share * p[m] * (p[n] / (mixture > 0 ? mixture : 1));
        }
    }
}

/* Solve n equations, each a row of n + 1 numbers, by elimination; 0 when they are singular. */
static int solve(double *a, size_t n)
{
    for (size_t c = 0; c < n; c++) {
        size_t pivot = c;

        for (size_t r = c + 1; r < n; r++)
            if (fabs(a[r * (n + 1) + c]) > fabs(a[pivot * (n + 1) + c]))
                pivot = r;
        if (!(fabs(a[pivot * (n + 1) + c]) > 0))
            return 0;
        for (size_t i = 0; i <= n && pivot != c; i++) {
            const double kept = a[c * (n + 1) + i];

            a[c * (n + 1) + i] = a[pivot * (n + 1) + i];
            a[pivot * (n + 1) + i] = kept;
        }
        for (size_t r = 0; r < n; r++) {
            const double f = r == c ? 0 : a[r * (n + 1) + c] / a[c * (n + 1) + c];

            for (size_t i = c; f != 0 && i <= n; i++)
                a[r * (n + 1) + i] -= f * a[c * (n + 1) + i];
        }
    }
    for (size_t r = 0; r < n; r++)
        a[r * (n + 1) + n] /= a[r * (n + 1) + r];
    return 1;
}

/* The Newton step among the free weights that keeps their sum: H d + λ = g, Σ d = 0. A tiny ridge
 * keeps identical members from making it singular. */
static int newton(problem *k)
{
    const size_t M = k->members;
    size_t n = 0;
    double ridge = 0;

    for (size_t m = 0; m < M; m++)
        if (k->w[m] > 0)
            k->free[n++] = m;
    for (size_t i = 0; i < n; i++)
        ridge += 1e-12 * k->h[k->free[i] * M + k->free[i]];
    for (size_t i = 0; i < n; i++) {
        double *row = k->system + i * (n + 2);

        for (size_t j = 0; j < n; j++) {
            const size_t a = k->free[i], b = k->free[j];

            row[j] = k->h[a > b ? a * M + b : b * M + a] + (i == j ? ridge : 0);
        }
        row[n] = 1;
        row[n + 1] = k->g[k->free[i]];
    }
    for (size_t j = 0; j < n; j++)
        k->system[n * (n + 2) + j] = 1;
    k->system[n * (n + 2) + n] = k->system[n * (n + 2) + n + 1] = 0;
    memset(k->step, 0, M * sizeof *k->step);
    if (!solve(k->system, n + 1))
        return 0;
    for (size_t i = 0; i < n; i++)
        k->step[k->free[i]] = k->system[i * (n + 2) + n + 1];
    return 1;
}

static void normalise(double *w, size_t members)
{
    double sum = 0;

    for (size_t m = 0; m < members; m++)
        sum += w[m] = fmax(w[m], 0);
    for (size_t m = 0; m < members; m++)
        w[m] /= sum;
}

/* Walk along the step, at most to the boundary, and halve it until there is a gain. */
static int gain(problem *k, double before)
{
    double length = 1;

    for (size_t m = 0; m < k->members; m++)
        if (k->step[m] < 0)
            length = fmin(length, k->w[m] / -k->step[m]);
    for (int i = 0; i < HALVINGS && isfinite(length); i++, length /= 2) {
        for (size_t m = 0; m < k->members; m++) {
            k->trial[m] = k->w[m] + length * k->step[m];
            if (k->trial[m] < 1e-15) /* the boundary was reached */
                k->trial[m] = 0;
        }
        normalise(k->trial, k->members);
        if (score(k, k->trial) > before) {
            memcpy(k->w, k->trial, k->members * sizeof *k->w);
            return 1;
        }
    }
    return 0;
}

/* One step up; 0 at the maximum. The weightless member that would help most gets a part of all
 * other weights. */
static int climb(problem *k)
{
    size_t best = 0;
    double now;

    differentiate(k);
    for (size_t m = 1; m < k->members; m++)
        best = k->g[m] > k->g[best] ? m : best;
    if (k->g[best] <= 1 + CLOSE)
        return 0;
    now = score(k, k->w);
    if (k->w[best] <= 0) {
        for (size_t m = 0; m < k->members; m++)
            k->step[m] = (m == best) - k->w[m];
        return gain(k, now);
    }
    if (k->h != NULL && newton(k) && gain(k, now))
        return 1;
    for (size_t m = 0; m < k->members; m++)
        k->w[m] *= k->g[m];
    normalise(k->w, k->members);
    return 1;
}

cr_status cr__stack(const double *log_p, const double *weight, size_t rows, size_t members,
                    double *out, cr_error *err)
{
    problem k = {.rows = rows, .members = members};
    cr_status st = allocate(&k, err);

    if (st == CR_OK) {
        for (size_t m = 0; m < members; m++)
            k.w[m] = 1 / (double)members;
        if (scale(&k, log_p, weight))
            for (int i = 0; i < MOST_STEPS && climb(&k); i++)
                ;
        memcpy(out, k.w, members * sizeof *out);
    }
    release(&k);
    return st;
}
