/* serve/metrics.h - figures of the service, in the text format of Prometheus.
 *
 * Every worker counts for itself, without a lock; whoever asks adds them up. What a worker has
 * counted remains when it ends.
 */
#ifndef SERVE_METRICS_H
#define SERVE_METRICS_H

#include "service.h"

cr_status metrics_open(service *s, cr_error *err);
void metrics_close(service *s);

/* A worker's own figures, which remain when it ends; NULL: out of memory, not counted. */
struct figures *figures_new(service *s);

/* Count an answered request, and answered rows of a model. */
void metrics_request(worker *w, const route *r, unsigned status, double seconds);
void metrics_rows(worker *w, const slot *s);

/* Count connections that come (1) and go (-1), and those that were too slow. */
void metrics_connection(service *s, int change);
void metrics_slow(service *s);

/* GET /metrics. */
endpoint show_metrics;

#endif
