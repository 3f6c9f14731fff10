/* stats/gather_tuples.c - count tuples of features by class. */
#include "stats/gather_tuples.h"

#include <math.h>
#include <string.h>

#include "base/fail.h"
#include "base/memory.h"
#include "data/cut_finder.h"
#include "stats/cells.h"
#include "stats/gather_cells.h"

/* The counts of one tuple so far: in arrays, or in a hash table where they would be too large. */
typedef struct part {
    size_t size;           /* places of the arrays; 0: there are none */
    uint32_t *hot;         /* [size] rows of weight 1 of this pass, */
    int64_t *whole;        /* [size] and the rest, NULL while there is none */
    uint64_t *fraction;    /* [size] likewise */
    cr__cell_table sparse; /* keys are places */
} part;

struct cr__gather_tuples {
    const cr__bins *bins;
    cr__tuples *list;       /* without counts */
    size_t *room;           /* [features] codes that the tables have room for, */
    size_t classes;         /* and class codes */
    part *part;             /* [list->count] */
    uint32_t **own;         /* [features] codes of real columns in a batch, */
    cr__cut_finder *finder; /* [features] that finds them */
    size_t block, waiting;  /* rows that may wait, and those that do, to be counted in arrays: */
    uint16_t *code;         /* [features * block] their codes; arrays have few enough places, */
    uint16_t *label;        /* [block] their class codes, */
    uint16_t *low;          /* [features * block] places of a feature's value and the class, */
    uint32_t *high;         /* [block] and of the first two values of a triple */
    uint64_t hot;           /* rows since the hot counts were last emptied */
    double most;            /* cells that the tables of triples may have; 0: any number */
};

static void free_part(part *p)
{
    cr__free(p->hot);
    cr__free(p->whole);
    cr__free(p->fraction);
    cr__cell_table_free(&p->sparse);
    *p = (part){0};
}

void cr__gather_free_tuples(cr__gather *gather)
{
    struct cr__gather_tuples *g = gather->tuples;

    if (g == NULL)
        return;
    for (size_t t = 0; g->part != NULL && t < g->list->count; t++)
        free_part(&g->part[t]);
    for (size_t f = 0; g->own != NULL && f < g->list->features; f++)
        cr__free(g->own[f]);
    for (size_t f = 0; g->finder != NULL && f < g->list->features; f++)
        cr__free(g->finder[f].cut);
    cr__free(g->finder);
    cr__free(g->part);
    cr__free(g->own);
    cr__free(g->code);
    cr__free(g->label);
    cr__free(g->low);
    cr__free(g->high);
    cr__free(g->room);
    cr__tuples_free(g->list);
    cr__free(g);
    gather->tuples = NULL;
}

static cr_status fail_room(const cr__gather *gather, size_t features, double bytes, cr_error *err)
{
    cr__fail(err, CR_ELIMIT, "counting pairs of %zu features needs %s of memory; the limit is %s",
             features, cr__size_of(bytes).text, cr__size_of((double)gather->limit).text);
    return cr__fail_hint(err, CR_ELIMIT, "columns of many values can be left out or cut coarser");
}

cr_status cr__gather_afford_tuples(const cr__gather *gather, int order, cr_error *err)
{
    double features = 0, bytes;

    for (size_t i = 0; i < gather->schema->columns; i++)
        features += cr__stats_is_feature(gather->schema, i);
    bytes = features * (features - 1) / 2 * (order < 3 ? 1 : 1 + fmax(features - 2, 0) / 3) *
            (double)(sizeof(part) + sizeof(cr__tuple) + sizeof(cr__tuple_counts));
    if (gather->limit == 0 || bytes <= (double)gather->limit)
        return CR_OK;
    return fail_room(gather, (size_t)features, bytes, err);
}

cr_status cr__gather_count_tuples(cr__gather *gather, const cr__bins *bins, const cr__tuple *more,
                                  size_t more_count, cr_error *err)
{
    struct cr__gather_tuples *g = gather->tuples = cr__alloc_zero(1, sizeof *g);
    cr_status st = CR_OK;

    if (g == NULL || (g->list = cr__tuples_new(gather->schema, more, more_count)) == NULL ||
        (g->room = cr__alloc_zero(g->list->features, sizeof *g->room)) == NULL ||
        (g->part = cr__alloc_zero(g->list->count, sizeof *g->part)) == NULL ||
        (g->own = cr__alloc_zero(g->list->features, sizeof *g->own)) == NULL ||
        (g->finder = cr__alloc_zero(g->list->features, sizeof *g->finder)) == NULL)
        return cr__fail_memory(err);
    g->bins = bins;
    for (size_t f = 0; st == CR_OK && f < g->list->features; f++)
        st = cr__gather_begin_counted(gather, g->list->column[f], bins, err);
    return st;
}

/* --- places --------------------------------------------------------------------------------- */

/* The place of codes in a table with room for so many. */
static uint64_t place_of(const cr__tuple *t, const size_t *room, size_t classes,
                         const uint32_t *code, uint32_t class_code)
{
    uint64_t at = 0;

    for (size_t k = 0; k < t->size; k++)
        at = at * room[t->feature[k]] + code[k];
    return at * classes + class_code;
}

/* And back. */
static void codes_of(const cr__tuple *t, const size_t *room, size_t classes, uint64_t at,
                     uint32_t *code, uint32_t *class_code)
{
    *class_code = (uint32_t)(at % classes);
    at /= classes;
    for (size_t k = t->size; k-- > 0; at /= room[t->feature[k]])
        code[k] = (uint32_t)(at % room[t->feature[k]]);
}

/* The arrays' size, 0 when they would be too large; SIZE_MAX when there are too many places to
 * number. */
static size_t dense_size(const cr__tuple *t, const size_t *room, size_t classes)
{
    size_t size = classes;

    for (size_t k = 0; k < t->size; k++) {
        if (size > (SIZE_MAX >> 1) / room[t->feature[k]])
            return SIZE_MAX;
        size *= room[t->feature[k]];
    }
    return size <= cr__tuple_dense_most(t->size) ? size : 0;
}

static cr_status add_at(part *p, uint64_t at, cr__count n, int sign)
{
    cr__count sum;

    if (p->size == 0) {
        p->sparse.packing.words = 1;
        return cr__cell_table_count(&p->sparse, &at, n, sign);
    }
    if (p->whole == NULL && (p->whole = cr__alloc_zero(p->size, sizeof *p->whole)) == NULL)
        return CR_ENOMEM;
    if (n.fraction != 0 && p->fraction == NULL &&
        (p->fraction = cr__alloc_zero(p->size, sizeof *p->fraction)) == NULL)
        return CR_ENOMEM;
    sum = (cr__count){p->whole[at], p->fraction == NULL ? 0 : p->fraction[at]};
    if (sum.whole > INT64_MAX / 2 || sum.whole < INT64_MIN / 2 || n.whole > INT64_MAX / 2)
        return CR_ELIMIT;
    sum = cr__count_plus(sum, n, sign);
    p->whole[at] = sum.whole;
    if (p->fraction != NULL)
        p->fraction[at] = sum.fraction;
    return CR_OK;
}

/* How many entries a part has, and the count and place of one. */
static size_t entries(const part *p)
{
    return p->size != 0 ? p->size : p->sparse.count;
}

static cr__count entry(const part *p, size_t i, uint64_t *at)
{
    cr__count n = {0};

    *at = p->size != 0 ? i : p->sparse.key[i];
    if (p->size == 0)
        return (cr__count){p->sparse.whole[i],
                           p->sparse.fraction == NULL ? 0 : p->sparse.fraction[i]};
    if (p->whole != NULL)
        n.whole = p->whole[i];
    if (p->fraction != NULL)
        n.fraction = p->fraction[i];
    if (p->hot != NULL)
        n.whole += p->hot[i];
    return n;
}

/* The same counts with room for more codes. */
static cr_status widen_part(const cr__tuple *t, part *p, const size_t *room, size_t classes,
                            const size_t *wider, size_t more_classes)
{
    part wide = {.size = dense_size(t, wider, more_classes)};
    cr_status st = wide.size == SIZE_MAX ? CR_ELIMIT : CR_OK;

    if (st == CR_OK && wide.size != 0 &&
        (wide.hot = cr__alloc_zero(wide.size, sizeof *wide.hot)) == NULL)
        st = CR_ENOMEM;
    for (size_t i = 0; st == CR_OK && classes > 0 && i < entries(p); i++) {
        uint32_t code[CR__TUPLE_MOST], class_code;
        uint64_t at;
        const cr__count n = entry(p, i, &at);

        if (cr__count_zero(n))
            continue;
        codes_of(t, room, classes, at, code, &class_code);
        if (wide.size != 0 && n.fraction == 0 && n.whole >= 0 && n.whole <= UINT32_MAX &&
            p->whole == NULL)
            wide.hot[place_of(t, wider, more_classes, code, class_code)] = (uint32_t)n.whole;
        else
            st = add_at(&wide, place_of(t, wider, more_classes, code, class_code), n, 1);
    }
    if (st != CR_OK) {
        free_part(&wide);
        return st;
    }
    free_part(p);
    *p = wide;
    return CR_OK;
}

static cr_status fail_part(cr_status st, cr_error *err)
{
    return st == CR_ENOMEM ? cr__fail_memory(err)
                           : cr__fail(err, st,
                                      "features have too many values, or rows too large "
                                      "a weight, to be counted in pairs");
}

/* Bytes of all counts. */
static double bytes_of(const struct cr__gather_tuples *g)
{
    double bytes = 0;

    for (size_t t = 0; t < g->list->count; t++)
        bytes += (double)g->part[t].size * 12 + cr__cell_table_bytes(&g->part[t].sparse);
    return bytes;
}

/* The hot counts are of 32 bits: they are emptied before one of them could overflow. */
static cr_status cool(struct cr__gather_tuples *g, size_t rows)
{
    cr_status st = CR_OK;

    if ((g->hot += rows) <= UINT32_MAX)
        return CR_OK;
    for (size_t t = 0; st == CR_OK && t < g->list->count; t++)
        for (size_t i = 0; st == CR_OK && g->part[t].hot != NULL && i < g->part[t].size; i++) {
            st = add_at(&g->part[t], i, (cr__count){g->part[t].hot[i], 0}, 1);
            g->part[t].hot[i] = 0;
        }
    g->hot = rows;
    return st;
}

/* Rows that wait: while a table is in the cache, many of them are counted in it. */
enum { BLOCK_MOST = 8192, BLOCK_LEAST = 1024, BLOCK_BYTES = 1 << 19 };

static int make_block(struct cr__gather_tuples *g)
{
    const size_t n = g->list->features > 0 ? g->list->features : 1;
    const size_t rows = BLOCK_BYTES / (2 * sizeof *g->code * n);

    g->block = rows > BLOCK_MOST ? BLOCK_MOST : rows < BLOCK_LEAST ? BLOCK_LEAST : rows;
    g->code = cr__alloc(n * g->block, sizeof *g->code);
    g->label = cr__alloc(g->block, sizeof *g->label);
    g->low = cr__alloc(n * g->block, sizeof *g->low);
    g->high = cr__alloc(g->block, sizeof *g->high);
    return g->code != NULL && g->label != NULL && g->low != NULL && g->high != NULL;
}

/* The array of a pair has at most 65536 places, so these are computed in 16 bits, many at once. */
static void count_pair(uint32_t *restrict hot, const uint16_t *restrict a, uint16_t scale,
                       const uint16_t *restrict low, size_t rows)
{
    enum { AT_ONCE = 512 };
    uint16_t at[AT_ONCE];

    for (size_t first = 0, n; first < rows; first += n) {
        n = rows - first < AT_ONCE ? rows - first : AT_ONCE;
        for (size_t r = 0; r < n; r++)
            at[r] = (uint16_t)(a[first + r] * scale + low[first + r]);
        for (size_t r = 0; r < n; r++)
            hot[at[r]]++;
    }
}

/* The place of two values, for all triples that begin with them. */
static void place_two(const struct cr__gather_tuples *g, const uint32_t *feature)
{
    const uint16_t *restrict a = g->code + feature[0] * g->block;
    const uint16_t *restrict b = g->code + feature[1] * g->block;
    const uint32_t room = (uint32_t)g->room[feature[1]];

    for (size_t r = 0; r < g->waiting; r++)
        g->high[r] = a[r] * room + b[r];
}

static void count_triple(uint32_t *restrict hot, const uint32_t *restrict high, uint32_t scale,
                         const uint16_t *restrict low, size_t rows)
{
    for (size_t r = 0; r < rows; r++)
        hot[high[r] * scale + low[r]]++;
}

/* Tuples of more than three, with the place of the last feature and the class in low. */
static void count_more(const struct cr__gather_tuples *g, const cr__tuple *t, uint32_t *hot,
                       const uint16_t *low)
{
    for (size_t r = 0; r < g->waiting; r++) {
        size_t at = 0;

        for (size_t k = 0; k + 1 < t->size; k++)
            at = at * g->room[t->feature[k]] + g->code[t->feature[k] * g->block + r];
        hot[at * g->room[t->feature[t->size - 1]] * g->classes + low[r]]++;
    }
}

/* Count the rows that wait, in all tables that are arrays. */
static cr_status count_waiting(struct cr__gather_tuples *g)
{
    const uint32_t *two = NULL; /* whose places are in high */
    cr_status st = g->waiting == 0 ? CR_OK : cool(g, g->waiting);

    for (size_t f = 0; f < g->list->features; f++)
        for (size_t r = 0; r < g->waiting; r++)
            g->low[f * g->block + r] =
                (uint16_t)(g->code[f * g->block + r] * g->classes + g->label[r]);
    for (size_t t = 0; st == CR_OK && g->waiting > 0 && t < g->list->count; t++) {
        const cr__tuple *tuple = &g->list->tuple[t];
        const uint32_t last = tuple->feature[tuple->size - 1];
        const uint32_t scale = (uint32_t)(g->room[last] * g->classes);
        const uint16_t *low = g->low + last * g->block;
        uint32_t *hot = g->part[t].hot;

        if (g->part[t].size == 0)
            continue;
        if (tuple->size == 2) {
            count_pair(hot, g->code + tuple->feature[0] * g->block, (uint16_t)scale, low,
                       g->waiting);
        } else if (tuple->size == 3) {
            if (two == NULL || two[0] != tuple->feature[0] || two[1] != tuple->feature[1])
                place_two(g, two = tuple->feature);
            count_triple(hot, g->high, scale, low, g->waiting);
        } else {
            count_more(g, tuple, hot, low);
        }
    }
    g->waiting = 0;
    return st;
}

static cr_status widen(cr__gather *gather, const size_t *wider, size_t classes, cr_error *err)
{
    struct cr__gather_tuples *g = gather->tuples;
    const size_t more = classes > g->classes ? classes : g->classes;
    cr_status st = count_waiting(g);

    for (size_t t = 0; st == CR_OK && t < g->list->count; t++) {
        const cr__tuple *tuple = &g->list->tuple[t];
        int same = more == g->classes;

        for (size_t k = 0; k < tuple->size; k++)
            same &= wider[tuple->feature[k]] == g->room[tuple->feature[k]];
        if (!same)
            st = widen_part(tuple, &g->part[t], g->room, g->classes, wider, more);
    }
    if (st != CR_OK)
        return fail_part(st, err);
    memcpy(g->room, wider, g->list->features * sizeof *g->room);
    g->classes = more;
    if (gather->limit != 0 && bytes_of(g) > (double)gather->limit)
        return fail_room(gather, g->list->features, bytes_of(g), err);
    return CR_OK;
}

/* Make room for all the codes that the dictionaries have by now. */
void cr__gather_limit_triples(cr__gather *gather, double most)
{
    gather->tuples->most = most;
}

/* Whether the words so far make too many combinations of three. The decision depends on all words,
 * so making it early from some of them gives the same result for any number of workers. */
static int too_many(const cr__gather *gather)
{
    const struct cr__gather_tuples *g = gather->tuples;
    const double classes = gather->column[gather->schema->target].dict->words;
    double cells = 0;

    for (size_t t = cr__tuples_pairs(g->list->features); g->most > 0 && t < g->list->count; t++) {
        double places = classes;

        for (size_t k = 0; k < g->list->tuple[t].size; k++)
            places *= gather->column[g->list->column[g->list->tuple[t].feature[k]]].dict->words;
        cells += places;
    }
    return cells > g->most;
}

static cr_status fit_parts(cr__gather *gather, cr_error *err)
{
    struct cr__gather_tuples *g = gather->tuples;
    const size_t n = g->list->features;
    size_t *wider = cr__alloc(n, sizeof *wider);
    int fits = g->classes >= gather->classes.classes;
    cr_status st = CR_OK;

    if (wider == NULL)
        return cr__fail_memory(err);
    for (size_t f = 0; f < n; f++) {
        const size_t need = (size_t)gather->column[g->list->column[f]].dict->words + 1;
        const size_t half = g->room[f] + g->room[f] / 2;

        wider[f] = need <= g->room[f] ? g->room[f] : need > half ? need : half;
        fits &= wider[f] == g->room[f];
    }
    if (!fits && too_many(gather))
        st = cr__fail(err, CR_ELIMIT, "there are too many combinations of three values to count");
    else if (!fits)
        st = widen(gather, wider, gather->classes.classes, err);
    cr__free(wider);
    return st;
}

cr_status cr__gather_fit_tuples(cr__gather *gather, cr_error *err)
{
    return fit_parts(gather, err);
}

cr_status cr__gather_put_tuple(cr__gather *gather, size_t t, const uint32_t *code,
                               uint32_t class_code, cr__count n)
{
    struct cr__gather_tuples *g = gather->tuples;

    return add_at(&g->part[t], place_of(&g->list->tuple[t], g->room, g->classes, code, class_code),
                  n, 1);
}

/* --- batches -------------------------------------------------------------------------------- */

cr_status cr__gather_code_real(cr__gather *gather, size_t column, const cr__batch *batch,
                               const uint32_t **code)
{
    struct cr__gather_tuples *g = gather->tuples;
    size_t f = 0;

    while (g->list->column[f] != column)
        f++;
    if (g->own[f] == NULL &&
        (g->own[f] = cr__alloc(batch->capacity > batch->rows ? batch->capacity : batch->rows,
                               sizeof **g->own)) == NULL)
        return CR_ENOMEM;
    if (g->finder[f].cuts == NULL &&
        cr__cut_finder_make(&g->finder[f], cr__bins_cuts(g->bins, column)) != CR_OK)
        return CR_ENOMEM;
    cr__cut_finder_codes(&g->finder[f], batch->column[column].real, batch->rows, g->own[f]);
    *code = g->own[f];
    return CR_OK;
}

static const uint32_t *codes_in(const struct cr__gather_tuples *g, size_t feature,
                                const cr__batch *batch)
{
    const cr__batch_column *data = &batch->column[g->list->column[feature]];

    return data->kind == CR_SYMBOL ? data->code : g->own[feature];
}

/* Row by row, for weights and for tables that are not arrays. */
static cr_status count_rows(const struct cr__gather_tuples *g, const cr__tuple *t, part *p,
                            const cr__batch *batch, const uint32_t *class_code)
{
    const uint32_t *code[CR__TUPLE_MOST];
    cr_status st = CR_OK;

    for (size_t k = 0; k < t->size; k++)
        code[k] = codes_in(g, t->feature[k], batch);
    for (size_t r = 0; st == CR_OK && r < batch->rows; r++) {
        uint32_t own[CR__TUPLE_MOST];
        int known = class_code[r] != CR__MISSING;

        for (size_t k = 0; k < t->size; k++)
            known &= (own[k] = code[k][r]) != CR__MISSING;
        if (known)
            st = add_at(p, place_of(t, g->room, g->classes, own, class_code[r]),
                        batch->weight == NULL ? (cr__count){1, 0}
                                              : cr__count_of_weight(batch->weight[r]),
                        1);
    }
    return st;
}

/* Let rows from..end - 1 of a batch wait. */
static void wait_rows(struct cr__gather_tuples *g, const cr__batch *batch,
                      const uint32_t *class_code, size_t from, size_t end)
{
    uint16_t *restrict label = g->label + g->waiting;

    for (size_t f = 0; f < g->list->features; f++) {
        const uint32_t *restrict code = codes_in(g, f, batch);
        uint16_t *restrict to = g->code + f * g->block + g->waiting;

        for (size_t r = from; r < end; r++)
            to[r - from] = (uint16_t)code[r];
    }
    for (size_t r = from; r < end; r++)
        label[r - from] = (uint16_t)class_code[r];
    g->waiting += end - from;
}

static cr_status count_batch(struct cr__gather_tuples *g, const cr__batch *batch,
                             const uint32_t *class_code)
{
    cr_status st = CR_OK;

    for (size_t t = 0; st == CR_OK && t < g->list->count; t++)
        if (batch->weight != NULL || g->part[t].size == 0)
            st = count_rows(g, &g->list->tuple[t], &g->part[t], batch, class_code);
    for (size_t from = 0, end; st == CR_OK && batch->weight == NULL && from < batch->rows;
         from = end) {
        end =
            batch->rows - from < g->block - g->waiting ? batch->rows : from + g->block - g->waiting;
        wait_rows(g, batch, class_code, from, end);
        if (g->waiting == g->block)
            st = count_waiting(g);
    }
    return st;
}

cr_status cr__gather_absorb_tuples(cr__gather *gather, const cr__batch *batch,
                                   const uint32_t *class_code, cr_error *err)
{
    struct cr__gather_tuples *g = gather->tuples;
    cr_status st = fit_parts(gather, err);

    if (st != CR_OK)
        return st;
    if (g->code == NULL && !make_block(g))
        return cr__fail_memory(err);
    if ((st = count_batch(g, batch, class_code)) != CR_OK)
        return fail_part(st, err);
    if (gather->limit != 0 && bytes_of(g) > (double)gather->limit)
        return fail_room(gather, g->list->features, bytes_of(g), err);
    return CR_OK;
}

static uint32_t code_of(const struct cr__gather_tuples *g, size_t feature, const cr__batch *batch,
                        size_t row)
{
    const size_t column = g->list->column[feature];
    const cr__batch_column *data = &batch->column[column];

    return data->kind == CR_SYMBOL ? data->code[row]
                                   : cr__cuts_code(cr__bins_cuts(g->bins, column), data->real[row]);
}

/* Remove a row from one tuple's counts; 0 when it is not there. */
static int take_tuple(struct cr__gather_tuples *g, size_t t, const cr__batch *batch, size_t row,
                      uint32_t class_code, cr__count n)
{
    const cr__tuple *tuple = &g->list->tuple[t];
    part *p = &g->part[t];
    uint32_t code[CR__TUPLE_MOST];
    int known = 1;
    uint64_t at;

    for (size_t k = 0; k < tuple->size; k++) {
        code[k] = code_of(g, tuple->feature[k], batch, row);
        known &= code[k] != CR__MISSING;
        if (code[k] >= g->room[tuple->feature[k]])
            return 0;
    }
    if (!known)
        return 1;
    at = place_of(tuple, g->room, g->classes, code, class_code);
    if (add_at(p, at, n, -1) != CR_OK)
        return 0;
    return p->size != 0 ? p->whole[at] >= 0
                        : p->sparse.whole[cr__cell_table_find(&p->sparse, &at)] >= 0;
}

int cr__gather_take_tuples(cr__gather *gather, const cr__batch *batch, size_t row)
{
    struct cr__gather_tuples *g = gather->tuples;
    const cr__count n = cr__count_of_weight(batch->weight == NULL ? 1 : batch->weight[row]);
    const uint32_t class_code = batch->column[gather->schema->target].code[row];

    if (class_code >= g->classes || count_waiting(g) != CR_OK)
        return 0;
    for (size_t f = 0; f < g->list->features; f++) {
        cr__counts *counts = &gather->column[g->list->column[f]].counts;
        const uint32_t code = code_of(g, f, batch, row);

        if (batch->column[g->list->column[f]].kind != CR_REAL || code == CR__MISSING)
            continue; /* symbols are checked with the other columns */
        if (code >= counts->values || cr__counts_add(counts, code, class_code, n, -1) != CR_OK ||
            cr__count_negative(cr__counts_get(counts, code, class_code)))
            return 0;
    }
    for (size_t t = 0; t < g->list->count; t++)
        if (!take_tuple(g, t, batch, row, class_code, n))
            return 0;
    return 1;
}

/* --- whole statistics ----------------------------------------------------------------------- */

/* What adding needs: the codes here of the other's values. */
typedef struct adding {
    struct cr__gather_tuples *g;
    const cr__stats *stats;
    size_t *feature;   /* [features here] which feature it is there */
    uint32_t **map;    /* [features here] the code here of each code there */
    uint32_t *classes; /* likewise */
    int sign;
} adding;

static cr_status map_dict(uint32_t **map, const cr__dict *from, const cr__dict *to)
{
    if ((*map = cr__alloc((size_t)from->words + 1, sizeof **map)) == NULL)
        return CR_ENOMEM;
    (*map)[CR__MISSING] = CR__MISSING;
    for (uint32_t code = 1; code <= from->words; code++) {
        size_t length;
        const char *word = cr__dict_word(from, code, &length);

        (*map)[code] = cr__dict_find(to, word, length);
    }
    return CR_OK;
}

static cr_status map_features(adding *a, const cr__gather *gather, const size_t *match)
{
    const cr__stats *stats = a->stats;
    const size_t n = a->g->list->features;
    size_t there = 0;
    cr_status st = map_dict(&a->classes, stats->column[stats->schema->target].dict,
                            gather->column[gather->schema->target].dict);

    for (size_t i = 0; st == CR_OK && i < stats->schema->columns; i++) {
        size_t f = 0;

        if (!cr__stats_is_feature(stats->schema, i))
            continue;
        while (f < n && a->g->list->column[f] != match[i])
            f++;
        a->feature[f] = there++;
        st = map_dict(&a->map[f], stats->column[i].dict, gather->column[match[i]].dict);
    }
    return st;
}

/* The other's tuple of the same features, whose k-th is this one's order[k]-th; SIZE_MAX: none. */
static size_t same_tuple(const adding *a, const cr__tuple *t, size_t *order)
{
    const cr__tuples *from = a->stats->tuples;
    uint32_t there[CR__TUPLE_MOST];

    for (size_t k = 0; k < t->size; k++) {
        there[k] = (uint32_t)a->feature[t->feature[k]];
        order[k] = k;
    }
    if (t->size == 2 && there[0] > there[1]) {
        const uint32_t swap = there[0];

        there[0] = there[1];
        there[1] = swap;
        order[0] = 1;
        order[1] = 0;
    }
    return t->size == 2 ? cr__tuples_pair(from->features, there[0], there[1])
                        : cr__tuples_find(from, there, t->size);
}

static cr_status add_tuple(const adding *a, size_t t, size_t from, const size_t *order)
{
    const cr__tuples *other = a->stats->tuples;
    const cr__tuple_counts *n = &other->counts[from];
    const cr__tuple *tuple = &a->g->list->tuple[t];
    cr_status st = CR_OK;

    for (size_t i = 0; st == CR_OK && i < n->cells; i++) {
        uint64_t at = n->key == NULL ? i : n->key[i];
        uint32_t code[CR__TUPLE_MOST], class_code = a->classes[at % other->classes + 1];

        if (cr__count_zero(cr__tuple_at(n, i)))
            continue;
        at /= other->classes;
        for (size_t k = tuple->size; k-- > 0;) {
            const size_t values = other->values[other->tuple[from].feature[k]];
            const size_t here = order[k];

            code[here] = a->map[tuple->feature[here]][at % values + 1];
            at /= values;
        }
        st = add_at(&a->g->part[t], place_of(tuple, a->g->room, a->g->classes, code, class_code),
                    cr__tuple_at(n, i), a->sign);
    }
    return st;
}

/* The cells of a joint table contain the same counts. */
static cr_status add_cells(const adding *a, size_t t)
{
    const cr__cells *cells = a->stats->cells;
    const cr__tuple *tuple = &a->g->list->tuple[t];
    const size_t target = cells->packing.variables - 1;
    cr_status st = CR_OK;

    for (size_t i = 0; st == CR_OK && i < cells->count; i++) {
        const uint64_t *key = cells->key + i * cells->packing.words;
        const uint32_t class_code = a->classes[cr__packing_get(&cells->packing, key, target)];
        uint32_t code[CR__TUPLE_MOST];
        int known = class_code != CR__MISSING;

        for (size_t k = 0; k < tuple->size; k++) {
            const uint32_t f = tuple->feature[k];

            code[k] = a->map[f][cr__packing_get(&cells->packing, key, a->feature[f])];
            known &= code[k] != CR__MISSING;
        }
        if (known)
            st =
                add_at(&a->g->part[t], place_of(tuple, a->g->room, a->g->classes, code, class_code),
                       cr__cells_at(cells, i), a->sign);
    }
    return st;
}

static cr_status fail_structure(cr_error *err)
{
    cr__fail(err, CR_ECONFLICT,
             "the models count different combinations of features: their structures differ");
    return cr__fail_hint(err, CR_ECONFLICT, "train one model on all rows");
}

cr_status cr__gather_add_tuples(cr__gather *gather, const cr__stats *stats, const size_t *match,
                                int sign, cr_error *err)
{
    struct cr__gather_tuples *g = gather->tuples;
    const size_t n = g->list->features;
    adding a = {.g = g, .stats = stats, .sign = sign};
    cr_status st = fit_parts(gather, err);

    if (st == CR_OK && (st = count_waiting(g)) != CR_OK)
        st = fail_part(st, err);
    a.feature = cr__alloc(n, sizeof *a.feature);
    a.map = cr__alloc_zero(n, sizeof *a.map);
    if (st == CR_OK && (a.feature == NULL || a.map == NULL || map_features(&a, gather, match)))
        st = cr__fail_memory(err);
    for (size_t t = 0; st == CR_OK && t < g->list->count; t++) {
        size_t order[CR__TUPLE_MOST];
        const size_t from = stats->tuples == NULL ? 0 : same_tuple(&a, &g->list->tuple[t], order);

        if (from == SIZE_MAX)
            st = fail_structure(err);
        else if ((st = stats->tuples == NULL ? add_cells(&a, t) : add_tuple(&a, t, from, order)) !=
                 CR_OK)
            st = fail_part(st, err);
    }
    for (size_t f = 0; a.map != NULL && f < n; f++)
        cr__free(a.map[f]);
    cr__free(a.map);
    cr__free(a.feature);
    cr__free(a.classes);
    return st;
}

/* --- into canonical form -------------------------------------------------------------------- */

/* The new places of a part's counts: value by value from the old codes. */
typedef struct placing {
    const struct cr__gather_tuples *g;
    cr__tuples *out;
    uint32_t **map; /* [features] */
    uint32_t *classes;
} placing;

/* The place of an old one among the canonical codes; UINT64_MAX where a value is missing or gone.
 */
static uint64_t new_place(const placing *x, const cr__tuple *t, uint64_t at)
{
    uint32_t code[CR__TUPLE_MOST], class_code;
    uint64_t to = 0;

    codes_of(t, x->g->room, x->g->classes, at, code, &class_code);
    for (size_t k = 0; k < t->size; k++) {
        const uint32_t v = x->map[t->feature[k]][code[k]];

        if (v == CR__MISSING)
            return UINT64_MAX;
        to = to * x->out->values[t->feature[k]] + v - 1;
    }
    return x->classes[class_code] == CR__MISSING
               ? UINT64_MAX
               : to * x->out->classes + x->classes[class_code] - 1;
}

/* A count whose value no longer occurs must be 0, unless a value was missing in the first place. */
static int was_missing(const placing *x, const cr__tuple *t, uint64_t at)
{
    uint32_t code[CR__TUPLE_MOST], class_code;
    int missing;

    codes_of(t, x->g->room, x->g->classes, at, code, &class_code);
    missing = class_code == CR__MISSING;
    for (size_t k = 0; k < t->size; k++)
        missing |= code[k] == CR__MISSING;
    return missing;
}

static cr_status finish_dense(const placing *x, size_t t, size_t size)
{
    const cr__tuple *tuple = &x->g->list->tuple[t];
    const part *p = &x->g->part[t];
    cr__tuple_counts *out = &x->out->counts[t];
    int fractional = 0;

    out->cells = size;
    out->whole = cr__alloc_zero(size, sizeof *out->whole);
    out->fraction = cr__alloc_zero(size, sizeof *out->fraction);
    if (out->whole == NULL || out->fraction == NULL)
        return CR_ENOMEM;
    for (size_t i = 0; i < entries(p); i++) {
        uint64_t from, to;
        const cr__count n = entry(p, i, &from);

        if (cr__count_zero(n))
            continue;
        if ((to = new_place(x, tuple, from)) == UINT64_MAX) {
            if (was_missing(x, tuple, from))
                continue;
            return CR_ECONFLICT;
        }
        if (cr__count_negative(n))
            return CR_ECONFLICT;
        out->whole[to] = n.whole;
        out->fraction[to] = n.fraction;
        fractional |= n.fraction != 0;
    }
    if (!fractional) {
        cr__free(out->fraction);
        out->fraction = NULL;
    }
    return CR_OK;
}

static cr_status finish_sparse(const placing *x, size_t t)
{
    const cr__tuple *tuple = &x->g->list->tuple[t];
    const part *p = &x->g->part[t];
    cr__cell_table table = {.packing = {.words = 1}};
    cr__cells cells = {0};
    cr_status st = CR_OK;

    for (size_t i = 0; st == CR_OK && i < entries(p); i++) {
        uint64_t from, to;
        const cr__count n = entry(p, i, &from);

        if (cr__count_zero(n))
            continue;
        to = new_place(x, tuple, from);
        if (to != UINT64_MAX)
            st = cr__cell_table_count(&table, &to, n, 1);
        else if (!was_missing(x, tuple, from))
            st = CR_ECONFLICT;
    }
    if (st == CR_OK)
        st = cr__cell_table_sort(&table, &cells);
    x->out->counts[t] = (cr__tuple_counts){cells.count, cells.key, cells.whole, cells.fraction};
    cr__cell_table_free(&table);
    return st;
}

static cr_status finish_tuples(const placing *x)
{
    cr_status st = CR_OK;

    for (size_t t = 0; st == CR_OK && t < x->out->count; t++) {
        const size_t size = cr__tuples_size(x->out, t);

        st = size == SIZE_MAX                                      ? CR_ELIMIT
             : size <= cr__tuple_dense_most(x->out->tuple[t].size) ? finish_dense(x, t, size)
                                                                   : finish_sparse(x, t);
    }
    return st;
}

/* Codes that have no word yet are never counted. */
static cr_status map_room(uint32_t **map, const cr__dict *from, const cr__dict *to, size_t room)
{
    if ((*map = cr__alloc_zero(room, sizeof **map)) == NULL)
        return CR_ENOMEM;
    for (uint32_t code = 1; code <= from->words && code < room; code++) {
        size_t length;
        const char *word = cr__dict_word(from, code, &length);

        (*map)[code] = cr__dict_find(to, word, length);
    }
    return CR_OK;
}

cr_status cr__gather_finish_tuples(cr__gather *gather, cr__stats *stats, cr_error *err)
{
    struct cr__gather_tuples *g = gather->tuples;
    const size_t n = g->list->features, target = gather->schema->target;
    const size_t pairs = cr__tuples_pairs(n);
    placing x = {.g = g, .map = cr__alloc_zero(n, sizeof *x.map)};
    cr_status st = fit_parts(gather, err);

    if (st == CR_OK && (st = count_waiting(g)) != CR_OK)
        st = fail_part(st, err);
    if (st != CR_OK) {
        cr__free(x.map);
        return st;
    }
    x.out = stats->tuples =
        cr__tuples_new(stats->schema, g->list->tuple + pairs, g->list->count - pairs);
    if (x.out == NULL || x.map == NULL)
        st = CR_ENOMEM;
    for (size_t f = 0; st == CR_OK && f < n; f++) {
        const size_t i = g->list->column[f];

        x.out->values[f] = cr__stats_values(stats, i);
        st = map_room(&x.map[f], gather->column[i].dict, stats->column[i].dict, g->room[f]);
    }
    if (st == CR_OK) {
        x.out->classes = stats->classes;
        st = map_room(&x.classes, gather->column[target].dict, stats->column[target].dict,
                      g->classes);
    }
    if (st == CR_OK)
        st = finish_tuples(&x);
    for (size_t f = 0; x.map != NULL && f < n; f++)
        cr__free(x.map[f]);
    cr__free(x.map);
    cr__free(x.classes);
    if (st == CR_ECONFLICT)
        return cr__fail(err, st, "more would be removed than was learned");
    return st == CR_OK ? CR_OK : fail_part(st, err);
}
