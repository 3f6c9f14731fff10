/* plot/canvas.c - shapes accumulate here until a backend draws them. */
#include "plot/canvas.h"

#include <math.h>
#include <string.h>

#include "base/memory.h"

void cr__canvas_free(cr__canvas *canvas)
{
    cr__free(canvas->shape);
    cr__free(canvas->point);
    cr__free(canvas->colour);
    cr__arena_free(&canvas->texts);
    *canvas = (cr__canvas){0};
}

/* The next shape, NULL once something has failed. A number that is not finite would spoil a whole
 * file, so such a shape is left out. */
static cr__shape *add(cr__canvas *canvas, const cr__shape *shape)
{
    if (canvas->failed || !isfinite(shape->x + shape->y + shape->w + shape->h))
        return NULL;
    if (!cr__grow(&canvas->shape, &canvas->shape_capacity, canvas->shapes + 1,
                  sizeof *canvas->shape)) {
        canvas->failed = 1;
        return NULL;
    }
    canvas->shape[canvas->shapes] = *shape;
    return &canvas->shape[canvas->shapes++];
}

static void add_points(cr__canvas *canvas, const cr__shape *shape, const cr__point *point)
{
    cr__shape *added;

    for (size_t i = 0; i < shape->count; i++)
        if (!isfinite(point[i].x + point[i].y))
            return;
    if (!cr__grow(&canvas->point, &canvas->point_capacity, canvas->points + shape->count,
                  sizeof *canvas->point)) {
        canvas->failed = 1;
        return;
    }
    if ((added = add(canvas, shape)) == NULL)
        return;
    added->first = canvas->points;
    memcpy(canvas->point + canvas->points, point, shape->count * sizeof *point);
    canvas->points += shape->count;
}

void cr__canvas_path(cr__canvas *canvas, cr__pen pen, const cr__point *point, size_t count,
                     int closed)
{
    if (count > 1)
        add_points(canvas,
                   &(cr__shape){.kind = CR__PATH, .pen = pen, .count = count, .closed = closed},
                   point);
}

void cr__canvas_segments(cr__canvas *canvas, cr__pen pen, const cr__point *point, size_t count)
{
    if (count > 1)
        add_points(canvas, &(cr__shape){.kind = CR__SEGMENTS, .pen = pen, .count = count / 2 * 2},
                   point);
}

void cr__canvas_line(cr__canvas *canvas, cr__pen pen, double x1, double y1, double x2, double y2)
{
    cr__canvas_path(canvas, pen, (cr__point[]){{x1, y1}, {x2, y2}}, 2, 0);
}

void cr__canvas_rect(cr__canvas *canvas, cr__pen pen, double x, double y, double w, double h)
{
    add(canvas, &(cr__shape){.kind = CR__RECT, .pen = pen, .x = x, .y = y, .w = w, .h = h});
}

void cr__canvas_mark(cr__canvas *canvas, cr__pen pen, cr__mark mark, double x, double y,
                     double radius)
{
    add(canvas,
        &(cr__shape){
            .kind = CR__SIGN, .pen = pen, .mark = mark, .x = x, .y = y, .w = radius, .h = radius});
}

void cr__canvas_text(cr__canvas *canvas, cr__text_style type, double x, double y, const char *text)
{
    cr__shape shape = {.kind = CR__TEXT,
                       .pen = {.fill = type.colour},
                       .x = x,
                       .y = y,
                       .h = type.size,
                       .anchor = type.anchor,
                       .upright = type.upright,
                       .bold = type.bold};

    if (canvas->failed || text == NULL || *text == '\0')
        return;
    if ((shape.text = cr__arena_copy(&canvas->texts, text, strlen(text))) == NULL) {
        canvas->failed = 1;
        return;
    }
    add(canvas, &shape);
}

cr__colour *cr__canvas_cells(cr__canvas *canvas, double x, double y, double w, double h,
                             size_t columns, size_t rows)
{
    const cr__shape shape = {.kind = CR__CELLS,
                             .x = x,
                             .y = y,
                             .w = w,
                             .h = h,
                             .first = canvas->colours,
                             .count = columns * rows,
                             .columns = columns,
                             .rows = rows};

    if (canvas->failed || columns == 0 || rows == 0)
        return NULL;
    if (!cr__grow(&canvas->colour, &canvas->colour_capacity, canvas->colours + shape.count,
                  sizeof *canvas->colour)) {
        canvas->failed = 1;
        return NULL;
    }
    if (add(canvas, &shape) == NULL)
        return NULL;
    memset(canvas->colour + canvas->colours, 0, shape.count * sizeof *canvas->colour);
    canvas->colours += shape.count;
    return canvas->colour + shape.first;
}

cr__colour cr__colour_mix(cr__colour a, cr__colour b, double share)
{
    cr__colour mixed = 0;

    for (int shift = 0; shift < 32; shift += 8) {
        const double from = (double)(a >> shift & 255), to = (double)(b >> shift & 255);

        mixed |= (cr__colour)lround(from + (to - from) * share) << shift;
    }
    return mixed;
}

size_t cr__mark_outline(cr__mark mark, cr__point *outline, int *segments)
{
    static const cr__point triangle[] = {{0, -1.15}, {1.05, 0.8}, {-1.05, 0.8}},
                           square[] = {{-0.9, -0.9}, {0.9, -0.9}, {0.9, 0.9}, {-0.9, 0.9}},
                           diamond[] = {{0, -1.3}, {1.1, 0}, {0, 1.3}, {-1.1, 0}},
                           cross[] = {{-0.9, -0.9}, {0.9, 0.9}, {-0.9, 0.9}, {0.9, -0.9}},
                           plus[] = {{0, -1.2}, {0, 1.2}, {-1.2, 0}, {1.2, 0}},
                           wedge[] = {{0, 1.15}, {1.05, -0.8}, {-1.05, -0.8}};
    static const struct {
        const cr__point *point;
        size_t count;
    } outlines[CR__MARKS] = {
        [CR__TRIANGLE] = {triangle, 3}, [CR__SQUARE] = {square, 4}, [CR__DIAMOND] = {diamond, 4},
        [CR__CROSS] = {cross, 4},       [CR__PLUS] = {plus, 4},     [CR__WEDGE] = {wedge, 3}};

    *segments = mark == CR__CROSS || mark == CR__PLUS;
    if (outlines[mark].count > 0)
        memcpy(outline, outlines[mark].point, outlines[mark].count * sizeof *outline);
    return outlines[mark].count;
}

const double *cr__dash_lengths(cr__dash dash, size_t *count)
{
    static const double dashed[] = {4, 2.5}, dotted[] = {1, 2}, dash_dot[] = {5, 2, 1, 2},
                        long_dash[] = {8, 3};
    static const struct {
        const double *length;
        size_t count;
    } dashes[] = {[CR__SOLID] = {NULL, 0},
                  [CR__DASHED] = {dashed, 2},
                  [CR__DOTTED] = {dotted, 2},
                  [CR__DASH_DOT] = {dash_dot, 4},
                  [CR__LONG_DASH] = {long_dash, 2}};

    *count = dashes[dash].count;
    return dashes[dash].length;
}
