/* credence/cv.h - cross-validation: every row answered by a model that has not seen it.
 *
 * A study reads the rows of a source once and deals them into folds. For each candidate, a learner
 * with knobs, the model without a fold is fitted on the statistics of all rows minus those of the
 * fold: the very model that training on the other folds would give, at a fraction of the cost.
 * Learners that are fitted on rows are trained anew for each fold. Leaving one out is the extreme
 * of as many folds as rows.
 *
 * A study is used by one thread at a time and has threads of its own, as its cr_run says. A cr_cv
 * and a curve never change once they are there: any number of threads may read them.
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
    const char *group; /* a column: rows of equal value stay together. It is no feature */
    int unstratified;  /* classes are left to chance */
    uint64_t seed;
} cr_deal;

typedef struct cr_study cr_study;

/* The source is borrowed until the study is freed, and read when the first candidate comes. */
cr_status cr_study_new(cr_study **out, cr_source *source, const cr_deal *deal, const cr_run *run,
                       cr_error *err);
void cr_study_free(cr_study *study);

/* A model of all rows of the study, as cr_model_train() would give it. */
cr_status cr_study_train(cr_study *study, const char *learner, const char *const *params,
                         size_t param_count, cr_model **out, cr_error *err);

/* One candidate, cross-validated: what its models said of the rows they had not seen. It belongs to
 * no study: it may outlive it. */
typedef struct cr_cv cr_cv;

/* learner NULL is "nb", params are "KEY=VALUE" each. CR_EARG: more folds than rows or groups, or an
 * unknown name; CR_ECONFLICT: there is no target. */
cr_status cr_cv_run(cr_cv **out, cr_study *study, const char *learner, const char *const *params,
                    size_t param_count, cr_error *err);
void cr_cv_free(cr_cv *cv);

/* How the models without a fold came about. */
typedef enum cr_cv_way {
    CR_CV_SUBTRACTED, /* the whole minus the fold */
    CR_CV_RETRAINED,  /* trained on the other folds */
    CR_CV_DECREMENTED /* each row taken out of the counts while it was scored */
} cr_cv_way;

typedef struct cr_cv_facts {
    size_t rows, folds, repeats, classes;
    uint64_t unlabelled;
    cr_cv_way way;
    int numbers;    /* numbers were predicted, not classes: the figures are cr_cv_regression()'s */
    double seconds; /* without reading the data */
} cr_cv_facts;
void cr_cv_get_facts(const cr_cv *cv, cr_cv_facts *out);

/* The model of all rows. Borrowed. */
const cr_model *cr_cv_model(const cr_cv *cv);

/* The figures of one fold (repeat * folds + fold), or of all (SIZE_MAX). A rule must be of the
 * model of all rows; NULL is the most probable class. */
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
 * repeat, or numbers are predicted. */
cr_status cr_cv_get(const cr_cv *cv, size_t repeat, size_t row, const cr_rule *rule,
                    cr_cv_answer *out, double *posterior);

/* The same where numbers are predicted: the answer, of which truth and decision say nothing, and
 * the prediction with its truth. CR_EARG: there is none. */
cr_status cr_cv_get_regression(const cr_cv *cv, size_t repeat, size_t row, cr_cv_answer *out,
                               cr_regression *regression);

/* The figures of one fold, or of all (SIZE_MAX), with intervals of this level (0: 0.95). */
cr_status cr_cv_regression(const cr_cv *cv, size_t fold, double level, cr_regression_metrics *out,
                           cr_error *err);

/* The value of a metric of numbers; NaN for one of classes. */
double cr_regression_value(const cr_regression_metrics *metrics, const cr_metric *metric);

/* A mean of figures of folds with its 95 % interval. Folds share training rows, so their spread
 * alone would flatter: the variance is taken (1 / J + test / train) times, J figures (C. Nadeau &
 * Y. Bengio, "Inference for the generalization error", Machine Learning 52, 2003). NaN figures are
 * left out; with fewer than two there is no interval (NaN). */
typedef struct cr_spread {
    double mean, deviation, low, high;
    size_t count;
} cr_spread;
void cr_corrected_spread(const double *figure, size_t count, double test_over_train,
                         cr_spread *out);

/* The metrics of a cross-validation, by their place in the table: cr_metric_get(numbers, place). */
typedef struct cr_cv_metrics {
    int numbers;       /* metrics of numbers, not of classes */
    size_t metrics;    /* how many there are in the table */
    size_t folds;      /* in all repeats; 0 where one row is left out at a time */
    double *rows;      /* [folds] weight of each */
    double *value;     /* [folds * metrics] NaN where it was not asked for, or nothing weighs */
    double *all;       /* [metrics] of all answers together */
    cr_spread *spread; /* [metrics] over the folds, cut to where the metric can be */
} cr_cv_metrics;

typedef struct cr_cv_options {
    size_t size;           /* sizeof(cr_cv_options), or 0: see run.h */
    const cr_rule *rule;   /* how to decide, of the model of all rows; NULL: the most probable */
    double level;          /* of intervals around numbers; 0: 0.95 */
    unsigned shown;        /* which metrics each fold has, CR_METRIC_FOLDS and the like; 0: these */
    const cr_metric *also; /* and this one; may be NULL */
    cr_evaluation **whole; /* where the evaluation of all answers goes, which is at hand then, to be
                              freed; NULL, or where numbers are predicted: nowhere */
} cr_cv_options;

/* options may be NULL. To be freed with cr_cv_metrics_free(). */
cr_status cr_cv_measure(cr_cv_metrics **out, const cr_cv *cv, const cr_cv_options *options,
                        cr_error *err);
void cr_cv_metrics_free(cr_cv_metrics *metrics); /* NULL is allowed */

/* --- learning curves -------------------------------------------------------------------------- */

/* How good a learner is against the number of rows it has learned. In every repeat some rows are
 * withheld by chance to test on; of the others the first so many, in an order of chance, are
 * learned. Statistics grow by addition: nothing is counted twice. */
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
    cr_spread accuracy, log_loss; /* over the repeats; the variance is taken 1 / J + r times, r the
                                   * tested over the learnable rows, times the share of these that
                                   * is learned: so far do the repeats overlap */
    cr_spread rmse, r2, log_density; /* instead, where numbers are predicted */
    double parameters;               /* of the model, mean over the repeats */
} cr_learning_point;

typedef struct cr_learning_curve {
    size_t points, repeats, tested; /* tested: rows withheld */
    cr_learning_point *point;       /* [points] */
    int numbers;                    /* numbers are predicted, not classes */
    double *accuracy, *log_loss;    /* [points * repeats] of each repeat: what is tested by pairs */
    double *rmse, *r2, *log_density; /* likewise, of numbers; what there is not is NaN throughout */
} cr_learning_curve;

/* Candidates of one study with the same options are tested on the same rows. To be freed with
 * cr_learning_curve_free(). */
cr_status cr_study_curve(cr_study *study, const char *learner, const char *const *params,
                         size_t param_count, const cr_curve_options *options,
                         cr_learning_curve **out, cr_error *err);
void cr_learning_curve_free(cr_learning_curve *curve);

#ifdef __cplusplus
}
#endif
#endif
