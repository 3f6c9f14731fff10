/* network/infer/compiled.h - P(target, evidence) of many rows: elimination planned once.
 *
 * Each row knows a different subset of the variables. The variables are eliminated in one order for
 * all rows (buckets: R. Dechter, "Bucket elimination", 1999), the target kept to the end. The
 * tables of one elimination are multiplied when the plan is made; the messages of rows without
 * evidence are kept. A row then runs only the steps that depend on what it knows, and in each only
 * the cells that agree with it. The result of a row depends on that row alone.
 *
 * A plan never changes and may be shared by threads; each has its own cr__compiled_work.
 */
#ifndef CR_NETWORK_INFER_COMPILED_H
#define CR_NETWORK_INFER_COMPILED_H

#include "base/scaled.h"
#include "network/graph/network.h"

typedef struct cr__compiled cr__compiled;
typedef struct cr__compiled_work cr__compiled_work;

/* A plan for a target, or for P(evidence) alone: CR__NO_NODE. The network must outlive it. *out is
 * NULL with CR_OK when it would take more than `bytes` bytes. */
cr_status cr__compiled_new(cr__compiled **out, const cr__network *network, uint32_t target,
                           uint64_t bytes, cr_error *err);
void cr__compiled_free(cr__compiled *compiled); /* NULL is allowed */

/* Bytes of the plan and of one thread's work. */
uint64_t cr__compiled_bytes(const cr__compiled *compiled);

/* What one thread needs. NULL when out of memory. */
cr__compiled_work *cr__compiled_begin(const cr__compiled *compiled);
void cr__compiled_end(cr__compiled_work *work); /* NULL is allowed */

/* log P(target = state, evidence) for each state of the target, or the one log P(evidence). state
 * is [nodes] what was observed, UINT32_MAX: nothing, as for the target itself. */
void cr__compiled_score(cr__compiled_work *work, const uint32_t *state, double *score);

#endif
