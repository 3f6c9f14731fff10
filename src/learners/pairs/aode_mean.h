/* learners/pairs/aode_mean.h - Σ_m e^(x_m - largest) of models' logs, for many numbers at once. */
#ifndef CR_LEARNERS_PAIRS_AODE_MEAN_H
#define CR_LEARNERS_PAIRS_AODE_MEAN_H

#include <stddef.h>

#include "base/exponential.h"

/* Of n numbers in each of `models` arrays, which begin `stride` apart: top[i] is the largest,
 * sum[i] the terms e^(x_m - top) added in the order of the models; those below e^-45 add nothing to
 * a double, even a thousand of them, and are left out. Where all are -infinity, sum is 0. The
 * arrays have room for cr__aode_padded(n) numbers. The same bits on every machine. */
typedef void cr__aode_sums(const double *log_p, size_t stride, size_t models, size_t n, double *top,
                           double *sum);

cr__aode_sums *cr__aode_sums_best(void); /* for this processor */
void cr__aode_sums_plain(const double *log_p, size_t stride, size_t models, size_t n, double *top,
                         double *sum);

static inline size_t cr__aode_padded(size_t n)
{
    return (n + CR__LANES - 1) / CR__LANES * CR__LANES;
}

#endif
