/* base/normal.c - the standard normal distribution. */
#include "base/special.h"

#include <float.h>
#include <math.h>

static const double sqrt_half = 0.7071067811865475244008;
static const double one_over_sqrt_2pi = 0.3989422804014326779399;

double cr__normal_pdf(double x)
{
    return one_over_sqrt_2pi * exp(-0.5 * x * x);
}

double cr__normal_lower(double x)
{
    return 0.5 * erfc(-x * sqrt_half);
}

/* The x with Phi(x) - 1/2 = d for |d| <= 1/4: Halley's method on erf, which keeps its relative
 * accuracy at 0. f'' / f' = -x, so the correction is f/f' / (1 + x f / (2 f')). */
static double central_quantile(double d)
{
    double x = d / one_over_sqrt_2pi;
    for (int i = 0; i < 4; i++) {
        double newton = (0.5 * erf(x * sqrt_half) - d) / cr__normal_pdf(x);
        x -= newton / (1 + 0.5 * x * newton);
    }
    return x;
}

/* The x < 0 with Phi(x) = p for p <= 1/4: Abramowitz & Stegun 26.2.22 as a first guess, then
 * Newton's method on log Phi, whose derivative is phi / Phi. It is concave, so this converges
 * from one side. */
static double tail_quantile(double p)
{
    double log_p = log(p), t = sqrt(-2 * log_p);
    double x = (2.30753 + 0.27061 * t) / (1 + 0.99229 * t + 0.04481 * t * t) - t;
    for (int i = 0; i < 20; i++) {
        double tail = cr__normal_lower(x);
        double step = (log(tail) - log_p) * (tail / cr__normal_pdf(x));
        x -= step;
        if (fabs(step) <= 1e-9 * -x) /* the next step would be below 1e-16 */
            break;
    }
    return x;
}

double cr__normal_quantile(double p)
{
    if (!(p >= 0 && p <= 1))
        return NAN;
    if (p == 0 || p == 1)
        return p == 0 ? -INFINITY : INFINITY;
    if (p > 0.25 && p < 0.75)
        return central_quantile(p - 0.5);
    return p < 0.5 ? tail_quantile(p) : -tail_quantile(1 - p);
}
