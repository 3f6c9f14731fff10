/* learners/gda/loss.c - the log loss of scores at several slopes, in vectors along the rows.
 *
 * With m the largest score of a row, log Σ_c e^(s x_c) = s m + log Σ_c e^(s (x_c - m)). The last
 * sum lies between 1 and the number of classes, so those of some rows are multiplied and one
 * logarithm is taken of the product.
 */
#include "learners/gda/loss.h"

#include <math.h>

#include "base/cpu.h"
#include "base/exponential.h"

#define INLINE static inline __attribute__((always_inline))

enum { TOGETHER = 16 }; /* sums that are multiplied: up to 10^18 classes cannot overflow */

void cr__gda_pad(size_t rows, size_t stride, size_t classes, double *turned)
{
    for (size_t c = 0; c < classes; c++)
        for (size_t r = rows; r < stride; r++)
            turned[c * stride + r] = c == 0 ? 0 : -INFINITY;
}

void cr__gda_turn(const double *score, size_t rows, size_t stride, size_t classes, double *turned)
{
    for (size_t c = 0; c < classes; c++)
        for (size_t r = 0; r < rows; r++)
            turned[c * stride + r] = score[r * classes + c];
    cr__gda_pad(rows, stride, classes, turned);
}

/* Subtract the largest score of each row; the sum of (largest - that of its class). */
INLINE double subtract_largest(double *x, const uint32_t *of, size_t rows, size_t stride,
                               size_t classes)
{
    double gap = 0;

    for (size_t r = 0; r < stride; r += CR__LANES) {
        cr__quad most = *(const cr__quad *)(x + r);

        for (size_t c = 1; c < classes; c++)
            cr__quad_larger((const cr__quad *)(x + c * stride + r), &most);
        for (size_t c = 0; c < classes; c++)
            *(cr__quad *)(x + c * stride + r) -= most;
    }
    for (size_t r = 0; r < rows; r++)
        gap -= x[of[r] * stride + r];
    return gap;
}

/* Σ_r log (more + Σ_c e^(slope x_rc)), where no x is above 0. */
INLINE double log_sums(const double *x, size_t stride, size_t classes, double more, double slope)
{
    double sum = 0;

    for (size_t r = 0; r < stride;) {
        const size_t left = (stride - r) / CR__LANES;
        cr__quad product = {1, 1, 1, 1};

        for (size_t i = 0; i < (left < TOGETHER ? left : TOGETHER); i++, r += CR__LANES) {
            cr__quad total = {more, more, more, more};

            for (size_t c = 0; c < classes; c++) {
                cr__quad e = *(const cr__quad *)(x + c * stride + r) * slope;

                cr__quad_exponential(&e);
                total += e;
            }
            product *= total;
        }
        sum += (log(product[0]) + log(product[1])) + (log(product[2]) + log(product[3]));
    }
    return sum;
}

INLINE void add_loss(double *x, const uint32_t *of, size_t rows, size_t stride, size_t classes,
                     const double *slope, size_t slopes, double *loss)
{
    const double gap = subtract_largest(x, of, rows, stride, classes);
    const int two = classes == 2;

    for (size_t r = 0; two && r < stride; r++)
        x[r] += x[stride + r]; /* one of them is 0, and e^0 need not be computed */
    for (size_t t = 0; t < slopes; t++)
        loss[t] += log_sums(x, stride, two ? 1 : classes, two, slope[t]) + slope[t] * gap;
}

#if defined(__x86_64__)

__attribute__((target("avx2"))) static void add_loss_avx2(double *x, const uint32_t *of,
                                                          size_t rows, size_t stride,
                                                          size_t classes, const double *slope,
                                                          size_t slopes, double *loss)
{
    add_loss(x, of, rows, stride, classes, slope, slopes, loss);
}

#endif

void cr__gda_log_loss(double *turned, const uint32_t *of, size_t rows, size_t stride,
                      size_t classes, const double *slope, size_t slopes, double *loss)
{
#if defined(__x86_64__)
    if (cr__cpu_has_avx2()) {
        add_loss_avx2(turned, of, rows, stride, classes, slope, slopes, loss);
        return;
    }
#endif
    add_loss(turned, of, rows, stride, classes, slope, slopes, loss);
}
