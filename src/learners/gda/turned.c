/* learners/gda/turned.c - scores of many rows that lie by feature, in vectors along the rows.
 *
 * z = L⁻¹ (x - μ) by forward substitution, z_i = (x_i - μ_i - Σ_{k<i} L_ik z_k) / L_ii, and
 * log N(x | μ, LL') = base - z'z / 2. Where the classes share L, z is computed once and z'z is that
 * of z - L⁻¹ (μ_c - μ_0).
 */
#include "learners/gda/turned.h"

#include "base/cpu.h"
#include "base/exponential.h"

#define INLINE static inline __attribute__((always_inline))

enum { VECTORS = CR__GDA_TURNED_ROWS / CR__LANES };

typedef struct rows {
    cr__quad z[CR__GDA_TURNED_MOST][VECTORS];
} rows;

int cr__gda_turns(const cr__gda_density *d)
{
    int gaussian = 1;

    for (size_t c = 0; c < d->classes; c++)
        gaussian &= d->freedom[c] == 0;
    return gaussian && !d->diagonal && d->n <= CR__GDA_TURNED_MOST;
}

INLINE void whiten(const double *L, const double *mean, const double *inverse, size_t n,
                   const double *x, size_t stride, rows *out)
{
    for (size_t i = 0; i < n; i++) {
        cr__quad t[VECTORS];

        for (size_t v = 0; v < VECTORS; v++)
            t[v] = *(const cr__quad *)(x + i * stride + v * CR__LANES) - mean[i];
        for (size_t k = 0; k < i; k++)
            for (size_t v = 0; v < VECTORS; v++)
                t[v] -= out->z[k][v] * L[i * n + k];
        for (size_t v = 0; v < VECTORS; v++)
            out->z[i][v] = t[v] * inverse[i];
    }
}

/* constant - |z - white|² / 2; white is NULL for 0. */
INLINE void score_class(const rows *at, const double *white, size_t n, double constant,
                        double *score)
{
    cr__quad q[VECTORS] = {{0}};

    for (size_t i = 0; i < n; i++)
        for (size_t v = 0; v < VECTORS; v++) {
            const cr__quad apart = at->z[i][v] - (white == NULL ? 0 : white[i]);

            q[v] += apart * apart;
        }
    for (size_t v = 0; v < VECTORS; v++)
        *(cr__quad *)(score + v * CR__LANES) = constant - q[v] * 0.5;
}

INLINE void scores(const cr__gda_density *d, const double *prior, const double *x, size_t stride,
                   size_t count, double *score)
{
    const size_t n = d->n;
    double inverse[CR__GDA_TURNED_MOST];
    rows at;

    for (size_t c = 0; c < d->classes; c++) {
        const double *L = d->factor + (d->factors == 1 ? 0 : c * n * n);

        for (size_t i = 0; i < n; i++)
            inverse[i] = 1 / L[i * n + i];
        for (size_t r = 0; d->factors != 1 && r < count; r += CR__GDA_TURNED_ROWS) {
            whiten(L, d->mean + c * n, inverse, n, x + r, stride, &at);
            score_class(&at, NULL, n, prior[c] + d->base[c], score + c * count + r);
        }
    }
    for (size_t r = 0; d->factors == 1 && r < count; r += CR__GDA_TURNED_ROWS) {
        whiten(d->factor, d->mean, inverse, n, x + r, stride, &at);
        for (size_t c = 0; c < d->classes; c++)
            score_class(&at, d->white + c * n, n, prior[c] + d->base[c], score + c * count + r);
    }
}

#if defined(__x86_64__)

__attribute__((target("avx2"))) static void scores_avx2(const cr__gda_density *d,
                                                        const double *prior, const double *x,
                                                        size_t stride, size_t count, double *score)
{
    scores(d, prior, x, stride, count, score);
}

#endif

void cr__gda_turned_scores(const cr__gda_density *d, const double *prior, const double *x,
                           size_t stride, size_t count, double *score)
{
#if defined(__x86_64__)
    if (cr__cpu_has_avx2()) {
        scores_avx2(d, prior, x, stride, count, score);
        return;
    }
#endif
    scores(d, prior, x, stride, count, score);
}
