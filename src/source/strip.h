/* source/strip.h - some records of delimited text whose separators are known, column by column.
 *
 * A strip is small enough for the first-level cache. Going through it by columns keeps each loop
 * to one kind of value: that is where the speed of reading tables comes from.
 */
#ifndef CR_SOURCE_STRIP_H
#define CR_SOURCE_STRIP_H

#include "source/cell.h"

typedef struct cr__strip {
    const char *bytes;    /* marks are offsets from here */
    const uint32_t *mark; /* [rows * fields] the end of every field, row by row */
    size_t fields;
    size_t rows;
    int regular;              /* each row begins right behind the one before, the first behind
                               * mark[-1] */
    const cr__record *record; /* [rows] where each row begins */
    size_t first;             /* row of the batch that the first one goes to */
} cr__strip;

/* The text of a field, blanks and quotes included; the carriage return of a line end is not. */
static inline const char *cr__strip_field(const cr__strip *strip, size_t row, size_t field,
                                          size_t *length)
{
    const uint32_t *mark = &strip->mark[row * strip->fields + field];
    const char *begin = field == 0 ? strip->record[row].bytes : strip->bytes + mark[-1] + 1;
    const char *end = strip->bytes + mark[0];

    if (field + 1 == strip->fields && end > begin && end[-1] == '\r')
        end--;
    *length = (size_t)(end - begin);
    return begin;
}

/* Put one field of all rows into its cells; the fields are not quoted. On failure strip->rows is
 * lowered to the row at fault, so that the other columns need not look beyond it. */
cr_status cr__strip_put(cr__strip *strip, size_t field, const cr__cell *cell, cr__plan *plan);

#endif
