/* belief/posterior.h - from scores to a posterior and a decision. */
#ifndef CR_BELIEF_POSTERIOR_H
#define CR_BELIEF_POSTERIOR_H

#include <stddef.h>
#include <stdint.h>

/* Bayes' rule in log space: posterior[c] = exp(score[c] - log Σ exp(score)). Returns the decision:
 * the class of the largest posterior (the first of equals), or CR_UNDECIDED, with a posterior of
 * zeros, when every score is -inf or one is not a number. log_evidence, log P(row), may be NULL.
 * score and posterior may be the same array. */
int32_t cr__posterior(const double *score, size_t classes, double *posterior, double *log_evidence);

#endif
