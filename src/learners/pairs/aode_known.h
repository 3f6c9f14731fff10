/* learners/pairs/aode_known.h - one row as averaged one-dependence estimators see it: its known
 * values, and the log of each model so far. */
#ifndef CR_LEARNERS_PAIRS_AODE_KNOWN_H
#define CR_LEARNERS_PAIRS_AODE_KNOWN_H

#include "learners/pairs/aode.h"
#include "learners/pairs/aode_mean.h"

typedef struct cr__aode_known {
    uint32_t *code;       /* [features] */
    unsigned char *never; /* [features] */
    size_t *feature;      /* [count] the known ones */
    size_t *value;        /* [count] their places among all values */
    size_t *super;        /* [models] of the known ones, those that others may depend on */
    size_t count, models;
    size_t width;  /* classes, padded */
    double *log_p; /* [features * width] of each model */
    double *top, *sum;
    cr__aode_sums *sums;
} cr__aode_known;

int cr__aode_known_make(cr__aode_known *k, const cr__aode *a); /* 0: out of memory */
void cr__aode_known_free(cr__aode_known *k);

/* Take in the codes k->code. */
void cr__aode_known_take(cr__aode_known *k, const cr__aode *a);

/* log of the mean of the models' probabilities, by class. */
void cr__aode_known_mean(const cr__aode_known *k, size_t classes, double *out);

/* top + log(sum / models), -infinity where the sum is 0. */
double cr__aode_log_mean(double top, double sum, size_t models);

/* Whether others may depend on feature i where it has this value. */
static inline int cr__aode_value_votes(const cr__aode *a, size_t i, size_t value)
{
    return a->places.values[i] > 1 && a->rows[value] >= a->limit && a->rows[value] > 0;
}

#endif
