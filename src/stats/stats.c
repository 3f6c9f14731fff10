/* stats/stats.c - convert collected statistics to canonical ones. */
#include "stats/stats.h"
#include "stats/cross_lessons.h"

#include <string.h>

#include "base/fail.h"
#include "base/memory.h"
#include "stats/bag_join.h"
#include "stats/gather_cells.h"
#include "stats/gather_tuples.h"

/* The parts that a view owns. */
static void free_view(cr__stats *stats)
{
    for (size_t i = 0; stats->column != NULL && i < stats->base->schema->columns; i++)
        if (stats->base->column[i].bag != NULL && stats->column[i].bag != NULL) {
            cr__bag_free(stats->column[i].bag);
            cr__free(stats->column[i].bag);
        }
    cr__free(stats->column);
    cr__stats_free(stats->base);
    cr__free(stats);
}

void cr__stats_free(cr__stats *stats)
{
    if (stats == NULL || atomic_fetch_sub(&stats->others, 1) != 0)
        return;
    if (stats->base != NULL) {
        free_view(stats);
        return;
    }
    for (size_t i = 0; stats->column != NULL && i < stats->schema->columns; i++) {
        cr__column_stats *s = &stats->column[i];
        for (size_t c = 0; s->moment != NULL && c < stats->classes; c++) {
            cr__exact_free(&s->moment[c].sum);
            cr__exact_free(&s->moment[c].squares);
        }
        if (s->values != NULL)
            cr__values_free(s->values);
        cr__free(s->values);
        if (s->bag != NULL)
            cr__bag_free(s->bag);
        cr__free(s->bag);
        cr__free(s->moment);
        cr__free(s->whole);
        cr__free(s->fraction);
        cr__dict_free(s->dict);
    }
    if (stats->cells != NULL)
        cr__cells_free(stats->cells);
    cr__free(stats->cells);
    cr__tuples_free(stats->tuples);
    cr__cross_free(stats->cross);
    cr__free(stats->column);
    cr__free(stats->class_whole);
    cr__free(stats->class_fraction);
    cr__schema_free(stats->schema);
    cr__free(stats);
}

cr__stats *cr__stats_share(const cr__stats *stats)
{
    cr__stats *shared = (cr__stats *)stats; /* counting owners is not a change */

    atomic_fetch_add(&shared->others, 1);
    return shared;
}

/* A text column without words still has its documents. */
static cr__bag *empty_bag(const cr__bag *like)
{
    cr__bag *bag = cr__alloc_zero(1, sizeof *bag);

    if (bag == NULL)
        return NULL;
    bag->classes = like->classes;
    if ((bag->documents = cr__alloc(like->classes, sizeof *bag->documents)) == NULL) {
        cr__free(bag);
        return NULL;
    }
    if (like->classes > 0)
        memcpy(bag->documents, like->documents, like->classes * sizeof *bag->documents);
    return bag;
}

cr_status cr__stats_view(cr__stats **out, const cr__stats *base, cr_error *err)
{
    const size_t columns = base->schema->columns;
    cr__stats *stats = cr__alloc_zero(1, sizeof *stats);
    cr_status st = CR_OK;

    *out = NULL;
    if (stats == NULL)
        return cr__fail_memory(err);
    stats->schema = base->schema;
    stats->rows = base->rows;
    stats->classes = base->classes;
    stats->class_whole = base->class_whole;
    stats->class_fraction = base->class_fraction;
    stats->cells = base->cells;
    stats->tuples = base->tuples;
    stats->cross = base->cross;
    stats->base = cr__stats_share(base);
    if ((stats->column = cr__alloc_zero(columns, sizeof *stats->column)) == NULL)
        st = CR_ENOMEM;
    for (size_t i = 0; st == CR_OK && i < columns; i++) {
        stats->column[i] = base->column[i];
        if (base->column[i].bag != NULL &&
            (stats->column[i].bag = empty_bag(base->column[i].bag)) == NULL)
            st = CR_ENOMEM;
    }
    if (st != CR_OK) {
        cr__stats_free(stats);
        return cr__fail_memory(err);
    }
    *out = stats;
    return CR_OK;
}

void cr__stats_drop_values(cr__stats *stats)
{
    for (size_t i = 0; i < stats->schema->columns; i++) {
        if (stats->column[i].values != NULL)
            cr__values_free(stats->column[i].values);
        cr__free(stats->column[i].values);
        stats->column[i].values = NULL;
    }
}

int cr__stats_keeps_values(const cr__stats *stats)
{
    for (size_t i = 0; i < stats->schema->columns; i++)
        if (stats->column[i].values != NULL)
            return 1;
    return 0;
}

/* Which codes of a gathered dictionary stay, in canonical order: the declared ones first, as
 * declared, then those that some row has. */
static cr_status choose_words(const cr__dict *dict, const cr__dict *declared,
                              int (*used)(const cr__counts *, uint32_t), const cr__counts *counts,
                              uint32_t **kept, uint32_t *kept_count)
{
    const uint32_t first = declared == NULL ? 0 : declared->words;
    uint32_t *order = cr__alloc(dict->words, sizeof *order), count = 0;
    cr_status st = CR_ENOMEM;

    *kept_count = 0;
    *kept = cr__alloc(dict->words, sizeof **kept);
    for (uint32_t code = 1; order != NULL && code <= dict->words; code++)
        if (code <= first || used(counts, code))
            order[count++] = code;
    if (order != NULL && *kept != NULL && (st = cr__dict_order_some(dict, order, count)) == CR_OK) {
        for (uint32_t code = 1; code <= first; code++)
            (*kept)[(*kept_count)++] = code;
        for (uint32_t i = 0; i < count; i++)
            if (order[i] > first)
                (*kept)[(*kept_count)++] = order[i];
    }
    cr__free(order);
    return st;
}

static int class_used(const cr__counts *counts, uint32_t code)
{
    return !cr__count_zero(cr__counts_get(counts, 0, code));
}

static int value_used(const cr__counts *counts, uint32_t code)
{
    for (size_t c = 1; c < counts->classes; c++)
        if (!cr__count_zero(cr__counts_get(counts, code, c)))
            return 1;
    return 0;
}

/* A new dictionary of the kept words in their order. */
static cr_status canonical_dict(cr__dict **out, const cr__dict *from, const uint32_t *kept,
                                uint32_t kept_count)
{
    cr_status st = cr__dict_new(out, CR__CANONICAL_SEED, NULL);

    for (uint32_t i = 0; st == CR_OK && i < kept_count; i++) {
        size_t length;
        const char *word = cr__dict_word(from, kept[i], &length);
        uint32_t code;

        st = cr__dict_intern(*out, word, length, &code);
    }
    return st;
}

/* Copy the kept cells; the fractions only when some cell has one. */
static cr_status copy_counts(const cr__counts *from, const uint32_t *values, size_t value_count,
                             const uint32_t *classes, size_t class_count, int64_t **whole,
                             uint64_t **fraction)
{
    int fractional = 0;

    *whole = cr__alloc_zero(value_count * class_count, sizeof **whole);
    *fraction = cr__alloc_zero(value_count * class_count, sizeof **fraction);
    if (*whole == NULL || *fraction == NULL)
        return CR_ENOMEM;
    for (size_t v = 0; v < value_count; v++)
        for (size_t c = 0; c < class_count; c++) {
            cr__count n = cr__counts_get(from, values == NULL ? 0 : values[v], classes[c]);
            if (cr__count_negative(n))
                return CR_ECONFLICT;
            (*whole)[v * class_count + c] = n.whole;
            (*fraction)[v * class_count + c] = n.fraction;
            fractional |= n.fraction != 0;
        }
    if (!fractional) {
        cr__free(*fraction);
        *fraction = NULL;
    }
    return CR_OK;
}

/* Whether some values can have the moments: n Σx² ≥ (Σx)², exactly. With fractional weights the
 * count is rounded, so nothing is checked. */
static cr_status check_variance(const cr__moment *m)
{
    if (m->count.fraction != 0 || m->count.whole >= (int64_t)1 << 53)
        return CR_OK;
    return cr__exact_can_be_moments(m->count.whole, &m->sum, &m->squares) ? CR_OK : CR_ECONFLICT;
}

/* Sums without rows, or squares below 0, reveal rows that were never added. */
static cr_status check_sums(const cr__moment *m)
{
    return cr__count_negative(m->count) || cr__exact_sign(&m->squares) < 0 ||
                   (cr__count_zero(m->count) &&
                    (cr__exact_sign(&m->sum) != 0 || cr__exact_sign(&m->squares) != 0))
               ? CR_ECONFLICT
               : CR_OK;
}

/* One value: Σx² = (Σx)², exactly. */
static cr_status check_single(const cr__moment *m)
{
    cr__exact square;
    cr_status st;

    cr__exact_init(&square);
    if ((st = cr__exact_multiply(&square, &m->sum, &m->sum)) == CR_OK &&
        cr__exact_compare(&square, &m->squares) != 0)
        st = CR_ECONFLICT;
    cr__exact_free(&square);
    return st;
}

cr_status cr__moment_check(const cr__moment *m)
{
    cr_status st = check_sums(m);

    if (st == CR_OK)
        st = check_variance(m);
    return st == CR_OK && m->count.whole == 1 && m->count.fraction == 0 ? check_single(m) : st;
}

/* Move one lane's hot sums into its moment, and that into out. */
static cr_status finish_moment(cr__lane *lane, cr__moment *moment, int subtracted, cr__moment *out)
{
    cr__count hot = {lane->count, lane->fraction};
    cr_status st;

    moment->count = cr__count_plus(moment->count, hot, 1);
    if (cr__lane_flush(lane, &moment->sum, &moment->squares) != CR_OK)
        return CR_ENOMEM;
    if ((st = check_sums(moment)) != CR_OK ||
        (subtracted && (st = check_variance(moment)) != CR_OK))
        return st;
    out->count = moment->count;
    if (cr__exact_add(&out->sum, &moment->sum, 1) != CR_OK ||
        cr__exact_add(&out->squares, &moment->squares, 1) != CR_OK)
        return CR_ENOMEM;
    return CR_OK;
}

static cr_status finish_real(cr__gather_column *from, const uint32_t *classes, size_t class_count,
                             int subtracted, cr__column_stats *to)
{
    cr_status st = CR_OK;

    if ((to->moment = cr__alloc_zero(class_count, sizeof *to->moment)) == NULL)
        return CR_ENOMEM;
    for (size_t c = 0; st == CR_OK && c < class_count; c++)
        st = finish_moment(&from->lane[classes[c]], &from->moment[classes[c]], subtracted,
                           &to->moment[c]);
    return st;
}

/* The numbers by canonical class. */
static cr_status finish_values(const cr__gather *gather, cr__gather_column *from,
                               const uint32_t *classes, size_t class_count, cr__column_stats *to)
{
    const size_t codes = gather->classes.classes;
    uint32_t *map = cr__alloc(codes, sizeof *map);
    cr_status st = CR_ENOMEM;

    to->values = cr__alloc_zero(1, sizeof *to->values);
    if (map != NULL && to->values != NULL) {
        memset(map, 0xff, codes * sizeof *map);
        for (size_t c = 0; c < class_count; c++)
            map[classes[c]] = (uint32_t)c;
        st = cr__value_table_finish(&from->values, map, to->values);
    }
    cr__free(map);
    return st;
}

static cr_status finish_symbol(const cr__gather_column *from, const cr__dict *declared,
                               const uint32_t *classes, size_t class_count, cr__column_stats *to)
{
    uint32_t *kept = NULL, kept_count = 0;
    cr_status st =
        choose_words(from->dict, declared, value_used, &from->counts, &kept, &kept_count);

    if (st == CR_OK)
        st = canonical_dict(&to->dict, from->dict, kept, kept_count);
    if (st == CR_OK)
        st = copy_counts(&from->counts, kept, kept_count, classes, class_count, &to->whole,
                         &to->fraction);
    cr__free(kept);
    return st;
}

/* The words of this pass, its own and those of others, by canonical class. */
static cr_status finish_words(const cr__gather_column *from, const uint32_t *map, size_t codes,
                              size_t class_count, int workers, cr__bag *out)
{
    const size_t count = from->adopted_count + 1;
    cr__bag_source *source = cr__alloc(count, sizeof *source);
    cr_status st = source == NULL ? CR_ENOMEM : CR_OK;

    for (size_t i = 0; st == CR_OK && i + 1 < count; i++) {
        const cr__adopted *a = &from->adopted[i];

        for (size_t c = 0; c < a->codes; c++)
            a->map[c] = map[a->map[c]];
        source[i] = (cr__bag_source){&a->vocabulary, a->map, a->documents, a->codes};
    }
    if (st == CR_OK) {
        source[count - 1] =
            (cr__bag_source){&from->vocabulary, map, from->documents,
                             from->document_codes < codes ? from->document_codes : codes};
        st = cr__bag_of_vocabularies(out, source, count, class_count, workers);
    }
    cr__free(source);
    return st;
}

static void free_words(cr__gather_column *column)
{
    cr__vocabulary_free(&column->vocabulary);
    for (size_t i = 0; i < column->adopted_count; i++)
        cr__vocabulary_free(&column->adopted[i].vocabulary);
}

/* Add what was added whole and the words of this pass. Classes that no longer occur come last: they
 * must have no texts. */
static cr_status sum_bags(const cr__gather_column *from, const uint32_t *map, size_t codes,
                          const cr__bag *pass, size_t class_count, cr__bag *out)
{
    const size_t parts = from->added_count + 1;
    cr__bag_part *part = cr__alloc(parts, sizeof *part);
    uint32_t *place = cr__alloc(codes, sizeof *place), *same = cr__alloc(codes, sizeof *same);
    uint32_t gone = 0;
    cr_status st = part == NULL || place == NULL || same == NULL ? CR_ENOMEM : CR_OK;

    for (size_t c = 0; st == CR_OK && c < codes; c++) {
        place[c] = map[c] != UINT32_MAX ? map[c] : (uint32_t)class_count + gone++;
        same[c] = (uint32_t)c;
    }
    for (size_t i = 0; st == CR_OK && i + 1 < parts; i++) {
        uint32_t *own = (uint32_t *)from->added[i].map;

        part[i] = from->added[i];
        for (size_t c = 0; c < part[i].bag->classes; c++)
            own[c] = place[own[c]];
    }
    if (st == CR_OK) {
        part[parts - 1] = (cr__bag_part){pass, same, 1};
        st = cr__bag_sum(out, part, parts, class_count + gone);
    }
    for (size_t c = class_count; st == CR_OK && c < class_count + gone; c++)
        if (out->documents[c] != 0)
            st = CR_ECONFLICT;
    out->classes = class_count;
    cr__free(part);
    cr__free(place);
    cr__free(same);
    return st;
}

/* By canonical class. */
static cr_status finish_bag(cr__gather *gather, cr__gather_column *from, const uint32_t *classes,
                            size_t class_count, cr__column_stats *to)
{
    const size_t codes = gather->classes.classes;
    uint32_t *map = cr__alloc(codes, sizeof *map);
    cr__bag pass = {0};
    cr_status st = CR_ENOMEM;

    to->bag = cr__alloc_zero(1, sizeof *to->bag);
    if (map != NULL && to->bag != NULL) {
        for (size_t c = 0; c < codes; c++)
            map[c] = UINT32_MAX;
        for (size_t c = 0; c < class_count; c++)
            map[classes[c]] = (uint32_t)c;
        cr__vocabulary_close(&from->vocabulary);
        st = finish_words(from, map, codes, class_count, gather->workers, &pass);
    }
    free_words(from);
    if (st == CR_OK && from->added_count == 0) {
        *to->bag = pass;
        pass = (cr__bag){0};
    } else if (st == CR_OK) {
        st = sum_bags(from, map, codes, &pass, class_count, to->bag);
    }
    cr__bag_free(&pass);
    cr__free(map);
    return st;
}

static cr_status finish_classes(cr__gather *gather, cr__stats *stats, uint32_t **classes)
{
    const size_t target = gather->schema->target;
    const cr__dict *dict = gather->column[target].dict;
    uint32_t count = 0;
    cr_status st = choose_words(dict, gather->schema->column[target].declared, class_used,
                                &gather->classes, classes, &count);

    stats->classes = count;
    if (st == CR_OK)
        st = canonical_dict(&stats->column[target].dict, dict, *classes, count);
    if (st == CR_OK)
        st = copy_counts(&gather->classes, NULL, 1, *classes, count, &stats->class_whole,
                         &stats->class_fraction);
    return st;
}

static cr_status fail_finish(cr_status st, const char *column, cr_error *err)
{
    if (st == CR_ECONFLICT) {
        cr__fail(err, st, "column '%s': more, or other values, would be removed than were learned",
                 column);
        return cr__fail_hint(err, st, "what is taken back must be as it was learned, in its class");
    }
    if (st == CR_ELIMIT)
        return cr__fail(err, st, "column '%s' has more texts or words than can be counted", column);
    if (st == CR_EARG) {
        cr__fail(err, CR_ECONFLICT,
                 "the texts of '%s' are weighted by different document frequencies", column);
        return cr__fail_hint(err, CR_ECONFLICT, "models of one training, or weight=counts, merge");
    }
    return cr__fail_memory(err);
}

/* No class may have more values of a column than rows, nor fewer than none. */
static cr_status check_symbol(const cr__gather *gather, const cr__counts *counts)
{
    for (size_t c = 1; c < gather->classes.classes && c < counts->classes; c++) {
        cr__count left = cr__counts_get(&gather->classes, 0, c);

        for (size_t v = 1; v < counts->values; v++) {
            cr__count n = cr__counts_get(counts, v, c);
            if (cr__count_negative(n))
                return CR_ECONFLICT;
            left = cr__count_plus(left, n, -1);
        }
        if (cr__count_negative(left))
            return CR_ECONFLICT;
    }
    return CR_OK;
}

/* What is left after rows were removed, also of a class that is gone: nothing where no row is left,
 * and one value where one row is left. */
static cr_status check_rest(const cr__gather *gather, const cr__moment *m)
{
    return gather->schema->weight == SIZE_MAX ? cr__moment_check(m) : check_sums(m);
}

static cr_status check_real(const cr__gather *gather, const cr__gather_column *column)
{
    for (size_t c = 1; c < gather->classes.classes && c < column->lanes; c++) {
        cr__count hot = {column->lane[c].count, column->lane[c].fraction};
        cr__count n = cr__count_plus(column->moment[c].count, hot, 1);
        cr_status st;

        if (cr__count_negative(n) ||
            cr__count_negative(cr__count_plus(cr__counts_get(&gather->classes, 0, c), n, -1)))
            return CR_ECONFLICT;
        if (gather->subtracted && cr__count_zero(hot) &&
            (st = check_rest(gather, &column->moment[c])) != CR_OK)
            return st;
    }
    return CR_OK;
}

static cr_status finish_column(cr__gather *gather, size_t i, const uint32_t *classes,
                               cr__stats *stats)
{
    cr__gather_column *from = &gather->column[i];
    const cr_kind kind = from->dict != NULL ? CR_SYMBOL : gather->schema->column[i].kind;
    cr_status st = kind == CR_REAL     ? check_real(gather, from)
                   : kind == CR_SYMBOL ? check_symbol(gather, &from->counts)
                                       : CR_OK;

    if (st != CR_OK)
        return st;
    if (kind == CR_BAG)
        return finish_bag(gather, from, classes, stats->classes, &stats->column[i]);
    if (kind == CR_REAL && gather->keep_values && !gather->values_apart)
        st = finish_values(gather, from, classes, stats->classes, &stats->column[i]);
    if (st == CR_OK && kind == CR_REAL)
        return finish_real(from, classes, stats->classes, gather->subtracted, &stats->column[i]);
    if (st != CR_OK)
        return st;
    return finish_symbol(from, stats->schema->column[i].declared, classes, stats->classes,
                         &stats->column[i]);
}

static cr_status finish_columns(cr__gather *gather, cr__stats *stats, cr_error *err)
{
    const cr_schema *schema = gather->schema;
    uint32_t *classes = NULL;
    cr_status st = finish_classes(gather, stats, &classes);

    if (st != CR_OK)
        st = fail_finish(st, schema->column[schema->target].name, err);
    for (size_t i = 0; st == CR_OK && i < schema->columns; i++) {
        if (cr__stats_is_feature(schema, i) &&
            (st = finish_column(gather, i, classes, stats)) != CR_OK)
            st = fail_finish(st, schema->column[i].name, err);
    }
    cr__free(classes);
    return st;
}

static cr_status declare(const cr__gather *gather, cr__stats *stats, cr_error *err)
{
    return gather->tuples == NULL ? CR_OK : cr__gather_declare_intervals(gather, stats, err);
}

cr_status cr__gather_finish(cr__gather *gather, cr__stats **out, cr_error *err)
{
    cr__stats *stats = cr__alloc_zero(1, sizeof *stats);
    cr_status st;

    *out = NULL;
    if (stats == NULL)
        return cr__fail_memory(err);
    stats->rows = gather->rows;
    st = cr__schema_copy(&stats->schema, gather->schema, err);
    if (st == CR_OK &&
        (stats->column = cr__alloc_zero(gather->schema->columns, sizeof *stats->column)) == NULL)
        st = cr__fail_memory(err);
    if (st == CR_OK && gather->cells != NULL)
        st = cr__gather_finish_cells(gather, stats, err);
    else if (st == CR_OK && (st = cr__gather_fit(gather, err)) == CR_OK &&
             (st = declare(gather, stats, err)) == CR_OK)
        st = finish_columns(gather, stats, err);
    if (st == CR_OK && gather->tuples != NULL)
        st = cr__gather_finish_tuples(gather, stats, err);
    if (st != CR_OK) {
        cr__stats_free(stats);
        return st;
    }
    *out = stats;
    return CR_OK;
}

/* A gather for statistics like these; b may be NULL. Where one counts tuples, the counts of the
 * other are converted to tuples. */
static cr_status gather_like(cr__gather **out, const cr__stats *a, const cr__stats *b,
                             cr_error *err)
{
    const cr__tuples *like = a->tuples != NULL ? a->tuples : b != NULL ? b->tuples : NULL;
    const size_t pairs = like == NULL ? 0 : cr__tuples_pairs(like->features);
    cr_status st = cr__gather_new(out, a->schema, NULL, 0, err);

    if (st == CR_OK && like != NULL)
        st = cr__gather_count_tuples(*out, NULL, like->tuple + pairs, like->count - pairs, err);
    else if (st == CR_OK && a->cells != NULL)
        st = cr__gather_count_cells(*out, NULL, err);
    if (st == CR_OK)
        (*out)->keep_values = cr__stats_keeps_values(a);
    return st;
}

/* Where the words of one dictionary are in another, from 0; UINT32_MAX: nowhere. */
static uint32_t *place_words(const cr__dict *from, const cr__dict *to)
{
    uint32_t *place = cr__alloc(from->words, sizeof *place);

    for (uint32_t code = 1; place != NULL && code <= from->words; code++) {
        size_t length;
        const char *word = cr__dict_word(from, code, &length);
        const uint32_t there = cr__dict_find(to, word, length);

        place[code - 1] = there == CR__MISSING ? UINT32_MAX : there - 1;
    }
    return place;
}

/* Where a term of one is in the other. */
static uint32_t place_term(const cr__stats *from, const cr__stats *to, cr__cross_term term)
{
    const size_t column = cr_schema_find(to->schema, from->schema->column[term.column].name);
    uint32_t code = 0, t = 0;

    if (term.value != CR__TERM_REAL) {
        size_t length;
        const char *word = cr__dict_word(from->column[term.column].dict, term.value + 1, &length);

        if ((code = cr__dict_find(to->column[column].dict, word, length)) == CR__MISSING)
            return UINT32_MAX;
    }
    while (to->cross->term[t].column != column)
        t++;
    return term.value == CR__TERM_REAL ? t : t + code - 1;
}

/* Where classes and terms of one are in the other; to be freed. */
static cr_status place_cross(const cr__stats *into, const cr__stats *from, uint32_t **class_of,
                             uint32_t **term)
{
    const size_t target = from->schema->target;

    *class_of =
        target == SIZE_MAX
            ? cr__alloc_zero(1, sizeof **class_of) /* the only class there is */
            : place_words(from->column[target].dict, into->column[into->schema->target].dict);
    *term = cr__alloc(from->cross->terms, sizeof **term);
    if (*class_of == NULL || *term == NULL)
        return CR_ENOMEM;
    for (size_t t = 0; t < from->cross->terms; t++)
        (*term)[t] = place_term(from, into, from->cross->term[t]);
    return CR_OK;
}

static cr_status add_cross(cr__stats *into, const cr__stats *from, int sign)
{
    uint32_t *class_of, *term;
    cr_status st = place_cross(into, from, &class_of, &term);

    if (st == CR_OK)
        st = cr__cross_add(into->cross, from->cross, term, class_of, sign);
    cr__free(class_of);
    cr__free(term);
    return st;
}

cr__cross *cr__stats_lay_out_cross(const cr__stats *stats, cr__cross_use use)
{
    cr__dict **dict = cr__alloc_zero(stats->schema->columns, sizeof *dict);
    cr__cross *cross = NULL;

    for (size_t i = 0; dict != NULL && i < stats->schema->columns; i++)
        dict[i] = stats->column[i].dict;
    if (dict != NULL)
        cross = cr__cross_lay_out(stats->schema, use, dict, stats->classes);
    cr__free(dict);
    return cross;
}

/* Products of a + sign * b, when they have any. */
static cr_status combine_cross(cr__stats *out, const cr__stats *a, const cr__stats *b, int sign,
                               cr_error *err)
{
    cr_status st;

    if (a->cross == NULL || b->cross == NULL)
        return CR_OK;
    if ((out->cross = cr__stats_lay_out_cross(out, a->cross->use)) == NULL)
        return cr__fail_memory(err);
    st = add_cross(out, a, 1);
    if (st == CR_OK)
        st = add_cross(out, b, sign);
    return st == CR_OK ? CR_OK : cr__fail_memory(err);
}

/* The same of a model and a lesson. What a model without rows learns is like its training. */
static cr_status change_cross(cr__stats *out, const cr__stats *have, const cr__stats *lesson,
                              int sign, cr_error *err)
{
    uint32_t *class_of[2] = {NULL, NULL}, *term[2] = {NULL, NULL};
    cr__cross *alone;
    cr_status st;

    if (have->cross == NULL || lesson->cross == NULL)
        return CR_OK;
    if (have->rows == 0 && sign > 0)
        return combine_cross(out, have, lesson, sign, err);
    out->cross = cr__stats_lay_out_cross(out, have->cross->use);
    alone = cr__stats_lay_out_cross(out, have->cross->use);
    st = out->cross == NULL || alone == NULL ? CR_ENOMEM : CR_OK;
    if (st == CR_OK)
        st = place_cross(out, have, &class_of[0], &term[0]);
    if (st == CR_OK)
        st = place_cross(out, lesson, &class_of[1], &term[1]);
    if (st == CR_OK)
        st =
            cr__cross_change(out->cross, alone, (cr__cross_side){have->cross, term[0], class_of[0]},
                             (cr__cross_side){lesson->cross, term[1], class_of[1]}, sign);
    for (int i = 0; i < 2; i++) {
        cr__free(class_of[i]);
        cr__free(term[i]);
    }
    cr__cross_free(alone);
    return st == CR_OK ? CR_OK : cr__fail_memory(err);
}

/* The classes of a and b by their numbers in a + sign * b; those that it has no more come last. */
static cr_status place_classes(const cr__stats *out, const cr__stats *a, const cr__stats *b,
                               uint32_t **of_a, uint32_t **of_b)
{
    const size_t t = out->schema->target, u = b->schema->target;
    const int none = t == SIZE_MAX;
    uint32_t *in_a = none ? NULL : place_words(b->column[u].dict, a->column[t].dict);

    *of_a = none ? cr__alloc_zero(1, sizeof **of_a)
                 : place_words(a->column[t].dict, out->column[t].dict);
    *of_b = none ? cr__alloc_zero(1, sizeof **of_b)
                 : place_words(b->column[u].dict, out->column[t].dict);
    if (*of_a == NULL || *of_b == NULL || (in_a == NULL && !none)) {
        cr__free(in_a);
        return CR_ENOMEM;
    }
    for (size_t c = 0; !none && c < a->classes; c++)
        if ((*of_a)[c] == UINT32_MAX)
            (*of_a)[c] = (uint32_t)(out->classes + c);
    for (size_t c = 0; !none && c < b->classes; c++)
        if ((*of_b)[c] == UINT32_MAX)
            (*of_b)[c] = (uint32_t)(out->classes +
                                    (in_a[c] == UINT32_MAX ? a->classes + c : (size_t)in_a[c]));
    cr__free(in_a);
    return CR_OK;
}

/* Numbers of a + sign * b. */
static cr_status combine_values(cr__stats *out, const cr__stats *a, const cr__stats *b, int sign,
                                cr_error *err)
{
    uint32_t *of_a = NULL, *of_b = NULL;
    cr_status st = place_classes(out, a, b, &of_a, &of_b);

    for (size_t i = 0; st == CR_OK && i < out->schema->columns; i++) {
        const cr__values *values = a->column[i].values;
        size_t match;

        if (values == NULL)
            continue;
        match = cr_schema_find(b->schema, out->schema->column[i].name);
        if ((out->column[i].values = cr__alloc_zero(1, sizeof *values)) == NULL)
            st = CR_ENOMEM;
        else if ((st = cr__values_combine((cr__values_of){values, of_a},
                                          (cr__values_of){b->column[match].values, of_b}, sign,
                                          out->classes, out->column[i].values)) != CR_OK)
            fail_finish(st, out->schema->column[i].name, err);
    }
    cr__free(of_a);
    cr__free(of_b);
    return st == CR_ENOMEM ? cr__fail_memory(err) : st;
}

static cr_status sum_cross(cr__stats *out, cr__stats *const *part, size_t count, cr_error *err)
{
    cr_status st = CR_OK;

    if (part[0]->cross == NULL)
        return CR_OK;
    if ((out->cross = cr__stats_lay_out_cross(out, part[0]->cross->use)) == NULL)
        return cr__fail_memory(err);
    for (size_t i = 0; st == CR_OK && i < count; i++)
        st = add_cross(out, part[i], 1);
    return st == CR_OK ? CR_OK : cr__fail_memory(err);
}

static cr_status combine(cr__stats **out, const cr__stats *a, const cr__stats *b, int sign,
                         int lesson, cr_error *err)
{
    cr__gather *gather = NULL;
    cr_status st = gather_like(&gather, a, b, err);

    *out = NULL;
    if (st == CR_OK) {
        gather->values_apart = 1;
        st = cr__gather_add(gather, a, 1, err);
    }
    if (st == CR_OK)
        st = cr__gather_add(gather, b, sign, err);
    if (st == CR_OK)
        st = cr__gather_finish(gather, out, err);
    if (st == CR_OK &&
        ((st = combine_values(*out, a, b, sign, err)) != CR_OK ||
         (st = (lesson ? change_cross : combine_cross)(*out, a, b, sign, err)) != CR_OK)) {
        cr__stats_free(*out);
        *out = NULL;
    }
    cr__gather_free(gather);
    return st;
}

cr_status cr__stats_combine(cr__stats **out, const cr__stats *a, const cr__stats *b, int sign,
                            cr_error *err)
{
    return combine(out, a, b, sign, 0, err);
}

cr_status cr__stats_change(cr__stats **out, const cr__stats *have, const cr__stats *lesson,
                           int sign, cr_error *err)
{
    return combine(out, have, lesson, sign, 1, err);
}

cr_status cr__stats_sum(cr__stats **out, cr__stats *const *part, size_t count, cr_error *err)
{
    cr__gather *gather = NULL;
    size_t like = 0;
    cr_status st;

    while (like + 1 < count && part[like]->tuples == NULL) /* cells can become tuples */
        like++;
    st = gather_like(&gather, part[part[like]->tuples == NULL ? 0 : like], NULL, err);

    *out = NULL;
    for (size_t i = 0; st == CR_OK && i < count; i++)
        st = cr__gather_add(gather, part[i], 1, err);
    if (st == CR_OK)
        st = cr__gather_finish(gather, out, err);
    if (st == CR_OK && (st = sum_cross(*out, part, count, err)) != CR_OK) {
        cr__stats_free(*out);
        *out = NULL;
    }
    cr__gather_free(gather);
    return st;
}
