/* stats/value_grid.h - counts of coarse numbers by class, each in a place of its own.
 *
 * Once enough bits of a column's numbers are dropped, a number's leading bits are a place, and a
 * row costs one addition: no sorting and no merging. Places lie in pages, as numbers of either sign
 * leave most of the range between them empty; a list of pages covers the range that has been met.
 * Where numbers are scattered too widely for that, or classes are too many, the grid says so.
 *
 * Rows come as codes: the bits kept of the number's key, then those of its class. They are best
 * counted many at a time, as long as the places of a column stay in the cache.
 */
#ifndef CR_STATS_VALUE_GRID_H
#define CR_STATS_VALUE_GRID_H

#include "credence/status.h"

#include <stddef.h>
#include <stdint.h>

typedef struct cr__value_grid {
    unsigned class_bits; /* of a code */
    unsigned page_bits;  /* a page has 1 << page_bits places */
    uint32_t classes;    /* class codes that there is room for; 0: it has not begun */
    uint64_t low;        /* number of the first page listed */
    size_t window;       /* pages listed */
    uint32_t *page;      /* [window] the first place, or CR__NO_PAGE */
    uint32_t *count;     /* [places * classes] by place and class code */
    size_t places, capacity;
    uint64_t rows; /* counted since it began */
} cr__value_grid;  /* {0} */

#define CR__NO_PAGE UINT32_MAX

void cr__value_grid_free(cr__value_grid *grid);

/* Begin empty, for codes of so many bits, with room for class codes below `classes`. */
void cr__value_grid_begin(cr__value_grid *grid, unsigned bits, unsigned class_bits,
                          uint32_t classes);

/* Count codes as far as there is room for them; returns how many. No more than UINT32_MAX may be
 * counted since it began. */
size_t cr__value_grid_count(cr__value_grid *grid, const uint64_t *code, size_t codes);

/* Make room for a code. CR_ELIMIT: there is none within the limits. CR_ENOMEM. */
cr_status cr__value_grid_widen(cr__value_grid *grid, uint64_t code);

/* Different numbers, and numbers with a class, so far. */
size_t cr__value_grid_numbers(const cr__value_grid *grid);
size_t cr__value_grid_entries(const cr__value_grid *grid);

/* Visit the counts above 0, by number and then by class code. */
typedef void cr__value_visit(void *context, uint64_t number, uint32_t class_code, uint32_t count);
void cr__value_grid_visit(const cr__value_grid *grid, cr__value_visit *visit, void *context);

#endif
