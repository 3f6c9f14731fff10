/* belief/numeric.h - a zero and an integral of a function of one variable. */
#ifndef CR_BELIEF_NUMERIC_H
#define CR_BELIEF_NUMERIC_H

#include <stddef.h>

typedef double cr__function(const void *context, double x);

/* The x in [low, high] where f changes its sign, to the last digits; the end where f is nearer to
 * 0 when it does not. */
double cr__find_zero(cr__function *f, const void *context, double low, double high);

#define CR__PANELS 1024 /* at most */

/* The integral of f over the panels between the edges, which ascend; 2 <= edges <= CR__PANELS. It
 * ends when the estimated error is below tolerance * |integral|, or when panels run out. */
double cr__integrate(cr__function *f, const void *context, const double *edge, size_t edges,
                     double tolerance);

#endif
