/* belief/interval.c - central intervals and regions of highest density. */
#include <math.h>

#include "base/special.h"
#include "belief/distribution.h"
#include "belief/numeric.h"

static const cr_interval no_interval = {NAN, NAN};

static int is_level(double level)
{
    return level > 0 && level < 1;
}

cr_interval cr_distribution_central(const cr_distribution *d, double level)
{
    const double tail = (1 - level) / 2;

    if (!is_level(level) || !cr__distribution_valid(d))
        return no_interval;
    return (cr_interval){cr_distribution_quantile(d, tail),
                         cr__distribution_upper_quantile(d, tail)};
}

/* --- highest density ---------------------------------------------------------------------- */

/* A quantile, and for a beta also 1 minus it, which may be the smaller number. */
typedef struct place {
    double x, y;
} place;

static place place_at(const cr_distribution *d, double lower, double upper)
{
    const int low = lower <= upper;
    place p;

    p.x = low ? cr_distribution_quantile(d, lower) : cr__distribution_upper_quantile(d, upper);
    p.y = 1 - p.x;
    if (d->family == CR_BETA && p.x > 0.5)
        p.y = low ? cr__beta_upper_inverse(d->b, d->a, lower)
                  : cr__beta_lower_inverse(d->b, d->a, upper);
    return p;
}

/* The log of the density without its constant. */
static double height(const cr_distribution *d, place p)
{
    switch (d->family) {
    case CR_BETA: return (d->a - 1) * log(p.x) + (d->b - 1) * log(p.y);
    case CR_GAMMA: return isinf(p.x) ? -INFINITY : (d->a - 1) * log(p.x) - d->b * p.x;
    default: return p.x == 0 ? -INFINITY : -(d->a + 1) * log(p.x) - d->b / p.x;
    }
}

/* Divide a tail mass between both tails so that the density is the same where they end. */
typedef struct sharing {
    const cr_distribution *d;
    double mass;
} sharing;

static double unfairness(const void *context, double lower)
{
    const sharing *s = context;
    const double upper = s->mass - lower;

    return height(s->d, place_at(s->d, lower, 1 - lower)) -
           height(s->d, place_at(s->d, 1 - upper, upper));
}

static cr_interval share(const cr_distribution *d, double mass)
{
    const sharing s = {d, mass};
    const double lower = cr__find_zero(unfairness, &s, 0, mass);

    return (cr_interval){cr_distribution_quantile(d, lower),
                         cr__distribution_upper_quantile(d, mass - lower)};
}

/* A monotone density is cut on one side; one that falls and then rises is cut in the middle, so
 * that the region has two parts; any other is cut on both sides. */
size_t cr_distribution_highest(const cr_distribution *d, double level, cr_interval piece[2])
{
    cr_mode kind;
    const double mode = cr_distribution_mode(d, &kind);
    cr_interval middle;

    piece[0] = piece[1] = no_interval;
    if (!is_level(level) || !cr__distribution_valid(d))
        return 1;
    switch (kind) {
    case CR_MODE_FLAT: piece[0] = cr_distribution_central(d, level); return 1;
    case CR_MODE_BORDER:
        if (mode == 0)
            piece[0] = (cr_interval){0, cr_distribution_quantile(d, level)};
        else
            piece[0] = (cr_interval){cr__distribution_upper_quantile(d, level), 1};
        return 1;
    case CR_MODE_NONE:
        middle = share(d, level);
        piece[0] = (cr_interval){0, middle.low};
        piece[1] = (cr_interval){middle.high, 1};
        return 2;
    default:
        piece[0] =
            d->family == CR_STUDENT ? cr_distribution_central(d, level) : share(d, 1 - level);
        return 1;
    }
}
