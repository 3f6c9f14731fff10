/* render/cv.c - a cross-validation: the test of all answers, and its folds. */
#include <stdio.h>

#include "eval/cv_impl.h"
#include "render/results.h"

static const cr__part parts[] = {
    {"learner", NULL, 0, 0, 0}, {"folds", NULL, 0, 0, 0},
    {"repeats", NULL, 0, 0, 0}, {"way", NULL, 0, 0, 0},
    {"mean{}", NULL, 0, 0, 0},  {"fold[] (rows", NULL, 0, CR_METRIC_FOLDS, 0},
};
const cr__result cr__cv_result = {"cv", parts, CR__COUNT_OF(parts)};

static const char *way_name(cr_cv_way way)
{
    return way == CR_CV_RETRAINED    ? "retrained"
           : way == CR_CV_SUBTRACTED ? "subtracted"
                                     : "decremented";
}

static void folds(cr_json *j, const cr_cv_metrics *m)
{
    const cr_metric *metric;

    cr_json_object(j, "mean", CR_JSON_BLOCK);
    for (size_t k = 0; m->folds > 0 && (metric = cr_metric_get(m->numbers, k)) != NULL; k++)
        if ((metric->shown & CR_METRIC_FOLDS) != 0)
            cr__spread_json(j, metric->key, &m->spread[k]);
    cr_json_end(j);
    cr_json_array(j, "fold", CR_JSON_BLOCK);
    for (size_t i = 0; i < m->folds; i++) {
        cr_json_object(j, NULL, CR_JSON_LINE);
        cr_json_number(j, "rows", m->rows[i]);
        cr__metrics_json(j, m->numbers, CR_METRIC_FOLDS, m->value + i * m->metrics);
        cr_json_end(j);
    }
    cr_json_end(j);
}

static cr_status figures(cr_json *j, const cr_cv *cv, const cr_rule *rule, double level,
                         double seconds)
{
    cr_evaluation *e = NULL;
    cr_regression_metrics m;
    cr_status st;

    if (cv->regression != NULL) {
        if ((st = cr_cv_regression(cv, SIZE_MAX, level, &m, NULL)) != CR_OK)
            return st;
        cr_regression_members(j, &m);
        cr_json_number(j, "unlabelled", (double)cv->unlabelled);
        cr_json_number(j, "seconds", seconds);
        return CR_OK;
    }
    if ((st = cr_cv_evaluate(cv, SIZE_MAX, rule, &e, NULL)) == CR_OK)
        cr__test_members(j, cv->model, e, cv->unlabelled, seconds);
    cr_evaluation_free(e);
    return st;
}

cr_status cr_cv_json(const cr_cv *cv, const cr_cv_metrics *metrics, const char *name,
                     const cr_rule *rule, double level, double seconds, cr_output *out)
{
    cr_json j;
    cr_status st;

    cr_json_start(&j, out);
    cr_json_object(&j, NULL, CR_JSON_BLOCK);
    cr_json_text(&j, "learner", name);
    cr_json_number(&j, "folds", (double)cv->folds);
    cr_json_number(&j, "repeats", (double)cv->repeats);
    cr_json_text(&j, "way", way_name(cv->way));
    st = figures(&j, cv, rule, level, seconds);
    folds(&j, metrics);
    cr_json_end(&j);
    return st != CR_OK ? st : cr_output_flush(out);
}

/* --- the table of folds ----------------------------------------------------------------------- */

/* "3", or "2.3" of the second repeat. */
static void name_fold(cr_sheet *s, const cr_cv *cv, size_t fold)
{
    char name[48];

    if (cv->repeats > 1)
        snprintf(name, sizeof name, "%zu.%zu", fold / cv->folds + 1, fold % cv->folds + 1);
    else
        snprintf(name, sizeof name, "%zu", fold + 1);
    cr__sheet_own(s, name);
}

cr_status cr_cv_sheet(cr_sheet **out, const cr_cv *cv, const cr_cv_metrics *m, cr_error *err)
{
    const cr_field fold = {"fold", "fold", "the fold", CR_SHOW_PLAIN, CR_FOR_ALL};
    const cr_field rows = {"rows", "rows", "weight of its rows", CR_SHOW_PLAIN, CR_FOR_ALL};
    const cr_metric *metric;
    cr_status st = cr__sheet_new(out, err);

    if (st != CR_OK)
        return st;
    cr__sheet_column(*out, fold);
    cr__sheet_column(*out, rows);
    for (size_t k = 0; (metric = cr_metric_get(m->numbers, k)) != NULL; k++)
        if ((metric->shown & CR_METRIC_FOLDS) != 0)
            cr__sheet_column(
                *out, (cr_field){metric->key,
                                 m->numbers || metric->head == NULL ? metric->title : metric->head,
                                 metric->meaning, metric->show, CR_FOR_ALL});
    for (size_t i = 0; i < m->folds; i++) {
        name_fold(*out, cv, i);
        cr__sheet_number(*out, m->rows[i]);
        for (size_t k = 0; (metric = cr_metric_get(m->numbers, k)) != NULL; k++)
            if ((metric->shown & CR_METRIC_FOLDS) != 0)
                cr__sheet_number(*out, m->value[i * m->metrics + k]);
    }
    return cr__sheet_done(out, err);
}
