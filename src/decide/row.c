/* decide/row.c - fill in and answer one row at a time. */
#include "decide/row.h"

#include <math.h>
#include <string.h>

#include "base/fail.h"
#include "base/memory.h"
#include "data/product.h"
#include "credence/spec.h"
#include "credence/combine.h"
#include "model/calibration.h"
#include "decide/explain.h"
#include "decide/rule.h"
#include "source/source.h"

/* --- making ----------------------------------------------------------------------------------- */

void cr_row_free(cr_row *row)
{
    if (row == NULL)
        return;
    for (size_t i = 0; row->batch.column != NULL && i < row->batch.columns; i++)
        cr__free(row->batch.column[i].word);
    for (size_t i = 0; row->text != NULL && i < row->batch.columns; i++)
        cr__free(row->text[i].bytes);
    cr__explainer_free(row->explains);
    cr__free(row->batch.column);
    cr__free(row->cell);
    cr__free(row->text);
    cr__free(row->start);
    cr__free(row->real);
    cr__free(row->code);
    cr__free(row->kept_real);
    cr__free(row->kept_code);
    cr__missing_close(&row->missing);
    cr__scorer_close(&row->scorer);
    cr_model_free(row->model);
    cr__free(row);
}

void cr_row_clear(cr_row *row)
{
    for (size_t i = 0; i < row->batch.columns; i++) {
        row->real[i] = NAN;
        row->code[i] = CR__MISSING;
        row->start[2 * i + 1] = 0;
        row->text[i].is_set = 0;
    }
}

static cr_status allocate(cr_row *row, size_t columns, cr_error *err)
{
    row->batch.column = cr__alloc_zero(columns, sizeof *row->batch.column);
    row->cell = cr__alloc_zero(columns, sizeof *row->cell);
    row->text = cr__alloc_zero(columns, sizeof *row->text);
    row->real = cr__alloc(columns, sizeof *row->real);
    row->code = cr__alloc(columns, sizeof *row->code);
    row->start = cr__alloc_zero(columns, 2 * sizeof *row->start);
    row->kept_real = cr__alloc(columns, sizeof *row->kept_real);
    row->kept_code = cr__alloc(columns, sizeof *row->kept_code);
    return row->batch.column == NULL || row->cell == NULL || row->text == NULL ||
                   row->real == NULL || row->code == NULL || row->start == NULL ||
                   row->kept_real == NULL || row->kept_code == NULL
               ? cr__fail_memory(err)
               : CR_OK;
}

static cr__cell_use use_of(const cr__column *column)
{
    switch (column->kind) {
    case CR_REAL: return column->factors > 0 ? CR__CELL_SKIP : CR__CELL_REAL;
    case CR_SYMBOL: return CR__CELL_SYMBOL;
    case CR_BAG: return column->role == CR_ROLE_FEATURE ? CR__CELL_TEXT : CR__CELL_SKIP;
    default: return CR__CELL_SKIP;
    }
}

static void lay_column(cr_row *row, size_t i)
{
    const cr__column *about = &row->model->schema->column[i];

    row->batch.column[i] = (cr__batch_column){.kind = about->kind,
                                              .real = &row->real[i],
                                              .code = &row->code[i],
                                              .start = &row->start[2 * i]};
    row->cell[i] = (cr__cell){.use = use_of(about),
                              .careful = 1,
                              .absent = CR__NO_CODE,
                              .real = &row->real[i],
                              .code = &row->code[i],
                              .dict = row->model->dict[i],
                              .missing = &row->missing,
                              .batch = &row->batch,
                              .column = i,
                              .about = about};
}

cr_status cr_row_new(cr_row **out, const cr_model *model, cr_error *err)
{
    const size_t columns = model->schema->columns;
    cr_row *row = cr__alloc_zero(1, sizeof *row);
    cr_status st;

    *out = NULL;
    if (row == NULL)
        return cr__fail_memory(err);
    row->batch = (cr__batch){.rows = 1, .capacity = 1, .columns = columns};
    st = allocate(row, columns, err);
    if (st == CR_OK)
        st = cr_model_copy(&row->model, model, err);
    if (st == CR_OK)
        st = cr__missing_open(&row->missing, model->missing, err);
    if (st == CR_OK)
        st = cr__scorer_open(&row->scorer, row->model, err);
    if (st != CR_OK) {
        cr_row_free(row);
        return st;
    }
    for (size_t i = 0; i < columns; i++)
        lay_column(row, i);
    cr_row_clear(row);
    *out = row;
    return CR_OK;
}

/* --- filling ---------------------------------------------------------------------------------- */

cr_status cr_row_set_real(cr_row *row, size_t column, double x)
{
    if (column >= row->batch.columns || row->cell[column].use != CR__CELL_REAL || isinf(x))
        return CR_EARG;
    row->real[column] = x;
    return CR_OK;
}

cr_status cr_row_set_code(cr_row *row, size_t column, int32_t value)
{
    if (column >= row->batch.columns || row->cell[column].use != CR__CELL_SYMBOL || value < -1 ||
        (value >= 0 && (uint32_t)value >= row->cell[column].dict->words))
        return CR_EARG;
    row->code[column] = value < 0 ? CR__MISSING : (uint32_t)value + 1;
    return CR_OK;
}

cr_status cr__row_keep_text(cr__row_text *text, const char *bytes, size_t size, int mail)
{
    if (!cr__grow(&text->bytes, &text->capacity, size + 1, 1))
        return CR_ENOMEM;
    if (size > 0)
        memcpy(text->bytes, bytes, size);
    text->bytes[size] = '\0';
    text->size = size;
    text->mail = mail;
    text->is_set = 1;
    return CR_OK;
}

/* A text as a field of a file; err may be NULL. */
static cr_status set_text(cr_row *row, size_t column, const char *bytes, size_t size, cr_error *err)
{
    const cr__cell *cell = &row->cell[column];
    cr_status st;

    if (bytes == NULL) {
        cr__cell_put_missing(cell, 0);
        return CR_OK;
    }
    if (cell->use == CR__CELL_SYMBOL &&
        (row->code[column] = cr__dict_find(cell->dict, bytes, size)) != CR__MISSING)
        return CR_OK;
    if (cell->use == CR__CELL_SYMBOL && memchr(bytes, '\0', size) != NULL)
        return cr__fail(err, CR_EARG, "the value of '%s' has a NUL byte in it", cell->about->name);
    row->scorer.plan.err = err;
    if ((st = cr__cell_put(&row->scorer.plan, cell, 0, bytes, size, 0)) != CR_OK)
        return cr__cell_fail(err, st, cell, bytes, size, NULL, 0, 0);
    if (cell->use == CR__CELL_REAL || row->code[column] == CR__MISSING ||
        (cell->use == CR__CELL_SYMBOL && row->code[column] <= cell->dict->words))
        return CR_OK;
    cr__trim(&bytes, &size);
    if (cr__row_keep_text(&row->text[column], bytes, size, 0) == CR_OK)
        return CR_OK;
    cr__cell_put_missing(cell, 0);
    return cr__fail_memory(err);
}

cr_status cr_row_set_bytes(cr_row *row, size_t column, const char *bytes, size_t size)
{
    if (column >= row->batch.columns || row->cell[column].use == CR__CELL_SKIP)
        return CR_EARG;
    return set_text(row, column, bytes, size, NULL);
}

cr_status cr_row_set_text(cr_row *row, size_t column, const char *text)
{
    return cr_row_set_bytes(row, column, text, text == NULL ? 0 : strlen(text));
}

static cr_status fail_name(const cr_schema *schema, const char *name, cr_error *err)
{
    cr_nearest near = (cr_nearest){.wanted = name};

    for (size_t i = 0; i < schema->columns; i++)
        cr_nearest_offer(&near, schema->column[i].name);
    cr__fail(err, CR_EARG, "the model has no column '%s'", name);
    return near.best == NULL ? CR_EARG
                             : cr__fail_hint(err, CR_EARG, "did you mean '%s'?", near.best);
}

cr_status cr_row_set_named(cr_row *row, const char *name, const char *text, cr_error *err)
{
    const size_t column = cr_schema_find(row->model->schema, name);

    if (column == SIZE_MAX)
        return fail_name(row->model->schema, name, err);
    if (row->model->schema->column[column].factors > 0)
        return cr__fail(err, CR_EARG, "the model computes '%s' from other columns", name);
    if (row->cell[column].use == CR__CELL_SKIP)
        return cr__fail(err, CR_EARG, "the model does not use the column '%s'", name);
    return set_text(row, column, text, text == NULL ? 0 : strlen(text), err);
}

/* The one column that holds texts; SIZE_MAX when there is none or more than one. */
static size_t text_column(const cr_row *row)
{
    size_t found = SIZE_MAX;

    for (size_t i = 0; i < row->batch.columns; i++)
        if (row->cell[i].use == CR__CELL_TEXT) {
            if (found != SIZE_MAX)
                return SIZE_MAX;
            found = i;
        }
    return found;
}

static cr_status fail_column(cr_error *err)
{
    return cr__fail(err, CR_EARG, "a message needs a model with one column of texts");
}

/* Keep the message, or clear the row after a failure. */
static cr_status keep_mail(cr_row *row, size_t column, const char *bytes, size_t size, cr_status st,
                           cr_error *err)
{
    if (st == CR_OK && cr__row_keep_text(&row->text[column], bytes, size, 1) != CR_OK)
        st = cr__fail_memory(err);
    if (st != CR_OK)
        cr_row_clear(row);
    return st;
}

cr_status cr_row_from_mail(cr_row *row, const void *bytes, size_t size, cr_error *err)
{
    const cr__section message = {
        .prefix = "", .text = size == 0 ? "" : bytes, .size = size, .whole = 1, .mail = 1};
    const size_t column = text_column(row);
    cr__plan *plan = &row->scorer.plan;
    cr_status st;

    if (column == SIZE_MAX)
        return fail_column(err);
    cr_row_clear(row);
    cr__batch_no_text(&row->batch, 0, column);
    st = plan->put_text(plan, &row->batch, 0, column, &message, err);
    return keep_mail(row, column, message.text, size, st, err);
}

/* The numbers that the words of a dictionary have in the model, [words + 1] by code; UINT32_MAX
 * where it lacks them. */
static cr_status find_all(cr__plan *plan, size_t column, const cr__dict *dict, uint32_t *number)
{
    cr__token *token = cr__alloc(dict->words, sizeof *token);
    cr_status st;

    if (token == NULL)
        return CR_ENOMEM;
    for (uint32_t i = 0; i < dict->words; i++) {
        size_t length;
        const char *word = cr__dict_word(dict, i + 1, &length);

        token[i] = (cr__token){.hash = cr__token_hash(word, length),
                               .start = (uint32_t)(word - dict->bytes),
                               .length = (uint32_t)length};
    }
    number[CR__MISSING] = UINT32_MAX;
    st = plan->find_words(plan, column, dict->bytes, token, dict->words, number + 1);
    cr__free(token);
    return st;
}

cr_status cr__row_from_words(cr_row *row, const char *message, size_t size, const cr__dict *dict,
                             const uint32_t *word, size_t words, cr_error *err)
{
    const size_t column = text_column(row);
    cr__batch_column *into;
    uint32_t *number, *room;
    cr_status st = CR_OK;

    if (column == SIZE_MAX)
        return fail_column(err);
    cr_row_clear(row);
    cr__batch_no_text(&row->batch, 0, column);
    into = &row->batch.column[column];
    room = cr__batch_words(&row->batch, 0, column, words);
    number = cr__alloc((size_t)dict->words + 1, sizeof *number);
    if (room == NULL || number == NULL)
        st = cr__fail_memory(err);
    else if ((st = find_all(&row->scorer.plan, column, dict, number)) != CR_OK)
        st = cr__fail_memory(err);
    for (size_t i = 0; st == CR_OK && i < words; i++)
        if (number[word[i]] != UINT32_MAX) {
            room[into->start[1] - into->start[0]] = number[word[i]];
            into->start[1]++;
        }
    into->code[0] = 1;
    cr__free(number);
    return keep_mail(row, column, message, size, st, err);
}

/* --- answers ---------------------------------------------------------------------------------- */

static int fills(const cr_row *row)
{
    return row->model->impute != NULL || cr_model_members(row->model) > 0;
}

/* The members of an ensemble split a text again for each answer. */
static cr_status renew_texts(cr_row *row, cr_error *err)
{
    cr__plan *plan = &row->scorer.plan;
    cr_status st = CR_OK;

    for (size_t i = 0; st == CR_OK && i < row->batch.columns; i++) {
        const cr__row_text *text = &row->text[i];

        if (row->cell[i].use != CR__CELL_TEXT || row->code[i] == CR__MISSING)
            continue;
        cr__batch_no_text(&row->batch, 0, i);
        st = plan->put_text(plan, &row->batch, 0, i,
                            &(cr__section){.prefix = "",
                                           .text = text->bytes,
                                           .size = text->size,
                                           .whole = 1,
                                           .mail = text->mail},
                            err);
    }
    return st;
}

cr_status cr__row_begin(cr_row *row, cr_error *err)
{
    cr__products_fill(row->model->schema, &row->batch);
    if (!fills(row))
        return CR_OK;
    memcpy(row->kept_real, row->real, row->batch.columns * sizeof *row->real);
    memcpy(row->kept_code, row->code, row->batch.columns * sizeof *row->code);
    return cr_model_members(row->model) == 0 ? CR_OK : renew_texts(row, err);
}

void cr__row_end(cr_row *row)
{
    if (!fills(row))
        return;
    memcpy(row->real, row->kept_real, row->batch.columns * sizeof *row->real);
    memcpy(row->code, row->kept_code, row->batch.columns * sizeof *row->code);
}

/* Decide by a rule, or by the most probable class. */
static void decide(const cr_model *model, const cr_rule *rule, double *posterior, cr_decision *out)
{
    cr__calibrate(model->calibration, posterior);
    out->decision = cr__rule_decide(rule, posterior, model->classes, posterior, &out->log_evidence,
                                    &out->expected_cost, &out->reason);
}

cr_status cr_row_classify(cr_row *row, const cr_rule *rule, double *posterior, cr_decision *out)
{
    const cr_model *model = row->model;
    cr_status st;

    if (model->classes == 0 || (rule != NULL && rule->classes != model->classes))
        return CR_EARG;
    if ((st = cr__row_begin(row, NULL)) == CR_OK)
        st = cr__scorer_score(&row->scorer, &row->batch, posterior, NULL);
    cr__row_end(row);
    if (st == CR_OK)
        decide(model, rule, posterior, out);
    return st;
}

/* A row of another state of the model, or of another one. */
static cr_status classify_again(const cr_model *model, const cr_row *row, double *posterior,
                                cr_decision *out)
{
    cr_row *again;
    cr_status st;

    if (model->classes == 0 || !cr__columns_match(row->model->schema, model->schema))
        return CR_EARG;
    if ((st = cr__row_score_later(row, model, posterior, NULL)) == CR_OK)
        decide(model, NULL, posterior, out);
    if (st != CR_END)
        return st;
    if ((st = cr__row_again(&again, model, row, NULL)) == CR_OK)
        st = cr_row_classify(again, NULL, posterior, out);
    cr_row_free(again);
    return st;
}

cr_status cr_model_classify(const cr_model *model, const cr_row *row, double *posterior,
                            int32_t *decision, double *log_evidence)
{
    cr_row *own = (cr_row *)row; /* for the scratch of its scorer: rows are not shared */
    cr_decision d;
    const cr_status st = row->model->share == model->share
                             ? cr_row_classify(own, NULL, posterior, &d)
                             : classify_again(model, row, posterior, &d);

    if (st != CR_OK)
        return st;
    *decision = d.decision;
    if (log_evidence != NULL)
        *log_evidence = d.log_evidence;
    return CR_OK;
}

cr_status cr_row_regress(cr_row *row, cr_regression *out)
{
    cr_status st;

    if (row->model->learner->regresses == NULL)
        return CR_EARG;
    if ((st = cr__row_begin(row, NULL)) == CR_OK)
        st = cr__scorer_regress(&row->scorer, &row->batch, out, NULL);
    cr__row_end(row);
    out->truth = NAN;
    return st;
}

cr_status cr_model_regress(const cr_model *model, const cr_row *row, cr_regression *out)
{
    cr_row *again;
    cr_status st;

    if (row->model->share == model->share)
        return cr_row_regress((cr_row *)row, out);
    if (!cr__columns_match(row->model->schema, model->schema))
        return CR_EARG;
    if ((st = cr__row_again(&again, model, row, NULL)) == CR_OK)
        st = cr_row_regress(again, out);
    cr_row_free(again);
    return st;
}
