/* learners/tree/tree.h - a decision tree after C4.5 (Quinlan 1993, C4.5: Programs for Machine
 * Learning).
 *
 * Grown from the rows: each node tests the feature of best gain ratio, a symbol for its value, a
 * number against a threshold. Rows that lack the value go down every branch, each with the branch's
 * share of its weight. Then pruned: a node becomes a leaf when that would, by a pessimistic guess,
 * make no more errors. The probabilities of a node are smoothed towards those of the node above it,
 *
 *     P(c | node) = (n_c + m P(c | node above)) / (n + m),
 *
 * at the root towards the uniform distribution.
 */
#ifndef CR_LEARNERS_TREE_TREE_H
#define CR_LEARNERS_TREE_TREE_H

#include <stdatomic.h>

#include "model/learner.h"

/* The children of a node are adjacent and come after it. */
typedef struct cr__tree_node {
    uint32_t column;   /* that it tests; UINT32_MAX: none */
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
    void *own;                 /* the memory of node and count, or NULL when the container's */
} cr__tree;

typedef struct cr__tree_plan {
    double least; /* rows that at least two branches must have */
    int binary;   /* symbols: one value against the others */
    const cr__table *rows;
    size_t classes;
    const size_t *values; /* [columns] of symbols */
    const cr_run *run;    /* threads; may be NULL */
    size_t most;          /* nodes that memory allows */
    atomic_size_t *made;  /* how many there are, in all parts together */
} cr__tree_plan;

/* Grow a tree: nodes and counts, each in a block to be freed. CR_ENOMEM, also when *made exceeds
 * the most. */
cr_status cr__tree_grow(const cr__tree_plan *plan, cr__tree_node **node, double **count,
                        size_t *nodes);

/* Set the flags `cut` by confidence; 1 and more cuts nothing. */
cr_status cr__tree_prune(cr__tree_node *node, const double *count, size_t nodes, size_t classes,
                         double confidence, const cr_run *run);

/* Whether a node counts as a leaf. */
static inline int cr__tree_is_leaf(const cr__tree_node *node)
{
    return node->children == 0 || node->cut;
}

/* The weight of the rows that came to a node. */
double cr__tree_weight(const cr__tree *tree, size_t node);

/* A row, or a part of its weight, on the way down. */
typedef struct cr__tree_visitor {
    uint32_t node;
    double weight;
} cr__tree_visitor;

/* P(class | row) into p, using only columns up to `last`. A row goes down every branch where its
 * value is missing, by the branches' weights. stack has room for all nodes. */
void cr__tree_descend(const cr__tree *tree, const cr__batch *batch, size_t row, size_t last,
                      cr__tree_visitor *stack, double *p);

/* What branch b of a node stands for: "legs = no", "hours <= 40". names are the column's values. */
void cr__tree_question(const cr__tree_node *node, size_t b, const cr_schema *schema,
                       const cr__dict *names, char *text, size_t size);

/* explain.c */
cr_status cr__tree_factors(const void *fitted, void *state, const cr__stats *stats,
                           const cr__knobs *knobs, const cr__batch *batch, size_t row,
                           cr_factor *factor, size_t *count, double *work, cr_error *err);
extern const cr__detail cr__tree_detail;

/* The branch of a row at a node; children when its value is missing or has no branch. */
size_t cr__tree_branch(const cr__tree_node *node, cr_kind kind, uint32_t code, double x);

#endif
