/* belief/humps.c - whether the density of numbers has one hump or two.
 *
 * A mixture of two Gaussians is fitted by EM (A. Dempster, N. Laird, D. Rubin 1977), beginning at
 * the cut with the least sum of squares on both sides. Two humps are accepted where
 *
 *     2 (ln L_2 - ln L_1) > 3 ln n + doubt       Schwarz's criterion plus a margin
 *     D = |m_1 - m_2| / sqrt((s_1² + s_2²) / 2) > 4    (K. Ashman et al. 1994: 2 separates them)
 *
 * and neither is a spike, such as many zeros, or a few outliers.
 */
#include <math.h>

#include "base/fail.h"
#include "belief/humps.h"

enum { ROUNDS = 200, LEAST = 30 };

#define APART 4
#define SMALLEST 0.1  /* share of the rows */
#define SHARPEST 0.03 /* deviation, as a share of that of all rows */

static double log_normal(double x, double mean, double deviation)
{
    const double z = (x - mean) / deviation;

    return -0.5 * z * z - log(deviation) - 0.5 * log(2 * M_PI);
}

double cr__humps_log_density(const cr__humps *h, double x)
{
    const double a = log(h->share[0]) + log_normal(x, h->mean[0], h->deviation[0]);
    const double b = log(h->share[1]) + log_normal(x, h->mean[1], h->deviation[1]);

    return fmax(a, b) + log1p(exp(-fabs(a - b)));
}

static void moments(const double *x, size_t n, double *mean, double *deviation)
{
    double sum = 0, squares = 0;

    for (size_t i = 0; i < n; i++)
        sum += x[i];
    *mean = sum / (double)n;
    for (size_t i = 0; i < n; i++)
        squares += (x[i] - *mean) * (x[i] - *mean);
    *deviation = sqrt(squares / (double)n);
}

/* The cut of sorted numbers that maximises the distance of the parts' means, weighted by shares. */
static size_t best_cut(const double *x, size_t n, double mean)
{
    double sum = 0, most = -1;
    size_t best = n / 2;

    for (size_t i = 1; i < n; i++) {
        sum += x[i - 1] - mean;
        const double between = sum * sum * (1 / (double)i + 1 / (double)(n - i));

        if (between > most) {
            most = between;
            best = i;
        }
    }
    return best;
}

/* One round of EM; deviations stay above the floor. */
static void improve(cr__humps *h, const double *x, size_t n, double floor)
{
    double share = 0, sum[2] = {0}, squares[2] = {0};

    for (size_t i = 0; i < n; i++) {
        const double a = log(h->share[0]) + log_normal(x[i], h->mean[0], h->deviation[0]);
        const double p = exp(a - cr__humps_log_density(h, x[i]));

        share += p;
        sum[0] += p * x[i];
        sum[1] += (1 - p) * x[i];
        squares[0] += p * (x[i] - h->mean[0]) * (x[i] - h->mean[0]);
        squares[1] += (1 - p) * (x[i] - h->mean[1]) * (x[i] - h->mean[1]);
    }
    share = fmin(fmax(share, 1), (double)n - 1);
    for (int k = 0; k < 2; k++) {
        const double rows = k == 0 ? share : (double)n - share;
        const double moved = sum[k] / rows - h->mean[k];

        h->share[k] = rows / (double)n;
        h->mean[k] += moved;
        h->deviation[k] = fmax(sqrt(fmax(squares[k] / rows - moved * moved, 0)), floor);
    }
}

int cr__two_humps(const double *x, size_t n, double doubt, cr__humps *out)
{
    double mean, deviation, one = 0, two = 0;
    cr__humps h;
    size_t cut;

    if (n < LEAST)
        return 0;
    moments(x, n, &mean, &deviation);
    if (!(deviation > 0) || !isfinite(deviation))
        return 0;
    cut = best_cut(x, n, mean);
    h.share[0] = (double)cut / (double)n;
    h.share[1] = 1 - h.share[0];
    moments(x, cut, &h.mean[0], &h.deviation[0]);
    moments(x + cut, n - cut, &h.mean[1], &h.deviation[1]);
    for (int k = 0; k < 2; k++)
        h.deviation[k] = fmax(h.deviation[k], SHARPEST * deviation);
    for (int i = 0; i < ROUNDS; i++)
        improve(&h, x, n, SHARPEST * deviation);
    for (size_t i = 0; i < n; i++) {
        one += log_normal(x[i], mean, deviation);
        two += cr__humps_log_density(&h, x[i]);
    }
    *out = h;
    return 2 * (two - one) > 3 * log((double)n) + doubt &&
           fmin(h.share[0], h.share[1]) >= SMALLEST &&
           fmin(h.deviation[0], h.deviation[1]) > 1.001 * SHARPEST * deviation &&
           fabs(h.mean[0] - h.mean[1]) >
               APART *
                   sqrt((h.deviation[0] * h.deviation[0] + h.deviation[1] * h.deviation[1]) / 2);
}
