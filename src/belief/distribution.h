/* belief/distribution.h - shared by the distributions of this room. */
#ifndef CR_BELIEF_DISTRIBUTION_H
#define CR_BELIEF_DISTRIBUTION_H

#include "credence/distribution.h"

/* Whether the parameters are valid. */
int cr__distribution_valid(const cr_distribution *d);

/* The x with P(X > x) = q. */
double cr__distribution_upper_quantile(const cr_distribution *d, double q);

#endif
