/* learners/pairs/aode_score.c - log P(class, row) by averaged one-dependence estimators, and
 * explanations.
 */
#include <math.h>
#include <string.h>

#include "base/fail.h"
#include "base/memory.h"
#include "learners/pairs/aode.h"

/* The known values of a row. */
typedef struct known {
    uint32_t *code;       /* [features] */
    unsigned char *never; /* [features] */
    size_t *feature;      /* [count] the known ones */
    size_t *value;        /* [count] their places among all values */
    size_t *super;        /* [models] of the known ones, those that others may depend on */
    size_t count, models;
    double *log_p; /* [features * classes] of each model */
} known;

static int make_known(known *k, const cr__aode *a)
{
    const size_t n = a->places.features;

    *k = (known){0};
    k->code = cr__alloc(n, sizeof *k->code);
    k->never = cr__alloc(n, 1);
    k->feature = cr__alloc(n, sizeof *k->feature);
    k->value = cr__alloc(n, sizeof *k->value);
    k->super = cr__alloc(n, sizeof *k->super);
    k->log_p = cr__alloc(n + 1, a->places.classes * sizeof *k->log_p);
    return k->code != NULL && k->never != NULL && k->feature != NULL && k->value != NULL &&
           k->super != NULL && k->log_p != NULL;
}

static void free_known(known *k)
{
    cr__free(k->code);
    cr__free(k->never);
    cr__free(k->feature);
    cr__free(k->value);
    cr__free(k->super);
    cr__free(k->log_p);
}

/* Whether others may depend on feature i where it has this value. */
static int votes(const cr__aode *a, size_t i, size_t value)
{
    return cr__aode_votes(a, i) && a->rows[value] >= a->limit && a->rows[value] > 0;
}

static void read_row(known *k, const cr__aode *a, const cr__batch *batch, size_t row)
{
    cr__dependent_codes(&a->places, batch, row, k->code, k->never);
    k->count = k->models = 0;
    for (size_t i = 0; i < a->places.features; i++) {
        if (k->code[i] == CR__MISSING)
            continue;
        k->feature[k->count] = i;
        k->value[k->count] = a->first[i] + k->code[i] - 1;
        if (votes(a, i, k->value[k->count]))
            k->super[k->models++] = k->count;
        k->count++;
    }
}

/* The factor of the known feature f in the model of feature s (SIZE_MAX: naive Bayes), by class. */
static const double *factor_in(const cr__aode *a, const known *k, size_t s, size_t f)
{
    const size_t K = a->places.classes, all = a->first[a->places.features];

    if (s == SIZE_MAX || s == f)
        return a->log_value + k->value[f] * K;
    return a->log_p + (k->value[s] * all + k->value[f]) * K;
}

/* A model whose log is more than this much below the largest adds nothing to a double, even a
 * thousand of them. */
#define NEGLIGIBLE (-45.0)

/* log of the mean of the models' probabilities, [models * classes]. */
static void mean_of(const known *k, size_t K, double *out)
{
    const size_t models = k->models > 0 ? k->models : 1;

    for (size_t c = 0; c < K; c++) {
        double largest = -INFINITY, sum = 0;

        for (size_t m = 0; m < models; m++)
            if (k->log_p[m * K + c] > largest)
                largest = k->log_p[m * K + c];
        for (size_t m = 0; m < models && largest > -INFINITY; m++) {
            const double below = k->log_p[m * K + c] - largest;

            if (below > NEGLIGIBLE)
                sum += exp(below);
        }
        out[c] = largest > -INFINITY ? largest + log(sum / (double)models) : -INFINITY;
    }
}

static void begin_models(const cr__aode *a, known *k)
{
    const size_t K = a->places.classes;

    for (size_t m = 0; m < (k->models > 0 ? k->models : 1); m++)
        memcpy(k->log_p + m * K, a->log_prior, K * sizeof *k->log_p);
}

/* Multiply the known feature f into all models. */
static void take_feature(const cr__aode *a, known *k, size_t f)
{
    const size_t K = a->places.classes;

    for (size_t m = 0; m < (k->models > 0 ? k->models : 1); m++) {
        const double *log_p = factor_in(a, k, k->models > 0 ? k->super[m] : SIZE_MAX, f);

        for (size_t c = 0; c < K; c++)
            k->log_p[m * K + c] += log_p[c];
    }
}

/* --- many rows ------------------------------------------------------------------------------ */

/* What a worker needs. */
typedef struct scoring {
    cr__coded coded;
    known known;
} scoring;

static void close_scoring(void *state)
{
    scoring *s = state;

    if (s == NULL)
        return;
    cr__free(s->coded.code);
    free_known(&s->known);
    cr__free(s);
}

static cr_status open_scoring(void **state, const void *fitted, cr_error *err)
{
    scoring *s = *state = cr__alloc_zero(1, sizeof *s);

    if (s != NULL && make_known(&s->known, fitted))
        return CR_OK;
    close_scoring(s);
    *state = NULL;
    return cr__fail_memory(err);
}

/* Row r of a coded batch. */
static void take_row(known *k, const cr__aode *a, const uint32_t *code, size_t rows, size_t r)
{
    k->count = k->models = 0;
    for (size_t i = 0; i < a->places.features; i++) {
        const uint32_t own = code[i * rows + r];

        if (own == CR__MISSING)
            continue;
        k->feature[k->count] = i;
        k->value[k->count] = a->first[i] + own - 1;
        if (votes(a, i, k->value[k->count]))
            k->super[k->models++] = k->count;
        k->count++;
    }
}

/* One model: the prior and the factors of all known features, added in their order. */
static inline void score_model(const cr__aode *a, const known *k, size_t super, size_t K,
                               double *restrict sum)
{
    const size_t all = a->first[a->places.features];
    const double *given = super == SIZE_MAX ? a->log_value : a->log_p + k->value[super] * all * K;

    for (size_t c = 0; c < K; c++)
        sum[c] = a->log_prior[c];
    for (size_t f = 0; f < k->count; f++) {
        const double *log_p = (f == super ? a->log_value : given) + k->value[f] * K;

        for (size_t c = 0; c < K; c++)
            sum[c] += log_p[c];
    }
}

/* All models, with the number of classes known to the compiler where it is small. */
static void score_models(const cr__aode *a, known *k)
{
    const size_t K = a->places.classes;

    for (size_t m = 0; m < (k->models > 0 ? k->models : 1); m++) {
        const size_t super = k->models > 0 ? k->super[m] : SIZE_MAX;
        double *sum = k->log_p + m * K;

        switch (K) {
        case 2: score_model(a, k, super, 2, sum); break;
        case 3: score_model(a, k, super, 3, sum); break;
        case 4: score_model(a, k, super, 4, sum); break;
        case 5: score_model(a, k, super, 5, sum); break;
        default: score_model(a, k, super, K, sum);
        }
    }
}

static cr_status score_batch(const void *fitted, void *state, const cr__batch *batch, double *score,
                             cr_error *err)
{
    const cr__aode *a = fitted;
    const size_t K = a->places.classes;
    scoring *s = state;

    if (cr__dependent_code_batch(&a->places, batch, &s->coded) != CR_OK)
        return cr__fail_memory(err);
    for (size_t r = 0; r < batch->rows; r++, score += K) {
        take_row(&s->known, a, s->coded.code, batch->rows, r);
        score_models(a, &s->known);
        mean_of(&s->known, K, score);
    }
    return CR_OK;
}

const cr__scores cr__aode_scores = {
    .open = open_scoring, .close = close_scoring, .score = score_batch};

/* The contribution of each feature to the mean of the models, one after another. */
cr_status cr__aode_factors(const void *fitted, void *state, const cr__stats *stats,
                           const cr__knobs *knobs, const cr__batch *batch, size_t row,
                           cr_factor *factor, size_t *count, double *work, cr_error *err)
{
    const cr__aode *a = fitted;
    const size_t K = a->places.classes, step = CR__DEPENDENT_FACTOR_WORK * K;
    double *before, *after;
    known k;
    size_t f = 0;
    cr_status st = CR_OK;

    (void)state;
    (void)knobs;
    before = cr__alloc(K, 2 * sizeof *before);
    if (!make_known(&k, a) || before == NULL) {
        free_known(&k);
        cr__free(before);
        return cr__fail_memory(err);
    }
    after = before + K;
    read_row(&k, a, batch, row);
    begin_models(a, &k);
    mean_of(&k, K, before);
    memcpy(work, before, K * sizeof *work);
    factor[0] = (cr_factor){.column = SIZE_MAX, .name = "prior", .log_p = work};
    for (size_t i = 0; i < a->places.features; i++) {
        double *log_p = work + (i + 1) * step;

        factor[i + 1] = (cr_factor){.column = a->places.column[i],
                                    .name = stats->schema->column[a->places.column[i]].name,
                                    .log_p = log_p,
                                    .chained = 1};
        if (a->places.cuts[i].cut != NULL || a->places.cuts[i].whole) {
            factor[i + 1].cut = 1;
            cr__cuts_interval(&a->places.cuts[i], k.code[i], &factor[i + 1].low,
                              &factor[i + 1].high);
        }
        memset(log_p, 0, K * sizeof *log_p);
        if (k.code[i] == CR__MISSING) {
            factor[i + 1].left_out = k.never[i] ? 2 : 1;
            continue;
        }
        take_feature(a, &k, f++);
        mean_of(&k, K, after);
        for (size_t c = 0; c < K; c++)
            log_p[c] = before[c] == -INFINITY ? 0 : after[c] - before[c];
        memcpy(before, after, K * sizeof *before);
    }
    *count = a->places.features + 1;
    free_known(&k);
    cr__free(before);
    return st;
}

/* --- the models one by one ------------------------------------------------------------------ */

typedef struct detail {
    const cr__aode *a;
    known k;
    cr_product *product; /* [features + 1] */
    size_t *of;          /* [features + 1] the prior and the known features */
    double *log_p;       /* [models * (features + 1) * classes] */
    size_t capacity;
} detail;

static void close_detail(void *state)
{
    detail *x = state;

    if (x == NULL)
        return;
    free_known(&x->k);
    cr__free(x->product);
    cr__free(x->of);
    cr__free(x->log_p);
    cr__free(x);
}

static cr_status open_detail(void **state, const void *fitted, const cr__stats *stats,
                             const cr__knobs *knobs, cr_error *err)
{
    const cr__aode *a = fitted;
    detail *x = cr__alloc_zero(1, sizeof *x);

    (void)stats;
    (void)knobs;
    *state = x;
    if (x == NULL || !make_known(&x->k, a) ||
        (x->product = cr__alloc(a->places.features + 1, sizeof *x->product)) == NULL ||
        (x->of = cr__alloc(a->places.features + 1, sizeof *x->of)) == NULL)
        return cr__fail_memory(err);
    x->a = a;
    return CR_OK;
}

static cr_status detail_row(void *state, const cr__batch *batch, size_t row, cr_factor *factor,
                            cr_explanation *e, cr_error *err)
{
    detail *x = state;
    const cr__aode *a = x->a;
    const size_t K = a->places.classes;
    known *k = &x->k;
    size_t models, at = 0;

    (void)factor;
    read_row(k, a, batch, row);
    models = k->models > 0 ? k->models : 1;
    if (!cr__grow(&x->log_p, &x->capacity, models * (k->count + 1) * K, sizeof *x->log_p))
        return cr__fail_memory(err);
    x->of[0] = SIZE_MAX;
    for (size_t f = 0; f < k->count; f++)
        x->of[f + 1] = a->places.column[k->feature[f]];
    for (size_t m = 0; m < models; m++) {
        const size_t s = k->models > 0 ? k->super[m] : SIZE_MAX;

        x->product[m] = (cr_product){.column = s == SIZE_MAX ? SIZE_MAX : x->of[s + 1],
                                     .factors = k->count + 1,
                                     .of = x->of,
                                     .log_p = x->log_p + at};
        memcpy(x->log_p + at, a->log_prior, K * sizeof *x->log_p);
        at += K;
        for (size_t f = 0; f < k->count; f++, at += K)
            memcpy(x->log_p + at, factor_in(a, k, s, f), K * sizeof *x->log_p);
    }
    e->products = models;
    e->product = x->product;
    return CR_OK;
}

const cr__detail cr__aode_detail = {open_detail, detail_row, close_detail};
