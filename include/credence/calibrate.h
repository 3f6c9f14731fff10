/* credence/calibrate.h - make probabilities mean what they say.
 *
 * A model that is sure of itself for no good reason (naive Bayes on texts) has its posteriors
 * turned into honest ones by a function that is fitted on answers to rows it had not seen: those of
 * a cross-validation, or of held-out data. The function is kept in the model and applied wherever
 * it predicts, tests or explains. One that was fitted on the answers of a cross-validation is kept
 * up: learning a row adds the model's answer to it, unlearning takes the answer back. Merging and
 * turning knobs drop it: what it was fitted on is gone; so do learning and unlearning where the
 * classes change, or where it was fitted on held-out rows.
 *
 * Methods: "temperature", "confidence", "platt", "isotonic", "beta", "none", and "auto", which
 * takes the one of least log-loss on rows that it was not fitted on.
 */
#ifndef CREDENCE_CALIBRATE_H
#define CREDENCE_CALIBRATE_H

#include "credence/cv.h"

#ifdef __cplusplus
extern "C" {
#endif

typedef struct cr_calibration_report {
    const char *method;                     /* that was taken; "none" where nothing helps */
    double rows;                            /* weight of the rows it was fitted on */
    double temperature;                     /* or NaN */
    double log_loss_before, log_loss_after; /* of the rows; after: each by a function that was
                                             * fitted without it, five folds of them */
} cr_calibration_report;

/* Fit on the answers of a cross-validation of the same learner and rows. CR_ECONFLICT: the classes
 * are others. report may be NULL. */
cr_status cr_model_calibrate(cr_model *model, const cr_cv *cv, const char *method,
                             cr_calibration_report *report, cr_error *err);

/* Fit on labelled rows that the model has not learned. */
cr_status cr_model_calibrate_on(cr_model *model, cr_source *source, const char *method,
                                const cr_run *run, cr_calibration_report *report, cr_error *err);

/* Train on all rows, calibrated on the answers of a cross-validation (deal NULL: ten folds); the
 * source is read once. */
cr_status cr_model_train_calibrated(cr_model **out, cr_source *source, const char *learner,
                                    const char *const *params, size_t param_count,
                                    const cr_deal *deal, const char *method, const cr_run *run,
                                    cr_tally *tally, cr_calibration_report *report, cr_error *err);

/* The method in use, NULL when there is none; and give it up. */
const char *cr_model_calibration(const cr_model *model);
void cr_model_uncalibrate(cr_model *model);

#ifdef __cplusplus
}
#endif
#endif
