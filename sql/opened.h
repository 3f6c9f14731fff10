/* sql/opened.h - models that stay open, so that a query over a million rows opens its model once.
 */
#ifndef CREDENCE_SQL_OPENED_H
#define CREDENCE_SQL_OPENED_H

#include "credence/credence.h"

/* A model with a row to fill; {0} is closed. */
typedef struct opened {
    cr_model *model;
    cr_row *row;
    double *posterior; /* [classes] */
    void *bytes;       /* of the model, to compare with */
    size_t size;
    uint64_t used;    /* time of last use, to evict the least recently used */
    uint64_t opening; /* number of this opening; 0: closed */
} opened;

/* Open the model of these bytes, which are copied. o must be closed. */
cr_status opened_open(opened *o, const void *bytes, size_t size, cr_error *err);
void opened_close(opened *o);

enum { OPENED_MODELS = 8 };

/* The models used last. {0} is an empty cache. It belongs to one thread. */
typedef struct opened_cache {
    opened model[OPENED_MODELS];
    uint64_t clock;
} opened_cache;

/* The model of these bytes, opened once for equal bytes; valid until the next call. */
cr_status opened_get(opened_cache *cache, const void *bytes, size_t size, opened **out,
                     cr_error *err);

/* Mark a model of the cache as used. */
void opened_touch(opened_cache *cache, opened *o);

void opened_cache_close(opened_cache *cache);

#endif
