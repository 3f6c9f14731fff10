/* cli/verbs/cv.c - credence cv: cross-validation. */
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "evaluate/folds.h"
#include "evaluate/metrics.h"
#include "evaluate/numbers.h"
#include "options/decide.h"
#include "out/csv.h"
#include "out/progress.h"
#include "out/text.h"
#include "plot/result.h"
#include "session/reserve.h"
#include "session/session.h"
#include "evaluate/study.h"
#include "verbs/verbs.h"

static const figure figures[] = {
    {"accuracy", "accuracy", NULL, offsetof(cr_metrics, accuracy), number_percent, 0, 1},
    {"balanced_accuracy", "balanced", NULL, offsetof(cr_metrics, balanced_accuracy), number_percent,
     0, 1},
    {"log_loss", "log loss", NULL, offsetof(cr_metrics, log_loss), number_plain, 0, INFINITY},
    {"brier", "Brier", NULL, offsetof(cr_metrics, brier), number_plain, 0, 2},
    {"macro_f1", "macro F1", NULL, offsetof(cr_metrics, macro_f1), number_plain, 0, 1},
    {"mcc", "MCC", NULL, offsetof(cr_metrics, mcc), number_plain, -1, 1},
};
enum { FIGURES = sizeof figures / sizeof *figures };

typedef struct validation {
    verdict all;
    folds folds;
} validation;

/* --- figures of folds --------------------------------------------------------------------- */

static cr_status take_folds(validation *v, const cr_cv *cv, const cr_rule *rule, cr_error *err)
{
    cr_status status = CR_OK;

    for (size_t i = 0; status == CR_OK && i < v->folds.count; i++) {
        cr_evaluation *e;
        cr_metrics m;

        if ((status = cr_cv_evaluate(cv, i, rule, &e, err)) == CR_OK) {
            cr_evaluation_metrics(e, &m);
            folds_take(&v->folds, i, m.rows, &m);
            cr_evaluation_free(e);
        }
    }
    folds_spread(&v->folds);
    return status;
}

/* --- the answers -------------------------------------------------------------------------- */

static void write_answer(FILE *file, const cr_cv *cv, size_t repeat, size_t row,
                         const cr_rule *rule, size_t classes, double *posterior)
{
    const cr_model *model = cr_cv_model(cv);
    char number[NUMBER_ROOM];
    cr_cv_answer a;

    cr_cv_get(cv, repeat, row, rule, &a, posterior);
    fprintf(file, "%llu,%zu,%zu,", (unsigned long long)a.line, repeat + 1, a.fold + 1);
    csv_field(file, cr_model_class(model, (size_t)a.truth));
    putc(',', file);
    if (a.decision != CR_UNDECIDED)
        csv_field(file, cr_model_class(model, (size_t)a.decision));
    for (size_t c = 0; c < classes; c++)
        fprintf(file, ",%s", number_exact(number, posterior[c]));
    putc('\n', file);
}

typedef struct asked {
    const cr_cv *cv;
    const cr_rule *rule;
} asked;

static void write_all(FILE *file, const void *context)
{
    const asked *a = context;
    const cr_model *model = cr_cv_model(a->cv);
    const size_t classes = cr_model_classes(model);
    double *posterior = reserve(classes, sizeof *posterior);
    char head[300];
    cr_cv_facts facts;

    cr_cv_get_facts(a->cv, &facts);
    fputs("row,repeat,fold,truth,prediction", file);
    for (size_t c = 0; c < classes; c++) {
        snprintf(head, sizeof head, "p(%s)", cr_model_class(model, c));
        putc(',', file);
        csv_field(file, head);
    }
    putc('\n', file);
    for (size_t i = 0; i < facts.repeats; i++)
        for (size_t r = 0; r < facts.rows; r++)
            write_answer(file, a->cv, i, r, a->rule, classes, posterior);
    free(posterior);
}

/* --- reports ------------------------------------------------------------------------------ */

static void report_json(const validation *v, const char *learner)
{
    json j;

    json_start(&j, stdout);
    json_object(&j, NULL, JSON_BLOCK);
    cv_facts_json(&j, &v->folds.facts, learner);
    verdict_json(&j, &v->all);
    folds_json(&j, &v->folds);
    json_end(&j);
}

static void report_table(const request *r, const validation *v, const char *learner)
{
    table *t;

    cv_headline(r, &v->folds.facts, learner, v->all.seconds);
    verdict_print(&v->all);
    if (v->folds.count == 0)
        return;
    putchar('\n');
    t = folds_table(&v->folds, true);
    table_print(t, 0, true);
    table_free(t);
}

static void report(const request *r, const validation *v, const char *learner)
{
    table *t;

    if (option_text(r, "out") != NULL && strcmp(option_text(r, "out"), "-") == 0)
        return;
    if (r->json) {
        report_json(v, learner);
    } else if (r->csv) {
        t = v->folds.count == 0 ? verdict_classes(&v->all, SIZE_MAX)
                                : folds_table(&v->folds, false);
        table_csv(t);
        table_free(t);
    } else {
        report_table(r, v, learner);
    }
    verdict_notes(&v->all);
}

/* --- the verb ----------------------------------------------------------------------------- */

static int judge(request *r, const cr_cv *cv, double seconds, const char *learner)
{
    validation v = {.all = {.seconds = seconds}};
    const char *path = option_text(r, "out");
    cr_evaluation *e = NULL;
    cr_rule *rule = NULL;
    cr_cv_facts facts;
    cr_error err = {0};
    cr_status status;
    int code;

    cr_cv_get_facts(cv, &facts);
    if (facts.numbers)
        return cv_numbers(r, cv, seconds, learner);
    v.all.unlabelled = facts.unlabelled;
    if ((code = read_rule(&rule, r, cr_cv_model(cv))) != EXIT_DONE)
        return code;
    folds_begin(&v.folds, cv, figures, FIGURES);
    if ((status = cr_cv_evaluate(cv, SIZE_MAX, rule, &e, &err)) != CR_OK ||
        (status = take_folds(&v, cv, rule, &err)) != CR_OK) {
        code = complain(status, &err);
    } else {
        verdict_take(&v.all, cr_cv_model(cv), e, rule);
        if (path != NULL)
            code = write_answers(path, write_all, &(asked){cv, rule});
        if (code == EXIT_DONE) {
            report(r, &v, learner);
            code = plot_verdict(r, &v.all, learner, 0);
        }
    }
    folds_free(&v.folds);
    cr_evaluation_free(e);
    cr_rule_free(rule);
    return code;
}

static int run(request *r)
{
    const char *path = option_text(r, "out");
    cr_spec *specs = NULL;
    cr_source *source = NULL;
    cr_study *study = NULL;
    cr_cv *cv = NULL;
    cr_error err = {0};
    cr_deal deal;
    cr_status status;
    progress watch;
    size_t count = 0;
    double seconds;
    int code;

    if (path != NULL && strcmp(path, "-") == 0 && option_given(r, "plot") &&
        strcmp(option_text(r, "plot"), "-") == 0)
        return misuse("--plot FILE for the picture", "--out - writes to standard output");
    if ((code = read_deal(&deal, r)) != EXIT_DONE ||
        (path != NULL && (code = check_output(path, r, 0)) != EXIT_DONE) ||
        (code = check_plot(r, 0)) != EXIT_DONE ||
        (code = open_data(&source, r, 0, NULL)) != EXIT_DONE)
        return code;
    read_candidates_or(&specs, &count, r, deal.folds == CR_LEAVE_ONE_OUT ? "nb" : usual_learner(r));
    progress_begin(&watch, "validating", &r->run);
    if (deal.folds == CR_LEAVE_ONE_OUT)
        progress_advise(&watch, "--folds 10 makes ten", &r->run);
    if ((status = cr_study_new(&study, source, &deal, &r->run, &err)) == CR_OK)
        status = cr_cv_run(&cv, study, specs[0].learner, (const char *const *)specs[0].params,
                           specs[0].param_count, &err);
    seconds = progress_end(&watch);
    code = count > 1         ? misuse("credence compare takes several", "cv takes one learner")
           : status != CR_OK ? fail_data(r, &source, status, &err)
                             : judge(r, cv, seconds, specs[0].name);
    cr_cv_free(cv);
    cr_study_free(study);
    close_data(&source);
    free_candidates(specs, count);
    return code;
}

static const char *const about[] = {
    "Deals the rows into folds and answers each row by a model that has not learned its fold. The "
    "data are read once. The model without a fold is fitted on the counts of all rows minus those "
    "of the fold, which is exactly the model that training on the other folds gives; learners that "
    "need the rows themselves are trained anew for each fold.",
    "--folds loo leaves out one row at a time; for naive Bayes each row is taken out of the counts "
    "while it is scored.",
    "Figures are of all answers together; the table of folds has their means with the 95 % "
    "interval of Nadeau and Bengio, which allows for folds sharing their training rows. --plot "
    "draws what it draws of credence test.",
    "A learner of numbers (linear, network-number) has the figures that credence test has for "
    "them: root mean squared and mean absolute error, R², bias, log density, and the coverage and "
    "width of prediction intervals. --json then has these instead, in mean{} and fold[] too, and "
    "--out writes row, repeat, fold, truth, prediction, low, high and log_density.",
    "--json gives what credence test gives and learner, folds, repeats, way (subtracted, retrained "
    "or decremented), mean{} (mean, sd, low, high of accuracy, balanced_accuracy, log_loss, brier, "
    "macro_f1, mcc) and fold[]. --csv gives the table of folds. --out writes row (the line in its "
    "file), repeat, fold, truth, prediction and p(CLASS) of each row as CSV.",
    NULL,
};

static const option own[] = {
    {"model", 'm', OPTION_TEXT, "LEARNER[:KNOB=VALUE...]",
     "What to learn. Default: auto, chosen anew in each fold; nb where -p gives knobs, and with "
     "--folds loo."},
    {"param", 'p', OPTION_PAIR, "KEY=VALUE",
     "Turn a knob of the learner: credence help knobs lists them. As often as you like."},
    {"out", 'o', OPTION_TEXT, "FILE", "Write every row's answer. - is standard output."},
    {"interval", 0, OPTION_TEXT, "PERCENT",
     "Of predictions that are numbers, whose coverage is told. Default: 95."},
    {0},
};
static const option_group own_group = {"Options", own};
static const option_group *const groups[] = {
    &own_group,      &deal_options, &decide_options, &picture_options, &data_options,
    &column_options, NULL};

static const example examples[] = {
    {"credence cv -m nb iris.csv", "How good would naive Bayes be on rows it has not seen?"},
    {"credence cv -m nb iris.csv --folds loo", "By leaving out one row at a time."},
    {"credence cv iris.csv -p variance=class-feature -k 5 -r 10 --seed 7",
     "Five folds, dealt ten times."},
    {"credence cv -m nb iris.csv --out answers.csv", "What was said of each row."},
    {"credence cv -m linear houses.csv", "How far off would a linear regression be?"},
    {0},
};

const verb verb_cv = {
    .name = "cv",
    .operands = "[DATA...]",
    .most = SIZE_MAX,
    .summary = "measure a learner on rows it has not seen, by cross-validation",
    .about = about,
    .options = groups,
    .examples = examples,
    .see_also = "test compare tune curve",
    .run = run,
};
