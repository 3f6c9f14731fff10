/* render/test.c - a test: figures, classes, confusion, the effect of rejection. */
#include <math.h>

#include "base/output.h"
#include "decide/rule.h"
#include "eval/evaluation.h"
#include "eval/metric_table.h"
#include "render/results.h"

enum { MATRIX_LIMIT = 2000 }; /* classes: beyond, there is no confusion matrix */
#define COVERAGE_STEP 0.05

/* --- fields ----------------------------------------------------------------------------------- */

/* A class: its figures, and how well it is separated from the rest. */
typedef struct class_row {
    const char *name;
    cr_class_metrics m;
    double undecided;
    cr_area area;
} class_row;

#define CLASS(member, key, title, meaning, show)                                                   \
    CR__FIELD(class_row, member, CR__DOUBLE, key, title, meaning, show)
#define CLASS_HIDDEN(member, key, meaning) CR__HIDDEN(class_row, member, CR__DOUBLE, key, meaning)

static const cr__field class_fields[] = {
    CR__FIELD(class_row, name, CR__TEXT, "name", "class", "the class", CR_SHOW_PLAIN),
    CLASS(m.support, "support", "support", "rows of the class", CR_SHOW_PLAIN),
    CLASS_HIDDEN(m.predicted, "predicted", "rows decided for it"),
    CLASS_HIDDEN(m.correct, "correct", "rows of it decided rightly"),
    CLASS(m.precision, "precision", "precision", "of those decided for it, how many are its",
          CR_SHOW_PROBABILITY),
    CLASS(m.recall, "recall", "recall", "of its rows, how many are decided for it",
          CR_SHOW_PROBABILITY),
    CLASS(m.f1, "f1", "f1", "harmonic mean of both", CR_SHOW_PROBABILITY),
    CLASS_HIDDEN(undecided, "undecided", "rows of it without a decision"),
};
static const cr__field area_fields[] = {
    CLASS_HIDDEN(area.roc, "roc_area", "P(a row of it ranks above another one)"),
    CLASS_HIDDEN(area.pr, "pr_area", "average precision"),
};

#define METRIC(member, key, meaning) CR__HIDDEN(cr_metrics, member, CR__DOUBLE, key, meaning)

static const cr__field decision_fields[] = {
    METRIC(mistakes, "mistakes", "share of the rows decided wrongly"),
    METRIC(expected_correct, "expected_correct", "p(correct) as the posteriors have it"),
    METRIC(expected_mistakes, "expected_mistakes", "p(mistake) as the posteriors have it"),
};
static const cr__field cost_fields[] = {
    METRIC(cost, "cost", "of a row on average"),
    METRIC(expected_cost, "expected_cost", "as the posteriors have it"),
    METRIC(rejected, "rejected", "rows that are left undecided"),
    METRIC(coverage, "coverage", "share of the rows that are decided"),
    METRIC(decided_accuracy, "decided_accuracy", "accuracy on these"),
};
static const cr__field threshold_fields[] = {
    CR__HIDDEN(cr_threshold, decide, CR__DOUBLE, "decide", "the second class above this"),
    CR__HIDDEN(cr_threshold, low, CR__DOUBLE, "low", "nothing from here"),
    CR__HIDDEN(cr_threshold, high, CR__DOUBLE, "high", "to here"),
};
static const cr__field rejection_fields[] = {
    CR__HIDDEN(cr_point, threshold, CR__DOUBLE, "threshold", "the likeliest class must have this"),
    CR__HIDDEN(cr_point, x, CR__DOUBLE, "coverage", "share of the rows that have"),
    CR__HIDDEN(cr_point, y, CR__DOUBLE, "accuracy", "on these"),
};

#define FIELDS(list) list, CR__COUNT_OF(list)

static const cr__part parts[] = {
    {NULL, NULL, 0, CR_METRIC_JSON, 0},
    {"top[]", NULL, 0, 0, 0},
    {"unlabelled", NULL, 0, 0, 0},
    {"seconds", NULL, 0, 0, 0},
    {NULL, FIELDS(decision_fields), 0, 0},
    {NULL, FIELDS(cost_fields), 0, 0},
    {"threshold{}", FIELDS(threshold_fields), 0, 0},
    {"best_threshold{}", FIELDS(threshold_fields), 0, 0},
    {"best_cost", NULL, 0, 0, 0},
    {"classes[]", FIELDS(class_fields), 0, 0},
    {"confusion[][]", NULL, 0, 0, 0},
    {"rejection[]", FIELDS(rejection_fields), 0, 0},
};
const cr__result cr__test_result = {"test", FIELDS(parts)};

/* --- JSON ------------------------------------------------------------------------------------- */

static class_row row_of(const cr_model *model, const cr_evaluation *e, size_t c)
{
    class_row r = {.name = cr_model_class(model, c),
                   .undecided = cr_evaluation_confusion(e, c, CR_UNDECIDED),
                   .area = {.roc = NAN, .pr = NAN}};

    cr_evaluation_class(e, c, &r.m);
    return r;
}

static void classes(cr_json *j, const cr_model *model, const cr_evaluation *e)
{
    cr_json_array(j, "classes", CR_JSON_BLOCK);
    for (size_t c = 0; c < e->classes; c++) {
        class_row r = row_of(model, e, c);
        cr_status st;

        cr_json_object(j, NULL, CR_JSON_LINE);
        cr__fields_json(j, FIELDS(class_fields), &r);
        if ((st = cr_evaluation_area(e, c, &r.area, NULL)) == CR_OK)
            cr__fields_json(j, FIELDS(area_fields), &r);
        if (st == CR_ENOMEM)
            cr__output_fail(j->out);
        cr_json_end(j);
    }
    cr_json_end(j);
}

static void confusion(cr_json *j, const cr_evaluation *e)
{
    if (e->classes > MATRIX_LIMIT) {
        cr_json_text(j, "confusion", NULL);
        return;
    }
    cr_json_array(j, "confusion", CR_JSON_BLOCK);
    for (size_t truth = 0; truth < e->classes; truth++) {
        cr_json_array(j, NULL, CR_JSON_LINE);
        for (size_t c = 0; c < e->classes; c++)
            cr_json_number(j, NULL, cr_evaluation_confusion(e, truth, (int32_t)c));
        cr_json_end(j);
    }
    cr_json_end(j);
}

/* The rows that a threshold on the largest posterior would leave undecided, in steps. */
static void rejection(cr_json *j, const cr_evaluation *e)
{
    cr_point *points = NULL;
    size_t count = 0;
    double next = COVERAGE_STEP;
    const cr_status st = cr_evaluation_curve(e, CR_CURVE_COVERAGE, SIZE_MAX, &points, &count, NULL);

    if (st == CR_ENOMEM)
        cr__output_fail(j->out);
    cr_json_array(j, "rejection", CR_JSON_BLOCK);
    for (size_t i = 0; st == CR_OK && i < count; i++)
        if (points[i].x >= next || i + 1 == count) {
            cr_json_object(j, NULL, CR_JSON_LINE);
            cr__fields_json(j, FIELDS(rejection_fields), &points[i]);
            cr_json_end(j);
            next = points[i].x + COVERAGE_STEP;
        }
    cr_points_free(points);
    cr_json_end(j);
}

static void threshold(cr_json *j, const char *key, const cr_threshold *t)
{
    cr_json_object(j, key, CR_JSON_LINE);
    cr__fields_json(j, FIELDS(threshold_fields), t);
    cr_json_end(j);
}

/* What decisions cost, where there is a rule. */
static void decisions(cr_json *j, const cr_evaluation *e, const cr_metrics *m)
{
    cr_threshold t;
    double cost;
    cr_status st;

    cr__fields_json(j, FIELDS(decision_fields), m);
    if (e->rule == NULL)
        return;
    cr__fields_json(j, FIELDS(cost_fields), m);
    if (cr_rule_threshold(e->rule, &t) == CR_OK)
        threshold(j, "threshold", &t);
    if ((st = cr_evaluation_threshold(e, &t, &cost, NULL)) == CR_ENOMEM)
        cr__output_fail(j->out);
    if (st == CR_OK) {
        threshold(j, "best_threshold", &t);
        cr_json_number(j, "best_cost", cost);
    }
}

/* All metrics; after kappa, which is about decisions, how often the class is among the
 * likeliest. */
static void figures(cr_json *j, const cr_evaluation *e, const cr_metrics *m)
{
    double value[CR__METRICS_MOST];
    const cr_metric *metric;

    if (cr__metric_values(e, CR_METRIC_JSON, NULL, value) != CR_OK)
        cr__output_fail(j->out);
    for (size_t i = 0; (metric = cr_metric_get(0, i)) != NULL; i++) {
        if ((metric->shown & CR_METRIC_JSON) == 0)
            continue;
        if (metric == cr_metric_find(0, "roc_area"))
            cr_json_numbers(j, "top", m->top, CR__TOP);
        cr_json_number(j, metric->key, value[i]);
    }
}

void cr__test_members(cr_json *j, const cr_model *model, const cr_evaluation *e,
                      uint64_t unlabelled, double seconds)
{
    cr_metrics m;

    cr_evaluation_metrics(e, &m);
    figures(j, e, &m);
    cr_json_number(j, "unlabelled", (double)unlabelled);
    if (!isnan(seconds))
        cr_json_number(j, "seconds", seconds);
    decisions(j, e, &m);
    classes(j, model, e);
    confusion(j, e);
    rejection(j, e);
}

cr_status cr_test_json(const cr_model *model, const cr_evaluation *e, uint64_t unlabelled,
                       double seconds, cr_output *out)
{
    cr_json j;

    cr_json_start(&j, out);
    cr_json_object(&j, NULL, CR_JSON_BLOCK);
    cr__test_members(&j, model, e, unlabelled, seconds);
    cr_json_end(&j);
    return cr_output_flush(out);
}

cr_status cr_test_sheet(cr_sheet **out, const cr_model *model, const cr_evaluation *e,
                        cr_error *err)
{
    static const size_t shown[] = {0, 1, 4, 5, 6}; /* name, support, precision, recall, f1 */
    cr_status st = cr__sheet_new(out, err);

    if (st != CR_OK)
        return st;
    for (size_t i = 0; i < CR__COUNT_OF(shown); i++) {
        cr_field f = class_fields[shown[i]].field;

        f.key = i == 0 ? "class" : f.key;
        cr__sheet_column(*out, f);
    }
    for (size_t c = 0; c < e->classes; c++) {
        const class_row r = row_of(model, e, c);

        for (size_t i = 0; i < CR__COUNT_OF(shown); i++)
            cr__sheet_cells(*out, &class_fields[shown[i]], 1, &r);
    }
    return cr__sheet_done(out, err);
}

/* --- numbers ---------------------------------------------------------------------------------- */

static const cr__part number_parts[] = {{"rows", NULL, 0, 0, 0},
                                        {NULL, NULL, 0, CR_METRIC_JSON, 1},
                                        {"level", NULL, 0, 0, 0},
                                        {"unlabelled", NULL, 0, 0, 0},
                                        {"seconds", NULL, 0, 0, 0}};
const cr__result cr__test_numbers_result = {"test-numbers", FIELDS(number_parts)};

/* The level of the intervals comes before their figures. */
void cr_regression_members(cr_json *j, const cr_regression_metrics *m)
{
    const cr_metric *metric;

    cr_json_number(j, "rows", m->rows);
    for (size_t i = 0; (metric = cr_metric_get(1, i)) != NULL; i++) {
        if ((metric->shown & CR_METRIC_JSON) == 0)
            continue;
        if (metric == cr_metric_find(1, "coverage"))
            cr_json_number(j, "level", m->level);
        cr_json_number(j, metric->key, cr_regression_value(m, metric));
    }
}

cr_status cr_regression_json(const cr_regression_metrics *m, uint64_t unlabelled, double seconds,
                             cr_output *out)
{
    cr_json j;

    cr_json_start(&j, out);
    cr_json_object(&j, NULL, CR_JSON_BLOCK);
    cr_regression_members(&j, m);
    cr_json_number(&j, "unlabelled", (double)unlabelled);
    if (!isnan(seconds))
        cr_json_number(&j, "seconds", seconds);
    cr_json_end(&j);
    return cr_output_flush(out);
}
