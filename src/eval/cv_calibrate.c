/* eval/cv_calibrate.c - the answers of a cross-validation, calibrated.
 *
 * The answers to a tenth of the folds are calibrated by a function that was chosen and fitted on
 * the answers to the others, as training does it. So no row has a part in what becomes of its own
 * answer, and the figures are those of the calibrated model on new rows.
 */
#include <string.h>

#include "base/fail.h"
#include "base/memory.h"
#include "base/parallel.h"
#include "data/folds.h"
#include "eval/auto.h"
#include "eval/calibration_choose.h"

enum { GROUPS_MOST = 10 };

typedef struct work {
    const cr_cv *cv;
    uint32_t *group; /* [repeats * rows] folds that are calibrated together */
    size_t groups;
    double *score; /* [repeats * rows * classes] what becomes of the scores */
} work;

/* The rows of a repeat outside a group, every k-th so that there are not too many. */
static size_t list_others(const work *w, size_t repeat, uint32_t which, uint32_t *list)
{
    const uint32_t *group = w->group + repeat * w->cv->rows;
    const size_t most = cr__calibration_rows_most(w->cv->classes);
    size_t others = 0, at = 0, n = 0;

    for (size_t r = 0; r < w->cv->rows; r++)
        others += group[r] != which && w->cv->truth[r] >= 0;
    for (size_t r = 0; r < w->cv->rows; r++) {
        const size_t kept = others < most ? others : most;

        if (group[r] == which || w->cv->truth[r] < 0)
            continue;
        if (at * kept / others != (at + 1) * kept / others)
            list[n++] = (uint32_t)r;
        at++;
    }
    return n;
}

static cr_status calibrate_group(void *context, size_t i, cr_error *err)
{
    const work *w = context;
    const cr_cv *cv = w->cv;
    const size_t repeat = i / w->groups, K = cv->classes;
    const uint32_t which = (uint32_t)(i % w->groups);
    uint32_t *list = cr__alloc(cv->rows + 1, sizeof *list);
    cr__answers_seen seen = {.classes = K,
                             .score = cv->score + repeat * cv->rows * K,
                             .truth = cv->truth,
                             .weight = cv->weight,
                             .row = list,
                             .prior = CR__TEMPERATURE_PRIOR};
    cr__calibration *c = NULL;
    cr__calibration_kind kind = 0;
    cr_status st = list == NULL ? cr__fail_memory(err) : CR_OK;

    if (st == CR_OK) {
        seen.rows = list_others(w, repeat, which, list);
        st = cr__calibration_choose(&kind, &seen, NULL, err);
    }
    if (st == CR_OK && kind != 0)
        st = cr__calibration_keep(&c, kind, &seen, err);
    for (size_t r = 0; st == CR_OK && r < cv->rows; r++)
        if (w->group[repeat * cv->rows + r] == which)
            cr__calibrate(c, w->score + (repeat * cv->rows + r) * K);
    cr__calibration_free(c);
    cr__free(list);
    return st;
}

/* Folds of a group by their number; where one row is left out at a time, rows by chance. */
static cr_status deal_groups(work *w, cr_error *err)
{
    const cr_cv *cv = w->cv;
    const cr__deal deal = {.rows = cv->rows, .folds = w->groups, .seed = 1};

    if (cv->fold == NULL)
        return cr__folds_deal(w->group, &deal, err);
    for (size_t i = 0; i < cv->repeats * cv->rows; i++)
        w->group[i] = cv->fold[i] % (uint32_t)w->groups;
    return CR_OK;
}

cr_status cr__cv_calibrate(cr_cv *cv, const cr_run *run, cr_error *err)
{
    const size_t answers = cv->repeats * cv->rows;
    const cr_run quiet = {.threads = run->threads, .pool = run->pool};
    work w = {.cv = cv, .groups = cv->folds < GROUPS_MOST ? cv->folds : GROUPS_MOST};
    cr_status st;

    if (cr__calibrate_reason(cv->model) != NULL)
        return CR_OK;
    w.group = cr__alloc(answers + 1, sizeof *w.group);
    w.score = cr__alloc(answers + 1, cv->classes * sizeof *w.score);
    st = w.group == NULL || w.score == NULL ? cr__fail_memory(err) : deal_groups(&w, err);
    if (st == CR_OK) {
        memcpy(w.score, cv->score, answers * cv->classes * sizeof *w.score);
        st = cr__parallel_for(&quiet, cv->repeats * w.groups, calibrate_group, &w, err);
    }
    if (st == CR_OK) {
        double *before = cv->score;

        cv->score = w.score;
        w.score = before;
    }
    cr__free(w.score);
    cr__free(w.group);
    return st;
}

cr_status cr__cv_calibrate_model(cr_cv *cv, cr_error *err)
{
    uint32_t *row = cr__alloc(cv->rows + 1, sizeof *row);
    const work w = {.cv = cv, .group = cr__alloc_zero(cv->rows + 1, sizeof *w.group)};
    cr__answers_seen seen = {.classes = cv->classes,
                             .score = cv->score,
                             .truth = cv->truth,
                             .weight = cv->weight,
                             .row = row,
                             .prior = CR__TEMPERATURE_PRIOR};
    cr__calibration_kind kind = 0;
    cr_status st = row == NULL || w.group == NULL ? cr__fail_memory(err) : CR_OK;

    if (st == CR_OK && cr__calibrate_reason(cv->model) == NULL) {
        seen.rows = list_others(&w, 0, 1, row); /* all are of group 0 */
        st = cr__calibration_choose(&kind, &seen, NULL, err);
    }
    if (st == CR_OK && kind != 0)
        st = cr__calibration_keep(&cv->model->calibration, kind, &seen, err);
    cr__free(w.group);
    cr__free(row);
    return st;
}
