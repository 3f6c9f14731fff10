/* stats/gather.c - absorb batches, add and subtract statistics. */
#include "stats/gather.h"

#include <math.h>
#include <string.h>

#include "base/fail.h"
#include "base/memory.h"
#include "text/text_to_batch.h"
#include "stats/cross_gather.h"
#include "stats/gather_cells.h"
#include "stats/gather_tuples.h"

#define GATHER_SEED UINT64_C(0x676174686572)

int cr__stats_is_feature(const cr_schema *schema, size_t column)
{
    return schema->column[column].role == CR_ROLE_FEATURE &&
           schema->column[column].kind != CR_IGNORE;
}

static void free_column(cr__gather_column *column)
{
    cr__dict_free(column->dict);
    cr__counts_free(&column->counts);
    for (size_t c = 0; c < column->lanes; c++) {
        cr__lane_free(&column->lane[c]);
        cr__exact_free(&column->moment[c].sum);
        cr__exact_free(&column->moment[c].squares);
    }
    cr__free(column->lane);
    cr__free(column->moment);
    cr__value_table_free(&column->values);
    cr__vocabulary_free(&column->vocabulary);
    cr__free(column->documents);
    for (size_t i = 0; i < column->adopted_count; i++) {
        cr__vocabulary_free(&column->adopted[i].vocabulary);
        cr__free(column->adopted[i].documents);
        cr__free(column->adopted[i].map);
    }
    cr__free(column->adopted);
    for (size_t i = 0; i < column->added_count; i++)
        cr__free((void *)column->added[i].map);
    cr__free(column->added);
}

void cr__gather_free(cr__gather *gather)
{
    if (gather == NULL)
        return;
    for (size_t i = 0; gather->column != NULL && i < gather->schema->columns; i++)
        free_column(&gather->column[i]);
    cr__free(gather->column);
    cr__free(gather->plan.dict);
    cr__plan_forget(&gather->plan);
    cr__tokenizer_free(gather->tokenizer);
    cr__gather_free_cells(gather);
    cr__gather_free_tuples(gather);
    cr__cross_part_free(gather->cross);
    cr__free(gather->label);
    cr__free(gather->order);
    cr__free(gather->start);
    cr__counts_free(&gather->classes);
    cr__free(gather);
}

/* The words the file's header declared, in its order, so that they get the first codes. */
static cr_status intern_declared(cr__dict *dict, const cr__dict *declared)
{
    cr_status st = CR_OK;

    for (uint32_t code = 1; st == CR_OK && declared != NULL && code <= declared->words; code++) {
        size_t length;
        const char *word = cr__dict_word(declared, code, &length);
        uint32_t same;

        st = cr__dict_intern(dict, word, length, &same);
    }
    return st;
}

/* Slots of words may take this part of the limit to be fast; prune_words() leaves a third. */
#define ROOM 24

static cr_status begin_columns(cr__gather *gather, cr_error *err)
{
    const cr_schema *schema = gather->schema;
    cr_status st;

    for (size_t i = 0; i < schema->columns; i++) {
        const int number = i == schema->target && schema->column[i].kind == CR_REAL;

        gather->column[i].vocabulary.room = gather->limit == 0 ? UINT64_MAX : gather->limit / ROOM;
        if (schema->column[i].kind != CR_SYMBOL && !number)
            continue;
        if ((st = cr__dict_new(&gather->column[i].dict, GATHER_SEED + i, err)) != CR_OK)
            return st;
        if ((st = intern_declared(gather->column[i].dict, schema->column[i].declared)) != CR_OK)
            return cr__fail(err, st, "the declared values of column '%s' cannot be kept",
                            schema->column[i].name);
        if (!number)
            gather->plan.dict[i] = gather->column[i].dict;
        else if ((st = cr__dict_intern(gather->column[i].dict, "", 0, &(uint32_t){0})) != CR_OK)
            return cr__fail_memory(err);
    }
    return CR_OK;
}

/* The rows of words in the column's vocabulary; new words are added. */
static cr_status find_words(void *context, size_t column, const char *text, const cr__token *token,
                            size_t n, uint32_t *word, size_t *kept)
{
    cr__gather *gather = context;

    (void)kept;
    return cr__vocabulary_find(&gather->column[column].vocabulary, text, token, n, word);
}

static cr_status find_known(cr__plan *plan, size_t column, const char *text, const cr__token *token,
                            size_t n, uint32_t *number)
{
    return find_words(plan->text, column, text, token, n, number, NULL);
}

static cr_status put_text(cr__plan *plan, cr__batch *batch, size_t row, size_t column,
                          const cr__section *section, cr_error *err)
{
    cr__gather *gather = plan->text;

    return cr__text_to_batch(gather->tokenizer, batch, row, column, section, find_words, gather,
                             err);
}

cr_status cr__gather_new(cr__gather **out, const cr_schema *schema, const cr__recipe *recipe,
                         uint64_t limit, cr_error *err)
{
    cr__gather *gather = cr__alloc_zero(1, sizeof *gather);
    cr_status st = CR_OK;

    *out = NULL;
    if (gather == NULL)
        return cr__fail_memory(err);
    gather->schema = schema;
    gather->limit = limit;
    gather->plan = (cr__plan){.schema = schema,
                              .grow = 1,
                              .put_text = put_text,
                              .find_words = find_known,
                              .text = gather};
    gather->plan.dict = cr__alloc_zero(schema->columns, sizeof *gather->plan.dict);
    gather->column = cr__alloc_zero(schema->columns, sizeof *gather->column);
    if (gather->plan.dict == NULL || gather->column == NULL)
        st = cr__fail_memory(err);
    else
        st = begin_columns(gather, err);
    if (st == CR_OK && recipe != NULL)
        st = cr__tokenizer_new(&gather->tokenizer, recipe, err);
    if (st != CR_OK) {
        cr__gather_free(gather);
        return st;
    }
    *out = gather;
    return CR_OK;
}

/* --- room ----------------------------------------------------------------------------------- */

/* Lanes and moments for class codes below classes. */
static int fit_lanes(cr__gather_column *column, size_t classes)
{
    size_t want = classes > column->lanes * 2 ? classes : column->lanes * 2;
    cr__lane *lane;
    cr__moment *moment;

    if (classes <= column->lanes)
        return 1;
    if ((lane = cr__realloc(column->lane, want, sizeof *lane)) == NULL)
        return 0;
    column->lane = lane;
    if ((moment = cr__realloc(column->moment, want, sizeof *moment)) == NULL)
        return 0;
    column->moment = moment;
    memset(lane + column->lanes, 0, (want - column->lanes) * sizeof *lane);
    memset(moment + column->lanes, 0, (want - column->lanes) * sizeof *moment);
    column->lanes = want;
    return 1;
}

/* Texts by class code. */
static int fit_documents(cr__gather_column *column, size_t classes)
{
    const size_t have = column->document_codes;

    if (!cr__grow(&column->documents, &column->document_codes, classes, sizeof *column->documents))
        return 0;
    memset(column->documents + have, 0,
           (column->document_codes - have) * sizeof *column->documents);
    return 1;
}

static int fit_column(cr__gather_column *column, cr_kind kind, size_t classes)
{
    if (column->dict != NULL)
        return cr__counts_fit(&column->counts, (size_t)column->dict->words + 1, classes) == CR_OK;
    return kind == CR_REAL ? fit_lanes(column, classes) : fit_documents(column, classes);
}

/* Bytes that the present words need, as an estimate that cannot overflow: the tables, and then the
 * finished statistics and what is fitted to them. */
static double bytes_needed(const cr__gather *gather, size_t classes)
{
    const double lane = (double)classes * (sizeof(cr__lane) + sizeof(cr__moment));
    double bytes = 0;

    for (size_t i = 0; i < gather->schema->columns; i++) {
        const cr__gather_column *column = &gather->column[i];

        if (!cr__stats_is_feature(gather->schema, i))
            continue;
        if (column->dict != NULL) {
            const size_t values = (size_t)column->dict->words + 1;

            bytes += cr__counts_room(&column->counts, values, classes) +
                     2.0 * (double)values * (double)classes * sizeof(int64_t);
        } else if (gather->schema->column[i].kind == CR_REAL) {
            bytes += 2 * lane;
        }
    }
    return bytes;
}

cr_status cr__gather_fail_limit(const cr__gather *gather, size_t classes, double bytes,
                                cr_error *err)
{
    cr__fail(err, CR_ELIMIT,
             "counting %zu classes of '%s' against %zu columns needs %s of memory; the limit "
             "is %s",
             classes, gather->schema->column[gather->schema->target].name, gather->schema->columns,
             cr__size_of(bytes).text, cr__size_of((double)gather->limit).text);
    return cr__fail_hint(
        err, CR_ELIMIT,
        "is that the column to learn? " CR__SET("target") " names another, " CR__SET(
            "type COL=ignore") " leaves one out, " CR__SET("memory") " raises the limit");
}

cr_status cr__gather_fit(cr__gather *gather, cr_error *err)
{
    const cr_schema *schema = gather->schema;
    const size_t classes = (size_t)gather->column[schema->target].dict->words + 1;
    const double bytes = gather->limit == 0 ? 0 : bytes_needed(gather, classes);

    if (bytes > (double)gather->limit)
        return cr__gather_fail_limit(gather, classes - 1, bytes, err);
    if (cr__counts_fit(&gather->classes, 1, classes) != CR_OK)
        return cr__fail_memory(err);
    for (size_t i = 0; i < schema->columns; i++) {
        cr__gather_column *column = &gather->column[i];
        if (!cr__stats_is_feature(schema, i))
            continue;
        if (!fit_column(column, schema->column[i].kind, classes))
            return cr__fail_memory(err);
    }
    return CR_OK;
}

/* --- batches -------------------------------------------------------------------------------- */

/* Group the rows by class when the grouped sums are worth it: several real columns, and more rows
 * than classes. Returns whether they are grouped. */
static int group_rows(cr__gather *gather, const cr__batch *batch, const uint32_t *class_code)
{
    const size_t classes = gather->classes.classes;
    size_t reals = 0;

    for (size_t i = 0; i < batch->columns && reals < 2; i++)
        reals += batch->column[i].kind == CR_REAL;
    if (reals < 2 || gather->tuples != NULL || batch->weight != NULL ||
        classes * 16 > batch->rows ||
        !cr__grow(&gather->order, &gather->order_capacity, batch->rows, sizeof *gather->order) ||
        !cr__grow(&gather->start, &gather->start_capacity, classes + 1, sizeof *gather->start))
        return 0;
    cr__rows_group(class_code, (uint32_t)batch->rows, classes, gather->order, gather->start);
    return 1;
}

static cr_status absorb_real(const cr__gather *gather, cr__gather_column *column, const double *x,
                             const cr__batch *batch, const uint32_t *class_code, int grouped)
{
    if (batch->weight != NULL)
        return cr__lanes_absorb_weighted(column->lane, x, batch->weight, class_code, batch->rows);
    if (grouped)
        return cr__lanes_absorb_grouped(column->lane, x, gather->order, gather->start,
                                        gather->classes.classes);
    return cr__lanes_absorb(column->lane, x, class_code, batch->rows);
}

/* A row of weight n counts as n rows. A row of weight 0 adds no words. */
static cr_status absorb_weighted_texts(cr__gather_column *column, const cr__batch_column *data,
                                       const double *weight, const uint32_t *class_code,
                                       size_t rows)
{
    cr_status st = CR_OK;

    for (size_t r = 0; r < rows && st == CR_OK; r++) {
        if (data->code[r] == CR__MISSING || class_code[r] == CR__MISSING || weight[r] == 0)
            continue;
        if (weight[r] != floor(weight[r]) || weight[r] > INT32_MAX)
            return CR_EARG;
        column->documents[class_code[r]] += (uint64_t)weight[r];
        st = cr__vocabulary_count_times(&column->vocabulary, data->word + data->start[r],
                                        data->start[r + 1] - data->start[r], class_code[r],
                                        (uint32_t)weight[r]);
    }
    return st;
}

static cr_status absorb_texts(cr__gather_column *column, const cr__batch_column *data,
                              const uint32_t *class_code, size_t rows)
{
    cr_status st = CR_OK;

    for (size_t r = 0; r < rows && st == CR_OK; r++)
        if (data->code[r] != CR__MISSING && class_code[r] != CR__MISSING) {
            column->documents[class_code[r]]++;
            st = cr__vocabulary_count(&column->vocabulary, data->word + data->start[r],
                                      data->start[r + 1] - data->start[r], class_code[r]);
        }
    return st;
}

/* Words may take a third of the limit: the rest is for growing, and for the finished counts. Beyond
 * that, rare words are dropped, down to half of it, so that this does not happen all the time. */
static cr_status prune_words(cr__gather *gather, cr__vocabulary *v)
{
    if (gather->limit == 0 || cr__vocabulary_bytes(v) <= gather->limit / 3)
        return CR_OK;
    cr__plan_forget(&gather->plan); /* words get other numbers */
    return cr__vocabulary_prune(v, (size_t)(gather->limit / 6));
}

static cr_status absorb_codes(cr__counts *counts, const uint32_t *code, const cr__batch *batch,
                              const uint32_t *class_code)
{
    if (batch->weight != NULL)
        return cr__counts_absorb_weighted(counts, code, batch->weight, class_code, batch->rows);
    cr__counts_absorb(counts, code, class_code, batch->rows);
    return CR_OK;
}

/* A real column that is counted by its intervals. */
static cr_status absorb_intervals(cr__gather *gather, size_t i, const cr__batch *batch,
                                  const uint32_t *class_code)
{
    const uint32_t *code = NULL;
    const cr_status st = cr__gather_code_real(gather, i, batch, &code);

    return st == CR_OK ? absorb_codes(&gather->column[i].counts, code, batch, class_code) : st;
}

static cr_status absorb_column(cr__gather *gather, size_t i, const cr__batch *batch,
                               const uint32_t *class_code, int grouped)
{
    cr__gather_column *column = &gather->column[i];
    const cr__batch_column *data = &batch->column[i];

    if (data->kind == CR_REAL && gather->tuples != NULL)
        return absorb_intervals(gather, i, batch, class_code);
    if (data->kind == CR_REAL && gather->keep_values) {
        const cr_status st = cr__value_table_absorb(&column->values, data->real, batch->weight,
                                                    class_code, batch->rows);
        if (st != CR_OK)
            return st;
    }
    if (data->kind == CR_REAL)
        return absorb_real(gather, column, data->real, batch, class_code, grouped);
    if (data->kind == CR_BAG) {
        const cr_status st =
            batch->weight != NULL
                ? absorb_weighted_texts(column, data, batch->weight, class_code, batch->rows)
                : absorb_texts(column, data, class_code, batch->rows);
        return st == CR_OK ? prune_words(gather, &column->vocabulary) : st;
    }
    return absorb_codes(&column->counts, data->code, batch, class_code);
}

/* In a regression, the rows that have the target belong to one class without a name. NULL when out
 * of memory. */
static const uint32_t *code_numbers(cr__gather *gather, const double *x, size_t rows)
{
    if (!cr__grow(&gather->label, &gather->label_capacity, rows, sizeof *gather->label))
        return NULL;
    for (size_t r = 0; r < rows; r++)
        gather->label[r] = x[r] == x[r] ? 1 : CR__MISSING;
    return gather->label;
}

void cr__gather_drop_values(cr__gather *gather)
{
    gather->keep_values = 0;
    for (size_t i = 0; i < gather->schema->columns; i++) {
        cr__value_table_free(&gather->column[i].values);
        gather->column[i].values = (cr__value_table){0};
    }
}

/* Count the rows of all workers together. */
static void limit_values(cr__gather *gather, uint64_t more)
{
    if (gather->keep_values && gather->values_seen != NULL &&
        atomic_fetch_add(gather->values_seen, more) + more > gather->values_most)
        cr__gather_drop_values(gather);
}

cr_status cr__gather_absorb(cr__gather *gather, const cr__batch *batch, cr_error *err)
{
    const cr_schema *schema = gather->schema;
    const uint32_t *class_code =
        schema->target == SIZE_MAX ? NULL : batch->column[schema->target].code;
    uint64_t unlabelled = 0;
    int grouped;
    cr_status st;

    if (gather->cells != NULL)
        return cr__gather_absorb_cells(gather, batch, err);
    if ((st = cr__gather_fit(gather, err)) != CR_OK)
        return st;
    if (schema->column[schema->target].kind == CR_REAL &&
        (class_code = code_numbers(gather, batch->column[schema->target].real, batch->rows)) ==
            NULL)
        return cr__fail_memory(err);
    grouped = group_rows(gather, batch, class_code);
    for (size_t r = 0; r < batch->rows; r++)
        unlabelled += class_code[r] == CR__MISSING;
    gather->rows += batch->rows - unlabelled;
    gather->unlabelled += unlabelled;
    limit_values(gather, batch->rows - unlabelled);
    if (batch->weight == NULL)
        cr__counts_absorb(&gather->classes, NULL, class_code, batch->rows);
    else
        st = cr__counts_absorb_weighted(&gather->classes, NULL, batch->weight, class_code,
                                        batch->rows);
    for (size_t i = 0; st == CR_OK && i < schema->columns; i++)
        if (cr__stats_is_feature(schema, i))
            st = absorb_column(gather, i, batch, class_code, grouped);
    if (st == CR_EARG)
        return cr__fail(
            err, CR_EFORMAT,
            "the weight of a row with a text must be a whole number: texts are counted");
    if (st == CR_ELIMIT)
        return cr__fail(err, st, "a count would be too large; train on parts and merge them");
    if (st == CR_OK && gather->tuples != NULL)
        return cr__gather_absorb_tuples(gather, batch, class_code, err);
    return st == CR_OK ? CR_OK : cr__fail_memory(err);
}

/* --- whole statistics ----------------------------------------------------------------------- */

/* For each of the stats' words, its code here. */
static cr_status map_words(cr__dict *into, const cr__dict *from, uint32_t **map, cr_error *err)
{
    cr_status st = CR_OK;

    if ((*map = cr__alloc((size_t)from->words + 1, sizeof **map)) == NULL)
        return cr__fail_memory(err);
    (*map)[0] = CR__MISSING;
    for (uint32_t code = 1; st == CR_OK && code <= from->words; code++) {
        size_t length;
        const char *word = cr__dict_word(from, code, &length);
        st = cr__dict_intern(into, word, length, &(*map)[code]);
    }
    return st == CR_OK ? CR_OK : cr__fail(err, st, "the values of a column cannot be joined");
}

static cr_status add_counts(cr__gather *gather, size_t column, const cr__stats *stats, size_t from,
                            const uint32_t *class_map, int sign, cr_error *err)
{
    cr__gather_column *into = &gather->column[column];
    uint32_t *map = NULL;
    const uint32_t known = into->dict->words, others = stats->column[from].dict->words;
    cr_status st = map_words(into->dict, stats->column[from].dict, &map, err);

    if (st == CR_OK && stats->schema->column[from].kind == CR_REAL && others > 0 &&
        (into->dict->words != known || others != known))
        st = cr__gather_fail_intervals(&stats->schema->column[from], err);
    if (st == CR_OK && !fit_column(into, CR_SYMBOL, gather->classes.classes))
        st = cr__fail_memory(err);
    for (size_t v = 0; st == CR_OK && v < cr__stats_values(stats, from); v++)
        for (size_t c = 0; st == CR_OK && c < stats->classes; c++)
            if (cr__counts_add(&into->counts, map[v + 1], class_map[c + 1],
                               cr__stats_count(stats, from, v, c), sign) != CR_OK)
                st = cr__fail_memory(err);
    cr__free(map);
    return st;
}

static cr_status add_moments(cr__gather_column *into, const cr__moment *from, size_t classes,
                             const uint32_t *class_map, int sign, cr_error *err)
{
    for (size_t c = 0; c < classes; c++) {
        cr__moment *m = &into->moment[class_map[c + 1]];

        m->count = cr__count_plus(m->count, from[c].count, sign);
        if (cr__exact_add(&m->sum, &from[c].sum, sign) != CR_OK ||
            cr__exact_add(&m->squares, &from[c].squares, sign) != CR_OK)
            return cr__fail_memory(err);
    }
    return CR_OK;
}

/* Both must keep their numbers, or neither. */
static cr_status add_values(const cr__gather *gather, size_t column, const cr__values *from,
                            const uint32_t *class_map, int sign, cr_error *err)
{
    cr_status st;

    if (!gather->keep_values)
        return CR_OK;
    if (from == NULL) {
        cr__fail(err, CR_ECONFLICT,
                 "one model keeps the numbers of '%s', the other only their "
                 "moments",
                 gather->schema->column[column].name);
        return cr__fail_hint(err, CR_ECONFLICT,
                             "train both with real=auto, or both with real=gaussian");
    }
    if (gather->values_apart)
        return CR_OK;
    st = cr__value_table_add(&gather->column[column].values, from, class_map + 1, sign);
    return st == CR_OK ? CR_OK
                       : cr__fail(err, st, "the numbers of '%s' cannot be counted",
                                  gather->schema->column[column].name);
}

static int is_empty(const cr__bag *bag)
{
    for (size_t c = 0; c < bag->classes; c++)
        if (bag->documents[c] != 0)
            return 0;
    return bag->words == 0;
}

/* The sum itself is computed at the end, over all at once. */
static cr_status add_bag(cr__gather_column *into, const cr__bag *from, const uint32_t *class_map,
                         int sign, cr_error *err)
{
    uint32_t *map;

    if (is_empty(from))
        return CR_OK;
    if (!cr__grow(&into->added, &into->added_capacity, into->added_count + 1,
                  sizeof *into->added) ||
        (map = cr__alloc(from->classes, sizeof *map)) == NULL)
        return cr__fail_memory(err);
    memcpy(map, class_map + 1, from->classes * sizeof *map);
    into->added[into->added_count++] = (cr__bag_part){from, map, sign};
    return CR_OK;
}

/* The columns of stats that the gather has too, by name; every feature must be in both. */
static cr_status match_columns(const cr__gather *gather, const cr__stats *stats, size_t *match,
                               cr_error *err)
{
    size_t features = 0, others = 0;

    for (size_t i = 0; i < gather->schema->columns; i++)
        features += cr__stats_is_feature(gather->schema, i);
    for (size_t i = 0; i < stats->schema->columns; i++) {
        const cr__column *c = &stats->schema->column[i];
        if (!cr__stats_is_feature(stats->schema, i) && c->role != CR_ROLE_TARGET)
            continue;
        match[i] = cr_schema_find(gather->schema, c->name);
        if (match[i] == SIZE_MAX)
            return cr__fail(err, CR_ECONFLICT, "one model has a column '%s', the other does not",
                            c->name);
        if (gather->schema->column[match[i]].kind != c->kind ||
            gather->schema->column[match[i]].role != c->role) {
            cr__fail(err, CR_ECONFLICT, "column '%s' is %s in one model and %s in the other",
                     c->name, cr_kind_name(gather->schema->column[match[i]].kind),
                     cr_kind_name(c->kind));
            return cr__fail_hint(err, CR_ECONFLICT, "train both with " CR__SET("type %s=%s"),
                                 c->name,
                                 cr_kind_name(c->kind > gather->schema->column[match[i]].kind
                                                  ? c->kind
                                                  : gather->schema->column[match[i]].kind));
        }
        others += c->role != CR_ROLE_TARGET;
    }
    if (features != others)
        return cr__fail(err, CR_ECONFLICT, "one model has %zu features, the other %zu", features,
                        others);
    return CR_OK;
}

static cr_status add_columns(cr__gather *gather, const cr__stats *stats, const size_t *match,
                             const uint32_t *class_map, int sign, cr_error *err)
{
    cr_status st = cr__gather_fit(gather, err);

    for (size_t c = 0; st == CR_OK && c < stats->classes; c++)
        if (cr__counts_add(&gather->classes, 0, class_map[c + 1], cr__stats_class(stats, c),
                           sign) != CR_OK)
            st = cr__fail_memory(err);
    for (size_t i = 0; st == CR_OK && i < stats->schema->columns; i++) {
        if (!cr__stats_is_feature(stats->schema, i))
            continue;
        if (gather->column[match[i]].dict != NULL)
            st = add_counts(gather, match[i], stats, i, class_map, sign, err);
        else if (stats->schema->column[i].kind == CR_BAG)
            st = add_bag(&gather->column[match[i]], stats->column[i].bag, class_map, sign, err);
        else if ((st = add_values(gather, match[i], stats->column[i].values, class_map, sign,
                                  err)) == CR_OK)
            st = add_moments(&gather->column[match[i]], stats->column[i].moment, stats->classes,
                             class_map, sign, err);
    }
    return st;
}

cr_status cr__gather_add(cr__gather *gather, const cr__stats *stats, int sign, cr_error *err)
{
    size_t *match = cr__alloc(stats->schema->columns, sizeof *match);
    uint32_t *class_map = NULL;
    cr_status st;

    if (match == NULL)
        return cr__fail_memory(err);
    st = match_columns(gather, stats, match, err);
    if (st == CR_OK && gather->cells != NULL)
        st = cr__gather_add_cells(gather, stats, match, sign, err);
    else if (st == CR_OK)
        st = map_words(gather->column[gather->schema->target].dict,
                       stats->column[stats->schema->target].dict, &class_map, err);
    if (st == CR_OK && gather->cells == NULL)
        st = add_columns(gather, stats, match, class_map, sign, err);
    if (st == CR_OK && gather->tuples != NULL)
        st = cr__gather_add_tuples(gather, stats, match, sign, err);
    if (st == CR_OK && sign < 0 && gather->rows < stats->rows)
        st = cr__fail(err, CR_ECONFLICT, "%llu rows cannot be removed from %llu",
                      (unsigned long long)stats->rows, (unsigned long long)gather->rows);
    if (st == CR_OK)
        gather->rows += sign > 0 ? stats->rows : -stats->rows;
    gather->subtracted |= sign < 0;
    cr__free(class_map);
    cr__free(match);
    return st;
}

/* --- words of other gathers ------------------------------------------------------------------- */

/* The gather's codes of the other's classes are stored with the words. */
static int adopt(cr__gather_column *into, cr__gather_column *from, const uint32_t *map,
                 size_t codes)
{
    cr__adopted *a;

    if (!cr__grow(&into->adopted, &into->adopted_capacity, into->adopted_count + 1,
                  sizeof *into->adopted))
        return 0;
    a = &into->adopted[into->adopted_count];
    *a = (cr__adopted){.codes = codes < from->document_codes ? codes : from->document_codes};
    if ((a->map = cr__alloc(codes, sizeof *a->map)) == NULL)
        return 0;
    memcpy(a->map, map, codes * sizeof *a->map);
    cr__vocabulary_close(&from->vocabulary);
    a->vocabulary = from->vocabulary;
    a->documents = from->documents;
    from->vocabulary = (cr__vocabulary){0};
    from->documents = NULL;
    from->document_codes = 0;
    into->adopted_count++;
    return 1;
}

cr_status cr__gather_adopt_words(cr__gather *gather, cr__gather *from, cr_error *err)
{
    const size_t target = gather->schema->target;
    uint32_t *map = NULL;
    cr_status st = CR_OK;

    for (size_t i = 0; st == CR_OK && i < gather->schema->columns; i++) {
        if (!cr__stats_is_feature(gather->schema, i) || gather->schema->column[i].kind != CR_BAG)
            continue;
        if (map == NULL)
            st = map_words(gather->column[target].dict, from->column[target].dict, &map, err);
        if (st == CR_OK && !adopt(&gather->column[i], &from->column[i], map,
                                  (size_t)from->column[target].dict->words + 1))
            st = cr__fail_memory(err);
    }
    cr__free(map);
    return st;
}
