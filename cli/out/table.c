/* cli/out/table.c - a table for people that fits the terminal, or the same table as CSV. */
#include "out/table.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "out/out.h"
#include "out/json.h"
#include "out/text.h"
#include "session/reserve.h"

enum { GAP = 2, NARROWEST = 6, LONGEST_BAR = 40, USUAL_WIDTH = 80 };

typedef struct cell {
    char *shown;  /* for people */
    char *exact;  /* for programs; NULL: as shown */
    double value; /* of a bar */
} cell;

typedef struct column {
    char *name, *shown;
    table_align align;
    size_t width;
} column;

struct table {
    column *columns;
    size_t column_count;
    cell *cells;
    size_t cell_count, room;
};

table *table_new(void)
{
    return reserve(1, sizeof(table));
}

void table_free(table *t)
{
    if (t == NULL)
        return;
    for (size_t i = 0; i < t->cell_count; i++) {
        free(t->cells[i].shown);
        free(t->cells[i].exact);
    }
    for (size_t i = 0; i < t->column_count; i++) {
        free(t->columns[i].name);
        free(t->columns[i].shown);
    }
    free(t->cells);
    free(t->columns);
    free(t);
}

static void widen(column *c, size_t width)
{
    if (width > c->width)
        c->width = width;
}

void table_column(table *t, const char *name, table_align align)
{
    column *c;

    t->columns = reserve_more(t->columns, t->column_count + 1, sizeof *t->columns);
    c = &t->columns[t->column_count++];
    *c = (column){.name = reserve_text(name), .shown = text_shown(name, 0), .align = align};
    if (align != TABLE_BAR)
        c->width = text_width(c->shown);
}

static cell *add(table *t, char *shown, char *exact)
{
    column *c = &t->columns[t->cell_count % t->column_count];

    if (t->cell_count == t->room) {
        t->room = t->room != 0 ? 2 * t->room : 64;
        t->cells = reserve_more(t->cells, t->room, sizeof *t->cells);
    }
    if (shown != NULL)
        widen(c, text_width(shown));
    t->cells[t->cell_count] = (cell){.shown = shown, .exact = exact};
    return &t->cells[t->cell_count++];
}

void table_text(table *t, const char *text)
{
    const char *given = text != NULL ? text : "";
    char *shown = text_shown(given, 0);

    add(t, shown, strcmp(shown, given) != 0 ? reserve_text(given) : NULL);
}

void table_both(table *t, const char *people, const char *programs)
{
    add(t, text_shown(people, 0), reserve_text(programs));
}

void table_number(table *t, char *(*picture)(char *buffer, double x), double x)
{
    char people[NUMBER_ROOM], programs[NUMBER_ROOM] = "";

    if (isfinite(x))
        number_exact(programs, x);
    add(t, reserve_text(picture(people, x)), reserve_text(programs));
}

void table_bar(table *t, double value)
{
    add(t, NULL, NULL)->value = value;
}

size_t table_width(const table *t)
{
    size_t width = 0;

    for (size_t i = 0; i < t->column_count; i++)
        width += t->columns[i].width + (i != 0 ? GAP : 0);
    return width;
}

/* Narrow the widest texts of a kind until the table fits or nothing more can be cut. Returns the
 * excess width. */
static size_t fit(const table *t, table_align align, size_t *width, size_t over)
{
    while (over > 0) {
        size_t widest = SIZE_MAX;

        for (size_t i = 0; i < t->column_count; i++)
            if (t->columns[i].align == align && width[i] > NARROWEST &&
                (widest == SIZE_MAX || width[i] > width[widest]))
                widest = i;
        if (widest == SIZE_MAX)
            break;
        width[widest]--;
        over--;
    }
    return over;
}

static void spaces(size_t count)
{
    printf("%*s", (int)count, "");
}

/* Eighths of a block give the bar a finer resolution than whole characters. */
static void print_bar(double value, size_t room)
{
    static const char *const eighth[] = {"", "▏", "▎", "▍", "▌", "▋", "▊", "▉"};
    double length = fmin(fabs(value), 1) * (double)room;
    size_t whole = (size_t)length, part = (size_t)((length - (double)whole) * 8);

    if (value == 0 || room == 0)
        return;
    if (whole == 0 && part == 0)
        part = 1;
    fputs(out_style(value < 0 ? STYLE_AGAINST : STYLE_FOR), stdout);
    for (size_t i = 0; i < whole; i++)
        fputs(value < 0 ? "▒" : "█", stdout);
    if (value > 0)
        fputs(eighth[part], stdout);
    else if (part >= 4 || whole == 0)
        fputs("▒", stdout);
    fputs(out_style(STYLE_NONE), stdout);
}

/* The blanks after a cell are written before the next one, so that no line ends in blanks. */
static size_t print_text(const char *text, const column *c, size_t width, size_t gap)
{
    char *shown = text_shown(text, width);
    size_t used = text_width(shown), blank = used < width ? width - used : 0;

    if (c->align == TABLE_RIGHT) {
        gap += blank;
        blank = 0;
    }
    if (*shown != '\0') {
        spaces(gap);
        fputs(shown, stdout);
        gap = 0;
    }
    free(shown);
    return gap + blank + GAP;
}

static void print_row(const table *t, const cell *row, const size_t *width, size_t indent,
                      size_t bar_room)
{
    size_t gap = indent;

    if (row == NULL)
        fputs(out_style(STYLE_BOLD), stdout);
    for (size_t i = 0; i < t->column_count; i++) {
        const column *c = &t->columns[i];

        if (row == NULL) {
            gap = print_text(c->shown, c, c->align == TABLE_BAR ? bar_room : width[i], gap);
        } else if (c->align == TABLE_BAR) {
            if (row[i].value != 0)
                spaces(gap);
            print_bar(row[i].value, bar_room);
            gap = GAP;
        } else {
            gap = print_text(row[i].shown, c, width[i], gap);
        }
    }
    if (row == NULL)
        fputs(out_style(STYLE_NONE), stdout);
    putchar('\n');
}

void table_print(const table *t, size_t indent, bool heads)
{
    size_t limit = out_width(), need = indent + table_width(t), bar_room = 0;
    size_t *width = reserve(t->column_count, sizeof *width);

    for (size_t i = 0; i < t->column_count; i++)
        width[i] = t->columns[i].width;
    if (t->columns[t->column_count - 1].align == TABLE_BAR) {
        size_t line = limit != 0 ? limit : USUAL_WIDTH;

        bar_room = line > need + NARROWEST ? line - need : NARROWEST;
        if (bar_room > LONGEST_BAR)
            bar_room = LONGEST_BAR;
        need += bar_room;
    }
    if (limit != 0 && need > limit) {
        size_t over = fit(t, TABLE_LEFT, width, need - limit);
        size_t from_bar = over < bar_room ? over : bar_room;

        bar_room -= from_bar;
        fit(t, TABLE_WHOLE, width, over - from_bar);
    }
    if (heads)
        print_row(t, NULL, width, indent, bar_room);
    for (size_t i = 0; i + t->column_count <= t->cell_count; i += t->column_count)
        print_row(t, &t->cells[i], width, indent, bar_room);
    free(width);
}

static void csv_line(const table *t, const cell *row)
{
    for (size_t i = 0, written = 0; i < t->column_count; i++) {
        if (t->columns[i].align == TABLE_BAR)
            continue;
        if (written++ != 0)
            putchar(',');
        if (row == NULL)
            csv_field(stdout, t->columns[i].name);
        else
            csv_field(stdout, row[i].exact != NULL ? row[i].exact : row[i].shown);
    }
    putchar('\n');
}

bool table_cell(const table *t, size_t row, size_t place, const char **text, table_align *align)
{
    if (place >= t->column_count || row * t->column_count > t->cell_count)
        return false;
    *align = t->columns[place].align;
    *text =
        row == 0 ? t->columns[place].shown : t->cells[(row - 1) * t->column_count + place].shown;
    return true;
}

void table_csv(const table *t)
{
    csv_line(t, NULL);
    for (size_t i = 0; i + t->column_count <= t->cell_count; i += t->column_count)
        csv_line(t, &t->cells[i]);
}
