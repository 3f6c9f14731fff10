/* network/infer/infer.h - single queries: joint distributions, P(evidence), the best explanation.
 *
 * A query is answered by variable elimination (Zhang & Poole 1994; Dechter's buckets 1999) over the
 * part of the network that it depends on: nodes that are not ancestors of queried or known ones are
 * barren and left out before an order is chosen. junction_tree.h is for all posteriors at
 * once, session.h for many queries.
 */
#ifndef CR_NETWORK_INFER_INFER_H
#define CR_NETWORK_INFER_INFER_H

#include "base/random.h"
#include "network/infer/junction_tree.h"

/* What is known. */
typedef struct cr__evidence {
    const uint32_t *state;           /* [nodes] what was observed; UINT32_MAX: nothing */
    const double *const *likelihood; /* [nodes] soft evidence, entries may be NULL; may be NULL */
} cr__evidence;

/* P(query, evidence) into p for all states of the query's nodes (all different), the last node's
 * fastest. memory: bytes, 0: no limit; pool may be NULL. CR_ELIMIT with the numbers. */
cr_status cr__ask_joint(const cr__network *network, const cr__evidence *evidence,
                        const uint32_t *query, uint32_t count, uint64_t memory, cr_pool *pool,
                        double *p, int64_t *exponent, cr_error *err);

/* The same; *operations is about how many multiplications and additions it took. */
cr_status cr__ask_joint_counted(const cr__network *network, const cr__evidence *evidence,
                                const uint32_t *query, uint32_t count, uint64_t memory,
                                cr_pool *pool, double *p, int64_t *exponent, double *operations,
                                cr_error *err);

/* The most probable states of all nodes given the evidence, into state ([nodes]); *log_p is
 * ln P(states, evidence). CR_ECONFLICT: the evidence is impossible. */
cr_status cr__ask_explanation(const cr__network *network, const cr__evidence *evidence,
                              uint64_t memory, cr_pool *pool, uint32_t *state, double *log_p,
                              cr_error *err);

/* The states of some nodes that are most probable together, all others summed out (marginal MAP),
 * into state ([count]); *log_p is ln P(states, evidence). Sums and maxima do not commute, so the
 * others are eliminated first (J. Park and A. Darwiche, 2004). CR_ECONFLICT: the evidence is
 * impossible. */
cr_status cr__ask_map(const cr__network *network, const cr__evidence *evidence,
                      const uint32_t *node, uint32_t count, uint64_t memory, cr_pool *pool,
                      uint32_t *state, double *log_p, cr_error *err);

/* All nodes drawn together from P(nodes | evidence): what depends on the evidence by elimination
 * and then backwards, each variable given those eliminated after it; the others parents first.
 * Draws are independent. CR_ELIMIT: it would take more than `memory` bytes; CR_ECONFLICT: the
 * evidence is impossible. Evidence must outlive it; threads may share it. */
typedef struct cr__sampler cr__sampler;
cr_status cr__sampler_new(cr__sampler **out, const cr__network *network,
                          const cr__evidence *evidence, uint64_t memory, cr_pool *pool,
                          cr_error *err);
void cr__sampler_free(cr__sampler *block); /* NULL is allowed */
double cr__sampler_log_evidence(const cr__sampler *block);
/* Into state ([nodes]); p has room for the states of any node. */
void cr__sampler_draw(const cr__sampler *block, cr__random *random, uint32_t *state, double *p);

/* A state drawn with probability proportional to p, whose sum is given; the last one with any
 * probability when rounding leads too far. */
uint32_t cr__draw_state(cr__random *random, const double *p, uint32_t states, double sum);

/* ln P(states of all nodes), with the likelihoods of soft evidence when evidence is not NULL. */
double cr__log_joint(const cr__network *network, const cr__evidence *evidence,
                     const uint32_t *state);

/* Where the row of a node's table begins, for the given states of its parents. */
size_t cr__row_at(const cr__network *network, uint32_t node, const uint32_t *state);

#endif
