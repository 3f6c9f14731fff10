/* cli/verbs/report.c - credence report: one page about a model and labelled data. */
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "evaluate/study.h"
#include "options/split.h"
#include "show/linear.h"
#include "out/out.h"
#include "out/file.h"
#include "out/json.h"
#include "out/progress.h"
#include "session/session.h"
#include "verbs/verbs.h"

enum { MISTAKES_SHOWN = 8, MOST_MISTAKES = 1000 };

/* Standard input cannot be read again, so parts that need a second pass are left out. */
static bool can_read_again(const request *r, size_t first)
{
    for (size_t i = first; i < r->operand_count; i++)
        if (strcmp(r->operands[i], "-") == 0 || access(r->operands[i], R_OK) != 0)
            return false;
    if (r->operand_count <= first)
        note("standard input can be read only once: no reasons, histograms and drift");
    return r->operand_count > first;
}

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

/* The subject of the page: a model and data, or data of which some rows are learned. */
typedef struct subject {
    cr_model *model;
    cr_source *source;
    cr_split *split;
    size_t first;     /* operand of DATA */
    const char *name; /* of the model */
} subject;

static void close_subject(subject *s)
{
    close_data(&s->source);
    cr_split_free(s->split);
    cr_model_free(s->model);
}

/* Learn the rows that are not held out, and continue with the held-out ones. */
static int learn_part(subject *s, request *r)
{
    const char *learner = option_given(r, "model") ? option_text(r, "model") : usual_learner(r);
    const char **params;
    cr_error err = {0};
    cr_status status;
    progress watch;
    size_t count;
    int code = make_split(&s->split, r, 0, NULL);

    if (code != EXIT_DONE || (code = open_data(&s->source, r, 0, NULL)) != EXIT_DONE)
        return code;
    s->name = learner;
    cr_source_keep(s->source, s->split, CR_SIDE_TRAIN);
    params = option_pairs(r, "param", &count);
    progress_begin(&watch, "learning", &r->run);
    status = strcmp(learner, "auto") == 0
                 ? cr_model_train_auto(&s->model, s->source, params, count, &r->run, NULL, &err)
                 : cr_model_train_calibrated(&s->model, s->source, learner, params, count, NULL,
                                             NULL, &r->run, NULL, NULL, &err);
    progress_end(&watch);
    free(params);
    if (status != CR_OK)
        return fail_data(r, &s->source, status, &err);
    close_data(&s->source);
    return EXIT_DONE;
}

static int open_subject(subject *s, request *r)
{
    const bool learns = option_given(r, "model") || is_data(r, 0);
    int code;

    s->first = !learns;
    s->name = r->operands[0];
    if (!learns && (option_given(r, "param") || option_given(r, "split")))
        return misuse("credence report DATA learns a part of DATA and judges it by the rest",
                      "-p and --split are for data, and %s is a model", r->operands[0]);
    for (size_t i = 0; learns && i < r->operand_count; i++)
        if (strcmp(r->operands[i], "-") == 0)
            return misuse("name a file", "DATA are read twice, which standard input cannot");
    if ((code = learns ? learn_part(s, r) : open_model(&s->model, r, 0)) != EXIT_DONE ||
        (code = open_data(&s->source, r, s->first, s->model)) != EXIT_DONE)
        return code;
    if (learns)
        cr_source_keep(s->source, s->split, CR_SIDE_TEST);
    return EXIT_DONE;
}

static int make_report(cr_report **out, request *r, subject *s, double level, size_t most)
{
    char from[256];
    cr_report_options how = {.model = s->name,
                             .data = data_name(r, s->first, from, sizeof from),
                             .mistakes = most == 0 ? SIZE_MAX : most,
                             .level = level,
                             .allow_absent_columns = option_given(r, "allow-absent")};
    cr_error err = {0};
    cr_status status;
    progress watch;

    how.read_once = !can_read_again(r, s->first);
    progress_begin(&watch, "predicting", &r->run);
    status = cr_report_new(out, s->model, s->source, &how, &r->run, &err);
    progress_end(&watch);
    if (status != CR_OK)
        return fail_data(r, &s->source, status, &err);
    close_data(&s->source);
    if (cr_report_without_reasons(*out) != NULL)
        note("mistakes are shown without reasons: %s", cr_report_without_reasons(*out));
    return EXIT_DONE;
}

static int write_page(const cr_report *report, const char *path)
{
    out_file file;
    cr_output *out;
    cr_drawn drawn = {0};
    cr_error err = {0};
    cr_status status;
    int code = out_file_open(&file, path);

    if (code != EXIT_DONE)
        return code;
    out = output_to(file.file);
    status = cr_report_html(report, out, &drawn, &err);
    output_end(out);
    if (status == CR_OK && drawn.drawn < drawn.classes)
        note("the first %zu of %zu classes are drawn", drawn.drawn, drawn.classes);
    return out_file_close(&file, status == CR_OK ? EXIT_DONE : complain(status, &err));
}

static void write_json(const cr_report *report, const char *path)
{
    cr_output *out = output_to(stdout);

    cr_report_json(report, path, out);
    output_end(out);
}

static int run(request *r)
{
    const char *path = option_text(r, "output");
    const size_t most = option_count(r, "mistakes", MISTAKES_SHOWN);
    cr_report *report = NULL;
    subject s = {0};
    double level;
    int code;

    if ((code = check(r, path, most)) == EXIT_DONE &&
        (code = read_interval(r, &level)) == EXIT_DONE &&
        (code = open_subject(&s, r)) == EXIT_DONE &&
        (code = make_report(&report, r, &s, level, most)) == EXIT_DONE &&
        (code = write_page(report, path)) == EXIT_DONE && r->json)
        write_json(report, path);
    cr_report_free(report);
    close_subject(&s);
    return code;
}

static const char *const about[] = {
    "Writes one page of HTML about a model and labelled DATA: how good it is with intervals, the "
    "confusion of classes, ROC and precision-recall curves, how reliable the probabilities are, "
    "the features and words that tell most, the most confident mistakes with the reasons for "
    "them, and how the data differ from what the model learned from.",
    "Without a model, DATA are parted: a third of the rows, or what --split and its company say, "
    "are held out, the others are learned (by -m auto unless -m names a learner), and the page is "
    "about the rows held out.",
    "The page needs nothing but itself: pictures are inside, there are no scripts, and it is as "
    "readable in the dark and in print. DATA is read again for the reasons; of standard input "
    "they are left out.",
    "A model of a number (linear, a Gaussian network) has its errors instead: RMSE, MAE, R² and "
    "the rest, truth and errors against the prediction, the errors next to what was expected of "
    "them, how many truths lie in intervals of each level, the features that move the prediction "
    "with their weights, and the numbers farthest off with what each feature added.",
    "--json gives report, rows, accuracy, log_loss, d2_log_loss, brier, ece, macro_f1 and "
    "mistakes[] with line, "
    "truth, decision, probability and reasons[] (feature, value, log_odds). Of a number it gives "
    "report, rows, rmse, mae, r2, bias, log_density, level, coverage, width and mistakes[] with "
    "line, truth, prediction, scales (how far off, in scales of the prediction) and reasons[] "
    "(feature, value, adds).",
    NULL,
};

static const option own[] = {
    {"output", 'o', OPTION_TEXT, "FILE", "Where the page goes; - is standard output."},
    {"model", 'm', OPTION_TEXT, "LEARNER",
     "What is to learn where DATA are given without a model. Default: auto, what is best on rows "
     "not seen; nb where -p gives knobs."},
    {"param", 'p', OPTION_PAIR, "KEY=VALUE", "Turn a knob of the learner. As often as you like."},
    {"mistakes", 0, OPTION_COUNT, "N", "Mistakes to show at most. Default: 8."},
    {"interval", 0, OPTION_TEXT, "PERCENT",
     "Of predictions that are numbers, whose coverage is told. Default: 95."},
    {"allow-absent", 'a', OPTION_FLAG, NULL,
     "Columns of the model that DATA lack count as missing. Default: that is an error."},
    {0},
};
static const option_group own_group = {"Options", own};
static const option_group *const groups[] = {&own_group, &split_options, &column_options,
                                             &data_options, NULL};

static const example examples[] = {
    {"credence report iris.model iris.csv -o iris.html", "All about it, for a browser."},
    {"credence report iris.csv -o iris.html",
     "Without a model: two thirds are learned, and the page is about the rest."},
    {"credence report houses.model houses.csv -o houses.html", "The same of a linear regression."},
    {"credence report --json spam.model today.csv -o spam.html | jq '.mistakes[0]'",
     "And the worst mistake for a program."},
    {0},
};

const verb verb_report = {
    .name = "report",
    .operands = "[MODEL] [DATA...]",
    .least = 1,
    .most = SIZE_MAX,
    .summary = "write a page about a model and how good it is",
    .about = about,
    .options = groups,
    .examples = examples,
    .see_also = "test plot drift explain",
    .run = run,
};
