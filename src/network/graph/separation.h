/* network/graph/separation.h - d-separation: what the arcs alone say about independence.
 *
 * Two sets of nodes are separated by a third when every path between them is blocked: at a chain
 * a -> b -> c or a fork a <- b -> c by b in the third set; at a collider a -> b <- c unless b or a
 * descendant of b is in it. Then they are independent given it, whatever the tables are (J. Pearl,
 * "Probabilistic Reasoning in Intelligent Systems", 1988).
 */
#ifndef CR_NETWORK_GRAPH_SEPARATION_H
#define CR_NETWORK_GRAPH_SEPARATION_H

#include "network/graph/network.h"

/* A set of nodes. */
typedef struct cr__node_set {
    const uint32_t *node;
    size_t count;
} cr__node_set;

/* Whether given separates a from b. When it does not, path ([2 * nodes]) is the shortest open path
 * from a to b, of *length nodes; else *length is 0. A node that is given is separated from all; a
 * node that is in a and b and not given is not separated from itself. */
cr_status cr__separated(const cr__network *network, cr__node_set a, cr__node_set b,
                        cr__node_set given, int *separated, uint32_t *path, size_t *length,
                        cr_error *err);

#endif
