/* network/infer/forward.h - rows drawn from a network: parents first, each node given them. */
#ifndef CR_NETWORK_INFER_FORWARD_H
#define CR_NETWORK_INFER_FORWARD_H

#include "base/random.h"
#include "network/learn/family.h"
#include "network/graph/network.h"

/* The state of every node, [nodes]. One random number is used per node, in the network's order. */
void cr__network_draw(const cr__network *network, cr__random *random, uint32_t *state);

#endif
