/* base/logspace.h - sums and complements of probabilities that are kept as logarithms.
 *
 * log 0 is -infinity throughout. No function returns NaN unless an argument is NaN or lies outside
 * the stated domain.
 */
#ifndef CR_BASE_LOGSPACE_H
#define CR_BASE_LOGSPACE_H

#include <stddef.h>

/* log(e^x[0] + ... + e^x[n-1]); -infinity when n is 0 or all terms are -infinity. */
double cr__log_sum_exp(const double *x, size_t n);

/* log(e^a + e^b). */
double cr__log_add(double a, double b);

#endif
