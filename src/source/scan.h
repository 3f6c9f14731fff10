/* source/scan.h - scan many bytes at once.
 *
 * Three versions (AVX2, SSE2, plain C) give the same answers; the processor determines which is
 * used. All may read up to CR__PAD bytes beyond the given end, but ignore them.
 */
#ifndef CR_SOURCE_SCAN_H
#define CR_SOURCE_SCAN_H

#include <stddef.h>
#include <stdint.h>

typedef enum cr__scan_level { CR__SCAN_PLAIN, CR__SCAN_SSE2, CR__SCAN_AVX2 } cr__scan_level;

cr__scan_level cr__scan_best(void); /* instruction sets of this processor */
extern int cr__scan_level_limit;    /* tests lower it to compare the versions */

typedef struct cr__census {
    size_t newlines;
    int quote; /* the quote character occurs */
    int nul;   /* a NUL byte occurs */
} cr__census;

cr__census cr__scan_census(const char *bytes, size_t size, char quote);

/* The offsets of delimiters and newlines in bytes[from, to), in order, into mark, which has room
 * for to - from + 64 of them. Returns how many; *newlines is how many of them are newlines. */
size_t cr__scan_marks(const char *bytes, size_t from, size_t to, char delimiter, uint32_t *mark,
                      size_t *newlines);

/* Bit i of each mask says whether bytes[i] is the delimiter, a newline, the quote; i < 64. */
typedef struct cr__masks {
    uint64_t delimiter, newline, quote;
} cr__masks;

cr__masks cr__scan_masks(const char *bytes, char delimiter, char quote);

/* What follows the bracket or brace that closes the one at `open`, whatever stands between them and
 * not counting those in strings; NULL: it is not before `end`, or a backslash is before it. */
const char *cr__scan_close(const char *open, const char *end);

/* Write the positions of the set bits, counted from base, into mark. Eight are written at a time,
 * since writing a few too many is cheaper than a test after each: mark has room for them. Returns
 * how many there are. */
static inline size_t cr__scan_spread(uint64_t bits, size_t base, uint32_t *mark)
{
    const size_t count = (size_t)__builtin_popcountll(bits);

    for (size_t done = 0; done < count; done += 8)
        for (size_t k = 0; k < 8; k++) {
            mark[done + k] = (uint32_t)(base + (bits != 0 ? (size_t)__builtin_ctzll(bits) : 0));
            bits &= bits - 1;
        }
    return count;
}

#endif
