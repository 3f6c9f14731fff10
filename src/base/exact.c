/* base/exact.c - exact real numbers with a finite binary expansion: sign, limbs and an offset. */
#include "base/exact.h"

#include <math.h>
#include <string.h>

#include "base/exact_impl.h"
#include "base/memory.h"

__extension__ typedef unsigned __int128 cr__u128;

#define HEADER 4         /* bytes before the limbs in the stored form */
#define RATIO_LIMBS 260u /* the longest operands that are divided exactly */

static const uint64_t *limbs_of(const cr__exact *x)
{
    return x->capacity == 0 ? x->small : x->limb;
}

static uint64_t *limbs_in(cr__exact *x)
{
    return x->capacity == 0 ? x->small : x->limb;
}

void cr__exact_init(cr__exact *x)
{
    memset(x, 0, sizeof *x);
}

void cr__exact_free(cr__exact *x)
{
    cr__free(x->limb);
    cr__exact_init(x);
}

/* ---- shape -------------------------------------------------------------------------------- */

/* Make room for count limbs; existing limbs are kept. */
static cr_status reserve(cr__exact *x, size_t count)
{
    uint64_t *limb;

    if (count <= (x->capacity == 0 ? CR__EXACT_SMALL : x->capacity))
        return CR_OK;
    limb = cr__alloc(count, sizeof *limb);
    if (limb == NULL)
        return CR_ENOMEM;
    memcpy(limb, limbs_of(x), x->count * sizeof *limb);
    cr__free(x->limb);
    x->limb = limb;
    x->capacity = (uint32_t)count;
    return CR_OK;
}

/* Make the limbs reach from low up to (not including) high, zeros where there were none. The value
 * is unchanged, but it is not in canonical form again until trim(). */
static cr_status widen(cr__exact *x, int32_t low, int32_t high)
{
    const size_t count = (size_t)(high - low);
    uint64_t *limb;
    size_t before;

    if (reserve(x, count) != CR_OK)
        return CR_ENOMEM;
    limb = limbs_in(x);
    before = x->count == 0 ? 0 : (size_t)(x->low - low);
    memmove(limb + before, limb, x->count * sizeof *limb);
    memset(limb, 0, before * sizeof *limb);
    memset(limb + before + x->count, 0, (count - before - x->count) * sizeof *limb);
    x->low = low;
    x->count = (uint32_t)count;
    return CR_OK;
}

/* Back to the canonical form: no zero limb at either end. */
static void trim(cr__exact *x)
{
    uint64_t *limb = limbs_in(x);
    size_t zeros = 0;

    while (x->count > 0 && limb[x->count - 1] == 0)
        x->count--;
    while (zeros < x->count && limb[zeros] == 0)
        zeros++;
    if (zeros > 0) {
        x->count -= (uint32_t)zeros;
        x->low += (int32_t)zeros;
        memmove(limb, limb + zeros, x->count * sizeof *limb);
    }
    if (x->count == 0) {
        x->sign = 0;
        x->low = 0;
    }
}

/* An independent copy of the value. */
static cr_status copy_value(cr__exact *into, const cr__exact *from)
{
    if (into == from)
        return CR_OK;
    if (reserve(into, from->count) != CR_OK)
        return CR_ENOMEM;
    memcpy(limbs_in(into), limbs_of(from), from->count * sizeof *from->limb);
    into->sign = from->sign;
    into->low = from->low;
    into->count = from->count;
    return CR_OK;
}

/* ---- arithmetic ---------------------------------------------------------------------------- */

/* x += y over count limbs of y, the carry propagating into the higher limbs of x. */
static void add_magnitude(uint64_t *x, const uint64_t *y, size_t count)
{
    uint64_t carry = 0;
    size_t i;

    for (i = 0; i < count; i++) {
        const cr__u128 sum = (cr__u128)x[i] + y[i] + carry;

        x[i] = (uint64_t)sum;
        carry = (uint64_t)(sum >> 64);
    }
    for (; carry != 0; i++)
        carry = ++x[i] == 0;
}

/* x -= y modulo 2^(64 * size); returns 1 when the true difference is negative. */
static int subtract_magnitude(uint64_t *x, size_t size, const uint64_t *y, size_t count)
{
    uint64_t borrow = 0;
    size_t i;

    for (i = 0; i < count; i++) {
        const cr__u128 difference = (cr__u128)x[i] - y[i] - borrow;

        x[i] = (uint64_t)difference;
        borrow = (uint64_t)(difference >> 64) & 1;
    }
    for (; borrow != 0 && i < size; i++)
        borrow = x[i]-- == 0;
    return borrow != 0;
}

/* The negative modulo 2^(64 * size). */
static void negate(uint64_t *x, size_t size)
{
    uint64_t carry = 1;

    for (size_t i = 0; i < size; i++) {
        x[i] = ~x[i] + carry;
        carry &= x[i] == 0;
    }
}

/* The usual case of a sum: its limbs cover those of the number on both sides, and none is added or
 * dropped. Returns 0, with nothing changed, in any other case.
 */
static int add_within(cr__exact *into, const uint64_t *limb, size_t count, int32_t low, int sign)
{
    uint64_t *x = limbs_in(into);
    const size_t last = into->count - 1;
    const int32_t from = low - into->low;

    if (into->count == 0 || from < 0 || (size_t)from + count > last)
        return 0;
    if (from == 0 && x[0] == (into->sign == sign ? -limb[0] : limb[0]))
        return 0; /* the lowest limb becomes 0 */
    if (into->sign == sign && x[last] != UINT64_MAX)
        add_magnitude(x + from, limb, count);
    else if (into->sign != sign && x[last] > 1)
        (void)subtract_magnitude(x + from, into->count - (size_t)from, limb, count);
    else
        return 0;
    return 1;
}

cr_status cr__exact_add_limbs(cr__exact *into, const uint64_t *limb, size_t count, int32_t low,
                              int sign)
{
    int32_t high, from, to;
    uint64_t *place;

    while (count > 0 && limb[count - 1] == 0)
        count--;
    while (count > 0 && *limb == 0) {
        limb++;
        low++;
        count--;
    }
    if (count == 0 || add_within(into, limb, count, low, sign))
        return CR_OK;
    high = low + (int32_t)count;
    from = into->count == 0 || low < into->low ? low : into->low;
    to = into->low + (int32_t)into->count;
    to = into->count == 0 || high > to ? high : to;
    if (widen(into, from, to + (into->sign == sign)) != CR_OK) /* one limb for the carry */
        return CR_ENOMEM;
    if (into->sign == 0)
        into->sign = sign;
    place = limbs_in(into) + (low - from);
    if (into->sign == sign) {
        add_magnitude(place, limb, count);
    } else if (subtract_magnitude(place, into->count - (size_t)(low - from), limb, count)) {
        negate(limbs_in(into), into->count);
        into->sign = sign;
    }
    trim(into);
    return CR_OK;
}

cr_status cr__exact_add_bits(cr__exact *into, const uint64_t *limb, size_t count, int64_t position,
                             int sign)
{
    const int64_t low = position >= 0 ? position / 64 : -((63 - position) / 64);
    const unsigned shift = (unsigned)(position - low * 64);
    uint64_t shifted[4] = {0};

    for (size_t i = 0; i < count && i < 3; i++) {
        shifted[i] |= limb[i] << shift;
        shifted[i + 1] = shift == 0 ? 0 : limb[i] >> (64 - shift);
    }
    return cr__exact_add_limbs(into, shifted, 4, (int32_t)low, sign);
}

cr_status cr__exact_add(cr__exact *into, const cr__exact *other, int sign)
{
    cr__exact copy = {0};
    cr_status status;

    if (other->count == 0)
        return CR_OK;
    if (into != other)
        return cr__exact_add_limbs(into, limbs_of(other), other->count, other->low,
                                   sign < 0 ? -other->sign : other->sign);
    if ((status = copy_value(&copy, other)) == CR_OK)
        status = cr__exact_add(into, &copy, sign);
    cr__exact_free(&copy);
    return status;
}

cr_status cr__exact_add_double(cr__exact *into, double value)
{
    uint64_t bits, significand;
    int biased;

    memcpy(&bits, &value, sizeof bits);
    significand = cr__significand(bits, &biased);
    return cr__exact_add_bits(into, &significand, 1, biased - 1075, bits >> 63 ? -1 : 1);
}

cr_status cr__exact_add_square(cr__exact *into, double value, int sign)
{
    uint64_t bits, significand, limb[2];
    cr__u128 square;
    int biased;

    memcpy(&bits, &value, sizeof bits);
    significand = cr__significand(bits, &biased);
    square = (cr__u128)significand * significand;
    limb[0] = (uint64_t)square;
    limb[1] = (uint64_t)(square >> 64);
    return cr__exact_add_bits(into, limb, 2, 2 * ((int64_t)biased - 1075), sign);
}

/* The schoolbook product; the operands have a few limbs each. */
static void multiply_into(cr__exact *into, const cr__exact *x, const cr__exact *y)
{
    const uint64_t *a = limbs_of(x), *b = limbs_of(y);
    uint64_t *c = limbs_in(into);

    memset(c, 0, (x->count + y->count) * sizeof *c);
    for (size_t i = 0; i < x->count; i++) {
        uint64_t carry = 0;

        for (size_t j = 0; j < y->count; j++) {
            const cr__u128 sum = (cr__u128)a[i] * b[j] + c[i + j] + carry;

            c[i + j] = (uint64_t)sum;
            carry = (uint64_t)(sum >> 64);
        }
        c[i + y->count] = carry;
    }
    into->count = x->count + y->count;
    into->low = x->low + y->low;
    into->sign = x->sign * y->sign;
    trim(into);
}

cr_status cr__exact_multiply(cr__exact *into, const cr__exact *x, const cr__exact *y)
{
    cr__exact product = {0};

    if (into != x && into != y) {
        if (reserve(into, x->count + y->count) != CR_OK)
            return CR_ENOMEM;
        multiply_into(into, x, y);
        return CR_OK;
    }
    if (reserve(&product, x->count + y->count) != CR_OK)
        return CR_ENOMEM;
    multiply_into(&product, x, y);
    cr__exact_free(into);
    *into = product;
    return CR_OK;
}

/* ---- comparison ---------------------------------------------------------------------------- */

int cr__exact_sign(const cr__exact *x)
{
    return x->sign;
}

/* -1, 0, 1 as |x| <, =, > |y|. */
static int compare_magnitude(const cr__exact *x, const cr__exact *y)
{
    const uint64_t *a = limbs_of(x), *b = limbs_of(y);
    const int32_t x_high = x->low + (int32_t)x->count, y_high = y->low + (int32_t)y->count;
    size_t i = x->count, j = y->count;

    if (i == 0 || j == 0)
        return (i > 0) - (j > 0);
    if (x_high != y_high)
        return x_high < y_high ? -1 : 1;
    while (i > 0 && j > 0)
        if (a[--i] != b[--j])
            return a[i] < b[j] ? -1 : 1;
    return (i > 0) - (j > 0); /* the lowest limb of the longer one is not 0 */
}

int cr__exact_compare(const cr__exact *x, const cr__exact *y)
{
    if (x->sign != y->sign)
        return x->sign < y->sign ? -1 : 1;
    return x->sign * compare_magnitude(x, y);
}

/* ---- rounding ------------------------------------------------------------------------------ */

/* The leading 64 bits (bit 63 set), the exponent of that bit, and whether any bits below them are
 * lost. */
typedef struct leading {
    uint64_t bits;
    int64_t exponent;
    int more;
} leading;

static leading leading_of(const cr__exact *x) /* x is not 0 */
{
    const uint64_t *limb = limbs_of(x);
    const size_t last = x->count - 1;
    const int zeros = __builtin_clzll(limb[last]);
    const uint64_t next = last > 0 ? limb[last - 1] : 0;
    leading top;

    top.bits = zeros == 0 ? limb[last] : limb[last] << zeros | next >> (64 - zeros);
    top.exponent = ((int64_t)x->low + (int64_t)last) * 64 + 63 - zeros;
    top.more = last > 1 || next << zeros != 0; /* a lowest limb is never 0 */
    return top;
}

/* Round to a double, nearest, ties to even. Of the 64 bits a normal number keeps 53, a denormal
 * fewer; keeping none at all may still round up to the smallest denormal. */
static double round_leading(leading top, int sign)
{
    const int64_t below = top.exponent < -1022 ? -1022 - top.exponent : 0;
    const int drop = below > 53 ? 65 : 11 + (int)below;
    uint64_t bits, rest, half;
    double value;

    if (top.exponent > 1023)
        return sign * HUGE_VAL;
    if (drop > 64)
        return sign * 0.0;
    bits = drop == 64 ? 0 : top.bits >> drop;
    rest = drop == 64 ? top.bits : top.bits << (64 - drop);
    half = (uint64_t)1 << 63;
    if (rest > half || (rest == half && (top.more || (bits & 1) != 0)))
        bits++;
    if (below == 0) /* the leading bit itself adds the last 1 to the exponent field */
        bits += (uint64_t)(top.exponent + 1022) << 52;
    memcpy(&value, &bits, sizeof value);
    return sign < 0 ? -value : value;
}

double cr__exact_to_double(const cr__exact *x)
{
    return x->count == 0 ? 0 : round_leading(leading_of(x), x->sign);
}

static void shift_left_one(uint64_t *x, size_t size)
{
    uint64_t carry = 0;

    for (size_t i = 0; i < size; i++) {
        const uint64_t out = x[i] >> 63;

        x[i] = x[i] << 1 | carry;
        carry = out;
    }
}

static int less(const uint64_t *x, const uint64_t *y, size_t size)
{
    for (size_t i = size; i-- > 0;)
        if (x[i] != y[i])
            return x[i] < y[i];
    return 0;
}

/* Put the leading bit of x's magnitude at bit 62 of the last of size limbs. */
static void align(uint64_t *out, size_t size, const cr__exact *x)
{
    const uint64_t *limb = limbs_of(x);
    const int zeros = __builtin_clzll(limb[x->count - 1]);
    const size_t from = size - x->count; /* at least 1 */

    memset(out, 0, size * sizeof *out);
    for (size_t i = 0; i < x->count; i++) { /* shifted by zeros - 1, which is -1 when zeros is 0 */
        if (zeros > 0) {
            out[from + i] = limb[i] << (zeros - 1);
            if (i > 0 && zeros > 1)
                out[from + i] |= limb[i - 1] >> (65 - zeros);
        } else {
            out[from + i] = limb[i] >> 1;
            out[from + i - 1] |= limb[i] << 63;
        }
    }
}

/* The leading 64 bits of |num / den| by long division, bit after bit. */
static leading divide(const cr__exact *num, const cr__exact *den)
{
    uint64_t rest[RATIO_LIMBS + 1], step[RATIO_LIMBS + 1];
    const size_t size = (num->count > den->count ? num->count : den->count) + 1;
    leading quotient = {0, leading_of(num).exponent - leading_of(den).exponent, 0};

    align(rest, size, num);
    align(step, size, den);
    if (less(rest, step, size)) {
        shift_left_one(rest, size);
        quotient.exponent--;
    }
    for (int bit = 0; bit < 64; bit++) {
        const int one = !less(rest, step, size);

        if (one)
            (void)subtract_magnitude(rest, size, step, size);
        shift_left_one(rest, size);
        quotient.bits = quotient.bits << 1 | (uint64_t)one;
    }
    for (size_t i = 0; i < size; i++)
        quotient.more |= rest[i] != 0;
    return quotient;
}

/* Nearly always the leading 64 bits of both are enough: with n, d in [2^63, 2^64) truncated from
 * the true N, D (N < n + 1, D < d + 1), the quotient of 64 bits differs from the true one by less
 * than 4 units of its last place. Only if a point halfway between two doubles is that near (the low
 * 11 bits are about 2^10), or for a denormal result, does the long division have to decide. */
double cr__exact_ratio_to_double(const cr__exact *num, const cr__exact *den)
{
    const int sign = num->sign * den->sign;
    leading n, d, q;
    uint64_t last;

    if (sign == 0)
        return 0;
    n = leading_of(num);
    d = leading_of(den);
    q.exponent = n.exponent - d.exponent - (n.bits < d.bits);
    q.bits = (uint64_t)(((cr__u128)n.bits << (n.bits < d.bits ? 64 : 63)) / d.bits);
    q.more = 1;
    last = q.bits & 0x7ff;
    if ((q.exponent < -1022 || (last > 0x400 - 8 && last < 0x400 + 8)) &&
        num->count <= RATIO_LIMBS && den->count <= RATIO_LIMBS)
        q = divide(num, den);
    return round_leading(q, sign);
}

/* ---- the stored form ------------------------------------------------------------------------ */

static uint64_t load_limb(const unsigned char *bytes)
{
    uint64_t limb = 0;

    for (int i = 8; i-- > 0;)
        limb = limb << 8 | bytes[i];
    return limb;
}

size_t cr__exact_bytes(const cr__exact *x)
{
    return HEADER + 8 * (size_t)x->count;
}

void cr__exact_write(const cr__exact *x, unsigned char *bytes)
{
    const uint64_t *limb = limbs_of(x);

    bytes[0] = (unsigned char)(x->sign < 0 ? 2 : x->sign);
    bytes[1] = (unsigned char)x->count;
    bytes[2] = (unsigned char)((uint32_t)x->low & 0xff);
    bytes[3] = (unsigned char)((uint32_t)x->low >> 8 & 0xff);
    for (size_t i = 0; i < 8 * (size_t)x->count; i++)
        bytes[HEADER + i] = (unsigned char)(limb[i / 8] >> 8 * (i % 8));
}

cr_status cr__exact_read(cr__exact *x, const unsigned char *bytes, size_t length, size_t *used)
{
    const unsigned char *limb = bytes + HEADER;
    size_t count;
    int32_t low;

    if (length < HEADER || bytes[0] > 2)
        return CR_EFORMAT;
    count = bytes[1];
    low = bytes[2] | bytes[3] << 8;
    low -= low >= 0x8000 ? 0x10000 : 0;
    if ((bytes[0] == 0) != (count == 0) || (length - HEADER) / 8 < count)
        return CR_EFORMAT;
    if (count == 0 ? low != 0
                   : low < -CR__EXACT_REACH || low + (int32_t)count > CR__EXACT_REACH ||
                         load_limb(limb) == 0 || load_limb(limb + 8 * (count - 1)) == 0)
        return CR_EFORMAT;
    if (reserve(x, count) != CR_OK)
        return CR_ENOMEM;
    for (size_t i = 0; i < count; i++)
        limbs_in(x)[i] = load_limb(limb + 8 * i);
    x->count = (uint32_t)count;
    x->low = low;
    x->sign = bytes[0] == 2 ? -1 : bytes[0];
    *used = HEADER + 8 * count;
    return CR_OK;
}
