/* belief/numeric.c - a zero and an integral of a function of one variable. */
#include "belief/numeric.h"

#include <float.h>
#include <math.h>

/* T. R. Chandrupatla, "A new hybrid quadratic/bisection algorithm for finding the zero of a
 * nonlinear function without using derivatives", Adv. Eng. Software 28 (1997). a is the newest
 * point, b the one across the zero, c the one that a replaced. */
double cr__find_zero(cr__function *f, const void *context, double low, double high)
{
    double a = low, b = high, c, fa = f(context, a), fb = f(context, b), fc, t = 0.5;

    if (fa == 0 || fb == 0 || (fa > 0) == (fb > 0))
        return fabs(fa) <= fabs(fb) ? a : b;
    for (int step = 0; step < 200; step++) {
        const double x = a + t * (b - a), fx = f(context, x);

        if ((fx > 0) == (fa > 0)) {
            c = a, fc = fa;
        } else {
            c = b, fc = fb;
            b = a, fb = fa;
        }
        a = x, fa = fx;
        const double best = fabs(fa) < fabs(fb) ? a : b;
        const double least = 2 * DBL_EPSILON * fabs(best) + DBL_MIN, limit = least / fabs(b - c);

        if (fa == 0 || limit > 0.5 || fabs(b - a) <= least)
            return best;
        const double xi = (a - b) / (c - b), phi = (fa - fb) / (fc - fb);

        t = 0.5;
        if (phi * phi < xi && (1 - phi) * (1 - phi) < 1 - xi)
            t = fa / (fb - fa) * fc / (fb - fc) +
                (c - a) / (b - a) * fa / (fc - fa) * fb / (fc - fb);
        t = fmin(1 - limit, fmax(limit, t));
    }
    return fabs(fa) < fabs(fb) ? a : b;
}

typedef struct panel {
    double low, high;
    double integral, error;
} panel;

/* Gauss's rule with 10 points inside Kronrod's with 21: nodes, weights of Kronrod and of Gauss (0
 * where it has no node), computed to 40 digits from the Stieltjes polynomial. */
static const double rule[11][3] = {
    {0.9956571630258080807355, 0.01169463886737187427806, 0},
    {0.9739065285171717200780, 0.03255816230796472747882, 0.06667134430868813759357},
    {0.9301574913557082260012, 0.05475589657435199603138, 0},
    {0.8650633666889845107321, 0.07503967481091995276704, 0.1494513491505805931458},
    {0.7808177265864168970637, 0.09312545458369760553507, 0},
    {0.6794095682990244062343, 0.1093871588022976418992, 0.2190863625159820439955},
    {0.5627571346686046833390, 0.1234919762620658510780, 0},
    {0.4333953941292471907993, 0.1347092173114733259281, 0.2692667193099963550912},
    {0.2943928627014601981311, 0.1427759385770600807971, 0},
    {0.1488743389816312108848, 0.1477391049013384913748, 0.2955242247147528701739},
    {0, 0.1494455540029169056649, 0}};

static panel measure(cr__function *f, const void *context, double low, double high)
{
    const double half = 0.5 * (high - low), middle = low + half;
    double kronrod = rule[10][1] * f(context, middle), gauss = 0;

    for (size_t i = 0; i < 10; i++) {
        const double reach = half * rule[i][0];
        const double pair = f(context, middle - reach) + f(context, middle + reach);

        kronrod += rule[i][1] * pair;
        gauss += rule[i][2] * pair;
    }
    return (panel){low, high, half * kronrod, fabs(half * (kronrod - gauss))};
}

/* Halve the panel with the largest error until the total error is small enough. The difference of
 * the two rules overstates Kronrod's error by far. */
double cr__integrate(cr__function *f, const void *context, const double *edge, size_t edges,
                     double tolerance)
{
    panel panels[CR__PANELS];
    size_t count = 0;

    for (size_t i = 0; i + 1 < edges && count < CR__PANELS; i++)
        panels[count++] = measure(f, context, edge[i], edge[i + 1]);
    for (;;) {
        double integral = 0, error = 0;
        size_t worst = 0;

        for (size_t i = 0; i < count; i++) {
            integral += panels[i].integral;
            error += panels[i].error;
            if (panels[i].error > panels[worst].error)
                worst = i;
        }
        const panel p = panels[worst];
        const double middle = p.low + 0.5 * (p.high - p.low);

        if (!(error > tolerance * fabs(integral)) || count == CR__PANELS || middle <= p.low ||
            middle >= p.high)
            return integral;
        panels[worst] = measure(f, context, p.low, middle);
        panels[count++] = measure(f, context, middle, p.high);
    }
}
