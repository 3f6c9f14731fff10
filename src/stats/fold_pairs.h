/* stats/fold_pairs.h - pairs of features counted without each fold, each fold with its own cuts.
 *
 * Every pair of every row is counted once, by the cuts of all folds together; an interval of one
 * fold's cuts is some neighbouring ones of these. The counts without a fold are those of all rows
 * minus its own, added up to its intervals.
 */
#ifndef CR_STATS_FOLD_PAIRS_H
#define CR_STATS_FOLD_PAIRS_H

#include "stats/fold_cuts.h"
#include "stats/stats.h"

/* out[f] gets the statistics of the rows outside fold f by the cuts bins[f], out[folds] those of
 * all rows by bins[folds]: what reading just these rows into a gather of pairs gives. The schema is
 * that of the rows, without weights. CR_END: the cuts are too many for this to pay, or for
 * the memory of the run beside the bytes that are held, or there is a text, and out is unchanged.
 * After any failure out has to be freed. */
cr_status cr__fold_pairs(cr__stats **out, const cr__dealt *dealt, const cr_schema *schema,
                         const cr__bins *bins, double held, const cr_run *run, cr_error *err);

#endif
