/* eval/auto_judge.c - judge candidates by the log loss of their calibrated answers to unseen rows.
 *
 * The answers of a cross-validation are calibrated by each allowed method, every row by a function
 * fitted without it (five folds), so that methods and candidates are compared by their performance
 * on new rows. A method is chosen when it is better than the simpler ones by more than half the
 * standard error of the paired difference.
 */
#include <math.h>
#include <string.h>

#include "base/fail.h"
#include "base/logspace.h"
#include "base/memory.h"
#include "base/parallel.h"
#include "data/folds.h"
#include "train/calibration.h"
#include "eval/auto.h"
#include "learners/ensemble/ensemble.h"

enum { CROSS_FOLDS = 5, VERY_FEW_ROWS = 30, FEW_ROWS = 300 };

/* Up to this many rows × classes, methods that fit a function for each class are tried. */
#define CURVES_MOST 5e4
#define ISOTONIC_MOST 3e5

void cr__paired_loss(const double *a, const double *b, const double *weight, size_t rows,
                     double *mean, double *error)
{
    double sum = 0, all = 0, squares = 0, heavy = 0;

    for (size_t r = 0; r < rows; r++) {
        const double w = weight == NULL ? 1 : weight[r];

        sum += w * (a[r] - b[r]);
        all += w;
        heavy += w * w;
    }
    *mean = all > 0 ? sum / all : 0;
    for (size_t r = 0; r < rows; r++) {
        const double w = weight == NULL ? 1 : weight[r], d = a[r] - b[r] - *mean;

        squares += w * d * d;
    }
    *error = all > 0 ? sqrt(squares / all * heavy) / all : 0;
}

void cr__trial_forget(cr__trial *t)
{
    cr_cv_free(t->cv);
    cr__free(t->log_p);
    cr__free(t->loss);
    t->cv = NULL;
    t->log_p = t->loss = NULL;
}

/* --- one method ------------------------------------------------------------------------------- */

/* Log posteriors of the rows, and their losses. */
typedef struct answers {
    double *log_p, *loss; /* [rows * classes], [rows] */
} answers;

static void free_answers(answers *a)
{
    cr__free(a->log_p);
    cr__free(a->loss);
    *a = (answers){0};
}

/* A row's scores as calibrated log posteriors, none below the floor. */
static void answer_row(const cr__calibration *c, const double *score, size_t classes, double *log_p)
{
    double all;

    memcpy(log_p, score, classes * sizeof *score);
    cr__calibrate(c, log_p);
    all = cr__log_sum_exp(log_p, classes);
    for (size_t k = 0; k < classes; k++)
        log_p[k] = isfinite(all) ? fmax(log_p[k] - all, CR__PRODUCT_FLOOR) : -log((double)classes);
}

/* A method tried on all rows. */
typedef struct attempt {
    const cr__answers_seen *all;
    const uint32_t *fold; /* [rows] */
    int kind;
    answers out;
} attempt;

static cr_status try_fold(void *context, size_t f, cr_error *err)
{
    const attempt *a = context;
    const cr__answers_seen *all = a->all;
    const uint32_t *fold = a->fold;
    const answers *out = &a->out;
    uint32_t *list = cr__alloc(all->rows + 1, sizeof *list);
    cr__answers_seen part = *all;
    cr__calibration *c = NULL;
    cr_status st = CR_OK;

    if (list == NULL)
        return cr__fail_memory(err);
    part.row = list;
    part.rows = cr__folds_list(fold, all->row, all->rows, (uint32_t)f, 0, list);
    if (a->kind != 0)
        st = cr__calibration_fit(&c, (cr__calibration_kind)a->kind, &part, err);
    for (size_t r = 0; st == CR_OK && r < all->rows; r++)
        if (fold[r] == f) {
            double *log_p = out->log_p + r * all->classes;

            answer_row(c, all->score + r * all->classes, all->classes, log_p);
            out->loss[r] = -log_p[all->truth[r]];
        }
    cr__calibration_free(c);
    cr__free(list);
    return st;
}

static cr_status try_kind(const cr__answers_seen *all, int kind, const uint32_t *fold,
                          const cr_run *run, answers *out, cr_error *err)
{
    const cr_run quiet = {.threads = run->threads};
    attempt a = {all, fold, kind, {0}};

    a.out.log_p = cr__alloc(all->rows + 1, all->classes * sizeof *a.out.log_p);
    a.out.loss = cr__alloc(all->rows + 1, sizeof *a.out.loss);
    *out = a.out;
    if (out->log_p == NULL || out->loss == NULL)
        return cr__fail_memory(err);
    return cr__parallel_for(&quiet, CROSS_FOLDS, try_fold, &a, err);
}

/* --- all methods ------------------------------------------------------------------------------ */

/* Whether to try a method on this many answers. */
static int may_try(const char *method, int kind, const cr__answers_seen *all)
{
    const double cells = (double)all->rows * (double)(all->classes > 2 ? all->classes : 1);

    if (strcmp(method, "auto") != 0)
        return strcmp(method, cr__calibration_name((cr__calibration_kind)kind)) == 0;
    switch (kind) {
    case 0: return 1;
    case CR__CALIBRATION_TEMPERATURE: return all->classes > 1 && all->rows >= VERY_FEW_ROWS;
    case CR__CALIBRATION_ISOTONIC:
        return all->classes > 1 && all->rows >= FEW_ROWS && cells <= ISOTONIC_MOST;
    case CR__CALIBRATION_PLATT:
    case CR__CALIBRATION_BETA:
        return all->classes > 1 && all->rows >= FEW_ROWS && cells <= CURVES_MOST;
    default: return 0;
    }
}

static void keep_better(cr__trial *t, answers *now, int kind, const double *weight, size_t rows)
{
    double gain, error;

    if (t->loss != NULL) {
        cr__paired_loss(t->loss, now->loss, weight, rows, &gain, &error);
        if (!(gain > error / 2)) {
            free_answers(now);
            return;
        }
    }
    cr__free(t->log_p);
    cr__free(t->loss);
    t->log_p = now->log_p;
    t->loss = now->loss;
    t->kind = kind;
    *now = (answers){0};
}

static cr_status try_methods(cr__trial *t, const char *method, const cr__answers_seen *all,
                             uint32_t *fold, const cr_run *run, cr_error *err)
{
    const cr__deal deal = {.rows = all->rows, .folds = CROSS_FOLDS, .seed = 1};
    cr_status st = cr__folds_deal(fold, &deal, err);

    for (int kind = 0; st == CR_OK && kind <= CR__CALIBRATION_CONFIDENCE; kind++) {
        answers now = {0};

        if (!may_try(method, kind, all))
            continue;
        if ((st = try_kind(all, kind, fold, run, &now, err)) == CR_OK)
            keep_better(t, &now, kind, all->weight, all->rows);
        free_answers(&now);
    }
    if (st == CR_OK && t->loss == NULL)
        st = cr__fail(err, CR_EARG, "there is no calibration '%s'", method);
    return st;
}

static cr_status calibrate(cr__trial *t, const char *method, const cr_run *run, cr_error *err)
{
    const cr_cv *cv = t->cv;
    uint32_t *row = cr__alloc(cv->rows + 1, 2 * sizeof *row);
    cr__answers_seen all = {.classes = cv->classes,
                            .score = cv->score,
                            .truth = cv->truth,
                            .weight = cv->weight,
                            .row = row,
                            .rows = cv->rows,
                            .prior = CR__TEMPERATURE_PRIOR};
    cr_status st;

    if (row == NULL)
        return cr__fail_memory(err);
    for (size_t r = 0; r < cv->rows; r++)
        row[r] = (uint32_t)r;
    st = try_methods(t, method, &all, row + cv->rows, run, err);
    cr__free(row);
    return st;
}

/* --- a trial ---------------------------------------------------------------------------------- */

static cr_status take_numbers(cr__trial *t, cr_error *err)
{
    if ((t->loss = cr__alloc(t->cv->rows + 1, sizeof *t->loss)) == NULL)
        return cr__fail_memory(err);
    for (size_t r = 0; r < t->cv->rows; r++) {
        const cr_regression *f = &t->cv->regression[r];

        t->loss[r] = -cr_regression_log_density(f, f->truth);
    }
    return CR_OK;
}

static void take_figures(cr__trial *t)
{
    const cr_cv *cv = t->cv;
    double sum = 0, right = 0, all = 0;

    for (size_t r = 0; r < cv->rows; r++) {
        const double w = cv->weight == NULL ? 1 : cv->weight[r];
        const double *p = t->log_p == NULL ? NULL : t->log_p + r * cv->classes;
        size_t best = 0;

        for (size_t c = 1; p != NULL && c < cv->classes; c++)
            best = p[c] > p[best] ? c : best;
        sum += w * t->loss[r];
        right += w * (p != NULL && (int32_t)best == cv->truth[r]);
        all += w;
    }
    t->rows = cv->rows;
    t->mean = all > 0 ? sum / all : NAN;
    t->right = t->log_p != NULL && all > 0 ? right / all : NAN;
}

cr_status cr__auto_judge(const cr__auto *a, cr__trial *t, cr_study *study, cr_error *err)
{
    cr_status st;

    cr__trial_forget(t);
    t->kind = 0;
    st = cr__cv_run_bare(&t->cv, study, t->learner, (const char *const *)t->param, t->params, err);
    if (st == CR_OK)
        st = t->cv->regression != NULL ? take_numbers(t, err)
                                       : calibrate(t, a->options.method, &study->run, err);
    if (st != CR_OK) {
        cr__trial_forget(t);
        return st;
    }
    take_figures(t);
    t->work += cr__trial_cost(t, t->rows) * (double)(study->folds + 1);
    return CR_OK;
}
