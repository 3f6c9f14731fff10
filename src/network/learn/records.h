/* network/learn/records.h - shared by parameters.c and em.c. */
#ifndef CR_NETWORK_LEARN_RECORDS_H
#define CR_NETWORK_LEARN_RECORDS_H

#include "network/learn/parameters.h"

/* The states of all nodes in a row; UINT32_MAX where it has none. Returns whether it lacks one. */
int cr__record_states(const cr__network *network, const cr__records *records, size_t row,
                      uint32_t *state);

/* Whether the node and all of its parents have a state. */
int cr__record_has_family(const cr__network *network, uint32_t node, const uint32_t *state);

/* a, for the cells of a node's table. */
double cr__prior_pseudo(const cr__prior *prior, const cr__network *network, uint32_t node);

#endif
