/* credence/drift.h - whether recent data still look like the data a model has learned.
 *
 * The statistics of a model describe the training data well enough for a comparison: counts of
 * symbols, moments of numbers (and the numbers themselves where the learner keeps them), and counts
 * of documents with each word. Recent rows need no class. For each feature there is the size of the
 * change, a test of whether it could be chance, and a verdict based on both. The share of each
 * class among the recent rows is estimated from the posteriors alone.
 *
 * A cr_drift owns all that it returns. It may outlive the source, but not the model. It never
 * changes, so any number of threads may read it.
 */
#ifndef CREDENCE_DRIFT_H
#define CREDENCE_DRIFT_H

#include "credence/decision.h"

#ifdef __cplusplus
extern "C" {
#endif

/* How p-values of many tests are corrected. */
typedef enum cr_correction {
    CR_CORRECT_HOLM = 0, /* with probability 1 - level there is no false alarm (S. Holm, 1979) */
    CR_CORRECT_BH = 1,   /* at most `level` of the alarms are false (Benjamini, Hochberg, 1995) */
    CR_CORRECT_NONE = 2
} cr_correction;

typedef struct cr_drift_options {
    size_t size;              /* sizeof(cr_drift_options), or 0: see run.h */
    int allow_absent_columns; /* features that the data lack are missing values, not an error */
    double level;             /* of significance; 0: 0.05 */
    cr_correction correction;
} cr_drift_options;

typedef enum cr_drift_verdict {
    CR_DRIFT_NONE = 0,     /* the change could be chance */
    CR_DRIFT_SLIGHT = 1,   /* significant, but small: index below 0.1 */
    CR_DRIFT_MODERATE = 2, /* significant, index below 0.25 */
    CR_DRIFT_STRONG = 3,
    CR_DRIFT_UNKNOWN = 4 /* the model keeps nothing to compare with, or the data have no values */
} cr_drift_verdict;

/* "stable", "slight", "moderate", "strong", "unknown". */
const char *cr_drift_verdict_name(cr_drift_verdict verdict);

typedef struct cr_drift_feature {
    size_t column;
    const char *name;
    cr_kind kind;
    double before, after;                 /* weight of the rows with a value */
    double missing_before, missing_after; /* share of the rows without */
    double missing_p;                     /* p-value of G² for that change, corrected */
    double index;                         /* population stability index: Σ (q - p) ln (q / p) over
                                           * values or words; for numbers, that of two Gaussians
                                           * with the moments found, or over deciles where numbers
                                           * are kept */
    const char *test;                     /* "G2", "moments", "KS", "words"; "" without one */
    double statistic, freedom;            /* freedom is 0 where it does not apply */
    double p, corrected;                  /* NaN without a test */
    double mean_before, sd_before, mean_after, sd_after; /* of numbers; otherwise NaN */
    double new_share;  /* share of values never seen in training; for texts, share of those without
                        * a known word */
    size_t new_values; /* how many different ones */
    cr_drift_verdict verdict;
} cr_drift_feature;

/* A value or word. They are ordered by how much they add to the index, largest first, and include
 * new values. */
typedef struct cr_drift_change {
    const char *name;
    double before, after; /* shares; for a word, the share of texts that contain it */
    int is_new;
} cr_drift_change;

typedef struct cr_drift_class {
    const char *name;
    double before;    /* the model's prior */
    double estimated; /* share among the recent rows, by EM over the posteriors */
    double decided;   /* share of the decisions */
    double labelled;  /* share of the labels; NaN where the data have none */
} cr_drift_class;

typedef struct cr_drift_summary {
    double rows;            /* weight of the recent rows */
    double labelled;        /* weight of those with a class that the model knows, or with the
                             * number */
    double impossible;      /* weight of rows to which every class gives probability zero */
    double prior_index;     /* stability index of the priors. This and the other figures of the
                             * priors are NaN, and the verdict unknown, for a regression */
    double prior_statistic; /* 2 ln of the likelihood ratio of the estimated priors */
    double prior_p;         /* of that statistic, with classes - 1 degrees of freedom */
    cr_drift_verdict prior_verdict;
    size_t features, drifted; /* how many there are; how many drifted moderately or strongly */
    double level;             /* of significance, as it was used */
} cr_drift_summary;

typedef struct cr_drift cr_drift;

/* Compare. CR_ECONFLICT: the model is an ensemble or has learned nothing. CR_EFORMAT: there is no
 * row. options, run and tally may be NULL. */
cr_status cr_model_drift(const cr_model *model, cr_source *source, const cr_drift_options *options,
                         const cr_run *run, cr_drift **out, cr_tally *tally, cr_error *err);
void cr_drift_free(cr_drift *drift); /* NULL is allowed */

/* The figures of all rows together. */
void cr_drift_get_summary(const cr_drift *drift, cr_drift_summary *out);

/* CR_END past the last. Features are in the order of the columns. */
cr_status cr_drift_get_feature(const cr_drift *drift, size_t index, cr_drift_feature *out);
cr_status cr_drift_get_change(const cr_drift *drift, size_t feature, size_t index,
                              cr_drift_change *out);
cr_status cr_drift_get_class(const cr_drift *drift, size_t index, cr_drift_class *out);

/* The column of the feature with rank `place`, largest change first: by verdict, then by index.
 * SIZE_MAX past the last. */
size_t cr_drift_order(const cr_drift *drift, size_t place);

/* What follows from the verdicts. */
typedef enum cr_drift_action {
    CR_DRIFT_NOTHING, /* recent rows look like the training data */
    CR_DRIFT_LOOK,    /* check where the data come from: values are missing */
    CR_DRIFT_LEARN,   /* learn labelled recent rows: there are new values */
    CR_DRIFT_PRIORS,  /* predict or refit with other priors */
    CR_DRIFT_LABEL,   /* label some recent rows and check the shares of the classes */
    CR_DRIFT_RETRAIN, /* train anew: features changed strongly */
    CR_DRIFT_WATCH,   /* keep watching: features changed moderately */
    CR_DRIFT_BLIND    /* some features could not be compared */
} cr_drift_action;

typedef struct cr_drift_advice {
    cr_drift_action action;
    size_t features;    /* how many features it is about; 0: none in particular */
    const char *text;   /* a sentence or two for people */
    const char *priors; /* of CR_DRIFT_PRIORS: "ham:0.9,spam:0.1"; otherwise NULL */
} cr_drift_advice;

/* Get one piece of advice; the most urgent has index 0. CR_END past the last. */
cr_status cr_drift_get_advice(const cr_drift *drift, size_t index, cr_drift_advice *out);

#ifdef __cplusplus
}
#endif
#endif
