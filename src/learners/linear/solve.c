/* learners/linear/solve.c - weights and their posterior from cross products.
 *
 * With features and target centred on their means, G = X'X, g = X'y and the penalty λ:
 *
 *     A = G + λ I,  w = A⁻¹ g,  cov(w) = σ² A⁻¹
 *     a = a0 + (n - 1) / 2            (λ = 0, a flat prior: a0 + (n - 1 - rank) / 2)
 *     b = b0 + (y'y - g'w) / 2,  σ² ≈ b / a,  2 a degrees of freedom
 *
 * and ln P(y | X, λ) = ½ p ln λ - ½ ln|A| + ln Γ(a) - a ln b - ½ ln n - (n - 1)/2 ln 2π (+ terms of
 * a0 and b0). The intercept has a flat prior throughout. Solved by Cholesky; by eigenvalues, which
 * also give the evidence for any λ at once, where that is requested or columns are collinear: then
 * directions that the data do not determine get no weight (the minimum-norm solution).
 */
#include <math.h>
#include <string.h>

#include "base/fail.h"
#include "base/matrix.h"
#include "base/memory.h"
#include "base/special.h"
#include "learners/linear/linear.h"

#define PIVOT_LEAST 1e-11 /* share of a column left unexplained by those before it */
#define RANK_LEAST 1e-11  /* eigenvalue, as a share of the largest */
#define LEAST_NOISE 1e-12 /* share of the target's spread: a perfect fit gets some noise too */

/* The problem. */
typedef struct problem {
    const cr__stats *stats;
    const cr__cross *cross;
    const cr__knobs *knobs;
    size_t y; /* term of the target */
    double n;
    size_t p;
    cr__reg_term *term;     /* [p] */
    size_t *plus, *minus;   /* [p] terms of the products; SIZE_MAX: none */
    double *center, *scale; /* [p] */
    double *G, *g;          /* [p * p], [p] scaled */
    double yy;
    double a0, b0;
    double *value, *along; /* [p] eigenvalues of G, and g along their directions; G has these */
    size_t constant;
} problem;

static void free_problem(problem *q)
{
    cr__free(q->term);
    cr__free(q->plus);
    cr__free(q->minus);
    cr__free(q->center);
    cr__free(q->scale);
    cr__free(q->G);
    cr__free(q->g);
    cr__free(q->value);
    cr__free(q->along);
}

/* --- the matrix ------------------------------------------------------------------------------- */

/* Σ (x_i - mean)(x_j - mean) of two terms over the complete rows. */
static double centred(const problem *q, size_t i, size_t j)
{
    const cr__cross_pair_sum s = cr__cross_pair(q->cross, 0, i, j, 1);

    return s.product - s.sum_i * s.sum_j / s.count;
}

static double mean_of(const problem *q, size_t i)
{
    return q->cross->shift[i] + q->cross->of[0].sum[i] / q->n;
}

static double centred_pair(const problem *q, size_t j, size_t t)
{
    return centred(q, q->plus[j], t) - (q->minus[j] == SIZE_MAX ? 0 : centred(q, q->minus[j], t));
}

static double entry(const problem *q, size_t j, size_t k)
{
    return centred_pair(q, j, q->plus[k]) -
           (q->minus[k] == SIZE_MAX ? 0 : centred_pair(q, j, q->minus[k]));
}

/* Whether numbers vary by no more than rounding error. */
static int is_constant(const problem *q, size_t t)
{
    const cr__cross_sum *s = &q->cross->of[0];
    const double square = s->product[t * q->cross->terms + t];

    return !(centred(q, t, t) > 1e-13 * square) || !(square > 0);
}

/* The columns of the design: of a symbol with V values all but the first, which is the reference,
 * or with coding=one-hot all of them. */
static void lay_out(problem *q)
{
    const int effect = cr__knobs_is(q->knobs, "coding", "effect");
    const int all = cr__knobs_is(q->knobs, "coding", "one-hot");
    size_t first = SIZE_MAX;

    for (size_t t = 0; t < q->cross->terms; t++) {
        const cr__cross_term term = q->cross->term[t];
        const int real = term.value == CR__TERM_REAL;

        if (t == q->y)
            continue;
        if (!real && (first == SIZE_MAX || q->cross->term[first].column != term.column) && !all) {
            if (q->cross->of[0].sum[t] > 0)
                first = t; /* the first value that occurs */
            continue;
        }
        if (is_constant(q, t)) {
            q->constant++;
            continue;
        }
        q->term[q->p] = (cr__reg_term){
            term.column, term.value, effect && !real ? q->cross->term[first].value : CR__TERM_REAL,
            (uint32_t)cr__stats_values(q->stats, term.column)};
        q->plus[q->p] = t;
        q->minus[q->p] = effect && !real ? first : SIZE_MAX;
        q->center[q->p] = mean_of(q, t) - (effect && !real ? mean_of(q, first) : 0);
        q->p++;
    }
}

/* G and g; scaled to variance 1 each where that is requested or makes no difference. */
static void fill(problem *q, int scaled)
{
    const size_t p = q->p;

    for (size_t j = 0; j < p; j++)
        for (size_t k = 0; k <= j; k++)
            q->G[j * p + k] = entry(q, j, k);
    for (size_t j = 0; j < p; j++) {
        q->scale[j] = scaled && q->G[j * p + j] > 0 ? sqrt(q->G[j * p + j] / q->n) : 1;
        q->g[j] = centred_pair(q, j, q->y) / q->scale[j];
    }
    for (size_t j = 0; j < p; j++)
        for (size_t k = 0; k <= j; k++) {
            q->G[j * p + k] /= q->scale[j] * q->scale[k];
            q->G[k * p + j] = q->G[j * p + k];
        }
    q->yy = fmax(0, centred(q, q->y, q->y));
}

static cr_status set_up(problem *q, const cr__fit_input *input, cr_error *err)
{
    const size_t terms = input->stats->cross->terms;
    const double lambda = cr__knobs_number(input->knobs, "lambda");

    *q = (problem){.stats = input->stats,
                   .cross = input->stats->cross,
                   .knobs = input->knobs,
                   .n = input->stats->cross->of[0].count,
                   .a0 = cr__knobs_number(input->knobs, "noise-rows") / 2,
                   .b0 = cr__knobs_number(input->knobs, "noise-rows") / 2 *
                         cr__knobs_number(input->knobs, "noise-variance")};
    while (q->cross->term[q->y].column != input->stats->schema->target)
        q->y++;
    q->term = cr__alloc(terms, sizeof *q->term);
    q->plus = cr__alloc(terms, sizeof *q->plus);
    q->minus = cr__alloc(terms, sizeof *q->minus);
    q->center = cr__alloc(terms, sizeof *q->center);
    q->scale = cr__alloc(terms, sizeof *q->scale);
    q->g = cr__alloc(terms, sizeof *q->g);
    q->value = cr__alloc(terms, sizeof *q->value);
    q->along = cr__alloc(terms, sizeof *q->along);
    q->G = cr__alloc(terms * terms, sizeof *q->G);
    if (q->term == NULL || q->plus == NULL || q->minus == NULL || q->center == NULL ||
        q->scale == NULL || q->g == NULL || q->value == NULL || q->along == NULL || q->G == NULL)
        return cr__fail_memory(err);
    lay_out(q);
    fill(q, lambda == 0 || cr__knobs_is(q->knobs, "standardize", "yes"));
    return CR_OK;
}

/* --- by eigenvalues --------------------------------------------------------------------------- */

/* G = V diag(value) V', V into G by columns, ascending. */
static cr_status decompose(problem *q, cr_error *err)
{
    const int p = (int)q->p;
    cr_status st;

    if (p == 0)
        return CR_OK;
    if ((st = cr__eigen(q->G, q->p, q->value)) == CR_ENOMEM)
        return cr__fail_memory(err);
    if (st != CR_OK)
        return cr__fail(err, st, "the numbers are too large or too small for a regression");
    cblas_dgemv(CblasRowMajor, CblasTrans, p, p, 1, q->G, p, q->g, 1, 0, q->along, 1);
    return CR_OK;
}

static double least_value(const problem *q)
{
    return q->p == 0 ? 0 : RANK_LEAST * q->value[q->p - 1];
}

static double log_evidence(const problem *q, double lambda)
{
    const double a = q->a0 + (q->n - 1) / 2;
    double b = q->b0 + q->yy / 2, log_p = -0.5 * log(q->n) - (q->n - 1) / 2 * log(2 * M_PI);

    for (size_t i = 0; i < q->p; i++) {
        const double v = fmax(0, q->value[i]) + lambda;

        b -= q->along[i] * q->along[i] / v / 2;
        log_p += 0.5 * log(lambda / v);
    }
    b = fmax(b, LEAST_NOISE * LEAST_NOISE * (q->yy / 2 + q->b0));
    if (q->a0 > 0 && q->b0 > 0)
        log_p += q->a0 * log(q->b0) - cr__log_gamma(q->a0);
    return log_p + cr__log_gamma(a) - (b > 0 ? a * log(b) : 0);
}

/* Its derivative by ln λ, ½ Σ v_i / (v_i + λ) - a λ b' / b: it has a sharp zero where the evidence
 * itself is flat, so that λ is found to as many digits as the products have. */
static double evidence_slope(const problem *q, double lambda)
{
    double b = q->b0 + q->yy / 2, fall = 0, slope = 0;

    for (size_t i = 0; i < q->p; i++) {
        const double value = fmax(0, q->value[i]), v = value + lambda;

        b -= q->along[i] * q->along[i] / v / 2;
        fall += q->along[i] * q->along[i] / (v * v) / 2;
        slope += value / v / 2;
    }
    b = fmax(b, LEAST_NOISE * LEAST_NOISE * (q->yy / 2 + q->b0));
    return b > 0 ? slope - (q->a0 + (q->n - 1) / 2) * lambda * fall / b : slope;
}

/* The λ of the largest evidence: the best of a grid, then bisection where the slope changes its
 * sign. */
static double best_lambda(const problem *q)
{
    const double unit = q->p == 0 ? 1 : fmax(q->value[q->p - 1], 1e-300);
    double best = 0, most = -INFINITY, low, high;

    for (int i = -60; i <= 60; i++) {
        const double e = log_evidence(q, unit * pow(10, i / 5.0));

        if (e > most) {
            most = e;
            best = i / 5.0;
        }
    }
    low = best - 0.2;
    high = best + 0.2;
    for (int step = 0; step < 60; step++) {
        const double middle = (low + high) / 2;

        if (evidence_slope(q, unit * pow(10, middle)) > 0)
            low = middle;
        else
            high = middle;
    }
    return unit * pow(10, (low + high) / 2);
}

/* Weights along the directions that the data determine, scaled back; M likewise. */
static void solve_eigen(const problem *q, double lambda, double *w, double *M, size_t *rank,
                        double *explained)
{
    const size_t p = q->p;

    memset(w, 0, p * sizeof *w);
    for (size_t i = 0; i < p; i++) {
        const int told = lambda > 0 || q->value[i] > least_value(q);
        const double v = fmax(0, q->value[i]) + lambda, root = told ? 1 / sqrt(v) : 0;

        *rank += q->value[i] > least_value(q);
        *explained += told ? q->along[i] * q->along[i] / v : 0;
        for (size_t j = 0; j < p; j++) {
            w[j] += told ? q->G[j * p + i] * q->along[i] / v / q->scale[j] : 0;
            M[j * p + i] = q->G[j * p + i] * root / q->scale[j];
        }
    }
}

/* --- by Cholesky ------------------------------------------------------------------------------ */

/* 0 when columns are collinear, or nearly. With A = L L', M = L⁻ᵀ. G is kept. */
static int solve_cholesky(const problem *q, double lambda, double *w, double *M, size_t *rank,
                          double *explained)
{
    const size_t p = q->p;

    *rank = p;
    *explained = 0;
    if (p == 0) /* which BLAS rejects */
        return 1;
    for (size_t j = 0; j < p; j++)
        for (size_t k = 0; k < p; k++)
            M[j * p + k] = k > j ? 0 : q->G[j * p + k] + (j == k ? lambda : 0);
    if (cr__cholesky(M, p) != 0)
        return 0;
    for (size_t j = 0; j < p; j++)
        if (!(M[j * p + j] * M[j * p + j] > PIVOT_LEAST * (q->G[j * p + j] + lambda)))
            return 0;
    memcpy(w, q->g, p * sizeof *w);
    cblas_dtrsv(CblasRowMajor, CblasLower, CblasNoTrans, CblasNonUnit, (int)p, M, (int)p, w, 1);
    *explained = cblas_ddot((int)p, w, 1, w, 1);
    cblas_dtrsv(CblasRowMajor, CblasLower, CblasTrans, CblasNonUnit, (int)p, M, (int)p, w, 1);
    if (!cr__triangle_invert(M, p))
        return 0;
    for (size_t j = 0; j < p; j++) { /* L⁻¹ to L⁻ᵀ, and both scaled back */
        for (size_t k = 0; k < j; k++) {
            M[k * p + j] = M[j * p + k];
            M[j * p + k] = 0;
        }
    }
    for (size_t j = 0; j < p; j++) {
        w[j] /= q->scale[j];
        for (size_t k = j; k < p; k++)
            M[j * p + k] /= q->scale[j];
    }
    return 1;
}

/* --- the whole -------------------------------------------------------------------------------- */

/* The knob, and how the solution is found. */
static cr_status solve(problem *q, cr__reg *reg, cr_error *err)
{
    double lambda = cr__knobs_number(q->knobs, "lambda"), explained = 0;
    double *w = (double *)reg->weight, *M = (double *)reg->spread;
    size_t rank = 0;
    cr_status st = CR_OK;

    if (isnan(lambda)) {
        if ((st = decompose(q, err)) != CR_OK)
            return st;
        lambda = best_lambda(q);
        solve_eigen(q, lambda, w, M, &rank, &explained);
    } else if (!solve_cholesky(q, lambda, w, M, &rank, &explained)) {
        if ((st = decompose(q, err)) != CR_OK)
            return st;
        rank = 0;
        explained = 0;
        solve_eigen(q, lambda, w, M, &rank, &explained);
    } else if (lambda > 0) {
        st = decompose(q, err); /* for the evidence */
    }
    reg->head.lambda = lambda;
    reg->head.rank = rank;
    reg->head.log_evidence = st == CR_OK && lambda > 0 ? log_evidence(q, lambda) : NAN;
    reg->head.freedom = 2 * q->a0 + q->n - 1 - (lambda > 0 ? 0 : (double)rank);
    reg->head.noise = q->yy - explained;
    return st;
}

static double residual(const problem *q, const cr__reg *reg)
{
    double rss = q->yy;

    for (size_t j = 0; j < q->p; j++) {
        const double w = reg->weight[j];

        rss -= 2 * w * centred_pair(q, j, q->y);
        for (size_t k = 0; k < q->p; k++)
            rss += w * reg->weight[k] * entry(q, j, k);
    }
    return fmax(0, rss);
}

static cr_status finish(const problem *q, cr__reg *reg, cr_error *err)
{
    cr__reg_head *h = &reg->head;
    const cr__cross_sum *s = &q->cross->of[0];
    const double least = fmax(LEAST_NOISE * sqrt(q->yy / q->n), 1e-150);

    if (!(h->freedom > 0)) {
        cr__fail(err, CR_EFORMAT, "%.15g rows cannot tell %zu weights and the noise apart", q->n,
                 q->p + 1);
        return cr__fail_hint(err, CR_EFORMAT,
                             CR__SET("knob lambda=evidence") ", or " CR__SET(
                                 "knob lambda=1") ", holds the weights small instead");
    }
    h->noise = sqrt(fmax(0, 2 * q->b0 + h->noise) / h->freedom);
    h->noise = fmax(h->noise, least);
    h->r2 = q->yy > 0 ? 1 - residual(q, reg) / q->yy : 1;
    h->rows = q->n;
    h->mean = mean_of(q, q->y);
    h->constant = q->constant;
    if (s->pair_count != NULL)
        h->incomplete = s->pair_count[q->y * q->cross->terms + q->y];
    memcpy((double *)reg->center, q->center, q->p * sizeof *q->center);
    memcpy(reg->own_term, q->term, q->p * sizeof *q->term);
    return CR_OK;
}

static cr_status check(const cr__stats *stats, cr_error *err)
{
    for (size_t i = 0; i < stats->schema->columns; i++)
        if (stats->column[i].bag != NULL) {
            cr__fail(err, CR_EARG, "'%s' is a text, which a linear regression cannot use",
                     stats->schema->column[i].name);
            return cr__fail_hint(err, CR_EARG, CR__SET("type %s=ignore") " leaves it out",
                                 stats->schema->column[i].name);
        }
    if (stats->classes == 0 || !(stats->cross->of[0].count > 0)) {
        cr__fail(err, CR_EFORMAT, "no row of a weight above 0 has a value in every column");
        return cr__fail_hint(err, CR_EFORMAT, CR__SET("impute") " fills missing values");
    }
    return CR_OK;
}

cr_status cr__reg_fit(void **fitted, const cr__fit_input *input, cr_error *err)
{
    problem q = {0};
    cr__reg *reg = NULL;
    cr_status st = check(input->stats, err);

    *fitted = NULL;
    if (st == CR_OK)
        st = cr__matrix_open(err);
    if (st == CR_OK)
        st = set_up(&q, input, err);
    if (st == CR_OK && (st = cr__reg_new(&reg, q.p)) != CR_OK)
        st = cr__fail_memory(err);
    if (st == CR_OK)
        st = solve(&q, reg, err);
    if (st == CR_OK)
        st = finish(&q, reg, err);
    free_problem(&q);
    if (st != CR_OK) {
        cr__reg_free(reg);
        return st;
    }
    *fitted = reg;
    return CR_OK;
}
