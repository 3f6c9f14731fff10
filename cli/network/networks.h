/* cli/network/networks.h - networks that operands name. */
#ifndef CLI_NETWORK_NETWORKS_H
#define CLI_NETWORK_NETWORKS_H

#include "credence/credence.h"
#include "options/options.h"

/* Open an operand that is a network: a file in a format of networks, or a model of one.
 * EXIT_DONE, or an exit status after a message. */
int open_network(cr_model **out, const request *r, size_t operand);

#endif
