/* cli/evaluate/numbers.h - the quality of numeric answers. */
#ifndef CLI_EVALUATE_NUMBERS_H
#define CLI_EVALUATE_NUMBERS_H

#include "credence/credence.h"
#include "options/options.h"

/* All metrics with their meaning, for people or as CSV. */
void numbers_print(const cr_regression_metrics *m, bool csv);

/* credence cv for a learner of numbers: everything after the folds. */
int cv_numbers(request *r, const cr_cv *cv, double seconds, const char *learner);

/* Refuse options about decisions: EXIT_DONE if there are none. */
int check_no_rule(const request *r, const char *learner);

#endif
