/* learners/tree/tree.h - a decision tree after C4.5 (Quinlan 1993, C4.5: Programs for Machine
 * Learning).
 *
 * Grown from the rows: each node asks for the feature of best gain ratio, a symbol for its value, a
 * number for being at most a threshold. Rows that lack the value go down every branch, each with
 * the branch's share of its weight. Then pruned: a node becomes a leaf when that would, by a
 * pessimistic guess, make no more errors. The probabilities of a node are smoothed towards those
 * of the node above it,
 *
 *     P(c | node) = (n_c + m P(c | node above)) / (n + m),
 *
 * at the root towards all classes alike.
 */
#ifndef CR_LEARNERS_TREE_TREE_H
#define CR_LEARNERS_TREE_TREE_H

#include "model/learner.h"

/* The children of a node stand together, after it. */
typedef struct cr__tree_node {
    uint32_t column;   /* it asks for; UINT32_MAX: nothing */
    uint32_t children; /* 2 for a number: at most the threshold, above it; 0 for a leaf */
    uint32_t first;    /* the first child */
    uint32_t cut;      /* pruned: it counts as a leaf, though it has children */
    double threshold;
} cr__tree_node;

typedef struct cr__tree {
    size_t nodes, classes, columns;
    const cr__tree_node *node; /* [nodes] the root first */
    const double *count;       /* [nodes * classes] weight of the rows that came here */
    double *probability;       /* [nodes * classes] */
    void *own;                 /* the memory behind node and count, or NULL when the image's */
} cr__tree;

typedef struct cr__tree_plan {
    double least; /* rows that at least two branches must have */
    int binary;   /* symbols: one value against the others */
    const cr__table *rows;
    size_t classes;
    const size_t *values; /* [columns] of symbols */
} cr__tree_plan;

/* Grow a tree: nodes and counts, each in a block to be freed. */
cr_status cr__tree_grow(const cr__tree_plan *plan, cr__tree_node **node, double **count,
                        size_t *nodes);

/* Set the flags `cut` by confidence; 1 and more cuts nothing. */
cr_status cr__tree_prune(cr__tree_node *node, const double *count, size_t nodes, size_t classes,
                         double confidence);

/* Whether a node counts as a leaf. */
static inline int cr__tree_is_leaf(const cr__tree_node *node)
{
    return node->children == 0 || node->cut;
}

/* The branch of a row at a node; children when its value is missing or has no branch. */
size_t cr__tree_branch(const cr__tree_node *node, cr_kind kind, uint32_t code, double x);

#endif
