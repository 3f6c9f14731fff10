/* learners/pairs/codes.h - the cells of a joint table column by column, for counting pairs.
 *
 * Learners that need pairs of features use the statistics where these count pairs. Where the
 * statistics are the cells of a joint table, the cells are unpacked once: the codes of each feature
 * into an array of its own, the rows of each class together. The order is that of the cells, so
 * sums come out the same for any number of threads.
 */
#ifndef CR_LEARNERS_PAIRS_CODES_H
#define CR_LEARNERS_PAIRS_CODES_H

#include "credence/model.h"
#include "stats/stats.h"

typedef struct cr__codes {
    const cr__stats *stats; /* borrowed */
    size_t rows;            /* different ones that have a class; 0 where pairs are counted */
    size_t features, classes;
    size_t *column;  /* [features] of the schema */
    size_t *values;  /* [features] */
    uint16_t **code; /* [features], [rows]: 0 is missing, else value + 1; NULL: pairs are counted */
    size_t *start;   /* [classes + 1] where the rows of each class begin */
    double *weight;  /* [rows], or NULL when every row counts once */
} cr__codes;

/* CR_ELIMIT: a feature has more than CR__CODES_MOST values. Free it even after a failure. */
cr_status cr__codes_make(cr__codes *out, const cr__stats *stats, cr_error *err);
void cr__codes_free(cr__codes *codes);

#define CR__CODES_MOST 65534

/* Rows of each pair of values by class: n[(c * (Vi + 1) + a) * (Vj + 1) + b] for the codes a, b. */
void cr__codes_count_pair(const cr__codes *codes, size_t i, size_t j, double *n);
size_t cr__codes_pair_size(const cr__codes *codes, size_t i, size_t j);

/* The dependence of two features in each class. */
typedef struct cr__pair {
    double n;              /* rows that have both */
    double information;    /* I(Xi; Xj | C) in nats */
    double freedom;        /* of G² = 2 n I */
    double deviation;      /* largest |P(xi, xj | c) - P(xi | c) P(xj | c)|, */
    double mean_deviation; /* and their mean over all cells, classes by how common they are */
    size_t class_at, value_i, value_j; /* where it is largest */
} cr__pair;

/* All pairs i < j into pair[i * features + j], by several threads; run may be NULL. */
cr_status cr__codes_measure_pairs(const cr__codes *codes, const cr_run *run, cr__pair *pair,
                                  cr_error *err);

/* Rows of class c that have value v of feature i. */
double cr__codes_value(const cr__codes *codes, size_t i, size_t v, size_t c);

/* I(Xi; C) in nats, of the rows that have the feature. */
cr_status cr__codes_class_information(const cr__codes *codes, double *information);

#endif
