/* cli/show/linear.h - show and test linear regressions, with intervals. */
#ifndef CLI_SHOW_LINEAR_H
#define CLI_SHOW_LINEAR_H

#include "credence/credence.h"
#include "options/options.h"
#include "out/json.h"

bool is_linear(const cr_model *model);

#define USUAL_LEVEL 0.95 /* default level of intervals */

/* --interval 95 (percent) as 0.95; 0 if it is absent. */
int read_interval(const request *r, double *level);

/* "noise 54.15, R² 0.5177, 442 rows"; and notes on left-out or collinear columns. */
void linear_report(const cr_model *model);
void linear_notes(const cr_model *model);

int linear_show(const request *r, const cr_model *model);
int linear_test(request *r, const cr_model *model);

#endif
