/* base/nearest.c - edit distance and the nearest name. */
#include "base/nearest.h"

#include <string.h>

enum { LONGEST = 63 };

static char fold(char c)
{
    return c >= 'A' && c <= 'Z' ? (char)(c - 'A' + 'a') : c;
}

size_t cr__edit_distance(const char *a, const char *b)
{
    const size_t n = strnlen(a, LONGEST), m = strnlen(b, LONGEST);
    size_t row[LONGEST + 1];

    for (size_t j = 0; j <= m; j++)
        row[j] = j;
    for (size_t i = 1; i <= n; i++) {
        size_t diagonal = row[0];
        row[0] = i;
        for (size_t j = 1; j <= m; j++) {
            size_t replace = diagonal + (fold(a[i - 1]) != fold(b[j - 1]));
            size_t insert = row[j - 1] + 1, erase = row[j] + 1;
            diagonal = row[j];
            row[j] = replace < insert ? replace : insert;
            if (erase < row[j])
                row[j] = erase;
        }
    }
    return row[m];
}

cr__nearest cr__nearest_begin(const char *wanted)
{
    size_t near = strnlen(wanted, LONGEST) / 3;

    return (cr__nearest){.wanted = wanted, .distance = (near < 1 ? 1 : near) + 1};
}

void cr__nearest_offer(cr__nearest *near, const char *candidate)
{
    size_t distance = cr__edit_distance(near->wanted, candidate);

    if (distance < near->distance) {
        near->distance = distance;
        near->best = candidate;
    }
}
