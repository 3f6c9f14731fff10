/* base/random.h - seeded random numbers: the same seed gives the same numbers everywhere.
 *
 * The state is passed in and belongs to one thread. For parallel streams copy a state and jump:
 * each jump skips 2^128 numbers, so the streams never meet. Not for secrets.
 */
#ifndef CR_BASE_RANDOM_H
#define CR_BASE_RANDOM_H

#include <stddef.h>
#include <stdint.h>

typedef struct cr__random {
    uint64_t s[4]; /* never all zero */
} cr__random;

/* The next output of splitmix64, whose state is one word: also a good mixer of a counter. */
uint64_t cr__splitmix64(uint64_t *state);

void cr__random_seed(cr__random *random, uint64_t seed);
void cr__random_jump(cr__random *random); /* as 2^128 calls of cr__random_next */

uint64_t cr__random_next(cr__random *random);              /* 64 random bits */
double cr__random_uniform(cr__random *random);             /* in [0, 1), a multiple of 2^-53 */
uint64_t cr__random_below(cr__random *random, uint64_t n); /* in [0, n), unbiased; 0 when n is 0 */
double cr__random_normal(cr__random *random);              /* mean 0, variance 1 */
double cr__random_exponential(cr__random *random);         /* mean 1 */
double cr__random_gamma(cr__random *random, double shape); /* scale 1; NaN unless shape > 0 */

/* Shuffle the n items; every order is equally likely. */
void cr__random_shuffle(cr__random *random, uint32_t *items, size_t n);

#endif
