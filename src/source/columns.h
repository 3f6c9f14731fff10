/* source/columns.h - arrays of the caller as columns: check them, read their values, fill cells.
 */
#ifndef CR_SOURCE_COLUMNS_H
#define CR_SOURCE_COLUMNS_H

#include "base/number.h"
#include "credence/array.h"
#include "source/cell.h"

#define CR__ARRAYS_NAME "(arrays)" /* in place of a file's name */

typedef struct cr__columns {
    size_t columns, rows;
    cr_array *array; /* [columns] each with data, element and stride, unless it has words; names
                        point into names */
    cr_array *names; /* [columns] NULL when no array has names */
} cr__columns;       /* {0} is empty */

/* What the arrays point to is borrowed. CR_EARG: one of them is not valid. */
cr_status cr__columns_open(cr__columns *c, const cr_array *arrays, size_t columns, size_t rows,
                           cr_error *err);
void cr__columns_close(cr__columns *c);

/* What kind of column an array becomes, and why. */
cr_kind cr__columns_kind(const cr__columns *c, size_t column, cr_why *why);

/* A value as text; NULL when it is missing. Numbers are written to scratch. */
const char *cr__columns_text(const cr__columns *c, size_t column, size_t row,
                             char scratch[CR__NUMBER_SIZE], size_t *length);

/* The name with a number, of codes or of words; NULL: there is none. */
const char *cr__columns_name(const cr__columns *c, size_t column, size_t number,
                             char scratch[CR__NUMBER_SIZE], size_t *length);

/* Put rows first, first + 1 … of a column into the first rows of the cell's batch. A plan caches
 * codes from one call to the next, so it serves one cr__columns at a time. err names the row. */
cr_status cr__columns_put(const cr__columns *c, size_t column, size_t first, size_t rows,
                          cr__plan *plan, const cr__cell *cell, cr_error *err);

#endif
