/* learners/gda/gda.c - the learner's table, its knobs, its fitted parameters. */
#include "learners/gda/gda.h"

#include <math.h>
#include <stdio.h>
#include <string.h>

#include "base/fail.h"
#include "base/matrix.h"
#include "base/memory.h"
#include "base/special.h"
#include "learners/registry.h"
#include "model/text_knobs.h"

enum { ROWS_MOST = 4096 }; /* that the form of the covariances is chosen on */

static const cr__knob_spec knobs[] = {
    {"covariance", "auto", CR__KNOB_CHOICE, 0, "auto|full|shared|diagonal|spherical",
     "of real features: one for each class, one for all, variances only, or one variance; auto: "
     "between these, by cross-validation in training"},
    {"pool", "0", CR__KNOB_NUMBER, 0, NULL,
     "share of the shared covariance in that of each class, 0 to 1"},
    {"shrinkage", "0", CR__KNOB_EITHER, 0, "ledoit-wolf|cv",
     "share of equal, uncorrelated variances: 0 to 1, or chosen in training"},
    {"level", "0", CR__KNOB_NUMBER, 0, NULL,
     "share of one variance for all features and classes, 0 to 1"},
    {"ridge", "0", CR__KNOB_NUMBER, 0, NULL, "added to every variance, in the features' units"},
    {"estimate", "plugin", CR__KNOB_CHOICE, 0, "plugin|predictive",
     "plug estimates into a Gaussian, or integrate them out (Student-t)"},
    {"mean-rows", "1", CR__KNOB_NUMBER, 1e-9, NULL,
     "estimate=predictive: rows the prior mean is worth"},
    {"covariance-rows", "auto", CR__KNOB_EITHER, 1e-9, "auto",
     "estimate=predictive: rows the prior covariance is worth; auto: features + 2"},
    {"variance-estimate", "unbiased", CR__KNOB_CHOICE, 0, "mle|unbiased",
     "divide by n or by n - 1"},
    {"incomplete", "pairwise", CR__KNOB_CHOICE, 0, "pairwise|drop|em",
     "rows that lack a number: used for the pairs that they have, not at all, or as what they "
     "have makes most likely"},
    {"em-steps", "5000", CR__KNOB_NUMBER, 1, NULL, "incomplete=em: steps at most"},
    CR__NB_SYMBOL_KNOBS,
    CR__NB_EVENT_KNOBS,
    CR__TEXT_KNOBS,
};

/* --- life ----------------------------------------------------------------------------------- */

cr__gda *cr__gda_new(void)
{
    cr__gda *gda = cr__alloc_zero(1, sizeof *gda);

    if (gda != NULL) {
        pthread_mutex_init(&gda->lock, NULL);
        gda->choice.pool = NAN;
    }
    return gda;
}

void cr__gda_free(void *fitted)
{
    cr__gda *gda = fitted;

    if (gda == NULL)
        return;
    while (gda->pattern != NULL) {
        cr__gda_pattern *next = gda->pattern->next;

        cr__gda_density_free(&gda->pattern->density);
        cr__free(gda->pattern->has);
        cr__free(gda->pattern);
        gda->pattern = next;
    }
    cr__gda_density_free(&gda->density);
    cr__free(gda->own_column);
    cr__free(gda->own_repair);
    cr__free(gda->em.own);
    cr__free(gda->others.column);
    cr__nb_free(gda->marginal);
    pthread_mutex_destroy(&gda->lock);
    cr__free(gda);
}

/* Naive Bayes without the real features. */
cr_status cr__gda_part_others(cr__gda *gda)
{
    const cr__nb *nb = gda->marginal;

    gda->others = *nb;
    gda->others.own_prior = NULL;
    gda->others.bins = NULL;
    if ((gda->others.column = cr__alloc(nb->columns, sizeof *nb->column)) == NULL)
        return CR_ENOMEM;
    memcpy(gda->others.column, nb->column, nb->columns * sizeof *nb->column);
    for (size_t i = 0; i < nb->columns; i++)
        if (nb->column[i].kind == CR_REAL)
            gda->others.column[i].kind = CR_IGNORE;
    return CR_OK;
}

cr_status cr__gda_naive_knobs(cr__knobs *out, const cr__knobs *from, cr_error *err)
{
    const cr__learner *nb = &cr__naive_bayes;
    cr_status st = cr__knobs_new(out, nb->knobs, nb->knob_count, err);

    for (size_t i = 0; st == CR_OK && i < from->count; i++)
        for (size_t k = 0; k < nb->knob_count; k++)
            if (strcmp(nb->knobs[k].name, from->spec[i].name) == 0 &&
                strcmp(out->value[k], from->value[i]) != 0) {
                char *copy = cr__strndup(from->value[i], strlen(from->value[i]));

                if (copy == NULL) {
                    st = cr__fail_memory(err);
                    break;
                }
                cr__free(out->value[k]);
                out->value[k] = copy;
            }
    if (st != CR_OK)
        cr__knobs_free(out);
    return st;
}

/* --- fit ------------------------------------------------------------------------------------ */

typedef struct room {
    uint32_t *term;
    double *shrinkage;
} room;

/* Of one feature: how many rows of a class have it, and their mean. */
static double take_mean(const cr__moment *m, double *mean)
{
    *mean = cr__exact_mean(m->count.whole, m->count.fraction, &m->sum);
    return cr__count_value(m->count);
}

/* The variance of a feature in all rows, and their mean. */
static cr_status spread_of(const cr__moment *moment, size_t classes, double *mean, double *spread)
{
    cr__moment all = {0};
    cr_status st = CR_OK;

    for (size_t c = 0; st == CR_OK && c < classes; c++) {
        all.count = cr__count_plus(all.count, moment[c].count, 1);
        st = cr__exact_add(&all.sum, &moment[c].sum, 1);
        if (st == CR_OK)
            st = cr__exact_add(&all.squares, &moment[c].squares, 1);
    }
    *mean = *spread = 0;
    if (st == CR_OK && !cr__count_zero(all.count)) {
        take_mean(&all, mean);
        *spread =
            cr__exact_variance(all.count.whole, all.count.fraction, &all.sum, &all.squares, 0);
    }
    cr__exact_free(&all.sum);
    cr__exact_free(&all.squares);
    return st;
}

/* The real features that vary, with their terms, means and variances. */
static cr_status choose_features(cr__gda_fit *fit, cr__gda *gda, uint32_t *term)
{
    const cr__stats *stats = fit->stats;
    cr_status st = CR_OK;

    for (size_t t = 0; st == CR_OK && t < fit->cross->terms; t++) {
        const uint32_t column = fit->cross->term[t].column;
        const size_t i = fit->n;

        st =
            spread_of(stats->column[column].moment, fit->classes, &fit->center[i], &fit->spread[i]);
        if (st != CR_OK || !(fit->spread[i] > 0))
            continue;
        gda->own_column[i] = column;
        term[i] = (uint32_t)t;
        fit->n++;
    }
    gda->column = gda->own_column;
    for (size_t c = 0; st == CR_OK && c < fit->classes; c++) {
        fit->rows[c] = cr__count_value(cr__stats_class(stats, c));
        for (size_t i = 0; i < fit->n; i++) {
            double *mean = &fit->mean[c * fit->n + i];

            if (!(take_mean(&stats->column[gda->column[i]].moment[c], mean) > 0))
                *mean = fit->center[i];
        }
    }
    return st;
}

static cr_status make_room(cr__gda_fit *fit, cr__gda *gda, room *r)
{
    const size_t terms = fit->cross->terms, K = fit->classes;

    r->term = cr__alloc(terms, sizeof *r->term);
    r->shrinkage = cr__alloc_zero(K, sizeof *r->shrinkage);
    fit->rows = cr__alloc_zero(K, sizeof *fit->rows);
    fit->mean = cr__alloc_zero(K * terms, sizeof *fit->mean);
    fit->center = cr__alloc_zero(terms, sizeof *fit->center);
    fit->spread = cr__alloc_zero(terms, sizeof *fit->spread);
    gda->own_column = cr__alloc_zero(terms, sizeof *gda->own_column);
    gda->own_repair =
        cr__alloc_zero(K + 1, sizeof *gda->own_repair); /* a shared one without classes */
    gda->repair = gda->own_repair;
    fit->term = r->term;
    return r->term != NULL && r->shrinkage != NULL && fit->rows != NULL && fit->mean != NULL &&
                   fit->center != NULL && fit->spread != NULL && gda->own_column != NULL &&
                   gda->own_repair != NULL
               ? choose_features(fit, gda, r->term)
               : CR_ENOMEM;
}

/* Σ_ij of class c. */
static double covariance_of(const cr__gda_density *d, size_t c, size_t i, size_t j)
{
    const double *L = d->factor + (d->factors == 1 ? 0 : c) * cr__gda_factor_size(d);
    double sum = 0;

    if (d->diagonal)
        return i == j ? L[i] * L[i] : 0;
    for (size_t k = 0; k <= i && k <= j; k++)
        sum += L[i * d->n + k] * L[j * d->n + k];
    return sum;
}

/* The marginals of the real features, in the form that naive Bayes has them; features that do not
 * vary get almost no variance. */
static void set_marginal(cr__gda *gda, size_t column, size_t i, double center)
{
    const cr__gda_density *d = &gda->density;
    const size_t K = d->classes;
    double *own = gda->marginal->column[column].own;

    for (size_t c = 0; c < K; c++) {
        const double v = i == SIZE_MAX ? 1e-300 : covariance_of(d, c, i, i);
        const double freedom = i == SIZE_MAX ? 0 : d->freedom[c];

        own[K + c] = i == SIZE_MAX ? center : d->mean[c * d->n + i];
        own[4 * K + c] = freedom;
        own[c] = freedom > 0 ? cr__log_gamma_ratio(freedom / 2, 0.5) - 0.5 * log(freedom * M_PI * v)
                             : -0.5 * log(2 * M_PI * v);
        own[2 * K + c] = freedom > 0 ? (freedom + 1) / 2 : 0.5 / v;
        own[3 * K + c] = freedom > 0 ? 1 / (freedom * v) : v;
    }
}

static cr_status set_marginals(cr__gda *gda, const cr__stats *stats)
{
    cr_status st = CR_OK;

    for (size_t column = 0, i = 0; st == CR_OK && column < stats->schema->columns; column++) {
        const int takes_part = i < gda->density.n && gda->column[i] == column;
        double center, spread;

        if (stats->column[column].moment == NULL)
            continue;
        st = spread_of(stats->column[column].moment, stats->classes, &center, &spread);
        set_marginal(gda, column, takes_part ? i : SIZE_MAX, center);
        i += (size_t)takes_part;
    }
    return st;
}

int cr__gda_is_diagonal(const cr__knobs *values)
{
    return cr__knobs_is(values, "covariance", "diagonal") ||
           cr__knobs_is(values, "covariance", "spherical");
}

static cr_status check_knobs(const cr__knobs *values, cr_error *err)
{
    if (cr__knobs_number(values, "pool") > 1 || cr__knobs_number(values, "shrinkage") > 1 ||
        cr__knobs_number(values, "level") > 1)
        return cr__fail(err, CR_EARG, "pool, shrinkage and level are shares: at most 1");
    if (cr__knobs_number(values, "level") > 0 && cr__knobs_is(values, "estimate", "predictive"))
        return cr__fail(err, CR_EARG, "level is for estimate=plugin");
    if (cr__gda_is_diagonal(values) && cr__knobs_is(values, "estimate", "predictive")) {
        cr__fail(err, CR_EARG, "estimate=predictive is for covariance=full and shared");
        return cr__fail_hint(
            err, CR_EARG,
            CR__SET("learner nb") " " CR__SET("knob gaussian=predictive") " has variances only");
    }
    return CR_OK;
}

/* Whether some row of a class has one number and lacks another. */
static int lacks_numbers(const cr__gda_fit *fit)
{
    for (size_t c = 0; c < fit->classes; c++)
        for (size_t i = 0; fit->cross->of[c].pair_count != NULL && i < fit->n; i++)
            if (cr__cross_pair(fit->cross, c, fit->term[i], fit->term[i], 0).count >
                fit->cross->of[c].count)
                return 1;
    return 0;
}

/* Results found from the rows, when only another knob has changed since. */
static cr_status keep_em(cr__gda_em *em, const cr__gda_fit *fit, const cr__fit_input *input,
                         cr_error *err)
{
    const cr__gda *before = input->before;
    const size_t size = cr__gda_em_size(fit->classes, fit->n);

    if (before == NULL || before->em.rows == NULL || input->before_knobs == NULL ||
        !cr__knobs_is(input->before_knobs, "covariance",
                      cr__knobs_text(fit->knobs, "covariance"))) {
        cr__fail(err, CR_EARG, "incomplete=em is found from the rows, which are not kept");
        return cr__fail_hint(err, CR_EARG,
                             "train again on all rows, or turn to "
                             "incomplete=pairwise with " CR__SET("refit a refit"));
    }
    *em = before->em;
    if ((em->own = cr__alloc(size, sizeof *em->own)) == NULL)
        return cr__fail_memory(err);
    memcpy(em->own, before->em.rows, size * sizeof *em->own);
    cr__gda_em_place(em, em->own, fit->classes, fit->n);
    return CR_OK;
}

/* Where rows lack numbers and the knob says so: means and covariances by EM. */
static cr_status complete_rows(cr__gda_fit *fit, cr__gda *gda, const cr__fit_input *input,
                               cr_error *err)
{
    cr_status st;

    if (!cr__knobs_is(fit->knobs, "incomplete", "em") || !lacks_numbers(fit))
        return CR_OK;
    st = input->rows == NULL
             ? keep_em(&gda->em, fit, input, err)
             : cr__gda_em_run(&gda->em, fit, input->rows,
                              (size_t)fmin(cr__knobs_number(fit->knobs, "em-steps"), 1e9), err);
    if (st == CR_OK) {
        memcpy(fit->rows, gda->em.rows, fit->classes * sizeof *fit->rows);
        memcpy(fit->mean, gda->em.mean, fit->classes * fit->n * sizeof *fit->mean);
        fit->em = &gda->em;
    }
    return st;
}

static void needs_with(const cr__knobs *values, cr__needs *needs)
{
    const int all = cr__knobs_is(values, "incomplete", "em") ||
                    cr__knobs_is(values, "shrinkage", "ledoit-wolf");

    if (!all && !cr__gda_chooses(values) && !cr__knobs_is(values, "shrinkage", "cv"))
        return;
    needs->rows = CR__ROWS_ONCE;
    needs->rows_most = all ? 0 : ROWS_MOST;
}

static cr_status fit_densities(cr__gda *gda, const cr__fit_input *input, cr_error *err)
{
    const cr__knobs *values = input->knobs;
    const int predictive = cr__knobs_is(values, "estimate", "predictive");
    int shared = cr__knobs_is(values, "covariance", "shared") && !predictive;
    cr__gda_fit fit = {.stats = input->stats,
                       .cross = input->stats->cross,
                       .knobs = values,
                       .classes = input->stats->classes,
                       .unbiased = cr__knobs_is(values, "variance-estimate", "unbiased"),
                       .complete = cr__knobs_is(values, "incomplete", "drop")};
    room r = {0};
    cr_status st = make_room(&fit, gda, &r);

    if (st != CR_OK)
        st = cr__fail_memory(err);
    if (st == CR_OK)
        st = complete_rows(&fit, gda, input, err);
    if (st == CR_OK)
        st = cr__gda_choose_shrinkage(&fit, input, r.shrinkage, &gda->choice, err);
    shared = shared || (gda->choice.pool == 1 && !predictive);
    if (st == CR_OK &&
        cr__gda_density_new(&gda->density, fit.classes, fit.n, shared ? 1 : fit.classes,
                            cr__gda_is_diagonal(values)) != CR_OK)
        st = cr__fail_memory(err);
    if (st == CR_OK)
        st = cr__gda_fit_factors(&fit, &gda->density, gda->own_repair, err);
    cr__free(r.term);
    cr__free(r.shrinkage);
    cr__free(fit.rows);
    cr__free(fit.mean);
    cr__free(fit.center);
    cr__free(fit.spread);
    return st;
}

static cr_status fit(void **fitted, const cr__fit_input *input, cr_error *err)
{
    cr__gda *gda = cr__gda_new();
    cr__fit_input naive = *input;
    cr__knobs own = {0};
    void *marginal = NULL;
    cr_status st = gda == NULL ? cr__fail_memory(err) : check_knobs(input->knobs, err);

    *fitted = NULL;
    if (st == CR_OK)
        st = cr__matrix_open(err);
    if (st == CR_OK)
        st = cr__gda_naive_knobs(&own, input->knobs, err);
    naive.knobs = &own;
    if (st == CR_OK && (st = cr__naive_bayes.fit(&marginal, &naive, err)) == CR_OK)
        gda->marginal = marginal;
    cr__knobs_free(&own);
    if (st == CR_OK)
        st = fit_densities(gda, input, err);
    if (st == CR_OK &&
        (set_marginals(gda, input->stats) != CR_OK || cr__gda_part_others(gda) != CR_OK))
        st = cr__fail_memory(err);
    if (st != CR_OK) {
        cr__gda_free(gda);
        return st;
    }
    *fitted = gda;
    return CR_OK;
}

/* --- getters ---------------------------------------------------------------------------------- */

static const cr__nb *naive(const void *fitted)
{
    return ((const cr__gda *)fitted)->marginal;
}

static double prior(const void *fitted, size_t c)
{
    return cr__naive_bayes.prior(naive(fitted), c);
}

static double probability(const void *fitted, size_t column, size_t value, size_t c)
{
    return cr__naive_bayes.has_values->probability(naive(fitted), column, value, c);
}

static void gaussian(const void *fitted, size_t column, size_t c, cr_gaussian *out)
{
    cr__naive_bayes.has_normals->gaussian(naive(fitted), column, c, out);
}

/* Columns that do not vary have no covariance. */
static double covariance(const void *fitted, size_t a, size_t b, size_t c)
{
    const cr__gda *gda = fitted;
    size_t i = 0, j = 0;

    while (i < gda->density.n && gda->column[i] != a)
        i++;
    while (j < gda->density.n && gda->column[j] != b)
        j++;
    return i < gda->density.n && j < gda->density.n ? covariance_of(&gda->density, c, i, j) : 0;
}

static double information(const void *fitted, size_t column)
{
    return cr__naive_bayes.information(naive(fitted), column);
}

static const cr__words *words(const void *fitted, size_t column)
{
    return cr__naive_bayes.has_words->words(naive(fitted), column);
}

static double word_share(const void *fitted, size_t column, size_t word, size_t c)
{
    return cr__naive_bayes.has_words->share(naive(fitted), column, word, c);
}

static size_t word_shares(const void *fitted, size_t column, const uint32_t *word, size_t n,
                          cr_word_share *share, double *work)
{
    return cr__naive_bayes.has_words->shares(naive(fitted), column, word, n, share, work);
}

/* Free parameters: those of naive Bayes for symbols and texts, n K means, and of the covariances
 * n (n + 1) / 2 each. */
static double parameters(const void *fitted, const cr__stats *stats, const cr__knobs *values)
{
    const double K = (double)stats->classes;
    double n = 0, total = K > 0 ? K - 1 : 0;

    (void)fitted;
    for (size_t i = 0; i < stats->schema->columns; i++) {
        if (!cr__stats_is_feature(stats->schema, i))
            continue;
        n += stats->column[i].moment != NULL;
        if (stats->column[i].bag != NULL)
            total += ((double)stats->column[i].bag->words - 1) * K;
        else if (stats->column[i].moment == NULL && cr__stats_values(stats, i) > 0)
            total += ((double)cr__stats_values(stats, i) - 1) * K;
    }
    total += n * K;
    if (n == 0)
        return total;
    if (cr__knobs_is(values, "covariance", "shared"))
        return total + n * (n + 1) / 2;
    if (cr__knobs_is(values, "covariance", "spherical"))
        return total + K;
    return total + (cr__knobs_is(values, "covariance", "diagonal") ? n : n * (n + 1) / 2) * K;
}

/* Notes on repaired covariances, features left out, the chosen form, the steps of EM. */
static int remark(const void *fitted, const cr_schema *schema, cr__dict *const *dict, size_t index,
                  char *buffer, size_t size)
{
    const cr__gda *gda = fitted;
    const cr__gda_density *d = &gda->density;

    for (size_t f = 0; d->n > 0 && f < d->factors; f++)
        if (gda->repair[f].ridge > 0 && index-- == 0) {
            const char *name = cr__dict_word(dict[schema->target], (uint32_t)f + 1, NULL);

            snprintf(buffer, size,
                     "the %scovariance%s%s%s is not of full rank: %g of each "
                     "feature's variance was added to it; shrinkage or a ridge may do better",
                     d->factors == 1 ? "shared " : "", d->factors == 1 ? "" : " of class '",
                     d->factors == 1 ? "" : name, d->factors == 1 ? "" : "'", gda->repair[f].ridge);
            return 1;
        }
    for (size_t i = 0, k = 0; i < schema->columns; i++) {
        const int takes_part = k < d->n && gda->column[k] == i;

        k += (size_t)takes_part;
        if (!takes_part && cr__stats_is_feature(schema, i) && schema->column[i].kind == CR_REAL &&
            index-- == 0) {
            snprintf(buffer, size, "'%s' does not vary and is left out", schema->column[i].name);
            return 1;
        }
    }
    if (!isnan(gda->choice.pool) && d->n > 0 && index-- == 0) {
        snprintf(buffer, size,
                 "covariance: pool %g, shrinkage %g and level %g chosen by cross-validation",
                 gda->choice.pool, gda->choice.shrinkage, gda->choice.level);
        return 1;
    }
    if (gda->em.rows != NULL && index == 0) {
        snprintf(buffer, size, "EM over rows that lack numbers %s %llu steps; log likelihood %.10g",
                 gda->em.settled ? "settled after" : "had not settled after",
                 (unsigned long long)gda->em.steps, gda->em.log_likelihood);
        return 1;
    }
    return 0;
}

static const cr__scores scores = {.score = cr__gda_score};
static const cr__explains explains = {
    .factors = cr__gda_factors, .work = CR__NB_FACTOR_WORK, .detail = &cr__gda_detail};
static const cr__has_words has_words = {words, word_share, word_shares};
static const cr__has_values has_values = {.probability = probability};
static const cr__has_normals has_normals = {gaussian, covariance};

static const cr__has_joint has_joint = {
    .measure = cr__gda_measure, .is_number = cr__gda_is_number, .network = cr__gda_network};

const cr__learner cr__gaussian_discriminants = {
    .name = "gda",
    .summary = "Gaussian discriminants: real features correlated within a class",
    .knobs = knobs,
    .knob_count = sizeof knobs / sizeof *knobs,
    .needs = {.cross = CR__CROSS_CLASSES},
    .needs_with = needs_with,
    .fit = fit,
    .free = cr__gda_free,
    .save = cr__gda_save,
    .sections = "GDAH GDAC GDAD GDAR GDAE GDAP NBPR NBFT TXHD TXIX TXWD TXID TXCL TXDL",
    .open = cr__gda_open,
    .prior = prior,
    .parameters = parameters,
    .information = information,
    .remark = remark,
    .scores = &scores,
    .explains = &explains,
    .has_words = &has_words,
    .has_values = &has_values,
    .has_normals = &has_normals,
    .has_joint = &has_joint,
    .is_linear = cr__gda_linear,
};
