/* stats/fold_cuts.c - count numbers fold by fold, and find cuts without each fold. */
#include "stats/fold_cuts.h"

#include "base/fail.h"
#include "base/memory.h"
#include "base/number.h"
#include "base/parallel.h"
#include "stats/stats.h"
#include "stats/values_read.h"

typedef struct cutting {
    const cr__dealt *dealt;
    cr__bins *out;
    cr__cut_rule rule;
    size_t classes;
    uint32_t *class_of; /* [classes + 1] the class of each code of the table */
    uint32_t *order;    /* [rows] of the table, fold by fold; */
    size_t *start;      /* [folds + 1] where each begins */
} cutting;

int cr__fold_cuts_apply(const cr__table *table)
{
    const cr__dict *dict = table->column[table->schema->target].dict;
    uint32_t numbers = 0;

    for (uint32_t code = 1; code <= dict->words; code++) {
        size_t length;
        const char *word = cr__dict_word(dict, code, &length);
        double number;

        numbers += cr__parse_double(word, length, &number) == CR__NUMBER_OK;
    }
    return numbers == 0 || numbers == dict->words;
}

/* --- one column ----------------------------------------------------------------------------- */

enum { AT_ONCE = 1024 };

/* The numbers of some rows. */
static cr_status absorb(const cutting *c, cr__value_table *into, size_t column, const uint32_t *row,
                        size_t rows)
{
    const cr__table *table = c->dealt->table;
    const double *real = table->column[column].real;
    const cr__table_column *target = &table->column[table->schema->target];
    double x[AT_ONCE], weight[AT_ONCE];
    uint32_t class_code[AT_ONCE];
    cr_status st = CR_OK;

    for (size_t first = 0; st == CR_OK && first < rows; first += AT_ONCE) {
        const size_t n = rows - first < AT_ONCE ? rows - first : AT_ONCE;

        for (size_t r = 0; r < n; r++) {
            x[r] = real[row[first + r]];
            class_code[r] = cr__table_code(target, row[first + r]);
        }
        for (size_t r = 0; table->weight != NULL && r < n; r++)
            weight[r] = table->weight[row[first + r]];
        st = cr__value_table_absorb(into, x, table->weight == NULL ? NULL : weight, class_code, n);
    }
    return st;
}

static cr_status count_folds(const cutting *c, size_t column, cr__values *fold)
{
    cr_status st = CR_OK;

    for (size_t f = 0; st == CR_OK && f < c->dealt->folds; f++) {
        cr__value_table table = {0};

        st = absorb(c, &table, column, c->order + c->start[f], c->start[f + 1] - c->start[f]);
        if (st == CR_OK)
            st = cr__value_table_finish(&table, c->class_of, &fold[f]);
        cr__value_table_free(&table);
    }
    return st;
}

/* Without fold f. If no other fold is as coarse as the joined ones, bits were dropped for that fold
 * alone, and the others are joined again. */
static cr_status cut_without(const cutting *c, const cr__values *fold, size_t f,
                             const cr__values *joined, cr__values_room *room, cr__cuts *out)
{
    cr__values others = {0};
    cr__values_room own = {0};
    int coarse = f == c->dealt->folds;
    cr_status st;

    for (size_t g = 0; g < c->dealt->folds; g++)
        coarse |= g != f && fold[g].shift == joined->shift;
    if (coarse)
        st = cr__values_spread_without(joined, f == c->dealt->folds ? NULL : &fold[f], c->classes,
                                       room);
    else if ((st = cr__values_join(fold, c->dealt->folds, f, &others)) == CR_OK)
        st = cr__values_spread_without(&others, NULL, c->classes, &own);
    if (st == CR_OK)
        st = cr__cut(out, coarse ? &room->spread : &own.spread, c->rule);
    cr__values_room_free(&own);
    cr__values_free(&others);
    return st;
}

static cr_status cut_column(void *context, size_t i, cr_error *err)
{
    const cutting *c = context;
    const size_t folds = c->dealt->folds;
    const cr_schema *schema = c->dealt->table->schema;
    cr__values *fold, joined = {0};
    cr__values_room room = {0};
    cr_status st;

    if (!cr__stats_is_feature(schema, i) || schema->column[i].kind != CR_REAL)
        return CR_OK;
    fold = cr__alloc_zero(folds, sizeof *fold);
    st = fold == NULL ? CR_ENOMEM : count_folds(c, i, fold);
    if (st == CR_OK)
        st = cr__values_join(fold, folds, SIZE_MAX, &joined);
    for (size_t f = 0; st == CR_OK && f <= folds; f++)
        st = cut_without(c, fold, f, &joined, &room, &c->out[f].column[i]);
    cr__values_room_free(&room);
    cr__values_free(&joined);
    for (size_t f = 0; fold != NULL && f < folds; f++)
        cr__values_free(&fold[f]);
    cr__free(fold);
    return st == CR_OK ? CR_OK : cr__fail(err, st, "out of memory for the cuts of columns");
}

/* --- all ------------------------------------------------------------------------------------ */

static cr_status number_classes(cutting *c)
{
    const cr__table *table = c->dealt->table;
    const cr__dict *dict = table->column[table->schema->target].dict;
    uint32_t *order = cr__alloc(dict->words, sizeof *order);
    cr_status st = CR_ENOMEM;

    c->classes = dict->words;
    c->class_of = cr__alloc_zero(c->classes + 1, sizeof *c->class_of);
    if (order != NULL && c->class_of != NULL)
        st = cr__dict_order(dict, order);
    for (uint32_t k = 0; st == CR_OK && k < dict->words; k++)
        c->class_of[order[k]] = k;
    cr__free(order);
    return st;
}

static cr_status order_rows(cutting *c)
{
    const cr__dealt *d = c->dealt;

    c->order = cr__alloc(d->rows, sizeof *c->order);
    c->start = cr__alloc_zero(d->folds + 2, sizeof *c->start);
    if (c->order == NULL || c->start == NULL)
        return CR_ENOMEM;
    for (size_t r = 0; r < d->rows; r++)
        c->start[d->fold[r] + 2]++;
    for (size_t f = 0; f < d->folds; f++)
        c->start[f + 2] += c->start[f + 1];
    for (size_t r = 0; r < d->rows; r++)
        c->order[c->start[d->fold[r] + 1]++] = d->row[r];
    return CR_OK;
}

static cr_status make_bins(cr__bins *out, size_t count, size_t columns)
{
    for (size_t f = 0; f < count; f++) {
        if ((out[f].column = cr__alloc_zero(columns, sizeof *out[f].column)) == NULL)
            return CR_ENOMEM;
        out[f].columns = columns;
    }
    return CR_OK;
}

cr_status cr__fold_cuts(cr__bins *out, const cr__dealt *dealt, cr__cut_rule rule, const cr_run *run,
                        cr_error *err)
{
    const cr_schema *schema = dealt->table->schema;
    const cr_run quiet = {.threads = run->threads};
    cutting c = {.dealt = dealt, .out = out};
    cr__cut_logs logs = {0};
    cr_status st = cr__values_rule(&rule, schema, err);

    if (st != CR_OK)
        return st;
    c.rule = rule;
    if (make_bins(out, dealt->folds + 1, schema->columns) != CR_OK || number_classes(&c) != CR_OK ||
        order_rows(&c) != CR_OK ||
        (rule.kind == CR__CUT_MDL && cr__cut_logs_make(&logs, (double)dealt->rows) != CR_OK))
        st = cr__fail_memory(err);
    c.rule.logs = logs.n_log_n == NULL ? NULL : &logs;
    if (st == CR_OK)
        st = cr__parallel_for(&quiet, schema->columns, cut_column, &c, err);
    cr__free(logs.n_log_n);
    cr__free(c.class_of);
    cr__free(c.order);
    cr__free(c.start);
    return st;
}
