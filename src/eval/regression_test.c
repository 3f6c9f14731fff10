/* eval/regression_test.c - test a model of numbers: errors, explained variance, intervals.
 *
 *     RMSE = √ mean (ŷ - y)²,  MAE = mean |ŷ - y|,  R² = 1 - Σ (ŷ - y)² / Σ (y - ȳ)²
 *
 * each row with its weight; squares around a running mean (Welford 1962; West 1979).
 */
#include <math.h>

#include "base/fail.h"
#include "credence/linear.h"

typedef struct tester {
    double level, weight, square, absolute, bias, log_density, inside, width;
    double mean, spread; /* of the truth: Σ w (y - mean)² */
    uint64_t unlabelled;
} tester;

static void add(tester *t, const cr_regression *f, double w)
{
    const double d = f->mean - f->truth;
    double low, high, before = t->mean;

    cr_regression_interval(f, t->level, &low, &high);
    t->weight += w;
    t->square += w * d * d;
    t->absolute += w * fabs(d);
    t->bias += w * d;
    t->log_density += w * cr_regression_log_density(f, f->truth);
    t->inside += f->truth >= low && f->truth <= high ? w : 0;
    t->width += w * (high - low);
    if (t->weight > 0)
        t->mean += w / t->weight * (f->truth - before);
    t->spread += w * (f->truth - before) * (f->truth - t->mean);
}

static cr_status visit(void *context, const cr_predictions *p)
{
    tester *t = context;

    for (size_t r = 0; r < p->rows; r++) {
        if (isnan(p->regression[r].truth))
            t->unlabelled++;
        else
            add(t, &p->regression[r], p->weight == NULL ? 1 : p->weight[r]);
    }
    return CR_OK;
}

static void finish(const tester *t, cr_regression_metrics *out)
{
    *out = (cr_regression_metrics){.rows = t->weight,
                                   .rmse = sqrt(t->square / t->weight),
                                   .mae = t->absolute / t->weight,
                                   .r2 = t->spread > 0 ? 1 - t->square / t->spread : 0,
                                   .bias = t->bias / t->weight,
                                   .log_density = t->log_density / t->weight,
                                   .level = t->level,
                                   .coverage = t->inside / t->weight,
                                   .width = t->width / t->weight};
}

cr_status cr_model_test_regression(const cr_model *model, cr_source *source,
                                   const cr_predict_options *options, double level,
                                   const cr_run *run, cr_regression_metrics *out, cr_tally *tally,
                                   cr_error *err)
{
    cr_predict_options labelled = options == NULL ? (cr_predict_options){0} : *options;
    cr_linear_facts facts;
    tester t = {.level = level};
    cr_sink sink = {.visit = visit, .context = &t};
    cr_tally own;
    cr_status st;

    *out = (cr_regression_metrics){0};
    tally = tally == NULL ? &own : tally;
    labelled.need_target = 1;
    if (cr_model_linear_facts(model, &facts) != CR_OK)
        return cr__fail(err, CR_EARG, "a model of '%s' learns classes, not a number",
                        cr_model_learner(model));
    if (!(level > 0 && level < 1))
        return cr__fail(err, CR_EARG, "the level of an interval is %g; it must be between 0 and 1",
                        level);
    if ((st = cr_model_predict(model, source, &labelled, &sink, run, tally, err)) != CR_OK)
        return st;
    tally->unlabelled = t.unlabelled;
    tally->rows -= t.unlabelled;
    if (!(t.weight > 0))
        return cr__fail(err, CR_EFORMAT, "no row has a number to test against");
    finish(&t, out);
    return CR_OK;
}
