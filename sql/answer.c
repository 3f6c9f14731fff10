/* sql/answer.c - answers of a model as texts. */
#include "answer.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

void answer_proba(const cr_model *model, const double *posterior, cr_output *out)
{
    cr_json j;

    cr_json_start(&j, out);
    cr_json_object(&j, NULL, CR_JSON_LINE);
    for (size_t c = 0; c < cr_model_classes(model); c++)
        cr_json_number(&j, cr_model_class(model, c), posterior[c]);
    cr_json_end(&j);
}

static void show_columns(cr_json *j, const cr_schema *schema)
{
    cr_json_array(j, "columns", CR_JSON_LINE);
    for (size_t i = 0; i < cr_schema_columns(schema); i++) {
        cr_json_object(j, NULL, CR_JSON_LINE);
        cr_json_text(j, "name", cr_schema_name(schema, i));
        cr_json_text(j, "kind", cr_kind_name(cr_schema_kind(schema, i)));
        cr_json_text(j, "role",
                     cr_schema_role(schema, i) == CR_ROLE_TARGET   ? "target"
                     : cr_schema_role(schema, i) == CR_ROLE_WEIGHT ? "weight"
                                                                   : "feature");
        cr_json_end(j);
    }
    cr_json_end(j);
}

void answer_show(const cr_model *model, cr_output *out)
{
    cr_model_facts facts;
    cr_knob knob;
    cr_json j;

    cr_model_get_facts(model, &facts);
    cr_json_start(&j, out);
    cr_json_object(&j, NULL, CR_JSON_LINE);
    cr_json_text(&j, "learner", cr_model_learner(model));
    cr_json_number(&j, "rows", (double)facts.rows);
    cr_json_number(&j, "parameters", facts.parameters);
    cr_json_text(&j, "fingerprint", facts.fingerprint);
    cr_json_array(&j, "classes", CR_JSON_LINE);
    for (size_t c = 0; c < cr_model_classes(model); c++) {
        cr_json_object(&j, NULL, CR_JSON_LINE);
        cr_json_text(&j, "class", cr_model_class(model, c));
        cr_json_number(&j, "rows", cr_model_class_count(model, c));
        cr_json_number(&j, "p", cr_model_prior(model, c));
        cr_json_end(&j);
    }
    cr_json_end(&j);
    show_columns(&j, cr_model_schema(model));
    cr_json_object(&j, "knobs", CR_JSON_LINE);
    for (size_t i = 0; cr_model_knob(model, i, &knob) == CR_OK; i++)
        if (strcmp(knob.value, knob.fallback) != 0)
            cr_json_text(&j, knob.name, knob.value);
    cr_json_end(&j);
    cr_json_end(&j);
}

cr_status answer_query(const cr_model *model, const char *question, cr_output *out, cr_error *err)
{
    cr_answer *a = NULL;
    cr_status status = cr_query_run(model, question, &a, err);
    cr_json j;

    if (status != CR_OK)
        return status;
    cr_json_start(&j, out);
    if (a->kind >= CR_QUERY_TABLE) {
        cr_answer_json(question, a, out);
    } else if (a->kind == CR_QUERY_PROBABILITY) {
        cr_output_number(out, a->probability);
    } else if (a->kind == CR_QUERY_ARGMAX) {
        cr_json_quote(out, a->value[a->best], strlen(a->value[a->best]));
    } else {
        cr_json_object(&j, NULL, CR_JSON_LINE);
        for (size_t i = 0; i < a->values; i++)
            cr_json_number(&j, a->value[i], a->p[i]);
        if (a->kind == CR_QUERY_NUMBER) {
            cr_json_number(&j, "mean", a->mean);
            cr_json_number(&j, "sd", a->deviation);
        }
        cr_json_end(&j);
    }
    cr_answer_free(a);
    return CR_OK;
}

void answer_test(const cr_evaluation *evaluation, cr_output *out)
{
    cr_json j;

    cr_json_start(&j, out);
    cr_json_object(&j, NULL, CR_JSON_LINE);
    for (size_t i = 0; i < cr_metric_count(0); i++) {
        const cr_metric *m = cr_metric_get(0, i);

        cr_json_number(&j, m->key, cr_evaluation_value(evaluation, m));
    }
    cr_json_end(&j);
}

/* --- why -------------------------------------------------------------------------------------- */

typedef struct working {
    const cr_model *model;
    cr_output *out;
    cr_error *err;
} working;

static cr_status visit_work(void *context, const cr_explanation *e)
{
    working *w = context;
    cr_board *board = NULL;
    cr_status status = cr_board_new(&board, w->model, e, NULL, w->err);

    if (status == CR_OK)
        cr_board_text(board, w->out);
    cr_board_free(board);
    return status;
}

cr_status answer_work(cr_row *row, const cr_model *model, cr_output *out, cr_error *err)
{
    working w = {model, out, err};

    return cr_row_explain(row, NULL, visit_work, &w, err);
}

typedef struct gathered {
    answer_factor *factor;
    size_t count;
} gathered;

void answer_factors_free(answer_factor *factor, size_t count)
{
    for (size_t i = 0; i < count; i++) {
        free(factor[i].factor);
        free(factor[i].value);
    }
    free(factor);
}

static cr_status visit_factors(void *context, const cr_explanation *e)
{
    gathered *g = context;

    if ((g->factor = calloc(e->factors + 1, sizeof *g->factor)) == NULL)
        return CR_ENOMEM;
    for (size_t i = 0; i < e->factors; i++) {
        const cr_factor *f = &e->factor[i];
        answer_factor *a = &g->factor[g->count];

        a->log_odds = e->decision == CR_UNDECIDED || e->runner_up == CR_UNDECIDED
                          ? NAN
                          : f->log_p[e->decision] - f->log_p[e->runner_up];
        a->factor = strdup(f->name);
        a->value = f->value == NULL ? NULL : strdup(f->value);
        g->count++;
        if (a->factor == NULL || (f->value != NULL && a->value == NULL))
            return CR_ENOMEM;
    }
    return CR_OK;
}

cr_status answer_explain(cr_row *row, answer_factor **out, size_t *count, cr_error *err)
{
    gathered g = {0};
    cr_status status = cr_row_explain(row, NULL, visit_factors, &g, err);

    if (status != CR_OK) {
        answer_factors_free(g.factor, g.count);
        return status;
    }
    *out = g.factor;
    *count = g.count;
    return CR_OK;
}
