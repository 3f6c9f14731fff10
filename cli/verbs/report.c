/* cli/verbs/report.c - credence report: one page about a model and labelled data. */
#include <string.h>
#include <unistd.h>

#include "show/linear.h"
#include "out/out.h"
#include "out/file.h"
#include "out/json.h"
#include "out/progress.h"
#include "session/session.h"
#include "verbs/verbs.h"

enum { MISTAKES_SHOWN = 8, MOST_MISTAKES = 1000 };

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

static int make_report(cr_report **out, request *r, const cr_model *model, double level,
                       size_t most)
{
    char from[256];
    cr_report_options how = {.model = r->operands[0],
                             .data = data_name(r, 1, from, sizeof from),
                             .mistakes = most == 0 ? SIZE_MAX : most,
                             .level = level,
                             .allow_absent_columns = option_given(r, "allow-absent")};
    cr_source *source = NULL;
    cr_error err = {0};
    cr_status status;
    progress watch;
    int code = open_data(&source, r, 1, model);

    if (code != EXIT_DONE)
        return code;
    how.read_once = !can_read_again(r);
    progress_begin(&watch, "predicting", &r->run);
    status = cr_report_new(out, model, source, &how, &r->run, &err);
    progress_end(&watch);
    if (status != CR_OK)
        return fail_data(r, &source, status, &err);
    close_data(&source);
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
    cr_model *model = NULL;
    cr_report *report = NULL;
    double level;
    int code;

    if ((code = check(r, path, most)) != EXIT_DONE ||
        (code = read_interval(r, &level)) != EXIT_DONE ||
        (code = open_model(&model, r, 0)) != EXIT_DONE)
        return code;
    if ((code = make_report(&report, r, model, level, most)) == EXIT_DONE &&
        (code = write_page(report, path)) == EXIT_DONE && r->json)
        write_json(report, path);
    cr_report_free(report);
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
