/* train/refit_auto.c - knobs that are chosen again from a model's sums.
 *
 * Which learner is best on rows not seen cannot be told without rows. But some learners can tell
 * from their sums how strongly to smooth or how to describe numbers: cr__learner.advise.
 */
#include "base/fail.h"
#include "credence/auto.h"
#include "model/model.h"

cr_status cr_model_refit_auto(cr_model *model, cr_error *err)
{
    const cr__learner *learner = model->learner;
    const cr__stats *stats;
    const char *param[sizeof((cr__advice *)NULL)->setting / sizeof *((cr__advice *)NULL)->setting];
    cr__advice advice = {0};
    cr_status st = CR_OK;

    if (learner->advise != NULL && (st = cr__model_stats(model, &stats, err)) == CR_OK)
        st = learner->advise(model->share->fitted, stats, &model->knobs, &advice, err);
    if (st != CR_OK)
        return st;
    for (size_t i = 0; i < advice.count; i++)
        param[i] = advice.setting[i];
    if (advice.count > 0)
        return cr_model_refit(model, param, advice.count, err);
    cr__fail(err, CR_ECONFLICT,
             "what a model of '%s' keeps does not tell what would be best: rows are needed",
             learner->name);
    return cr__fail_hint(err, CR_ECONFLICT,
                         "train again on the data; naive Bayes of numbers or texts, tan, kdb, "
                         "pairs and linear regression can choose without them");
}
