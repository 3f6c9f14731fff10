/* cli/evaluate/metrics.c - what answers are worth, for people and for programs. */
#include "evaluate/metrics.h"

#include <math.h>
#include <string.h>

#include "options/decide.h"
#include "out/text.h"
#include "session/session.h"

enum {
    VERDICT_CLASSES = 30, /* in the table of classes */
    PAIRS_SHOWN = 10,     /* of confused classes */
    MATRIX_LIMIT = 2000,  /* classes: beyond, the confusion matrix is left out of the JSON */
    USUAL_WIDTH = 100
};

/* --- for programs ------------------------------------------------------------------------- */

static void classes_json(json *j, const verdict *x)
{
    cr_class_metrics m;
    cr_area area;

    json_array(j, "classes", JSON_BLOCK);
    for (size_t c = 0; c < x->classes; c++) {
        cr_evaluation_class(x->evaluation, c, &m);
        json_object(j, NULL, JSON_LINE);
        json_text(j, "name", cr_model_class(x->model, c));
        json_number(j, "support", m.support);
        json_number(j, "predicted", m.predicted);
        json_number(j, "correct", m.correct);
        json_number(j, "precision", m.precision);
        json_number(j, "recall", m.recall);
        json_number(j, "f1", m.f1);
        json_number(j, "undecided", cr_evaluation_confusion(x->evaluation, c, CR_UNDECIDED));
        if (cr_evaluation_area(x->evaluation, c, &area, NULL) == CR_OK) {
            json_number(j, "roc_area", area.roc);
            json_number(j, "pr_area", area.pr);
        }
        json_end(j);
    }
    json_end(j);
}

static void confusion_json(json *j, const verdict *x)
{
    if (x->classes > MATRIX_LIMIT) {
        json_text(j, "confusion", NULL);
        return;
    }
    json_array(j, "confusion", JSON_BLOCK);
    for (size_t truth = 0; truth < x->classes; truth++) {
        json_array(j, NULL, JSON_LINE);
        for (size_t c = 0; c < x->classes; c++)
            json_number(j, NULL, cr_evaluation_confusion(x->evaluation, truth, (int32_t)c));
        json_end(j);
    }
    json_end(j);
}

/* The rows that a threshold on the largest posterior would leave undecided, in steps. */
static void rejection_json(json *j, const cr_evaluation *e)
{
    cr_point *points;
    size_t count;
    double next = 0.05;

    json_array(j, "rejection", JSON_BLOCK);
    if (cr_evaluation_curve(e, CR_CURVE_COVERAGE, SIZE_MAX, &points, &count, NULL) == CR_OK) {
        for (size_t i = 0; i < count; i++)
            if (points[i].x >= next || i + 1 == count) {
                json_object(j, NULL, JSON_LINE);
                json_number(j, "threshold", points[i].threshold);
                json_number(j, "coverage", points[i].x);
                json_number(j, "accuracy", points[i].y);
                json_end(j);
                next = points[i].x + 0.05;
            }
        cr_points_free(points);
    }
    json_end(j);
}

static void areas_json(json *j, const cr_evaluation *e)
{
    cr_area area;

    cr_evaluation_area(e, SIZE_MAX, &area, NULL);
    json_number(j, "roc_area", area.roc);
    json_number(j, "roc_area_low", area.roc_low);
    json_number(j, "roc_area_high", area.roc_high);
    json_number(j, "roc_loss_percent", 100 * (1 - area.roc));
    json_number(j, "pr_area", area.pr);
}

static void figures_json(json *j, const cr_metrics *m)
{
    json_number(j, "rows", m->rows);
    json_number(j, "accuracy", m->accuracy);
    json_number(j, "accuracy_low", m->accuracy_low);
    json_number(j, "accuracy_high", m->accuracy_high);
    json_number(j, "balanced_accuracy", m->balanced_accuracy);
    json_number(j, "log_loss", m->log_loss);
    json_number(j, "brier", m->brier);
    json_number(j, "brier_reliability", m->reliability);
    json_number(j, "brier_resolution", m->resolution);
    json_number(j, "brier_uncertainty", m->uncertainty);
    json_number(j, "ece", m->ece);
    json_number(j, "mce", m->mce);
    json_number(j, "macro_f1", m->macro_f1);
    json_number(j, "micro_f1", m->micro_f1);
    json_number(j, "weighted_f1", m->weighted_f1);
    json_number(j, "mcc", m->mcc);
    json_number(j, "kappa", m->kappa);
    json_array(j, "top", JSON_LINE);
    for (size_t k = 0; k < sizeof m->top / sizeof *m->top; k++)
        json_number(j, NULL, m->top[k]);
    json_end(j);
}

void verdict_json(json *j, const verdict *x)
{
    const cr_metrics *m = &x->metrics;

    figures_json(j, m);
    areas_json(j, x->evaluation);
    json_number(j, "undecided", m->undecided);
    json_number(j, "unknown", m->unknown);
    json_number(j, "unlabelled", (double)x->unlabelled);
    json_number(j, "seconds", x->seconds);
    rule_json(j, x->rule, x->evaluation);
    classes_json(j, x);
    confusion_json(j, x);
    rejection_json(j, x->evaluation);
}

table *verdict_classes(const verdict *x, size_t limit)
{
    cr_class_metrics m;
    table *t = table_new();

    table_column(t, "class", TABLE_LEFT);
    table_column(t, "support", TABLE_RIGHT);
    table_column(t, "precision", TABLE_RIGHT);
    table_column(t, "recall", TABLE_RIGHT);
    table_column(t, "f1", TABLE_RIGHT);
    for (size_t c = 0; c < x->classes && c < limit; c++) {
        cr_evaluation_class(x->evaluation, c, &m);
        table_text(t, cr_model_class(x->model, c));
        table_number(t, number_plain, m.support);
        table_number(t, number_probability, m.precision);
        table_number(t, number_probability, m.recall);
        table_number(t, number_probability, m.f1);
    }
    return t;
}

/* --- for people --------------------------------------------------------------------------- */

static void measure(table *t, const char *name, char *(*picture)(char *, double), double x,
                    const char *meaning)
{
    table_text(t, name);
    table_number(t, picture, x);
    table_text(t, meaning);
}

static const char *area_meaning(const verdict *x, const cr_area *area, char *buffer)
{
    char low[NUMBER_ROOM], high[NUMBER_ROOM];

    if (x->classes > 2)
        return "P(own row ranks above another), mean over classes";
    if (isnan(area->roc_low))
        return "P(a row of the second class ranks above one of the first)";
    snprintf(buffer, 160, "95 %% interval %s to %s", number_plain(low, area->roc_low),
             number_plain(high, area->roc_high));
    return buffer;
}

static void print_measures(const verdict *x)
{
    const cr_metrics *m = &x->metrics;
    char low[NUMBER_ROOM], high[NUMBER_ROOM], interval[160], of_area[160];
    table *t = table_new();
    cr_area area;

    snprintf(interval, sizeof interval, "95 %% interval %s to %s",
             number_percent(low, m->accuracy_low), number_percent(high, m->accuracy_high));
    table_column(t, "measure", TABLE_LEFT);
    table_column(t, "value", TABLE_RIGHT);
    table_column(t, "meaning", TABLE_LEFT);
    measure(t, "accuracy", number_percent, m->accuracy, interval);
    measure(t, "balanced", number_percent, m->balanced_accuracy, "mean of the classes' recall");
    measure(t, "log loss", number_plain, m->log_loss, "mean of -ln P(true class)");
    measure(t, "Brier score", number_plain, m->brier, "mean squared error of the probabilities");
    measure(t, "ECE", number_plain, m->ece, "how far confidence is from accuracy, 15 bins");
    measure(t, "macro F1", number_plain, m->macro_f1, "mean of the classes' F1");
    measure(t, "MCC", number_plain, m->mcc, "correlation of decisions and classes");
    if (cr_evaluation_area(x->evaluation, SIZE_MAX, &area, NULL) == CR_OK && !isnan(area.roc))
        measure(t, "ROC area", number_plain, area.roc, area_meaning(x, &area, of_area));
    if (m->undecided > m->rejected)
        measure(t, "undecided", number_plain, m->undecided - m->rejected,
                "rows impossible for every class");
    if (m->unknown > 0)
        measure(t, "unknown", number_plain, m->unknown, "rows of a class the model never met");
    table_print(t, 0, false);
    table_free(t);
}

/* Rows are true classes, columns decisions. Where names are too wide for the heads of the columns,
 * numbers stand for them. */
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

/* The heaviest mistakes, kept in order as they are found. */
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
    table *classes = verdict_classes(x, VERDICT_CLASSES);

    print_measures(x);
    if (x->rule != NULL)
        rule_report(x->rule, x->model, x->evaluation);
    putchar('\n');
    table_print(classes, 0, true);
    if (x->classes > VERDICT_CLASSES)
        out_line("... and %zu more class%s (--csv lists them all)", x->classes - VERDICT_CLASSES,
                 x->classes - VERDICT_CLASSES == 1 ? "" : "es");
    table_free(classes);
    print_confusion(x);
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
