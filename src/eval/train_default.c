/* eval/train_default.c - train as a person wants it who has not said how: the same from every front
 * end. */
#include <math.h>
#include <stdio.h>
#include <string.h>

#include "base/fail.h"
#include "base/memory.h"
#include "eval/auto.h"
#include "eval/calibration_choose.h"
#include "source/format.h"
#include "source/source.h"
#include "train/training.h"

const char *cr_learner_default(const char *const *params, size_t param_count)
{
    static const char *const own[] = {"among=", "blend=", "budget=", "calibrate="};

    for (size_t i = 0; i < param_count; i++) {
        int is_own = 0;

        for (size_t k = 0; k < sizeof own / sizeof *own; k++)
            is_own |= strncmp(params[i], own[k], strlen(own[k])) == 0;
        if (!is_own)
            return "nb";
    }
    return "auto";
}

/* What auto has said of its calibration. */
static void report_chosen(const cr_model *model, cr_calibration_report *report)
{
    const char *method = cr_model_calibration(model);

    *report = (cr_calibration_report){.method = method == NULL ? "none" : method,
                                      .temperature = NAN,
                                      .log_loss_before = NAN,
                                      .log_loss_after = NAN};
}

/* The method of calibration is a parameter of auto. */
static cr_status train_auto(cr_model **out, cr_source *source, const char *const *params,
                            size_t count, const char *method, const cr_run *run, cr_tally *tally,
                            cr_error *err)
{
    const char **all = cr__alloc(count + 1, sizeof *all);
    char calibrate[60];
    cr_status st;

    if (all == NULL)
        return cr__fail_memory(err);
    if (count > 0)
        memcpy(all, params, count * sizeof *all);
    if (method != NULL) {
        snprintf(calibrate, sizeof calibrate, "calibrate=%s", method);
        all[count++] = calibrate;
    }
    st = cr_model_train_auto(out, source, all, count, run, tally, err);
    cr__free(all);
    return st;
}

/* Hardly any rows, or too many for memory: naive Bayes can learn any number. Not where the fault
 * may be in the request. */
static int may_be_plain(cr_status st, size_t params, cr_source *source)
{
    return (st == CR_EFORMAT || st == CR_ELIMIT || (st == CR_EARG && params == 0)) &&
           cr__source_rewind(source, NULL) == CR_OK;
}

/* Naive Bayes where learners cannot be compared, for the reason given. */
static cr_status train_plain(cr_model **out, cr_source *source, const cr_error *why,
                             const cr_run *run, cr_tally *tally, cr_calibration_report *report,
                             cr_error *err)
{
    const cr_status st = cr_model_train_calibrated(out, source, "nb", NULL, 0, NULL, "none", run,
                                                   tally, report, err);

    if (st == CR_OK)
        cr__source_note(source, "learners were not compared: %s; 'nb' learned the rows",
                        why->message);
    return st;
}

cr_status cr_model_train_default(cr_model **out, cr_source *source, const char *learner,
                                 const char *const *params, size_t param_count, const char *method,
                                 const cr_run *run, cr_tally *tally, cr_calibration_report *report,
                                 cr_error *err)
{
    int first, last;
    cr_calibration_report own;
    cr_error why = {0};
    cr_status st;

    *out = NULL;
    report = report == NULL ? &own : report;
    learner = learner != NULL ? learner : cr_learner_default(params, param_count);
    if (strcmp(learner, "auto") != 0)
        return cr_model_train_calibrated(out, source, learner, params, param_count,
                                         run == NULL ? NULL : &(cr_deal){.seed = run->seed}, method,
                                         run, tally, report, err);
    if (method != NULL && (st = cr__calibration_method(method, &first, &last, err)) != CR_OK)
        return st;
    st = train_auto(out, source, params, param_count, method, run, tally, &why);
    if (st == CR_OK)
        report_chosen(*out, report);
    else if (may_be_plain(st, param_count, source))
        return train_plain(out, source, &why, run, tally, report, err);
    else if (err != NULL)
        *err = why;
    return st;
}
