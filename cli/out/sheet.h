/* cli/out/sheet.h - the table of a result, on the terminal or as CSV. */
#ifndef CLI_OUT_SHEET_H
#define CLI_OUT_SHEET_H

#include "credence/render.h"
#include "out/table.h"

/* The columns for people with up to `rows` rows, as a table that can be extended. title replaces
 * the title of the first text column unless it is NULL. Free the table. */
table *sheet_table(const cr_sheet *s, size_t rows, const char *title);

/* Print the whole sheet as CSV, and free it. */
void sheet_csv(cr_sheet *s);

/* Print up to `rows` rows of it for people, indented, with or without titles, and free it. */
void sheet_print(cr_sheet *s, size_t rows, size_t indent, bool titles);

/* The command ends if there is no memory for a sheet. */
cr_sheet *sheet_made(cr_status status, cr_sheet *s);

#endif
