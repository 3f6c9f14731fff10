/* source/json_strip.h - JSON Lines by columns: many records at once, when they are simple.
 *
 * A simple record is an object in one line whose values are neither arrays nor empty objects,
 * unless these are ignored. What is not simple is left to the reader of single records, so nothing
 * here says why something is wrong.
 */
#ifndef CR_SOURCE_JSON_STRIP_H
#define CR_SOURCE_JSON_STRIP_H

#include "source/format.h"

struct cr__json_place; /* of a value */
struct cr__json_pair;  /* of the record whose order of keys is expected */
struct cr__json_line;
struct cr__json_name;
struct cr__json_path;

typedef struct cr__json_strip {
    struct cr__json_place *place; /* [lines * fields] */
    size_t place_capacity, fields;
    struct cr__json_line *line; /* [lines] */
    size_t line_capacity, lines;
    struct cr__json_pair *pair; /* [pairs] of the last record that was not as expected */
    size_t pair_capacity, pairs;
    int plain, flat; /* these are values of fields, side by side; or some of them are skipped */
    struct cr__json_name *name; /* [2^name_bits] keys met so far */
    size_t name_capacity, names;
    unsigned name_bits;
    struct cr__json_path
        *path; /* [paths] of the objects in which keys are; the first is a record */
    size_t path_capacity, paths;
    cr__buffer kept;     /* the bytes of long keys and of paths */
    size_t marks;        /* that the last line had */
    size_t missed, idle; /* records that were not as expected; to be read before trying again */
    size_t wait, waited; /* records to be read one by one before the next strip; and last time */
} cr__json_strip;

extern size_t cr__json_places_limit; /* most values of a strip; tests make it 0, which is none */

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

/* The rest of a string with escapes, up to its closing quote, decoded into a buffer that has room:
 * no escape is shorter than what it stands for. A NUL, at which words would end, becomes U+FFFD.
 * Returns what follows the quote; NULL when it is malformed. */
const char *cr__json_decode(const char *p, const char *end, cr__buffer *out);

/* What follows the array or object that begins at p; NULL: it is not closed, or a string in it has
 * a bad escape. What else is in it does not matter. */
const char *cr__json_close(const char *p, const char *end);

/* Whether a key of that full name is to be ignored, whatever its value. */
int cr__json_ignores(const cr_source *source, const char *name, size_t length);

#endif
