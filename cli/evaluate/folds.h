/* cli/evaluate/folds.h - the folds of a cross-validation, for people. */
#ifndef CLI_EVALUATE_FOLDS_H
#define CLI_EVALUATE_FOLDS_H

#include <stdio.h>

#include "credence/credence.h"

/* One row for each fold, then the means; the folds are left out if there are many. */
void folds_print(const cr_cv *cv, const cr_cv_metrics *m);

/* Write everything as JSON, or the folds as CSV, to standard output. */
void folds_json(const cr_cv *cv, const cr_cv_metrics *m, const char *name, const cr_rule *rule,
                double level, double seconds);
void folds_csv(const cr_cv *cv, const cr_cv_metrics *m);

/* Write the answers of all rows to a file, or to standard output ("-"). EXIT_DONE, or an exit
 * status after a message. */
int write_answers(const char *path, void (*write)(FILE *file, const void *context),
                  const void *context);

#endif
