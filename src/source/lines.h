/* source/lines.h - formats whose records are lines: the common part.
 *
 * Such a format only says how one record is scanned: it hands each field's text to a sink, which
 * puts it into a batch, or keeps it when a record is split.
 */
#ifndef CR_SOURCE_LINES_H
#define CR_SOURCE_LINES_H

#include "source/format.h"

typedef struct cr__sink {
    const cr__chunk *chunk;
    const cr__record *record;
    cr__plan *plan;
    cr__batch *batch; /* NULL when the record is split: then `fields` */
    cr__fields *fields;
    cr__cell *cell; /* those of the chunk, which may move: see cr__sink_meet */
    size_t row;
    cr__buffer *scratch; /* empty, with room for the record */
    int texts;           /* some cells are texts, which begin row by row */
    cr_error *err;
} cr__sink;

typedef cr_status (*cr__scan)(cr__sink *sink);

/* Prepare to put the chunk's records into an empty batch: all of its cells are those of a record
 * without fields. */
cr__sink cr__lines_begin(const cr__chunk *chunk, cr__plan *plan, cr__batch *batch, cr_error *err);

/* Put the record in the chunk's next line, unless it is empty or a comment. */
cr_status cr__lines_take(cr__sink *sink, cr__chunk *chunk, cr__scan scan, char comment);

/* parse and split for a format with that scan. */
cr_status cr__lines_parse(cr__chunk *chunk, cr__plan *plan, cr__batch *batch, cr__scan scan,
                          char comment, cr_error *err);
cr_status cr__lines_split(const cr__chunk *chunk, const cr__record *record, cr__fields *fields,
                          cr__scan scan, cr_error *err);

/* Where a text comes from. */
typedef enum cr__origin {
    CR__FROM_CHUNK,  /* bare text of the chunk: a number, a word */
    CR__FROM_QUOTES, /* text of the chunk that is a word even if it looks like a number */
    CR__FROM_SCRATCH /* such a word, elsewhere */
} cr__origin;

/* Why a field was refused, with its place. */
cr_status cr__sink_refuse(const cr__sink *sink, size_t field, const char *text, size_t length,
                          cr_status st);

/* Fail with the place: the record's line, and a field from 1 (0: none). */
CR_PRINTF_LIKE(3, 4)
cr_status cr__sink_fail(const cr__sink *sink, size_t field, const char *fmt, ...);

/* Whether a field's value is used. */
static inline int cr__sink_wants(const cr__sink *sink, size_t field)
{
    if (sink->batch == NULL)
        return field < sink->fields->count;
    return sink->cell[field].use != CR__CELL_SKIP;
}

/* Put a field's text where it belongs. `field` is the file's. */
static inline cr_status cr__sink_put(cr__sink *sink, size_t field, const char *text, size_t length,
                                     cr__origin origin)
{
    cr_status st;

    if (sink->batch == NULL) {
        if (field < sink->fields->count) {
            sink->fields->bytes[field] = text;
            sink->fields->size[field] = length;
        }
        return CR_OK;
    }
    if (origin == CR__FROM_CHUNK ||
        (origin == CR__FROM_QUOTES && sink->cell[field].use == CR__CELL_SYMBOL &&
         !sink->cell[field].guessed))
        st = cr__plan_put(sink->plan, &sink->cell[field], sink->row, text, length);
    else
        st = cr__cell_put(sink->plan, &sink->cell[field], sink->row, text, length, 1);
    return st == CR_OK ? st : cr__sink_refuse(sink, field, text, length, st);
}

/* The source's field of that name, or SIZE_MAX when it is not used; see cr__file_meet. */
cr_status cr__sink_meet(cr__sink *sink, const char *name, size_t length, size_t *field);

static inline const char *cr__skip_blanks(const char *p)
{
    while (cr__is_blank(*p))
        p++;
    return p;
}

#endif
