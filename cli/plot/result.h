/* cli/plot/result.h - --plot FILE: pictures of a verb's results.
 *
 * Functions that return int give EXIT_DONE, or an exit status after having told the user.
 */
#ifndef CLI_PLOT_RESULT_H
#define CLI_PLOT_RESULT_H

#include "evaluate/curve.h"
#include "evaluate/metrics.h"
#include "options/options.h"
#include "plot/plot.h"

extern const option_group picture_options; /* --plot */

/* Check in advance whether --plot can be drawn; DATA are the operands from first on. */
int check_plot(const request *r, size_t first);

/* These do nothing without --plot. Learning curves: accuracy and log loss, or RMSE and log density
 * for numbers, with their intervals. */
int plot_learning(const request *r, const curves *c);

/* Reliability, with the ROC curve for two classes or the confusion matrix for more. what is the
 * model or the learner; DATA as above. */
int plot_verdict(const request *r, const verdict *x, const char *what, size_t first);

/* Predicted against true numbers, and the residuals. */
int plot_numbers(const request *r, const cr_scored *a, const char *what, size_t first);

#endif
