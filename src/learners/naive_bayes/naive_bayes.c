/* learners/naive_bayes/naive_bayes.c - the learner's table, its knobs, its fitted parameters. */
#include "learners/naive_bayes/naive_bayes.h"
#include "learners/naive_bayes/without.h"

#include <math.h>
#include <stdio.h>

#include "base/fail.h"
#include "base/memory.h"
#include "learners/registry.h"
#include "model/text_knobs.h"

static const cr__knob_spec knobs[] = {
    CR__NB_SYMBOL_KNOBS,
    {"variance", "feature", CR__KNOB_CHOICE, 0, "class-feature|feature|class|shared",
     "what has a variance of its own"},
    {"variance-estimate", "unbiased", CR__KNOB_CHOICE, 0, "mle|unbiased",
     "divide by n or by n - 1"},
    {"variance-floor", "1e-9", CR__KNOB_NUMBER, 0, NULL,
     "added to every variance, as a share of the largest variance of any feature"},
    {"gaussian", "plugin", CR__KNOB_CHOICE, 0, "plugin|predictive",
     "plug estimates into a Gaussian, or integrate them out (Student-t)"},
    {"mean-rows", "1", CR__KNOB_NUMBER, 1e-9, NULL,
     "gaussian=predictive: rows the prior mean is worth"},
    {"variance-rows", "1000", CR__KNOB_NUMBER, 1e-9, NULL,
     "gaussian=predictive: rows the prior variance is worth"},
    {"real", "gaussian", CR__KNOB_LISTED, 0, NULL,
     "numbers: gaussian, kde, bins:RULE with mdl, sqrt, width:K, frequency:K, or auto: for each "
     "column what separates the classes best, by leaving one out"},
    {"values", "auto", CR__KNOB_CHOICE, 0, "auto|keep",
     "numbers: keep them all, so that real can be turned later; fixed at training"},
    {"bandwidth", "auto", CR__KNOB_EITHER, 1e-300, "auto|silverman|range|rows",
     "real=kde: width of a kernel, by rule, as a number, or by leaving one out"},
    {"kde-rows", "10", CR__KNOB_NUMBER, 0, NULL,
     "real=kde: rows that a Gaussian of all classes, mixed in, is worth"},
    CR__NB_EVENT_KNOBS,
    CR__TEXT_KNOBS,
};

void cr__nb_free(void *fitted)
{
    cr__nb *nb = fitted;

    if (nb == NULL)
        return;
    for (size_t i = 0; nb->column != NULL && i < nb->columns; i++) {
        cr__free(nb->column[i].own);
        cr__nb_kde_free(nb->column[i].kde);
        cr__nb_text_free(nb->column[i].text);
    }
    cr__nb_bins_free(nb->bins, nb->columns);
    cr__nb_pace_free(nb->pace);
    cr__free(nb->column);
    cr__free(nb->own_prior);
    cr__free(nb);
}

static cr_status fit_symbols(cr__nb *nb, const cr__stats *stats, const cr__knobs *values,
                             cr_error *err)
{
    for (size_t i = 0; i < nb->columns; i++) {
        cr__nb_column *column = &nb->column[i];

        if (!cr__stats_is_feature(stats->schema, i))
            continue;
        column->kind = stats->schema->column[i].kind;
        column->cut = column->kind == CR_REAL && stats->column[i].dict != NULL;
        if (column->kind != CR_SYMBOL && !column->cut)
            continue;
        column->values = cr__stats_values(stats, i);
        if (nb->classes != 0 && column->values + 2 > SIZE_MAX / sizeof(double) / nb->classes)
            return cr__fail_memory(err);
        column->own = cr__alloc((column->values + 2) * nb->classes, sizeof *column->own);
        if (column->own == NULL)
            return cr__fail_memory(err);
        cr__nb_fit_symbol(stats, values, i, column->own);
        column->log_p = column->own;
    }
    return CR_OK;
}

static cr_status fit_kernels(cr__nb *nb, const cr__stats *stats, const cr__knobs *values,
                             const cr__nb_form *form, cr_error *err)
{
    cr_status st = CR_OK;

    for (size_t i = 0; st == CR_OK && i < nb->columns; i++)
        if (stats->column[i].moment != NULL && form[i].kind == CR__NB_KDE)
            st = cr__nb_fit_kde(&nb->column[i].kde, stats, values, &form[i], i, err);
    return st;
}

static cr_status fit_reals(cr__nb *nb, const cr__stats *stats, const cr__knobs *values,
                           const cr__nb_form *form, cr_error *err)
{
    double **arrays = cr__alloc_zero(nb->columns, sizeof *arrays);
    cr_status st =
        arrays == NULL ? cr__fail_memory(err) : cr__nb_fit_reals(stats, values, form, arrays, err);

    for (size_t i = 0; arrays != NULL && i < nb->columns; i++)
        if (arrays[i] != NULL) {
            nb->column[i].own = arrays[i];
            nb->column[i].real = cr__nb_real_arrays(arrays[i], nb->classes);
        }
    cr__free(arrays);
    return st;
}

static cr_status fit_texts(cr__nb *nb, const cr__stats *stats, const cr__knobs *values,
                           cr_error *err)
{
    cr_status st = CR_OK;

    for (size_t i = 0; st == CR_OK && i < nb->columns; i++)
        if (stats->column[i].bag != NULL)
            st = cr__nb_fit_text(&nb->column[i].text, stats->column[i].bag, values, err);
    return st;
}

static cr_status fit_prior(cr__nb *nb, const cr__stats *stats, const cr__knobs *values,
                           cr_error *err)
{
    double *fraction = cr__alloc(nb->classes, 2 * sizeof *fraction);
    cr_status st = CR_OK;

    nb->own_prior = cr__alloc(nb->classes, sizeof *nb->own_prior);
    nb->log_prior = nb->own_prior;
    if (nb->own_prior == NULL || fraction == NULL)
        st = cr__fail_memory(err);
    else
        st = cr__nb_fit_prior(stats, values, nb->own_prior, fraction, fraction + nb->classes, err);
    cr__free(fraction);
    return st;
}

/* All columns, from statistics that have intervals in place of numbers where these are cut. */
static cr_status fit_columns(cr__nb *nb, const cr__stats *stats, const cr__knobs *values,
                             const cr__nb_form *form, cr_error *err)
{
    cr_status st = cr__nb_check_smoothing(stats, values, err);

    if (st == CR_OK)
        st = fit_prior(nb, stats, values, err);
    if (st == CR_OK)
        st = fit_symbols(nb, stats, values, err);
    if (st == CR_OK)
        st = fit_reals(nb, stats, values, form, err);
    if (st == CR_OK)
        st = fit_kernels(nb, stats, values, form, err);
    return st == CR_OK ? fit_texts(nb, stats, values, err) : st;
}

static cr_status fit(void **fitted, const cr__fit_input *input, cr_error *err)
{
    const cr__stats *stats = input->stats;
    const cr__knobs *values = input->knobs;
    cr__column_stats *room = cr__alloc(stats->schema->columns, sizeof *room);
    cr__stats view;
    cr__nb *nb = cr__alloc_zero(1, sizeof *nb);
    cr__nb_form *form = NULL;
    cr_status st;

    *fitted = NULL;
    if (nb == NULL || room == NULL) {
        cr__free(nb);
        cr__free(room);
        return cr__fail_memory(err);
    }
    nb->classes = stats->classes;
    nb->columns = stats->schema->columns;
    if ((nb->column = cr__alloc_zero(nb->columns, sizeof *nb->column)) == NULL)
        st = cr__fail_memory(err);
    else
        st = cr__nb_forms(&form, stats, values, input->run, err);
    if (st == CR_OK)
        st = cr__nb_cut(&nb->bins, stats, values, form, err);
    if (st == CR_OK) {
        view = cr__nb_view(stats, nb->bins, room);
        st = fit_columns(nb, &view, values, form, err);
    }
    cr__free(form);
    cr__free(room);
    if (st != CR_OK) {
        cr__nb_free(nb);
        return st;
    }
    *fitted = nb;
    return CR_OK;
}

static double prior(const void *fitted, size_t c)
{
    return exp(((const cr__nb *)fitted)->log_prior[c]);
}

static double probability(const void *fitted, size_t column, size_t value, size_t c)
{
    const cr__nb *nb = fitted;

    return exp(nb->column[column].log_p[(value + 1) * nb->classes + c]);
}

static void gaussian(const void *fitted, size_t column, size_t c, cr_gaussian *out)
{
    const cr__nb_real *real = &((const cr__nb *)fitted)->column[column].real;
    const cr__nb_kde *kde = ((const cr__nb *)fitted)->column[column].kde;

    out->bandwidth = kde == NULL ? 0 : kde->of[c].bandwidth;
    out->fitted_mean = real->mean[c];
    out->freedom = real->freedom[c];
    out->fitted_variance =
        real->freedom[c] > 0 ? 1 / (real->freedom[c] * real->inverse[c]) : real->inverse[c];
}

/* Features are independent given the class. */
static double covariance(const void *fitted, size_t a, size_t b, size_t c)
{
    cr_gaussian g = {0};

    gaussian(fitted, a, c, &g);
    return a == b ? g.fitted_variance : 0;
}

static const cr__column_stats *binned(const void *fitted, size_t column)
{
    const cr__nb *nb = fitted;

    return nb->bins == NULL || nb->bins[column].counted.dict == NULL ? NULL
                                                                     : &nb->bins[column].counted;
}

static const cr__words *words(const void *fitted, size_t column)
{
    return &((const cr__nb *)fitted)->column[column].text->words;
}

static double word_share(const void *fitted, size_t column, size_t word, size_t c)
{
    return cr__nb_word_share(((const cr__nb *)fitted)->column[column].text, word, c);
}

static size_t word_shares(const void *fitted, size_t column, const uint32_t *word, size_t n,
                          cr_word_share *share, double *work)
{
    return cr__nb_word_shares(((const cr__nb *)fitted)->column[column].text, word, n, share, work);
}

/* Whether the classes of a real column have variances of their own, by choice. */
static int own_variances(const cr__nb_real *real, size_t classes)
{
    for (size_t c = 1; c < classes; c++)
        if (real->freedom[c] == 0 && real->inverse[c] != real->inverse[0])
            return 1;
    return 0;
}

/* Free parameters: K - 1 for the classes, (V - 1) K for a symbol of V values, K means for a real
 * feature and as many variances as the tying allows, or K of its own; a kernel density counts its
 * numbers. */
static double parameters(const void *fitted, const cr__stats *stats, const cr__knobs *values)
{
    const cr__nb *nb = fitted;
    const double K = (double)stats->classes;
    const int chosen = cr__knobs_is(values, "real", "auto");
    double total = K > 0 ? K - 1 : 0, reals = 0;

    for (size_t i = 0; i < nb->columns; i++) {
        const cr__nb_column *column = &nb->column[i];

        if (column->kde != NULL)
            total += (double)column->kde->entries;
        else if (column->kind == CR_REAL && !column->cut && chosen &&
                 own_variances(&column->real, nb->classes))
            total += 2 * K;
        else if (column->kind == CR_REAL && !column->cut)
            reals++;
        else if (column->kind == CR_BAG)
            total += ((double)stats->column[i].bag->words - 1) * K;
        else if (column->values > 0)
            total += ((double)column->values - 1) * K;
    }
    total += reals * K;
    if (reals == 0)
        return total;
    if (cr__knobs_is(values, "variance", "shared"))
        return total + 1;
    if (cr__knobs_is(values, "variance", "class"))
        return total + K;
    return total + (cr__knobs_is(values, "variance", "feature") ? reals : reals * K);
}

static const cr__scores scores = {.score = cr__nb_score};
static const cr__explains explains = {
    .factors = cr__nb_factors, .work = CR__NB_FACTOR_WORK, .detail = &cr__nb_detail};
static const cr__has_words has_words = {words, word_share, word_shares};
static const cr__has_values has_values = {probability, binned};
static const cr__has_normals has_normals = {gaussian, covariance};
static const cr__has_joint has_joint = {.measure = cr__nb_measure, .network = cr__nb_network};

/* docs/naive-bayes.md has the figures. */
static const cr__usual usual_numbers = {
    .setting = {"real=auto"},
    .unless = " real variance variance-estimate variance-floor gaussian mean-rows variance-rows ",
    .numbers = 1,
    .rows_least = 100,
    .rows_most = 100000,
    .cells_most = 500000,
    .beyond = "numbers are taken as Gaussian: there are too many to choose a density for each "
              "column unasked; " CR__SET("knob real=auto") " does it, " CR__SET(
                  "knob real=gaussian") " is content",
};

/* docs/text.md has the figures. */
static const cr__usual usual_texts = {
    .setting = {"event=boolean", "text-alpha=auto", "text-length=50"},
    .unless = " event text-smoothing text-alpha lambda mu text-length text-alike smoothing alpha "
              "weight length-norm preset ",
    .texts = 1,
    .rows_least = 300,
    .rows_most = UINT64_MAX,
};

/* These settings are settled from sums, or from the numbers where the model keeps them, by leaving
 * one out (choose_real.c, choose_text.c). */
static cr_status advise(const void *fitted, const cr__stats *stats, const cr__knobs *values,
                        cr__advice *out, cr_error *err)
{
    static const struct {
        const char *setting;
        cr_kind kind;
    } settled[] = {
        {"real=auto", CR_REAL}, {"bandwidth=auto", CR_REAL}, {"text-alpha=auto", CR_BAG}};
    const cr_schema *schema = stats->schema;

    (void)fitted;
    (void)values;
    (void)err;
    for (size_t k = 0; k < sizeof settled / sizeof *settled; k++) {
        int has = 0;

        for (size_t i = 0; i < schema->columns; i++)
            has |= schema->column[i].kind == settled[k].kind && cr__stats_is_feature(schema, i);
        if (has)
            snprintf(out->setting[out->count++], sizeof *out->setting, "%s", settled[k].setting);
    }
    return CR_OK;
}

const cr__learner cr__naive_bayes = {
    .name = "nb",
    .summary = "naive Bayes over any mix of symbols, 0/1 and real features",
    .knobs = knobs,
    .knob_count = sizeof knobs / sizeof *knobs,
    .other_knob = "pairs",
    .other = &cr__pairs,
    .usual = {&usual_numbers, &usual_texts},
    .fit = fit,
    .free = cr__nb_free,
    .words_apart = cr__nb_words_apart,
    .save = cr__nb_save,
    .sections = "NBPR NBFT NBBN NBKD TXHD TXIX TXWD TXID TXCL TXDL",
    .open = cr__nb_open,
    .advise = advise,
    .prior = prior,
    .parameters = parameters,
    .information = cr__nb_information,
    .scores = &scores,
    .explains = &explains,
    .has_words = &has_words,
    .has_values = &has_values,
    .has_normals = &has_normals,
    .has_joint = &has_joint,
    .leaves_one_out = &cr__nb_without,
    .follows = &cr__nb_follows,
    .is_uncertain = &cr__nb_uncertain,
    .has_evidence = cr__nb_evidence,
    .is_linear = cr__nb_linear,
};
