/* serve/spool.h - bytes that do not fit in memory, in an unnamed file in TMPDIR. */
#ifndef SERVE_SPOOL_H
#define SERVE_SPOOL_H

#include <stdbool.h>
#include <stddef.h>

typedef struct spool {
    int fd; /* -1: nothing has been added */
    size_t size;
    void *map;
} spool;

enum { SPOOL_FROM = 1 << 20 }; /* smaller bodies stay in memory */

void spool_init(spool *s);
void spool_close(spool *s); /* it can be reused */

/* Append bytes. false: there is no room, and errno tells why. */
bool spool_add(spool *s, const void *bytes, size_t size);

/* Map all bytes, after which none may be added; NULL: they cannot be mapped. */
const char *spool_map(spool *s);

/* Release the memory of mapped bytes that were read; they may be read again. */
void spool_rest(const spool *s);

#endif
