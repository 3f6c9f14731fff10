/* render/sheet.c - the main table of a result: cells under fields, and as CSV. */
#include <math.h>
#include <string.h>

#include "base/fail.h"
#include "base/memory.h"
#include "render/fields.h"

typedef struct cell {
    const char *text; /* NULL: a number */
    char *own;        /* the same, to be freed; or NULL */
    double number;
    double people; /* the number that users see */
    int show;      /* its format; -1: that of the column */
} cell;

struct cr_sheet {
    cr_field *field;
    cell *cell;
    size_t columns, column_room, cells, cell_room;
    char **title; /* [titles] owned by the sheet */
    size_t titles, title_room;
    int failed; /* out of memory */
};

cr_status cr__sheet_new(cr_sheet **out, cr_error *err)
{
    *out = cr__alloc_zero(1, sizeof **out);
    return *out == NULL ? cr__fail_memory(err) : CR_OK;
}

void cr_sheet_free(cr_sheet *s)
{
    if (s == NULL)
        return;
    for (size_t i = 0; i < s->cells; i++)
        cr__free(s->cell[i].own);
    for (size_t i = 0; i < s->titles; i++)
        cr__free(s->title[i]);
    cr__free(s->title);
    cr__free(s->cell);
    cr__free(s->field);
    cr__free(s);
}

cr_status cr__sheet_done(cr_sheet **out, cr_error *err)
{
    if (!(*out)->failed)
        return CR_OK;
    cr_sheet_free(*out);
    *out = NULL;
    return cr__fail_memory(err);
}

void cr__sheet_column(cr_sheet *s, cr_field field)
{
    if (!cr__grow(&s->field, &s->column_room, s->columns + 1, sizeof *s->field))
        s->failed = 1;
    else
        s->field[s->columns++] = field;
}

void cr__sheet_titled(cr_sheet *s, const char *title, size_t size, unsigned whom)
{
    char *copy = cr__strndup(title, size);

    if (copy == NULL || !cr__grow(&s->title, &s->title_room, s->titles + 1, sizeof *s->title)) {
        cr__free(copy);
        s->failed = 1;
        return;
    }
    s->title[s->titles++] = copy;
    cr__sheet_column(s, (cr_field){copy, copy, NULL, CR_SHOW_PLAIN, whom});
}

void cr__sheet_name(cr_sheet *s, const char *const *name, size_t count)
{
    for (size_t i = 0; i < count; i++)
        cr__sheet_column(s, (cr_field){name[i], name[i], NULL, CR_SHOW_PLAIN, CR_FOR_ALL});
}

static void add(cr_sheet *s, cell c)
{
    if (s->failed || !cr__grow(&s->cell, &s->cell_room, s->cells + 1, sizeof *s->cell)) {
        cr__free(c.own);
        s->failed = 1;
    } else {
        s->cell[s->cells++] = c;
    }
}

void cr__sheet_number(cr_sheet *s, double x)
{
    add(s, (cell){.number = x, .people = x, .show = -1});
}

void cr__sheet_shown(cr_sheet *s, double x, cr_show show, double people)
{
    add(s, (cell){.number = x, .people = people, .show = (int)show});
}

void cr__sheet_maybe(cr_sheet *s, int is, double x)
{
    if (is)
        cr__sheet_number(s, x);
    else
        cr__sheet_text(s, "");
}

void cr__sheet_text(cr_sheet *s, const char *text)
{
    add(s, (cell){.text = text == NULL ? "" : text, .number = NAN});
}

void cr__sheet_own(cr_sheet *s, const char *text)
{
    char *copy = cr__strndup(text, strlen(text));

    s->failed |= copy == NULL;
    add(s, (cell){.text = copy, .own = copy, .number = NAN});
}

/* --- reading ---------------------------------------------------------------------------------- */

size_t cr_sheet_columns(const cr_sheet *s)
{
    return s->columns;
}

size_t cr_sheet_rows(const cr_sheet *s)
{
    return s->columns == 0 ? 0 : s->cells / s->columns;
}

const cr_field *cr_sheet_field(const cr_sheet *s, size_t column)
{
    return column < s->columns ? &s->field[column] : NULL;
}

const char *cr_sheet_cell(const cr_sheet *s, size_t row, size_t column, double *number)
{
    *number = NAN;
    if (column >= s->columns || row >= cr_sheet_rows(s))
        return "";
    *number = s->cell[row * s->columns + column].number;
    return s->cell[row * s->columns + column].text;
}

const char *cr_sheet_shown(const cr_sheet *s, size_t row, size_t column, char *buffer)
{
    const cell *c;

    if (column >= s->columns || row >= cr_sheet_rows(s))
        return "";
    c = &s->cell[row * s->columns + column];
    return c->text != NULL
               ? c->text
               : cr_show_number(buffer, c->show < 0 ? s->field[column].show : (cr_show)c->show,
                                c->people);
}

/* --- CSV -------------------------------------------------------------------------------------- */

static void put_cell(cr_output *out, const cell *c)
{
    if (c->text != NULL)
        cr_csv_field(out, c->text, strlen(c->text));
    else if (isfinite(c->number))
        cr_output_number(out, c->number == 0 ? 0.0 : c->number);
}

void cr_sheet_csv(const cr_sheet *s, cr_output *out)
{
    for (size_t row = 0; row <= cr_sheet_rows(s); row++) {
        int first = 1;

        for (size_t c = 0; c < s->columns; c++) {
            if ((s->field[c].whom & CR_FOR_PROGRAMS) == 0)
                continue;
            if (!first)
                cr_output_text(out, ",");
            first = 0;
            if (row == 0)
                cr_csv_field(out, s->field[c].key, strlen(s->field[c].key));
            else
                put_cell(out, &s->cell[(row - 1) * s->columns + c]);
        }
        cr_output_text(out, "\n");
    }
}
