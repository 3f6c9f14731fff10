/* data/cut_finder.h - the intervals of many numbers, found quickly.
 *
 * The range of the cuts is divided into equal buckets. A number's bucket gives the number of cuts
 * in earlier buckets, which are below it because bucketing preserves order; only the cuts of its
 * own bucket, rarely more than one, are compared with it. So the result equals that of a search,
 * whatever the rounding.
 */
#ifndef CR_DATA_CUT_FINDER_H
#define CR_DATA_CUT_FINDER_H

#include "data/bins.h"

enum { CR__CUT_BUCKETS = 512 };

typedef struct cr__cut_finder {
    const cr__cuts *cuts;            /* borrowed */
    double *cut;                     /* the cuts, then infinity; NULL: the cuts are searched */
    size_t most;                     /* cuts in one bucket */
    double low, scale;               /* the bucket of x: (x - low) * scale */
    uint16_t first[CR__CUT_BUCKETS]; /* cuts in the buckets before */
} cr__cut_finder;                    /* {0} is empty */

/* CR_ENOMEM. The cuts must outlive the finder; free it with cr__free(finder->cut). */
cr_status cr__cut_finder_make(cr__cut_finder *out, const cr__cuts *cuts);

/* The codes of numbers, as cr__cuts_code() gives them. */
void cr__cut_finder_codes(const cr__cut_finder *finder, const double *x, size_t rows,
                          uint32_t *code);

#endif
