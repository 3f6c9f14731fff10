/* credence/cv.h - cross-validation: every row answered by a model that has not seen it.
 *
 * A study reads the rows of a source once and deals them into folds. A candidate is a learner with
 * knobs. Its model without a fold is fitted on the statistics of all rows minus those of the fold.
 * That is exactly the model that training on the other folds would give, at a fraction of the cost.
 * Learners that are fitted on rows are trained anew for each fold. Leave-one-out is the case of as
 * many folds as rows.
 *
 * A study is used by one thread at a time and has threads of its own, as its cr_run says. A cr_cv
 * and a curve never change once they are made, so any number of threads may read them.
 */
#ifndef CREDENCE_CV_H
#define CREDENCE_CV_H

#include "credence/eval.h"
#include "credence/linear.h"

#ifdef __cplusplus
extern "C" {
#endif

#define CR_LEAVE_ONE_OUT SIZE_MAX

/* How rows are dealt. All zero: ten folds, once, each with its share of every class. */
typedef struct cr_deal {
    size_t size;       /* sizeof(cr_deal), or 0: see run.h */
    size_t folds;      /* 0: 10; CR_LEAVE_ONE_OUT: as many as rows */
    size_t repeats;    /* 0: 1; dealt anew each time */
    const char *group; /* a column whose equal values keep rows together; it is not a feature */
    int unstratified;  /* do not give each fold its share of every class */
    uint64_t seed;
    int calibrated; /* candidates are calibrated as cr_model_train_calibrated() with method NULL
                       does it, unless they say calibrate=METHOD themselves */
    int usual;      /* candidates get the settings that cr_model_train_calibrated() gives unasked,
                       by the rows of the study; not where one is left out at a time, which would
                       choose for each row anew */
} cr_deal;

typedef struct cr_study cr_study;

/* The source is borrowed until the study is freed. It is read when the first candidate is run. */
cr_status cr_study_new(cr_study **out, cr_source *source, const cr_deal *deal, const cr_run *run,
                       cr_error *err);
void cr_study_free(cr_study *study);

/* A model of all rows of the study, as cr_model_train() would give it; where the deal says
 * calibrated, calibrated by the answers of a cross-validation. */
cr_status cr_study_train(cr_study *study, const char *learner, const char *const *params,
                         size_t param_count, cr_model **out, cr_error *err);

/* One candidate, cross-validated: what its models said of the rows they had not seen. It may
 * outlive the study. */
typedef struct cr_cv cr_cv;

/* learner NULL means "nb". Each of params is "KEY=VALUE"; calibrate=METHOD is one that all learners
 * have: the calibration is fitted within the rows that each model learns. CR_EARG: there are more
 * folds than rows or groups, or a name is unknown. CR_ECONFLICT: there is no target. */
cr_status cr_cv_run(cr_cv **out, cr_study *study, const char *learner, const char *const *params,
                    size_t param_count, cr_error *err);
void cr_cv_free(cr_cv *cv);

/* How the models without a fold were made. */
typedef enum cr_cv_way {
    CR_CV_SUBTRACTED, /* statistics of all rows minus those of the fold */
    CR_CV_RETRAINED,  /* trained on the other folds */
    CR_CV_DECREMENTED /* each row taken out of the counts while it was scored */
} cr_cv_way;

typedef struct cr_cv_facts {
    size_t rows, folds, repeats, classes;
    uint64_t unlabelled;
    cr_cv_way way;
    int numbers;    /* numbers were predicted, not classes: use cr_cv_regression() */
    double seconds; /* without reading the data */
} cr_cv_facts;
void cr_cv_get_facts(const cr_cv *cv, cr_cv_facts *out);

/* The model of all rows. Borrowed. */
const cr_model *cr_cv_model(const cr_cv *cv);

/* The figures of one fold (repeat * folds + fold), or of all (SIZE_MAX). A rule must be made for
 * the model of all rows; NULL decides for the most probable class. */
cr_status cr_cv_evaluate(const cr_cv *cv, size_t fold, const cr_rule *rule, cr_evaluation **out,
                         cr_error *err);

/* One answer. */
typedef struct cr_cv_answer {
    uint64_t line;    /* where the row stands in its file */
    size_t fold;      /* within the repeat */
    int32_t truth;    /* class of the model of all rows */
    int32_t decision; /* or CR_UNDECIDED */
    double weight;
} cr_cv_answer;

/* The row's answer in a repeat, and its posterior, [classes]. CR_EARG: there is no such row or
 * repeat, or the candidate predicts numbers. */
cr_status cr_cv_get(const cr_cv *cv, size_t repeat, size_t row, const cr_rule *rule,
                    cr_cv_answer *out, double *posterior);

/* The same for a candidate that predicts numbers: the answer, whose truth and decision have no
 * meaning, and the prediction with its truth. CR_EARG: there is no such answer. */
cr_status cr_cv_get_regression(const cr_cv *cv, size_t repeat, size_t row, cr_cv_answer *out,
                               cr_regression *regression);

/* The figures of one fold, or of all (SIZE_MAX), with intervals of this level (0: 0.95). */
cr_status cr_cv_regression(const cr_cv *cv, size_t fold, double level, cr_regression_metrics *out,
                           cr_error *err);

/* The value of a regression metric; NaN for a metric of classes. */
double cr_regression_value(const cr_regression_metrics *metrics, const cr_metric *metric);

/* A mean of figures of folds with its 95 % interval. Folds share training rows, so their spread
 * alone would be too optimistic. With J figures, the variance is multiplied by 1 / J + test / train
 * (C. Nadeau & Y. Bengio, "Inference for the generalization error", Machine Learning 52, 2003). NaN
 * figures are left out; with fewer than two there is no interval (NaN). */
typedef struct cr_spread {
    double mean, deviation, low, high;
    size_t count;
} cr_spread;
void cr_corrected_spread(const double *figure, size_t count, double test_over_train,
                         cr_spread *out);

/* The metrics of a cross-validation, by their index in the table: cr_metric_get(numbers, index). */
typedef struct cr_cv_metrics {
    int numbers;       /* metrics of numbers, not of classes */
    size_t metrics;    /* how many there are in the table */
    size_t folds;      /* in all repeats; 0 where one row is left out at a time */
    double *rows;      /* [folds] weight of each */
    double *value;     /* [folds * metrics] NaN where not asked for, or where the weight is 0 */
    double *all;       /* [metrics] of all answers together */
    cr_spread *spread; /* [metrics] over the folds, cut to the range of the metric */
} cr_cv_metrics;

typedef struct cr_cv_options {
    size_t size;           /* sizeof(cr_cv_options), or 0: see run.h */
    const cr_rule *rule;   /* how to decide, made for the model of all rows; NULL: the most
                            * probable */
    double level;          /* of intervals around numbers; 0: 0.95 */
    unsigned shown;        /* which metrics to measure per fold: CR_METRIC_...; 0:
                            * CR_METRIC_FOLDS */
    const cr_metric *also; /* one more metric; may be NULL */
    cr_evaluation **whole; /* if not NULL, receives the evaluation of all answers, to be freed by
                            * the caller; not set where numbers are predicted */
} cr_cv_options;

/* options may be NULL. Free *out with cr_cv_metrics_free(). */
cr_status cr_cv_measure(cr_cv_metrics **out, const cr_cv *cv, const cr_cv_options *options,
                        cr_error *err);
void cr_cv_metrics_free(cr_cv_metrics *metrics); /* NULL is allowed */

/* --- learning curves -------------------------------------------------------------------------- */

/* How good a learner is as a function of the number of rows it has learned. In every repeat, some
 * rows chosen at random are withheld for testing. The others are put into random order, and the
 * first n of them are learned. Statistics grow by addition, so nothing is counted twice. */
typedef struct cr_curve_options {
    size_t size;         /* sizeof(cr_curve_options), or 0: see run.h */
    const size_t *sizes; /* ascending; NULL: ten or so, evenly spaced in their logarithms */
    size_t size_count;
    size_t repeats;  /* 0: 5 */
    double withheld; /* share of the rows to test on; 0: a third */
    uint64_t seed;
} cr_curve_options;

typedef struct cr_learning_point {
    size_t size;
    cr_spread accuracy, log_loss; /* over the J repeats. The variance is multiplied by 1 / J + r: r
                                   * is the ratio of tested to learnable rows, times the share of
                                   * the learnable rows that is learned, which is how far repeats
                                   * overlap */
    cr_spread rmse, r2, log_density; /* used instead where numbers are predicted */
    double parameters;               /* of the model, mean over the repeats */
} cr_learning_point;

typedef struct cr_learning_curve {
    size_t points, repeats, tested;  /* tested: rows withheld */
    cr_learning_point *point;        /* [points] */
    int numbers;                     /* numbers are predicted, not classes */
    double *accuracy, *log_loss;     /* [points * repeats] of each repeat, for paired tests */
    double *rmse, *r2, *log_density; /* the same for numbers; arrays that do not apply are all
                                      * NaN */
} cr_learning_curve;

/* Candidates of one study with the same options are tested on the same rows. Free *out with
 * cr_learning_curve_free(). */
cr_status cr_study_curve(cr_study *study, const char *learner, const char *const *params,
                         size_t param_count, const cr_curve_options *options,
                         cr_learning_curve **out, cr_error *err);
void cr_learning_curve_free(cr_learning_curve *curve);

#ifdef __cplusplus
}
#endif
#endif
