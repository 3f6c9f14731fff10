/* stats/cross_sections.h - cross products in the model file. */
#ifndef CR_STATS_CROSS_SECTIONS_H
#define CR_STATS_CROSS_SECTIONS_H

#include "data/container.h"
#include "stats/stats.h"

void cr__cross_save(const cr__cross *cross, cr__draft *draft);

/* The products of the statistics, when the file has any. */
cr_status cr__cross_load(cr__stats *stats, const cr__container *container, cr_error *err);

#endif
