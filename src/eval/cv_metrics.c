/* eval/cv_metrics.c - metrics per fold and of all answers together, and means over folds. */
#include <math.h>

#include "base/fail.h"
#include "base/memory.h"
#include "eval/cv_impl.h"
#include "eval/evaluation.h"
#include "eval/metric_table.h"

void cr_cv_metrics_free(cr_cv_metrics *m)
{
    if (m == NULL)
        return;
    cr__free(m->rows);
    cr__free(m->value);
    cr__free(m->all);
    cr__free(m->spread);
    cr__free(m);
}

static cr_status make_room(cr_cv_metrics **out, const cr_cv *cv, cr_error *err)
{
    cr_cv_metrics *m = cr__alloc_zero(1, sizeof *m);

    *out = m;
    if (m == NULL)
        return cr__fail_memory(err);
    m->numbers = cv->regression != NULL;
    m->folds = cv->folds == cv->rows ? 0 : cv->folds * cv->repeats;
    m->metrics = cr_metric_count(m->numbers);
    m->rows = cr__alloc_zero(m->folds + 1, sizeof *m->rows);
    m->value = cr__alloc_zero((m->folds + 1) * m->metrics, sizeof *m->value);
    m->all = cr__alloc_zero(m->metrics, sizeof *m->all);
    m->spread = cr__alloc_zero(m->metrics, sizeof *m->spread);
    return m->rows == NULL || m->value == NULL || m->all == NULL || m->spread == NULL
               ? cr__fail_memory(err)
               : CR_OK;
}

/* The metrics that are shown, or NaN where no row has weight. */
static void take_values(cr_cv_metrics *m, double weight, const double *room, double *value)
{
    for (size_t i = 0; i < m->metrics; i++)
        value[i] = weight > 0 ? room[i] : NAN;
}

/* The metrics of a regression, for one fold or for all (SIZE_MAX). */
static cr_status measure_numbers(cr_cv_metrics *m, const cr_cv *cv, const cr_cv_options *o,
                                 size_t fold, double *rows, double *value, cr_error *err)
{
    double room[CR__METRICS_MOST];
    cr_regression_metrics numbers;
    cr_status st = cr_cv_regression(cv, fold, o->level, &numbers, err);

    if (st == CR_EFORMAT && fold != SIZE_MAX)
        st = CR_OK;
    if (st != CR_OK)
        return st;
    *rows = numbers.rows;
    cr__metric_numbers(&numbers, room);
    take_values(m, numbers.rows, room, value);
    return CR_OK;
}

static cr_status measure_classes(cr_cv_metrics *m, const cr_evaluation *e, unsigned shown,
                                 const cr_metric *also, double *rows, double *value, cr_error *err)
{
    double room[CR__METRICS_MOST];
    cr_metrics figures;

    cr_evaluation_metrics(e, &figures);
    if (cr__metric_values(e, shown, also, room) != CR_OK)
        return cr__fail_memory(err);
    *rows = figures.rows;
    take_values(m, figures.rows, room, value);
    return CR_OK;
}

static cr_status open_evaluation(cr_evaluation **out, const cr_cv *cv, const cr_rule *rule,
                                 int ordered, size_t rows, cr_error *err)
{
    cr_status st = cr_evaluation_new(out, cv->classes, err);

    if (st == CR_OK)
        st = cr_evaluation_use_rule(*out, rule, err);
    if (st == CR_OK && ordered)
        cr__evaluation_expects(*out, rows);
    else if (st == CR_OK)
        cr__evaluation_forgets(*out);
    return st;
}

/* Each answer is visited once, for all of them and for its fold. */
static cr_status measure_answers(cr_cv_metrics *m, const cr_cv *cv, const cr_cv_options *o,
                                 cr_error *err)
{
    const int ordered = cr__metrics_ordered(o->shown, o->also);
    cr_evaluation *all = NULL, **fold = cr__alloc_zero(m->folds + 1, sizeof *fold);
    double rows;
    cr_status st = fold == NULL
                       ? cr__fail_memory(err)
                       : open_evaluation(&all, cv, o->rule, 1, cv->repeats * cv->rows, err);

    for (size_t i = 0; st == CR_OK && i < m->folds; i++)
        st = open_evaluation(&fold[i], cv, o->rule, ordered, 0, err);
    if (st == CR_OK)
        st = cr__cv_evaluate_all(cv, o->rule, all, m->folds == 0 ? NULL : fold, err);
    for (size_t i = 0; st == CR_OK && i < m->folds; i++)
        st = measure_classes(m, fold[i], o->shown, o->also, &m->rows[i], m->value + i * m->metrics,
                             err);
    for (size_t i = 0; fold != NULL && i < m->folds; i++)
        cr_evaluation_free(fold[i]);
    cr__free(fold);
    if (st == CR_OK)
        st = measure_classes(m, all, ~0U, o->also, &rows, m->all, err);
    if (st == CR_OK && o->whole != NULL)
        *o->whole = all;
    else
        cr_evaluation_free(all);
    return st;
}

/* An interval is clipped to the metric's range; a single figure has none, and keeps none. */
void cr__spread_within(cr_spread *s, const cr_metric *metric)
{
    if (s->low < metric->least)
        s->low = metric->least;
    if (s->high > metric->most)
        s->high = metric->most;
}

static cr_status spread(cr_cv_metrics *m, double test_over_train, cr_error *err)
{
    double *column = cr__alloc(m->folds + 1, sizeof *column);

    if (column == NULL)
        return cr__fail_memory(err);
    for (size_t k = 0; k < m->metrics; k++) {
        for (size_t i = 0; i < m->folds; i++)
            column[i] = m->value[i * m->metrics + k];
        cr_corrected_spread(column, m->folds, test_over_train, &m->spread[k]);
        cr__spread_within(&m->spread[k], cr_metric_get(m->numbers, k));
    }
    cr__free(column);
    return CR_OK;
}

cr_status cr_cv_measure(cr_cv_metrics **out, const cr_cv *cv, const cr_cv_options *options,
                        cr_error *err)
{
    const cr_cv_options usual = {0};
    cr_cv_options o = options == NULL ? usual : *options;
    double rows;
    cr_status st = make_room(out, cv, err);

    o.shown = o.shown == 0 ? CR_METRIC_FOLDS : o.shown;
    if (o.whole != NULL)
        *o.whole = NULL;
    if (st == CR_OK && cv->regression == NULL)
        st = measure_answers(*out, cv, &o, err);
    else if (st == CR_OK)
        st = measure_numbers(*out, cv, &o, SIZE_MAX, &rows, (*out)->all, err);
    for (size_t i = 0; st == CR_OK && cv->regression != NULL && i < (*out)->folds; i++)
        st = measure_numbers(*out, cv, &o, i, &(*out)->rows[i], (*out)->value + i * (*out)->metrics,
                             err);
    if (st == CR_OK)
        st = spread(*out, 1 / ((double)cv->folds - 1), err);
    if (st != CR_OK) {
        cr_cv_metrics_free(*out);
        *out = NULL;
    }
    return st;
}
