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

cr_status answer_query(const cr_model *model, const char *question, cr_output *out, cr_error *err)
{
    cr_answer *a = NULL;
    cr_status status = cr_query_run(model, question, &a, err);

    if (status != CR_OK)
        return status;
    if (a->kind == CR_QUERY_PROBABILITY)
        cr_output_number(out, a->probability);
    else
        status = cr_answer_json(question, a, out);
    cr_answer_free(a);
    return status;
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
