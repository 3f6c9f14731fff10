/* credence/auto.h - find the learner that does best on rows it has not seen.
 *
 * Candidates are learners with the few knobs that matter. They are judged on one set of folds, by
 * the log loss of their calibrated answers to rows they have not learned. Where that would take too
 * much work, all candidates are judged on a sample of the rows and the best of them on more rows
 * (successive halving). The winner learns all rows and is calibrated on the answers already at
 * hand. A blend multiplies the calibrated posteriors of the best candidates, each raised to a
 * power. It replaces the winner where it is better by more than the standard error of the
 * difference, or at all below 1,000 rows.
 *
 * The model keeps a record of what was tried. Work is counted, not timed, so the choice is the same
 * for any number of threads and on any machine.
 *
 * The name "auto" may be given wherever a candidate of a study is named (cr_cv_run(),
 * cr_study_train(), cr_study_curve()): the choice is then made anew within each fold, so the
 * figures judge the choice as well. Its knobs:
 *
 *   among=all|exact     every learner, or those that learn, unlearn and merge exactly
 *   among=live          of these, one learner whose lessons cost the same however much was learned
 *   among=NAME,NAME     these learners: their blend is stacked on answers to unseen rows
 *   blend=yes|no        whether several may answer as one
 *   budget=SECONDS      work that judging may take, in seconds of one core (about)
 *   calibrate=METHOD    of credence/calibrate.h; none leaves posteriors as they are
 *
 * Any other knob given is fixed for every candidate that has it.
 */
#ifndef CREDENCE_AUTO_H
#define CREDENCE_AUTO_H

#include "credence/calibrate.h"

#ifdef __cplusplus
extern "C" {
#endif

/* Choose, train on all rows and calibrate. The source is read once, unless texts have to be cut
 * into words in another way. Fewer than ten rows are not judged: the plainest candidate learns
 * them, naive Bayes where it is one, uncalibrated; a note of the source says so. CR_EARG: a knob is
 * unknown, or no candidate can learn the data (err then has the first one's reason). */
cr_status cr_model_train_auto(cr_model **out, cr_source *source, const char *const *params,
                              size_t param_count, const cr_run *run, cr_tally *tally,
                              cr_error *err);

/* Train as is best for a person who has not said how: what `credence train` does, and every other
 * front end. learner NULL is cr_learner_default(): "auto" unless parameters of a learner are given,
 * then "nb". auto is as above, and method is its calibrate; where learners cannot be compared, as
 * there is one row only or memory for the rows is short, and the data can be read again, naive
 * Bayes learns them uncalibrated, and a note of the source says why. Other learners are trained by
 * cr_model_train_calibrated() with run->seed. method NULL is the default, "none" the bare model.
 * report may be NULL; of auto it has the method alone. */
cr_status cr_model_train_default(cr_model **out, cr_source *source, const char *learner,
                                 const char *const *params, size_t param_count, const char *method,
                                 const cr_run *run, cr_tally *tally, cr_calibration_report *report,
                                 cr_error *err);
const char *cr_learner_default(const char *const *params, size_t param_count);

/* Choose again what a model's sums are enough to choose, without data: of naive Bayes how each
 * number is described, the width of kernels and the smoothing of words, by leaving one out; of tan,
 * kdb and pairs the knob m, in the same way; of linear regression lambda, by the evidence. CR_EARG:
 * numbers were not kept in training (the knob values=keep). CR_ECONFLICT: rows would be needed, as
 * for a choice among learners. */
cr_status cr_model_refit_auto(cr_model *model, cr_error *err);

/* One candidate that was tried. For a numeric target, log_loss is the mean negative log density and
 * accuracy is NaN. */
typedef struct cr_tried {
    const char *name;   /* LEARNER[:KNOB=VALUE...], or "blend" */
    double log_loss;    /* after calibration, on unseen rows; NaN: it could not be judged */
    double error;       /* standard error of the difference from the winner; 0 for the winner */
    double accuracy;    /* share of the rows it decided correctly */
    double work;        /* roughly the seconds of one core that judging took, by operation count */
    double weight;      /* in the model: 1 for a single winner, the power for a member of a blend */
    uint64_t rows;      /* how many rows it was judged on */
    int exact;          /* learns, unlearns and merges exactly */
    int chosen;         /* the winner */
    const char *reason; /* why it could not be judged, or was chosen; "" if by log loss alone */
} cr_tried;

/* The candidates that were tried before this model was trained, best first. CR_END: past the last,
 * or the model was not chosen this way. Strings are borrowed. */
cr_status cr_model_tried(const cr_model *model, size_t index, cr_tried *out);

#ifdef __cplusplus
}
#endif
#endif
