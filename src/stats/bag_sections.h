/* stats/bag_sections.h - the statistics of a text column in the model file. */
#ifndef CR_STATS_BAG_SECTIONS_H
#define CR_STATS_BAG_SECTIONS_H

#include "data/container.h"
#include "stats/bag.h"

void cr__bag_save(const cr__bag *bag, cr__draft *draft, uint32_t column);

/* The bag as it is in the file: its arrays belong to the container and must not be freed. Offsets
 * inside (end, row, classes of cells) are not checked: that is O(words). */
cr_status cr__bag_view(cr__bag *out, const cr__container *container, uint32_t column,
                       size_t classes, cr_error *err);

/* A copy of the bag, with everything checked. */
cr_status cr__bag_load(cr__bag *out, const cr__container *container, uint32_t column,
                       size_t classes, cr_error *err);

#endif
