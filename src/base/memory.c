/* base/memory.c - the only calls of malloc in the library.
 *
 * With cr__memory_fail_after = n, n allocations succeed and the next one fails; then the counter is
 * negative and all succeed again. A test that sweeps n upwards is done when the counter is still
 * not negative after the call it tests.
 */
#include "base/memory.h"

#include <stdint.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>

long cr__memory_fail_after = -1;

int cr__memory_must_fail(void)
{
    long left = __atomic_load_n(&cr__memory_fail_after, __ATOMIC_RELAXED);
    while (left >= 0)
        if (__atomic_compare_exchange_n(&cr__memory_fail_after, &left, left - 1, 1,
                                        __ATOMIC_RELAXED, __ATOMIC_RELAXED))
            return left == 0;
    return 0;
}

/* count * size into *bytes, at least 1 so that malloc(0) never returns NULL. Blocks above
 * PTRDIFF_MAX are refused because pointers into them could not be subtracted. */
static int block_bytes(size_t count, size_t size, size_t *bytes)
{
    if (size != 0 && count > (size_t)PTRDIFF_MAX / size)
        return 0;
    *bytes = count * size + (count == 0 || size == 0);
    return !cr__memory_must_fail();
}

/* Large blocks are mostly tables with random access: large pages save walks of the page tables. The
 * advice begins with the block's first page, where a block of this size has a mapping of its own:
 * one that is half advised would be two, which mremap(), and so realloc(), cannot move. */
static void *in_large_pages(void *block, size_t bytes)
{
#if defined(MADV_HUGEPAGE)
    const uintptr_t large = (uintptr_t)2 << 20, page = 4096,
                    begin = (uintptr_t)block & ~(page - 1);

    if (block != NULL && bytes >= 4 * large)
        madvise((void *)begin, (uintptr_t)block + bytes - begin, MADV_HUGEPAGE);
#else
    (void)bytes;
#endif
    return block;
}

void *cr__alloc(size_t count, size_t size)
{
    size_t bytes;
    return block_bytes(count, size, &bytes) ? in_large_pages(malloc(bytes), bytes) : NULL;
}

void *cr__alloc_zero(size_t count, size_t size)
{
    size_t bytes;
    return block_bytes(count, size, &bytes) ? in_large_pages(calloc(1, bytes), bytes) : NULL;
}

void *cr__realloc(void *block, size_t count, size_t size)
{
    size_t bytes;
    return block_bytes(count, size, &bytes) ? in_large_pages(realloc(block, bytes), bytes) : NULL;
}

void cr__free(void *block)
{
    free(block);
}

char *cr__strndup(const char *bytes, size_t length)
{
    if (length == SIZE_MAX)
        return NULL;
    char *copy = cr__alloc(length + 1, 1);
    if (copy == NULL)
        return NULL;
    if (length > 0)
        memcpy(copy, bytes, length);
    copy[length] = '\0';
    return copy;
}

/* The caller's pointer is an int *, a char ** and so on, never a void *: it is read and written
 * with memcpy, since reading it through a void ** would break the aliasing rule (C17 6.5, 7). */
int cr__grow(void *array_of_pointer, size_t *capacity, size_t need, size_t size)
{
    enum { SMALLEST = 8 };
    void *block;

    if (need <= *capacity)
        return 1;
    size_t wanted = *capacity <= SIZE_MAX / 2 ? 2 * *capacity : need;
    if (wanted < SMALLEST)
        wanted = SMALLEST;
    if (wanted < need || (size != 0 && wanted > (size_t)PTRDIFF_MAX / size))
        wanted = need;
    memcpy(&block, array_of_pointer, sizeof block);
    block = cr__realloc(block, wanted, size);
    if (block == NULL)
        return 0;
    memcpy(array_of_pointer, &block, sizeof block);
    *capacity = wanted;
    return 1;
}
