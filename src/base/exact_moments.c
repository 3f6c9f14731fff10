/* base/exact_moments.c - mean and variance from exact sums, rounded once. */
#include <string.h>

#include "base/exact_impl.h"

/* Limbs of the longest intermediate value: stored values have 128, a square 256, a sum one more. */
#define SCRATCH 260

/* A value that works in the given limbs, which are enough for it: nothing is allocated. */
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

/* Whether x keeps to the limbs of stored values. */
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
