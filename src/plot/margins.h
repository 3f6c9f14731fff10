/* plot/margins.h - densities of the classes along the axes of a surface. */
#ifndef CR_PLOT_MARGINS_H
#define CR_PLOT_MARGINS_H

#include "credence/plot.h"
#include "plot/chart.h"

/* Reserve the room before the frame is made; draw the curves after it. */
void cr__margins_room(cr__chart *chart, const cr_surface *s);
void cr__margins_put(cr__chart *chart, const cr_surface *s);

#endif
