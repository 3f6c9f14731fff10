/* credence/tune.h - search for the knobs that make a learner best on rows it has not seen.
 *
 * A space is a list of knobs with the values they may have. Settings are tried on the same folds of
 * the same rows: those that only turn knobs share the statistics of the folds, so the data are read
 * and counted once. A cr_tuning never changes once it is there: any number of threads may read it.
 */
#ifndef CREDENCE_TUNE_H
#define CREDENCE_TUNE_H

#include "credence/cv.h"

#ifdef __cplusplus
extern "C" {
#endif

typedef struct cr_tune_options {
    size_t size;    /* sizeof(cr_tune_options), or 0: see run.h */
    const char *by; /* key of the metric that a setting is judged by; NULL: log_loss, with a rule
                     * cost, of numbers log_density */
    const cr_rule_options *rule; /* how to decide; NULL: the most probable class */
    size_t budget;               /* settings to try, drawn by chance; 0: all of the grid */
    double seconds;              /* stop after this long; 0: never */
    size_t steps;                /* values of a range in the grid; 0: 5 */
    int nested;                  /* also choose anew without each fold, for an honest estimate */
    uint64_t seed;
    /* Called after each setting; non-zero stops the search with what there is. May be NULL. */
    int (*progress)(void *context, size_t done, size_t total, double best);
    void *context;
} cr_tune_options;

/* One setting and how it did. */
typedef struct cr_setting {
    const char *const *params; /* [param_count] KEY=VALUE */
    size_t param_count;
    int numbers;             /* numbers are predicted, not classes */
    const cr_spread *spread; /* [cr_metric_count(numbers)] over the folds; without a count where the
                              * metric was not measured: CR_METRIC_TUNE and `by` are */
    double score;            /* by the goal; more is better */
    int abandoned;           /* hopeless after some folds: the others were left out */
    size_t folds;            /* that were tried */
} cr_setting;

typedef struct cr_tuning cr_tuning;

/* space: "KEY=VALUE" is fixed; "KEY=A,B,C" a choice; "KEY=LOW..HIGH" a range, ":log" behind it
 * spaces it evenly in logarithms, ":N" gives it N values. CR_EARG: a value that no learner takes,
 * or a goal that is not for what it predicts. */
cr_status cr_tune(cr_tuning **out, cr_study *study, const char *learner, const char *const *space,
                  size_t space_count, const cr_tune_options *options, cr_error *err);
void cr_tuning_free(cr_tuning *tuning);

/* Settings by their score, the best first; CR_END past the last. Borrowed. */
cr_status cr_tuning_setting(const cr_tuning *tuning, size_t place, cr_setting *out);

/* With nested: the figures of the folds, each by the setting that was best on the others. Of the
 * setting only the figures are filled in. CR_EARG: it was not nested. */
cr_status cr_tuning_honest(const cr_tuning *tuning, cr_setting *out);

/* The metric that settings were judged by. */
const cr_metric *cr_tuning_by(const cr_tuning *tuning);

#ifdef __cplusplus
}
#endif
#endif
