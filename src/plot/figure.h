/* plot/figure.h - the internals of cr_figure. */
#ifndef CR_PLOT_FIGURE_H
#define CR_PLOT_FIGURE_H

#include "base/buffer.h"
#include "credence/plot.h"
#include "plot/canvas.h"

struct cr_figure {
    double width, height; /* of the next panel */
    size_t columns;
    char *title; /* of the first panel that has one */
    cr__canvas **panel;
    size_t panels, capacity;
    cr__buffer drawn;
};

/* A panel begins with an empty canvas of a given size and ends with the status: CR_OK, or
 * CR_ENOMEM, when the panel is dropped. NULL when out of memory. */
cr__canvas *cr__panel_begin(cr_figure *figure, double width, double height, const char *title);
cr_status cr__panel_end(cr_figure *figure, cr__canvas *canvas, cr_error *err);

#endif
