/* serve/traffic.h - recent rows that a model was asked about, to be compared with its training
 * data. */
#ifndef SERVE_TRAFFIC_H
#define SERVE_TRAFFIC_H

#include "service.h"

typedef struct traffic traffic;

enum { NOTED_ROWS = 256 }; /* at most, of one request */

/* The result of the last comparison. */
typedef struct traffic_figures {
    double rows;        /* compared; 0: too few so far */
    double index;       /* stability index of the feature that changed most */
    double drifted;     /* features that changed moderately or strongly */
    double prior_index; /* of the classes' shares */
} traffic_figures;

traffic *traffic_new(void);
void traffic_free(traffic *t); /* NULL is allowed */

/* Note rows: lines of JSON. If another thread is noting rows, they are skipped: no request waits
 * for this. t may be NULL. */
void traffic_note(traffic *t, const char *lines, size_t size, size_t rows);

/* Compare, if there are enough new rows since the last time. */
void traffic_compare(slot *of);
void traffic_get(traffic *t, traffic_figures *out);

/* Compare now, as JSON. CR_ECONFLICT: there are no rows. */
cr_status traffic_json(call *k);

#endif
