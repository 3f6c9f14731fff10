/* base/show.c - numbers formatted for people. */
#include <math.h>
#include <stdio.h>
#include <string.h>

#include "base/number.h"
#include "credence/output.h"

static char *not_finite(char *buffer, double x)
{
    return strcpy(buffer, isnan(x) ? "–" : x > 0 ? "∞" : "-∞");
}

static char *show_plain(char *buffer, double x)
{
    if (!isfinite(x))
        return not_finite(buffer, x);
    if (x == floor(x) && fabs(x) < 1e15)
        snprintf(buffer, CR_SHOW_SIZE, "%.0f", x == 0 ? 0.0 : x);
    else
        snprintf(buffer, CR_SHOW_SIZE, "%.4g", x);
    return buffer;
}

static char *show_exact(char *buffer, double x)
{
    cr__format_double(buffer, x == 0 ? 0.0 : x);
    return buffer;
}

static char *show_probability(char *buffer, double x)
{
    if (!isfinite(x))
        return not_finite(buffer, x);
    if (x == 0)
        strcpy(buffer, "0");
    else if (x < 0.00005)
        snprintf(buffer, CR_SHOW_SIZE, "%.1e", x);
    else if (x > 0.99995 && x < 1)
        snprintf(buffer, CR_SHOW_SIZE, ">0.9999");
    else
        snprintf(buffer, CR_SHOW_SIZE, "%.4f", x);
    return buffer;
}

static char *show_percent(char *buffer, double x)
{
    if (!isfinite(x))
        return not_finite(buffer, x);
    if (x > 0.99995 && x < 1)
        return strcpy(buffer, ">99.99 %");
    if (x > 0 && x < 0.00005)
        return strcpy(buffer, "<0.01 %");
    snprintf(buffer, CR_SHOW_SIZE, "%.4g %%", 100 * x);
    return buffer;
}

static char *show_signed(char *buffer, double x)
{
    if (isnan(x))
        return not_finite(buffer, x);
    if (isinf(x))
        return strcpy(buffer, x > 0 ? "+∞" : "-∞");
    snprintf(buffer, CR_SHOW_SIZE, "%+.3f", x);
    return strcmp(buffer, "-0.000") == 0 ? strcpy(buffer, "+0.000") : buffer;
}

static char *show_added(char *buffer, double x)
{
    char number[CR_SHOW_SIZE];

    snprintf(buffer, CR_SHOW_SIZE, "%c%.46s", x < 0 ? '-' : '+', show_plain(number, fabs(x)));
    return buffer;
}

/* The power of ten is split off before anything is raised to it: e^-5000 is not representable as a
 * double. */
static char *show_power(char *buffer, double log_x)
{
    double tens = log_x / log(10), power = floor(tens), lead;

    if (isinf(log_x) && log_x < 0)
        return strcpy(buffer, "0");
    if (!isfinite(log_x))
        return not_finite(buffer, log_x);
    lead = pow(10, tens - power);
    if (lead >= 9.99995) {
        lead = 1;
        power++;
    }
    if (power >= -4 && power < 6)
        snprintf(buffer, CR_SHOW_SIZE, "%.4g", exp(log_x));
    else
        snprintf(buffer, CR_SHOW_SIZE, "%.5ge%+03.0f", lead, power);
    return buffer;
}

static char *show_short(char *buffer, double x)
{
    static const char *const unit[] = {"", " k", " M", " G", " T", " P"};
    size_t i = 0;

    while (x >= 999.5 && i + 1 < sizeof unit / sizeof *unit) {
        x /= 1000;
        i++;
    }
    snprintf(buffer, CR_SHOW_SIZE, "%.*f%s", i == 0 || x >= 100 ? 0 : x >= 10 ? 1 : 2, x, unit[i]);
    return buffer;
}

static char *show_bytes(char *buffer, double bytes)
{
    char number[CR_SHOW_SIZE];

    show_short(number, bytes);
    snprintf(buffer, CR_SHOW_SIZE, "%.30s%s", number, bytes < 1000 ? " bytes" : "B");
    return buffer;
}

static char *show_seconds(char *buffer, double seconds)
{
    if (seconds < 1e-3)
        snprintf(buffer, CR_SHOW_SIZE, "%.0f µs", seconds * 1e6);
    else if (seconds < 1)
        snprintf(buffer, CR_SHOW_SIZE, "%.3g ms", seconds * 1e3);
    else if (seconds < 100)
        snprintf(buffer, CR_SHOW_SIZE, "%.3g s", seconds);
    else
        snprintf(buffer, CR_SHOW_SIZE, "%.0f min %02.0f s", floor(seconds / 60),
                 floor(fmod(seconds, 60)));
    return buffer;
}

static char *show_p(char *buffer, double p)
{
    if (isnan(p))
        buffer[0] = '\0';
    else if (p < 0.0001)
        strcpy(buffer, "<0.0001");
    else
        snprintf(buffer, CR_SHOW_SIZE, "%.4f", p);
    return buffer;
}

static char *show_index(char *buffer, double x)
{
    if (!isfinite(x))
        return strcpy(buffer, isnan(x) ? "-" : "inf");
    snprintf(buffer, CR_SHOW_SIZE, "%.3f", x);
    return buffer;
}

char *cr_show_number(char *buffer, cr_show how, double x)
{
    static char *(*const shown[])(char *buffer,
                                  double x) = {[CR_SHOW_PLAIN] = show_plain,
                                               [CR_SHOW_EXACT] = show_exact,
                                               [CR_SHOW_PROBABILITY] = show_probability,
                                               [CR_SHOW_PERCENT] = show_percent,
                                               [CR_SHOW_SIGNED] = show_signed,
                                               [CR_SHOW_ADDED] = show_added,
                                               [CR_SHOW_POWER] = show_power,
                                               [CR_SHOW_SHORT] = show_short,
                                               [CR_SHOW_BYTES] = show_bytes,
                                               [CR_SHOW_SECONDS] = show_seconds,
                                               [CR_SHOW_P] = show_p,
                                               [CR_SHOW_INDEX] = show_index};

    return shown[how](buffer, x);
}
