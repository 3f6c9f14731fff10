/* stats/gather_cells.c - collect the cells of a joint table. */
#include "stats/gather_cells.h"

#include <string.h>

#include "base/fail.h"
#include "base/memory.h"
#include "data/cut_finder.h"

struct cr__gather_cells {
    const cr__bins *bins;
    cr__cells layout; /* the columns that are variables; no cells */
    cr__cell_table table;
    uint64_t *key; /* of the rows of a batch */
    size_t key_capacity;
    cr__cut_finder *finder; /* [variables] of real columns, to find their intervals, */
    uint32_t *code;         /* [code_capacity] which are put here first */
    size_t code_capacity;
};

static cr_status intern_all(cr__dict *into, const cr__dict *from)
{
    cr_status st = CR_OK;

    for (uint32_t code = 1; st == CR_OK && code <= from->words; code++) {
        size_t length;
        const char *word = cr__dict_word(from, code, &length);
        uint32_t same;

        st = cr__dict_intern(into, word, length, &same);
    }
    return st;
}

void cr__gather_free_cells(cr__gather *gather)
{
    if (gather->cells == NULL)
        return;
    for (size_t j = 0; gather->cells->finder != NULL && j < gather->cells->layout.packing.variables;
         j++)
        cr__free(gather->cells->finder[j].cut);
    cr__free(gather->cells->finder);
    cr__free(gather->cells->code);
    cr__cells_free(&gather->cells->layout);
    cr__cell_table_free(&gather->cells->table);
    cr__free(gather->cells->key);
    cr__free(gather->cells);
}

/* --- beginning ------------------------------------------------------------------------------ */

static cr_status fail_real(const cr__column *column, cr_error *err)
{
    cr__fail(err, CR_EARG,
             "a joint table cannot hold the numbers of '%s': they must be cut into intervals",
             column->name);
    return cr__fail_hint(
        err, CR_EARG,
        CR__SET("knob bins=%s:CUT:CUT…") " cuts them, " CR__SET(
            "type %s=symbol") " takes them as words, " CR__SET("type %s=ignore") " leaves them out",
        column->name, column->name, column->name);
}

/* The dictionary of a real column holds its intervals: those already declared, or those that the
 * cuts define. */
static cr_status begin_real(cr__gather *gather, size_t i, const cr__bins *bins, cr_error *err)
{
    const cr__column *column = &gather->schema->column[i];
    const cr__cuts *cuts = cr__bins_cuts(bins, i);
    cr__dict **dict = &gather->column[i].dict;
    cr_status st = cr__dict_new(dict, 0, err);

    if (st == CR_OK && column->declared != NULL)
        return intern_all(*dict, column->declared) == CR_OK ? CR_OK : cr__fail_memory(err);
    if (st == CR_OK && cuts->count == 0 && !cuts->whole)
        return fail_real(column, err);
    return st == CR_OK ? cr__cuts_name(cuts, *dict, err) : st;
}

cr_status cr__gather_begin_counted(cr__gather *gather, size_t i, const cr__bins *bins,
                                   cr_error *err)
{
    const cr__column *column = &gather->schema->column[i];

    if (column->kind == CR_BAG) {
        cr__fail(err, CR_EARG, "a joint table cannot hold the texts of '%s'", column->name);
        return cr__fail_hint(err, CR_EARG, CR__SET("type %s=ignore") " leaves them out",
                             column->name);
    }
    if (column->kind == CR_SYMBOL && cr__bins_cuts(bins, i)->count > 0)
        return cr__fail(err, CR_EARG, "bins names the column '%s', which holds words",
                        column->name);
    return column->kind == CR_REAL ? begin_real(gather, i, bins, err) : CR_OK;
}

cr_status cr__gather_count_cells(cr__gather *gather, const cr__bins *bins, cr_error *err)
{
    const size_t columns = gather->schema->columns;
    size_t *values = cr__alloc_zero(columns, sizeof *values);
    cr_status st = CR_OK;

    gather->cells = cr__alloc_zero(1, sizeof *gather->cells);
    if (gather->cells == NULL || values == NULL) {
        cr__free(values);
        return cr__fail_memory(err);
    }
    gather->cells->bins = bins;
    for (size_t i = 0; st == CR_OK && i < columns; i++) {
        if (cr__stats_is_feature(gather->schema, i))
            st = cr__gather_begin_counted(gather, i, bins, err);
        values[i] = gather->column[i].dict == NULL ? 0 : gather->column[i].dict->words;
    }
    if (st == CR_OK && (cr__cells_lay(&gather->cells->layout, gather->schema, values) != CR_OK ||
                        cr__cell_table_repack(&gather->cells->table, &gather->cells->layout.packing,
                                              NULL) != CR_OK))
        st = cr__fail_memory(err);
    if (st == CR_OK && gather->cells->layout.packing.variables == 0)
        st = cr__fail(err, CR_EARG, "there is no column to make a joint table of");
    cr__free(values);
    return st;
}

/* --- room for new words --------------------------------------------------------------------- */

static cr_status fail_room(const cr__gather *gather, cr_error *err)
{
    const cr__cell_table *table = &gather->cells->table;

    cr__fail(err, CR_ELIMIT, "%zu different rows so far take %s of memory; a thread may take %s",
             table->count, cr__size_of(cr__cell_table_bytes(table)).text,
             cr__size_of((double)gather->limit).text);
    return cr__fail_hint(
        err, CR_ELIMIT,
        CR__SET("type COL=ignore") " leaves a column out, " CR__SET("memory") " raises the limit");
}

static cr_status fail_count(cr_status st, const cr__gather *gather, cr_error *err)
{
    if (st == CR_ENOMEM)
        return cr__fail_memory(err);
    if (gather->cells->table.count >= UINT32_MAX - 1)
        return cr__fail(err, st, "a joint table holds at most %zu cells",
                        gather->cells->table.count);
    return cr__fail(err, st, "a count would be too large");
}

/* Make the fields of the keys wide enough for the words there are by now. */
static cr_status fit_fields(cr__gather *gather, cr_error *err)
{
    struct cr__gather_cells *cells = gather->cells;
    const size_t n = cells->layout.packing.variables;
    cr__packing wider = {0};
    uint32_t *values;
    int fits = 1;
    cr_status st;

    for (size_t j = 0; j < n; j++)
        fits &= gather->column[cells->layout.column[j]].dict->words <=
                cr__packing_room(&cells->table.packing, j);
    if (fits)
        return CR_OK;
    if ((values = cr__alloc(n, sizeof *values)) == NULL)
        return cr__fail_memory(err);
    for (size_t j = 0; j < n; j++)
        values[j] = gather->column[cells->layout.column[j]].dict->words;
    st = cr__packing_make(&wider, values, n);
    if (st == CR_OK)
        st = cr__cell_table_repack(&cells->table, &wider, NULL);
    cr__packing_free(&wider);
    cr__free(values);
    return st == CR_OK ? CR_OK : cr__fail_memory(err);
}

/* Rows without a class, or without the number that is the target, are not counted. */
static int lacks_target(const cr_schema *schema, const cr__batch *batch, size_t row)
{
    const cr__batch_column *target =
        schema->target == SIZE_MAX ? NULL : &batch->column[schema->target];

    if (target == NULL)
        return 0;
    return target->kind == CR_REAL ? target->real[row] != target->real[row]
                                   : target->code[row] == CR__MISSING;
}

/* --- batches -------------------------------------------------------------------------------- */

static void put_column(const struct cr__gather_cells *cells, size_t variable,
                       const cr__batch *batch, size_t first, size_t rows, uint64_t *key)
{
    const cr__packing *packing = &cells->table.packing;
    const size_t column = cells->layout.column[variable];
    const cr__batch_column *data = &batch->column[column];

    if (data->kind == CR_SYMBOL)
        for (size_t r = 0; r < rows; r++)
            cr__packing_put(packing, key + r * packing->words, variable, data->code[first + r]);
    else
        for (size_t r = 0; r < rows; r++)
            cr__packing_put(
                packing, key + r * packing->words, variable,
                cr__cuts_code(cr__bins_cuts(cells->bins, column), data->real[first + r]));
}

/* The same of a whole batch. */
static cr_status put_batch_column(struct cr__gather_cells *cells, size_t variable,
                                  const cr__batch *batch)
{
    const cr__packing *packing = &cells->table.packing;
    const cr__batch_column *data = &batch->column[cells->layout.column[variable]];
    cr__cut_finder *finder;

    if (data->kind == CR_SYMBOL) {
        put_column(cells, variable, batch, 0, batch->rows, cells->key);
        return CR_OK;
    }
    if (cells->finder == NULL && (cells->finder = cr__alloc_zero(cells->layout.packing.variables,
                                                                 sizeof *cells->finder)) == NULL)
        return CR_ENOMEM;
    finder = &cells->finder[variable];
    if ((finder->cuts == NULL &&
         cr__cut_finder_make(finder, cr__bins_cuts(cells->bins, cells->layout.column[variable])) !=
             CR_OK) ||
        !cr__grow(&cells->code, &cells->code_capacity, batch->rows, sizeof *cells->code))
        return CR_ENOMEM;
    cr__cut_finder_codes(finder, data->real, batch->rows, cells->code);
    for (size_t r = 0; r < batch->rows; r++)
        cr__packing_put(packing, cells->key + r * packing->words, variable, cells->code[r]);
    return CR_OK;
}

cr_status cr__gather_absorb_cells(cr__gather *gather, const cr__batch *batch, cr_error *err)
{
    struct cr__gather_cells *cells = gather->cells;
    cr_status st = fit_fields(gather, err);
    const size_t words = cells->table.packing.words;

    if (st != CR_OK)
        return st;
    if (!cr__grow(&cells->key, &cells->key_capacity, batch->rows * words, sizeof *cells->key))
        return cr__fail_memory(err);
    memset(cells->key, 0, batch->rows * words * sizeof *cells->key);
    for (size_t j = 0; j < cells->layout.packing.variables; j++)
        if (put_batch_column(cells, j, batch) != CR_OK)
            return cr__fail_memory(err);
    for (size_t r = 0; st == CR_OK && r < batch->rows; r++) {
        const cr__count n =
            batch->weight == NULL ? (cr__count){1, 0} : cr__count_of_weight(batch->weight[r]);

        if (r + CR__CELLS_AHEAD < batch->rows)
            cr__cell_table_expect(&cells->table, cells->key + (r + CR__CELLS_AHEAD) * words);
        if (lacks_target(gather->schema, batch, r)) {
            gather->unlabelled++;
            continue;
        }
        gather->rows++;
        if ((st = cr__cell_table_count(&cells->table, cells->key + r * words, n, 1)) != CR_OK)
            return fail_count(st, gather, err);
    }
    if (gather->limit != 0 && cr__cell_table_bytes(&cells->table) > (double)gather->limit)
        return fail_room(gather, err);
    return CR_OK;
}

int cr__gather_take_cell(cr__gather *gather, const cr__batch *batch, size_t row)
{
    struct cr__gather_cells *cells = gather->cells;
    const size_t words = cells->table.packing.words;
    cr__count n = cr__count_of_weight(batch->weight == NULL ? 1 : batch->weight[row]);
    size_t cell;

    if (lacks_target(gather->schema, batch, row))
        return 1;
    for (size_t j = 0; j < cells->layout.packing.variables; j++) {
        const cr__batch_column *data = &batch->column[cells->layout.column[j]];

        if (data->kind == CR_SYMBOL &&
            data->code[row] > gather->column[cells->layout.column[j]].dict->words)
            return 0; /* a word never met */
    }
    if (!cr__grow(&cells->key, &cells->key_capacity, words, sizeof *cells->key))
        return 1;
    memset(cells->key, 0, words * sizeof *cells->key);
    for (size_t j = 0; j < cells->layout.packing.variables; j++)
        put_column(cells, j, batch, row, 1, cells->key);
    if ((cell = cr__cell_table_find(&cells->table, cells->key)) == SIZE_MAX)
        return cr__count_zero(n);
    if (cr__cell_table_count(&cells->table, cells->key, n, -1) != CR_OK)
        return 1;
    return cells->table.whole[cell] >= 0;
}

/* --- whole statistics ----------------------------------------------------------------------- */

cr_status cr__gather_fail_intervals(const cr__column *column, cr_error *err)
{
    return cr__fail(err, CR_ECONFLICT,
                    "column '%s' is cut into other intervals in one model than "
                    "in the other",
                    column->name);
}

/* For each word of each variable of stats, its code here. Intervals must be the same, unless
 * nothing has been cut. */
static cr_status map_columns(cr__gather *gather, const cr__stats *stats, const size_t *match,
                             uint32_t **map, cr_error *err)
{
    const cr__cells *from = stats->cells;

    for (size_t j = 0; j < from->packing.variables; j++) {
        const size_t i = from->column[j];
        const cr__dict *words = stats->column[i].dict;
        cr__dict *into = gather->column[match[i]].dict;
        const uint32_t known = into->words;

        if ((map[j] = cr__alloc((size_t)words->words + 1, sizeof *map[j])) == NULL)
            return cr__fail_memory(err);
        map[j][CR__MISSING] = CR__MISSING;
        for (uint32_t code = 1; code <= words->words; code++) {
            size_t length;
            const char *word = cr__dict_word(words, code, &length);
            cr_status st = cr__dict_intern(into, word, length, &map[j][code]);

            if (st != CR_OK)
                return cr__fail(err, st, "the values of '%s' cannot be joined",
                                stats->schema->column[i].name);
        }
        if (stats->schema->column[i].kind == CR_REAL && words->words > 0 &&
            (into->words != known || words->words != known))
            return cr__gather_fail_intervals(&stats->schema->column[i], err);
    }
    return CR_OK;
}

enum { TOGETHER = 256 }; /* keys that are made before they are looked up */

/* The keys of `count` cells of stats from `first` on, as they are here. Variables of stats are in a
 * different order when the columns are. */
static void translate(const cr__packing *into, const cr__cells *from, const size_t *here,
                      uint32_t *const *map, size_t first, size_t count, uint64_t *key)
{
    memset(key, 0, count * into->words * sizeof *key);
    for (size_t j = 0; j < from->packing.variables; j++)
        for (size_t c = 0; c < count; c++)
            cr__packing_put(into, key + c * into->words, here[j],
                            map[j][cr__packing_get(
                                &from->packing, from->key + (first + c) * from->packing.words, j)]);
}

static cr_status add_cells(cr__gather *gather, const cr__stats *stats, const size_t *match,
                           uint32_t *const *map, int sign, cr_error *err)
{
    struct cr__gather_cells *cells = gather->cells;
    const cr__cells *from = stats->cells;
    const size_t n = from->packing.variables, words = cells->table.packing.words;
    size_t *here = cr__alloc(n, sizeof *here), count;
    uint64_t *key = cr__alloc(TOGETHER * words, sizeof *key);
    cr_status st = here == NULL || key == NULL ? CR_ENOMEM : CR_OK;

    for (size_t j = 0; st == CR_OK && j < n; j++)
        for (here[j] = 0; cells->layout.column[here[j]] != match[from->column[j]];)
            here[j]++;
    for (size_t first = 0; st == CR_OK && first < from->count; first += count) {
        count = from->count - first < TOGETHER ? from->count - first : TOGETHER;
        translate(&cells->table.packing, from, here, map, first, count, key);
        for (size_t c = 0; st == CR_OK && c < count; c++) {
            if (c + CR__CELLS_AHEAD < count)
                cr__cell_table_expect(&cells->table, key + (c + CR__CELLS_AHEAD) * words);
            st = cr__cell_table_count(&cells->table, key + c * words, cr__cells_at(from, first + c),
                                      sign);
        }
    }
    cr__free(here);
    cr__free(key);
    return st == CR_OK ? CR_OK : fail_count(st, gather, err);
}

cr_status cr__gather_add_cells(cr__gather *gather, const cr__stats *stats, const size_t *match,
                               int sign, cr_error *err)
{
    const size_t n = gather->cells->layout.packing.variables;
    uint32_t **map = cr__alloc_zero(n, sizeof *map);
    cr_status st;

    if (map == NULL)
        return cr__fail_memory(err);
    if (stats->cells == NULL) { /* there were no rows */
        cr__free(map);
        return CR_OK;
    }
    st = map_columns(gather, stats, match, map, err);
    if (st == CR_OK)
        st = fit_fields(gather, err);
    if (st == CR_OK)
        st = add_cells(gather, stats, match, map, sign, err);
    for (size_t j = 0; j < n; j++)
        cr__free(map[j]);
    cr__free(map);
    return st;
}

/* The codes here of another gather's words; NULL where all are the same. */
static cr_status map_words(cr__dict *into, const cr__dict *from, uint32_t **map)
{
    int same = 1;

    if ((*map = cr__alloc((size_t)from->words + 1, sizeof **map)) == NULL)
        return CR_ENOMEM;
    (*map)[CR__MISSING] = CR__MISSING;
    for (uint32_t code = 1; code <= from->words; code++) {
        size_t length;
        const char *word = cr__dict_word(from, code, &length);

        if (cr__dict_intern(into, word, length, &(*map)[code]) != CR_OK)
            return CR_ENOMEM;
        same &= (*map)[code] == code;
    }
    if (same) {
        cr__free(*map);
        *map = NULL;
    }
    return CR_OK;
}

/* All cells of a table with the same packing; an empty one takes the other's memory. */
static cr_status join_table(cr__cell_table *into, cr__cell_table *from)
{
    const size_t words = into->packing.words;
    cr_status st = CR_OK;

    if (into->count == 0) {
        const cr__cell_table swap = *into;

        *into = *from;
        *from = swap;
        return CR_OK;
    }
    for (size_t i = 0; st == CR_OK && i < from->count; i++) {
        if (i + CR__CELLS_AHEAD < from->count)
            cr__cell_table_expect(into, from->key + (i + CR__CELLS_AHEAD) * words);
        st = cr__cell_table_count(
            into, from->key + i * words,
            (cr__count){from->whole[i], from->fraction == NULL ? 0 : from->fraction[i]}, 1);
    }
    return st;
}

cr_status cr__gather_join_cells(cr__gather *gather, cr__gather *from, cr_error *err)
{
    struct cr__gather_cells *cells = gather->cells;
    const size_t n = cells->layout.packing.variables;
    uint32_t **map = cr__alloc_zero(n, sizeof *map);
    cr_status st = map == NULL ? cr__fail_memory(err) : CR_OK;

    for (size_t j = 0; st == CR_OK && j < n; j++)
        if (map_words(gather->column[cells->layout.column[j]].dict,
                      from->column[cells->layout.column[j]].dict, &map[j]) != CR_OK)
            st = cr__fail_memory(err);
    if (st == CR_OK)
        st = fit_fields(gather, err);
    if (st == CR_OK) {
        if (cells->table.count > 0)
            cr__cell_table_close(&from->cells->table);
        st = cr__cell_table_repack(&from->cells->table, &cells->table.packing, map);
        if (st == CR_OK)
            st = join_table(&cells->table, &from->cells->table);
        if (st != CR_OK)
            st = fail_count(st, gather, err);
    }
    for (size_t j = 0; map != NULL && j < n; j++)
        cr__free(map[j]);
    cr__free(map);
    gather->rows += from->rows;
    return st;
}

/* --- into canonical form -------------------------------------------------------------------- */

/* The declared words and those that some cell has, in canonical order; and the new code of each
 * old one. */
static cr_status keep_words(const cr__dict *dict, const cr__dict *declared,
                            const unsigned char *used, cr__dict **out, uint32_t *map)
{
    const uint32_t first = declared == NULL ? 0 : declared->words;
    uint32_t *order = cr__alloc(dict->words, sizeof *order), count = 0;
    cr_status st = CR_ENOMEM;

    for (uint32_t code = 1; order != NULL && code <= dict->words; code++)
        if (code <= first || used[code])
            order[count++] = code;
    if (order != NULL && (st = cr__dict_order_some(dict, order, count)) == CR_OK)
        st = cr__dict_new(out, CR__CANONICAL_SEED, NULL);
    for (uint32_t i = 0; st == CR_OK && i < first + count; i++) {
        const uint32_t code = i < first ? i + 1 : order[i - first];
        size_t length;
        const char *word = cr__dict_word(dict, code, &length);

        if (i < first || code > first)
            st = cr__dict_intern(*out, word, length, &map[code]);
    }
    cr__free(order);
    return st;
}

/* Which codes of a variable some cell has. */
static void mark_used(const cr__cell_table *table, size_t variable, unsigned char *used)
{
    for (size_t c = 0; c < table->count; c++)
        if (table->whole[c] != 0 || (table->fraction != NULL && table->fraction[c] != 0))
            used[cr__packing_get(&table->packing, table->key + c * table->packing.words,
                                 variable)] = 1;
}

/* Whether words that are kept keep their codes. */
static int same_codes(const uint32_t *map, uint32_t words)
{
    for (uint32_t code = 1; code <= words; code++)
        if (map[code] != CR__MISSING && map[code] != code)
            return 0;
    return 1;
}

static cr_status finish_words(cr__gather *gather, size_t variable, cr__stats *stats, uint32_t *map)
{
    const size_t column = gather->cells->layout.column[variable];
    const cr__dict *dict = gather->column[column].dict;
    const size_t room = (size_t)cr__packing_room(&gather->cells->table.packing, variable) + 1;
    const cr__dict *declared = stats->schema->column[column].declared;
    unsigned char *used = cr__alloc_zero(room, 1);
    cr_status st = CR_ENOMEM;

    if (used != NULL) {
        mark_used(&gather->cells->table, variable, used);
        st = keep_words(dict, declared, used, &stats->column[column].dict, map);
    }
    cr__free(used);
    return st;
}

/* A cut column declares its intervals, so that all of them always exist. */
cr_status cr__gather_declare_intervals(const cr__gather *gather, cr__stats *stats, cr_error *err)
{
    cr_status st = CR_OK;

    for (size_t i = 0; st == CR_OK && i < stats->schema->columns; i++) {
        cr__column *column = &stats->schema->column[i];

        if (!cr__stats_is_feature(stats->schema, i) || column->kind != CR_REAL ||
            column->declared != NULL)
            continue;
        st = cr__dict_new(&column->declared, CR__CANONICAL_SEED, err);
        if (st == CR_OK && intern_all(column->declared, gather->column[i].dict) != CR_OK)
            st = cr__fail_memory(err);
    }
    return st;
}

/* The cells in canonical codes. */
static cr_status finish_cells(cr__gather *gather, cr__stats *stats, uint32_t **map)
{
    struct cr__gather_cells *cells = gather->cells;
    const size_t columns = stats->schema->columns;
    size_t *values = cr__alloc(columns, sizeof *values);
    cr_status st = values == NULL ? CR_ENOMEM : CR_OK;

    for (size_t j = 0; st == CR_OK && j < cells->layout.packing.variables; j++) {
        const size_t room = (size_t)cr__packing_room(&cells->table.packing, j) + 1;

        if ((map[j] = cr__alloc_zero(room, sizeof *map[j])) == NULL)
            st = CR_ENOMEM;
        else
            st = finish_words(gather, j, stats, map[j]);
        if (st == CR_OK &&
            same_codes(map[j], gather->column[cells->layout.column[j]].dict->words)) {
            cr__free(map[j]);
            map[j] = NULL;
        }
    }
    for (size_t i = 0; st == CR_OK && i < columns; i++)
        values[i] = cr__stats_values(stats, i);
    if (st == CR_OK && (stats->cells = cr__alloc_zero(1, sizeof *stats->cells)) == NULL)
        st = CR_ENOMEM;
    if (st == CR_OK)
        st = cr__cells_lay(stats->cells, stats->schema, values);
    if (st == CR_OK) {
        cr__cell_table_close(&cells->table);
        st = cr__cell_table_repack(&cells->table, &stats->cells->packing, map);
    }
    if (st == CR_OK)
        st = cr__cell_table_sort(&cells->table, stats->cells);
    cr__free(values);
    return st;
}

/* Counts of one variable's values by class; the target's own are the classes. */
typedef struct tally {
    size_t variable; /* SIZE_MAX: the classes alone */
    int64_t *whole;
    uint64_t *fraction;
    int fractional;
} tally;

static cr_status tally_cell(tally *t, size_t at, cr__count n)
{
    const cr__count sum = cr__count_plus((cr__count){t->whole[at], t->fraction[at]}, n, 1);

    if (n.whole > INT64_MAX - 1 - t->whole[at])
        return CR_ELIMIT;
    t->whole[at] = sum.whole;
    t->fraction[at] = sum.fraction;
    t->fractional |= sum.fraction != 0;
    return CR_OK;
}

/* The cells from..to - 1 of a variable; class_of has their classes. */
static cr_status tally_some(const cr__stats *stats, tally *t, const uint32_t *class_of, size_t from,
                            size_t to)
{
    const cr__cells *cells = stats->cells;
    const size_t K = stats->classes, words = cells->packing.words;
    cr_status st = CR_OK;

    for (size_t i = from; st == CR_OK && i < to; i++) {
        const uint32_t c = class_of[i - from];
        const uint32_t v =
            t->variable == SIZE_MAX
                ? 1
                : cr__packing_get(&cells->packing, cells->key + i * words, t->variable);
        const size_t at = ((size_t)v - 1) * K + c - 1;

        if (c == CR__MISSING || v == CR__MISSING)
            continue;
        if (cells->fraction != NULL || cells->whole[i] > INT64_MAX - 1 - t->whole[at])
            st = tally_cell(t, at, cr__cells_at(cells, i));
        else
            t->whole[at] += cells->whole[i];
    }
    return st;
}

/* All variables, by blocks of cells that stay in the cache. */
static cr_status tally_all(const cr__stats *stats, tally *t, size_t count)
{
    enum { BLOCK = 1024 };
    const cr__cells *cells = stats->cells;
    const size_t last = cells->packing.variables - 1, words = cells->packing.words;
    const int targeted = stats->schema->target != SIZE_MAX;
    uint32_t class_of[BLOCK];
    cr_status st = CR_OK;

    for (size_t from = 0, to; st == CR_OK && from < cells->count; from = to) {
        to = cells->count - from < BLOCK ? cells->count : from + BLOCK;
        for (size_t i = from; i < to; i++)
            class_of[i - from] =
                targeted ? cr__packing_get(&cells->packing, cells->key + i * words, last) : 1;
        for (size_t v = 0; st == CR_OK && v < count; v++)
            st = tally_some(stats, &t[v], class_of, from, to);
    }
    return st;
}

static cr_status make_tally(tally *t, const cr__stats *stats, size_t variable)
{
    const size_t values =
        variable == SIZE_MAX ? 1 : cr__stats_values(stats, stats->cells->column[variable]);

    *t = (tally){.variable = variable,
                 .whole = cr__alloc_zero(values * stats->classes, sizeof *t->whole),
                 .fraction = cr__alloc_zero(values * stats->classes, sizeof *t->fraction)};
    return t->whole == NULL || t->fraction == NULL ? CR_ENOMEM : CR_OK;
}

/* Hand over what was counted. */
static void keep_tally(tally *t, int64_t **whole, uint64_t **fraction)
{
    if (!t->fractional) {
        cr__free(t->fraction);
        t->fraction = NULL;
    }
    *whole = t->whole;
    *fraction = t->fraction;
}

/* The counts of classes and of values by class that other statistics have too. */
static cr_status count_columns(cr__stats *stats)
{
    const size_t target = stats->schema->target, variables = stats->cells->packing.variables;
    tally *t = cr__alloc_zero(variables + 1, sizeof *t);
    size_t count = 0;
    cr_status st = t == NULL ? CR_ENOMEM : CR_OK;

    stats->classes = target == SIZE_MAX ? 1 : cr__stats_values(stats, target);
    if (st == CR_OK)
        st = make_tally(&t[count++], stats, SIZE_MAX);
    for (size_t j = 0; st == CR_OK && j < variables; j++)
        if (stats->cells->column[j] != target)
            st = make_tally(&t[count++], stats, j);
    if (st == CR_OK)
        st = tally_all(stats, t, count);
    for (size_t v = 0; v < count; v++) {
        cr__column_stats *column =
            v == 0 ? NULL : &stats->column[stats->cells->column[t[v].variable]];

        keep_tally(&t[v], v == 0 ? &stats->class_whole : &column->whole,
                   v == 0 ? &stats->class_fraction : &column->fraction);
    }
    cr__free(t);
    return st;
}

static cr_status say_why(cr_status st, cr_error *err)
{
    if (st == CR_ECONFLICT)
        return cr__fail(err, st, "more would be removed than was learned");
    if (st != CR_OK)
        return cr__fail(err, st, "%s", st == CR_ENOMEM ? "out of memory" : "a count is too large");
    return CR_OK;
}

/* Whether the counts by class fit into the limit; each is two numbers. */
static cr_status afford_columns(const cr__gather *gather, const cr__stats *stats, cr_error *err)
{
    const size_t target = stats->schema->target;
    double values = 0, bytes;

    if (target == SIZE_MAX || gather->limit == 0)
        return CR_OK;
    for (size_t j = 0; j < stats->cells->packing.variables; j++)
        if (stats->cells->column[j] != target)
            values += (double)cr__stats_values(stats, stats->cells->column[j]);
    bytes = values * (double)cr__stats_values(stats, target) * 2 * sizeof(int64_t);
    if (bytes <= (double)gather->limit)
        return CR_OK;
    return cr__gather_fail_limit(gather, cr__stats_values(stats, target), bytes, err);
}

cr_status cr__gather_finish_cells(cr__gather *gather, cr__stats *stats, cr_error *err)
{
    const size_t n = gather->cells->layout.packing.variables;
    uint32_t **map = cr__alloc_zero(n, sizeof *map);
    cr_status st =
        map == NULL ? cr__fail_memory(err) : cr__gather_declare_intervals(gather, stats, err);

    if (st == CR_OK && (st = fit_fields(gather, err)) == CR_OK) {
        st = say_why(finish_cells(gather, stats, map), err);
        if (st == CR_OK)
            st = afford_columns(gather, stats, err);
        if (st == CR_OK)
            st = say_why(count_columns(stats), err);
    }
    for (size_t j = 0; map != NULL && j < n; j++)
        cr__free(map[j]);
    cr__free(map);
    return st;
}
