/* cli/out/table.h - a table for people that fits the terminal, or the same table as CSV.
 *
 * Columns are declared first, then cells are added from left to right; a row ends by itself when
 * its last cell is there. Where the table is wider than the terminal, its widest texts are cut.
 */
#ifndef CLI_OUT_TABLE_H
#define CLI_OUT_TABLE_H

#include <stdbool.h>
#include <stddef.h>

typedef struct table table;

typedef enum table_align {
    TABLE_LEFT,  /* words, cut if there is no room */
    TABLE_WHOLE, /* words, cut last of all */
    TABLE_RIGHT, /* numbers */
    TABLE_BAR    /* values in -1 ... 1, drawn in the rest of the line; not part of the CSV */
} table_align;

table *table_new(void);
void table_free(table *t);

/* The name heads the column. It is copied. */
void table_column(table *t, const char *name, table_align align);

/* Cells. The text is copied. A number is rounded for people and exact for programs. */
void table_text(table *t, const char *text); /* NULL is empty */
void table_both(table *t, const char *people, const char *programs);
void table_number(table *t, char *(*picture)(char *buffer, double x), double x);
void table_bar(table *t, double value);

/* The displayed text of a cell and its alignment; row 0 has the column names. False if there is no
 * such cell. */
bool table_cell(const table *t, size_t row, size_t place, const char **text, table_align *align);

size_t table_width(const table *t); /* of the whole table if nothing is cut, without bars */

/* Print for people, indented, with or without the names of the columns. */
void table_print(const table *t, size_t indent, bool heads);

/* Print as CSV with the names of the columns. */
void table_csv(const table *t);

#endif
