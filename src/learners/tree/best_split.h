/* learners/tree/best_split.h - the best split of a node by each column. */
#ifndef CR_LEARNERS_TREE_LOOK_H
#define CR_LEARNERS_TREE_LOOK_H

#include "learners/tree/frame.h"

/* A node being evaluated. */
typedef struct cr__tree_search {
    const cr__tree_logs *logs;
    cr__tree_stretch s;
    const double *count; /* [classes] weight of its rows */
    double total;
} cr__tree_search;

/* The best split by cut->column, which is a feature, into *cut; a gain of 0: none. table has
 * cr__tree_table_size numbers. */
void cr__tree_best_split(const cr__tree_search *search, double *table, cr__tree_cut *cut);

/* Rows of a stretch that have the number of a real column: as many of the first in its sorted
 * list. */
size_t cr__tree_known(const cr__tree_stretch *s, size_t column);

#endif
