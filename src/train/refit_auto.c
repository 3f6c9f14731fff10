/* train/refit_auto.c - knobs that are chosen again from a model's sums.
 *
 * Which learner is best on rows not seen cannot be told without rows. But naive Bayes chooses how
 * each number is described, the width of kernels and the smoothing of words by leaving one out,
 * which sums are enough for where the numbers are kept (learners/naive_bayes/choose_real.c,
 * choose_text.c).
 */
#include <string.h>

#include "base/fail.h"
#include "credence/auto.h"
#include "model/model.h"

/* A setting that is settled from sums, for columns of a kind. */
static const struct choosing {
    const char *knob, *setting;
    cr_kind kind;
} choosing[] = {
    {"real", "real=auto", CR_REAL},
    {"bandwidth", "bandwidth=auto", CR_REAL},
    {"text-alpha", "text-alpha=auto", CR_BAG},
};

enum { SETTINGS = sizeof choosing / sizeof *choosing };

static int has_kind(const cr_model *model, cr_kind kind)
{
    for (size_t i = 0; i < model->schema->columns; i++)
        if (model->schema->column[i].kind == kind && cr__stats_is_feature(model->schema, i))
            return 1;
    return 0;
}

static int has_knob(const cr_model *model, const char *name)
{
    for (size_t i = 0; i < model->learner->knob_count; i++)
        if (strcmp(model->learner->knobs[i].name, name) == 0)
            return 1;
    return 0;
}

cr_status cr_model_refit_auto(cr_model *model, cr_error *err)
{
    const char *params[SETTINGS];
    size_t count = 0;

    for (size_t i = 0; i < SETTINGS && has_knob(model, "bandwidth"); i++)
        if (has_knob(model, choosing[i].knob) && has_kind(model, choosing[i].kind))
            params[count++] = choosing[i].setting;
    if (count > 0)
        return cr_model_refit(model, params, count, err);
    cr__fail(err, CR_ECONFLICT,
             "what a model of '%s' keeps does not tell what would be best: rows are needed",
             model->learner->name);
    return cr__fail_hint(err, CR_ECONFLICT,
                         "train again on the data; naive Bayes of numbers or texts can choose "
                         "without them");
}
