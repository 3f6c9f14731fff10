/* stats/tuples_sections.h - counts of tuples in the model file. */
#ifndef CR_STATS_TUPLES_SECTIONS_H
#define CR_STATS_TUPLES_SECTIONS_H

#include "data/container.h"
#include "stats/stats.h"

#define CR__TAG_TUPLES CR__TAG('T', 'U', 'P', 'L')

void cr__tuples_save(const cr__tuples *tuples, cr__draft *draft);

/* Fill stats->tuples, once the columns are there. */
cr_status cr__tuples_load(cr__stats *stats, const cr__container *container, cr_error *err);

#endif
