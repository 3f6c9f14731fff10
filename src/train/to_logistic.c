/* train/to_logistic.c - a model whose posteriors are linear as a logistic regression. */
#include "base/fail.h"
#include "credence/logistic.h"
#include "learners/logistic/logistic.h"
#include "learners/registry.h"
#include "model/model.h"

cr_status cr_model_to_logistic(cr_model *model, cr_error *err)
{
    const cr__stats *stats;
    cr__knobs knobs = {0};
    cr__lr *lr = NULL;
    cr_status st;

    if (model->learner == &cr__logistic)
        return cr__fail(err, CR_ECONFLICT, "the model is already a logistic regression");
    if (model->learner->is_linear == NULL)
        return cr__fail(err, CR_ECONFLICT,
                        "a model of '%s' is not a linear function of its features",
                        model->learner->name);
    if (model->classes < 2)
        return cr__fail(err, CR_ECONFLICT, "the model has only one class, so there are no weights");
    st = cr__model_own(model, err);
    if (st == CR_OK)
        st = cr__model_stats(model, &stats, err);
    if (st == CR_OK)
        st = cr__lr_convert_knobs(&knobs, model, err);
    if (st == CR_OK)
        st = cr__lr_convert(&lr, model, stats, &knobs, err);
    if (st != CR_OK) {
        cr__knobs_free(&knobs);
        return st;
    }
    model->learner->free(model->share->fitted);
    cr__knobs_free(&model->knobs);
    model->learner = &cr__logistic;
    model->share->fitted = lr;
    model->knobs = knobs;
    return CR_OK;
}
