/* stats/cross_gather.h - collect cross products with any number of workers.
 *
 * Workers hand over the rows of each chunk in the order of the input. The rows are distributed over
 * blocks of one class each; the products of a full block are a job for the next free worker, and
 * the results are added in the order of the blocks. So the sums, which are rounded, do not depend
 * on which worker did what.
 */
#ifndef CR_STATS_CROSS_GATHER_H
#define CR_STATS_CROSS_GATHER_H

#include "data/batch.h"
#include "stats/cross.h"

typedef struct cr__cross_gather cr__cross_gather; /* shared by the workers */
typedef struct cr__cross_part cr__cross_part;     /* of one worker: the rows of its chunk */

/* limit: bytes that the sums may take, 0 = no limit. The schema must outlive it. */
cr_status cr__cross_gather_new(cr__cross_gather **out, const cr_schema *schema, cr__cross_use use,
                               uint64_t limit, cr_error *err);
void cr__cross_gather_free(cr__cross_gather *gather);

cr_status cr__cross_part_new(cr__cross_part **out, cr__cross_gather *gather, cr_error *err);
void cr__cross_part_free(cr__cross_part *part);

/* Keep the rows of a batch until their chunk is delivered. */
cr_status cr__cross_part_absorb(cr__cross_part *part, const cr__batch *batch, cr_error *err);

/* Deliver the rows of the chunk, in its turn. dict [columns] are what the codes of its batches
 * mean. */
cr_status cr__cross_part_deliver(cr__cross_part *part, cr__dict *const *dict, cr_error *err);

/* Do the jobs in the queue; at any time. */
cr_status cr__cross_part_work(cr__cross_part *part, cr_error *err);

/* After all deliveries: the products, with classes and values in the order of these dictionaries
 * [columns]; the target's has the classes, unless all rows are one. */
cr_status cr__cross_gather_finish(cr__cross_gather *gather, int threads, cr__dict *const *dict,
                                  size_t classes, cr__cross **out, cr_error *err);

#endif
