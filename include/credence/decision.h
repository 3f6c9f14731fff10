/* credence/decision.h - from a row to a posterior over classes, and from there to a decision.
 *
 * Inference comes first, the decision second. Every row gets log P(class, row) for each class, then
 * the posterior by normalisation in log space, then the class of least expected loss. A row to
 * which every class gives probability zero has no posterior; its decision is CR_UNDECIDED, never a
 * guess.
 */
#ifndef CREDENCE_DECISION_H
#define CREDENCE_DECISION_H

#include "credence/model.h"
#include "credence/output.h"

#ifdef __cplusplus
extern "C" {
#endif

#define CR_UNDECIDED (-1)

/* --- one row ------------------------------------------------------------------------------ */

/* A row to fill in for a model. All columns are missing at first. The row keeps the model's state
 * from the moment when it is made, so it may outlive the model and any change to it. It belongs to
 * one thread at a time; different rows of one model may be used by different threads at once. */
typedef struct cr_row cr_row;

/* Make a row of the model's columns, all missing. */
cr_status cr_row_new(cr_row **out, const cr_model *model, cr_error *err);
void cr_row_free(cr_row *row);  /* NULL is allowed */
void cr_row_clear(cr_row *row); /* all missing again */

/* Set a column of the model's schema: a feature, or for cr_row_learn() the target or the weight.
 * NaN, NULL and the texts that mean missing to the model are missing. A text is read as a field of
 * a file would be, without surrounding blanks: a number for a real column, a word for a symbol
 * column, and a text whose words are found at once for a text column. A word that the model has
 * never seen is handled as the knob `unseen` says. The bytes are copied and need no terminating
 * NUL. CR_EARG: there is no such column, it is of another kind, x is infinite, or a word contains a
 * NUL. CR_EFORMAT: the text is not a number. CR_ELIMIT: the word is too long. CR_ENOMEM. */
cr_status cr_row_set_real(cr_row *row, size_t column, double x);
cr_status cr_row_set_text(cr_row *row, size_t column, const char *text);
cr_status cr_row_set_bytes(cr_row *row, size_t column, const char *bytes, size_t size);

/* Set a symbol column to a value of cr_model_value(), by its number; -1 is missing. */
cr_status cr_row_set_code(cr_row *row, size_t column, int32_t value);

/* The same as cr_row_set_text() for a column given by name. If there is no such column, err names
 * the nearest one. */
cr_status cr_row_set_named(cr_row *row, const char *name, const char *text, cr_error *err);

/* Make the row a mail message, for a model with one column of texts. All other columns become
 * missing. The message is parsed like one in a mailbox. */
cr_status cr_row_from_mail(cr_row *row, const void *bytes, size_t size, cr_error *err);

/* Posterior of each class (room for cr_model_classes() numbers; all 0 when undecided) and the
 * decision. log_evidence, log P(row), may be NULL. The row may belong to any model with the same
 * columns, such as a copy or an earlier state of this one; it is answered like a new one that was
 * given the same values. After texts were learned one by one (cr_row_learn()), naive Bayes of texts
 * alone answers an earlier row at the cost of its own words. CR_EARG: other columns, or there are
 * no classes. */
cr_status cr_model_classify(const cr_model *model, const cr_row *row, double *posterior,
                            int32_t *decision, double *log_evidence);

/* Whether the model describes rows and classes together, P(class, row), and not only the classes
 * given a row: naive Bayes, discriminants and networks do, logistic regression and trees do not. */
int cr_model_is_generative(const cr_model *model);

/* p(x | class) of a real feature as the model uses it, Gaussian or not, with the other features
 * unknown. density[class * count + i] is the density at x[i]; NaN for a class without rows.
 * CR_EARG: there is no such feature, it is cut into intervals, or the model has no densities. */
cr_status cr_model_density(const cr_model *model, size_t column, const double *x, size_t count,
                           double *density, cr_error *err);

/* --- a number ------------------------------------------------------------------------------- */

/* The prediction of a regression for a row: a Student-t or a Gaussian around the mean. */
typedef struct cr_regression {
    double mean;
    double scale;   /* of the Student-t; standard deviation of the Gaussian */
    double freedom; /* degrees of freedom; infinite for a Gaussian */
    double truth;   /* the target when the data have it; NaN otherwise */
} cr_regression;

/* Predict the target of one row, which may belong to any model with the same columns. CR_EARG:
 * other columns, or the model learns classes. */
cr_status cr_model_regress(const cr_model *model, const cr_row *row, cr_regression *out);
cr_status cr_row_regress(cr_row *row, cr_regression *out); /* by the model as the row knows it */

double cr_regression_variance(const cr_regression *f); /* infinite for freedom <= 2 */
double cr_regression_log_density(const cr_regression *f, double y);

/* The central interval that holds the target with probability level, in (0, 1). */
void cr_regression_interval(const cr_regression *f, double level, double *low, double *high);

/* --- rules: costs, rejection, other priors -------------------------------------------------- */

/* Why there is no decision. */
typedef enum cr_reason {
    CR_DECIDED = 0,    /* there is one */
    CR_IMPOSSIBLE = 1, /* every class gives the row probability zero */
    CR_REJECTED = 2    /* every decision is expected to cost more than rejecting the row */
} cr_reason;

/* How to decide when mistakes have different costs. A rule says what it costs to take one class for
 * another, what it costs not to decide, and how common the classes are where the model is used. It
 * is made for the classes of a model, never changes, and may be shared by threads. */
typedef struct cr_rule cr_rule;

/* If all members are zero, mistakes cost 1, correct answers cost nothing, every row is decided, and
 * the priors are the model's own. cost, cost_file and costs may be combined; each overrides the one
 * before. */
typedef struct cr_rule_options {
    size_t size;           /* sizeof(cr_rule_options), or 0: see run.h */
    const double *cost;    /* [classes * classes]: of deciding d for class t at t * classes + d */
    const char *cost_file; /* a table with a row for each true class, whose name is in the first
                            * column, and a named column for each decision; costs that it lacks keep
                            * their values */
    const char *costs;     /* "spam->ham=1, ham->spam=20": TRUE->DECIDED=COST; a name may be in
                            * double quotes, and * stands for every class but the other one */
    int may_reject;        /* a row may be left undecided */
    double reject_cost;    /* of a row that is left undecided */
    const char *priors;    /* "ham:0.9,spam:0.1" for every class; posteriors become what they would
                            * be if the model had these priors */
} cr_rule_options;

/* CR_EARG, or CR_EFORMAT for the file: the model does not have a class (err names the nearest), a
 * cost is negative or not finite, or priors do not add up to 1. CR_ECONFLICT: there is a prior for
 * a class that the model considers impossible. CR_ELIMIT: there are costs for more than 4096
 * classes. */
cr_status cr_rule_new(cr_rule **out, const cr_model *model, const cr_rule_options *options,
                      cr_error *err);
void cr_rule_free(cr_rule *rule); /* NULL is allowed */

/* The cost of deciding `decision` when the class is `truth`. For CR_UNDECIDED it is the cost of
 * rejecting the row, which is infinite if rows may not be rejected. */
double cr_rule_cost(const cr_rule *rule, size_t truth, int32_t decision);

/* Turn a posterior of the model, [classes], into the posterior under the rule's priors, and decide
 * for the least expected cost; of equals, the first is taken. expected_cost may be NULL. If the
 * posterior is all zeros, the result is CR_IMPOSSIBLE. */
cr_reason cr_rule_decide(const cr_rule *rule, double *posterior, int32_t *decision,
                         double *expected_cost);

/* The thresholds for two classes. Decide for the second class when its probability under the rule's
 * priors is above `decide`. With rejection, decide for the first below `low`, for the second above
 * `high`, and not at all in between. */
typedef struct cr_threshold {
    double decide;
    double low, high; /* both equal to decide where nothing is rejected */
} cr_threshold;

/* CR_EARG: there are not exactly two classes, or some mistake costs no more than some correct
 * answer. */
cr_status cr_rule_threshold(const cr_rule *rule, cr_threshold *out);

/* What is decided about one row. */
typedef struct cr_decision {
    int32_t decision;     /* class index or CR_UNDECIDED */
    cr_reason reason;     /* why there is none */
    double log_evidence;  /* log P(row), under the rule's priors; -inf for CR_IMPOSSIBLE */
    double expected_cost; /* of the decision, or the rejection; NaN for CR_IMPOSSIBLE and without a
                           * rule */
} cr_decision;

/* Classify a row with its own copy of the model. Gives the posterior of each class under the rule's
 * priors and the decision of least expected cost. With rule NULL, the most probable class is
 * decided. CR_EARG: the rule is for another number of classes, or the model has no classes. */
cr_status cr_row_classify(cr_row *row, const cr_rule *rule, double *posterior, cr_decision *out);

/* How certain the probabilities themselves are. If the parameters were known, P(c | row) would lie
 * between low[c] and high[c] with probability `level`, in (0, 1), under the posterior of the
 * parameters: Dirichlet for shares, normal-inverse-gamma for means and variances. The interval is
 * exact where only P(class) matters; otherwise it comes from 2,000 draws, for which seed is the
 * seed. CR_EARG: the learner is not naive Bayes, or it has kernels, intervals, or texts other than
 * plain counts with event=multinomial. */
cr_status cr_row_interval(cr_row *row, const cr_rule *rule, double level, uint64_t seed,
                          double *low, double *high, cr_error *err);

/* --- many rows ---------------------------------------------------------------------------- */

/* The answers for some consecutive rows of a source. */
typedef struct cr_predictions {
    size_t rows, classes;
    const size_t *line;         /* [rows] the line of each row in its file */
    const int32_t *decision;    /* [rows] class index or CR_UNDECIDED */
    const double *posterior;    /* [rows * classes], a row's classes together */
    const double *log_evidence; /* [rows] log P(row); -inf when undecided */
    const int32_t *truth;       /* [rows] the target's class; -1 missing, -2 unknown to the model;
                                 * NULL when the data have no target column */
    const double *weight;       /* [rows], or NULL when rows weigh 1 */
    const struct cr__answers *inside;
    const unsigned char *reason; /* [rows] a cr_reason */
    const double *expected_cost; /* [rows] of the decision, or the rejection, by the posterior; NaN
                                  * for CR_IMPOSSIBLE; NULL without a rule */
    const cr_regression *regression; /* [rows] where the target is a number; otherwise NULL. Then
                                      * there is one class, without a name */
    const double *log_truth;     /* [rows] ln P(truth | row), also where the posterior is too small
                                  * for a double; -inf where the truth is not known or impossible */
    const double *log_posterior; /* [rows * classes] ln P(class | row) where the options ask for it;
                                  * otherwise NULL */
    const char *const *error;    /* [rows] with CR_ON_ERROR_ROW, why a row could not be read: its
                                  * answer then has no meaning. An entry is NULL if its row was
                                  * read; the array is NULL if all were */
    const double *low, *high;    /* [rows * classes] of the posterior, where the options ask for an
                                  * interval; otherwise NULL */
} cr_predictions;

/* The input's own columns, for output that repeats them. The text of a field is valid during the
 * callback; NULL when missing. */
size_t cr_predictions_fields(const cr_predictions *p);
const char *cr_predictions_field_name(const cr_predictions *p, size_t field);
const char *cr_predictions_field(const cr_predictions *p, size_t row, size_t field, size_t *size);

typedef struct cr_predict_options {
    size_t size;              /* sizeof(cr_predict_options), or 0: see run.h */
    int allow_absent_columns; /* features that the data lack are missing values, not an error */
    int need_target;          /* the data must have the target column (test) */
    const cr_rule *rule;      /* how to decide; NULL: the most probable class */
    int log_posterior;        /* also give the logarithms of the posteriors */
    cr_on_error on_error;     /* what to do with records that cannot be read */
    double interval;          /* level of the posterior's intervals: cr_row_interval(); 0: none */
    const size_t *only; /* [only_count] cr_model_explain() visits only these rows; NULL: all */
    size_t only_count;  /* how many there are; row numbers start at 0 and ascend */
} cr_predict_options;

/* Where the answers of cr_model_predict() go. render turns answers into bytes; it may run in
 * several threads at once, but never twice at once for the same batch. write receives those bytes
 * in the order of the rows, in one thread at a time. visit sees the answers in the order of the
 * rows, in one thread at a time, before they are written; if there are no rows, it is called once
 * with rows = 0. Any of the three may be NULL. If one returns a status other than CR_OK, the pass
 * stops and returns it. */
typedef struct cr_sink {
    cr_status (*render)(void *context, const cr_predictions *p, cr_output *out);
    cr_status (*visit)(void *context, const cr_predictions *p);
    cr_status (*write)(void *context, const char *bytes, size_t size);
    void *context;
} cr_sink;

/* Predict every row of the source and deliver the answers to the sink, in the order of the rows. */
cr_status cr_model_predict(const cr_model *model, cr_source *source,
                           const cr_predict_options *options, const cr_sink *sink,
                           const cr_run *run, cr_tally *tally, cr_error *err);

/* The caller's arrays for the answers to rows in memory. Arrays that are NULL are not filled. */
typedef struct cr_answers {
    size_t size;           /* sizeof(cr_answers), or 0: see run.h */
    double *posterior;     /* [rows * classes], a row's classes together; all 0 when undecided */
    double *log_posterior; /* [rows * classes] */
    int32_t *decision;     /* [rows] class index or CR_UNDECIDED */
    unsigned char *reason; /* [rows] a cr_reason */
    double *log_evidence;  /* [rows] log P(row); -inf when undecided */
    double *expected_cost; /* [rows] with a rule; NaN without, and for CR_IMPOSSIBLE */
    cr_regression *regression; /* [rows] for a regression, whose one class has posterior 1; must be
                                * NULL for other models */
} cr_answers;

/* Classify rows in memory, with as many threads as the run allows. Columns are matched by name and
 * take the model's kinds. The target, the weights and arrays that the model does not know are
 * ignored, as are need_target and log_posterior of the options. No source is needed, so a few rows
 * cost little more than their scoring. CR_ECONFLICT: a feature is not among the arrays. CR_EARG,
 * CR_EFORMAT: see array.h; err->line is the row, counted from 1. */
cr_status cr_model_predict_arrays(const cr_model *model, const cr_array *arrays, size_t columns,
                                  size_t rows, const cr_predict_options *options,
                                  const cr_answers *answers, const cr_run *run, cr_error *err);

/* --- lessons -------------------------------------------------------------------------------- */

/* Learn one row (sign 1) or take it back (-1): the model becomes, byte for byte, what
 * cr_model_learn() or cr_model_unlearn() would make of it from a file with that row. The target
 * column of the row holds its class or the number to learn; new classes and new values are allowed.
 * The row may belong to any model with the same columns, such as a copy or an earlier state of this
 * one. Naive Bayes changes in place, at the cost of the row's own values and words, as long as the
 * model has no copies and no rows (or only of a copy), no class or value appears or disappears,
 * numbers are Gaussian and words not weighted; with texts, it is fitted when it is next asked for
 * anything but the class of an earlier row (cr_model_classify()). Else the model is fitted anew;
 * many rows cost less as lessons. CR_EARG: no target. CR_ECONFLICT: other columns, a learner that
 * cannot learn more, or a row never learned. */
cr_status cr_row_learn(cr_model *model, const cr_row *row, int sign, cr_error *err);

/* Rows to be learned and taken back all at once. The cost of adding a row depends only on the row,
 * and the model is fitted once. Lessons belong to one thread at a time and may outlive the model
 * that they were made for. */
typedef struct cr_lessons cr_lessons;
cr_status cr_lessons_new(cr_lessons **out, const cr_model *model, cr_error *err);
cr_status cr_lessons_add(cr_lessons *lessons, const cr_row *row, int sign, cr_error *err);
size_t cr_lessons_count(const cr_lessons *lessons); /* rows waiting */

/* Apply all waiting rows to the model, or none if that fails. Rows to learn come first. Afterwards
 * no rows are waiting. run is as for cr_model_learn(); NULL: one thread. In err, line counts the
 * rows of the same sign from 1, in the order in which they were added. */
cr_status cr_lessons_apply(cr_lessons *lessons, cr_model *model, const cr_run *run, cr_error *err);
void cr_lessons_clear(cr_lessons *lessons); /* discard the waiting rows */
void cr_lessons_free(cr_lessons *lessons);  /* NULL is allowed */

#ifdef __cplusplus
}
#endif
#endif
