/* tests/support/live_rows.h - random rows of all kinds, for tests that teach stores. */
#ifndef TESTS_SUPPORT_LIVE_ROWS_H
#define TESTS_SUPPORT_LIVE_ROWS_H

#include <stdint.h>

#include "credence/credence.h"

enum { LIVE_ROWS_MOST = 400, LIVE_TEXT = 600 };

/* A text, a colour, a height and a class; some texts and colours are missing, some words rare. */
typedef struct live_rows {
    uint64_t state; /* of live_draw() */
    size_t rows;
    char text[LIVE_ROWS_MOST][LIVE_TEXT];
    const char *text_at[LIVE_ROWS_MOST], *label[LIVE_ROWS_MOST], *colour[LIVE_ROWS_MOST];
    double height[LIVE_ROWS_MOST];
} live_rows;

/* A whole number below another, by a linear congruential generator (Knuth, MMIX). */
unsigned live_draw(live_rows *r, unsigned below);

/* Make rows of texts of 1 to `words` words, of which there are `usual` and rare ones. The classes
 * are the first two of labels in the first twenty rows, and the first `classes` of them then. */
void make_live_rows(live_rows *r, size_t rows, unsigned words, unsigned usual,
                    const char *const *labels, unsigned classes);

/* Some of the rows, of the classes in `of`, as four arrays and as a source. */
void live_arrays(const live_rows *r, cr_array a[4], const char *const *of, size_t first);
cr_source *live_source(const live_rows *r, const char *const *of, size_t first, size_t rows);

#endif
