/* cli/options/decide.h - the decision options --cost, --reject, --priors, and their result. */
#ifndef CLI_OPTIONS_DECIDE_H
#define CLI_OPTIONS_DECIDE_H

#include "credence/credence.h"
#include "options/options.h"

extern const option_group decide_options;

/* The rule that the options ask for; NULL when there are none. */
int read_rule(cr_rule **out, const request *r, const cr_model *model);

/* The values of the options, for rules that are made later; *out borrows from the request. *any is
 * false if there are none. EXIT_DONE, or an exit status after a message. */
int read_rule_options(cr_rule_options *out, bool *any, const request *r);

/* The cost of the decisions: a block for people. */
void rule_report(const cr_rule *rule, const cr_model *model, const cr_evaluation *e);

#endif
