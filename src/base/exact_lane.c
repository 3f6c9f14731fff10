/* base/exact_lane.c - add doubles and their squares exactly, one class and feature per lane.
 *
 * A double is m * 2^(E - 1075) with an integer m below 2^53 and a biased exponent E. Small and wide
 * fixed-point accumulators for such sums are due to U. Kulisch; see also R. Neal, "Fast exact
 * summation using small and large superaccumulators" (2015). Data of one column have similar
 * magnitudes, so a lane keeps a window of 31 exponents: with E = base + s, 1 <= s <= 31, it adds
 * m * 2^s (84 bits at most) to 128 bits and m^2 * 2^(2s) (168 bits at most) to 192 bits, without
 * rounding and with room for 2^23 values at least; the top bit of the squares tells when it is used
 * up. (The sum of n values is at most sqrt(n) times the root of the sum of squares, so 128 bits
 * hold it for any count.) The rare other values go to the wide part, and when they are not rare the
 * window moves. What the window holds depends on the order of the rows; the total does not.
 */
#include <math.h>
#include <string.h>

#include "base/exact_impl.h"
#include "base/memory.h"

__extension__ typedef unsigned __int128 cr__u128;

#define WINDOW 31          /* exponents in the window */
#define BASE_MAX (2046 - WINDOW)
#define ABOVE 9            /* exponents kept above that of the value the window is placed by */
#define MISSES 32          /* after how many values outside the window it moves */

/* The wide part: naturals from 2^-2176 = 2^(64 * WIDE_LOW) upwards, below every product of two
 * doubles. A weighted sum stays below 2^2048 and weighted squares below 2^3072, and 64 more bits
 * hold any count of them. */
#define WIDE_LOW (-34)
#define WIDE_BIT (WIDE_LOW * 64)
#define SUM_LIMBS 68
#define SQUARES_LIMBS 84

typedef struct cr__lane_wide {
    uint64_t sum[2][SUM_LIMBS]; /* of the positive values, of the negative ones */
    uint64_t squares[SQUARES_LIMBS];
} cr__lane_wide;

/* ---- the wide part ------------------------------------------------------------------------- */

/* wide += limb[0 .. 2] * 2^position, what lies below WIDE_BIT cut off. */
static void wide_add(uint64_t *wide, const uint64_t limb[3], int position)
{
    const int offset = position - WIDE_BIT;
    const int skip = offset >= 0 ? offset / 64 : -((63 - offset) / 64);
    const unsigned shift = (unsigned)(offset - skip * 64);
    uint64_t carry = 0, spill = 0;
    int i;

    for (i = 0; i < 4; i++) {
        const uint64_t low = i < 3 ? limb[i] : 0;
        const uint64_t piece = low << shift | spill;

        spill = shift == 0 ? 0 : low >> (64 - shift);
        if (i + skip >= 0) {
            const cr__u128 sum = (cr__u128)wide[i + skip] + piece + carry;

            wide[i + skip] = (uint64_t)sum;
            carry = (uint64_t)(sum >> 64);
        }
    }
    for (; carry != 0; i++)
        carry = ++wide[i + skip] == 0;
}

static cr_status need_wide(cr__lane *lane)
{
    if (lane->wide == NULL)
        lane->wide = cr__alloc_zero(1, sizeof *lane->wide);
    return lane->wide == NULL ? CR_ENOMEM : CR_OK;
}

/* Empty the window into the wide part. */
static cr_status spill_window(cr__lane *lane)
{
    const int unit = lane->base - 1075;

    if (need_wide(lane) != CR_OK)
        return CR_ENOMEM;
    for (int negative = 0; negative < 2; negative++) {
        const uint64_t sum[3] = {lane->sum[negative][0], lane->sum[negative][1], 0};

        wide_add(lane->wide->sum[negative], sum, unit);
    }
    wide_add(lane->wide->squares, lane->squares, 2 * unit);
    memset(lane->sum, 0, sizeof lane->sum);
    memset(lane->squares, 0, sizeof lane->squares);
    return CR_OK;
}

/* Place the window by a value with this biased exponent. */
static cr_status move_window(cr__lane *lane, int biased)
{
    const int base = biased + ABOVE - WINDOW;

    if ((lane->squares[0] | lane->squares[1] | lane->squares[2]) != 0 &&
        spill_window(lane) != CR_OK)
        return CR_ENOMEM;
    lane->base = base < 0 ? 0 : base > BASE_MAX ? BASE_MAX : base;
    return CR_OK;
}

/* ---- values --------------------------------------------------------------------------------- */

/* Add a value if it is in the window; returns whether it was. Zero is everywhere at home: it is
 * treated as m = 0 in the window, without a branch, for columns with many zeros. */
static inline int window_add(cr__lane *lane, uint64_t bits)
{
    const uint64_t hidden = (uint64_t)1 << 52;
    const int zero = bits << 1 == 0;
    const unsigned s = zero ? 1 : (unsigned)(bits >> 52 & 0x7ff) - (unsigned)lane->base;
    const uint64_t m = zero ? 0 : (bits & (hidden - 1)) | hidden;
    uint64_t *sum = lane->sum[bits >> 63], *squares = lane->squares;
    cr__u128 square, low, total;

    if (s - 1 >= WINDOW)
        return 0;
    total = ((cr__u128)sum[1] << 64 | sum[0]) + ((cr__u128)(m >> (64 - s)) << 64 | m << s);
    sum[0] = (uint64_t)total;
    sum[1] = (uint64_t)(total >> 64);
    square = (cr__u128)m * m;
    low = square << 2 * s;
    total = ((cr__u128)squares[1] << 64 | squares[0]) + low;
    squares[0] = (uint64_t)total;
    squares[1] = (uint64_t)(total >> 64);
    squares[2] += ((uint64_t)(square >> 64) >> (64 - 2 * s)) + (total < low);
    lane->count++;
    return 1;
}

/* Add a value that is not in the window, which may be NaN. */
static cr_status add_outside(cr__lane *lane, uint64_t bits)
{
    const int field = (int)(bits >> 52 & 0x7ff);
    uint64_t m[3] = {0}, square[3] = {0};
    cr__u128 product;
    int biased;

    if (field == 0x7ff)
        return CR_OK;
    if (field != 0 && lane->misses++ % MISSES == 0) {
        if (move_window(lane, field) != CR_OK)
            return CR_ENOMEM;
        (void)window_add(lane, bits); /* now it fits */
        return CR_OK;
    }
    if (need_wide(lane) != CR_OK)
        return CR_ENOMEM;
    m[0] = cr__significand(bits, &biased);
    product = (cr__u128)m[0] * m[0];
    square[0] = (uint64_t)product;
    square[1] = (uint64_t)(product >> 64);
    wide_add(lane->wide->sum[bits >> 63], m, biased - 1075);
    wide_add(lane->wide->squares, square, 2 * (biased - 1075));
    lane->count++;
    return CR_OK;
}

cr_status cr__lanes_absorb(cr__lane *lanes, const double *x, const uint32_t *class_code,
                           size_t rows)
{
    for (size_t r = 0; r < rows; r++) {
        cr__lane *lane = &lanes[class_code[r]];
        uint64_t bits;

        memcpy(&bits, &x[r], sizeof bits);
        if (__builtin_expect(!window_add(lane, bits), 0)) {
            if (add_outside(lane, bits) != CR_OK)
                return CR_ENOMEM;
        } else if (__builtin_expect(lane->squares[2] >> 63 != 0, 0)) {
            if (spill_window(lane) != CR_OK)
                return CR_ENOMEM;
        }
    }
    return CR_OK;
}

/* Add a weight to the count, rounded to a multiple of 2^-64. */
static cr_status count_weight(cr__lane *lane, double weight)
{
    const double whole = floor(weight), fraction = rint((weight - whole) * 0x1p64);
    int64_t carry, sum;

    if (!(whole < 0x1p63))
        return CR_ELIMIT;
    carry = __builtin_add_overflow(lane->fraction, (uint64_t)fraction, &lane->fraction);
    if (__builtin_add_overflow(lane->count, (int64_t)whole, &sum) ||
        __builtin_add_overflow(sum, carry, &sum))
        return CR_ELIMIT;
    lane->count = sum;
    return CR_OK;
}

/* Add w * x and w * x * x: products of two and three significands, 106 and 159 bits. */
static cr_status add_weighted(cr__lane *lane, double x, double weight)
{
    uint64_t x_bits, w_bits, wx[3] = {0}, wxx[3];
    int x_biased, w_biased, unit;
    uint64_t mx, mw;
    cr__u128 product, high;
    cr_status status;

    if ((status = count_weight(lane, weight)) != CR_OK)
        return status;
    if (need_wide(lane) != CR_OK)
        return CR_ENOMEM;
    memcpy(&x_bits, &x, sizeof x_bits);
    memcpy(&w_bits, &weight, sizeof w_bits);
    mx = cr__significand(x_bits, &x_biased);
    mw = cr__significand(w_bits, &w_biased);
    unit = x_biased + w_biased - 2 * 1075;
    product = (cr__u128)mx * mw;
    wx[0] = (uint64_t)product;
    wx[1] = (uint64_t)(product >> 64);
    product = (cr__u128)wx[0] * mx;
    high = (cr__u128)wx[1] * mx + (uint64_t)(product >> 64);
    wxx[0] = (uint64_t)product;
    wxx[1] = (uint64_t)high;
    wxx[2] = (uint64_t)(high >> 64);
    wide_add(lane->wide->sum[x_bits >> 63], wx, unit);
    wide_add(lane->wide->squares, wxx, unit + x_biased - 1075);
    return CR_OK;
}

cr_status cr__lanes_absorb_weighted(cr__lane *lanes, const double *x, const double *weight,
                                    const uint32_t *class_code, size_t rows)
{
    for (size_t r = 0; r < rows; r++) {
        cr_status status;

        if (isnan(x[r]) || weight[r] == 0)
            continue;
        if ((status = add_weighted(&lanes[class_code[r]], x[r], weight[r])) != CR_OK)
            return status;
    }
    return CR_OK;
}

/* ---- flushing -------------------------------------------------------------------------------- */

cr_status cr__lane_flush(cr__lane *lane, cr__exact *sum, cr__exact *squares)
{
    const int unit = lane->base - 1075;
    cr__lane_wide *wide = lane->wide;

    for (int negative = 0; negative < 2; negative++) {
        const int sign = negative ? -1 : 1;

        if (cr__exact_add_bits(sum, lane->sum[negative], 2, unit, sign) != CR_OK)
            return CR_ENOMEM;
        if (wide != NULL &&
            cr__exact_add_limbs(sum, wide->sum[negative], SUM_LIMBS, WIDE_LOW, sign) != CR_OK)
            return CR_ENOMEM;
    }
    if (cr__exact_add_bits(squares, lane->squares, 3, 2 * unit, 1) != CR_OK)
        return CR_ENOMEM;
    if (wide != NULL) {
        if (cr__exact_add_limbs(squares, wide->squares, SQUARES_LIMBS, WIDE_LOW, 1) != CR_OK)
            return CR_ENOMEM;
        memset(wide, 0, sizeof *wide);
    }
    memset(lane->sum, 0, sizeof lane->sum);
    memset(lane->squares, 0, sizeof lane->squares);
    lane->count = 0;
    lane->fraction = 0;
    return CR_OK;
}

void cr__lane_free(cr__lane *lane)
{
    cr__free(lane->wide);
    memset(lane, 0, sizeof *lane);
}
