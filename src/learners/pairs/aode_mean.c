/* learners/pairs/aode_mean.c - sums of exponentials over models, in vectors along the rows. */
#include "learners/pairs/aode_mean.h"

#include "base/cpu.h"

#define INLINE static inline __attribute__((always_inline))

INLINE void sums_of_four(const double *log_p, size_t stride, size_t models, double *top,
                         double *sum)
{
    const cr__quad negligible = {-45, -45, -45, -45};
    cr__quad most = *(const cr__quad *)log_p, total = {0};

    for (size_t m = 1; m < models; m++)
        cr__quad_larger((const cr__quad *)(log_p + m * stride), &most);
    for (size_t m = 0; m < models; m++) {
        cr__quad e = *(const cr__quad *)(log_p + m * stride) - most;
        const cr__quad_bits counts = e > negligible; /* never where both are infinite */

        cr__quad_exponential(&e);
        total += (cr__quad)((cr__quad_bits)e & counts);
    }
    *(cr__quad *)top = most;
    *(cr__quad *)sum = total;
}

INLINE void sums(const double *log_p, size_t stride, size_t models, size_t n, double *top,
                 double *sum)
{
    for (size_t i = 0; i < n; i += CR__LANES)
        sums_of_four(log_p + i, stride, models, top + i, sum + i);
}

void cr__aode_sums_plain(const double *log_p, size_t stride, size_t models, size_t n, double *top,
                         double *sum)
{
    sums(log_p, stride, models, n, top, sum);
}

#if defined(__x86_64__)

__attribute__((target("avx2"))) static void
sums_avx2(const double *log_p, size_t stride, size_t models, size_t n, double *top, double *sum)
{
    sums(log_p, stride, models, n, top, sum);
}

cr__aode_sums *cr__aode_sums_best(void)
{
    return cr__cpu_has_avx2() ? sums_avx2 : cr__aode_sums_plain;
}

#else

cr__aode_sums *cr__aode_sums_best(void)
{
    return cr__aode_sums_plain;
}

#endif
