/* stats/cells_sections.h - the cells of a joint table in the model file. */
#ifndef CR_STATS_CELLS_SECTIONS_H
#define CR_STATS_CELLS_SECTIONS_H

#include "data/container.h"
#include "stats/cells.h"

#define CR__TAG_CELLS CR__TAG('C', 'E', 'L', 'L')

void cr__cells_save(const cr__cells *cells, cr__draft *draft);

/* The cells of a container, checked: keys ascending, every code a value, no count negative or zero.
 * Keys and counts are borrowed from the container; release them with cr__cells_close(). */
cr_status cr__cells_open(cr__cells *view, const cr__container *container, const cr_schema *schema,
                         const size_t *values, cr_error *err);
void cr__cells_close(cr__cells *view);

/* A copy with memory of its own. */
cr_status cr__cells_copy(cr__cells *out, const cr__cells *from, cr_error *err);

#endif
