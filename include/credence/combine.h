/* credence/combine.h - several models that answer as one.
 *
 * An ensemble is a cr_model like any other: it predicts, is tested, explained, saved and loaded.
 * Its members are whole models inside it, each with a weight. The Bayes optimal rule mixes their
 * posteriors by weight, P(class | row) = Σ weight · P(class | row, member); the Gibbs rule draws
 * one member for each row. An ensemble keeps no statistics of its own, so it neither learns nor
 * merges (a product learns through its members). Its knobs, including the weights, can be turned
 * with cr_model_refit().
 *
 * Members must have the same target with the same classes. Their columns are matched by name. A
 * column that several members share must have the same kind in all of them; the ensemble reads the
 * columns of all members.
 */
#ifndef CREDENCE_COMBINE_H
#define CREDENCE_COMBINE_H

#include "credence/model.h"

#ifdef __cplusplus
extern "C" {
#endif

/* Make an ensemble. The models are copied into it. name holds the members' names (NULL: "1", "2"
 * …). held_out has labelled rows that no member has seen, from which the weights are found; it may
 * be NULL only with weights=equal. Each of params is "KEY=VALUE", such as "weights=stacking" or
 * "rule=gibbs"; cr_learner_knob("ensemble", …) lists them. Rows whose class the members do not know
 * are left out (tally->unlabelled). CR_ECONFLICT: the members do not fit each other, or all of them
 * give some label probability zero. CR_EARG: there is no member, a member is itself an ensemble, or
 * a parameter is bad. CR_EFORMAT: held_out has no labelled row. */
cr_status cr_model_combine(cr_model **out, const cr_model *const *member, const char *const *name,
                           size_t count, cr_source *held_out, const char *const *params,
                           size_t param_count, const cr_run *run, cr_tally *tally, cr_error *err);

/* The same from rows that the members have learned, all or some of those of each: they are dealt
 * into ten folds, and a member answers the rows of a fold without having learned them. They are
 * taken back from it, or, where a learner cannot take rows back, its learner and its settings are
 * trained on the other rows of the source, which should then be all that it learned. The source is
 * read once for each member. CR_ECONFLICT: a member has not learned a row. */
cr_status cr_model_combine_learned(cr_model **out, const cr_model *const *member,
                                   const char *const *name, size_t count, cr_source *learned,
                                   const char *const *params, size_t param_count, const cr_run *run,
                                   cr_tally *tally, cr_error *err);

typedef struct cr_member {
    const char *name;
    const cr_model *model; /* the copy inside the ensemble; borrowed */
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
