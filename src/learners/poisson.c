/* learners/poisson.c - Poisson naive Bayes: features that count how often something happened.
 *
 *     P(x | c) = λ^x e^-λ / x!,   λ = (alpha + Σ x) / (beta + n)
 *
 * over the n rows of class c that have the feature: the posterior mean under a Gamma(alpha, beta)
 * prior (Gelman et al., Bayesian Data Analysis, 2.6). Σ x and n are the exact moments that every
 * model keeps, so learning, unlearning and merging are exact. A value that is missing or not a
 * count is left out.
 */
#include <math.h>
#include <string.h>

#include "base/fail.h"
#include "base/memory.h"
#include "learners/registry.h"

static const cr__knob_spec knobs[] = {
    {"alpha", "1", CR__KNOB_NUMBER, 1e-9, NULL,
     "shape of the rates' Gamma prior: events before data"},
    {"beta", "1", CR__KNOB_NUMBER, 1e-9, NULL, "rate of the rates' Gamma prior: rows before data"},
};

typedef struct poisson {
    size_t classes, columns;
    const double *log_prior; /* [classes] log P(class) */
    const double *rate;      /* [columns * classes] λ; 0 where a column is not a feature */
    double *own;             /* the memory of both, or NULL: it belongs to the file */
} poisson;

/* --- fitting ---------------------------------------------------------------------------------- */

static void free_fitted(void *fitted)
{
    poisson *p = fitted;

    if (p == NULL)
        return;
    cr__free(p->own);
    cr__free(p);
}

static cr_status check_columns(const cr__stats *stats, cr_error *err)
{
    for (size_t i = 0; i < stats->schema->columns; i++) {
        const cr__column *column = &stats->schema->column[i];

        if (!cr__stats_is_feature(stats->schema, i))
            continue;
        if (column->kind != CR_REAL)
            return cr__fail(err, CR_EARG, "'%s' is not a count: its values are %s", column->name,
                            column->kind == CR_BAG ? "texts" : "words");
        for (size_t c = 0; c < stats->classes; c++)
            if (cr__exact_to_double(&stats->column[i].moment[c].sum) < 0)
                return cr__fail(err, CR_EARG, "'%s' is not a count: it has negative values",
                                column->name);
    }
    return CR_OK;
}

static void fill(const cr__stats *stats, double alpha, double beta, double *log_prior, double *rate)
{
    const size_t K = stats->classes;
    double all = 0;

    for (size_t c = 0; c < K; c++)
        all += cr__count_value(cr__stats_class(stats, c));
    for (size_t c = 0; c < K; c++)
        log_prior[c] = log(cr__count_value(cr__stats_class(stats, c)) / all);
    for (size_t i = 0; i < stats->schema->columns; i++)
        for (size_t c = 0; c < K && cr__stats_is_feature(stats->schema, i); c++) {
            const cr__moment *m = &stats->column[i].moment[c];

            rate[i * K + c] =
                (alpha + cr__exact_to_double(&m->sum)) / (beta + cr__count_value(m->count));
        }
}

static cr_status fit(void **fitted, const cr__fit_input *input, cr_error *err)
{
    const cr__stats *stats = input->stats;
    const size_t K = stats->classes, columns = stats->schema->columns;
    cr_status st = check_columns(stats, err);
    poisson *p;

    *fitted = NULL;
    if (st != CR_OK)
        return st;
    if ((p = cr__alloc_zero(1, sizeof *p)) == NULL ||
        (p->own = cr__alloc_zero(K * (columns + 1), sizeof *p->own)) == NULL) {
        free_fitted(p);
        return cr__fail_memory(err);
    }
    fill(stats, cr__knobs_number(input->knobs, "alpha"), cr__knobs_number(input->knobs, "beta"),
         p->own, p->own + K);
    *p = (poisson){K, columns, p->own, p->own + K, p->own};
    *fitted = p;
    return CR_OK;
}

/* --- scoring ---------------------------------------------------------------------------------- */

/* log P(x | c); 0, the logarithm of no evidence, for a value that is not a count. */
static double log_poisson(double x, double rate)
{
    return x >= 0 && x == floor(x) && isfinite(x) ? x * log(rate) - rate - lgamma(x + 1) : 0;
}

static cr_status score(const void *fitted, void *state, const cr__batch *batch, double *out,
                       cr_error *err)
{
    const poisson *p = fitted;
    const size_t K = p->classes;

    (void)state;
    (void)err;
    for (size_t r = 0; r < batch->rows; r++)
        memcpy(out + r * K, p->log_prior, K * sizeof *out);
    for (size_t i = 0; i < p->columns; i++)
        for (size_t r = 0; K > 0 && p->rate[i * K] > 0 && r < batch->rows; r++)
            for (size_t c = 0; c < K; c++)
                out[r * K + c] += log_poisson(batch->column[i].real[r], p->rate[i * K + c]);
    return CR_OK;
}

static cr_status factors(const void *fitted, void *state, const cr__stats *stats,
                         const cr__knobs *values, const cr__batch *batch, size_t row,
                         cr_factor *factor, size_t *count, double *work, cr_error *err)
{
    const poisson *p = fitted;
    const size_t K = p->classes;

    (void)state;
    (void)values;
    (void)err;
    factor[0] = (cr_factor){.column = SIZE_MAX, .name = "prior", .log_p = p->log_prior};
    *count = 1;
    for (size_t i = 0; i < p->columns; i++) {
        const double x = batch->column[i].kind == CR_REAL ? batch->column[i].real[row] : NAN;
        double *log_p = work + *count * K;

        if (!cr__stats_is_feature(stats->schema, i))
            continue;
        for (size_t c = 0; c < K; c++)
            log_p[c] = log_poisson(x, p->rate[i * K + c]);
        factor[(*count)++] = (cr_factor){.column = i,
                                         .name = stats->schema->column[i].name,
                                         .left_out = isnan(x) ? 1 : 0,
                                         .log_p = log_p};
    }
    return CR_OK;
}

/* --- the model file --------------------------------------------------------------------------- */

/* POIS      log P(class), [classes], then the rates, [columns * classes] */
#define TAG CR__TAG('P', 'O', 'I', 'S')

static void save(const void *fitted, cr__draft *draft)
{
    const poisson *p = fitted;

    cr__draft_section_begin(draft, TAG, 0);
    cr__draft_borrow(draft, p->log_prior, p->classes * sizeof *p->log_prior);
    cr__draft_borrow(draft, p->rate, p->columns * p->classes * sizeof *p->rate);
}

static cr_status open_fitted(void **fitted, const cr__container *file, const cr_schema *schema,
                             const size_t *values, size_t classes, cr_error *err)
{
    const size_t numbers = classes * (schema->columns + 1);
    const void *bytes;
    const double *number;
    poisson *p;
    cr_status st = cr__container_need(file, TAG, 0, numbers * sizeof *number, 1, &bytes, NULL, err);

    (void)values;
    *fitted = NULL;
    if (st != CR_OK)
        return st;
    number = bytes;
    for (size_t k = 0; k < numbers; k++) {
        const int feature = k >= classes && cr__stats_is_feature(schema, k / classes - 1);

        if (k < classes ? !(number[k] <= 0)
            : feature   ? !(number[k] > 0 && isfinite(number[k]))
                        : number[k] != 0)
            return cr__container_damaged(file, err, "a rate or a prior is out of its range");
    }
    for (size_t i = 0; i < schema->columns; i++)
        if (cr__stats_is_feature(schema, i) && schema->column[i].kind != CR_REAL)
            return cr__container_damaged(file, err, "a feature is not a count");
    if ((p = cr__alloc_zero(1, sizeof *p)) == NULL)
        return cr__fail_memory(err);
    *p = (poisson){classes, schema->columns, number, number + classes, NULL};
    *fitted = p;
    return CR_OK;
}

/* --- getters ---------------------------------------------------------------------------------- */

static double prior(const void *fitted, size_t c)
{
    return exp(((const poisson *)fitted)->log_prior[c]);
}

/* A rate for each feature and class, and the classes' shares, which sum to 1. */
static double parameters(const void *fitted, const cr__stats *stats, const cr__knobs *values)
{
    const poisson *p = fitted;
    double count = p->classes > 0 ? (double)p->classes - 1 : 0;

    (void)values;
    for (size_t i = 0; i < p->columns; i++)
        count += cr__stats_is_feature(stats->schema, i) ? (double)p->classes : 0;
    return count;
}

/* --- the table -------------------------------------------------------------------------------- */

static const cr__scores scores = {.score = score};
static const cr__explains explains = {.factors = factors, .work = 1};

const cr__learner cr__poisson = {
    .name = "poisson",
    .summary = "naive Bayes for counts: each feature is Poisson within a class",
    .knobs = knobs,
    .knob_count = sizeof knobs / sizeof *knobs,
    .target = CR__TARGET_CLASS,
    .fit = fit,
    .free = free_fitted,
    .save = save,
    .sections = "POIS",
    .open = open_fitted,
    .prior = prior,
    .parameters = parameters,
    .scores = &scores,
    .explains = &explains,
};
