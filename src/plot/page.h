/* plot/page.h - panels side by side on one page, and the backends that draw it.
 *
 * A backend appends a whole file to a buffer. It has failed when the buffer has, or when it says
 * so.
 */
#ifndef CR_PLOT_PAGE_H
#define CR_PLOT_PAGE_H

#include "base/buffer.h"
#include "credence/plot.h"
#include "plot/canvas.h"

typedef struct cr__placed {
    const cr__canvas *canvas;
    double x, y; /* of its upper left corner */
} cr__placed;

typedef struct cr__page {
    const char *title; /* alternative text; may be NULL */
    double width, height;
    const cr__placed *panel;
    size_t panels;
} cr__page;

void cr__page_svg(const cr__page *page, cr__buffer *out);
cr_status cr__page_png(const cr__page *page, double scale, cr__buffer *out, cr_error *err);
cr_status cr__page_pdf(const cr__page *page, cr__buffer *out, cr_error *err);

/* One panel below another, in this many columns of a terminal. */
cr_status cr__page_terminal(const cr__page *page, const cr_picture *how, cr__buffer *out,
                            cr_error *err);

#endif
