/* model/question.h - a question about probabilities: a logical expression, given another one.
 *
 * A question is a program in postfix form over leaves "variable in set". The leaves divide the
 * values of a variable into blocks: values in the same sets are equivalent. A model gives the
 * probability of blocks and need not know how the question is written.
 *
 * The answer is the mass of each outcome together with the condition: P(outcome and condition). An
 * expression has two outcomes, true (0) and false (1); variables that are asked for have one for
 * each combination of their values, the last variable's fastest. An expression beside variables
 * splits each of these into true and false again.
 */
#ifndef CR_MODEL_QUESTION_H
#define CR_MODEL_QUESTION_H

#include <stddef.h>

#include "base/arena.h"
#include "credence/status.h"
#include "base/scaled.h"

/* A variable that the question mentions. A symbol's blocks are sets of values. The thresholds
 * t1 < … < tk of a real variable make 2k + 1 blocks: x < t1, x = t1, t1 < x < t2, …, x > tk. */
typedef struct cr__question_variable {
    size_t column; /* of the schema */
    size_t blocks;
    size_t values;      /* of a symbol */
    uint32_t *block_of; /* [values + 1] by value; the last is for a value never seen */
    size_t thresholds;  /* of a real variable; then block_of is NULL */
    double *threshold;  /* [thresholds] */
    size_t observed;    /* the threshold that the condition says it equals, or SIZE_MAX: then only
                           that block counts, and its mass is the density */
} cr__question_variable;

enum { CR__OUTCOMES_MAX = 1 << 22 }; /* of a question */

typedef enum cr__question_op {
    CR__QUESTION_LEAF,
    CR__QUESTION_NOT,
    CR__QUESTION_AND,
    CR__QUESTION_OR
} cr__question_op;

typedef struct cr__question_node {
    cr__question_op op;
    size_t first;         /* where its subtree begins: it is [first … itself] */
    size_t variable;      /* of a leaf */
    unsigned char *truth; /* of a leaf: [blocks] */
} cr__question_node;

/* How sure an approximate answer is; a model that answers exactly does not touch it. */
typedef struct cr__question_report {
    const char *method; /* NULL: exact */
    double *error;      /* [outcomes] standard errors of their shares; NaN where unknown */
    double effective;   /* effective number of independent samples; NaN: unknown */
    uint64_t samples;
    int free_condition;     /* the masses are only proportional: P(condition) is unknown */
    double mean, deviation; /* of a real variable that is asked for, which has one outcome; */
    double low, high;       /* 2.5 % and 97.5 % quantiles */
} cr__question_report;

typedef struct cr__question {
    cr__arena arena; /* owns all of it */
    size_t variables;
    cr__question_variable *variable; /* those that are asked for are the last ones */
    size_t nodes;
    cr__question_node *node; /* the condition's, then the question's */
    size_t condition;        /* root of the condition, or SIZE_MAX */
    size_t question;         /* root of the question, or SIZE_MAX: only variables are asked for */
    size_t asked;            /* number of last variables whose every value is a block */
    size_t outcomes;
    cr__question_report *report;           /* to be filled, or NULL */
    struct cr__inference_session *session; /* of a Bayesian network, or NULL: a single question */
} cr__question;

void cr__question_free(cr__question *question);

/* Whether a variable is one of those that are asked for. */
static inline int cr__question_asks(const cr__question *event, size_t variable)
{
    return variable < event->variables && variable >= event->variables - event->asked;
}

/* The outcome when each variable is in the given block; SIZE_MAX when the condition is false. work
 * has room for the nodes. */
size_t cr__question_outcome(const cr__question *question, const uint32_t *block,
                            unsigned char *work);

/* A mixture of components in each of which the variables are independent. */
typedef struct cr__mixture {
    size_t components;
    const double *weight; /* [components] */
    /* P(block | component) into p[block * components + component], all times 2^-*exponent. */
    cr_status (*blocks)(const void *context, const cr__question_variable *v, double *p,
                        int64_t *exponent, cr_error *err);
    const void *context;
} cr__mixture;

/* The mass of each outcome, exact up to rounding. CR_ELIMIT when the expression ties so many
 * variables together that there are too many cases to distinguish. */
cr_status cr__question_measure(const cr__question *question, const cr__mixture *mixture,
                               cr__scaled *mass, cr_error *err);

#endif
