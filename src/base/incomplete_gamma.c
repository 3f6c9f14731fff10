/* base/incomplete_gamma.c - the regularised incomplete gamma functions and their inverses.
 *
 * The choice of method follows Gautschi, "A computational procedure for incomplete gamma
 * functions", ACM TOMS 5, 1979, and Gil, Segura & Temme, "Efficient and accurate algorithms for the
 * computation and inversion of the incomplete gamma function ratios", SIAM J. Sci. Comput. 34,
 * 2012. Each method computes the tail that it gives without cancellation; the other tail is 1 minus
 * it.
 */
#include "base/special.h"
#include "base/special_impl.h"

#include <float.h>
#include <math.h>

enum { MOST_TERMS = 10000 };

static const double sqrt_2pi = 2.506628274631000502416;
static const double sqrt_pi = 1.772453850905516027298;

/* x/a - 1 - log(x/a) >= 0, accurate also for x close to a and for x much smaller. */
static double distance_from_mean(double a, double x)
{
    double ratio = x / a;
    return ratio < 0.5 ? ratio - 1 - log(ratio) : -cr__log1p_minus((x - a) / a);
}

/* x^a e^-x / gamma(a + 1): the factor that all methods share. For large a, x^a e^-x and gamma(a)
 * nearly cancel, and Stirling's formula cancels them beforehand (DLMF 5.11.1). */
static double shared_factor(double a, double x)
{
    if (a < CR_STIRLING_FROM)
        return exp(a * log(x) - x - cr__log_gamma_1p(a));
    return exp(-a * distance_from_mean(a, x) - cr__stirling_rest(a)) / (sqrt_2pi * sqrt(a));
}

/* P / shared_factor = 1 + x/(a+1) + x^2/((a+1)(a+2)) + ... (DLMF 8.11.4). */
static double lower_series(double a, double x)
{
    double term = 1, sum = 1;
    for (int n = 1; n < MOST_TERMS && term > sum * (DBL_EPSILON / 8); n++) {
        term *= x / (a + n);
        sum += term;
    }
    return sum;
}

/* Q / (a shared_factor) = 1/(x+1-a- 1(1-a)/(x+3-a- 2(2-a)/(x+5-a- ...))), the even part of DLMF
 * 8.9.2, by the modified Lentz method (Thompson & Barnett, J. Comput. Phys. 64, 1986). */
static double upper_fraction(double a, double x)
{
    double b = x + 1 - a, c = 1 / DBL_MIN, d = 1 / b, value = d;
    for (int n = 1; n < MOST_TERMS; n++) {
        double numerator = n * (a - n);
        b += 2;
        d = 1 / (numerator * d + b);
        c = b + numerator / c;
        double step = c * d;
        value *= step;
        if (fabs(step - 1) < DBL_EPSILON / 2)
            break;
    }
    return value;
}

/* Q for a < 1 and small x, where it may be small although P is the series that converges:
 *     Q = (1 - x^a / gamma(1+a)) + x^a / gamma(1+a) sum_{n>=1} (-1)^(n+1) a x^n / ((a+n) n!)
 * (DLMF 8.7.1; Gautschi 1979, section 4). Both parts have the factor a. */
static double upper_small(double a, double x)
{
    double log_power = a * log(x) - cr__log_gamma_1p(a);
    double term = -1, sum = 0;
    for (int n = 1; n < MOST_TERMS; n++) {
        term *= -x / n;
        double part = term / (a + n);
        sum += part;
        if (fabs(part) < fabs(sum) * (DBL_EPSILON / 8))
            break;
    }
    return -expm1(log_power) + exp(log_power) * a * sum;
}

/* e^(z^2) erfc(z), z >= 0; from 5 on by the continued fraction of erfc (DLMF 7.9.1), backwards. */
static double scaled_erfc(double z)
{
    if (z < 5)
        return exp(z * z) * erfc(z);
    double fraction = z;
    for (int k = 60; k >= 1; k--)
        fraction = z + 0.5 * k / fraction;
    return 1 / (sqrt_pi * fraction);
}

/* Temme's uniform expansion for large a (DLMF 8.12.3, 8.12.4): with eta^2 / 2 = x/a - 1 - log(x/a),
 *     Q = erfc(eta sqrt(a/2)) / 2 + e^(-a eta^2 / 2) / sqrt(2 pi a) S(eta).
 * Differentiating shows S'/a = eta S + 1 - f / gamma*(a), where f = eta / (x/a - 1), so the
 * coefficients of S follow backwards from those of f, and gamma*(a) with them (Temme, "On the
 * computation of the incomplete gamma functions for large values of the parameters", in Algorithms
 * for Approximation, 1987). f's coefficients come from inverting the series x/a - 1 = eta + eta^2/3
 * + eta^3/36 - ..., which follows term by term from mu mu' = eta (1 + mu). */
static cr__tails uniform_expansion(double a, double x)
{
    static const double f[] = {1.0,
                               -0.33333333333333333333,
                               0.083333333333333333333,
                               -0.014814814814814814815,
                               0.0011574074074074074074,
                               0.00035273368606701940035,
                               -0.0001787551440329218107,
                               3.9192631785224377817e-5,
                               -2.1854485106799921615e-6,
                               -1.8540622107151599607e-6,
                               8.296711340953086005e-7,
                               -1.7665952736826079304e-7,
                               6.7078535434014985804e-9,
                               1.0261809784240308043e-8,
                               -4.3820360184533531866e-9,
                               9.1476995822367902342e-10,
                               -2.5514193994946249767e-11,
                               -5.8307721325504250675e-11,
                               2.4361948020667416244e-11,
                               -5.0276692801141755891e-12,
                               1.1004392031956134771e-13,
                               3.3717632624009853788e-13,
                               -1.3923887224181620659e-13,
                               2.8534893807047443204e-14,
                               -5.139111834242572619e-16,
                               -1.9752288294349442835e-15};
    enum { TERMS = sizeof f / sizeof *f };
    double beta[TERMS + 1] = {0};

    double distance = distance_from_mean(a, x), exponent = a * distance;
    double eta = copysign(sqrt(2 * distance), x - a), sum = 0;
    for (int n = TERMS - 1; n >= 1; n--)
        beta[n - 1] = (n + 1) * beta[n + 1] / a + f[n];
    for (int n = TERMS - 2; n >= 0; n--)
        sum = sum * eta + beta[n];
    double s = sum / (1 + beta[1] / a) / (sqrt_2pi * sqrt(a));
    double z = sqrt(exponent);
    double near = exp(-exponent) * (0.5 * scaled_erfc(z) + (eta > 0 ? s : -s));
    return eta > 0 ? (cr__tails){.lower = 1 - near, .upper = near}
                   : (cr__tails){.lower = near, .upper = 1 - near};
}

static cr__tails gamma_tails(double a, double x)
{
    cr__tails tails;

    if (x == 0)
        return (cr__tails){.lower = 0, .upper = 1};
    if (isinf(x))
        return (cr__tails){.lower = 1, .upper = 0};
    if (a >= 20 && fabs(x - a) < 0.5 * a)
        return uniform_expansion(a, x);
    if (a < 1 && x < 1) {
        tails.upper = upper_small(a, x);
        tails.lower = shared_factor(a, x) * lower_series(a, x);
    } else if (a >= 1 && x < a + 1) {
        tails.lower = shared_factor(a, x) * lower_series(a, x);
        tails.upper = 1 - tails.lower;
    } else {
        tails.upper = a * shared_factor(a, x) * upper_fraction(a, x);
        tails.lower = 1 - tails.upper;
    }
    return tails;
}

static int outside(double a, double x)
{
    return !(a > 0) || isinf(a) || !(x >= 0);
}

double cr__gamma_lower(double a, double x)
{
    return outside(a, x) ? NAN : gamma_tails(a, x).lower;
}

double cr__gamma_upper(double a, double x)
{
    return outside(a, x) ? NAN : gamma_tails(a, x).upper;
}

double cr__chi_square_upper(double df, double x)
{
    return cr__gamma_upper(0.5 * df, 0.5 * x);
}

/* ---- inverses ---- */

/* Newton's method on the log of the smaller tail, which is concave because the density is
 * log-concave: after at most one overshoot it approaches the root from one side. The bracket only
 * guards against rounding. The iteration ends when the steps, once small, no longer shrink. */
double cr__solve_tails(cr__tails_at *at, double a, double b, double lower, double upper, double low,
                       double high, double guess)
{
    int from_below = lower <= upper;
    double log_target = log(from_below ? lower : upper);
    double t = guess > low && guess < high ? guess : 0.5 * (low + high), last = INFINITY;

    for (int i = 0; i < 200; i++) {
        cr__tails tails = at(a, b, t);
        double tail = from_below ? tails.lower : tails.upper;
        double miss = log(tail) - log_target; /* positive: the tail is too heavy */
        if (miss == 0)
            break;
        if ((miss > 0) == from_below)
            high = t;
        else
            low = t;
        double step = miss * tail / tails.slope, size = fabs(step);
        if (size <= DBL_EPSILON / 2 * fabs(t) || (size < 1e-9 && size >= last))
            break;
        last = size;
        t = from_below ? t - step : t + step;
        if (!(t > low && t < high))
            t = 0.5 * (low + high);
    }
    return t;
}

/* In t = log x the density is x^a e^-x / gamma(a), whose log a t - e^t - ... is concave. */
static cr__tails gamma_tails_at_log(double a, double unused, double t)
{
    double x = exp(t);
    cr__tails tails = gamma_tails(a, x);
    (void)unused;
    tails.slope = a * shared_factor(a, x);
    return tails;
}

/* The x with the given tails. Where x is tiny P(a, x) is x^a / gamma(a + 1) to the last digit.
 * The first guess elsewhere is Wilson and Hilferty's: the cube root is nearly normal (Abramowitz &
 * Stegun 26.4.17). */
static double gamma_inverse(double a, double lower, double upper)
{
    if (!(a > 0) || isinf(a) || !(lower >= 0 && upper >= 0))
        return NAN;
    if (lower == 0 || upper == 0)
        return lower == 0 ? 0 : INFINITY;
    double log_lower = lower < 0.5 ? log(lower) : log1p(-upper);
    double log_x = (log_lower + cr__log_gamma_1p(a)) / a;
    if (log_x < -40)
        return exp(log_x);
    if (a >= 1) {
        double z = lower < upper ? cr__normal_quantile(lower) : -cr__normal_quantile(upper);
        double root = 1 - 1 / (9 * a) + z / (3 * sqrt(a));
        if (root > 0.1)
            log_x = log(a) + 3 * log(root);
    }
    return exp(cr__solve_tails(gamma_tails_at_log, a, 0, lower, upper, -50, 710, log_x));
}

double cr__gamma_lower_inverse(double a, double p)
{
    return gamma_inverse(a, p, 1 - p);
}

double cr__gamma_upper_inverse(double a, double q)
{
    return gamma_inverse(a, 1 - q, q);
}
