/* cli/plot/table.c - credence plot curve, lines: columns of a CSV file against each other. */
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "out/out.h"
#include "plot/plot.h"
#include "session/reserve.h"

enum { MOST_SERIES = 16 };

/* --- a small table of texts ------------------------------------------------------------------- */

typedef struct sheet {
    char **cell; /* [rows * columns], the names of the columns first */
    size_t columns, rows, room;
} sheet;

static void sheet_free(sheet *s)
{
    for (size_t i = 0; i < s->rows * s->columns; i++)
        free(s->cell[i]);
    free(s->cell);
    *s = (sheet){0};
}

/* The next field of a line of RFC 4180, to be freed; *line moves past it. */
static char *next_field(const char **line)
{
    const char *p = *line;
    char *field = reserve(strlen(p) + 1, 1), *out = field;
    const bool quoted = *p == '"';

    for (p += quoted; *p != '\0' && *p != '\n' && *p != '\r'; p++) {
        if (quoted && *p == '"' && p[1] != '"') {
            p++;
            break;
        }
        if (!quoted && *p == ',')
            break;
        p += quoted && *p == '"';
        *out++ = *p;
    }
    *out = '\0';
    *line = p;
    return field;
}

static void add_line(sheet *s, const char *line)
{
    size_t count = 0;

    if (s->rows == 0) {
        s->columns = 1;
        for (const char *p = line; *p != '\0'; s->columns += *p == ',', p += *p != '\0')
            free(next_field(&p));
    }
    if (s->rows == s->room) {
        s->room = s->room != 0 ? 2 * s->room : 64;
        s->cell = reserve_more(s->cell, s->room, s->columns * sizeof *s->cell);
    }
    for (; count < s->columns; count++) {
        s->cell[s->rows * s->columns + count] = next_field(&line);
        line += *line == ',';
    }
    s->rows++;
}

static int sheet_read(sheet *s, const char *path)
{
    FILE *file = strcmp(path, "-") == 0 ? stdin : fopen(path, "r");
    char *line = NULL;
    size_t room = 0;
    cr_error err = {0};

    snprintf(err.file, sizeof err.file, "%s", path);
    if (file == NULL) {
        snprintf(err.message, sizeof err.message, "cannot be opened");
        return complain(CR_EIO, &err);
    }
    while (getline(&line, &room, file) > 0)
        if (line[strspn(line, " \t\r\n")] != '\0')
            add_line(s, line);
    free(line);
    if (file != stdin)
        fclose(file);
    if (s->rows >= 2)
        return EXIT_DONE;
    snprintf(err.message, sizeof err.message, "no CSV with a line of names and a row");
    return complain(CR_EFORMAT, &err);
}

static size_t find_column(const sheet *s, const char *name)
{
    for (size_t c = 0; c < s->columns; c++)
        if (strcmp(s->cell[c], name) == 0)
            return c;
    return SIZE_MAX;
}

static double number_at(const sheet *s, size_t row, size_t column)
{
    char *end;
    double x;

    if (column == SIZE_MAX)
        return NAN;
    x = strtod(s->cell[row * s->columns + column], &end);
    return end != s->cell[row * s->columns + column] && *end == '\0' ? x : NAN;
}

/* --- series ----------------------------------------------------------------------------------- */

typedef struct bundle {
    cr_series series[MOST_SERIES];
    double *numbers[MOST_SERIES]; /* x, y, low, high of each */
    size_t count;
} bundle;

static void bundle_free(bundle *b)
{
    for (size_t i = 0; i < b->count; i++)
        free(b->numbers[i]);
}

/* The rows in which column `by` has a value, as one curve. */
static void add_series(bundle *b, const sheet *s, const char *name, size_t by, const char *value,
                       const size_t column[4], bool marks)
{
    double *n = reserve(4 * s->rows, sizeof *n);
    size_t count = 0;
    bool band = column[2] != SIZE_MAX && column[3] != SIZE_MAX;

    if (b->count == MOST_SERIES) {
        free(n);
        return;
    }
    for (size_t row = 1; row < s->rows; row++) {
        if (by != SIZE_MAX && strcmp(s->cell[row * s->columns + by], value) != 0)
            continue;
        for (size_t k = 0; k < 4; k++)
            n[k * s->rows + count] = number_at(s, row, column[k]);
        count++;
    }
    b->series[b->count] = (cr_series){.name = name,
                                      .x = n,
                                      .y = n + s->rows,
                                      .low = band ? n + 2 * s->rows : NULL,
                                      .high = band ? n + 3 * s->rows : NULL,
                                      .count = count,
                                      .marks = marks};
    b->numbers[b->count++] = n;
}

/* One curve for each value of `by`, in the order of their first rows. */
static void split(bundle *b, const sheet *s, size_t by, const size_t column[4])
{
    for (size_t row = 1; row < s->rows; row++) {
        const char *value = s->cell[row * s->columns + by];
        bool seen = false;

        for (size_t i = 0; i < b->count; i++)
            seen |= strcmp(b->series[i].name, value) == 0;
        if (!seen)
            add_series(b, s, value, by, value, column, true);
    }
}

static void json_series(json *j, const char *key, const bundle *b)
{
    json_array(j, key, JSON_BLOCK);
    for (size_t i = 0; i < b->count; i++) {
        const cr_series *s = &b->series[i];

        json_object(j, NULL, JSON_BLOCK);
        json_text(j, "name", s->name);
        json_numbers(j, "x", s->x, s->count);
        json_numbers(j, "y", s->y, s->count);
        if (s->low != NULL) {
            json_numbers(j, "low", s->low, s->count);
            json_numbers(j, "high", s->high, s->count);
        }
        json_end(j);
    }
    json_end(j);
}

/* --- learning curves -------------------------------------------------------------------------- */

static int draw_measure(plot *p, const sheet *s, const char *measure, const char *label)
{
    char low[64], high[64];
    const size_t by = find_column(s, "learner");
    size_t column[4] = {find_column(s, "size"), find_column(s, measure)};
    char *title;
    bundle b = {0};
    cr_error err = {0};
    int code;

    snprintf(low, sizeof low, "%s_low", measure);
    snprintf(high, sizeof high, "%s_high", measure);
    column[2] = find_column(s, low);
    column[3] = find_column(s, high);
    if (column[1] == SIZE_MAX)
        return EXIT_DONE;
    split(&b, s, by, column);
    title = plot_title(p->r, "Learning curves: %s", label);
    code =
        panel_added(cr_figure_add_learning(p->figure, title, label, b.series, b.count, &err), &err);
    if (code == EXIT_DONE && p->r->json)
        json_series(&p->j, measure, &b);
    free(title);
    bundle_free(&b);
    return code;
}

int plot_curve(plot *p)
{
    static const struct {
        const char *column, *label;
    } measures[] = {{"accuracy", "accuracy"},
                    {"log_loss", "log-loss"},
                    {"rmse", "RMSE"},
                    {"log_density", "log density"}};
    sheet s = {0};
    size_t there = 0;
    int code = p->r->operand_count == 2 ? sheet_read(&s, p->r->operands[1])
                                        : misuse(NULL, "curve takes one FILE");

    for (size_t i = 0; code == EXIT_DONE && i < sizeof measures / sizeof *measures; i++)
        there += find_column(&s, measures[i].column) != SIZE_MAX;
    if (code == EXIT_DONE && (find_column(&s, "learner") == SIZE_MAX ||
                              find_column(&s, "size") == SIZE_MAX || there == 0))
        code = misuse("credence curve --csv writes them: learner, size, accuracy, accuracy_low, "
                      "accuracy_high, log_loss ...; or rmse, log_density ...",
                      "%s has no columns of learning curves", p->r->operands[1]);
    for (size_t i = 0; code == EXIT_DONE && i < sizeof measures / sizeof *measures; i++)
        code = draw_measure(p, &s, measures[i].column, measures[i].label);
    sheet_free(&s);
    return code;
}

/* --- any columns ------------------------------------------------------------------------------ */

static int need_column(const sheet *s, const char *name, size_t *column)
{
    cr_nearest n = {.wanted = name};
    char hint[300];

    if ((*column = find_column(s, name)) != SIZE_MAX)
        return EXIT_DONE;
    for (size_t c = 0; c < s->columns; c++)
        cr_nearest_offer(&n, s->cell[c]);
    snprintf(hint, sizeof hint, "did you mean '%s'?", n.best != NULL ? n.best : "");
    return misuse(n.best != NULL ? hint : NULL, "there is no column '%s'", name);
}

/* -y A,B: a curve for each; with --by one for each of its values. */
static int gather(const request *r, const sheet *s, bundle *b, char *names)
{
    const char *x = option_text(r, "x"), *by = option_text(r, "by");
    size_t column[4] = {0, s->columns > 1, SIZE_MAX, SIZE_MAX}, group = SIZE_MAX;
    int code = x != NULL ? need_column(s, x, &column[0]) : EXIT_DONE;

    if (code == EXIT_DONE && by != NULL)
        code = need_column(s, by, &group);
    for (char *name = strtok(names, ","); code == EXIT_DONE && name != NULL;
         name = strtok(NULL, ",")) {
        if ((code = need_column(s, name, &column[1])) != EXIT_DONE)
            break;
        if (group != SIZE_MAX)
            split(b, s, group, column);
        else
            add_series(b, s, s->cell[column[1]], SIZE_MAX, NULL, column, false);
    }
    return code;
}

int plot_lines(plot *p)
{
    const char *x = option_text(p->r, "x"), *y = option_text(p->r, "y");
    sheet s = {0};
    bundle b = {0};
    char *names = NULL, *title = NULL;
    cr_error err = {0};
    int code = p->r->operand_count == 2 ? sheet_read(&s, p->r->operands[1])
                                        : misuse(NULL, "lines takes one FILE");

    if (code == EXIT_DONE) {
        names = reserve_text(y != NULL ? y : s.cell[s.columns > 1]);
        code = gather(p->r, &s, &b, names);
    }
    if (code == EXIT_DONE) {
        const cr_axes axes = {
            title = plot_title(p->r, "%s", p->r->operands[1]),
            {.label = x != NULL ? x : s.cell[0], .log = option_given(p->r, "log")},
            {.label = y != NULL ? y : s.cell[s.columns > 1]}};

        if (b.count == 1)
            b.series[0].name = NULL;
        code = panel_added(cr_figure_add_lines(p->figure, &axes, b.series, b.count, &err), &err);
    }
    if (code == EXIT_DONE && p->r->json)
        json_series(&p->j, "series", &b);
    bundle_free(&b);
    sheet_free(&s);
    free(names);
    free(title);
    return code;
}
