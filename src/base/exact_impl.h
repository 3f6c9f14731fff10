/* base/exact_impl.h - shared by the files of the exact sums. */
#ifndef CR_BASE_EXACT_IMPL_H
#define CR_BASE_EXACT_IMPL_H

#include "base/exact.h"

/* into += sign * sum of limb[i] * 2^(64 * (low + i)); limb may have zeros anywhere but must not be
 * into's own. */
cr_status cr__exact_add_limbs(cr__exact *into, const uint64_t *limb, size_t count, int32_t low,
                              int sign);

/* The same for up to three limbs that begin at any bit: limb[i] * 2^(position + 64 * i). */
cr_status cr__exact_add_bits(cr__exact *into, const uint64_t *limb, size_t count, int64_t position,
                             int sign);

#define CR__LANE_WINDOW 28 /* exponents in a lane's window */

/* Add one value, given by its bits, to the lane; NaN is skipped. */
cr_status cr__lane_add(cr__lane *lane, uint64_t bits);

/* Empty the lane's window into its wide part. */
cr_status cr__lane_spill(cr__lane *lane);

/* The integer m of a finite double +-m * 2^(*biased - 1075), given by its bits. */
static inline uint64_t cr__significand(uint64_t bits, int *biased)
{
    const uint64_t hidden = (uint64_t)1 << 52;
    const int exponent = (int)(bits >> 52 & 0x7ff);

    *biased = exponent == 0 ? 1 : exponent;
    return (bits & (hidden - 1)) | (exponent == 0 ? 0 : hidden);
}

#endif
