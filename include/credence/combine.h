/* credence/combine.h - several models that answer as one.
 *
 * An ensemble is a cr_model like any other: it predicts, is tested, explained, saved and loaded.
 * Its members are whole models inside it, each with a weight, by which the Bayes optimal rule mixes
 * their posteriors, P(class | row) = Σ weight · P(class | row, member), and the Gibbs rule draws
 * one of them for each row. It keeps no statistics of its own, so it neither learns nor merges (a
 * product learns by its members); its
 * knobs, weights among them, can be turned with cr_model_refit().
 *
 * Members need the same target with the same classes. Their columns are matched by name: a column
 * that several have must be of one kind, and the ensemble reads all of them.
 */
#ifndef CREDENCE_COMBINE_H
#define CREDENCE_COMBINE_H

#include "credence/model.h"

#ifdef __cplusplus
extern "C" {
#endif

/* Make an ensemble of models, which are copied into it. name (may be NULL: "1", "2" …) is what each
 * is called. held_out has labelled rows that no member has seen: they give the weights; NULL only
 * with weights=equal. params are "KEY=VALUE" each, such as "weights=stacking" or "rule=gibbs";
 * cr_learner_knob("ensemble", …) tells them. Rows without a class the members know are left out
 * (tally->unlabelled).
 * CR_ECONFLICT: the members do not fit each other, or all of them hold some label impossible;
 * CR_EARG: no member, one that is an ensemble, bad parameters; CR_EFORMAT: held_out has no labelled
 * row. */
cr_status cr_model_combine(cr_model **out, const cr_model *const *member, const char *const *name,
                           size_t count, cr_source *held_out, const char *const *params,
                           size_t param_count, const cr_run *run, cr_tally *tally, cr_error *err);

typedef struct cr_member {
    const char *name;
    const cr_model *model; /* as it is inside the ensemble; borrowed */
    double prior;          /* before the held-out rows were seen */
    double weight;         /* in use; the weights add up to 1 */
    double log_likelihood; /* ln P(held-out labels | member); NaN without held-out rows */
    double stacking;       /* the weight that stacking gives it; NaN without held-out rows */
    double accuracy;       /* on the held-out rows; NaN without them */
} cr_member;

/* Members of an ensemble; 0 for any other model. CR_END past the last. */
size_t cr_model_members(const cr_model *model);
cr_status cr_model_member(const cr_model *model, size_t index, cr_member *out);

#ifdef __cplusplus
}
#endif
#endif
