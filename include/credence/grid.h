/* credence/grid.h - what a classifier says over two of its columns, at the points of a grid. */
#ifndef CREDENCE_GRID_H
#define CREDENCE_GRID_H

#include "credence/decision.h"

#ifdef __cplusplus
extern "C" {
#endif

/* One side of the grid: evenly spaced numbers, or texts. */
typedef struct cr_grid_axis {
    size_t column; /* of the model's schema */
    size_t points;
    double low, high;         /* the first and the last point */
    const char *const *value; /* [points] texts instead of numbers, read as by cr_row_set_text(); a
                               * value that the model does not know is never seen. NULL: numbers */
} cr_grid_axis;

/* The number at a point, low if there is only one. */
double cr_grid_at(const cr_grid_axis *axis, size_t point);

/* The posterior of each class at every point, posterior[(point of y * points of x + point of x) *
 * classes + class]; all 0 where no class is possible. The row says what the other columns are; its
 * own values of the two columns are lost. CR_EARG: there is no such column, or there are no
 * classes. */
cr_status cr_row_grid(cr_row *row, const cr_grid_axis *x, const cr_grid_axis *y, double *posterior,
                      cr_error *err);

#ifdef __cplusplus
}
#endif
#endif
