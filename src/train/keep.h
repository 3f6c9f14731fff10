/* train/keep.h - what a model updates while rows are learned and unlearned. */
#ifndef CR_TRAIN_KEEP_H
#define CR_TRAIN_KEEP_H

#include "data/table.h"
#include "model/model.h"

/* Learn rows (sign 1) or unlearn them (-1). */
typedef cr_status cr__change(cr_model *model, cr_source *source, const cr_run *run, int sign,
                             cr_tally *tally, cr_error *err);

/* The change of a model whose calibration has tallies: each row is answered by the model without
 * it, before it is learned or after it is unlearned, and counted. When the classes change, the
 * calibration is dropped. After a failure the model is unchanged. */
cr_status cr__change_calibrated(cr_model *model, cr_source *source, const cr_run *run, int sign,
                                cr_tally *tally, cr__change *change, cr_error *err);

/* The scores log P(class, row) of the rows of a table before calibration, one row after another:
 * [classes], valid during the visit. */
typedef void cr__scores_visit(void *context, size_t row, const double *score);
cr_status cr__scores_each(const cr_model *model, const cr__table *table, cr__scores_visit *visit,
                          void *context, cr_error *err);

/* The calibration of such a model after its answer to one more row, which it does not have, was
 * counted: its scores, and its class. Free it. */
cr_status cr__calibration_learn(const cr_model *model, const double *score, size_t truth,
                                cr__calibration **out, cr_error *err);

/* Whether a model is an ensemble whose members learn: a product, whose exponents need no other
 * rows.
 */
int cr__members_learn(const cr_model *model);

/* The change of such an ensemble: the change of its members, one after another. Their weights and
 * its calibration are kept. */
cr_status cr__change_members(cr_model *model, cr_source *source, const cr_run *run, int sign,
                             cr_tally *tally, cr__change *change, cr_error *err);

#endif
