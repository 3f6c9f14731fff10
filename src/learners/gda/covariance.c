/* learners/gda/covariance.c - covariances of the classes, and their Cholesky factors.
 *
 * From the cross products of a class, for each pair over the rows that have both,
 *
 *     S_ij = (Σ x_i x_j - Σ x_i Σ x_j / n) / (n - 1)          (or / n)
 *
 * or, when rows that lack numbers were completed (em.c), theirs times n / (n - 1).
 * Then, in this order: shrinkage within each class,
 *
 *     number s       (1 - s) S + s (tr S / d) I               (Ledoit & Wolf 2004)
 *     ledoit-wolf, and of covariance=auto: the same on features scaled to variance 1
 *
 * pooling, Σ_c = (1 - p) S_c + p S with S = Σ_c n_c S_c / n of all classes (regularised
 * discriminant analysis: Friedman 1989); levelling, (1 - l) Σ_c + l (tr S / d) I, the same variance
 * in all classes; the form (diagonal, spherical); the ridge, added to every variance. Classes too
 * small for a covariance of their own get the shared one. Where a matrix is still not, or hardly,
 * positive definite, the smallest sufficient share out of 1e-8, 1e-7 … of each feature's variance
 * in all rows is added, and reported.
 *
 * Predictive: μ and Σ are integrated out under a Normal-Inverse-Wishart prior (Murphy 2007) of
 * mean-rows k0 around the mean m0 of all rows and covariance-rows v0 around Σ0, the shared
 * covariance (of the shared one itself: its diagonal). With n rows of mean m and scatter A:
 *
 *     kn = k0 + n,  vn = v0 + n,  mn = (k0 m0 + n m) / kn,
 *     Ψn = (v0 - d - 1) Σ0 + A + k0 n / kn (m - m0)(m - m0)',
 *
 * x is Student-t with vn - d + 1 degrees of freedom, centre mn and scale Ψn (kn + 1) / (kn (vn - d
 * + 1)).
 */
#include <math.h>
#include <string.h>

#include "base/fail.h"
#include "base/matrix.h"
#include "base/memory.h"
#include "learners/gda/gda.h"

#define PIVOT_LEAST 1e-12 /* share of a variance left unexplained by the features before it */
#define RIDGE_FIRST 1e-8

double cr__gda_class_covariance(const cr__gda_fit *fit, size_t c, double *out)
{
    const size_t n = fit->n;
    const double whole = fit->rows[c] - fit->unbiased;

    if (fit->own != NULL) {
        memcpy(out, fit->own + c * n * n, n * n * sizeof *out);
        return whole;
    }
    for (size_t i = 0; fit->em != NULL && i < n * n; i++)
        out[i] = whole > 0 ? fit->em->covariance[c * n * n + i] * fit->rows[c] / whole : 0;
    if (fit->em != NULL)
        return whole;
    for (size_t i = 0; i < n; i++)
        for (size_t j = 0; j <= i; j++) {
            const cr__cross_pair_sum p =
                cr__cross_pair(fit->cross, c, fit->term[i], fit->term[j], fit->complete);
            const double freedom = p.count - fit->unbiased;
            double s = 0;

            if (p.count > 1 && freedom > 0)
                s = (p.product - p.sum_i * p.sum_j / p.count) / freedom;
            if (i == j && s < 0)
                s = 0;
            out[i * n + j] = out[j * n + i] = s;
        }
    return whole;
}

/* --- class and shared covariances ------------------------------------------------------------- */

static double trace(const double *S, size_t n)
{
    double sum = 0;

    for (size_t i = 0; i < n; i++)
        sum += S[i * n + i];
    return sum;
}

static void shrink(const cr__gda_fit *fit, double s, double *S)
{
    const size_t n = fit->n;
    double varied = 0, target;

    if (s <= 0)
        return;
    for (size_t i = 0; i < n; i++)
        varied += S[i * n + i] > 0;
    target = fit->by_correlation ? varied / (double)n : trace(S, n) / (double)n;
    for (size_t i = 0; i < n; i++) {
        const double v = S[i * n + i], scale = v > 0 ? v : 1;

        for (size_t j = 0; j < n; j++)
            S[i * n + j] *= 1 - s;
        S[i * n + i] += s * target * (fit->by_correlation ? scale : 1);
    }
}

/* Whether a class has a covariance of its own. */
static int is_enough(const cr__gda_fit *fit, size_t c)
{
    return fit->rows[c] > 1;
}

static double class_covariance(const cr__gda_fit *fit, size_t c, double *S)
{
    const double freedom = cr__gda_class_covariance(fit, c, S);

    shrink(fit, fit->shrinkage[c], S);
    return freedom;
}

/* The mean of the classes' covariances by their rows (minus one each when unbiased); of all rows
 * when no class has two. */
static cr_status share(const cr__gda_fit *fit, double *out)
{
    const size_t n = fit->n;
    double *S = cr__alloc(n * n, sizeof *S), total = 0;

    if (S == NULL)
        return CR_ENOMEM;
    memset(out, 0, n * n * sizeof *out);
    for (size_t c = 0; c < fit->classes; c++) {
        double freedom;

        if (!is_enough(fit, c))
            continue;
        total += freedom = class_covariance(fit, c, S);
        for (size_t i = 0; i < n * n; i++)
            out[i] += freedom * S[i];
    }
    for (size_t i = 0; total > 0 && i < n * n; i++)
        out[i] /= total;
    for (size_t i = 0; !(total > 0) && i < n; i++)
        out[i * n + i] = fit->spread[i];
    cr__free(S);
    return CR_OK;
}

static void mix(double *S, const double *shared, double p, size_t n)
{
    for (size_t i = 0; i < n * n; i++)
        S[i] = (1 - p) * S[i] + p * shared[i];
}

/* Towards one variance v for all features and classes. */
static void level(double *S, size_t n, double share, double v)
{
    for (size_t i = 0; i < n * n; i++)
        S[i] *= 1 - share;
    for (size_t i = 0; i < n; i++)
        S[i * n + i] += share * v;
}

static void make_spherical(double *S, size_t n)
{
    const double v = trace(S, n) / (double)n;

    for (size_t i = 0; i < n; i++)
        S[i * n + i] = v;
}

/* --- factors -------------------------------------------------------------------------------- */

/* The factor of S + ridge · spread on features scaled to variance 1; whether its pivots are large
 * enough. */
static int try_factor(const cr__gda_fit *fit, const double *S, double ridge, double *L)
{
    const size_t n = fit->n;

    for (size_t i = 0; i < n; i++)
        for (size_t j = 0; j <= i; j++) {
            const double scale = fit->root[i] * fit->root[j];

            L[i * n + j] = S[i * n + j] / scale + (i == j ? ridge : 0);
        }
    if (cr__cholesky(L, n) != 0)
        return 0;
    for (size_t i = 0; i < n; i++)
        if (!(L[i * n + i] * L[i * n + i] > PIVOT_LEAST * (S[i * n + i] / fit->spread[i] + ridge)))
            return 0;
    for (size_t i = 0; i < n; i++)
        for (size_t j = 0; j < n; j++)
            L[i * n + j] = j > i ? 0 : L[i * n + j] * fit->root[i];
    return 1;
}

static cr_status factorise(const cr__gda_fit *fit, const double *S, double *L, double *ridge,
                           cr_error *err)
{
    *ridge = 0;
    while (!try_factor(fit, S, *ridge, L)) {
        *ridge = *ridge == 0 ? RIDGE_FIRST : *ridge * 10;
        if (*ridge > 1e8)
            return cr__fail(err, CR_EFORMAT,
                            "the numbers are too large or too small for a "
                            "covariance");
    }
    return CR_OK;
}

static cr_status put_factor(const cr__gda_fit *fit, double *S, cr__gda_density *d, size_t f,
                            cr__gda_repair *repair, cr_error *err)
{
    const size_t n = fit->n;
    const double ridge = cr__knobs_number(fit->knobs, "ridge");
    double *L = (double *)d->factor + f * cr__gda_factor_size(d);

    if (cr__knobs_is(fit->knobs, "covariance", "spherical"))
        make_spherical(S, n);
    for (size_t i = 0; i < n; i++)
        S[i * n + i] += ridge;
    if (!d->diagonal)
        return factorise(fit, S, L, &repair->ridge, err);
    for (size_t i = 0; i < n; i++)
        if (!(S[i * n + i] > PIVOT_LEAST * fit->spread[i]))
            repair->ridge = RIDGE_FIRST;
    for (size_t i = 0; i < n; i++)
        L[i] = sqrt(S[i * n + i] + repair->ridge * fit->spread[i]);
    return CR_OK;
}

/* --- plug-in -------------------------------------------------------------------------------- */

static cr_status fit_plugin(const cr__gda_fit *fit, double *S, const double *shared,
                            cr__gda_density *d, cr__gda_repair *repair, cr_error *err)
{
    const double p = fit->pool;
    const size_t n = fit->n;
    cr_status st = CR_OK;

    memcpy((double *)d->mean, fit->mean, fit->classes * n * sizeof *fit->mean);
    for (size_t f = 0; st == CR_OK && f < d->factors; f++) {
        if (d->factors == 1 || !is_enough(fit, f) || p == 1) {
            memcpy(S, shared, n * n * sizeof *S);
        } else {
            class_covariance(fit, f, S);
            if (p > 0)
                mix(S, shared, p, n);
        }
        if (fit->level > 0)
            level(S, n, fit->level, trace(shared, n) / (double)n);
        st = put_factor(fit, S, d, f, &repair[f], err);
    }
    return st;
}

/* --- predictive ----------------------------------------------------------------------------- */

static void add_outer(double *S, size_t n, const double *a, const double *b, double weight)
{
    for (size_t i = 0; i < n; i++)
        for (size_t j = 0; j < n; j++)
            S[i * n + j] += weight * (a[i] - b[i]) * (a[j] - b[j]);
}

/* The contribution of class c to Ψ: its scatter and the distance of its mean. */
static void add_class(const cr__gda_fit *fit, size_t c, double k0, double *S, double *psi)
{
    const size_t n = fit->n;
    const double rows = fit->rows[c];

    if (!(rows > 0))
        return;
    if (is_enough(fit, c)) {
        const double freedom = class_covariance(fit, c, S);

        for (size_t i = 0; i < n * n; i++)
            psi[i] += freedom * S[i];
    }
    add_outer(psi, n, fit->mean + c * n, fit->center, k0 * rows / (k0 + rows));
}

static void set_center(const cr__gda_fit *fit, size_t c, double k0, cr__gda_density *d)
{
    double *mean = (double *)d->mean + c * fit->n;

    for (size_t i = 0; i < fit->n; i++)
        mean[i] =
            (k0 * fit->center[i] + fit->rows[c] * fit->mean[c * fit->n + i]) / (k0 + fit->rows[c]);
}

/* Ψ of class f, or of all classes where these share a covariance. */
static void make_psi(const cr__gda_fit *fit, size_t f, double v0, const double *shared, double *S,
                     double *psi)
{
    const size_t n = fit->n;
    const double k0 = cr__knobs_number(fit->knobs, "mean-rows");
    const int pooled = cr__knobs_is(fit->knobs, "covariance", "shared");

    for (size_t i = 0; i < n * n; i++)
        psi[i] = pooled && i % (n + 1) != 0 ? 0 : (v0 - (double)n - 1) * shared[i];
    for (size_t c = 0; c < fit->classes; c++)
        if (pooled || c == f)
            add_class(fit, c, k0, S, psi);
}

static cr_status fit_predictive(const cr__gda_fit *fit, double *S, const double *shared,
                                cr__gda_density *d, cr__gda_repair *repair, cr_error *err)
{
    const size_t n = fit->n;
    const int pooled = cr__knobs_is(fit->knobs, "covariance", "shared");
    const double k0 = cr__knobs_number(fit->knobs, "mean-rows");
    const double given = cr__knobs_number(fit->knobs, "covariance-rows");
    const double v0 = isnan(given) ? (double)n + 2 : given;
    double *psi, *freedom = (double *)d->freedom, total = 0;
    cr_status st = CR_OK;

    if (v0 <= (double)n + 1)
        return cr__fail(err, CR_EARG,
                        "covariance-rows is %g; with %zu real features it must be "
                        "more than %zu",
                        v0, n, n + 1);
    if ((psi = cr__alloc(n * n, sizeof *psi)) == NULL)
        return cr__fail_memory(err);
    for (size_t c = 0; c < fit->classes; c++)
        total += fit->rows[c];
    for (size_t c = 0; st == CR_OK && c < fit->classes; c++) {
        const double kn = k0 + fit->rows[c];

        set_center(fit, c, k0, d);
        make_psi(fit, c, v0, shared, S, psi);
        freedom[c] = v0 + (pooled ? total : fit->rows[c]) - (double)n + 1;
        for (size_t i = 0; i < n * n; i++)
            psi[i] *= (kn + 1) / (kn * freedom[c]);
        st = put_factor(fit, psi, d, c, &repair[c], err);
    }
    cr__free(psi);
    return st;
}

cr_status cr__gda_fit_factors(const cr__gda_fit *given, cr__gda_density *d, cr__gda_repair *repair,
                              cr_error *err)
{
    const size_t n = given->n;
    const int predictive = cr__knobs_is(given->knobs, "estimate", "predictive");
    double *S = cr__alloc(n * n, sizeof *S), *shared = cr__alloc(n * n, sizeof *shared);
    double *root = cr__alloc(n, sizeof *root);
    cr__gda_fit fit = *given;
    cr_status st = S == NULL || shared == NULL || root == NULL ? CR_ENOMEM : share(given, shared);

    for (size_t i = 0; st == CR_OK && i < n; i++)
        root[i] = sqrt(given->spread[i]);
    fit.root = root;
    for (size_t c = 0; c < fit.classes; c++)
        repair[c] = (cr__gda_repair){.shrinkage = fit.shrinkage[c]};
    if (st != CR_OK)
        st = cr__fail_memory(err);
    else if (predictive)
        st = fit_predictive(&fit, S, shared, d, repair, err);
    else
        st = fit_plugin(&fit, S, shared, d, repair, err);
    cr__free(root);
    cr__free(S);
    cr__free(shared);
    if (st == CR_OK && cr__gda_density_finish(d) != CR_OK)
        st = cr__fail_memory(err);
    return st;
}
