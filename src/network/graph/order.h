/* network/graph/order.h - in which order to eliminate variables.
 *
 * The moral graph joins each node with its parents and the parents with each other. Eliminating a
 * variable joins all its neighbours, which with it form a clique: the table that must be computed.
 * A good order has small cliques; finding the best is NP-hard. The variable that adds the fewest
 * arcs is eliminated first, and among those the one with the smallest clique, and among those the
 * first (min-fill; Kjaerulff 1990); the same with both criteria exchanged is tried too, and the
 * order with fewer cells in total is used. So the order depends only on the network.
 */
#ifndef CR_NETWORK_GRAPH_ORDER_H
#define CR_NETWORK_GRAPH_ORDER_H

#include "network/graph/network.h"

/* What happens to a node. */
enum {
    CR__PART_NONE,     /* left out, with its table */
    CR__PART_OBSERVED, /* its table counts, but it has one state only */
    CR__PART_ELIMINATED,
    CR__PART_LATER, /* eliminated, but after all of the others */
    CR__PART_KEPT   /* queried: kept to the end */
};

typedef struct cr__order {
    uint32_t count; /* variables: eliminated and kept */
    uint32_t eliminated;
    uint32_t *node;    /* [count] by rank; the kept ones come last, ascending */
    uint32_t *rank;    /* [nodes] by node, or UINT32_MAX */
    uint32_t *size;    /* [count] states by rank */
    size_t *clique_at; /* [eliminated + 1] */
    uint32_t *clique;  /* the neighbours of each at its elimination: ranks, ascending */
    double cells;      /* of all cliques together */
    double largest;    /* of the largest */
} cr__order;

cr_status cr__order_make(cr__order *out, const cr__network *network, const unsigned char *part,
                         cr_error *err);
void cr__order_free(cr__order *order);

#endif
