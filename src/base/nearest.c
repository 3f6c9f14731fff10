/* base/nearest.c - edit distance and the nearest name. */
#include "credence/spec.h"

#include <string.h>

enum { LONGEST = 63 };

static size_t least(size_t a, size_t b)
{
    return a < b ? a : b;
}

static char fold(char c)
{
    return c >= 'A' && c <= 'Z' ? (char)(c - 'A' + 'a') : c;
}

/* Optimal string alignment (F. Damerau, 1964): how many letters must be added, dropped, changed, or
 * swapped with their neighbour to turn a into b; LONGEST when one is longer than that. Rows i-2,
 * i-1 and i of the table are kept. */
static size_t edit_distance(const char *a, const char *b)
{
    const size_t n = strlen(a), m = strlen(b);
    size_t rows[3][LONGEST + 1], *before = rows[0], *above = rows[1], *here = rows[2];

    if (n > LONGEST || m > LONGEST)
        return LONGEST;
    for (size_t j = 0; j <= m; j++)
        before[j] = above[j] = j;
    for (size_t i = 1; i <= n; i++) {
        size_t *free_row = before;
        const char c = fold(a[i - 1]);

        here[0] = i;
        for (size_t j = 1; j <= m; j++) {
            const char d = fold(b[j - 1]);

            here[j] = least(least(above[j], here[j - 1]) + 1, above[j - 1] + (c != d));
            if (i > 1 && j > 1 && c == fold(b[j - 2]) && fold(a[i - 2]) == d)
                here[j] = least(here[j], before[j - 2] + 1);
        }
        before = above;
        above = here;
        here = free_row;
    }
    return above[m];
}

static int begins_with(const char *name, const char *wanted, size_t length)
{
    for (size_t i = 0; i < length; i++)
        if (fold(name[i]) != fold(wanted[i]))
            return 0;
    return 1;
}

/* A third of the letters may differ, and no name is near of which every letter does. */
void cr_nearest_offer(cr_nearest *near, const char *name)
{
    const size_t wanted = strlen(near->wanted);
    size_t distance = edit_distance(near->wanted, name);

    if (wanted >= 2 && begins_with(name, near->wanted, wanted))
        distance = least(distance, 1);
    else if (distance > (wanted + 2) / 3 || (distance >= wanted && distance >= strlen(name)))
        return;
    if (near->best == NULL || distance < near->distance) {
        near->best = name;
        near->distance = distance;
    }
}
