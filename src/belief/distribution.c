/* belief/distribution.c - beta, gamma, inverse gamma and Student: moments, density, tails,
 * quantiles.
 *
 * The formulas are those of Gelman et al., "Bayesian Data Analysis" (3rd ed.), appendix A; the
 * tails come from the incomplete beta and gamma functions.
 */
#include "belief/distribution.h"

#include <math.h>
#include <stdio.h>

#include "base/special.h"
#include "credence/output.h"

cr_distribution cr_beta(double a, double b)
{
    return (cr_distribution){.family = CR_BETA, .a = a, .b = b};
}

cr_distribution cr_gamma(double shape, double rate)
{
    return (cr_distribution){.family = CR_GAMMA, .a = shape, .b = rate};
}

cr_distribution cr_inverse_gamma(double shape, double scale)
{
    return (cr_distribution){.family = CR_INVERSE_GAMMA, .a = shape, .b = scale};
}

cr_distribution cr_student(double freedom, double centre, double scale)
{
    return (cr_distribution){.family = CR_STUDENT, .a = centre, .b = scale, .freedom = freedom};
}

const char *cr_family_name(cr_family family)
{
    switch (family) {
    case CR_BETA: return "beta";
    case CR_GAMMA: return "gamma";
    case CR_INVERSE_GAMMA: return "inverse-gamma";
    case CR_STUDENT: return "student";
    }
    return "unknown";
}

char *cr_distribution_text(const cr_distribution *d, char *buffer, size_t size)
{
    char a[CR_SHOW_SIZE], b[CR_SHOW_SIZE], f[CR_SHOW_SIZE];

    cr_show_number(a, CR_SHOW_PLAIN, d->a);
    cr_show_number(b, CR_SHOW_PLAIN, d->b);
    cr_show_number(f, CR_SHOW_PLAIN, d->freedom);
    switch (d->family) {
    case CR_BETA: snprintf(buffer, size, "Beta(%s, %s)", a, b); break;
    case CR_GAMMA: snprintf(buffer, size, "Gamma(%s, %s)", a, b); break;
    case CR_INVERSE_GAMMA:
        snprintf(buffer, size, "inverse gamma with shape %s, scale %s", a, b);
        break;
    default:
        snprintf(buffer, size, "Student's t, %s degree%s of freedom, centre %s, scale %s", f,
                 d->freedom == 1 ? "" : "s", a, b);
    }
    return buffer;
}

const char *cr_mode_name(cr_mode mode)
{
    switch (mode) {
    case CR_MODE_INSIDE: return "inside";
    case CR_MODE_BORDER: return "border";
    case CR_MODE_FLAT: return "flat";
    case CR_MODE_NONE: return "none";
    }
    return "unknown";
}

int cr__distribution_valid(const cr_distribution *d)
{
    if (!(d->b > 0) || isinf(d->b))
        return 0;
    if (d->family == CR_STUDENT)
        return isfinite(d->a) && d->freedom > 0;
    return d->family >= CR_BETA && d->family < CR_STUDENT && d->a > 0 && !isinf(d->a);
}

/* --- moments and modes -------------------------------------------------------------------- */

double cr_distribution_mean(const cr_distribution *d)
{
    if (!cr__distribution_valid(d))
        return NAN;
    switch (d->family) {
    case CR_BETA: return d->a / (d->a + d->b);
    case CR_GAMMA: return d->a / d->b;
    case CR_INVERSE_GAMMA: return d->a > 1 ? d->b / (d->a - 1) : INFINITY;
    case CR_STUDENT: return d->freedom > 1 ? d->a : NAN;
    }
    return NAN;
}

static double student_sd(const cr_distribution *d)
{
    if (isinf(d->freedom))
        return d->b;
    if (d->freedom <= 1)
        return NAN;
    return d->freedom > 2 ? d->b * sqrt(d->freedom / (d->freedom - 2)) : INFINITY;
}

double cr_distribution_sd(const cr_distribution *d)
{
    const double a = d->a, b = d->b;

    if (!cr__distribution_valid(d))
        return NAN;
    switch (d->family) {
    case CR_BETA: return sqrt(a / (a + b) * (b / (a + b)) / (a + b + 1));
    case CR_GAMMA: return sqrt(a) / b;
    case CR_INVERSE_GAMMA: return a > 2 ? b / (a - 1) / sqrt(a - 2) : INFINITY;
    case CR_STUDENT: return student_sd(d);
    }
    return NAN;
}

/* Where a parameter is below 1 the density of a beta grows without bound towards that end. */
static double beta_mode(double a, double b, cr_mode *kind)
{
    if (a > 1 && b > 1) {
        *kind = CR_MODE_INSIDE;
        return (a - 1) / (a + b - 2);
    }
    if ((a == 1 && b == 1) || (a < 1 && b < 1)) {
        *kind = a == 1 ? CR_MODE_FLAT : CR_MODE_NONE;
        return NAN;
    }
    *kind = CR_MODE_BORDER;
    return a > b;
}

double cr_distribution_mode(const cr_distribution *d, cr_mode *kind)
{
    cr_mode unused;

    kind = kind != NULL ? kind : &unused;
    *kind = CR_MODE_NONE;
    if (!cr__distribution_valid(d))
        return NAN;
    *kind = CR_MODE_INSIDE;
    switch (d->family) {
    case CR_BETA: return beta_mode(d->a, d->b, kind);
    case CR_GAMMA:
        *kind = d->a > 1 ? CR_MODE_INSIDE : CR_MODE_BORDER;
        return fmax(d->a - 1, 0) / d->b;
    case CR_INVERSE_GAMMA: return d->b / (d->a + 1);
    case CR_STUDENT: return d->a;
    }
    return NAN;
}

/* --- density and tails -------------------------------------------------------------------- */

/* power * log x with 0 * log 0 = 0: a parameter of 1 has no factor. */
static double log_power(double power, double log_x)
{
    return power == 0 ? 0 : power * log_x;
}

double cr_distribution_log_density(const cr_distribution *d, double x)
{
    const double a = d->a, b = d->b;

    if (!cr__distribution_valid(d) || isnan(x))
        return NAN;
    if (d->family == CR_STUDENT)
        return cr__student_log_pdf(d->freedom, (x - a) / b) - log(b);
    if (x < 0 || (d->family == CR_BETA && x > 1) || isinf(x) ||
        (d->family == CR_INVERSE_GAMMA && x == 0))
        return -INFINITY;
    switch (d->family) {
    case CR_BETA:
        return log_power(a - 1, log(x)) + log_power(b - 1, log1p(-x)) - cr__log_beta(a, b);
    case CR_GAMMA: return log_power(a - 1, log(x)) - b * x + a * log(b) - cr__log_gamma(a);
    default: return -(a + 1) * log(x) - b / x + a * log(b) - cr__log_gamma(a);
    }
}

double cr_distribution_lower(const cr_distribution *d, double x)
{
    if (!cr__distribution_valid(d) || isnan(x))
        return NAN;
    if (d->family == CR_STUDENT)
        return cr__student_lower(d->freedom, (x - d->a) / d->b);
    if (x <= 0)
        return 0;
    switch (d->family) {
    case CR_BETA: return x >= 1 ? 1 : cr__beta_lower(d->a, d->b, x);
    case CR_GAMMA: return isinf(x) ? 1 : cr__gamma_lower(d->a, d->b * x);
    default: return isinf(x) ? 1 : cr__gamma_upper(d->a, d->b / x);
    }
}

double cr_distribution_upper(const cr_distribution *d, double x)
{
    if (!cr__distribution_valid(d) || isnan(x))
        return NAN;
    if (d->family == CR_STUDENT)
        return cr__student_lower(d->freedom, (d->a - x) / d->b);
    if (x <= 0)
        return 1;
    switch (d->family) {
    case CR_BETA: return x >= 1 ? 0 : cr__beta_upper(d->a, d->b, x);
    case CR_GAMMA: return isinf(x) ? 0 : cr__gamma_upper(d->a, d->b * x);
    default: return isinf(x) ? 0 : cr__gamma_lower(d->a, d->b / x);
    }
}

double cr_distribution_quantile(const cr_distribution *d, double p)
{
    if (!cr__distribution_valid(d))
        return NAN;
    switch (d->family) {
    case CR_BETA: return cr__beta_lower_inverse(d->a, d->b, p);
    case CR_GAMMA: return cr__gamma_lower_inverse(d->a, p) / d->b;
    case CR_INVERSE_GAMMA: return d->b / cr__gamma_upper_inverse(d->a, p);
    case CR_STUDENT: return d->a + d->b * cr__student_quantile(d->freedom, p);
    }
    return NAN;
}

double cr__distribution_upper_quantile(const cr_distribution *d, double q)
{
    if (!cr__distribution_valid(d))
        return NAN;
    switch (d->family) {
    case CR_BETA: return cr__beta_upper_inverse(d->a, d->b, q);
    case CR_GAMMA: return cr__gamma_upper_inverse(d->a, q) / d->b;
    case CR_INVERSE_GAMMA: return d->b / cr__gamma_lower_inverse(d->a, q);
    case CR_STUDENT: return d->a - d->b * cr__student_quantile(d->freedom, q);
    }
    return NAN;
}
