/* learners/tree/deal.h - distribute the rows of a node over its branches. */
#ifndef CR_LEARNERS_TREE_DEAL_H
#define CR_LEARNERS_TREE_DEAL_H

#include "learners/tree/frame.h"

/* One of the branches: its rows, and whether it is to be split further. */
typedef struct cr__tree_branch_rows {
    cr__tree_stretch s;   /* set where it is alive; its node belongs to the caller */
    double weight, share; /* of the rows whose branch is known, where some is not */
    size_t rows;
    int alive;
} cr__tree_branch_rows;

/* Scratch memory for a stretch of at most this many rows. */
typedef struct cr__tree_spare {
    cr__tree_item *item; /* [rows] */
    size_t *next;        /* [branches] */
    size_t rows, branches;
} cr__tree_spare;

void cr__tree_spare_free(cr__tree_spare *spare);

/* Set the branch of each row of a stretch by the node's question, and count: the rows and weight of
 * each branch, and its classes in count[branch][class], which start at 0. Rows that lack the value
 * get branch node->children; returns how many they are. */
size_t cr__tree_ask(const cr__tree_stretch *s, const cr__tree_node *node, const cr__tree_cut *cut,
                    cr__tree_branch_rows *branch, double *count);

/* Distribute the rows; `lacking` of them go down every branch that has a known row. Each live
 * branch gets a stretch and becomes a user of its frame; s no longer is one. CR_ENOMEM: no branch
 * has a stretch.
 */
cr_status cr__tree_deal(const cr__tree_stretch *s, const cr__tree_node *node,
                        cr__tree_branch_rows *branch, size_t lacking, cr__tree_spare *spare,
                        const cr_run *run);

#endif
