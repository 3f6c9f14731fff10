/* learners/naive_bayes/kernel_sum.c - four kernels at a time. */
#include "learners/naive_bayes/kernel_sum.h"

#include <string.h>

#include "base/cpu.h"
#include "base/exponential.h"

#define INLINE static inline __attribute__((always_inline))

INLINE void add_four(cr__quad *sum, const double *value, const double *weight, double x,
                     double per_h, double least)
{
    const cr__quad z = (*(const cr__quad *)value - x) * per_h;
    cr__quad term = (z * z - least * least) * -0.5;

    cr__quad_exponential(&term);
    *sum += term * *(const cr__quad *)weight;
}

INLINE double sum_kernels(const double *value, const double *weight, size_t n, double x,
                          double per_h, double least)
{
    const size_t whole = n / CR__LANES * CR__LANES, left = n - whole;
    double last[CR__LANES] = {x, x, x, x}, none[CR__LANES] = {0};
    cr__quad sum = {0};

    for (size_t i = 0; i < whole; i += CR__LANES)
        add_four(&sum, value + i, weight + i, x, per_h, least);
    if (left > 0) {
        for (size_t i = 0; i < CR__LANES; i++) {
            last[i] = value[whole + (i < left ? i : left - 1)];
            none[i] = i < left ? weight[whole + i] : 0;
        }
        add_four(&sum, last, none, x, per_h, least);
    }
    return (sum[0] + sum[1]) + (sum[2] + sum[3]);
}

#if defined(__x86_64__)

__attribute__((target("avx2"))) static double
sum_avx2(const double *value, const double *weight, size_t n, double x, double per_h, double least)
{
    return sum_kernels(value, weight, n, x, per_h, least);
}

#endif

double cr__nb_kernel_sum(const double *value, const double *weight, size_t n, double x, double h,
                         double least)
{
#if defined(__x86_64__)
    if (cr__cpu_has_avx2())
        return sum_avx2(value, weight, n, x, 1 / h, least);
#endif
    return sum_kernels(value, weight, n, x, 1 / h, least);
}
