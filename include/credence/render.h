/* credence/render.h - results as JSON and as tables, and their keys.
 *
 * Every result has one table of fields: the key for programs, the title for people, the meaning,
 * and how it is printed. cr_X_json() writes a result as one JSON object; cr_X_sheet() gives its
 * main table, for CSV or for display. A sheet borrows its texts from the result and is otherwise
 * independent of it.
 */
#ifndef CREDENCE_RENDER_H
#define CREDENCE_RENDER_H

#include "credence/calibrate.h"
#include "credence/compare.h"
#include "credence/diagram.h"
#include "credence/drift.h"
#include "credence/estimate.h"
#include "credence/hypothesis.h"
#include "credence/independence.h"
#include "credence/json.h"
#include "credence/league.h"
#include "credence/query.h"
#include "credence/store.h"
#include "credence/structure.h"
#include "credence/tune.h"

#ifdef __cplusplus
extern "C" {
#endif

/* --- fields ----------------------------------------------------------------------------------- */

enum { CR_FOR_PEOPLE = 1, CR_FOR_PROGRAMS = 2, CR_FOR_ALL = 3 };

typedef struct cr_field {
    const char *key, *title, *meaning; /* the meaning may be NULL */
    cr_show show;
    unsigned whom; /* which tables have it: CR_FOR_PEOPLE and so on */
} cr_field;

/* The keys that the JSON of a result may have, "rows, accuracy, ..., classes[] (name, ...)": of
 * "test", "test-numbers", "cv", "compare", "compare-numbers", "accounts", "tune", "curve", "drift".
 * CR_EARG: there is no such result. */
cr_status cr_result_keys(const char *result, cr_output *out);

/* --- sheets ----------------------------------------------------------------------------------- */

typedef struct cr_sheet cr_sheet;

void cr_sheet_free(cr_sheet *sheet); /* NULL is allowed */
size_t cr_sheet_rows(const cr_sheet *sheet);
size_t cr_sheet_columns(const cr_sheet *sheet);
const cr_field *cr_sheet_field(const cr_sheet *sheet, size_t column); /* NULL past the last */

/* One cell: its text, or NULL and its number, which is NaN where there is none. */
const char *cr_sheet_cell(const cr_sheet *sheet, size_t row, size_t column, double *number);

/* The same for display: a text, or a number that is written into buffer, which has room for
 * CR_SHOW_SIZE bytes. "" past the last. */
const char *cr_sheet_shown(const cr_sheet *sheet, size_t row, size_t column, char *buffer);

/* The columns for programs as CSV (RFC 4180, lines end in LF), under their keys. */
void cr_sheet_csv(const cr_sheet *sheet, cr_output *out);

/* --- results ----------------------------------------------------------------------------------
 *
 * Each writes one object and a line feed. Statuses are those of cr_output_flush(). */

/* What a model knows: facts, knobs, classes, and for each feature its values, densities or words;
 * of a network its variables and arcs, of a regression its weights, of an ensemble its members. */
typedef struct cr_model_json_options {
    size_t size;         /* sizeof(cr_model_json_options), or 0 */
    const char *name;    /* of the model, such as its path; NULL: none */
    const char *feature; /* only this one; NULL: all */
    const char *node;    /* of a network: this variable in detail; NULL: the target */
    size_t top;          /* how many of the words that favour a class most; 0: all */
    double level;        /* of the intervals of a linear regression's weights; 0: 0.95 */
    int evidence;        /* with ln P(data), where the model has it */
    int telling_only;    /* of a vocabulary, only the words that `top` selects */
} cr_model_json_options;

/* options and run may be NULL. CR_EARG: there is no such feature or variable, or no evidence. */
cr_status cr_model_json(const cr_model *model, const cr_model_json_options *options,
                        const cr_run *run, cr_output *out, cr_error *err);

/* What a model of classes knows as CSV, of one feature or (NULL) of all: a line for each value,
 * word or density of a class, or for each weight of a logistic regression. Lines go out as they are
 * made. CR_EARG: no such feature, or the model is a regression, a network or an ensemble. */
cr_status cr_model_csv(const cr_model *model, const char *feature, cr_output *out, cr_error *err);

/* The knobs that are not at their defaults, "smoothing=laplace alpha=2", or "all at their
 * defaults", as far as there is room. Returns buffer. */
const char *cr_show_knobs(char *buffer, size_t size, const cr_model *model);

/* Predictions as rows of CSV or as JSON objects, one per line, for the render function of a
 * cr_sink. A writer does not change once it is made, so several threads may use it at once. */
enum { CR_PREDICTION_DIGITS = 15 };

typedef struct cr_prediction_format {
    size_t size;      /* sizeof(cr_prediction_format), or 0 */
    int json;         /* otherwise CSV */
    int posterior;    /* CSV with the probability of each class, or a number's standard deviation */
    int fields;       /* the fields of the input come first */
    const char *only; /* of these: "A,B"; NULL: all */
    int reasons;      /* CSV with why there is no decision */
    int errors;       /* CSV with why a row could not be read */
    double level;     /* of the intervals that were asked for; 0: none */
    unsigned digits;  /* decimals of probabilities, plus one; 0: as many as it takes to read the
                       * same number back */
} cr_prediction_format;

typedef struct cr_prediction_writer cr_prediction_writer;

/* format may be NULL. CR_EARG: more than CR_PREDICTION_DIGITS decimals. */
cr_status cr_prediction_writer_new(cr_prediction_writer **out, const cr_model *model,
                                   const cr_prediction_format *format, cr_error *err);
void cr_prediction_writer_free(cr_prediction_writer *writer); /* NULL is allowed */

/* Write the header line of CSV; nothing for JSON. p may be NULL if there was no row. */
void cr_prediction_writer_header(const cr_prediction_writer *writer, const cr_predictions *p,
                                 cr_output *out);
void cr_prediction_writer_rows(const cr_prediction_writer *writer, const cr_predictions *p,
                               cr_output *out);

/* What training did. */
typedef struct cr_training_report {
    size_t size;       /* sizeof(cr_training_report), or 0 */
    const char *name;  /* of the model, such as its path; NULL: it is not kept */
    const char *start; /* name of the model whose weights the search began at; NULL: none */
    cr_tally tally;
    double seconds;
    const cr_calibration_report *calibration; /* NULL: not calibrated */
} cr_training_report;
cr_status cr_training_json(const cr_model *model, const cr_training_report *report, cr_output *out);

/* What learning, unlearning, merging and refitting did to a model. */
typedef struct cr_change_report {
    size_t size; /* sizeof(cr_change_report), or 0 */
    const char *name;
    uint64_t rows_before;
    size_t classes_before;
    const char *done; /* "learned" or "unlearned": the key of the rows; NULL: no rows were read */
    cr_tally tally;
    double seconds;
} cr_change_report;
cr_status cr_change_json(const cr_model *model, const cr_change_report *report, cr_output *out);

/* What is in a store and how well it judged; name is that of the store. */
cr_status cr_store_json(const cr_store_facts *facts, const char *name, cr_output *out);

/* What combining models and calibrating one did. */
cr_status cr_combination_json(const cr_model *model, const char *name, const cr_tally *tally,
                              double seconds, cr_output *out);
cr_status cr_calibration_json(const cr_calibration_report *report, const char *model,
                              cr_output *out);

/* Estimates, one sample or two compared; the sheet has a row for each quantity of each sample. */
cr_status cr_estimate_json(const cr_estimate *estimate, cr_output *out);
cr_status cr_estimate_sheet(cr_sheet **out, const cr_estimate *estimate, cr_error *err);

/* The most probable states of a network given a condition. */
cr_status cr_states_json(const cr_states *states, const cr_model *model, const char *condition,
                         cr_output *out);

/* The best strategy of a diagram given a condition, and the value of information, which may be
 * NULL. */
cr_status cr_strategy_json(const cr_strategy *strategy, const cr_diagram *diagram,
                           const char *condition, const cr_information *information, size_t count,
                           cr_output *out);

/* Two networks compared, under their names. */
cr_status cr_structure_json(const cr_structure_comparison *comparison, const char *first,
                            const char *second, cr_output *out);

/* A test of a classifier. Here and below, seconds NaN is not written. */
cr_status cr_test_json(const cr_model *model, const cr_evaluation *evaluation, uint64_t unlabelled,
                       double seconds, cr_output *out);
cr_status cr_test_sheet(cr_sheet **out, const cr_model *model, const cr_evaluation *evaluation,
                        cr_error *err); /* a row for each class */

/* A test of a regression. cr_regression_members() writes its figures as members of an open
 * object. */
void cr_regression_members(cr_json *j, const cr_regression_metrics *metrics);
cr_status cr_regression_json(const cr_regression_metrics *metrics, uint64_t unlabelled,
                             double seconds, cr_output *out);

/* The same for people: the figures; one of them, in which a bias no larger than rounding error is
 * 0; and its meaning, which is written into buffer if it depends on the level. */
cr_status cr_regression_sheet(cr_sheet **out, const cr_regression_metrics *metrics, cr_error *err);
double cr_regression_shown(const cr_regression_metrics *metrics, const cr_metric *metric);
const char *cr_regression_meaning(const cr_regression_metrics *metrics, const cr_metric *metric,
                                  char *buffer, size_t size);

/* The weights of a linear regression, with intervals of a level. CR_EARG: the model is not one. */
cr_status cr_coefficients_sheet(cr_sheet **out, const cr_model *model, double level, cr_error *err);

/* A cross-validation. The rule, or for regressions the level (0: 0.95), is that of the metrics. */
cr_status cr_cv_json(const cr_cv *cv, const cr_cv_metrics *metrics, const char *name,
                     const cr_rule *rule, double level, double seconds, cr_output *out);
cr_status cr_cv_sheet(cr_sheet **out, const cr_cv *cv, const cr_cv_metrics *metrics,
                      cr_error *err); /* a row for each fold */

/* Learners compared on the same folds, and by how they account for all rows. */
cr_status cr_comparison_json(const cr_comparison *comparison, cr_output *out);
cr_status cr_comparison_sheet(cr_sheet **out, const cr_comparison *comparison, cr_error *err);
cr_status cr_comparison_pairs(cr_sheet **out, const cr_comparison *comparison, cr_error *err);
cr_status cr_accounts_json(const cr_accounts *accounts, uint64_t unlabelled, cr_output *out);
cr_status cr_accounts_sheet(cr_sheet **out, const cr_accounts *accounts, cr_error *err);

/* Learners ranked over many data sets. The sheet has a row for each set, then the means and the
 * mean ranks. The text has one line for each test, and for each learner its Bayesian signed rank
 * test against the first, with this seed; it is empty where there are no ranks. */
cr_status cr_league_json(const cr_league *league, cr_output *out);
cr_status cr_league_sheet(cr_sheet **out, const cr_league *league, cr_error *err);
cr_status cr_league_text(const cr_league *league, uint64_t seed, cr_output *out, cr_error *err);

/* Settings that were tuned. */
cr_status cr_tuning_json(const cr_tuning *tuning, const char *learner, double seconds,
                         cr_output *out);
cr_status cr_tuning_sheet(cr_sheet **out, const cr_tuning *tuning, cr_error *err);

/* Learning curves of several learners on the same rows; name and curve are [count]. */
cr_status cr_curves_json(const cr_learning_curve *const *curve, const char *const *name,
                         size_t count, double seconds, cr_output *out);
/* Members of an object: one point of a curve. */
void cr_learning_point_json(cr_json *j, const char *name, const cr_learning_point *p, int numbers);
cr_status cr_curves_sheet(cr_sheet **out, const cr_learning_curve *const *curve,
                          const char *const *name, size_t count, cr_error *err);

/* The same curves size by size, with p of the paired test of each against the first. */
cr_status cr_curve_pairs_json(const cr_learning_curve *const *curve, const char *const *name,
                              size_t count, cr_output *out);
cr_status cr_curve_pairs_sheet(cr_sheet **out, const cr_learning_curve *const *curve,
                               const char *const *name, size_t count, cr_error *err);

/* Recent data compared with those that a model has learned. */
cr_status cr_drift_json(const cr_drift *drift, cr_output *out);
cr_status cr_drift_sheet(cr_sheet **out, const cr_drift *drift, cr_error *err);

/* The answer to a query. The lines of CSV are query,value,probability, without a header. With
 * several variables the value is VARIABLE=VALUE, …. In place of the probability there may be the
 * mean and so on of a number, the bits of information, or 1 for separated. */
cr_status cr_answer_json(const char *query, const cr_answer *answer, cr_output *out);
cr_status cr_answer_csv(const char *query, const cr_answer *answer, cr_output *out);

/* Hypotheses: their posteriors after all evidence and after each piece, the best of them, and what
 * they say together. CR_ENOMEM. */
cr_status cr_hypotheses_json(const cr_hypotheses *h, cr_output *out);

/* The most dependent of the pairs that were measured on a model, SIZE_MAX: all of them. */
cr_status cr_independence_json(const cr_independence *result, const cr_model *model, size_t pairs,
                               cr_output *out);

#ifdef __cplusplus
}
#endif
#endif
