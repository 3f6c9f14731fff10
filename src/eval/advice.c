/* eval/advice.c - notes about rows that users should see before trusting figures computed from
 * them.
 *
 * A column that determines the class of nearly every row, classes of a few rows, repeated rows: one
 * note each, with a remedy. All use the rows of a study, or an even sample of a few thousand.
 */
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/fail.h"
#include "base/memory.h"
#include "base/sort_keys.h"
#include "data/discretise.h"
#include "eval/study.h"
#include "source/format.h"

enum {
    ROWS_LEAST = 50,
    ROWS_MANY = 10000,
    ROWS_LOOKED_AT = 20000,
    CLASS_LEAST = 5,
    NAMED_MOST = 5
};

#define TELLS_ALL 0.99  /* share of the rows that a column predicts correctly */
#define TOO_COMMON 0.9  /* any column predicts a class that is commoner than that */
#define VALUES_MOST 0.1 /* values per row: more of them identify rows, not classes */
#define REPEATED_SHARE 0.05

typedef struct look {
    const cr__rowset *set;
    cr_source *source;
    size_t classes, step;
    double *count; /* [classes] of the sampled rows */
    double rows;
} look;

static size_t class_at(const look *l, size_t i)
{
    return l->set->class_code[i];
}

/* --- a column that determines the class ------------------------------------------------------- */

/* The share of rows whose class is the commonest one of their value, among rows that have one. A
 * value of a single row is uninformative about others: it counts as wrong. */
static double share_told(const double *cell, size_t values, size_t classes)
{
    double right = 0, all = 0;

    for (size_t v = 0; v < values; v++) {
        double most = 0, sum = 0;

        for (size_t c = 0; c < classes; c++) {
            most = fmax(most, cell[v * classes + c]);
            sum += cell[v * classes + c];
        }
        right += sum > 1 ? most : 0;
        all += sum;
    }
    return all > 0 ? right / all : 0;
}

static double symbol_tells(const look *l, const cr__table_column *column)
{
    const size_t values = column->dict->words;
    double *cell, told;

    if ((double)values > VALUES_MOST * l->rows || values < 2 ||
        (cell = cr__alloc_zero(values * l->classes, sizeof *cell)) == NULL)
        return 0;
    for (size_t i = 0; i < l->set->rows; i += l->step) {
        const uint32_t code = cr__table_code(column, l->set->row[i]);

        if (code != CR__MISSING && code <= values)
            cell[(code - 1) * l->classes + class_at(l, i)]++;
    }
    told = share_told(cell, values, l->classes);
    cr__free(cell);
    return told;
}

typedef struct entry {
    double value;
    uint32_t class_code;
} entry;

static int by_value(const void *pa, const void *pb)
{
    const entry *a = pa, *b = pb;

    if (a->value != b->value)
        return a->value < b->value ? -1 : 1;
    return a->class_code < b->class_code ? -1 : a->class_code > b->class_code;
}

/* Intervals that separate the classes, and their accuracy. */
static double intervals_tell(const look *l, const cr__spread *spread)
{
    cr__cuts cuts = {0};
    double *cell = NULL, told = 0;

    if (cr__cut_mdl(&cuts, spread, NULL) == CR_OK && cuts.count > 0 &&
        (double)cuts.count < VALUES_MOST * l->rows)
        cell = cr__alloc_zero((cuts.count + 1) * l->classes, sizeof *cell);
    for (size_t i = 0; cell != NULL && i < spread->entries; i++)
        cell[(cr__cuts_code(&cuts, spread->value[i]) - 1) * l->classes + spread->class_of[i]] +=
            spread->count[i];
    if (cell != NULL)
        told = share_told(cell, cuts.count + 1, l->classes);
    cr__free(cell);
    cr__free(cuts.cut);
    return told;
}

static double number_tells(const look *l, const cr__table_column *column)
{
    const size_t room = l->set->rows / l->step + 1;
    entry *list = cr__alloc(room, sizeof *list);
    cr__spread s = {.classes = l->classes,
                    .value = cr__alloc(room, sizeof *s.value),
                    .class_of = cr__alloc(room, sizeof *s.class_of),
                    .count = cr__alloc(room, sizeof *s.count)};
    const int fits = list != NULL && s.value != NULL && s.class_of != NULL && s.count != NULL;
    size_t n = 0;
    double told = 0;

    for (size_t i = 0; fits && i < l->set->rows; i += l->step)
        if (!isnan(column->real[l->set->row[i]]))
            list[n++] = (entry){column->real[l->set->row[i]], (uint32_t)class_at(l, i)};
    if (fits)
        qsort(list, n, sizeof *list, by_value);
    for (size_t i = 0; i < n; i++) {
        if (i == 0 || by_value(&list[i], &list[i - 1]) != 0) {
            s.value[s.entries] = list[i].value;
            s.class_of[s.entries] = list[i].class_code;
            s.count[s.entries++] = 0;
        }
        s.count[s.entries - 1]++;
    }
    if (n > 0)
        told = intervals_tell(l, &s);
    cr__spread_free(&s);
    cr__free(list);
    return told;
}

/* The same; with many rows, a tenth of them first shows whether a column is far from determining
 * the class. */
static double number_tells_nearly(const look *l, const cr__table_column *column)
{
    look few = *l;

    few.step *= 10;
    few.rows /= 10;
    return l->rows >= ROWS_MANY && number_tells(&few, column) < TELLS_ALL - 0.04
               ? 0
               : number_tells(l, column);
}

static void note_leaks(const look *l)
{
    const cr__table *table = l->set->table;
    double most = 0;
    size_t features = 0;

    for (size_t c = 0; c < l->classes; c++)
        most = fmax(most, l->count[c]);
    for (size_t i = 0; i < table->schema->columns; i++)
        features += cr__stats_is_feature(table->schema, i);
    if (features < 2 || most > TOO_COMMON * l->rows)
        return;
    for (size_t i = 0; i < table->schema->columns; i++) {
        const char *name = table->schema->column[i].name;
        double told = 0;

        if (!cr__stats_is_feature(table->schema, i) || table->column[i].kind == CR_BAG)
            continue;
        told = table->column[i].kind == CR_REAL ? number_tells_nearly(l, &table->column[i])
                                                : symbol_tells(l, &table->column[i]);
        if (told >= TELLS_ALL)
            cr__source_note(
                l->source,
                "column '%s' alone determines the class of %.4g %% of the rows: is it known "
                "before the class is? " CR__SET("type %s=ignore") " leaves it out",
                name, 100 * told, name);
    }
}

/* --- classes of a few rows -------------------------------------------------------------------- */

static void note_rare(const look *l)
{
    const cr__table *table = l->set->table;
    const cr__dict *dict = table->column[table->schema->target].dict;
    char names[200] = "", first[31] = "";
    size_t rare = 0, there = 0, at = 0;

    for (size_t c = 0; c < l->classes; c++) {
        size_t length;
        const char *name = cr__dict_word(dict, (uint32_t)c + 1, &length);

        there += l->count[c] > 0;
        if (l->count[c] == 0 || l->count[c] >= CLASS_LEAST || rare++ >= NAMED_MOST ||
            at + 40 > sizeof names)
            continue;
        if (at == 0)
            snprintf(first, sizeof first, "%s", name);
        at +=
            (size_t)snprintf(names + at, sizeof names - at, "%s'%.30s'", at > 0 ? ", " : "", name);
    }
    if (rare == 0 || there < 3 || 2 * rare > there)
        return; /* one of many classes, not a target without classes */
    cr__source_note(l->source,
                    "%zu of %zu classes %s fewer than %d rows (%s%s): too few to be learned or "
                    "judged; " CR__SET("classes %s=other") " puts rows of a class with others",
                    rare, there, rare == 1 ? "has" : "have", CLASS_LEAST, names,
                    rare > NAMED_MOST ? ", …" : "", first);
}

/* --- repeated rows ---------------------------------------------------------------------------- */

static uint64_t mix(uint64_t h, uint64_t x)
{
    h = (h ^ x) * 0x9e3779b97f4a7c15u;
    return h ^ (h >> 29);
}

/* Add a column to the hashes of the first rows. */
static void hash_column(const cr__rowset *set, const cr__table_column *column, uint64_t *hash,
                        size_t rows)
{
    for (size_t i = 0; i < rows; i++) {
        const size_t r = set->row[i];
        uint64_t bits = 0;

        if (column->kind == CR_REAL)
            memcpy(&bits, &column->real[r], sizeof bits);
        else
            bits = cr__table_code(column, r);
        hash[i] = mix(hash[i], bits + 1);
        for (uint64_t w = column->kind == CR_BAG ? column->start[r] : 0;
             column->kind == CR_BAG && w < column->start[r + 1]; w++)
            hash[i] = mix(hash[i], column->word[w]);
    }
}

/* The hashes of the features and the class of the first rows. */
static void hash_rows(const look *l, uint64_t *hash, size_t rows)
{
    const cr__table *table = l->set->table;

    for (size_t i = 0; i < rows; i++)
        hash[i] = class_at(l, i) + 1;
    for (size_t k = 0; k < table->schema->columns; k++)
        if (cr__stats_is_feature(table->schema, k))
            hash_column(l->set, &table->column[k], hash, rows);
}

/* Rows of a few symbols repeat by nature; numbers and texts do not. */
static int may_repeat(const cr__table *table)
{
    size_t reals = 0, texts = 0;

    for (size_t k = 0; k < table->schema->columns; k++)
        if (cr__stats_is_feature(table->schema, k)) {
            reals += table->column[k].kind == CR_REAL;
            texts += table->column[k].kind == CR_BAG;
        }
    return reals < 3 && texts == 0;
}

static void note_repeats(const look *l)
{
    const size_t rows = l->set->rows < ROWS_LOOKED_AT ? l->set->rows : ROWS_LOOKED_AT;
    const uint64_t *sorted;
    uint64_t *hash;
    size_t repeats = 0;

    if (may_repeat(l->set->table) || (hash = cr__alloc(rows, 2 * sizeof *hash)) == NULL)
        return;
    hash_rows(l, hash, rows); /* repeated rows are often adjacent: no sampling */
    sorted = cr__keys_sort_down((cr__keys){.key = hash}, (cr__keys){.key = hash + rows}, rows).key;
    for (size_t i = 1; i < rows; i++)
        repeats += sorted[i] == sorted[i - 1];
    cr__free(hash);
    if ((double)repeats >= REPEATED_SHARE * (double)rows)
        cr__source_note(
            l->source,
            "%zu of %s%zu rows repeat an earlier one: a model that has learned one copy "
            "is judged by the other, and looks better than it is; " CR__SET(
                "group COLUMN") " keeps rows that belong together in one fold",
            repeats, rows < l->set->rows ? "the first " : "", rows);
}

/* --- values that are present or missing ------------------------------------------------------- */

static void note_present(const look *l)
{
    const cr__table *table = l->set->table;
    cr__present_columns found = {0};

    for (size_t k = 0; k < table->schema->columns; k++) {
        const cr__table_column *column = &table->column[k];
        double observed = 0;

        if (!cr__stats_is_feature(table->schema, k) || column->kind != CR_SYMBOL ||
            column->dict->words != 1)
            continue;
        for (size_t i = 0; i < l->set->rows; i += l->step)
            observed += cr__table_code(column, l->set->row[i]) != CR__MISSING;
        cr__present_column(&found, &table->schema->column[k], column->dict, observed, l->rows);
    }
    cr__source_note_present(l->source, &found);
}

void cr__rowset_notes(const cr__rowset *set, cr_source *source)
{
    const cr__table *table = set->table;
    look l = {.set = set, .source = source, .step = set->rows / ROWS_LOOKED_AT + 1};

    if (set->class_code == NULL || set->rows < ROWS_LEAST)
        return;
    l.classes = table->column[table->schema->target].dict->words;
    if ((l.count = cr__alloc_zero(l.classes + 1, sizeof *l.count)) == NULL)
        return; /* one note less */
    for (size_t i = 0; i < set->rows; i += l.step) {
        l.count[class_at(&l, i)]++;
        l.rows++;
    }
    note_leaks(&l);
    if (l.step == 1)
        note_rare(&l);
    note_repeats(&l);
    note_present(&l);
    cr__free(l.count);
}
