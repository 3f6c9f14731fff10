/* network/learn/normals_learn.c - scatter matrices, linear regressions on them, their scores. */
#include "network/learn/normals_learn.h"

#include <math.h>
#include <string.h>

#include "base/fail.h"
#include "base/matrix.h"
#include "base/memory.h"
#include "base/special.h"
#include "network/graph/network.h"

#define PIVOT_LEAST 1e-11 /* share of a parent's scatter that earlier ones leave unexplained */
#define NOISE_LEAST 1e-12 /* share of a number's deviation: a perfect line has some noise too */

/* --- scatter ---------------------------------------------------------------------------------- */

static int make_scatter(cr__scatter *s, size_t count)
{
    s->mean = cr__alloc_zero(count, sizeof *s->mean);
    s->product = cr__alloc_zero(count, count * sizeof *s->product);
    return s->mean != NULL && s->product != NULL;
}

static void free_scatter(cr__scatter *s)
{
    cr__free(s->mean);
    cr__free(s->product);
}

void cr__numbers_free(cr__numbers *d)
{
    if (d == NULL)
        return;
    for (uint32_t c = 0; d->of != NULL && c < d->classes; c++)
        free_scatter(&d->of[c]);
    free_scatter(&d->all);
    free_scatter(&d->within);
    cr__free(d->of);
    cr__free(d->column);
    cr__free(d);
}

/* Of complete rows; sums of several classes are around the same shift, so they add up. */
static void centre(cr__scatter *s, const cr__cross *cross, size_t first, size_t last)
{
    const size_t m = cross->terms;
    double *sum = s->mean;

    for (size_t c = first; c < last; c++) {
        s->n += cross->of[c].count;
        for (size_t i = 0; i < m; i++) {
            sum[i] += cross->of[c].sum[i];
            for (size_t j = 0; j <= i; j++)
                s->product[i * m + j] += cross->of[c].product[i * m + j];
        }
    }
    for (size_t i = 0; i < m; i++)
        for (size_t j = 0; j <= i && s->n > 0; j++) {
            s->product[i * m + j] -= sum[i] * sum[j] / s->n;
            s->product[j * m + i] = s->product[i * m + j];
        }
    for (size_t i = 0; i < m; i++) {
        s->product[i * m + i] = fmax(s->product[i * m + i], 0);
        s->mean[i] = s->n > 0 && !isnan(cross->shift[i]) ? cross->shift[i] + sum[i] / s->n : 0;
    }
}

static void fill(cr__numbers *d, const cr__cross *cross)
{
    const size_t m = d->count;
    size_t seen = 0;

    centre(&d->all, cross, 0, cross->classes);
    for (uint32_t c = 0; c < d->classes; c++) {
        centre(&d->of[c], cross, c, c + 1);
        seen += d->of[c].n > 0;
        for (size_t i = 0; i < m * m; i++)
            d->within.product[i] += d->of[c].product[i];
    }
    if (d->classes == 0)
        memcpy(d->within.product, d->all.product, m * m * sizeof *d->within.product);
    memcpy(d->within.mean, d->all.mean, m * sizeof *d->within.mean);
    d->within.n = d->all.n - (seen > 0 ? (double)seen - 1 : 0);
}

cr_status cr__numbers_new(cr__numbers **out, const cr__stats *stats, cr_error *err)
{
    const cr__cross *cross = stats->cross;
    const cr_status st = cr__matrix_open(err);
    cr__numbers *d;
    int made;

    *out = NULL;
    if (st != CR_OK)
        return st;
    d = cr__alloc_zero(1, sizeof *d);
    made = d != NULL;
    if (made) {
        d->count = (uint32_t)cross->terms;
        d->classes = cr__cross_by_class(stats->schema, cross->use) ? (uint32_t)cross->classes : 0;
        d->column = cr__alloc(d->count, sizeof *d->column);
        d->of = cr__alloc_zero(d->classes, sizeof *d->of);
        made = d->column != NULL && d->of != NULL && make_scatter(&d->all, d->count) &&
               make_scatter(&d->within, d->count);
    }
    for (uint32_t c = 0; made && c < d->classes; c++)
        made = make_scatter(&d->of[c], d->count);
    if (!made) {
        cr__numbers_free(d);
        return cr__fail_memory(err);
    }
    for (uint32_t i = 0; i < d->count; i++)
        d->column[i] = cross->term[i].column;
    fill(d, cross);
    if (d->count > 0 && !(d->all.n > 0)) {
        cr__numbers_free(d);
        cr__fail(err, CR_EFORMAT, "no row has a number in every real column");
        return cr__fail_hint(err, CR_EFORMAT,
                             CR__SET("impute") " fills missing values, " CR__SET(
                                 "type COL=ignore") " leaves a column out");
    }
    *out = d;
    return CR_OK;
}

/* --- one line --------------------------------------------------------------------------------- */

/* Slopes into b, [parents], and the residual sum of squares; 0 when the parents are collinear.
 * work: [parents * parents]. */
static int solve(const cr__scatter *s, size_t m, uint32_t child, const uint32_t *parent,
                 size_t parents, double *b, double *work, double *rss)
{
    const int k = (int)parents;

    for (size_t i = 0; i < parents; i++) {
        b[i] = s->product[parent[i] * m + child];
        for (size_t j = 0; j <= i; j++)
            work[i * parents + j] = s->product[parent[i] * m + parent[j]];
    }
    *rss = s->product[child * m + child];
    if (k == 0)
        return 1;
    if (cr__cholesky(work, parents) != 0)
        return 0;
    for (size_t i = 0; i < parents; i++)
        if (!(work[i * parents + i] * work[i * parents + i] >
              PIVOT_LEAST * s->product[parent[i] * m + parent[i]]))
            return 0;
    cblas_dtrsv(CblasRowMajor, CblasLower, CblasNoTrans, CblasNonUnit, k, work, k, b, 1);
    *rss = fmax(*rss - cblas_ddot(k, b, 1, b, 1), 0);
    cblas_dtrsv(CblasRowMajor, CblasLower, CblasTrans, CblasNonUnit, k, work, k, b, 1);
    return 1;
}

/* A row of weights: the line through the means. */
static void put_line(const cr__scatter *s, const cr__scatter *means, uint32_t child,
                     const uint32_t *parent, size_t parents, const double *b, double rss,
                     double least, double *weight)
{
    const double freedom = s->n - (double)parents - 1;
    double intercept = means->mean[child];

    for (size_t i = 0; i < parents; i++) {
        intercept -= b[i] * means->mean[parent[i]];
        weight[i + 1] = b[i];
    }
    weight[0] = intercept;
    weight[parents + 1] = fmax(freedom > 0 ? sqrt(rss / freedom) : 0, least);
}

cr_status cr__numbers_fit(const cr__numbers *d, uint32_t child, const uint32_t *parent,
                          size_t parents, int by_class, const char *const *name, double *weight,
                          cr_error *err)
{
    const size_t m = d->count, rows = by_class ? d->classes : 1;
    const double spread = sqrt(d->all.product[child * m + child] / d->all.n);
    const double least = fmax(NOISE_LEAST * spread, 1 / CR__WEIGHT_MOST);
    const cr__scatter *whole = by_class ? &d->within : &d->all;
    double *b = cr__alloc(parents * (parents + 2) + 1, sizeof *b), *own = b + parents;
    double *work = own + parents, rss, own_rss;

    if (b == NULL)
        return cr__fail_memory(err);
    if (!solve(whole, m, child, parent, parents, b, work, &rss)) {
        cr__free(b);
        cr__fail(err, CR_EARG, "the %zu numbers that '%s' depends on determine one another",
                 parents, name[child]);
        return cr__fail_hint(err, CR_EARG, CR__SET("knob max-parents=%zu") ", or another structure",
                             parents > 1 ? parents - 1 : 1);
    }
    for (size_t c = 0; c < rows; c++) {
        const cr__scatter *s = by_class ? &d->of[c] : &d->all;
        double *line = weight + c * (parents + 2);

        if (s->n - (double)parents - 1 >= 1 &&
            solve(s, m, child, parent, parents, own, work, &own_rss))
            put_line(s, s, child, parent, parents, own, own_rss, least, line);
        else
            put_line(whole, s->n > 0 ? s : &d->all, child, parent, parents, b, rss, least, line);
    }
    cr__free(b);
    return CR_OK;
}

/* --- scores ----------------------------------------------------------------------------------- */

static double log_likelihood(const cr__scatter *s, size_t m, uint32_t child, const uint32_t *parent,
                             size_t parents, double *b)
{
    const double freedom = s->n - (double)parents - 1;
    double rss, variance;

    if (s->n == 0)
        return 0;
    if (!(freedom > 0) || !solve(s, m, child, parent, parents, b, b + parents, &rss))
        return -INFINITY;
    variance = rss / freedom;
    if (!(rss > NOISE_LEAST * s->product[child * m + child]))
        return -INFINITY;
    return -s->n / 2 * log(2 * M_PI * variance) - freedom / 2;
}

double cr__numbers_family(const void *context, uint32_t child, const uint32_t *parent,
                          size_t parents)
{
    const cr__numbers_score *score = context;
    const cr__numbers *d = score->numbers;
    const int by_class = d->classes > 0 && parents > 0 && parent[parents - 1] == d->count;
    const size_t numbers = parents - (size_t)by_class;
    double *b, sum = 0, k = 0;

    if (child == d->count)
        return 0;
    if ((b = cr__alloc(numbers * (numbers + 1) + 1, sizeof *b)) == NULL)
        return -INFINITY;
    for (uint32_t c = 0; c < (by_class ? d->classes : 1); c++) {
        sum += log_likelihood(by_class ? &d->of[c] : &d->all, d->count, child, parent, numbers, b);
        k += (double)numbers + 2;
    }
    cr__free(b);
    if (score->kind == CR__SCORE_BIC)
        return sum - k * log(d->all.n) / 2;
    return score->kind == CR__SCORE_AIC ? sum - k : sum;
}

/* --- tests ------------------------------------------------------------------------------------ */

/* The partial correlation of x and y: entries of the last Cholesky rows, where the others come
 * first. With L of [given, x, y]: r = L_yx / √(L_yx² + L_yy²). */
double cr__numbers_test(const void *context, uint32_t x, uint32_t y, const uint32_t *given,
                        size_t givens, double *work)
{
    const cr__numbers *d = context;
    const size_t m = d->count, k = givens + 2;
    const double freedom = d->within.n - (double)givens - 3;
    double r;
    size_t bad;

    for (size_t i = 0; i < k; i++) {
        const uint32_t a = i < givens ? given[i] : i == givens ? x : y;

        for (size_t j = 0; j <= i; j++) {
            const uint32_t b = j < givens ? given[j] : j == givens ? x : y;
            const double scale = sqrt(d->within.product[a * m + a] * d->within.product[b * m + b]);

            work[i * k + j] = scale > 0 ? d->within.product[a * m + b] / scale : a == b;
        }
    }
    if (!(freedom > 0))
        return 1;
    bad = cr__cholesky(work, k);
    if (bad != 0) /* the others determine x, or with x they determine y */
        return bad == k ? 0 : 1;
    r = work[(k - 1) * k + k - 2];
    r /= sqrt(r * r + work[k * k - 1] * work[k * k - 1]);
    return 2 * cr__normal_lower(-fabs(sqrt(freedom) * atanh(fmax(fmin(r, 1), -1))));
}
