/* decide/calibration.h - fit a calibration on answers. */
#ifndef CR_DECIDE_CALIBRATION_H
#define CR_DECIDE_CALIBRATION_H

#include "model/calibration.h"

/* Answers to fit on. Rows are those listed. */
typedef struct cr__answers_seen {
    size_t classes;
    const double *score;  /* [rows * classes] log P(class, row) by a model without the row */
    const int32_t *truth; /* [rows] negative: left out */
    const double *weight; /* [rows], or NULL */
    const uint32_t *row;  /* [rows] which ones */
    size_t rows;
    double prior; /* temperature: 1 / T has a Gaussian prior around 1 of this precision; 0: none.
                     Few rows that are all answered rightly would make T vanish otherwise */
} cr__answers_seen;

/* The calibration of a kind that makes the classes of these rows most likely. */
cr_status cr__calibration_fit(cr__calibration **out, cr__calibration_kind kind,
                              const cr__answers_seen *seen, cr_error *err);

/* Σ w -ln P(truth) of the rows with a calibration (NULL: as they are), clipped as log_loss is;
 * their weight is added to *weight. */
double cr__calibration_loss(const cr__calibration *calibration, const cr__answers_seen *seen,
                            double *scratch, double *weight);

#endif
