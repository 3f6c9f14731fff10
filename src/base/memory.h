/* base/memory.h - allocation with the size arithmetic checked once, here.
 *
 * All memory of the library comes from these functions. NULL means out of memory or an overflow
 * of count * size; nothing aborts. Tests set cr__memory_fail_after to make the n-th allocation
 * fail (a negative number, the default, never fails).
 */
#ifndef CR_BASE_MEMORY_H
#define CR_BASE_MEMORY_H

#include <stddef.h>

extern long cr__memory_fail_after;

void *cr__alloc(size_t count, size_t size);      /* not zeroed; 0 bytes give a valid block */
void *cr__alloc_zero(size_t count, size_t size); /* zeroed */
void *cr__realloc(void *block, size_t count, size_t size); /* the old block is kept when NULL */
void cr__free(void *block);                                /* NULL is allowed */
int cr__memory_must_fail(void);                            /* whether a test makes this one fail */
char *cr__strndup(const char *bytes, size_t length);       /* NUL-terminated copy */

/* Grow an array of `size`-byte items so that it holds at least `need`: doubles *capacity. 1 on
 * success; 0 on failure, with *array and *capacity unchanged. */
int cr__grow(void *array_of_pointer, size_t *capacity, size_t need, size_t size);

#endif
