/* cli/evaluate/study.c - how rows are split into folds, and for which learners. */
#include "evaluate/study.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "out/out.h"
#include "out/text.h"
#include "session/reserve.h"
#include "session/session.h"

/* --- folds -------------------------------------------------------------------------------- */

static const option deal_list[] = {
    {"folds", 'k', OPTION_TEXT, "K|loo",
     "How many folds; loo leaves out one row at a time. Default: 10."},
    {"repeats", 'r', OPTION_COUNT, "N", "Deal and measure this often. Default: once."},
    {"group", 'g', OPTION_TEXT, "COLUMN",
     "Rows of equal value stay in one fold. The column is no feature then."},
    {"stratified", 0, OPTION_CHOICE, "yes|no",
     "Every fold gets its share of each class. Default: yes."},
    {0},
};
const option_group deal_options = {"Folds", deal_list};

int read_deal(cr_deal *out, const request *r)
{
    const char *folds = option_text(r, "folds"), *stratified = option_text(r, "stratified");
    const bool may = option_find(r->verb, "calibrate") != NULL;
    const char *calibrate = may ? option_text(r, "calibrate") : "none";
    char *end = NULL;

    *out = (cr_deal){.repeats = option_count(r, "repeats", 1),
                     .group = option_text(r, "group"),
                     .unstratified = stratified != NULL && strcmp(stratified, "no") == 0,
                     .seed = r->run.seed,
                     .calibrated = calibrate == NULL || strcmp(calibrate, "none") != 0,
                     .usual = 1};
    if (folds == NULL)
        return EXIT_DONE;
    if (strcmp(folds, "loo") == 0) {
        out->folds = CR_LEAVE_ONE_OUT;
        return EXIT_DONE;
    }
    out->folds = strtoul(folds, &end, 10);
    if (end == folds || *end != '\0' || folds[0] == '-' || out->folds < 2)
        return misuse("two or more, or loo", "--folds is '%s'", folds);
    return EXIT_DONE;
}

/* --- what was done ------------------------------------------------------------------------ */

static const char *way_name(cr_cv_way way)
{
    return way == CR_CV_RETRAINED    ? "retrained"
           : way == CR_CV_SUBTRACTED ? "subtracted"
                                     : "decremented";
}

void cv_headline(const request *r, const cr_cv_facts *facts, const char *learner, double seconds)
{
    char from[256], time[NUMBER_ROOM];

    data_name(r, 0, from, sizeof from);
    number_seconds(time, seconds);
    if (facts->folds == facts->rows)
        out_line("%s on %s: each of %zu rows left out once, in %s (%s)", learner, from, facts->rows,
                 time, way_name(facts->way));
    else
        out_line("%s on %s: %zu rows in %zu folds%s, in %s (%s)", learner, from, facts->rows,
                 facts->folds, facts->repeats > 1 ? ", repeated" : "", time, way_name(facts->way));
    putchar('\n');
}

/* --- learners with knobs ------------------------------------------------------------------ */

/* Append the specifications of one -m; all stands for every learner. */
static void add_candidates(cr_spec **list, size_t *count, const char *text)
{
    cr_spec *specs;
    size_t more;

    if ((strcmp(text, "all") == 0 ? cr_specs_all(&specs, &more, NULL)
                                  : cr_specs_parse(&specs, &more, text, NULL)) != CR_OK)
        reserve_failed();
    *list = reserve_more(*list, *count + more, sizeof **list);
    memcpy(*list + *count, specs, more * sizeof *specs);
    *count += more;
    cr_specs_free(specs, 0); /* the list owns their contents */
}

const char *usual_learner(const request *r)
{
    size_t pairs;
    const char **pair = option_pairs(r, "param", &pairs),
               *learner = cr_learner_default(pair, pairs);

    free(pair);
    return learner;
}

void read_candidates(cr_spec **out, size_t *count, const request *r)
{
    read_candidates_or(out, count, r, "nb");
}

/* --calibrate METHOD is the knob of every learner; auto and none are left to the folds. */
static void name_calibration(cr_spec *specs, size_t count, const request *r)
{
    const bool may = option_find(r->verb, "calibrate") != NULL;
    const char *method = may ? option_text(r, "calibrate") : NULL;
    char knob[64];

    if (method == NULL || strcmp(method, "auto") == 0 || strcmp(method, "none") == 0)
        return;
    snprintf(knob, sizeof knob, "calibrate=%s", method);
    for (size_t i = 0; i < count; i++)
        if (cr_spec_add(&specs[i], knob, NULL) != CR_OK)
            reserve_failed();
}

void read_candidates_or(cr_spec **out, size_t *count, const request *r, const char *usual)
{
    size_t pairs;
    const char **pair = option_pairs(r, "param", &pairs);

    *out = NULL;
    *count = 0;
    for (size_t i = 0; i < r->setting_count; i++)
        if (strcmp(r->settings[i].option->name, "model") == 0)
            add_candidates(out, count, r->settings[i].value);
    if (*count == 0)
        add_candidates(out, count, usual);
    for (size_t i = 0; i < *count; i++)
        for (size_t p = 0; p < pairs; p++)
            if (cr_spec_add(&(*out)[i], pair[p], NULL) != CR_OK)
                reserve_failed();
    free(pair);
    name_calibration(*out, *count, r);
}

int check_alike(const cr_spec *specs, size_t i, int first, int numbers)
{
    if (!first == !numbers)
        return EXIT_DONE;
    return misuse("learners of classes, or of numbers", "%s predicts a number and %s a class",
                  specs[numbers ? i : 0].name, specs[numbers ? 0 : i].name);
}

void free_candidates(cr_spec *specs, size_t count)
{
    for (size_t i = 0; i < count; i++)
        cr_spec_free(&specs[i]);
    free(specs);
}
