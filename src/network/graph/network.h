/* network/graph/network.h - a Bayesian network: variables, arcs, and a table for each variable.
 *
 * A network is a directed graph without cycles. Each node is a variable with named states and has
 * one table, P(node | parents), whose rows sum to 1. A cr__network is flat and never changes: the
 * arrays below are what inference runs over. It is made from a cr__builder, which can be edited.
 *
 *     P(x1, ..., xn) = P(x1 | parents of x1) ... P(xn | parents of xn)
 *
 * A node may also be Gaussian: a number, normally distributed around a linear form of its Gaussian
 * parents, selected by its discrete parents (conditional Gaussian networks: S. Lauritzen and N.
 * Wermuth, 1989).
 *
 *     x = intercept + slope1 parent1 + slope2 parent2 + … + N(0, deviation²)
 *
 * In an influence diagram a node may also be a decision, whose parents are known when it is made,
 * or a utility, a number for each row of its parents (R. Howard and J. Matheson, 1984). Only code
 * for diagrams meets them: decide/solve.h.
 *
 * A discrete node has discrete parents only. For discrete inference a Gaussian node has one state
 * and a table of ones, so it needs no special treatment there: normals.h has the rest.
 *
 * A table is contiguous, the node's own state fastest, then its last parent; the first parent is
 * the slowest: row = (state of parent 1 * states of parent 2 + state of parent 2) * ...
 */
#ifndef CR_NETWORK_GRAPH_NETWORK_H
#define CR_NETWORK_GRAPH_NETWORK_H

#include <stddef.h>
#include <stdint.h>

#include "base/arena.h"
#include "credence/status.h"
#include "data/dict.h"

enum {
    CR__NODES_MAX = 1 << 24,
    CR__STATES_MAX = 1 << 20, /* of one node */
    CR__PARENTS_MAX = 64      /* of one node: a larger table would not fit any memory */
};
enum { CR__KIND_CHANCE, CR__KIND_DECISION, CR__KIND_UTILITY };
#define CR__CELLS_MAX ((size_t)1 << 36) /* of all tables together */
#define CR__NO_NODE UINT32_MAX
#define CR__ROW_TOLERANCE 1e-3 /* tolerance for the sum of a row that is read */

typedef struct cr__network {
    cr__arena arena;   /* owns all of it */
    const char *title; /* "" when it has none */
    uint32_t nodes;
    const char **name;       /* [nodes] */
    uint32_t *states;        /* [nodes] how many */
    size_t *label_at;        /* [nodes + 1] where a node's state names begin */
    const char **label;      /* [label_at[nodes]] names of states */
    size_t *parent_at;       /* [nodes + 1] */
    uint32_t *parent;        /* [arcs] */
    size_t *child_at;        /* [nodes + 1] */
    uint32_t *child;         /* [arcs], each node's in ascending order */
    uint32_t *order;         /* [nodes] parents before children */
    size_t *table_at;        /* [nodes + 1] */
    double *table;           /* [table_at[nodes]] */
    unsigned char *kind;     /* [nodes] CR__KIND_CHANCE except in influence diagrams */
    unsigned char *gaussian; /* [nodes] 1: a number */
    size_t *weight_at;       /* [nodes + 1] */
    double *weight;          /* [weight_at[nodes]] of a Gaussian node, for each row of its table:
                                intercept, a slope for each Gaussian parent, deviation; of a
                                utility, the utility */
    cr__dict *names;         /* code - 1 is the node */
} cr__network;

#define CR__WEIGHT_MOST 1e100 /* of a Gaussian node; no deviation is below 1 / CR__WEIGHT_MOST */

void cr__network_free(cr__network *network); /* NULL is allowed */

uint32_t cr__network_find(const cr__network *network, const char *name, size_t length);
/* The state of that name, or UINT32_MAX. */
uint32_t cr__network_state(const cr__network *network, uint32_t node, const char *label);

/* Free parameters: (states - 1) for each row of each table. */
double cr__network_parameters(const cr__network *network);

/* Parents, children and the children's other parents, ascending; given them the node is independent
 * of all others. out has room for all nodes. Returns how many there are. */
size_t cr__network_blanket(const cr__network *network, uint32_t node, size_t *out);

/* --- editing: builder.c ------------------------------------------------------------------------
 */

typedef struct cr__builder_node {
    const char *name;
    const char **label; /* [states] */
    uint32_t states, label_capacity;
    uint32_t parents;
    uint32_t *parent; /* [parents] */
    double *table;    /* NULL until requested; NaN where nothing was set yet */
    size_t cells;
    int gaussian, kind;
    double *weight; /* of a Gaussian node or a utility: NULL until requested, likewise */
    size_t weights;
    int defined;         /* parents were set */
    size_t line, column; /* line of its definition; 0 when unknown */
} cr__builder_node;

typedef struct cr__builder {
    cr__arena arena; /* names */
    const char *title;
    cr__builder_node *node;
    size_t nodes, capacity;
    cr__dict *names;    /* code - 1 is the node */
    cr__dict *labels;   /* the node's number as four bytes and the label; */
    uint32_t *state_of; /* by its code - 1, the state */
    size_t state_capacity;
    size_t cells, cell_limit; /* of all tables; readers lower the limit */
} cr__builder;

cr_status cr__builder_new(cr__builder **out, cr_error *err);
void cr__builder_free(cr__builder *builder); /* NULL is allowed */

/* A new node without states. CR_ECONFLICT: there is one of that name. */
cr_status cr__builder_add(cr__builder *builder, const char *name, size_t length, uint32_t *node,
                          cr_error *err);
/* A node's next state. CR_ECONFLICT: it has one of that name, or a table. */
cr_status cr__builder_add_state(cr__builder *builder, uint32_t node, const char *label,
                                size_t length, cr_error *err);
/* CR__NO_NODE, UINT32_MAX: not found. */
uint32_t cr__builder_find(const cr__builder *builder, const char *name, size_t length);
uint32_t cr__builder_state(const cr__builder *builder, uint32_t node, const char *label,
                           size_t length);

/* Set a node's parents, replacing any it had; its table is dropped. A node that is its own parent
 * or has one twice is CR_EARG; longer cycles are found when the builder is finished. */
cr_status cr__builder_set_parents(cr__builder *builder, uint32_t node, const uint32_t *parent,
                                  size_t count, cr_error *err);

/* A node's table, to be filled: created if needed, all NaN. Its parents must have all their
 * states. */
cr_status cr__builder_table(cr__builder *builder, uint32_t node, double **table, cr_error *err);

/* Make a node that has no states yet a utility. */
cr_status cr__builder_make_utility(cr__builder *builder, uint32_t node, cr_error *err);

/* Give decisions that have no table yet a uniform one, and no parents where none are set. */
cr_status cr__builder_complete_decisions(cr__builder *builder, cr_error *err);

/* Make a node that has no states yet, or one, Gaussian. */
cr_status cr__builder_make_gaussian(cr__builder *builder, uint32_t node, cr_error *err);

/* Its numbers, to be filled: intercept, slopes and deviation for each row of its table, or the
 * utility; the table is made too, and all ones. */
cr_status cr__builder_weights(cr__builder *builder, uint32_t node, double **weight, cr_error *err);

/* Numbers in a row of weights: 2 and the Gaussian parents; 1 of a utility. */
size_t cr__builder_stride(const cr__builder *builder, uint32_t node);
size_t cr__network_stride(const cr__network *network, uint32_t node);

/* The network. CR_EFORMAT: a discrete node has a Gaussian parent, a table lacks rows or its rows do
 * not sum to 1, or there is a cycle, which err names. Rows are normalised. The builder is
 * unchanged. */
cr_status cr__builder_finish(const cr__builder *builder, cr__network **out, cr_error *err);

/* A builder of a network, to be changed. */
cr_status cr__builder_of(cr__builder **out, const cr__network *network, cr_error *err);

/* Divide by the sum when that is within the tolerance of 1; a row whose sum is 1 up to rounding is
 * left unchanged, so that normalised rows never change again. CR_EFORMAT: a number is not a
 * probability, or the sum is too far from 1; err says which. */
cr_status cr__row_normalise(double *row, size_t states, cr_error *err);

#endif
