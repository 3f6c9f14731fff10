/* serve/spool.h - bytes that are too many for memory, in an unnamed file in TMPDIR. */
#ifndef SERVE_SPOOL_H
#define SERVE_SPOOL_H

#include <stdbool.h>
#include <stddef.h>

typedef struct spool {
    int fd; /* -1: nothing has been added */
    size_t size;
    void *map;
} spool;

enum { SPOOL_FROM = 1 << 20 }; /* what is not larger stays in memory */

void spool_init(spool *s);
void spool_close(spool *s); /* it can be used again */

/* Add bytes at the end. false: there is no room for them, and errno tells why. */
bool spool_add(spool *s, const void *bytes, size_t size);

/* All bytes, which must not be added to any more; NULL: they cannot be mapped. */
const char *spool_map(spool *s);

/* Release the memory of bytes that were read through the map; they may be read again. */
void spool_rest(const spool *s);

#endif
