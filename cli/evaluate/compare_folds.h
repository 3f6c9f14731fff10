/* cli/evaluate/compare_folds.h - learners compared on unseen rows. */
#ifndef CLI_EVALUATE_COMPARE_FOLDS_H
#define CLI_EVALUATE_COMPARE_FOLDS_H

#include "evaluate/study.h"
#include "options/options.h"

/* A line about a learner that cannot handle the table. */
void tell_unable(const char *name, const char *why);

int compare_folds(request *r);  /* cross-validated on the same folds */
int compare_curves(request *r); /* at growing sizes */
int compare_sets(request *r);   /* on each operand separately, ranked */

int compare_surface(request *r); /* compare_surface.c: their decisions over two features, drawn */

#endif
