/* decide/credible.h - the uncertainty of a row's probabilities. */
#ifndef CR_DECIDE_CREDIBLE_H
#define CR_DECIDE_CREDIBLE_H

#include "credence/decision.h"
#include "model/model.h"

typedef struct cr__credible cr__credible; /* of one thread */

/* For intervals of that level. CR_EARG: the level is not between 0 and 1, or the posterior of the
 * learner's parameters is not known. */
cr_status cr__credible_open(cr__credible **out, const cr_model *model, const cr_rule *rule,
                            double level, uint64_t seed, cr_error *err);
void cr__credible_close(cr__credible *s); /* NULL is allowed */

/* The interval of each class's probability, [classes] each. */
void cr__credible_row(cr__credible *s, const cr__batch *batch, size_t row, double *low,
                      double *high);

#endif
