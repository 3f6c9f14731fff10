/* train/keep.h - what a model keeps up while rows are learned and taken back. */
#ifndef CR_TRAIN_KEEP_H
#define CR_TRAIN_KEEP_H

#include "model/model.h"

/* Learn rows (sign 1) or take them back (-1). */
typedef cr_status cr__change(cr_model *model, cr_source *source, const cr_run *run, int sign,
                             cr_tally *tally, cr_error *err);

/* The change of a model whose calibration has tallies: each row is answered by the model without
 * it, before it is learned or after it is taken back, and counted. Where the classes change, the
 * calibration is dropped. The model stays as it was after a failure. */
cr_status cr__change_calibrated(cr_model *model, cr_source *source, const cr_run *run, int sign,
                                cr_tally *tally, cr__change *change, cr_error *err);

/* Whether a model is an ensemble whose members learn: a product, whose powers need no other rows.
 */
int cr__members_learn(const cr_model *model);

/* The change of such an ensemble: that of its members, one after the other. Their weights and its
 * calibration stay. */
cr_status cr__change_members(cr_model *model, cr_source *source, const cr_run *run, int sign,
                             cr_tally *tally, cr__change *change, cr_error *err);

#endif
