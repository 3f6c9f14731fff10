/* learners/pairs/codes.c - unpack cells, count pairs, measure dependence.
 *
 * With n(a, b, c) rows of class c that have the values a and b, and N in total,
 *
 *     I(X; Y | C) = Σ n(a, b, c) / N  ln ( n(a, b, c) n(c) / ( n(a, c) n(b, c) ) )
 *
 * (Cover & Thomas, Elements of Information Theory, ch. 2). G² = 2 N I is nearly chi-square with
 * Σ_c (A_c - 1)(B_c - 1) degrees of freedom where X and Y are independent given C, A_c and B_c
 * being how many values occur in the class (Agresti, Categorical Data Analysis, ch. 6).
 */
#include "learners/pairs/codes.h"

#include <math.h>
#include <stdatomic.h>
#include <string.h>

#include "base/fail.h"
#include "base/memory.h"
#include "base/pool.h"
#include "base/sized.h"

void cr__codes_free(cr__codes *codes)
{
    for (size_t i = 0; codes->code != NULL && i < codes->features; i++)
        cr__free(codes->code[i]);
    cr__free(codes->code);
    cr__free(codes->column);
    cr__free(codes->values);
    cr__free(codes->start);
    cr__free(codes->weight);
    *codes = (cr__codes){0};
}

/* --- unpacking ------------------------------------------------------------------------------ */

static cr_status lay_features(cr__codes *out, const cr__stats *stats, cr_error *err)
{
    const uint32_t *column = stats->tuples != NULL ? stats->tuples->column : stats->cells->column;

    out->stats = stats;
    out->classes = stats->classes;
    out->features = stats->tuples != NULL
                        ? stats->tuples->features
                        : stats->cells->packing.variables - (stats->schema->target != SIZE_MAX);
    out->column = cr__alloc(out->features, sizeof *out->column);
    out->values = cr__alloc(out->features, sizeof *out->values);
    if (out->column == NULL || out->values == NULL)
        return cr__fail_memory(err);
    for (size_t j = 0; j < out->features; j++) {
        out->column[j] = column[j];
        out->values[j] = cr__stats_values(stats, column[j]);
        if (out->values[j] > CR__CODES_MOST) {
            cr__fail(err, CR_ELIMIT,
                     "'%s' has %zu different values; pairs with it cannot be counted",
                     stats->schema->column[out->column[j]].name, out->values[j]);
            return cr__fail_hint(err, CR_ELIMIT, CR__SET("type COLUMN=ignore") " leaves it out");
        }
    }
    return CR_OK;
}

static cr_status lay_codes(cr__codes *out, const cr__stats *stats, cr_error *err)
{
    out->code = cr__alloc_zero(out->features, sizeof *out->code);
    out->start = cr__alloc_zero(out->classes + 1, sizeof *out->start);
    if (out->code == NULL || out->start == NULL)
        return cr__fail_memory(err);
    for (size_t j = 0; j < out->features; j++)
        if ((out->code[j] = cr__alloc(stats->cells->count, sizeof **out->code)) == NULL)
            return cr__fail_memory(err);
    return CR_OK;
}

/* The class of a cell, SIZE_MAX when it lacks one. */
static size_t class_of(const cr__cells *cells, const uint64_t *key, int targeted)
{
    const uint32_t code =
        targeted ? cr__packing_get(&cells->packing, key, cells->packing.variables - 1) : 1;

    return code == CR__MISSING ? SIZE_MAX : code - 1;
}

static cr_status unpack(cr__codes *out, const cr__stats *stats, cr_error *err)
{
    const cr__cells *cells = stats->cells;
    const int targeted = stats->schema->target != SIZE_MAX;
    size_t *next = cr__alloc_zero(stats->classes + 1, sizeof *next);
    int plain = cells->fraction == NULL;
    cr_status st = next == NULL ? cr__fail_memory(err) : lay_codes(out, stats, err);

    for (size_t i = 0; st == CR_OK && i < cells->count; i++) {
        const size_t c = class_of(cells, cells->key + i * cells->packing.words, targeted);

        if (c != SIZE_MAX)
            out->start[c + 1]++;
        plain &= cells->whole[i] == 1;
    }
    if (st == CR_OK && !plain && (out->weight = cr__alloc(cells->count, sizeof(double))) == NULL)
        st = cr__fail_memory(err);
    for (size_t c = 0; st == CR_OK && c < out->classes; c++) {
        out->start[c + 1] += out->start[c];
        next[c] = out->start[c];
    }
    for (size_t i = 0; st == CR_OK && i < cells->count; i++) {
        const uint64_t *key = cells->key + i * cells->packing.words;
        const size_t c = class_of(cells, key, targeted);

        if (c == SIZE_MAX)
            continue;
        for (size_t j = 0; j < out->features; j++)
            out->code[j][next[c]] = (uint16_t)cr__packing_get(&cells->packing, key, j);
        if (!plain)
            out->weight[next[c]] = cr__count_value(cr__cells_at(cells, i));
        next[c]++;
    }
    out->rows = st == CR_OK ? out->start[out->classes] : 0;
    cr__free(next);
    return st;
}

cr_status cr__codes_make(cr__codes *out, const cr__stats *stats, cr_error *err)
{
    cr_status st;

    *out = (cr__codes){0};
    if (!cr__stats_cuts(stats))
        return cr__fail(err, CR_EFORMAT, "the model has no counts of pairs");
    if ((st = lay_features(out, stats, err)) != CR_OK || stats->tuples != NULL)
        return st;
    return unpack(out, stats, err);
}

/* --- counting ------------------------------------------------------------------------------- */

size_t cr__codes_pair_size(const cr__codes *codes, size_t i, size_t j)
{
    return codes->classes * (codes->values[i] + 1) * (codes->values[j] + 1);
}

/* From the counts of the statistics, which are by value and value, then by class. */
static void unpack_pair(const cr__codes *codes, size_t i, size_t j, double *n)
{
    const cr__tuple_counts *from =
        &codes->stats->tuples->counts[cr__tuples_pair(codes->features, i, j)];
    const size_t K = codes->classes, V = codes->values[j], wide = V + 1;
    const size_t size = (codes->values[i] + 1) * wide;

    memset(n, 0, K * size * sizeof *n);
    for (size_t k = 0; k < from->cells; k++) {
        const uint64_t at = from->key == NULL ? k : from->key[k], both = at / K;

        n[at % K * size + (both / V + 1) * wide + both % V + 1] =
            cr__count_value(cr__tuple_at(from, k));
    }
}

void cr__codes_count_pair(const cr__codes *codes, size_t i, size_t j, double *n)
{
    if (codes->code == NULL) {
        unpack_pair(codes, i, j, n);
        return;
    }

    const uint16_t *restrict a = codes->code[i], *restrict b = codes->code[j];
    const size_t wide = codes->values[j] + 1, size = (codes->values[i] + 1) * wide;

    memset(n, 0, codes->classes * size * sizeof *n);
    for (size_t c = 0; c < codes->classes; c++, n += size)
        if (codes->weight == NULL)
            for (size_t r = codes->start[c]; r < codes->start[c + 1]; r++)
                n[a[r] * wide + b[r]] += 1;
        else
            for (size_t r = codes->start[c]; r < codes->start[c + 1]; r++)
                n[a[r] * wide + b[r]] += codes->weight[r];
}

/* --- measuring ------------------------------------------------------------------------------ */

/* Margins of one class over the rows that have both; returns how many these are. */
static double margins(const double *n, size_t values_i, size_t values_j, double *row, double *col)
{
    double all = 0;

    memset(row, 0, (values_i + 1) * sizeof *row);
    memset(col, 0, (values_j + 1) * sizeof *col);
    for (size_t a = 1; a <= values_i; a++)
        for (size_t b = 1; b <= values_j; b++) {
            const double one = n[a * (values_j + 1) + b];

            row[a] += one;
            col[b] += one;
            all += one;
        }
    return all;
}

static double freedom(const double *row, size_t values_i, const double *col, size_t values_j)
{
    double rows = -1, cols = -1;

    for (size_t a = 1; a <= values_i; a++)
        rows += row[a] > 0;
    for (size_t b = 1; b <= values_j; b++)
        cols += col[b] > 0;
    return rows > 0 && cols > 0 ? rows * cols : 0;
}

/* One class into the sums. */
static void measure_class(const double *n, size_t values_i, size_t values_j, size_t c,
                          const double *row, const double *col, double all, cr__pair *out)
{
    double off = 0;

    for (size_t a = 1; a <= values_i; a++)
        for (size_t b = 1; b <= values_j; b++) {
            const double one = n[a * (values_j + 1) + b];
            const double d = fabs(one / all - row[a] / all * (col[b] / all));

            if (one > 0)
                out->information += one * log(one * all / (row[a] * col[b]));
            off += d;
            if (d > out->deviation) {
                out->deviation = d;
                out->class_at = c;
                out->value_i = a - 1;
                out->value_j = b - 1;
            }
        }
    out->mean_deviation += all * off / ((double)values_i * (double)values_j);
}

/* counts are those of cr__codes_count_pair; work has room for Vi + Vj + 2. */
static void measure_pair(const double *counts, size_t values_i, size_t values_j, size_t classes,
                         double *work, cr__pair *out)
{
    const size_t size = (values_i + 1) * (values_j + 1);
    double *row = work, *col = work + values_i + 1;

    *out = (cr__pair){0};
    for (size_t c = 0; c < classes; c++, counts += size) {
        const double all = margins(counts, values_i, values_j, row, col);

        if (!(all > 0))
            continue;
        out->n += all;
        out->freedom += freedom(row, values_i, col, values_j);
        measure_class(counts, values_i, values_j, c, row, col, all, out);
    }
    if (out->n > 0) {
        out->information = fmax(0, out->information / out->n);
        out->mean_deviation /= out->n;
    }
}

/* Workers take features one by one and pair each with later ones. */
typedef struct pair_job {
    const cr__codes *codes;
    cr__pair *pair;
    size_t most;   /* cells of the largest pair */
    size_t widest; /* values of the widest feature */
    atomic_size_t next;
    atomic_int failed;
} pair_job;

static void measure_some(void *context, int worker)
{
    pair_job *job = context;
    const cr__codes *codes = job->codes;
    double *n = cr__alloc(job->most, sizeof *n);
    double *work = cr__alloc(2 * job->widest + 2, sizeof *work);
    size_t i;

    (void)worker;
    if (n == NULL || work == NULL)
        atomic_store(&job->failed, 1);
    while (!atomic_load(&job->failed) && (i = atomic_fetch_add(&job->next, 1)) < codes->features)
        for (size_t j = i + 1; j < codes->features; j++) {
            cr__codes_count_pair(codes, i, j, n);
            measure_pair(n, codes->values[i], codes->values[j], codes->classes, work,
                         &job->pair[i * codes->features + j]);
        }
    cr__free(n);
    cr__free(work);
}

#define PAIR_CELLS_MOST ((size_t)1 << 27)

static cr_status size_pairs(const cr__codes *codes, pair_job *job, cr_error *err)
{
    size_t second = 0;

    for (size_t i = 0; i < codes->features; i++) {
        const size_t values = codes->values[i] + 1;

        if (values > job->widest) {
            second = job->widest;
            job->widest = values;
        } else if (values > second) {
            second = values;
        }
    }
    if (second != 0 && codes->classes != 0 &&
        job->widest > PAIR_CELLS_MOST / second / codes->classes) {
        cr__fail(err, CR_ELIMIT,
                 "two features have %zu and %zu values, with %zu classes: too many "
                 "combinations to count",
                 job->widest - 1, second - 1, codes->classes);
        return cr__fail_hint(err, CR_ELIMIT, CR__SET("type COLUMN=ignore") " leaves one out");
    }
    job->most = codes->classes * job->widest * second;
    return CR_OK;
}

cr_status cr__codes_measure_pairs(const cr__codes *codes, const cr_run *run, cr__pair *pair,
                                  cr_error *err)
{
    pair_job job = {.codes = codes, .pair = pair};
    cr_pool *pool = NULL;
    cr_status st = size_pairs(codes, &job, err);
    const double each = (double)(codes->code == NULL ? job.most : codes->rows);
    const int few = each * (double)codes->features * (double)codes->features < 1e6;

    if (st == CR_OK)
        st = cr_pool_new(&pool, few ? 1 : cr__run_threads(run), err);
    if (st != CR_OK)
        return st;
    cr__pool_run(pool, measure_some, &job);
    cr_pool_free(pool);
    return atomic_load(&job.failed) ? cr__fail_memory(err) : CR_OK;
}

/* The counts of a feature's values by class are in the statistics of its column. */
double cr__codes_value(const cr__codes *codes, size_t i, size_t v, size_t c)
{
    return cr__count_value(cr__stats_count(codes->stats, codes->column[i], v, c));
}

cr_status cr__codes_class_information(const cr__codes *codes, double *information)
{
    size_t widest = 1;
    double *of_value;

    for (size_t i = 0; i < codes->features; i++)
        widest = codes->values[i] > widest ? codes->values[i] : widest;
    if ((of_value = cr__alloc(widest, sizeof *of_value)) == NULL)
        return CR_ENOMEM;
    for (size_t i = 0; i < codes->features; i++) {
        const size_t V = codes->values[i];
        double all = 0, sum = 0;

        memset(of_value, 0, widest * sizeof *of_value);
        for (size_t c = 0; c < codes->classes; c++)
            for (size_t v = 0; v < V; v++) {
                of_value[v] += cr__codes_value(codes, i, v, c);
                all += cr__codes_value(codes, i, v, c);
            }
        for (size_t c = 0; c < codes->classes; c++) {
            double of_class = 0;

            for (size_t v = 0; v < V; v++)
                of_class += cr__codes_value(codes, i, v, c);
            for (size_t v = 0; v < V; v++) {
                const double n = cr__codes_value(codes, i, v, c);

                if (n > 0)
                    sum += n * log(n * all / (of_value[v] * of_class));
            }
        }
        information[i] = all > 0 ? fmax(0, sum / all) : 0;
    }
    cr__free(of_value);
    return CR_OK;
}
