/* learners/pairs/aode.c - the learner aode: its knobs, its table, its section. */
#include "learners/pairs/aode.h"

#include <math.h>
#include <stdatomic.h>
#include <string.h>

#include "base/fail.h"
#include "base/memory.h"
#include "base/pool.h"
#include "base/sized.h"
#include "learners/registry.h"

static const cr__knob_spec knobs[] = {
    {"limit", "1", CR__KNOB_NUMBER, 0, NULL,
     "rows a value must have been seen in for the others to depend on it"},
    {"m", "1", CR__KNOB_NUMBER, 0, NULL, "rows that P(value | class) is worth where pairs are few"},
    {"alpha", "0.5", CR__KNOB_NUMBER, 0, NULL, "added to every count"},
    {"prior", "empirical", CR__KNOB_CHOICE, 0, "empirical|uniform|map",
     "P(class): the share of the rows, all alike, or the mode under a Dirichlet prior"},
    {"prior-beta", "2", CR__KNOB_NUMBER, 1, NULL, "prior=map: parameter of the Dirichlet prior"},
    {"bins", "mdl", CR__KNOB_LISTED, 0, NULL,
     "cuts of real columns: mdl, sqrt, width:K, frequency:K or hours:20:40.5,age:30; settled by "
     "training"},
};

#define NUMBERS_MOST ((size_t)1 << 28)

static void free_aode(void *fitted)
{
    cr__aode *a = fitted;

    if (a == NULL)
        return;
    cr__dependent_clear(&a->places);
    cr__free(a->first);
    cr__free(a->own);
    cr__free(a);
}

/* --- places --------------------------------------------------------------------------------- */

/* Numbers in all arrays for so many values and classes; SIZE_MAX when that is too much. */
static size_t array_size(size_t all, size_t classes)
{
    if (classes == 0)
        return all;
    if (all > NUMBERS_MOST / classes || all * classes > NUMBERS_MOST / (all + 1))
        return SIZE_MAX;
    return all + all * classes + all * all * classes + classes;
}

static void set_views(cr__aode *a, const double *base)
{
    const size_t all = a->first[a->places.features], K = a->places.classes;

    a->rows = base;
    a->log_value = base + all;
    a->log_p = a->log_value + all * K;
    a->log_prior = a->log_p + all * all * K;
}

static cr_status lay_out(cr__aode *a, const cr_schema *schema, const size_t *values, cr_error *err)
{
    cr_status st = cr__dependent_lay(&a->places, schema, values, err);

    if (st != CR_OK)
        return st;
    if ((a->first = cr__alloc_zero(a->places.features + 1, sizeof *a->first)) == NULL)
        return cr__fail_memory(err);
    for (size_t i = 0; i < a->places.features; i++)
        a->first[i + 1] = a->first[i] + a->places.values[i];
    if (array_size(a->first[a->places.features], a->places.classes) != SIZE_MAX)
        return CR_OK;
    cr__fail(err, CR_ELIMIT,
             "the features have %zu values in all: a table of all pairs would be too large",
             a->first[a->places.features]);
    return cr__fail_hint(
        err, CR_ELIMIT,
        CR__SET("learner tan") " needs fewer; " CR__SET("type COLUMN=ignore") " leaves one out");
}

int cr__aode_votes(const cr__aode *a, size_t i)
{
    return a->places.values[i] > 1;
}

/* --- fit ------------------------------------------------------------------------------------ */

/* P(x | c) and how often each value occurs. */
static void fit_values(cr__aode *a, const cr__codes *codes, double alpha, double *rows,
                       double *log_value)
{
    const size_t K = codes->classes;

    for (size_t i = 0; i < codes->features; i++) {
        const size_t V = codes->values[i];
        double *n = log_value + a->first[i] * K;

        for (size_t c = 0; c < K; c++) {
            double total = 0;

            for (size_t v = 0; v < V; v++) {
                n[v * K + c] = cr__codes_value(codes, i, v, c);
                rows[a->first[i] + v] += n[v * K + c];
                total += n[v * K + c];
            }
            total += alpha * (double)V;
            for (size_t v = 0; v < V; v++)
                n[v * K + c] = log(total > 0 ? (n[v * K + c] + alpha) / total : 1 / (double)V);
        }
    }
}

typedef struct table_job {
    const cr__aode *aode;
    const cr__codes *codes;
    double *log_p;
    double m, alpha;
    size_t most;
    atomic_size_t next;
    atomic_int failed;
} table_job;

/* P(xj | xi, c) from the counts of pairs, which are those of (i, j), or of (j, i) when turned. */
static void fill_block(const table_job *job, size_t i, size_t j, const double *n, int turned)
{
    const cr__aode *a = job->aode;
    const size_t K = job->codes->classes, all = a->first[a->places.features];
    const size_t Vi = job->codes->values[i], Vj = job->codes->values[j];
    const size_t down = turned ? 1 : Vj + 1, across = turned ? Vi + 1 : 1;

    for (size_t c = 0; c < K; c++, n += (Vi + 1) * (Vj + 1))
        for (size_t x = 0; x < Vi; x++) {
            double *out = job->log_p + ((a->first[i] + x) * all + a->first[j]) * K + c;
            const double *row = n + (x + 1) * down;
            double total = job->m + job->alpha * (double)Vj;

            for (size_t y = 1; y <= Vj; y++)
                total += row[y * across];
            for (size_t y = 0; y < Vj; y++) {
                const double guess = exp(a->log_value[(a->first[j] + y) * K + c]);

                out[y * K] =
                    log(total > 0 ? (row[(y + 1) * across] + job->alpha + job->m * guess) / total
                                  : guess);
            }
        }
}

static void fill_some(void *context, int worker)
{
    table_job *job = context;
    double *n = cr__alloc(job->most, sizeof *n);
    size_t i;

    (void)worker;
    if (n == NULL)
        atomic_store(&job->failed, 1);
    while (n != NULL && (i = atomic_fetch_add(&job->next, 1)) < job->codes->features)
        for (size_t j = i + 1; j < job->codes->features; j++) {
            cr__codes_count_pair(job->codes, i, j, n);
            fill_block(job, i, j, n, 0);
            fill_block(job, j, i, n, 1);
        }
    cr__free(n);
}

static cr_status fill_table(table_job *job, const cr_run *run, cr_error *err)
{
    const cr__codes *codes = job->codes;
    const double each = (double)(codes->code == NULL ? 256 : codes->rows);
    const int few = each * (double)codes->features * (double)codes->features < 1e6;
    cr_pool *pool = NULL;
    cr_status st = cr_pool_new(&pool, few ? 1 : cr__run_threads(run), err);

    for (size_t i = 0; i < codes->features; i++)
        for (size_t j = i + 1; j < codes->features; j++) {
            const size_t size = cr__codes_pair_size(codes, i, j);

            job->most = size > job->most ? size : job->most;
        }
    if (st != CR_OK)
        return st;
    cr__pool_run(pool, fill_some, job);
    cr_pool_free(pool);
    return atomic_load(&job->failed) ? cr__fail_memory(err) : CR_OK;
}

static cr_status fit_aode(cr__aode *a, const cr__fit_input *input, const cr__codes *codes,
                          cr_error *err)
{
    const size_t all = a->first[a->places.features], K = a->places.classes;
    table_job job = {.aode = a,
                     .codes = codes,
                     .m = cr__knobs_number(input->knobs, "m"),
                     .alpha = cr__knobs_number(input->knobs, "alpha")};

    if ((a->own = cr__alloc_zero(array_size(all, K), sizeof *a->own)) == NULL)
        return cr__fail_memory(err);
    set_views(a, a->own);
    a->limit = cr__knobs_number(input->knobs, "limit");
    job.log_p = a->own + all + all * K;
    fit_values(a, codes, job.alpha, a->own, a->own + all);
    cr__dependent_prior(input->stats, input->knobs, job.log_p + all * all * K);
    return fill_table(&job, input->run, err);
}

static cr_status fit(void **fitted, const cr__fit_input *input, cr_error *err)
{
    const cr__stats *stats = input->stats;
    cr__aode *a = cr__alloc_zero(1, sizeof *a);
    size_t *values = cr__dependent_values(stats);
    cr__codes codes = {0};
    cr_status st = a == NULL || values == NULL ? cr__fail_memory(err) : CR_OK;

    *fitted = NULL;
    if (st == CR_OK) {
        a->places.classes = stats->classes;
        st = lay_out(a, stats->schema, values, err);
    }
    if (st == CR_OK)
        st = cr__codes_make(&codes, stats, err);
    if (st == CR_OK)
        st = fit_aode(a, input, &codes, err);
    cr__codes_free(&codes);
    cr__free(values);
    if (st != CR_OK) {
        free_aode(a);
        return st;
    }
    *fitted = a;
    return CR_OK;
}

/* --- the model file ------------------------------------------------------------------------- */

/*   AODE      f64 limit; rows[values], log P(x | c), log P(xj | xi, c), log P(c) */
#define TAG_AODE CR__TAG('A', 'O', 'D', 'E')

static void save(const void *fitted, cr__draft *draft)
{
    const cr__aode *a = fitted;

    cr__draft_section_begin(draft, TAG_AODE, 0);
    cr__draft_copy(draft, &a->limit, sizeof a->limit);
    cr__draft_borrow(draft, a->rows,
                     array_size(a->first[a->places.features], a->places.classes) * sizeof *a->rows);
}

static cr_status read_table(cr__aode *a, const cr__container *container, cr_error *err)
{
    const size_t all = a->first[a->places.features];
    const size_t size = array_size(all, a->places.classes);
    const void *bytes;
    cr_status st = cr__container_need(container, TAG_AODE, 0, (size + 1) * sizeof(double), 1,
                                      &bytes, NULL, err);

    if (st != CR_OK)
        return st;
    memcpy(&a->limit, bytes, sizeof a->limit);
    set_views(a, (const double *)bytes + 1);
    for (size_t i = 0; i < all; i++)
        if (!(a->rows[i] >= 0))
            return cr__container_damaged(container, err, "a count is negative");
    for (size_t i = all; i < size; i++)
        if (!(a->rows[i] <= 1e-9))
            return cr__container_damaged(container, err, "a probability is impossible");
    return a->limit >= 0 ? CR_OK : cr__container_damaged(container, err, "a limit makes no sense");
}

static cr_status open_fitted(void **fitted, const cr__container *container, const cr_schema *schema,
                             const size_t *values, size_t classes, cr_error *err)
{
    cr__aode *a = cr__alloc_zero(1, sizeof *a);
    cr_status st;

    *fitted = NULL;
    if (a == NULL)
        return cr__fail_memory(err);
    a->places.classes = classes;
    if ((st = lay_out(a, schema, values, err)) == CR_EFORMAT || st == CR_ELIMIT)
        st = cr__container_damaged(container, err, "the values of its columns make no sense");
    if (st == CR_OK)
        st = read_table(a, container, err);
    if (st != CR_OK) {
        free_aode(a);
        return st;
    }
    *fitted = a;
    return CR_OK;
}

/* --- getters ---------------------------------------------------------------------------------- */

static double prior(const void *fitted, size_t c)
{
    return exp(((const cr__aode *)fitted)->log_prior[c]);
}

static double probability(const void *fitted, size_t column, size_t value, size_t c)
{
    const cr__aode *a = fitted;

    return exp(
        a->log_value[(a->first[a->places.feature_of[column]] + value) * a->places.classes + c]);
}

static double information(const void *fitted, size_t column)
{
    const cr__aode *a = fitted;
    const size_t i = a->places.feature_of[column], K = a->places.classes;

    return i == SIZE_MAX ? 0
                         : cr__dependent_information(a->log_value + a->first[i] * K,
                                                     a->places.values[i], a->log_prior, K);
}

/* K - 1 for the classes, and for each class (Vi Vj - 1) for every pair of features. */
static double parameters(const void *fitted, const cr__stats *stats, const cr__knobs *values)
{
    const cr__aode *a = fitted;
    const double K = (double)a->places.classes;
    double total = K > 0 ? K - 1 : 0;

    (void)stats;
    (void)values;
    for (size_t i = 0; i < a->places.features; i++)
        for (size_t j = i + 1; j < a->places.features; j++)
            total += K * ((double)a->places.values[i] * (double)a->places.values[j] - 1);
    return total;
}

static const cr__explains explains = {.factors = cr__aode_factors,
                                      .work = CR__DEPENDENT_FACTOR_WORK,
                                      .detail = &cr__aode_detail,
                                      .form = CR_FORM_MEAN};
static const cr__has_values has_values = {.probability = probability};
static const cr__has_joint has_joint = {.measure = cr__aode_measure};

const cr__learner cr__aode_learner = {
    .name = "aode",
    .summary = "the mean of models in each of which all features depend on one of them",
    .knobs = knobs,
    .knob_count = sizeof knobs / sizeof *knobs,
    .target = CR__TARGET_CLASS,
    .needs = {.tuples = 1},
    .fit = fit,
    .free = free_aode,
    .save = save,
    .sections = "AODE",
    .open = open_fitted,
    .prior = prior,
    .parameters = parameters,
    .information = information,
    .scores = &cr__aode_scores,
    .explains = &explains,
    .has_values = &has_values,
    .has_joint = &has_joint,
};
