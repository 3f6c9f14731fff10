/* decide/row.c - one row at a time. */
#include <math.h>
#include <string.h>

#include "base/fail.h"
#include "base/memory.h"
#include "decide/calibration.h"
#include "belief/posterior.h"
#include "model/scorer.h"

/* A batch of one row whose cells are members of the row itself. */
struct cr_row {
    const cr_model *model;
    cr__batch batch;
    double *real;      /* [columns] */
    uint32_t *code;    /* [columns] */
    double *kept_real; /* [columns] both as they were given, where the model fills gaps */
    uint32_t *kept_code;
    uint32_t *start; /* [2 * columns] where the words of texts begin and end */
    cr__scorer scorer;
};

void cr_row_free(cr_row *row)
{
    if (row == NULL)
        return;
    for (size_t i = 0; row->batch.column != NULL && i < row->batch.columns; i++)
        cr__free(row->batch.column[i].word);
    cr__free(row->batch.column);
    cr__free(row->start);
    cr__free(row->real);
    cr__free(row->code);
    cr__free(row->kept_real);
    cr__free(row->kept_code);
    cr__scorer_close(&row->scorer);
    cr__free(row);
}

void cr_row_clear(cr_row *row)
{
    for (size_t i = 0; i < row->batch.columns; i++) {
        row->real[i] = NAN;
        row->code[i] = CR__MISSING;
        row->start[2 * i + 1] = 0;
    }
}

cr_status cr_row_new(cr_row **out, const cr_model *model, cr_error *err)
{
    const cr_schema *schema = model->schema;
    cr_row *row = cr__alloc_zero(1, sizeof *row);
    cr_status st;

    *out = NULL;
    if (row == NULL)
        return cr__fail_memory(err);
    row->model = model;
    row->batch = (cr__batch){.rows = 1, .capacity = 1, .columns = schema->columns};
    row->batch.column = cr__alloc_zero(schema->columns, sizeof *row->batch.column);
    row->real = cr__alloc(schema->columns, sizeof *row->real);
    row->code = cr__alloc(schema->columns, sizeof *row->code);
    row->start = cr__alloc_zero(schema->columns, 2 * sizeof *row->start);
    row->kept_real = cr__alloc(schema->columns, sizeof *row->kept_real);
    row->kept_code = cr__alloc(schema->columns, sizeof *row->kept_code);
    if (row->batch.column == NULL || row->real == NULL || row->code == NULL || row->start == NULL ||
        row->kept_real == NULL || row->kept_code == NULL)
        st = cr__fail_memory(err);
    else
        st = cr__scorer_open(&row->scorer, model, err);
    if (st != CR_OK) {
        cr_row_free(row);
        return st;
    }
    for (size_t i = 0; i < schema->columns; i++)
        row->batch.column[i] = (cr__batch_column){.kind = schema->column[i].kind,
                                                  .real = &row->real[i],
                                                  .code = &row->code[i],
                                                  .start = &row->start[2 * i]};
    cr_row_clear(row);
    *out = row;
    return CR_OK;
}

cr_status cr_row_set_real(cr_row *row, size_t column, double x)
{
    if (column >= row->batch.columns || row->batch.column[column].kind != CR_REAL || isinf(x))
        return CR_EARG;
    row->real[column] = x;
    return CR_OK;
}

/* A text goes through the model's recipe into the row's own list of words. */
static cr_status set_bag(cr_row *row, size_t column, const char *text)
{
    cr__plan *plan = &row->scorer.plan;

    cr__batch_no_text(&row->batch, 0, column);
    if (text == NULL)
        return CR_OK;
    return plan->put_text(
        plan, &row->batch, 0, column,
        &(cr__section){.prefix = "", .text = text, .size = strlen(text), .whole = 1}, NULL);
}

cr_status cr_row_set_text(cr_row *row, size_t column, const char *word)
{
    const cr__dict *dict;

    if (column < row->batch.columns && row->batch.column[column].kind == CR_BAG &&
        row->model->schema->column[column].role == CR_ROLE_FEATURE)
        return set_bag(row, column, word);
    if (column >= row->batch.columns || row->batch.column[column].kind != CR_SYMBOL)
        return CR_EARG;
    dict = row->model->dict[column];
    row->code[column] = word == NULL ? CR__MISSING : cr__dict_find(dict, word, strlen(word));
    if (word != NULL && row->code[column] == CR__MISSING)
        row->code[column] = dict->words + 1;
    return CR_OK;
}

/* What the model fills in is not given: the row must be as it was for the next answer. */
static void keep(cr_row *row)
{
    memcpy(row->kept_real, row->real, row->batch.columns * sizeof *row->real);
    memcpy(row->kept_code, row->code, row->batch.columns * sizeof *row->code);
}

static void restore(cr_row *row)
{
    memcpy(row->real, row->kept_real, row->batch.columns * sizeof *row->real);
    memcpy(row->code, row->kept_code, row->batch.columns * sizeof *row->code);
}

cr_status cr_model_classify(const cr_model *model, const cr_row *row, double *posterior,
                            int32_t *decision, double *log_evidence)
{
    cr_row *own = (cr_row *)row; /* for the scratch of its scorer: rows are not shared */
    cr_status st;

    if (row->model != model || model->classes == 0)
        return CR_EARG;
    keep(own);
    st = cr__scorer_score(&own->scorer, &own->batch, posterior, NULL);
    restore(own);
    if (st != CR_OK)
        return st;
    cr__calibrate(model->calibration, posterior);
    *decision = cr__posterior(posterior, model->classes, posterior, log_evidence);
    return CR_OK;
}

cr_status cr_model_regress(const cr_model *model, const cr_row *row, cr_regression *out)
{
    cr_row *own = (cr_row *)row;
    cr_status st;

    if (row->model != model || model->learner->regresses == NULL)
        return CR_EARG;
    keep(own);
    st = cr__scorer_regress(&own->scorer, &own->batch, out, NULL);
    restore(own);
    out->truth = NAN;
    return st;
}
