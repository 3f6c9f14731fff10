/* model/evidence.c - the marginal likelihood of the data a model has learned. */
#include "base/fail.h"
#include "model/model.h"

cr_status cr_model_evidence(const cr_model *model, double *log_evidence, cr_error *err)
{
    const cr__stats *stats;
    cr_status st;

    *log_evidence = 0;
    if (model->learner->has_evidence == NULL)
        return cr__fail(err, CR_EARG, "a model of '%s' has no marginal likelihood",
                        model->learner->name);
    if ((st = cr__model_stats(model, &stats, err)) != CR_OK)
        return st;
    return model->learner->has_evidence(stats, &model->knobs, log_evidence, err);
}
