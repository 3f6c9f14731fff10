/* base/exponential.h - e^x of four numbers at once, the same bits on every machine.
 *
 * Four doubles lie at any address suitable for one. The compiler maps them to the processor's
 * registers: the operations are the same for each lane, so the bits are too. A caller compiles its
 * loop once plainly and once for a wider processor; these functions are always inlined into it.
 */
#ifndef CR_BASE_EXPONENTIAL_H
#define CR_BASE_EXPONENTIAL_H

#include <stdint.h>

enum { CR__LANES = 4 };

typedef double cr__quad __attribute__((vector_size(32), aligned(8), may_alias));
typedef int64_t cr__quad_bits __attribute__((vector_size(32)));

/* The larger of each two lanes; b where a is not a number. */
static inline __attribute__((always_inline)) void cr__quad_larger(const cr__quad *a, cr__quad *b)
{
    const cr__quad_bits more = *a > *b;

    *b = (cr__quad)(((cr__quad_bits)*a & more) | ((cr__quad_bits)*b & ~more));
}

/* e^x for x <= 0, to one unit in the last place: x = n ln 2 + r with |r| <= ln 2 / 2, the series of
 * e^r up to r^13 / 13!, and n added to the exponent. Below -708 it is e^-708, which is
 * negligible. */
static inline __attribute__((always_inline)) void cr__quad_exponential(cr__quad *px)
{
    const double magic = 0x1.8p52;
    const cr__quad least = {-708, -708, -708, -708};
    const cr__quad_bits small = *px < least;
    const cr__quad x = (cr__quad)(((cr__quad_bits)*px & ~small) | ((cr__quad_bits)least & small));
    const cr__quad t = x * 0x1.71547652b82fep0 + magic, n = t - magic;
    const cr__quad r = (x - n * 0x1.62e42fefa3800p-1) - n * 0x1.ef35793c76730p-45;
    const cr__quad r2 = r * r, r4 = r2 * r2;
    const cr__quad low = (r + 1.0) + (r * (1.0 / 6) + 0.5) * r2;
    const cr__quad middle = (r * (1.0 / 120) + 1.0 / 24) + (r * (1.0 / 5040) + 1.0 / 720) * r2;
    const cr__quad high =
        (r * (1.0 / 362880) + 1.0 / 40320) + (r * (1.0 / 39916800) + 1.0 / 3628800) * r2;
    const cr__quad last = r * (1.0 / 6227020800) + 1.0 / 479001600;
    const cr__quad p = low + (middle + (high + last * r4) * r4) * r4;

    *px = (cr__quad)((cr__quad_bits)p + ((cr__quad_bits)t << 52));
}

#endif
