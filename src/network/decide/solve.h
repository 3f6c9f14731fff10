/* network/decide/solve.h - the best strategy of an influence diagram.
 *
 * Decisions are solved backwards, the last first (G. Cooper, 1988; S. Lauritzen and D. Nilsson,
 * "Representing and solving decision problems with limited information", 2001, whose single policy
 * updating is exact where nothing is forgotten). For the current decision
 *
 *     best(k) = argmax_d Σ_u E[u | k, d]      u: utilities that d can influence
 *
 * where later decisions follow their policies, earlier ones are random, and k is the relevant part
 * of what is known: nodes that the rest and d separate from those utilities are left out. E[u | k,
 * d] is a probability: u becomes a variable of two states with P(1 | parents) proportional to the
 * utility minus its minimum.
 */
#ifndef CR_NETWORK_DECIDE_SOLVE_H
#define CR_NETWORK_DECIDE_SOLVE_H

#include "base/pool.h"
#include "network/graph/network.h"

/* The problem. */
typedef struct cr__problem {
    const cr__network *net;
    const uint32_t *state;       /* [nodes] known or decided at the start; UINT32_MAX: nothing */
    uint32_t decision, variable; /* one more variable that is known at a decision, or CR__NO_NODE */
    uint64_t memory;
    cr_pool *pool;
} cr__problem;

/* The policy of one decision, as in cr_policy. */
typedef struct cr__policy {
    uint32_t decision, knowns;
    uint32_t *known;
    size_t rows;
    uint32_t *best;
    double *utility, *probability; /* NULL where only the value is wanted */
} cr__policy;

typedef struct cr__strategy {
    double utility;
    uint32_t count;
    cr__policy *policy;
} cr__strategy;

/* details: with the utilities of all options and the probabilities of all situations. */
cr_status cr__strategy_find(cr__strategy **out, const cr__problem *problem, int details,
                            cr_error *err);
void cr__strategy_free(cr__strategy *strategy); /* NULL is allowed */

/* A set of flags by node: below becomes 1 for the descendants of a node, without itself. */
void cr__mark_descendants(const cr__network *network, uint32_t node, unsigned char *below);

/* The nodes known at a decision, marked in known ([nodes]): parents of it and of the decisions
 * before it, and these themselves. */
void cr__mark_known(const cr__problem *problem, const uint32_t *decision, uint32_t index,
                    unsigned char *known);

/* Open decisions in the order in which they are taken. CR_ECONFLICT: there is no such order, or
 * evidence depends on an open decision. The caller frees *out. */
cr_status cr__decision_order(const cr__problem *problem, uint32_t **out, uint32_t *count,
                             cr_error *err);

#endif
