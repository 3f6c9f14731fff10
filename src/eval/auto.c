/* eval/auto.c - successive halving over candidates, then the winner, or a blend, trained on all
 * rows.
 *
 * All candidates are judged on as many rows as the budget allows, at most all; if that is not all,
 * the best of them are judged on more (K. Jamieson & A. Talwalkar, "Non-stochastic best arm
 * identification and hyperparameter optimization", 2016).
 */
#include "eval/auto.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/fail.h"
#include "base/knobs.h"
#include "base/memory.h"
#include "data/folds.h"
#include "train/assemble.h"
#include "eval/calibration_choose.h"
#include "eval/taken_back.h"
#include "learners/registry.h"
#include "source/format.h"
#include "train/calibration.h"

enum { FINALISTS = 6, JUDGED_AGAIN = 10, FEWEST_ROWS = 1500, MANY_ROWS = 1000 };

static size_t folds_for(size_t rows)
{
    return rows < 10 ? (rows < 4 ? 2 : 3) : rows < MANY_ROWS ? 10 : 5;
}

/* --- samples ---------------------------------------------------------------------------------- */

/* About this many rows with their share of each class, as a study; or all of them. */
static cr_status open_sample(const cr__auto *a, size_t rows, cr_study **out, cr_error *err)
{
    const size_t parts = rows >= a->rows ? 1 : (a->rows + rows / 2) / rows;
    uint32_t *fold, *list;
    size_t n;
    cr__candidate c;
    cr_status st;

    if (parts < 2)
        return cr__study_part(out, a->study, a->places, a->rows, folds_for(a->rows), err);
    fold = cr__alloc(a->rows, 2 * sizeof *fold);
    if (fold == NULL)
        return cr__fail_memory(err);
    list = fold + a->rows;
    st = cr__candidate_open(&c, a->study, a->trial[0].learner,
                            (const char *const *)a->trial[0].param, a->trial[0].params, err);
    if (st == CR_OK)
        st = cr__folds_deal(fold,
                            &(cr__deal){.rows = a->rows,
                                        .folds = parts,
                                        .class_code = c.set->class_code,
                                        .classes = a->classes,
                                        .seed = a->study->seed + 1},
                            err);
    if (st == CR_OK) {
        n = cr__folds_list(fold, a->places, a->rows, 0, 1, list);
        st = cr__study_part(out, a->study, list, n, folds_for(n), err);
    }
    cr__free(fold);
    return st;
}

static double work_on(const cr__auto *a, size_t count, size_t rows)
{
    double sum = 0;

    for (size_t i = 0; i < count; i++)
        if (a->trial[i].reason == NULL)
            sum += cr__trial_cost(&a->trial[i], rows);
    return sum * (double)(folds_for(rows) + 1);
}

/* How many rows the first `count` trials may use within a share of the budget. */
static size_t rows_within(const cr__auto *a, size_t count, double budget)
{
    size_t low = a->rows < FEWEST_ROWS ? a->rows : FEWEST_ROWS, high = a->rows;

    if (work_on(a, count, high) <= budget)
        return high;
    while (high - low > 1) {
        const size_t rows = low + (high - low) / 2;

        if (work_on(a, count, rows) <= budget)
            low = rows;
        else
            high = rows;
    }
    return low;
}

/* --- judging ---------------------------------------------------------------------------------- */

static cr_status refuse(cr__trial *t, const char *why, cr_error *err)
{
    cr__trial_forget(t);
    t->mean = INFINITY;
    cr__free(t->reason);
    return (t->reason = cr__strndup(why, strlen(why))) == NULL ? cr__fail_memory(err) : CR_OK;
}

/* A candidate that cannot handle these rows is left out, with the reason; fatal errors are
 * returned. */
static cr_status judge_one(cr__auto *a, cr__trial *t, cr_study *study, cr_error *err)
{
    cr_error own = {0};
    cr_status st = cr__auto_judge(a, t, study, &own);

    if (st == CR_OK || st == CR_ENOMEM || st == CR_ESTOPPED) {
        if (st != CR_OK && err != NULL)
            *err = own;
        return st;
    }
    if (err != NULL && a->count == 1)
        *err = own;
    return a->count == 1 ? st : refuse(t, own.message, err);
}

static int by_loss(const void *pa, const void *pb)
{
    const cr__trial *a = pa, *b = pb;

    if ((a->reason == NULL) != (b->reason == NULL))
        return a->reason == NULL ? -1 : 1;
    if (a->reason == NULL && a->rows != b->rows)
        return a->rows > b->rows ? -1 : 1;
    if (a->rank != b->rank)
        return a->rank < b->rank ? -1 : 1;
    return strcmp(a->name, b->name);
}

/* The share of rows on which a trial is wrong and another right, minus the converse, in units of
 * its error (McNemar's test without the correction); 0 where they do not differ. */
static double doubt(const cr__trial *t, const cr__trial *other)
{
    const size_t K = t->cv->classes;
    double lost = 0, won = 0;

    for (size_t r = 0; t->log_p != NULL && other->log_p != NULL && r < t->rows; r++) {
        const size_t truth = (size_t)t->cv->truth[r];
        size_t mine = 0, its = 0;

        for (size_t c = 1; c < K; c++) {
            mine = t->log_p[r * K + c] > t->log_p[r * K + mine] ? c : mine;
            its = other->log_p[r * K + c] > other->log_p[r * K + its] ? c : its;
        }
        lost += mine != truth && its == truth;
        won += mine == truth && its != truth;
    }
    return lost + won > 0 ? (lost - won) / sqrt(lost + won) : 0;
}

/* The best trial of those that were judged on the most rows. */
static const cr__trial *find_best(const cr__auto *a)
{
    const cr__trial *best = NULL;

    for (size_t i = 0; i < a->count; i++) {
        const cr__trial *t = &a->trial[i];

        if (t->loss != NULL && (best == NULL || t->rows > best->rows ||
                                (t->rows == best->rows && t->rank < best->rank)))
            best = t;
    }
    return best;
}

/* Of few rows, the simplest trial that is not worse than the best by more than the error of the
 * difference comes first: the one-standard-error rule (L. Breiman et al., "Classification and
 * regression trees", 1984, section 3.4.3). The plan lists the simple ones first. */
static void prefer_simple(cr__auto *a)
{
    const cr__trial *best = find_best(a);
    cr__trial *simple = NULL;

    for (size_t i = 0; best != NULL && best->rows < MANY_ROWS && i < a->count; i++) {
        cr__trial *t = &a->trial[i];
        double worse, error;

        if (t->loss == NULL || t->rows != best->rows || t->place >= best->place ||
            (simple != NULL && t->place > simple->place))
            continue;
        cr__paired_loss(t->loss, best->loss, best->cv->weight, best->rows, &worse, &error);
        simple = worse <= error ? t : simple;
    }
    if (simple != NULL)
        simple->rank = nextafter(best->rank, -INFINITY);
}

/* Few rows can make anything look good: there a trial comes after the first one, the plainest,
 * where it is less accurate by more than chance makes likely. */
static void rank_trials(cr__auto *a)
{
    const cr__trial *plain = &a->trial[0];

    for (size_t i = 1; i < a->count; i++)
        plain = a->trial[i].place == 0 ? &a->trial[i] : plain;
    for (size_t i = 0; i < a->count; i++) {
        cr__trial *t = &a->trial[i];

        t->rank = t->mean;
        if (t != plain && t->loss != NULL && plain->loss != NULL && t->rows == plain->rows &&
            t->rows < MANY_ROWS && doubt(t, plain) > 1)
            t->rank = fmax(t->rank, plain->mean) + 1;
    }
    prefer_simple(a);
}

/* Judge the first `count` on a sample of `rows` rows, and put the best first. A request to stop is
 * honoured once something has been judged. */
static cr_status judge_round(cr__auto *a, size_t count, size_t rows, int *stopped, cr_error *err)
{
    cr_study *study = NULL;
    cr_status st = open_sample(a, rows, &study, err);
    size_t judged = 0;

    for (size_t i = 0; st == CR_OK && i < count; i++) {
        if (a->trial[i].reason != NULL)
            continue;
        st = judge_one(a, &a->trial[i], study, err);
        judged += st == CR_OK && a->trial[i].reason == NULL;
        if (st == CR_ESTOPPED && (judged > 0 || a->trial[0].rows > 0)) {
            for (size_t k = i; k < a->count && st != CR_ENOMEM; k++)
                if (a->trial[k].rows == 0)
                    st = refuse(&a->trial[k], "stopped before its turn", err);
            *stopped = 1;
            st = st == CR_ENOMEM ? st : CR_OK;
            break;
        }
    }
    cr_study_free(study);
    rank_trials(a);
    qsort(a->trial, a->count, sizeof *a->trial, by_loss);
    return st;
}

/* The candidate, besides the plainest, that takes longest on so many rows; spare ones first. */
static cr__trial *find_costliest(const cr__auto *a, size_t rows, size_t *left)
{
    cr__trial *most = NULL;

    *left = 0;
    for (size_t i = 0; i < a->count; i++) {
        cr__trial *t = &a->trial[i];

        if (t->reason != NULL)
            continue;
        (*left)++;
        if (t->place > 0 && (most == NULL || cr__trial_cost(t, rows) > cr__trial_cost(most, rows)))
            most = t;
    }
    return most;
}

static int is_too_costly(const cr__auto *a, const cr__trial *t)
{
    const double once = cr__trial_cost(t, a->rows), fits = (double)(folds_for(a->rows) + 1);

    return t->place > 0 &&
           (once > a->budget || (t->share > 0 && once * fits > t->share * a->budget));
}

/* Candidates that would take longer to train than the whole budget are not tried; nor are the
 * costliest, as long as even the smallest sample would exceed its share. */
static cr_status drop_costly(cr__auto *a, cr_error *err)
{
    const size_t least = a->rows < FEWEST_ROWS ? a->rows : FEWEST_ROWS;
    cr__trial *most;
    size_t left;
    cr_status st = CR_OK;

    for (size_t i = 0; st == CR_OK && a->count > 1 && i < a->count; i++)
        if (is_too_costly(a, &a->trial[i]))
            st = refuse(&a->trial[i], "too much work for the budget", err);
    while (st == CR_OK && (most = find_costliest(a, least, &left)) != NULL && left > 2 &&
           work_on(a, a->count, least) > a->budget * (least == a->rows ? 1 : a->first_share))
        st = refuse(most, "too much work for the budget", err);
    return st;
}

/* The costliest of the first n trials, spare ones first; not the best if it is clearly the best: by
 * more than twice the error of the difference from the second. */
static size_t find_burden(const cr__auto *a, size_t n)
{
    const cr__trial *first = &a->trial[0], *second = &a->trial[1];
    double gain = 0, error = 0;
    size_t most;

    if (first->loss != NULL && second->loss != NULL && first->rows == second->rows)
        cr__paired_loss(second->loss, first->loss, first->cv->weight, first->rows, &gain, &error);
    most = gain > 2 * error;
    for (size_t i = most + 1; i < n; i++) {
        const cr__trial *t = &a->trial[i], *b = &a->trial[most];

        if (t->spare != b->spare ? t->spare
                                 : cr__trial_cost(t, a->rows) > cr__trial_cost(b, a->rows))
            most = i;
    }
    return most;
}

/* The cheapest trial of a range that is not like another; `end` if there is none. */
static size_t find_cheapest(const cr__auto *a, size_t begin, size_t end)
{
    size_t least = end;

    for (size_t i = begin; i < end; i++)
        if (!a->trial[i].spare && (least == end || cr__trial_cost(&a->trial[i], a->rows) <
                                                       cr__trial_cost(&a->trial[least], a->rows)))
            least = i;
    return least;
}

/* Those of the best that can all be judged on all rows, and then the cheapest others that can as
 * well with what is left, none like another; these come first. More rows change the order, so
 * several cheap ones are worth more than one that is hardly better so far. */
static size_t pick_finalists(cr__auto *a, double budget)
{
    const double fits = (double)(folds_for(a->rows) + 1);
    size_t n = 0, judged = 0;

    while (judged < a->count && a->trial[judged].reason == NULL)
        judged++;
    n = judged < FINALISTS ? judged : FINALISTS;
    while (n > 1 && work_on(a, n, a->rows) > budget) {
        const size_t i = find_burden(a, n--);
        const cr__trial kept = a->trial[i];

        memmove(&a->trial[i], &a->trial[i + 1], (judged - 1 - i) * sizeof *a->trial);
        a->trial[judged - 1] = kept;
    }
    for (size_t i; n < JUDGED_AGAIN && (i = find_cheapest(a, n, judged)) < judged; n++) {
        const cr__trial kept = a->trial[i];

        if (work_on(a, n, a->rows) + cr__trial_cost(&kept, a->rows) * fits > budget)
            break;
        memmove(&a->trial[n + 1], &a->trial[n], (i - n) * sizeof *a->trial);
        a->trial[n] = kept;
    }
    return n;
}

static cr_status judge_all(cr__auto *a, cr_error *err)
{
    size_t rows, more, finalists;
    int stopped = 0;
    cr_status st = drop_costly(a, err);

    if (st != CR_OK)
        return st;
    rows = work_on(a, a->count, a->rows) <= a->budget
               ? a->rows
               : rows_within(a, a->count, a->budget * a->first_share);
    st = judge_round(a, a->count, rows, &stopped, err);
    if (st != CR_OK || stopped || a->trial[0].rows == a->rows)
        return st;
    finalists = pick_finalists(a, a->budget * (1 - a->first_share));
    more = rows_within(a, finalists, a->budget * (1 - a->first_share));
    if ((double)more > a->worth * (double)a->trial[0].rows)
        st = judge_round(a, finalists, more, &stopped, err);
    return st;
}

/* --- models ----------------------------------------------------------------------------------- */

/* The calibration by the answers of a trial. */
static cr_status fit_trial(const cr__trial *t, cr__calibration **out, cr_error *err)
{
    const size_t most = cr__calibration_rows_most(t->cv->classes);
    const size_t rows = t->cv->rows < most ? t->cv->rows : most; /* evenly spread */
    uint32_t *row = cr__alloc(rows + 1, sizeof *row);
    cr_status st = row == NULL ? cr__fail_memory(err) : CR_OK;

    for (size_t r = 0; st == CR_OK && r < rows; r++)
        row[r] = (uint32_t)(r * t->cv->rows / rows);
    if (st == CR_OK)
        st = cr__calibration_keep(out, (cr__calibration_kind)t->kind,
                                  &(cr__answers_seen){.classes = t->cv->classes,
                                                      .score = t->cv->score,
                                                      .truth = t->cv->truth,
                                                      .weight = t->cv->weight,
                                                      .row = row,
                                                      .rows = rows,
                                                      .prior = CR__TEMPERATURE_PRIOR},
                                  err);
    cr__free(row);
    return st;
}

static double work_left(const cr__auto *a)
{
    double left = a->budget;

    for (size_t i = 0; i < a->count; i++)
        left -= a->trial[i].work;
    return left;
}

/* Calibrate the model of a trial that was judged on a sample by answers of the model itself to rows
 * that it takes back, as models of a sample may answer otherwise. One that would have to be trained
 * again is, if there is work left for that. */
static cr_status calibrate_whole(const cr__auto *a, cr__trial *t, cr_model *model, int *done,
                                 cr_error *err)
{
    const int kind = strcmp(a->options.method, "auto") == 0 ? -1 : t->kind;
    cr__candidate c;
    cr_status st;

    *done = 0;
    if (kind == 0 || t->cv->regression != NULL)
        return CR_OK;
    if (cr__trains_again(model)) {
        if (cr__trial_cost(t, a->rows) > work_left(a))
            return CR_OK;
        t->work += cr__trial_cost(t, a->rows);
    }
    st =
        cr__candidate_open(&c, a->study, t->learner, (const char *const *)t->param, t->params, err);
    return st != CR_OK ? st
                       : cr__calibrate_on_table(model, c.set->table, c.set->row, c.set->rows, kind,
                                                &a->study->run, done, err);
}

/* The model of a trial trained on all rows, and calibrated. That of a member of a blend always is
 * by the answers of the trial, which the powers were fitted to. */
static cr_status train_trial(const cr__auto *a, cr__trial *t, int alone, cr_model **out,
                             cr_error *err)
{
    cr__calibration *c = NULL;
    int done = 0;
    cr_status st = CR_OK;

    *out = NULL;
    if (t->cv->rows == a->rows) {
        *out = t->cv->model;
        t->cv->model = NULL;
    } else {
        st = cr_study_train(a->study, t->learner, (const char *const *)t->param, t->params, out,
                            err);
        if (st == CR_OK && alone)
            st = calibrate_whole(a, t, *out, &done, err);
    }
    if (st == CR_OK && !done && t->kind != 0 && (*out)->calibration == NULL)
        st = fit_trial(t, &c, err);
    if (st == CR_OK && c != NULL && (*out)->classes == c->classes) {
        (*out)->calibration = c;
        c = NULL;
    }
    cr__calibration_free(c);
    return st;
}

static cr_status set_rule(cr_model *model, cr_error *err)
{
    const cr_status st = cr__knobs_set(&model->knobs, "weights=stacking", err);

    return st == CR_OK ? cr__knobs_set(&model->knobs, "rule=product", err) : st;
}

/* Members of these trials with these exponents as a product: the sum of the exponents is the
 * inverse of the temperature. */
static cr_status assemble(const cr_model *const *model, const char *const *name,
                          const cr__trial *const *of, const double *power, size_t count,
                          cr_model **out, cr_error *err)
{
    const size_t one = 1;
    cr__knobs knobs = {0};
    cr__ensemble *e;
    double sum = 0;
    cr_status st =
        cr__knobs_new(&knobs, cr__ensemble_learner.knobs, cr__ensemble_learner.knob_count, err);

    if (st == CR_OK)
        st = cr__ensemble_assemble(out, model, name, count, &knobs, err);
    cr__knobs_free(&knobs);
    if (st == CR_OK)
        st = set_rule(*out, err);
    if (st != CR_OK)
        return st;
    e = (*out)->share->fitted;
    (*out)->rows = model[0]->rows;
    e->held_out = (double)of[0]->rows;
    for (size_t m = 0; m < count; m++)
        sum += power[m];
    for (size_t m = 0; m < count; m++) {
        e->member[m].stacking = power[m] / sum;
        e->member[m].log_likelihood = -of[m]->mean * e->held_out;
        e->member[m].accuracy = of[m]->right;
    }
    if ((st = cr__ensemble_weigh(e, &(*out)->knobs, err)) != CR_OK)
        return st;
    if (((*out)->calibration =
             cr__calibration_new(CR__CALIBRATION_TEMPERATURE, (*out)->classes, &one)) == NULL)
        return cr__fail_memory(err);
    (*out)->calibration->number[0] = 1 / sum;
    return cr__ensemble_fingerprint(e, (*out)->fingerprint, err);
}

static cr_status train_blend(const cr__auto *a, const double *power, size_t count, cr_model **out,
                             cr_error *err)
{
    cr_model **model = cr__alloc_zero(count, sizeof *model);
    const char **name = cr__alloc(count, sizeof *name);
    const cr__trial **of = cr__alloc(count, sizeof *of);
    double *kept = cr__alloc(count, sizeof *kept);
    size_t n = 0;
    cr_status st =
        model == NULL || name == NULL || of == NULL || kept == NULL ? cr__fail_memory(err) : CR_OK;

    for (size_t m = 0; st == CR_OK && m < count; m++)
        if (power[m] > 0) {
            of[n] = &a->trial[m];
            name[n] = a->trial[m].name;
            kept[n] = power[m];
            st = train_trial(a, &a->trial[m], 0, &model[n++], err);
        }
    if (st == CR_OK && n == 0) {
        cr__fail(err, CR_EFORMAT, "no learner could be judged on rows that it had not learned");
        st = cr__fail_hint(err, CR_EFORMAT,
                           "classes need several rows each; naive Bayes learns any");
    }
    if (st == CR_OK)
        st = assemble((const cr_model *const *)model, name, of, kept, n, out, err);
    for (size_t m = 0; model != NULL && m < n; m++)
        cr_model_free(model[m]);
    cr__free(model);
    cr__free(name);
    cr__free(of);
    cr__free(kept);
    return st;
}

/* --- the blend -------------------------------------------------------------------------------- */

/* Trials of the same rows and classes as the best, which are the first. */
static size_t blendable(const cr__auto *a)
{
    const cr__trial *first = &a->trial[0];
    size_t n = 0;

    while (n < a->count && n < a->members && a->trial[n].reason == NULL &&
           a->trial[n].log_p != NULL && a->trial[n].cv != NULL &&
           a->trial[n].cv->rows == first->cv->rows && a->trial[n].cv->classes == first->cv->classes)
        n++;
    return n;
}

/* By how much a blend has to be better than the best single trial: by more than the error of the
 * difference. Of few rows errors are large, and the mean of several is the safer answer: there it
 * is taken where it is better, and of very few where it is not worse by more than the error. */
static double least_gain(const cr__blend *b, size_t rows)
{
    return rows >= MANY_ROWS ? b->error : rows >= CR__AUTO_FEW_ROWS ? 0 : -b->error;
}

static cr_status find_blend(const cr__auto *a, cr__blend *b, cr_error *err)
{
    const cr__trial *first = &a->trial[0];
    const size_t n = a->options.blend ? blendable(a) : 0;
    cr_status st;

    if (n < 2)
        return CR_OK;
    if ((b->power = cr__alloc(n, sizeof *b->power)) == NULL)
        return cr__fail_memory(err);
    b->count = n;
    if ((st = cr__auto_blend(b, a->trial, &a->study->run, err)) != CR_OK)
        return st;
    if (b->members < 2 || !(b->gain > least_gain(b, first->rows)))
        b->count = 0;
    return CR_OK;
}

/* --- what was tried --------------------------------------------------------------------------- */

static void put_choice(cr_tried *to, const cr__trial *t, const cr__trial *first, const char *why)
{
    const char *reason = t->reason == NULL ? why : t->reason;
    double gain = 0, error = NAN;

    if (t->loss != NULL && first->loss != NULL && t->rows == first->rows)
        cr__paired_loss(t->loss, first->loss, first->cv->weight, first->rows, &gain, &error);
    *to = (cr_tried){.name = cr__strndup(t->name, strlen(t->name)),
                     .reason = cr__strndup(reason, strlen(reason)),
                     .log_loss = t->reason == NULL ? t->mean : NAN,
                     .accuracy = t->reason == NULL ? t->right : NAN,
                     .error = t == first ? 0 : error,
                     .work = t->work,
                     .rows = t->rows,
                     .exact = t->exact};
}

/* Why the first candidate of the list was kept, where its log loss alone does not say it. */
static const char *why_chosen(const cr__auto *a, int blended)
{
    const cr__trial *first = &a->trial[0];

    if (blended)
        return first->rows < CR__AUTO_FEW_ROWS ? "of so few rows, several share the answer"
                                               : "better than any alone";
    for (size_t i = 1; i < a->count; i++)
        if (a->trial[i].reason == NULL && a->trial[i].rows == first->rows &&
            a->trial[i].mean < first->mean)
            return first->rank < first->mean ? "the simplest that is about as good"
                                             : "what seems better is less accurate";
    return "";
}

static cr_status list_choices(const cr__auto *a, const cr__blend *b, cr__choice_list **out,
                              cr_error *err)
{
    const int blended = b->count > 0;
    const char *why = why_chosen(a, blended);
    cr__choice_list *list = cr__choices_new(a->count + (size_t)blended);
    int kept = 1;

    if ((*out = list) == NULL)
        return cr__fail_memory(err);
    if (blended)
        list->choice[0] = (cr_tried){.name = cr__strndup("blend", 5),
                                     .reason = cr__strndup(why, strlen(why)),
                                     .log_loss = a->trial[0].mean - b->gain,
                                     .accuracy = b->right,
                                     .rows = a->trial[0].rows,
                                     .weight = 1,
                                     .exact = 1,
                                     .chosen = 1};
    for (size_t i = 0; i < a->count; i++) {
        cr_tried *c = &list->choice[i + (size_t)blended];

        put_choice(c, &a->trial[i], &a->trial[0], blended || i > 0 ? "" : why);
        if (blended && i == 0)
            c->error = b->error;
        c->weight = blended ? (i < b->count ? b->power[i] : 0) : i == 0;
        c->chosen = !blended && i == 0;
        if (blended && c->weight > 0 && !c->exact)
            list->choice[0].exact = 0;
        kept = kept && c->name != NULL && c->reason != NULL;
    }
    kept = kept && (!blended || (list->choice[0].name != NULL && list->choice[0].reason != NULL));
    return kept ? CR_OK : cr__fail_memory(err);
}

/* --- all together ----------------------------------------------------------------------------- */

static void close_auto(cr__auto *a)
{
    for (size_t i = 0; i < a->count; i++) {
        cr__trial_forget(&a->trial[i]);
        for (size_t p = 0; p < a->trial[i].params; p++)
            cr__free(a->trial[i].param[p]);
        cr__free(a->trial[i].name);
        cr__free(a->trial[i].reason);
    }
    cr__free(a->trial);
    cr__free(a->places);
}

static cr_status list_places(cr__auto *a, cr_error *err)
{
    if (a->rows < 2)
        return cr__fail(err, CR_EFORMAT, "%zu row%s with a target: there must be two at least",
                        a->rows, a->rows == 1 ? "" : "s");
    if ((a->places = cr__alloc(a->rows, sizeof *a->places)) == NULL)
        return cr__fail_memory(err);
    for (size_t r = 0; r < a->rows; r++)
        a->places[r] = (uint32_t)r;
    return CR_OK;
}

static cr_status finish(cr__auto *a, cr_model **out, cr_error *err)
{
    cr__choice_list *choices = NULL;
    cr__blend b = {0};
    cr_status st;

    if (a->trial[0].reason != NULL)
        return cr__fail(err, CR_EARG, "no learner can handle it; %s: %s", a->trial[0].name,
                        a->trial[0].reason);
    st = find_blend(a, &b, err);
    if (st == CR_OK)
        st = list_choices(a, &b, &choices, err);
    if (st == CR_OK)
        st = b.count > 0 ? train_blend(a, b.power, b.count, out, err)
                         : train_trial(a, &a->trial[0], 1, out, err);
    cr__free(b.power);
    if (st != CR_OK || a->options.only != NULL) {
        cr__choices_free(choices);
        choices = NULL;
    }
    if (st == CR_OK)
        (*out)->choices = choices;
    return st;
}

static cr_status judge_and_finish(cr__auto *a, cr_model **out, cr_error *err)
{
    cr_status st = list_places(a, err);

    if (st == CR_OK)
        st = judge_all(a, err);
    return st == CR_OK ? finish(a, out, err) : st;
}

/* Folds of so few rows say nothing: the plainest candidate learns them, uncalibrated. */
static cr_status take_plainest(const cr__auto *a, cr_model **out, cr_error *err)
{
    const cr__trial *t = &a->trial[0];

    cr__source_note(a->study->source,
                    "learners are compared from %d rows on: '%s' learned the few there "
                    "are; " CR__SET("learner") " names another",
                    CR__AUTO_LEAST_ROWS, t->learner);
    return cr_study_train(a->study, t->learner, (const char *const *)t->param, t->params, out, err);
}

cr_status cr__auto_choose(cr_study *study, const cr__auto_options *options, cr_model **out,
                          cr_error *err)
{
    cr__auto a = {.study = study, .options = *options};
    cr_status st = cr__auto_plan(&a, err);

    *out = NULL;
    if (st == CR_OK && a.count == 0)
        st = cr__fail(err, CR_EARG, "no learner suits these data");
    if (st == CR_OK)
        st = a.rows < CR__AUTO_LEAST_ROWS && a.options.only == NULL
                 ? take_plainest(&a, out, err)
                 : judge_and_finish(&a, out, err);
    close_auto(&a);
    if (st != CR_OK) {
        cr_model_free(*out);
        *out = NULL;
    }
    return st;
}

/* --- options ---------------------------------------------------------------------------------- */

int cr__auto_named(const char *learner, const char *const *params, size_t count)
{
    if (learner != NULL && strcmp(learner, "auto") == 0)
        return 1;
    for (size_t i = 0; i < count; i++)
        if (strncmp(params[i], "calibrate=", 10) == 0)
            return 1;
    return 0;
}

static cr_status read_choice(const char *param, const char *value, const char *yes, const char *no,
                             int *out, cr_error *err)
{
    *out = strcmp(value, yes) == 0;
    if (*out || strcmp(value, no) == 0)
        return CR_OK;
    return cr__fail(err, CR_EARG, "%.*s is '%s'; it must be %s or %s", (int)(value - param - 1),
                    param, value, yes, no);
}

static cr_status read_budget(const char *value, double *out, cr_error *err)
{
    char *end;

    *out = strtod(value, &end);
    if (end != value && (*end == '\0' || strcmp(end, "s") == 0) && *out > 0 && isfinite(*out))
        return CR_OK;
    return cr__fail(err, CR_EARG, "budget is '%s'; it must be seconds of work, such as 20", value);
}

int cr__auto_is_among(const char *list, const char *learner)
{
    size_t length;

    for (const char *at = list;; at += length + 1) {
        length = strcspn(at, ",");
        if (length == strlen(learner) && strncmp(at, learner, length) == 0)
            return 1;
        if (at[length] == '\0')
            return 0;
    }
}

static cr_status read_among(cr__auto_options *o, const char *value, cr_error *err)
{
    o->live = strcmp(value, "live") == 0;
    o->exact = o->live || strcmp(value, "exact") == 0;
    o->among = o->exact || strcmp(value, "all") == 0 ? NULL : value;
    for (const char *at = o->among; at != NULL;) {
        const size_t length = strcspn(at, ",");
        char name[32];

        snprintf(name, sizeof name, "%.*s", (int)length, at);
        if (length >= sizeof name || cr__learner_find(name, NULL) == NULL)
            return cr__fail(err, CR_EARG,
                            "among is '%s'; it must be all, exact, live or names of learners, such "
                            "as nb,aode,logistic",
                            value);
        at = at[length] == ',' ? at + length + 1 : NULL;
    }
    return CR_OK;
}

/* One knob of auto. Others belong to learners: CR_END. */
static cr_status read_own(cr__auto_options *o, const char *param, cr_error *err)
{
    const char *value = strchr(param, '=');

    if (value == NULL)
        return CR_END;
    value++;
    if (strncmp(param, "calibrate=", 10) == 0) {
        o->method = value;
        return CR_OK;
    }
    if (o->only != NULL)
        return CR_END;
    if (strncmp(param, "among=", 6) == 0)
        return read_among(o, value, err);
    if (strncmp(param, "blend=", 6) == 0)
        return read_choice(param, value, "yes", "no", &o->blend, err);
    if (strncmp(param, "budget=", 7) == 0)
        return read_budget(value, &o->budget, err);
    return CR_END;
}

cr_status cr__auto_read(cr__auto_options *out, const char *learner, const char *const *params,
                        size_t count, cr_error *err)
{
    const char *name = learner == NULL ? "nb" : learner;

    *out = (cr__auto_options){.blend = 1, .method = "auto"};
    out->only = strcmp(name, "auto") == 0 ? NULL : name;
    for (size_t i = 0; i < count; i++) {
        const cr_status st = read_own(out, params[i], err);

        if (st != CR_OK && st != CR_END)
            return st;
        if (st == CR_OK)
            continue;
        if (out->fixed_count == CR__TRIAL_PARAMS)
            return cr__fail(err, CR_EARG, "too many knobs: %d at most", CR__TRIAL_PARAMS);
        out->fixed[out->fixed_count++] = params[i];
    }
    return CR_OK;
}

cr_status cr_model_train_auto(cr_model **out, cr_source *source, const char *const *params,
                              size_t param_count, const cr_run *run, cr_tally *tally, cr_error *err)
{
    cr__auto_options options;
    cr_study *study = NULL;
    cr_status st = cr__auto_read(&options, "auto", params, param_count, err);

    *out = NULL;
    if (st == CR_OK)
        st = cr_study_new(&study, source, /* folds are made by the parts that are judged */
                          &(cr_deal){.folds = 2, .seed = run == NULL ? 0 : run->seed}, run, err);
    if (st == CR_OK)
        st = cr__auto_choose(study, &options, out, err);
    if (st == CR_OK && tally != NULL)
        *tally = (cr_tally){
            .rows = study->sets->rows, .unlabelled = study->sets->unlabelled, .passes = 1};
    cr_study_free(study);
    return st;
}
