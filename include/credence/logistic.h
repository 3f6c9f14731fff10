/* credence/logistic.h - the weights of a logistic regression, how they were found, and their
 * errors; and other models as logistic regressions.
 *
 * cr_model_train() with the learner "logistic" makes one. Its scores are log-odds; their softmax is
 * the posterior of the classes.
 */
#ifndef CREDENCE_LOGISTIC_H
#define CREDENCE_LOGISTIC_H

#include "credence/model.h"

#ifdef __cplusplus
extern "C" {
#endif

/* How the weights were found. */
typedef struct cr_fit {
    const char *solver, *prior; /* as the knobs name them; solver is "" for a converted model */
    double lambda;              /* the prior's strength in use */
    double iterations;          /* steps */
    double gradient;       /* the largest derivative of the log posterior, per row, at the end */
    double log_likelihood; /* ln P(classes | rows) of the training rows */
    double objective;      /* log_likelihood plus the log prior, up to a constant */
    double rows;           /* the weight of the rows */
    int converged;         /* the search stopped because nothing was left to gain */
    int separated;         /* a hyperplane separates the classes completely (1) or almost (2), so
                            * maximum likelihood has no finite weights */
    int converted;         /* converted from another model without a search */
    const char
        *posterior;      /* "full", "diagonal" or "none": what is known about the weights' errors */
    size_t steps;        /* of the trace */
    const double *trace; /* [steps] the log likelihood at each step, with the knob trace=yes */
} cr_fit;

/* CR_EARG: not a logistic regression. */
cr_status cr_model_fit(const cr_model *model, cr_fit *out);

typedef struct cr_weight {
    double weight; /* added to the score of the class per unit of the feature */
    double error;  /* its standard error, by the Laplace approximation; NaN when not known */
} cr_weight;

/* The weight of a feature for a class. column SIZE_MAX is the intercept. value is that of a symbol,
 * or the number of a word; 0 for a real column. In the reference form, all weights of the first
 * class are exactly 0. CR_EARG: there is no such column, value or class. */
cr_status cr_model_weight(const cr_model *model, size_t column, size_t value, size_t class_index,
                          cr_weight *out);

/* A product of two features: of numbers less their means in training, and of indicators of values;
 * with interactions=yes. */
typedef struct cr_interaction {
    size_t column[2];    /* the same twice: the square of a number */
    size_t value[2];     /* of a symbol; 0 of a number */
    double deviation[2]; /* the standard deviation of a number; 0 of a symbol */
    cr_weight weight;
} cr_interaction;

/* How many there are; 0 for a model without. And the i-th of them. CR_EARG: there is no such
 * product or class. */
size_t cr_model_interactions(const cr_model *model);
cr_status cr_model_interaction(const cr_model *model, size_t i, size_t class_index,
                               cr_interaction *out);

/* Its features, "a*b" or "a^2" (values 0), or the values of its symbols, "x, y" (values 1; "" if
 * there are none), as snprintf() writes them: at most size bytes with the 0 at the end. Returns the
 * length of all of it; 0 where there is no such product. */
size_t cr_model_interaction_name(const cr_model *model, size_t i, int values, char *buffer,
                                 size_t size);

/* How strong a column is: the standard deviation of its contribution to the log-odds over the
 * training rows, the largest over all classes. NaN for texts. Products are not counted. */
double cr_model_strength(const cr_model *model, size_t column);

/* Turn a model into a logistic regression that has the same posteriors. The model is changed in
 * place; on failure it is unchanged. CR_ECONFLICT: it is not linear; err says where. */
cr_status cr_model_to_logistic(cr_model *model, cr_error *err);

#ifdef __cplusplus
}
#endif
#endif
