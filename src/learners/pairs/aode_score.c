/* learners/pairs/aode_score.c - log P(class, row) by averaged one-dependence estimators.
 *
 * Rows that have every value are scored model by model: those that have the same value of the
 * model's feature read the same part of the table one after the other, so it stays in the cache.
 * Rows that lack something are scored one by one. Both add the same numbers in the same order.
 */
#include <math.h>
#include <string.h>

#include "base/cpu.h"
#include "base/fail.h"
#include "base/memory.h"
#include "learners/pairs/aode_known.h"

/* What a worker needs. */
typedef struct scoring {
    cr__coded coded;
    cr__aode_known known;
    size_t rows;     /* that there is room for */
    size_t *row;     /* [rows] of the batch, those that have every value */
    uint32_t *place; /* [rows * features] of each such row's values in log_value */
    uint32_t *order; /* [rows] by the value of a model's feature */
    uint32_t *start; /* [values + 1] */
    size_t *models;  /* [rows] */
    double *log_p;   /* [features * stride] */
    double *top, *sum;
} scoring;

#define INLINE static inline __attribute__((always_inline))

/* The logs of one model of some rows. */
typedef void score_kernel(const cr__aode *a, const scoring *s, size_t i, size_t count, double *out);

static void free_room(scoring *s)
{
    cr__free(s->row);
    cr__free(s->place);
    cr__free(s->order);
    cr__free(s->models);
    cr__free(s->log_p);
    s->row = s->models = NULL;
    s->place = s->order = NULL;
    s->log_p = NULL;
    s->rows = 0;
}

static void close_scoring(void *state)
{
    scoring *s = state;

    if (s == NULL)
        return;
    free_room(s);
    cr__free(s->start);
    cr__coded_free(&s->coded);
    cr__aode_known_free(&s->known);
    cr__free(s);
}

static cr_status open_scoring(void **state, const void *fitted, cr_error *err)
{
    const cr__aode *a = fitted;
    scoring *s = *state = cr__alloc_zero(1, sizeof *s);

    if (s != NULL && cr__aode_known_make(&s->known, a) &&
        (s->start = cr__alloc(a->first[a->places.features] + 2, sizeof *s->start)) != NULL)
        return CR_OK;
    close_scoring(s);
    *state = NULL;
    return cr__fail_memory(err);
}

/* Room for so many rows. */
static int make_room(scoring *s, const cr__aode *a, size_t rows)
{
    const size_t n = a->places.features, stride = cr__aode_padded(rows * a->places.classes);

    if (rows <= s->rows)
        return 1;
    free_room(s);
    s->row = cr__alloc(rows, sizeof *s->row);
    s->place = cr__alloc(rows, n * sizeof *s->place);
    s->order = cr__alloc(rows, sizeof *s->order);
    s->models = cr__alloc(rows, sizeof *s->models);
    s->log_p = cr__alloc_zero(n + 2, stride * sizeof *s->log_p);
    if (s->row == NULL || s->place == NULL || s->order == NULL || s->models == NULL ||
        s->log_p == NULL)
        return 0;
    s->top = s->log_p + n * stride;
    s->sum = s->top + stride;
    s->rows = rows;
    return 1;
}

/* --- one row -------------------------------------------------------------------------------- */

/* The prior and the factors of all known features, added in their order. */
static void score_row(const cr__aode *a, cr__aode_known *k, double *score)
{
    const size_t K = a->places.classes, all = a->first[a->places.features];

    for (size_t m = 0; m < (k->models > 0 ? k->models : 1); m++) {
        const size_t super = k->models > 0 ? k->super[m] : SIZE_MAX;
        const double *given =
            super == SIZE_MAX ? a->log_value : a->log_p + k->value[super] * all * K;
        double *sum = k->log_p + m * k->width;

        memcpy(sum, a->log_prior, K * sizeof *sum);
        for (size_t f = 0; f < k->count; f++) {
            const double *log_p = (f == super ? a->log_value : given) + k->value[f] * K;

            for (size_t c = 0; c < K; c++)
                sum[c] += log_p[c];
        }
    }
    cr__aode_known_mean(k, K, score);
}

/* --- many rows ------------------------------------------------------------------------------ */

/* The places of the rows that have every value; how many there are. The others are scored. */
static size_t find_places(const cr__aode *a, scoring *s, size_t rows, double *score)
{
    const size_t n = a->places.features, K = a->places.classes;
    size_t count = 0;

    for (size_t r = 0; r < rows; r++) {
        uint32_t *place = s->place + count * n;
        int whole = 1;

        for (size_t i = 0; i < n; i++) {
            const uint32_t code = s->known.code[i] = s->coded.code[i * rows + r];

            whole &= code != CR__MISSING;
            place[i] = (uint32_t)((a->first[i] + code - 1) * K);
        }
        if (whole) {
            s->row[count++] = r;
            continue;
        }
        cr__aode_known_take(&s->known, a);
        score_row(a, &s->known, score + r * K);
    }
    return count;
}

/* A table of more bytes than this is read in the order of the values. */
#define SMALL_TABLE ((size_t)1 << 19)

/* Rows by the value of feature i: as they are where that does not pay. */
static void sort_rows(const cr__aode *a, scoring *s, size_t i, size_t rows, size_t count)
{
    const uint32_t *code = s->coded.code + i * rows;
    const size_t V = a->places.values[i], all = a->first[a->places.features];

    if (all * all * a->places.classes * sizeof *a->log_p <= SMALL_TABLE || count < V) {
        for (size_t q = 0; q < count; q++)
            s->order[q] = (uint32_t)q;
        return;
    }
    memset(s->start, 0, (V + 2) * sizeof *s->start);
    for (size_t q = 0; q < count; q++)
        s->start[code[s->row[q]] + 1]++;
    for (size_t v = 0; v < V; v++)
        s->start[v + 1] += s->start[v];
    for (size_t q = 0; q < count; q++)
        s->order[s->start[code[s->row[q]]]++] = (uint32_t)q;
}

enum { AHEAD = 4 }; /* rows that are fetched before they are needed: they are scattered */

/* The prior and the factors of all features in the model of feature i, added in their order. */
INLINE void score_one(const cr__aode *a, const uint32_t *place, size_t i, size_t K,
                      double *restrict sum)
{
    const size_t n = a->places.features, all = a->first[n];
    const double *given = a->log_p + (size_t)place[i] * all, *own = a->log_value + place[i];

    for (size_t c = 0; c < K; c++)
        sum[c] = a->log_prior[c];
    for (size_t f = 0; f < i; f++)
        for (size_t c = 0; c < K; c++)
            sum[c] += given[place[f] + c];
    for (size_t c = 0; c < K; c++)
        sum[c] += own[c];
    for (size_t f = i + 1; f < n; f++)
        for (size_t c = 0; c < K; c++)
            sum[c] += given[place[f] + c];
}

/* The same for two rows at once: each addition waits for the one before it in its row, not for
 * those of the other row. */
INLINE void score_two(const cr__aode *a, const uint32_t *restrict p, const uint32_t *restrict q,
                      size_t i, size_t K, double *restrict first, double *restrict second)
{
    const size_t n = a->places.features, all = a->first[n];
    const double *x = a->log_p + (size_t)p[i] * all, *own_x = a->log_value + p[i];
    const double *y = a->log_p + (size_t)q[i] * all, *own_y = a->log_value + q[i];

    for (size_t c = 0; c < K; c++)
        first[c] = second[c] = a->log_prior[c];
    for (size_t f = 0; f < i; f++)
        for (size_t c = 0; c < K; c++) {
            first[c] += x[p[f] + c];
            second[c] += y[q[f] + c];
        }
    for (size_t c = 0; c < K; c++) {
        first[c] += own_x[c];
        second[c] += own_y[c];
    }
    for (size_t f = i + 1; f < n; f++)
        for (size_t c = 0; c < K; c++) {
            first[c] += x[p[f] + c];
            second[c] += y[q[f] + c];
        }
}

INLINE void score_model(const cr__aode *a, const scoring *s, size_t i, size_t count, size_t K,
                        double *out)
{
    const size_t n = a->places.features;
    size_t o = 0;

    for (; o + 1 < count; o += 2) {
        const size_t p = s->order[o], q = s->order[o + 1];

        if (o + AHEAD + 1 < count) {
            __builtin_prefetch(s->place + s->order[o + AHEAD] * n);
            __builtin_prefetch(s->place + s->order[o + AHEAD + 1] * n);
        }
        score_two(a, s->place + p * n, s->place + q * n, i, K, out + p * K, out + q * K);
    }
    if (o < count)
        score_one(a, s->place + s->order[o] * n, i, K, out + s->order[o] * K);
}

/* The same with the number of classes known to the compiler where it is small. */
INLINE void score_by_classes(const cr__aode *a, const scoring *s, size_t i, size_t count,
                             double *out)
{
    switch (a->places.classes) {
    case 2: score_model(a, s, i, count, 2, out); break;
    case 3: score_model(a, s, i, count, 3, out); break;
    case 4: score_model(a, s, i, count, 4, out); break;
    case 5: score_model(a, s, i, count, 5, out); break;
    default: score_model(a, s, i, count, a->places.classes, out);
    }
}

static void score_plain(const cr__aode *a, const scoring *s, size_t i, size_t count, double *out)
{
    score_by_classes(a, s, i, count, out);
}

#if defined(__x86_64__)

__attribute__((target("avx2"))) static void score_avx2(const cr__aode *a, const scoring *s,
                                                       size_t i, size_t count, double *out)
{
    score_by_classes(a, s, i, count, out);
}

static score_kernel *best_kernel(void)
{
    return cr__cpu_has_avx2() ? score_avx2 : score_plain;
}

#else

static score_kernel *best_kernel(void)
{
    return score_plain;
}

#endif

/* Rows whose value of feature i is too rare have no part in its model. */
static void leave_out(const cr__aode *a, scoring *s, size_t i, size_t rows, size_t count,
                      double *out)
{
    const uint32_t *code = s->coded.code + i * rows;
    const size_t K = a->places.classes;

    for (size_t q = 0; q < count; q++) {
        const int votes = cr__aode_value_votes(a, i, a->first[i] + code[s->row[q]] - 1);

        s->models[q] += (size_t)votes;
        for (size_t c = 0; c < K && !votes; c++)
            out[q * K + c] = -INFINITY;
    }
}

/* log of the mean of the models' probabilities; rows that no model is for by naive Bayes. */
static void mean_rows(const cr__aode *a, scoring *s, size_t rows, size_t count, size_t models,
                      double *score)
{
    const size_t K = a->places.classes, stride = cr__aode_padded(s->rows * K);

    if (models > 0)
        s->known.sums(s->log_p, stride, models, count * K, s->top, s->sum);
    for (size_t q = 0; q < count; q++) {
        double *out = score + s->row[q] * K;

        for (size_t c = 0; c < K && s->models[q] > 0; c++)
            out[c] = cr__aode_log_mean(s->top[q * K + c], s->sum[q * K + c], s->models[q]);
        if (s->models[q] > 0)
            continue;
        for (size_t i = 0; i < a->places.features; i++)
            s->known.code[i] = s->coded.code[i * rows + s->row[q]];
        cr__aode_known_take(&s->known, a);
        score_row(a, &s->known, out);
    }
}

static cr_status score_batch(const void *fitted, void *state, const cr__batch *batch, double *score,
                             cr_error *err)
{
    score_kernel *kernel = best_kernel();
    const cr__aode *a = fitted;
    const size_t rows = batch->rows;
    scoring *s = state;
    size_t count, models = 0;

    if (cr__dependent_code_batch(&a->places, batch, &s->coded) != CR_OK || !make_room(s, a, rows))
        return cr__fail_memory(err);
    count = find_places(a, s, rows, score);
    memset(s->models, 0, count * sizeof *s->models);
    for (size_t i = 0; i < a->places.features && count > 0; i++) {
        double *out = s->log_p + models * cr__aode_padded(s->rows * a->places.classes);

        if (!cr__aode_votes(a, i))
            continue;
        sort_rows(a, s, i, rows, count);
        kernel(a, s, i, count, out);
        leave_out(a, s, i, rows, count, out);
        models++;
    }
    mean_rows(a, s, rows, count, models, score);
    return CR_OK;
}

const cr__scores cr__aode_scores = {
    .open = open_scoring, .close = close_scoring, .score = score_batch};
