/* eval/tune.c - settings tried on the same folds, hopeless ones given up early.
 *
 * A setting is abandoned once it has been tried on a third of the folds, at least three, and trails
 * the best so far on these by more than three standard errors of the paired difference.
 *
 * Nested: for each fold f the settings are judged on every other fold g by models that have seen
 * neither f nor g, and the best of them answers f (S. Varma & R. Simon, 2006). With statistics that
 * subtract that is one more subtraction.
 */
#include "credence/tune.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

#include "base/fail.h"
#include "base/memory.h"
#include "data/folds.h"
#include "belief/posterior.h"
#include "base/parallel.h"
#include "eval/regression.h"
#include "eval/study.h"
#include "eval/tune_space.h"

enum { USUAL_STEPS = 5 };

/* The figures of one fold: of classes, or of numbers. */
typedef struct mark {
    double accuracy, log_loss, macro_f1;
    double rmse, mae, r2, log_density;
} mark;

typedef struct entry {
    char **params;
    mark *fold; /* [folds] those tried */
    size_t tried;
    double score;
    int abandoned;
} entry;

struct cr_tuning {
    size_t axes, count, folds; /* folds: in all repeats */
    double ratio;              /* tested over learned rows */
    entry *entry;
    cr_tune_goal goal;
    int numbers;  /* are predicted, not classes */
    mark *honest; /* [folds], or NULL */
};

static void free_params(char **params, size_t count)
{
    for (size_t i = 0; params != NULL && i < count; i++)
        cr__free(params[i]);
    cr__free(params);
}

void cr_tuning_free(cr_tuning *t)
{
    if (t == NULL)
        return;
    for (size_t i = 0; i < t->count; i++) {
        free_params(t->entry[i].params, t->axes);
        cr__free(t->entry[i].fold);
    }
    cr__free(t->entry);
    cr__free(t->honest);
    cr__free(t);
}

/* More is better. A log density is a log-loss with its sign turned. */
static double goal_of(cr_tune_goal goal, const mark *m)
{
    return goal == CR_TUNE_ACCURACY   ? m->accuracy
           : goal == CR_TUNE_MACRO_F1 ? m->macro_f1
           : goal == CR_TUNE_RMSE     ? -m->rmse
           : goal == CR_TUNE_MAE      ? -m->mae
                                      : m->log_density - m->log_loss;
}

static cr_status check_goal(cr_tune_goal goal, int numbers, const char *learner, cr_error *err)
{
    if (numbers && (goal == CR_TUNE_ACCURACY || goal == CR_TUNE_MACRO_F1)) {
        cr__fail(err, CR_EARG, "%s predicts numbers, which have no accuracy and no F1", learner);
        return cr__fail_hint(err, CR_EARG, "--by log-density, rmse or mae");
    }
    if (!numbers && (goal == CR_TUNE_RMSE || goal == CR_TUNE_MAE)) {
        cr__fail(err, CR_EARG, "%s predicts classes, which have no distance", learner);
        return cr__fail_hint(err, CR_EARG, "--by log-loss, accuracy or macro-f1");
    }
    return CR_OK;
}

/* --- one fold -----------------------------------------------------------------------------------
 */

/* Rows that are in neither of two folds (b SIZE_MAX: one) of a repeat. */
static size_t list_others(const cr__deck *deck, const uint32_t *fold, size_t a, size_t b,
                          uint32_t *list)
{
    size_t n = 0;

    for (size_t r = 0; r < deck->rows; r++)
        if (fold[r] != a && fold[r] != b)
            list[n++] = deck->row[r];
    return n;
}

/* A model that has seen neither fold a nor fold b. */
static cr_status train_without(const cr__candidate *c, size_t repeat, size_t a, size_t b,
                               cr_model **out, cr_error *err)
{
    const cr__deck *deck = c->deck;
    const size_t folds = c->study->folds;
    const cr__parts *parts;
    cr__stats *less = NULL, *stats = NULL;
    uint32_t *list;
    cr_status st = CR_OK;

    if (b == SIZE_MAX)
        return cr__candidate_without(c, repeat * folds + a, out, err);
    if ((list = cr__alloc(deck->rows, sizeof *list)) == NULL)
        return cr__fail_memory(err);
    if (c->adds && (st = cr__candidate_parts(c, &parts, err)) == CR_OK &&
        (st = cr__stats_combine(&less, parts->total, parts->fold[repeat * folds + a], -1, err)) ==
            CR_OK)
        st = cr__stats_combine(&stats, less, parts->fold[repeat * folds + b], -1, err);
    cr__stats_free(less);
    if (st == CR_OK)
        st = cr__candidate_train(c, list,
                                 list_others(deck, deck->fold + repeat * deck->rows, a, b, list),
                                 stats, 1, out, err);
    cr__free(list);
    return st;
}

/* The figures of a model of numbers on a fold. */
static cr_status mark_numbers(const cr__deck *deck, const cr_model *model, const uint32_t *folds,
                              size_t fold, mark *out, cr_error *err)
{
    uint32_t *list = cr__alloc(deck->rows, sizeof *list);
    cr_regression_metrics m;
    cr_status st = list == NULL ? cr__fail_memory(err)
                                : cr__regression_judge(model, deck->table, list,
                                                       cr__folds_list(folds, deck->row, deck->rows,
                                                                      (uint32_t)fold, 1, list),
                                                       &m, err);

    if (st == CR_OK)
        *out = (mark){.rmse = m.rmse, .mae = m.mae, .r2 = m.r2, .log_density = m.log_density};
    cr__free(list);
    return st;
}

/* The figures of a model of classes on a fold. */
static cr_status mark_classes(const cr__deck *deck, const cr_model *model, const uint32_t *folds,
                              size_t fold, mark *out, cr_error *err)
{
    const size_t target = deck->table->schema->target;
    const cr__dict *dict = deck->table->column[target].dict;
    const size_t K = dict->words;
    uint32_t *list = cr__alloc(deck->rows, sizeof *list);
    const size_t rows =
        list == NULL ? 0 : cr__folds_list(folds, deck->row, deck->rows, (uint32_t)fold, 1, list);
    double *score = cr__alloc(rows + 1, K * sizeof *score);
    size_t *place = cr__alloc(model->classes + 1, sizeof *place), at = 0;
    cr_evaluation *e = NULL;
    cr_metrics m;
    cr_status st = list == NULL || score == NULL || place == NULL ? cr__fail_memory(err)
                                                                  : cr_evaluation_new(&e, K, err);

    for (size_t k = 0; st == CR_OK && k < model->classes; k++)
        place[k] =
            cr__dict_find(dict, cr_model_class(model, k), strlen(cr_model_class(model, k))) - 1;
    if (st == CR_OK)
        st = cr__score_rows(model, deck->table, list, rows, place, K, score, err);
    for (size_t r = 0; st == CR_OK && r < deck->rows; r++)
        if (folds[r] == fold) {
            double *p = score + at++ * K;
            const int32_t decision = cr__posterior(p, K, p, NULL);

            cr_evaluation_add(e, p, decision, (int32_t)deck->class_code[r],
                              deck->table->weight == NULL ? 1 : deck->table->weight[deck->row[r]]);
        }
    if (st == CR_OK) {
        cr_evaluation_metrics(e, &m);
        *out = (mark){.accuracy = m.accuracy, .log_loss = m.log_loss, .macro_f1 = m.macro_f1};
    }
    cr_evaluation_free(e);
    cr__free(place);
    cr__free(score);
    cr__free(list);
    return st;
}

static cr_status judge_fold(const cr__candidate *c, size_t repeat, size_t a, size_t b, mark *out,
                            cr_error *err)
{
    const cr__deck *deck = c->deck;
    const uint32_t *folds = deck->fold + repeat * deck->rows;
    cr_model *model = NULL;
    cr_status st = train_without(c, repeat, a, b, &model, err);

    if (st == CR_OK)
        st = deck->class_code == NULL ? mark_numbers(deck, model, folds, a, out, err)
                                      : mark_classes(deck, model, folds, a, out, err);
    cr_model_free(model);
    return st;
}

/* --- one setting ---------------------------------------------------------------------------------
 */

typedef struct attempt {
    const cr__candidate *candidate;
    entry *entry;
    size_t first;
} attempt;

static cr_status try_fold(void *context, size_t i, cr_error *err)
{
    const attempt *a = context;
    const size_t at = a->first + i, folds = a->candidate->study->folds;

    return judge_fold(a->candidate, at / folds, at % folds, SIZE_MAX, &a->entry->fold[at], err);
}

static double mean_score(const cr_tuning *t, const entry *e)
{
    double sum = 0;

    for (size_t i = 0; i < e->tried; i++)
        sum += goal_of(t->goal, &e->fold[i]) / (double)e->tried;
    return sum;
}

static int is_hopeless(const cr_tuning *t, const entry *e, const entry *best)
{
    const double n = (double)e->tried;
    double mean = 0, squares = 0;

    for (size_t i = 0; i < e->tried; i++)
        mean += (goal_of(t->goal, &e->fold[i]) - goal_of(t->goal, &best->fold[i])) / n;
    for (size_t i = 0; i < e->tried; i++) {
        const double d = goal_of(t->goal, &e->fold[i]) - goal_of(t->goal, &best->fold[i]) - mean;

        squares += d * d;
    }
    return n >= 3 && mean + 3 * sqrt(squares / (n - 1) / n) < 0;
}

static cr_status try_setting(cr_tuning *t, cr_study *study, const char *learner, entry *e,
                             const entry *best, cr_error *err)
{
    const size_t third = t->folds / 3 > 3 ? t->folds / 3 : 3;
    const cr__parts *parts;
    cr_run quiet = study->run;
    cr__candidate c;
    cr_status st =
        cr__candidate_open(&c, study, learner, (const char *const *)e->params, t->axes, err);

    quiet.progress = NULL;
    if (st == CR_OK && best != NULL && t->numbers != (c.deck->class_code == NULL))
        st = cr__fail(err, CR_EARG,
                      "some settings predict numbers and others classes, which no "
                      "figure compares");
    t->numbers = st == CR_OK && c.deck->class_code == NULL;
    if (st == CR_OK)
        st = check_goal(t->goal, t->numbers, c.learner, err);
    if (st == CR_OK && c.adds)
        st = cr__candidate_parts(&c, &parts, err);
    while (st == CR_OK && e->tried < t->folds && !e->abandoned) {
        const size_t left = t->folds - e->tried;
        const size_t next = best != NULL && third < left ? third : left;

        st = cr__parallel_for(&quiet, next, try_fold, &(attempt){&c, e, e->tried}, err);
        e->tried += next;
        e->abandoned =
            st == CR_OK && best != NULL && e->tried < t->folds && is_hopeless(t, e, best);
    }
    e->score = mean_score(t, e);
    return st;
}

/* --- nested
 * --------------------------------------------------------------------------------------- */

typedef struct nest {
    cr_tuning *tuning;
    cr_study *study;
    const cr__candidate *candidate; /* [count] those that were not abandoned; deck NULL otherwise */
} nest;

/* The best setting for all folds but one, by the other folds alone, and its figures on that one. */
static cr_status nest_fold(void *context, size_t i, cr_error *err)
{
    const nest *n = context;
    cr_tuning *t = n->tuning;
    const size_t folds = n->study->folds, repeat = i / folds, outer = i % folds;
    double best = -INFINITY;
    cr_status st = CR_OK;

    for (size_t s = 0; st == CR_OK && s < t->count; s++) {
        double sum = 0;
        mark m;

        if (n->candidate[s].deck == NULL)
            continue;
        for (size_t g = 0; st == CR_OK && g < folds; g++)
            if (g != outer &&
                (st = judge_fold(&n->candidate[s], repeat, g, outer, &m, err)) == CR_OK)
                sum += goal_of(t->goal, &m);
        if (st == CR_OK && sum > best) {
            best = sum;
            t->honest[i] = t->entry[s].fold[i];
        }
    }
    return st;
}

static cr_status run_nested(cr_tuning *t, cr_study *study, const char *learner, cr_error *err)
{
    cr__candidate *c = cr__alloc_zero(t->count, sizeof *c);
    cr_run quiet = study->run;
    cr_status st = c == NULL ? cr__fail_memory(err) : CR_OK;

    quiet.progress = NULL;
    if (st == CR_OK && (t->honest = cr__alloc_zero(t->folds, sizeof *t->honest)) == NULL)
        st = cr__fail_memory(err);
    for (size_t s = 0; st == CR_OK && s < t->count; s++)
        if (!t->entry[s].abandoned)
            st = cr__candidate_open(&c[s], study, learner, (const char *const *)t->entry[s].params,
                                    t->axes, err);
    if (st == CR_OK)
        st = cr__parallel_for(&quiet, t->folds, nest_fold, &(nest){t, study, c}, err);
    cr__free(c);
    return st;
}

/* --- the search
 * ------------------------------------------------------------------------------------ */

static double now(void)
{
    struct timespec t;

    clock_gettime(CLOCK_MONOTONIC, &t);
    return (double)t.tv_sec + (double)t.tv_nsec * 1e-9;
}

static int best_first(const void *pa, const void *pb)
{
    const entry *a = pa, *b = pb;

    if (a->abandoned != b->abandoned)
        return a->abandoned - b->abandoned;
    return a->score > b->score ? -1 : a->score < b->score;
}

static cr_status add_entry(cr_tuning *t, const cr__space *space, size_t place, cr__random *random,
                           cr_error *err)
{
    entry *e = &t->entry[t->count];

    *e = (entry){.params = cr__space_setting(space, place, random),
                 .fold = cr__alloc_zero(t->folds, sizeof *e->fold)};
    t->count++;
    return e->params == NULL || e->fold == NULL ? cr__fail_memory(err) : CR_OK;
}

static cr_status search(cr_tuning *t, cr_study *study, const char *learner, const cr__space *space,
                        const cr_tune_options *o, size_t total, cr_error *err)
{
    const double began = now();
    const int by_chance = o->budget > 0 && o->budget < cr__space_size(space);
    cr__random random;
    size_t best = SIZE_MAX;
    cr_status st = CR_OK;

    cr__random_seed(&random, o->seed);
    for (size_t i = 0; st == CR_OK && i < total; i++) {
        entry *e = &t->entry[i];

        if ((st = add_entry(t, space, i, by_chance ? &random : NULL, err)) != CR_OK ||
            (st = try_setting(t, study, learner, e, best == SIZE_MAX ? NULL : &t->entry[best],
                              err)) != CR_OK)
            break;
        if (!e->abandoned && (best == SIZE_MAX || e->score > t->entry[best].score))
            best = i;
        if ((o->progress != NULL &&
             o->progress(o->context, i + 1, total, t->entry[best].score) != 0) ||
            (o->seconds > 0 && now() - began > o->seconds))
            break;
    }
    return st;
}

cr_status cr_tune(cr_tuning **out, cr_study *study, const char *learner, const char *const *space,
                  size_t space_count, const cr_tune_options *options, cr_error *err)
{
    const cr_tune_options usual = {0};
    cr_tuning *t = cr__alloc_zero(1, sizeof *t);
    cr__space s = {0};
    size_t total;
    cr_status st;

    *out = NULL;
    options = options == NULL ? &usual : options;
    if (t == NULL)
        return cr__fail_memory(err);
    if (study->leave_one_out) {
        cr__free(t);
        return cr__fail(err, CR_EARG, "tuning needs folds");
    }
    st = cr__space_read(&s, space, space_count, options->steps == 0 ? USUAL_STEPS : options->steps,
                        err);
    if (st == CR_OK) {
        total = cr__space_size(&s);
        total = options->budget > 0 && options->budget < total ? options->budget : total;
        *t = (cr_tuning){.axes = s.axes,
                         .folds = study->folds * study->repeats,
                         .ratio = 1 / ((double)study->folds - 1),
                         .goal = options->goal};
        if (total > 1000000)
            st = cr__fail(err, CR_ELIMIT, "there are %zu settings; --budget limits them", total);
        else if ((t->entry = cr__alloc_zero(total, sizeof *t->entry)) == NULL)
            st = cr__fail_memory(err);
    }
    if (st == CR_OK)
        st = search(t, study, learner, &s, options, total, err);
    if (st == CR_OK && options->nested)
        st = run_nested(t, study, learner, err);
    cr__space_free(&s);
    if (st != CR_OK) {
        cr_tuning_free(t);
        return st;
    }
    qsort(t->entry, t->count, sizeof *t->entry, best_first);
    *out = t;
    return CR_OK;
}

/* --- the result
 * ------------------------------------------------------------------------------------ */

/* Means of the figures of folds; those of numbers, or of classes, there are not. */
static cr_status spread_marks(const cr_tuning *t, const mark *marks, size_t count, cr_setting *out)
{
    const struct {
        int numbers;
        size_t at;
        cr_spread *to;
    } list[] = {{0, offsetof(mark, accuracy), &out->accuracy},
                {0, offsetof(mark, log_loss), &out->log_loss},
                {0, offsetof(mark, macro_f1), &out->macro_f1},
                {1, offsetof(mark, rmse), &out->rmse},
                {1, offsetof(mark, mae), &out->mae},
                {1, offsetof(mark, r2), &out->r2},
                {1, offsetof(mark, log_density), &out->log_density}};
    double *column = cr__alloc(count, sizeof *column);

    if (column == NULL)
        return CR_ENOMEM;
    out->numbers = t->numbers;
    for (size_t k = 0; k < sizeof list / sizeof *list; k++) {
        for (size_t i = 0; i < count; i++)
            memcpy(&column[i], (const char *)&marks[i] + list[k].at, sizeof *column);
        cr_corrected_spread(column, list[k].numbers == t->numbers ? count : 0, t->ratio,
                            list[k].to);
    }
    cr__free(column);
    return CR_OK;
}

cr_status cr_tuning_setting(const cr_tuning *t, size_t place, cr_setting *out)
{
    const entry *e = place < t->count ? &t->entry[place] : NULL;

    if (e == NULL)
        return CR_END;
    *out = (cr_setting){.params = (const char *const *)e->params,
                        .param_count = t->axes,
                        .score = e->score,
                        .abandoned = e->abandoned,
                        .folds = e->tried};
    return spread_marks(t, e->fold, e->tried, out);
}

cr_status cr_tuning_honest(const cr_tuning *t, cr_setting *out)
{
    *out = (cr_setting){.folds = t->folds};
    return t->honest == NULL ? CR_EARG : spread_marks(t, t->honest, t->folds, out);
}
