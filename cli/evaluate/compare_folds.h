/* cli/evaluate/compare_folds.h - learners compared on rows they have not seen. */
#ifndef CLI_EVALUATE_COMPARE_FOLDS_H
#define CLI_EVALUATE_COMPARE_FOLDS_H

#include "options/options.h"
#include "out/table.h"
#include "evaluate/study.h"

#define ROPE 0.01 /* accuracies, or shares of an RMSE, as close as this are as good as equal */

/* One candidate's figures. */
typedef struct contestant {
    cr_cv *cv;
    cr_cv_facts facts;
    cr_metrics all;
    cr_area area;
    cr_regression_metrics numbers; /* instead, where numbers are predicted */
    double *main, *log; /* [folds] accuracy and log-loss; of numbers RMSE and log density */
    cr_spread main_spread, log_spread;
    double parameters, size, seconds;
} contestant;

typedef struct match {
    cr_spec *specs;
    contestant *all;
    size_t count, folds;
    size_t best; /* of least log-loss, or largest log density */
    double ratio;
} match;

/* Candidate i against the best. */
typedef struct verdict_pair {
    cr_paired main, log;
    double only, only_best, p; /* McNemar; of numbers the sign test of which is nearer */
} verdict_pair;
verdict_pair pair_up(const match *m, size_t i);

char *number_p(char *buffer, double p);

/* What people see: two tables under names that are parted by |. The first has all candidates behind
 * a star for the best and their names, the second what they are next to the best. */
typedef struct match_view {
    const char *each, *pair;
    void (*add_each)(table *t, const match *m, size_t i);
    void (*add_pair)(table *t, const match *m, size_t i);
} match_view;
void match_print(const request *r, const match *m, const match_view *view);

/* The whole report: rows, best, folds …, and each candidate as `one` tells it. */
void match_json(const match *m, void (*one)(json *j, const match *m, size_t i));
cr_paired pair_of_errors(const cr_paired *p);
void paired_json(json *j, const char *key, const cr_paired *p);

/* compare_numbers.c: reports of learners of numbers. */
void compare_numbers(const request *r, const match *m);

int compare_folds(request *r);  /* cross-validated on the same folds */
int compare_curves(request *r); /* at growing sizes */
int compare_sets(request *r);   /* on each operand by itself, ranked */

int compare_surface(request *r); /* compare_surface.c: what they decide over two features, drawn */

#endif
