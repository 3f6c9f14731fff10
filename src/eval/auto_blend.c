/* eval/auto_blend.c - the product of posteriors that makes the classes of rows likeliest.
 *
 * With l_m(r, c) the log posterior of member m, the product Π_m P_m^{w_m} has the log loss
 *
 *     L(w) = Σ_r log Σ_c exp(Σ_m w_m l_m(r, c)) - Σ_m w_m l_m(r, truth),
 *
 * which is convex in w: its gradient is Σ_r E_r[l_m] - l_m(r, truth) and its second derivatives are
 * the covariances of l under the product (a logarithmic opinion pool; G. Hinton, "Products of
 * experts", 1999; weights by stacking: D. Wolpert, 1992). It is minimised over w >= 0 by Newton
 * steps on the free weights.
 */
#include <math.h>
#include <string.h>

#include "base/fail.h"
#include "base/memory.h"
#include "data/folds.h"
#include "eval/auto.h"

enum { MEMBERS_MOST = 16, STEPS = 50, CROSS_FOLDS = 5 };

#define RIDGE 1.0 /* a Gaussian prior of deviation 1 around equal shares: few rows change little   \
                   */

typedef struct pool {
    cr__trial *const *trial;
    size_t members, rows, classes;
    const int32_t *truth;
    const double *weight;
    const uint32_t *fold; /* rows of this fold are left out */
    uint32_t without;
    double *score; /* [classes] of a row */
} pool;

static double row_weight(const pool *p, size_t r)
{
    return p->weight == NULL ? 1 : p->weight[r];
}

/* The product's log posterior of a row into p->score. */
static void multiply(const pool *p, const double *w, size_t r)
{
    double most = -INFINITY, sum = 0;

    for (size_t c = 0; c < p->classes; c++) {
        double s = 0;

        for (size_t m = 0; m < p->members; m++)
            s += w[m] * p->trial[m]->log_p[r * p->classes + c];
        p->score[c] = s;
        most = fmax(most, s);
    }
    for (size_t c = 0; c < p->classes; c++)
        sum += exp(p->score[c] - most);
    for (size_t c = 0; c < p->classes; c++)
        p->score[c] -= most + log(sum);
}

static double ridge(const pool *p, const double *w)
{
    double sum = 0;

    for (size_t m = 0; m < p->members; m++)
        sum += RIDGE / 2 * (w[m] - 1 / (double)p->members) * (w[m] - 1 / (double)p->members);
    return sum;
}

static double loss_at(const pool *p, const double *w)
{
    double loss = ridge(p, w);

    for (size_t r = 0; r < p->rows; r++)
        if (p->fold[r] != p->without) {
            multiply(p, w, r);
            loss -= row_weight(p, r) * p->score[p->truth[r]];
        }
    return loss;
}

/* Slope and second derivatives of one row. */
static void add_row(const pool *p, size_t r, double *g, double *h)
{
    const size_t M = p->members, K = p->classes;
    double mean[MEMBERS_MOST] = {0};

    for (size_t m = 0; m < M; m++)
        for (size_t c = 0; c < K; c++)
            mean[m] += exp(p->score[c]) * p->trial[m]->log_p[r * K + c];
    for (size_t m = 0; m < M; m++)
        g[m] += row_weight(p, r) * (mean[m] - p->trial[m]->log_p[r * K + (size_t)p->truth[r]]);
    for (size_t c = 0; c < K; c++) {
        const double q = row_weight(p, r) * exp(p->score[c]);

        for (size_t m = 0; m < M; m++)
            for (size_t n = 0; n <= m; n++)
                h[m * M + n] += q * (p->trial[m]->log_p[r * K + c] - mean[m]) *
                                (p->trial[n]->log_p[r * K + c] - mean[n]);
    }
}

static void slopes_at(const pool *p, const double *w, double *g, double *h)
{
    const size_t M = p->members;

    memset(h, 0, M * M * sizeof *h);
    for (size_t m = 0; m < M; m++)
        g[m] = RIDGE * (w[m] - 1 / (double)M);
    for (size_t r = 0; r < p->rows; r++)
        if (p->fold[r] != p->without) {
            multiply(p, w, r);
            add_row(p, r, g, h);
        }
    for (size_t m = 0; m < M; m++) {
        h[m * M + m] += RIDGE;
        for (size_t n = 0; n < m; n++)
            h[n * M + m] = h[m * M + n];
    }
}

/* Newton's direction over the weights that are not held at 0, by elimination: h is positive
 * definite. */
static void direction(size_t M, const double *w, const double *g, double *h, double *step)
{
    for (size_t m = 0; m < M; m++) {
        const int held = w[m] <= 0 && g[m] >= 0;

        step[m] = held ? 0 : -g[m];
        for (size_t n = 0; held && n < M; n++)
            h[m * M + n] = h[n * M + m] = m == n;
    }
    for (size_t i = 0; i < M; i++)
        for (size_t k = i + 1; k < M; k++) {
            const double f = h[k * M + i] / h[i * M + i];

            for (size_t j = i; j < M; j++)
                h[k * M + j] -= f * h[i * M + j];
            step[k] -= f * step[i];
        }
    for (size_t i = M; i-- > 0;) {
        for (size_t j = i + 1; j < M; j++)
            step[i] -= h[i * M + j] * step[j];
        step[i] /= h[i * M + i];
    }
}

static void fit(const pool *p, double *w)
{
    const size_t M = p->members;
    double g[MEMBERS_MOST], h[MEMBERS_MOST * MEMBERS_MOST], step[MEMBERS_MOST], next[MEMBERS_MOST];
    double loss;

    for (size_t m = 0; m < M; m++)
        w[m] = 1 / (double)M;
    loss = loss_at(p, w);
    for (int i = 0; i < STEPS; i++) {
        double length = 1, now = INFINITY;

        slopes_at(p, w, g, h);
        direction(M, w, g, h, step);
        for (int half = 0; half < 30 && !(now < loss); half++, length /= 2) {
            for (size_t m = 0; m < M; m++)
                next[m] = fmax(0, w[m] + length * step[m]);
            now = loss_at(p, next);
        }
        if (!(now < loss))
            return;
        memcpy(w, next, M * sizeof *w);
        if (loss - now <= 1e-9 * fabs(loss))
            return;
        loss = now;
    }
}

cr_status cr__auto_blend(cr__trial *const *trial, size_t members, double *power, double *loss,
                         double *right, cr_error *err)
{
    const cr_cv *cv = trial[0]->cv;
    uint32_t *fold = cr__alloc(cv->rows + 1, sizeof *fold);
    pool p = {trial,       members,   cv->rows,
              cv->classes, cv->truth, cv->weight,
              fold,        0,         cr__alloc(cv->classes + 1, sizeof *p.score)};
    double all = 0, w[MEMBERS_MOST];
    cr_status st =
        fold == NULL || p.score == NULL || members > MEMBERS_MOST
            ? cr__fail_memory(err)
            : cr__folds_deal(fold, &(cr__deal){.rows = cv->rows, .folds = CROSS_FOLDS, .seed = 2},
                             err);

    *right = 0;
    for (uint32_t f = 0; st == CR_OK && f < CROSS_FOLDS; f++) {
        p.without = f;
        fit(&p, w);
        for (size_t r = 0; r < cv->rows; r++) {
            size_t best = 0;

            if (fold[r] != f)
                continue;
            multiply(&p, w, r);
            for (size_t c = 1; c < cv->classes; c++)
                best = p.score[c] > p.score[best] ? c : best;
            loss[r] = -fmax(p.score[cv->truth[r]], -52 * log(2));
            *right += row_weight(&p, r) * ((int32_t)best == cv->truth[r]);
            all += row_weight(&p, r);
        }
    }
    if (st == CR_OK) {
        p.without = UINT32_MAX;
        fit(&p, power);
        *right /= all;
    }
    cr__free(p.score);
    cr__free(fold);
    return st;
}
