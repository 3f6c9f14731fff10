/* stats/dense.h - how often words occur by class, while the classes are few.
 *
 * A row has a place for every class, found by its number alone: counting touches one line of
 * memory. A line holds the terms of up to fifteen classes and the last document of one of them that
 * had the word. Terms that are not the first in their document are counted elsewhere, as they are few.
 */
#ifndef CR_STATS_DENSE_H
#define CR_STATS_DENSE_H

#include <stddef.h>
#include <stdint.h>

#include "credence/status.h"

/* Counts of a word in one class. */
typedef struct cr__word_count {
    uint32_t terms, documents;
} cr__word_count;

#define CR__DENSE_CODES 45u /* class codes that there may be */

typedef struct cr__dense {
    void *block;
    uint32_t *line;   /* [rows * lines * width] the last document, counted from 1, and the terms of
                         width - 1 classes; at the beginning of a cache line */
    uint32_t *repeat; /* [rows * codes] terms that were not the first in their document */
    size_t rows;      /* that there is room for */
    uint32_t width, lines;
    uint32_t codes;   /* = (width - 1) * lines */
} cr__dense;          /* {0} is empty */

/* Room for class codes below `codes` (at most CR__DENSE_CODES) and so many rows, of which the first
 * `words` are in use. What is there stays, but the last documents are forgotten when there are more
 * codes. Returns 0, with nothing changed, when out of memory. */
int cr__dense_fit(cr__dense *d, size_t words, size_t rows, uint32_t codes);
void cr__dense_free(cr__dense *d);
size_t cr__dense_bytes(const cr__dense *d);

/* Count a document of a class: each of the n rows occurs once more, or so many times. CR_ELIMIT
 * when a word would occur 2^32 times in a class. */
cr_status cr__dense_count(cr__dense *d, const uint32_t *row, size_t n, uint32_t class_code,
                          uint32_t document);
cr_status cr__dense_count_times(cr__dense *d, const uint32_t *row, size_t n, uint32_t class_code,
                                uint32_t document, uint32_t times);

/* Copy a row into one of the same shape. */
void cr__dense_copy(cr__dense *to, size_t row, const cr__dense *from, size_t from_row);

/* Let the first rows forget their last documents. */
void cr__dense_forget(cr__dense *d, size_t words);

/* The row's line for a class code, and where in it the terms of the class are. */
static inline uint32_t *cr__dense_line(const cr__dense *d, size_t row, uint32_t class_code)
{
    return d->line + (row * d->lines + class_code / (d->width - 1)) * d->width;
}

static inline cr__word_count cr__dense_at(const cr__dense *d, size_t row, uint32_t class_code)
{
    const uint32_t terms = cr__dense_line(d, row, class_code)[1 + class_code % (d->width - 1)];

    return (cr__word_count){terms, terms - d->repeat[row * d->codes + class_code]};
}

#endif
