/* base/pages.h - zeroed memory that grows without being copied.
 *
 * For tables of which nobody knows how large they will be. A small one is copied when it grows; of
 * a large one the pages go to another address as they are, and only those that are used are ever
 * there. Large ones are in large pages, so that the processor finds its way around in them.
 */
#ifndef CR_BASE_PAGES_H
#define CR_BASE_PAGES_H

#include <stddef.h>

typedef struct cr__pages {
    void *at;    /* at the beginning of a cache line */
    void *block; /* of a small one, which this is in */
    size_t bytes;
} cr__pages; /* {0} is empty */

/* Room for at least count * size bytes: what is there stays, what is added is zero. Returns 0, with
 * nothing changed, when out of memory. */
int cr__pages_fit(cr__pages *pages, size_t count, size_t size);
void cr__pages_free(cr__pages *pages);

#endif
