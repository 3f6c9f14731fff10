/* learners/ensemble/ensemble.c - the learner's table and knobs, weights, getters. */
#include "learners/ensemble/ensemble.h"

#include <math.h>
#include <string.h>

#include "base/fail.h"
#include "base/logspace.h"
#include "base/memory.h"
#include "credence/spec.h"
#include "learners/registry.h"

static const cr__knob_spec knobs[] = {
    {"weights", "posterior", CR__KNOB_CHOICE, 0, "posterior|accuracy|stacking|equal",
     "of the members: P(member | held-out labels), the same with P(labels | member) taken as its "
     "accuracy on them, what scores best on them together, or equal"},
    {"prior", "uniform", CR__KNOB_LISTED, 0, NULL,
     "weights=posterior: P(member) before the labels were seen: uniform or NAME:P,NAME:P,…"},
    {"rule", "optimal", CR__KNOB_CHOICE, 0, "optimal|gibbs|product",
     "mix the members' posteriors (Bayes optimal), draw one member for each row (Gibbs), or "
     "multiply their calibrated posteriors, each to the power of its weight"},
    {"seed", "0", CR__KNOB_NUMBER, 0, NULL, "rule=gibbs: of the draws"},
};

void cr__ensemble_free(void *fitted)
{
    cr__ensemble *e = fitted;

    if (e == NULL)
        return;
    for (size_t i = 0; e->member != NULL && i < e->members; i++) {
        cr__member *m = &e->member[i];

        for (size_t j = 0; m->code_of != NULL && j < m->model->schema->columns; j++)
            cr__free(m->code_of[j]);
        cr__free(m->code_of);
        cr__free(m->code_count);
        cr__free(m->column_of);
        cr__free(m->class_of);
        cr_model_free(m->model);
        cr__free(m->block);
        cr__free(m->name);
    }
    cr__free(e->member);
    cr__free(e);
}

/* --- weights ---------------------------------------------------------------------------------- */

static size_t find_member(const cr__ensemble *e, const char *name, cr_nearest *near)
{
    for (size_t i = 0; i < e->members; i++) {
        if (strcmp(e->member[i].name, name) == 0)
            return i;
        cr_nearest_offer(near, e->member[i].name);
    }
    return SIZE_MAX;
}

/* NAME:P,NAME:P,… each member once. */
static cr_status given_prior(const cr__ensemble *e, const char *list, double *prior, cr_error *err)
{
    char buffer[1024];
    const char *name;
    double p = 0, sum = 0;
    cr_status st;

    for (size_t i = 0; i < e->members; i++)
        prior[i] = NAN;
    for (size_t i = 0; (st = cr__list_item(list, i, buffer, sizeof buffer, &name, &p)) == CR_OK;
         i++) {
        cr_nearest near = (cr_nearest){.wanted = name == NULL ? "" : name};
        const size_t m = name == NULL ? SIZE_MAX : find_member(e, name, &near);

        if (name == NULL)
            break;
        if (m == SIZE_MAX) {
            cr__fail(err, CR_EARG, "prior names the member '%s', which does not exist", name);
            return near.best == NULL ? CR_EARG
                                     : cr__fail_hint(err, CR_EARG, "did you mean '%s'?", near.best);
        }
        if (!(p >= 0 && p <= 1))
            return cr__fail(err, CR_EARG, "the prior of '%s' is %g; a probability is 0 to 1", name,
                            p);
        prior[m] = p;
    }
    if (st != CR_END)
        return cr__fail(err, CR_EARG, "prior is '%s'; it must be uniform or NAME:P,NAME:P,…", list);
    for (size_t i = 0; i < e->members; i++) {
        if (isnan(prior[i]))
            return cr__fail(err, CR_EARG, "prior leaves out the member '%s'", e->member[i].name);
        sum += prior[i];
    }
    if (fabs(sum - 1) > 1e-6)
        return cr__fail(err, CR_EARG, "the priors sum to %.9g, not to 1", sum);
    return CR_OK;
}

/* log P(h | D) = log P(h) + log P(D | h) - log P(D); T. Mitchell, Machine Learning, 6.2. */
static cr_status posterior_weights(const cr__ensemble *e, const double *prior, double *log_weight,
                                   cr_error *err)
{
    double all;

    for (size_t i = 0; i < e->members; i++)
        log_weight[i] = prior[i] > 0 ? log(prior[i]) + e->member[i].log_likelihood : -INFINITY;
    all = cr__log_sum_exp(log_weight, e->members);
    if (isinf(all)) {
        cr__fail(err, CR_ECONFLICT,
                 "every member holds some label of the held-out rows impossible");
        return cr__fail_hint(err, CR_ECONFLICT, "smooth the members, or take weights=stacking");
    }
    for (size_t i = 0; i < e->members; i++)
        log_weight[i] -= all;
    return CR_OK;
}

/* With P(D | h) taken as the accuracy of h, a few rows do not decide alone (T. Martinez, lectures
 * on Bayesian learning). */
static cr_status accuracy_weights(const cr__ensemble *e, const double *prior, double *log_weight,
                                  cr_error *err)
{
    double all = 0;

    for (size_t i = 0; i < e->members; i++)
        all += prior[i] * e->member[i].accuracy;
    if (isnan(all)) {
        cr__fail(err, CR_EARG, "the ensemble does not know how accurate its members were");
        return cr__fail_hint(err, CR_EARG, "combine them again");
    }
    if (!(all > 0))
        return cr__fail(err, CR_ECONFLICT, "no member is right on any held-out row");
    for (size_t i = 0; i < e->members; i++)
        log_weight[i] = log(prior[i] * e->member[i].accuracy / all);
    return CR_OK;
}

static cr_status choose_weights(const cr__ensemble *e, const cr__knobs *values, double *prior,
                                double *log_weight, cr_error *err)
{
    const char *list = cr__knobs_text(values, "prior");
    cr_status st = CR_OK;

    for (size_t i = 0; i < e->members; i++)
        prior[i] = 1 / (double)e->members;
    if (strcmp(list, "uniform") != 0)
        st = given_prior(e, list, prior, err);
    if (st != CR_OK)
        return st;
    if (!cr__knobs_is(values, "weights", "equal") && !(e->held_out > 0)) {
        cr__fail(err, CR_EARG, "weights=%s needs held-out rows, and there were none",
                 cr__knobs_text(values, "weights"));
        return cr__fail_hint(err, CR_EARG, "give some, or take weights=equal");
    }
    if (cr__knobs_is(values, "weights", "posterior"))
        return posterior_weights(e, prior, log_weight, err);
    if (cr__knobs_is(values, "weights", "accuracy"))
        return accuracy_weights(e, prior, log_weight, err);
    for (size_t i = 0; i < e->members; i++)
        log_weight[i] = log(cr__knobs_is(values, "weights", "equal") ? 1 / (double)e->members
                                                                     : e->member[i].stacking);
    return CR_OK;
}

cr_status cr__ensemble_weigh(void *fitted, const cr__knobs *values, cr_error *err)
{
    cr__ensemble *e = fitted;
    const double seed = cr__knobs_number(values, "seed");
    double *prior = cr__alloc(e->members, 2 * sizeof *prior);
    double *log_weight = prior == NULL ? NULL : prior + e->members;
    cr_status st;

    if (prior == NULL)
        return cr__fail_memory(err);
    if (seed != floor(seed) || seed >= 0x1p53)
        st = cr__fail(err, CR_EARG, "seed is %g; it must be a whole number below 2^53", seed);
    else
        st = choose_weights(e, values, prior, log_weight, err);
    for (size_t i = 0; st == CR_OK && i < e->members; i++) {
        e->member[i].prior = prior[i];
        e->member[i].log_weight = log_weight[i];
        e->member[i].weight = exp(log_weight[i]);
    }
    if (st == CR_OK) {
        e->rule = cr__knobs_is(values, "rule", "gibbs")     ? CR__RULE_GIBBS
                  : cr__knobs_is(values, "rule", "product") ? CR__RULE_PRODUCT
                                                            : CR__RULE_OPTIMAL;
        e->seed = (uint64_t)seed;
    }
    cr__free(prior);
    return st;
}

/* --- getters ---------------------------------------------------------------------------------- */

static const cr__ensemble *ensemble_of(const cr_model *model)
{
    return model->learner == &cr__ensemble_learner ? model->share->fitted : NULL;
}

size_t cr_model_members(const cr_model *model)
{
    const cr__ensemble *e = ensemble_of(model);

    return e == NULL ? 0 : e->members;
}

cr_status cr_model_member(const cr_model *model, size_t index, cr_member *out)
{
    const cr__member *m;

    if (index >= cr_model_members(model))
        return CR_END;
    m = &ensemble_of(model)->member[index];
    *out = (cr_member){.name = m->name,
                       .model = m->model,
                       .prior = m->prior,
                       .weight = m->weight,
                       .log_likelihood = m->log_likelihood,
                       .stacking = m->stacking,
                       .accuracy = m->accuracy};
    return CR_OK;
}

/* The members' own parameters, and all weights but one. */
static double parameters(const void *fitted, const cr__stats *stats, const cr__knobs *values)
{
    const cr__ensemble *e = fitted;
    double sum = (double)e->members - 1;
    cr_model_facts own;

    (void)stats;
    (void)values;
    for (size_t i = 0; i < e->members; i++) {
        cr_model_get_facts(e->member[i].model, &own);
        sum += own.parameters;
    }
    return sum;
}

/* The members' priors mixed by their weights. */
static double prior(const void *fitted, size_t c)
{
    const cr__ensemble *e = fitted;
    double p = 0;

    for (size_t i = 0; i < e->members; i++)
        p += e->member[i].weight * cr_model_prior(e->member[i].model, e->member[i].class_of[c]);
    return p;
}

static void facts(const void *fitted, const cr__stats *stats, cr_model_facts *out)
{
    (void)stats;
    out->weight = ((const cr__ensemble *)fitted)->held_out;
}

static int has_same_classes(const cr__ensemble *e, const cr__member *m)
{
    for (size_t c = 0; c < e->classes; c++)
        if (m->class_of[c] != c)
            return 0;
    return m->model->classes == e->classes;
}

/* A member that cuts numbers into intervals cannot tell their means. */
static const cr_model *spokesman(const void *fitted)
{
    const cr__ensemble *e = fitted;
    const cr_model *best = NULL;
    size_t most = 0;

    for (size_t m = 0; m < e->members; m++) {
        const cr_model *model = e->member[m].model;
        size_t whole = 1;
        cr_gaussian g;

        if (model->learner->fit == NULL || !has_same_classes(e, &e->member[m]))
            continue;
        for (size_t i = 0; i < model->schema->columns; i++)
            whole += cr_model_gaussian(model, i, 0, &g) == CR_OK;
        if (whole > most) {
            most = whole;
            best = model;
        }
    }
    return best;
}

static const cr__scores scores = {.open = cr__panel_open,
                                  .close = cr__panel_close,
                                  .plan = cr__panel_plan,
                                  .score = cr__panel_score};

const cr__learner cr__ensemble_learner = {
    .name = "ensemble",
    .summary = "models that answer as one (made by combine, or a blend of auto)",
    .knobs = knobs,
    .knob_count = sizeof knobs / sizeof *knobs,
    .refit = cr__ensemble_weigh,
    .free = cr__ensemble_free,
    .save = cr__ensemble_save,
    .sections = "ENSM ENSA MEMB",
    .open = cr__ensemble_open,
    .of_models = 1,
    .spokesman = spokesman,
    .prior = prior,
    .parameters = parameters,
    .facts = facts,
    .scores = &scores,
};
