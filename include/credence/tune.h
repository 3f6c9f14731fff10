/* credence/tune.h - search for the knobs that make a learner best on rows it has not seen.
 *
 * A space is a list of knobs with the values they may have. Settings are tried on the same folds of
 * the same rows: settings that only turn knobs share the statistics of the folds, so the data are
 * read and counted once. A cr_tuning never changes once it is made, so any number of threads may
 * read it.
 */
#ifndef CREDENCE_TUNE_H
#define CREDENCE_TUNE_H

#include "credence/cv.h"

#ifdef __cplusplus
extern "C" {
#endif

typedef struct cr_tune_options {
    size_t size;    /* sizeof(cr_tune_options), or 0: see run.h */
    const char *by; /* key of the metric to judge settings by; NULL: log_loss, or cost with a rule,
                     * or log_density for regressions */
    const cr_rule_options *rule; /* how to decide; NULL: the most probable class */
    size_t budget;               /* number of settings to try, drawn at random; 0: the whole grid */
    double seconds;              /* stop after this long; 0: never */
    size_t steps;                /* values of a range in the grid; 0: 5 */
    int nested;                  /* also choose anew without each fold, for an unbiased estimate */
    uint64_t seed;
    /* Called after each setting; non-zero stops the search, which keeps what it has found. May be
     * NULL. */
    int (*progress)(void *context, size_t done, size_t total, double best);
    void *context;
} cr_tune_options;

/* One setting and how it did. */
typedef struct cr_setting {
    const char *const *params; /* [param_count] KEY=VALUE */
    size_t param_count;
    int numbers;             /* numbers are predicted, not classes */
    const cr_spread *spread; /* [cr_metric_count(numbers)] over the folds. Only CR_METRIC_TUNE and
                              * `by` are measured; the count of the others is 0 */
    double score;            /* by the goal; more is better */
    int abandoned;           /* it was hopeless after some folds, so the others were left out */
    size_t folds;            /* how many folds were tried */
} cr_setting;

typedef struct cr_tuning cr_tuning;

/* space: "KEY=VALUE" is fixed; "KEY=A,B,C" a choice; "KEY=LOW..HIGH" a range, a suffix ":log"
 * spaces it evenly in logarithms, ":N" gives it N values. CR_EARG: the learner does not take a
 * value, or the metric is not for what it predicts. */
cr_status cr_tune(cr_tuning **out, cr_study *study, const char *learner, const char *const *space,
                  size_t space_count, const cr_tune_options *options, cr_error *err);
void cr_tuning_free(cr_tuning *tuning);

/* Settings by their score, the best first; CR_END past the last. Borrowed. */
cr_status cr_tuning_setting(const cr_tuning *tuning, size_t place, cr_setting *out);

/* With `nested`, the figures of the folds, each measured with the setting that was best on the
 * other folds. Only the figures of *out are filled in. CR_EARG: the search was not nested. */
cr_status cr_tuning_honest(const cr_tuning *tuning, cr_setting *out);

/* The metric that settings were judged by. */
const cr_metric *cr_tuning_by(const cr_tuning *tuning);

#ifdef __cplusplus
}
#endif
#endif
