/* cli/evaluate/metrics.c - the quality of answers, for people and for programs. */
#include "evaluate/metrics.h"

#include <math.h>
#include <string.h>

#include "options/decide.h"
#include "out/sheet.h"
#include "out/text.h"
#include "session/session.h"

enum {
    VERDICT_CLASSES = 30, /* in the table of classes */
    PAIRS_SHOWN = 10,     /* of confused classes */
    MATRIX_LIMIT = 2000,  /* classes: if there are more, the JSON has no confusion matrix */
    USUAL_WIDTH = 100
};

/* --- for people --------------------------------------------------------------------------- */

static void measure(table *t, const char *name, char *(*picture)(char *, double), double x,
                    const char *meaning)
{
    table_text(t, name);
    table_number(t, picture, x);
    table_text(t, meaning);
}

/* What follows a figure: its interval, if it has one. */
static const char *meaning_of(const verdict *x, const cr_metric *m, char *buffer, size_t size)
{
    const bool accuracy = m == cr_metric_find(0, "accuracy");
    char low[NUMBER_ROOM], high[NUMBER_ROOM];
    cr_area area = {.roc_low = NAN};

    if (m == cr_metric_find(0, "roc_area") && x->classes == 2)
        cr_evaluation_area(x->evaluation, SIZE_MAX, &area, NULL);
    if (accuracy)
        snprintf(buffer, size, "95 %% interval %s to %s",
                 cr_show_number(low, m->show, x->metrics.accuracy_low),
                 cr_show_number(high, m->show, x->metrics.accuracy_high));
    else if (!isnan(area.roc_low))
        snprintf(buffer, size, "95 %% interval %s to %s",
                 cr_show_number(low, m->show, area.roc_low),
                 cr_show_number(high, m->show, area.roc_high));
    else if (m == cr_metric_find(0, "roc_area") && x->classes == 2)
        snprintf(buffer, size, "P(a row of the second class ranks above one of the first)");
    else
        snprintf(buffer, size, "%s", m->meaning);
    return buffer;
}

static void print_measures(const verdict *x)
{
    char number[NUMBER_ROOM], meaning[160];
    table *t = table_new();
    const cr_metric *m;

    table_column(t, "measure", TABLE_LEFT);
    table_column(t, "value", TABLE_RIGHT);
    table_column(t, "meaning", TABLE_LEFT);
    for (size_t i = 0; (m = cr_metric_get(0, i)) != NULL; i++) {
        const double value =
            (m->shown & CR_METRIC_TABLE) != 0 ? cr_evaluation_value(x->evaluation, m) : NAN;

        if (isnan(value))
            continue;
        table_text(t, m->title);
        table_text(t, cr_show_number(number, m->show, value));
        table_text(t, meaning_of(x, m, meaning, sizeof meaning));
    }
    if (x->metrics.undecided > x->metrics.rejected)
        measure(t, "undecided", number_plain, x->metrics.undecided - x->metrics.rejected,
                "rows impossible for every class");
    if (x->metrics.unknown > 0)
        measure(t, "unknown", number_plain, x->metrics.unknown,
                "rows of a class the model never met");
    table_print(t, 0, false);
    table_free(t);
}

/* Rows are true classes, columns are decisions. Names too wide for the headings are replaced by
 * numbers. */
static table *confusion_table(const verdict *x, bool numbered)
{
    table *t = table_new();
    char text[300];

    table_column(t, "true \\ decided", TABLE_LEFT);
    for (size_t c = 0; c < x->classes; c++) {
        snprintf(text, sizeof text, "%zu", c + 1);
        table_column(t, numbered ? text : cr_model_class(x->model, c), TABLE_RIGHT);
    }
    if (x->metrics.undecided > 0)
        table_column(t, "?", TABLE_RIGHT);
    for (size_t truth = 0; truth < x->classes; truth++) {
        snprintf(text, sizeof text, "%zu %s", truth + 1, cr_model_class(x->model, truth));
        table_text(t, numbered ? text : cr_model_class(x->model, truth));
        for (size_t c = 0; c < x->classes; c++)
            table_number(t, number_plain,
                         cr_evaluation_confusion(x->evaluation, truth, (int32_t)c));
        if (x->metrics.undecided > 0)
            table_number(t, number_plain,
                         cr_evaluation_confusion(x->evaluation, truth, CR_UNDECIDED));
    }
    return t;
}

typedef struct confused {
    size_t truth, decision;
    double weight;
} confused;

/* The mistakes of largest weight, in descending order. */
static size_t most_confused(const verdict *x, confused *worst)
{
    size_t found = 0;

    for (size_t truth = 0; truth < x->classes; truth++)
        for (size_t c = 0; c < x->classes; c++) {
            double weight = cr_evaluation_confusion(x->evaluation, truth, (int32_t)c);
            size_t at = found;

            if (c == truth || weight <= 0 ||
                (found == PAIRS_SHOWN && weight <= worst[found - 1].weight))
                continue;
            if (found == PAIRS_SHOWN)
                at = found - 1;
            else
                found++;
            for (; at > 0 && worst[at - 1].weight < weight; at--)
                worst[at] = worst[at - 1];
            worst[at] = (confused){truth, c, weight};
        }
    return found;
}

static void print_confused(const verdict *x)
{
    confused worst[PAIRS_SHOWN];
    size_t found = most_confused(x, worst);
    table *t = table_new();

    table_column(t, "true class", TABLE_LEFT);
    table_column(t, "taken for", TABLE_LEFT);
    table_column(t, "rows", TABLE_RIGHT);
    for (size_t i = 0; i < found; i++) {
        table_text(t, cr_model_class(x->model, worst[i].truth));
        table_text(t, cr_model_class(x->model, worst[i].decision));
        table_number(t, number_plain, worst[i].weight);
    }
    puts(found > 0 ? "\nMost confused" : "\nNo two classes were confused.");
    if (found > 0)
        table_print(t, 0, true);
    table_free(t);
}

static void print_confusion(const verdict *x)
{
    size_t width = out_width() != 0 ? out_width() : USUAL_WIDTH;

    if (x->classes <= VERDICT_CLASSES)
        for (int numbered = 0; numbered <= 1; numbered++) {
            table *t = confusion_table(x, numbered);
            bool fits = table_width(t) <= width;

            if (fits) {
                putchar('\n');
                table_print(t, 0, true);
            }
            table_free(t);
            if (fits)
                return;
        }
    if (x->classes <= MATRIX_LIMIT)
        print_confused(x);
}

void verdict_print(const verdict *x)
{
    cr_sheet *classes = NULL;
    const cr_status status = cr_test_sheet(&classes, x->model, x->evaluation, NULL);

    print_measures(x);
    if (x->rule != NULL)
        rule_report(x->rule, x->model, x->evaluation);
    putchar('\n');
    sheet_print(sheet_made(status, classes), VERDICT_CLASSES, 0, true);
    if (x->classes > VERDICT_CLASSES)
        out_line("... and %zu more class%s (--csv lists them all)", x->classes - VERDICT_CLASSES,
                 x->classes - VERDICT_CLASSES == 1 ? "" : "es");
    print_confusion(x);
}

static void note_surprise(const verdict *x)
{
    const bool calibrated = cr_model_calibration(x->model) != NULL;
    char wrong[NUMBER_ROOM], expected[NUMBER_ROOM];

    note("wrong in %s of the rows, where its probabilities say %s: these rows are unlike those it "
         "learned, perhaps later or of other origin%s",
         number_percent(wrong, x->metrics.mistakes),
         number_percent(expected, x->metrics.expected_mistakes),
         calibrated ? "" : "; or credence calibrate should make it less sure");
}

void verdict_notes(const verdict *x)
{
    if (x->unlabelled != 0)
        note("%llu row%s without a class left out", (unsigned long long)x->unlabelled,
             plural(x->unlabelled));
    if (x->metrics.rows > 0 && x->metrics.unknown == x->metrics.rows)
        note("no row is of a class that the model knows, such as %s: --classes OLD=NEW calls them "
             "by its names",
             cr_model_class(x->model, 0));
    if (x->classes > MATRIX_LIMIT)
        note("more than %d classes: no confusion matrix", MATRIX_LIMIT);
    if (x->rule == NULL && cr_metrics_surprise(&x->metrics))
        note_surprise(x);
}

void verdict_take(verdict *x, const cr_model *model, const cr_evaluation *evaluation,
                  const cr_rule *rule)
{
    x->model = model;
    x->evaluation = evaluation;
    x->rule = rule;
    x->classes = cr_model_classes(model);
    cr_evaluation_metrics(evaluation, &x->metrics);
}

void verdict_json(const verdict *x)
{
    cr_output *out = output_to(stdout);

    cr_test_json(x->model, x->evaluation, x->unlabelled, x->seconds, out);
    output_end(out);
}

void verdict_csv(const verdict *x)
{
    cr_sheet *s = NULL;

    const cr_status status = cr_test_sheet(&s, x->model, x->evaluation, NULL);

    sheet_csv(sheet_made(status, s));
}
