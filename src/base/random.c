/* base/random.c - xoshiro256** and the distributions that are drawn from it. */
#include "base/random.h"

#include <math.h>

__extension__ typedef unsigned __int128 cr__u128;

/* Steele, Lea & Flood, "Fast splittable pseudorandom number generators", OOPSLA 2014: a Weyl
 * sequence with the golden ratio, mixed. */
uint64_t cr__splitmix64(uint64_t *state)
{
    uint64_t z = *state += UINT64_C(0x9E3779B97F4A7C15);
    z = (z ^ (z >> 30)) * UINT64_C(0xBF58476D1CE4E5B9);
    z = (z ^ (z >> 27)) * UINT64_C(0x94D049BB133111EB);
    return z ^ (z >> 31);
}

/* Four outputs of splitmix64 in a row are never all zero, since the mixing is one to one. */
void cr__random_seed(cr__random *random, uint64_t seed)
{
    for (int i = 0; i < 4; i++)
        random->s[i] = cr__splitmix64(&seed);
}

static uint64_t rotate(uint64_t word, int bits)
{
    return word << bits | word >> (64 - bits);
}

/* Blackman & Vigna, "Scrambled linear pseudorandom number generators", ACM TOMS 47, 2021. */
uint64_t cr__random_next(cr__random *random)
{
    uint64_t *s = random->s;
    uint64_t result = rotate(s[1] * 5, 7) * 9, shifted = s[1] << 17;
    s[2] ^= s[0];
    s[3] ^= s[1];
    s[1] ^= s[2];
    s[0] ^= s[3];
    s[2] ^= shifted;
    s[3] = rotate(s[3], 45);
    return result;
}

/* The step is linear over GF(2), so 2^128 steps are a polynomial in it: x^(2^128) modulo the
 * characteristic polynomial, whose coefficients the authors of the generator publish. */
void cr__random_jump(cr__random *random)
{
    static const uint64_t polynomial[4] = {
        UINT64_C(0x180EC6D33CFD0ABA), UINT64_C(0xD5A61266F0C9392C), UINT64_C(0xA9582618E03FC9AA),
        UINT64_C(0x39ABDC4529B1661C)};
    cr__random sum = {{0}};

    for (int bit = 0; bit < 256; bit++) {
        if (polynomial[bit / 64] >> (bit % 64) & 1)
            for (int i = 0; i < 4; i++)
                sum.s[i] ^= random->s[i];
        cr__random_next(random);
    }
    *random = sum;
}

double cr__random_uniform(cr__random *random)
{
    return (double)(cr__random_next(random) >> 11) * 0x1p-53;
}

/* The high word of a 128-bit product; a draw is repeated in the rare case that its low word falls
 * into the part that would favour some results (Lemire, "Fast random integer generation in an
 * interval", ACM TOMACS 29, 2019). */
uint64_t cr__random_below(cr__random *random, uint64_t n)
{
    if (n == 0)
        return 0;
    cr__u128 product = (cr__u128)cr__random_next(random) * n;
    if ((uint64_t)product < n) {
        uint64_t unfair = (0 - n) % n; /* 2^64 mod n */
        while ((uint64_t)product < unfair)
            product = (cr__u128)cr__random_next(random) * n;
    }
    return (uint64_t)(product >> 64);
}

/* Marsaglia's polar method: a point in the unit disc (Knuth, TAOCP 2, 3.4.1, algorithm P). The
 * second number of the pair is not kept, so that the generator's state is the only state. */
double cr__random_normal(cr__random *random)
{
    double x, y, square;
    do {
        x = 2 * cr__random_uniform(random) - 1;
        y = 2 * cr__random_uniform(random) - 1;
        square = x * x + y * y;
    } while (square >= 1 || square == 0);
    return x * sqrt(-2 * log(square) / square);
}

double cr__random_exponential(cr__random *random)
{
    return -log1p(-cr__random_uniform(random));
}

/* Marsaglia & Tsang, "A simple method for generating gamma variables", ACM TOMS 26, 2000: accept
 * d (1 + c z)^3 for normal z. A shape below 1 comes from shape + 1 times u^(1/shape). */
double cr__random_gamma(cr__random *random, double shape)
{
    if (!(shape > 0))
        return NAN;
    if (isinf(shape))
        return shape;
    if (shape < 1) {
        double larger = cr__random_gamma(random, shape + 1);
        return larger * exp(-cr__random_exponential(random) / shape);
    }
    double d = shape - 1.0 / 3, c = 1 / sqrt(9 * d);
    for (;;) {
        double z = cr__random_normal(random), v = 1 + c * z;
        if (v <= 0)
            continue;
        v = v * v * v;
        double u = 1 - cr__random_uniform(random); /* in (0, 1], so that its log is finite */
        if (log(u) < 0.5 * z * z + d * (1 - v + log(v)))
            return d * v;
    }
}

/* Fisher & Yates, from the end (Knuth, TAOCP 2, 3.4.2, algorithm P). */
void cr__random_shuffle(cr__random *random, uint32_t *items, size_t n)
{
    for (size_t i = n; i > 1; i--) {
        size_t k = (size_t)cr__random_below(random, i);
        uint32_t item = items[i - 1];
        items[i - 1] = items[k];
        items[k] = item;
    }
}
