/* decide/independence.c - all pairs of features: how dependent they are given the class.
 *
 * The measures of a pair are in learners/pairs/codes.c. How many pairs are dependent is decided by
 * Holm's procedure (1979, "A simple sequentially rejective multiple test procedure"): the i-th
 * smallest of n p-values is significant when it and all smaller ones are at most 0.05 / (n - i +
 * 1).
 */
#include "credence/independence.h"

#include <float.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "base/fail.h"
#include "base/memory.h"
#include "base/special.h"
#include "model/model.h"
#include "network/learn/normals_learn.h"
#include "learners/pairs/codes.h"

#define LEVEL 0.05

struct cr_independence {
    size_t features, pairs;
    cr_pair *pair; /* [pairs] */
};

void cr_independence_free(cr_independence *result)
{
    if (result != NULL)
        cr__free(result->pair);
    cr__free(result);
}

static cr_pair describe(const cr__pair *m, size_t a, size_t b)
{
    const double g2 = 2 * m->n * m->information;

    return (cr_pair){.a = a,
                     .b = b,
                     .rows = m->n,
                     .information = m->information / M_LN2,
                     .g2 = g2,
                     .freedom = m->freedom,
                     .p = m->freedom > 0 ? cr__chi_square_upper(m->freedom, g2) : 1,
                     .deviation = m->deviation,
                     .class_index = m->class_at,
                     .value_a = m->value_i,
                     .value_b = m->value_j,
                     .mean_deviation = m->mean_deviation,
                     .correlation = NAN};
}

static int more_dependent(const void *pa, const void *pb)
{
    const cr_pair *a = pa, *b = pb;

    if (a->information != b->information)
        return a->information > b->information ? -1 : 1;
    if (a->a != b->a)
        return a->a < b->a ? -1 : 1;
    return a->b < b->b ? -1 : a->b > b->b;
}

static cr_status measure(cr_independence *result, const cr__codes *codes, const cr_run *run,
                         cr_error *err)
{
    const size_t n = codes->features;
    cr__pair *pair = cr__alloc_zero(n * n, sizeof *pair);
    cr_status st;

    result->features = n;
    result->pair = cr__alloc(n * (n - (n > 0)) / 2, sizeof *result->pair);
    if (pair == NULL || result->pair == NULL)
        st = cr__fail_memory(err);
    else
        st = cr__codes_measure_pairs(codes, run, pair, err);
    for (size_t i = 0; st == CR_OK && i < n; i++)
        for (size_t j = i + 1; j < n; j++)
            result->pair[result->pairs++] =
                describe(&pair[i * n + j], codes->column[i], codes->column[j]);
    if (st == CR_OK && result->pairs > 1)
        qsort(result->pair, result->pairs, sizeof *result->pair, more_dependent);
    cr__free(pair);
    return st;
}

cr_status cr_independence_measure(cr_independence **out, const cr_model *model, const cr_run *run,
                                  cr_error *err)
{
    cr_independence *result = cr__alloc_zero(1, sizeof *result);
    const cr__stats *stats = NULL;
    cr__codes codes = {0};
    cr_status st = result == NULL ? cr__fail_memory(err) : cr__model_stats(model, &stats, err);

    *out = NULL;
    if (st == CR_OK && !cr__stats_cuts(stats)) {
        cr__fail(err, CR_EARG, "a model of '%s' does not keep which values occur together",
                 model->learner->name);
        st = cr__fail_hint(err, CR_EARG,
                           "give the data instead, or a model of joint, tan, kdb, "
                           "pairs or aode");
    }
    if (st == CR_OK)
        st = cr__codes_make(&codes, stats, err);
    if (st == CR_OK)
        st = measure(result, &codes, run, err);
    cr__codes_free(&codes);
    if (st != CR_OK) {
        cr_independence_free(result);
        return st;
    }
    *out = result;
    return CR_OK;
}

/* --- numbers ---------------------------------------------------------------------------------- */

/* The index of a column of one model among the numbers of another; UINT32_MAX: none. */
static uint32_t number_at(const cr__numbers *numbers, const cr_schema *schema, const char *name)
{
    for (uint32_t i = 0; i < numbers->count; i++)
        if (strcmp(schema->column[numbers->column[i]].name, name) == 0)
            return i;
    return UINT32_MAX;
}

/* -½ log2(1 - r²), and Student's t. */
static void correlate(cr_pair *pair, const cr__numbers *numbers, uint32_t a, uint32_t b)
{
    const double *s = numbers->within.product;
    const size_t m = numbers->count;
    const double freedom = numbers->within.n - 2, scale = sqrt(s[a * m + a] * s[b * m + b]);
    const double r = scale > 0 ? fmax(-1, fmin(1, s[a * m + b] / scale)) : 0;
    const double rest = fmax(1 - r * r, DBL_EPSILON); /* identical numbers share all information */
    const size_t column_a = pair->a, column_b = pair->b;

    *pair = (cr_pair){.a = column_a,
                      .b = column_b,
                      .rows = numbers->all.n,
                      .information = -0.5 * log2(rest),
                      .g2 = -numbers->all.n * log(rest),
                      .freedom = 1,
                      .correlation = r,
                      .p = 1};
    if (freedom > 0)
        pair->p = 2 * cr__student_lower(freedom, -fabs(r) * sqrt(freedom / rest));
}

cr_status cr_independence_numbers(cr_independence *result, const cr_model *measured,
                                  const cr_model *model, cr_error *err)
{
    const cr__stats *stats = NULL;
    cr__numbers *numbers = NULL;
    cr_status st = cr__model_stats(model, &stats, err);

    if (st == CR_OK && (stats->cross == NULL || (stats->cross->use != CR__CROSS_REALS &&
                                                 stats->cross->use != CR__CROSS_CLASSES)))
        st = cr__fail(err, CR_EARG, "a model of '%s' does not keep products of numbers",
                      model->learner->name);
    if (st == CR_OK)
        st = cr__numbers_new(&numbers, stats, err);
    for (size_t i = 0; st == CR_OK && i < result->pairs; i++) {
        cr_pair *pair = &result->pair[i];
        const uint32_t a =
            number_at(numbers, model->schema, measured->schema->column[pair->a].name);
        const uint32_t b =
            number_at(numbers, model->schema, measured->schema->column[pair->b].name);

        if (a != UINT32_MAX && b != UINT32_MAX)
            correlate(pair, numbers, a, b);
    }
    if (st == CR_OK && result->pairs > 1)
        qsort(result->pair, result->pairs, sizeof *result->pair, more_dependent);
    cr__numbers_free(numbers);
    return st;
}

/* --- the result ------------------------------------------------------------------------------- */

size_t cr_independence_pairs(const cr_independence *result)
{
    return result->pairs;
}

const cr_pair *cr_independence_pair(const cr_independence *result, size_t index)
{
    return index < cr_independence_pairs(result) ? &result->pair[index] : NULL;
}

static int smaller_first(const void *pa, const void *pb)
{
    const double a = *(const double *)pa, b = *(const double *)pb;

    return a < b ? -1 : a > b;
}

void cr_independence_get_facts(const cr_independence *result, cr_independence_facts *out)
{
    const size_t n = result->pairs;
    double *p = cr__alloc(n, sizeof *p), counted = 0;

    *out = (cr_independence_facts){.features = result->features, .pairs = n};
    for (size_t i = 0; i < n; i++) {
        out->mean_information += result->pair[i].information / (double)n;
        out->mean_deviation += result->pair[i].mean_deviation;
        counted += isnan(result->pair[i].correlation);
        if (p != NULL)
            p[i] = result->pair[i].p;
    }
    out->mean_deviation /= fmax(counted, 1);
    if (p != NULL && n > 1)
        qsort(p, n, sizeof *p, smaller_first);
    while (p != NULL && out->dependent < n &&
           p[out->dependent] <= LEVEL / (double)(n - out->dependent))
        out->dependent++;
    cr__free(p);
}
