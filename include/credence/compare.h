/* credence/compare.h - how well a model accounts for data, and what it costs to write it down.
 *
 * The better model of two is the one that makes data more probable without having been told more:
 * the shorter description of both, hypothesis and data (MDL), the smaller BIC or AIC, the larger
 * evidence, or the larger likelihood of rows that it has not seen. Numbers of different models can
 * be compared when they are of the same rows.
 */
#ifndef CREDENCE_COMPARE_H
#define CREDENCE_COMPARE_H

#include "credence/decision.h"

#ifdef __cplusplus
extern "C" {
#endif

typedef struct cr_likelihood {
    double rows;        /* weight of the rows */
    double joint;       /* ln P(rows with their classes): the sum of ln P(class, row) */
    double conditional; /* ln P(classes | rows): the sum of ln P(class | row) */
    double impossible;  /* weight of the rows that the model gives probability zero: then joint is
                         * -infinity. A row that no class allows counts as a uniform guess in
                         * conditional */
} cr_likelihood;

/* How probable a model makes labelled rows; for real features P is a density. Rows without a class
 * are left out (tally->unlabelled). tally may be NULL. */
cr_status cr_model_likelihood(const cr_model *model, cr_source *source,
                              const cr_predict_options *options, const cr_run *run,
                              cr_likelihood *out, cr_tally *tally, cr_error *err);

/* Of a model and the rows it was trained on, n of them, with k free parameters and L the joint
 * likelihood. Bits are binary logarithms; densities above 1 make them negative. */
typedef struct cr_criteria {
    double parameters;     /* k */
    double parameter_bits; /* k / 2 · log2 n: each to the precision that n rows allow */
    double knob_bits;      /* log2 of the number of learners, and for each knob that is not at its
                            * default log2 of the number of knobs and log2 of the other choices, or
                            * 8 bits for each character of a value not chosen from a list */
    double data_bits;      /* -log2 L */
    double class_bits;     /* -log2 P(classes | rows) */
    double mdl;            /* parameter_bits + knob_bits + data_bits: less is better */
    double bic;            /* k ln n - 2 ln L: less is better (G. Schwarz, 1978) */
    double aic;            /* 2 k - 2 ln L: less is better (H. Akaike, 1974) */
    double log_evidence;   /* ln P(data), parameters integrated out: more is better. NaN where the
                            * learner has none */
} cr_criteria;

void cr_model_criteria(const cr_model *model, const cr_likelihood *likelihood, cr_criteria *out);

#ifdef __cplusplus
}
#endif
#endif
