/* plot/chart.h - a panel with two axes: title, legend, frame, and layers over them.
 *
 *     cr__chart_begin()  the canvas
 *     x, y               the caller sets the scales
 *     cr__chart_key()    entries of the legend
 *     cr__chart_frame()  makes room for all text and draws the frame and axes
 *     cr__chart_line() … layers, clipped to the frame
 *     cr__chart_end()
 */
#ifndef CR_PLOT_CHART_H
#define CR_PLOT_CHART_H

#include "plot/canvas.h"
#include "plot/figure.h"
#include "plot/scale.h"

#define CR__TITLE_SIZE 11.5
#define CR__LABEL_SIZE 10
#define CR__TICK_SIZE 9

enum { CR__KEYS = 24 };

/* How an entry of the legend looks. */
typedef enum cr__legend_kind {
    CR__LEGEND_LINE,
    CR__LEGEND_MARK,
    CR__LEGEND_BOTH,
    CR__LEGEND_AREA
} cr__legend_kind;

typedef struct cr__legend_entry {
    const char *name;
    cr__legend_kind kind;
    cr__pen pen;
    cr__mark mark;
} cr__legend_entry;

/* Names in place of numbers along an axis, at 0, 1, 2 ... */
typedef struct cr__names {
    const char *const *name;
    size_t count;
} cr__names;

typedef struct cr__chart {
    cr_figure *figure;
    cr__canvas *canvas;
    const char *title;
    const char *x_label, *y_label;
    cr__scale x, y;
    cr__names x_names, y_names;
    int square; /* both axes are equally long */
    int no_grid;
    double bottom_room;              /* free space below everything */
    double top_room, right_room;     /* free space between the frame and the legend or the edge */
    double left, right, top, bottom; /* the frame */
    cr__legend_entry key[CR__KEYS];
    size_t keys;
    int keys_more; /* entries for which there was no room */
} cr__chart;

/* CR_ENOMEM when there is no canvas. */
cr_status cr__chart_begin(cr__chart *chart, cr_figure *figure, const char *title, cr_error *err);
cr_status cr__chart_end(cr__chart *chart, cr_error *err);

void cr__chart_key(cr__chart *chart, const char *name, cr__legend_kind kind, cr__pen pen,
                   cr__mark mark);

/* The scale of an axis: its own limits where it has some, otherwise what was included, padded. */
void cr__chart_limits(cr__scale *scale, const cr_axis *axis, double pad);

void cr__chart_frame(cr__chart *chart);

/* Points are in the numbers of the axes. A gap is where one is not finite. */
void cr__chart_line(cr__chart *chart, cr__pen pen, const cr__point *point, size_t count);
void cr__chart_segments(cr__chart *chart, cr__pen pen, const cr__point *point, size_t count);
void cr__chart_area(cr__chart *chart, cr__pen pen, const cr__point *point, size_t count);
void cr__chart_mark(cr__chart *chart, cr__pen pen, cr__mark mark, double x, double y,
                    double radius);

/* A rectangle between two corners. */
void cr__chart_box(cr__chart *chart, cr__pen pen, double x1, double y1, double x2, double y2);

/* Draw the frame again, over the layers. */
void cr__chart_outline(cr__chart *chart);

#endif
