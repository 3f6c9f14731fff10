/* learners/naive_bayes/gaussian.c - P(x | class) of real features.
 *
 * Plug-in: a Gaussian with the class's mean and a variance that may be tied between classes,
 * features or both. Per class k and feature i, with n values, mean m and sum of squared deviations
 * S = Σ (x - m)²:
 *
 *   class-feature   S_ik / n_ik             feature   Σ_k S_ik / Σ_k n_ik
 *   class           Σ_i S_ik / Σ_i n_ik     shared    Σ_ik S_ik / Σ_ik n_ik
 *
 * unbiased takes n - 1 for every n. To each, variance-floor times the largest variance of any
 * feature (all classes together) is added, as scikit-learn's var_smoothing does; where every
 * feature is constant the floor is a share of 1. A class with fewer than two values of a feature
 * has no variance of its own: it gets the feature's pooled one; with no value at all it also gets
 * the feature's mean, so the feature is hardly informative about it.
 *
 * Predictive: mean and variance are integrated out under a Normal-Inverse-Gamma prior (Murphy,
 * 2007, "Conjugate Bayesian analysis of the Gaussian distribution"): k0 = mean-rows, a0 =
 * variance-rows / 2, m0 = the feature's mean, b0 = a0 times its pooled variance. With n values of
 * mean m:
 *
 *   kn = k0 + n,  mn = (k0 m0 + n m) / kn,  an = a0 + n / 2,
 *   bn = b0 + S / 2 + k0 n (m - m0)² / (2 kn),
 *
 * x is Student-t with 2 an degrees of freedom, centre mn and scale² = bn (kn + 1) / (an kn).
 *
 * Evidence: the probability of the values under the same prior, for cells that share a variance,
 *
 *   ln P = lnΓ(a) - lnΓ(a0) + a0 ln b0 - a ln b - Σ n/2 ln 2π + ½ Σ ln(k0 / kn),
 *
 * where a = a0 + Σ n / 2 and b = b0 + Σ (S / 2 + k0 n (m - m0)² / (2 kn)), the sums running over
 * the cells (Murphy, 2007, for one cell).
 */
#include <float.h>
#include <math.h>

#include "base/exact.h"
#include "base/fail.h"
#include "base/memory.h"
#include "base/special.h"
#include "learners/naive_bayes/without.h"

/* What the data say about one feature and class, or about one feature in all classes. */
typedef struct sample {
    double n, mean, squares; /* squares = Σ (x - mean)² */
} sample;

static sample take(const cr__moment *m)
{
    sample s = {.n = cr__count_value(m->count)};

    s.mean = cr__exact_mean(m->count.whole, m->count.fraction, &m->sum);
    s.squares =
        s.n * cr__exact_variance(m->count.whole, m->count.fraction, &m->sum, &m->squares, 0);
    return s;
}

/* All classes together, exactly. */
static cr_status add_all(const cr__moment *moment, size_t classes, cr__moment *all)
{
    cr_status st = CR_OK;

    for (size_t c = 0; st == CR_OK && c < classes; c++) {
        all->count = cr__count_plus(all->count, moment[c].count, 1);
        st = cr__exact_add(&all->sum, &moment[c].sum, 1);
        if (st == CR_OK)
            st = cr__exact_add(&all->squares, &moment[c].squares, 1);
    }
    return st;
}

static cr_status take_all(const cr__moment *moment, size_t classes, sample *out)
{
    cr__moment all = {0};
    const cr_status st = add_all(moment, classes, &all);

    *out = take(&all);
    cr__exact_free(&all.sum);
    cr__exact_free(&all.squares);
    return st;
}

typedef struct pooled {
    double squares, n, n_unbiased;
} pooled;

static void pool(pooled *p, sample s)
{
    if (s.n > 0) {
        p->squares += s.squares;
        p->n += s.n;
        p->n_unbiased += s.n > 1 ? s.n - 1 : 0;
    }
}

static double pooled_variance(pooled p, int unbiased)
{
    double n = unbiased ? p.n_unbiased : p.n;

    return n > 0 ? p.squares / n : 0;
}

/* The unit that has its own variance. */
typedef enum tying { OWN, BY_FEATURE, BY_CLASS, SHARED } tying;

/* Everything needed to fit: the samples and their pooled values. */
typedef struct fit_state {
    size_t classes, features;
    sample *cell;       /* [features * classes] */
    sample *all;        /* [features] classes together */
    pooled *by_feature; /* [features] */
    pooled *by_class;   /* [classes] */
    pooled shared;
    double floor;       /* added to every variance */
    double floor_share; /* of the largest variance */
    int unbiased;
    tying tie;
} fit_state;

static void free_state(fit_state *s)
{
    cr__free(s->cell);
    cr__free(s->all);
    cr__free(s->by_feature);
    cr__free(s->by_class);
}

static cr_status gather_samples(const cr__stats *stats, const cr__knobs *knobs, fit_state *s)
{
    double largest = 0;
    size_t f = 0;
    cr_status st = CR_OK;

    for (size_t i = 0; st == CR_OK && i < stats->schema->columns; i++) {
        const cr__moment *moment = stats->column[i].moment;
        if (moment == NULL)
            continue;
        for (size_t c = 0; c < s->classes; c++) {
            sample one = s->cell[f * s->classes + c] = take(&moment[c]);
            pool(&s->by_feature[f], one);
            pool(&s->by_class[c], one);
            pool(&s->shared, one);
        }
        st = take_all(moment, s->classes, &s->all[f]);
        if (s->all[f].n > 0 && s->all[f].squares / s->all[f].n > largest)
            largest = s->all[f].squares / s->all[f].n;
        f++;
    }
    s->floor_share = cr__knobs_number(knobs, "variance-floor");
    s->floor = s->floor_share * (largest > 0 ? largest : 1);
    s->unbiased = cr__knobs_is(knobs, "variance-estimate", "unbiased");
    s->tie = cr__knobs_is(knobs, "variance", "shared")          ? SHARED
             : cr__knobs_is(knobs, "variance", "class")         ? BY_CLASS
             : cr__knobs_is(knobs, "variance", "class-feature") ? OWN
                                                                : BY_FEATURE;
    return st;
}

static cr_status make_state(const cr__stats *stats, const cr__knobs *knobs, fit_state *s)
{
    *s = (fit_state){.classes = stats->classes};
    for (size_t i = 0; i < stats->schema->columns; i++)
        s->features += stats->column[i].moment != NULL;
    s->cell = cr__alloc_zero(s->features * s->classes, sizeof *s->cell);
    s->all = cr__alloc_zero(s->features, sizeof *s->all);
    s->by_feature = cr__alloc_zero(s->features, sizeof *s->by_feature);
    s->by_class = cr__alloc_zero(s->classes, sizeof *s->by_class);
    if (s->cell == NULL || s->all == NULL || s->by_feature == NULL || s->by_class == NULL)
        return CR_ENOMEM;
    return gather_samples(stats, knobs, s);
}

/* Within the classes, or of all rows where no class has two. */
static double feature_variance(const fit_state *s, size_t f)
{
    if (s->by_feature[f].n_unbiased > 0)
        return pooled_variance(s->by_feature[f], s->unbiased);
    return s->all[f].n > 0 ? s->all[f].squares / s->all[f].n : 0;
}

/* The variance of feature f in class c under the chosen tying, floor included. */
static double tied_variance(const fit_state *s, size_t f, size_t c)
{
    const sample one = s->cell[f * s->classes + c];
    double v;

    if (s->tie == SHARED && s->shared.n_unbiased > 0)
        v = pooled_variance(s->shared, s->unbiased);
    else if (s->tie == BY_CLASS && s->by_class[c].n_unbiased > 0)
        v = pooled_variance(s->by_class[c], s->unbiased);
    else if (s->tie == OWN && one.n > 1)
        v = one.squares / (s->unbiased ? one.n - 1 : one.n);
    else
        v = feature_variance(s, f);
    v += s->floor;
    return v > 0 ? v : 1e-300; /* only with variance-floor=0 and no spread at all */
}

/* own is [5 * classes]: base, mean, power, inverse, freedom. In leave-one-out, logarithms take most
 * of the time: tied variances share them. */
static void set_plugin(const fit_state *s, size_t f, double *own)
{
    const size_t K = s->classes;
    double last = 0, base = 0;

    for (size_t c = 0; c < K; c++) {
        const sample one = s->cell[f * K + c];
        const double variance = tied_variance(s, f, c);

        if (variance != last)
            base = -0.5 * log(2 * M_PI * variance);
        last = variance;
        own[c] = base;
        own[K + c] = one.n > 0 ? one.mean : s->all[f].mean;
        own[2 * K + c] = 0.5 / variance;
        own[3 * K + c] = variance;
        own[4 * K + c] = 0;
    }
}

static void set_predictive(const fit_state *s, const cr__knobs *knobs, size_t f, double *own)
{
    const size_t K = s->classes;
    const double k0 = cr__knobs_number(knobs, "mean-rows");
    const double a0 = cr__knobs_number(knobs, "variance-rows") / 2;
    const double m0 = s->all[f].mean;
    const double within = feature_variance(s, f) + s->floor;
    const double b0 = a0 * (within > 0 ? within : 1e-300);

    for (size_t c = 0; c < K; c++) {
        const sample one = s->cell[f * K + c];
        const double kn = k0 + one.n, an = a0 + one.n / 2, d = one.mean - m0;
        const double bn = b0 + one.squares / 2 + (one.n > 0 ? k0 * one.n * d * d / (2 * kn) : 0);
        const double freedom = 2 * an, scale2 = bn * (kn + 1) / (an * kn);

        own[c] = cr__log_gamma((freedom + 1) / 2) - cr__log_gamma(freedom / 2) -
                 0.5 * log(freedom * M_PI * scale2);
        own[K + c] = (k0 * m0 + one.n * one.mean) / kn;
        own[2 * K + c] = (freedom + 1) / 2;
        own[3 * K + c] = 1 / (freedom * scale2);
        own[4 * K + c] = freedom;
    }
}

cr__nb_real cr__nb_real_arrays(const double *own, size_t classes)
{
    return (cr__nb_real){own, own + classes, own + 2 * classes, own + 3 * classes,
                         own + 4 * classes};
}

/* A column whose squares overflow would spoil the floor of all others. */
static cr_status check_squares(const cr__stats *stats, const fit_state *s, cr_error *err)
{
    size_t f = 0;

    for (size_t i = 0; i < stats->schema->columns; i++) {
        const char *name = stats->schema->column[i].name;

        if (stats->column[i].moment == NULL || isfinite(s->all[f++].squares))
            continue;
        cr__fail(err, CR_EFORMAT, "the numbers of '%s' are too large: their squares overflow",
                 name);
        return cr__fail_hint(err, CR_EFORMAT,
                             "divide them all by one number, or leave them out "
                             "with " CR__SET("type %s=ignore"),
                             name);
    }
    return CR_OK;
}

cr_status cr__nb_fit_reals(const cr__stats *stats, const cr__knobs *knobs, const cr__nb_form *form,
                           double **arrays, cr_error *err)
{
    const int predictive = cr__knobs_is(knobs, "gaussian", "predictive");
    fit_state s;
    size_t f = 0;
    cr_status st = make_state(stats, knobs, &s);
    const tying tie = s.tie;

    if (st != CR_OK || check_squares(stats, &s, err) != CR_OK) {
        free_state(&s);
        return st != CR_OK ? cr__fail_memory(err) : CR_EFORMAT;
    }
    for (size_t i = 0; st == CR_OK && i < stats->schema->columns; i++) {
        if (stats->column[i].moment == NULL)
            continue;
        s.tie = form != NULL && form[i].own ? OWN : tie;
        arrays[i] = cr__alloc(stats->classes, CR__NB_REAL_ARRAYS * sizeof **arrays);
        if (arrays[i] == NULL)
            st = CR_ENOMEM;
        else if (predictive)
            set_predictive(&s, knobs, f++, arrays[i]);
        else
            set_plugin(&s, f++, arrays[i]);
    }
    free_state(&s);
    return st == CR_OK ? CR_OK : cr__fail_memory(err);
}

/* --- leaving one out ------------------------------------------------------------------------- */

/* The samples, one row at a time taken out of them and put back. */
struct cr__nb_reals {
    fit_state s;
    const cr__knobs *knobs;
    int predictive;
    size_t *column;    /* [features] */
    sample *kept;      /* [2 * features] of the row's class, and of all, as they were */
    double *own;       /* [5 * classes] */
    cr__moment *whole; /* [features] of all classes, when they are updated; or NULL */
    double *error;     /* [features] of the variances of all classes then; 0: none */
};

void cr__nb_reals_free(cr__nb_reals *r)
{
    if (r == NULL)
        return;
    for (size_t f = 0; r->whole != NULL && f < r->s.features; f++) {
        cr__exact_free(&r->whole[f].sum);
        cr__exact_free(&r->whole[f].squares);
    }
    free_state(&r->s);
    cr__free(r->whole);
    cr__free(r->error);
    cr__free(r->column);
    cr__free(r->kept);
    cr__free(r->own);
    cr__free(r);
}

cr_status cr__nb_reals_open(cr__nb_reals **out, const cr__stats *stats, const cr__knobs *knobs,
                            cr_error *err)
{
    cr__nb_reals *r = cr__alloc_zero(1, sizeof *r);
    size_t f = 0;

    *out = NULL;
    if (r == NULL)
        return cr__fail_memory(err);
    r->knobs = knobs;
    r->predictive = cr__knobs_is(knobs, "gaussian", "predictive");
    if (make_state(stats, knobs, &r->s) != CR_OK ||
        (r->column = cr__alloc(r->s.features + 1, sizeof *r->column)) == NULL ||
        (r->kept = cr__alloc(2 * r->s.features + 1, sizeof *r->kept)) == NULL ||
        (r->own = cr__alloc(r->s.classes + 1, CR__NB_REAL_ARRAYS * sizeof *r->own)) == NULL) {
        cr__nb_reals_free(r);
        return cr__fail_memory(err);
    }
    for (size_t i = 0; i < stats->schema->columns; i++)
        if (stats->column[i].moment != NULL)
            r->column[f++] = i;
    *out = r;
    return CR_OK;
}

/* Σ (x - mean)² without x: S - w d² n / (n - w). 0 where cancellation leaves no correct digits. */
static int take_out(sample *s, double x, double w)
{
    const double n = s->n - w, d = x - s->mean, squares = s->squares - w * d * d * s->n / n;

    if (!(n > 0)) {
        *s = (sample){0};
        return 1;
    }
    if (n > 1 && squares < 1e-4 * s->squares)
        return s->squares == 0;
    *s = (sample){.n = n, .mean = s->mean - w * d / n, .squares = n > 1 ? squares : 0};
    return 1;
}

/* Recompute the pooled values of the samples. */
static void pool_again(fit_state *s)
{
    double largest = 0;

    s->shared = (pooled){0};
    for (size_t c = 0; c < s->classes; c++)
        s->by_class[c] = (pooled){0};
    for (size_t f = 0; f < s->features; f++) {
        s->by_feature[f] = (pooled){0};
        for (size_t c = 0; c < s->classes; c++) {
            const sample one = s->cell[f * s->classes + c];

            pool(&s->by_feature[f], one);
            pool(&s->by_class[c], one);
            pool(&s->shared, one);
        }
        if (s->all[f].n > 0)
            largest = fmax(largest, s->all[f].squares / s->all[f].n);
    }
    s->floor = s->floor_share * (largest > 0 ? largest : 1);
}

int cr__nb_reals_without(cr__nb_reals *r, const cr__batch *batch, size_t row, size_t class_index,
                         double weight, double *score)
{
    fit_state *s = &r->s;
    const cr__nb_real real = cr__nb_real_arrays(r->own, s->classes);
    int sound = 1;

    for (size_t f = 0; f < s->features; f++) {
        const double x = batch->column[r->column[f]].real[row];
        sample *cell = &s->cell[f * s->classes + class_index];

        r->kept[2 * f] = *cell;
        r->kept[2 * f + 1] = s->all[f];
        if (!isnan(x))
            sound &= take_out(cell, x, weight) && take_out(&s->all[f], x, weight);
    }
    pool_again(s);
    for (size_t f = 0; sound && f < s->features; f++) {
        const double x = batch->column[r->column[f]].real[row];

        if (isnan(x))
            continue;
        if (r->predictive)
            set_predictive(s, r->knobs, f, r->own);
        else
            set_plugin(s, f, r->own);
        for (size_t c = 0; c < s->classes; c++)
            score[c] += cr__nb_log_density(&real, c, x);
    }
    for (size_t f = 0; f < s->features; f++) {
        s->cell[f * s->classes + class_index] = r->kept[2 * f];
        s->all[f] = r->kept[2 * f + 1];
    }
    return sound;
}

/* --- one row after another -------------------------------------------------------------------- */

cr_status cr__nb_reals_keep_up(cr__nb_reals *r, const cr__stats *stats)
{
    cr_status st = CR_OK;

    r->whole = cr__alloc_zero(r->s.features, sizeof *r->whole);
    r->error = cr__alloc_zero(r->s.features, sizeof *r->error);
    if (r->whole == NULL || r->error == NULL)
        return CR_ENOMEM;
    for (size_t f = 0; st == CR_OK && f < r->s.features; f++)
        st = add_all(stats->column[r->column[f]].moment, r->s.classes, &r->whole[f]);
    return st;
}

static cr_status take_number(cr__moment *m, double x, int sign)
{
    cr_status st = cr__exact_add_double(&m->sum, sign < 0 ? -x : x);

    if (st == CR_OK && (st = cr__exact_add_square(&m->squares, x, sign)) != CR_OK)
        (void)cr__exact_add_double(&m->sum, sign < 0 ? x : -x);
    if (st == CR_OK)
        m->count.whole += sign;
    return st;
}

cr_status cr__nb_reals_take(cr__nb_reals *r, const double *real, int sign)
{
    cr_status st = CR_OK;
    size_t f = 0;

    for (; st == CR_OK && f < r->s.features; f++)
        if (!isnan(real[r->column[f]]))
            st = take_number(&r->whole[f], real[r->column[f]], sign);
    for (f -= st != CR_OK; st != CR_OK && f-- > 0;)
        if (!isnan(real[r->column[f]]))
            (void)take_number(&r->whole[f], real[r->column[f]], -sign);
    return st;
}

/* The whole sample of a feature matters only through the largest variance of any feature, unless a
 * class has fewer than two values. */
static int only_spread_matters(const cr__nb_reals *r, size_t f)
{
    const fit_state *s = &r->s;

    for (size_t c = 0; c < s->classes; c++)
        if (!(s->cell[f * s->classes + c].n > 1))
            return 0;
    return !r->predictive;
}

/* A sample from rounded sums, and how far its variance may be from the true one: each sum is
 * rounded once, and so are the quotients, the square and the difference. */
static sample take_rounded(const cr__moment *m, double *error)
{
    const double n = cr__count_value(m->count), mean = cr__exact_to_double(&m->sum) / n;
    const double squares = cr__exact_to_double(&m->squares) / n;

    *error = 4 * DBL_EPSILON * squares;
    return (sample){.n = n, .mean = mean, .squares = n * (squares - mean * mean)};
}

/* The whole samples of the row's features: exact, except where another feature certainly has the
 * largest variance. */
static void take_wholes(cr__nb_reals *r, const double *real)
{
    fit_state *s = &r->s;
    double least = 0; /* a lower bound of the largest variance */

    for (size_t f = 0; f < s->features; f++) {
        if (!isnan(real[r->column[f]])) {
            r->error[f] = 0;
            s->all[f] = only_spread_matters(r, f) ? take_rounded(&r->whole[f], &r->error[f])
                                                  : take(&r->whole[f]);
        }
        if (s->all[f].n > 0)
            least = fmax(least, s->all[f].squares / s->all[f].n - r->error[f]);
    }
    for (size_t f = 0; f < s->features; f++)
        if (r->error[f] > 0 && s->all[f].squares / s->all[f].n + r->error[f] >= least) {
            s->all[f] = take(&r->whole[f]);
            r->error[f] = 0;
        }
}

void cr__nb_reals_write(cr__nb_reals *r, const cr__stats *stats, const cr__knobs *knobs,
                        const double *real, size_t class_index, cr__nb_column *column)
{
    fit_state *s = &r->s;

    for (size_t f = 0; f < s->features; f++)
        if (!isnan(real[r->column[f]]))
            s->cell[f * s->classes + class_index] =
                take(&stats->column[r->column[f]].moment[class_index]);
    take_wholes(r, real);
    pool_again(s);
    for (size_t f = 0; f < s->features; f++)
        if (r->predictive)
            set_predictive(s, knobs, f, column[r->column[f]].own);
        else
            set_plugin(s, f, column[r->column[f]].own);
}

/* --- evidence ------------------------------------------------------------------------------- */

/* Cells that share a variance. */
typedef struct tie {
    double n, b, log_p;
} tie;

/* Which variance a cell has, of how many. */
static size_t tie_of(const fit_state *s, const cr__knobs *knobs, size_t f, size_t c)
{
    if (cr__knobs_is(knobs, "variance", "shared"))
        return 0;
    if (cr__knobs_is(knobs, "variance", "class"))
        return c;
    return cr__knobs_is(knobs, "variance", "feature") ? f : f * s->classes + c;
}

/* The prior guess of the variance: of the feature, or of all when features share one. */
static double prior_variance(const fit_state *s, const cr__knobs *knobs, size_t f)
{
    const int across =
        cr__knobs_is(knobs, "variance", "shared") || cr__knobs_is(knobs, "variance", "class");
    const double v = pooled_variance(across ? s->shared : s->by_feature[f], s->unbiased) + s->floor;

    return v > 0 ? v : 1e-300;
}

static double log_evidence(const fit_state *s, const cr__knobs *knobs, tie *ties)
{
    const double k0 = cr__knobs_number(knobs, "mean-rows");
    const double a0 = cr__knobs_number(knobs, "variance-rows") / 2;
    double sum = 0;

    for (size_t f = 0; f < s->features; f++)
        for (size_t c = 0; c < s->classes; c++) {
            const sample one = s->cell[f * s->classes + c];
            const double kn = k0 + one.n, d = one.mean - s->all[f].mean;
            tie *t = &ties[tie_of(s, knobs, f, c)];

            if (t->b == 0)
                t->b = a0 * prior_variance(s, knobs, f);
            t->log_p = a0 * log(a0 * prior_variance(s, knobs, f));
            if (one.n > 0) {
                t->n += one.n;
                t->b += one.squares / 2 + k0 * one.n * d * d / (2 * kn);
                sum += 0.5 * log(k0 / kn);
            }
        }
    for (size_t i = 0; i < s->features * s->classes; i++)
        if (ties[i].n > 0)
            sum += cr__log_gamma_ratio(a0, ties[i].n / 2) + ties[i].log_p -
                   (a0 + ties[i].n / 2) * log(ties[i].b) - ties[i].n / 2 * log(2 * M_PI);
    return sum;
}

cr_status cr__nb_real_evidence(const cr__stats *stats, const cr__knobs *knobs, double *sum,
                               cr_error *err)
{
    fit_state s;
    tie *ties = NULL;
    cr_status st = make_state(stats, knobs, &s);

    if (st == CR_OK && (ties = cr__alloc_zero(s.features * s.classes, sizeof *ties)) == NULL)
        st = CR_ENOMEM;
    if (st == CR_OK)
        *sum += log_evidence(&s, knobs, ties);
    cr__free(ties);
    free_state(&s);
    return st == CR_OK ? CR_OK : cr__fail_memory(err);
}
