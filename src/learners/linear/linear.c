/* learners/linear/linear.c - the learner's table, its knobs, its fitted parameters. */
#include "learners/linear/linear.h"

#include <math.h>
#include <stdio.h>

#include "base/memory.h"
#include "learners/registry.h"

static const cr__knob_spec knobs[] = {
    {"lambda", "0", CR__KNOB_EITHER, 0, "evidence",
     "strength of the prior that holds weights small: 0 least squares, a number, or chosen by the "
     "evidence"},
    {"standardize", "yes", CR__KNOB_CHOICE, 0, "yes|no",
     "the prior is on weights of columns scaled to variance 1, or as they are"},
    {"coding", "reference", CR__KNOB_CHOICE, 0, "reference|effect|one-hot",
     "of symbols: against the first value, against the mean of all, or each value on its own"},
    {"noise-rows", "0", CR__KNOB_NUMBER, 0, NULL, "rows the prior guess of the noise is worth"},
    {"noise-variance", "1", CR__KNOB_NUMBER, 0, NULL, "that guess: its variance"},
};

cr_status cr__reg_new(cr__reg **out, size_t terms)
{
    cr__reg *reg = cr__alloc_zero(1, sizeof *reg);

    *out = reg;
    if (reg == NULL)
        return CR_ENOMEM;
    reg->head.terms = terms;
    reg->own_term = cr__alloc_zero(terms, sizeof *reg->own_term);
    reg->own = cr__alloc_zero(terms * (terms + 2), sizeof *reg->own);
    if (reg->own_term == NULL || reg->own == NULL) {
        cr__reg_free(reg);
        *out = NULL;
        return CR_ENOMEM;
    }
    reg->term = reg->own_term;
    reg->weight = reg->own;
    reg->center = reg->own + terms;
    reg->spread = reg->own + 2 * terms;
    return CR_OK;
}

void cr__reg_free(void *fitted)
{
    cr__reg *reg = fitted;

    if (reg == NULL)
        return;
    cr__free(reg->own_term);
    cr__free(reg->own);
    cr__free(reg);
}

/* Weights, the intercept and the noise. */
static double parameters(const void *fitted, const cr__stats *stats, const cr__knobs *values)
{
    (void)stats;
    (void)values;
    return (double)((const cr__reg *)fitted)->head.terms + 2;
}

/* The evidence is a function of the cross products. */
static cr_status advise(const void *fitted, const cr__stats *stats, const cr__knobs *values,
                        cr__advice *out, cr_error *err)
{
    (void)fitted;
    (void)stats;
    (void)values;
    (void)err;
    snprintf(out->setting[out->count++], sizeof *out->setting, "lambda=evidence");
    return CR_OK;
}

static const cr__regresses regresses = {.regress = cr__reg_regress, .shares = cr__reg_shares};

const cr__learner cr__linear_regression = {
    .name = "linear",
    .summary = "linear regression of a number: least squares, ridge, Bayesian",
    .knobs = knobs,
    .knob_count = sizeof knobs / sizeof *knobs,
    .target = CR__TARGET_REAL,
    .needs = {.cross = CR__CROSS_TARGET},
    .fit = cr__reg_fit,
    .free = cr__reg_free,
    .save = cr__reg_save,
    .sections = "LNHD LNTM LNWT",
    .open = cr__reg_open,
    .advise = advise,
    .parameters = parameters,
    .regresses = &regresses,
};
