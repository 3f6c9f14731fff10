/* base/nearest.h - "did you mean": the candidate with the fewest edits. */
#ifndef CR_BASE_NEAREST_H
#define CR_BASE_NEAREST_H

#include <stddef.h>

typedef struct cr__nearest {
    const char *wanted;
    const char *best; /* NULL while no candidate is near enough */
    size_t distance;  /* of best; starts at one more than what counts as near */
} cr__nearest;

/* Near means at most one edit for every three characters of the wanted name, and at least one. */
cr__nearest cr__nearest_begin(const char *wanted);
void cr__nearest_offer(cr__nearest *near, const char *candidate);

/* Levenshtein's distance, ignoring the case of ASCII letters; names longer than 63 bytes are
 * compared by their first 63. */
size_t cr__edit_distance(const char *a, const char *b);

#endif
