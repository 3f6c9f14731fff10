/* decide/explain.c - explanations: the factors of each row, which add up exactly to its scores. */
#include <math.h>
#include <stdio.h>
#include <string.h>

#include "base/fail.h"
#include "base/memory.h"
#include "base/number.h"
#include "credence/combine.h"
#include "credence/explain.h"
#include "decide/credible.h"
#include "decide/explain.h"
#include "decide/explain_members.h"
#include "model/calibration.h"
#include "decide/in_order.h"
#include "decide/row.h"
#include "decide/rule.h"
#include "belief/posterior.h"
#include "model/scorer.h"

typedef struct cr__explainer {
    const cr_model *model;
    const cr__stats *stats;
    cr__scorer scorer;
    cr_status (*visit)(void *context, const cr_explanation *e);
    void *context;
    size_t factors;    /* at most: 1 + columns + products */
    cr_factor *factor; /* [factors] */
    char **pair;       /* [factors] names and values of products */
    size_t *pair_capacity;
    double *work; /* of the factors */
    double *score, *posterior;
    cr__fields fields;
    cr_status split;   /* of the row into its fields */
    const cr_row *row; /* the row itself, where it is not one of a source */
    cr_source *source; /* or NULL */
    size_t *field_of;  /* [columns] the input's field of each column, SIZE_MAX when absent */
    char (*number)[CR__NUMBER_SIZE];        /* [columns] real values as text */
    cr_word_share **share;                  /* [columns] of the texts' words */
    double **share_work;                    /* [columns] and their log_p */
    size_t *share_capacity, *work_capacity; /* [columns] */
    void *detail;                           /* the learner's, see cr__detail */
    const cr_rule *rule;
    double *before_rule;              /* [classes] */
    cr_calibration_share *calibrated; /* [classes] */
    cr__credible *credible;           /* for intervals, or NULL */
    double *low, *high;               /* [classes] */
    double level;
    cr__wanted wanted;
} cr__explainer;

/* A column's text in the input; NULL where that is not known, or memory is missing: then x->split
 * says so. */
static const char *input_text(cr__explainer *x, const cr__chunk *chunk, const cr__batch *batch,
                              size_t row, size_t column, size_t *size)
{
    const size_t field = x->field_of[column];

    if (x->row != NULL) {
        *size = x->row->text[column].size;
        return x->row->text[column].is_set ? x->row->text[column].bytes : NULL;
    }
    if (field != SIZE_MAX && x->fields.count == 0 && x->split == CR_OK)
        x->split = cr__source_split(chunk, &batch->record[row], &x->fields, NULL);
    if (field == SIZE_MAX || x->split != CR_OK)
        return NULL;
    if (field >= x->fields.count || x->fields.bytes[field] == NULL)
        return NULL;
    *size = x->fields.size[field];
    return x->fields.bytes[field];
}

/* The row's value as text: words as in the model, or as in the input when the model has never seen
 * them. */
static const char *value_text(cr__explainer *x, const cr__chunk *chunk, const cr__batch *batch,
                              size_t row, size_t column)
{
    const cr__batch_column *data = &batch->column[column];
    const char *bytes;
    size_t size;

    if (data->kind == CR_BAG)
        return data->code[row] == CR__MISSING ? "?" : "(text)";
    if (data->kind == CR_REAL) {
        if (isnan(data->real[row]))
            return "?";
        x->number[column][cr__format_double(x->number[column], data->real[row])] = '\0';
        return x->number[column];
    }
    if (data->code[row] == CR__MISSING)
        return "?";
    if (data->code[row] <= x->model->dict[column]->words)
        return cr__dict_word(x->model->dict[column], data->code[row], NULL);
    if ((bytes = input_text(x, chunk, batch, row, column, &size)) == NULL)
        return "(never seen)";
    if (size > CR__NUMBER_SIZE - 1)
        size = CR__NUMBER_SIZE - 1;
    memcpy(x->number[column], bytes, size);
    x->number[column][size] = '\0';
    return x->number[column];
}

/* "a*b" and "1.5, male" of a product, "a^2" and "1.5" of a square. */
static cr_status name_product(cr__explainer *x, const cr__chunk *chunk, const cr__batch *batch,
                              size_t row, size_t f, cr_error *err)
{
    cr_factor *factor = &x->factor[f];
    const size_t a = factor->column, b = factor->with - 1;
    const char *name[2] = {x->model->schema->column[a].name, x->model->schema->column[b].name};
    const char *value[2] = {value_text(x, chunk, batch, row, a),
                            value_text(x, chunk, batch, row, b)};
    const size_t names = strlen(name[0]) + strlen(name[1]) + 3;
    const size_t values = strlen(value[0]) + strlen(value[1]) + 3;
    char *to;

    if (!cr__grow(&x->pair[f], &x->pair_capacity[f], names + values, 1))
        return cr__fail_memory(err);
    to = x->pair[f];
    snprintf(to, names, a == b ? "%s^2" : "%s*%s", name[0], name[1]);
    snprintf(to + names, values, a == b ? "%s" : "%s, %s", value[0], value[1]);
    factor->name = to;
    factor->value = to + names;
    return CR_OK;
}

/* From scores to the decision: calibrated if the model is, then by the rule. posterior holds the
 * scores at first. */
void cr__explain_decision(const cr_model *model, const cr_rule *rule, cr_explanation *e,
                          double *posterior, double *before_rule, cr_calibration_share *calibrated)
{
    const size_t classes = e->classes;

    if (model->calibration != NULL &&
        cr__calibrate_shares(model->calibration, posterior, calibrated)) {
        e->calibration = cr__calibration_name(model->calibration->kind);
        e->calibrated = calibrated;
    }
    if (model->calibration != NULL)
        cr__calibrate(model->calibration, posterior);
    memcpy(before_rule, posterior, classes * sizeof *before_rule);
    e->rule = rule;
    e->decision =
        cr__rule_decide(rule, posterior, classes, posterior, NULL, &e->expected_cost, &e->reason);
    cr__posterior(before_rule, classes, before_rule, NULL);
    e->before_rule = rule != NULL && rule->shift != NULL ? before_rule : NULL;
    e->posterior = posterior;
    e->runner_up = cr__second_best(rule == NULL ? e->score : posterior, classes, e->decision);
}

int32_t cr__second_best(const double *score, size_t classes, int32_t best)
{
    int32_t second = CR_UNDECIDED;

    for (size_t c = 0; c < classes; c++)
        if ((int32_t)c != best && best != CR_UNDECIDED &&
            (second == CR_UNDECIDED || score[c] > score[second]))
            second = (int32_t)c;
    return second;
}

/* The words of a text and the contribution of each. */
static cr_status add_words(cr__explainer *x, const cr__batch *batch, size_t row, cr_factor *f,
                           cr_error *err)
{
    const cr_model *model = x->model;
    const cr__batch_column *data = &batch->column[f->column];
    const uint32_t *word = data->word + data->start[row];
    const size_t n = data->start[row + 1] - data->start[row], i = f->column;

    if (n > SIZE_MAX / 16 / model->classes ||
        !cr__grow(&x->share[i], &x->share_capacity[i], n, sizeof *x->share[i]) ||
        !cr__grow(&x->share_work[i], &x->work_capacity[i], n * model->classes,
                  sizeof *x->share_work[i]))
        return cr__fail_memory(err);
    f->words = model->learner->has_words->shares(model->share->fitted, i, word, n, x->share[i],
                                                 x->share_work[i]);
    f->word = x->share[i];
    return CR_OK;
}

/* The text itself, for display. */
static void add_text(cr__explainer *x, const cr__chunk *chunk, const cr__batch *batch, size_t row,
                     cr_factor *f)
{
    f->text_size = 0;
    f->text = f->words == 0 ? NULL : input_text(x, chunk, batch, row, f->column, &f->text_size);
}

static cr_status explain_row(cr__explainer *x, const cr__chunk *chunk, const cr__batch *batch,
                             size_t row, cr_error *err)
{
    const cr_model *model = x->model;
    const size_t classes = model->classes;
    cr_explanation e = {.line = batch->record[row].line,
                        .classes = classes,
                        .score = x->score,
                        .posterior = x->posterior,
                        .factor = x->factor,
                        .form = model->learner->explains->form,
                        .inside = batch,
                        .inside_row = row};
    cr_status st = model->learner->explains->factors(model->share->fitted, x->scorer.state,
                                                     x->stats, &model->knobs, batch, row, x->factor,
                                                     &e.factors, x->work, err);

    if (st != CR_OK)
        return st;
    x->fields.count = 0;
    x->split = CR_OK;
    memset(x->score, 0, classes * sizeof *x->score);
    for (size_t f = 0; f < e.factors; f++) {
        if (x->factor[f].with > 0) {
            if ((st = name_product(x, chunk, batch, row, f, err)) != CR_OK)
                return st;
        } else if (x->factor[f].column != SIZE_MAX)
            x->factor[f].value = value_text(x, chunk, batch, row, x->factor[f].column);
        if (x->factor[f].column != SIZE_MAX && !x->factor[f].left_out &&
            batch->column[x->factor[f].column].kind == CR_BAG &&
            (st = add_words(x, batch, row, &x->factor[f], err)) != CR_OK)
            return st;
        add_text(x, chunk, batch, row, &x->factor[f]);
        for (size_t c = 0; c < classes; c++)
            x->score[c] += x->factor[f].log_p[c];
    }
    if (x->split == CR_ENOMEM)
        return cr__fail_memory(err);
    if (model->learner->explains->detail != NULL &&
        (st = model->learner->explains->detail->row(x->detail, batch, row, x->factor, &e, err)) !=
            CR_OK)
        return st;
    memcpy(x->posterior, x->score, classes * sizeof *x->score);
    cr__explain_decision(model, x->rule, &e, x->posterior, x->before_rule, x->calibrated);
    if (x->credible != NULL) {
        cr__credible_row(x->credible, batch, row, x->low, x->high);
        e.low = x->low;
        e.high = x->high;
        e.level = x->level;
    }
    if ((st = x->visit(x->context, &e)) != CR_OK)
        return cr__fail(err, st, "%s", cr_status_text(st));
    return CR_OK;
}

cr_status cr__explain_failure(const cr__batch *batch, size_t classes,
                              cr_status (*visit)(void *context, const cr_explanation *e),
                              void *context, cr_error *err)
{
    const cr_explanation e = {.line = batch->record[0].line,
                              .classes = classes,
                              .decision = CR_UNDECIDED,
                              .runner_up = CR_UNDECIDED,
                              .reason = CR_IMPOSSIBLE,
                              .error = batch->failure};
    const cr_status st = visit(context, &e);

    return st == CR_OK ? CR_OK : cr__fail(err, st, "%s", cr_status_text(st));
}

static cr_status absorb(void *state, const cr__chunk *chunk, cr__batch *batch, cr_error *err)
{
    cr__explainer *x = state;
    const cr_model *model = x->model;
    cr_status st = CR_OK;

    if (batch->failure != NULL)
        return cr__wanted_next(&x->wanted)
                   ? cr__explain_failure(batch, model->classes, x->visit, x->context, err)
                   : CR_OK;
    if (model->impute != NULL)
        st = cr__impute_fill_batch(model->impute, &model->codes, batch, err);
    cr__text_plan_sort(batch);
    for (size_t r = 0; st == CR_OK && r < batch->rows; r++)
        if (cr__wanted_next(&x->wanted))
            st = explain_row(state, chunk, batch, r, err);
    return st;
}

static cr_status allocate(cr__explainer *x, cr_error *err)
{
    const size_t columns = x->model->schema->columns, classes = x->model->classes;
    const cr__explains *explains = x->model->learner->explains;

    x->factors =
        1 + columns + (explains->more == NULL ? 0 : explains->more(x->model->share->fitted));
    x->factor = cr__alloc(x->factors, sizeof *x->factor);
    x->pair = cr__alloc_zero(x->factors, sizeof *x->pair);
    x->pair_capacity = cr__alloc_zero(x->factors, sizeof *x->pair_capacity);
    x->work = cr__alloc(x->factors * explains->work, classes * sizeof *x->work);
    x->score = cr__alloc(classes, sizeof *x->score);
    x->posterior = cr__alloc(classes, sizeof *x->posterior);
    x->before_rule = cr__alloc(classes, sizeof *x->before_rule);
    x->calibrated = cr__alloc(classes, sizeof *x->calibrated);
    x->number = cr__alloc(columns, sizeof *x->number);
    x->field_of = cr__alloc(columns, sizeof *x->field_of);
    x->share = cr__alloc_zero(columns, sizeof *x->share);
    x->share_work = cr__alloc_zero(columns, sizeof *x->share_work);
    x->share_capacity = cr__alloc_zero(columns, sizeof *x->share_capacity);
    x->work_capacity = cr__alloc_zero(columns, sizeof *x->work_capacity);
    if (x->before_rule == NULL || x->calibrated == NULL || x->share == NULL ||
        x->share_work == NULL || x->share_capacity == NULL || x->work_capacity == NULL ||
        x->factor == NULL || x->pair == NULL || x->pair_capacity == NULL || x->work == NULL ||
        x->score == NULL || x->posterior == NULL || x->number == NULL || x->field_of == NULL)
        return cr__fail_memory(err);
    for (size_t i = 0; i < columns; i++)
        x->field_of[i] = SIZE_MAX;
    for (size_t f = 0; x->source != NULL && f < cr__source_fields(x->source); f++) {
        size_t column = cr_schema_find(x->model->schema, cr__source_field_name(x->source, f));
        if (column != SIZE_MAX)
            x->field_of[column] = f;
    }
    return CR_OK;
}

void cr__explainer_free(cr__explainer *x)
{
    if (x == NULL)
        return;
    for (size_t i = 0; i < x->model->schema->columns; i++) {
        cr__free(x->share == NULL ? NULL : x->share[i]);
        cr__free(x->share_work == NULL ? NULL : x->share_work[i]);
    }
    for (size_t f = 0; x->pair != NULL && f < x->factors; f++)
        cr__free(x->pair[f]);
    cr__free(x->pair);
    cr__free(x->pair_capacity);
    cr__free(x->share);
    cr__free(x->share_work);
    cr__free(x->share_capacity);
    cr__free(x->work_capacity);
    cr__free(x->factor);
    cr__free(x->work);
    cr__free(x->score);
    cr__free(x->posterior);
    cr__free(x->before_rule);
    cr__free(x->calibrated);
    cr__free(x->low);
    cr__free(x->high);
    cr__credible_close(x->credible);
    cr__free(x->number);
    cr__free(x->field_of);
    if (x->model->learner->explains->detail != NULL)
        x->model->learner->explains->detail->close(x->detail);
    cr__fields_free(&x->fields);
    cr__scorer_close(&x->scorer);
    cr__free(x);
}

/* For rows of a source, or for one row when that is NULL. */
static cr_status explainer_new(cr__explainer **out, const cr_model *model, cr_source *source,
                               cr_error *err)
{
    cr__explainer *x = cr__alloc_zero(1, sizeof *x);
    cr_status st = CR_OK;

    *out = NULL;
    if (x == NULL)
        return cr__fail_memory(err);
    x->model = model;
    x->source = source;
    if (model->learner->fit != NULL)
        st = cr__model_stats(model, &x->stats, err);
    if (st == CR_OK)
        st = cr__scorer_open(&x->scorer, model, err);
    if (st == CR_OK)
        st = allocate(x, err);
    if (st == CR_OK && model->learner->explains->detail != NULL)
        st = model->learner->explains->detail->open(&x->detail, model->share->fitted, x->stats,
                                                    &model->knobs, err);
    if (st != CR_OK) {
        cr__explainer_free(x);
        return st;
    }
    *out = x;
    return CR_OK;
}

/* Reject what has no odds to explain. */
static cr_status check_explainable(const cr_model *model, cr_error *err)
{
    if (model->learner->target == CR__TARGET_REAL) {
        cr__fail(err, CR_ECONFLICT, "a model of '%s' answers with numbers", model->learner->name);
        return cr__fail_hint(err, CR_ECONFLICT, "cr_model_explain_regression() explains them");
    }
    if (model->schema->target == SIZE_MAX)
        return cr__fail(err, CR_ECONFLICT,
                        "the model has no target, so there is nothing to explain");
    if (model->classes == 0)
        return cr__fail(err, CR_ECONFLICT, "the model has learned nothing: it has no classes");
    return CR_OK;
}

static cr_status open_interval(cr__explainer *x, double level, cr_error *err)
{
    x->low = cr__alloc(x->model->classes, sizeof *x->low);
    x->high = cr__alloc(x->model->classes, sizeof *x->high);
    x->level = level;
    if (x->low == NULL || x->high == NULL)
        return cr__fail_memory(err);
    return cr__credible_open(&x->credible, x->model, x->rule, level, 0, err);
}

cr_status cr_model_explain(const cr_model *model, cr_source *source,
                           const cr_predict_options *options,
                           cr_status (*visit)(void *context, const cr_explanation *e),
                           void *context, cr_error *err)
{
    cr__explainer *x;
    cr_status st = check_explainable(model, err);

    if (st != CR_OK)
        return st;
    cr__source_on_error(source, options == NULL ? CR_ON_ERROR_STOP : options->on_error);
    if (cr_model_members(model) > 0) {
        st = cr__explain_members(model, source, options, visit, context, err);
        cr__source_on_error(source, CR_ON_ERROR_STOP);
        return st;
    }
    st = cr__source_bind(source, model->schema, 0,
                         options != NULL && options->allow_absent_columns ? 1
                         : model->learner->absent                         ? CR__ABSENT_NOTED
                                                                          : 0,
                         err);
    if (st == CR_OK && (st = explainer_new(&x, model, source, err)) == CR_OK) {
        x->visit = visit;
        x->context = context;
        x->rule = options == NULL ? NULL : options->rule;
        x->wanted = cr__wanted_of(options);
        if (options != NULL && options->interval > 0)
            st = open_interval(x, options->interval, err);
        if (st == CR_OK)
            st = cr__pass_in_order(source, model->schema, &x->scorer.plan, absorb, x, err);
        cr__explainer_free(x);
    }
    cr__source_on_error(source, CR_ON_ERROR_STOP);
    return st;
}

cr_status cr_row_explain(cr_row *row, const cr_rule *rule,
                         cr_status (*visit)(void *context, const cr_explanation *e), void *context,
                         cr_error *err)
{
    cr__batch batch = row->batch;
    cr_status st = check_explainable(row->model, err);
    const int members = st == CR_OK && cr_model_members(row->model) > 0;

    if (st == CR_OK && !members && row->explains == NULL &&
        (st = explainer_new(&row->explains, row->model, NULL, err)) == CR_OK)
        row->explains->row = row;
    if (st != CR_OK)
        return st;
    if (rule != NULL && rule->classes != row->model->classes)
        return cr__fail(err, CR_EARG, "the rule is for %zu classes, the model has %zu",
                        rule->classes, row->model->classes);
    batch.record = &(cr__record){0};
    st = cr__row_begin(row, err);
    if (st == CR_OK && members) {
        st = cr__explain_members_of(&row->scorer, &batch, rule, visit, context, err);
    } else if (st == CR_OK) {
        row->explains->visit = visit;
        row->explains->context = context;
        row->explains->rule = rule;
        st = absorb(row->explains, NULL, &batch, err);
    }
    cr__row_end(row);
    return st;
}
