/* cli/verbs/report.c - credence report: one page about a model and labelled data. */
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "show/linear.h"
#include "evaluate/numbers.h"
#include "out/out.h"
#include "out/file.h"
#include "out/json.h"
#include "report/report.h"
#include "session/session.h"
#include "verbs/verbs.h"

enum { MISTAKES_SHOWN = 8, FEATURES_DRAWN = 4, MOST_MISTAKES = 1000 };

/* --- gathering -------------------------------------------------------------------------------- */

static int measure(report *x, double level)
{
    const cr_scored *a = x->answers;
    cr_error err = {0};
    const cr_status status =
        cr_regression_measure(a->answer, a->weight, a->rows, level, &x->numbers, &err);

    return status == CR_OK ? EXIT_DONE : complain(status, &err);
}

/* An ensemble has nothing to compare with: then there is no such part. */
static int compare(report *x, cr_drift **out)
{
    const cr_drift_options options = {.allow_absent_columns = option_given(x->r, "allow-absent")};
    cr_source *source = NULL;
    int code = open_data(&source, x->r, 1, x->model);

    if (code != EXIT_DONE)
        return code;
    if (cr_model_drift(x->model, source, &options, &x->r->run, out, NULL, NULL) == CR_OK)
        x->drift = *out;
    cr_source_close(source);
    return EXIT_DONE;
}

/* The features to be drawn: those that tell most, or the real ones that move a number most. */
static void choose_features(report *x)
{
    const cr_schema *schema = cr_model_schema(x->model);
    size_t count;

    x->feature = x->scores != NULL ? ranked_features(x->model, &count) : moving_features(x, &count);
    for (size_t i = 0; x->features < FEATURES_DRAWN && i < count; i++)
        if (x->scores != NULL || cr_schema_kind(schema, x->feature[i]) == CR_REAL)
            x->feature[x->features++] = x->feature[i];
}

/* Standard input cannot be read again, so what needs that is left out. */
static bool can_read_again(const request *r)
{
    for (size_t i = 1; i < r->operand_count; i++)
        if (strcmp(r->operands[i], "-") == 0 || access(r->operands[i], R_OK) != 0)
            return false;
    if (r->operand_count < 2)
        note("standard input can be read only once: no reasons, histograms and drift");
    return r->operand_count >= 2;
}

static int read_again(report *x, cr_drift **drift, cr_values *v)
{
    const bool again = can_read_again(x->r);
    int code = again ? mistakes_explain(x, 1) : EXIT_DONE;

    choose_features(x);
    if (again && code == EXIT_DONE && (code = compare(x, drift)) == EXIT_DONE && x->features > 0)
        code = values_read(v, x->r, x->model, 1, x->feature, x->features);
    return code;
}

/* --- writing ---------------------------------------------------------------------------------- */

static int write_page(const report *x, const char *path)
{
    out_file out;
    int code = out_file_open(&out, path);

    return code == EXIT_DONE ? out_file_close(&out, report_write(out.file, x)) : code;
}

static void mistake_json(json *j, const report *x, const mistake *m)
{
    const cr_scored *s = x->scores;

    json_object(j, NULL, JSON_BLOCK);
    json_number(j, "line", (double)mistake_line(x, m));
    if (s != NULL) {
        json_text(j, "truth", cr_model_class(x->model, (size_t)s->truth[m->row]));
        json_text(j, "decision", cr_model_class(x->model, (size_t)s->decision[m->row]));
        json_number(j, "probability", m->rank);
    } else {
        json_number(j, "truth", x->answers->answer[m->row].truth);
        json_number(j, "prediction", x->answers->answer[m->row].mean);
        json_number(j, "scales", m->rank);
    }
    json_array(j, "reasons", JSON_BLOCK);
    for (size_t k = 0; k < m->reasons; k++) {
        json_object(j, NULL, JSON_LINE);
        json_text(j, "feature", m->reason[k].feature);
        json_text(j, "value", m->reason[k].value);
        json_number(j, s != NULL ? "log_odds" : "adds", m->reason[k].adds);
        json_end(j);
    }
    json_end(j);
    json_end(j);
}

/* The metrics that a report has at its top. */
static void metrics_json(json *j, const cr_evaluation *e)
{
    const cr_metric *m;

    for (size_t i = 0; (m = cr_metric_get(0, i)) != NULL; i++)
        if ((m->shown & CR_METRIC_REPORT) != 0)
            json_number(j, m->key, cr_evaluation_value(e, m));
}

static void write_json(const report *x, const char *path)
{
    json j;

    json_start(&j, stdout);
    json_object(&j, NULL, JSON_BLOCK);
    json_text(&j, "report", path);
    if (x->scores != NULL)
        metrics_json(&j, x->evaluation);
    else
        cr_regression_members(&j, &x->numbers);
    json_array(&j, "mistakes", JSON_BLOCK);
    for (size_t i = 0; i < x->mistakes; i++)
        mistake_json(&j, x, &x->mistake[i]);
    json_end(&j);
    json_end(&j);
}

/* --- the verb --------------------------------------------------------------------------------- */

static int check(const request *r, const char *path, size_t most)
{
    if (path == NULL)
        return misuse("such as -o report.html; - is standard output", "report needs -o FILE");
    if (strcmp(path, "-") == 0 && r->json)
        return misuse("-o FILE for the page", "--json writes to standard output");
    if (most > MOST_MISTAKES)
        return misuse(NULL, "--mistakes %zu; at most %d", most, MOST_MISTAKES);
    return check_output(path, r, 0);
}

/* The answers of the model, and what they are worth. */
static int judge(report *x, cr_scored *s, double level)
{
    int code;

    if (cr_model_is_regression(x->model)) {
        x->answers = s;
        code = scores_read(s, x->r, x->model, 1, true, NULL);
        return code == EXIT_DONE ? measure(x, level > 0 ? level : USUAL_LEVEL) : code;
    }
    x->scores = s;
    code = scores_read(s, x->r, x->model, 1, true, NULL);
    x->evaluation = s->evaluation;
    x->metrics = s->metrics;
    return code;
}

static int run(request *r)
{
    const char *path = option_text(r, "output");
    const size_t most = option_count(r, "mistakes", MISTAKES_SHOWN);
    cr_model *model = NULL;
    cr_drift *drift = NULL;
    cr_scored s = {0};
    cr_values v = {0};
    report x = {.r = r, .values = &v};
    double level;
    int code;

    if ((code = check(r, path, most)) != EXIT_DONE ||
        (code = read_interval(r, &level)) != EXIT_DONE ||
        (code = open_model(&model, r, 0)) != EXIT_DONE)
        return code;
    x.model = model;
    if ((code = judge(&x, &s, level)) == EXIT_DONE) {
        mistakes_find(&x, most);
        code = read_again(&x, &drift, &v);
    }
    if (code == EXIT_DONE)
        code = write_page(&x, path);
    if (code == EXIT_DONE && r->json)
        write_json(&x, path);
    mistakes_free(&x);
    free(x.feature);
    free(x.moves);
    cr_values_free(&v);
    cr_drift_free(drift);
    cr_scored_free(&s);
    cr_model_free(model);
    return code;
}

static const char *const about[] = {
    "Writes one page of HTML about a model and labelled DATA: how good it is with intervals, the "
    "confusion of classes, ROC and precision-recall curves, how reliable the probabilities are, "
    "the features and words that tell most, the most confident mistakes with the reasons for "
    "them, and how the data differ from what the model learned from.",
    "The page needs nothing but itself: pictures are inside, there are no scripts, and it is as "
    "readable in the dark and in print. DATA is read again for the reasons; of standard input "
    "they are left out.",
    "A model of a number (linear, a Gaussian network) has its errors instead: RMSE, MAE, R² and "
    "the rest, truth and errors against the prediction, the errors next to what was expected of "
    "them, how many truths lie in intervals of each level, the features that move the prediction "
    "with their weights, and the numbers farthest off with what each feature added.",
    "--json gives report, rows, accuracy, log_loss, brier, ece, macro_f1 and mistakes[] with line, "
    "truth, decision, probability and reasons[] (feature, value, log_odds). Of a number it gives "
    "report, rows, rmse, mae, r2, bias, log_density, level, coverage, width and mistakes[] with "
    "line, truth, prediction, scales (how far off, in scales of the prediction) and reasons[] "
    "(feature, value, adds).",
    NULL,
};

static const option own[] = {
    {"output", 'o', OPTION_TEXT, "FILE", "Where the page goes; - is standard output."},
    {"mistakes", 0, OPTION_COUNT, "N", "Mistakes to show at most. Default: 8."},
    {"interval", 0, OPTION_TEXT, "PERCENT",
     "Of predictions that are numbers, whose coverage is told. Default: 95."},
    {"allow-absent", 'a', OPTION_FLAG, NULL,
     "Columns of the model that DATA lack count as missing. Default: that is an error."},
    {0},
};
static const option_group own_group = {"Options", own};
static const option_group *const groups[] = {&own_group, &data_options, NULL};

static const example examples[] = {
    {"credence report iris.model iris.csv -o iris.html", "All about it, for a browser."},
    {"credence report houses.model houses.csv -o houses.html", "The same of a linear regression."},
    {"credence report --json spam.model today.csv -o spam.html | jq '.mistakes[0]'",
     "And the worst mistake for a program."},
    {0},
};

const verb verb_report = {
    .name = "report",
    .operands = "MODEL [DATA...]",
    .least = 1,
    .most = SIZE_MAX,
    .summary = "write a page about a model and how good it is",
    .about = about,
    .options = groups,
    .examples = examples,
    .see_also = "test plot drift explain",
    .run = run,
};
