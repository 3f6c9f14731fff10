/* learners/gda/linear.c - Gaussian discriminants with one covariance as logistic regression.
 *
 *     w_c = Σ⁻¹ (μ_c - μ_0),      part of the intercept = -½ (μ_c + μ_0)' w_c
 *
 * (Hastie, Tibshirani & Friedman, The Elements of Statistical Learning, 4.3). A missing value is
 * replaced by the mean of the classes' means: integrating it out, as the discriminant does, is not
 * linear.
 */
#include "base/fail.h"
#include "base/memory.h"
#include "learners/gda/gda.h"

/* w = L'⁻¹ white, in place of white. */
static void solve_back(const cr__gda_density *d, double *w)
{
    for (size_t i = d->n; i-- > 0;) {
        const double *row = d->factor + i * d->n;

        if (d->diagonal) {
            w[i] /= d->factor[i];
            continue;
        }
        w[i] /= row[i];
        for (size_t k = 0; k < i; k++)
            w[k] -= row[k] * w[i];
    }
}

static void put_set(const cr__gda *gda, size_t set, double *w, cr__linear *out)
{
    const cr__gda_density *d = &gda->density;

    for (size_t i = 0; i < d->n; i++)
        w[i] = d->white[(set + 1) * d->n + i];
    solve_back(d, w);
    for (size_t i = 0; i < d->n; i++) {
        double *weight = out->column[gda->column[i]], middle = 0;

        for (size_t c = 0; c < d->classes; c++)
            middle += d->mean[c * d->n + i] / (double)d->classes;
        weight[set] = w[i];
        weight[out->sets + set] = w[i] * middle;
        out->intercept[set] -= w[i] * (d->mean[(set + 1) * d->n + i] + d->mean[i]) / 2;
    }
}

cr_status cr__gda_linear(const void *fitted, const cr__stats *stats, const cr__knobs *knobs,
                         cr__linear *out, cr_error *err)
{
    const cr__gda *gda = fitted;
    double *w;
    cr_status st;

    if (gda->density.n > 0 && (gda->density.white == NULL || gda->density.factors != 1)) {
        cr__fail(err, CR_ECONFLICT,
                 "the boundary is not linear: the classes have covariances of "
                 "their own");
        return cr__fail_hint(err, CR_ECONFLICT, "refit with covariance=shared");
    }
    if (gda->density.n > 0 && gda->density.freedom[0] > 0)
        return cr__fail(err, CR_ECONFLICT, "the boundary is not linear: densities are Student t");
    if ((st = cr__nb_linear(&gda->others, stats, knobs, out, err)) != CR_OK)
        return st;
    if ((w = cr__alloc(gda->density.n, sizeof *w)) == NULL)
        return cr__fail_memory(err);
    for (size_t s = 0; s < out->sets && gda->density.n > 0; s++)
        put_set(gda, s, w, out);
    cr__free(w);
    return CR_OK;
}
