/* decide/explain_members.h - why an ensemble decides as it does: what each member says. */
#ifndef CR_DECIDE_EXPLAIN_MEMBERS_H
#define CR_DECIDE_EXPLAIN_MEMBERS_H

#include "credence/decision.h"

/* As cr_model_explain(), for an ensemble. */
cr_status cr__explain_members(const cr_model *model, cr_source *source,
                              const cr_predict_options *options,
                              cr_status (*visit)(void *context, const cr_explanation *e),
                              void *context, cr_error *err);

/* The best class but one, or CR_UNDECIDED. */
int32_t cr__second_best(const double *score, size_t classes, int32_t best);

#endif
