/* stats/one_row.h - add or remove one row in place, at a cost proportional to its values. */
#ifndef CR_STATS_ONE_ROW_H
#define CR_STATS_ONE_ROW_H

#include "stats/stats.h"

/* A row by the dictionaries of the statistics; the target's code is among them. */
typedef struct cr__one_row {
    const double *real;   /* [columns] NaN: missing */
    const uint32_t *code; /* [columns] CR__MISSING: missing */
    int texts_apart;      /* the caller takes care of texts */
} cr__one_row;

/* Learn a row (sign 1) or unlearn it (-1). The statistics become what cr__stats_combine() would
 * have made of them, and must belong to the caller alone. CR_END, and nothing has changed: they
 * must be combined, because words appear or disappear, rows have weights, more is counted than
 * classes, values and moments, the row cannot have been learned, or memory is short. */
cr_status cr__stats_take_row(cr__stats *stats, const cr__one_row *row, int sign);

#endif
