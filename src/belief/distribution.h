/* belief/distribution.h - what the distributions share inside the room. */
#ifndef CR_BELIEF_DISTRIBUTION_H
#define CR_BELIEF_DISTRIBUTION_H

#include "credence/distribution.h"

/* Whether the parameters are those of a distribution. */
int cr__distribution_valid(const cr_distribution *d);

/* The x with P(X > x) = q. */
double cr__distribution_upper_quantile(const cr_distribution *d, double q);

#endif
