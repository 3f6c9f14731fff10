/* source/json_places.h - where the values of JSON Lines are: what cutting leaves to putting.
 */
#ifndef CR_SOURCE_JSON_PLACES_H
#define CR_SOURCE_JSON_PLACES_H

#include "source/json_strip.h"
#include "text/json_escape.h"

typedef struct cr__json_place { /* offsets in the chunk, perhaps in the wrong order */
    uint32_t from, to;          /* to 0: the field is absent (an object has a brace before) */
} cr__json_place;

typedef struct cr__json_line {
    uint32_t begin, end; /* *end is the line end */
    int simple;          /* it has places */
} cr__json_line;

/* The length of a text without escapes up to its closing quote, from behind the opening one;
 * SIZE_MAX: `end` or an escape comes first. */
static inline size_t cr__json_quoted(const char *text, const char *end)
{
    const uint64_t ones = 0x0101010101010101, tops = 0x8080808080808080;

    for (const char *p = text; p < end; p += 8) {
        const uint64_t word = cr__scan_load(p);
        const uint64_t quote = word ^ ones * '"', slash = word ^ ones * '\\';
        const uint64_t found =
            (((quote - ones) & ~quote) | ((slash - ones) & ~slash)) & tops; /* the first is exact */

        if (found != 0) {
            p += __builtin_ctzll(found) / 8;
            return p < end && *p == '"' ? (size_t)(p - text) : SIZE_MAX;
        }
    }
    return SIZE_MAX;
}

#endif
