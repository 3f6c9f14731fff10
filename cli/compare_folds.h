/* cli/compare_folds.h - learners compared on rows they have not seen. */
#ifndef CLI_COMPARE_FOLDS_H
#define CLI_COMPARE_FOLDS_H

#include "options.h"

int compare_folds(request *r);  /* cross-validated on the same folds */
int compare_curves(request *r); /* at growing sizes */
int compare_sets(request *r);   /* on each operand by itself, ranked */

int compare_surface(request *r); /* compare_surface.c: what they decide over two features, drawn */

#endif
