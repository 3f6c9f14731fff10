/* cli/verbs/train.c - credence train: learn a model from data. */
#include <stdlib.h>
#include <string.h>

#include "evaluate/calibrate.h"
#include "evaluate/study.h"
#include "options/split.h"
#include "show/describe.h"
#include "show/linear.h"
#include "out/json.h"
#include "out/progress.h"
#include "out/table.h"
#include "out/text.h"
#include "session/reserve.h"
#include "session/session.h"
#include "session/team.h"
#include "show/tried.h"
#include "show/weights.h"
#include "store/store.h"
#include "verbs/verbs.h"

enum { CLASSES_SHOWN = 20, COLUMNS_SHOWN = 40 };

#define RATE_AFTER 0.1 /* seconds: rates of shorter runs mean nothing */

typedef struct training {
    const cr_model *model;
    const char *path;  /* NULL: not kept */
    const char *store; /* NULL: no store is made */
    const char *start; /* the model whose weights were the start, or NULL */
    cr_tally tally;
    double seconds;
    const cr_calibration_report *calibration; /* NULL: not calibrated */
} training;

/* --- what was learned --------------------------------------------------------------------- */

static bool is_feature(const cr_schema *schema, size_t column)
{
    return cr_schema_role(schema, column) == CR_ROLE_FEATURE &&
           cr_schema_kind(schema, column) != CR_IGNORE;
}

static bool has_numbers(const cr_model *model)
{
    double mean, deviation;

    for (size_t i = 0; i < cr_schema_columns(cr_model_schema(model)); i++)
        if (cr_model_moments(model, i, &mean, &deviation) == CR_OK)
            return true;
    return false;
}

static void add_numbers(table *t, const cr_model *model, size_t column)
{
    double mean, deviation;

    if (cr_model_moments(model, column, &mean, &deviation) == CR_OK) {
        table_number(t, number_plain, mean);
        table_number(t, number_plain, deviation);
    } else {
        table_text(t, "");
        table_text(t, "");
    }
}

static void add_column(table *t, const cr_model *model, size_t column, bool numbers)
{
    const cr_schema *schema = cr_model_schema(model);
    bool target = cr_schema_role(schema, column) == CR_ROLE_TARGET;
    const char *why = cr_why_text(cr_schema_why(schema, column));
    char values[256], count[32] = "";

    if (target || cr_model_has_values(model, column) || cr_schema_kind(schema, column) == CR_BAG)
        snprintf(count, sizeof count, "%zu", describe_count(model, column));
    table_text(t, cr_schema_name(schema, column));
    table_text(t, describe_kind(model, column));
    if (is_feature(schema, column))
        table_number(t, number_plain, describe_missing(model, column));
    else
        table_text(t, "");
    if (numbers)
        add_numbers(t, model, column);
    table_both(t, describe_values(model, column, values, sizeof values), count);
    table_both(t, target ? "the target" : why, why);
}

static table *columns_table(const cr_model *model, size_t limit, bool numbers)
{
    table *t = table_new();

    table_column(t, "column", TABLE_WHOLE);
    table_column(t, "kind", TABLE_WHOLE);
    table_column(t, "missing", TABLE_RIGHT);
    if (numbers) {
        table_column(t, "mean", TABLE_RIGHT);
        table_column(t, "sd", TABLE_RIGHT);
    }
    table_column(t, "values", TABLE_LEFT);
    table_column(t, "why", TABLE_LEFT);
    for (size_t i = 0; i < cr_schema_columns(cr_model_schema(model)) && i < limit; i++)
        add_column(t, model, i, numbers);
    return t;
}

static void report_table(const request *r, const training *l)
{
    const cr_schema *schema = cr_model_schema(l->model);
    size_t count = cr_schema_columns(schema);
    table *columns = columns_table(l->model, COLUMNS_SHOWN, has_numbers(l->model));
    cr_model_facts facts;
    char from[256], time[NUMBER_ROOM], number[NUMBER_ROOM], rate[NUMBER_ROOM + 16] = "", knobs[512];

    if (l->seconds >= RATE_AFTER)
        snprintf(rate, sizeof rate, " (%s rows/s)",
                 number_short(number, (double)l->tally.rows / l->seconds));
    out_line("Learned %llu row%s of %s in %s%s", (unsigned long long)l->tally.rows,
             plural(l->tally.rows), data_name(r, 0, from, sizeof from),
             number_seconds(time, l->seconds), rate);
    out_line("Learner: %s", cr_model_title(l->model));
    out_line("Knobs: %s", cr_show_knobs(knobs, sizeof knobs, l->model));
    describe_fit(l->model, knobs, sizeof knobs);
    if (knobs[0] != '\0')
        out_line("Fit: %s", knobs);
    if (l->start != NULL)
        out_line("Start: the weights of %s", l->start);
    if (l->calibration != NULL && l->calibration->why != NULL)
        out_line("Calibration: none, as %s%s", l->calibration->why,
                 r->run.team != NULL || option_given(r, "part") ? "; --calibrate auto does it"
                                                                : "");
    if (strcmp(cr_model_impute(l->model), "none") != 0)
        out_line("Missing values: %s", cr_model_impute(l->model));
    linear_report(l->model);
    if (was_chosen(l->model)) {
        putchar('\n');
        tried_print(l->model);
    }
    cr_model_get_facts(l->model, &facts);
    if (facts.cells > 0)
        out_line("Cells: %s", describe_cells(&facts, knobs, sizeof knobs));
    putchar('\n');
    table_print(columns, 0, true);
    if (count > COLUMNS_SHOWN)
        out_line("... and %zu more column%s (--csv lists them all)", count - COLUMNS_SHOWN,
                 plural(count - COLUMNS_SHOWN));
    if (cr_model_has_classes(l->model)) {
        putchar('\n');
        describe_classes(l->model, CLASSES_SHOWN);
    }
    if (l->calibration != NULL && l->calibration->why == NULL) {
        putchar('\n');
        calibration_report(r, l->calibration, l->path);
    }
    table_free(columns);
}

static void report(const request *r, const training *l)
{
    table *columns;

    if (l->path != NULL && strcmp(l->path, "-") == 0)
        return; /* the model goes to standard output */
    if (r->json) {
        cr_output *out = output_kept();

        output_print(out,
                     cr_training_json(l->model,
                                      &(cr_training_report){.name = l->path,
                                                            .start = l->start,
                                                            .tally = l->tally,
                                                            .seconds = l->seconds,
                                                            .calibration = l->calibration},
                                      out),
                     NULL);
    } else if (r->csv) {
        columns = columns_table(l->model, SIZE_MAX, true);
        table_csv(columns);
        table_free(columns);
    } else if (!out_is_quiet()) {
        report_table(r, l);
    }
}

static void report_notes(const training *l)
{
    const cr_schema *schema = cr_model_schema(l->model);
    char number[NUMBER_ROOM];
    cr_model_facts facts;

    if (cr_model_classes(l->model) == 1 && cr_model_has_classes(l->model))
        note("there is one class only: '%s' is '%s' in every row; -t names the column to learn",
             cr_schema_name(schema, cr_model_target(l->model)), cr_model_class(l->model, 0));
    if (l->tally.pruned_words != 0)
        note("%llu rare words were dropped to keep within the memory limit, none seen more than "
             "%llu "
             "times, %llu occurrences in all; --memory raises it",
             (unsigned long long)l->tally.pruned_words, (unsigned long long)l->tally.pruned_most,
             (unsigned long long)l->tally.pruned_occurrences);
    if (l->tally.unlabelled != 0)
        note("%llu row%s without %s left out", (unsigned long long)l->tally.unlabelled,
             plural(l->tally.unlabelled),
             cr_model_is_regression(l->model) ? "the target" : "a class");
    cr_model_get_facts(l->model, &facts);
    if (facts.incomplete > 0)
        note("%s row%s that lack%s a value left out of the table",
             number_plain(number, facts.incomplete), facts.incomplete == 1 ? "" : "s",
             facts.incomplete == 1 ? "s" : "");
    linear_notes(l->model);
    note_remarks(l->model);
    if (l->path == NULL && l->store == NULL)
        note("the model is not kept; name a file with -o MODEL");
}

/* --- multimodal numbers ------------------------------------------------------------------- */

enum { ROWS_LOOKED_AT = 20000, COLUMNS_LOOKED_AT = 50, HUMPS_NAMED = 3 };

/* Whether one Gaussian describes the numbers of a class. */
static bool has_gaussians(const cr_model *model)
{
    cr_knob knob;

    if (strcmp(cr_model_learner(model), "nb") != 0)
        return false;
    for (size_t i = 0; cr_model_knob(model, i, &knob) == CR_OK; i++)
        if (strcmp(knob.name, "real") == 0)
            return strcmp(knob.value, "gaussian") == 0;
    return false;
}

/* Rows in files can be read again, a pipe cannot. */
static bool can_read_again(const request *r)
{
    for (size_t i = 0; i < r->operand_count; i++)
        if (strcmp(r->operands[i], "-") == 0 || strncmp(r->operands[i], "/dev/", 5) == 0)
            return false;
    return r->operand_count > 0;
}

static size_t real_columns(const cr_schema *schema, size_t *column)
{
    size_t count = 0;

    for (size_t i = 0; i < cr_schema_columns(schema); i++)
        if (cr_schema_kind(schema, i) == CR_REAL && cr_schema_role(schema, i) == CR_ROLE_FEATURE &&
            count++ < COLUMNS_LOOKED_AT)
            column[count - 1] = i;
    return count;
}

static void name_humps(const cr_model *model, const cr_values *v, const size_t *column)
{
    size_t named = 0;
    cr_humps h;
    int found;

    for (size_t i = 0; i < v->columns && named < HUMPS_NAMED; i++) {
        if (cr_values_humps(v, i, model, column[i], &h, &found, NULL) != CR_OK || !found)
            continue;
        note("'%s' lies in two humps where the class is '%s', around %.4g and %.4g, and one "
             "Gaussian covers them badly: alone it tells the class of %.0f %% of the rows where "
             "two would tell %.0f %%%s",
             cr_schema_name(cr_model_schema(model), column[i]),
             cr_model_class(model, h.class_index), h.low, h.high, 100 * h.right_with_one,
             100 * h.right_with_two,
             named == 0 ? "; -p real=kde or -p real=bins:mdl takes numbers as they lie" : "");
        named++;
    }
}

/* Read the rows of a small table again: moments cannot tell one mode from two. */
static void note_humps(request *r, const cr_model *model)
{
    size_t column[COLUMNS_LOOKED_AT];
    const size_t count = real_columns(cr_model_schema(model), column);
    cr_source *source = NULL;
    cr_values v = {0};
    cr_model_facts facts;

    if (!has_gaussians(model) || !cr_model_has_classes(model) || out_is_quiet() ||
        !can_read_again(r) || r->run.team != NULL || count == 0 || count > COLUMNS_LOOKED_AT ||
        cr_model_get_facts(model, &facts) != CR_OK || facts.rows > ROWS_LOOKED_AT)
        return;
    if (open_data(&source, r, 0, model) == EXIT_DONE &&
        cr_values_read(&v, model, source, column, count, NULL, NULL) == CR_OK)
        name_humps(model, &v, column);
    cr_values_free(&v);
    cr_source_close(source);
}

/* --- the verb ----------------------------------------------------------------------------- */

/* --impute HOW is the parameter impute=HOW, which every learner has. */
static const char **add_impute(const request *r, const char **params, size_t *count, char *text,
                               size_t size)
{
    const char *how = option_text(r, "impute");
    const char **more;

    if (how == NULL)
        return params;
    more = reserve(*count + 1, sizeof *more);
    for (size_t i = 0; i < *count; i++)
        more[i] = params[i];
    snprintf(text, size, "impute=%s", how);
    more[(*count)++] = text;
    free(params);
    return more;
}

/* Append a parameter. */
static const char **add_setting(const char **params, size_t *count, const char *text)
{
    params = reserve_more(params, *count + 1, sizeof *params);
    params[(*count)++] = text;
    return params;
}

static bool is_naive_bayes(const request *r)
{
    return !option_given(r, "model") || strcmp(option_text(r, "model"), "nb") == 0;
}

/* Add KNOB=VALUE unless the knob is given. */
static const char **add_usual(const char **params, size_t *count, const char *usual)
{
    const size_t knob = strcspn(usual, "=") + 1;

    for (size_t i = 0; i < *count; i++)
        if (strncmp(params[i], usual, knob) == 0)
            return params;
    return add_setting(params, count, usual);
}

/* A lesson of a store should cost the same however much was learned. What is given, or a preset,
 * overrules these. */
static const char **choose_live(const request *r, bool chosen, const char **params, size_t *count)
{
    static const char *const textbook[] = {"real=gaussian", "text-alpha=same"};
    const size_t n = sizeof textbook / sizeof *textbook;

    if (chosen)
        return add_usual(params, count, "among=live");
    if (!is_naive_bayes(r))
        return params;
    params = reserve_more(params, *count + n, sizeof *params);
    memmove(params + n, params, *count * sizeof *params);
    memcpy(params, textbook, sizeof textbook);
    *count += n;
    return params;
}

static bool chooses(const request *r)
{
    const char *learner = option_text(r, "model");

    if (learner == NULL)
        return !option_given(r, "impute") && !option_given(r, "start") &&
               strcmp(usual_learner(r), "auto") == 0;
    return strcmp(learner, "auto") == 0;
}

/* The model of --start, if there is one. */
static int open_start(cr_model **out, const char *path)
{
    cr_error err = {0};
    cr_status status = path == NULL ? CR_OK : cr_model_load(out, path, 0, &err);

    return status == CR_OK ? EXIT_DONE : complain(status, &err);
}

/* Check before a long pass whether a store can be created. */
static int check_store(const request *r, const char *where, cr_store_options *settings)
{
    const int code = store_settings(r, settings);

    if (code == EXIT_DONE && where == NULL &&
        (settings->period != CR_STORE_PERIOD_NONE || settings->calibrate != NULL))
        return misuse("--store DIR", "--period, --keep and --live-calibration need a store");
    if (code == EXIT_DONE && where != NULL && strncmp(where, "postgres", 8) != 0 &&
        cr_store_is(where))
        return misuse("credence learn STORE DATA teaches it more", "%s is already a store", where);
    return code;
}

static int make_store(const cr_model *model, const char *where, const cr_store_options *settings)
{
    cr_error err = {0};
    const cr_status status = cr_store_create(where, model, settings, &err);

    return status == CR_OK ? EXIT_DONE : complain(status, &err);
}

static int run(request *r)
{
    char impute[40], budget[60];
    training l = {.path = option_text(r, "output"),
                  .store = option_text(r, "store"),
                  .start = option_text(r, "start")};
    const char *method = option_text(r, "calibrate"); /* NULL: the default */
    const bool bare = method != NULL ? strcmp(method, "none") == 0 : l.start != NULL;
    const bool chosen = chooses(r);
    /* auto that was not named gives way to naive Bayes where it cannot learn the data */
    const char *learner = option_given(r, "model") ? option_text(r, "model") : chosen ? NULL : "nb";
    cr_calibration_report calibration;
    cr_store_options settings;
    const char **params = NULL;
    cr_source *source = NULL;
    cr_split *split = NULL;
    cr_model *model = NULL, *start = NULL;
    cr_error err = {0};
    cr_status status;
    progress watch;
    size_t count;
    int code;

    if (option_given(r, "budget") && !chosen)
        return misuse("-m auto", "--budget is for a choice among learners");
    if (l.start != NULL && !bare)
        return misuse("credence calibrate calibrates a model that is there",
                      "--start goes without --calibrate, whose models see other rows");
    if ((code = check_store(r, l.store, &settings)) != EXIT_DONE ||
        (l.path != NULL && (code = check_output(l.path, r, 0)) != EXIT_DONE))
        return code;
    if ((code = open_start(&start, l.start)) != EXIT_DONE ||
        (code = open_data(&source, r, 0, NULL)) != EXIT_DONE) {
        cr_model_free(start);
        return code;
    }
    if ((code = keep_side(&split, source, r, 0, NULL, CR_SIDE_TRAIN)) != EXIT_DONE)
        goto done;
    params = add_impute(r, option_pairs(r, "param", &count), &count, impute, sizeof impute);
    if (l.store != NULL)
        params = choose_live(r, chosen, params, &count);
    if (option_given(r, "budget")) {
        snprintf(budget, sizeof budget, "budget=%s", option_text(r, "budget"));
        params = add_setting(params, &count, budget);
    }
    team_first_only(!chosen && (bare || method == NULL));
    progress_begin(&watch, "learning", &r->run);
    if (chosen)
        progress_heed(&watch, &r->run);
    status = start != NULL ? cr_model_train_from(&model, source, option_text(r, "model"), params,
                                                 count, start, &r->run, &l.tally, &err)
                           : cr_model_train_default(&model, source, learner, params, count, method,
                                                    &r->run, &l.tally, &calibration, &err);
    l.seconds = progress_end(&watch);
    if (status != CR_OK) {
        code = fail_data(r, &source, status, &err);
        goto done;
    }
    if (model == NULL)
        goto done; /* the first process of the job has the model */
    l.model = model;
    l.calibration = bare || chosen || cr_model_is_regression(model) || !cr_model_has_classes(model)
                        ? NULL
                        : &calibration;
    if (l.path != NULL && (code = save_model(model, l.path)) != EXIT_DONE)
        goto done;
    if (l.store != NULL && (code = make_store(model, l.store, &settings)) != EXIT_DONE)
        goto done;
    report(r, &l);
    report_notes(&l);
    if (watch.stopped)
        note("stopped: the best so far is taken");
    if (!chosen)
        note_humps(r, model);
    code = note_fit(model, option_given(r, "strict"));
done:
    free(params);
    cr_model_free(model);
    cr_model_free(start);
    close_data(&source);
    cr_split_free(split);
    return code;
}

static const char *const about[] = {
    "Reads tables, learns, and keeps what was learned as a model. DATA is one or more files, or "
    "standard input. The last column is what the model will predict, unless -t names another.",
    "Without -m, learners and the knobs that matter are compared on rows they have not seen, "
    "within a time budget; the best, or a blend of several, learns all rows and is calibrated. "
    "What was tried is shown and kept in the model: * marks the one chosen, + a member of a blend. "
    "-p among=exact tries only learners that learn, unlearn and merge exactly, -p among=live those "
    "of them that learn a row at the same cost however many there were, as --store does unasked, "
    "-p among=nb,aode only these, -p blend=no takes one learner; Ctrl-C ends the trials and takes "
    "the best so far. -m nb is naive Bayes alone: it reads the data once and counts.",
    "The kind of each column is found by looking at the values: real for numbers, symbol for "
    "words and for 0/1, text for sentences. What was found is shown with the reason; --type "
    "COLUMN=KIND overrides it. Missing values are left out of the counts, one by one; rows "
    "without a class are skipped.",
    "The statistics are exact: the model is the same, byte for byte, for any number of threads. "
    "Knobs given with -p can be turned again later with credence "
    "refit, without the data.",
    "--json gives one object: model, learner, start (with --start), rows, unlabelled, passes, "
    "seconds, "
    "rows_per_second, fingerprint, target, classes[] (name, count, prior), columns[] (name, kind, "
    "why, missing, mean, sd), knobs{}; where it was calibrated calibration, calibration_rows, "
    "temperature, log_loss_before, log_loss_after, calibration_why; of a regression fit{} as in "
    "credence show; from several processes also sent_bytes and adding_seconds. --csv gives the "
    "table of columns.",
    NULL,
};

static const option own[] = {
    {"output", 'o', OPTION_TEXT, "MODEL",
     "File for the model, written all or nothing. Default: the model is only shown."},
    {"store", 0, OPTION_TEXT, "DIR",
     "Keep the model as a live store, which learns row by row: credence help store."},
    STORE_OPTIONS,
    {"model", 'm', OPTION_TEXT, "LEARNER",
     "Learner. Default: auto, the one that is best on unseen rows; with -p alone, nb, naive "
     "Bayes."},
    {"budget", 0, OPTION_TEXT, "SECONDS",
     "With -m auto: time to spend on comparing candidates, in seconds of one core. Default: 4 to "
     "40, depending on the data."},
    {"impute", 'i', OPTION_CHOICE, "mean|median|mode|model|drop",
     "Fill in missing values, also when predicting; drop: do not learn rows that lack something. "
     "Default: as the learner does."},
    {"param", 'p', OPTION_PAIR, "KEY=VALUE",
     "Turn a knob of the learner: credence help knobs lists them. May be repeated."},
    {"calibrate", 0, OPTION_CHOICE, "auto|none|temperature|confidence|platt|isotonic|beta",
     "Calibrate the probabilities on the answers of a ten-fold cross-validation; none leaves "
     "them as the learner has them. Default: the best method, on some thousands of the rows, "
     "from 100 rows on."},
    {"start", 0, OPTION_TEXT, "MODEL",
     "Begin the search for weights (logistic) at those of a model with the same columns: the "
     "result is the same, but found sooner if the model is close to it."},
    {"checkpoint", 0, OPTION_TEXT, "FOLDER",
     "Keep the counts of each part of DATA in a folder, so that an interrupted run can be resumed. "
     "Remove the folder once the model is written."},
    {"strict", 0, OPTION_FLAG, NULL,
     "Exit with status 1 when a search for weights has not converged. Default: a note."},
    {0},
};
static const option_group own_group = {"Options", own};
static const option_group *const groups[] = {&own_group,     &split_options, &column_options,
                                             &basis_options, &data_options,  NULL};

static const example examples[] = {
    {"credence train -o iris.model iris.csv", "Learn the last column from all the others."},
    {"credence train -t evade -o tax.model tax.csv", "Name the column to learn."},
    {"credence train --type name=ignore -p smoothing=none -o animals.model animals.csv",
     "Without looking at the names, and with plain fractions, as on a blackboard."},
    {"credence train -m nb --type text=text -o sports.model sports.csv",
     "A column of texts, word by word."},
    {"tail -n +2 tax.csv | credence train -m nb -n --columns refund,marital,income,evade -o "
     "tax.model",
     "From a pipe, without a line of names."},
    {0},
};

const verb verb_train = {
    .name = "train",
    .operands = "[DATA...]",
    .most = SIZE_MAX,
    .summary = "learn a model from data",
    .about = about,
    .options = groups,
    .examples = examples,
    .see_also = "predict test show refit",
    .run = run,
};
