/* stats/counts.h - exact counts of value × class, for whole and for fractional weights.
 *
 * A count is fixed point: a whole part and, only in tables that contain a fractional weight, a
 * fraction in units of 2^-64. A row's weight is rounded to that unit once, when it arrives, so
 * adding and subtracting in any order is exact.
 */
#ifndef CR_STATS_COUNTS_H
#define CR_STATS_COUNTS_H

#include <stddef.h>
#include <stdint.h>

#include "credence/status.h"

typedef struct cr__count {
    int64_t whole;
    uint64_t fraction; /* of 2^64; the count is whole + fraction / 2^64 */
} cr__count;

cr__count cr__count_of_weight(double weight); /* weight finite, 0 <= weight < 2^62 */
cr__count cr__count_plus(cr__count a, cr__count b, int sign); /* a + sign * b */
double cr__count_value(cr__count c);
static inline int cr__count_negative(cr__count c)
{
    return c.whole < 0;
}
static inline int cr__count_zero(cr__count c)
{
    return c.whole == 0 && c.fraction == 0;
}

/* A growing table of counts: one row per value code (row 0 is for missing values), one column per
 * class code (column 0 is for rows without a class). */
typedef struct cr__counts {
    size_t values, classes; /* capacities: rows and row length of the arrays */
    int64_t *whole;         /* [values * classes] */
    uint64_t *fraction;     /* the same shape, or NULL while all weights are whole */
} cr__counts;               /* {0} is empty */

/* Bytes needed to hold this many values and classes, including the old arrays, which are copied.
 */
double cr__counts_room(const cr__counts *counts, size_t values, size_t classes);

/* Make room for codes below values and classes. Returns CR_OK or CR_ENOMEM (nothing changed). */
cr_status cr__counts_fit(cr__counts *counts, size_t values, size_t classes);
void cr__counts_free(cr__counts *counts);

/* Count rows; the codes must fit. value may be NULL: every row is counted in row 0. */
void cr__counts_absorb(cr__counts *counts, const uint32_t *value, const uint32_t *class_code,
                       size_t rows);
cr_status cr__counts_absorb_weighted(cr__counts *counts, const uint32_t *value,
                                     const double *weight, const uint32_t *class_code, size_t rows);

/* One cell. cr__counts_add allocates the fractions when they are first needed. */
cr__count cr__counts_get(const cr__counts *counts, size_t value, size_t class_code);
cr_status cr__counts_add(cr__counts *counts, size_t value, size_t class_code, cr__count amount,
                         int sign);

#endif
