/* stats/values_sort.h - waiting numbers in order. */
#ifndef CR_STATS_VALUES_SORT_H
#define CR_STATS_VALUES_SORT_H

#include "stats/values.h"

/* The highest bit that is set, of x > 0. */
static inline unsigned cr__values_highest_bit(uint64_t x)
{
    return 63 - (unsigned)__builtin_clzll(x);
}

/* Sort waiting numbers by number and then by class; only bits that differ need a pass, of numbers
 * those from `low` on. spare has room for as many. Returns where the result is. */
cr__value_pending *cr__values_sort_pending(cr__value_pending *list, cr__value_pending *spare,
                                           size_t n, unsigned low);

/* The same for codes, which are sorted as they are. */
uint64_t *cr__values_sort_codes(uint64_t *list, uint64_t *spare, size_t n);

#endif
