/* model/impute.c - learn replacements for missing values from a table. */
#include "model/impute.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "base/fail.h"
#include "base/memory.h"
#include "stats/cross_gather.h"
#include "stats/stats.h"

enum { PASSES = 20 }; /* of the model over the rows, at most */
#define SETTLED 1e-6  /* stop when a pass moves less than this share of the deviations */

static const char *const names[] = {"none", "mean", "median", "mode", "model", "drop"};

cr_status cr__impute_read(cr__impute_how *out, const char *text, cr_error *err)
{
    for (int how = CR__IMPUTE_MEAN; how <= CR__IMPUTE_DROP; how++)
        if (strcmp(text, names[how]) == 0) {
            *out = (cr__impute_how)how;
            return CR_OK;
        }
    return cr__fail(err, CR_EARG, "impute is '%s'; it must be one of mean|median|mode|model|drop",
                    text);
}

const char *cr__impute_name(cr__impute_how how)
{
    return names[how];
}

void cr__impute_free(cr__impute *impute)
{
    if (impute == NULL || atomic_fetch_sub(&impute->others, 1) != 0)
        return;
    for (size_t i = 0; impute->dict != NULL && i < impute->columns; i++)
        cr__dict_free(impute->dict[i]);
    cr__free(impute->dict);
    cr__free(impute->kind);
    cr__free(impute->real);
    cr__free(impute->code);
    cr__free(impute->term);
    cr__free(impute->mean);
    cr__free(impute->covariance);
    cr__free(impute);
}

cr__impute *cr__impute_share(cr__impute *impute)
{
    if (impute != NULL)
        atomic_fetch_add(&impute->others, 1);
    return impute;
}

/* --- one column ----------------------------------------------------------------------------- */

/* A number and its weight. */
typedef struct weighed {
    double x, weight;
} weighed;

static int by_number(const void *a, const void *b)
{
    const double x = ((const weighed *)a)->x, y = ((const weighed *)b)->x;

    return (x > y) - (x < y);
}

static double weight_of(const cr__table *table, size_t r)
{
    return table->weight == NULL ? 1 : table->weight[r];
}

static double mean_of(const weighed *v, size_t n)
{
    long double sum = 0, total = 0;

    for (size_t i = 0; i < n; i++) {
        total += v[i].weight;
        sum += (long double)v[i].weight * v[i].x;
    }
    return (double)(sum / total);
}

/* Half of the weight lies on either side; between two numbers their middle. */
static double median_of(weighed *v, size_t n)
{
    double total = 0, below = 0;

    qsort(v, n, sizeof *v, by_number);
    for (size_t i = 0; i < n; i++)
        total += v[i].weight;
    for (size_t i = 0; i < n; i++) {
        below += v[i].weight;
        if (2 * below > total || i + 1 == n)
            return v[i].x;
        if (2 * below == total)
            return v[i].x / 2 + v[i + 1].x / 2;
    }
    return NAN;
}

static double mode_of(weighed *v, size_t n)
{
    double best = NAN, most = 0, here = 0;

    qsort(v, n, sizeof *v, by_number);
    for (size_t i = 0; i < n; i++) {
        here = i > 0 && v[i].x == v[i - 1].x ? here + v[i].weight : v[i].weight;
        if (here > most) {
            most = here;
            best = v[i].x;
        }
    }
    return best;
}

static cr_status learn_real(cr__impute *impute, size_t i, const cr__table *table)
{
    weighed *v = cr__alloc(table->rows, sizeof *v);
    size_t n = 0;

    if (v == NULL)
        return CR_ENOMEM;
    for (size_t r = 0; r < table->rows; r++)
        if (!isnan(table->column[i].real[r]) && weight_of(table, r) > 0)
            v[n++] = (weighed){table->column[i].real[r], weight_of(table, r)};
    impute->real[i] = n == 0                             ? NAN
                      : impute->how == CR__IMPUTE_MEDIAN ? median_of(v, n)
                      : impute->how == CR__IMPUTE_MODE   ? mode_of(v, n)
                                                         : mean_of(v, n);
    cr__free(v);
    return CR_OK;
}

/* The commonest word; of several the first by bytes. */
static cr_status learn_symbol(cr__impute *impute, size_t i, const cr__table *table)
{
    const cr__dict *dict = table->column[i].dict;
    double *count = cr__alloc_zero((size_t)dict->words + 1, sizeof *count);
    uint32_t best = CR__MISSING;
    cr_status st =
        count == NULL ? CR_ENOMEM : cr__dict_new(&impute->dict[i], CR__IMPUTE_SEED + i, NULL);

    for (size_t r = 0; st == CR_OK && r < table->rows; r++)
        count[table->column[i].code[r]] += weight_of(table, r);
    for (uint32_t code = 1; st == CR_OK && code <= dict->words; code++)
        if (count[code] > 0 &&
            (best == CR__MISSING || count[code] > count[best] ||
             (count[code] == count[best] &&
              strcmp(cr__dict_word(dict, code, NULL), cr__dict_word(dict, best, NULL)) < 0)))
            best = code;
    for (uint32_t code = 1; st == CR_OK && code <= dict->words; code++) {
        uint32_t own = 0;
        size_t length;
        const char *word = cr__dict_word(dict, code, &length);

        if (code == best || impute->how == CR__IMPUTE_MODEL)
            st = cr__dict_intern(impute->dict[i], word, length, &own);
        if (code == best)
            impute->code[i] = own;
    }
    cr__free(count);
    return st;
}

/* --- all columns together ------------------------------------------------------------------- */

static cr_status gather_cross(cr__cross **out, const cr__table *table, cr__dict *const *dict,
                              int threads, cr_error *err)
{
    enum { AT_ONCE = 1024 };
    const size_t columns = table->schema->columns;
    cr__batch_column *column = cr__alloc_zero(columns, sizeof *column);
    cr__cross_gather *gather = NULL;
    cr__cross_part *part = NULL;
    cr_status st = column == NULL ? cr__fail_memory(err) : CR_OK;

    if (st == CR_OK)
        st = cr__cross_gather_new(&gather, table->schema, CR__CROSS_FEATURES, 0, err);
    if (st == CR_OK)
        st = cr__cross_part_new(&part, gather, err);
    for (size_t r = 0; st == CR_OK && r < table->rows; r += AT_ONCE) {
        cr__batch batch = {.rows = table->rows - r < AT_ONCE ? table->rows - r : AT_ONCE,
                           .columns = columns,
                           .column = column,
                           .weight = table->weight == NULL ? NULL : table->weight + r};

        for (size_t i = 0; i < columns; i++)
            column[i] = (cr__batch_column){
                .kind = table->column[i].kind,
                .real = table->column[i].real == NULL ? NULL : table->column[i].real + r,
                .code = table->column[i].code == NULL ? NULL : table->column[i].code + r};
        st = cr__cross_part_absorb(part, &batch, err);
        if (st == CR_OK)
            st = cr__cross_part_deliver(part, dict, err);
    }
    if (st == CR_OK)
        st = cr__cross_gather_finish(gather, threads, dict, 1, out, err);
    cr__cross_part_free(part);
    cr__cross_gather_free(gather);
    cr__free(column);
    return st;
}

/* Means and covariances, each over the rows that have both: where the model begins. */
static cr_status take_moments(cr__impute *impute, const cr__cross *cross)
{
    const size_t n = cross->terms;

    impute->terms = n;
    impute->term = cr__alloc(n, sizeof *impute->term);
    impute->mean = cr__alloc_zero(n, sizeof *impute->mean);
    impute->covariance = cr__alloc_zero(n * n, sizeof *impute->covariance);
    if (impute->term == NULL || impute->mean == NULL || impute->covariance == NULL)
        return CR_ENOMEM;
    memcpy(impute->term, cross->term, n * sizeof *impute->term);
    for (size_t i = 0; i < n; i++)
        for (size_t j = 0; j < n; j++) {
            const cr__cross_pair_sum p = cr__cross_pair(cross, 0, i, j, 0);

            if (i == j && p.count > 0)
                impute->mean[i] = cross->shift[i] + p.sum_i / p.count;
            if (p.count > 1)
                impute->covariance[i * n + j] =
                    (p.product - p.sum_i * p.sum_j / p.count) / (p.count - 1);
        }
    return CR_OK;
}

static void forget_moments(cr__impute *impute)
{
    cr__free(impute->term);
    cr__free(impute->mean);
    cr__free(impute->covariance);
    impute->term = NULL;
    impute->mean = impute->covariance = NULL;
    impute->terms = 0;
}

/* How far covariances have moved, as a share of the standard deviations. */
static double change(const cr__impute *impute, const double *before)
{
    const size_t n = impute->terms;
    double most = 0;

    for (size_t i = 0; i < n; i++)
        for (size_t j = 0; j <= i; j++) {
            const double scale = sqrt(before[i * n + i]) * sqrt(before[j * n + j]);

            if (scale > 0)
                most = fmax(most, fabs(impute->covariance[i * n + j] - before[i * n + j]) / scale);
        }
    return most;
}

/* Fill the rows with the current estimates, and re-estimate from them. */
static cr_status learn_again(cr__impute *impute, const cr__table *table, cr__dict *const *dict,
                             int threads, double *moved, cr_error *err)
{
    const size_t columns = table->schema->columns;
    cr__table *filled = NULL;
    cr__cross *cross = NULL;
    double *before = NULL;
    cr_status st = cr__table_new(&filled, table->schema, err);

    if (st == CR_OK && cr__table_extend(filled, table, NULL, table->rows, NULL) != CR_OK)
        st = cr__fail_memory(err);
    for (size_t i = 0; st == CR_OK && i < columns; i++)
        filled->column[i].dict = dict[i];
    if (st == CR_OK)
        st = cr__impute_fill_table(impute, filled, err);
    if (st == CR_OK)
        st = gather_cross(&cross, filled, dict, threads, err);
    if (st == CR_OK) {
        before = impute->covariance;
        impute->covariance = NULL;
        forget_moments(impute);
        if (take_moments(impute, cross) != CR_OK)
            st = cr__fail_memory(err);
        else
            *moved = change(impute, before);
    }
    for (size_t i = 0; filled != NULL && i < columns; i++)
        filled->column[i].dict = NULL;
    cr__table_free(filled);
    cr__cross_free(cross);
    cr__free(before);
    return st;
}

static cr_status learn_model(cr__impute *impute, const cr__table *table, int threads, cr_error *err)
{
    cr__dict **dict = cr__alloc_zero(table->schema->columns, sizeof *dict);
    cr__cross *cross = NULL;
    double moved = INFINITY;
    cr_status st = dict == NULL ? cr__fail_memory(err) : CR_OK;

    for (size_t i = 0; st == CR_OK && i < table->schema->columns; i++)
        dict[i] = table->column[i].dict;
    if (st == CR_OK)
        st = gather_cross(&cross, table, dict, threads, err);
    if (st == CR_OK && take_moments(impute, cross) != CR_OK)
        st = cr__fail_memory(err);
    if (st == CR_OK && cross->of[0].pair_count != NULL)
        for (int pass = 0; st == CR_OK && pass < PASSES && moved > SETTLED; pass++)
            st = learn_again(impute, table, dict, threads, &moved, err);
    cr__cross_free(cross);
    cr__free(dict);
    return st;
}

cr__impute *cr__impute_new(cr__impute_how how, size_t columns)
{
    cr__impute *impute = cr__alloc_zero(1, sizeof *impute);

    if (impute == NULL)
        return NULL;
    impute->how = how;
    impute->columns = columns;
    impute->kind = cr__alloc_zero(columns, 1);
    impute->real = cr__alloc_zero(columns, sizeof *impute->real);
    impute->code = cr__alloc_zero(columns, sizeof *impute->code);
    impute->dict = cr__alloc_zero(columns, sizeof *impute->dict);
    if (impute->kind != NULL && impute->real != NULL && impute->code != NULL &&
        impute->dict != NULL)
        return impute;
    cr__impute_free(impute);
    return NULL;
}

cr_status cr__impute_learn(cr__impute **out, cr__impute_how how, const cr__table *table,
                           int threads, cr_error *err)
{
    const cr_schema *schema = table->schema;
    cr__impute *impute = cr__impute_new(how, schema->columns);
    cr_status st = impute == NULL ? CR_ENOMEM : CR_OK;

    *out = NULL;
    for (size_t i = 0; st == CR_OK && i < schema->columns; i++) {
        const cr_kind kind = schema->column[i].kind;

        impute->kind[i] = CR_IGNORE;
        if (!cr__stats_is_feature(schema, i) || kind == CR_BAG)
            continue;
        impute->kind[i] = (unsigned char)kind;
        st = kind == CR_REAL ? learn_real(impute, i, table) : learn_symbol(impute, i, table);
    }
    if (st != CR_OK)
        st = cr__fail_memory(err);
    if (st == CR_OK && how == CR__IMPUTE_MODEL)
        st = learn_model(impute, table, threads, err);
    if (st != CR_OK) {
        cr__impute_free(impute);
        return st;
    }
    *out = impute;
    return CR_OK;
}

uint32_t *cr__impute_complete(const cr__table *table, const uint32_t *row, size_t rows,
                              size_t *count)
{
    const size_t n = row == NULL ? table->rows : rows;
    uint32_t *list = cr__alloc(n, sizeof *list);

    *count = 0;
    for (size_t k = 0; list != NULL && k < n; k++) {
        const uint32_t r = row == NULL ? (uint32_t)k : row[k];
        int lacks = 0;

        for (size_t i = 0; i < table->schema->columns; i++)
            if (cr__stats_is_feature(table->schema, i))
                lacks |= table->column[i].kind == CR_REAL ? isnan(table->column[i].real[r])
                                                          : table->column[i].code[r] == CR__MISSING;
        list[*count] = r;
        *count += (size_t)!lacks;
    }
    return list;
}
