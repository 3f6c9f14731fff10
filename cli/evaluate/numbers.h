/* cli/evaluate/numbers.h - what answers that are numbers are worth. */
#ifndef CLI_EVALUATE_NUMBERS_H
#define CLI_EVALUATE_NUMBERS_H

#include "credence/credence.h"
#include "options/options.h"
#include "out/table.h"

/* The value as people should see it: a bias no larger than rounding error is 0. */
double shown_number(const cr_regression_metrics *m, const cr_metric *metric);

/* What a metric means; of coverage with the level. Written to buffer, or borrowed. */
const char *number_meaning(const cr_regression_metrics *m, const cr_metric *metric, char *buffer,
                           size_t size);

/* All metrics with what each means; to be freed. */
table *numbers_table(const cr_regression_metrics *m);

/* credence cv of a learner of numbers: everything after the folds are done. */
int cv_numbers(request *r, const cr_cv *cv, double seconds, const char *learner);

/* Options about decisions make no sense: EXIT_DONE when there are none. */
int check_no_rule(const request *r, const char *learner);

#endif
