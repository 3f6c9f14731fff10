/* eval/calibration_choose.h - which calibration answers deserve, and one that is fitted unasked. */
#ifndef CR_EVAL_CALIBRATION_CHOOSE_H
#define CR_EVAL_CALIBRATION_CHOOSE_H

#include "credence/calibrate.h"
#include "model/learner.h"
#include "train/calibration.h"

/* Fewer rows than these are not calibrated unless somebody asks for it: there is too little to tell
 * a model that is too sure of itself from chance. */
enum { CR__CALIBRATE_ROWS_LEAST = 100 };

/* The kind, 0 for none, of least log loss on rows it was not fitted on, in five folds: one is taken
 * when it is better than the simpler ones by more than half the standard error of the paired
 * difference. Kinds that fit a function for each class are left out where rows × classes are many.
 * The report may be NULL. */
cr_status cr__calibration_choose(cr__calibration_kind *kind, const cr__answers_seen *seen,
                                 cr_calibration_report *report, cr_error *err);

/* The kinds that a method may choose, from the first to the last; 0 is none. CR_EARG: there is no
 * such method. */
cr_status cr__calibration_method(const char *method, int *first, int *last, cr_error *err);

/* How many rows are answered for a choice among so many classes, at most. */
size_t cr__calibration_rows_most(size_t classes);

/* Why a model is not calibrated unasked; NULL where it is. */
const char *cr__calibrate_reason(const cr_model *model);

/* Calibrate a model that was just trained on a source, by the answers that fitting had from models
 * without the row. Where it had none (unseen may be NULL), the source is read a second time as far
 * as need be: rows are answered by the model without their fold. A model that cannot be, or need
 * not be, is left as it is, and the report says why. */
cr_status cr__calibrate_trained(cr_model *model, cr_source *source, const cr__unseen *unseen,
                                const cr_run *run, cr_calibration_report *report, cr_error *err);

/* The same of a model that was trained on rows of a table, by a kind (-1: the best; 0: none). *done
 * is 0 where it is left as it is, because it cannot be calibrated so. */
cr_status cr__calibrate_on_table(cr_model *model, const cr__table *table, const uint32_t *row,
                                 size_t rows, int kind, const cr_run *run, int *done,
                                 cr_error *err);

/* Calibrate the model of all rows of a cross-validation by its answers, as training does unasked.
 */
cr_status cr__cv_calibrate_model(cr_cv *cv, cr_error *err);

/* Replace the scores of a cross-validation by calibrated ones, each row's by a function that was
 * chosen and fitted on the answers to the other folds. */
cr_status cr__cv_calibrate(cr_cv *cv, const cr_run *run, cr_error *err);

#endif
