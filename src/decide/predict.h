/* decide/predict.h - shared by prediction from sources and from arrays. */
#ifndef CR_DECIDE_PREDICT_H
#define CR_DECIDE_PREDICT_H

#include "credence/decision.h"

/* Whether the model can answer, and the rule is made for it. */
cr_status cr__predict_check(const cr_model *model, const cr_predict_options *options,
                            cr_error *err);

#endif
