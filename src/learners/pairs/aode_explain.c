/* learners/pairs/aode_explain.c - what each feature says in averaged one-dependence estimators. */
#include <math.h>
#include <string.h>

#include "base/fail.h"
#include "base/memory.h"
#include "learners/pairs/aode_known.h"

typedef cr__aode_known known;

static void read_row(known *k, const cr__aode *a, const cr__batch *batch, size_t row)
{
    cr__dependent_codes(&a->places, batch, row, k->code, k->never);
    cr__aode_known_take(k, a);
}

/* The factor of the known feature f in the model of feature s (SIZE_MAX: naive Bayes), by class. */
static const double *factor_in(const cr__aode *a, const known *k, size_t s, size_t f)
{
    const size_t K = a->places.classes, all = a->first[a->places.features];

    if (s == SIZE_MAX || s == f)
        return a->log_value + k->value[f] * K;
    return a->log_p + (k->value[s] * all + k->value[f]) * K;
}

static void begin_models(const cr__aode *a, known *k)
{
    const size_t K = a->places.classes;

    for (size_t m = 0; m < (k->models > 0 ? k->models : 1); m++)
        memcpy(k->log_p + m * k->width, a->log_prior, K * sizeof *k->log_p);
}

/* Multiply the known feature f into all models. */
static void take_feature(const cr__aode *a, known *k, size_t f)
{
    const size_t K = a->places.classes;

    for (size_t m = 0; m < (k->models > 0 ? k->models : 1); m++) {
        const double *log_p = factor_in(a, k, k->models > 0 ? k->super[m] : SIZE_MAX, f);

        for (size_t c = 0; c < K; c++)
            k->log_p[m * k->width + c] += log_p[c];
    }
}

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
    if (!cr__aode_known_make(&k, a) || before == NULL) {
        cr__aode_known_free(&k);
        cr__free(before);
        return cr__fail_memory(err);
    }
    after = before + K;
    read_row(&k, a, batch, row);
    begin_models(a, &k);
    cr__aode_known_mean(&k, K, before);
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
        cr__aode_known_mean(&k, K, after);
        for (size_t c = 0; c < K; c++)
            log_p[c] = before[c] == -INFINITY ? 0 : after[c] - before[c];
        memcpy(before, after, K * sizeof *before);
    }
    *count = a->places.features + 1;
    cr__aode_known_free(&k);
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
    cr__aode_known_free(&x->k);
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
    if (x == NULL || !cr__aode_known_make(&x->k, a) ||
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
