/* model/naive_bayes/naive_bayes.c - the learner's table, its knobs, its fitted parameters. */
#include "model/naive_bayes/naive_bayes.h"

#include <math.h>

#include "base/fail.h"
#include "base/memory.h"

static const cr__knob_spec knobs[] = {
    {"smoothing", "laplace", CR__KNOB_CHOICE, 0, "none|laplace|laplace-classes|m-estimate|dirichlet",
     "how P(value | class) is estimated from counts"},
    {"alpha", "1", CR__KNOB_LISTED, 0, NULL,
     "laplace: added to every count; also per column, as in 1,COLUMN:0.5"},
    {"m", "1", CR__KNOB_LISTED, 0, NULL, "m-estimate: rows the prior guess is worth"},
    {"p", "uniform", CR__KNOB_EITHER, 0, "uniform|marginal",
     "m-estimate: the prior guess: 1/values, the value's share in all classes, or a number"},
    {"beta", "2", CR__KNOB_LISTED, 0, NULL, "dirichlet: parameter of the prior, at least 1"},
    {"prior", "empirical", CR__KNOB_LISTED, 0, NULL,
     "P(class): empirical, uniform, map (with prior-beta), or CLASS:P,CLASS:P,…"},
    {"prior-beta", "2", CR__KNOB_NUMBER, 1, NULL, "prior=map: parameter of the Dirichlet prior"},
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
    {"unseen", "skip", CR__KNOB_CHOICE, 0, "skip|smooth",
     "a value never seen: left out, or smoothed as one more value"},
    {"event", "multinomial", CR__KNOB_CHOICE, 0,
     "multinomial|boolean|bernoulli|complement|weighted-complement", "texts: the event model"},
    {"text-smoothing", "additive", CR__KNOB_CHOICE, 0, "additive|jelinek-mercer|dirichlet",
     "texts: how P(word | class) is smoothed"},
    {"text-alpha", "same", CR__KNOB_EITHER, 0, "same|auto",
     "texts: added to every count; auto: by leaving one out; same: as alpha"},
    {"lambda", "0.5", CR__KNOB_NUMBER, 0, NULL, "jelinek-mercer: share of the whole vocabulary"},
    {"mu", "2000", CR__KNOB_NUMBER, 1e-9, NULL, "dirichlet: words the prior is worth"},
    {"select", "none", CR__KNOB_LISTED, 0, NULL,
     "texts: keep the K words that tell most: chi2:K or gain:K; or those of log-odds D: odds:D"},
    {"text-length", "none", CR__KNOB_EITHER, 1, "none",
     "texts: a longer one counts like one of so many words"},
    {"min-count", "1", CR__KNOB_NUMBER, 0, NULL, "texts: leave out words seen less often"},
    {"weight", "counts", CR__KNOB_CHOICE, 0, "counts|binary|log|tfidf|sublinear-tfidf",
     "texts: what a word counts in a text; settled by training"},
    {"length-norm", "none", CR__KNOB_CHOICE, 0, "none|l2",
     "texts: scale each text to length 1; settled by training"},
    {"tokens", "words", CR__KNOB_CHOICE, 0, "words|words2|rich|chars",
     "texts: what a word is; settled by training, like all below"},
    {"ngrams", "usual", CR__KNOB_LISTED, 0, NULL, "texts: runs of N or MIN..MAX words"},
    {"skip-bigrams", "no", CR__KNOB_LISTED, 0, NULL,
     "texts: pairs of words with others between: no, yes or WINDOW"},
    {"stop", "none", CR__KNOB_LISTED, 0, NULL,
     "texts: words to leave out: LANG, FILE, or common:N, which can change later"},
    {"stem", "none", CR__KNOB_LISTED, 0, NULL, "texts: cut words to their stems: none or LANG"},
    {"strip", "none", CR__KNOB_LISTED, 0, NULL,
     "texts: parts of a post to leave out: headers,footers,quotes"},
    {"lower-case", "yes", CR__KNOB_CHOICE, 0, "yes|no", "texts: fold capitals"},
    {"mail", "no", CR__KNOB_CHOICE, 0, "yes|no",
     "texts: they are mail messages; yes by itself for mailboxes and Maildirs"},
};

void cr__nb_free(void *fitted)
{
    cr__nb *nb = fitted;

    if (nb == NULL)
        return;
    for (size_t i = 0; nb->column != NULL && i < nb->columns; i++) {
        cr__free(nb->column[i].own);
        cr__nb_text_free(nb->column[i].text);
    }
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
        if (column->kind != CR_SYMBOL)
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

static cr_status fit_reals(cr__nb *nb, const cr__stats *stats, const cr__knobs *values,
                           cr_error *err)
{
    double **arrays = cr__alloc_zero(nb->columns, sizeof *arrays);
    cr_status st = arrays == NULL ? cr__fail_memory(err)
                                  : cr__nb_fit_reals(stats, values, arrays, err);

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
        st = cr__nb_fit_prior(stats, values, nb->own_prior, fraction, fraction + nb->classes,
                              err);
    cr__free(fraction);
    return st;
}

static cr_status fit(void **fitted, const cr__lesson *lesson, cr_error *err)
{
    const cr__stats *stats = lesson->stats;
    const cr__knobs *values = lesson->knobs;
    cr__nb *nb = cr__alloc_zero(1, sizeof *nb);
    cr_status st;

    *fitted = NULL;
    if (nb == NULL)
        return cr__fail_memory(err);
    nb->classes = stats->classes;
    nb->columns = stats->schema->columns;
    if ((nb->column = cr__alloc_zero(nb->columns, sizeof *nb->column)) == NULL)
        st = cr__fail_memory(err);
    else
        st = cr__nb_check_smoothing(stats, values, err);
    if (st == CR_OK)
        st = fit_prior(nb, stats, values, err);
    if (st == CR_OK)
        st = fit_symbols(nb, stats, values, err);
    if (st == CR_OK)
        st = fit_reals(nb, stats, values, err);
    if (st == CR_OK)
        st = fit_texts(nb, stats, values, err);
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

    out->fitted_mean = real->mean[c];
    out->freedom = real->freedom[c];
    out->fitted_variance = real->freedom[c] > 0 ? 1 / (real->freedom[c] * real->inverse[c])
                                                : real->inverse[c];
}

static uint32_t find_word(const void *fitted, size_t column, uint64_t hash, const char *word,
                          size_t length)
{
    return cr__words_find(&((const cr__nb *)fitted)->column[column].text->words, hash, word, length);
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

/* Free parameters: K - 1 for the classes, (V - 1) K for a symbol of V values, K means for a real
 * feature and as many variances as the tying leaves. */
static double parameters(const cr__stats *stats, const cr__knobs *values)
{
    const double K = (double)stats->classes;
    double total = K > 0 ? K - 1 : 0, reals = 0;

    for (size_t i = 0; i < stats->schema->columns; i++) {
        if (!cr__stats_is_feature(stats->schema, i))
            continue;
        if (stats->column[i].moment != NULL)
            reals++;
        else if (stats->column[i].bag != NULL)
            total += ((double)stats->column[i].bag->words - 1) * K;
        else if (cr__stats_values(stats, i) > 0)
            total += ((double)cr__stats_values(stats, i) - 1) * K;
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

const cr__learner cr__naive_bayes = {
    .name = "nb",
    .summary = "naive Bayes over any mix of symbols, 0/1 and real features",
    .knobs = knobs,
    .knob_count = sizeof knobs / sizeof *knobs,
    .fit = fit,
    .free = cr__nb_free,
    .save = cr__nb_save,
    .open = cr__nb_open,
    .score = cr__nb_score,
    .factors = cr__nb_factors,
    .factor_work = CR__NB_FACTOR_WORK,
    .prior = prior,
    .probability = probability,
    .gaussian = gaussian,
    .information = cr__nb_information,
    .find_word = find_word,
    .word_share = word_share,
    .word_shares = word_shares,
    .parameters = parameters,
    .measure = cr__nb_measure,
    .evidence = cr__nb_evidence,
};
