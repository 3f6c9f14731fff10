/* decide/explain_members.h - explanations of ensembles: the answer of each member. */
#ifndef CR_DECIDE_EXPLAIN_MEMBERS_H
#define CR_DECIDE_EXPLAIN_MEMBERS_H

#include "credence/explain.h"
#include "data/batch.h"
#include "model/scorer.h"

/* The rows to visit, and the current position. */
typedef struct cr__wanted {
    const size_t *list; /* [count] ascending; NULL: all */
    size_t count, next, at;
} cr__wanted;

static inline cr__wanted cr__wanted_of(const cr_predict_options *options)
{
    return options == NULL ? (cr__wanted){0}
                           : (cr__wanted){options->only, options->only_count, 0, 0};
}

/* Whether the next row is one of them. */
static inline int cr__wanted_next(cr__wanted *w)
{
    const size_t at = w->at++;

    if (w->list == NULL)
        return 1;
    if (w->next == w->count || w->list[w->next] != at)
        return 0;
    w->next++;
    return 1;
}

/* As cr_model_explain(), for an ensemble. */
cr_status cr__explain_members(const cr_model *model, cr_source *source,
                              const cr_predict_options *options,
                              cr_status (*visit)(void *context, const cr_explanation *e),
                              void *context, cr_error *err);

/* The same for the rows of a batch that was filled through the scorer's plan. */
cr_status cr__explain_members_of(cr__scorer *scorer, cr__batch *batch, const cr_rule *rule,
                                 cr_status (*visit)(void *context, const cr_explanation *e),
                                 void *context, cr_error *err);

/* Calibrate the scores in posterior, decide by the rule (NULL: the most probable class) and fill in
 * the explanation's fields for that. The other arrays are [classes]. */
void cr__explain_decision(const cr_model *model, const cr_rule *rule, cr_explanation *e,
                          double *posterior, double *before_rule, cr_calibration_share *calibrated);

/* Call visit for a row of a batch that could not be read. */
cr_status cr__explain_failure(const cr__batch *batch, size_t classes,
                              cr_status (*visit)(void *context, const cr_explanation *e),
                              void *context, cr_error *err);

/* The second-best class, or CR_UNDECIDED. */
int32_t cr__second_best(const double *score, size_t classes, int32_t best);

#endif
