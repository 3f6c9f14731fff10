/* learners/logistic/posterior.c - the Laplace approximation: a Gaussian around the weights found,
 * with the inverse of the second derivatives of -log P(θ | rows) as its covariance (MacKay 1992).
 */
#include <math.h>
#include <string.h>

#include "base/fail.h"
#include "base/matrix.h"
#include "base/memory.h"
#include "learners/logistic/fit.h"

#define MOST_WORK 4e9 /* rows times weights squared, above which only the diagonal is used */

static uint32_t kind_of(const cr__lr_fit *f)
{
    const cr__knobs *knobs = f->input->knobs;
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

/* Whether the matrix is invariant when the weights of a feature grow by the same amount in all
 * sets: in the softmax form nothing depends on that, unless there is a prior. */
static int is_free(const double *a, size_t n, size_t sets, size_t feature)
{
    const double *first = a + feature * sets * n;
    double most = 0;

    for (size_t i = 0; i < n; i++) {
        double sum = 0;

        for (size_t s = 0; s < sets; s++)
            sum += a[i * n + feature * sets + s];
        most = fmax(most, fabs(sum));
    }
    return sets > 1 && most <= 1e-9 * first[feature * sets];
}

/* a += sign * size[f] / sets * 11' for the sets of each free feature; size is what was added. */
static void add_free(double *a, size_t n, size_t sets, const double *size, int sign)
{
    for (size_t f = 0; f < n / sets; f++)
        for (size_t s = 0; size[f] > 0 && s < sets; s++)
            for (size_t t = 0; t < sets; t++)
                a[(f * sets + s) * n + f * sets + t] +=
                    (sign > 0 ? size[f] : -1 / size[f]) / (double)sets;
}

static int invert_definite(double *a, size_t n)
{
    double most = 0;

    for (size_t i = 0; i < n; i++)
        most = fmax(most, a[i * n + i]);
    if (cr__cholesky(a, n) != 0)
        return 0;
    for (size_t i = 0; i < n; i++) /* a pivot that small has no correct digits: collinear columns */
        if (a[i * n + i] * a[i * n + i] < 1e-14 * most)
            return 0;
    if (!cr__cholesky_invert(a, n))
        return 0;
    for (size_t i = 0; i < n; i++)
        for (size_t j = 0; j < i; j++)
            a[j * n + i] = a[i * n + j];
    return 1;
}

int cr__lr_invert(double *a, size_t n, size_t sets)
{
    unsigned char fixed[CR__LR_MOST_FULL];
    double size[CR__LR_MOST_FULL] = {0};

    for (size_t f = 0; f < n / sets; f++)
        size[f] = is_free(a, n, sets, f) ? a[f * sets * n + f * sets] : 0;
    for (size_t i = 0; i < n; i++) {
        fixed[i] = a[i * n + i] == 0;
        if (fixed[i])
            a[i * n + i] = 1;
    }
    add_free(a, n, sets, size, 1);
    if (!invert_definite(a, n))
        return 0;
    add_free(a, n, sets, size, -1);
    for (size_t i = 0; i < n; i++)
        if (fixed[i])
            a[i * n + i] = 0;
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
    if (kind == CR__LR_FULL && (st = cr__matrix_open(err)) != CR_OK)
        return st;
    if ((a = cr__alloc(kind == CR__LR_FULL ? all * all : all, sizeof *a)) == NULL)
        return cr__fail_memory(err);
    f->lr->own[3] = a;
    if (kind == CR__LR_DIAGONAL)
        cr__lr_curvature(&f->objective, f->theta, a);
    else
        st = cr__lr_expand(&f->objective, f->theta, 1, &(cr__lr_expansion){.hessian = a}, err);
    if (st != CR_OK)
        return st;
    if (kind == CR__LR_FULL && !cr__lr_invert(a, all, f->lr->shape.sets))
        return CR_OK; /* the weights are not determined: no posterior */
    for (size_t p = 0; kind == CR__LR_DIAGONAL && p < all; p++)
        a[p] = a[p] > 0 ? 1 / a[p] : 0;
    scale_covariance(a, all, f->scale, kind);
    f->lr->covariance = a;
    f->lr->outcome.posterior = kind;
    return CR_OK;
}
