/* cli/verbs/test.c - credence test: how good a model's answers are. */
#include "evaluate/metrics.h"
#include "show/linear.h"
#include "options/decide.h"
#include "options/split.h"
#include "out/progress.h"
#include "out/text.h"
#include "plot/result.h"
#include "session/live.h"
#include "session/seen.h"
#include "session/session.h"
#include "verbs/verbs.h"

static void report_table(const request *r, const verdict *x)
{
    char from[256], rows[NUMBER_ROOM], time[NUMBER_ROOM];

    out_line("%s on %s: %s row%s in %s", r->operands[0], data_name(r, 1, from, sizeof from),
             number_plain(rows, x->metrics.rows), x->metrics.rows == 1 ? "" : "s",
             number_seconds(time, x->seconds));
    if (cr_model_calibration(x->model) != NULL)
        out_line("calibrated by %s", cr_model_calibration(x->model));
    putchar('\n');
    verdict_print(x);
}

static void report(const request *r, const verdict *x)
{
    if (r->json)
        verdict_json(x);
    else if (r->csv)
        verdict_csv(x);
    else
        report_table(r, x);
    verdict_notes(x);
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
    cr_split *split = NULL;
    verdict x = {0};
    cr_tally tally;
    cr_error err = {0};
    cr_status status;
    progress watch;
    int code;

    if ((code = check_plot(r, 0)) != EXIT_DONE ||
        (code = open_model_for_data(&model, r, 0, 1)) != EXIT_DONE ||
        (code = read_rule(&rule, r, model)) != EXIT_DONE)
        goto done;
    if (cr_model_is_regression(model)) {
        code = linear_test(r, model);
        goto done;
    }
    if ((code = open_data(&source, r, 1, model)) != EXIT_DONE ||
        (code = keep_side(&split, source, r, 1, model, CR_SIDE_TEST)) != EXIT_DONE)
        goto done;
    options.rule = rule;
    progress_begin(&watch, "testing", &r->run);
    status = cr_model_test(model, source, &options, &r->run, &evaluation, &tally, &err);
    x.seconds = progress_end(&watch);
    if (status != CR_OK) {
        code = fail_data(r, &source, status, &err);
        goto done;
    }
    x.unlabelled = tally.unlabelled;
    verdict_take(&x, model, evaluation, rule);
    report(r, &x);
    if (split == NULL)
        note_seen(r, 1, model, x.metrics.rows);
    code = plot_verdict(r, &x, r->operands[0], 1);
done:
    cr_evaluation_free(evaluation);
    close_data(&source);
    cr_split_free(split);
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
    "A regression model (linear, a Gaussian network) is judged by its errors instead: RMSE, MAE, "
    "R², the bias, the mean log density of the truth, and the share of truths inside their "
    "intervals; --json then has {keys test-numbers}. --plot draws truth and residuals against the "
    "prediction.",
    "The confusion matrix has a row for each true class and a column for each decision; where it "
    "would not fit the terminal, the most confused pairs are shown instead. --plot draws the "
    "reliability of the decisions, and next to it the ROC curve of the second of two classes or "
    "the confusion matrix of more.",
    "--cost, --reject and --priors decide by the least expected cost and add what decisions cost "
    "on average, how many rows are rejected, p(correct) and p(mistake) according to the labels and "
    "according to the posteriors, and for two classes the threshold by the costs and the cheapest "
    "one on these rows.",
    "--json gives {keys test}; top[] is how often the class is among the 1, 2 ... most probable, "
    "costs and thresholds are there with a rule, and rejection[] is what remains when the "
    "likeliest class must reach a threshold. --csv gives the table of classes.",
    NULL,
};

static const option own[] = {
    ALLOW_ABSENT_OPTION,
    INTERVAL_OPTION,
    {0},
};
static const option_group own_group = {"Options", own};
static const option_group *const groups[] = {&own_group,       &split_options, &decide_options,
                                             &picture_options, &data_options,  NULL};

static const example examples[] = {
    {"credence test iris.model iris.csv",
     "How good is it? (Rows that it has not learned would be a harder test.)"},
    {"credence test --json iris.model iris.csv | jq .accuracy", "One number for a script."},
    {"credence test --plot test.svg tax.model tax.csv", "With a picture of it."},
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
