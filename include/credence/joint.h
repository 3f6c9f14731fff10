/* credence/joint.h - joint tables: read a table of probabilities, and visit its cells.
 *
 * A model of the learner "joint" knows how often each combination of values occurs. It comes from
 * cr_model_train() with data, or from cr_joint_read() with the probabilities themselves, and is a
 * cr_model like any other: credence/query.h asks it for probabilities.
 */
#ifndef CREDENCE_JOINT_H
#define CREDENCE_JOINT_H

#include "credence/model.h"

#ifdef __cplusplus
extern "C" {
#endif

/* Read a joint table that has a row for each combination of values. The source's column of weights
 * (cr_source_options.weight) holds its probability. All other columns are variables, and their
 * values are words, in the order of the table; a column named as target makes it a classifier too.
 * Combinations without a row have probability 0, and rows of the same combination are added. On
 * CR_OK the caller frees *out. CR_EFORMAT: a probability that is missing, negative or no number, a
 * value that is missing (err names the line), or probabilities that do not sum to 1 (err has the
 * sum; 1e-4 is forgiven, as tables are rounded). CR_EARG: the source has no column of weights. */
cr_status cr_joint_read(cr_model **out, cr_source *source, cr_error *err);

/* Call visit for every cell that has a probability above 0, in the order of the values: value[i] is
 * the value of column i of the schema (SIZE_MAX where that is no variable), count the rows of the
 * cell. If visit returns a status other than CR_OK, the function stops and returns it. CR_EARG: the
 * model is not a joint table. CR_ELIMIT: there are more than `limit` cells; err has their
 * number. */
cr_status cr_joint_cells(const cr_model *model, uint64_t limit,
                         cr_status (*visit)(void *context, const size_t *value, double count,
                                            double probability),
                         void *context, cr_error *err);

#ifdef __cplusplus
}
#endif
#endif
