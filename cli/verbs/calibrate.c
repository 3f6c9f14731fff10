/* cli/verbs/calibrate.c - credence calibrate: make a model's probabilities mean what they say. */
#include <math.h>
#include <string.h>

#include "evaluate/calibrate.h"
#include "out/json.h"
#include "out/progress.h"
#include "out/text.h"
#include "session/session.h"
#include "verbs/verbs.h"

void calibration_report(const request *r, const cr_calibration_report *c, const char *path)
{
    char before[NUMBER_ROOM], after[NUMBER_ROOM], number[NUMBER_ROOM], rows[NUMBER_ROOM];

    if (r->json) {
        cr_output *out = output_kept();

        output_print(out, cr_calibration_json(c, path, out), NULL);
        return;
    }
    if (c->why != NULL) {
        out_line("Calibration: none, as %s", c->why);
        return;
    }
    out_line("Calibrated by %s%s%s on %s rows: log loss %s before, %s after", c->method,
             isnan(c->temperature) ? "" : " ",
             isnan(c->temperature) ? "" : number_plain(number, c->temperature),
             number_plain(rows, c->rows), number_plain(before, c->log_loss_before),
             number_plain(after, c->log_loss_after));
}

static int run(request *r)
{
    const char *path = option_text(r, "output"), *method = option_text(r, "method");
    cr_calibration_report report;
    cr_source *source = NULL;
    cr_model *model = NULL;
    cr_error err = {0};
    cr_status status;
    const int learned = option_given(r, "learned");
    progress watch;
    int code;

    if (path == NULL)
        return misuse("-o MODEL", "calibrate needs a file for the model");
    if (learned && method != NULL)
        return misuse("--learned without -m", "--learned takes the method that is best");
    if ((code = check_output(path, r, 1)) != EXIT_DONE ||
        (code = open_model(&model, r, 0)) != EXIT_DONE ||
        (code = open_data(&source, r, 1, model)) != EXIT_DONE)
        goto done;
    progress_begin(&watch, "calibrating", &r->run);
    cr_model_uncalibrate(model);
    status = learned ? cr_model_calibrate_learned(model, source, &r->run, &report, &err)
                     : cr_model_calibrate_on(model, source, method == NULL ? "auto" : method,
                                             &r->run, &report, &err);
    progress_end(&watch);
    if (status != CR_OK)
        code = fail_data(r, &source, status, &err);
    else if ((code = save_model(model, path)) == EXIT_DONE && strcmp(path, "-") != 0)
        calibration_report(r, &report, path);
done:
    close_data(&source);
    cr_model_free(model);
    return code;
}

static const char *const about[] = {
    "Fits a function that turns the model's probabilities into honest ones, on labelled rows that "
    "it has not learned, and keeps it in the model: predict, test, explain and filter apply it. To "
    "calibrate on the training rows themselves, by cross-validation, use train --calibrate.",
    "--learned is for rows that it has learned, all or some that are like all: they are taken back "
    "in folds and answered by the model without them, as train does unasked. So a model that "
    "several processes have trained, or the sum of parts, is calibrated as if one had read all.",
    "temperature divides all log probabilities by one number, that of least log loss; confidence "
    "by the one at which the mean confidence is the accuracy. platt, beta and isotonic are for "
    "each class against the rest: a logistic curve of the log-odds, one with three parameters, or "
    "any rising function, which needs a thousand rows or so. auto takes the one of least log loss "
    "on rows that it was not fitted on, or none.",
    "Learning, unlearning, merging and turning knobs drop a calibration that was fitted here; one "
    "that was fitted by train --calibrate survives learn and unlearn.",
    "--json gives model, calibration (the method), calibration_rows, temperature, "
    "log_loss_before, log_loss_after and calibration_why (why there is none).",
    NULL,
};

static const option own[] = {
    {"output", 'o', OPTION_TEXT, "MODEL", "File for the calibrated model; required."},
    {"method", 'm', OPTION_CHOICE, "auto|none|temperature|confidence|platt|isotonic|beta",
     "How. Default: auto."},
    {"learned", 'L', OPTION_FLAG, NULL, "The model has learned DATA: take it back in folds."},
    {0},
};
static const option_group own_group = {"Options", own};
static const option_group *const groups[] = {&own_group, &data_options, NULL};

static const example examples[] = {
    {"credence calibrate iris.model later.csv -o honest.model", "On rows it has not learned."},
    {"credence calibrate --learned sum.model data.csv -o honest.model",
     "On the rows that parts of it have learned."},
    {"credence train -m nb --calibrate temperature -o news.model news/",
     "While training, on the answers of a cross-validation."},
    {0},
};

const verb verb_calibrate = {
    .name = "calibrate",
    .operands = "MODEL [DATA...]",
    .least = 1,
    .most = SIZE_MAX,
    .summary = "make a model's probabilities mean what they say",
    .about = about,
    .options = groups,
    .examples = examples,
    .see_also = "train test cv",
    .run = run,
};
