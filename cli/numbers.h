/* cli/numbers.h - what answers that are numbers are worth: of one test, over folds, by pairs. */
#ifndef CLI_NUMBERS_H
#define CLI_NUMBERS_H

#include "credence/credence.h"
#include "options.h"
#include "out_json.h"
#include "out_table.h"

/* A figure of cr_regression_metrics. */
typedef struct number_figure {
    const char *key, *title;
    const char *meaning; /* NULL: depends on the level of intervals */
    size_t at;
    char *(*picture)(char *buffer, double x);
    double least, most; /* an interval goes no farther */
} number_figure;

enum { NUMBER_FIGURES = 7 };
extern const number_figure number_figures[NUMBER_FIGURES]; /* rmse first */

double number_figure_of(const cr_regression_metrics *m, const number_figure *f);

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
