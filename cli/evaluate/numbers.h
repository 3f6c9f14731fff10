/* cli/evaluate/numbers.h - what answers that are numbers are worth: of one test, over folds, by
 * pairs. */
#ifndef CLI_EVALUATE_NUMBERS_H
#define CLI_EVALUATE_NUMBERS_H

#include "credence/credence.h"
#include "evaluate/folds.h"
#include "options/options.h"
#include "out/json.h"
#include "out/table.h"

enum { NUMBER_FIGURES = 7 };
extern const figure number_figures[NUMBER_FIGURES]; /* of cr_regression_metrics, rmse first; the
                                                     * meaning of one depends on the level */

/* A figure as people should see it. */
double shown_figure(const cr_regression_metrics *m, const figure *f);

/* Members of an object: rows, the figures and level; and a table with what each means. */
void numbers_json(json *j, const cr_regression_metrics *m);
table *numbers_table(const cr_regression_metrics *m);

/* Means of figures over folds. An interval is cut to where figures can be; one figure alone has
 * none, and it stays so. */
void spread_within(cr_spread *s, double least, double most);
void table_spread(table *t, char *(*picture)(char *buffer, double x), const cr_spread *s,
                  double least, double most);
void spread_json(json *j, const char *key, const cr_spread *s);

/* credence cv of a learner of numbers: everything after the folds are done. */
int cv_numbers(request *r, const cr_cv *cv, double seconds, const char *learner);

/* Options about decisions make no sense: EXIT_DONE when there are none. */
int check_no_rule(const request *r, const char *learner);

#endif
