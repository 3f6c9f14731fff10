/* stats/collect.h - the statistics of a source. */
#ifndef CR_STATS_COLLECT_H
#define CR_STATS_COLLECT_H

#include "data/bins.h"
#include "source/source.h"
#include "stats/gather.h"

/* What to collect. */
typedef struct cr__collect {
    const cr_schema *schema; /* the source's */
    const cr__recipe *recipe;
    const cr__bins *bins; /* cuts of real columns, where cells or tuples are counted; else NULL */
    int tuples;           /* pairs are counted, not cells; 3: and triples, */
    int limited;          /* as long as these have no more than CR__TRIPLES_CELLS; else CR_ELIMIT */
    int values;           /* the numbers of real columns are kept, */
    uint64_t values_most; /* as long as there are no more rows with a class than these; 0: always */
    cr__cross_use cross;  /* products of pairs */
    int first_only;       /* in a team, only the first member gets the sum */
} cr__collect;

/* All rows of a source, which may be read twice when a column turns out to be of a wider kind. */
cr_status cr__stats_collect(cr__stats **out, cr_source *source, const cr__collect *what,
                            const cr_run *run, cr_tally *tally, cr_error *err);

/* Let a gather count cells, or tuples, of cut columns. */
cr_status cr__gather_count_bins(cr__gather *gather, int tuples, const cr__bins *bins,
                                cr_error *err);

#endif
