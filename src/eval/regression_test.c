/* eval/regression_test.c - test a regression: errors, explained variance, intervals.
 *
 *     RMSE = √ mean (ŷ - y)²,  MAE = mean |ŷ - y|,  R² = 1 - Σ (ŷ - y)² / Σ (y - ȳ)²
 *
 * each row with its weight; squares around a running mean (Welford 1962; West 1979).
 */
#include <math.h>

#include "base/fail.h"
#include "base/sized.h"
#include "eval/regression.h"
#include "model/model.h"

typedef struct tester {
    cr__regression_sum sum;
    uint64_t unlabelled;
} tester;

void cr__regression_add(cr__regression_sum *s, const cr_regression *f, double w)
{
    const double d = f->mean - f->truth, before = s->mean;
    double low, high;

    cr_regression_interval(f, s->level, &low, &high);
    s->weight += w;
    s->square += w * d * d;
    s->absolute += w * fabs(d);
    s->bias += w * d;
    s->log_density += w * cr_regression_log_density(f, f->truth);
    s->inside += f->truth >= low && f->truth <= high ? w : 0;
    s->width += w * (high - low);
    if (s->weight > 0)
        s->mean += w / s->weight * (f->truth - before);
    s->spread += w * (f->truth - before) * (f->truth - s->mean);
}

void cr__regression_figures(const cr__regression_sum *s, cr_regression_metrics *out)
{
    *out = (cr_regression_metrics){.rows = s->weight,
                                   .rmse = sqrt(s->square / s->weight),
                                   .mae = s->absolute / s->weight,
                                   .r2 = s->spread > 0 ? 1 - s->square / s->spread : 0,
                                   .bias = s->bias / s->weight,
                                   .log_density = s->log_density / s->weight,
                                   .level = s->level,
                                   .coverage = s->inside / s->weight,
                                   .width = s->width / s->weight};
}

cr_status cr__regression_level(double level, cr_error *err)
{
    return level > 0 && level < 1
               ? CR_OK
               : cr__fail(err, CR_EARG,
                          "the level of an interval is %g; it must be between 0 and 1", level);
}

cr_status cr_regression_measure(const cr_regression *answer, const double *weight, size_t rows,
                                double level, cr_regression_metrics *out, cr_error *err)
{
    cr__regression_sum sum = {.level = level};
    cr_status st = cr__regression_level(level, err);

    *out = (cr_regression_metrics){0};
    for (size_t r = 0; st == CR_OK && r < rows; r++)
        if (!isnan(answer[r].truth))
            cr__regression_add(&sum, &answer[r], weight == NULL ? 1 : weight[r]);
    if (st == CR_OK && !(sum.weight > 0))
        st = cr__fail(err, CR_EFORMAT, "no row has a number to test against");
    if (st == CR_OK)
        cr__regression_figures(&sum, out);
    return st;
}

static cr_status visit(void *context, const cr_predictions *p)
{
    tester *t = context;

    for (size_t r = 0; r < p->rows; r++) {
        if (isnan(p->regression[r].truth))
            t->unlabelled++;
        else
            cr__regression_add(&t->sum, &p->regression[r], p->weight == NULL ? 1 : p->weight[r]);
    }
    return CR_OK;
}

cr_status cr_model_test_regression(const cr_model *model, cr_source *source,
                                   const cr_predict_options *options, double level,
                                   const cr_run *run, cr_regression_metrics *out, cr_tally *tally,
                                   cr_error *err)
{
    cr_predict_options labelled;
    tester t = {.sum = {.level = level}};
    cr_sink sink = {.visit = visit, .context = &t};
    cr_tally own;
    cr_status st = cr__sized_take(&labelled, sizeof labelled, options, "cr_predict_options", err);

    *out = (cr_regression_metrics){0};
    tally = tally == NULL ? &own : tally;
    if (st != CR_OK)
        return st;
    labelled.need_target = 1;
    if (model->learner->regresses == NULL)
        return cr__fail(err, CR_EARG, "a model of '%s' is a classifier, not a regression",
                        cr_model_learner(model));
    if ((st = cr__regression_level(level, err)) != CR_OK ||
        (st = cr_model_predict(model, source, &labelled, &sink, run, tally, err)) != CR_OK)
        return st;
    tally->unlabelled = t.unlabelled;
    tally->rows -= t.unlabelled;
    if (!(t.sum.weight > 0))
        return cr__fail(err, CR_EFORMAT, "no row has a number to test against");
    cr__regression_figures(&t.sum, out);
    return CR_OK;
}
