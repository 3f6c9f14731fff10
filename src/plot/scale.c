/* plot/scale.c - linear and logarithmic scales with ticks at round numbers.
 *
 * Steps are 1, 2 or 5 times a power of ten: P. Heckbert, "Nice numbers for graph labels", in
 * Graphics Gems (1990). Labels are written without the locale.
 */
#include "plot/scale.h"

#include <math.h>
#include <stdio.h>
#include <string.h>

double cr__scale_at(const cr__scale *scale, double x)
{
    const double share = scale->log ? log(x / scale->low) / log(scale->high / scale->low)
                                    : (x - scale->low) / (scale->high - scale->low);

    return scale->from + share * (scale->to - scale->from);
}

cr__scale cr__scale_empty(int log)
{
    return (cr__scale){.low = INFINITY, .high = -INFINITY, .log = log};
}

void cr__scale_include(cr__scale *scale, double x)
{
    if (!isfinite(x) || (scale->log && x <= 0))
        return;
    scale->low = fmin(scale->low, x);
    scale->high = fmax(scale->high, x);
}

void cr__scale_pad(cr__scale *scale, double share)
{
    if (scale->low > scale->high) {
        scale->low = scale->log ? 1 : 0;
        scale->high = scale->log ? 10 : 1;
    }
    if (scale->log) {
        const double factor = pow(scale->high / scale->low, share);

        scale->low /= factor > 1 ? factor : 2;
        scale->high *= factor > 1 ? factor : 2;
    } else {
        double room = (scale->high - scale->low) * share;

        if (!(scale->high - scale->low > 1e-12 * fmax(fabs(scale->low), fabs(scale->high))))
            room = scale->low == 0 ? 1 : fabs(scale->low) / 2;
        scale->low -= room;
        scale->high += room;
    }
}

/* --- labels ----------------------------------------------------------------------------------- */

/* A whole number of units of 10^-decimals, with commas between thousands. */
static char *put_fixed(char *out, double units, int decimals)
{
    char digits[48], *p = out;
    const int length = snprintf(digits, sizeof digits, "%0*.0f", decimals + 1, fabs(units));
    const int whole = length - decimals;

    if (units < 0) {
        memcpy(p, "\u2212", 3);
        p += 3;
    }
    for (int i = 0; i < length; i++) {
        if (i == whole)
            *p++ = '.';
        else if (i > 0 && i < whole && (whole - i) % 3 == 0 && whole > 4)
            *p++ = ',';
        *p++ = digits[i];
    }
    *p = '\0';
    return out;
}

/* The first digits of |x|, d.ddd, and its power of ten. */
static double mantissa(double x, int digits, int *exponent)
{
    const double scale = pow(10, digits - 1);
    double m;

    *exponent = (int)floor(log10(x));
    m = round(x / pow(10, *exponent) * scale);
    if (m >= 10 * scale) {
        m /= 10;
        (*exponent)++;
    }
    return m;
}

/* Very large and very small numbers as 3.2e-9. */
static char *put_power(char *out, double x, int digits)
{
    int exponent, decimals = digits - 1;
    double m = mantissa(fabs(x), digits, &exponent);
    char text[CR__TICK_ROOM];

    for (; decimals > 0 && fmod(m, 10) == 0; decimals--)
        m /= 10;
    snprintf(out, CR__TICK_ROOM, "%.20se%d", put_fixed(text, x < 0 ? -m : m, decimals), exponent);
    return out;
}

char *cr__number_label(char *out, double x, int digits)
{
    int exponent, decimals;
    double units;

    if (!isfinite(x) || x == 0) {
        snprintf(out, CR__TICK_ROOM, "%s",
                 x == 0     ? "0"
                 : isnan(x) ? "\u2013"
                 : x > 0    ? "\u221e"
                            : "\u2212\u221e");
        return out;
    }
    mantissa(fabs(x), digits, &exponent);
    if (exponent < -4 || exponent > 9)
        return put_power(out, x, digits);
    decimals = digits - 1 - exponent > 0 ? digits - 1 - exponent : 0;
    units = round(x * pow(10, decimals));
    for (; decimals > 0 && fmod(units, 10) == 0; decimals--)
        units /= 10;
    return put_fixed(out, units, decimals);
}

/* --- ticks ------------------------------------------------------------------------------------ */

static void add(cr__scale *scale, double x, int labelled, int decimals)
{
    const double slack = (scale->high - scale->low) * 1e-9;
    char *label = scale->label[scale->ticks];

    if (scale->ticks == CR__TICKS || x < scale->low - slack || x > scale->high + slack)
        return;
    scale->tick[scale->ticks++] = x;
    label[0] = '\0';
    if (labelled && (fabs(x) >= 1e7 || decimals > 4))
        cr__number_label(label, x, 6);
    else if (labelled)
        put_fixed(label, round(x * pow(10, decimals)) + 0.0, decimals);
}

/* 1, 2 or 5 times a power of ten, so that there are about this many steps. */
static double nice_step(double extent, size_t about, int *exponent)
{
    const double rough = extent / (double)(about > 0 ? about : 1);
    double fraction;

    *exponent = (int)floor(log10(rough));
    fraction = rough / pow(10, *exponent);
    fraction = fraction < 1.5 ? 1 : fraction < 3.5 ? 2 : fraction < 7.5 ? 5 : 10;
    if (fraction == 10) {
        fraction = 1;
        (*exponent)++;
    }
    return fraction;
}

static double step_times(double multiple, int exponent)
{
    return exponent < 0 ? multiple / pow(10, -exponent) : multiple * pow(10, exponent);
}

static void linear_ticks(cr__scale *scale, size_t about)
{
    int exponent;
    const double step = nice_step(scale->high - scale->low, about, &exponent);
    const double first = ceil(scale->low / step_times(step, exponent) - 1e-9);

    for (size_t i = 0; i < CR__TICKS; i++)
        add(scale, step_times((first + (double)i) * step, exponent), 1,
            exponent < 0 ? -exponent : 0);
}

/* Powers of ten; within few of them also 2 and 5 times, between many of them only every n-th. */
static void log_ticks(cr__scale *scale, size_t about)
{
    static const double within[] = {1, 2, 5};
    const double decades = log10(scale->high / scale->low);
    const int first = (int)floor(log10(scale->low));
    const int every = decades > (double)about ? (int)ceil(decades / (double)about) : 1;

    for (int e = first; e <= first + (int)decades + 1; e++)
        for (size_t i = 0; i < 3; i++) {
            const double x = step_times(within[i], e);

            if (i == 0 ? (e - first) % every == 0 : every == 1)
                add(scale, x, i == 0 || decades * 3 <= (double)about + 1.5, e < 0 ? -e : 0);
        }
}

void cr__scale_ticks(cr__scale *scale, size_t about)
{
    scale->ticks = 0;
    if (!(scale->high > scale->low) || !isfinite(scale->high - scale->low))
        return;
    if (scale->log && scale->high / scale->low > 2.5)
        log_ticks(scale, about);
    else
        linear_ticks(scale, about);
}
