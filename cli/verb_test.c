/* cli/verb_test.c - credence test: how good a model's answers are. */
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "options_decide.h"
#include "out_json.h"
#include "out_progress.h"
#include "out_table.h"
#include "out_text.h"
#include "reserve.h"
#include "session.h"
#include "verbs.h"

enum {
    CLASSES_SHOWN = 30,  /* in the table of classes */
    PAIRS_SHOWN = 10,    /* of confused classes */
    MATRIX_LIMIT = 2000, /* classes: beyond, the confusion matrix is left out of the JSON */
    USUAL_WIDTH = 100
};

typedef struct result {
    const cr_model *model;
    const cr_evaluation *evaluation;
    const cr_rule *rule; /* NULL: the most probable class */
    cr_metrics metrics;
    cr_tally tally;
    double seconds;
    size_t classes;
} result;

/* --- for programs ------------------------------------------------------------------------- */

static void classes_json(json *j, const result *x)
{
    cr_class_metrics m;

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
        json_end(j);
    }
    json_end(j);
}

static void confusion_json(json *j, const result *x)
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

static void report_json(const result *x)
{
    const cr_metrics *m = &x->metrics;
    json j;

    json_start(&j, stdout);
    json_object(&j, NULL, JSON_BLOCK);
    json_number(&j, "rows", m->rows);
    json_number(&j, "accuracy", m->accuracy);
    json_number(&j, "accuracy_low", m->accuracy_low);
    json_number(&j, "accuracy_high", m->accuracy_high);
    json_number(&j, "log_loss", m->log_loss);
    json_number(&j, "brier", m->brier);
    json_number(&j, "ece", m->ece);
    json_number(&j, "macro_f1", m->macro_f1);
    json_number(&j, "undecided", m->undecided);
    json_number(&j, "unknown", m->unknown);
    json_number(&j, "unlabelled", (double)x->tally.unlabelled);
    json_number(&j, "seconds", x->seconds);
    rule_json(&j, x->rule, x->evaluation);
    classes_json(&j, x);
    confusion_json(&j, x);
    json_end(&j);
}

static table *classes_table(const result *x, size_t limit)
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

static void print_measures(const result *x)
{
    const cr_metrics *m = &x->metrics;
    char low[NUMBER_ROOM], high[NUMBER_ROOM], interval[160];
    table *t = table_new();

    snprintf(interval, sizeof interval, "95 %% interval %s to %s",
             number_percent(low, m->accuracy_low), number_percent(high, m->accuracy_high));
    table_column(t, "measure", TABLE_LEFT);
    table_column(t, "value", TABLE_RIGHT);
    table_column(t, "meaning", TABLE_LEFT);
    measure(t, "accuracy", number_percent, m->accuracy, interval);
    measure(t, "log loss", number_plain, m->log_loss, "mean of -ln P(true class)");
    measure(t, "Brier score", number_plain, m->brier, "mean squared error of the probabilities");
    measure(t, "ECE", number_plain, m->ece, "how far confidence is from accuracy, 15 bins");
    measure(t, "macro F1", number_plain, m->macro_f1, "mean of the classes' F1");
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
static table *confusion_table(const result *x, bool numbered)
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
static size_t most_confused(const result *x, confused *worst)
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

static void print_confused(const result *x)
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

static void print_confusion(const result *x)
{
    size_t width = out_width() != 0 ? out_width() : USUAL_WIDTH;

    if (x->classes <= CLASSES_SHOWN)
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

static void report_table(const request *r, const result *x)
{
    char from[256], rows[NUMBER_ROOM], time[NUMBER_ROOM];
    table *classes = classes_table(x, CLASSES_SHOWN);

    out_line("%s on %s: %s row%s in %s", r->operands[0], data_name(r, 1, from, sizeof from),
             number_plain(rows, x->metrics.rows), x->metrics.rows == 1 ? "" : "s",
             number_seconds(time, x->seconds));
    putchar('\n');
    print_measures(x);
    if (x->rule != NULL)
        rule_report(x->rule, x->model, x->evaluation);
    putchar('\n');
    table_print(classes, 0, true);
    if (x->classes > CLASSES_SHOWN)
        out_line("... and %zu more class%s (--csv lists them all)", x->classes - CLASSES_SHOWN,
                 x->classes - CLASSES_SHOWN == 1 ? "" : "es");
    table_free(classes);
    print_confusion(x);
}

static void report(const request *r, const result *x)
{
    table *classes;

    if (r->json) {
        report_json(x);
    } else if (r->csv) {
        classes = classes_table(x, SIZE_MAX);
        table_csv(classes);
        table_free(classes);
    } else {
        report_table(r, x);
    }
    if (x->tally.unlabelled != 0)
        note("%llu row%s without a class left out", (unsigned long long)x->tally.unlabelled,
             plural(x->tally.unlabelled));
    if (x->classes > MATRIX_LIMIT)
        note("more than %d classes: no confusion matrix", MATRIX_LIMIT);
}

/* --- the verb ----------------------------------------------------------------------------- */

static int run(request *r)
{
    cr_predict_options options = {.allow_absent_columns = option_given(r, "allow-absent"),
                                  .need_target = 1};
    cr_evaluation *evaluation = NULL;
    cr_source *source = NULL;
    cr_model *model = NULL;
    cr_rule *rule = NULL;
    result x = {0};
    cr_error err = {0};
    cr_status status;
    progress watch;
    int code;

    if ((code = open_model(&model, r, 0)) != EXIT_DONE ||
        (code = read_rule(&rule, r, model)) != EXIT_DONE ||
        (code = open_data(&source, r, 1, model)) != EXIT_DONE)
        goto done;
    options.rule = x.rule = rule;
    progress_begin(&watch, "testing", &r->run);
    status = cr_model_test(model, source, &options, &r->run, &evaluation, &x.tally, &err);
    x.seconds = progress_end(&watch);
    if (status != CR_OK) {
        code = fail_data(r, &source, status, &err);
        goto done;
    }
    x.model = model;
    x.evaluation = evaluation;
    x.classes = cr_model_classes(model);
    cr_evaluation_metrics(evaluation, &x.metrics);
    report(r, &x);
done:
    cr_evaluation_free(evaluation);
    close_data(&source);
    cr_rule_free(rule);
    cr_model_free(model);
    return code;
}

static const char *const about[] = {
    "Predicts every row of DATA, which must have the target column, and compares the answers "
    "with it. Rows without a class are left out.",
    "Accuracy comes with Wilson's 95 % interval. Log loss, Brier score and expected calibration "
    "error judge the probabilities, not only the decisions: smaller is better. A row that no "
    "class can explain counts as wrong, and as a uniform guess for the log loss.",
    "The confusion matrix has a row for each true class and a column for each decision; where it "
    "would not fit the terminal, the most confused pairs are shown instead.",
    "--cost, --reject and --priors decide by the least expected cost and add what decisions cost "
    "on average, how many rows are rejected, p(correct) and p(mistake) by the labels and as the "
    "posteriors have it, and for two classes the threshold by the costs and the cheapest one on "
    "these rows.",
    "--json gives rows, accuracy, accuracy_low, accuracy_high, log_loss, brier, ece, macro_f1, "
    "undecided, unknown, unlabelled, seconds, mistakes, expected_correct, expected_mistakes, with "
    "a rule cost, expected_cost, rejected, coverage, decided_accuracy, threshold{}, "
    "best_threshold{}, best_cost, classes[] (name, support, predicted, correct, "
    "precision, recall, f1, undecided) and confusion[][]. --csv gives the table of classes.",
    NULL,
};

static const option own[] = {
    {"allow-absent", 'a', OPTION_FLAG, NULL,
     "Columns of the model that DATA lack count as missing. Default: that is an error."},
    {0},
};
static const option_group own_group = {"Options", own};
static const option_group *const groups[] = {&own_group, &decide_options, &data_options, NULL};

static const example examples[] = {
    {"credence test iris.model iris.csv",
     "How good is it? (Rows that it has not learned would be a harder test.)"},
    {"credence test --json iris.model iris.csv | jq .accuracy", "One number for a script."},
    {"credence test --csv iris.model iris.csv", "Precision and recall of each class."},
    {"credence test --cost 'yes->no=5' --reject 0.5 tax.model tax.csv",
     "What it costs when evasion must not be overlooked, and doubt is left to a person."},
    {0},
};

const verb verb_test = {
    .name = "test",
    .operands = "MODEL [DATA...]",
    .least = 1,
    .most = SIZE_MAX,
    .summary = "measure how good a model's answers are",
    .about = about,
    .options = groups,
    .examples = examples,
    .see_also = "predict explain train",
    .run = run,
};
