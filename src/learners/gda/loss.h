/* learners/gda/loss.h - the log loss of scores at several slopes, in vectors along the rows. */
#ifndef CR_LEARNERS_GDA_LOSS_H
#define CR_LEARNERS_GDA_LOSS_H

#include <stddef.h>
#include <stdint.h>

/* Scores [rows * classes] by class, then by row; rows that are added up to the stride, a multiple
 * of CR__LANES, have a loss of 0. */
void cr__gda_turn(const double *score, size_t rows, size_t stride, size_t classes, double *turned);

/* Give the rows from `rows` on a loss of 0. */
void cr__gda_pad(size_t rows, size_t stride, size_t classes, double *turned);

/* loss[t] += Σ_r log Σ_c e^(slope[t] x_cr) - slope[t] x_of[r],r for turned scores x, which are
 * changed; the largest of each row is finite. The same bits on every machine. */
void cr__gda_log_loss(double *turned, const uint32_t *of, size_t rows, size_t stride,
                      size_t classes, const double *slope, size_t slopes, double *loss);

#endif
