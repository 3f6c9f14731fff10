/* eval/tune.c - try settings on the same folds, and abandon hopeless ones early.
 *
 * A setting is abandoned once it has been tried on a third of the folds, at least three, and trails
 * the best so far on these by more than three standard errors of the paired difference.
 *
 * Nested: for each fold f the settings are judged on every other fold g by models that have seen
 * neither f nor g, and the best of them answers f (S. Varma & R. Simon, 2006). With statistics that
 * can be subtracted, that is one more subtraction.
 *
 * In a study that calibrates, settings are given up and chosen within folds by their bare answers,
 * and ranked by the calibrated ones.
 */
#include "credence/tune.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

#include "base/fail.h"
#include "base/memory.h"
#include "data/folds.h"
#include "base/parallel.h"
#include "base/sized.h"
#include "decide/rule.h"
#include "eval/auto.h"
#include "eval/calibration_choose.h"
#include "eval/metric_table.h"
#include "eval/regression.h"
#include "eval/study.h"
#include "eval/tune_space.h"

enum { USUAL_STEPS = 5 };

typedef struct entry {
    char **params;
    double *fold; /* [folds * metrics] those tried */
    double *bare; /* the same before calibration, or NULL: it is none */
    size_t tried;
    double score;
    int abandoned;
    cr_spread *spread; /* [metrics] */
} entry;

struct cr_tuning {
    size_t axes, count, folds; /* folds: in all repeats */
    double ratio;              /* tested over learned rows */
    entry *entry;
    int numbers; /* are predicted, not classes */
    const cr_metric *by;
    double *honest; /* [folds * metrics], or NULL */
    cr_spread *honest_spread;
    cr_rule *rule; /* or NULL; of classes in the order of the model of all rows */
    size_t *place; /* with a rule: class of the rows to class of the rule */
};

static size_t metrics(const cr_tuning *t)
{
    return cr_metric_count(t->numbers);
}

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
        cr__free(t->entry[i].bare);
        cr__free(t->entry[i].spread);
    }
    cr__free(t->entry);
    cr__free(t->honest);
    cr__free(t->honest_spread);
    cr_rule_free(t->rule);
    cr__free(t->place);
    cr__free(t);
}

/* More is better. */
static double goal_of(const cr_tuning *t, const double *value)
{
    return t->by->direction * value[cr__metric_place(t->by)];
}

static const double *fold_of(const cr_tuning *t, const entry *e, size_t fold)
{
    return e->fold + fold * metrics(t);
}

static const double *bare_of(const cr_tuning *t, const entry *e, size_t fold)
{
    return (e->bare == NULL ? e->fold : e->bare) + fold * metrics(t);
}

static cr_status choose_goal(cr_tuning *t, const cr_tune_options *o, const char *learner,
                             cr_error *err)
{
    const char *by = o->by != NULL     ? o->by
                     : t->numbers      ? "log_density"
                     : o->rule != NULL ? "cost"
                                       : "log_loss";

    t->by = cr_metric_find(t->numbers, by);
    if (t->by != NULL && t->by->direction != 0)
        return CR_OK;
    cr__fail(err, CR_EARG, "%s predicts %s, which '%s' does not measure", learner,
             t->numbers ? "numbers" : "classes", by);
    return cr__fail_hint(err, CR_EARG,
                         t->numbers ? "log_density, rmse, mae and r2 do"
                                    : "log_loss, accuracy, macro_f1, brier, mcc and others do");
}

/* The rule of the options for the classes of all rows. */
static cr_status make_rule(cr_tuning *t, const cr_rule_options *options, const cr__candidate *c,
                           cr_error *err)
{
    const cr__dict *dict = c->set->table->column[c->set->table->schema->target].dict;
    cr_model *model = NULL;
    cr_status st = cr_study_train(c->study, c->learner, c->params, c->param_count, &model, err);

    if (st == CR_OK && (t->place = cr__alloc_zero(dict->words + 1, sizeof *t->place)) == NULL)
        st = cr__fail_memory(err);
    for (size_t k = 0; st == CR_OK && k < model->classes; k++) {
        const char *name = cr_model_class(model, k);

        t->place[cr__dict_find(dict, name, strlen(name)) - 1] = k;
    }
    if (st == CR_OK)
        st = cr_rule_new(&t->rule, model, options, err);
    cr_model_free(model);
    return st;
}

/* --- one fold -----------------------------------------------------------------------------------
 */

/* Rows that are in neither of two folds (b SIZE_MAX: one) of a repeat. */
static size_t list_others(const cr__rowset *set, const uint32_t *fold, size_t a, size_t b,
                          uint32_t *list)
{
    size_t n = 0;

    for (size_t r = 0; r < set->rows; r++)
        if (fold[r] != a && fold[r] != b)
            list[n++] = set->row[r];
    return n;
}

/* A setting on the study's rows. One with calibrate=METHOD is calibrated within what it learns, one
 * with calibrate=none never. */
typedef struct setting {
    cr__candidate candidate;
    cr__auto_options how; /* of a calibrated one */
    int calibrated, bare;
} setting;

static cr_status open_setting(setting *out, cr_study *study, const char *learner,
                              const char *const *params, size_t count, cr_error *err)
{
    int bare;
    cr_status st = cr__study_take_none(study, learner, &params, &count, &bare, err);

    if (st == CR_OK)
        st = cr__study_usual(study, learner, 0, &params, &count, err);
    *out = (setting){.bare = bare,
                     .calibrated = (learner == NULL || strcmp(learner, "auto") != 0) &&
                                   cr__auto_named(learner, params, count)};
    if (st != CR_OK)
        return st;
    return out->calibrated
               ? cr__auto_candidate(&out->candidate, &out->how, study, learner, params, count, err)
               : cr__candidate_open(&out->candidate, study, learner, params, count, err);
}

/* Places of the rows in neither fold. */
static size_t list_places(const cr__rowset *set, const uint32_t *fold, size_t a, size_t b,
                          uint32_t *out)
{
    size_t n = 0;

    for (size_t r = 0; r < set->rows; r++)
        if (fold[r] != a && fold[r] != b)
            out[n++] = (uint32_t)r;
    return n;
}

/* A calibrated model that has seen neither fold a nor fold b. */
static cr_status calibrate_without(const setting *s, size_t repeat, size_t a, size_t b,
                                   cr_model **out, cr_error *err)
{
    const cr__rowset *set = s->candidate.set;
    uint32_t *list = cr__alloc(set->rows, sizeof *list);
    cr_status st;

    if (list == NULL)
        return cr__fail_memory(err);
    st = cr__auto_choose_part(s->candidate.study, &s->how, list,
                              list_places(set, set->fold + repeat * set->rows, a, b, list), out,
                              err);
    cr__free(list);
    return st;
}

/* A model that has seen neither fold a nor fold b. */
static cr_status train_without(const setting *s, size_t repeat, size_t a, size_t b, cr_model **out,
                               cr_error *err)
{
    const cr__candidate *c = &s->candidate;
    const cr__rowset *set = c->set;
    const size_t folds = c->study->folds;
    const cr__parts *parts;
    cr__stats *less = NULL, *stats = NULL;
    uint32_t *list;
    cr_status st = CR_OK;

    if (s->calibrated)
        return calibrate_without(s, repeat, a, b, out, err);
    if (b == SIZE_MAX)
        return cr__candidate_without(c, repeat * folds + a, out, err);
    if ((list = cr__alloc(set->rows, sizeof *list)) == NULL)
        return cr__fail_memory(err);
    if (c->adds && (st = cr__candidate_parts(c, &parts, err)) == CR_OK &&
        (st = cr__stats_combine(&less, parts->total, parts->fold[repeat * folds + a], -1, err)) ==
            CR_OK)
        st = cr__stats_combine(&stats, less, parts->fold[repeat * folds + b], -1, err);
    cr__stats_free(less);
    if (st == CR_OK)
        st = cr__candidate_train(c, list,
                                 list_others(set, set->fold + repeat * set->rows, a, b, list),
                                 stats, 1, out, err);
    cr__free(list);
    return st;
}

/* The metrics of a regression on a fold. */
static cr_status mark_numbers(const cr__rowset *set, const cr_model *model, const uint32_t *folds,
                              size_t fold, double *out, cr_error *err)
{
    uint32_t *list = cr__alloc(set->rows, sizeof *list);
    cr_regression_metrics m;
    cr_status st = list == NULL ? cr__fail_memory(err)
                                : cr__regression_judge(model, set->table, list,
                                                       cr__folds_list(folds, set->row, set->rows,
                                                                      (uint32_t)fold, 1, list),
                                                       &m, err);

    if (st == CR_OK)
        cr__metric_numbers(&m, out);
    cr__free(list);
    return st;
}

/* The index of a class of the rows among the scores: with a rule, that of the rule. */
static size_t class_place(const cr_tuning *t, size_t code)
{
    return t->place == NULL ? code : t->place[code];
}

/* Answers of the fold's rows, whose scores are in order. */
static void judge_rows(const cr_tuning *t, const cr__rowset *set, const uint32_t *folds,
                       size_t fold, size_t classes, double *score, double *logs, cr_evaluation *e)
{
    for (size_t r = 0; r < set->rows; r++) {
        double evidence, cost;
        cr_reason reason;
        int32_t decision;

        if (folds[r] != fold)
            continue;
        for (size_t k = 0; k < classes; k++)
            logs[k] = score[k] + cr__rule_shift(t->rule, k);
        decision = cr__rule_decide(t->rule, score, classes, score, &evidence, &cost, &reason);
        for (size_t k = 0; k < classes; k++)
            logs[k] = fmin(0, logs[k] - evidence);
        cr_evaluation_add_logs(e, score, reason == CR_IMPOSSIBLE ? NULL : logs, decision,
                               (int32_t)class_place(t, set->class_code[r]),
                               set->table->weight == NULL ? 1 : set->table->weight[set->row[r]]);
        score += classes;
    }
}

/* The metrics of a classifier on a fold. */
static cr_status mark_classes(const cr_tuning *t, const cr__rowset *set, const cr_model *model,
                              const uint32_t *folds, size_t fold, double *out, cr_error *err)
{
    const cr__dict *dict = set->table->column[set->table->schema->target].dict;
    const size_t K = dict->words;
    uint32_t *list = cr__alloc(set->rows, sizeof *list);
    const size_t rows =
        list == NULL ? 0 : cr__folds_list(folds, set->row, set->rows, (uint32_t)fold, 1, list);
    double *score = cr__alloc(rows + 2, K * sizeof *score);
    size_t *place = cr__alloc(model->classes + 1, sizeof *place);
    cr_evaluation *e = NULL;
    cr_status st = list == NULL || score == NULL || place == NULL ? cr__fail_memory(err)
                                                                  : cr_evaluation_new(&e, K, err);

    for (size_t k = 0; st == CR_OK && k < model->classes; k++)
        place[k] = class_place(
            t, cr__dict_find(dict, cr_model_class(model, k), strlen(cr_model_class(model, k))) - 1);
    if (st == CR_OK && (st = cr_evaluation_use_rule(e, t->rule, err)) == CR_OK)
        st = cr__score_rows(model, set->table, list, rows, place, K, NULL, score, err);
    if (st == CR_OK) {
        judge_rows(t, set, folds, fold, K, score, score + (rows + 1) * K, e);
        if ((st = cr__metric_values(e, CR_METRIC_TUNE, t->by, out)) != CR_OK)
            cr__fail_memory(err);
    }
    cr_evaluation_free(e);
    cr__free(place);
    cr__free(score);
    cr__free(list);
    return st;
}

/* out is [metrics]. */
static cr_status judge_fold(const cr_tuning *t, const setting *s, size_t repeat, size_t a, size_t b,
                            double *out, cr_error *err)
{
    double value[CR__METRICS_MOST];
    const cr__rowset *set = s->candidate.set;
    const uint32_t *folds = set->fold + repeat * set->rows;
    cr_model *model = NULL;
    cr_status st = train_without(s, repeat, a, b, &model, err);

    if (st == CR_OK)
        st = set->class_code == NULL ? mark_numbers(set, model, folds, a, value, err)
                                     : mark_classes(t, set, model, folds, a, value, err);
    if (st == CR_OK)
        memcpy(out, value, metrics(t) * sizeof *out);
    cr_model_free(model);
    return st;
}

/* --- one setting ---------------------------------------------------------------------------------
 */

typedef struct attempt {
    const cr_tuning *tuning;
    const setting *setting;
    entry *entry;
    size_t first;
} attempt;

static cr_status try_fold(void *context, size_t i, cr_error *err)
{
    const attempt *a = context;
    const size_t at = a->first + i, folds = a->setting->candidate.study->folds;

    return judge_fold(a->tuning, a->setting, at / folds, at % folds, SIZE_MAX,
                      a->entry->fold + at * metrics(a->tuning), err);
}

static double mean_score(const cr_tuning *t, const entry *e)
{
    double sum = 0;

    for (size_t i = 0; i < e->tried; i++)
        sum += goal_of(t, fold_of(t, e, i)) / (double)e->tried;
    return sum;
}

static int is_hopeless(const cr_tuning *t, const entry *e, const entry *best)
{
    const double n = (double)e->tried;
    double mean = 0, squares = 0;

    for (size_t i = 0; i < e->tried; i++)
        mean += (goal_of(t, bare_of(t, e, i)) - goal_of(t, bare_of(t, best, i))) / n;
    for (size_t i = 0; i < e->tried; i++) {
        const double d = goal_of(t, bare_of(t, e, i)) - goal_of(t, bare_of(t, best, i)) - mean;

        squares += d * d;
    }
    return n >= 3 && mean + 3 * sqrt(squares / (n - 1) / n) < 0;
}

/* The figures of the folds with the answers calibrated, where the study has that. */
static cr_status calibrate_entry(const cr_tuning *t, cr_study *study, const char *learner, entry *e,
                                 cr_error *err)
{
    cr_cv *cv = NULL;
    cr_status st = cr_cv_run(&cv, study, learner, (const char *const *)e->params, t->axes, err);

    if (st != CR_OK || cr__calibrate_reason(cr_cv_model(cv)) != NULL) {
        cr_cv_free(cv);
        return st;
    }
    e->bare = e->fold;
    if ((e->fold = cr__alloc(t->folds * metrics(t), sizeof *e->fold)) == NULL)
        st = cr__fail_memory(err);
    for (size_t f = 0; st == CR_OK && f < t->folds; f++) {
        cr_evaluation *judged = NULL;
        double value[CR__METRICS_MOST];

        st = cr_cv_evaluate(cv, f, t->rule, &judged, err);
        if (st == CR_OK && (st = cr__metric_values(judged, CR_METRIC_TUNE, t->by, value)) != CR_OK)
            cr__fail_memory(err);
        if (st == CR_OK)
            memcpy(e->fold + f * metrics(t), value, metrics(t) * sizeof *value);
        cr_evaluation_free(judged);
    }
    cr_cv_free(cv);
    return st;
}

/* Whether the study calibrates a setting that says nothing of it. */
static int is_calibrated_later(const cr_tuning *t, const cr_study *study, const setting *s,
                               const char *learner)
{
    return study->calibrated && !s->calibrated && !s->bare && !t->numbers &&
           (learner == NULL || strcmp(learner, "auto") != 0);
}

static cr_status try_setting(cr_tuning *t, cr_study *study, const char *learner, entry *e,
                             const entry *best, const cr_tune_options *o, cr_error *err)
{
    const size_t third = t->folds / 3 > 3 ? t->folds / 3 : 3;
    const cr__parts *parts;
    cr_run quiet = study->run;
    setting tried;
    cr__candidate *c = &tried.candidate;
    cr_status st =
        open_setting(&tried, study, learner, (const char *const *)e->params, t->axes, err);

    quiet.progress = NULL;
    quiet.threads = tried.calibrated ? 1 : quiet.threads; /* its own folds run in parallel */
    if (st == CR_OK && best != NULL && t->numbers != (c->set->class_code == NULL))
        st = cr__fail(err, CR_EARG,
                      "some settings predict numbers and others classes, which no "
                      "figure compares");
    t->numbers = st == CR_OK && c->set->class_code == NULL;
    if (st == CR_OK && t->by == NULL) {
        st = choose_goal(t, o, c->learner, err);
        if (st == CR_OK && o->rule != NULL && !t->numbers)
            st = make_rule(t, o->rule, c, err);
    }
    if (st == CR_OK && (e->fold = cr__alloc_zero(t->folds * metrics(t), sizeof *e->fold)) == NULL)
        st = cr__fail_memory(err);
    if (st == CR_OK && (c->adds || c->cuts) && !tried.calibrated)
        st = cr__candidate_parts(c, &parts, err);
    while (st == CR_OK && e->tried < t->folds && !e->abandoned) {
        const size_t left = t->folds - e->tried;
        const size_t next = best != NULL && third < left ? third : left;

        st = cr__parallel_deal(&quiet, next, try_fold, &(attempt){t, &tried, e, e->tried},
                               e->fold + e->tried * metrics(t), next * metrics(t), err);
        e->tried += next;
        e->abandoned =
            st == CR_OK && best != NULL && e->tried < t->folds && is_hopeless(t, e, best);
    }
    if (st == CR_OK && !e->abandoned && is_calibrated_later(t, study, &tried, learner))
        st = calibrate_entry(t, study, learner, e, err);
    e->score = mean_score(t, e);
    return st;
}

/* --- nested
 * --------------------------------------------------------------------------------------- */

typedef struct nest {
    cr_tuning *tuning;
    cr_study *study;
    const setting *setting; /* [count] those that were not abandoned; without rows otherwise */
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
        double sum = 0, m[CR__METRICS_MOST];

        if (n->setting[s].candidate.set == NULL)
            continue;
        for (size_t g = 0; st == CR_OK && g < folds; g++)
            if (g != outer &&
                (st = judge_fold(t, &n->setting[s], repeat, g, outer, m, err)) == CR_OK)
                sum += goal_of(t, m);
        if (st == CR_OK && sum > best) {
            best = sum;
            memcpy(t->honest + i * metrics(t), fold_of(t, &t->entry[s], i),
                   metrics(t) * sizeof *t->honest);
        }
    }
    return st;
}

static cr_status run_nested(cr_tuning *t, cr_study *study, const char *learner, cr_error *err)
{
    setting *c = cr__alloc_zero(t->count, sizeof *c);
    cr_run quiet = study->run;
    cr_status st = c == NULL ? cr__fail_memory(err) : CR_OK;

    quiet.progress = NULL;
    if (st == CR_OK &&
        (t->honest = cr__alloc_zero(t->folds * metrics(t), sizeof *t->honest)) == NULL)
        st = cr__fail_memory(err);
    for (size_t s = 0; st == CR_OK && s < t->count; s++)
        if (!t->entry[s].abandoned)
            st = open_setting(&c[s], study, learner, (const char *const *)t->entry[s].params,
                              t->axes, err);
    for (size_t s = 0; c != NULL && s < t->count; s++)
        quiet.threads = c[s].calibrated ? 1 : quiet.threads;
    if (st == CR_OK)
        st = cr__parallel_deal(&quiet, t->folds, nest_fold, &(nest){t, study, c}, t->honest,
                               t->folds * metrics(t), err);
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

static cr_status add_entry(cr_tuning *t, const cr__tune_space *space, size_t place,
                           cr__random *random, cr_error *err)
{
    entry *e = &t->entry[t->count];

    *e = (entry){.params = cr__tune_space_setting(space, place, random)};
    t->count++;
    return e->params == NULL ? cr__fail_memory(err) : CR_OK;
}

static cr_status search(cr_tuning *t, cr_study *study, const char *learner,
                        const cr__tune_space *space, const cr_tune_options *o, size_t total,
                        cr_error *err)
{
    const double began = now();
    const int by_chance = o->budget > 0 && o->budget < cr__tune_space_size(space);
    cr__random random;
    size_t best = SIZE_MAX;
    cr_status st = CR_OK;

    cr__random_seed(&random, o->seed);
    for (size_t i = 0; st == CR_OK && i < total; i++) {
        entry *e = &t->entry[i];

        if ((st = add_entry(t, space, i, by_chance ? &random : NULL, err)) != CR_OK ||
            (st = try_setting(t, study, learner, e, best == SIZE_MAX ? NULL : &t->entry[best], o,
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

/* Means over the folds tried; [metrics], to be freed. */
static cr_status spread_folds(const cr_tuning *t, const double *value, size_t folds,
                              cr_spread **out, cr_error *err)
{
    double *column = cr__alloc(folds + 1, sizeof *column);

    *out = cr__alloc_zero(metrics(t), sizeof **out);
    for (size_t k = 0; column != NULL && *out != NULL && k < metrics(t); k++) {
        for (size_t i = 0; i < folds; i++)
            column[i] = value[i * metrics(t) + k];
        cr_corrected_spread(column, folds, t->ratio, &(*out)[k]);
    }
    cr__free(column);
    return column == NULL || *out == NULL ? cr__fail_memory(err) : CR_OK;
}

static cr_status spread_all(cr_tuning *t, cr_error *err)
{
    cr_status st = CR_OK;

    for (size_t i = 0; st == CR_OK && i < t->count; i++)
        st = spread_folds(t, t->entry[i].fold, t->entry[i].tried, &t->entry[i].spread, err);
    if (st == CR_OK && t->honest != NULL)
        st = spread_folds(t, t->honest, t->folds, &t->honest_spread, err);
    return st;
}

cr_status cr_tune(cr_tuning **out, cr_study *study, const char *learner, const char *const *space,
                  size_t space_count, const cr_tune_options *options, cr_error *err)
{
    cr_tune_options own;
    cr_tuning *t;
    cr__tune_space s = {0};
    size_t total;
    cr_status st = cr__sized_take(&own, sizeof own, options, "cr_tune_options", err);

    *out = NULL;
    if (st != CR_OK)
        return st;
    options = &own;
    if ((t = cr__alloc_zero(1, sizeof *t)) == NULL)
        return cr__fail_memory(err);
    if (study->leave_one_out) {
        cr__free(t);
        return cr__fail(err, CR_EARG, "tuning needs folds");
    }
    st = cr__tune_space_read(&s, space, space_count,
                             options->steps == 0 ? USUAL_STEPS : options->steps, err);
    if (st == CR_OK) {
        total = cr__tune_space_size(&s);
        total = options->budget > 0 && options->budget < total ? options->budget : total;
        *t = (cr_tuning){.axes = s.axes,
                         .folds = study->folds * study->repeats,
                         .ratio = 1 / ((double)study->folds - 1)};
        if (total > 1000000)
            st = cr__fail(err, CR_ELIMIT,
                          "there are %zu settings; " CR__SET("budget") " limits them", total);
        else if ((t->entry = cr__alloc_zero(total, sizeof *t->entry)) == NULL)
            st = cr__fail_memory(err);
    }
    if (st == CR_OK)
        st = search(t, study, learner, &s, options, total, err);
    if (st == CR_OK && options->nested)
        st = run_nested(t, study, learner, err);
    cr__tune_space_free(&s);
    if (st == CR_OK)
        st = spread_all(t, err);
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

cr_status cr_tuning_setting(const cr_tuning *t, size_t place, cr_setting *out)
{
    const entry *e = place < t->count ? &t->entry[place] : NULL;

    if (e == NULL)
        return CR_END;
    *out = (cr_setting){.params = (const char *const *)e->params,
                        .param_count = t->axes,
                        .numbers = t->numbers,
                        .spread = e->spread,
                        .score = e->score,
                        .abandoned = e->abandoned,
                        .folds = e->tried};
    return CR_OK;
}

cr_status cr_tuning_honest(const cr_tuning *t, cr_setting *out)
{
    *out = (cr_setting){.folds = t->folds, .numbers = t->numbers, .spread = t->honest_spread};
    return t->honest == NULL ? CR_EARG : CR_OK;
}

const cr_metric *cr_tuning_by(const cr_tuning *t)
{
    return t->by;
}
