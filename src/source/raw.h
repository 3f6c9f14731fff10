/* source/raw.h - bytes as they are stored: a file descriptor or memory, that can be rewound. */
#ifndef CR_SOURCE_RAW_H
#define CR_SOURCE_RAW_H

#include <stdint.h>

#include "credence/status.h"

typedef struct cr__raw {
    int fd;               /* -1: memory */
    int regular;          /* a regular file: it can seek */
    uint64_t start, size; /* of a regular file or memory; size is where it ends */
    uint64_t position;    /* of the next byte */
    const char *memory;
    int spool;        /* temporary file with all bytes so far, -1: none */
    uint64_t spooled; /* bytes in it */
    int lost;         /* errno when bytes could not be kept; -1 when they were dropped */
} cr__raw;

/* "-" is standard input; messages use that name. */
const char *cr__path_shown(const char *path);

cr_status cr__raw_open(cr__raw *raw, const char *path, cr_error *err);
void cr__raw_open_memory(cr__raw *raw, const char *bytes, size_t size);
void cr__raw_close(cr__raw *raw);

/* Up to size bytes; *got is 0 at the end only. */
cr_status cr__raw_read(cr__raw *raw, void *buffer, size_t size, size_t *got, cr_error *err);

/* Go to a place that was passed already (any place in a regular file). */
cr_status cr__raw_seek(cr__raw *raw, uint64_t position, cr_error *err);

void cr__raw_forget(cr__raw *raw);

#endif
