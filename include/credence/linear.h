/* credence/linear.h - the weights of a linear regression, their errors, and how good it is.
 *
 * cr_model_train() with the learner "linear" makes one: its target is a number. cr_model_predict()
 * then fills cr_predictions.regression, and cr_model_regress() answers for one row
 * (credence/decision.h).
 */
#ifndef CREDENCE_LINEAR_H
#define CREDENCE_LINEAR_H

#include "credence/decision.h"

#ifdef __cplusplus
extern "C" {
#endif

typedef struct cr_linear_facts {
    double rows;         /* weight of the complete rows, on which it is fitted */
    double incomplete;   /* weight of the incomplete rows, which are left out */
    size_t weights;      /* besides the intercept */
    size_t rank;         /* of the weights: fewer when columns are collinear */
    size_t constant;     /* columns and values that do not vary and have no weight */
    double lambda;       /* in use: ratio of the prior's precision to the noise's; 0: no prior */
    double noise;        /* estimated standard deviation of the noise */
    double freedom;      /* degrees of freedom of the noise */
    double r2;           /* share of the target's variance explained, on the training rows */
    double log_evidence; /* ln P(targets | features), up to a constant that is the same for every
                          * lambda; NaN for lambda 0, where there is no prior */
    double mean;         /* of the target */
} cr_linear_facts;

/* CR_EARG: not a linear regression. */
cr_status cr_model_linear_facts(const cr_model *model, cr_linear_facts *out);

/* The weight of one column or value. */
typedef struct cr_coefficient {
    size_t column;    /* of the schema; SIZE_MAX: the intercept */
    size_t value;     /* of a symbol column; SIZE_MAX for a real one */
    double weight;    /* what one unit adds to the target, in the units of the data */
    double error;     /* standard error: the posterior's scale */
    double low, high; /* credible interval */
    double mean;      /* of the column over the training rows */
} cr_coefficient;

/* Index 0 is the intercept, the others follow the columns. Values that have no weight of their own
 * (the reference) are left out. level is that of the interval, as 0.95. CR_END past the last. */
cr_status cr_model_coefficient(const cr_model *model, size_t index, double level,
                               cr_coefficient *out);

/* What a column adds to a prediction: shares and the target's mean add up to it. */
typedef struct cr_regression_share {
    size_t column;
    const char *text; /* value of a symbol column; NULL: a real one, missing or never seen */
    double value;     /* of a real column; NaN: a symbol, or missing */
    int known;        /* 0: missing or never seen; the mean is used, and it adds nothing */
    int filled;       /* it was missing and the model filled it in (impute=HOW) */
    double weight;    /* of one unit; for a symbol, what the value adds */
    double mean;      /* of the column over the training rows; for a symbol, what values add on
                       * average */
    double share;     /* weight * (value - mean); for a symbol, weight - mean */
} cr_regression_share;

typedef struct cr_regression_explanation {
    uint64_t line;
    cr_regression answer;
    double base;           /* the mean of the target */
    double noise;          /* the answer's scale is noise * sqrt(1 + 1 / rows + leverage) */
    double rows, leverage; /* 1 / rows is the error of the mean, leverage that of the weights */
    const cr_regression_share *share; /* [shares] of the columns that have weights */
    size_t shares;
    int chained; /* the model is a network, not a linear regression: a share is how much the mean
                  * changes when the column becomes known after those before it. weight, mean, rows
                  * and leverage are 0, and noise is the scale */
    const char *error; /* why the row could not be read, with CR_ON_ERROR_ROW: there is nothing
                        * else */
} cr_regression_explanation;

/* Explain every row in order. If visit returns a status other than CR_OK, the pass ends and returns
 * it. CR_EARG: the model learns classes. */
cr_status cr_model_explain_regression(const cr_model *model, cr_source *source,
                                      const cr_predict_options *options,
                                      cr_status (*visit)(void *context,
                                                         const cr_regression_explanation *e),
                                      void *context, cr_error *err);

/* How good the answers of a regression are. */
typedef struct cr_regression_metrics {
    double rows;        /* total weight */
    double rmse;        /* root of the mean squared error */
    double mae;         /* mean absolute error */
    double r2;          /* 1 - squared error / squared distance from the mean of these rows */
    double bias;        /* mean of prediction - truth */
    double log_density; /* mean of ln p(truth) */
    double level;       /* of the intervals */
    double coverage;    /* share of the rows whose truth lies in their interval */
    double width;       /* mean width of the intervals */
} cr_regression_metrics;

/* Test on rows that have the target; others are left out (tally->unlabelled). */
cr_status cr_model_test_regression(const cr_model *model, cr_source *source,
                                   const cr_predict_options *options, double level,
                                   const cr_run *run, cr_regression_metrics *out, cr_tally *tally,
                                   cr_error *err);

/* The same for given answers, [rows]. Answers whose truth is NaN are left out. weight may be NULL;
 * each row then has weight 1. CR_EARG: level is not between 0 and 1. CR_EFORMAT: no answer has a
 * truth and a weight above 0. */
cr_status cr_regression_measure(const cr_regression *answer, const double *weight, size_t rows,
                                double level, cr_regression_metrics *out, cr_error *err);

#ifdef __cplusplus
}
#endif
#endif
