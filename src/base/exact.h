/* base/exact.h - exact sums of doubles and of their squares.
 *
 * A cr__exact is a real number that has a finite binary expansion, kept without any rounding: sums
 * do not depend on their order, can be merged, and are subtracted without error. Each value has
 * exactly one form, so equal numbers have equal bytes. A cr__lane is what a loop over the data adds
 * to: the number of values, their sum and the sum of their squares for one class and one feature;
 * flushed, it becomes two cr__exact. Both are empty when all their bytes are zero, own memory (free
 * them), may be moved in memory, and are used by one thread at a time. Functions that may run out
 * of memory return CR_ENOMEM and leave their result as it was, except where stated.
 */
#ifndef CR_BASE_EXACT_H
#define CR_BASE_EXACT_H

#include <stddef.h>
#include <stdint.h>

#include "credence/status.h"

#define CR__EXACT_SMALL 4  /* limbs that need no allocation */
#define CR__EXACT_REACH 64 /* stored values use only the limbs -64 .. 63: 2^-4096 up to 2^4096 */

/* sign * sum over i of limb[i] * 2^(64 * (low + i)), i < count, neither the first nor the last limb
 * being 0; zero has no limbs, sign 0 and low 0. The fields are for reading only. */
typedef struct cr__exact {
    int32_t sign; /* -1, 0, 1 */
    int32_t low;
    uint32_t count;
    uint32_t capacity; /* of limb; 0 while the limbs are in small */
    uint64_t small[CR__EXACT_SMALL];
    uint64_t *limb;
} cr__exact;

void cr__exact_init(cr__exact *x);
void cr__exact_free(cr__exact *x); /* leaves an empty value */

/* into += sign * other (sign 1 or -1); the two may be the same. */
cr_status cr__exact_add(cr__exact *into, const cr__exact *other, int sign);
cr_status cr__exact_add_double(cr__exact *into, double value);           /* value is finite */
cr_status cr__exact_add_square(cr__exact *into, double value, int sign); /* sign * value² */
cr_status cr__exact_multiply(cr__exact *into, const cr__exact *x, const cr__exact *y);

int cr__exact_sign(const cr__exact *x);                        /* -1, 0, 1 */
int cr__exact_compare(const cr__exact *x, const cr__exact *y); /* -1, 0, 1 as x <, =, > y */

/* The nearest double, ties to even; beyond DBL_MAX an infinity. */
double cr__exact_to_double(const cr__exact *x);

/* The double nearest to num / den, ties to even: rounded once. 0 when den is 0. Exact for up to
 * 260 limbs each, which a product of two stored values has at most; beyond that within 1 ulp. */
double cr__exact_ratio_to_double(const cr__exact *num, const cr__exact *den);

/* The stored form, little-endian: one byte of sign (0 zero, 1 positive, 2 negative), one byte of
 * count, two of low, then the limbs. It is the same for equal values. Reading takes untrusted
 * bytes: CR_EFORMAT when they are too few, or not the canonical form of a value between 2^-4096 and
 * 2^4096. *used is how many bytes it took. */
size_t cr__exact_bytes(const cr__exact *x);
void cr__exact_write(const cr__exact *x, unsigned char *bytes); /* count <= 128 */
cr_status cr__exact_read(cr__exact *x, const unsigned char *bytes, size_t length, size_t *used);

/* ---- lanes -------------------------------------------------------------------------------- */

/* Values whose exponents lie within 28 of each other are added as fixed-point numbers here; the
 * others, and all weighted ones, in `wide`, which is allocated when it is first needed. */
typedef struct cr__lane {
    int64_t count;       /* values added; with weights, the whole part of their sum */
    uint64_t fraction;   /* and its fraction, in units of 2^-64 */
    uint64_t sum[2][2];  /* of the positive values, of the negative ones, in 2^(base - 1075) */
    uint64_t squares[3]; /* in 2^(2 * (base - 1075)) */
    int32_t base;        /* biased exponents base + 1 .. base + 28 are in the window */
    uint32_t misses;     /* values that were not in it */
    struct cr__lane_wide *wide;
} cr__lane;

/* Add x[r] to lanes[class_code[r]] for every row; NaN is a missing value and skipped. There must be
 * no infinity in x. After an error some rows are in the lanes and some are not. */
cr_status cr__lanes_absorb(cr__lane *lanes, const double *x, const uint32_t *class_code,
                           size_t rows);

/* Group the rows by class: order[start[c]] .. order[start[c + 1] - 1] are the rows of class code c,
 * ascending. order has rows items, start classes + 1; every code is below classes. */
void cr__rows_group(const uint32_t *class_code, uint32_t rows, size_t classes, uint32_t *order,
                    uint32_t *start);

/* cr__lanes_absorb for grouped rows: the same sums in a third of the time where the processor has
 * AVX2. Grouping is done once for all columns; it pays from two columns on, unless most classes
 * have only a few rows. */
cr_status cr__lanes_absorb_grouped(cr__lane *lanes, const double *x, const uint32_t *order,
                                   const uint32_t *start, size_t classes);

/* With weights (finite, >= 0): adds w to the count, each rounded to a multiple of 2^-64, w * x to
 * the sum and w * x * x to the squares, truncated toward zero to a multiple of 2^-2176 (only
 * products of denormals lose bits). CR_ELIMIT when a count would reach 2^63. */
cr_status cr__lanes_absorb_weighted(cr__lane *lanes, const double *x, const double *weight,
                                    const uint32_t *class_code, size_t rows);

/* Add the lane's sums to sum and squares and empty it, including its count (read that first). The
 * lane keeps its memory. After CR_ENOMEM the three are in an unspecified state, fit only to be
 * freed. */
cr_status cr__lane_flush(cr__lane *lane, cr__exact *sum, cr__exact *squares);
void cr__lane_free(cr__lane *lane);

/* ---- moments ------------------------------------------------------------------------------- */

/* With n = whole + fraction / 2^64: sum / n, rounded once; 0 when n <= 0. */
double cr__exact_mean(int64_t whole, uint64_t fraction, const cr__exact *sum);

/* (n * squares - sum^2) / n^2, or over n * (n - 1) when unbiased: the numerator is exact, so
 * nothing cancels, and the quotient is rounded once. 0 when n <= 0, when unbiased and n <= 1, when
 * the rounding of weights makes the numerator negative, and for sums beyond 2^4096. */
double cr__exact_variance(int64_t whole, uint64_t fraction, const cr__exact *sum,
                          const cr__exact *squares, int unbiased);

/* Whether any set of values has these moments: n * squares >= sum^2, exactly. */
int cr__exact_can_be_moments(int64_t whole, const cr__exact *sum, const cr__exact *squares);

#endif
