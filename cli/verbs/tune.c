/* cli/verbs/tune.c - credence tune: the knobs that are best on rows not seen. */
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "evaluate/numbers.h"
#include "out/json.h"
#include "out/progress.h"
#include "out/table.h"
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

static cr_tune_goal read_goal(const char *text)
{
    return text == NULL                    ? CR_TUNE_LOG_LOSS
           : strcmp(text, "accuracy") == 0 ? CR_TUNE_ACCURACY
           : strcmp(text, "macro-f1") == 0 ? CR_TUNE_MACRO_F1
           : strcmp(text, "rmse") == 0     ? CR_TUNE_RMSE
           : strcmp(text, "mae") == 0      ? CR_TUNE_MAE
                                           : CR_TUNE_LOG_LOSS;
}

/* Settings done, in place of bytes read. */
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

/* What a table has of the figures: all for programs, for people what fits beside the knobs. */
typedef enum width { ALL_FIGURES, FEW_FIGURES, FEW_AND_F1 } width;

static void add_figures(table *t, const cr_setting *s, width w)
{
    if (s->numbers) {
        table_spread(t, number_plain, &s->rmse, 0, INFINITY);
        table_number(t, number_plain, s->mae.mean);
        table_number(t, number_plain, s->r2.mean);
        table_number(t, number_plain, s->log_density.mean);
    } else {
        table_spread(t, number_percent, &s->accuracy, 0, 1);
        if (w == ALL_FIGURES)
            table_spread(t, number_plain, &s->log_loss, 0, INFINITY);
        else
            table_number(t, number_plain, s->log_loss.mean);
        if (w != FEW_FIGURES)
            table_number(t, number_plain, s->macro_f1.mean);
    }
    table_number(t, number_plain, (double)s->folds);
}

static void name_figures(table *t, const cr_setting *s, width w)
{
    static const char *const numbers[] = {"rmse|rmse_low|rmse_high|mae|r2|log_density|folds",
                                          "RMSE|low|high|MAE|R²|log density|folds",
                                          "RMSE|low|high|MAE|R²|log density|folds"};
    static const char *const classes[] = {("accuracy|accuracy_low|accuracy_high|log_loss|"
                                           "log_loss_low|log_loss_high|macro_f1|folds"),
                                          "accuracy|low|high|log loss|folds",
                                          "accuracy|low|high|log loss|macro F1|folds"};
    char *copy = reserve_text(s->numbers ? numbers[w] : classes[w]);

    for (char *name = strtok(copy, "|"); name != NULL; name = strtok(NULL, "|"))
        table_column(t, name, TABLE_RIGHT);
    free(copy);
}

/* For programs: a setting in one cell. */
static table *settings_csv(const cr_tuning *tuning)
{
    table *t = table_new();
    cr_setting s = {0};

    cr_tuning_setting(tuning, 0, &s);
    table_column(t, "setting", TABLE_LEFT);
    name_figures(t, &s, ALL_FIGURES);
    for (size_t i = 0; cr_tuning_setting(tuning, i, &s) == CR_OK; i++) {
        char *text = join_params(&s, " ");

        table_text(t, text);
        add_figures(t, &s, ALL_FIGURES);
        free(text);
    }
    return t;
}

/* Where the value begins in KNOB=VALUE. */
static size_t value_at(const char *param)
{
    return strcspn(param, "=") + (strchr(param, '=') != NULL);
}

/* Do not all settings have the same for knob k? */
static bool varies(const cr_tuning *tuning, size_t k)
{
    cr_setting first, s;

    cr_tuning_setting(tuning, 0, &first);
    for (size_t i = 1; cr_tuning_setting(tuning, i, &s) == CR_OK; i++)
        if (k >= s.param_count || strcmp(s.params[k], first.params[k]) != 0)
            return true;
    return false;
}

/* For people: a column for each knob that is turned. */
static table *settings_table(const cr_tuning *tuning, size_t limit, width w)
{
    table *t = table_new();
    cr_setting s = {0};
    bool *turned;
    size_t knobs;

    cr_tuning_setting(tuning, 0, &s);
    knobs = s.param_count;
    turned = reserve(knobs + 1, sizeof *turned);
    for (size_t k = 0; k < knobs; k++) {
        char *name = reserve_text(s.params[k]);

        name[strcspn(name, "=")] = '\0';
        if ((turned[k] = varies(tuning, k)))
            table_column(t, name, TABLE_WHOLE);
        free(name);
    }
    name_figures(t, &s, w);
    for (size_t i = 0; i < limit && cr_tuning_setting(tuning, i, &s) == CR_OK; i++) {
        for (size_t k = 0; k < knobs; k++)
            if (turned[k])
                table_text(t, k < s.param_count ? s.params[k] + value_at(s.params[k]) : "");
        add_figures(t, &s, w);
    }
    free(turned);
    return t;
}

static void setting_json(json *j, const cr_setting *s)
{
    if (s->numbers) {
        spread_json(j, "rmse", &s->rmse);
        spread_json(j, "mae", &s->mae);
        spread_json(j, "r2", &s->r2);
        spread_json(j, "log_density", &s->log_density);
    } else {
        spread_json(j, "accuracy", &s->accuracy);
        spread_json(j, "log_loss", &s->log_loss);
        spread_json(j, "macro_f1", &s->macro_f1);
    }
}

static void report_json(const cr_tuning *tuning, const char *learner, double seconds)
{
    cr_setting s;
    json j;

    json_start(&j, stdout);
    json_object(&j, NULL, JSON_BLOCK);
    json_text(&j, "learner", learner);
    json_number(&j, "seconds", seconds);
    if (cr_tuning_honest(tuning, &s) == CR_OK) {
        json_object(&j, "nested", JSON_BLOCK);
        setting_json(&j, &s);
        json_end(&j);
    }
    json_array(&j, "settings", JSON_BLOCK);
    for (size_t i = 0; cr_tuning_setting(tuning, i, &s) == CR_OK; i++) {
        json_object(&j, NULL, JSON_BLOCK);
        json_array(&j, "params", JSON_LINE);
        for (size_t p = 0; p < s.param_count; p++)
            json_text(&j, NULL, s.params[p]);
        json_end(&j);
        json_bool(&j, "abandoned", s.abandoned);
        json_number(&j, "folds", (double)s.folds);
        setting_json(&j, &s);
        json_end(&j);
    }
    json_end(&j);
    json_end(&j);
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

static void report_table(const request *r, const cr_tuning *tuning, const char *learner,
                         double seconds)
{
    char from[256], time[NUMBER_ROOM], low[NUMBER_ROOM], high[NUMBER_ROOM], mean[NUMBER_ROOM];
    const bool f1 = read_goal(option_text(r, "by")) == CR_TUNE_MACRO_F1;
    table *t = settings_table(tuning, SETTINGS_SHOWN, f1 ? FEW_AND_F1 : FEW_FIGURES);
    size_t count = 0;
    cr_setting s;

    while (cr_tuning_setting(tuning, count, &s) == CR_OK)
        count++;
    out_line("%s on %s: %zu setting%s in %s\n", learner, data_name(r, 0, from, sizeof from), count,
             plural(count), number_seconds(time, seconds));
    table_print(t, 0, true);
    if (count > SETTINGS_SHOWN)
        out_line("... and %zu more (--csv lists them all)", count - SETTINGS_SHOWN);
    table_free(t);
    report_best(tuning);
    if (cr_tuning_honest(tuning, &s) != CR_OK)
        return;
    if (s.numbers)
        out_line("\nChosen anew without each fold: RMSE %s (%s to %s), log density %s",
                 number_plain(mean, s.rmse.mean), number_plain(low, fmax(0, s.rmse.low)),
                 number_plain(high, s.rmse.high), number_plain(time, s.log_density.mean));
    else
        out_line(
            "\nChosen anew without each fold: accuracy %s (%s to %s), log loss %s",
            number_percent(mean, s.accuracy.mean), number_percent(low, fmax(0, s.accuracy.low)),
            number_percent(high, fmin(1, s.accuracy.high)), number_plain(time, s.log_loss.mean));
}

static void report(const request *r, const cr_tuning *tuning, const char *learner, double seconds)
{
    table *t;

    if (r->json) {
        report_json(tuning, learner, seconds);
    } else if (r->csv) {
        t = settings_csv(tuning);
        table_csv(t);
        table_free(t);
    } else if (!out_is_quiet()) {
        report_table(r, tuning, learner, seconds);
    }
}

/* --- the verb ----------------------------------------------------------------------------- */

/* The model of all rows with the winner. */
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
    cr_tune_options o = {.goal = read_goal(option_text(r, "by")),
                         .nested = option_given(r, "nested"),
                         .steps = option_count(r, "steps", 0),
                         .seed = r->run.seed};
    cr_source *source = NULL;
    cr_study *study = NULL;
    cr_error err = {0};
    cr_status status;
    cr_deal deal;
    int code;

    if ((code = read_deal(&deal, r)) != EXIT_DONE ||
        (code = read_budget(&o, option_text(r, "budget"))) != EXIT_DONE ||
        (path != NULL && (code = check_output(path, r, 0)) != EXIT_DONE) ||
        (code = open_data(&source, r, 0, NULL)) != EXIT_DONE)
        return code;
    status = cr_study_new(&study, source, &deal, &r->run, &err);
    code = status == CR_OK ? search(r, &source, study, &o) : complain(status, &err);
    cr_study_free(study);
    close_data(&source);
    return code;
}

static const char *const about[] = {
    "Tries settings of a learner's knobs on the same folds of DATA and tells which is best. The "
    "data are read once; settings that only turn knobs share the counts of the folds. A setting "
    "that trails the best clearly on a third of the folds is given up.",
    "-p gives the space: KEY=A,B,C are choices, KEY=LOW..HIGH is a range of five values (--steps), "
    "KEY=LOW..HIGH:log one whose values are evenly spaced in logarithms, KEY=LOW..HIGH:9 one of "
    "nine. Every combination is tried, or with --budget N so many drawn by chance, ranges then "
    "being continuous. -o keeps the model of all rows with the best setting.",
    "The winner's figure is flattered by having been chosen. --nested gives an honest one: without "
    "each fold in turn the choice is made anew by the other folds alone.",
    "--json gives learner, seconds, nested{} and settings[], the best first, each with params[], "
    "abandoned, folds, and mean, sd, low and high of accuracy, log_loss and macro_f1, or of "
    "numbers rmse, mae, r2 and log_density. --csv gives the table.",
    NULL,
};

static const option own[] = {
    {"model", 'm', OPTION_TEXT, "LEARNER", "What to tune. Default: nb."},
    {"param", 'p', OPTION_PAIR, "KEY=VALUES", "A knob and what it may be. As often as you like."},
    {"by", 0, OPTION_CHOICE, "log-loss|accuracy|macro-f1|log-density|rmse|mae",
     "What makes a setting good, the last three for numbers. Default: log-loss, which of numbers "
     "is log-density."},
    {"budget", 'b', OPTION_TEXT, "N|SECONDSs",
     "Try N settings drawn by chance, or stop after so many seconds (30s). Default: all."},
    {"steps", 0, OPTION_COUNT, "N", "Values of a range. Default: 5."},
    {"nested", 0, OPTION_FLAG, NULL, "Estimate honestly how good the winner is."},
    {"output", 'o', OPTION_TEXT, "MODEL", "File to keep the best model in, of all rows."},
    {0},
};
static const option_group own_group = {"Options", own};
static const option_group *const groups[] = {&own_group, &deal_options, &data_options,
                                             &column_options, NULL};

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
