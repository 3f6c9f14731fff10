/* learners/linear/coefficients.c - weights in the units of the data, and their errors. */
#include <math.h>

#include "base/memory.h"
#include "base/special.h"
#include "learners/linear/linear.h"
#include "learners/registry.h"
#include "model/model.h"

static const cr__reg *fitted_of(const cr_model *model)
{
    return model->learner == &cr__linear_regression ? model->share->fitted : NULL;
}

cr_status cr_model_linear_facts(const cr_model *model, cr_linear_facts *out)
{
    const cr__reg *reg = fitted_of(model);

    if (reg == NULL)
        return CR_EARG;
    *out = (cr_linear_facts){.rows = reg->head.rows,
                             .incomplete = reg->head.incomplete,
                             .weights = (size_t)reg->head.terms,
                             .rank = (size_t)reg->head.rank,
                             .constant = (size_t)reg->head.constant,
                             .lambda = reg->head.lambda,
                             .noise = reg->head.noise,
                             .freedom = reg->head.freedom,
                             .r2 = reg->head.r2,
                             .log_evidence = reg->head.log_evidence,
                             .mean = reg->head.mean};
    return CR_OK;
}

/* w_0 = ȳ - w · x̄, with variance noise² (1/n + x̄' A⁻¹ x̄). */
static void intercept(const cr__reg *reg, cr_coefficient *out)
{
    double weight = reg->head.mean;

    for (size_t j = 0; j < reg->head.terms; j++)
        weight -= reg->weight[j] * reg->center[j];
    *out = (cr_coefficient){.column = SIZE_MAX, .value = SIZE_MAX, .weight = weight, .mean = 1};
    out->error = reg->head.noise * sqrt(1 / reg->head.rows + cr__reg_variance(reg, reg->center));
}

static void weight(const cr__reg *reg, size_t j, cr_coefficient *out)
{
    const size_t p = reg->head.terms;
    double square = 0;

    for (size_t k = 0; k < p; k++)
        square += reg->spread[j * p + k] * reg->spread[j * p + k];
    *out = (cr_coefficient){.column = reg->term[j].column,
                            .value =
                                reg->term[j].value == CR__TERM_REAL ? SIZE_MAX : reg->term[j].value,
                            .weight = reg->weight[j],
                            .error = reg->head.noise * sqrt(square),
                            .mean = reg->center[j]};
}

cr_status cr_model_coefficient(const cr_model *model, size_t index, double level,
                               cr_coefficient *out)
{
    const cr__reg *reg = fitted_of(model);
    double reach;

    if (reg == NULL || !(level > 0 && level < 1))
        return CR_EARG;
    if (index > reg->head.terms)
        return CR_END;
    if (index == 0)
        intercept(reg, out);
    else
        weight(reg, index - 1, out);
    reach = out->error * cr__student_quantile(reg->head.freedom, 0.5 + level / 2);
    out->low = out->weight - reach;
    out->high = out->weight + reach;
    return CR_OK;
}
