/* eval/auto_fold.c - repeat the choice within folds, so that its figures are unbiased. */
#include <math.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

#include "base/fail.h"
#include "base/logspace.h"
#include "base/memory.h"
#include "data/folds.h"
#include "eval/auto.h"
#include "eval/regression.h"
#include "learners/ensemble/ensemble.h"

static int rising(const void *pa, const void *pb)
{
    const uint32_t a = *(const uint32_t *)pa, b = *(const uint32_t *)pb;

    return a < b ? -1 : a > b;
}

cr_status cr__auto_choose_part(cr_study *study, const cr__auto_options *options,
                               const uint32_t *place, size_t places, cr_model **out, cr_error *err)
{
    cr_study *part = NULL;
    uint32_t *list = cr__alloc(places + 1, sizeof *list);
    cr_status st = list == NULL ? cr__fail_memory(err) : CR_OK;

    *out = NULL;
    if (st == CR_OK && places > 0) {
        memcpy(list, place, places * sizeof *list);
        qsort(list, places, sizeof *list, rising);
    }
    if (st == CR_OK) /* folds are made by the parts that are judged */
        st = cr__study_part(&part, study, list, places, 2, err);
    if (st == CR_OK)
        st = cr__auto_choose(part, options, out, err);
    cr_study_free(part);
    cr__free(list);
    return st;
}

/* The rows of a choice, as for a plain candidate. */
static cr_status open_rows(cr__candidate *out, const cr__auto_options *o, cr_study *study,
                           int numbers, cr_error *err)
{
    if (o->only != NULL)
        return cr__candidate_open(out, study, o->only, o->fixed, o->fixed_count, err);
    return cr__candidate_open(out, study, numbers ? "linear" : "nb", NULL, 0, err);
}

cr_status cr__auto_candidate(cr__candidate *out, cr__auto_options *options, cr_study *study,
                             const char *learner, const char *const *params, size_t count,
                             cr_error *err)
{
    const char *kin = "nb";
    cr_status st = cr__auto_read(options, learner, params, count, err);

    if (st == CR_OK && options->only == NULL)
        st = cr__auto_use(study, &kin, err);
    return st == CR_OK ? open_rows(out, options, study, strcmp(kin, "nb") != 0, err) : st;
}

/* The rows as a model reads them: texts in the words of its recipe. */
static cr_status find_rowset(const cr__candidate *c, const cr_model *model, const cr__rowset **out,
                             cr_error *err)
{
    cr_status st = CR_OK;
    int same = 0;

    *out = c->set;
    for (const cr__rowset *d = c->study->sets; st == CR_OK && !same && d != NULL; d = d->next) {
        if (d->class_code == NULL || d->rows != c->set->rows)
            continue;
        st = cr__recipe_same(&d->recipe, &model->recipe, &same, err);
        *out = same ? d : *out;
    }
    return st;
}

static cr_status answer_alone(cr_cv *cv, const cr__candidate *c, size_t fold, const cr_model *model,
                              cr_error *err)
{
    const cr__rowset *set;
    cr_status st = find_rowset(c, model, &set, err);

    return st == CR_OK ? cr__cv_score_fold(cv, set, fold, model, err) : st;
}

/* The product of the members' answers, each by its own words, into the places of the fold. */
static cr_status answer_members(cr_cv *cv, const cr__candidate *c, size_t fold, cr_model *model,
                                cr_error *err)
{
    const cr__ensemble *e = model->share->fitted;
    const size_t repeat = cv->fold == NULL ? 0 : fold / cv->folds, K = cv->classes;
    double *sum = cr__alloc_zero(cv->rows, K * sizeof *sum);
    cr_status st = sum == NULL ? cr__fail_memory(err) : CR_OK;

    for (size_t m = 0; st == CR_OK && m < e->members; m++) {
        const cr_model *own = e->member[m].model;

        st = answer_alone(cv, c, fold, own, err);
        for (size_t r = 0; st == CR_OK && r < cv->rows; r++) {
            const double *score = cv->score + (repeat * cv->rows + r) * K;
            const double all = cr__log_sum_exp(score, K);

            if (fold != repeat * cv->folds + cr__cv_fold(cv, repeat, r) || !isfinite(all))
                continue;
            for (size_t k = 0; k < K; k++)
                sum[r * K + k] += e->member[m].weight * fmax(score[k] - all, CR__PRODUCT_FLOOR);
        }
    }
    for (size_t r = 0; st == CR_OK && r < cv->rows; r++)
        if (fold == repeat * cv->folds + cr__cv_fold(cv, repeat, r)) {
            cr__calibrate(model->calibration, sum + r * K);
            memcpy(cv->score + (repeat * cv->rows + r) * K, sum + r * K, K * sizeof *sum);
        }
    cr__free(sum);
    return st;
}

/* The answers of a model to a fold. */
static cr_status answer_by(cr_cv *cv, const cr__candidate *c, size_t fold, cr_model *model,
                           cr_error *err)
{
    if (cv->regression != NULL)
        return cr__cv_regress_fold(cv, c->set, fold, model, err);
    if (cr_model_members(model) > 0)
        return answer_members(cv, c, fold, model, err);
    return answer_alone(cv, c, fold, model, err);
}

/* The model without a fold, and its answers to the fold. */
static cr_status answer_fold(cr_cv *cv, const cr__candidate *c, const cr__auto_options *options,
                             size_t i, cr_error *err)
{
    const uint32_t which = (uint32_t)(cv->fold == NULL ? i : i % cv->folds);
    const uint32_t *fold = cv->fold == NULL ? NULL : cv->fold + i / cv->folds * cv->rows;
    uint32_t *others = cr__alloc(cv->rows + 1, sizeof *others);
    cr_model *model = NULL;
    size_t n = 0;
    cr_status st = others == NULL ? cr__fail_memory(err) : CR_OK;

    for (size_t r = 0; st == CR_OK && r < cv->rows; r++)
        if (fold == NULL ? r != which : fold[r] != which)
            others[n++] = (uint32_t)r;
    if (st == CR_OK)
        st = cr__auto_choose_part(c->study, options, others, n, &model, err);
    if (st == CR_OK)
        st = answer_by(cv, c, i, model, err);
    cr_model_free(model);
    cr__free(others);
    return st;
}

static double now(void)
{
    struct timespec t;

    clock_gettime(CLOCK_MONOTONIC, &t);
    return (double)t.tv_sec + (double)t.tv_nsec * 1e-9;
}

/* One fold after another: each runs its own candidates and folds in parallel. */
static cr_status answer_folds(cr_cv *cv, const cr__candidate *c, const cr__auto_options *options,
                              cr_error *err)
{
    cr_status st = CR_OK;

    for (size_t i = 0; st == CR_OK && i < cv->folds * cv->repeats; i++)
        st = answer_fold(cv, c, options, i, err);
    return st;
}

cr_status cr__auto_cv(cr_cv **out, cr_study *study, const char *learner, const char *const *params,
                      size_t count, cr_error *err)
{
    const double began = now();
    cr__auto_options options;
    cr_cv *cv = cr__alloc_zero(1, sizeof *cv);
    cr__candidate c;
    cr_status st =
        cv == NULL ? cr__fail_memory(err) : cr__auto_read(&options, learner, params, count, err);

    *out = NULL;
    if (st == CR_OK)
        st = cr__auto_choose(study, &options, &cv->model, err);
    if (st == CR_OK)
        st = open_rows(&c, &options, study, cv->model->learner->regresses != NULL, err);
    if (st == CR_OK)
        st = cr__cv_begin(cv, &c, err);
    if (st == CR_OK)
        st = answer_folds(cv, &c, &options, err);
    if (st != CR_OK) {
        cr_cv_free(cv);
        return st;
    }
    cv->way = CR_CV_RETRAINED;
    cv->seconds = now() - began;
    *out = cv;
    return CR_OK;
}
