/* cli/options/decide.h - how to decide: --cost, --reject, --priors, and what it came to. */
#ifndef CLI_OPTIONS_DECIDE_H
#define CLI_OPTIONS_DECIDE_H

#include "credence/credence.h"
#include "options/options.h"
#include "out/json.h"

extern const option_group decide_options;

/* The rule that the options ask for; NULL when there are none. */
int read_rule(cr_rule **out, const request *r, const cr_model *model);

/* What decisions cost: a block for people, and members of an object for programs. */
void rule_report(const cr_rule *rule, const cr_model *model, const cr_evaluation *e);
void rule_json(json *j, const cr_rule *rule, const cr_evaluation *e);

#endif
