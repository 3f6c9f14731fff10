/* serve/endpoints/explain.c - POST /models/NAME/explain: why each row is decided as it is. */
#include <string.h>

#include "body.h"
#include "endpoints/endpoints.h"

enum { REST = 4096 };

typedef struct tour {
    call *k;
    cr_explanation_json_options options;
    const cr_rule *rule;
    cr_row *row; /* to find counterfactuals; NULL: not asked for */
    double level;
    bool array;
    size_t rows;
} tour;

/* The separator between the objects of an array. */
static cr_status next_row(tour *t)
{
    if (t->array)
        cr_output_text(t->k->answer->out, t->rows == 0 ? "[\n" : ",\n");
    t->k->worker->answered_rows++;
    if (++t->rows % REST == 0)
        body_rest(t->k);
    return t->rows > t->k->service->max_rows ? CR_ELIMIT : t->k->answer->failed;
}

static cr_status visit(void *context, const cr_explanation *e)
{
    tour *t = context;
    cr_explanation_json_options options = t->options;
    cr_changes *changes = NULL;
    cr_status status = next_row(t);

    if (status == CR_OK && t->row != NULL && e->error == NULL && cr_row_take(t->row, e) == CR_OK)
        status = cr_row_changes(t->row, t->rule, &changes, t->k->err);
    options.changes = changes;
    if (status == CR_OK)
        status =
            cr_explanation_json(view_model(t->k->view), e, &options, t->k->answer->out, t->k->err);
    cr_changes_free(changes);
    return status;
}

static cr_status visit_number(void *context, const cr_regression_explanation *e)
{
    tour *t = context;
    const cr_status status = next_row(t);

    if (status != CR_OK)
        return status;
    return cr_regression_explanation_json(view_model(t->k->view), e, t->level, t->options.work,
                                          t->k->answer->out, t->k->err);
}

cr_status explain_rows(call *k)
{
    tour t = {.k = k,
              .options = {.against = request_text(k->request, "against"),
                          .work = request_flag(k->request, "work")},
              .array = body_answer(k->request) == MEDIA_JSON && body_is_array(k->request)};
    cr_predict_options options = {.allow_absent_columns = request_flag(k->request, "allow-absent")};
    cr_source *source = NULL;
    cr_rule *rule = NULL;
    cr_status status;
    int32_t against; /* check the class before the first row is answered */

    if ((status = body_class(k, "against", &against)) != CR_OK ||
        (status = request_number(k->request, "interval", 95, &t.level, k->err)) != CR_OK ||
        (status = body_rule(k, &rule)) != CR_OK ||
        (status = body_source(k, view_model(k->view), &source)) != CR_OK)
        goto done;
    t.level /= 100;
    t.rule = options.rule = rule;
    if (request_flag(k->request, "changes") && !k->view->numbers)
        t.row = k->view->row;
    k->answer->type = body_answer(k->request) == MEDIA_JSON ? TYPE_JSON : TYPE_JSONL;
    k->answer->streams = true;
    status = k->view->numbers
                 ? cr_model_explain_regression(view_model(k->view), source, &options, visit_number,
                                               &t, k->err)
                 : cr_model_explain(view_model(k->view), source, &options, visit, &t, k->err);
    if (t.array && status == CR_OK)
        cr_output_text(k->answer->out, t.rows == 0 ? "[]\n" : "]\n");
    if (status == CR_ELIMIT && t.rows > k->service->max_rows)
        fail(k->err, status, "send them in parts", "more than %zu rows", k->service->max_rows);
    body_notes(k, source);
done:
    cr_source_close(source);
    cr_rule_free(rule);
    return status;
}
