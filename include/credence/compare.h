/* credence/compare.h - how well a model accounts for data, and what it costs to write it down.
 *
 * The better model of two is the one that makes data more probable without having been told more:
 * the shorter description of both, hypothesis and data (MDL), the smaller BIC or AIC, the larger
 * evidence, or the larger likelihood of rows that it has not seen. Numbers of different models can
 * be compared when they are of the same rows.
 */
#ifndef CREDENCE_COMPARE_H
#define CREDENCE_COMPARE_H

#include "credence/cv.h"

#ifdef __cplusplus
extern "C" {
#endif

/* Of a model of numbers, joint is ln p of the targets given the features with the weights and the
 * noise as fitted (for lambda 0 the maximum, R's logLik), and conditional the same with both
 * averaged over their posterior: what predictions are judged by. */
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

/* --- on rows that were not learned ------------------------------------------------------------ */

/* Two figures of the same folds, taken by pairs: a - b. */
typedef struct cr_paired {
    cr_spread difference;       /* with the corrected interval of cr_corrected_spread() */
    double t, p;                /* corrected t and its two-sided p; NaN without an interval */
    double worse, same, better; /* P(a is worse, as good, better) given the folds: the posterior of
                                 * the mean difference is Student's t with the same scale, and
                                 * `same` is within the region of practical equivalence (G. Corani &
                                 * A. Benavoli, "A Bayesian approach for comparing cross-validated
                                 * algorithms", 2015) */
} cr_paired;

/* count figures of each; test_over_train as for the interval; rope is half the width of what counts
 * as equal. */
void cr_compare_paired(const double *a, const double *b, size_t count, double test_over_train,
                       double rope, cr_paired *out);

/* Rows of the first deal that one of two cross-validations answered rightly and the other did not,
 * and the two-sided exact p of McNemar's test. Of numbers: rows whose truth one is nearer to than
 * the other, and the sign test. CR_ECONFLICT: they are of other rows, or one is of classes. */
cr_status cr_compare_rows(const cr_cv *a, const cr_cv *b, double *only_a, double *only_b, double *p,
                          cr_error *err);

/* Several learners on several data sets: score[set * learners + learner], more is better. */
typedef struct cr_ranking {
    double chi_square, p; /* Friedman's test that all are alike */
    double f, p_f;        /* Iman and Davenport's, less timid */
    double critical;      /* mean ranks farther apart than this differ (Nemenyi, 5 %); NaN with
                           * more than 20 learners */
    double *rank;         /* [learners] mean rank, 1 is best; the caller's array */
} cr_ranking;
cr_status cr_compare_ranks(const double *score, size_t sets, size_t learners, cr_ranking *out,
                           cr_error *err);

/* P(a is worse, as good, better than b) on data sets like these: the Bayesian signed rank test
 * (A. Benavoli et al., 2014), by 20,000 draws. difference is a - b of each set. */
cr_status cr_compare_signed_rank(const double *difference, size_t sets, double rope, uint64_t seed,
                                 double *worse, double *same, double *better, cr_error *err);

/* How many bytes the model's file would have. */
double cr_model_size(const cr_model *model);

#ifdef __cplusplus
}
#endif
#endif
