/* base/arena.h - memory for things that die together: a table, a model, one request.
 *
 * {0} is an empty arena. Objects are aligned for any type, are never moved and are freed all at
 * once. An arena belongs to one thread at a time. Under AddressSanitizer every object has a block
 * of its own, so that an overrun shows.
 */
#ifndef CR_BASE_ARENA_H
#define CR_BASE_ARENA_H

#include <stddef.h>

typedef struct cr__arena {
    struct cr__arena_block *head; /* the block that small objects are taken from */
} cr__arena;

/* Space for count objects of the given size, not zeroed; 0 bytes give a valid pointer. NULL when
 * out of memory or when count * size overflows. */
void *cr__arena_alloc(cr__arena *arena, size_t count, size_t size);

/* A copy of n bytes with a NUL after them, or NULL. */
char *cr__arena_copy(cr__arena *arena, const char *bytes, size_t n);

/* Free everything; the arena is empty again. */
void cr__arena_free(cr__arena *arena);

#endif
