/* decide/regression_explain.c - why a number: what each column adds to the mean of the target. */
#include <math.h>

#include "base/fail.h"
#include "base/memory.h"
#include "model/linear/linear.h"
#include "model/scorer.h"
#include "stats/pass.h"

typedef struct explainer {
    const cr_model *model;
    const cr__reg *reg;
    cr__scorer scorer;
    int has_target;
    cr_regression_share *share; /* [terms] */
    unsigned char *missing;     /* [rows * columns] of a batch, as it came; NULL: never filled */
    size_t room;
    cr_status (*visit)(void *context, const cr_regression_explanation *e);
    void *context;
} explainer;

static cr_status begin(void *context, void **state, cr__plan **plan, cr_error *err)
{
    explainer *x = context;

    (void)err;
    *state = x;
    *plan = &x->scorer.plan;
    return CR_OK;
}

static void end(void *state)
{
    (void)state;
}

/* Which values are missing, before the model fills them in. */
static cr_status note_missing(explainer *x, const cr__batch *batch, cr_error *err)
{
    const size_t need = batch->rows * batch->columns;

    if (x->model->impute == NULL)
        return CR_OK;
    if (!cr__grow(&x->missing, &x->room, need, 1))
        return cr__fail_memory(err);
    for (size_t i = 0; i < need; i++) {
        const cr__batch_column *data = &batch->column[i % batch->columns];
        const size_t row = i / batch->columns;

        x->missing[i] = data->kind == CR_REAL     ? isnan(data->real[row]) != 0
                        : data->kind == CR_SYMBOL ? data->code[row] == CR__MISSING
                                                  : 0;
    }
    return CR_OK;
}

static void name_shares(explainer *x, const cr__batch *batch, size_t row, size_t count)
{
    for (size_t i = 0; i < count; i++) {
        cr_regression_share *s = &x->share[i];
        const cr__batch_column *data = &batch->column[s->column];

        if (data->kind == CR_SYMBOL && s->known)
            s->text = cr__dict_word(x->model->dict[s->column], data->code[row], NULL);
        s->filled = x->missing != NULL && x->missing[row * batch->columns + s->column];
    }
}

static cr_status explain_row(explainer *x, const cr__batch *batch, size_t row,
                             const cr_regression *answer, cr_error *err)
{
    const cr__reg_head *head = &x->reg->head;
    const double inflation = answer->scale / head->noise;
    cr_regression_explanation e = {.line = batch->record[row].line, .answer = *answer,
                                   .base = head->mean, .noise = head->noise, .rows = head->rows,
                                   .share = x->share};
    cr_status st;

    e.answer.truth = x->has_target ? batch->column[x->model->schema->target].real[row] : NAN;
    e.leverage = fmax(0, inflation * inflation - 1 - 1 / head->rows);
    e.shares = cr__reg_shares(x->reg, batch, row, x->share);
    name_shares(x, batch, row, e.shares);
    if ((st = x->visit(x->context, &e)) != CR_OK)
        return cr__fail(err, st, "%s", cr_status_text(st));
    return CR_OK;
}

static cr_status absorb(void *state, const cr__chunk *chunk, cr__batch *batch, cr_error *err)
{
    explainer *x = state;
    cr_regression *answer = cr__alloc(batch->rows + 1, sizeof *answer);
    cr_status st = answer == NULL ? cr__fail_memory(err) : note_missing(x, batch, err);

    (void)chunk;
    if (st == CR_OK)
        st = cr__scorer_regress(&x->scorer, batch, answer, err);
    for (size_t r = 0; st == CR_OK && r < batch->rows; r++)
        st = explain_row(x, batch, r, &answer[r], err);
    cr__free(answer);
    return st;
}

cr_status cr_model_explain_regression(const cr_model *model, cr_source *source,
                                      const cr_predict_options *options,
                                      cr_status (*visit)(void *context,
                                                         const cr_regression_explanation *e),
                                      void *context, cr_error *err)
{
    const cr_run one = {.threads = 1};
    explainer x = {.model = model, .reg = model->fitted, .visit = visit, .context = context};
    cr__pass pass = {.source = source, .schema = model->schema, .run = &one, .job = &x,
                     .begin = begin, .absorb = absorb, .end = end};
    void **states = NULL;
    size_t count, broken;
    cr_kind to;
    cr_status st;

    if (model->learner != &cr__linear_regression)
        return cr__fail(err, CR_EARG, "a model of '%s' %s", cr_model_learner(model),
                        model->learner->regress == NULL ? "learns classes, not a number"
                                                        : "is no sum of what the columns add");
    st = cr__source_bind(source, model->schema, 0,
                         options != NULL && options->allow_absent_columns, err);
    if (st == CR_OK)
        st = cr__scorer_open(&x.scorer, model, err);
    if (st == CR_OK && (x.share = cr__alloc(x.reg->head.terms + 1, sizeof *x.share)) == NULL)
        st = cr__fail_memory(err);
    x.has_target = st == CR_OK && cr__source_has_target(source);
    if (st == CR_OK)
        st = cr__pass_run(&pass, &states, &count, &broken, &to, err);
    cr__free(states);
    cr__free(x.share);
    cr__free(x.missing);
    cr__scorer_close(&x.scorer);
    return st;
}
