/* eval/auto_judge.c - judge candidates by the log loss of their calibrated answers to unseen rows.
 *
 * The answers of a cross-validation are calibrated by each allowed method, every row by a function
 * fitted without it (five folds), so that methods and candidates are compared by their performance
 * on new rows. A method is chosen when it is better than the simpler ones by more than half the
 * standard error of the paired difference. Of many rows some thousands are used for that.
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
#include "eval/calibration_choose.h"
#include "learners/ensemble/ensemble.h"

enum { CROSS_FOLDS = 5, VERY_FEW_ROWS = 10, FEW_ROWS = 300, ROWS_AT_ONCE = 4096 };

/* Up to this many of these rows × classes, methods that fit a function for each class are tried. */
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

/* The rows that calibrations are fitted on, at most a few thousand, evenly spread over all; and the
 * functions of the method that is tried: one without each fold of them, and one by all of them for
 * the rows that are none of them. */
typedef struct fitting {
    const cr__answers_seen *all;
    const char *method;
    uint32_t *list; /* [rows] of all */
    size_t rows;
    uint32_t *fold;                           /* [all rows], CROSS_FOLDS: not listed */
    double *loss;                             /* [rows] of those listed */
    cr__calibration *odds[CROSS_FOLDS + 1];   /* tallies of each fold, and of all; or NULL */
    cr__calibration *by[CROSS_FOLDS + 1];     /* the functions that are tried */
    cr__calibration *chosen[CROSS_FOLDS + 1]; /* the best so far */
    int kind;
} fitting;

static void free_functions(cr__calibration **c)
{
    for (size_t f = 0; f <= CROSS_FOLDS; f++) {
        cr__calibration_free(c[f]);
        c[f] = NULL;
    }
}

static void close_fitting(fitting *x)
{
    free_functions(x->odds);
    free_functions(x->by);
    free_functions(x->chosen);
    cr__free(x->list);
    cr__free(x->fold);
    cr__free(x->loss);
}

static cr_status open_fitting(fitting *x, const cr__answers_seen *all, const char *method,
                              cr_error *err)
{
    const size_t most = cr__calibration_rows_most(all->classes);
    uint32_t *fold;
    cr_status st;

    *x = (fitting){.all = all, .method = method, .rows = all->rows < most ? all->rows : most};
    x->list = cr__alloc(x->rows + 1, sizeof *x->list);
    x->fold = cr__alloc(all->rows + 1, sizeof *x->fold);
    x->loss = cr__alloc(x->rows + 1, 2 * sizeof *x->loss);
    fold = cr__alloc(x->rows + 1, sizeof *fold);
    st = x->list == NULL || x->fold == NULL || x->loss == NULL || fold == NULL
             ? cr__fail_memory(err)
             : cr__folds_deal(fold, &(cr__deal){.rows = x->rows, .folds = CROSS_FOLDS, .seed = 1},
                              err);
    for (size_t r = 0; st == CR_OK && r < all->rows; r++)
        x->fold[r] = CROSS_FOLDS;
    for (size_t i = 0; st == CR_OK && i < x->rows; i++) {
        x->list[i] = (uint32_t)(i * all->rows / x->rows);
        x->fold[x->list[i]] = fold[i];
    }
    cr__free(fold);
    return st;
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

static double row_weight(const cr__answers_seen *all, size_t r)
{
    return all->weight == NULL ? 1 : all->weight[r];
}

/* Functions of one class against the rest are fitted to the same tallies of log-odds. */
static int counts_odds(int kind, size_t classes)
{
    return kind != 0 && !cr__calibration_is_temperature((cr__calibration_kind)kind) &&
           cr__calibration_tallies((cr__calibration_kind)kind, classes) > 0;
}

static cr_status count_fold(void *context, size_t f, cr_error *err)
{
    fitting *x = context;
    cr_status st =
        cr__calibration_begin(&x->odds[f], CR__CALIBRATION_PLATT, x->all->classes, NULL, err);

    for (size_t i = 0; st == CR_OK && i < x->rows; i++) {
        const size_t r = x->list[i];

        if (x->fold[r] == f)
            cr__calibration_count(x->odds[f], x->all->score + r * x->all->classes,
                                  (size_t)x->all->truth[r], row_weight(x->all, r), 1);
    }
    return st;
}

static cr_status count_odds(fitting *x, const cr_run *run, cr_error *err)
{
    cr__calibration *total;
    cr_status st = x->odds[CROSS_FOLDS] != NULL
                       ? CR_OK
                       : cr__parallel_for(run, CROSS_FOLDS, count_fold, x, err);

    if (st != CR_OK || x->odds[CROSS_FOLDS] != NULL)
        return st;
    st = cr__calibration_begin(&total, CR__CALIBRATION_PLATT, x->all->classes, NULL, err);
    for (size_t f = 0; st == CR_OK && f < CROSS_FOLDS; f++)
        for (size_t i = 0; i < total->tallies; i++)
            total->tally[i] += x->odds[f]->tally[i];
    x->odds[CROSS_FOLDS] = total;
    return st;
}

/* The function of the kind on the listed rows without a fold of them. */
static cr_status fit_without(fitting *x, size_t f, cr_error *err)
{
    cr__answers_seen part = *x->all;
    uint32_t *list;
    cr_status st;

    if (counts_odds(x->kind, x->all->classes)) {
        st = cr__calibration_begin(&x->by[f], (cr__calibration_kind)x->kind, x->all->classes,
                                   x->odds[CROSS_FOLDS]->tally, err);
        for (size_t i = 0; st == CR_OK && f < CROSS_FOLDS && i < x->by[f]->tallies; i++)
            x->by[f]->tally[i] -= x->odds[f]->tally[i];
        return st == CR_OK ? cr__calibration_settle(x->by[f], err) : st;
    }
    if ((list = cr__alloc(x->rows + 1, sizeof *list)) == NULL)
        return cr__fail_memory(err);
    part.row = list;
    part.rows = 0;
    for (size_t i = 0; i < x->rows; i++)
        if (x->fold[x->list[i]] != f)
            list[part.rows++] = x->list[i];
    st = cr__calibration_fit(&x->by[f], (cr__calibration_kind)x->kind, &part, err);
    cr__free(list);
    return st;
}

/* Fit without a fold, and judge its rows. */
static cr_status try_fold(void *context, size_t f, cr_error *err)
{
    fitting *x = context;
    const size_t K = x->all->classes;
    double *log_p = cr__alloc(K, sizeof *log_p);
    cr_status st = log_p == NULL  ? cr__fail_memory(err)
                   : x->kind == 0 ? CR_OK
                                  : fit_without(x, f, err);

    for (size_t i = 0; st == CR_OK && f < CROSS_FOLDS && i < x->rows; i++) {
        const size_t r = x->list[i];

        if (x->fold[r] != f)
            continue;
        answer_row(x->by[f], x->all->score + r * K, K, log_p);
        x->loss[i] = -log_p[x->all->truth[r]];
    }
    cr__free(log_p);
    return st;
}

/* --- all methods ------------------------------------------------------------------------------ */

/* Whether to try a method on the rows listed. Of two classes Platt's has a temperature. */
static int may_try(const fitting *x, int kind)
{
    const size_t K = x->all->classes;
    const double cells = (double)x->rows * (double)(K > 2 ? K : 1);

    if (strcmp(x->method, "auto") != 0)
        return strcmp(x->method, cr__calibration_name((cr__calibration_kind)kind)) == 0;
    switch (kind) {
    case 0: return 1;
    case CR__CALIBRATION_TEMPERATURE:
        return K > 1 && x->rows >= VERY_FEW_ROWS && (K > 2 || x->rows < FEW_ROWS);
    case CR__CALIBRATION_ISOTONIC: return K > 1 && x->rows >= FEW_ROWS && cells <= ISOTONIC_MOST;
    case CR__CALIBRATION_PLATT:
    case CR__CALIBRATION_BETA: return K > 1 && x->rows >= FEW_ROWS && cells <= CURVES_MOST;
    default: return 0;
    }
}

/* The better of the kind just tried and the best so far, by the losses of the rows listed; the
 * second half of x->loss has those of the best. */
static cr_status keep_better(fitting *x, int *best, cr_error *err)
{
    double *least = x->loss + x->rows, *weight = NULL, gain, error;

    if (*best >= 0) {
        if (x->all->weight != NULL) {
            if ((weight = cr__alloc(x->rows + 1, sizeof *weight)) == NULL)
                return cr__fail_memory(err);
            for (size_t i = 0; i < x->rows; i++)
                weight[i] = x->all->weight[x->list[i]];
        }
        cr__paired_loss(least, x->loss, weight, x->rows, &gain, &error);
        cr__free(weight);
        if (!(gain > error / 2)) {
            free_functions(x->by);
            return CR_OK;
        }
    }
    free_functions(x->chosen);
    memcpy(x->chosen, x->by, sizeof x->by);
    memset(x->by, 0, sizeof x->by);
    memcpy(least, x->loss, x->rows * sizeof *least);
    *best = x->kind;
    return CR_OK;
}

static cr_status try_methods(fitting *x, const cr_run *run, int *best, cr_error *err)
{
    const size_t functions = CROSS_FOLDS + (x->rows < x->all->rows);
    cr_status st = CR_OK;

    *best = -1;
    for (int kind = 0; st == CR_OK && kind <= CR__CALIBRATION_CONFIDENCE; kind++) {
        if (!may_try(x, kind))
            continue;
        x->kind = kind;
        if (counts_odds(kind, x->all->classes))
            st = count_odds(x, run, err);
        if (st == CR_OK)
            st = cr__parallel_for(run, functions, try_fold, x, err);
        if (st == CR_OK)
            st = keep_better(x, best, err);
    }
    if (st == CR_OK && *best < 0)
        st = cr__fail(err, CR_EARG, "there is no calibration '%s'", x->method);
    return st;
}

/* --- the answers ------------------------------------------------------------------------------ */

typedef struct answering {
    const fitting *x;
    cr__trial *trial;
} answering;

static cr_status answer_some(void *context, size_t task, cr_error *err)
{
    const answering *a = context;
    const fitting *x = a->x;
    const size_t K = x->all->classes, first = task * ROWS_AT_ONCE;
    const size_t end = first + ROWS_AT_ONCE < x->all->rows ? first + ROWS_AT_ONCE : x->all->rows;

    (void)err;
    for (size_t r = first; r < end; r++) {
        double *log_p = a->trial->log_p + r * K;

        answer_row(x->chosen[x->fold[r]], x->all->score + r * K, K, log_p);
        a->trial->loss[r] = -log_p[x->all->truth[r]];
    }
    return CR_OK;
}

static cr_status calibrate(cr__trial *t, const char *method, const cr_run *given, cr_error *err)
{
    const cr_run run = {.threads = given->threads, .pool = given->pool};
    const cr_cv *cv = t->cv;
    const cr__answers_seen all = {.classes = cv->classes,
                                  .score = cv->score,
                                  .truth = cv->truth,
                                  .weight = cv->weight,
                                  .rows = cv->rows,
                                  .prior = CR__TEMPERATURE_PRIOR};
    fitting x;
    cr_status st = open_fitting(&x, &all, method, err);

    t->log_p = cr__alloc(cv->rows + 1, cv->classes * sizeof *t->log_p);
    t->loss = cr__alloc(cv->rows + 1, sizeof *t->loss);
    if (st == CR_OK && (t->log_p == NULL || t->loss == NULL))
        st = cr__fail_memory(err);
    if (st == CR_OK)
        st = try_methods(&x, &run, &t->kind, err);
    if (st == CR_OK)
        st = cr__parallel_for(&run, (cv->rows + ROWS_AT_ONCE - 1) / ROWS_AT_ONCE, answer_some,
                              &(answering){&x, t}, err);
    close_fitting(&x);
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
