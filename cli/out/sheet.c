/* cli/out/sheet.c - the table of a result, on the terminal or as CSV. */
#include "out/sheet.h"

#include <math.h>
#include <string.h>

#include "out/json.h"
#include "out/text.h"
#include "session/reserve.h"

cr_sheet *sheet_made(cr_status status, cr_sheet *s)
{
    if (status != CR_OK)
        reserve_failed();
    return s;
}

/* Numbers are right-aligned. Of texts, names are cut last. */
static table_align align_of(const cr_sheet *s, size_t column)
{
    const char *key = cr_sheet_field(s, column)->key;
    double x;

    for (size_t r = 0; r < cr_sheet_rows(s); r++)
        if (cr_sheet_cell(s, r, column, &x) == NULL)
            return TABLE_RIGHT;
    return strcmp(key, "class") == 0 || strcmp(key, "what changed") == 0 ||
                   strcmp(key, "best") == 0 || strcmp(key, "fold") == 0
               ? TABLE_LEFT
               : TABLE_WHOLE;
}

static bool is_for_people(const cr_sheet *s, size_t column)
{
    return (cr_sheet_field(s, column)->whom & CR_FOR_PEOPLE) != 0;
}

static void add_cell(table *t, const cr_sheet *s, size_t row, size_t column)
{
    char people[NUMBER_ROOM], programs[NUMBER_ROOM];
    double x;
    const char *text = cr_sheet_cell(s, row, column, &x);

    if (text != NULL)
        table_text(t, text);
    else
        table_both(t, cr_sheet_shown(s, row, column, people),
                   isnan(x) ? "" : number_exact(programs, x));
}

table *sheet_table(const cr_sheet *s, size_t rows, const char *title)
{
    table *t = table_new();

    for (size_t c = 0; c < cr_sheet_columns(s); c++)
        if (is_for_people(s, c)) {
            const table_align align = align_of(s, c);
            const bool renamed = title != NULL && align == TABLE_WHOLE;

            table_column(t, renamed ? title : cr_sheet_field(s, c)->title, align);
            title = renamed ? NULL : title;
        }
    for (size_t r = 0; r < cr_sheet_rows(s) && r < rows; r++)
        for (size_t c = 0; c < cr_sheet_columns(s); c++)
            if (is_for_people(s, c))
                add_cell(t, s, r, c);
    return t;
}

void sheet_csv(cr_sheet *s)
{
    cr_output *out = output_to(stdout);

    cr_sheet_csv(s, out);
    output_end(out);
    cr_sheet_free(s);
}

void sheet_print(cr_sheet *s, size_t rows, size_t indent, bool titles)
{
    table *t = sheet_table(s, rows, NULL);

    table_print(t, indent, titles);
    table_free(t);
    cr_sheet_free(s);
}
