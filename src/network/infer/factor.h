/* network/infer/factor.h - tables over a few variables, their products and sums.
 *
 * Inference numbers the variables by rank, the order in which they are eliminated. A factor's
 * variables are in ascending rank and its last one is the fastest in memory, so that in a product,
 * cells that are contiguous in one factor are contiguous in all others, or constant. A variable
 * that is observed is in no factor: evidence makes the tables smaller before anything is
 * multiplied.
 *
 * The true numbers are cell * 2^exponent. Factors are never changed once made, and are shared by
 * counting references.
 */
#ifndef CR_NETWORK_INFER_FACTOR_H
#define CR_NETWORK_INFER_FACTOR_H

#include "base/pool.h"
#include "base/scaled.h"
#include "network/graph/network.h"

/* Each has at least two states, so more of them would not fit any memory. */
enum { CR__SCOPE_MAX = 56 };

typedef struct cr__factor {
    uint32_t references;
    uint32_t variables;
    uint32_t child; /* rank of the variable that each row sums to 1 over; UINT32_MAX when it is not
                     * a conditional distribution */
    int64_t exponent;
    size_t cells;
    double *cell;
    uint32_t variable[]; /* ranks, ascending */
} cr__factor;

/* What products need to know. */
typedef struct cr__workshop {
    const uint32_t *size; /* states by rank */
    cr_pool *pool;        /* for large products; NULL: one thread. The result is the same */
    int max;              /* the largest instead of the sum of what is eliminated */
} cr__workshop;

/* A factor with its cells not set; NULL when out of memory or when it would be too large. */
cr__factor *cr__factor_new(const uint32_t *variable, uint32_t variables, const uint32_t *size);
cr__factor *cr__factor_keep(cr__factor *factor); /* one more reference; returns it */
void cr__factor_drop(cr__factor *factor);        /* one less; NULL is allowed */
int cr__factor_has(const cr__factor *factor, uint32_t variable);
int cr__factor_same(const cr__factor *a, const cr__factor *b);

/* The product of factors, summed (or maximised) over all variables that are not in keep, which is
 * ascending and a part of theirs. Powers of two move into the exponent when numbers get small. */
cr_status cr__factor_product(cr__factor **out, cr__factor *const *in, size_t count,
                             const uint32_t *keep, uint32_t kept, const cr__workshop *shop,
                             cr_error *err);

/* P(node | parents) of a network where state[node] is what was observed (UINT32_MAX: nothing). */
cr_status cr__factor_of_node(cr__factor **out, const cr__network *network, uint32_t node,
                             const uint32_t *rank, const uint32_t *state, cr_error *err);

/* --- several factors whose product is meant: factor_list.c
 * -------------------------------------------- */

typedef struct cr__factor_list {
    cr__factor **factor; /* each a reference */
    size_t count, capacity;
    cr__scaled mass; /* a number that multiplies all */
} cr__factor_list;

void cr__factor_list_begin(cr__factor_list *list);
void cr__factor_list_free(cr__factor_list *list);

/* Add a reference to a factor; a single number multiplies the mass. */
cr_status cr__factor_list_add(cr__factor_list *list, cr__factor *factor, cr_error *err);

/* Drop conditional distributions of variables that no other factor has and that are not in keep
 * (sorted): they sum to 1 (barren nodes). Only for sums. */
void cr__factor_list_prune(cr__factor_list *list, const uint32_t *keep, uint32_t kept);

/* Eliminate all variables except those of keep (ascending), the cheapest first. */
cr_status cr__factor_list_eliminate(cr__factor_list *list, const uint32_t *keep, uint32_t kept,
                                    const cr__workshop *shop, cr_error *err);

/* Multiply small factors into those that have all of their variables. */
cr_status cr__factor_list_merge(cr__factor_list *list, const cr__workshop *shop, cr_error *err);

#endif
