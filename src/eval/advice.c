/* eval/advice.c - notes about rows that users should see before trusting figures computed from
 * them.
 *
 * A column that determines the class of nearly every row, classes of a few rows, repeated rows: one
 * note each, with a remedy. All use the rows of a study, or an even sample of some
 * thousands. Where no rows are in memory, train/advice.c has the first two from statistics.
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
#include "train/advice.h"

enum { ROWS_MANY = 10000, ROWS_LOOKED_AT = 20000 };

#define REPEATED_SHARE 0.05

typedef struct look {
    const cr__rowset *set;
    cr_source *source;
    size_t classes, step;
    double *count; /* [classes] of all rows */
    double rows;   /* sampled */
} look;

static size_t class_at(const look *l, size_t i)
{
    return l->set->class_code[i];
}

/* --- a column that determines the class ------------------------------------------------------- */

static double symbol_tells(const look *l, const cr__table_column *column)
{
    const size_t values = column->dict->words;
    double *cell, told;

    if ((double)values > l->rows ||
        (cell = cr__alloc_zero(values * l->classes + 1, sizeof *cell)) == NULL)
        return 0;
    for (size_t i = 0; i < l->set->rows; i += l->step) {
        const uint32_t code = cr__table_code(column, l->set->row[i]);

        if (code != CR__MISSING && code <= values)
            cell[(code - 1) * l->classes + class_at(l, i)]++;
    }
    told = cr__values_tell(cell, values, l->classes, l->rows);
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
        told = cr__intervals_tell(&s, l->rows);
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
    return l->rows >= ROWS_MANY && number_tells(&few, column) < CR__TELLS_ALL - 0.04
               ? 0
               : number_tells(l, column);
}

static void note_leaks(const look *l)
{
    const cr__table *table = l->set->table;

    if (!cr__may_leak(table->schema, l->count, l->classes))
        return;
    for (size_t i = 0; i < table->schema->columns; i++) {
        double told = 0;

        if (!cr__stats_is_feature(table->schema, i) || table->column[i].kind == CR_BAG)
            continue;
        told = table->column[i].kind == CR_REAL ? number_tells_nearly(l, &table->column[i])
                                                : symbol_tells(l, &table->column[i]);
        if (told >= CR__TELLS_ALL)
            cr__note_leak(l->source, table->schema->column[i].name, told, 0);
    }
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

    if (set->class_code == NULL || set->rows < CR__ADVICE_ROWS_LEAST)
        return;
    l.classes = table->column[table->schema->target].dict->words;
    if ((l.count = cr__alloc_zero(l.classes + 1, sizeof *l.count)) == NULL)
        return; /* one note less */
    for (size_t i = 0; i < set->rows; i++)
        l.count[class_at(&l, i)]++;
    l.rows = (double)((set->rows + l.step - 1) / l.step);
    source->advised = 1;
    note_leaks(&l);
    cr__note_rare(source, table->column[table->schema->target].dict, l.count, l.classes);
    note_repeats(&l);
    note_present(&l);
    cr__free(l.count);
}
