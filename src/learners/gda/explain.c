/* learners/gda/explain.c - the joint density of the real features as a product, one factor each.
 *
 * By the chain rule N(x; μ, Σ) = Π p(x_i | x_1 … x_i-1), and the Cholesky factor has its parts:
 * with z = L⁻¹ (x - μ), given the features before it x_i is normal around x_i - L_ii z_i with
 * variance L_ii². Of a Student-t the factors are differences of its marginals.
 */
#include <math.h>

#include "base/fail.h"
#include "base/memory.h"
#include "base/special.h"
#include "learners/gda/gda.h"

/* log p(x_i | before) of class c, its mean and variance; q is Σ z² of the features before. */
static void link(const cr__gda_density *d, size_t c, size_t i, double x, double z, double q,
                 double *log_p, double *mean, double *variance, double *freedom)
{
    const double *L = d->factor + (d->factors == 1 ? 0 : c) * cr__gda_factor_size(d);
    const double root = L[d->diagonal ? i : i * d->n + i], v = d->freedom[c], k = (double)i;

    *mean = x - root * z;
    *variance = root * root;
    *freedom = 0;
    if (v > 0) {
        *freedom = v + k;
        *variance *= (v + q) / (v + k);
        *log_p = cr__log_gamma_ratio((v + k) / 2, 0.5) - 0.5 * log(v * M_PI) - log(root) -
                 (v + k + 1) / 2 * log1p((q + z * z) / v) + (v + k) / 2 * log1p(q / v);
    } else {
        *log_p = -0.5 * log(2 * M_PI) - log(root) - z * z / 2;
    }
}

/* Where the factor of a column is. */
static cr_factor *find(cr_factor *factor, size_t count, size_t column)
{
    for (size_t f = 0; f < count; f++)
        if (factor[f].column == column)
            return &factor[f];
    return NULL;
}

static void chain(const cr__gda *gda, const cr__gda_density *d, const unsigned char *has,
                  const double *x, double *z, cr_factor *factor, size_t count)
{
    for (size_t c = 0; c < d->classes; c++) {
        double q = 0;
        size_t at = 0;

        cr__gda_whiten(d, c, x, z);
        for (size_t i = 0; i < gda->density.n; i++) {
            cr_factor *f = find(factor, count, gda->column[i]);

            if (!has[i])
                continue;
            link(d, c, at, x[at], z[at], q, (double *)&f->log_p[c], (double *)&f->mean[c],
                 (double *)&f->variance[c], (double *)&f->freedom[c]);
            f->chained = at > 0;
            q += z[at] * z[at];
            at++;
        }
    }
}

/* Real features get room of their own for four arrays; those that do not take part are dropped. */
static size_t prepare(const cr__gda *gda, cr_factor *factor, size_t count, double *work)
{
    const size_t K = gda->density.classes;
    size_t kept = 0;

    for (size_t f = 0; f < count; f++) {
        double *own = work + f * CR__NB_FACTOR_WORK * K;
        size_t i = 0;

        if (factor[f].mean != NULL) {
            while (i < gda->density.n && gda->column[i] != factor[f].column)
                i++;
            if (i == gda->density.n)
                continue;
            for (size_t k = 0; k < K; k++)
                own[k] = 0;
            factor[f].log_p = own;
            factor[f].mean = own + K;
            factor[f].variance = own + 2 * K;
            factor[f].freedom = own + 3 * K;
        }
        factor[kept++] = factor[f];
    }
    return kept;
}

static cr_status chain_row(const cr__gda *gda, const cr__batch *batch, size_t row,
                           cr_factor *factor, size_t count, double *x, double *z,
                           unsigned char *has)
{
    const size_t n = gda->density.n;
    const cr__gda_density *density = &gda->density;
    cr__gda_density room = {0};
    size_t there = 0;
    cr_status st = CR_OK;

    for (size_t i = 0; i < n; i++) {
        const double value = batch->column[gda->column[i]].real[row];

        if ((has[i] = !isnan(value)))
            x[there++] = value;
    }
    if (there > 0 && there < n)
        st = cr__gda_find_pattern(gda, has, there, &density, &room);
    if (st == CR_OK && there > 0)
        chain(gda, density, has, x, z, factor, count);
    cr__gda_density_free(&room);
    return st;
}

cr_status cr__gda_factors(const void *fitted, void *state, const cr__stats *stats,
                          const cr__knobs *knobs, const cr__batch *batch, size_t row,
                          cr_factor *factor, size_t *count, double *work, cr_error *err)
{
    const cr__gda *gda = fitted;
    const size_t n = gda->density.n;
    double *x = cr__alloc(n, sizeof *x), *z = cr__alloc(n, sizeof *z);
    unsigned char *has = cr__alloc(n, 1);
    cr__knobs naive = {0};
    cr_status st = x == NULL || z == NULL || has == NULL ? cr__fail_memory(err)
                                                         : cr__gda_naive_knobs(&naive, knobs, err);

    (void)state;
    if (st == CR_OK)
        st = cr__nb_factors(gda->marginal, NULL, stats, &naive, batch, row, factor, count, work,
                            err);
    if (st == CR_OK) {
        *count = prepare(gda, factor, *count, work);
        if ((st = chain_row(gda, batch, row, factor, *count, x, z, has)) != CR_OK)
            st = cr__fail_memory(err);
    }
    cr__knobs_free(&naive);
    cr__free(x);
    cr__free(z);
    cr__free(has);
    return st;
}

/* --- the form ------------------------------------------------------------------------------- */

typedef struct detail {
    const cr__gda *gda;
    cr__knobs naive;
    void *inner; /* of naive Bayes, for texts */
} detail;

static void close_detail(void *state)
{
    detail *x = state;

    if (x == NULL)
        return;
    cr__nb_detail.close(x->inner);
    cr__knobs_free(&x->naive);
    cr__free(x);
}

static cr_status open_detail(void **state, const void *fitted, const cr__stats *stats,
                             const cr__knobs *knobs, cr_error *err)
{
    detail *x = cr__alloc_zero(1, sizeof *x);
    cr_status st;

    *state = x;
    if (x == NULL)
        return cr__fail_memory(err);
    x->gda = fitted;
    st = cr__gda_naive_knobs(&x->naive, knobs, err);
    return st == CR_OK ? cr__nb_detail.open(&x->inner, x->gda->marginal, stats, &x->naive, err)
                       : st;
}

/* With Gaussians, the chain of factors is the quadratic form (x - μ)' Σ⁻¹ (x - μ), column by
 * column. */
static cr_status detail_row(void *state, const cr__batch *batch, size_t row, cr_factor *factor,
                            cr_explanation *e, cr_error *err)
{
    const detail *x = state;
    int normal = x->gda->density.n > 0;

    for (size_t c = 0; c < x->gda->density.classes && normal; c++)
        normal = x->gda->density.freedom[c] == 0;
    if (normal)
        e->form = CR_FORM_QUADRATIC;
    for (size_t f = 0; f < e->factors; f++)
        if (factor[f].mean != NULL)
            factor[f].pooled = x->gda->density.factors == 1 && x->gda->density.classes > 1;
    return cr__nb_detail.row(x->inner, batch, row, factor, e, err);
}

const cr__detail cr__gda_detail = {open_detail, detail_row, close_detail};
