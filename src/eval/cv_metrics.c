/* eval/cv_metrics.c - the metrics of each fold, of all answers together, and means over folds. */
#include <math.h>

#include "base/fail.h"
#include "base/memory.h"
#include "eval/cv_impl.h"
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

/* Of one fold, or of all (SIZE_MAX). A fold of which no row weighs anything has NaN. */
static cr_status measure(const cr_cv *cv, const cr_cv_options *o, size_t fold, double *rows,
                         double *value, cr_error *err)
{
    const unsigned shown = fold == SIZE_MAX ? ~0U : o->shown;
    double room[CR__METRICS_MOST];
    cr_evaluation *e = NULL;
    cr_regression_metrics numbers;
    cr_metrics m = {0};
    cr_status st;

    if (cv->regression != NULL) {
        st = cr_cv_regression(cv, fold, o->level, &numbers, err);
        if (st == CR_EFORMAT && fold != SIZE_MAX)
            st = CR_OK;
        m.rows = numbers.rows;
        cr__metric_numbers(&numbers, room);
    } else if ((st = cr_cv_evaluate(cv, fold, o->rule, &e, err)) == CR_OK) {
        cr_evaluation_metrics(e, &m);
        cr__metric_values(e, shown, o->also, room);
        cr_evaluation_free(e);
    }
    *rows = m.rows;
    for (size_t i = 0; st == CR_OK && i < cr_metric_count(cv->regression != NULL); i++)
        value[i] = m.rows > 0 ? room[i] : NAN;
    return st;
}

/* An interval is cut to where the metric can be; one figure alone has none, and it stays so. */
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
    if (st == CR_OK)
        st = measure(cv, &o, SIZE_MAX, &rows, (*out)->all, err);
    for (size_t i = 0; st == CR_OK && i < (*out)->folds; i++)
        st = measure(cv, &o, i, &(*out)->rows[i], (*out)->value + i * (*out)->metrics, err);
    if (st == CR_OK)
        st = spread(*out, 1 / ((double)cv->folds - 1), err);
    if (st != CR_OK) {
        cr_cv_metrics_free(*out);
        *out = NULL;
    }
    return st;
}
