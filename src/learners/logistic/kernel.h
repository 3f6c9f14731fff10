/* learners/logistic/kernel.h - the arithmetic of one block of rows.
 *
 * Scores and residuals of a block are set by set, [sets][64]. Every function gives the same bits on
 * every machine: vectors run along the rows, sums over rows have eight fixed lanes.
 */
#ifndef CR_LEARNERS_LOGISTIC_KERNEL_H
#define CR_LEARNERS_LOGISTIC_KERNEL_H

#include <stddef.h>
#include <stdint.h>

typedef struct cr__lr_kernel {
    /* x[r] = (value[r] - centre) * inverse for 64 rows, and 0 where that is not a number. */
    void (*frame)(const double *value, double centre, double inverse, double *x);
    /* score[s][r] += Σ_j x[j][r] w[j][s]. */
    void (*forward)(const double *x, size_t dense, const double *w, size_t sets, double *score);
    /* gradient[j][s] += Σ_r x[j][r] residual[s][r]. */
    void (*backward)(const double *x, size_t dense, const double *residual, size_t sets,
                     double *gradient);
    /* sum[s] += Σ_k value[k] w[index[k]][s], rows of w being [sets]; value may be NULL: 1. */
    void (*gather)(const uint32_t *index, const double *value, size_t n, const double *w,
                   size_t sets, double *sum);
    /* Scores become exp(score - top[r]) and total[r] their sum, where top is the largest of the
     * row; with reference there is one more score, 0, which counts in both. */
    void (*softmax)(double *score, size_t sets, int reference, double *top, double *total);
} cr__lr_kernel;

/* The kernel for this processor; scalar: the plain one, for tests. */
const cr__lr_kernel *cr__lr_kernel_best(void);
const cr__lr_kernel *cr__lr_kernel_plain(void);

#endif
