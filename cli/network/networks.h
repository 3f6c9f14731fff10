/* cli/network/networks.h - networks given as operands. */
#ifndef CLI_NETWORK_NETWORKS_H
#define CLI_NETWORK_NETWORKS_H

#include "credence/credence.h"
#include "options/options.h"

/* Open an operand that is a network: a file in a network format, or a model. EXIT_DONE, or an exit
 * status after a message. */
int open_network(cr_model **out, const request *r, size_t operand);

#endif
