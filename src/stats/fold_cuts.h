/* stats/fold_cuts.h - cuts for the rows outside each fold of a table.
 *
 * The numbers of a column are counted once, fold by fold; those of the rows outside a fold are the
 * sum without it. The cuts are the ones that reading just these rows would give, to the bit.
 */
#ifndef CR_STATS_FOLD_CUTS_H
#define CR_STATS_FOLD_CUTS_H

#include "credence/run.h"
#include "data/discretise.h"
#include "data/table.h"

/* Rows of a table, assigned to folds. */
typedef struct cr__dealt {
    const cr__table *table; /* its target has classes */
    const uint32_t *row;    /* [rows] of the table, all with a class */
    const uint32_t *fold;   /* [rows] */
    size_t rows, folds;
} cr__dealt;

/* Whether the classes have the same order in any part of the rows: their names are all numbers, or
 * none is. Sums over classes are rounded in their order. */
int cr__fold_cuts_apply(const cr__table *table);

/* out[f] gets the cuts of all real features for the rows outside fold f, out[folds] those for all
 * rows. They must be empty before, and must be freed even after a failure. */
cr_status cr__fold_cuts(cr__bins *out, const cr__dealt *dealt, cr__cut_rule rule, const cr_run *run,
                        cr_error *err);

#endif
