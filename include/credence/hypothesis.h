/* credence/hypothesis.h - a finite set of hypotheses: their posteriors, the best one, and their
 * votes.
 *
 * A cr_hypotheses begins with priors and takes evidence, one observation after another. Each
 * observation gives a likelihood P(evidence | h) for every hypothesis, and Bayes' rule gives the
 * posterior, in log space. The hypotheses may also say how probable each class of a new instance
 * is; together they give its posterior predictive and the Bayes optimal classification.
 *
 * It comes from cr_hypotheses_new() or cr_hypotheses_read() and is freed with cr_hypotheses_free().
 * Functions that take it const may be called by many threads at once. Returned pointers are
 * borrowed until it is changed or freed. A failed change leaves it as it was.
 */
#ifndef CREDENCE_HYPOTHESIS_H
#define CREDENCE_HYPOTHESIS_H

#include "credence/status.h"

#ifdef __cplusplus
extern "C" {
#endif

typedef struct cr_hypotheses cr_hypotheses;

enum {
    CR_HYPOTHESES_NORMALISE = 1, /* priors and class probabilities are weights with any sum */
    CR_HYPOTHESES_UNIFORM = 2    /* all hypotheses have equal priors; prior may be NULL */
};

/* Make hypotheses from count names, which are copied, and their priors. CR_EARG: there is no
 * hypothesis, a prior is negative or not a number, or the priors do not add up to 1 (the message
 * has the sum). */
cr_status cr_hypotheses_new(cr_hypotheses **out, const char *const *name, const double *prior,
                            size_t count, unsigned flags, cr_error *err);
void cr_hypotheses_free(cr_hypotheses *h); /* NULL is allowed */

/* Take in evidence: ln P(evidence | h) for each hypothesis; -infinity is probability zero. CR_EARG:
 * a number is NaN or +infinity. CR_ECONFLICT: no remaining hypothesis allows this evidence. */
cr_status cr_hypotheses_observe(cr_hypotheses *h, const char *evidence,
                                const double *log_likelihood, cr_error *err);

/* What each hypothesis says about a new instance: P(class | h), with the classes of a hypothesis
 * side by side. Replaces earlier votes. CR_EARG: a number is negative or NaN, or the classes of a
 * hypothesis do not add up to 1. */
cr_status cr_hypotheses_vote(cr_hypotheses *h, const char *const *class_name, size_t classes,
                             const double *probability, unsigned flags, cr_error *err);

/* --- from a table --------------------------------------------------------------------------- */

typedef struct cr_hypotheses_options {
    size_t size; /* sizeof(cr_hypotheses_options), or 0: see run.h */
    unsigned flags;
    const char *evidence; /* "a,b,a": columns to observe in turn; NULL: the likelihood */
    const char *classes; /* "a,b": columns of P(class | h); NULL: vote, or what is left; "": none */
} cr_hypotheses_options;

/* Read a table (CSV or any other format, "-" is standard input) with the columns
 *     hypothesis   the names
 *     prior        P(h)
 *     likelihood   P(data | h), or log_likelihood, ln P(data | h)
 *     vote         the class that the hypothesis answers, or one column for each class, CLASS or
 *                  P(CLASS), with P(class | h); a single one gets "not CLASS" beside it
 * A column posterior in place of prior and likelihood is taken as it is. Names of columns ignore
 * case. Evidence columns hold likelihoods, or their natural logs when the name begins with "log_".
 * Numbers may be fractions, 1/3. options may be NULL. CR_EFORMAT: the table is at fault, err says
 * where; CR_EARG: options name a column that is not there; CR_ECONFLICT, CR_EIO, CR_ENOMEM. */
cr_status cr_hypotheses_read(cr_hypotheses **out, const char *path,
                             const cr_hypotheses_options *options, cr_error *err);

/* --- what follows --------------------------------------------------------------------------- */

typedef struct cr_hypothesis {
    const char *name;
    double prior;                 /* P(h) */
    double log_likelihood;        /* ln P(D | h), of all evidence */
    double log_relative;          /* ln P(D | h) P(h): the relative posterior */
    double posterior;             /* P(h | D), normalised */
    double prior_bits, data_bits; /* description lengths -log2 P(h) and -log2 P(D | h) */
} cr_hypothesis;

/* The hypotheses with their posteriors, in the order in which they were given. */
size_t cr_hypotheses_count(const cr_hypotheses *h);
void cr_hypotheses_get(const cr_hypotheses *h, size_t index, cr_hypothesis *out);
double cr_hypotheses_log_evidence(const cr_hypotheses *h); /* ln P(D) */

/* The evidence so far: the number of observations, the name of one, and the posterior [count] after
 * it. */
size_t cr_hypotheses_steps(const cr_hypotheses *h);
const char *cr_hypotheses_evidence(const cr_hypotheses *h, size_t step);
const double *cr_hypotheses_posterior(const cr_hypotheses *h, size_t step);

typedef enum cr_choice {
    CR_CHOICE_ML = 1, /* largest likelihood */
    CR_CHOICE_MAP = 2 /* largest posterior, which is also the shortest description */
} cr_choice;

/* Write the best hypothesis and those that tie with it (to 1 part in 10^12) into best, in order;
 * best has room for all hypotheses. Returns how many there are. */
size_t cr_hypotheses_best(const cr_hypotheses *h, cr_choice by, size_t *best);

/* The classes; there are 0 if the hypotheses have not voted. */
size_t cr_hypotheses_classes(const cr_hypotheses *h);
const char *cr_hypotheses_class(const cr_hypotheses *h, size_t class_index);

/* P(class | h), and P(class | D). */
double cr_hypotheses_says(const cr_hypotheses *h, size_t index, size_t class_index);
double cr_hypotheses_predictive(const cr_hypotheses *h, size_t class_index);

/* Errors are probabilities under the posterior predictive. */
typedef struct cr_verdict {
    size_t best, ties;    /* the Bayes optimal class: the first of `ties` that tie */
    double optimal_error; /* 1 - P(best | D) */
    size_t map_class;     /* what the first MAP hypothesis says */
    double map_error;
    double gibbs_error; /* error of answering as a hypothesis drawn from the posterior: at most 2
                         * optimal_error */
} cr_verdict;

/* CR_EARG when there are no classes. */
cr_status cr_hypotheses_classify(const cr_hypotheses *h, cr_verdict *out, cr_error *err);

#ifdef __cplusplus
}
#endif
#endif
