/* network/graph/cpdag.h - which directions data can determine, and how far apart two networks are.
 *
 * Networks with the same lines and the same colliders a -> c <- b (a and b not joined) have the
 * same independences and cannot be distinguished by data (T. Verma and J. Pearl, 1990). The
 * completed partially directed graph of such a class has an arc where all of them have it, and a
 * line (an arc both ways) where they differ.
 */
#ifndef CR_NETWORK_GRAPH_CPDAG_H
#define CR_NETWORK_GRAPH_CPDAG_H

#include "network/graph/arcs.h"

/* The CPDAG of a network without cycles, in place: colliders, then Meek's rules. */
cr_status cr__cpdag(cr__arcs *arcs, cr_error *err);

/* Direct the lines whose direction follows from the existing arcs (C. Meek, 1995):
 *   1. a -> b - c, a and c not joined:           b -> c, or there would be a new collider
 *   2. a -> b -> c and a - c:                    a -> c, or there would be a cycle
 *   3. a - b, a - c, a - d, b -> d <- c, b and c not joined: a -> d
 *   4. a - b, a - c, a - d (or a joined to c), b -> c -> d, b and d not joined: a -> d */
void cr__meek(cr__arcs *arcs);

/* Direct all lines so that neither cycles nor colliders are added (D. Dor and M. Tarsi, 1992). When
 * that is impossible, as may happen with the results of tests, the remaining lines are directed by
 * the order of the nodes, reversed where they would close a cycle. Returns whether it was
 * possible. */
cr_status cr__extend(cr__arcs *arcs, int *consistent, cr_error *err);

/* How two graphs over the same nodes differ. */
typedef struct cr__arcs_difference {
    size_t missing; /* joined only in the first */
    size_t extra;   /* joined only in the second */
    size_t turned;  /* joined in both, but differently */
} cr__arcs_difference;

/* Their sum is the structural Hamming distance (I. Tsamardinos, L. Brown and C. Aliferis, 2006)
 * when both are CPDAGs. */
cr__arcs_difference cr__arcs_compare(const cr__arcs *first, const cr__arcs *second);

#endif
