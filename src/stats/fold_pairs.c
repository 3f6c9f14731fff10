/* stats/fold_pairs.c - pairs of features counted without each fold. */
#include "stats/fold_pairs.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "base/fail.h"
#include "base/memory.h"
#include "base/parallel.h"
#include "base/sized.h"
#include "data/cut_finder.h"
#include "stats/collect.h"
#include "stats/gather_tuples.h"

enum {
    AT_ONCE = 1024,
    FINE_MOST = 1 << 22, /* cells of a pair by all cuts, in all folds, whose tables are cached */
    PAIR_BYTES = 24      /* of a count of values of a pair, as it is collected and finished */
};

/* A feature. */
typedef struct feature {
    size_t column;
    cr__cuts cuts;    /* of all folds together, where it is real */
    size_t values;    /* codes by these, with that of missing values */
    uint16_t *code;   /* [rows] fold by fold */
    uint32_t **place; /* [folds + 1][values] the code by the cuts of each fold; NULL: the same */
} feature;

typedef struct counting {
    const cr__dealt *dealt;
    const cr__bins *bins;
    cr__gather **gather; /* [folds + 1] */
    cr__stats **out;
    size_t features, classes;
    feature *feature;
    uint16_t *label; /* [rows] fold by fold, the classes from 0 */
    uint32_t *row;   /* [rows] of the table, fold by fold; */
    size_t *start;   /* [folds + 2] where each begins */
} counting;

/* --- cuts of all folds ---------------------------------------------------------------------- */

static int by_number(const void *pa, const void *pb)
{
    const double a = *(const double *)pa, b = *(const double *)pb;

    return (a > b) - (a < b);
}

static cr_status join_cuts(cr__cuts *out, const cr__bins *bins, size_t count, size_t column)
{
    size_t cuts = 0, n = 0;

    for (size_t b = 0; b < count; b++)
        cuts += cr__bins_cuts(&bins[b], column)->count;
    if (cuts == 0)
        return CR_OK;
    if ((out->cut = cr__alloc(cuts, sizeof *out->cut)) == NULL)
        return CR_ENOMEM;
    for (size_t b = 0; b < count; b++) {
        const cr__cuts *own = cr__bins_cuts(&bins[b], column);

        for (size_t i = 0; i < own->count; i++)
            out->cut[n++] = own->cut[i];
    }
    qsort(out->cut, n, sizeof *out->cut, by_number);
    for (size_t i = 0; i < n; i++)
        if (out->count == 0 || out->cut[out->count - 1] < out->cut[i])
            out->cut[out->count++] = out->cut[i];
    return CR_OK;
}

static cr_status list_features(counting *c, const cr_schema *schema)
{
    cr_status st = CR_OK;

    c->feature = cr__alloc_zero(schema->columns, sizeof *c->feature);
    if (c->feature == NULL)
        return CR_ENOMEM;
    for (size_t i = 0; st == CR_OK && i < schema->columns; i++) {
        feature *f = &c->feature[c->features];

        if (!cr__stats_is_feature(schema, i))
            continue;
        if (schema->column[i].kind != CR_REAL && schema->column[i].kind != CR_SYMBOL)
            return CR_END;
        c->features++;
        f->column = i;
        if (schema->column[i].kind == CR_REAL)
            st = join_cuts(&f->cuts, c->bins, c->dealt->folds + 1, i);
        f->values = schema->column[i].kind == CR_REAL
                        ? f->cuts.count + 2
                        : (size_t)c->dealt->table->column[i].dict->words + 1;
    }
    return st;
}

/* Whether the tables of all pairs are small enough, and much smaller than the rows that they save
 * counting. */
static int pays(const counting *c)
{
    double most = 0, second = 0;

    for (size_t f = 0; f < c->features; f++) {
        const double values = (double)c->feature[f].values;

        second = values > most ? most : values > second ? values : second;
        most = values > most ? values : most;
    }
    return c->features > 1 && most <= UINT16_MAX && c->classes <= UINT16_MAX &&
           most * second * (double)c->classes * (double)(c->dealt->folds + 1) <= FINE_MOST &&
           most * second * (double)c->classes <= (double)c->dealt->rows;
}

/* Bytes of the pairs of a list, by its own cuts, while they are collected and when they are
 * finished. */
static double list_bytes(const counting *c, size_t l)
{
    double sum = 0, squares = 0;

    for (size_t f = 0; f < c->features; f++) {
        const feature *of = &c->feature[f];
        const int real = c->dealt->table->column[of->column].kind == CR_REAL;
        const double values =
            real ? (double)cr__bins_cuts(&c->bins[l], of->column)->count + 2 : (double)of->values;

        sum += values;
        squares += values * values;
    }
    return (sum * sum - squares) / 2 * (double)c->classes * PAIR_BYTES;
}

/* Whether all that is made, and held besides, is within the memory of the run: the codes of the
 * rows, the tables of the pair that each thread counts, and the pairs of each list. */
static int fits(const counting *c, double held, const cr_run *run)
{
    const double limit = (double)cr__run_memory(run), cell = sizeof(uint32_t);
    double bytes = held, most = 0;

    for (size_t f = 0; f < c->features; f++)
        most = fmax(most, (double)c->feature[f].values);
    bytes += (double)c->dealt->rows *
             (double)(c->features * sizeof *c->feature->code + sizeof *c->label + sizeof *c->row);
    bytes += ((double)c->dealt->folds + 2) * most * most * (double)c->classes * cell *
             cr__run_threads(run);
    for (size_t l = 0; l <= c->dealt->folds; l++)
        bytes += list_bytes(c, l);
    return limit == 0 || bytes <= limit;
}

/* --- codes, fold by fold -------------------------------------------------------------------- */

static cr_status order_rows(counting *c)
{
    const cr__dealt *d = c->dealt;
    const cr__table_column *target = &d->table->column[d->table->schema->target];

    c->row = cr__alloc(d->rows, sizeof *c->row);
    c->label = cr__alloc(d->rows, sizeof *c->label);
    c->start = cr__alloc_zero(d->folds + 2, sizeof *c->start);
    if (c->row == NULL || c->label == NULL || c->start == NULL)
        return CR_ENOMEM;
    for (size_t r = 0; r < d->rows; r++)
        c->start[d->fold[r] + 2]++;
    for (size_t f = 0; f < d->folds; f++)
        c->start[f + 2] += c->start[f + 1];
    for (size_t r = 0; r < d->rows; r++)
        c->row[c->start[d->fold[r] + 1]++] = d->row[r];
    for (size_t r = 0; r < d->rows; r++)
        c->label[r] = (uint16_t)(cr__table_code(target, c->row[r]) - 1);
    return CR_OK;
}

static cr_status code_rows(const counting *c, feature *f)
{
    const cr__table_column *data = &c->dealt->table->column[f->column];
    const size_t rows = c->dealt->rows;
    cr__cut_finder finder;
    double x[AT_ONCE];
    uint32_t code[AT_ONCE];

    if ((f->code = cr__alloc(rows, sizeof *f->code)) == NULL)
        return CR_ENOMEM;
    if (data->kind != CR_REAL) {
        for (size_t r = 0; r < rows; r++)
            f->code[r] = (uint16_t)cr__table_code(data, c->row[r]);
        return CR_OK;
    }
    if (cr__cut_finder_make(&finder, &f->cuts) != CR_OK)
        return CR_ENOMEM;
    for (size_t first = 0, n; first < rows; first += n) {
        n = rows - first < AT_ONCE ? rows - first : AT_ONCE;
        for (size_t r = 0; r < n; r++)
            x[r] = data->real[c->row[first + r]];
        cr__cut_finder_codes(&finder, x, n, code);
        for (size_t r = 0; r < n; r++)
            f->code[first + r] = (uint16_t)code[r];
    }
    cr__free(finder.cut);
    return CR_OK;
}

/* An interval contains its upper end. */
static cr_status place_codes(const counting *c, feature *f)
{
    const size_t lists = c->dealt->folds + 1;

    if ((f->place = cr__alloc_zero(lists, sizeof *f->place)) == NULL)
        return CR_ENOMEM;
    for (size_t b = 0; b < lists; b++) {
        const cr__cuts *own = cr__bins_cuts(&c->bins[b], f->column);
        const int real = c->dealt->table->column[f->column].kind == CR_REAL;

        if ((f->place[b] = cr__alloc(f->values, sizeof **f->place)) == NULL)
            return CR_ENOMEM;
        for (size_t v = 0; v < f->values; v++)
            f->place[b][v] = !real || v == CR__MISSING ? (uint32_t)v
                             : v <= f->cuts.count      ? cr__cuts_code(own, f->cuts.cut[v - 1])
                                                       : (uint32_t)own->count + 1;
    }
    return CR_OK;
}

/* --- counts of one feature ------------------------------------------------------------------ */

static cr_status count_feature(const counting *c, const feature *f)
{
    const size_t folds = c->dealt->folds, size = f->values * c->classes;
    uint32_t *fine = cr__alloc_zero((folds + 1) * size, sizeof *fine); /* by fold, and of all */
    cr_status st = fine == NULL ? CR_ENOMEM : CR_OK;

    for (size_t b = 0; st == CR_OK && b < folds; b++) {
        uint32_t *own = fine + b * size;

        for (size_t r = c->start[b]; r < c->start[b + 1]; r++)
            own[f->code[r] * c->classes + c->label[r]]++;
        for (size_t i = 0; i < size; i++)
            fine[folds * size + i] += own[i];
    }
    for (size_t b = 0; st == CR_OK && b <= folds; b++)
        for (size_t i = c->classes; st == CR_OK && i < size; i++) {
            const uint32_t n = fine[folds * size + i] - (b == folds ? 0 : fine[b * size + i]);

            if (n != 0)
                st = cr__counts_add(&c->gather[b]->column[f->column].counts,
                                    f->place[b][i / c->classes], i % c->classes + 1,
                                    (cr__count){n, 0}, 1);
        }
    cr__free(fine);
    return st;
}

static cr_status prepare_feature(void *context, size_t i, cr_error *err)
{
    const counting *c = context;
    feature *f = &c->feature[i];
    cr_status st = code_rows(c, f);

    if (st == CR_OK)
        st = place_codes(c, f);
    if (st == CR_OK)
        st = count_feature(c, f);
    return st == CR_OK ? CR_OK : cr__fail(err, st, "a feature cannot be counted fold by fold");
}

/* --- counts of pairs ------------------------------------------------------------------------ */

static void count_rows(const counting *c, const feature *a, const feature *b, size_t fold,
                       uint32_t *restrict fine)
{
    const uint32_t classes = (uint32_t)c->classes, scale = (uint32_t)(b->values * c->classes);
    uint32_t at[AT_ONCE];

    for (size_t first = c->start[fold], n; first < c->start[fold + 1]; first += n) {
        const uint16_t *restrict x = a->code + first, *restrict y = b->code + first;
        const uint16_t *restrict label = c->label + first;

        n = c->start[fold + 1] - first < AT_ONCE ? c->start[fold + 1] - first : AT_ONCE;
        for (size_t r = 0; r < n; r++)
            at[r] = x[r] * scale + y[r] * classes + label[r];
        for (size_t r = 0; r < n; r++)
            fine[at[r]]++;
    }
}

/* Add up all - less to the intervals of list l: first those of a, then of b. */
static cr_status put_pair(const counting *c, size_t i, size_t j, size_t l, const uint32_t *all,
                          const uint32_t *less, uint32_t *restrict sum)
{
    const feature *a = &c->feature[i], *b = &c->feature[j];
    const size_t wide = b->values * c->classes, pair = cr__tuples_pair(c->features, i, j);
    cr_status st = CR_OK;

    for (size_t first = 1, end; st == CR_OK && first < a->values; first = end) {
        uint32_t code[2] = {a->place[l][first]};

        memset(sum, 0, wide * sizeof *sum);
        for (end = first; end < a->values && a->place[l][end] == code[0]; end++) {
            const uint32_t *restrict from = all + end * wide;
            const uint32_t *restrict without = less + end * wide;

            for (size_t k = 0; k < wide; k++)
                sum[k] += from[k];
            for (size_t k = 0; k < wide; k++)
                sum[k] -= without[k];
        }
        for (size_t v = 1; st == CR_OK && v < b->values; v++) {
            code[1] = b->place[l][v];
            if (v + 1 < b->values && b->place[l][v + 1] == code[1]) {
                for (size_t k = 0; k < c->classes; k++)
                    sum[(v + 1) * c->classes + k] += sum[v * c->classes + k];
                continue;
            }
            for (size_t k = 0; st == CR_OK && k < c->classes; k++)
                if (sum[v * c->classes + k] != 0)
                    st = cr__gather_put_tuple(c->gather[l], pair, code, (uint32_t)k + 1,
                                              (cr__count){sum[v * c->classes + k], 0});
        }
    }
    return st;
}

/* The pairs that begin with feature i. */
static cr_status count_pairs(void *context, size_t i, cr_error *err)
{
    const counting *c = context;
    const size_t folds = c->dealt->folds;
    size_t most = 0;
    uint32_t *fine, *none, *sum;
    cr_status st = CR_OK;

    for (size_t j = i + 1; j < c->features; j++)
        most = c->feature[j].values > most ? c->feature[j].values : most;
    if (most == 0)
        return CR_OK;
    most *= c->classes;
    fine = cr__alloc(c->feature[i].values * most, (folds + 1) * sizeof *fine);
    none = cr__alloc_zero(c->feature[i].values * most, sizeof *none);
    sum = cr__alloc(most, sizeof *sum);
    if (fine == NULL || none == NULL || sum == NULL)
        st = CR_ENOMEM;
    for (size_t j = i + 1; st == CR_OK && j < c->features; j++) {
        const size_t size = c->feature[i].values * c->feature[j].values * c->classes;
        uint32_t *restrict all = fine + folds * size;

        memset(fine, 0, (folds + 1) * size * sizeof *fine);
        for (size_t b = 0; b < folds; b++) {
            const uint32_t *restrict own = fine + b * size;

            count_rows(c, &c->feature[i], &c->feature[j], b, fine + b * size);
            for (size_t k = 0; k < size; k++)
                all[k] += own[k];
        }
        for (size_t b = 0; st == CR_OK && b <= folds; b++)
            st = put_pair(c, i, j, b, all, b == folds ? none : fine + b * size, sum);
    }
    cr__free(fine);
    cr__free(none);
    cr__free(sum);
    return st == CR_OK ? CR_OK : cr__fail(err, st, "pairs cannot be counted fold by fold");
}

/* --- all ------------------------------------------------------------------------------------ */

/* The words of a table get the same codes. */
static cr_status take_words(cr__dict *into, const cr__dict *from)
{
    cr_status st = CR_OK;

    for (uint32_t code = 1; st == CR_OK && code <= from->words; code++) {
        size_t length;
        const char *word = cr__dict_word(from, code, &length);
        uint32_t same;

        st = cr__dict_intern(into, word, length, &same);
        if (st == CR_OK && same != code)
            st = CR_END;
    }
    return st;
}

static cr_status begin(const counting *c, const cr_schema *schema, size_t l, cr_error *err)
{
    const cr__dealt *d = c->dealt;
    cr__gather *g;
    cr_status st = cr__gather_new(&c->gather[l], schema, NULL, 0, err);

    if (st != CR_OK || (st = cr__gather_count_bins(c->gather[l], 2, &c->bins[l], err)) != CR_OK)
        return st;
    g = c->gather[l];
    for (size_t i = 0; st == CR_OK && i < schema->columns; i++)
        if ((cr__stats_is_feature(schema, i) || i == schema->target) &&
            schema->column[i].kind == CR_SYMBOL)
            st = take_words(g->column[i].dict, d->table->column[i].dict);
    if (st != CR_OK)
        return st == CR_END ? st : cr__fail_memory(err);
    if ((st = cr__gather_fit(g, err)) != CR_OK || (st = cr__gather_fit_tuples(g, err)) != CR_OK)
        return st;
    g->rows = d->rows - (l == d->folds ? 0 : c->start[l + 1] - c->start[l]);
    for (size_t r = 0; r < d->rows; r++)
        if (l == d->folds || r < c->start[l] || r >= c->start[l + 1])
            g->classes.whole[c->label[r] + 1]++;
    return CR_OK;
}

static cr_status finish(void *context, size_t l, cr_error *err)
{
    const counting *c = context;

    return cr__gather_finish(c->gather[l], &c->out[l], err);
}

static void free_counting(counting *c)
{
    const size_t lists = c->dealt->folds + 1;

    for (size_t l = 0; c->gather != NULL && l < lists; l++)
        cr__gather_free(c->gather[l]);
    for (size_t f = 0; f < c->features; f++) {
        for (size_t l = 0; c->feature[f].place != NULL && l < lists; l++)
            cr__free(c->feature[f].place[l]);
        cr__free(c->feature[f].place);
        cr__free(c->feature[f].code);
        cr__free(c->feature[f].cuts.cut);
    }
    cr__free(c->feature);
    cr__free(c->gather);
    cr__free(c->label);
    cr__free(c->row);
    cr__free(c->start);
}

cr_status cr__fold_pairs(cr__stats **out, const cr__dealt *dealt, const cr_schema *schema,
                         const cr__bins *bins, double held, const cr_run *run, cr_error *err)
{
    const size_t lists = dealt->folds + 1;
    counting c = {.dealt = dealt, .bins = bins, .out = out};
    cr_status st;

    c.classes = dealt->table->column[schema->target].dict->words;
    c.gather = cr__alloc_zero(lists, sizeof *c.gather);
    st = c.gather == NULL ? CR_ENOMEM : list_features(&c, schema);
    if (st == CR_OK && (!pays(&c) || !fits(&c, held, run)))
        st = CR_END;
    if (st == CR_OK)
        st = order_rows(&c);
    if (st == CR_ENOMEM)
        cr__fail_memory(err);
    for (size_t l = 0; st == CR_OK && l < lists; l++)
        st = begin(&c, schema, l, err);
    if (st == CR_OK)
        st = cr__parallel_for(run, c.features, prepare_feature, &c, err);
    if (st == CR_OK)
        st = cr__parallel_for(run, c.features, count_pairs, &c, err);
    if (st == CR_OK)
        st = cr__parallel_for(run, lists, finish, &c, err);
    free_counting(&c);
    return st;
}
