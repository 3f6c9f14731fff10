/* learners/logistic/logistic.c - the learner's table, its knobs, and how they are fitted. */
#include "learners/logistic/logistic.h"

#include <math.h>
#include <stdio.h>
#include <string.h>

#include "base/team.h"
#include "base/fail.h"
#include "base/memory.h"
#include "base/number.h"
#include "base/sized.h"
#include "learners/logistic/fit.h"
#include "learners/logistic/history.h"
#include "learners/registry.h"
#include "model/text_knobs.h"

#define PROBABILITIES_MOST 2e9 /* of rows and classes in one step: some ten seconds */
#define NEWTON_WORK 3e8        /* products of pairs of features that are quickly computed */
#define NEWTON_SHARE 16        /* or that many for each of the features of all rows */

static const cr__knob_spec knobs[] = {
    {"prior", "gaussian", CR__KNOB_CHOICE, 0, "gaussian|laplace|none",
     "of the weights; none: maximum likelihood"},
    {"lambda", "1", CR__KNOB_EITHER, 0, "auto",
     "how strong the prior is, scikit-learn's 1/C; auto: by cross-validation"},
    {"sigma", "none", CR__KNOB_EITHER, 1e-150, "none",
     "the prior's standard deviation, instead: lambda is 1/sigma^2"},
    {"prior-mean", "0", CR__KNOB_LISTED, 0, NULL,
     "prior=gaussian, two classes: where the weights are believed to be before the rows are seen, "
     "in the data's units: NUMBER:M,SYMBOL=VALUE:M,..."},
    {"solver", "auto", CR__KNOB_CHOICE, 0, "auto|lbfgs|newton|gradient|sgd",
     "how the maximum is found; auto: newton for few weights, else lbfgs; sgd streams"},
    {"epsilon", "auto", CR__KNOB_EITHER, 0, "auto",
     "stop when no derivative per row is larger; gradient: when the change per row is smaller; "
     "auto: 1e-6, with texts 1e-3"},
    {"iterations", "1000", CR__KNOB_NUMBER, 1, NULL, "steps at most"},
    {"eta", "auto", CR__KNOB_EITHER, 1e-300, "auto", "gradient and sgd: the length of a step"},
    {"passes", "1", CR__KNOB_NUMBER, 1, NULL, "sgd: how often the data are read"},
    {"class-weight", "none", CR__KNOB_LISTED, 0, NULL,
     "what a row counts by its class: none, balanced, or CLASS:W,CLASS:W,..."},
    {"form", "auto", CR__KNOB_CHOICE, 0, "auto|softmax|reference",
     "weights for every class, or for all but the first; auto: that for two classes"},
    {"coding", "onehot", CR__KNOB_CHOICE, 0, "onehot|reference|effect",
     "symbols: an indicator for each value, for all but the first, or against their mean"},
    {"standardise", "yes", CR__KNOB_CHOICE, 0, "yes|no",
     "the prior sees reals in standard deviations, or as they are"},
    {"interactions", "no", CR__KNOB_CHOICE, 0, "no|yes",
     "products of the features of each two columns, and squares of numbers, are features as well"},
    {"features", "raw", CR__KNOB_CHOICE, 0, "raw|log-count-ratio",
     "texts: words as they are, or scaled by the naive Bayes log-count ratio"},
    {"alpha", "1", CR__KNOB_NUMBER, 1e-9, NULL, "log-count-ratio: added to every count"},
    {"posterior", "auto", CR__KNOB_CHOICE, 0, "auto|full|diagonal|none",
     "covariance of the weights; auto: full up to 512 weights and a few million rows"},
    {"moderate", "no", CR__KNOB_CHOICE, 0, "no|yes",
     "average predictions over the posterior of the weights"},
    {"trace", "no", CR__KNOB_CHOICE, 0, "no|yes", "keep the likelihood of each step, for show"},
    CR__TEXT_KNOBS,
};

/* --- what the knobs say -------------------------------------------------------------------- */

/* When to stop. Texts have many words that occur in hardly any row: their last digits take most of
 * the steps and change no answer. */
static double epsilon_of(const cr__fit_input *input)
{
    const double epsilon = cr__knobs_number(input->knobs, "epsilon");
    int texts = 0;

    for (size_t i = 0; i < input->stats->schema->columns; i++)
        texts |= cr__stats_is_feature(input->stats->schema, i) &&
                 input->stats->schema->column[i].kind == CR_BAG;
    return !isnan(epsilon) ? epsilon : texts ? 1e-3 : 1e-6;
}

static void read_knobs(cr__lr_fit *f)
{
    const cr__knobs *k = f->input->knobs;
    const double sigma = cr__knobs_number(k, "sigma");

    f->solver = cr__knobs_is(k, "solver", "newton")     ? CR__LR_NEWTON
                : cr__knobs_is(k, "solver", "gradient") ? CR__LR_GRADIENT
                : cr__knobs_is(k, "solver", "sgd")      ? CR__LR_SGD
                                                        : CR__LR_LBFGS;
    f->prior = cr__knobs_is(k, "prior", "none")      ? CR__LR_FLAT
               : cr__knobs_is(k, "prior", "laplace") ? CR__LR_LAPLACE
                                                     : CR__LR_GAUSSIAN;
    f->lambda = isnan(sigma) ? cr__knobs_number(k, "lambda") : 1 / (sigma * sigma);
    if (f->prior == CR__LR_FLAT || f->lambda == 0) {
        f->prior = CR__LR_FLAT;
        f->lambda = 0;
    }
    f->search = (cr__lr_search){.epsilon = epsilon_of(f->input),
                                .most = (size_t)fmin(cr__knobs_number(k, "iterations"), 1e9),
                                .eta = cr__knobs_number(k, "eta"),
                                .keep_trace = cr__knobs_is(k, "trace", "yes"),
                                .run = f->input->run};
}

/* Newton needs the fewest steps, and each is cheap as long as the second derivatives are, which are
 * computed from a sample of the rows. */
static void choose_solver(cr__lr_fit *f)
{
    const cr__lr_shape *shape = &f->lr->shape;
    const size_t all = cr__lr_parameters(shape);
    const cr__lr_design *d = f->design;
    const double entries = d->by_row.start == NULL || d->rows == 0
                               ? 0
                               : (double)d->by_row.start[d->rows] / (double)d->rows;
    const double width = (double)shape->sets * (1 + (double)shape->dense + entries);
    const double rows = (double)d->rows, sample = fmin(rows, CR__LR_SAMPLE * (double)all);

    if (cr__knobs_is(f->input->knobs, "solver", "auto") && f->prior != CR__LR_LAPLACE &&
        all <= CR__LR_MOST_FULL &&
        width * width * sample <= fmax(NEWTON_WORK, NEWTON_SHARE * width * rows))
        f->solver = CR__LR_NEWTON;
}

static cr_status check_knobs(const cr__lr_fit *f, cr_error *err)
{
    if (f->prior == CR__LR_LAPLACE && f->solver != CR__LR_LBFGS)
        return cr__fail(err, CR_EARG, "prior=laplace goes with solver=lbfgs");
    if (isnan(f->lambda) && f->solver == CR__LR_SGD)
        return cr__fail(err, CR_EARG,
                        "lambda=auto needs the rows in memory, which sgd does not have");
    if (f->solver == CR__LR_SGD && cr__knobs_is(f->input->knobs, "interactions", "yes"))
        return cr__fail(err, CR_EARG,
                        "interactions=yes needs the rows in memory, which sgd does not have");
    return CR_OK;
}

/* --- fitting ------------------------------------------------------------------------------- */

static void release(cr__lr_fit *f)
{
    cr__lr_objective_close(&f->objective);
    cr_pool_free(f->pool);
    cr__lr_design_free(f->design);
    cr__free(f->class_weight);
    cr__free(f->theta);
    cr__free(f->precision);
    cr__free(f->matrix);
    cr__free(f->centre);
    cr__free(f->scale);
    cr__free(f->search.trace);
    cr__lr_free(f->lr);
}

/* Shares of the classes: their rows by weight. */
static cr_status fit_shares(cr__lr_fit *f, cr_error *err)
{
    const cr__stats *stats = f->input->stats;
    double *share = cr__alloc(stats->classes, sizeof *share), total = 0;

    if (share == NULL)
        return cr__fail_memory(err);
    f->lr->share = f->lr->own[1] = share;
    for (size_t c = 0; c < stats->classes; c++) {
        share[c] = cr__count_value(cr__stats_class(stats, c)) *
                   (f->class_weight == NULL ? 1 : f->class_weight[c]);
        total += share[c];
    }
    for (size_t c = 0; c < stats->classes; c++)
        share[c] = total > 0 ? share[c] / total : 0;
    return CR_OK;
}

/* The centres and scales of reals are kept when learning continues. */
static cr_status fit_frame(cr__lr_fit *f, cr_error *err)
{
    const cr__lr *before = f->input->before;
    const size_t columns = f->lr->shape.columns;
    double *frame = cr__alloc(columns, 2 * sizeof *frame);

    if (frame == NULL)
        return cr__fail_memory(err);
    f->lr->frame = f->lr->own[2] = frame;
    if (before != NULL && before->shape.columns == columns)
        memcpy(frame, before->frame, 2 * columns * sizeof *frame);
    else
        cr__lr_frame(f->input->stats, frame);
    return CR_OK;
}

static cr_status begin(cr__lr_fit *f, cr_error *err)
{
    const cr__fit_input *input = f->input;
    cr__lr_shape shape;
    size_t all;
    cr_status st = cr__lr_shape_new(&shape, input->stats, input->knobs, err);

    if (st != CR_OK) {
        cr__lr_shape_free(&shape);
        return st;
    }
    if ((st = cr__lr_new(&f->lr, &shape, err)) != CR_OK ||
        (st = cr__lr_class_weights(&f->class_weight, input->stats, input->knobs, err)) != CR_OK ||
        (st = fit_shares(f, err)) != CR_OK || (st = fit_frame(f, err)) != CR_OK)
        return st;
    all = cr__lr_parameters(&f->lr->shape);
    f->theta = cr__alloc_zero(all, sizeof *f->theta);
    f->precision = cr__alloc_zero(all, sizeof *f->precision);
    if (f->theta == NULL || f->precision == NULL)
        return cr__fail_memory(err);
    if (input->before != NULL)
        return cr__lr_resume(f, err);
    if ((st = cr__lr_prior_mean(f, err)) != CR_OK)
        return st;
    if (cr__knobs_is(input->knobs, "features", "log-count-ratio"))
        return cr__lr_ratios(&f->scale, &f->lr->shape, input->stats, input->knobs, err);
    return CR_OK;
}

/* The products with a symbol that a row has at most, about. */
static double products_a_row(const cr__lr_shape *shape)
{
    double sum = 0;

    for (size_t k = 0; k < shape->pairs; k++)
        sum += shape->pair[k].first >= shape->dense;
    return sum;
}

/* The least memory of a search: the vectors of its parameters, and the residuals of all rows where
 * features are sparse; and products with symbols, by rows and by features. */
static cr_status check_room(const cr__lr_fit *f, cr_error *err)
{
    const cr__lr_shape *shape = &f->lr->shape;
    const double vectors = 8 + CR__LR_MEMORY; /* of doubles: θ, its gradient ..., and the history */
    const double rows = shape->features > shape->dense ? (double)f->input->rows->rows : 0;
    const double bytes =
        sizeof(double) * (vectors * (double)cr__lr_parameters(shape) + rows * (double)shape->sets) +
        2 * (sizeof(double) + sizeof(uint32_t)) * rows * products_a_row(shape);
    char what[120];

    snprintf(what, sizeof what, "%zu weights for each of %zu classes, and %.0f rows of classes,",
             1 + shape->features, shape->classes, rows);
    return cr__run_afford(f->input->run, bytes, what, err);
}

/* Every step takes the probability of each class for each row. Where that would take hours, it is
 * done only if the solver is named explicitly. */
static cr_status check_work(const cr__lr_fit *f, cr_error *err)
{
    const double rows = (double)f->input->rows->rows, classes = (double)f->lr->shape.classes;

    if (rows * classes <= PROBABILITIES_MOST || !cr__knobs_is(f->input->knobs, "solver", "auto"))
        return CR_OK;
    cr__fail(err, CR_ELIMIT,
             "%.0f classes and %.0f rows: each step takes %.2g probabilities, and up to %.0f steps "
             "are made",
             classes, rows, classes * rows, cr__knobs_number(f->input->knobs, "iterations"));
    return cr__fail_hint(err, CR_ELIMIT,
                         "classes of few rows are better left out or joined; solver=lbfgs does it "
                         "all the same, solver=sgd in one pass");
}

static cr_status set_up(cr__lr_fit *f, cr_error *err)
{
    const cr_run *run = f->input->run;
    cr_status st = check_room(f, err);

    if (st == CR_OK)
        st = check_work(f, err);
    if (st == CR_OK)
        st = cr_pool_new(&f->pool, cr__run_threads(run), err);
    if (st == CR_OK)
        st = cr__lr_design_new(&f->design, &f->lr->shape, f->input, f->lr->frame, f->class_weight,
                               1, err);
    if (st == CR_OK && !(f->design->total > 0))
        st = cr__fail(err, CR_EFORMAT, "no row has a weight above 0");
    if (st == CR_OK)
        st = cr__lr_objective_open(&f->objective, f->design, f->pool, cr__team_of(run), err);
    if (st == CR_OK && f->scale != NULL)
        st = cr__lr_objective_scale(&f->objective, f->scale, err);
    f->objective.precision = f->precision;
    f->objective.matrix = f->matrix;
    f->objective.centre = f->centre;
    f->search.objective = &f->objective;
    f->search.theta = f->theta;
    if (st == CR_OK)
        choose_solver(f);
    return st;
}

/* Whether the likelihood has no maximum: a hyperplane separates the classes, or weights have grown
 * as if one almost did. */
static uint32_t find_separation(cr__lr_fit *f)
{
    const size_t all = cr__lr_parameters(&f->lr->shape), sets = f->lr->shape.sets;
    double most = 0;

    if (f->prior != CR__LR_FLAT || f->input->before != NULL || f->lr->shape.classes < 2)
        return 0;
    if (cr__lr_separates(&f->objective, f->theta))
        return 1;
    for (size_t p = sets; p < all; p++)
        most = fmax(most, fabs(f->theta[p]));
    return most > 15 ? 2 : 0; /* in standard deviations, or for a symbol or word */
}

static void conclude(cr__lr_fit *f)
{
    const cr__lr_search *s = &f->search;

    f->lr->outcome = (cr__lr_outcome){.iterations = (double)s->iterations,
                                      .gradient = s->gradient,
                                      .log_likelihood = f->objective.log_likelihood,
                                      .objective = -s->value,
                                      .lambda = f->lambda,
                                      .rows = f->objective.total,
                                      .solver = f->solver,
                                      .prior = f->prior,
                                      .converged = (uint32_t)s->converged,
                                      .separated = find_separation(f)};
    f->lr->moderate = cr__knobs_is(f->input->knobs, "moderate", "yes");
    f->lr->trace = f->lr->own[4] = f->search.trace;
    f->lr->steps = f->search.steps;
    f->search.trace = NULL;
}

/* In the softmax form the sum of weights without a prior makes no difference: set it to 0. */
static void centre_free(cr__lr_fit *f)
{
    const cr__lr_shape *shape = &f->lr->shape;
    const int flat = f->prior == CR__LR_FLAT && f->input->before == NULL;

    for (size_t j = 0; shape->first_class == 0 && j < (flat ? 1 + shape->features : 1); j++) {
        double *of = f->theta + j * shape->sets, mean = 0;

        for (size_t s = 0; s < shape->sets; s++)
            mean += of[s] / (double)shape->sets;
        for (size_t s = 0; s < shape->sets; s++)
            of[s] -= mean;
    }
}

/* The weights of the features as they are, not as they were scaled for the search. */
static void unscale(cr__lr_fit *f)
{
    for (size_t p = 0; f->scale != NULL && p < cr__lr_parameters(&f->lr->shape); p++)
        f->theta[p] *= f->scale[p];
}

static cr_status climb(cr__lr_fit *f, cr_error *err)
{
    cr_status st = f->input->before == NULL ? cr__lr_choose_lambda(f, err) : CR_OK;

    if (st != CR_OK)
        return st;
    if (f->input->before == NULL)
        cr__lr_precision(f, f->prior == CR__LR_GAUSSIAN ? f->lambda : 0, f->precision);
    f->search.laplace = f->prior == CR__LR_LAPLACE ? f->lambda : 0;
    if ((st = cr__lr_start(f, err)) != CR_OK)
        return st;
    if ((st = cr__lr_solve(&f->search, f->solver, err)) != CR_OK)
        return st;
    if (f->objective.lost != CR_OK)
        return cr__fail(err, f->objective.lost, "the sums of other processes did not arrive");
    conclude(f);
    centre_free(f);
    if ((st = cr__lr_approximate(f, err)) != CR_OK)
        return st;
    unscale(f);
    return cr__lr_set_units(f->lr, f->input->stats, f->input->knobs, f->theta, err);
}

static cr_status stream(cr__lr_fit *f, cr_error *err)
{
    const cr_status st = cr__lr_start(f, err);

    return st == CR_OK ? cr__lr_stream(f, err) : st;
}

static cr_status fit(void **fitted, const cr__fit_input *input, cr_error *err)
{
    cr__lr_fit f = {.input = input};
    cr_status st;

    *fitted = NULL;
    if (input->rows == NULL && input->source == NULL && input->before != NULL) {
        st = cr__lr_refit(&f.lr, input->before, input, err);
        *fitted = f.lr;
        return st;
    }
    if (input->rows == NULL && input->source == NULL)
        return cr__fail(err, CR_ECONFLICT, "logistic regression needs the rows");
    read_knobs(&f);
    st = check_knobs(&f, err);
    if (st == CR_OK)
        st = begin(&f, err);
    if (st == CR_OK && f.solver == CR__LR_SGD && input->source != NULL)
        st = stream(&f, err);
    else if (st == CR_OK && (st = set_up(&f, err)) == CR_OK)
        st = climb(&f, err);
    if (st == CR_OK) {
        *fitted = f.lr;
        f.lr = NULL;
    }
    release(&f);
    return st;
}

/* --- getters ---------------------------------------------------------------------------------- */

static double prior(const void *fitted, size_t c)
{
    return ((const cr__lr *)fitted)->share[c];
}

static const cr__words *words(const void *fitted, size_t column)
{
    return &((const cr__lr *)fitted)->column[column].text->form.words;
}

/* One intercept and a weight for each feature, in R - 1 sets: those of one more class would only
 * appear to be free. */
static double free_weights(const cr__lr_slot *slot)
{
    return slot->kind == CR_SYMBOL && slot->values > 0 ? (double)slot->values - 1
                                                       : (double)slot->count;
}

static double parameters(const void *fitted, const cr__stats *stats, const cr__knobs *values)
{
    cr__lr_shape shape;
    double count = 0;

    (void)fitted;
    if (cr__lr_shape_new(&shape, stats, values, NULL) == CR_OK) {
        for (size_t i = 0; i < shape.columns; i++)
            count += free_weights(&shape.slot[i]);
        for (size_t k = 0; k < shape.pairs; k++)
            count += free_weights(&shape.slot[shape.pair[k].a]) *
                     free_weights(&shape.slot[shape.pair[k].b]);
    } else
        count = NAN;
    cr__lr_shape_free(&shape);
    return ((double)stats->classes - 1) * (1 + count);
}

/* The strength of the prior, where it was chosen. */
static cr_status settled(const void *fitted, cr__knobs *values, cr_error *err)
{
    const cr__lr *lr = fitted;
    char setting[sizeof "lambda=" + CR__NUMBER_SIZE] = "lambda=";

    if (!cr__knobs_is(values, "lambda", "auto"))
        return CR_OK;
    setting[7 + cr__format_double(setting + 7, lr->outcome.lambda)] = '\0';
    return cr__knobs_set(values, setting, err);
}

static void needs_with(const cr__knobs *values, cr__needs *needs)
{
    needs->stream = cr__knobs_is(values, "solver", "sgd");
}

static size_t more_factors(const void *fitted)
{
    return ((const cr__lr *)fitted)->shape.pairs;
}

static const cr__scores scores = {.score = cr__lr_score};
static const cr__explains explains = {.factors = cr__lr_factors,
                                      .work = CR__LR_FACTOR_WORK,
                                      .more = more_factors,
                                      .detail = &cr__lr_detail,
                                      .form = CR_FORM_LINEAR};
static const cr__has_words has_words = {words, cr__lr_word_share, cr__lr_word_shares};

/* docs/logistic.md has the figures. */
static const cr__usual usual = {
    .setting = {"lambda=auto"},
    .unless = " prior lambda sigma prior-mean solver eta passes trace features ",
    .rows_least = 100,
    .rows_most = UINT64_MAX,
    .words_most = 500000,
};

const cr__learner cr__logistic = {
    .name = "logistic",
    .summary = "logistic regression over any mix of symbols, real features and texts",
    .knobs = knobs,
    .knob_count = sizeof knobs / sizeof *knobs,
    .needs = {.rows = CR__ROWS_ALWAYS},
    .needs_with = needs_with,
    .usual = {&usual},
    .starts = 1,
    .fit = fit,
    .free = cr__lr_free,
    .save = cr__lr_save,
    .sections = "LRHD LRCO LRPR LRIN LRFR LRWT LRPX LRCV LRTR LTHD LTIX LTID LTRA CROS CRSC CRSX",
    .open = cr__lr_open,
    .settled = settled,
    .prior = prior,
    .parameters = parameters,
    .scores = &scores,
    .explains = &explains,
    .has_words = &has_words,
};
