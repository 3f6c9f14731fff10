/* cli/verbs/cv.c - credence cv: cross-validation. */
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "evaluate/kept.h"
#include "evaluate/folds.h"
#include "evaluate/metrics.h"
#include "evaluate/numbers.h"
#include "options/decide.h"
#include "out/json.h"
#include "out/progress.h"
#include "out/text.h"
#include "plot/result.h"
#include "session/reserve.h"
#include "session/session.h"
#include "evaluate/study.h"
#include "verbs/verbs.h"

typedef struct validation {
    verdict all;
    cr_cv_facts facts;
    cr_cv_metrics *metrics;
} validation;

/* --- the answers -------------------------------------------------------------------------- */

typedef struct asked {
    const cr_cv *cv;
    const cr_rule *rule;
    kept kept;
} asked;

static void write_answer(FILE *file, const asked *of, size_t repeat, size_t row, size_t classes,
                         double *posterior)
{
    const cr_model *model = cr_cv_model(of->cv);
    char number[NUMBER_ROOM];
    cr_cv_answer a;

    cr_cv_get(of->cv, repeat, row, of->rule, &a, posterior);
    kept_write(&of->kept, row, file);
    fprintf(file, "%llu,%zu,%zu,", (unsigned long long)a.line, repeat + 1, a.fold + 1);
    csv_field(file, cr_model_class(model, (size_t)a.truth));
    putc(',', file);
    if (a.decision != CR_UNDECIDED)
        csv_field(file, cr_model_class(model, (size_t)a.decision));
    for (size_t c = 0; c < classes; c++)
        fprintf(file, ",%s", number_exact(number, posterior[c]));
    putc('\n', file);
}

static void write_all(FILE *file, const void *context)
{
    const asked *a = context;
    const cr_model *model = cr_cv_model(a->cv);
    const size_t classes = cr_model_classes(model);
    double *posterior = reserve(classes, sizeof *posterior);
    char head[300];
    cr_cv_facts facts;

    cr_cv_get_facts(a->cv, &facts);
    kept_write(&a->kept, SIZE_MAX, file);
    fputs("row,repeat,fold,truth,prediction", file);
    for (size_t c = 0; c < classes; c++) {
        snprintf(head, sizeof head, "p(%s)", cr_model_class(model, c));
        putc(',', file);
        csv_field(file, head);
    }
    putc('\n', file);
    for (size_t i = 0; i < facts.repeats; i++)
        for (size_t r = 0; r < facts.rows; r++)
            write_answer(file, a, i, r, classes, posterior);
    free(posterior);
}

/* --- reports ------------------------------------------------------------------------------ */

static void report_table(const request *r, const cr_cv *cv, const validation *v,
                         const char *learner)
{
    cv_headline(r, &v->facts, learner, v->all.seconds);
    verdict_print(&v->all);
    if (v->metrics->folds == 0)
        return;
    putchar('\n');
    folds_print(cv, v->metrics);
}

static void report(const request *r, const cr_cv *cv, const validation *v, const char *learner)
{
    if (option_text(r, "out") != NULL && strcmp(option_text(r, "out"), "-") == 0)
        return;
    if (r->json)
        folds_json(cv, v->metrics, learner, v->all.rule, 0, v->all.seconds);
    else if (r->csv && v->metrics->folds == 0)
        verdict_csv(&v->all);
    else if (r->csv)
        folds_csv(cv, v->metrics);
    else
        report_table(r, cv, v, learner);
    verdict_notes(&v->all);
}

/* --- the verb ----------------------------------------------------------------------------- */

static int judge(request *r, const cr_cv *cv, double seconds, const char *learner)
{
    validation v = {.all = {.seconds = seconds}};
    asked answers = {.cv = cv};
    const char *path = option_text(r, "out");
    cr_evaluation *e = NULL;
    cr_rule *rule = NULL;
    cr_error err = {0};
    cr_status status;
    int code;

    cr_cv_get_facts(cv, &v.facts);
    if (v.facts.numbers)
        return cv_numbers(r, cv, seconds, learner);
    v.all.unlabelled = v.facts.unlabelled;
    if ((code = read_rule(&rule, r, cr_cv_model(cv))) != EXIT_DONE)
        return code;
    status = cr_cv_measure(&v.metrics, cv, &(cr_cv_options){.rule = rule, .whole = &e}, &err);
    if (status != CR_OK) {
        code = complain(status, &err);
    } else {
        verdict_take(&v.all, cr_cv_model(cv), e, rule);
        code = kept_read(&answers.kept, r, cr_cv_model(cv));
        answers.rule = rule;
        if (path != NULL && code == EXIT_DONE)
            code = write_answers(path, write_all, &answers);
        kept_free(&answers.kept);
        if (code == EXIT_DONE) {
            report(r, cv, &v, learner);
            code = plot_verdict(r, &v.all, learner, 0);
        }
    }
    cr_cv_metrics_free(v.metrics);
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
    "The figures are computed over all answers together; the table of folds has their means with "
    "the 95 % interval of Nadeau and Bengio, which allows for folds sharing their training rows. "
    "--plot draws the same pictures as credence test.",
    "A regression learner (linear, network-number) has the figures that credence test shows for "
    "regressions: root mean squared and mean absolute error, R², bias, log density, and the "
    "coverage and width of prediction intervals. --json then has these instead, in mean{} and "
    "fold[] too, and --out writes row, repeat, fold, truth, prediction, low, high and log_density.",
    "--json gives what credence test gives and {keys cv}; way is subtracted, retrained or "
    "decremented, and mean{} has mean, sd, low and high of each metric. --csv gives the table of "
    "folds. --out writes row (the line in its file), repeat, fold, truth, prediction and p(CLASS) "
    "of each row as CSV.",
    NULL,
};

static const option own[] = {
    {"model", 'm', OPTION_TEXT, "LEARNER[:KNOB=VALUE...]",
     "Learner. Default: auto, chosen anew in each fold; nb with -p alone, and with --folds loo."},
    CALIBRATE_OPTION,
    {"param", 'p', OPTION_PAIR, "KEY=VALUE",
     "Turn a knob of the learner: credence help knobs lists them. May be repeated."},
    {"out", 'o', OPTION_TEXT, "FILE", "Write every row's answer. - is standard output."},
    {"keep", 0, OPTION_TEXT, "A,B", "Of --out: columns of DATA that come first, such as an id."},
    INTERVAL_OPTION,
    {0},
};
static const option_group own_group = {"Options", own};
static const option_group *const groups[] = {&own_group,       &deal_options, &decide_options,
                                             &picture_options, &data_options, &column_options,
                                             &basis_options,   NULL};

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
