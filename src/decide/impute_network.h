/* decide/impute_network.h - rows completed by a Bayesian network. */
#ifndef CR_DECIDE_IMPUTE_NETWORK_H
#define CR_DECIDE_IMPUTE_NETWORK_H

#include "credence/impute.h"
#include "stats/table_read.h"

/* Fill what the rows of a table lack, all columns of the model's schema:
 *
 *     together:   argmax P(all missing | all present), the most probable explanation
 *     otherwise:  argmax P(x | all present) for each x by itself
 *
 * Rows that the network makes impossible are left unchanged. The table must have been read for the
 * model's schema. CR_EARG: a column is a number; CR_EFORMAT: a value is not a state. */
cr_status cr__impute_by_network(const cr_model *model, cr__table *table, int together,
                                const cr_run *run, cr_impute_tally *tally, cr_error *err);

#endif
