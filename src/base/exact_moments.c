/* base/exact_moments.c - mean and variance from exact sums, rounded once. */
#include <string.h>

#include "base/exact_impl.h"

/* Limbs of the longest intermediate value: stored values have 128, a square 256, a sum one more. */
#define SCRATCH 260

/* A value that uses the given limbs, of which there are enough: nothing is allocated. */
static void use_scratch(cr__exact *x, uint64_t limb[SCRATCH])
{
    cr__exact_init(x);
    x->limb = limb;
    x->capacity = SCRATCH;
}

/* x = whole + fraction / 2^64, for whole >= 0. It has two limbs and fits without allocation. */
static void from_count(cr__exact *x, int64_t whole, uint64_t fraction)
{
    const uint64_t limb[2] = {fraction, (uint64_t)whole};

    cr__exact_init(x);
    (void)cr__exact_add_limbs(x, limb, 2, -1, 1);
}

/* Whether x fits the limbs of stored values. */
static int in_reach(const cr__exact *x)
{
    return x->low >= -CR__EXACT_REACH && x->low + (int32_t)x->count <= CR__EXACT_REACH;
}

double cr__exact_mean(int64_t whole, uint64_t fraction, const cr__exact *sum)
{
    cr__exact n;

    if (whole < 0)
        return 0;
    from_count(&n, whole, fraction);
    return cr__exact_ratio_to_double(sum, &n); /* 0 when n is 0 */
}

/* --- sums of a few limbs: nearly all sums --- */

enum { FEW = 8 };

__extension__ typedef unsigned __int128 cr__u128;

static const uint64_t *limbs_of(const cr__exact *x)
{
    return x->capacity == 0 ? x->small : x->limb;
}

/* n * Sxx - Sx^2 in a few limbs, for an integer n; 0 when they do not suffice. */
static int few_limbs(cr__exact *out, uint64_t limb[FEW], uint64_t n, const cr__exact *sum,
                     const cr__exact *squares)
{
    const int32_t low = 2 * sum->low < squares->low ? 2 * sum->low : squares->low;
    const int32_t at = squares->low - low, at_square = 2 * sum->low - low;
    const uint64_t *x = limbs_of(sum), *xx = limbs_of(squares);
    uint64_t square[FEW] = {0}, borrow = 0, carry = 0;
    size_t count = FEW, zeros = 0;

    if (sum->count == 0 || at + (int64_t)squares->count >= FEW ||
        at_square + 2 * (int64_t)sum->count > FEW)
        return 0;
    memset(limb, 0, FEW * sizeof *limb);
    for (size_t i = 0; i < squares->count; i++) {
        const cr__u128 product = (cr__u128)xx[i] * n + carry;

        limb[(size_t)at + i] = (uint64_t)product;
        carry = (uint64_t)(product >> 64);
    }
    limb[(size_t)at + squares->count] = carry;
    for (size_t i = 0; i < sum->count; i++) {
        carry = 0;
        for (size_t j = 0; j < sum->count; j++) {
            uint64_t *to = &square[(size_t)at_square + i + j];
            const cr__u128 product = (cr__u128)x[i] * x[j] + *to + carry;

            *to = (uint64_t)product;
            carry = (uint64_t)(product >> 64);
        }
        square[(size_t)at_square + i + sum->count] = carry;
    }
    for (size_t i = 0; i < FEW; i++) {
        const cr__u128 difference = (cr__u128)limb[i] - square[i] - borrow;

        limb[i] = (uint64_t)difference;
        borrow = (uint64_t)(difference >> 64) & 1;
    }
    while (count > 0 && limb[count - 1] == 0)
        count--;
    while (zeros < count && limb[zeros] == 0)
        zeros++;
    *out = (cr__exact){.sign = borrow ? -1 : count > 0,
                       .low = low + (int32_t)zeros,
                       .count = (uint32_t)(count - zeros),
                       .capacity = FEW,
                       .limb = limb + zeros};
    return 1;
}

int cr__exact_can_be_moments(int64_t whole, const cr__exact *sum, const cr__exact *squares)
{
    uint64_t room[2][SCRATCH];
    cr__exact n, left, right;

    if (whole >= 0 && few_limbs(&left, room[0], (uint64_t)whole, sum, squares))
        return left.sign >= 0;
    if (whole < 0 || !in_reach(sum) || !in_reach(squares))
        return 1;
    from_count(&n, whole, 0);
    use_scratch(&left, room[0]);
    use_scratch(&right, room[1]);
    (void)cr__exact_multiply(&left, &n, squares);
    (void)cr__exact_multiply(&right, sum, sum);
    return cr__exact_compare(&left, &right) >= 0;
}

/* (n * Sxx - Sx^2) / (n * (n - k)), k = 0 or 1: the variance about the mean without subtracting
 * rounded numbers. With k = 0 it is the maximum-likelihood estimate of a Gaussian's variance, with
 * k = 1 the unbiased one (weights counting as repetitions). */
double cr__exact_variance(int64_t whole, uint64_t fraction, const cr__exact *sum,
                          const cr__exact *squares, int unbiased)
{
    const int64_t k = unbiased != 0;
    uint64_t room[2][SCRATCH];
    cr__exact n, less, numerator, square, denominator;

    if (whole < k || !in_reach(sum) || !in_reach(squares))
        return 0;
    if (fraction == 0 && few_limbs(&numerator, room[0], (uint64_t)whole, sum, squares)) {
        const cr__u128 product = (cr__u128)(uint64_t)whole * (uint64_t)(whole - k);
        const uint64_t limb[2] = {(uint64_t)product, (uint64_t)(product >> 64)};

        cr__exact_init(&denominator);
        (void)cr__exact_add_limbs(&denominator, limb, 2, 0, 1);
        return numerator.sign <= 0 ? 0 : cr__exact_ratio_to_double(&numerator, &denominator);
    }
    from_count(&n, whole, fraction);
    from_count(&less, whole - k, fraction);
    use_scratch(&numerator, room[0]);
    use_scratch(&square, room[1]);
    cr__exact_init(&denominator); /* four limbs at most: it needs no allocation */
    (void)cr__exact_multiply(&numerator, &n, squares);
    (void)cr__exact_multiply(&square, sum, sum);
    (void)cr__exact_add(&numerator, &square, -1);
    (void)cr__exact_multiply(&denominator, &n, &less);
    if (numerator.sign <= 0)
        return 0;
    return cr__exact_ratio_to_double(&numerator, &denominator); /* 0 when n is k */
}
