/* credence/auto.h - the learner that is best on rows it has not seen, found by trying.
 *
 * Candidates, learners with the few knobs that matter, are judged on one set of folds by the log
 * loss of their calibrated answers to rows they have not learned. Where that would take too much
 * work, all are judged on a sample of the rows and the best of them on more (successive halving).
 * The winner learns all rows and is calibrated by the answers at hand. A blend of the best, the
 * product of their calibrated posteriors, each to a power, takes its place where it is better by
 * more than the error of the difference.
 *
 * What was tried is kept in the model. Work is counted, not timed: the choice is the same for any
 * number of threads, on any machine.
 *
 * The name "auto" may be given wherever a candidate of a study is named (cr_cv_run(),
 * cr_study_train(), cr_study_curve()): then the choice is made anew within each fold, so that the
 * figures are of the choice too. Its knobs:
 *
 *   among=all|exact     every learner, or those that learn, unlearn and merge exactly
 *   blend=yes|no        whether several may answer as one
 *   budget=SECONDS      work that judging may take, in seconds of one core (about)
 *   calibrate=METHOD    of credence/calibrate.h; none leaves posteriors as they are
 *
 * Knobs of learners that are given besides are fixed for every candidate that has them.
 */
#ifndef CREDENCE_AUTO_H
#define CREDENCE_AUTO_H

#include "credence/calibrate.h"

#ifdef __cplusplus
extern "C" {
#endif

/* Choose, train on all rows and calibrate. The source is read once where texts do not have to be
 * cut into other words again. CR_EARG: an unknown knob, or no candidate can do it (then err has the
 * reason of the first). */
cr_status cr_model_train_auto(cr_model **out, cr_source *source, const char *const *params,
                              size_t param_count, const cr_run *run, cr_tally *tally,
                              cr_error *err);

/* One line of what was tried. Of a target that is a number, log_loss is the mean negative log
 * density and accuracy is NaN. */
typedef struct cr_tried {
    const char *name;   /* LEARNER[:KNOB=VALUE...], or "blend" */
    double log_loss;    /* calibrated, of rows not seen; NaN: it could not be judged */
    double error;       /* standard error of its difference from the winner's, 0 of the winner */
    double accuracy;    /* share of the rows it was right about */
    double work;        /* about how many seconds of one core judging it took, by its operations */
    double weight;      /* in the model: 1 of a single winner, the power of a member of a blend */
    uint64_t rows;      /* judged on so many */
    int exact;          /* learns, unlearns and merges exactly */
    int chosen;         /* the winner */
    const char *reason; /* why it could not be judged, or "" */
} cr_tried;

/* What was tried before this model was trained, the best first; CR_END past the last and of models
 * that were not chosen. Strings are borrowed. */
cr_status cr_model_tried(const cr_model *model, size_t index, cr_tried *out);

#ifdef __cplusplus
}
#endif
#endif
