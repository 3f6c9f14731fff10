/* decide/regression.c - the spread, density and intervals of a Student-t. */
#include <float.h>
#include <math.h>

#include "base/special.h"
#include "credence/decision.h"

double cr_regression_variance(const cr_regression *f)
{
    if (isinf(f->freedom))
        return f->scale * f->scale;
    return f->freedom > 2 ? f->scale * f->scale * f->freedom / (f->freedom - 2) : INFINITY;
}

double cr_regression_log_density(const cr_regression *f, double y)
{
    return cr__student_log_pdf(f->freedom, (y - f->mean) / f->scale) - log(f->scale);
}

void cr_regression_interval(const cr_regression *f, double level, double *low, double *high)
{
    const double t = cr__student_quantile(f->freedom, 0.5 + level / 2);

    *low = fmax(f->mean - t * f->scale, -DBL_MAX);
    *high = fmin(f->mean + t * f->scale, DBL_MAX);
}
