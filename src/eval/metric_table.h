/* eval/metric_table.h - the table of metrics and the computation of their values. */
#ifndef CR_EVAL_METRIC_TABLE_H
#define CR_EVAL_METRIC_TABLE_H

#include "credence/cv.h"

enum { CR__METRICS_MOST = 48 }; /* rows of the table at most: room for a value of each */

/* Values of all metrics of classes, or of numbers, in the order of the table; NaN where the metric
 * is not shown in any of the places `shown` and is not `also` (may be NULL). CR_ENOMEM. */
cr_status cr__metric_values(const cr_evaluation *e, unsigned shown, const cr_metric *also,
                            double value[CR__METRICS_MOST]);
void cr__metric_numbers(const cr_regression_metrics *m, double value[CR__METRICS_MOST]);

/* The index of the metric in the table of its kind. */
size_t cr__metric_place(const cr_metric *metric);

/* Clip an interval to the range of the metric. */
void cr__spread_within(cr_spread *s, const cr_metric *metric);

/* Whether one of the metrics that cr__metric_values() would give needs the order of the rows. */
int cr__metrics_ordered(unsigned shown, const cr_metric *also);

#endif
