/* network/infer/junction_tree.h - a junction tree: exact posteriors of all variables for changing
 * evidence.
 *
 * Cliques of variables are the nodes of a tree in which each variable's cliques are connected. Each
 * table belongs to a clique that has all of its variables. A message from a clique to the next says
 * what the whole part of the tree behind it knows about the variables that both have; once messages
 * have gone both ways, each clique has the posterior of its variables.
 *
 * Messages are lists of factors, multiplied as late as possible (factor_list.c). When evidence
 * changes, only messages that depend on it are recomputed, and a change stops at a message that
 * comes out the same. The tree is built for the variables observed at the first query; it also
 * serves other evidence, until another tree would be much cheaper or one of those variables is no
 * longer observed.
 *
 * A tree belongs to one thread at a time.
 */
#ifndef CR_NETWORK_INFER_JUNCTION_TREE_H
#define CR_NETWORK_INFER_JUNCTION_TREE_H

#include "network/infer/factor.h"
#include "network/graph/order.h"

/* The cost of inference, as an upper bound known before anything is multiplied. */
typedef struct cr__cost {
    double cells;      /* of all cliques */
    double largest;    /* of the largest clique */
    double bytes;      /* of messages and of the largest product */
    double operations; /* multiplications and additions, about */
} cr__cost;

/* The tree itself; tree_build.c. */
typedef struct cr__cliques {
    uint32_t count;
    size_t *scope_at;     /* [count + 1] */
    uint32_t *scope;      /* ranks, ascending */
    size_t *separator_at; /* [count + 1] */
    uint32_t *separator;  /* what it shares with its parent */
    uint32_t *parent;     /* UINT32_MAX: a root, one per connected part */
    size_t *child_at;     /* [count + 1] */
    uint32_t *child;
    uint32_t *order;     /* [count] children before parents */
    uint32_t *clique_of; /* [nodes] where a node's table is; UINT32_MAX: all are observed */
    size_t *own_at;      /* [count + 1] */
    uint32_t *own;       /* the nodes whose tables are in each clique */
    uint32_t *home;      /* [nodes] the smallest clique that has the variable, or UINT32_MAX */
} cr__cliques;

cr_status cr__cliques_build(cr__cliques *out, const cr__network *network, const cr__order *order,
                            cr_error *err);
void cr__cliques_free(cr__cliques *cliques);

typedef struct cr__junction_tree cr__junction_tree;

/* memory: bytes it may take, 0: no limit. The network must outlive the tree; pool may be NULL. */
cr_status cr__junction_tree_new(cr__junction_tree **out, const cr__network *network,
                                uint64_t memory, cr_pool *pool, cr_error *err);
void cr__junction_tree_free(cr__junction_tree *tree); /* NULL is allowed */

/* Evidence: a state that was observed (UINT32_MAX: retract it), and how likely each state makes a
 * further observation ([states], none negative; NULL: retract it). */
void cr__junction_tree_observe(cr__junction_tree *tree, uint32_t node, uint32_t state);
cr_status cr__junction_tree_weigh(cr__junction_tree *tree, uint32_t node, const double *likelihood,
                                  cr_error *err);
void cr__junction_tree_forget(cr__junction_tree *tree); /* all of it */

/* The cost for the current evidence. */
cr_status cr__junction_tree_cost(cr__junction_tree *tree, cr__cost *cost, cr_error *err);

/* ln P(evidence), -infinity when it is impossible. CR_ELIMIT: it would need more memory than
 * allowed; err has the numbers. */
cr_status cr__junction_tree_evidence(cr__junction_tree *tree, double *log_evidence, cr_error *err);

/* P(node | evidence) into p, [states]. CR_ECONFLICT: the evidence is impossible. */
cr_status cr__junction_tree_posterior(cr__junction_tree *tree, uint32_t node, double *p,
                                      cr_error *err);

/* Of all nodes, into p, [states of all nodes], each node's at label_at of the network. */
cr_status cr__junction_tree_posteriors(cr__junction_tree *tree, double *p, cr_error *err);

/* How many messages have been computed so far, for tests. */
uint64_t cr__junction_tree_messages(const cr__junction_tree *tree);

/* "would take 123 GB ...": CR_ELIMIT with the numbers. */
cr_status cr__cost_refuse(const cr__cost *cost, uint64_t memory, cr_error *err);

#endif
