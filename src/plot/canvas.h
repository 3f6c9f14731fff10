/* plot/canvas.h - a display list: what is to be drawn, in order, independent of the backend.
 *
 * Lengths are points (1/72 inch), x to the right and y downwards from the upper left corner. Shapes
 * only accumulate; a backend (svg.c, cairo.c, terminal.c) walks through them. The first allocation
 * that fails sets `failed`, which stays set, so a caller draws freely and checks once at the end.
 */
#ifndef CR_PLOT_CANVAS_H
#define CR_PLOT_CANVAS_H

#include <stddef.h>
#include <stdint.h>

#include "base/arena.h"

typedef uint32_t cr__colour; /* 0xRRGGBBAA; an alpha of 0 draws nothing */

#define CR__NO_COLOUR 0x00000000u
#define CR__BLACK 0x000000ffu
#define CR__WHITE 0xffffffffu

typedef enum cr__dash { CR__SOLID, CR__DASHED, CR__DOTTED, CR__DASH_DOT, CR__LONG_DASH } cr__dash;

typedef struct cr__pen {
    cr__colour stroke, fill;
    double width;
    cr__dash dash;
} cr__pen;

/* Marks of one observation. They differ in shape, so that they differ in print. */
typedef enum cr__mark {
    CR__DISC,
    CR__TRIANGLE,
    CR__SQUARE,
    CR__DIAMOND,
    CR__CROSS,
    CR__PLUS,
    CR__RING,
    CR__WEDGE,
    CR__MARKS
} cr__mark;

typedef enum cr__anchor { CR__START, CR__MIDDLE, CR__END } cr__anchor;

typedef enum cr__shape_kind {
    CR__PATH,     /* points first ... first + count, joined */
    CR__SEGMENTS, /* pairs of points, each pair joined */
    CR__RECT,     /* x, y, w, h */
    CR__ELLIPSE,  /* centre x, y; radii w, h */
    CR__SIGN,     /* a cr__mark at x, y with radius h */
    CR__TEXT,     /* text with its baseline at x, y; letters of size h */
    CR__CELLS     /* columns by rows of colours, first ... in the rectangle x, y, w, h */
} cr__shape_kind;

typedef struct cr__shape {
    cr__shape_kind kind;
    cr__pen pen;
    size_t first, count;
    int closed; /* a path that returns to its first point */
    double x, y, w, h;
    cr__mark mark;
    cr__anchor anchor;
    int upright; /* text that runs upwards */
    int bold;
    const char *text;
    size_t columns, rows;
} cr__shape;

typedef struct cr__point {
    double x, y;
} cr__point;

typedef struct cr__canvas {
    double width, height;
    cr__shape *shape;
    size_t shapes, shape_capacity;
    cr__point *point;
    size_t points, point_capacity;
    cr__colour *colour; /* of cells */
    size_t colours, colour_capacity;
    cr__arena texts;
    int failed;
} cr__canvas;

void cr__canvas_free(cr__canvas *canvas);

void cr__canvas_path(cr__canvas *canvas, cr__pen pen, const cr__point *point, size_t count,
                     int closed);
void cr__canvas_segments(cr__canvas *canvas, cr__pen pen, const cr__point *point, size_t count);
void cr__canvas_line(cr__canvas *canvas, cr__pen pen, double x1, double y1, double x2, double y2);
void cr__canvas_rect(cr__canvas *canvas, cr__pen pen, double x, double y, double w, double h);
void cr__canvas_mark(cr__canvas *canvas, cr__pen pen, cr__mark mark, double x, double y,
                     double radius);

/* How text is set. */
typedef struct cr__text_style {
    double size;
    cr__anchor anchor;
    int upright, bold;
    cr__colour colour;
} cr__text_style;

void cr__canvas_text(cr__canvas *canvas, cr__text_style type, double x, double y, const char *text);

/* Room for columns * rows colours, the upper row first, to be filled by the caller; NULL when out
 * of memory. */
cr__colour *cr__canvas_cells(cr__canvas *canvas, double x, double y, double w, double h,
                             size_t columns, size_t rows);

/* Between two colours: 0 is the first, 1 the second. */
cr__colour cr__colour_mix(cr__colour a, cr__colour b, double share);

/* The outline of a mark around 0, 0 with radius 1, at most 8 points; 0 for a disc and a ring.
 * *segments says that it consists of strokes, not an area. */
size_t cr__mark_outline(cr__mark mark, cr__point *outline, int *segments);

/* Lengths of strokes and gaps of a dash for a pen of width 1, *count of them; none for a solid
 * line. */
const double *cr__dash_lengths(cr__dash dash, size_t *count);

#endif
