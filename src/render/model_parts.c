/* render/model_parts.c - knobs, classes, fits and members of models as JSON. */
#include <string.h>

#include "render/model_json.h"

#define FIELDS(list) list, CR__COUNT_OF(list)

const char *cr__kind_name(const cr_model *model, size_t column)
{
    const cr_kind kind = cr_schema_kind(cr_model_schema(model), column);

    return kind == CR_BAG ? "text" : cr_kind_name(kind);
}

void cr__knobs_json(cr_json *j, const cr_model *model)
{
    cr_knob knob;

    cr_json_object(j, "knobs", CR_JSON_BLOCK);
    for (size_t i = 0; cr_model_knob(model, i, &knob) == CR_OK; i++)
        cr_json_text(j, knob.name, knob.value);
    cr_json_end(j);
}

void cr__classes_json(cr_json *j, const cr_model *model)
{
    cr_json_array(j, "classes", CR_JSON_BLOCK);
    for (size_t c = 0; c < cr_model_classes(model); c++) {
        cr_json_object(j, NULL, CR_JSON_LINE);
        cr_json_text(j, "name", cr_model_class(model, c));
        cr_json_number(j, "count", cr_model_class_count(model, c));
        cr_json_number(j, "prior", cr_model_prior(model, c));
        cr_json_end(j);
    }
    cr_json_end(j);
}

/* --- the candidates that a model was chosen from ---------------------------------------------- */

#define TRIED(member, type, meaning) CR__HIDDEN(cr_tried, member, type, #member, meaning)

static const cr__field tried_fields[] = {
    TRIED(name, CR__TEXT, "learner and settings"),
    TRIED(log_loss, CR__DOUBLE, "of rows not seen"),
    TRIED(error, CR__DOUBLE, "standard error of its difference from the winner's"),
    TRIED(accuracy, CR__DOUBLE, "on rows not seen"),
    TRIED(rows, CR__COUNT, "judged on so many"),
    TRIED(work, CR__DOUBLE, "seconds that judging took, about"),
    TRIED(weight, CR__DOUBLE, "in the model"),
    TRIED(exact, CR__BOOL, "learns and unlearns exactly"),
    TRIED(chosen, CR__BOOL, "the winner"),
};

void cr__tried_json(cr_json *j, const cr_model *model)
{
    cr_tried c;

    if (cr_model_tried(model, 0, &c) != CR_OK)
        return;
    cr_json_array(j, "tried", CR_JSON_BLOCK);
    for (size_t i = 0; cr_model_tried(model, i, &c) == CR_OK; i++) {
        cr_json_object(j, NULL, CR_JSON_LINE);
        cr__fields_json(j, FIELDS(tried_fields), &c);
        if (c.reason[0] != '\0')
            cr_json_text(j, "reason", c.reason);
        cr_json_end(j);
    }
    cr_json_end(j);
}

/* --- how it was fitted ------------------------------------------------------------------------ */

#define FIT(member, type, meaning) CR__HIDDEN(cr_fit, member, type, #member, meaning)

static const cr__field fit_fields[] = {
    FIT(converted, CR__BOOL, "from another model"),
    FIT(solver, CR__TEXT, "that searched"),
    FIT(prior, CR__TEXT, "of the weights"),
    FIT(lambda, CR__DOUBLE, "its strength"),
    FIT(iterations, CR__DOUBLE, "steps"),
    FIT(gradient, CR__DOUBLE, "the largest derivative at the end"),
    FIT(log_likelihood, CR__DOUBLE, "of the training rows"),
    FIT(objective, CR__DOUBLE, "that and the log prior"),
    FIT(rows, CR__DOUBLE, "their weight"),
    FIT(converged, CR__BOOL, "nothing was left to gain"),
    FIT(separated, CR__BOOL, "a hyperplane separates the classes"),
    FIT(posterior, CR__TEXT, "what is known about the errors of the weights"),
};

void cr__fit_json(cr_json *j, const cr_model *model)
{
    cr_fit fit;

    if (cr_model_fit(model, &fit) != CR_OK)
        return;
    if (fit.converted)
        fit.solver = NULL;
    fit.separated = fit.separated == 1;
    cr_json_object(j, "fit", CR_JSON_BLOCK);
    cr__fields_json(j, FIELDS(fit_fields), &fit);
    if (fit.steps > 0)
        cr_json_numbers(j, "trace", fit.trace, fit.steps);
    cr_json_end(j);
}

#define LINEAR(member, type, meaning) CR__HIDDEN(cr_linear_facts, member, type, #member, meaning)

static const cr__field linear_fields[] = {
    LINEAR(rows, CR__DOUBLE, "weight of the rows it is fitted on"),
    LINEAR(incomplete, CR__DOUBLE, "of those that lack something"),
    LINEAR(weights, CR__SIZE, "besides the intercept"),
    LINEAR(rank, CR__SIZE, "of the weights"),
    LINEAR(constant, CR__SIZE, "columns and values that do not vary"),
    LINEAR(lambda, CR__DOUBLE, "strength of the prior"),
    LINEAR(noise, CR__DOUBLE, "standard deviation of the noise"),
    LINEAR(freedom, CR__DOUBLE, "degrees of freedom of that"),
    LINEAR(r2, CR__DOUBLE, "share of the variance explained"),
    LINEAR(log_evidence, CR__DOUBLE, "ln P(targets | features)"),
    LINEAR(mean, CR__DOUBLE, "of the target"),
};

void cr__linear_json(cr_json *j, const cr_model *model)
{
    cr_linear_facts f;

    if (cr_model_linear_facts(model, &f) != CR_OK)
        return;
    cr_json_object(j, "fit", CR_JSON_LINE);
    cr__fields_json(j, FIELDS(linear_fields), &f);
    cr_json_end(j);
}

/* --- members ---------------------------------------------------------------------------------- */

#define MEMBER(member, meaning) CR__HIDDEN(cr_member, member, CR__DOUBLE, #member, meaning)

static const cr__field member_fields[] = {
    MEMBER(prior, "before the held-out rows were seen"),
    MEMBER(log_likelihood, "ln P(held-out labels | member)"),
    MEMBER(stacking, "the weight that stacking gives it"),
    MEMBER(accuracy, "on the held-out rows"),
    MEMBER(weight, "in use"),
};

void cr__members_json(cr_json *j, const cr_model *model)
{
    cr_member m;

    cr_json_array(j, "members", CR_JSON_BLOCK);
    for (size_t i = 0; cr_model_member(model, i, &m) == CR_OK; i++) {
        cr_model_facts facts;

        cr_model_get_facts(m.model, &facts);
        cr_json_object(j, NULL, CR_JSON_LINE);
        cr_json_text(j, "name", m.name);
        cr_json_text(j, "learner", cr_model_learner(m.model));
        cr_json_number(j, "rows", (double)facts.rows);
        cr_json_text(j, "fingerprint", facts.fingerprint);
        cr__fields_json(j, FIELDS(member_fields), &m);
        cr_json_end(j);
    }
    cr_json_end(j);
}
