/* belief/humps.h - numbers with a bimodal distribution. */
#ifndef CR_BELIEF_HUMPS_H
#define CR_BELIEF_HUMPS_H

#include <stddef.h>

/* Two Gaussians, mixed by their shares. */
typedef struct cr__humps {
    double share[2], mean[2], deviation[2];
} cr__humps;

double cr__humps_log_density(const cr__humps *h, double x);

/* Whether n numbers, ascending, clearly have two humps; doubt, in units of 2 ln L, is added to the
 * threshold of Schwarz's criterion. */
int cr__two_humps(const double *x, size_t n, double doubt, cr__humps *out);

#endif
