/* stats/dense.h - how often words occur by class, while the classes are few.
 *
 * A row has a place for every class, indexed by its number: counting touches one cache line. A line
 * holds the last document that had the word, the terms of a few classes, and how many of them were
 * not the first in their document. The lines of the same classes form a plane: more classes need
 * more planes, and a plane takes no memory where no word of its classes has occurred.
 */
#ifndef CR_STATS_DENSE_H
#define CR_STATS_DENSE_H

#include <stddef.h>
#include <stdint.h>
#if defined(__SSE2__)
#include <emmintrin.h>
#endif

#include "base/pages.h"
#include "credence/status.h"

/* Counts of a word in one class. */
typedef struct cr__word_count {
    uint32_t terms, documents;
} cr__word_count;

enum { CR__DENSE_PLANES = 7, CR__DENSE_FEW = 3, CR__DENSE_MANY = 7 }; /* codes of a plane */

#define CR__DENSE_CODES (CR__DENSE_PLANES * CR__DENSE_MANY + 0u) /* maximum */

typedef struct cr__dense {
    size_t rows;   /* that there is room for */
    uint32_t each; /* codes of a plane: few, or many */
    uint32_t planes;
    uint32_t codes;                    /* = each * planes */
    cr__pages plane[CR__DENSE_PLANES]; /* of uint32_t [rows][2][1 + each]: the last document,
                                          counted from 1, and the terms of the classes; 0, and the
                                          terms that were not the first in their document */
} cr__dense;                           /* {0} is empty */

/* Room for class codes below `codes` (at most CR__DENSE_CODES) and this many rows, of which the
 * first `words` are in use. Counts are kept, but the last documents may be reset when there are
 * more codes. Returns 0, with nothing changed, when out of memory. */
int cr__dense_fit(cr__dense *d, size_t words, size_t rows, uint32_t codes);
void cr__dense_free(cr__dense *d);
size_t cr__dense_bytes(const cr__dense *d);

/* Count a document of a class: each of the n rows occurs once more, or `times` times. CR_ELIMIT
 * when a word would occur 2^32 times in a class. */
cr_status cr__dense_count(cr__dense *d, const uint32_t *row, size_t n, uint32_t class_code,
                          uint32_t document);
cr_status cr__dense_count_times(cr__dense *d, const uint32_t *row, size_t n, uint32_t class_code,
                                uint32_t document, uint32_t times);

/* Copy a row into one of the same shape. */
void cr__dense_copy(cr__dense *to, size_t row, const cr__dense *from, size_t from_row);

/* Reset the last documents of the first rows. */
void cr__dense_forget(cr__dense *d, size_t words);

static inline uint32_t cr__dense_plane(const cr__dense *d, uint32_t class_code)
{
    return d->each == CR__DENSE_FEW ? class_code / CR__DENSE_FEW : class_code / CR__DENSE_MANY;
}

static inline uint32_t *cr__dense_line(const cr__dense *d, size_t row, uint32_t plane)
{
    return (uint32_t *)d->plane[plane].at + row * 2 * (1 + d->each);
}

static inline cr__word_count cr__dense_at(const cr__dense *d, size_t row, uint32_t class_code)
{
    const uint32_t plane = cr__dense_plane(d, class_code);
    const uint32_t *terms = cr__dense_line(d, row, plane) + 1 + class_code - plane * d->each;

    return (cr__word_count){*terms, *terms - terms[1 + d->each]};
}

/* A bit for each of four numbers that is not 0. */
static inline uint64_t cr__dense_four(const uint32_t *x)
{
#if defined(__SSE2__)
    const __m128i zero = _mm_cmpeq_epi32(_mm_load_si128((const __m128i *)x), _mm_setzero_si128());

    return ~(unsigned)_mm_movemask_ps(_mm_castsi128_ps(zero)) & 15;
#else
    return (x[0] != 0) | (x[1] != 0) << 1 | (x[2] != 0) << 2 | (x[3] != 0) << 3;
#endif
}

/* A bit for each class code that the row has terms of. */
static inline uint64_t cr__dense_used(const cr__dense *d, size_t row)
{
    uint64_t used = 0;

    for (uint32_t plane = 0; plane < d->planes; plane++) {
        const uint32_t *line = cr__dense_line(d, row, plane);
        const uint64_t high = d->each == CR__DENSE_FEW ? 0 : cr__dense_four(line + 4) << 4;

        used |= (cr__dense_four(line) | high) >> 1 << plane * d->each;
    }
    return used;
}

/* Prefetch those counts. */
static inline void cr__dense_fetch(const cr__dense *d, size_t row, uint64_t used)
{
    for (uint32_t plane = 0; used != 0; plane++, used >>= d->each)
        if (used & (((uint64_t)1 << d->each) - 1))
            __builtin_prefetch(cr__dense_line(d, row, plane));
}

#endif
