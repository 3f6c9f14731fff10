/* cli/evaluate/numbers.h - what answers that are numbers are worth. */
#ifndef CLI_EVALUATE_NUMBERS_H
#define CLI_EVALUATE_NUMBERS_H

#include "credence/credence.h"
#include "options/options.h"

/* All metrics with what each means, for people or as CSV. */
void numbers_print(const cr_regression_metrics *m, bool csv);

/* credence cv of a learner of numbers: everything after the folds are done. */
int cv_numbers(request *r, const cr_cv *cv, double seconds, const char *learner);

/* Options about decisions make no sense: EXIT_DONE when there are none. */
int check_no_rule(const request *r, const char *learner);

#endif
