/* base/pages.h - zeroed memory that grows without being copied.
 *
 * For tables whose final size is not known. A small one is copied when it grows; the pages of a
 * large one are remapped to another address, and only pages in use are ever allocated. Large tables
 * use large pages, which makes random access cheaper.
 */
#ifndef CR_BASE_PAGES_H
#define CR_BASE_PAGES_H

#include <stddef.h>

typedef struct cr__pages {
    void *at;    /* at the beginning of a cache line */
    void *block; /* of a small one: the heap block that holds it */
    size_t bytes;
} cr__pages; /* {0} is empty */

/* Room for at least count * size bytes: the old content is kept, the new bytes are zero. Returns 0,
 * with nothing changed, when out of memory. */
int cr__pages_fit(cr__pages *pages, size_t count, size_t size);
void cr__pages_free(cr__pages *pages);

#endif
