/* network/infer/sample.h - approximate answers and their errors.
 *
 * All are for networks whose cliques are too large for exact inference. Samples are drawn from
 * streams of the seed, so the answer does not depend on the number of threads.
 */
#ifndef CR_NETWORK_INFER_SAMPLE_H
#define CR_NETWORK_INFER_SAMPLE_H

#include "network/infer/infer.h"

/* How sure an approximate answer is. */
typedef struct cr__sampled {
    double effective;    /* effective number of independent samples */
    double log_evidence; /* estimate of ln P(evidence); NaN where there is none */
    uint64_t rounds;     /* samples that were used, or rounds of messages */
    int converged;       /* loopy: messages stopped changing */
    int trusted;         /* errors are stated; otherwise they are unknown (NaN) */
} cr__sampled;

/* What is counted in each sample: add the weight to all outcomes that hold. */
typedef struct cr__sample_count {
    size_t outcomes;
    void (*count)(const void *context, const uint32_t *state, double weight, double *sum);
    const void *context;
} cr__sample_count;

/* A counter of the states of all nodes; outcomes are at label_at of the network. */
cr__sample_count cr__sample_states(const cr__network *network);

/* Likelihood weighting (Fung & Chang 1989; Shachter & Peot 1989): states are drawn parents first,
 * evidence is not drawn but weighs the sample by its probability. No error is stated (NaN) where
 * the samples may have missed what the evidence makes probable. p and error are [outcomes]: the
 * probability of each given the evidence, and its standard error. CR_ECONFLICT: no sample agrees
 * with the evidence. */
cr_status cr__sample_weighting(const cr__network *network, const cr__evidence *evidence,
                               const cr__sample_count *survey, uint64_t samples, uint64_t seed,
                               cr_pool *pool, double *p, double *error, cr__sampled *about,
                               cr_error *err);

/* Blocking Gibbs sampling (C. Jensen, U. Kjaerulff and A. Kong, 1995) in eight chains. Where its
 * tables fit into 128 MB the block is all nodes, and samples are independent. Otherwise each state
 * is redrawn given all others (Geman & Geman 1984; Pearl 1987) and the first tenth of each chain is
 * not used; the error comes from means of batches, or from how far the chains disagree when that is
 * more. It is not stated (NaN) where chains do not agree (split R^), or where small numbers in the
 * tables may trap all of them in a part of the state space. */
cr_status cr__sample_gibbs(const cr__network *network, const cr__evidence *evidence,
                           const cr__sample_count *survey, uint64_t samples, uint64_t seed,
                           cr_pool *pool, double *p, double *error, cr__sampled *about,
                           cr_error *err);

/* The same with a block of at most this many bytes; 1 draws the states one by one. */
cr_status cr__sample_gibbs_within(const cr__network *network, const cr__evidence *evidence,
                                  const cr__sample_count *survey, uint64_t samples, uint64_t seed,
                                  uint64_t block, cr_pool *pool, double *p, double *error,
                                  cr__sampled *about, cr_error *err);

/* Loopy belief propagation (Pearl 1988; Murphy, Weiss & Jordan 1999): messages between tables and
 * variables until they stop changing, at most `rounds` times. Exact on trees. No standard error. */
cr_status cr__loopy(const cr__network *network, const cr__evidence *evidence, uint64_t rounds,
                    double *p, cr__sampled *about, cr_error *err);

/* The same, with at most a thousand rounds; CR_ELIMIT when messages do not converge. */
cr_status cr__loopy_beliefs(const cr__network *network, const cr__evidence *given, uint64_t rounds,
                            double *p, cr__sampled *about, cr_error *err);

#endif
