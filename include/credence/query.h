/* credence/query.h - ask a model for probabilities.
 *
 *     P(wealth=rich | gender=female, hours<=40.5)      a number
 *     P(not (rich or hours>40.5))                      of any logical expression
 *     P(wealth | gender=male)                          a distribution
 *     P(wealth, hours | gender)                        a table: jointly, for each gender
 *     P(* | gender=male)                               the beliefs about all variables
 *     argmax(wealth | hours>40.5)                      the most probable value
 *     argmax(wealth, hours | gender=male)              values that are most probable together
 *     argmax(* | gender=male)                          of all variables of a network
 *     E(height | weight=60, sex=male)                  mean and spread of a number, in a network
 *     P(wet | do(sprinkler=on))                        after an intervention, in a network
 *     dsep(rain, sprinkler | wet)                      what the arcs of a network say
 *     inform(lung | xray=yes)                          what to observe next, in bits
 *
 * Every model that is a joint distribution of its columns can be asked: joint tables, naive Bayes,
 * discriminant analysis, Bayesian networks. Columns that are not mentioned are summed out, exactly.
 * docs/query.md has the grammar; credence/render.h writes answers as JSON.
 *
 * A query changes nothing, so threads may ask one model at once. A cr_answer owns everything it
 * points to; nothing in it belongs to the model. Free it with cr_answer_free().
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
    CR_QUERY_NUMBER = 4,     /* a variable whose values are numbers, of a network */
    CR_QUERY_TABLE = 5,      /* of several variables, or for each value of some */
    CR_QUERY_BELIEFS = 6,    /* about all variables */
    CR_QUERY_STATES = 7,     /* values that are most probable together */
    CR_QUERY_SEPARATION = 8, /* whether a network separates variables */
    CR_QUERY_INFORMATION = 9 /* what each variable would tell about another */
} cr_query_kind;

/* A variable of an answer. */
typedef struct cr_query_variable {
    const char *name;
    size_t values;            /* 0: its values are numbers */
    const char *const *value; /* [values] their names, "(never seen)" for any other value */
    int given;                /* of a table: it is in the condition; otherwise: it is observed */
    size_t state; /* its value, for CR_QUERY_STATES or if observed; otherwise SIZE_MAX */
    const double *p, *errors; /* [values] of CR_QUERY_BELIEFS; errors is NULL for exact ones */
    double mean, deviation;   /* of a number; NaN if unknown */
    double low, high;         /* of a number: its interval of probability 0.95 */
    double information;       /* of CR_QUERY_INFORMATION, in bits */
} cr_query_variable;

typedef struct cr_answer {
    cr_query_kind kind;
    double probability;       /* of the expression; of the most probable value */
    double log_probability;   /* its natural logarithm, also where the number itself is too small */
    double log_condition;     /* ln P(condition); 0 without one */
    int density;              /* the condition fixes a real variable: log_condition is the log of a
                               * density */
    const char *variable;     /* the variable that was asked for, or NULL */
    size_t values;            /* its number of values; 0 for an expression */
    const char *const *value; /* [values] their names, "(never seen)" for any other value */
    const double *p, *log_p;  /* [values] */
    size_t best;              /* the most probable value; of equals, the first */
    const char *method;       /* NULL: exact; otherwise how a network approximated the answer */
    double error;             /* standard error of probability; NaN when unknown */
    const double *errors;     /* [values] */
    double effective;         /* number of independent samples that would be as accurate; NaN:
                               * unknown */
    uint64_t samples;         /* or rounds of messages; log_condition is NaN if it is unknown */
    double mean, deviation;   /* of CR_QUERY_NUMBER: mean and standard deviation */
    double low, high;         /* of CR_QUERY_NUMBER: its central interval of probability 0.95 */
    size_t variables;         /* of kinds 5 to 9: the number of variables in the answer */
    const cr_query_variable *about; /* [variables] in the order of the query or the model; in a
                                     * table the given ones come first; for information the most
                                     * informative; for a separation they are an open path, or none.
                                     * The cells of a table are p, where the last variable varies
                                     * fastest; NaN where the condition is impossible */
    int separated;                  /* of CR_QUERY_SEPARATION */
    double entropy;                 /* of CR_QUERY_INFORMATION: of the variable, in bits */
} cr_answer;

/* Ask. On CR_OK the caller frees *out; otherwise it is NULL. CR_EARG: the query is wrong at the
 * character err->column, counted from 1. CR_ECONFLICT: the condition has probability zero, or the
 * model is not a distribution. CR_ELIMIT: it would take too long; err says how many cases there
 * are. */
cr_status cr_query_run(const cr_model *model, const char *text, cr_answer **out, cr_error *err);

void cr_answer_free(cr_answer *answer); /* NULL is allowed */

/* Many queries of one model. A Bayesian network that is asked exactly keeps what one query has
 * computed for the next ones: after a few queries that cost much, it propagates changes of the
 * evidence through one junction tree. Answers are the same but for rounding. The model must outlive
 * the session, and must not learn meanwhile. A session belongs to one thread at a time. */
typedef struct cr_query_session cr_query_session;
cr_status cr_query_session_new(cr_query_session **out, const cr_model *model, cr_error *err);
void cr_query_session_free(cr_query_session *session); /* NULL is allowed */

/* As cr_query_run(). */
cr_status cr_query_session_run(cr_query_session *session, const char *text, cr_answer **out,
                               cr_error *err);

/* The most probable states of all variables of a Bayesian network given a condition, which is a
 * conjunction of facts in the language of queries (NULL or empty: none). The answer is that of
 * argmax(* | CONDITION), by the numbers of the network's nodes. */
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
