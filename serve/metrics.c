/* serve/metrics.c - figures of the service. */
#include "metrics.h"

void metrics_request(service *s, worker *w, const route *r, unsigned status, double seconds)
{
    (void)s, (void)w, (void)r, (void)status, (void)seconds;
}

void metrics_connection(service *s, int change)
{
    (void)s, (void)change;
}

void metrics_slow(service *s)
{
    (void)s;
}
