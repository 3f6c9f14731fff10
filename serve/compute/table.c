/* serve/compute/table.c - POST /compute/model: a small table, learned and queried at once.
 *
 * {"table": "…" or "network": "…", "learner": "nb", "rows": [{…}], "work": true,
 * "queries": ["P(…)"], "mistake": "x"}: the learner "probabilities" takes the column of weights as
 * the probabilities of a joint table; "mistake" names a number, and the answer has p(mistake) of
 * deciding by it alone.
 */
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "compute/compute.h"
#include "endpoints/endpoints.h"

static void put_line(void *context, size_t depth, const char *text)
{
    cr_json *j = context;

    cr_json_object(j, NULL, CR_JSON_LINE);
    cr_json_number(j, "depth", (double)depth);
    cr_json_text(j, "text", text);
    cr_json_end(j);
}

static void put_model(cr_json *j, const cr_model *model)
{
    double evidence;

    cr_json_text(j, "learner", cr_model_learner(model));
    put_classes(j, model);
    put_columns(j, model);
    if (cr_model_evidence(model, &evidence, NULL) == CR_OK)
        cr_json_number(j, "log_evidence", evidence);
    cr_json_array(j, "drawing", CR_JSON_BLOCK);
    cr_model_draw(model, put_line, j, NULL);
    cr_json_end(j);
}

/* --- rows ------------------------------------------------------------------------------------- */

typedef struct board {
    call *k;
    const cr_model *model;
    int work;
    bool first;
} board;

static cr_status explain(void *context, const cr_explanation *e)
{
    board *b = context;
    const cr_explanation_json_options options = {.work = b->work};

    return cr_explanation_json(b->model, e, &options, b->k->answer->out, b->k->err);
}

static cr_status set_value(call *k, cr_row *row, const cr_json_value *n)
{
    char number[64];

    if (n->kind == CR_JSON_NULL || n->key == NULL)
        return CR_OK;
    if (n->kind == CR_JSON_NUMBER)
        snprintf(number, sizeof number, "%.17g", n->number);
    else if (n->kind != CR_JSON_STRING)
        return fail(k->err, CR_EARG, NULL, "the value of '%.100s' must be a text or a number",
                    n->key);
    return cr_row_set_named(row, n->key, n->kind == CR_JSON_STRING ? n->text : number, k->err);
}

static cr_status explain_row(board *b, cr_row *row, const cr_json_value *values)
{
    cr_status status = CR_OK;

    cr_row_clear(row);
    for (const cr_json_value *n = values->child; n != NULL && status == CR_OK; n = n->next)
        status = set_value(b->k, row, n);
    if (status != CR_OK)
        return status;
    cr_output_text(b->k->answer->out, b->first ? "\n" : ",\n");
    b->first = false;
    return cr_row_explain(row, NULL, explain, b, b->k->err);
}

static cr_status explain_rows_of(call *k, const cr_model *model, const cr_json_value *body)
{
    const cr_json_value *rows = cr_json_get(body, "rows");
    board b = {.k = k, .model = model, .work = cr_json_get_flag(body, "work"), .first = true};
    cr_row *row = NULL;
    cr_status status = CR_OK;

    cr_output_text(k->answer->out, ",\n  \"explanations\": [");
    if (rows != NULL)
        status = cr_row_new(&row, model, k->err);
    for (const cr_json_value *n = rows != NULL ? rows->child : NULL; n != NULL && status == CR_OK;
         n = n->next)
        status = explain_row(&b, row, n);
    cr_row_free(row);
    cr_output_text(k->answer->out, "]");
    return status;
}

/* --- cells of a joint table ------------------------------------------------------------------- */

typedef struct cells {
    call *k;
    const cr_model *model;
    bool first;
} cells;

static cr_status put_cell(void *context, const size_t *value, double count, double probability)
{
    cells *c = context;
    cr_output *out = c->k->answer->out;
    const cr_schema *schema = cr_model_schema(c->model);
    bool first = true;

    (void)count;
    cr_output_text(out, c->first ? "\n{" : ",\n{");
    c->first = false;
    for (size_t i = 0; i < cr_schema_columns(schema); i++) {
        const char *name = cr_schema_name(schema, i);
        const char *text = value[i] != SIZE_MAX ? cr_model_value(c->model, i, value[i]) : NULL;

        if (text == NULL)
            continue;
        cr_output_text(out, first ? "" : ", ");
        first = false;
        cr_json_quote(out, name, strlen(name));
        cr_output_text(out, ": ");
        cr_json_quote(out, text, strlen(text));
    }
    cr_output_text(out, first ? "\"probability\": " : ", \"probability\": ");
    cr_output_number(out, probability);
    cr_output_text(out, "}");
    return CR_OK;
}

static void put_cells(call *k, const cr_model *model)
{
    cells c = {.k = k, .model = model, .first = true};

    if (strcmp(cr_model_learner(model), "joint") != 0)
        return;
    cr_output_text(k->answer->out, ",\n  \"cells\": [");
    cr_joint_cells(model, 4096, put_cell, &c, NULL);
    cr_output_text(k->answer->out, "]");
}

/* --- p(mistake) ------------------------------------------------------------------------------- */

/* "mistake": the number that alone decides. */
static cr_status put_mistake(call *k, const cr_model *model, const cr_json_value *body)
{
    const char *name = cr_json_get_text(body, "mistake", NULL);
    cr_mistake *m = NULL;
    cr_status status;
    size_t column;
    cr_json j;

    if (name == NULL)
        return CR_OK;
    column = cr_schema_find(cr_model_schema(model), name);
    if ((status = cr_model_mistake(&m, model, column, NULL, k->err)) != CR_OK)
        return status;
    cr_output_text(k->answer->out, ",\n  \"mistake\": ");
    cr_json_start(&j, k->answer->out);
    cr_json_object(&j, NULL, CR_JSON_BLOCK);
    cr_mistake_json(&j, m, model);
    cr_json_end(&j);
    cr_mistake_free(m);
    return CR_OK;
}

static cr_status ask_table(call *k, const cr_json_value *body)
{
    cr_model *model = NULL;
    cr_status status = compute_model(k, body, "nb", &model);
    cr_output *out = k->answer->out;
    cr_json j;

    if (status == CR_OK) {
        cr_output_text(out, "{\n  \"model\": ");
        cr_json_start(&j, out);
        cr_json_object(&j, NULL, CR_JSON_BLOCK);
        put_model(&j, model);
        cr_json_end(&j);
        put_cells(k, model);
        status = explain_rows_of(k, model, body);
        cr_output_text(out, ",\n  ");
        answer_questions(k, model, cr_json_get(body, "queries"));
        if (status == CR_OK)
            status = put_mistake(k, model, body);
        cr_output_text(out, "\n}\n");
    }
    cr_model_free(model);
    return status;
}

cr_status compute_table(call *k)
{
    return compute_with(k, ask_table);
}
