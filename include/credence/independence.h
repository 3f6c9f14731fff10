/* credence/independence.h - how far features are from independent given the class.
 *
 * Naive Bayes multiplies P(xi | c) P(xk | c) where P(xi, xk | c) would be right. For every pair of
 * features, this measures the error of that product: the conditional mutual information with a test
 * of significance, and the values for which the product is farthest off. Without a target,
 * independence alone is measured.
 *
 * The counts come from a model that keeps every combination of values: joint, tan, kdb, pairs or
 * aode. Numbers are replaced by the intervals into which the model has cut them.
 */
#ifndef CREDENCE_INDEPENDENCE_H
#define CREDENCE_INDEPENDENCE_H

#include "credence/model.h"

#ifdef __cplusplus
extern "C" {
#endif

typedef struct cr_pair {
    size_t a, b;        /* columns of the model's schema, a < b */
    double rows;        /* weight of the rows that have both */
    double information; /* I(A; B | class) in bits */
    double g2, freedom; /* G² = 2 N I (in nats), and its degrees of freedom */
    double p;           /* probability of a G² this large if they are independent */
    double deviation;   /* largest |P(a, b | c) - P(a | c) P(b | c)| */
    size_t class_index, value_a, value_b; /* where that is */
    double mean_deviation; /* mean over all values and classes, classes by their weight */
    double correlation;    /* of two numbers within the classes, if measured by
                            * cr_independence_numbers(); otherwise NaN */
} cr_pair;

typedef struct cr_independence cr_independence;

/* Measure all pairs; run (threads) may be NULL. The model may be freed before the result, which the
 * caller frees. CR_EARG: the model does not keep combinations; CR_ELIMIT: a feature has too many
 * values. */
cr_status cr_independence_measure(cr_independence **out, const cr_model *model, const cr_run *run,
                                  cr_error *err);
void cr_independence_free(cr_independence *result); /* NULL is allowed */

/* Measure pairs of real columns by their correlation r within the classes instead of on intervals:
 * if they are normal given the class, with one covariance for all classes, I(A; B | class) is
 * -log2(1 - r²) / 2, G² = -N ln(1 - r²) has one degree of freedom, and p is that of Student's t =
 * r √(f / (1 - r²)) with f = N - classes - 1, which is exact then. The rows are those that lack no
 * number. model: of the learner "gda", or "network" with real=gaussian, trained on the same
 * columns; CR_EARG when it keeps no products. */
cr_status cr_independence_numbers(cr_independence *result, const cr_model *measured, /* before */
                                  const cr_model *model, cr_error *err);

/* Pairs, the most dependent first; index below cr_independence_pairs(). */
size_t cr_independence_pairs(const cr_independence *result);
const cr_pair *cr_independence_pair(const cr_independence *result, size_t index);

/* Over all pairs: the mean information and deviation, and how many pairs are dependent at the level
 * 0.05 when all are tested together (Holm's procedure). */
typedef struct cr_independence_facts {
    size_t features, pairs, dependent;
    double mean_information, mean_deviation;
} cr_independence_facts;
void cr_independence_get_facts(const cr_independence *result, cr_independence_facts *out);

#ifdef __cplusplus
}
#endif
#endif
