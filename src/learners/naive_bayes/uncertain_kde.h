/* learners/naive_bayes/uncertain_kde.h - draws of a kernel density at a number. */
#ifndef CR_LEARNERS_NAIVE_BAYES_UNCERTAIN_KDE_H
#define CR_LEARNERS_NAIVE_BAYES_UNCERTAIN_KDE_H

#include "base/random.h"
#include "learners/naive_bayes/bins.h"

enum { CR__NB_BUNDLES = 32 };

/* The kernels of one class as seen from a number, in bundles of about the same distance; the last
 * is the prior guess. */
typedef struct cr__nb_bundles {
    double log_scale;
    double weight[CR__NB_BUNDLES + 1]; /* rows; 0: there are none */
    double height[CR__NB_BUNDLES + 1]; /* of the density, over exp(log_scale) */
} cr__nb_bundles;

void cr__nb_bundle(cr__nb_bundles *out, const cr__nb_kde *kde, size_t c, double x);

/* log p(x | class) of one draw. */
double cr__nb_bundles_draw(const cr__nb_bundles *bundles, cr__random *random);

#endif
