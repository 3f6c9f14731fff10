/* cli/session/suggest.c - the name that was probably meant. */
#include "session/suggest.h"

#include <string.h>

enum { LONGEST = 63 };

static size_t least(size_t a, size_t b)
{
    return a < b ? a : b;
}

/* Optimal string alignment (Damerau 1964): how many letters must be added, dropped, changed, or
 * swapped with their neighbour to turn a into b. Rows i-2, i-1 and i of the table are kept. */
static size_t edit_distance(const char *a, const char *b)
{
    size_t n = strlen(a), m = strlen(b);
    size_t rows[3][LONGEST + 1], *before = rows[0], *above = rows[1], *here = rows[2];

    if (n > LONGEST || m > LONGEST)
        return LONGEST;
    for (size_t j = 0; j <= m; j++)
        before[j] = above[j] = j;
    for (size_t i = 1; i <= n; i++) {
        size_t *free_row = before;

        here[0] = i;
        for (size_t j = 1; j <= m; j++) {
            here[j] =
                least(least(above[j], here[j - 1]) + 1, above[j - 1] + (a[i - 1] != b[j - 1]));
            if (i > 1 && j > 1 && a[i - 1] == b[j - 2] && a[i - 2] == b[j - 1])
                here[j] = least(here[j], before[j - 2] + 1);
        }
        before = above;
        above = here;
        here = free_row;
    }
    return above[m];
}

/* A beginning of the name always counts as near; otherwise about a third may be wrong. */
void nearest_offer(nearest *n, const char *name)
{
    size_t typed = strlen(n->typed);
    size_t distance = edit_distance(n->typed, name);

    if (typed >= 2 && strncmp(n->typed, name, typed) == 0)
        distance = 1;
    else if (distance > (typed + 2) / 3)
        return;
    if (n->best == NULL || distance < n->distance) {
        n->best = name;
        n->distance = distance;
    }
}
