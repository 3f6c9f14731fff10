/* credence/eval.h - how good the answers are.
 *
 * A cr_evaluation takes posteriors with the true class, row by row in order, and gives the figures
 * at any time. A row of weight w counts w times. Functions that take a const pointer may be called
 * by many threads at once; adding requires exclusive access.
 */
#ifndef CREDENCE_EVAL_H
#define CREDENCE_EVAL_H

#include "credence/decision.h"
#include "credence/output.h"

#ifdef __cplusplus
extern "C" {
#endif

typedef struct cr_evaluation cr_evaluation;

/* Make an empty evaluation for answers about `classes` classes. */
cr_status cr_evaluation_new(cr_evaluation **out, size_t classes, cr_error *err);
void cr_evaluation_free(cr_evaluation *evaluation);

/* Charge what the rule says for decisions from now on, instead of 1 for a mistake. The rule is
 * borrowed until the evaluation is freed. CR_EARG: it is for another number of classes. */
cr_status cr_evaluation_use_rule(cr_evaluation *evaluation, const cr_rule *rule, cr_error *err);

/* One answer: posterior [classes] and decision as in cr_predictions, truth a class index, or -2
 * for a class the model does not know (always a mistake). */
void cr_evaluation_add(cr_evaluation *evaluation, const double *posterior, int32_t decision,
                       int32_t truth, double weight);

/* The same with ln P(class | row), [classes], which orders rows whose posteriors are too small for
 * a double. log_posterior may be NULL. */
void cr_evaluation_add_logs(cr_evaluation *evaluation, const double *posterior,
                            const double *log_posterior, int32_t decision, int32_t truth,
                            double weight);

/* Test a model on labelled data. Rows without a label are left out (tally->unlabelled). The rule of
 * the options decides; the evaluation borrows it, so it must live as long. CR_EARG: the model has
 * no classes; see cr_model_test_regression(). */
cr_status cr_model_test(const cr_model *model, cr_source *source, const cr_predict_options *options,
                        const cr_run *run, cr_evaluation **out, cr_tally *tally, cr_error *err);

typedef struct cr_metrics {
    double rows;                        /* total weight */
    double accuracy;                    /* an undecided row is not correct */
    double accuracy_low, accuracy_high; /* Wilson's 95 % interval */
    double log_loss;  /* mean of -ln P(truth), posteriors clipped at 2^-52 as in scikit-learn;
                         a row without a posterior counts as a uniform guess */
    double brier;     /* mean of sum over classes of (P - [truth])^2 */
    double ece;       /* expected calibration error, 15 bins of the top posterior */
    double macro_f1;  /* mean over classes of F1; 0 where undefined, as scikit-learn */
    double undecided; /* weight of rows without a decision */
    double unknown;   /* weight of rows whose true class the model does not know */

    double rejected;         /* weight of the undecided rows that have a posterior */
    double coverage;         /* share of the rows that are decided */
    double decided_accuracy; /* accuracy on the decided rows; 0 where there are none */
    double mistakes;         /* p(mistake): share of the rows decided wrongly. accuracy is
                              * p(correct); the rest is undecided */
    double expected_correct, expected_mistakes; /* the same as expected under the posteriors */
    double cost;          /* average cost of a row; a row without a posterior, or of an unknown
                           * class, costs as much as a rejected row, or without rejection as the
                           * dearest mistake. Without a rule, a mistake or no decision costs 1 */
    double expected_cost; /* the same as expected under the posteriors */

    double balanced_accuracy;     /* mean recall of the classes that occur */
    double micro_f1, weighted_f1; /* F1 of all decisions together; mean F1 weighted by support */
    double mcc;                   /* Matthews' correlation, in its form for several classes */
    double kappa;                 /* Cohen's: agreement beyond chance */
    double mce;                   /* maximum calibration error: the largest of the gaps that ece
                                   * averages */
    double reliability, resolution,
        uncertainty; /* Brier score = reliability - resolution +
                      * uncertainty + what varies within the bins (A. H. Murphy, 1973),
                      * 15 bins for each class. NaN with more than 2048 classes */
    double top[5];   /* share of rows whose class is among the 1, 2 … 5 most probable,
                      * whatever a rule decides */
} cr_metrics;
void cr_evaluation_metrics(const cr_evaluation *evaluation, cr_metrics *out);

/* Whether more rows were decided wrongly than the posteriors made expect, by more than 2 points and
 * 3 standard errors: the rows are unlike those that the model learned, or it should be calibrated.
 * Fewer than 100 rows tell nothing. */
int cr_metrics_surprise(const cr_metrics *metrics);

/* Find the thresholds on the probability of the second of two classes that would have cost least on
 * the rows added since cr_evaluation_use_rule(), and the average cost of a row with them. A
 * threshold lies halfway between the posteriors that it separates, or is 0 or 1 if one side is
 * empty. CR_EARG: there is no rule, no row, or not exactly two classes. */
cr_status cr_evaluation_threshold(const cr_evaluation *evaluation, cr_threshold *out, double *cost,
                                  cr_error *err);

typedef struct cr_class_metrics {
    double support, predicted, correct; /* weights */
    double precision, recall, f1;       /* 0 where undefined */
} cr_class_metrics;
void cr_evaluation_class(const cr_evaluation *evaluation, size_t class_index,
                         cr_class_metrics *out);

/* Weight of rows of class `truth` that were decided `decision` (CR_UNDECIDED allowed). NaN with
 * more than 2048 classes, for which no matrix is kept. */
double cr_evaluation_confusion(const cr_evaluation *evaluation, size_t truth, int32_t decision);

/* --- metrics by name -------------------------------------------------------------------------- */

/* Where a metric is shown. */
enum {
    CR_METRIC_TABLE = 1,   /* in the table of a test */
    CR_METRIC_JSON = 2,    /* in the JSON of a test */
    CR_METRIC_FOLDS = 4,   /* for each fold of a cross-validation, and as a mean */
    CR_METRIC_COMPARE = 8, /* in a comparison of learners */
    CR_METRIC_TUNE = 16,   /* for each setting that is tuned */
    CR_METRIC_REPORT = 32, /* at the top of a report */
    CR_METRIC_COSTS = 64   /* with the costs, where there is a rule */
};

/* A figure of merit of a classifier or of a regression. */
typedef struct cr_metric {
    const char *key;     /* such as "log_loss": its name in JSON and CSV, and for
                          * cr_metric_find() */
    const char *title;   /* "log loss" */
    const char *head;    /* heading of a narrow column; NULL: the title */
    const char *meaning; /* in a few words */
    int direction;       /* 1: more is better; -1: less is; 0: neither */
    cr_show show;        /* how it is printed */
    double least, most;  /* its range, to which intervals are cut */
    unsigned shown;      /* CR_METRIC_TABLE and the like */
} cr_metric;

/* All metrics of classes or of numbers, in the order in which they are shown. NULL past the
 * last. */
size_t cr_metric_count(int numbers);
const cr_metric *cr_metric_get(int numbers, size_t index);

/* Find a metric by key, in which - may stand for _. NULL: there is none. */
const cr_metric *cr_metric_find(int numbers, const char *key);

/* The value of a metric; NaN if it has none, such as a metric of numbers. */
double cr_evaluation_value(const cr_evaluation *evaluation, const cr_metric *metric);

/* --- curves ---------------------------------------------------------------------------------- */

/* For curves and areas an evaluation keeps rows, up to 100 classes and 2^26 posteriors. Beyond
 * that, and where rows of one kind are lacking, areas are NaN and curves are CR_ELIMIT. Rows are
 * ordered by the posterior of a class. Equal posteriors count half in areas and make one point in
 * curves. Posteriors within 2^-40 of 1 are ordered by the sum of the others, and posteriors below
 * 2^-1000 by their logarithm, so rows of which the model is almost certain do not tie. */

/* How well a class is separated from the rest. */
typedef struct cr_area {
    double roc;               /* P(a row of the class ranks above another one) */
    double roc_low, roc_high; /* 95 % interval (E. DeLong, D. DeLong & D. Clarke-Pearson, 1988) */
    double deviation;         /* standard deviation of roc, by the same method */
    double pr;                /* average precision: the area under precision against recall */
} cr_area;

/* class_index SIZE_MAX: the mean over the classes that have an area (for two classes: of the
 * second alone). */
cr_status cr_evaluation_area(const cr_evaluation *evaluation, size_t class_index, cr_area *out,
                             cr_error *err);

typedef enum cr_curve_kind {
    CR_CURVE_ROC,        /* x false positive rate, y true positive rate */
    CR_CURVE_PR,         /* x recall, y precision */
    CR_CURVE_COVERAGE,   /* x share of rows that are decided when the most probable class must have
                          * the threshold, y accuracy on these; no class */
    CR_CURVE_RELIABILITY /* x mean posterior, y observed share, in 15 bins that begin at the
                          * threshold; class_index SIZE_MAX: of the most probable class */
} cr_curve_kind;

typedef struct cr_point {
    double threshold, x, y;
    double weight; /* of the rows at this point */
} cr_point;

/* Free *points with cr_points_free(). Thresholds fall along a curve, except for reliability, where
 * they rise. A ROC curve begins at 0, 0 with an infinite threshold; a curve of precision and recall
 * begins at recall 0, precision 1. Empty bins are left out. */
cr_status cr_evaluation_curve(const cr_evaluation *evaluation, cr_curve_kind kind,
                              size_t class_index, cr_point **points, size_t *count, cr_error *err);
void cr_points_free(cr_point *points);

/* --- are the probabilities right? ------------------------------------------------------------- */

enum { CR_RELIABILITY_BINS = 15 };

/* All bins of the posterior, of equal width. An empty bin has weight 0 and is NaN elsewhere. */
typedef struct cr_reliability_bins {
    double confidence[CR_RELIABILITY_BINS], share[CR_RELIABILITY_BINS];
    double low[CR_RELIABILITY_BINS], high[CR_RELIABILITY_BINS]; /* of the share: Wilson's 95 % */
    double weight[CR_RELIABILITY_BINS];
    double error; /* mean distance of confidence and share: the ECE, or that of the class */
} cr_reliability_bins;

/* Of the most probable class (SIZE_MAX), or of one class. CR_EARG: there is no such class;
 * CR_ELIMIT: more than 2048 classes. */
cr_status cr_evaluation_reliability(const cr_evaluation *evaluation, size_t class_index,
                                    cr_reliability_bins *out, cr_error *err);

/* E. B. Wilson's 95 % interval (1927) for a share of n rows. */
void cr_wilson_interval(double share, double n, double *low, double *high);

#ifdef __cplusplus
}
#endif
#endif
