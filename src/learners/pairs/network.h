/* learners/pairs/network.h - classifiers of counted features as Bayesian networks, and queried as
 * such.
 *
 * Nodes are the columns that take part, features and class, in their order. Every table of such a
 * classifier is P(feature | features it depends on, class); the class has no parents.
 */
#ifndef CR_LEARNERS_PAIRS_NETWORK_H
#define CR_LEARNERS_PAIRS_NETWORK_H

#include "model/learner.h"
#include "network/graph/network.h"

/* A network under construction. */
typedef struct cr__class_net {
    cr__builder *builder;
    uint32_t *node_of; /* [columns] */
    uint32_t target;
    size_t classes;
} cr__class_net;

/* Nodes with their states and P(class). dict [columns] has the words of the values; NULL: the
 * states are numbered, values [columns] of them. End it even after a failure. */
cr_status cr__class_net_begin(cr__class_net *net, const cr_schema *schema,
                              const cr__dict *const *dict, const size_t *values,
                              const double *log_prior, size_t classes, cr_error *err);

/* P(column | parent columns, class): log_p has a block of [values * classes] for each combination
 * of the parents' values, the last parent's fastest, `step` numbers apart. */
cr_status cr__class_net_add(cr__class_net *net, size_t column, const size_t *parent, size_t parents,
                            const double *log_p, size_t step, cr_error *err);

/* The network when out is not NULL; frees the rest. */
cr_status cr__class_net_end(cr__class_net *net, cr__network **out, cr_error *err);

/* Masses of a question in a network of a schema's columns; takes over the network. */
cr_status cr__class_net_measure(cr__network *network, const cr_schema *schema,
                                const cr__question *question, cr__scaled *mass, cr_error *err);

#endif
