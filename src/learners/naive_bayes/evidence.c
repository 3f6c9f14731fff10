/* learners/naive_bayes/evidence.c - ln P(data) under naive Bayes, all parameters integrated out.
 *
 * The classes, and the values of each symbol feature in each class, are multinomial under a
 * Dirichlet prior whose parameters are the pseudo-counts of the smoothing:
 *
 *     P(data) = Γ(A) / Γ(A + N) · Π_v Γ(a_v + n_v) / Γ(a_v),   A = Σ a_v
 *
 * (Cooper & Herskovits, "A Bayesian method for the induction of probabilistic networks", 1992).
 * Where a knob asks for maximum likelihood, which has no prior, all a_v are 1. Classes with given
 * or uniform priors have no parameters. Real features: gaussian.c; for those that are cut, the
 * probability of the intervals. Missing values are left out.
 */
#include <math.h>

#include "base/fail.h"
#include "base/memory.h"
#include "base/special.h"
#include "learners/naive_bayes/naive_bayes.h"

static double log_ratio(double x, double d)
{
    return d > 0 ? cr__log_gamma_ratio(x, d) : 0;
}

/* The classes, with parameters of their own. */
static double free_classes(const cr__stats *stats, const cr__knobs *knobs)
{
    double log_p = 0, rows = 0, total = 0;

    for (size_t c = 0; c < stats->classes; c++) {
        const double n = cr__count_value(cr__stats_class(stats, c));
        const double a = 1 + cr__nb_prior_plus(stats, knobs, c);

        log_p += log_ratio(a, n);
        rows += n;
        total += a;
    }
    return log_p - log_ratio(total, rows);
}

/* The classes under probabilities that are given. */
static cr_status given_classes(const cr__stats *stats, const cr__knobs *knobs, double *log_p,
                               cr_error *err)
{
    double *work = cr__alloc(stats->classes, 3 * sizeof *work);
    cr_status st;

    if (work == NULL)
        return cr__fail_memory(err);
    st =
        cr__nb_fit_prior(stats, knobs, work, work + stats->classes, work + 2 * stats->classes, err);
    for (size_t c = 0; st == CR_OK && c < stats->classes; c++) {
        const double n = cr__count_value(cr__stats_class(stats, c));

        *log_p += n > 0 ? n * work[c] : 0;
    }
    cr__free(work);
    return st;
}

static cr_status class_evidence(const cr__stats *stats, const cr__knobs *knobs, double *log_p,
                                cr_error *err)
{
    if (cr__knobs_is(knobs, "prior", "empirical") || cr__knobs_is(knobs, "prior", "map"))
        *log_p += free_classes(stats, knobs);
    else
        return given_classes(stats, knobs, log_p, err);
    return CR_OK;
}

double cr__nb_parameter(const cr__stats *stats, const cr__knobs *knobs, size_t column, size_t value,
                        size_t class_index)
{
    if (cr__knobs_is(knobs, "smoothing", "none"))
        return 1;
    return cr__nb_smoothing(stats, knobs, column, value, class_index).plus +
           cr__knobs_is(knobs, "smoothing", "dirichlet");
}

/* The rows of one class: Π Γ(a_v + n_v) / Γ(a_v), over the same of the sums. */
static cr_status symbol_evidence(const cr__stats *stats, const cr__knobs *knobs, size_t column,
                                 size_t c, double *log_p, cr_error *err)
{
    const size_t values = cr__stats_values(stats, column);
    const int one_more = cr__knobs_is(knobs, "unseen", "smooth");
    double total = one_more ? cr__nb_parameter(stats, knobs, column, SIZE_MAX, c) : 0;

    for (size_t v = 0; v < values; v++) {
        const double a = cr__nb_parameter(stats, knobs, column, v, c);
        const double n = cr__count_value(cr__stats_count(stats, column, v, c));

        total += a;
        if (n > 0 && !(a > 0))
            return cr__fail(err, CR_EARG,
                            "a pseudo-count of 0 is no prior: '%s' has no probability under it",
                            stats->schema->column[column].name);
        *log_p += log_ratio(a, n);
    }
    *log_p -= log_ratio(total, cr__nb_total(stats, column, c));
    return CR_OK;
}

static cr_status view_evidence(const cr__stats *stats, const cr__knobs *knobs, double *log_evidence,
                               cr_error *err)
{
    cr_status st;

    *log_evidence = 0;
    if (cr__knobs_is(knobs, "smoothing", "m-estimate") && cr__knobs_is(knobs, "p", "class"))
        return cr__fail(err, CR_EARG,
                        "p=class is not a prior: it does not sum to 1 over the values");
    st = class_evidence(stats, knobs, log_evidence, err);
    for (size_t i = 0; st == CR_OK && i < stats->schema->columns; i++) {
        if (stats->column[i].bag != NULL)
            return cr__fail(err, CR_EARG, "the texts of '%s' have no marginal likelihood",
                            stats->schema->column[i].name);
        for (size_t c = 0; st == CR_OK && stats->column[i].whole != NULL && c < stats->classes; c++)
            st = symbol_evidence(stats, knobs, i, c, log_evidence, err);
    }
    return st == CR_OK ? cr__nb_real_evidence(stats, knobs, log_evidence, err) : st;
}

cr_status cr__nb_evidence(const cr__stats *stats, const cr__knobs *knobs, double *log_evidence,
                          cr_error *err)
{
    cr__column_stats *room = cr__alloc(stats->schema->columns, sizeof *room);
    cr__nb_bins *bins = NULL;
    cr__nb_form *form = NULL;
    cr_status st =
        room == NULL ? cr__fail_memory(err) : cr__nb_forms(&form, stats, knobs, NULL, err);

    if (st == CR_OK)
        st = cr__nb_cut(&bins, stats, knobs, form, err);
    for (size_t i = 0; st == CR_OK && i < stats->schema->columns; i++)
        if (stats->column[i].moment != NULL && form[i].kind == CR__NB_KDE)
            st = cr__fail(err, CR_EARG, "kernel densities have no parameters to be integrated out");
    if (st == CR_OK) {
        const cr__stats view = cr__nb_view(stats, bins, room);

        st = view_evidence(&view, knobs, log_evidence, err);
    }
    cr__nb_bins_free(bins, stats->schema->columns);
    cr__free(form);
    cr__free(room);
    return st;
}
