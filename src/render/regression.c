/* render/regression.c - regressions: their metrics and weights, as tables. */
#include <math.h>
#include <stdio.h>
#include <string.h>

#include "render/fields.h"

double cr_regression_shown(const cr_regression_metrics *m, const cr_metric *metric)
{
    const double x = cr_regression_value(m, metric);

    return strcmp(metric->key, "bias") == 0 && fabs(x) < 1e-12 * m->rmse ? 0 : x;
}

const char *cr_regression_meaning(const cr_regression_metrics *m, const cr_metric *metric,
                                  char *buffer, size_t size)
{
    if (strcmp(metric->key, "coverage") != 0)
        return metric->meaning;
    snprintf(buffer, size, "share of truths inside their %g %% interval", m->level * 100);
    return buffer;
}

cr_status cr_regression_sheet(cr_sheet **out, const cr_regression_metrics *m, cr_error *err)
{
    cr_status st = cr__sheet_new(out, err);
    const cr_metric *one;
    char meaning[80];

    if (st != CR_OK)
        return st;
    cr__sheet_name(*out, (const char *[]){"measure", "value", "meaning"}, 3);
    for (size_t i = 0; (one = cr_metric_get(1, i)) != NULL; i++) {
        if ((one->shown & CR_METRIC_TABLE) == 0)
            continue;
        cr__sheet_text(*out, one->title);
        cr__sheet_shown(*out, cr_regression_value(m, one), one->show, cr_regression_shown(m, one));
        cr__sheet_own(*out, cr_regression_meaning(m, one, meaning, sizeof meaning));
    }
    return cr__sheet_done(out, err);
}

cr_status cr_coefficients_sheet(cr_sheet **out, const cr_model *model, double level, cr_error *err)
{
    cr_status st = cr__sheet_new(out, err);
    cr_coefficient c;

    if (st != CR_OK)
        return st;
    cr__sheet_name(*out, (const char *[]){"column", "value", "weight", "error", "low", "high"}, 6);
    for (size_t i = 0; (st = cr_model_coefficient(model, i, level, &c)) == CR_OK; i++) {
        cr__sheet_text(*out, c.column == SIZE_MAX
                                 ? "(intercept)"
                                 : cr_schema_name(cr_model_schema(model), c.column));
        cr__sheet_text(*out, c.value == SIZE_MAX ? "" : cr_model_value(model, c.column, c.value));
        cr__sheet_number(*out, c.weight);
        cr__sheet_number(*out, c.error);
        cr__sheet_number(*out, c.low);
        cr__sheet_number(*out, c.high);
    }
    if (st == CR_END)
        return cr__sheet_done(out, err);
    cr_sheet_free(*out);
    *out = NULL;
    return cr__fail(err, st, "the model is no linear regression");
}
