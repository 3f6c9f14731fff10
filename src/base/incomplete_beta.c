/* base/incomplete_beta.c - the regularised incomplete beta function and its inverse.
 *
 * Everything is computed from both x and y = 1 - x, on the side of the mean where x is smaller;
 * the other side is the same with a, x and b, y exchanged (DLMF 8.17.4).
 */
#include "base/special.h"
#include "base/special_impl.h"

#include <float.h>
#include <math.h>

/* log x, by way of y = 1 - x when that is smaller and so holds more digits. */
static double log_of(double x, double y)
{
    return x < y ? log(x) : log1p(-y);
}

/* b x - a y, the distance from the mean, by way of the smaller of x and y, which is exact, with the
 * rounding errors of the sum and the product corrected (two-sum: Knuth, TAOCP 2, 4.2.2). */
static double distance_from_mean(double a, double b, double x, double y)
{
    double sum = a + b, part = sum - a;
    double rounding = (a - (sum - part)) + (b - part);
    return x < y ? fma(x, sum, -a) + x * rounding : -(fma(y, sum, -b) + y * rounding);
}

/* log(r) - (r - 1) of r = x / mean, given also d = r - 1, which has lost x when x is tiny. */
static double log_ratio_minus(double x, double mean, double d)
{
    return d < -0.5 ? log(x / mean) - d : cr__log1p_minus(d);
}

/* x^a y^b / (a B(a, b)), the factor that both methods share (DLMF 8.17.7, 8.17.22). When a and b
 * are large the powers and B nearly cancel; with Stirling's formula for B, and d = b x - a y,
 * their quotient is (1 + d/a)^a (1 - d/b)^b, whose log has no linear part in d. */
static double shared_factor(double a, double b, double x, double y)
{
    if (a < CR_STIRLING_FROM || b < CR_STIRLING_FROM)
        return exp(a * log_of(x, y) + b * log_of(y, x) - cr__log_beta(a, b)) / a;
    double d = distance_from_mean(a, b, x, y);
    double exponent =
        a * log_ratio_minus(x, a / (a + b), d / a) + b * log_ratio_minus(y, b / (a + b), -d / b);
    double rest = cr__stirling_rest(a + b) - cr__stirling_rest(a) - cr__stirling_rest(b);
    return exp(exponent + rest) * sqrt(b / (a + b) / a) * 0.3989422804014326779399;
}

/* I / (a shared_factor) = 1/(p_0 + q_1/(p_1 + q_2/(p_2 + ...))), the even part of the continued
 * fraction DLMF 8.17.22 (as DiDonato & Morris use it in "Algorithm 708", ACM TOMS 18, 1992), by
 * the modified Lentz method. It contains x only with y and the distance from the mean, so nothing
 * cancels as x nears 1. The number of steps grows with the root of the larger parameter. */
static double lower_fraction(double a, double b, double x, double y)
{
    const double most = 1000 + 20 * sqrt(a > b ? a : b);
    double d = distance_from_mean(a, b, x, y);
    double value = a * (1 - d) / (a + 1), c = value, inverse = 0;

    for (double n = 1; n < most && n < 1e6; n++) {
        double m = a + 2 * n;
        double q = (a + n - 1) * (a + b + n - 1) / ((m - 1) * (m - 1)) * n * (b - n) * x * x;
        double p = n + n * (b - n) * x / (m - 1) + (a + n) / (m + 1) * (1 - d + n * (1 + y));
        inverse = 1 / (p + q * inverse);
        c = p + q / c;
        double step = c * inverse;
        value *= step;
        if (fabs(step - 1) < DBL_EPSILON / 2)
            break;
    }
    return 1 / value;
}

/* Both tails for a < 1, where the upper one may be small too. From the power series (DLMF 8.17.7)
 *     I = x^a / (a B) (1 + a sum_{n>=1} (1-b)_n x^n / (n! (a + n)))
 * we get 1 - I as the sum of two parts, each with the factor a. */
static cr__tails small_a_series(double a, double b, double x)
{
    double log_power = a * log(x) + cr__log_gamma_ratio(b, a) - cr__log_gamma_1p(a);
    double term = 1, sum = 0;
    for (int n = 1; n < 1000; n++) {
        term *= (n - b) * (x / n);
        double part = term / (a + n);
        sum += part;
        if (fabs(part) <= fabs(sum) * (DBL_EPSILON / 8))
            break;
    }
    double power = exp(log_power), rest = power * a * sum;
    return (cr__tails){.lower = power + rest, .upper = -expm1(log_power) - rest};
}

/* Both tails for x up to about the mean, where the methods converge. */
static cr__tails tails_below_mean(double a, double b, double x, double y)
{
    if (x == 0)
        return (cr__tails){.lower = 0, .upper = 1};
    if (a < 1)
        return small_a_series(a, b, x);
    double lower = a * shared_factor(a, b, x, y) * lower_fraction(a, b, x, y);
    return (cr__tails){.lower = lower, .upper = 1 - lower};
}

cr__tails cr__beta_tails(double a, double b, double x, double y)
{
    if (x <= (a + 1) / (a + b + 2))
        return tails_below_mean(a, b, x, y);
    cr__tails other = tails_below_mean(b, a, y, x);
    return (cr__tails){.lower = other.upper, .upper = other.lower};
}

/* Beyond 1e15 the continued fraction would take too many steps. */
static int outside(double a, double b, double x)
{
    return !(a > 0 && b > 0 && a <= 1e15 && b <= 1e15 && x >= 0 && x <= 1);
}

double cr__beta_lower(double a, double b, double x)
{
    return outside(a, b, x) ? NAN : cr__beta_tails(a, b, x, 1 - x).lower;
}

double cr__beta_upper(double a, double b, double x)
{
    return outside(a, b, x) ? NAN : cr__beta_tails(a, b, x, 1 - x).upper;
}

/* ---- inverse ---- */

/* In t = log(x / y) the density is x^a y^b / B(a, b), and its log is concave. */
static cr__tails beta_tails_at_logit(double a, double b, double t)
{
    double x = 1 / (1 + exp(-t)), y = 1 / (1 + exp(t));
    cr__tails tails = cr__beta_tails(a, b, x, y);
    tails.slope = a * shared_factor(a, b, x, y);
    return tails;
}

/* log(x) of the x where the power law x^a / (a B(a, b)) of the far tail equals e^log_tail. */
static double power_law_inverse(double a, double b, double log_tail)
{
    double log_a_beta =
        a < 1 ? cr__log_gamma_1p(a) - cr__log_gamma_ratio(b, a) : log(a) + cr__log_beta(a, b);
    return (log_tail + log_a_beta) / a;
}

double cr__beta_logit_inverse(double a, double b, double lower, double upper)
{
    const double far = 80; /* e^-80 b is negligible beside 1: the power law is exact */
    double log_lower = lower < 0.5 ? log(lower) : log1p(-upper);
    double log_upper = upper < 0.5 ? log(upper) : log1p(-lower);
    double left = power_law_inverse(a, b, log_lower), right = power_law_inverse(b, a, log_upper);
    if (left < -far)
        return left;
    if (right < -far)
        return -right;
    return cr__solve_tails(beta_tails_at_logit, a, b, lower, upper, -far - 20, far + 20,
                           log(a / b));
}

static double beta_inverse(double a, double b, double lower, double upper)
{
    if (outside(a, b, lower) || !(upper >= 0))
        return NAN;
    if (lower == 0 || upper == 0)
        return lower == 0 ? 0 : 1;
    return 1 / (1 + exp(-cr__beta_logit_inverse(a, b, lower, upper)));
}

double cr__beta_lower_inverse(double a, double b, double p)
{
    return beta_inverse(a, b, p, 1 - p);
}

double cr__beta_upper_inverse(double a, double b, double q)
{
    return beta_inverse(a, b, 1 - q, q);
}
