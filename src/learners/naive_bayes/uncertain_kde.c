/* learners/naive_bayes/uncertain_kde.c - kernel densities under a distribution of the numbers drawn
 * from its posterior.
 *
 * If nothing is assumed about how the numbers of a class are distributed, that is, if their
 * distribution F is a Dirichlet process around the feature's Gaussian g, worth r rows, then its
 * posterior is one around the numbers v that were seen, each as often as it was (Ferguson 1973, "A
 * Bayesian analysis of some nonparametric problems"; with r = 0 the Bayesian bootstrap: Rubin
 * 1981). kde.c's density is F smoothed by the kernel, averaged over F; a draw is, with w_v the
 * number of times that v was seen,
 *
 *     p(x) = (Σ_v G_v φ((x - v) / h) / h + G_0 g(x)) / (Σ_v G_v + G_0),   G_v ~ Gamma(w_v),
 *                                                                          G_0 ~ Gamma(r)
 *
 * Gamma variables of kernels with the same height at x add up to one whose parameter is the sum of
 * theirs. Kernels whose distances from x differ by less than a fifth of a bandwidth are bundled at
 * their mean height, so the cost of a draw does not depend on the number of rows. That leaves the
 * mean unchanged, and reduces the standard deviation by less than 1 % (a test measures it).
 */
#include <float.h>
#include <math.h>

#include "learners/naive_bayes/uncertain_kde.h"

#define PER_BANDWIDTH 5.0

/* The bundle of a kernel that is this many bandwidths farther from x than the nearest. */
static size_t bundle_of(double farther)
{
    return farther * PER_BANDWIDTH < CR__NB_BUNDLES - 1 ? (size_t)(farther * PER_BANDWIDTH)
                                                        : CR__NB_BUNDLES - 1;
}

static double nearest(const cr__nb_kde *kde, const cr__nb_kernels *k, double x)
{
    double least = INFINITY;

    for (uint64_t i = k->first; i < k->first + k->count; i++)
        least = fmin(least, fabs(kde->value[i] - x) / k->bandwidth);
    return least;
}

void cr__nb_bundle(cr__nb_bundles *out, const cr__nb_kde *kde, size_t c, double x)
{
    const cr__nb_kernels *k = &kde->of[c];
    const double away = x - kde->prior_mean, least = nearest(kde, k, x);
    const double guess =
        -0.5 * away * away / kde->prior_variance - 0.5 * log(2 * M_PI * kde->prior_variance);
    const double own = -0.5 * least * least - log(k->bandwidth) - 0.5 * log(2 * M_PI);
    const int guessed = kde->prior_rows > 0 || k->count == 0;

    *out = (cr__nb_bundles){.log_scale = k->count == 0 ? guess : guessed ? fmax(own, guess) : own};
    for (uint64_t i = k->first; i < k->first + k->count; i++) {
        const double z = fabs(kde->value[i] - x) / k->bandwidth;
        const size_t b = bundle_of(z - least);

        out->weight[b] += kde->weight[i];
        out->height[b] +=
            kde->weight[i] * exp(own - out->log_scale - 0.5 * (z - least) * (z + least));
    }
    for (size_t b = 0; b < CR__NB_BUNDLES; b++)
        out->height[b] /= out->weight[b] > 0 ? out->weight[b] : 1;
    if (guessed) {
        out->weight[CR__NB_BUNDLES] = kde->prior_rows > 0 ? kde->prior_rows : 1;
        out->height[CR__NB_BUNDLES] = exp(guess - out->log_scale);
    }
}

double cr__nb_bundles_draw(const cr__nb_bundles *bundles, cr__random *random)
{
    double sum = 0, all = 0;

    for (size_t b = 0; b <= CR__NB_BUNDLES; b++)
        if (bundles->weight[b] > 0) {
            const double g = cr__random_gamma(random, bundles->weight[b]);

            sum += g * bundles->height[b];
            all += g;
        }
    return bundles->log_scale + log(fmax(sum, DBL_MIN)) - log(fmax(all, DBL_MIN));
}
