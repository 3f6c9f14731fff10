/* credence/query.h - ask a model for probabilities.
 *
 *     P(wealth=rich | gender=female, hours<=40.5)      a number
 *     P(not (rich or hours>40.5))                      of any logical expression
 *     P(wealth | gender=male)                          a whole distribution
 *     argmax(wealth | hours>40.5)                      its most probable value
 *     E(height | weight=60, sex=male)                  mean and spread of a number, in a network
 *
 * Every model that is a joint distribution of its columns can be asked: joint tables, naive Bayes
 * and Bayesian networks. Columns that are not mentioned are summed out, exactly. docs/query.md has
 * the grammar.
 *
 * A query changes nothing, so threads may ask one model at once. A cr_answer owns all that it
 * points to, but for nothing of the model, and is freed with cr_answer_free().
 */
#ifndef CREDENCE_QUERY_H
#define CREDENCE_QUERY_H

#include "credence/model.h"

#ifdef __cplusplus
extern "C" {
#endif

typedef enum cr_query_kind {
    CR_QUERY_PROBABILITY = 1,
    CR_QUERY_DISTRIBUTION = 2,
    CR_QUERY_ARGMAX = 3,
    CR_QUERY_NUMBER = 4 /* a variable whose values are numbers, of a network */
} cr_query_kind;

typedef struct cr_answer {
    cr_query_kind kind;
    double probability;       /* of the expression; of the most probable value */
    double log_probability;   /* its natural logarithm, also where the number itself is too small */
    double log_condition;     /* ln P(condition); 0 without one */
    int density;              /* the condition fixes a real variable: log_condition is the log of a
                               * density */
    const char *variable;     /* that was asked for, or NULL */
    size_t values;            /* of it; 0 for an expression */
    const char *const *value; /* [values] their names, "(never seen)" for any other value */
    const double *p, *log_p;  /* [values] */
    size_t best;              /* the most probable value, the first of equals */
    const char *method;       /* NULL: exact; otherwise how a network was asked to approximate: */
    double error;             /* standard error of probability; NaN when unknown */
    const double *errors;     /* [values] */
    double effective;       /* as many independent samples would have told as much; NaN: unknown */
    uint64_t samples;       /* or rounds of messages. log_condition is NaN when it is unknown */
    double mean, deviation; /* of CR_QUERY_NUMBER: its mean, its standard deviation, */
    double low, high;       /* and where it lies with probability 0.95, as much on either side */
} cr_answer;

/* Ask. On CR_OK the caller frees *out; otherwise it is NULL. CR_EARG: the query is at fault, and
 * err->column is the character (from 1) where; CR_ECONFLICT: the condition has probability zero,
 * or the model is no distribution; CR_ELIMIT: it would take too long, and err says how many cases
 * there are. */
cr_status cr_query_run(const cr_model *model, const char *text, cr_answer **out, cr_error *err);

void cr_answer_free(cr_answer *answer); /* NULL is allowed */

/* The most probable states of all variables of a Bayesian network, given a condition of facts that
 * are joined by "and" (NULL or empty: none), in the words of a query. */
typedef struct cr_states {
    size_t count;               /* variables: the nodes of the network (credence/structure.h) */
    const size_t *value;        /* [count] value of each */
    const unsigned char *given; /* [count] 1 where the condition fixes it */
    double log_probability;     /* ln P(states | condition) */
    double log_condition;       /* ln P(condition) */
} cr_states;
cr_status cr_query_best(const cr_model *model, const char *condition, cr_states **out,
                        cr_error *err);
void cr_states_free(cr_states *states); /* NULL is allowed */

#ifdef __cplusplus
}
#endif
#endif
