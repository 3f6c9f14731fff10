/* decide/calibration.h - fit a calibration on answers, and apply it. */
#ifndef CR_DECIDE_CALIBRATION_H
#define CR_DECIDE_CALIBRATION_H

#include "credence/explain.h"
#include "model/calibration.h"

/* Turn scores log P(class, row) into those whose posterior is the calibrated one; what they sum to
 * stays. NULL changes nothing, and so do scores without a posterior. */
void cr__calibrate(const cr__calibration *calibration, double *score);

/* What a calibration makes of each class, for explanations. 0 where it changes nothing: a row
 * without a posterior, or with one possible class. */
int cr__calibrate_shares(const cr__calibration *calibration, const double *score,
                         cr_calibration_share *out);

/* Answers to fit on. Rows are those listed. */
typedef struct cr__answers_seen {
    size_t classes;
    const double *score;  /* [rows * classes] log P(class, row) by a model without the row */
    const int32_t *truth; /* [rows] negative: left out */
    const double *weight; /* [rows], or NULL */
    const uint32_t *row;  /* [rows] which ones */
    size_t rows;
} cr__answers_seen;

/* The calibration of a kind that makes the classes of these rows most likely. */
cr_status cr__calibration_fit(cr__calibration **out, cr__calibration_kind kind,
                              const cr__answers_seen *seen, cr_error *err);

/* Σ w -ln P(truth) of the rows with a calibration (NULL: as they are), clipped as log_loss is;
 * their weight is added to *weight. */
double cr__calibration_loss(const cr__calibration *calibration, const cr__answers_seen *seen,
                            double *scratch, double *weight);

/* ln p and ln(1 - p) of one class of a row, within ±700. 0 where there is no posterior or the class
 * is impossible. */
int cr__log_odds_parts(const double *score, size_t classes, size_t class_index, double *log_p,
                       double *log_rest);

#endif
