/* base/buffer.h - bytes that grow.
 *
 * {0} is an empty buffer. The first allocation that fails sets `failed`, which stays set: later
 * additions do nothing, so a caller adds freely and checks once at the end. No NUL is kept after
 * the bytes; add one with cr__buffer_addc where a string is wanted.
 */
#ifndef CR_BASE_BUFFER_H
#define CR_BASE_BUFFER_H

#include "base/fail.h"

#include <stddef.h>

typedef struct cr__buffer {
    char *data;      /* NULL until something is added */
    size_t size;     /* bytes in use */
    size_t capacity; /* bytes allocated */
    int failed;      /* an allocation failed: the content is incomplete */
} cr__buffer;

void cr__buffer_add(cr__buffer *buffer, const void *bytes, size_t n);
void cr__buffer_addc(cr__buffer *buffer, char c);
void cr__buffer_adds(cr__buffer *buffer, const char *string);

/* As printf. The decimal point of %g and %f follows the process's locale, so numbers that a
 * program will read are formatted elsewhere. */
CR_PRINTF_LIKE(2, 3)
void cr__buffer_printf(cr__buffer *buffer, const char *fmt, ...);

/* Where the next n bytes may be written; the caller then adds to size what it wrote. NULL when
 * the buffer has failed. */
char *cr__buffer_reserve(cr__buffer *buffer, size_t n);

void cr__buffer_clear(cr__buffer *buffer); /* no bytes; memory and `failed` stay */
void cr__buffer_free(cr__buffer *buffer);  /* back to {0} */

#endif
