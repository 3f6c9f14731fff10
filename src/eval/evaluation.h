/* eval/evaluation.h - the internals of cr_evaluation. */
#ifndef CR_EVAL_EVALUATION_H
#define CR_EVAL_EVALUATION_H

#include <stdatomic.h>

#include "credence/eval.h"
#include "decide/rule.h"

enum { CR__BINS = CR_RELIABILITY_BINS, CR__TOP = 5, CR__KEPT_CLASSES = 100 };
#define CR__KEPT_MOST ((size_t)1 << 26) /* most posteriors that are kept */

/* A row of two classes: P(second class), weight, truth. */
typedef struct cr__binary_row {
    double p, weight;
    int32_t truth;
} cr__binary_row;

/* Rows in order of arrival. */
typedef struct cr__kept {
    size_t rows, capacity;
    double *posterior; /* [rows * classes]; where one is below 2^-1000 its logarithm, a number
                        * below 0, if that is known */
    double *weight;    /* [rows], or NULL: 1 each */
    int32_t *truth;    /* [rows] negative: of no class */
    int failed;        /* not all are here: 1 too many, 2 no memory */
} cr__kept;

/* The sums over the rows of a bin. */
typedef struct cr__bin {
    double weight, sum, hits; /* sum of posteriors; weight of the rows that were of the class */
} cr__bin;

struct cr_evaluation {
    size_t classes;
    const cr_rule *rule; /* NULL: mistakes cost 1 */
    double weight, correct, log_loss, brier, unknown, undecided, rejected;
    double expected_correct, expected_mistakes, cost, expected_cost;
    cr__bin bin[CR__BINS]; /* by the largest posterior */
    cr__bin *class_bin;    /* [classes * CR__BINS] by each; NULL with very many classes */
    double top[CR__TOP];   /* weight of rows whose truth is in place 0, 1 … */
    cr__kept kept;
    double *support, *predicted, *hit; /* [classes] */
    double *confusion; /* [(classes + 1) * (classes + 1)]: truth by decision; last: unknown to the
                          model, undecided. NULL with very many classes */
    cr__binary_row *seen; /* with a rule for two classes: all rows */
    size_t seen_count, seen_capacity;
    int seen_failed;     /* out of memory: not all are stored */
    atomic_int has_area; /* 0; 1: a thread is writing it; 2: it is there */
    cr_area area;        /* the mean over all classes, once computed */
};

/* A row that was answered. */
typedef struct cr__answered {
    const double *posterior;     /* [classes] */
    const double *log_posterior; /* [classes], or NULL */
    int32_t decision, truth;     /* CR_UNDECIDED; negative: of no class */
    double weight;
} cr__answered;

/* Add a row to several evaluations of the same classes and the same rule. */
void cr__evaluations_add(cr_evaluation *const *list, size_t count, const cr__answered *row);

/* So many rows will be added at most: there is room for them from the start, and none for those
 * that are too many to sort. */
void cr__evaluation_expects(cr_evaluation *e, size_t rows);

/* Bytes that so many rows of so many classes take, while they are kept and sorted. */
double cr__evaluation_bytes(size_t rows, size_t classes);

/* Rows will not be kept: nothing that needs their order will be computed. */
void cr__evaluation_forgets(cr_evaluation *e);

/* Store a row, as long as there is room. */
void cr__keep(cr_evaluation *e, const double *posterior, const double *log_posterior, int judged,
              int32_t truth, double weight);

#endif
