/* learners/naive_bayes/kernel_sum.h - the kernels at one place, added up. */
#ifndef CR_LEARNERS_NAIVE_BAYES_KERNEL_SUM_H
#define CR_LEARNERS_NAIVE_BAYES_KERNEL_SUM_H

#include <stddef.h>

/* Σ w e^(-(z² - least²)/2) over n numbers, with z = (value - x) / h; no |z| is below least. The
 * same bits on every machine. */
double cr__nb_kernel_sum(const double *value, const double *weight, size_t n, double x, double h,
                         double least);

#endif
