/* credence/tree.h - what a decision tree asks and where it leads. */
#ifndef CREDENCE_TREE_H
#define CREDENCE_TREE_H

#include "credence/model.h"

#ifdef __cplusplus
extern "C" {
#endif

/* A node of a decision tree that rows have reached. */
typedef struct cr_tree_node {
    size_t parent;             /* the node above it; SIZE_MAX: it is the root */
    const char *branch;        /* how it is reached, "hours <= 40"; "" for the root */
    size_t column;             /* the column that it tests; SIZE_MAX: it is a leaf */
    size_t best;               /* the class that it would decide for */
    const double *count;       /* [classes] weight of the rows that reached it */
    const double *probability; /* [classes] */
} cr_tree_node;

/* The nodes of a tree in use, parents before their children, and children in the order of their
 * branches. It owns what it points to, except for count and probability, which belong to the
 * model. */
typedef struct cr_tree {
    size_t nodes;
    cr_tree_node *node;
    char *text;
} cr_tree;

/* CR_EARG: the model is not a decision tree. Free *out even after a failure. */
cr_status cr_model_tree(const cr_model *model, cr_tree *out, cr_error *err);
void cr_tree_free(cr_tree *tree); /* what it points to; NULL is allowed */

#ifdef __cplusplus
}
#endif
#endif
