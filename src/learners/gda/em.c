/* learners/gda/em.c - means and covariances of rows that lack numbers, by expectation maximisation.
 *
 * In a row of class c the numbers o are present and m are missing. Under the current μ and Σ the
 * missing part has, given the present one,
 *
 *     mean μ_m + Σ_mo Σ_oo⁻¹ (x_o - μ_o)   and   covariance Σ_mm - Σ_mo Σ_oo⁻¹ Σ_om,
 *
 * and the next μ and Σ are the mean and covariance of the rows completed in this way, plus the
 * covariance of the missing part (Dempster, Laird & Rubin 1977; Little & Rubin, Statistical
 * Analysis with Missing Data, 11.2). The likelihood of the present numbers never decreases. In
 * every step Σ has the form that the knob asks for: of each class, shared, diagonal, or spherical.
 *
 * Rows of a class that lack the same numbers form a group. Only their mean and their products
 * around it matter, so a group is kept as its mean and a root R of the products, R R' = Σ (x - m)(x
 * - m)': the rows themselves, or when these are many the triangle of their QR decomposition. With o
 * before m the Cholesky factor of Σ is [L 0; K M], and all that a step needs of a group is in it:
 *
 *     Z = L⁻¹ [R, √w (m - μ_o)],  completed [R …; K Z],  covariance left M M',
 *     -2 log likelihood = w (|o| log 2π + 2 log |L|) + ‖Z‖².
 *
 * Features are scaled to mean 0 and variance 1 over all rows meanwhile.
 */
#include <math.h>
#include <string.h>

#include "base/fail.h"
#include "base/matrix.h"
#include "base/memory.h"
#include "learners/gda/gda.h"

#define SETTLED 1e-10     /* convergence: largest move, in standard deviations */
#define PIVOT_LEAST 1e-12 /* share of a variance left unexplained by the features before it */
#define RIDGE_FIRST 1e-8

/* Rows of a class that have the same numbers. */
typedef struct group {
    size_t class_index;
    size_t has, rows; /* present numbers; columns of the root, once it is one */
    double weight;
    uint32_t *feature; /* [n] the present ones, then the others */
    double *mean;      /* [has], followed by */
    double *root;      /* [has * rows] R by rows */
} group;

typedef struct work {
    const cr__gda_fit *fit;
    cr__gda_em *em;
    group *group;
    size_t groups;
    double *sigma;                    /* [classes * n * n] in use */
    double *sum;                      /* [classes * n] of the completed rows around the mean, */
    double *square;                   /* [classes * n * n] and their products */
    double *factor, *whole, *product; /* [n * (n + 1)] each, of a group */
    double log_likelihood;
} work;

/* --- groups --------------------------------------------------------------------------------- */

static void free_work(work *w)
{
    for (size_t g = 0; g < w->groups; g++) {
        cr__free(w->group[g].feature);
        cr__free(w->group[g].mean);
    }
    cr__free(w->group);
    cr__free(w->sigma);
}

static double number(const cr__gda_fit *fit, const cr__table *rows, size_t r, size_t i)
{
    const double x = rows->column[fit->cross->term[fit->term[i]].column].real[r];

    return (x - fit->center[i]) / sqrt(fit->spread[i]);
}

static double weight_of(const cr__table *rows, size_t r)
{
    return rows->weight == NULL ? 1 : rows->weight[r];
}

/* The name of row r's group: a letter for each feature, then the class. Returns how many numbers
 * there are. */
static size_t name_group(const cr__gda_fit *fit, const cr__table *rows, size_t r, char *name)
{
    const uint32_t code = rows->column[rows->schema->target].code[r];
    size_t has = 0;

    for (size_t i = 0; i < fit->n; i++) {
        name[i] = isnan(number(fit, rows, r, i)) ? '-' : 'x';
        has += name[i] == 'x';
    }
    memcpy(name + fit->n, &code, sizeof code);
    return code == CR__MISSING || !(weight_of(rows, r) > 0) ? 0 : has;
}

/* The group of each row into of, counted from 1; 0: it has nothing. */
static cr_status sort_rows(const cr__gda_fit *fit, const cr__table *rows, uint32_t *of,
                           cr__dict **names, cr_error *err)
{
    const size_t length = fit->n + sizeof(uint32_t);
    char *name = cr__alloc(length, 1);
    cr_status st = name == NULL ? cr__fail_memory(err) : cr__dict_new(names, 0, err);

    for (size_t r = 0; st == CR_OK && r < rows->rows; r++) {
        of[r] = 0;
        if (name_group(fit, rows, r, name) > 0 &&
            cr__dict_intern(*names, name, length, &of[r]) != CR_OK)
            st = cr__fail_memory(err);
    }
    cr__free(name);
    return st;
}

static cr_status open_group(group *g, const char *name, size_t n)
{
    uint32_t code;
    size_t last = n;

    memcpy(&code, name + n, sizeof code);
    g->class_index = code - 1;
    if ((g->feature = cr__alloc(n, sizeof *g->feature)) == NULL)
        return CR_ENOMEM;
    for (size_t i = 0; i < n; i++)
        if (name[i] == 'x')
            g->feature[g->has++] = (uint32_t)i;
        else
            g->feature[--last] = (uint32_t)i;
    return CR_OK;
}

/* Mean and root of rows x, [has * rows] feature by feature, which are changed: taken around the
 * mean, each times the root of its weight; and of more rows than features the triangle of the QR
 * decomposition. */
static cr_status take_root(group *g, double *x, const double *weight, double *room)
{
    const size_t rows = g->rows, kept = rows < g->has ? rows : g->has;

    if ((g->mean = cr__alloc(g->has * (kept + 1), sizeof *g->mean)) == NULL)
        return CR_ENOMEM;
    g->root = g->mean + g->has;
    for (size_t i = 0; i < g->has; i++) {
        g->mean[i] = cblas_ddot((int)rows, x + i * rows, 1, weight, 1) / g->weight;
        for (size_t k = 0; k < rows; k++)
            x[i * rows + k] = (x[i * rows + k] - g->mean[i]) * sqrt(weight[k]);
    }
    if (rows > kept)
        cr__qr(x, g->has, rows, room);
    for (size_t i = 0; i < g->has; i++)
        for (size_t k = 0; k < kept; k++)
            g->root[i * kept + k] = rows > kept && k > i ? 0 : x[i * rows + k];
    g->rows = kept;
    return CR_OK;
}

static cr_status fill_group(const cr__gda_fit *fit, group *g, const cr__table *rows,
                            const uint32_t *row)
{
    const size_t n = fit->n;
    double *x, *weight;
    cr_status st;

    if (g->rows > INT32_MAX || g->rows + CR__QR_ROOM > SIZE_MAX / sizeof *x / (n + 1))
        return CR_ENOMEM;
    if ((x = cr__alloc((n + 1) * (g->rows + CR__QR_ROOM), sizeof *x)) == NULL)
        return CR_ENOMEM;
    weight = x + n * g->rows;
    for (size_t k = 0; k < g->rows; k++) {
        weight[k] = weight_of(rows, row[k]);
        g->weight += weight[k];
        for (size_t i = 0; i < g->has; i++)
            x[i * g->rows + k] = number(fit, rows, row[k], g->feature[i]);
    }
    st = take_root(g, x, weight, weight + g->rows);
    cr__free(x);
    return st;
}

/* The groups of rows whose names are known; `of` has room for as many numbers again, which become
 * the row indices in the order of their groups. */
static cr_status fill_groups(work *w, const cr__table *rows, uint32_t *of, const cr__dict *names)
{
    uint32_t *order = of + rows->rows, *start = cr__alloc_zero(w->groups + 1, sizeof *start);
    cr_status st = start == NULL ? CR_ENOMEM : CR_OK;

    for (size_t r = 0; st == CR_OK && r < rows->rows; r++)
        if (of[r] != 0)
            w->group[of[r] - 1].rows++;
    for (size_t g = 0; st == CR_OK && g < w->groups; g++)
        start[g + 1] = start[g] + (uint32_t)w->group[g].rows;
    for (size_t r = 0; st == CR_OK && r < rows->rows; r++)
        if (of[r] != 0)
            order[start[of[r] - 1]++] = (uint32_t)r;
    for (size_t g = 0; st == CR_OK && g < w->groups; g++) {
        const uint32_t *row = order + start[g] - w->group[g].rows;

        st = open_group(&w->group[g], cr__dict_word(names, (uint32_t)g + 1, NULL), w->fit->n);
        if (st == CR_OK)
            st = fill_group(w->fit, &w->group[g], rows, row);
    }
    cr__free(start);
    return st;
}

static cr_status make_groups(work *w, const cr__table *rows, cr_error *err)
{
    uint32_t *of = cr__alloc(2 * rows->rows + 1, sizeof *of);
    cr__dict *names = NULL;
    cr_status st = of == NULL ? cr__fail_memory(err) : sort_rows(w->fit, rows, of, &names, err);

    if (st == CR_OK) {
        const size_t groups = names->words;

        w->group = cr__alloc_zero(groups + 1, sizeof *w->group);
        w->groups = w->group == NULL ? 0 : groups;
        if (w->group == NULL || fill_groups(w, rows, of, names) != CR_OK)
            st = cr__fail_memory(err);
    }
    cr__dict_free(names);
    cr__free(of);
    return st;
}

/* --- expectation ---------------------------------------------------------------------------- */

/* The Cholesky factor of Σ + ridge, features in the order of which (NULL: their own); whether its
 * pivots are large enough. */
static int factorise(const double *sigma, double ridge, const uint32_t *which, size_t n, double *L)
{
    for (size_t i = 0; i < n; i++)
        for (size_t j = 0; j <= i; j++) {
            const size_t a = which == NULL ? i : which[i], b = which == NULL ? j : which[j];

            L[i * n + j] = sigma[a * n + b] + (i == j ? ridge : 0);
        }
    if (cr__cholesky(L, n) != 0)
        return 0;
    for (size_t i = 0; i < n; i++) {
        const size_t a = which == NULL ? i : which[i];

        if (!(L[i * n + i] * L[i * n + i] > PIVOT_LEAST * (sigma[a * n + a] + ridge)))
            return 0;
    }
    return 1;
}

/* The same with the smallest sufficient ridge, which is 0 where Σ has full rank. */
static cr_status factorise_mended(const double *sigma, const uint32_t *which, size_t n, double *L,
                                  double *ridge, cr_error *err)
{
    *ridge = 0;
    while (!factorise(sigma, *ridge, which, n, L))
        if ((*ridge = *ridge == 0 ? RIDGE_FIRST : *ridge * 10) > 1e8)
            return cr__fail(err, CR_EFORMAT,
                            "the numbers are too large or too small for a "
                            "covariance");
    return CR_OK;
}

/* [R, √w (m - μ)] of a group into whole, and completed; its part of the likelihood. */
static double complete_group(const work *w, const group *g)
{
    const size_t n = w->fit->n, o = g->has, m = n - o, columns = g->rows + 1;
    const double *mean = w->em->mean + g->class_index * n, *L = w->factor;
    double *D = w->whole, *Z = w->product, log_root = 0, length;

    for (size_t i = 0; i < o; i++) {
        memcpy(D + i * columns, g->root + i * g->rows, g->rows * sizeof *D);
        D[i * columns + g->rows] = sqrt(g->weight) * (g->mean[i] - mean[g->feature[i]]);
        log_root += log(L[i * n + i]);
    }
    memcpy(Z, D, o * columns * sizeof *Z);
    cblas_dtrsm(CblasRowMajor, CblasLeft, CblasLower, CblasNoTrans, CblasNonUnit, (int)o,
                (int)columns, 1, L, (int)n, Z, (int)columns);
    if (m > 0)
        cblas_dgemm(CblasRowMajor, CblasNoTrans, CblasNoTrans, (int)m, (int)columns, (int)o, 1,
                    L + o * n, (int)n, Z, (int)columns, 0, D + o * columns, (int)columns);
    length = cblas_ddot((int)(o * columns), Z, 1, Z, 1);
    return -0.5 * (g->weight * ((double)o * log(2 * M_PI) + 2 * log_root) + length);
}

/* Add the products of a completed group, and the covariance M M' of its missing part. */
static void add_group(work *w, const group *g)
{
    const size_t n = w->fit->n, o = g->has, m = n - o, columns = g->rows + 1;
    double *sum = w->sum + g->class_index * n, *square = w->square + g->class_index * n * n;
    double *P = w->product, *M = w->factor + o * n + o;

    cblas_dsyrk(CblasRowMajor, CblasLower, CblasNoTrans, (int)n, (int)columns, 1, w->whole,
                (int)columns, 0, P, (int)n);
    for (size_t i = 0; i < m; i++)
        for (size_t j = i + 1; j < m; j++)
            M[i * n + j] = 0;
    if (m > 0)
        cblas_dsyrk(CblasRowMajor, CblasLower, CblasNoTrans, (int)m, (int)m, g->weight, M, (int)n,
                    1, P + o * n + o, (int)n);
    for (size_t i = 0; i < n; i++) {
        const size_t a = g->feature[i];

        sum[a] += sqrt(g->weight) * w->whole[i * columns + g->rows];
        for (size_t j = 0; j <= i; j++) {
            const size_t b = g->feature[j];

            square[(a > b ? a : b) * n + (a > b ? b : a)] += P[i * n + j];
        }
    }
}

static cr_status expect(work *w, cr_error *err)
{
    const size_t n = w->fit->n, K = w->fit->classes;

    w->log_likelihood = 0;
    memset(w->sum, 0, K * n * sizeof *w->sum);
    memset(w->square, 0, K * n * n * sizeof *w->square);
    for (size_t g = 0; g < w->groups; g++) {
        const group *of = &w->group[g];
        double ridge;
        cr_status st = factorise_mended(w->sigma + of->class_index * n * n, of->feature, n,
                                        w->factor, &ridge, err);

        if (st != CR_OK)
            return st;
        w->log_likelihood += complete_group(w, of);
        for (size_t i = 0; i < of->has; i++)
            w->log_likelihood -= of->weight * 0.5 * log(w->fit->spread[of->feature[i]]);
        add_group(w, of);
    }
    return CR_OK;
}

/* --- maximisation --------------------------------------------------------------------------- */

/* Mean and covariance of the completed rows of class c. Returns how far they moved. */
static double move_class(work *w, size_t c)
{
    const size_t n = w->fit->n;
    const double rows = w->em->rows[c];
    double *mean = w->em->mean + c * n, *S = w->em->covariance + c * n * n;
    const double *sum = w->sum + c * n, *square = w->square + c * n * n;
    double moved = 0;

    for (size_t i = 0; rows > 0 && i < n; i++) {
        mean[i] += sum[i] / rows;
        moved = fmax(moved, fabs(sum[i] / rows));
        for (size_t j = 0; j <= i; j++) {
            const double s = square[i * n + j] / rows - sum[i] / rows * (sum[j] / rows);

            moved = fmax(moved, fabs(s - S[i * n + j]));
            S[i * n + j] = S[j * n + i] = s;
        }
    }
    return moved;
}

/* The mean of the classes' covariances by their rows, in the place of each. */
static void share_sigma(work *w)
{
    const size_t K = w->fit->classes, size = w->fit->n * w->fit->n;
    double total = 0;

    for (size_t c = 0; c < K; c++)
        total += w->em->rows[c];
    memset(w->product, 0, size * sizeof *w->product);
    for (size_t c = 0; c < K; c++)
        cblas_daxpy((int)size, w->em->rows[c] / total, w->em->covariance + c * size, 1, w->product,
                    1);
    for (size_t c = 0; c < K; c++)
        memcpy(w->sigma + c * size, w->product, size * sizeof *w->sigma);
}

/* Variances only; the same in the units of the features when spherical. */
static void keep_diagonal(const cr__gda_fit *fit, double *sigma, int spherical)
{
    const size_t n = fit->n;
    double mean = 0;

    for (size_t i = 0; i < n; i++)
        mean += sigma[i * n + i] * fit->spread[i] / (double)n;
    for (size_t i = 0; i < n; i++)
        for (size_t j = 0; j < n; j++)
            if (i != j)
                sigma[i * n + j] = 0;
            else if (spherical)
                sigma[i * n + i] = mean / fit->spread[i];
}

/* All patterns of a class get the same ridge, if one is needed. */
static cr_status mend(work *w, double *sigma, cr_error *err)
{
    const size_t n = w->fit->n;
    double ridge;
    cr_status st = factorise_mended(sigma, NULL, n, w->factor, &ridge, err);

    for (size_t i = 0; st == CR_OK && i < n; i++)
        sigma[i * n + i] += ridge;
    return st;
}

/* Σ from the covariances, in the requested form. */
static cr_status form_sigma(work *w, cr_error *err)
{
    const cr__gda_fit *fit = w->fit;
    const size_t size = fit->n * fit->n;
    const int spherical = cr__knobs_is(fit->knobs, "covariance", "spherical");
    cr_status st = CR_OK;

    if (cr__knobs_is(fit->knobs, "covariance", "shared"))
        share_sigma(w);
    else
        memcpy(w->sigma, w->em->covariance, fit->classes * size * sizeof *w->sigma);
    for (size_t c = 0; st == CR_OK && c < fit->classes; c++) {
        if (spherical || cr__knobs_is(fit->knobs, "covariance", "diagonal"))
            keep_diagonal(fit, w->sigma + c * size, spherical);
        if (w->em->rows[c] > 0)
            st = mend(w, w->sigma + c * size, err);
    }
    return st;
}

/* --- from first to last --------------------------------------------------------------------- */

/* The means and variances of the present numbers of each class, or of all rows where that is not
 * enough. */
static void begin_em(work *w)
{
    const cr__gda_fit *fit = w->fit;
    const size_t n = fit->n;

    for (size_t g = 0; g < w->groups; g++)
        w->em->rows[w->group[g].class_index] += w->group[g].weight;
    for (size_t c = 0; c < fit->classes; c++)
        for (size_t i = 0; i < n; i++) {
            const cr__cross_pair_sum p =
                cr__cross_pair(fit->cross, c, fit->term[i], fit->term[i], 0);
            const double v = p.count > 1
                                 ? p.product / p.count - p.sum_i / p.count * (p.sum_i / p.count)
                                 : fit->spread[i];

            w->em->mean[c * n + i] = (fit->mean[c * n + i] - fit->center[i]) / sqrt(fit->spread[i]);
            w->em->covariance[(c * n + i) * n + i] = fmax(v, 0) / fit->spread[i];
        }
}

/* Convert back to the units of the features. */
static void unscale(const cr__gda_fit *fit, cr__gda_em *em)
{
    const size_t n = fit->n;

    for (size_t c = 0; c < fit->classes; c++)
        for (size_t i = 0; i < n; i++) {
            em->mean[c * n + i] = em->mean[c * n + i] * sqrt(fit->spread[i]) + fit->center[i];
            for (size_t j = 0; j < n; j++)
                em->covariance[(c * n + i) * n + j] *= sqrt(fit->spread[i]) * sqrt(fit->spread[j]);
        }
}

static cr_status iterate(work *w, size_t most, cr_error *err)
{
    cr_status st = CR_OK;

    while (st == CR_OK && !w->em->settled && w->em->steps < most) {
        double moved = 0;

        if ((st = form_sigma(w, err)) != CR_OK || (st = expect(w, err)) != CR_OK)
            return st;
        for (size_t c = 0; c < w->fit->classes; c++)
            moved = fmax(moved, move_class(w, c));
        w->em->steps++;
        w->em->settled = moved <= SETTLED;
        w->em->log_likelihood = w->log_likelihood;
    }
    return st;
}

size_t cr__gda_em_size(size_t classes, size_t n)
{
    return classes * (1 + n + n * n);
}

void cr__gda_em_place(cr__gda_em *em, const double *numbers, size_t classes, size_t n)
{
    em->rows = (double *)numbers;
    em->mean = em->rows + classes;
    em->covariance = em->mean + classes * n;
}

cr_status cr__gda_em_run(cr__gda_em *em, const cr__gda_fit *fit, const cr__table *rows, size_t most,
                         cr_error *err)
{
    const size_t n = fit->n, K = fit->classes;
    work w = {.fit = fit, .em = em};
    cr_status st = CR_OK;

    *em = (cr__gda_em){0};
    em->own = cr__alloc_zero(cr__gda_em_size(K, n), sizeof *em->own);
    w.sigma = cr__alloc_zero(K * n * (2 * n + 1) + 3 * n * (n + 1), sizeof *w.sigma);
    if (em->own == NULL || w.sigma == NULL)
        st = cr__fail_memory(err);
    if (st == CR_OK) {
        cr__gda_em_place(em, em->own, K, n);
        w.square = w.sigma + K * n * n;
        w.sum = w.square + K * n * n;
        w.factor = w.sum + K * n;
        w.whole = w.factor + n * (n + 1);
        w.product = w.whole + n * (n + 1);
        st = make_groups(&w, rows, err);
    }
    if (st == CR_OK && w.groups > 0) {
        begin_em(&w);
        st = iterate(&w, most, err);
        unscale(fit, em);
    }
    free_work(&w);
    return st;
}
