/* learners/logistic/kernel.c - products and exponentials of a block, in vectors along the rows. */
#include "learners/logistic/kernel.h"

#include "base/cpu.h"
#include "base/exponential.h"
#include "learners/logistic/design.h"

enum { LANES = CR__LANES, VECTORS = CR__LR_BLOCK / LANES };

typedef cr__quad quad;
typedef cr__quad_bits bits;

#define INLINE static inline __attribute__((always_inline))

/* --- standardising ------------------------------------------------------------------------- */

/* The rows are in columns far apart: those of the next blocks are prefetched. */
INLINE void frame(const double *value, double centre, double inverse, double *x)
{
    for (size_t r = 0; r < CR__LR_BLOCK; r += 2 * LANES)
        __builtin_prefetch((const char *)((uintptr_t)(value + r) + 2 * CR__LR_BLOCK * sizeof *x));
    for (size_t r = 0; r < CR__LR_BLOCK; r += LANES) {
        const quad z = (*(const quad *)(value + r) - centre) * inverse;
        const bits known = z == z;

        *(quad *)(x + r) = (quad)((bits)z & known);
    }
}

/* --- products ------------------------------------------------------------------------------ */

/* `v` vectors of rows and `t` sets at once: the sums stay in registers, and there are enough of
 * them to hide the latency of additions. v and t are constants where it is called, v * t <= 12. */
INLINE void forward_tile(const double *x, size_t dense, const double *w, size_t sets, double *score,
                         const size_t v, const size_t t)
{
    quad sum[12];

    for (size_t s = 0; s < t; s++)
        for (size_t k = 0; k < v; k++)
            sum[s * v + k] = *(const quad *)(score + s * CR__LR_BLOCK + k * LANES);
    for (size_t j = 0; j < dense; j++, x += CR__LR_BLOCK, w += sets)
        for (size_t s = 0; s < t; s++)
            for (size_t k = 0; k < v; k++)
                sum[s * v + k] += *(const quad *)(x + k * LANES) * w[s];
    for (size_t s = 0; s < t; s++)
        for (size_t k = 0; k < v; k++)
            *(quad *)(score + s * CR__LR_BLOCK + k * LANES) = sum[s * v + k];
}

INLINE void forward_sets(const double *x, size_t dense, const double *w, size_t sets, double *score,
                         const size_t v, const size_t t)
{
    for (size_t r = 0; r < CR__LR_BLOCK; r += v * LANES)
        forward_tile(x + r, dense, w, sets, score + r, v, t);
}

INLINE void forward(const double *x, size_t dense, const double *w, size_t sets, double *score)
{
    size_t s = 0;

    for (; s + 5 <= sets; s += 5)
        forward_sets(x, dense, w + s, sets, score + s * CR__LR_BLOCK, 2, 5);
    w += s;
    score += s * CR__LR_BLOCK;
    switch (sets - s) {
    case 4: forward_sets(x, dense, w, sets, score, 2, 4); break;
    case 3: forward_sets(x, dense, w, sets, score, 4, 3); break;
    case 2: forward_sets(x, dense, w, sets, score, 4, 2); break;
    case 1: forward_sets(x, dense, w, sets, score, 8, 1); break;
    default: break;
    }
}

/* The sum of eight lanes in two vectors, in one order. */
INLINE double lanes_sum(const quad *a, const quad *b)
{
    const quad c = *a + *b;

    return (c[0] + c[2]) + (c[1] + c[3]);
}

/* `u` features of `t` sets: their sums over the rows stay in registers. */
INLINE void backward_tile(const double *x, const double *residual, size_t sets, double *gradient,
                          const size_t u, const size_t t)
{
    quad even[8] = {{0}}, odd[8] = {{0}};

    for (size_t r = 0; r < CR__LR_BLOCK; r += 2 * LANES)
        for (size_t j = 0; j < u; j++) {
            const quad a = *(const quad *)(x + j * CR__LR_BLOCK + r);
            const quad b = *(const quad *)(x + j * CR__LR_BLOCK + r + LANES);

            for (size_t s = 0; s < t; s++) {
                even[j * t + s] += a * *(const quad *)(residual + s * CR__LR_BLOCK + r);
                odd[j * t + s] += b * *(const quad *)(residual + s * CR__LR_BLOCK + r + LANES);
            }
        }
    for (size_t j = 0; j < u; j++)
        for (size_t s = 0; s < t; s++)
            gradient[j * sets + s] += lanes_sum(&even[j * t + s], &odd[j * t + s]);
}

INLINE void backward_sets(const double *x, size_t dense, const double *residual, size_t sets,
                          double *gradient, const size_t t)
{
    size_t j = 0;

    for (; j + 2 <= dense; j += 2)
        backward_tile(x + j * CR__LR_BLOCK, residual, sets, gradient + j * sets, 2, t);
    if (j < dense)
        backward_tile(x + j * CR__LR_BLOCK, residual, sets, gradient + j * sets, 1, t);
}

INLINE void backward(const double *x, size_t dense, const double *residual, size_t sets,
                     double *gradient)
{
    size_t s = 0;

    for (; s + 3 <= sets; s += 3)
        backward_sets(x, dense, residual + s * CR__LR_BLOCK, sets, gradient + s, 3);
    if (sets - s == 2)
        backward_sets(x, dense, residual + s * CR__LR_BLOCK, sets, gradient + s, 2);
    if (sets - s == 1)
        backward_sets(x, dense, residual + s * CR__LR_BLOCK, sets, gradient + s, 1);
}

/* --- sparse sums --------------------------------------------------------------------------- */

enum { AHEAD = 6 }; /* prefetch distance in rows, which are scattered */

/* `t` vectors of sets at once; t is a constant where it is called. */
INLINE void gather_tile(const uint32_t *index, const double *value, size_t n, const double *w,
                        size_t sets, double *sum, const size_t t)
{
    quad total[5];

    for (size_t i = 0; i < t; i++)
        total[i] = *(const quad *)(sum + i * LANES);
    for (size_t k = 0; k < n; k++) {
        const double *of = w + index[k] * sets;
        const double x = value == NULL ? 1 : value[k];

        if (k + AHEAD < n)
            for (size_t i = 0; i < t; i += 2)
                __builtin_prefetch(w + index[k + AHEAD] * sets + i * LANES);
        for (size_t i = 0; i < t; i++)
            total[i] += *(const quad *)(of + i * LANES) * x;
    }
    for (size_t i = 0; i < t; i++)
        *(quad *)(sum + i * LANES) = total[i];
}

INLINE void gather(const uint32_t *index, const double *value, size_t n, const double *w,
                   size_t sets, double *sum)
{
    size_t s = 0;

    for (; s + 5 * LANES <= sets; s += 5 * LANES)
        gather_tile(index, value, n, w + s, sets, sum + s, 5);
    for (; s + 2 * LANES <= sets; s += 2 * LANES)
        gather_tile(index, value, n, w + s, sets, sum + s, 2);
    for (; s + LANES <= sets; s += LANES)
        gather_tile(index, value, n, w + s, sets, sum + s, 1);
    for (; s < sets; s++)
        for (size_t k = 0; k < n; k++)
            sum[s] += w[index[k] * sets + s] * (value == NULL ? 1 : value[k]);
}

/* --- exponentials -------------------------------------------------------------------------- */

INLINE void softmax(double *score, size_t sets, int reference, double *top, double *total)
{
    for (size_t v = 0; v < VECTORS; v++) {
        double *at = score + v * LANES;
        quad most = {0}, sum = {0};

        if (!reference)
            most = *(quad *)at;
        for (size_t s = 0; s < sets; s++) {
            const quad x = *(quad *)(at + s * CR__LR_BLOCK);

            cr__quad_larger(&x, &most);
        }
        if (reference) {
            sum = -most;
            cr__quad_exponential(&sum);
        }
        for (size_t s = 0; s < sets; s++) {
            quad e = *(quad *)(at + s * CR__LR_BLOCK) - most;

            cr__quad_exponential(&e);
            *(quad *)(at + s * CR__LR_BLOCK) = e;
            sum += e;
        }
        *(quad *)(top + v * LANES) = most;
        *(quad *)(total + v * LANES) = sum;
    }
}

/* --- for each processor -------------------------------------------------------------------- */

#define KERNEL(name, attribute)                                                                    \
    attribute static void frame_##name(const double *value, double centre, double inverse,         \
                                       double *x)                                                  \
    {                                                                                              \
        frame(value, centre, inverse, x);                                                          \
    }                                                                                              \
    attribute static void forward_##name(const double *x, size_t dense, const double *w,           \
                                         size_t sets, double *score)                               \
    {                                                                                              \
        forward(x, dense, w, sets, score);                                                         \
    }                                                                                              \
    attribute static void backward_##name(const double *x, size_t dense, const double *residual,   \
                                          size_t sets, double *gradient)                           \
    {                                                                                              \
        backward(x, dense, residual, sets, gradient);                                              \
    }                                                                                              \
    attribute static void gather_##name(const uint32_t *index, const double *value, size_t n,      \
                                        const double *w, size_t sets, double *sum)                 \
    {                                                                                              \
        gather(index, value, n, w, sets, sum);                                                     \
    }                                                                                              \
    attribute static void softmax_##name(double *score, size_t sets, int reference, double *top,   \
                                         double *total)                                            \
    {                                                                                              \
        softmax(score, sets, reference, top, total);                                               \
    }                                                                                              \
    static const cr__lr_kernel name = {frame_##name, forward_##name, backward_##name,              \
                                       gather_##name, softmax_##name};

KERNEL(plain, )

const cr__lr_kernel *cr__lr_kernel_plain(void)
{
    return &plain;
}

#if defined(__x86_64__)

KERNEL(avx2, __attribute__((target("avx2"))))

const cr__lr_kernel *cr__lr_kernel_best(void)
{
    return cr__cpu_has_avx2() ? &avx2 : &plain;
}

#else

const cr__lr_kernel *cr__lr_kernel_best(void)
{
    return &plain;
}

#endif
