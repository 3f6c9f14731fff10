/* decide/explain_members.c - explanations of ensembles: the answer of each member. */
#include "decide/explain_members.h"

#include <math.h>
#include <string.h>

#include "base/fail.h"
#include "base/memory.h"
#include "decide/in_order.h"
#include "belief/posterior.h"
#include "learners/ensemble/ensemble.h"
#include "model/scorer.h"

typedef struct explainer {
    const cr_model *model;
    size_t members;
    cr__scorer *scorer;
    cr_status (*visit)(void *context, const cr_explanation *e);
    void *context;
    double *score; /* [rows * classes] */
    size_t score_capacity;
    const cr_rule *rule;
    double *posterior, *before_rule;  /* [classes] */
    cr_calibration_share *calibrated; /* [classes] */
    double *says;                     /* [members * classes] */
    cr_member_share *share;
    cr__wanted wanted;
} explainer;

/* The powers of a product are weights over the temperature: then the members' log-odds times their
 * powers add up to those of the answer. */
static double power_of(const cr_model *model, double weight)
{
    const cr__calibration *c = model->calibration;

    return c != NULL && cr__calibration_is_temperature(c->kind) ? weight / c->number[0] : weight;
}

/* Members without a posterior leave their weight to the others, except in a product. */
static void ask(explainer *x, size_t row)
{
    const int product = ((const cr__ensemble *)x->model->share->fitted)->rule == CR__RULE_PRODUCT;
    const size_t classes = x->model->classes, drawn = cr__panel_drawn(x->scorer->state, row);
    double sum = 0;

    for (size_t m = 0; m < x->members; m++) {
        cr_member_share *share = &x->share[m];
        double *says = x->says + m * classes;
        cr_member member;

        cr_model_member(x->model, m, &member);
        cr__panel_posterior(x->scorer->state, m, row, says);
        *share = (cr_member_share){
            .name = member.name, .weight = member.weight, .posterior = says, .drawn = m == drawn};
        share->decision = cr__posterior(says, classes, says, NULL);
        if (share->decision == CR_UNDECIDED)
            share->weight = 0;
        sum += share->weight;
    }
    for (size_t m = 0; sum > 0 && m < x->members; m++)
        x->share[m].weight =
            product ? power_of(x->model, x->share[m].weight) : x->share[m].weight / sum;
}

static cr_status explain_row(explainer *x, const cr__batch *batch, size_t row, cr_error *err)
{
    const size_t classes = x->model->classes;
    const double *score = x->score + row * classes;
    cr_explanation e = {.line = batch->record[row].line,
                        .classes = classes,
                        .score = score,
                        .posterior = x->posterior,
                        .members = x->members,
                        .member = x->share,
                        .form = ((const cr__ensemble *)x->model->share->fitted)->rule ==
                                        CR__RULE_PRODUCT
                                    ? CR_FORM_POWERS
                                    : CR_FORM_MEMBERS,
                        .inside = batch,
                        .inside_row = row};
    cr_status st;

    ask(x, row);
    memcpy(x->posterior, score, classes * sizeof *x->posterior);
    cr__explain_decision(x->model, x->rule, &e, x->posterior, x->before_rule, x->calibrated);
    if ((st = x->visit(x->context, &e)) != CR_OK)
        return cr__fail(err, st, "%s", cr_status_text(st));
    return CR_OK;
}

static cr_status absorb(void *state, const cr__chunk *chunk, cr__batch *batch, cr_error *err)
{
    explainer *x = state;
    cr_status st;

    (void)chunk;
    if (batch->failure != NULL)
        return cr__wanted_next(&x->wanted)
                   ? cr__explain_failure(batch, x->model->classes, x->visit, x->context, err)
                   : CR_OK;
    if (batch->rows > SIZE_MAX / sizeof *x->score / x->model->classes ||
        !cr__grow(&x->score, &x->score_capacity, batch->rows * x->model->classes, sizeof *x->score))
        return cr__fail_memory(err);
    st = cr__scorer_score(x->scorer, batch, x->score, err);
    for (size_t r = 0; st == CR_OK && r < batch->rows; r++)
        if (cr__wanted_next(&x->wanted))
            st = explain_row(x, batch, r, err);
    return st;
}

static cr_status allocate(explainer *x, cr_error *err)
{
    const size_t classes = x->model->classes;

    x->posterior = cr__alloc(classes, sizeof *x->posterior);
    x->before_rule = cr__alloc(classes, sizeof *x->before_rule);
    x->calibrated = cr__alloc(classes, sizeof *x->calibrated);
    x->says = classes > SIZE_MAX / sizeof *x->says / x->members
                  ? NULL
                  : cr__alloc(x->members * classes, sizeof *x->says);
    x->share = cr__alloc(x->members, sizeof *x->share);
    return x->posterior == NULL || x->before_rule == NULL || x->calibrated == NULL ||
                   x->says == NULL || x->share == NULL
               ? cr__fail_memory(err)
               : CR_OK;
}

static void release(explainer *x)
{
    cr__free(x->score);
    cr__free(x->posterior);
    cr__free(x->before_rule);
    cr__free(x->calibrated);
    cr__free(x->says);
    cr__free(x->share);
}

cr_status cr__explain_members(const cr_model *model, cr_source *source,
                              const cr_predict_options *options,
                              cr_status (*visit)(void *context, const cr_explanation *e),
                              void *context, cr_error *err)
{
    cr__scorer scorer;
    explainer x = {.model = model,
                   .members = cr_model_members(model),
                   .scorer = &scorer,
                   .visit = visit,
                   .context = context,
                   .rule = options == NULL ? NULL : options->rule,
                   .wanted = cr__wanted_of(options)};
    cr_status st = cr__source_bind(source, model->schema, 0,
                                   options != NULL && options->allow_absent_columns, err);

    if (st != CR_OK || (st = cr__scorer_open(&scorer, model, err)) != CR_OK)
        return st;
    if ((st = allocate(&x, err)) == CR_OK)
        st = cr__pass_in_order(source, model->schema, &scorer.plan, absorb, &x, err);
    release(&x);
    cr__scorer_close(&scorer);
    return st;
}

cr_status cr__explain_members_of(cr__scorer *scorer, cr__batch *batch, const cr_rule *rule,
                                 cr_status (*visit)(void *context, const cr_explanation *e),
                                 void *context, cr_error *err)
{
    explainer x = {.model = scorer->model,
                   .members = cr_model_members(scorer->model),
                   .scorer = scorer,
                   .visit = visit,
                   .context = context,
                   .rule = rule};
    cr_status st = allocate(&x, err);

    if (st == CR_OK)
        st = absorb(&x, NULL, batch, err);
    release(&x);
    return st;
}
