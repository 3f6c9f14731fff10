/* cli/network/network.h - what the command does with Bayesian networks. */
#ifndef CLI_NETWORK_NETWORK_H
#define CLI_NETWORK_NETWORK_H

#include "credence/credence.h"
#include "options/options.h"

/* Turn the options of query into the model's knobs. */
extern const option_group network_options;
int network_settings(const request *r, cr_model *model);

/* The most probable explanation of a condition, which may be NULL. */
int network_best(const request *r, const cr_model *model, const char *condition);

/* The rest of an answer about several variables, for people; the query is already on the line. */
void answer_print(const cr_answer *answer);

/* "±0.0012"; nothing if it is unknown. */
const char *answer_error(char *buffer, double error);

/* Convert from or to a network format; *done is false if neither is one. */
int network_convert(const request *r, const char *to, const char *path, bool *done);

/* The output of show for a network, or for the node that --node names. */
int network_show(const request *r, const cr_model *model);

#endif
