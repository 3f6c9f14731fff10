/* base/logspace.c - sums and complements of probabilities that are kept as logarithms. */
#include "base/logspace.h"

#include <math.h>

/* log sum_i e^x_i = m + log(1 + sum_{i != k} e^(x_i - m)), with m = x_k the largest: no term
 * overflows, and log1p keeps a small remainder (Blanchard, Higham & Higham, "Accurately computing
 * the log-sum-exp and softmax functions", IMA J. Numer. Anal. 41, 2021, section 3). */
double cr__log_sum_exp(const double *x, size_t n)
{
    size_t k = 0;

    if (n == 0)
        return -INFINITY;
    for (size_t i = 1; i < n; i++)
        if (x[i] > x[k] || isnan(x[i]))
            k = i;
    if (isinf(x[k]))
        return x[k];
    double sum = 0;
    for (size_t i = 0; i < n; i++)
        if (i != k)
            sum += exp(x[i] - x[k]);
    return x[k] + log1p(sum);
}

double cr__log_add(double a, double b)
{
    double larger = a > b ? a : b, smaller = a > b ? b : a;
    if (isinf(larger))
        return larger;
    return larger + log1p(exp(smaller - larger));
}
