/* eval/calibrate.c - choose and fit a calibration. */
#include "credence/calibrate.h"

#include <math.h>
#include <string.h>

#include "base/fail.h"
#include "base/memory.h"
#include "base/sized.h"
#include "data/folds.h"
#include "train/calibration.h"
#include "eval/calibration_choose.h"
#include "eval/cv_impl.h"
#include "eval/study.h"
#include "stats/table_read.h"

enum { CROSS_FOLDS = 5 };

const char *cr_model_calibration(const cr_model *model)
{
    return model->calibration == NULL ? NULL : cr__calibration_name(model->calibration->kind);
}

void cr_model_uncalibrate(cr_model *model)
{
    cr__calibration_free(model->calibration);
    model->calibration = NULL;
}

/* Rows left out when fitting a calibration; random, but the same each time. */
typedef struct trial {
    cr__answers_seen all;
    uint32_t *fold, *list;
    double *scratch; /* [classes] */
} trial;

static void close_trial(trial *t)
{
    cr__free(t->fold);
    cr__free(t->list);
    cr__free(t->scratch);
}

static cr_status open_trial(trial *t, const cr__answers_seen *seen, cr_error *err)
{
    const cr__deal deal = {.rows = seen->rows, .folds = CROSS_FOLDS, .seed = 1};

    *t = (trial){.all = *seen};
    t->fold = cr__alloc(seen->rows + 1, sizeof *t->fold);
    t->list = cr__alloc(seen->rows + 1, sizeof *t->list);
    t->scratch = cr__alloc(seen->classes, sizeof *t->scratch);
    if (t->fold == NULL || t->list == NULL || t->scratch == NULL)
        return cr__fail_memory(err);
    return cr__folds_deal(t->fold, &deal, err);
}

/* Mean log-loss of a kind on rows it was not fitted on; kind 0: uncalibrated. */
static cr_status try_kind(trial *t, cr__calibration_kind kind, double *loss, cr_error *err)
{
    double sum = 0, weight = 0;
    cr_status st = CR_OK;

    if (kind == 0)
        sum = cr__calibration_loss(NULL, &t->all, t->scratch, &weight);
    for (uint32_t f = 0; kind != 0 && st == CR_OK && f < CROSS_FOLDS; f++) {
        cr__answers_seen part = t->all;
        cr__calibration *c = NULL;

        part.row = t->list;
        part.rows = cr__folds_list(t->fold, t->all.row, t->all.rows, f, 0, t->list);
        if ((st = cr__calibration_fit(&c, kind, &part, err)) == CR_OK) {
            part.rows = cr__folds_list(t->fold, t->all.row, t->all.rows, f, 1, t->list);
            sum += cr__calibration_loss(c, &part, t->scratch, &weight);
        }
        cr__calibration_free(c);
    }
    *loss = weight > 0 ? sum / weight : NAN;
    return st;
}

cr_status cr__calibration_method(const char *method, int *first, int *last, cr_error *err)
{
    for (int k = 0; k <= CR__CALIBRATION_CONFIDENCE; k++)
        if (strcmp(method, cr__calibration_name((cr__calibration_kind)k)) == 0) {
            *first = *last = k;
            return CR_OK;
        }
    *first = 0;
    *last = CR__CALIBRATION_ISOTONIC; /* a temperature of least loss is among them */
    if (strcmp(method, "auto") == 0)
        return CR_OK;
    cr__fail(err, CR_EARG, "there is no calibration '%s'", method);
    return cr__fail_hint(err, CR_EARG,
                         "none, temperature, confidence, platt, isotonic, beta or auto");
}

/* keep: the calibration is updated as rows are learned. */
static cr_status calibrate(cr_model *model, const cr__answers_seen *seen, const char *method,
                           int keep, cr_calibration_report *report, cr_error *err)
{
    cr_calibration_report own;
    cr__calibration *fitted = NULL;
    trial t;
    int first, last, best = 0;
    double least = INFINITY, loss;
    cr_status st = cr__calibration_method(method, &first, &last, err);

    if (st != CR_OK)
        return st;
    if (seen->classes < 2 && strcmp(method, "none") != 0)
        return cr__fail(err, CR_EARG, "there is one class only: nothing to calibrate");
    report = report == NULL ? &own : report;
    *report = (cr_calibration_report){.temperature = NAN};
    st = open_trial(&t, seen, err);
    if (st == CR_OK)
        st = try_kind(&t, 0, &report->log_loss_before, err);
    for (int k = first; st == CR_OK && k <= last; k++)
        if ((st = try_kind(&t, (cr__calibration_kind)k, &loss, err)) == CR_OK && loss < least) {
            least = loss;
            best = k;
        }
    if (st == CR_OK && best != 0)
        st = keep ? cr__calibration_keep(&fitted, (cr__calibration_kind)best, seen, err)
                  : cr__calibration_fit(&fitted, (cr__calibration_kind)best, seen, err);
    if (st == CR_OK) {
        cr_model_uncalibrate(model);
        model->calibration = fitted;
        report->method = cr__calibration_name((cr__calibration_kind)best);
        report->log_loss_after = least;
        cr__calibration_loss(NULL, seen, t.scratch, &report->rows);
        if (cr__calibration_is_temperature((cr__calibration_kind)best))
            report->temperature = fitted->number[0];
    }
    close_trial(&t);
    return st;
}

static cr_status fit_on(cr_model *model, cr__answers_seen *seen, const char *method, int keep,
                        cr_calibration_report *report, cr_error *err)
{
    uint32_t *row = cr__alloc(seen->rows + 1, sizeof *row);
    cr_status st;

    if (row == NULL)
        return cr__fail_memory(err);
    for (size_t r = 0; r < seen->rows; r++)
        row[r] = (uint32_t)r;
    seen->row = row;
    st = calibrate(model, seen, method, keep, report, err);
    cr__free(row);
    return st;
}

/* Only the posteriors of classes can be calibrated. */
static cr_status check_classes(const cr_model *model, cr_error *err)
{
    if (model->learner->regresses == NULL && model->schema->target != SIZE_MAX)
        return model->classes > 0
                   ? CR_OK
                   : cr__fail(err, CR_EARG, "the model has learned nothing: it has no classes");
    if (model->learner->regresses == NULL)
        return cr__fail(err, CR_EARG,
                        "the model has no target: there are no probabilities of classes to "
                        "calibrate");
    return cr__fail(err, CR_EARG,
                    "a model of '%s' is a regression: there are no probabilities to "
                    "calibrate",
                    cr_model_learner(model));
}

cr_status cr_model_calibrate(cr_model *model, const cr_cv *cv, const char *method,
                             cr_calibration_report *report, cr_error *err)
{
    cr__answers_seen seen = {.classes = cv->classes,
                             .score = cv->score,
                             .truth = cv->truth,
                             .weight = cv->weight,
                             .rows = cv->rows};
    int same = model->classes == cv->classes;
    cr_status st = check_classes(model, err);

    if (st != CR_OK)
        return st;
    for (size_t c = 0; same && c < cv->classes; c++)
        same = strcmp(cr_model_class(model, c), cr_model_class(cv->model, c)) == 0;
    if (!same)
        return cr__fail(err, CR_ECONFLICT, "the model has other classes than the answers");
    return fit_on(model, &seen, method, 1, report, err); /* those of the first repeat */
}

/* One pass, and a look at some of its rows, unless there is no report. */
static cr_status train_usual(cr_model **out, cr_source *source, const char *learner,
                             const char *const *params, size_t param_count, const cr_run *run,
                             cr_tally *tally, cr_calibration_report *report, cr_error *err)
{
    cr__unseen unseen = {.rows_least = CR__CALIBRATE_ROWS_LEAST};
    cr_status st = cr__model_train_usual(out, source, learner, params, param_count,
                                         report == NULL ? NULL : &unseen, run, tally, err);

    if (st == CR_OK && *out != NULL && report != NULL &&
        (st = cr__calibrate_trained(*out, source, &unseen, run, report, err)) != CR_OK) {
        cr_model_free(*out);
        *out = NULL;
    }
    cr__unseen_free(&unseen);
    return st;
}

cr_status cr_model_train_calibrated(cr_model **out, cr_source *source, const char *learner,
                                    const char *const *params, size_t param_count,
                                    const cr_deal *deal, const char *method, const cr_run *run,
                                    cr_tally *tally, cr_calibration_report *report, cr_error *err)
{
    cr_deal usual;
    cr_calibration_report own;
    cr_study *study = NULL;
    cr_cv *cv = NULL;
    int first, last;
    cr_status st;

    *out = NULL;

    if (method == NULL)
        return train_usual(out, source, learner, params, param_count, run, tally,
                           report == NULL ? &own : report, err);
    if (strcmp(method, "none") == 0) {
        if (report != NULL)
            *report = (cr_calibration_report){.method = "none",
                                              .temperature = NAN,
                                              .log_loss_before = NAN,
                                              .log_loss_after = NAN};
        return train_usual(out, source, learner, params, param_count, run, tally, NULL, err);
    }
    st = cr__calibration_method(method, &first, &last, err);
    if (st == CR_OK)
        st = cr__sized_take(&usual, sizeof usual, deal, "cr_deal", err);
    usual.usual = 1;
    if (st == CR_OK)
        st = cr_study_new(&study, source, &usual, run, err);
    if (st == CR_OK)
        st = cr_cv_run(&cv, study, learner, params, param_count, err);
    if (st == CR_OK)
        st = cr_model_calibrate(cv->model, cv, method, report, err);
    if (st == CR_OK) {
        *out = cv->model;
        cv->model = NULL;
        if (tally != NULL)
            *tally = (cr_tally){.rows = cv->rows, .unlabelled = cv->unlabelled, .passes = 1};
    }
    cr_cv_free(cv);
    cr_study_free(study);
    return st;
}

/* --- held-out rows ------------------------------------------------------------------------------
 */

/* The model's answers to a table's rows, and their true classes. */
static cr_status answer_table(const cr_model *model, const cr__table *table, cr__answers_seen *seen,
                              double *score, int32_t *truth, size_t *place, cr_error *err)
{
    const size_t target = model->schema->target;
    const cr__dict *dict = table->column[target].dict;

    for (size_t c = 0; c < model->classes; c++)
        place[c] = c;
    for (size_t r = 0; r < table->rows; r++) {
        const uint32_t code = cr__table_code(&table->column[target], r);
        size_t length;
        const char *name = code == CR__MISSING ? NULL : cr__dict_word(dict, code, &length);

        truth[r] =
            name == NULL ? -1 : (int32_t)cr__dict_find(model->dict[target], name, length) - 1;
    }
    *seen = (cr__answers_seen){.classes = model->classes,
                               .score = score,
                               .truth = truth,
                               .weight = table->weight,
                               .rows = table->rows};
    return cr__score_rows(model, table, NULL, 0, place, model->classes, NULL, score, err);
}

cr_status cr_model_calibrate_on(cr_model *model, cr_source *source, const char *method,
                                const cr_run *run, cr_calibration_report *report, cr_error *err)
{
    cr__table *table = NULL;
    cr__answers_seen seen;
    double *score = NULL;
    int32_t *truth = NULL;
    size_t *place = cr__alloc(model->classes + 1, sizeof *place);
    cr__calibration *before = model->calibration; /* is not to be calibrated again */
    cr_status st = place == NULL ? cr__fail_memory(err) : check_classes(model, err);

    model->calibration = NULL;
    if (st == CR_OK)
        st = cr__source_bind(source, model->schema, 1, 0, err);
    if (st == CR_OK)
        st = cr__table_read(&table, source, model->schema, &model->recipe, run, err);
    if (st == CR_OK && table->rows == 0)
        st = cr__fail(err, CR_EFORMAT, "there are no rows to calibrate on");
    if (st == CR_OK) {
        score = cr__alloc(table->rows, model->classes * sizeof *score);
        truth = cr__alloc(table->rows, sizeof *truth);
        if (score == NULL || truth == NULL)
            st = cr__fail_memory(err);
    }
    if (st == CR_OK)
        st = answer_table(model, table, &seen, score, truth, place, err);
    if (st == CR_OK)
        st = fit_on(model, &seen, method, 0, report, err);
    if (st == CR_OK)
        cr__calibration_free(before);
    else
        model->calibration = before;
    cr__table_free(table);
    cr__free(score);
    cr__free(truth);
    cr__free(place);
    return st;
}
