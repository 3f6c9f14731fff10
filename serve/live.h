/* serve/live.h - a store as a served model.
 *
 * The snapshot of a slot is all that its store has learned, in memory. Lessons are transactions of
 * the store; when another process teaches it, the next refresh takes a new snapshot.
 */
#ifndef SERVE_LIVE_H
#define SERVE_LIVE_H

#include "catalog.h"

typedef struct live {
    pthread_mutex_t lock; /* protects everything below */
    cr_store *store;
    uint64_t lessons; /* in the snapshot */
} live;

/* Open the store at the slot's path and take a snapshot. */
cr_status live_open(slot *s, cr_error *err);
void live_close(slot *s); /* the slot may have none */
void live_lost(slot *s);  /* its folder is gone; a new one may appear */

/* Take a new snapshot if the store has changed: "loaded", "gone", "cannot be read" or NULL. */
const char *live_refresh(slot *s);

/* Learn rows (sign 1) or take them back (-1). The caller holds the lock. */
cr_status live_teach(live *l, cr_source *source, int sign, const cr_run *run, uint64_t *rows,
                     cr_error *err);

/* Count this many more lessons in the snapshot. The caller holds the lock, and has published it. */
void live_caught_up(live *l, uint64_t lessons);

/* Read the figures of the slot's store; false on failure. */
bool live_facts(slot *s, cr_store_facts *out);

#endif
