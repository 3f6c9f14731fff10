/* cli/evaluate/compare_folds.h - learners compared on rows they have not seen. */
#ifndef CLI_EVALUATE_COMPARE_FOLDS_H
#define CLI_EVALUATE_COMPARE_FOLDS_H

#include "evaluate/study.h"
#include "options/options.h"


/* A line about a learner that cannot do the table. */
void tell_unable(const char *name, const char *why);

int compare_folds(request *r);  /* cross-validated on the same folds */
int compare_curves(request *r); /* at growing sizes */
int compare_sets(request *r);   /* on each operand by itself, ranked */

int compare_surface(request *r); /* compare_surface.c: what they decide over two features, drawn */

#endif
