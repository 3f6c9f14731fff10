/* base/pages.c - small blocks from the heap, large ones from the system. */
#include "base/pages.h"

#include <stdint.h>
#include <string.h>
#include <sys/mman.h>

#include "base/memory.h"

#define LINE ((size_t)64)
#define LARGE ((size_t)2 << 20) /* a large page */
#define SMALL_MOST (LARGE / 4)  /* blocks up to this size come from the heap */

/* Zeros are written rather than left to the system: a page that is read before it is written faults
 * twice, and the second fault interrupts all processors. */
static int fit_small(cr__pages *pages, size_t bytes)
{
    char *block = cr__alloc(bytes + LINE, 1), *at;

    if (block == NULL)
        return 0;
    at = block + (-(uintptr_t)block & (LINE - 1));
    if (pages->bytes > 0)
        memcpy(at, pages->at, pages->bytes);
    memset(at + pages->bytes, 0, bytes - pages->bytes);
    cr__pages_free(pages);
    *pages = (cr__pages){at, block, bytes};
    return 1;
}

/* Memory that begins with a large page; bytes is a multiple of one. */
static void *map(size_t bytes)
{
    char *room = mmap(NULL, bytes + LARGE, PROT_READ | PROT_WRITE,
                      MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE, -1, 0);
    size_t before;

    if (room == MAP_FAILED)
        return NULL;
    before = -(uintptr_t)room & (LARGE - 1);
    if (before > 0)
        munmap(room, before);
    munmap(room + before + bytes, LARGE - before);
#if defined(MADV_HUGEPAGE)
    madvise(room + before, bytes, MADV_HUGEPAGE);
#endif
    return room + before;
}

/* Move a large block to another address where it can grow. */
static int move(cr__pages *pages, void *to, size_t bytes)
{
#if defined(MREMAP_FIXED)
    return mremap(pages->at, pages->bytes, bytes, MREMAP_MAYMOVE | MREMAP_FIXED, to) != MAP_FAILED;
#else
    memcpy(to, pages->at, pages->bytes);
    munmap(pages->at, pages->bytes);
    return 1;
#endif
}

static int fit_large(cr__pages *pages, size_t bytes)
{
    void *at = cr__memory_must_fail() ? NULL : map(bytes);

    if (at == NULL)
        return 0;
    if (pages->block != NULL) {
        memcpy(at, pages->at, pages->bytes);
        cr__free(pages->block);
    } else if (pages->bytes > 0 && !move(pages, at, bytes)) {
        munmap(at, bytes);
        return 0;
    }
    *pages = (cr__pages){at, NULL, bytes};
    return 1;
}

int cr__pages_fit(cr__pages *pages, size_t count, size_t size)
{
    if (size != 0 && count > ((size_t)PTRDIFF_MAX - 2 * LARGE) / size)
        return 0;
    if (count * size <= pages->bytes)
        return 1;
    return count * size <= SMALL_MOST ? fit_small(pages, count * size)
                                      : fit_large(pages, (count * size + LARGE - 1) & ~(LARGE - 1));
}

void cr__pages_free(cr__pages *pages)
{
    if (pages->block != NULL)
        cr__free(pages->block);
    else if (pages->bytes > 0)
        munmap(pages->at, pages->bytes);
    *pages = (cr__pages){0};
}
