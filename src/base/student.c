/* base/student.c - Student's t distribution, by way of the incomplete beta function.
 *
 * With x = df / (df + t^2), P(T <= -|t|) is I_x(df/2, 1/2) / 2 (Abramowitz & Stegun 26.5.27 and
 * 26.7.1). From 1e15 degrees of freedom on the normal distribution is used.
 */
#include "base/special.h"
#include "base/special_impl.h"

#include <math.h>

static const double half_log_pi = 0.5723649429247000870717;
static const double half_log_2pi = 0.9189385332046727417803;

static const double normal_from = 1e15; /* degrees of freedom */

/* Above this |t| / sqrt(df), 1 + t^2/df is t^2/df to the last digit. */
static const double far_out = 1e9;

/* log pdf = log(gamma((df+1)/2) / gamma(df/2)) - log(df pi) / 2 - (df+1)/2 log(1 + t^2/df). */
double cr__student_log_pdf(double df, double t)
{
    if (!(df > 0) || isnan(t))
        return NAN;
    if (isinf(t))
        return -INFINITY;
    double w = fabs(t) / sqrt(df);
    if (df > normal_from)
        return -0.5 * t * t - half_log_2pi;
    double log_sum = w > far_out ? 2 * (log(fabs(t)) - 0.5 * log(df)) : log1p(w * w);
    return cr__log_gamma_ratio(0.5 * df, 0.5) - 0.5 * log(df) - half_log_pi -
           0.5 * (df + 1) * log_sum;
}

/* P(T <= -|t|). Far out it is the power law of the density's tail, x^a / (2 a B(a, 1/2)) with
 * a = df/2, in logs since t^2 may overflow. */
static double lower_half(double df, double t)
{
    double a = 0.5 * df, w = fabs(t) / sqrt(df);

    if (w > far_out) {
        double log_a_beta = half_log_pi + cr__log_gamma_ratio(a + 0.5, 0.5);
        return 0.5 * exp(-df * (log(fabs(t)) - 0.5 * log(df)) - log_a_beta);
    }
    double square = w * w;
    return 0.5 * cr__beta_tails(a, 0.5, 1 / (1 + square), square / (1 + square)).lower;
}

double cr__student_lower(double df, double t)
{
    if (!(df > 0) || isnan(t))
        return NAN;
    if (isinf(t))
        return t < 0 ? 0 : 1;
    if (df > normal_from)
        return cr__normal_lower(t);
    double half = lower_half(df, t);
    return t > 0 ? 1 - half : half;
}

/* t = -sqrt(df y / x), from the logit of x. 1 - 2p is exact for p in [1/4, 1/2]. */
double cr__student_quantile(double df, double p)
{
    if (!(df > 0) || !(p >= 0 && p <= 1))
        return NAN;
    if (p == 0 || p == 1)
        return p == 0 ? -INFINITY : INFINITY;
    if (p == 0.5)
        return 0;
    if (df > normal_from)
        return cr__normal_quantile(p);
    double tail = p < 0.5 ? p : 1 - p;
    double logit = cr__beta_logit_inverse(0.5 * df, 0.5, 2 * tail, 1 - 2 * tail);
    double t = sqrt(df) * exp(-0.5 * logit);
    return p < 0.5 ? -t : t;
}
