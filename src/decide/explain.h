/* decide/explain.h - what a row keeps between explanations. */
#ifndef CR_DECIDE_EXPLAIN_H
#define CR_DECIDE_EXPLAIN_H

struct cr__explainer;

void cr__explainer_free(struct cr__explainer *x); /* NULL is allowed */

#endif
