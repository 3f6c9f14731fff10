/* cli/verbs/curve.c - credence curve: how much data are needed? */
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "evaluate/curve.h"
#include "evaluate/numbers.h"
#include "evaluate/study.h"
#include "out/json.h"
#include "out/progress.h"
#include "out/sheet.h"
#include "out/text.h"
#include "plot/result.h"
#include "session/reserve.h"
#include "session/session.h"
#include "verbs/verbs.h"

/* --- options ------------------------------------------------------------------------------ */

static const option curve_list[] = {
    {"sizes", 0, OPTION_TEXT, "N,N,...",
     "How many rows to learn. Default: ten sizes up to all of them, evenly spaced in logarithms."},
    {"withheld", 0, OPTION_TEXT, "SHARE", "Rows that are tested on. Default: a third."},
    {0},
};
const option_group curve_options = {"Curves", curve_list};

static int read_curve(cr_curve_options *out, size_t **sizes, const request *r)
{
    const char *text = option_text(r, "sizes"), *withheld = option_text(r, "withheld");
    char *end = NULL;

    *out = (cr_curve_options){.repeats = option_count(r, "repeats", 0), .seed = r->run.seed};
    *sizes = NULL;
    if (withheld != NULL) {
        out->withheld = strtod(withheld, &end);
        if (end == withheld || *end != '\0' || !(out->withheld > 0 && out->withheld < 1))
            return misuse("a share between 0 and 1", "--withheld is '%s'", withheld);
    }
    while (text != NULL && *text != '\0') {
        const unsigned long size = strtoul(text, &end, 10);

        if (end == text || size == 0 || (*end != '\0' && *end != ',')) {
            free(*sizes);
            return misuse("such as --sizes 100,1000,10000", "--sizes has '%s'", text);
        }
        *sizes = reserve_more(*sizes, out->size_count + 1, sizeof **sizes);
        (*sizes)[out->size_count++] = size;
        text = end + (*end == ',');
    }
    out->sizes = *sizes;
    return EXIT_DONE;
}

int draw_curves(curves *out, const request *r, cr_source **source, cr_run *run)
{
    cr_study *study = NULL;
    const char *calibrate = option_text(r, "calibrate");
    const cr_deal deal = {.folds = 2, /* as few as there can be: a curve has none */
                          .calibrated = calibrate == NULL || strcmp(calibrate, "none") != 0,
                          .usual = 1};
    cr_curve_options options;
    cr_error err = {0};
    cr_status status = CR_OK;
    size_t *sizes;
    progress watch;
    int code = read_curve(&options, &sizes, r);

    if (code != EXIT_DONE)
        return code;
    progress_begin(&watch, "learning", run);
    read_candidates_or(&out->specs, &out->count, r, usual_learner(r));
    out->curve = reserve(out->count, sizeof *out->curve);
    status = cr_study_new(&study, *source, &deal, run, &err);
    for (size_t i = 0; status == CR_OK && i < out->count; i++) {
        const cr_spec *c = &out->specs[i];

        status = cr_study_curve(study, c->learner, (const char *const *)c->params, c->param_count,
                                &options, &out->curve[i], &err);
        if (status != CR_OK && err.file[0] == '\0')
            snprintf(err.file, sizeof err.file, "%s", c->name);
        if (status == CR_OK && code == EXIT_DONE)
            code = check_alike(out->specs, i, out->curve[0]->numbers, out->curve[i]->numbers);
    }
    out->seconds = progress_end(&watch);
    if (status != CR_OK)
        code = fail_data(r, source, status, &err);
    cr_study_free(study);
    free(sizes);
    return code;
}

void free_curves(curves *c)
{
    for (size_t i = 0; c->curve != NULL && i < c->count; i++)
        cr_learning_curve_free(c->curve[i]);
    free(c->curve);
    free_candidates(c->specs, c->count);
}

/* --- the result --------------------------------------------------------------------------- */

const char **names_of(const curves *c)
{
    const char **name = reserve(c->count, sizeof *name);

    for (size_t i = 0; i < c->count; i++)
        name[i] = c->specs[i].name;
    return name;
}

static void report(const request *r, const curves *c)
{
    const cr_learning_curve *const *curve = (const cr_learning_curve *const *)c->curve;
    char from[256], time[NUMBER_ROOM];
    const char **name = names_of(c);
    cr_sheet *s = NULL;
    const cr_status status = cr_curves_sheet(&s, curve, name, c->count, NULL);
    cr_output *out;

    sheet_made(status, s);
    if (r->json) {
        out = output_to(stdout);
        cr_curves_json(curve, name, c->count, c->seconds, out);
        output_end(out);
        cr_sheet_free(s);
    } else if (r->csv) {
        sheet_csv(s);
    } else {
        out_line("%s: %zu row%s withheld, %zu repeat%s, in %s\n",
                 data_name(r, 0, from, sizeof from), c->curve[0]->tested,
                 plural(c->curve[0]->tested), c->curve[0]->repeats, plural(c->curve[0]->repeats),
                 number_seconds(time, c->seconds));
        sheet_print(s, SIZE_MAX, 0, true);
    }
    free(name);
}

/* --- the verb ----------------------------------------------------------------------------- */

static int run(request *r)
{
    cr_source *source = NULL;
    curves c = {0};
    int code;

    if ((code = check_plot(r, 0)) == EXIT_DONE &&
        (code = open_data(&source, r, 0, NULL)) == EXIT_DONE &&
        (code = draw_curves(&c, r, &source, &r->run)) == EXIT_DONE) {
        report(r, &c);
        code = plot_learning(r, &c);
    }
    free_curves(&c);
    close_data(&source);
    return code;
}

static const char *const about[] = {
    "Learns more and more of the rows and tests on rows that were withheld, a third of them: how "
    "good is a learner, and would more data make it better? The data are read once and the counts "
    "grow by addition. Several learners are tested on the same rows. Each model is what train "
    "would "
    "give on its rows: from 100 rows on it is calibrated, by answers to these; --calibrate none or "
    "-m nb:calibrate=none is the bare one.",
    "Each repeat withholds other rows; the interval of 95 % is over the repeats. --plot draws the "
    "curves with these as bands, accuracy next to log loss.",
    "--json gives {keys curve}; each line of --csv has the same.",
    NULL,
};

static const option own[] = {
    {"model", 'm', OPTION_TEXT, "LEARNER[:KNOB=VALUE...],...",
     "Learner. Default: auto, chosen anew each time; nb with -p alone."},
    {"param", 'p', OPTION_PAIR, "KEY=VALUE", "Turn a knob of every learner."},
    {"repeats", 'r', OPTION_COUNT, "N", "How often. Default: 5."},
    CALIBRATE_OPTION,
    {0},
};
static const option_group own_group = {"Options", own};
static const option_group *const groups[] = {&own_group,    &curve_options,  &picture_options,
                                             &data_options, &column_options, &basis_options,
                                             NULL};

static const example examples[] = {
    {"credence curve -m nb iris.csv", "How many flowers does it take?"},
    {"credence curve iris.csv -m nb:variance=class-feature,nb --sizes 10,30,100 --csv",
     "Two kinds of naive Bayes, for a spreadsheet."},
    {"credence curve iris.csv -m nb,logistic --plot curve.svg",
     "Naive Bayes and logistic regression, drawn."},
    {"credence curve houses.csv -m linear,linear:lambda=evidence --sizes 6,8",
     "Least squares and a prior, on few rows."},
    {0},
};

const verb verb_curve = {
    .name = "curve",
    .operands = "[DATA...]",
    .most = SIZE_MAX,
    .summary = "tell how good a learner is against how much it has learned",
    .about = about,
    .options = groups,
    .examples = examples,
    .see_also = "cv compare plot",
    .run = run,
};
