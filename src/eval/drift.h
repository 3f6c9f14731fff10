/* eval/drift.h - the internals of cr_drift: what was counted, and what it was compared with. */
#ifndef CR_EVAL_DRIFT_H
#define CR_EVAL_DRIFT_H

#include "base/arena.h"
#include "credence/drift.h"
#include "data/bins.h"
#include "data/dict.h"
#include "stats/values.h"

enum { CR__CHANGES = 10, CR__ADVICES = 8 };

/* One feature while rows are read. */
typedef struct cr__drift_column {
    cr_drift_feature found;
    size_t values;       /* of a symbol, or words of a text */
    double *before;      /* [values] training: counts, or documents that have the word */
    double *after;       /* [values] recent */
    double before_total; /* rows with a value in training */
    cr__dict *fresh;     /* of a symbol: values never seen, by name */
    double *fresh_count;
    size_t fresh_capacity;
    double unseen;         /* weight of values never seen, of texts without a known word */
    double centre, sum[4]; /* of numbers: Σ w (x - centre)^k, k = 1 ... 4 */
    double variance_before;
    int cut;               /* of numbers: the model has only intervals, which count like values */
    cr__cuts cuts;         /* where the intervals begin */
    cr__value_table table; /* recent numbers, when the training ones are kept */
    const cr__values *kept;
    size_t field; /* of the input; SIZE_MAX: not looked up or absent */
    cr_drift_change change[CR__CHANGES];
    size_t changes;
} cr__drift_column;

struct cr_drift {
    const cr_model *model;
    cr__arena texts;
    cr_drift_summary summary;
    cr__drift_column *column;
    size_t columns, classes;
    cr_drift_class *class_shift;
    double *labels, *decided;   /* [classes] weights */
    double *posterior, *weight; /* of all rows, for EM */
    size_t rows, capacity;
    int has_target; /* the recent rows have it */
    cr_drift_advice advice[CR__ADVICES];
    size_t advices;
    size_t *order; /* [columns] the largest change first */
};

/* drift_tests.c: the figures of a feature after all rows, except for the correction. CR_ENOMEM. */
cr_status cr__drift_judge(cr_drift *d, cr__drift_column *c);

/* Class shares by EM. */
cr_status cr__drift_priors(cr_drift *d, double level);

/* Correct all p-values jointly and set the verdicts. */
cr_status cr__drift_correct(cr_drift *d, const cr_drift_options *options);

/* drift_advice.c: after the verdicts. CR_ENOMEM. */
cr_status cr__drift_advise(cr_drift *d);
cr_status cr__drift_order(cr_drift *d);

#endif
