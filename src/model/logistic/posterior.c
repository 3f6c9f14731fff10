/* model/logistic/posterior.c - the Laplace approximation: a Gaussian around the weights found, with
 * the inverse of the second derivatives of -log P(θ | rows) as its covariance (MacKay 1992). */
#include <lapacke.h>
#include <math.h>
#include <string.h>

#include "base/fail.h"
#include "base/memory.h"
#include "model/logistic/fit.h"

#define MOST_WORK 4e9 /* rows times weights squared, beyond which the diagonal must do */

static uint32_t kind_of(const cr__lr_fit *f)
{
    const cr__knobs *knobs = f->lesson->knobs;
    const double all = (double)cr__lr_parameters(&f->lr->shape);

    if (cr__knobs_is(knobs, "posterior", "none") || f->prior == CR__LR_LAPLACE ||
        f->lr->outcome.separated != 0)
        return CR__LR_NO_POSTERIOR;
    if (cr__knobs_is(knobs, "posterior", "diagonal"))
        return CR__LR_DIAGONAL;
    if (all <= CR__LR_MOST_FULL && (cr__knobs_is(knobs, "posterior", "full") ||
                                    all * all * (double)f->design->rows <= MOST_WORK))
        return CR__LR_FULL;
    return CR__LR_DIAGONAL;
}

int cr__lr_invert(double *a, size_t n)
{
    unsigned char fixed[CR__LR_MOST_FULL];
    const lapack_int size = (lapack_int)n;
    double most = 0;

    for (size_t i = 0; i < n; i++)
        most = fmax(most, a[i * n + i]);
    for (size_t i = 0; i < n; i++) {
        fixed[i] = a[i * n + i] == 0;
        if (fixed[i])
            a[i * n + i] = most > 0 ? most : 1;
    }
    if (LAPACKE_dpotrf(LAPACK_ROW_MAJOR, 'L', size, a, size) != 0)
        return 0;
    for (size_t i = 0; i < n; i++) /* no digit is left of a pivot that small: collinear columns */
        if (a[i * n + i] * a[i * n + i] < 1e-13 * most)
            return 0;
    if (LAPACKE_dpotri(LAPACK_ROW_MAJOR, 'L', size, a, size) != 0)
        return 0;
    for (size_t i = 0; i < n; i++) {
        a[i * n + i] = fixed[i] ? 0 : a[i * n + i];
        for (size_t j = 0; j < i; j++)
            a[j * n + i] = a[i * n + j];
    }
    return 1;
}

static void scale_covariance(double *a, size_t n, const double *scale, uint32_t posterior)
{
    if (scale == NULL)
        return;
    for (size_t i = 0; i < n; i++)
        for (size_t j = 0; posterior == CR__LR_FULL && j < n; j++)
            a[i * n + j] *= scale[i] * scale[j];
    for (size_t i = 0; posterior == CR__LR_DIAGONAL && i < n; i++)
        a[i] *= scale[i] * scale[i];
}

cr_status cr__lr_approximate(cr__lr_fit *f, cr_error *err)
{
    const size_t all = cr__lr_parameters(&f->lr->shape);
    const uint32_t kind = kind_of(f);
    double *a;
    cr_status st = CR_OK;

    if (kind == CR__LR_NO_POSTERIOR)
        return CR_OK;
    if ((a = cr__alloc(kind == CR__LR_FULL ? all * all : all, sizeof *a)) == NULL)
        return cr__fail_memory(err);
    f->lr->own[3] = a;
    if (kind == CR__LR_DIAGONAL)
        cr__lr_curvature(&f->objective, f->theta, a);
    else
        st = cr__lr_hessian(&f->objective, f->theta, a, err);
    if (st != CR_OK)
        return st;
    if (kind == CR__LR_FULL && !cr__lr_invert(a, all))
        return CR_OK; /* the weights are not determined: no posterior */
    for (size_t p = 0; kind == CR__LR_DIAGONAL && p < all; p++)
        a[p] = a[p] > 0 ? 1 / a[p] : 0;
    scale_covariance(a, all, f->scale, kind);
    f->lr->covariance = a;
    f->lr->outcome.posterior = kind;
    return CR_OK;
}
