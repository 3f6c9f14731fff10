/* base/gamma.c - log gamma and its relatives.
 *
 * libm's lgamma writes the global signgam, so it is not thread-safe; this one is, and its parts
 * (Stirling's remainder, the Taylor series at 2) serve the ratios that lgamma differences would
 * spoil. DLMF is the NIST Digital Library of Mathematical Functions.
 */
#include "base/special.h"
#include "base/special_impl.h"

#include <math.h>

static const double half_log_2pi = 0.9189385332046727417803;

/* B_2k / (2k (2k - 1)), k = 1, 2, ... (DLMF 5.11.1). */
static const double stirling[] = {1.0 / 12,    -1.0 / 360,       1.0 / 1260,
                                  -1.0 / 1680, 1.0 / 1188,       -691.0 / 360360,
                                  1.0 / 156,   -3617.0 / 122400, 43867.0 / 244188};
enum { STIRLING = sizeof stirling / sizeof *stirling };

double cr__stirling_rest(double x)
{
    double z = 1 / (x * x), sum = 0;
    for (int k = STIRLING - 1; k >= 0; k--)
        sum = sum * z + stirling[k];
    return sum / x;
}

/* log(1 + x) = 2 artanh r with r = x / (2 + x) (DLMF 4.6.4), and 2r / (1 - r) = x, so that
 * log(1 + x) - x = r (2 r^2 (1/3 + r^2/5 + r^4/7 + ...) - x). */
double cr__log1p_minus(double x)
{
    if (x < -0.5 || x > 1)
        return log1p(x) - x;
    double r = x / (2 + x), square = r * r, sum = 0;
    for (int k = 37; k >= 3; k -= 2)
        sum = sum * square + 1.0 / k;
    return r * (2 * square * sum - x);
}

/* log gamma(2 + z) = (1 - gamma) z + sum_{k>=2} (-1)^k (zeta(k) - 1) z^k / k for |z| <= 1/2
 * (DLMF 5.7.3, shifted by one); exact zero at z = 0. zeta(k) - 1 is tabulated in Abramowitz &
 * Stegun, table 23.3. */
static double log_gamma_at_2(double z)
{
    static const double zeta_minus_1[] = {
        0.6449340668482264364724,    0.2020569031595942853997,   0.082323233711138191516,
        0.03692775514336992633137,   0.01734306198444913971452,  0.008349277381922826839798,
        0.004077356197944339378685,  0.002008392826082214417853, 0.000994575127818085337146,
        0.0004941886041194645587023, 0.000246086553308048298638, 0.0001227133475784891467518,
        6.124813505870482925855e-5,  3.058823630702049355173e-5, 1.528225940865187173257e-5,
        7.6371976378997622736e-6,    3.817293264999839856462e-6, 1.908212716553938925657e-6,
        9.53962033872796113152e-7,   4.769329867878064631167e-7, 2.384505027277329900036e-7,
        1.192199259653110730678e-7,  5.960818905125947961244e-8, 2.980350351465228018606e-8,
        1.490155482836504123466e-8};
    const double one_minus_euler = 0.4227843350984671393935;
    double sum = 0;
    for (int k = 26; k >= 2; k--)
        sum = zeta_minus_1[k - 2] / k - sum * z;
    return z * (one_minus_euler + z * sum);
}

double cr__log_gamma_1p(double x)
{
    return x < 0.5 ? log_gamma_at_2(x) - log1p(x) : cr__log_gamma(1 + x);
}

double cr__log_gamma(double x)
{
    if (!(x >= 0))
        return NAN;
    if (x == 0 || isinf(x))
        return INFINITY;
    if (x >= CR_STIRLING_FROM)
        return (x - 0.5) * (log(x) - 1) + (half_log_2pi - 0.5 + cr__stirling_rest(x));
    if (x < 0.5)
        return cr__log_gamma_1p(x) - log(x);
    if (x < 1.5)
        return log_gamma_at_2(x - 1) - log1p(x - 1);
    double product = 1;
    while (x > 2.5) {
        x -= 1;
        product *= x;
    }
    return log_gamma_at_2(x - 2) + log(product);
}

/* sum_k stirling_k (y^(1-2k) - x^(1-2k)) for y = x + d. Each difference has the factor d / y, by
 * 1 - r^n = (1 - r)(1 + r + ... + r^(n-1)) with r = x / y. */
static double stirling_rest_difference(double x, double d)
{
    double r = x / (x + d), z = 1 / (x * x);
    double powers = 1, top = 1, scale = 1 / x, sum = 0; /* powers = 1 + r + ... + top */
    for (int k = 0; k < STIRLING; k++) {
        sum -= stirling[k] * scale * powers;
        scale *= z;
        top *= r;
        powers += top;
        top *= r;
        powers += top;
    }
    return sum * (d / (x + d));
}

/* From Stirling's formula at x >= 10, where it is
 *     d log x + (x + d - 1/2) log(1 + d/x) - d + rest(x + d) - rest(x);
 * smaller x are raised by gamma(x + 1) = x gamma(x). Every term has the factor d. */
double cr__log_gamma_ratio(double x, double d)
{
    double raise = 0;

    if (!(x > 0) || !(d > 0))
        return NAN;
    while (x < CR_STIRLING_FROM) {
        raise += log1p(d / x);
        x += 1;
    }
    double ratio = d / x;
    double stirling_part = d * log(x) + (x * cr__log1p_minus(ratio) + (d - 0.5) * log1p(ratio));
    return stirling_part + stirling_rest_difference(x, d) - raise;
}

/* log B = log gamma(a) - log(gamma(a + b) / gamma(b)) with the smaller argument first. When both
 * are large, Stirling's formula for the three gammas together (DLMF 5.11.1 and 5.12.1). */
double cr__log_beta(double a, double b)
{
    double p = a < b ? a : b, q = a < b ? b : a;

    if (!(p > 0) || isnan(q))
        return NAN;
    if (isinf(q))
        return -INFINITY;
    if (p < CR_STIRLING_FROM && q < CR_STIRLING_FROM)
        return cr__log_gamma(p) + (cr__log_gamma(q) - cr__log_gamma(p + q));
    if (p < CR_STIRLING_FROM)
        return cr__log_gamma(p) - cr__log_gamma_ratio(q, p);
    double rest = cr__stirling_rest(p) - stirling_rest_difference(q, p);
    return (p - 0.5) * log(p / (p + q)) - q * log1p(p / q) - 0.5 * log(q) + half_log_2pi + rest;
}
