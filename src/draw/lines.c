/* draw/lines.c - columns of a table against each other: lines, and learning curves. */
#include <math.h>
#include <stdio.h>
#include <string.h>

#include "base/fail.h"
#include "base/memory.h"
#include "base/sized.h"
#include "draw/draw.h"
#include "source/word_table.h"

enum { MOST_LINES = 16, X = 0, Y, LOW, HIGH, AXES };

/* Lines; the numbers of each are consecutive. */
typedef struct bundle {
    const cr__texts *table;
    cr_series series[MOST_LINES];
    double *numbers[MOST_LINES]; /* [AXES * rows] of each */
    size_t count;
} bundle;

static void free_bundle(bundle *b)
{
    for (size_t i = 0; i < b->count; i++)
        cr__free(b->numbers[i]);
}

static size_t column_of(const cr__texts *t, const char *name)
{
    return cr__texts_find(t, name, strlen(name));
}

/* The number in a cell; NaN: there is none. */
static cr_status number_at(const cr__texts *t, size_t row, size_t column, double *x, cr_error *err)
{
    const char *text = t->cell[row * t->columns + column];

    *x = NAN;
    return text == NULL || cr__texts_number(text, strlen(text), x)
               ? CR_OK
               : cr__texts_fail(t, row, column, "a number", err);
}

/* Whether a row belongs to a line: SIZE_MAX for `by` means all. */
static int belongs(const cr__texts *t, size_t row, size_t by, const char *value)
{
    const char *text = by == SIZE_MAX ? NULL : t->cell[row * t->columns + by];

    return by == SIZE_MAX || (text != NULL && strcmp(text, value) == 0);
}

/* The rows in which column `by` has a value, as one line. */
static cr_status add_line(bundle *b, const char *name, size_t by, const size_t column[AXES],
                          cr_error *err)
{
    const cr__texts *t = b->table;
    const int band = column[LOW] != SIZE_MAX && column[HIGH] != SIZE_MAX;
    double *n;
    size_t count = 0;
    cr_status st = CR_OK;

    if (b->count == MOST_LINES)
        return cr__fail(err, CR_ELIMIT, "more than %d lines cannot be told apart", MOST_LINES);
    if ((n = cr__alloc(AXES * t->rows, sizeof *n)) == NULL)
        return cr__fail_memory(err);
    b->numbers[b->count] = n;
    for (size_t row = 0; st == CR_OK && row < t->rows; row++) {
        if (!belongs(t, row, by, name))
            continue;
        for (size_t k = 0; st == CR_OK && k < (band ? AXES : LOW); k++)
            st = number_at(t, row, column[k], &n[k * t->rows + count], err);
        count++;
    }
    b->series[b->count++] = (cr_series){.name = name,
                                        .x = n,
                                        .y = n + t->rows,
                                        .low = band ? n + LOW * t->rows : NULL,
                                        .high = band ? n + HIGH * t->rows : NULL,
                                        .count = count,
                                        .marks = by != SIZE_MAX};
    return st;
}

/* One line for each value of `by`, in the order of their first rows. */
static cr_status split(bundle *b, size_t by, const size_t column[AXES], cr_error *err)
{
    cr_status st = CR_OK;

    for (size_t row = 0; st == CR_OK && row < b->table->rows; row++) {
        const char *value = b->table->cell[row * b->table->columns + by];
        int seen = value == NULL;

        for (size_t i = 0; !seen && i < b->count; i++)
            seen = strcmp(b->series[i].name, value) == 0;
        if (!seen)
            st = add_line(b, value, by, column, err);
    }
    return st;
}

static void lines_json(cr_json *j, const char *key, const bundle *b)
{
    cr_json_array(j, key, CR_JSON_BLOCK);
    for (size_t i = 0; i < b->count; i++) {
        const cr_series *s = &b->series[i];

        cr_json_object(j, NULL, CR_JSON_BLOCK);
        cr_json_text(j, "name", s->name);
        cr_json_numbers(j, "x", s->x, s->count);
        cr_json_numbers(j, "y", s->y, s->count);
        if (s->low != NULL) {
            cr_json_numbers(j, "low", s->low, s->count);
            cr_json_numbers(j, "high", s->high, s->count);
        }
        cr_json_end(j);
    }
    cr_json_end(j);
}

/* The options and the table, which must have a row. Free them even after a failure. */
static cr_status begin(cr__texts *t, cr_draw_options *how, cr_source *source,
                       const cr_draw_options *options, cr_error *err)
{
    cr_status st = cr__sized_take(how, sizeof *how, options, "cr_draw_options", err);

    if (st == CR_OK)
        st = cr__texts_take(t, source, how->data != NULL ? how->data : "the data", err);
    return st == CR_OK && t->rows == 0 ? cr__fail(err, CR_EFORMAT, "there is no row to draw") : st;
}

/* --- learning curves -------------------------------------------------------------------------- */

typedef struct measure {
    const char *column, *low, *high, *label;
} measure;

static const measure measures[] = {
    {"accuracy", "accuracy_low", "accuracy_high", "accuracy"},
    {"log_loss", "log_loss_low", "log_loss_high", "log-loss"},
    {"rmse", "rmse_low", "rmse_high", "RMSE"},
    {"log_density", "log_density_low", "log_density_high", "log density"},
};
enum { MEASURES = sizeof measures / sizeof *measures };

static cr_status draw_measure(cr_figure *figure, const cr__texts *t, const measure *m,
                              const char *title, cr_json *numbers, cr_error *err)
{
    const size_t column[AXES] = {column_of(t, "size"), column_of(t, m->column),
                                 column_of(t, m->low), column_of(t, m->high)};
    bundle b = {.table = t};
    char usual[80];
    cr_status st = split(&b, column_of(t, "learner"), column, err);

    snprintf(usual, sizeof usual, "Learning curves: %s", m->label);
    if (st == CR_OK)
        st = cr_figure_add_learning(figure, title != NULL ? title : usual, m->label, b.series,
                                    b.count, err);
    if (st == CR_OK && numbers != NULL)
        lines_json(numbers, m->column, &b);
    free_bundle(&b);
    return st;
}

cr_status cr_draw_learning(cr_figure *figure, cr_source *source, const cr_draw_options *options,
                           cr_json *numbers, cr_error *err)
{
    cr_draw_options how;
    cr__texts t = {0};
    size_t there = 0;
    cr_status st = begin(&t, &how, source, options, err);

    for (size_t i = 0; st == CR_OK && i < MEASURES; i++)
        there += column_of(&t, measures[i].column) != SIZE_MAX;
    if (st == CR_OK &&
        (column_of(&t, "learner") == SIZE_MAX || column_of(&t, "size") == SIZE_MAX || there == 0)) {
        cr__fail(err, CR_EARG, "%s has no columns of learning curves", t.path);
        st = cr__fail_hint(err, CR_EARG,
                           "they are learner, size, accuracy, accuracy_low, accuracy_high, "
                           "log_loss ...; or rmse, log_density ...");
    }
    for (size_t i = 0; st == CR_OK && i < MEASURES; i++)
        if (column_of(&t, measures[i].column) != SIZE_MAX)
            st = draw_measure(figure, &t, &measures[i], how.title, numbers, err);
    cr__texts_free(&t);
    return st;
}

/* --- any columns ------------------------------------------------------------------------------ */

static cr_status need_column(const cr__texts *t, const char *name, size_t length, size_t *column,
                             cr_error *err)
{
    char *wanted;
    cr_nearest n = {0};

    if ((*column = cr__texts_find(t, name, length)) != SIZE_MAX)
        return CR_OK;
    if ((wanted = cr__strndup(name, length)) == NULL)
        return cr__fail_memory(err);
    n.wanted = wanted;
    for (size_t c = 0; c < t->columns; c++)
        cr_nearest_offer(&n, t->column[c]);
    cr__fail(err, CR_EARG, "there is no column '%s'", wanted);
    if (n.best != NULL)
        cr__fail_hint(err, CR_EARG, "did you mean '%s'?", n.best);
    cr__free(wanted);
    return CR_EARG;
}

/* y "A,B": a line for each; with `by` one for each of its values. */
static cr_status gather(bundle *b, const cr_draw_options *how, cr_error *err)
{
    const cr__texts *t = b->table;
    size_t column[AXES] = {0, 0, SIZE_MAX, SIZE_MAX}, by = SIZE_MAX;
    cr_status st = need_column(t, how->x, strlen(how->x), &column[X], err);

    if (st == CR_OK && how->by != NULL)
        st = need_column(t, how->by, strlen(how->by), &by, err);
    for (const char *y = how->y; st == CR_OK && *y != '\0'; y += *y == ',') {
        const size_t length = strcspn(y, ",");

        if (length > 0 && (st = need_column(t, y, length, &column[Y], err)) == CR_OK)
            st = by != SIZE_MAX ? split(b, by, column, err)
                                : add_line(b, t->column[column[Y]], SIZE_MAX, column, err);
        y += length;
    }
    return st;
}

cr_status cr_draw_lines(cr_figure *figure, cr_source *source, const cr_draw_options *options,
                        cr_json *numbers, cr_error *err)
{
    cr_draw_options how;
    cr__texts t = {0};
    bundle b = {.table = &t};
    cr_status st = begin(&t, &how, source, options, err);

    if (st == CR_OK) {
        how.x = how.x != NULL ? how.x : t.column[0];
        how.y = how.y != NULL ? how.y : t.column[t.columns > 1];
        st = gather(&b, &how, err);
    }
    if (st == CR_OK) {
        const cr_axes axes = {how.title != NULL ? how.title : cr__short_name(t.path, ""),
                              {.label = how.x, .log = how.log_x},
                              {.label = how.y}};

        if (b.count == 1)
            b.series[0].name = NULL;
        st = cr_figure_add_lines(figure, &axes, b.series, b.count, err);
    }
    if (st == CR_OK && numbers != NULL)
        lines_json(numbers, "series", &b);
    free_bundle(&b);
    cr__texts_free(&t);
    return st;
}
