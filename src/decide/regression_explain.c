/* decide/regression_explain.c - explanations of a regression: the contribution of each column to
 * the mean.
 *
 * The answer of a linear regression is a sum over the columns. That of a network is not, but the
 * expectation of the target changes as the columns become known one after another:
 *
 *     E(y | x₁ … xₙ) = E(y) + Σ [ E(y | x₁ … xᵢ) - E(y | x₁ … xᵢ₋₁) ].
 */
#include <math.h>
#include <string.h>

#include "base/fail.h"
#include "base/memory.h"
#include "decide/in_order.h"
#include "model/scorer.h"

typedef struct explainer {
    const cr_model *model;
    const cr__regresses *learner;
    cr__scorer scorer;
    int has_target;
    cr_regression_share *share; /* [columns] */
    double *base;               /* [rows] E(y), then the contribution of each column, where the */
    size_t base_room;           /* columns become known one after another */
    unsigned char *missing;     /* [rows * columns] of a batch, as it came; NULL: never filled */
    size_t room;
    cr_status (*visit)(void *context, const cr_regression_explanation *e);
    void *context;
} explainer;

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

/* --- one after another ------------------------------------------------------------------------ */

static int is_feature(const explainer *x, const cr__batch *batch, size_t column)
{
    return x->model->schema->column[column].role == CR_ROLE_FEATURE &&
           (batch->column[column].kind == CR_REAL || batch->column[column].kind == CR_SYMBOL);
}

/* Mask the columns of the batch from `one` on as missing; the others are visible. */
static void cover(const explainer *x, cr__batch *batch, const cr__batch_column *seen, size_t from,
                  double *no_real, uint32_t *no_code)
{
    for (size_t i = 0; i < batch->columns; i++)
        if (is_feature(x, batch, i)) {
            batch->column[i].real = i < from ? seen[i].real : no_real;
            batch->column[i].code = i < from ? seen[i].code : no_code;
        }
}

/* The expectation of the target before any column is known, then the contribution of each. */
static cr_status reveal(explainer *x, cr__batch *batch, cr_regression *answer, cr_error *err)
{
    const size_t rows = batch->rows, columns = batch->columns;
    double *no_real = cr__alloc(rows, sizeof *no_real), *adds;
    uint32_t *no_code = cr__alloc(rows, sizeof *no_code);
    cr__batch_column *seen = cr__alloc(columns, sizeof *seen);
    cr_status st = CR_OK;

    if (no_real == NULL || no_code == NULL || seen == NULL ||
        !cr__grow(&x->base, &x->base_room, rows * (columns + 1), sizeof *x->base)) {
        st = cr__fail_memory(err);
        goto done;
    }
    for (size_t r = 0; r < rows; r++) {
        no_real[r] = NAN;
        no_code[r] = CR__MISSING;
    }
    memcpy(seen, batch->column, columns * sizeof *seen);
    for (size_t i = 0; st == CR_OK && i <= columns; i++) {
        adds = x->base + i * rows;
        memset(adds, 0, rows * sizeof *adds);
        if (i > 0 && !is_feature(x, batch, i - 1))
            continue;
        cover(x, batch, seen, i, no_real, no_code);
        st = x->model->learner->regresses->regress(x->model->share->fitted, x->scorer.state, batch,
                                                   answer, err);
        for (size_t r = 0; st == CR_OK && r < rows; r++) {
            adds[r] = answer[r].mean;
            for (size_t k = 0; k < i; k++)
                adds[r] -= x->base[k * rows + r];
        }
    }
    memcpy(batch->column, seen, columns * sizeof *seen);
done:
    cr__free(no_real);
    cr__free(no_code);
    cr__free(seen);
    return st;
}

static size_t revealed_shares(explainer *x, const cr__batch *batch, size_t row)
{
    size_t count = 0;

    for (size_t i = 0; i < batch->columns; i++) {
        const cr__batch_column *data = &batch->column[i];

        if (is_feature(x, batch, i))
            x->share[count++] = (cr_regression_share){
                .column = i,
                .value = data->kind == CR_REAL ? data->real[row] : NAN,
                .known = data->kind == CR_REAL ? !isnan(data->real[row])
                                               : data->code[row] != CR__MISSING &&
                                                     data->code[row] <= x->model->dict[i]->words,
                .share = x->base[(i + 1) * batch->rows + row]};
    }
    return count;
}

/* --- rows ------------------------------------------------------------------------------------- */

static cr_status explain_row(explainer *x, const cr__batch *batch, size_t row,
                             const cr_regression *answer, cr_error *err)
{
    cr_regression_explanation e = {.line = batch->record[row].line,
                                   .answer = *answer,
                                   .noise = answer->scale,
                                   .share = x->share,
                                   .chained = x->learner->shares == NULL};
    cr_status st;

    e.answer.truth = x->has_target ? batch->column[x->model->schema->target].real[row] : NAN;
    if (x->learner->shares != NULL) {
        x->learner->shares(x->model->share->fitted, batch, row, x->share, &e);
    } else {
        e.base = x->base[row];
        e.shares = revealed_shares(x, batch, row);
    }
    name_shares(x, batch, row, e.shares);
    if ((st = x->visit(x->context, &e)) != CR_OK)
        return cr__fail(err, st, "%s", cr_status_text(st));
    return CR_OK;
}

static cr_status explain_failure(const explainer *x, const cr__batch *batch, cr_error *err)
{
    const cr_regression_explanation e = {.line = batch->record[0].line, .error = batch->failure};
    const cr_status st = x->visit(x->context, &e);

    return st == CR_OK ? CR_OK : cr__fail(err, st, "%s", cr_status_text(st));
}

static cr_status absorb(void *state, const cr__chunk *chunk, cr__batch *batch, cr_error *err)
{
    explainer *x = state;
    cr_regression *answer;
    cr_status st;

    if (batch->failure != NULL)
        return explain_failure(x, batch, err);
    answer = cr__alloc(batch->rows + 1, sizeof *answer);
    st = answer == NULL ? cr__fail_memory(err) : note_missing(x, batch, err);

    if (st == CR_OK)
        st = cr__scorer_regress(&x->scorer, batch, answer, err);
    if (st == CR_OK && x->learner->shares == NULL)
        st = reveal(x, batch, answer, err);
    if (st != CR_OK)
        st = cr__source_blame(chunk, st, err);
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
    explainer x = {
        .model = model, .learner = model->learner->regresses, .visit = visit, .context = context};
    cr_status st;

    if (model->learner->regresses == NULL)
        return cr__fail(err, CR_EARG, "a model of '%s' is a classifier, not a regression",
                        cr_model_learner(model));
    cr__source_on_error(source, options == NULL ? CR_ON_ERROR_STOP : options->on_error);
    st = cr__source_bind(source, model->schema, 0,
                         options != NULL && options->allow_absent_columns ? 1
                         : model->learner->absent                         ? CR__ABSENT_NOTED
                                                                          : 0,
                         err);
    if (st == CR_OK)
        st = cr__scorer_open(&x.scorer, model, err);
    if (st == CR_OK && (x.share = cr__alloc(model->schema->columns + 1, sizeof *x.share)) == NULL)
        st = cr__fail_memory(err);
    x.has_target = st == CR_OK && cr__source_has_target(source);
    if (st == CR_OK)
        st = cr__pass_in_order(source, model->schema, &x.scorer.plan, absorb, &x, err);
    cr__source_on_error(source, CR_ON_ERROR_STOP);
    cr__free(x.share);
    cr__free(x.base);
    cr__free(x.missing);
    cr__scorer_close(&x.scorer);
    return st;
}
