/* learners/naive_bayes/spread.h - kernels added to the nodes of a grid. */
#ifndef CR_LEARNERS_NAIVE_BAYES_SPREAD_H
#define CR_LEARNERS_NAIVE_BAYES_SPREAD_H

#include <stddef.h>

enum {
    CR__NB_NODES_PER_H = 8, /* nodes per bandwidth */
    CR__NB_REACH = 96,      /* nodes on each side that a kernel is added to: 12 bandwidths, e^-72 */
    CR__NB_SPREAD_PAD = 4
};

/* Where the nodes of a grid are: low, low + step …, step being bandwidth / CR__NB_NODES_PER_H. */
typedef struct cr__nb_nodes {
    double low, step, bandwidth;
    size_t count;
} cr__nb_nodes;

/* At each node x, with z = (value - x) / bandwidth: sum = Σ w e^(-z²/2) and pull = Σ w z e^(-z²/2)
 * over numbers that lie on the grid. Both arrays begin CR__NB_SPREAD_PAD numbers before the first
 * node and end as many after the last; what is in there afterwards has no meaning. The same bits on
 * every machine. */
void cr__nb_spread(const cr__nb_nodes *nodes, const double *value, const double *weight,
                   size_t values, double *sum, double *pull);

#endif
