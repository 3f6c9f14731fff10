/* cli/verbs/tune.c - credence tune: the knobs that are best on unseen rows. */
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "options/decide.h"
#include "out/json.h"
#include "out/progress.h"
#include "out/sheet.h"
#include "out/text.h"
#include "session/reserve.h"
#include "session/session.h"
#include "evaluate/study.h"
#include "verbs/verbs.h"

enum { SETTINGS_SHOWN = 20 };

/* --- options ------------------------------------------------------------------------------ */

static int read_budget(cr_tune_options *o, const char *text)
{
    char *end = NULL;
    const double x = text == NULL ? 0 : strtod(text, &end);

    if (text == NULL)
        return EXIT_DONE;
    if (end == text || !(x > 0) || (*end != '\0' && strcmp(end, "s") != 0))
        return misuse("settings, or seconds: --budget 50, --budget 30s", "--budget is '%s'", text);
    if (*end == 's')
        o->seconds = x;
    else
        o->budget = (size_t)x;
    return EXIT_DONE;
}

/* Settings done, instead of bytes read. */
static int show_progress(void *context, size_t done, size_t total, double best)
{
    const cr_run *run = context;

    (void)best;
    return run->progress == NULL ? 0 : run->progress(run->context, done, total, 0);
}

/* --- the result --------------------------------------------------------------------------- */

static char *join_params(const cr_setting *s, const char *between)
{
    size_t room = 1;
    char *text, *at;

    for (size_t i = 0; i < s->param_count; i++)
        room += strlen(s->params[i]) + strlen(between);
    at = text = reserve(room, 1);
    for (size_t i = 0; i < s->param_count; i++)
        at = stpcpy(i > 0 ? stpcpy(at, between) : at, s->params[i]);
    return text;
}

/* "Best: -p alpha=0.1 -p event=bernoulli", for the next command. */
static void report_best(const cr_tuning *tuning)
{
    cr_setting s;
    char *text;

    if (cr_tuning_setting(tuning, 0, &s) != CR_OK)
        return;
    if (s.param_count == 0) {
        note("no knob is turned: -p KNOB=A,B,C or -p KNOB=LOW..HIGH tries several values");
        return;
    }
    text = join_params(&s, " -p ");
    out_line("\nBest: -p %s", text);
    free(text);
}

/* "accuracy 96 % (91 % to 100 %), log loss 0.1": the knobs are chosen again without each fold. */
static void report_honest(const cr_setting *s, const cr_metric *by)
{
    const cr_metric *main = cr_metric_find(s->numbers, s->numbers ? "rmse" : "accuracy"), *m;
    char low[NUMBER_ROOM], high[NUMBER_ROOM], mean[NUMBER_ROOM];

    fputs("\nChosen anew without each fold:", stdout);
    for (size_t k = 0; (m = cr_metric_get(s->numbers, k)) != NULL; k++) {
        const cr_spread *x = &s->spread[k];

        if (m == main)
            printf(" %s %s (%s to %s)", m->title, cr_show_number(mean, m->show, x->mean),
                   cr_show_number(low, m->show, fmax(x->low, m->least)),
                   cr_show_number(high, m->show, fmin(x->high, m->most)));
        else if (m == by)
            printf(", %s %s", m->title, cr_show_number(mean, m->show, x->mean));
    }
    putchar('\n');
}

static void report_table(const request *r, const cr_tuning *tuning, const char *learner,
                         double seconds)
{
    char from[256], time[NUMBER_ROOM];
    cr_sheet *sheet = NULL;
    const cr_status status = cr_tuning_sheet(&sheet, tuning, NULL);
    const size_t count = cr_sheet_rows(sheet_made(status, sheet));
    cr_setting s;

    out_line("%s on %s: %zu setting%s in %s\n", learner, data_name(r, 0, from, sizeof from), count,
             plural(count), number_seconds(time, seconds));
    sheet_print(sheet, SETTINGS_SHOWN, 0, true);
    if (count > SETTINGS_SHOWN)
        out_line("... and %zu more (--csv lists them all)", count - SETTINGS_SHOWN);
    report_best(tuning);
    if (cr_tuning_honest(tuning, &s) == CR_OK)
        report_honest(&s, cr_tuning_by(tuning));
}

static void report(const request *r, const cr_tuning *tuning, const char *learner, double seconds)
{
    cr_sheet *s = NULL;
    cr_output *out;

    if (r->json) {
        out = output_to(stdout);
        cr_tuning_json(tuning, learner, seconds, out);
        output_end(out);
    } else if (r->csv) {
        const cr_status status = cr_tuning_sheet(&s, tuning, NULL);

        sheet_csv(sheet_made(status, s));
    } else if (!out_is_quiet() || option_text(r, "output") == NULL) { /* the table is the result */
        report_table(r, tuning, learner, seconds);
    }
}

/* --- the verb ----------------------------------------------------------------------------- */

/* Train the winner on all rows. */
static int keep_winner(const request *r, cr_study *study, const char *learner,
                       const cr_tuning *tuning, const char *path)
{
    cr_model *model = NULL;
    cr_error err = {0};
    cr_setting s;
    cr_status status = cr_tuning_setting(tuning, 0, &s);
    int code;

    (void)r;
    if (status == CR_OK)
        status = cr_study_train(study, learner, s.params, s.param_count, &model, &err);
    code = status == CR_OK ? save_model(model, path) : complain(status, &err);
    cr_model_free(model);
    return code;
}

static int search(request *r, cr_source **source, cr_study *study, cr_tune_options *o)
{
    const char *path = option_text(r, "output");
    cr_spec *specs;
    cr_tuning *tuning = NULL;
    cr_error err = {0};
    cr_status status;
    progress watch;
    size_t count;
    double seconds;
    int code;

    read_candidates(&specs, &count, r);
    if (count > 1) {
        free_candidates(specs, count);
        return misuse("tune each by itself", "tune takes one learner");
    }
    progress_begin(&watch, "tuning", &r->run);
    o->progress = show_progress;
    o->context = &r->run;
    status = cr_tune(&tuning, study, specs[0].learner, (const char *const *)specs[0].params,
                     specs[0].param_count, o, &err);
    seconds = progress_end(&watch);
    if (status != CR_OK)
        code = fail_data(r, source, status, &err);
    else if (path == NULL ||
             (code = keep_winner(r, study, specs[0].learner, tuning, path)) == EXIT_DONE) {
        code = EXIT_DONE;
        if (path == NULL || strcmp(path, "-") != 0)
            report(r, tuning, specs[0].learner, seconds);
    }
    cr_tuning_free(tuning);
    free_candidates(specs, count);
    return code;
}

static int run(request *r)
{
    const char *path = option_text(r, "output");
    cr_tune_options o = {.by = option_text(r, "by"),
                         .nested = option_given(r, "nested"),
                         .steps = option_count(r, "steps", 0),
                         .seed = r->run.seed};
    cr_source *source = NULL;
    cr_study *study = NULL;
    cr_error err = {0};
    cr_status status;
    cr_rule_options rule;
    cr_deal deal;
    bool any;
    int code;

    if ((code = read_deal(&deal, r)) != EXIT_DONE ||
        (code = read_rule_options(&rule, &any, r)) != EXIT_DONE ||
        (code = read_budget(&o, option_text(r, "budget"))) != EXIT_DONE ||
        (path != NULL && (code = check_output(path, r, 0)) != EXIT_DONE) ||
        (code = open_data(&source, r, 0, NULL)) != EXIT_DONE)
        return code;
    o.rule = any ? &rule : NULL;
    status = cr_study_new(&study, source, &deal, &r->run, &err);
    code = status == CR_OK ? search(r, &source, study, &o) : complain(status, &err);
    cr_study_free(study);
    close_data(&source);
    return code;
}

static const char *const about[] = {
    "Tries settings of a learner's knobs on the same folds of DATA and shows which is best. The "
    "data are read once; settings that only turn knobs share the counts of the folds. A setting "
    "that trails the best clearly on a third of the folds is given up.",
    "-p gives the space: KEY=A,B,C are choices, KEY=LOW..HIGH is a range of five values (--steps), "
    "KEY=LOW..HIGH:log one whose values are evenly spaced in logarithms, KEY=LOW..HIGH:9 one of "
    "nine. Every combination is tried, or with --budget N only N random ones, drawn from "
    "continuous ranges. -o keeps the model of all rows with the best setting.",
    "The winner's figure is flattered by having been chosen. --nested gives an honest one: without "
    "each fold in turn the choice is made anew by the other folds alone.",
    "--json gives {keys tune}, each metric with mean, sd, low and high; for regressions the "
    "metrics are rmse, mae, r2 and log_density. --csv gives the table.",
    NULL,
};

static const option own[] = {
    {"model", 'm', OPTION_TEXT, "LEARNER", "What to tune. Default: nb."},
    {"param", 'p', OPTION_PAIR, "KEY=VALUES", "A knob and the values to try. May be repeated."},
    {"by", 0, OPTION_TEXT, "METRIC",
     "Metric that decides which setting is best; credence help metrics lists them. Default: "
     "log-loss; cost with --cost; log-density for regressions."},
    {"budget", 'b', OPTION_TEXT, "N|SECONDSs",
     "Try N random settings, or stop after this many seconds (30s). Default: all."},
    {"steps", 0, OPTION_COUNT, "N", "Values of a range. Default: 5."},
    {"nested", 0, OPTION_FLAG, NULL,
     "Estimate how good the winner is without the bias of the choice."},
    CALIBRATE_OPTION,
    {"output", 'o', OPTION_TEXT, "MODEL", "File for the best model, trained on all rows."},
    {0},
};
static const option_group own_group = {"Options", own};
static const option_group *const groups[] = {&own_group,    &deal_options,   &decide_options,
                                             &data_options, &column_options, &basis_options,
                                             NULL};

static const example examples[] = {
    {"credence tune iris.csv -p variance=feature,class-feature,class,shared",
     "How many variances are best on rows not seen?"},
    {"credence tune messages.csv --type text=text -k 3 -p alpha=0.01..1:log -p "
     "event=multinomial,complement",
     "Smoothing and event model of texts."},
    {"credence tune houses.csv -m linear -k 4 -p lambda=0.001..1:log --by rmse",
     "How strong a prior holds the weights of a linear regression?"},
    {0},
};

const verb verb_tune = {
    .name = "tune",
    .operands = "[DATA...]",
    .most = SIZE_MAX,
    .summary = "find the knobs that are best on rows not seen",
    .about = about,
    .options = groups,
    .examples = examples,
    .see_also = "cv compare train",
    .run = run,
};
