/* serve/metrics.h - figures of the service, for Prometheus. */
#ifndef SERVE_METRICS_H
#define SERVE_METRICS_H

#include "service.h"

void metrics_request(service *s, worker *w, const route *r, unsigned status, double seconds);
void metrics_connection(service *s, int change);
void metrics_slow(service *s);

#endif
