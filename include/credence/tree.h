/* credence/tree.h - what a decision tree asks and where it leads. */
#ifndef CREDENCE_TREE_H
#define CREDENCE_TREE_H

#include "credence/model.h"

#ifdef __cplusplus
extern "C" {
#endif

/* A node of a decision tree that rows came to. */
typedef struct cr_tree_node {
    size_t parent;             /* the node above it; SIZE_MAX: it is the root */
    const char *branch;        /* how it is reached, "hours <= 40"; "" for the root */
    size_t column;             /* the column that it asks for; SIZE_MAX: it is a leaf */
    size_t best;               /* the class that it would decide for */
    const double *count;       /* [classes] weight of the rows that came here */
    const double *probability; /* [classes] */
} cr_tree_node;

/* The nodes of a tree as it is used, parents before their children and these in the order of their
 * branches. A plain value that owns what it points to but for count and probability, which are the
 * model's. */
typedef struct cr_tree {
    size_t nodes;
    cr_tree_node *node;
    char *text;
} cr_tree;

/* CR_EARG: the model is no decision tree. To be freed after a failure too. */
cr_status cr_model_tree(const cr_model *model, cr_tree *out, cr_error *err);
void cr_tree_free(cr_tree *tree); /* what it points to; NULL is allowed */

#ifdef __cplusplus
}
#endif
#endif
