/* source/strip.h - some records of delimited text whose separators are known, column by column.
 *
 * A strip is small enough for the first-level cache. Going through it by columns keeps each loop
 * to one kind of value: that is where the speed of reading tables comes from.
 */
#ifndef CR_SOURCE_STRIP_H
#define CR_SOURCE_STRIP_H

#include "base/buffer.h"
#include "source/cell.h"

#define CR__QUOTE '"'

/* Which quotes a strip has: none; only quotes that enclose whole fields; any. */
typedef enum cr__strip_quotes { CR__STRIP_BARE, CR__STRIP_QUOTED, CR__STRIP_ODD } cr__strip_quotes;

typedef struct cr__strip {
    const char *bytes;    /* marks are offsets from here */
    const uint32_t *mark; /* [rows * fields] the end of every field, row by row */
    size_t fields;
    size_t rows;
    int regular;              /* each row begins right after the one before, the first after
                               * mark[-1] */
    const cr__record *record; /* [rows] where each row begins */
    cr__strip_quotes quotes;
    size_t first; /* row of the batch that the first one goes to */
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

/* The value of a field: without blanks around it and without quotes. When it has "" in it, it is
 * written to scratch, which has room for it. 0: text follows the closing quote. */
int cr__strip_unquote(const char **text, size_t *length, cr__buffer *scratch);

/* Put one field of all rows into its cells. On failure strip->rows is lowered to the row at fault,
 * so that the other columns stop there. CR__BAD_QUOTE: see cr__strip_unquote. */
#define CR__BAD_QUOTE CR_END
cr_status cr__strip_put(cr__strip *strip, size_t field, const cr__cell *cell, cr__plan *plan,
                        cr__buffer *scratch);

#endif
