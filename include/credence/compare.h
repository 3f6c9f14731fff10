/* credence/compare.h - how well a model accounts for data, and what it costs to write it down.
 *
 * Of two models, the better one makes the data more probable without having been told more. It
 * gives the shorter description of hypothesis and data together (MDL), the smaller BIC or AIC, the
 * larger evidence, or the larger likelihood of rows it has not seen. The figures of two models can
 * be compared when both are computed on the same rows.
 *
 * A study is used by one thread at a time. Accounts and comparisons never change once they are
 * made, so any number of threads may read them.
 */
#ifndef CREDENCE_COMPARE_H
#define CREDENCE_COMPARE_H

#include "credence/cv.h"
#include "credence/spec.h"

#ifdef __cplusplus
extern "C" {
#endif

/* For a regression, joint is ln p(targets | features) with the weights and the noise as fitted
 * (with lambda 0 this is the maximum, R's logLik). conditional is the same with weights and noise
 * averaged over their posterior, which is how predictions are judged. */
typedef struct cr_likelihood {
    double rows;        /* weight of the rows */
    double joint;       /* ln P(rows with their classes): the sum of ln P(class, row); NaN if the
                         * model does not describe rows (cr_model_is_generative()) */
    double conditional; /* ln P(classes | rows): the sum of ln P(class | row) */
    double impossible;  /* weight of the rows to which the model gives probability zero; joint is
                         * then -infinity. In conditional, a row that no class allows counts as a
                         * uniform guess */
    double mistakes;    /* weight of the rows whose most probable class is wrong */
} cr_likelihood;

/* How probable a model makes labelled rows. For real features, P is a density. Rows without a class
 * are left out (tally->unlabelled). tally may be NULL. */
cr_status cr_model_likelihood(const cr_model *model, cr_source *source,
                              const cr_predict_options *options, const cr_run *run,
                              cr_likelihood *out, cr_tally *tally, cr_error *err);

/* Criteria for a model with k free parameters and the n rows it was trained on. L is the likelihood
 * of the classes given the rows; for a regression it is that of cr_likelihood.joint. Every learner
 * has it, so all learners can be compared. Bits are binary logarithms; densities above 1 make them
 * negative. */
typedef struct cr_criteria {
    double parameters;     /* k */
    double parameter_bits; /* k / 2 · log2 n: each parameter to the precision that n rows allow */
    double knob_bits;      /* log2 of the number of learners, and for each knob that is not at its
                            * default log2 of the number of knobs and log2 of the other choices, or
                            * 8 bits for each character of a value not chosen from a list */
    double data_bits;      /* -log2 P(rows with their classes); NaN where the model does not
                            * describe rows */
    double class_bits;     /* -log2 P(classes | rows) */
    double mdl;            /* parameter_bits + knob_bits + class_bits (regression: data_bits): less
                            * is better */
    double bic;            /* k ln n - 2 ln L: less is better (G. Schwarz, 1978) */
    double aic;            /* 2 k - 2 ln L: less is better (H. Akaike, 1974) */
    double log_evidence;   /* ln P(data), parameters integrated out: more is better. NaN where the
                            * learner has none */
    double joint_mdl;      /* parameter_bits + knob_bits + data_bits */
    double error;          /* share of the rows decided wrongly; NaN for regressions */
    double mistake_bits;   /* bits to list the m rows decided wrongly and their classes: log2 (n +
                            * 1) for how many, log2 (n choose m) for which, and m log2 (classes - 1)
                            * for their classes. NaN for regressions */
    double mistakes_mdl;   /* parameter_bits + knob_bits + mistake_bits */
} cr_criteria;

/* The criteria of a model by its likelihood of the data it was trained on. */
void cr_model_criteria(const cr_model *model, const cr_likelihood *likelihood, cr_criteria *out);

/* --- learners on all rows ----------------------------------------------------------------------
 */

typedef struct cr_account cr_account;

/* A criterion for the best model, which is the one with the least cost. NaN: the model has no cost
 * under it. */
typedef struct cr_criterion {
    const char *key, *title;
    double (*cost)(const cr_account *account);
} cr_criterion;

/* "mdl", "joint", "mistakes", "penalty", "bic", "aic", "evidence", "holdout"; NULL past the last.
 */
const cr_criterion *cr_criterion_get(size_t index);
const cr_criterion *cr_criterion_find(const char *key); /* NULL: there is none */

/* One learner and its cost. Borrowed. */
struct cr_account {
    const char *name, *learner;
    cr_status status; /* CR_OK, or it cannot: then nothing below `why` is there */
    const char *why;  /* "" or the reason */
    int numbers;      /* numbers are predicted, not classes */
    cr_likelihood likelihood, held_out;
    int has_holdout;
    cr_criteria criteria;
    double lambda, penalised; /* F(h) = error + lambda · parameters */
    double cost, behind;      /* by the criterion, and how much more than the best */
};

typedef struct cr_account_options {
    size_t size;    /* sizeof(cr_account_options), or 0: see run.h */
    const char *by; /* key of the criterion; NULL: mdl */
    double lambda;  /* of the penalty; 0: ln n / 2n, n rows */
    int skip;       /* as in cr_compare_options */
} cr_account_options;

typedef struct cr_accounts cr_accounts;

/* Train each learner on all rows of the source, and judge it on these rows and on those of holdout,
 * which may be NULL. Learners that differ only in knobs share one pass over the data where they
 * can. */
cr_status cr_compare_accounts(cr_accounts **out, cr_source *source, cr_source *holdout,
                              const cr_spec *specs, size_t count, const cr_account_options *options,
                              const cr_run *run, cr_tally *tally, cr_error *err);
void cr_accounts_free(cr_accounts *accounts);         /* NULL is allowed */
size_t cr_accounts_best(const cr_accounts *accounts); /* SIZE_MAX: no learner has a cost */
const cr_criterion *cr_accounts_by(const cr_accounts *accounts);
cr_status cr_accounts_get(const cr_accounts *accounts, size_t index, cr_account *out);

/* --- on rows that were not learned ------------------------------------------------------------ */

/* The paired difference a - b of two figures measured on the same folds. */
typedef struct cr_paired {
    cr_spread difference;       /* with the corrected interval of cr_corrected_spread() */
    double t, p;                /* corrected t and its two-sided p; NaN without an interval */
    double worse, same, better; /* P(a is worse, as good, better) given the folds. The posterior of
                                 * the mean difference is a Student-t with the same scale; `same` is
                                 * its mass within the region of practical equivalence (G. Corani &
                                 * A. Benavoli, "A Bayesian approach for comparing cross-validated
                                 * algorithms", 2015) */
} cr_paired;

/* a and b have count figures each. test_over_train is as for the interval. rope is half the width
 * of the region that counts as equal. */
void cr_compare_paired(const double *a, const double *b, size_t count, double test_over_train,
                       double rope, cr_paired *out);

/* The same for the accuracies, or RMSEs, of two learning curves of one study at a point. */
void cr_compare_curves(const cr_learning_curve *a, const cr_learning_curve *b, size_t point,
                       double rope, cr_paired *out);

/* Count the rows of the first repeat that one of two cross-validations answered correctly and the
 * other did not, and compute the two-sided exact p of McNemar's test. For regressions, count the
 * rows on which one is nearer to the truth than the other, and use the sign test. CR_ECONFLICT:
 * they have different rows, or only one of them predicts classes. */
cr_status cr_compare_rows(const cr_cv *a, const cr_cv *b, double *only_a, double *only_b, double *p,
                          cr_error *err);

/* --- learners on the same folds --------------------------------------------------------------- */

#define CR_ROPE 0.01 /* accuracies, or shares of an RMSE, this close count as equal */

typedef struct cr_compare_options {
    size_t size;                 /* sizeof(cr_compare_options), or 0: see run.h */
    const cr_rule_options *rule; /* how to decide; NULL: the most probable class */
    const char *by;              /* key of the metric to rank by; NULL: log_loss, or cost with a
                                  * rule, or log_density for regressions */
    double rope;                 /* half the width of what counts as equal; 0: CR_ROPE */
    int skip;                    /* report a learner that cannot learn the table, with its reason,
                                  * instead of ending the comparison */
} cr_compare_options;

/* One learner, and how it did. Borrowed from the comparison. */
typedef struct cr_entrant {
    const char *name;
    cr_status status; /* CR_OK, or it cannot: then nothing below `why` is there */
    const char *why;  /* "" or the reason */
    const cr_cv *cv;
    cr_cv_facts facts;
    const cr_cv_metrics *metrics;
    double parameters, bytes; /* of the model of all rows */
    /* Comparison with the best learner. main is accuracy or RMSE, log is log loss or log density;
     * worse and better follow the direction of the metric. only and only_best count the rows that
     * only one of the two answers correctly (or is nearer to); rows_p is the p of McNemar's test,
     * or of the sign test. */
    cr_paired main, log;
    double only, only_best, rows_p;
} cr_entrant;

typedef struct cr_comparison_facts {
    size_t count, best; /* best: SIZE_MAX where there is none */
    int numbers;        /* numbers are predicted, not classes */
    const cr_metric *by, *main, *log;
    size_t rows, folds, repeats;
    uint64_t unlabelled;
    double rope;
} cr_comparison_facts;

typedef struct cr_comparison cr_comparison;

/* Cross-validate all learners on the same folds of a study. CR_EARG: there is no such learner, knob
 * or metric. Otherwise the first error of a learner is returned, unless `skip` is set and some
 * learner can learn the table. */
cr_status cr_compare_learners(cr_comparison **out, cr_study *study, const cr_spec *specs,
                              size_t count, const cr_compare_options *options, cr_error *err);
void cr_comparison_free(cr_comparison *comparison); /* NULL is allowed */
void cr_comparison_get_facts(const cr_comparison *comparison, cr_comparison_facts *out);
cr_status cr_comparison_get(const cr_comparison *comparison, size_t index, cr_entrant *out);

/* Several learners on several data sets: score[set * learners + learner], more is better. */
typedef struct cr_ranking {
    double chi_square, p; /* Friedman's test of the hypothesis that all are equal */
    double f, p_f;        /* Iman and Davenport's statistic, which is less conservative */
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

/* The size of the model's file in bytes. */
double cr_model_size(const cr_model *model);

#ifdef __cplusplus
}
#endif
#endif
