/* fuzz/model_uses.h - everything that is done with a model: what loads must go through all of it.
 *
 * Pictures take long, so that one input goes through all plain operations and one part of the
 * rest, or through every part when it asks for it, as the seeds do.
 */
#ifndef CR_FUZZ_MODEL_USES_H
#define CR_FUZZ_MODEL_USES_H

#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "credence/credence.h"

/* --- every operation on a model ----------------------------------------------------------------
 */

enum { ROWS = 4, COLUMNS = 12, CLASSES = 4, VALUES = 6 };

/* Rows that fit the model: values that it knows, one that it does not, one that is missing. */
typedef struct table {
    cr_array array[COLUMNS];
    double real[COLUMNS][ROWS];
    const char *text[COLUMNS][ROWS];
    size_t columns;
} table;

static void fill_column(table *t, const cr_model *model, size_t i)
{
    const cr_schema *schema = cr_model_schema(model);
    const cr_kind kind = cr_schema_kind(schema, i);
    const size_t values = cr_model_values(model, i);
    cr_array *array = &t->array[t->columns];

    *array = (cr_array){.name = cr_schema_name(schema, i), .role = cr_schema_role(schema, i)};
    for (size_t r = 0; r < ROWS; r++) {
        t->real[i][r] = (double)r + 0.5;
        t->text[i][r] = kind == CR_BAG ? "a very close game"
                        : values > 0   ? cr_model_value(model, i, r % values)
                                       : "yes";
    }
    if (array->role == CR_ROLE_FEATURE)
        t->text[i][ROWS - 1] = NULL;
    if (kind == CR_REAL)
        array->real = t->real[i];
    else
        array->text = t->text[i];
    array->kind = kind == CR_BAG ? CR_BAG : 0;
    t->columns++;
}

static cr_source *open_rows(table *t, const cr_model *model)
{
    const cr_schema *schema = cr_model_schema(model);
    cr_source *source = NULL;

    t->columns = 0;
    if (cr_schema_columns(schema) > COLUMNS)
        return NULL;
    for (size_t i = 0; i < cr_schema_columns(schema); i++)
        if (cr_schema_kind(schema, i) != CR_IGNORE)
            fill_column(t, model, i);
    return cr_source_open_arrays(&source, t->array, t->columns, ROWS, NULL) == CR_OK ? source
                                                                                     : NULL;
}

static void show_column(const cr_model *model, size_t i, size_t classes)
{
    size_t words[3];
    double mean, variance;
    cr_gaussian g;
    cr_fit_test test;
    cr_word word;

    for (size_t c = 0; c < classes; c++) {
        for (size_t v = 0; v < cr_model_values(model, i) && v < VALUES; v++) {
            cr_model_value(model, i, v);
            cr_model_count(model, i, v, c);
            cr_model_probability(model, i, v, c);
        }
        if (cr_schema_kind(cr_model_schema(model), i) == CR_REAL) {
            cr_model_gaussian(model, i, c, &g);
            cr_model_fit_test(model, i, c, &test, NULL);
            cr_model_normal(model, c, &i, 1, &mean, &variance, NULL, NULL);
        }
        for (size_t w = 0; w < cr_model_words(model, i) && w < VALUES; w++)
            cr_model_word(model, i, w, c, &word);
        cr_model_informative_words(model, i, c, words, 3);
    }
    cr_model_present(model, i);
    cr_model_information(model, i);
}

static void draw_line(void *context, size_t depth, const char *text)
{
    *(size_t *)context += depth + strlen(text);
}

static void show(const cr_model *model)
{
    const cr_schema *schema = cr_model_schema(model);
    const size_t all = cr_model_classes(model), classes = all < CLASSES ? all : CLASSES;
    cr_model_facts facts;
    cr_linear_facts linear;
    cr_coefficient coefficient;
    char remark[200];
    size_t drawn = 0;

    cr_model_get_facts(model, &facts);
    for (size_t i = 0; i < 3; i++)
        cr_model_remark(model, i, remark, sizeof remark);
    for (size_t c = 0; c < classes; c++) {
        cr_model_class(model, c);
        cr_model_class_count(model, c);
        cr_model_prior(model, c);
    }
    for (size_t i = 0; i < cr_schema_columns(schema) && i < COLUMNS; i++)
        show_column(model, i, classes);
    cr_model_draw(model, draw_line, &drawn, NULL);
    cr_model_linear_facts(model, &linear);
    for (size_t i = 0; i < VALUES; i++)
        cr_model_coefficient(model, i, 0.95, &coefficient);
}

static void ask(const cr_model *model)
{
    static const char *const queries[] = {"P(yes)", "P(gender | hours > 40.5)",
                                          "argmax(evade | refund=no, income<=80)",
                                          "E(petal_length | species=setosa)"};
    double log_evidence;
    cr_states *states = NULL;

    cr_model_evidence(model, &log_evidence, NULL);
    for (size_t i = 0; i < sizeof queries / sizeof *queries; i++) {
        cr_answer *answer = NULL;

        cr_query_run(model, queries[i], &answer, NULL);
        cr_answer_free(answer);
    }
    cr_query_best(model, "", &states, NULL);
    cr_states_free(states);
}

static cr_status see_explanation(void *context, const cr_explanation *e)
{
    *(size_t *)context += e->factors;
    return CR_OK;
}

static cr_status see_answers(void *context, const cr_predictions *p)
{
    *(size_t *)context += p->rows;
    return CR_OK;
}

static void decide(const cr_model *model)
{
    table t = {0};
    size_t seen = 0;
    const cr_run run = {.threads = 1};
    const cr_sink sink = {.visit = see_answers, .context = &seen};
    cr_source *source = open_rows(&t, model);

    if (source == NULL)
        return;
    cr_model_predict(model, source, NULL, &sink, &run, NULL, NULL);
    cr_source_close(source);
    if ((source = open_rows(&t, model)) == NULL)
        return;
    cr_model_explain(model, source, NULL, see_explanation, &seen, NULL);
    cr_source_close(source);
}

static void classify(const cr_model *model)
{
    const cr_schema *schema = cr_model_schema(model);
    double *posterior = malloc((cr_model_classes(model) + 1) * sizeof *posterior);
    cr_regression number;
    cr_row *row = NULL;
    int32_t decision;

    if (posterior != NULL && cr_row_new(&row, model, NULL) == CR_OK) {
        for (size_t i = 0; i < cr_schema_columns(schema); i++) {
            cr_row_set_real(row, i, 1.5);
            cr_row_set_text(row, i, "yes");
        }
        cr_model_classify(model, row, posterior, &decision, NULL);
        cr_model_regress(model, row, &number);
    }
    cr_row_free(row);
    free(posterior);
}

/* --- what front ends write: one part at a time --------------------------------------------------
 */

static const cr_run one_thread = {.threads = 1};

static void draw_kind(const cr_model *model, const char *kind)
{
    const cr_draw_options how = {.margins = 1, .condition = "", .allow_absent_columns = 1};
    table t = {0};
    cr_source *source = cr_draw_takes_rows(kind) > 0 ? open_rows(&t, model) : NULL;
    cr_figure *figure = NULL;
    cr_output *out = NULL;
    cr_sheet *sheet = NULL;
    const char *svg;
    size_t size;
    cr_json j;

    if (cr_figure_new(&figure, NULL) == CR_OK && cr_output_new(&out, NULL, NULL, NULL) == CR_OK) {
        cr_json_start(&j, out);
        cr_json_object(&j, NULL, CR_JSON_BLOCK);
        if (cr_draw(figure, kind, model, source, &how, &one_thread, &j, &sheet, NULL, NULL) ==
            CR_OK)
            cr_figure_draw(figure, NULL, &svg, &size, NULL);
        if (sheet != NULL)
            cr_sheet_csv(sheet, out);
    }
    cr_sheet_free(sheet);
    cr_figure_free(figure);
    cr_output_free(out);
    cr_source_close(source);
}

static void write_model(const cr_model *model, cr_output *out)
{
    const cr_model_json_options how = {.evidence = 1, .top = 3};
    cr_sheet *sheet = NULL;
    cr_independence *pairs = NULL;

    cr_model_json(model, NULL, &one_thread, out, NULL);
    cr_model_json(model, &how, &one_thread, out, NULL);
    cr_model_csv(model, NULL, out, NULL);
    cr_coefficients_sheet(&sheet, model, 0.9, NULL);
    cr_sheet_free(sheet);
    if (cr_independence_measure(&pairs, model, &one_thread, NULL) == CR_OK)
        cr_independence_json(pairs, model, SIZE_MAX, out);
    cr_independence_free(pairs);
}

static void write_report(const cr_model *model, cr_output *out)
{
    table t = {0};
    cr_source *source = open_rows(&t, model);
    cr_report *report = NULL;

    for (int with_rows = source != NULL; with_rows >= 0; with_rows--) {
        if (cr_report_new(&report, model, with_rows ? source : NULL, NULL, &one_thread, NULL) ==
            CR_OK) {
            cr_report_html(report, out, NULL, NULL);
            cr_report_json(report, "page", out);
        }
        cr_report_free(report);
        report = NULL;
    }
    cr_source_close(source);
}

static void write_drift(const cr_model *model, cr_output *out)
{
    table t = {0};
    cr_source *source = open_rows(&t, model);
    cr_drift *drift = NULL;
    cr_drift_advice advice;
    cr_sheet *sheet = NULL;

    if (source != NULL &&
        cr_model_drift(model, source, NULL, &one_thread, &drift, NULL, NULL) == CR_OK) {
        cr_drift_json(drift, out);
        for (size_t i = 0; cr_drift_get_advice(drift, i, &advice) == CR_OK; i++)
            cr_output_text(out, advice.text);
        if (cr_drift_sheet(&sheet, drift, NULL) == CR_OK)
            cr_sheet_csv(sheet, out);
    }
    cr_sheet_free(sheet);
    cr_drift_free(drift);
    cr_source_close(source);
}

static void calibrate(const cr_model *model, cr_output *out)
{
    static const char *const methods[] = {"temperature", "confidence", "platt", "isotonic", "beta"};

    for (size_t i = 0; i < sizeof methods / sizeof *methods; i++) {
        table t = {0};
        cr_source *source = open_rows(&t, model);
        cr_calibration_report report;
        cr_model *copy = NULL;

        if (source != NULL && cr_model_copy(&copy, model, NULL) == CR_OK &&
            cr_model_calibrate_on(copy, source, methods[i], &one_thread, &report, NULL) == CR_OK) {
            cr_calibration_json(&report, "model", out);
            classify(copy);
            decide(copy);
        }
        cr_model_free(copy);
        cr_source_close(source);
    }
}

static void test(const cr_model *model, cr_output *out)
{
    table t = {0};
    cr_source *source = open_rows(&t, model);
    cr_evaluation *evaluation = NULL;
    cr_sheet *sheet = NULL;

    if (source != NULL &&
        cr_model_test(model, source, NULL, &one_thread, &evaluation, NULL, NULL) == CR_OK &&
        cr_test_json(model, evaluation, 0, 1, out) == CR_OK &&
        cr_test_sheet(&sheet, model, evaluation, NULL) == CR_OK)
        cr_sheet_csv(sheet, out);
    cr_sheet_free(sheet);
    cr_evaluation_free(evaluation);
    cr_source_close(source);
}

typedef struct told {
    const cr_model *model;
    cr_output *out;
} told;

static cr_status tell(void *context, const cr_explanation *e)
{
    const told *to = context;
    const cr_explanation_json_options how = {.work = 1};
    cr_board *board = NULL;

    cr_explanation_csv(to->model, e, to->out);
    cr_explanation_json(to->model, e, &how, to->out, NULL);
    if (cr_board_new(&board, to->model, e, NULL, NULL) == CR_OK)
        cr_board_text(board, to->out);
    cr_board_free(board);
    return CR_OK;
}

static cr_status tell_number(void *context, const cr_regression_explanation *e)
{
    const told *to = context;

    cr_regression_explanation_csv(to->model, e, to->out);
    return cr_regression_explanation_json(to->model, e, 0.9, 1, to->out, NULL);
}

static void write_reasons(const cr_model *model, cr_output *out)
{
    const cr_predict_options how = {.interval = 0.9};
    told to = {model, out};

    for (int kind = 0; kind < 3; kind++) {
        table t = {0};
        cr_source *source = open_rows(&t, model);

        if (source != NULL && kind < 2)
            cr_model_explain(model, source, kind == 1 ? &how : NULL, tell, &to, NULL);
        else if (source != NULL)
            cr_model_explain_regression(model, source, NULL, tell_number, &to, NULL);
        cr_source_close(source);
    }
}

static void write_changes(const cr_model *model)
{
    cr_row *row = NULL;
    cr_changes *changes = NULL;

    if (cr_row_new(&row, model, NULL) == CR_OK)
        cr_row_changes(row, NULL, &changes, NULL);
    cr_changes_free(changes);
    cr_row_free(row);
}

/* Questions about the model's own columns. */
static void ask_columns(const cr_model *model, cr_output *out)
{
    static const char *const forms[] = {"P(", "argmax(", "E(", "inform(", "P(* | "};
    const cr_schema *schema = cr_model_schema(model);
    char text[300];

    for (size_t i = 0; i < cr_schema_columns(schema) && i < VALUES; i++)
        for (size_t f = 0; f < sizeof forms / sizeof *forms; f++) {
            cr_answer *answer = NULL;

            snprintf(text, sizeof text, "%s%s)", forms[f], cr_schema_name(schema, i));
            if (cr_query_run(model, text, &answer, NULL) == CR_OK) {
                cr_answer_json(text, answer, out);
                cr_answer_csv(text, answer, out);
            }
            cr_answer_free(answer);
        }
}

enum { PICTURES = 15, PARTS = PICTURES + 8 };

static void use_part(const cr_model *model, size_t part)
{
    cr_output *out = NULL;

    if (part < PICTURES && cr_draw_kind(part) != NULL) {
        draw_kind(model, cr_draw_kind(part));
        return;
    }
    if (cr_output_new(&out, NULL, NULL, NULL) == CR_OK)
        switch (part - PICTURES) {
        case 0: write_model(model, out); break;
        case 1: write_report(model, out); break;
        case 2: write_drift(model, out); break;
        case 3: calibrate(model, out); break;
        case 4: test(model, out); break;
        case 5: write_reasons(model, out); break;
        case 6: write_changes(model); break;
        case 7: ask_columns(model, out); break;
        }
    cr_output_free(out);
}

/* part 0: all of them */
static void use(const cr_model *model, size_t part)
{
    show(model);
    ask(model);
    classify(model);
    decide(model);
    for (size_t i = 0; i < PARTS; i++)
        if (part == 0 || (part - 1) % PARTS == i)
            use_part(model, i);
}

/* --- changes: each of a copy -------------------------------------------------------------------
 */

typedef cr_status change(cr_model *model);

static cr_status refit(cr_model *model)
{
    const char *knob = "alpha=0.5";

    return cr_model_refit(model, &knob, 1, NULL);
}

static cr_status merge(cr_model *model)
{
    return cr_model_merge(model, model, NULL);
}

static cr_status pass(cr_model *model, int unlearn)
{
    table t = {0};
    cr_source *source = open_rows(&t, model);
    cr_status st = source == NULL ? CR_EARG
                   : unlearn      ? cr_model_unlearn(model, source, &one_thread, NULL, NULL)
                                  : cr_model_learn(model, source, &one_thread, NULL, NULL);

    cr_source_close(source);
    return st;
}

static cr_status learn(cr_model *model)
{
    return pass(model, 0);
}

static cr_status unlearn(cr_model *model)
{
    return pass(model, 1);
}

static cr_status to_logistic(cr_model *model)
{
    return cr_model_to_logistic(model, NULL);
}

static void change_all(const cr_model *model, size_t part)
{
    static change *const changes[] = {refit, merge, learn, unlearn, to_logistic};
    cr_model *copy = NULL;

    for (size_t i = 0; i < sizeof changes / sizeof *changes; i++) {
        if (cr_model_copy(&copy, model, NULL) == CR_OK && changes[i](copy) == CR_OK)
            use(copy, part);
        cr_model_free(copy);
        copy = NULL;
    }
    if (cr_network_copy(&copy, model, NULL, NULL) == CR_OK)
        use(copy, part);
    cr_model_free(copy);
}

#endif
