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
#include "base/parallel.h"
#include "data/folds.h"
#include "eval/auto.h"

#define FAINT 0.01 /* members with a smaller exponent are left out */

enum { MEMBERS_MOST = 16, STEPS = 50, CROSS_FOLDS = 5 };

/* The precision of the Gaussian prior around equal shares: of few rows hardly anything but the
 * prior should say how members share. */
static double ridge_for(size_t rows)
{
    return rows < CR__AUTO_FEW_ROWS ? 100 : 1;
}

/* Rows of a blend, evenly spread over all: at most so many, and fewer where classes are many. */
enum { ROWS_MOST = 40000, ROWS_LEAST = 4000, CELLS_MOST = 400000 };

static size_t rows_of(const cr_cv *cv)
{
    const size_t by_cells = CELLS_MOST / cv->classes;
    const size_t most = by_cells > ROWS_MOST    ? ROWS_MOST
                        : by_cells < ROWS_LEAST ? ROWS_LEAST
                                                : by_cells;

    return cv->rows < most ? cv->rows : most;
}

typedef struct pool {
    cr__trial *const *trial;
    size_t members, classes;
    const size_t *row; /* [rows] of the trials */
    size_t rows;
    const int32_t *truth;
    const double *weight;
    const uint32_t *fold; /* [rows] those of this fold are left out */
    uint32_t without;
    double ridge;
    double *score; /* [classes] of a row */
} pool;

static double row_weight(const pool *p, size_t i)
{
    return p->weight == NULL ? 1 : p->weight[p->row[i]];
}

/* The product's posterior of a row into p->score; returns its -ln P(truth). */
static double multiply(const pool *p, const double *w, size_t i)
{
    const size_t r = p->row[i], K = p->classes;
    double most = -INFINITY, sum = 0, truth;

    for (size_t c = 0; c < K; c++) {
        double s = 0;

        for (size_t m = 0; m < p->members; m++)
            s += w[m] * p->trial[m]->log_p[r * K + c];
        p->score[c] = s;
        most = s > most ? s : most;
    }
    truth = p->score[p->truth[r]] - most;
    for (size_t c = 0; c < K; c++)
        sum += p->score[c] = exp(p->score[c] - most);
    for (size_t c = 0; c < K; c++)
        p->score[c] /= sum;
    return log(sum) - truth;
}

static double ridge(const pool *p, const double *w)
{
    double sum = 0;

    for (size_t m = 0; m < p->members; m++)
        sum += p->ridge / 2 * (w[m] - 1 / (double)p->members) * (w[m] - 1 / (double)p->members);
    return sum;
}

/* Slope and second derivatives of one row, whose posterior is p->score. */
static void add_row(const pool *p, size_t i, double *g, double *h)
{
    const size_t M = p->members, K = p->classes, r = p->row[i];
    const double weight = row_weight(p, i);
    double mean[MEMBERS_MOST] = {0};

    for (size_t m = 0; m < M; m++) {
        const double *log_p = p->trial[m]->log_p + r * K;

        for (size_t c = 0; c < K; c++)
            mean[m] += p->score[c] * log_p[c];
        g[m] += weight * (mean[m] - log_p[p->truth[r]]);
    }
    for (size_t m = 0; m < M; m++)
        for (size_t n = 0; n <= m; n++) {
            const double *a = p->trial[m]->log_p + r * K, *b = p->trial[n]->log_p + r * K;
            double sum = 0;

            for (size_t c = 0; c < K; c++)
                sum += p->score[c] * (a[c] - mean[m]) * (b[c] - mean[n]);
            h[m * M + n] += weight * sum;
        }
}

/* The loss at w with its slope and second derivatives. */
static double loss_at(const pool *p, const double *w, double *g, double *h)
{
    const size_t M = p->members;
    double loss = ridge(p, w);

    memset(h, 0, M * M * sizeof *h);
    for (size_t m = 0; m < M; m++)
        g[m] = p->ridge * (w[m] - 1 / (double)M);
    for (size_t i = 0; i < p->rows; i++)
        if (p->fold[i] != p->without) {
            loss += row_weight(p, i) * multiply(p, w, i);
            add_row(p, i, g, h);
        }
    for (size_t m = 0; m < M; m++) {
        h[m * M + m] += p->ridge;
        for (size_t n = 0; n < m; n++)
            h[n * M + m] = h[m * M + n];
    }
    return loss;
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

/* From the weights given: the minimum is the same from anywhere. */
static void fit(const pool *p, double *w)
{
    const size_t M = p->members;
    double g[2][MEMBERS_MOST], h[2][MEMBERS_MOST * MEMBERS_MOST], step[MEMBERS_MOST],
        next[MEMBERS_MOST];
    double loss = loss_at(p, w, g[0], h[0]);

    for (int i = 0, at = 0; i < STEPS; i++, at = 1 - at) {
        double length = 1, now = INFINITY, gained;

        direction(M, w, g[at], h[at], step);
        for (int half = 0; half < 30 && !(now < loss); half++, length /= 2) {
            for (size_t m = 0; m < M; m++)
                next[m] = fmax(0, w[m] + length * step[m]);
            now = loss_at(p, next, g[1 - at], h[1 - at]);
        }
        if (!(now < loss))
            return;
        gained = loss - now;
        memcpy(w, next, M * sizeof *w);
        if (gained <= 1e-9 * fabs(loss))
            return;
        loss = now;
    }
}

/* --- without each fold ------------------------------------------------------------------------ */

typedef struct crossing {
    const pool *whole;
    const double *power; /* [members] of all rows */
    double *loss;        /* [rows] */
    unsigned char *hit;  /* [rows] */
} crossing;

static cr_status cross_fold(void *context, size_t f, cr_error *err)
{
    const crossing *x = context;
    pool p = *x->whole;
    double w[MEMBERS_MOST];

    p.without = (uint32_t)f;
    if ((p.score = cr__alloc(p.classes, sizeof *p.score)) == NULL)
        return cr__fail_memory(err);
    memcpy(w, x->power, p.members * sizeof *w);
    fit(&p, w);
    for (size_t i = 0; i < p.rows; i++) {
        size_t best = 0;

        if (p.fold[i] != f)
            continue;
        x->loss[i] = fmin(multiply(&p, w, i), 52 * log(2));
        for (size_t c = 1; c < p.classes; c++)
            best = p.score[c] > p.score[best] ? c : best;
        x->hit[i] = (int32_t)best == p.truth[p.row[i]];
    }
    cr__free(p.score);
    return CR_OK;
}

/* Members with small exponents are left out and the others fitted again. */
static void fit_members(pool *p, cr__trial **trial, size_t *index, double *own)
{
    for (int again = 1; again;) {
        size_t kept = 0;

        for (size_t m = 0; m < p->members; m++)
            own[m] = 1 / (double)p->members;
        fit(p, own);
        for (size_t m = 0; m < p->members; m++)
            if (own[m] >= FAINT || p->members == 1) {
                trial[kept] = trial[m];
                own[kept] = own[m];
                index[kept++] = index[m];
            }
        again = kept > 0 && kept < p->members;
        p->members = kept > 0 ? kept : p->members;
    }
}

/* The error of the difference from the best member, the hits, and the mean. */
static void take_figures(const crossing *x, cr__blend *b)
{
    const pool *p = x->whole;
    double gain = 0, square = 0, all = 0, heavy = 0, right = 0;

    for (size_t i = 0; i < p->rows; i++) {
        const double w = row_weight(p, i), d = b->best->loss[p->row[i]] - x->loss[i];

        gain += w * d;
        square += w * d * d;
        right += w * x->hit[i];
        heavy += w * w;
        all += w;
    }
    b->gain = gain / all;
    b->error = sqrt(fmax(0, square / all - b->gain * b->gain) * heavy) / all;
    b->right = right / all;
}

static cr_status fit_blend(cr__blend *b, pool *p, cr__trial **trial, const cr_run *run,
                           cr_error *err)
{
    size_t index[MEMBERS_MOST];
    double own[MEMBERS_MOST];
    crossing x = {p, own, cr__alloc(p->rows + 1, sizeof *x.loss), cr__alloc(p->rows + 1, 1)};
    cr_status st = x.loss == NULL || x.hit == NULL ? cr__fail_memory(err) : CR_OK;

    for (size_t m = 0; m < b->count; m++) {
        index[m] = m;
        b->power[m] = 0;
    }
    if (st == CR_OK) {
        fit_members(p, trial, index, own);
        st = cr__parallel_for(run, CROSS_FOLDS, cross_fold, &x, err);
    }
    if (st == CR_OK) {
        for (size_t m = 0; m < p->members; m++)
            b->power[index[m]] = own[m];
        b->members = p->members;
        take_figures(&x, b);
    }
    cr__free(x.loss);
    cr__free(x.hit);
    return st;
}

cr_status cr__auto_blend(cr__blend *b, cr__trial *trials, const cr_run *given, cr_error *err)
{
    const cr_run run = {.threads = given->threads, .pool = given->pool};
    const cr_cv *cv = trials[0].cv;
    const size_t rows = rows_of(cv);
    uint32_t *fold = cr__alloc(rows + 1, sizeof *fold);
    size_t *row = cr__alloc(rows + 1, sizeof *row);
    cr__trial *trial[MEMBERS_MOST];
    pool p = {.trial = trial,
              .members = b->count,
              .classes = cv->classes,
              .row = row,
              .rows = rows,
              .truth = cv->truth,
              .weight = cv->weight,
              .fold = fold,
              .without = CROSS_FOLDS,
              .ridge = ridge_for(rows),
              .score = cr__alloc(cv->classes + 1, sizeof *p.score)};
    cr_status st =
        fold == NULL || row == NULL || p.score == NULL || b->count > MEMBERS_MOST
            ? cr__fail_memory(err)
            : cr__folds_deal(fold, &(cr__deal){.rows = rows, .folds = CROSS_FOLDS, .seed = 2}, err);

    for (size_t i = 0; st == CR_OK && i < rows; i++)
        row[i] = i * cv->rows / rows;
    for (size_t m = 0; st == CR_OK && m < b->count; m++)
        trial[m] = &trials[m];
    b->best = &trials[0];
    if (st == CR_OK)
        st = fit_blend(b, &p, trial, &run, err);
    cr__free(p.score);
    cr__free(row);
    cr__free(fold);
    return st;
}
