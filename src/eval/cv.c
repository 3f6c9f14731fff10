/* eval/cv.c - the answers of models to unseen rows. */
#include "credence/cv.h"

#include <math.h>
#include <string.h>
#include <time.h>

#include "base/fail.h"
#include "base/memory.h"
#include "base/sized.h"
#include "base/special.h"
#include "data/folds.h"
#include "decide/rule.h"
#include "eval/auto.h"
#include "eval/calibration_choose.h"
#include "eval/cv_impl.h"
#include "eval/evaluation.h"
#include "base/parallel.h"
#include "eval/regression.h"
#include "eval/study.h"
#include "model/scorer.h"

void cr_cv_free(cr_cv *cv)
{
    if (cv == NULL)
        return;
    cr_model_free(cv->model);
    cr__free(cv->fold);
    cr__free(cv->line);
    cr__free(cv->truth);
    cr__free(cv->weight);
    cr__free(cv->score);
    cr__free(cv->regression);
    cr__free(cv);
}

static double now(void)
{
    struct timespec t;

    clock_gettime(CLOCK_MONOTONIC, &t);
    return (double)t.tv_sec + (double)t.tv_nsec * 1e-9;
}

/* --- the rows --------------------------------------------------------------------------------- */

/* The classes of the rows, by the model of all rows. */
static cr_status take_truth(cr_cv *cv, const cr__rowset *set, cr_error *err)
{
    const size_t target = set->table->schema->target;
    const cr__dict *from = set->table->column[target].dict;
    const cr__dict *to = cv->model->dict[cv->model->schema->target];
    int32_t *of = cr__alloc((size_t)from->words + 1, sizeof *of);

    if (of == NULL)
        return cr__fail_memory(err);
    for (uint32_t k = 0; k < from->words; k++) {
        size_t length;
        const char *name = cr__dict_word(from, k + 1, &length);

        of[k] = (int32_t)cr__dict_find(to, name, length) - 1;
    }
    for (size_t r = 0; r < cv->rows; r++)
        cv->truth[r] = of[set->class_code[r]];
    cr__free(of);
    return CR_OK;
}

/* The lines of the rows: the first is enough where none is left out. 0 when out of memory. */
static int take_lines(cr_cv *cv, const cr__rowset *set)
{
    const uint64_t *line = set->table->line;
    size_t r = 0;

    cv->first_line = line[set->row[0]];
    while (r < cv->rows && line[set->row[r]] == cv->first_line + r)
        r++;
    if (r == cv->rows)
        return 1;
    if ((cv->line = cr__alloc(cv->rows, sizeof *cv->line)) == NULL)
        return 0;
    for (r = 0; r < cv->rows; r++)
        cv->line[r] = line[set->row[r]];
    return 1;
}

/* What will be held: the rows, an answer to each in each repeat, and these again in the order of
 * their posteriors. */
static double needed(const cr_cv *cv, const cr__candidate *c)
{
    const cr__rowset *set = c->set;
    const double answers = (double)cv->repeats * (double)cv->rows;
    const double each =
        set->class_code == NULL ? sizeof *cv->regression : (double)cv->classes * sizeof *cv->score;

    return cr__study_bytes(c->study) +
           (double)cv->rows *
               (sizeof *cv->truth + (set->table->weight == NULL ? 0 : sizeof *cv->weight)) +
           answers * (each + (set->fold == NULL ? 0 : sizeof *cv->fold)) +
           (set->class_code == NULL ? 0
                                    : cr__evaluation_bytes(cv->repeats * cv->rows, cv->classes));
}

static cr_status take_rows(cr_cv *cv, const cr__candidate *c, cr_error *err)
{
    const cr__rowset *set = c->set;
    const size_t answers = cv->repeats * cv->rows;

    if (cv->classes > SIZE_MAX / sizeof *cv->score / answers)
        return cr__fail_memory(err);
    if (cr__run_afford(&c->study->run, needed(cv, c), "the rows and the answers to them", err) !=
        CR_OK)
        return CR_ELIMIT;
    if (set->class_code == NULL &&
        (cv->regression = cr__alloc_zero(answers, sizeof *cv->regression)) == NULL)
        return cr__fail_memory(err);
    cv->truth = cr__alloc(cv->rows, sizeof *cv->truth);
    cv->score = cr__alloc(answers * cv->classes, sizeof *cv->score);
    cv->fold = set->fold == NULL ? NULL : cr__alloc(answers, sizeof *cv->fold);
    cv->weight = set->table->weight == NULL ? NULL : cr__alloc(cv->rows, sizeof *cv->weight);
    if (cv->truth == NULL || cv->score == NULL || (set->fold != NULL && cv->fold == NULL) ||
        (set->table->weight != NULL && cv->weight == NULL))
        return cr__fail(err, CR_ENOMEM, "out of memory for the answers to %zu rows", answers);
    if (cv->fold != NULL)
        memcpy(cv->fold, set->fold, answers * sizeof *cv->fold);
    for (size_t r = 0; cv->weight != NULL && r < cv->rows; r++)
        cv->weight[r] = set->table->weight[set->row[r]];
    if (!take_lines(cv, set))
        return cr__fail_memory(err);
    return set->class_code == NULL ? CR_OK : take_truth(cv, set, err);
}

/* --- folds ------------------------------------------------------------------------------------ */

typedef struct testing {
    const cr__candidate *candidate;
    cr_cv *cv;
} testing;

/* The rows of fold i, or row i where one is left out at a time, as places among all rows; `row`
 * has them in the table. */
static cr_status list_fold(const cr_cv *cv, const cr__rowset *set, size_t i, uint32_t **row,
                           uint32_t *one, const uint32_t **place, size_t *rows, cr_error *err)
{
    *one = (uint32_t)i;
    *place = one;
    *rows = 1;
    if (cv->fold != NULL)
        *place = cr__rowset_fold(set, cv->folds, i, rows);
    if ((*row = cr__alloc(*rows, sizeof **row)) == NULL)
        return cr__fail_memory(err);
    for (size_t r = 0; r < *rows; r++)
        (*row)[r] = set->row[(*place)[r]];
    return CR_OK;
}

/* Scores of the rows of one fold into their places. */
cr_status cr__cv_score_fold(cr_cv *cv, const cr__rowset *set, size_t i, const cr_model *model,
                            cr_error *err)
{
    const size_t repeat = cv->fold == NULL ? 0 : i / cv->folds;
    const uint32_t *to;
    uint32_t *row = NULL, one;
    size_t rows, *place = NULL;
    cr_status st = list_fold(cv, set, i, &row, &one, &to, &rows, err);

    if (st == CR_OK)
        st = cr__class_places(model, cv->model, &place, err);
    if (st == CR_OK)
        st = cr__score_rows(model, set->table, row, rows, place, cv->classes, to,
                            cv->score + repeat * cv->rows * cv->classes, err);
    cr__free(place);
    cr__free(row);
    return st;
}

static cr_status test_fold(void *context, size_t i, cr_error *err)
{
    const testing *x = context;
    cr_model *model = NULL;
    cr_status st = cr__candidate_without(x->candidate, i, &model, err);

    if (st == CR_OK)
        st = x->cv->regression != NULL
                 ? cr__cv_regress_fold(x->cv, x->candidate->set, i, model, err)
                 : cr__cv_score_fold(x->cv, x->candidate->set, i, model, err);
    cr_model_free(model);
    return st;
}

static cr_status train_whole(const cr__candidate *c, cr_model **out, cr_error *err)
{
    const cr__parts *parts;
    cr__stats *total = NULL;
    cr_status st = CR_OK;

    if ((c->adds || c->cuts) && (st = cr__candidate_parts(c, &parts, err)) == CR_OK) {
        if (cr__rowset_has_texts(c->set)) /* which may be weighted by the training */
            st = cr__stats_sum(&total, &parts->total, 1, err);
        else
            total = cr__stats_share(parts->total);
    }
    if (st == CR_OK)
        st = cr__candidate_train(c, c->set->row, c->set->rows, total, c->study->run.threads, out,
                                 err);
    return st;
}

cr_status cr_study_train(cr_study *study, const char *learner, const char *const *params,
                         size_t param_count, cr_model **out, cr_error *err)
{
    cr__auto_options options;
    cr__candidate c;
    cr_cv *cv = NULL;
    int bare;
    cr_status st = cr__study_take_none(study, learner, &params, &param_count, &bare, err);

    *out = NULL;
    if (st == CR_OK)
        st = cr__study_usual(study, learner, 0, &params, &param_count, err);
    if (st != CR_OK)
        return st;
    if (cr__auto_named(learner, params, param_count)) {
        st = cr__auto_read(&options, learner, params, param_count, err);
        return st == CR_OK ? cr__auto_choose(study, &options, out, err) : st;
    }
    if (!study->calibrated || bare) {
        st = cr__candidate_open(&c, study, learner, params, param_count, err);
        return st == CR_OK ? train_whole(&c, out, err) : st;
    }
    st = cr__cv_run_bare(&cv, study, learner, params, param_count, err);
    if (st == CR_OK && cv->classes > 1)
        st = cr__cv_calibrate_model(cv, err);
    if (st == CR_OK) {
        *out = cv->model;
        cv->model = NULL;
    }
    cr_cv_free(cv);
    return st;
}

/* --- one at a time ---------------------------------------------------------------------------- */

enum { ROWS_AT_ONCE = 4096 };

/* Some of the rows: scored by the model of all with each removed, or by a model without it. */
static cr_status leave_out_some(void *context, size_t task, cr_error *err)
{
    const testing *x = context;
    cr_cv *cv = x->cv;
    const cr_model *model = cv->model;
    const cr__rowset *set = x->candidate->set;
    const size_t first = task * ROWS_AT_ONCE;
    const size_t rows = cv->rows - first < ROWS_AT_ONCE ? cv->rows - first : ROWS_AT_ONCE;
    unsigned char *done = cr__alloc_zero(ROWS_AT_ONCE, 1);
    double *score = cv->score + first * cv->classes;
    cr_source *source = NULL;
    cr__scorer scorer = {0};
    cr__batch *batch = NULL;
    void *state = NULL;
    size_t at = 0;
    cr__chunk chunk;
    cr_status st = done == NULL
                       ? cr__fail_memory(err)
                       : cr__source_open_table(&source, set->table, set->row + first, rows, err);

    if (st == CR_OK)
        st = cr__source_bind(source, model->schema, 1, 0, err);
    if (st == CR_OK)
        st = cr__scorer_open(&scorer, model, err);
    if (st == CR_OK)
        st = cr__batch_new(&batch, model->schema, err);
    if (st == CR_OK)
        st = model->learner->leaves_one_out->open(&state, model->share->fitted, model->stats,
                                                  &model->knobs, err);
    while (st == CR_OK && (st = cr__source_next(source, &chunk, err)) == CR_OK) {
        while ((st = cr__source_parse(&chunk, &scorer.plan, batch, err)) == CR_OK) {
            cr__text_plan_sort(batch);
            model->learner->leaves_one_out->score(state, batch, score + at * cv->classes,
                                                  done + at);
            at += batch->rows;
        }
        cr__source_release(&chunk);
        st = st == CR_END ? CR_OK : st;
    }
    st = st == CR_END ? CR_OK : st;
    for (size_t r = 0; st == CR_OK && r < rows; r++)
        if (!done[r])
            st = test_fold(context, first + r, err);
    if (state != NULL)
        model->learner->leaves_one_out->close(state);
    cr__batch_free(batch);
    cr__scorer_close(&scorer);
    cr_source_close(source);
    cr__free(done);
    return st;
}

/* Whether the candidate can leave one out without a model for each row. */
static int can_decrement(const cr_cv *cv, const cr__candidate *c)
{
    const cr__leaves_one_out *without = c->kind->leaves_one_out;
    void *state = NULL;
    const int can = c->study->leave_one_out && c->adds && without != NULL &&
                    without->open(&state, cv->model->share->fitted, cv->model->stats,
                                  &cv->model->knobs, NULL) == CR_OK;

    if (can)
        without->close(state);
    return can;
}

static cr_status run_folds(cr_cv *cv, const cr__candidate *c, cr_error *err)
{
    testing x = {c, cv};
    const size_t answers = cv->rows * cv->repeats;
    void *results = cv->regression != NULL ? (void *)cv->regression : (void *)cv->score;
    const size_t words = cv->regression != NULL
                             ? answers * (sizeof *cv->regression / sizeof(uint64_t))
                             : answers * cv->classes;

    if (!can_decrement(cv, c))
        return cr__parallel_deal(&c->study->run, cv->folds * cv->repeats, test_fold, &x, results,
                                 words, err);
    cv->way = CR_CV_DECREMENTED;
    return cr__parallel_deal(&c->study->run, (cv->rows + ROWS_AT_ONCE - 1) / ROWS_AT_ONCE,
                             leave_out_some, &x, results, words, err);
}

cr_status cr__cv_begin(cr_cv *cv, const cr__candidate *c, cr_error *err)
{
    cv->rows = c->set->rows;
    cv->unlabelled = c->set->unlabelled;
    cv->folds = c->study->leave_one_out ? cv->rows : c->study->folds;
    cv->repeats = c->study->repeats;
    cv->classes = c->set->class_code == NULL ? 0 : cv->model->classes;
    cv->way = c->adds ? CR_CV_SUBTRACTED : CR_CV_RETRAINED;
    return take_rows(cv, c, err);
}

cr_status cr_cv_run(cr_cv **out, cr_study *study, const char *learner, const char *const *params,
                    size_t param_count, cr_error *err)
{
    int bare;
    cr_status st = cr__study_take_none(study, learner, &params, &param_count, &bare, err);

    *out = NULL;
    if (st == CR_OK)
        st = cr__study_usual(study, learner, 0, &params, &param_count, err);
    if (st != CR_OK)
        return st;
    if (cr__auto_named(learner, params, param_count))
        return cr__auto_cv(out, study, learner, params, param_count, err);
    st = cr__cv_run_bare(out, study, learner, params, param_count, err);
    if (st == CR_OK && study->calibrated && !bare &&
        (st = cr__cv_calibrate(*out, &study->run, err)) != CR_OK) {
        cr_cv_free(*out);
        *out = NULL;
    }
    return st;
}

cr_status cr__cv_run_bare(cr_cv **out, cr_study *study, const char *learner,
                          const char *const *params, size_t param_count, cr_error *err)
{
    cr_cv *cv;
    cr__candidate c;
    double began;
    cr_status st;

    *out = NULL;
    cv = cr__alloc_zero(1, sizeof *cv);
    st = cv == NULL ? cr__fail_memory(err)
                    : cr__candidate_open(&c, study, learner, params, param_count, err);
    began = now();
    if (st == CR_OK)
        st = train_whole(&c, &cv->model, err);
    if (st == CR_OK)
        st = cr__cv_begin(cv, &c, err);
    if (st == CR_OK)
        st = run_folds(cv, &c, err);
    if (st != CR_OK) {
        cr_cv_free(cv);
        return st;
    }
    cv->seconds = now() - began;
    *out = cv;
    return CR_OK;
}

/* --- figures ---------------------------------------------------------------------------------- */

void cr_cv_get_facts(const cr_cv *cv, cr_cv_facts *out)
{
    *out = (cr_cv_facts){.rows = cv->rows,
                         .folds = cv->folds,
                         .repeats = cv->repeats,
                         .classes = cv->classes,
                         .unlabelled = cv->unlabelled,
                         .way = cv->way,
                         .numbers = cv->regression != NULL,
                         .seconds = cv->seconds};
}

const cr_model *cr_cv_model(const cr_cv *cv)
{
    return cv->model;
}

/* The answer, and with logs ln P(class | row), [classes]. */
static void answer(const cr_cv *cv, size_t repeat, size_t row, const cr_rule *rule,
                   cr_cv_answer *out, double *posterior, double *logs)
{
    const double *score = cr__cv_score(cv, repeat, row);
    double evidence, cost;
    cr_reason reason;

    *out = (cr_cv_answer){.line = cr__cv_line(cv, row),
                          .fold = cr__cv_fold(cv, repeat, row),
                          .truth = cv->truth[row],
                          .weight = cv->weight == NULL ? 1 : cv->weight[row]};
    out->decision = cr__rule_decide(rule, score, cv->classes, posterior, &evidence, &cost, &reason);
    for (size_t c = 0; logs != NULL && c < cv->classes; c++)
        logs[c] = fmin(0, score[c] + cr__rule_shift(rule, c) - evidence);
}

cr_status cr_cv_get(const cr_cv *cv, size_t repeat, size_t row, const cr_rule *rule,
                    cr_cv_answer *out, double *posterior)
{
    if (cv->regression != NULL || repeat >= cv->repeats || row >= cv->rows)
        return CR_EARG;
    answer(cv, repeat, row, rule, out, posterior, NULL);
    return CR_OK;
}

cr_status cr_cv_evaluate(const cr_cv *cv, size_t fold, const cr_rule *rule, cr_evaluation **out,
                         cr_error *err)
{
    double *posterior = cr__alloc(2 * cv->classes, sizeof *posterior);
    double *logs = posterior == NULL ? NULL : posterior + cv->classes;
    cr_cv_answer a;
    cr_status st = cv->regression != NULL
                       ? cr__fail(err, CR_EARG,
                                  "a model of '%s' is a regression: there are no "
                                  "classes",
                                  cr_model_learner(cv->model))
                   : posterior == NULL ? cr__fail_memory(err)
                                       : cr_evaluation_new(out, cv->classes, err);

    if (st == CR_OK && (st = cr_evaluation_use_rule(*out, rule, err)) != CR_OK)
        cr_evaluation_free(*out);
    for (size_t i = 0; st == CR_OK && i < cv->repeats; i++)
        for (size_t r = 0; r < cv->rows; r++)
            if (fold == SIZE_MAX || i * cv->folds + cr__cv_fold(cv, i, r) == fold) {
                answer(cv, i, r, rule, &a, posterior, logs);
                cr_evaluation_add_logs(*out, posterior, logs, a.decision, a.truth, a.weight);
            }
    cr__free(posterior);
    return st;
}

cr_status cr__cv_evaluate_all(const cr_cv *cv, const cr_rule *rule, cr_evaluation *all,
                              cr_evaluation *const *fold, cr_error *err)
{
    double *posterior = cr__alloc(2 * cv->classes, sizeof *posterior);
    double *logs = posterior == NULL ? NULL : posterior + cv->classes;
    cr_evaluation *into[2];
    cr_cv_answer a;

    if (posterior == NULL)
        return cr__fail_memory(err);
    for (size_t i = 0; i < cv->repeats; i++)
        for (size_t r = 0; r < cv->rows; r++) {
            size_t count = 0;

            answer(cv, i, r, rule, &a, posterior, logs);
            if (all != NULL)
                into[count++] = all;
            if (fold != NULL)
                into[count++] = fold[i * cv->folds + a.fold];
            cr__evaluations_add(into, count,
                                &(cr__answered){posterior, logs, a.decision, a.truth, a.weight});
        }
    cr__free(posterior);
    return CR_OK;
}

void cr_corrected_spread(const double *figure, size_t count, double test_over_train, cr_spread *out)
{
    double sum = 0, squares = 0, half;

    *out = (cr_spread){.mean = NAN, .deviation = NAN, .low = NAN, .high = NAN};
    for (size_t i = 0; i < count; i++)
        if (!isnan(figure[i])) {
            sum += figure[i];
            out->count++;
        }
    if (out->count == 0)
        return;
    out->mean = sum / (double)out->count;
    for (size_t i = 0; i < count; i++)
        if (!isnan(figure[i]))
            squares += (figure[i] - out->mean) * (figure[i] - out->mean);
    if (out->count < 2)
        return;
    out->deviation = sqrt(squares / (double)(out->count - 1));
    half = cr__student_quantile((double)(out->count - 1), 0.975) * out->deviation *
           sqrt(1 / (double)out->count + test_over_train);
    out->low = out->mean - half;
    out->high = out->mean + half;
}
