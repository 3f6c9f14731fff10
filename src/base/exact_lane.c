/* base/exact_lane.c - add doubles and their squares exactly, one class and feature per lane.
 *
 * A double is m * 2^(E - 1075) with an integer m below 2^53 and a biased exponent E. Small and wide
 * fixed-point accumulators for such sums are due to U. Kulisch; see also R. Neal, "Fast exact
 * summation using small and large superaccumulators" (2015). Data of one column have similar
 * magnitudes, so a lane keeps a window of 28 exponents: with E = base + s, 1 <= s <= 28, it adds m
 * * 2^s (81 bits at most) to 128 bits and m^2 * 2^(2s) (162 bits at most) to 192 bits, without
 * rounding and with room for at least 2^29 values; the top bit of the squares shows when that is
 * used up. (The sum of n values is at most sqrt(n) times the root of the sum of squares, so 128
 * bits hold it for any count.) The rare other values go to the wide part, and when they are not
 * rare the window moves. What the window holds depends on the order of the rows; the total does
 * not.
 */
#include <math.h>
#include <string.h>

#include "base/exact_impl.h"
#include "base/memory.h"

__extension__ typedef unsigned __int128 cr__u128;

#define BASE_MAX (2046 - CR__LANE_WINDOW)
#define ABOVE 8   /* exponents of the window above that of the value that placed it */
#define MISSES 32 /* the window moves after this many values outside it */

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

/* wide[0 .. 3] += limb[0 .. 2] * 2^shift, shift < 64, with the carry propagated. */
static void add_shifted(uint64_t *wide, const uint64_t limb[3], unsigned shift)
{
    const unsigned rest = 63 - shift; /* one less, so that it is a valid shift */
    cr__u128 sum = (cr__u128)wide[0] + (limb[0] << shift);

    wide[0] = (uint64_t)sum;
    sum = (sum >> 64) + wide[1] + (limb[1] << shift | limb[0] >> 1 >> rest);
    wide[1] = (uint64_t)sum;
    sum = (sum >> 64) + wide[2] + (limb[2] << shift | limb[1] >> 1 >> rest);
    wide[2] = (uint64_t)sum;
    sum = (sum >> 64) + wide[3] + (limb[2] >> 1 >> rest);
    wide[3] = (uint64_t)sum;
    for (int i = 4; sum >> 64 != 0; i++) {
        sum = (cr__u128)wide[i] + 1;
        wide[i] = (uint64_t)sum;
    }
}

/* wide += limb[0 .. 2] * 2^position, dropping bits below WIDE_BIT. */
static void wide_add(uint64_t *wide, const uint64_t limb[3], int position)
{
    unsigned offset = (unsigned)(position - WIDE_BIT), cut;
    uint64_t kept[3] = {0};

    if (position >= WIDE_BIT) {
        add_shifted(wide + offset / 64, limb, offset % 64);
        return;
    }
    cut = 0 - offset;
    for (unsigned i = cut / 64; i < 3; i++) {
        kept[i - cut / 64] = limb[i] >> cut % 64;
        if (i + 1 < 3 && cut % 64 != 0)
            kept[i - cut / 64] |= limb[i + 1] << (64 - cut % 64);
    }
    add_shifted(wide, kept, 0);
}

static cr_status need_wide(cr__lane *lane)
{
    if (lane->wide == NULL)
        lane->wide = cr__alloc_zero(1, sizeof *lane->wide);
    return lane->wide == NULL ? CR_ENOMEM : CR_OK;
}

cr_status cr__lane_spill(cr__lane *lane)
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
    const int base = biased + ABOVE - CR__LANE_WINDOW;

    if ((lane->squares[0] | lane->squares[1] | lane->squares[2]) != 0 &&
        cr__lane_spill(lane) != CR_OK)
        return CR_ENOMEM;
    lane->base = base < 0 ? 0 : base > BASE_MAX ? BASE_MAX : base;
    return CR_OK;
}

/* ---- values --------------------------------------------------------------------------------- */

/* *x += y + carry; returns the carry out. */
static inline uint64_t add_carry(uint64_t *x, uint64_t y, uint64_t carry)
{
    uint64_t sum;
    const uint64_t over = __builtin_add_overflow(*x, y, &sum);

    return over | __builtin_add_overflow(sum, carry, x);
}

/* Add a value if it is in the window; returns whether it was. */
static inline int window_add(cr__lane *lane, uint64_t bits)
{
    const unsigned s = (unsigned)(bits >> 52 & 0x7ff) - (unsigned)lane->base;
    const uint64_t hidden = (uint64_t)1 << 52, m = (bits & (hidden - 1)) | hidden;
    const cr__u128 square = (cr__u128)m * m;
    const uint64_t low = (uint64_t)square, high = (uint64_t)(square >> 64);
    uint64_t *sum = lane->sum[bits >> 63], *squares = lane->squares;
    uint64_t carry;

    if (__builtin_expect(s - 1 >= CR__LANE_WINDOW, 0))
        return 0;
    carry = add_carry(&sum[0], m << s, 0);
    sum[1] += (m >> (64 - s)) + carry;
    carry = add_carry(&squares[0], low << 2 * s, 0);
    carry = add_carry(&squares[1], high << 2 * s | low >> (64 - 2 * s), carry);
    squares[2] += (high >> (64 - 2 * s)) + carry;
    lane->count++;
    return 1;
}

/* Add a value that is not in the window, which may be NaN or zero. */
static cr_status add_outside(cr__lane *lane, uint64_t bits)
{
    const int field = (int)(bits >> 52 & 0x7ff);
    uint64_t m[3] = {0}, square[3] = {0};
    cr__u128 product;
    int biased;

    if (field == 0x7ff)
        return CR_OK;
    if (bits << 1 == 0) {
        lane->count++;
        return CR_OK;
    }
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

static inline cr_status add_value(cr__lane *lane, uint64_t bits)
{
    if (__builtin_expect(!window_add(lane, bits), 0))
        return add_outside(lane, bits);
    if (__builtin_expect(lane->squares[2] >> 63 != 0, 0))
        return cr__lane_spill(lane);
    return CR_OK;
}

cr_status cr__lane_add(cr__lane *lane, uint64_t bits)
{
    return add_value(lane, bits);
}

cr_status cr__lanes_absorb(cr__lane *lanes, const double *x, const uint32_t *class_code,
                           size_t rows)
{
    for (size_t r = 0; r < rows; r++) {
        uint64_t bits;

        memcpy(&bits, &x[r], sizeof bits);
        if (__builtin_expect(add_value(&lanes[class_code[r]], bits) != CR_OK, 0))
            return CR_ENOMEM;
    }
    return CR_OK;
}

/* ---- weighted values ------------------------------------------------------------------------ */

/* Add a weight m * 2^exponent to the count, rounded to a multiple of 2^-64, ties to even. */
static cr_status count_weight(cr__lane *lane, uint64_t m, int exponent)
{
    const int shift = exponent + 64;
    cr__u128 fixed, count = (cr__u128)(uint64_t)lane->count << 64 | lane->fraction;

    if (shift > 128 - 54) /* m has 53 bits; 2^63 is the limit */
        return CR_ELIMIT;
    if (shift >= 0) {
        fixed = (cr__u128)m << shift;
    } else if (shift < -54) {
        fixed = 0;
    } else {
        const uint64_t half = (uint64_t)1 << (-shift - 1);

        fixed = (m + half - 1 + (m >> -shift & 1)) >> -shift;
    }
    count += fixed;
    if (count >> 127 != 0)
        return CR_ELIMIT;
    lane->count = (int64_t)(count >> 64);
    lane->fraction = (uint64_t)count;
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

    memcpy(&x_bits, &x, sizeof x_bits);
    memcpy(&w_bits, &weight, sizeof w_bits);
    mx = cr__significand(x_bits, &x_biased);
    mw = cr__significand(w_bits, &w_biased);
    if (need_wide(lane) != CR_OK)
        return CR_ENOMEM;
    if ((status = count_weight(lane, mw, w_biased - 1075)) != CR_OK)
        return status;
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
