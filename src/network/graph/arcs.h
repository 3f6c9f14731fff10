/* network/graph/arcs.h - which nodes have arcs to which: a matrix of bits.
 *
 * Row c has a bit for each node with an arc to c. An arc in both directions is an undirected line,
 * where that is meaningful (cpdag.c).
 */
#ifndef CR_NETWORK_GRAPH_ARCS_H
#define CR_NETWORK_GRAPH_ARCS_H

#include <stddef.h>
#include <stdint.h>

#include "credence/status.h"
#include "network/graph/network.h"

enum { CR__ARC_NODES_MAX = 16384 }; /* more would need matrices of gigabytes */

typedef struct cr__arcs {
    uint32_t nodes;
    size_t words;   /* of a row */
    uint64_t *into; /* [nodes * words] */
} cr__arcs;

/* No arcs yet. CR_ELIMIT: too many nodes. */
cr_status cr__arcs_new(cr__arcs **out, uint32_t nodes, cr_error *err);
void cr__arcs_free(cr__arcs *arcs);                     /* NULL is allowed */
void cr__arcs_copy(cr__arcs *to, const cr__arcs *from); /* of as many nodes */
cr_status cr__arcs_of_network(cr__arcs **out, const cr__network *network, cr_error *err);

static inline uint64_t *cr__arcs_row(const cr__arcs *arcs, uint32_t to)
{
    return arcs->into + to * arcs->words;
}

static inline int cr__arcs_has(const cr__arcs *arcs, uint32_t from, uint32_t to)
{
    return (int)(cr__arcs_row(arcs, to)[from / 64] >> from % 64 & 1);
}

static inline void cr__arcs_put(cr__arcs *arcs, uint32_t from, uint32_t to)
{
    cr__arcs_row(arcs, to)[from / 64] |= UINT64_C(1) << from % 64;
}

static inline void cr__arcs_drop(cr__arcs *arcs, uint32_t from, uint32_t to)
{
    cr__arcs_row(arcs, to)[from / 64] &= ~(UINT64_C(1) << from % 64);
}

static inline int cr__arcs_near(const cr__arcs *arcs, uint32_t a, uint32_t b)
{
    return cr__arcs_has(arcs, a, b) || cr__arcs_has(arcs, b, a);
}

size_t cr__arcs_count(const cr__arcs *arcs);

/* The nodes with an arc to this one, ascending; how many. list has room for all nodes. */
size_t cr__arcs_parents(const cr__arcs *arcs, uint32_t node, uint32_t *list);

/* Parents before children, the smallest first among those that could come next. Returns how many
 * nodes could be ordered: all of them unless there is a cycle. CR_ENOMEM as SIZE_MAX. */
size_t cr__arcs_order(const cr__arcs *arcs, uint32_t *order);

/* All ancestors of each node, as the arcs of `above`; order lists all nodes. */
void cr__arcs_above(const cr__arcs *arcs, const uint32_t *order, cr__arcs *above);

/* CR_EARG when the arcs have a cycle: "WHAT has a cycle: a -> b -> a". */
cr_status cr__arcs_check(const cr__arcs *arcs, const char *const *name, const char *what,
                         cr_error *err);

/* Arcs from "a>b,c>d" (or "a->b"; an item "a>" or ">b" means all arcs from or to a node). CR_EARG:
 * an unknown name, with the nearest. Names are those of the nodes. */
cr_status cr__arcs_read(cr__arcs *arcs, const char *list, const char *const *name, const char *what,
                        cr_error *err);

/* A node by its name; CR_EARG with the nearest one. */
cr_status cr__arcs_node(const cr__arcs *arcs, const char *const *name, const char *text,
                        size_t length, uint32_t *node, cr_error *err);

#endif
