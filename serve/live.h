/* serve/live.h - a store as a model that is served.
 *
 * The snapshot of a slot is all that its store has learned, in memory. Lessons are transactions of
 * the store; when another process teaches it, the next refresh takes a new snapshot.
 */
#ifndef SERVE_LIVE_H
#define SERVE_LIVE_H

#include "catalog.h"

typedef struct live {
    pthread_mutex_t lock; /* of all below */
    cr_store *store;
    uint64_t lessons; /* that the snapshot has */
} live;

/* Open the store at the slot's path and take a snapshot. */
cr_status live_open(slot *s, cr_error *err);
void live_close(slot *s); /* also of a slot that has none */
void live_lost(slot *s);  /* its folder is gone; another may come in its place */

/* Take a new snapshot where the store has changed: "loaded", "gone", "cannot be read" or NULL. */
const char *live_refresh(slot *s);

/* Learn rows (sign 1) or take them back (-1). The caller holds the lock. */
cr_status live_teach(live *l, cr_source *source, int sign, const cr_run *run, uint64_t *rows,
                     cr_error *err);

/* The snapshot has so many lessons more. The caller holds the lock, and has published it. */
void live_caught_up(live *l, uint64_t lessons);

/* Whether the figures of the slot's store could be read. */
bool live_facts(slot *s, cr_store_facts *out);

#endif
