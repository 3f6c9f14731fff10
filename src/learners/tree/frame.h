/* learners/tree/frame.h - rows from which a tree, or a part of one, is grown.
 *
 * A frame numbers its rows from 0 on and has all that growing needs: class, weight, codes of
 * symbols, and every real column in the order of its numbers. The rows of a node are a stretch of
 * each sorted column, those that lack the number last; a split distributes each stretch over the
 * branches without changing the order (SLIQ: Mehta, Agrawal & Rissanen 1996). So the cost of a
 * level of the tree is linear in the rows, whatever its nodes are.
 *
 * A node that has only few rows of its frame gets a frame of its own, so that what is looked up by
 * row stays in the cache; so do the branches of a node where rows lack the tested value: such a row
 * goes down every branch, with a share of its weight.
 */
#ifndef CR_LEARNERS_TREE_FRAME_H
#define CR_LEARNERS_TREE_FRAME_H

#include "learners/tree/tree_impl.h"

/* A row in a sorted column: equal numbers have equal ranks. */
typedef struct cr__tree_item {
    uint32_t row, rank;
} cr__tree_item;

#define CR__TREE_UNKNOWN UINT32_MAX /* the rank of a row that lacks the number */

typedef struct cr__tree_frame {
    const cr__tree_plan *plan;
    size_t rows;
    atomic_size_t users;    /* stretches that refer to it */
    uint32_t *numbers;      /* the block of the next four */
    uint32_t *origin;       /* [rows] index of a row in the table */
    uint32_t *branch;       /* [rows] where a row goes */
    uint32_t *number;       /* [rows] its number in the frame that is being made, or UINT32_MAX */
    uint32_t *class_of;     /* [rows] */
    double *weight;         /* [rows]; NULL: all 1 */
    uint32_t **code;        /* [columns] [rows] of symbols, NULL for others; in `codes`, unless */
    uint32_t *codes;        /* that is NULL: then the table's */
    cr__tree_item **sorted; /* [columns + 1] [rows] of numbers, NULL for others; in `items` */
    cr__tree_item *items;
    cr__tree_item *order; /* sorted[columns]: the rows of each node in the order of the table */
} cr__tree_frame;

/* The rows of a node. Its holder is a user of the frame. */
typedef struct cr__tree_stretch {
    cr__tree_frame *frame;
    size_t node, first, rows;
} cr__tree_stretch;

/* A frame of all rows of the table, with one user. NULL: out of memory. */
cr__tree_frame *cr__tree_frame_new(const cr__tree_plan *plan, const cr_run *run);

/* A frame of the rows of a stretch that go to a branch, or of all with SIZE_MAX; rows whose branch
 * is `lacking` belong to it too, with `share` of their weight. It has one user. */
cr__tree_frame *cr__tree_frame_part(const cr__tree_stretch *s, size_t branch, size_t lacking,
                                    double share, const cr_run *run);

/* Drop one user; the last one frees it. NULL is allowed. */
void cr__tree_frame_leave(cr__tree_frame *frame);

static inline double cr__tree_row_weight(const cr__tree_frame *frame, uint32_t row)
{
    return frame->weight == NULL ? 1 : frame->weight[row];
}

/* Nodes of fewer rows are processed by one thread; the columns of others are divided among all. */
enum { CR__TREE_LARGE = 1 << 14 };

/* Call work for each column and for the order of the table, on all threads if rows are many. */
cr_status cr__tree_for_columns(const cr__tree_plan *plan, const cr_run *run, size_t rows,
                               cr_status (*work)(void *, size_t, cr_error *), void *context);

#endif
