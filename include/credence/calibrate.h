/* credence/calibrate.h - make probabilities mean what they say.
 *
 * Some models are surer than they should be, such as naive Bayes on texts. Calibration corrects
 * their posteriors with a function fitted on answers to rows the model had not seen, which come
 * from a cross-validation or from held-out data. The model keeps the function and applies it
 * wherever it predicts, tests or explains. A function fitted on the answers of a cross-validation
 * is kept up to date: learning a row adds the model's answer to it, and unlearning takes the answer
 * back. Merging and turning knobs drop the function, because the answers it was fitted on no longer
 * hold. So do learning and unlearning when the classes change, or when it was fitted on held-out
 * rows.
 *
 * Methods: "temperature", "confidence", "platt", "isotonic", "beta", "none", and "auto", which
 * takes the method with the least log loss on rows it was not fitted on.
 */
#ifndef CREDENCE_CALIBRATE_H
#define CREDENCE_CALIBRATE_H

#include "credence/cv.h"

#ifdef __cplusplus
extern "C" {
#endif

typedef struct cr_calibration_report {
    const char *method;                     /* the method taken; "none" where none helps */
    double rows;                            /* weight of the rows it was fitted on */
    double temperature;                     /* or NaN */
    double log_loss_before, log_loss_after; /* of the rows. After: in five folds, each row by a
                                             * function that was fitted without it */
    const char *why; /* why there is none, or NULL; method NULL and learned rows only */
} cr_calibration_report;

/* Fit on the answers of a cross-validation of the same learner and rows. CR_ECONFLICT: the classes
 * differ. report may be NULL. */
cr_status cr_model_calibrate(cr_model *model, const cr_cv *cv, const char *method,
                             cr_calibration_report *report, cr_error *err);

/* Fit on labelled rows that the model has not learned. */
cr_status cr_model_calibrate_on(cr_model *model, cr_source *source, const char *method,
                                const cr_run *run, cr_calibration_report *report, cr_error *err);

/* Train on all rows and calibrate on the answers of a cross-validation (deal NULL: ten folds). The
 * source is read once.
 *
 * A learner gets its best setting where the textbook form has another, none of the knobs that it
 * concerns is given, and the rows are neither too few nor too many: nb gets real=auto from 100 to
 * 100,000 rows, up to 500,000 numbers, for texts event=boolean, text-alpha=auto and text-length=50
 * from 300 rows on, and logistic lambda=auto from 100 rows on, up to
 * 500,000 different words (times the classes). Parts of data and teams, which do not know how many
 * rows there are in all, do without, and so does cr_model_train().
 *
 * method NULL is what is right when nobody has asked: the model is trained in one pass, and then
 * some thousands of its rows are read once more and answered by the model without them, in folds.
 * Learners that cannot take rows back answer them by models trained without them: while they choose
 * the strength of a prior, or of one fold or several so that it costs about one training more.
 * Fewer than 100 rows are not calibrated, nor are parts of data or models of a team; report->why
 * says so. "none" is that pass alone. */
cr_status cr_model_train_calibrated(cr_model **out, cr_source *source, const char *learner,
                                    const char *const *params, size_t param_count,
                                    const cr_deal *deal, const char *method, const cr_run *run,
                                    cr_tally *tally, cr_calibration_report *report, cr_error *err);

/* Calibrate a model on labelled rows that it has learned, all of them or some that are like all, as
 * training does unasked: they are taken back in folds and answered by the model without them.
 * report->why says why it is left as it is, if it is. report may be NULL. */
cr_status cr_model_calibrate_learned(cr_model *model, cr_source *source, const cr_run *run,
                                     cr_calibration_report *report, cr_error *err);

/* Return the method in use, or NULL when there is none. cr_model_uncalibrate() removes it. */
const char *cr_model_calibration(const cr_model *model);
void cr_model_uncalibrate(cr_model *model);

#ifdef __cplusplus
}
#endif
#endif
