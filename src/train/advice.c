/* train/advice.c - notes about columns that determine the class and classes of a few rows.
 *
 * Where the rows are in memory they are counted by eval/advice.c. Everywhere else the statistics
 * tell the same: values and intervals are counted by class, and so are numbers that are kept one by
 * one. Of other numbers only mean m and variance v by class are known. Then a class lies between
 * two thresholds but for at most the share v / (v + d²) on each side, d being the distance from m,
 * by Cantelli's inequality (Cantelli 1928, "Sui confini della probabilità"), whatever the density:
 * the share that the column tells is at least the rest.
 */
#include "train/advice.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>

#include "base/fail.h"
#include "base/memory.h"
#include "model/model.h"
#include "source/format.h"

enum { CLASS_LEAST = 5, NAMED_MOST = 5, FEW_ENTRIES = 2000 };

#define TOO_COMMON 0.9  /* any column predicts a class that is commoner than that */
#define VALUES_MOST 0.1 /* values per row: more of them identify rows, not classes */
#define NEARLY 0.04     /* a few of the numbers show whether a column comes that near */

double cr__values_tell(const double *cell, size_t values, size_t classes, double rows)
{
    double right = 0, all = 0;

    if (values < 2 || (double)values > VALUES_MOST * rows)
        return 0;
    for (size_t v = 0; v < values; v++) {
        double most = 0, sum = 0;

        for (size_t c = 0; c < classes; c++) {
            most = fmax(most, cell[v * classes + c]);
            sum += cell[v * classes + c];
        }
        right += sum > 1 ? most : 0;
        all += sum;
    }
    return all >= CR__ADVICE_ROWS_LEAST ? right / all : 0;
}

double cr__intervals_tell(const cr__spread *spread, double rows)
{
    cr__cuts cuts = {0};
    double *cell = NULL, told = 0;

    if (cr__cut_mdl(&cuts, spread, NULL) == CR_OK && cuts.count > 0 &&
        (double)cuts.count < VALUES_MOST * rows)
        cell = cr__alloc_zero((cuts.count + 1) * spread->classes, sizeof *cell);
    for (size_t i = 0; cell != NULL && i < spread->entries; i++)
        cell[(cr__cuts_code(&cuts, spread->value[i]) - 1) * spread->classes +
             spread->class_of[i]] += spread->count[i];
    if (cell != NULL)
        told = cr__values_tell(cell, cuts.count + 1, spread->classes, rows);
    cr__free(cell);
    cr__free(cuts.cut);
    return told;
}

int cr__may_leak(const cr_schema *schema, const double *count, size_t classes)
{
    double most = 0, rows = 0;
    size_t features = 0;

    for (size_t c = 0; c < classes; c++) {
        most = fmax(most, count[c]);
        rows += count[c];
    }
    for (size_t i = 0; i < schema->columns; i++)
        features += (size_t)cr__stats_is_feature(schema, i);
    return features >= 2 && most <= TOO_COMMON * rows;
}

void cr__note_leak(cr_source *source, const char *column, double told, int at_least)
{
    cr__source_note(source,
                    "column '%s' alone determines the class of %s%.4g %% of the rows: is it known "
                    "before the class is? " CR__SET("type %s=ignore") " leaves it out",
                    column, at_least ? "at least " : "", 100 * told, column);
}

void cr__note_rare(cr_source *source, const cr__dict *dict, const double *count, size_t classes)
{
    char names[200] = "", first[31] = "";
    size_t rare = 0, there = 0, at = 0;

    for (size_t c = 0; c < classes; c++) {
        size_t length;
        const char *name = cr__dict_word(dict, (uint32_t)c + 1, &length);

        there += count[c] > 0;
        if (count[c] <= 0 || count[c] >= CLASS_LEAST || rare++ >= NAMED_MOST ||
            at + 40 > sizeof names)
            continue;
        if (at == 0)
            snprintf(first, sizeof first, "%s", name);
        at +=
            (size_t)snprintf(names + at, sizeof names - at, "%s'%.30s'", at > 0 ? ", " : "", name);
    }
    if (rare == 0 || there < 3 || 2 * rare > there)
        return; /* one of many classes, not a target without classes */
    cr__source_note(source,
                    "%zu of %zu classes %s fewer than %d rows (%s%s): too few to be learned or "
                    "judged; " CR__SET("classes %s=other") " puts rows of a class with others",
                    rare, there, rare == 1 ? "has" : "have", CLASS_LEAST, names,
                    rare > NAMED_MOST ? ", …" : "", first);
}

/* --- from statistics -------------------------------------------------------------------------- */

static double counts_tell(const cr__stats *stats, size_t column, double rows)
{
    const size_t values = cr__stats_values(stats, column), cells = values * stats->classes;
    double *cell, told;

    if (values < 2 || (double)values > VALUES_MOST * rows ||
        (cell = cr__alloc(cells, sizeof *cell)) == NULL)
        return 0;
    for (size_t v = 0; v < values; v++)
        for (size_t c = 0; c < stats->classes; c++)
            cell[v * stats->classes + c] = cr__count_value(cr__stats_count(stats, column, v, c));
    told = cr__values_tell(cell, values, stats->classes, rows);
    cr__free(cell);
    return told;
}

/* Numbers that are kept: a few of them first show whether a column is far from determining the
 * class. */
static double numbers_tell(const cr__values *values, size_t classes, double rows)
{
    cr__spread s = {0};
    double told = 1;

    if (values->count > FEW_ENTRIES) {
        if (cr__values_thinned(values, FEW_ENTRIES, classes, &s) != CR_OK)
            return 0;
        told = cr__intervals_tell(&s, rows);
        cr__spread_free(&s);
    }
    if (told < CR__TELLS_ALL - NEARLY || cr__values_spread(values, classes, &s) != CR_OK)
        return 0;
    told = cr__intervals_tell(&s, rows);
    cr__spread_free(&s);
    return told;
}

typedef struct hump {
    double mean, deviation, count;
} hump;

static int by_mean(const void *pa, const void *pb)
{
    const hump *a = pa, *b = pb;

    return a->mean < b->mean ? -1 : a->mean > b->mean;
}

/* At most what share lies beyond the threshold at which two neighbours are as many of their
 * deviations away: v / (v + d²) with d = (b - a) s_a / (s_a + s_b) is the same of both. */
static double beyond(const hump *a, const hump *b)
{
    const double apart = b->mean - a->mean, both = a->deviation + b->deviation;

    return apart <= 0 ? 1 : 1 / (1 + apart / both * (apart / both));
}

/* At least what share of the rows the moments tell. Two classes of one mean tell nothing. */
static double moments_tell(const cr__moment *moment, size_t classes)
{
    hump *h = cr__alloc(classes, sizeof *h);
    double wrong = 0, all = 0;
    size_t n = 0;

    for (size_t c = 0; h != NULL && c < classes; c++) {
        const cr__moment *m = &moment[c];
        const double count = cr__count_value(m->count);
        const double v =
            cr__exact_variance(m->count.whole, m->count.fraction, &m->sum, &m->squares, 0);

        all += count;
        if (count <= 1)
            wrong += fmax(count, 0);
        else
            h[n++] =
                (hump){cr__exact_mean(m->count.whole, m->count.fraction, &m->sum), sqrt(v), count};
    }
    if (n > 1)
        qsort(h, n, sizeof *h, by_mean);
    for (size_t i = 0; i < n; i++)
        wrong += h[i].count * fmin(1, (i > 0 ? beyond(&h[i - 1], &h[i]) : 0) +
                                          (i + 1 < n ? beyond(&h[i], &h[i + 1]) : 0));
    cr__free(h);
    return n < 2 || all < CR__ADVICE_ROWS_LEAST ? 0 : 1 - wrong / all;
}

static void note_leaks(const cr__stats *stats, cr_source *source, double rows)
{
    for (size_t i = 0; i < stats->schema->columns; i++) {
        const cr__column_stats *s = &stats->column[i];
        double told = 0;
        int at_least = 0;

        if (!cr__stats_is_feature(stats->schema, i) || s->bag != NULL)
            continue;
        if (s->whole != NULL)
            told = counts_tell(stats, i, rows);
        else if (s->values != NULL)
            told = numbers_tell(s->values, stats->classes, rows);
        else if (s->moment != NULL) {
            told = moments_tell(s->moment, stats->classes);
            at_least = told < 1;
        }
        if (told >= CR__TELLS_ALL)
            cr__note_leak(source, stats->schema->column[i].name, told, at_least);
    }
}

void cr__stats_notes(const cr__stats *stats, cr_source *source)
{
    const size_t target = stats->schema->target;
    const uint32_t *row;
    size_t in_memory;
    double *count, rows = 0;

    if (source->advised || cr__source_table(source, &row, &in_memory) != NULL ||
        target == SIZE_MAX || stats->rows < CR__ADVICE_ROWS_LEAST ||
        stats->schema->column[target].kind != CR_SYMBOL ||
        (count = cr__alloc(stats->classes, sizeof *count)) == NULL)
        return; /* without memory, notes are left out */
    source->advised = 1;
    for (size_t c = 0; c < stats->classes; c++)
        rows += count[c] = cr__count_value(cr__stats_class(stats, c));
    if (cr__may_leak(stats->schema, count, stats->classes))
        note_leaks(stats, source, rows);
    cr__note_rare(source, stats->column[target].dict, count, stats->classes);
    cr__free(count);
}

void cr__lesson_notes(const cr_model *model, const cr_tally *tally, cr_source *source)
{
    const cr__stats *stats;

    if (tally->rows >= CR__ADVICE_ROWS_LEAST && cr__model_stats(model, &stats, NULL) == CR_OK)
        cr__stats_notes(stats, source);
}
