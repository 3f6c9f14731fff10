/* cli/show/linear.h - linear regressions: shown, tested, and their intervals. */
#ifndef CLI_SHOW_LINEAR_H
#define CLI_SHOW_LINEAR_H

#include "credence/credence.h"
#include "options/options.h"
#include "out/json.h"

bool is_linear(const cr_model *model);

#define USUAL_LEVEL 0.95 /* of intervals, where nobody says */

/* --interval 95 (percent) as 0.95; 0 when it is not given. */
int read_interval(const request *r, double *level);

/* "noise 54.15, R² 0.5177, 442 rows"; and notes on what was left out or is collinear. */
void linear_report(const cr_model *model);
void linear_notes(const cr_model *model);

int linear_show(const request *r, const cr_model *model);
int linear_test(request *r, const cr_model *model);

#endif
