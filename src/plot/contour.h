/* plot/contour.h - where a function on a grid has a value. */
#ifndef CR_PLOT_CONTOUR_H
#define CR_PLOT_CONTOUR_H

#include "plot/canvas.h"

/* Values at columns by rows points that reach from low to high on both axes, the lowest row first.
 * NaN is a hole. */
typedef struct cr__grid {
    const double *value;
    size_t columns, rows;
    double x_low, x_high, y_low, y_high;
} cr__grid;

typedef struct cr__contour {
    cr__point *point; /* pairs: the ends of segments */
    size_t count, capacity;
} cr__contour;

/* The contour at a level; 0 when out of memory. The caller frees it either way. */
int cr__contour_at(cr__contour *out, const cr__grid *grid, double level);
void cr__contour_free(cr__contour *contour);

#endif
