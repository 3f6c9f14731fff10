/* plot/chart_layers.c - lines, areas and marks in the numbers of a chart, clipped to its frame.
 *
 * Everything is clipped here, so that no backend needs clipping.
 */
#include <math.h>

#include "base/memory.h"
#include "plot/chart.h"

static cr__point on_page(const cr__chart *chart, cr__point p)
{
    return (cr__point){cr__scale_at(&chart->x, p.x), cr__scale_at(&chart->y, p.y)};
}

/* One side of the window of Y.-D. Liang and B. Barsky, "A new concept and method for line clipping"
 * (1984): *from and *to are the shares of the segment that remain. */
static int clip_side(double step, double room, double *from, double *to)
{
    const double at = room / step;

    if (step == 0)
        return room >= 0;
    if (step < 0)
        *from = fmax(*from, at);
    else
        *to = fmin(*to, at);
    return *from <= *to;
}

/* Clip a line to the frame; 0 when nothing remains. */
static int clip_line(const cr__chart *chart, cr__point *a, cr__point *b)
{
    const double dx = b->x - a->x, dy = b->y - a->y;
    const cr__point start = *a;
    double from = 0, to = 1;

    if (!isfinite(a->x + a->y + b->x + b->y) || !clip_side(-dx, a->x - chart->left, &from, &to) ||
        !clip_side(dx, chart->right - a->x, &from, &to) ||
        !clip_side(-dy, a->y - chart->top, &from, &to) ||
        !clip_side(dy, chart->bottom - a->y, &from, &to))
        return 0;
    *a = (cr__point){start.x + from * dx, start.y + from * dy};
    *b = (cr__point){start.x + to * dx, start.y + to * dy};
    return 1;
}

void cr__chart_line(cr__chart *chart, cr__pen pen, const cr__point *point, size_t count)
{
    cr__point *run = cr__alloc(count + 1, sizeof *run);
    size_t length = 0;

    if (run == NULL) {
        chart->canvas->failed = 1;
        return;
    }
    for (size_t i = 0; i + 1 < count; i++) {
        cr__point a = on_page(chart, point[i]), b = on_page(chart, point[i + 1]);
        const cr__point whole = b;

        if (!clip_line(chart, &a, &b)) {
            cr__canvas_path(chart->canvas, pen, run, length, 0);
            length = 0;
            continue;
        }
        if (length == 0)
            run[length++] = a;
        run[length++] = b;
        if (b.x != whole.x || b.y != whole.y) {
            cr__canvas_path(chart->canvas, pen, run, length, 0);
            length = 0;
        }
    }
    cr__canvas_path(chart->canvas, pen, run, length, 0);
    cr__free(run);
}

void cr__chart_segments(cr__chart *chart, cr__pen pen, const cr__point *point, size_t count)
{
    cr__point *kept = cr__alloc(count + 1, sizeof *kept);
    size_t length = 0;

    if (kept == NULL) {
        chart->canvas->failed = 1;
        return;
    }
    for (size_t i = 0; i + 1 < count; i += 2) {
        cr__point a = on_page(chart, point[i]), b = on_page(chart, point[i + 1]);

        if (clip_line(chart, &a, &b)) {
            kept[length++] = a;
            kept[length++] = b;
        }
    }
    cr__canvas_segments(chart->canvas, pen, kept, length);
    cr__free(kept);
}

/* Areas are clamped: points outside move to the frame. That is right where they are bands and steps
 * along an axis, as all areas here are. */
void cr__chart_area(cr__chart *chart, cr__pen pen, const cr__point *point, size_t count)
{
    cr__point *moved = cr__alloc(count + 1, sizeof *moved);
    size_t kept = 0;

    if (moved == NULL) {
        chart->canvas->failed = 1;
        return;
    }
    for (size_t i = 0; i < count; i++) {
        const cr__point p = on_page(chart, point[i]);

        if (isfinite(p.x + p.y))
            moved[kept++] = (cr__point){fmin(fmax(p.x, chart->left), chart->right),
                                        fmin(fmax(p.y, chart->top), chart->bottom)};
    }
    if (kept > 2)
        cr__canvas_path(chart->canvas, pen, moved, kept, 1);
    cr__free(moved);
}

void cr__chart_mark(cr__chart *chart, cr__pen pen, cr__mark mark, double x, double y, double radius)
{
    const cr__point p = on_page(chart, (cr__point){x, y});

    if (p.x >= chart->left - 0.01 && p.x <= chart->right + 0.01 && p.y >= chart->top - 0.01 &&
        p.y <= chart->bottom + 0.01)
        cr__canvas_mark(chart->canvas, pen, mark, p.x, p.y, radius);
}

void cr__chart_box(cr__chart *chart, cr__pen pen, double x1, double y1, double x2, double y2)
{
    const cr__point a = on_page(chart, (cr__point){x1, y1}),
                    b = on_page(chart, (cr__point){x2, y2});
    const double left = fmax(fmin(a.x, b.x), chart->left),
                 right = fmin(fmax(a.x, b.x), chart->right);
    const double top = fmax(fmin(a.y, b.y), chart->top), low = fmin(fmax(a.y, b.y), chart->bottom);

    if (left < right && top < low)
        cr__canvas_rect(chart->canvas, pen, left, top, right - left, low - top);
}
