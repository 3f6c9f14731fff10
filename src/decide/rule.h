/* decide/rule.h - the internals of cr_rule. */
#ifndef CR_DECIDE_RULE_H
#define CR_DECIDE_RULE_H

#include "credence/decision.h"

struct cr_rule {
    size_t classes;
    double *cost;   /* [classes * classes], truth by decision; NULL: every mistake costs 1 */
    double dearest; /* the largest of them */
    double reject;  /* cost of no decision; infinite: there must be one */
    double *shift;  /* [classes] log(new prior / old prior); NULL: the model's priors */
};

/* From scores log P(class, row) to a posterior and a decision: cr__posterior() when rule is NULL.
 * score and posterior may be the same array; log_evidence and expected_cost may be NULL. */
int32_t cr__rule_decide(const cr_rule *rule, const double *score, size_t classes, double *posterior,
                        double *log_evidence, double *expected_cost, cr_reason *reason);

/* What the rule's priors, if any, add to the score of a class. */
static inline double cr__rule_shift(const cr_rule *rule, size_t c)
{
    return rule == NULL || rule->shift == NULL ? 0 : rule->shift[c];
}

/* Read costs into a rule that has its matrix: decide/rule_read.c. */
cr_status cr__rule_read_costs(cr_rule *rule, const cr_model *model, const char *costs,
                              cr_error *err);
cr_status cr__rule_read_file(cr_rule *rule, const cr_model *model, const char *path, cr_error *err);

/* The priors a text gives, [classes]. */
cr_status cr__rule_read_priors(double *prior, const cr_model *model, const char *priors,
                               cr_error *err);

#endif
