/* learners/gda/density.c - normal and Student-t densities by the Cholesky factors of covariances.
 */
#include <math.h>
#include <string.h>

#include "base/matrix.h"
#include "base/memory.h"
#include "base/special.h"
#include "learners/gda/gda.h"

size_t cr__gda_factor_size(const cr__gda_density *d)
{
    return d->diagonal ? d->n : d->n * d->n;
}

cr_status cr__gda_density_new(cr__gda_density *d, size_t classes, size_t n, size_t factors,
                              int diagonal)
{
    size_t size;

    *d = (cr__gda_density){.classes = classes, .n = n, .factors = factors, .diagonal = diagonal};
    if (n > 0 && n > SIZE_MAX / sizeof(double) / 4 / n / (classes + 1))
        return CR_ENOMEM;
    size = classes * n + factors * cr__gda_factor_size(d) + 2 * classes;
    if ((d->own = cr__alloc_zero(size, sizeof *d->own)) == NULL)
        return CR_ENOMEM;
    d->mean = d->own;
    d->factor = d->mean + classes * n;
    d->base = d->factor + factors * cr__gda_factor_size(d);
    d->freedom = d->base + classes;
    return CR_OK;
}

void cr__gda_density_free(cr__gda_density *d)
{
    cr__free(d->own);
    cr__free(d->own_white);
    *d = (cr__gda_density){0};
}

static const double *factor_of(const cr__gda_density *d, size_t c)
{
    return d->factor + (d->factors == 1 ? 0 : c) * cr__gda_factor_size(d);
}

/* log of the density's constant:
 *   Gaussian   -n/2 log 2π - log |L|
 *   Student-t  log Γ((ν + n) / 2) - log Γ(ν / 2) - n/2 log νπ - log |L|
 * (Bishop, Pattern Recognition and Machine Learning, 2.3). */
static double log_constant(const cr__gda_density *d, size_t c)
{
    const double *L = factor_of(d, c), n = (double)d->n, v = d->freedom[c];
    double log_root = 0;

    for (size_t i = 0; i < d->n; i++)
        log_root += log(L[d->diagonal ? i : i * d->n + i]);
    if (v > 0 && n > 0)
        return cr__log_gamma_ratio(v / 2, n / 2) - n / 2 * log(v * M_PI) - log_root;
    return -n / 2 * log(2 * M_PI) - log_root;
}

cr_status cr__gda_density_finish(cr__gda_density *d)
{
    double *base = (double *)d->base; /* ours, and finished here */

    for (size_t c = 0; d->own != NULL && c < d->classes; c++)
        base[c] = log_constant(d, c);
    if (d->factors != 1 || d->classes == 0)
        return CR_OK;
    if ((d->own_white = cr__alloc(d->classes * d->n, sizeof *d->own_white)) == NULL)
        return CR_ENOMEM;
    for (size_t c = 0; c < d->classes; c++)
        cr__gda_whiten(d, 0, d->mean + c * d->n, d->own_white + c * d->n);
    d->white = d->own_white;
    return CR_OK;
}

void cr__gda_whiten(const cr__gda_density *d, size_t c, const double *x, double *z)
{
    const double *L = factor_of(d, c), *mean = d->mean + c * d->n;

    for (size_t i = 0; i < d->n; i++)
        z[i] = d->diagonal ? (x[i] - mean[i]) / L[i] : x[i] - mean[i];
    if (!d->diagonal && d->n > 0)
        cblas_dtrsv(CblasRowMajor, CblasLower, CblasNoTrans, CblasNonUnit, (int)d->n, L, (int)d->n,
                    z, 1);
}

/* The log density of q = z'z. */
static double log_density(const cr__gda_density *d, size_t c, double q)
{
    const double v = d->freedom[c];

    if (v > 0)
        return d->base[c] - (v + (double)d->n) / 2 * log1p(q / v);
    return d->base[c] - q / 2;
}

/* --- the features that a row has ------------------------------------------------------------ */

/* With L_o the rows of L that remain, Σ_oo = L_o L_o', and where L_o' = QR it is R'R. The triangle
 * is computed without Σ_oo, which rounding could make indefinite; its singular values are no
 * smaller than those of L. room has count * (n + CR__QR_ROOM) numbers. */
static cr_status marginal_factor(const double *L, size_t n, const unsigned char *has, size_t count,
                                 double *room, double *out)
{
    size_t row = 0;

    for (size_t i = 0; i < n; i++)
        if (has[i]) {
            memcpy(room + row * n, L + i * n, (i + 1) * sizeof *room);
            memset(room + row * n + i + 1, 0, (n - i - 1) * sizeof *room);
            row++;
        }
    cr__qr(room, count, n, room + count * n);
    for (size_t i = 0; i < count; i++)
        for (size_t k = 0; k < count; k++)
            out[i * count + k] = k > i ? 0 : copysign(1, room[k * n + k]) * room[i * n + k];
    for (size_t i = 0; i < count; i++)
        if (!(out[i * count + i] > 0))
            return CR_EFORMAT;
    return CR_OK;
}

static void keep(const double *from, size_t n, const unsigned char *has, double *to)
{
    for (size_t i = 0; i < n; i++)
        if (has[i])
            *to++ = from[i];
}

cr_status cr__gda_density_marginal(cr__gda_density *out, const cr__gda_density *d,
                                   const unsigned char *has, size_t count)
{
    double *room = cr__alloc(count * (d->n + CR__QR_ROOM), sizeof *room);
    cr_status st = cr__gda_density_new(out, d->classes, count, d->factors, d->diagonal);

    if (room == NULL)
        st = CR_ENOMEM;
    for (size_t c = 0; st == CR_OK && c < d->classes; c++)
        keep(d->mean + c * d->n, d->n, has, (double *)out->mean + c * count);
    for (size_t f = 0; st == CR_OK && f < d->factors; f++) {
        double *to = (double *)out->factor + f * cr__gda_factor_size(out);

        if (d->diagonal)
            keep(d->factor + f * d->n, d->n, has, to);
        else
            st = marginal_factor(d->factor + f * d->n * d->n, d->n, has, count, room, to);
    }
    if (st == CR_OK && d->classes > 0)
        memcpy((double *)out->freedom, d->freedom, d->classes * sizeof *d->freedom);
    if (st == CR_OK)
        st = cr__gda_density_finish(out);
    if (st != CR_OK)
        cr__gda_density_free(out);
    cr__free(room);
    return st;
}

/* --- many rows ------------------------------------------------------------------------------ */

static double squares(const double *a, const double *b, size_t n)
{
    double sum = 0;

    for (size_t i = 0; i < n; i++)
        sum += (a[i] - b[i]) * (a[i] - b[i]);
    return sum;
}

/* x - μ, and then L⁻¹ of it, row by row. */
static void whiten_rows(const cr__gda_density *d, size_t c, const double *x, size_t rows, double *z)
{
    const double *L = factor_of(d, c), *mean = d->mean + c * d->n;

    for (size_t r = 0; r < rows; r++)
        for (size_t i = 0; i < d->n; i++)
            z[r * d->n + i] =
                d->diagonal ? (x[r * d->n + i] - mean[i]) / L[i] : x[r * d->n + i] - mean[i];
    if (!d->diagonal && d->n > 0)
        cblas_dtrsm(CblasRowMajor, CblasRight, CblasLower, CblasTrans, CblasNonUnit, (int)rows,
                    (int)d->n, 1, L, (int)d->n, z, (int)d->n);
}

void cr__gda_add_scores(const cr__gda_density *d, double *x, const uint32_t *at, size_t rows,
                        double *work, double *score)
{
    const size_t n = d->n, K = d->classes;

    if (d->factors == 1 && K > 0)
        whiten_rows(d, 0, x, rows, work);
    for (size_t c = 0; c < K; c++) {
        if (d->factors != 1)
            whiten_rows(d, c, x, rows, work);
        for (size_t r = 0; r < rows; r++) {
            const double q = d->factors == 1 ? squares(work + r * n, d->white + c * n, n)
                                             : cblas_ddot((int)n, work + r * n, 1, work + r * n, 1);

            score[at[r] * K + c] += log_density(d, c, q);
        }
    }
}
