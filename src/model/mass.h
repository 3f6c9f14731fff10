/* model/mass.h - numbers of probability that are neither rounded to zero nor to infinity.
 *
 * A mass is value * 2^exponent. The product of thousands of small factors stays what it is, and
 * masses that are added keep the digits of a double.
 */
#ifndef CR_MODEL_MASS_H
#define CR_MODEL_MASS_H

#include <math.h>
#include <stdint.h>

typedef struct cr__mass {
    double value;     /* 0, or 0.5 <= value < 1 */
    int64_t exponent; /* 0 when value is 0 */
} cr__mass;

static inline cr__mass cr__mass_of(double value, int64_t exponent)
{
    int shift = 0;
    const double m = frexp(value, &shift);

    return m == 0 ? (cr__mass){0, 0} : (cr__mass){m, exponent + shift};
}

/* x * 2^shift for any shift. */
static inline double cr__mass_shift(double x, int64_t shift)
{
    return ldexp(x, shift < -4000 ? -4000 : shift > 4000 ? 4000 : (int)shift);
}

static inline cr__mass cr__mass_add(cr__mass a, cr__mass b)
{
    if (a.value == 0 || b.value == 0)
        return a.value == 0 ? b : a;
    if (a.exponent < b.exponent)
        return cr__mass_of(b.value + cr__mass_shift(a.value, a.exponent - b.exponent), b.exponent);
    return cr__mass_of(a.value + cr__mass_shift(b.value, b.exponent - a.exponent), a.exponent);
}

static inline cr__mass cr__mass_times(cr__mass a, cr__mass b)
{
    return cr__mass_of(a.value * b.value, a.exponent + b.exponent);
}

/* a / b; b is not zero. */
static inline double cr__mass_ratio(cr__mass a, cr__mass b)
{
    return a.value == 0 ? 0 : cr__mass_shift(a.value / b.value, a.exponent - b.exponent);
}

static inline double cr__mass_log(cr__mass a)
{
    return a.value == 0 ? -INFINITY : log(a.value) + (double)a.exponent * M_LN2;
}

#endif
