/* source/json_strip.h - JSON Lines by columns: many records at once, when they are simple.
 *
 * A simple record is an object in one line whose keys are fields of the source, whose values are
 * neither objects nor arrays, and whose texts have neither commas nor escapes. What is not simple
 * is left to the reader of single records, so nothing here says why something is wrong.
 */
#ifndef CR_SOURCE_JSON_STRIP_H
#define CR_SOURCE_JSON_STRIP_H

#include "source/format.h"

struct cr__json_place; /* of a value */
struct cr__json_pair;  /* of the record whose order of keys is expected */
struct cr__json_line;
struct cr__json_name;

typedef struct cr__json_strip {
    struct cr__json_place *place; /* [lines * fields] */
    size_t place_capacity, fields;
    struct cr__json_line *line; /* [lines] */
    size_t line_capacity, lines;
    struct cr__json_pair *pair; /* [pairs] of the last record that was not as expected */
    size_t pair_capacity, pairs;
    struct cr__json_name *name; /* [2^name_bits] keys met recently */
    size_t name_capacity;
    unsigned name_bits;
    size_t wait, waited; /* records to be read one by one before the next strip; and last time */
} cr__json_strip;

void cr__json_strip_free(cr__json_strip *strip); /* NULL is fine */

/* Whether the values of the chunk's records can be put by columns: texts cannot. */
int cr__json_strip_fits(const cr__chunk *chunk);

/* Find the values of the chunk's next lines, of at most so many. */
cr_status cr__json_strip_cut(cr__json_strip *strip, const cr__chunk *chunk, size_t lines,
                             cr_error *err);

/* Add the records from a line on to the batch as long as they are simple; returns the first line
 * that is not, or that does not exist. The chunk has moved there. */
size_t cr__json_strip_put(const cr__json_strip *strip, cr__chunk *chunk, cr__plan *plan,
                          cr__batch *batch, size_t line);

#endif
