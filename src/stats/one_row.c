/* stats/one_row.c - add or remove one row in place.
 *
 * Everything that could fail is checked before the first count changes; exact sums, which may need
 * memory, come first and are put back when one of them fails.
 */
#include "stats/one_row.h"

#include <math.h>

/* --- what can be done in place ---------------------------------------------------------------- */

/* Only classes, symbols and moments, and texts where they are apart, counted in whole rows. */
static int is_plain(const cr__stats *stats, int texts_apart)
{
    const cr_schema *schema = stats->schema;

    if (schema->target == SIZE_MAX || schema->weight != SIZE_MAX || stats->cells != NULL ||
        stats->tuples != NULL || stats->cross != NULL || stats->class_fraction != NULL ||
        schema->column[schema->target].kind != CR_SYMBOL)
        return 0;
    for (size_t i = 0; i < schema->columns; i++)
        if (stats->column[i].values != NULL || stats->column[i].fraction != NULL ||
            (stats->column[i].bag != NULL && !texts_apart))
            return 0;
    return 1;
}

static int is_declared(const cr__stats *stats, size_t column, uint32_t code)
{
    const cr__dict *declared = stats->schema->column[column].declared;

    return declared != NULL && code <= declared->words;
}

/* Whether some other row has the value, too. */
static int stays(const cr__stats *stats, size_t column, uint32_t code)
{
    const int64_t *whole = stats->column[column].whole + (size_t)(code - 1) * stats->classes;
    int64_t rows = 0;

    for (size_t c = 0; c < stats->classes && rows < 2; c++)
        rows += whole[c];
    return rows >= 2 || is_declared(stats, column, code);
}

/* Whether a symbol's value can be removed from a class that then has this many rows. */
static int can_lose_symbol(const cr__stats *stats, size_t column, uint32_t code, size_t c,
                           int64_t rows)
{
    const cr__column_stats *s = &stats->column[column];
    int64_t have = code == CR__MISSING ? 0 : -1;

    if (code != CR__MISSING &&
        (s->whole[(code - 1) * stats->classes + c] < 1 || !stays(stats, column, code)))
        return 0;
    for (size_t v = 0; v < s->dict->words; v++)
        have += s->whole[v * stats->classes + c];
    return have <= rows;
}

/* Whether a row of class c can be removed, as far as the counts show. */
static int can_lose(const cr__stats *stats, const cr__one_row *row, size_t c)
{
    const int64_t rows = stats->class_whole[c] - 1;

    if (rows < 0 || (rows == 0 && !is_declared(stats, stats->schema->target, (uint32_t)c + 1)))
        return 0;
    for (size_t i = 0; i < stats->schema->columns; i++) {
        const cr__column_stats *s = &stats->column[i];

        if (s->whole != NULL && !can_lose_symbol(stats, i, row->code[i], c, rows))
            return 0;
        if (s->moment != NULL && (s->moment[c].count.fraction != 0 ||
                                  s->moment[c].count.whole - !isnan(row->real[i]) > rows ||
                                  s->moment[c].count.whole < !isnan(row->real[i])))
            return 0;
    }
    return 1;
}

/* Whether every word of the row is known to the statistics. */
static int knows(const cr__stats *stats, const cr__one_row *row)
{
    for (size_t i = 0; i < stats->schema->columns; i++)
        if (stats->column[i].dict != NULL && row->code[i] > stats->column[i].dict->words)
            return 0;
    return row->code[stats->schema->target] != CR__MISSING;
}

/* --- the change ------------------------------------------------------------------------------- */

static cr_status take_number(cr__moment *m, double x, int sign)
{
    cr_status st = cr__exact_add_double(&m->sum, sign < 0 ? -x : x);

    if (st == CR_OK && (st = cr__exact_add_square(&m->squares, x, sign)) != CR_OK)
        (void)cr__exact_add_double(&m->sum, sign < 0 ? x : -x);
    if (st == CR_OK)
        m->count.whole += sign;
    return st;
}

/* Restore the numbers of the columns before `last`. */
static void put_back(cr__stats *stats, const cr__one_row *row, size_t c, size_t last, int sign)
{
    for (size_t i = 0; i < last; i++)
        if (stats->column[i].moment != NULL && !isnan(row->real[i]))
            (void)take_number(&stats->column[i].moment[c], row->real[i], -sign);
}

static cr_status take_numbers(cr__stats *stats, const cr__one_row *row, size_t c, int sign)
{
    for (size_t i = 0; i < stats->schema->columns; i++) {
        cr__moment *m = stats->column[i].moment;
        cr_status st;

        if (m == NULL || isnan(row->real[i]))
            continue;
        st = take_number(&m[c], row->real[i], sign);
        if (st != CR_OK || (sign < 0 && cr__moment_check(&m[c]) != CR_OK)) {
            put_back(stats, row, c, i + (st == CR_OK), sign);
            return CR_END;
        }
    }
    return CR_OK;
}

cr_status cr__stats_take_row(cr__stats *stats, const cr__one_row *row, int sign)
{
    size_t c;

    if (!is_plain(stats, row->texts_apart) || !knows(stats, row))
        return CR_END;
    c = row->code[stats->schema->target] - 1;
    if ((sign < 0 && !can_lose(stats, row, c)) || take_numbers(stats, row, c, sign) != CR_OK)
        return CR_END;
    for (size_t i = 0; i < stats->schema->columns; i++)
        if (stats->column[i].whole != NULL && row->code[i] != CR__MISSING)
            stats->column[i].whole[(row->code[i] - 1) * stats->classes + c] += sign;
    stats->class_whole[c] += sign;
    stats->rows += (uint64_t)(int64_t)sign;
    return CR_OK;
}
