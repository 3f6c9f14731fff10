/* serve/catalog.h - the served models: found, loaded, replaced while others read them.
 *
 * A slot is a name with its current model, a snapshot. Whoever answers holds the snapshot, which
 * never changes; a newer one replaces it for later requests, and whoever releases an old one last
 * frees it. Nobody waits: a reader looks at a counter, and only when that has changed takes the
 * lock that hands out the new snapshot.
 */
#ifndef SERVE_CATALOG_H
#define SERVE_CATALOG_H

#include <pthread.h>
#include <stdatomic.h>
#include <stdbool.h>
#include <sys/stat.h>

#include "credence/credence.h"

typedef struct snapshot {
    atomic_uint holders;
    cr_model *model;
    char version[33]; /* the fingerprint of what it has learned */
    uint64_t rows;
} snapshot;

struct lessons;
struct live;
struct traffic;

typedef struct slot {
    char *name, *path; /* path NULL: in memory only */
    bool trained;      /* trained by a request */
    size_t index;      /* index in the catalog; constant */
    atomic_ulong turn; /* incremented whenever the snapshot is replaced */
    pthread_mutex_t lock;
    snapshot *now;                   /* NULL: it does not exist or cannot be read */
    struct stat seen;                /* the state of the file when it was loaded */
    cr_error error;                  /* why it cannot be read: see slot_error() */
    struct live *_Atomic live;       /* its store; NULL: it is a file, or in memory only */
    struct lessons *_Atomic lessons; /* if it may learn; NULL otherwise */
    struct traffic *_Atomic traffic; /* recent rows, to detect drift; NULL: not watched */
} slot;

typedef struct catalog {
    pthread_mutex_t lock;
    _Atomic(size_t) count;
    slot *_Atomic *slots; /* [limit]; those below count stay */
    size_t limit;
    char *folder; /* searched for new files; NULL: none */
} catalog;

enum { CATALOG_LIMIT = 4096 };

cr_status catalog_open(catalog *c, char *const *paths, size_t count, cr_error *err);
void catalog_close(catalog *c);

/* Look for changed, new and removed files; note is called for each. */
typedef void catalog_note(void *context, const slot *s, const char *what);
void catalog_refresh(catalog *c, catalog_note *note, void *context);

/* How many models were trained here and exist only in memory. */
size_t catalog_trained(const catalog *c);

/* Whether the file differs from the loaded one. */
bool slot_changed(const slot *s, const struct stat *now);

size_t catalog_count(const catalog *c);
slot *catalog_at(const catalog *c, size_t index);

/* By name; NULL: there is none, and *near (which may be NULL) is the closest name or NULL. */
slot *catalog_find(const catalog *c, const char *name, const char **near);

/* Replace the model of a slot, or add a slot for it. The catalog takes ownership of the model, even
 * on failure. */
cr_status catalog_publish(slot *s, cr_model *model, cr_error *err);
cr_status catalog_add(catalog *c, const char *name, const char *path, cr_model *model, slot **out,
                      cr_error *err);

/* Acquire the current snapshot of a slot (NULL: there is none), and release it. */
snapshot *slot_hold(slot *s);
void snapshot_release(snapshot *s); /* NULL is allowed */

/* Why a slot has no model. */
void slot_error(slot *s, cr_error *out);
void slot_set_error(slot *s, const cr_error *err);

#endif
