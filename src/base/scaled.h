/* base/scaled.h - probabilities that neither underflow nor overflow.
 *
 * A number is value * 2^exponent. The product of thousands of small factors does not underflow, and
 * sums keep the precision of a double.
 */
#ifndef CR_BASE_SCALED_H
#define CR_BASE_SCALED_H

#include <math.h>
#include <stdint.h>

typedef struct cr__scaled {
    double value;     /* 0, or 0.5 <= value < 1 */
    int64_t exponent; /* 0 when value is 0 */
} cr__scaled;

static inline cr__scaled cr__scaled_of(double value, int64_t exponent)
{
    int shift = 0;
    const double m = frexp(value, &shift);

    return m == 0 ? (cr__scaled){0, 0} : (cr__scaled){m, exponent + shift};
}

/* x * 2^shift for any shift. */
static inline double cr__scaled_shift(double x, int64_t shift)
{
    return ldexp(x, shift < -4000 ? -4000 : shift > 4000 ? 4000 : (int)shift);
}

static inline cr__scaled cr__scaled_add(cr__scaled a, cr__scaled b)
{
    if (a.value == 0 || b.value == 0)
        return a.value == 0 ? b : a;
    if (a.exponent < b.exponent)
        return cr__scaled_of(b.value + cr__scaled_shift(a.value, a.exponent - b.exponent),
                             b.exponent);
    return cr__scaled_of(a.value + cr__scaled_shift(b.value, b.exponent - a.exponent), a.exponent);
}

static inline cr__scaled cr__scaled_times(cr__scaled a, cr__scaled b)
{
    return cr__scaled_of(a.value * b.value, a.exponent + b.exponent);
}

/* a / b; b is not zero. */
static inline double cr__scaled_ratio(cr__scaled a, cr__scaled b)
{
    return a.value == 0 ? 0 : cr__scaled_shift(a.value / b.value, a.exponent - b.exponent);
}

static inline double cr__scaled_log(cr__scaled a)
{
    return a.value == 0 ? -INFINITY : log(a.value) + (double)a.exponent * M_LN2;
}

#endif
