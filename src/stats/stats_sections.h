/* stats/stats_sections.h - statistics as sections of a model file. */
#ifndef CR_STATS_STATS_SECTIONS_H
#define CR_STATS_STATS_SECTIONS_H

#include "data/container.h"
#include "stats/stats.h"

#define CR__TAG_DICT CR__TAG('D', 'I', 'C', 'T')

void cr__stats_save(const cr__stats *stats, cr__draft *draft);
cr_status cr__stats_load(cr__stats **out, const cr__container *container, const cr_schema *schema,
                         uint64_t rows, size_t classes, cr_error *err);

/* 32 hexadecimal digits, the same for equal statistics. */
cr_status cr__stats_fingerprint(const cr__stats *stats, char out[33], cr_error *err);

#endif
