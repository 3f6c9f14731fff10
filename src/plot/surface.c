/* plot/surface.c - decision surfaces: shaded posteriors, boundaries, data, Gaussian contours. */
#include <math.h>

#include "base/fail.h"
#include "base/memory.h"
#include "plot/chart.h"
#include "plot/contour.h"
#include "plot/margins.h"
#include "plot/palette.h"

enum { LEVELS = 32, MOST_GRID = 1000, CIRCLE_POINTS = 72 };

#define FAINTEST 0.06
#define STRONGEST 0.5
#define TINY 1e-300 /* a posterior that a double cannot hold; its logarithm must be finite */

/* --- shading ---------------------------------------------------------------------------------- */

/* The most probable class at a point of the grid, or `classes` where none is possible. */
static size_t winner(const cr_surface *s, const double *p)
{
    size_t best = s->classes;

    for (size_t c = 0; c < s->classes; c++)
        if (p[c] > 0 && (best == s->classes || p[c] > p[best]))
            best = c;
    return best;
}

/* Stronger where the posterior is larger; in steps that are too small to see. */
static cr__colour shade(const cr_surface *s, const double *p)
{
    const size_t best = winner(s, p);
    const double least = 1 / (double)s->classes;
    double sure;

    if (best == s->classes)
        return CR__WHITE;
    sure = s->classes > 1 ? (p[best] - least) / (1 - least) : 1;
    sure = fmin(floor(fmax(sure, 0) * LEVELS), LEVELS - 1) / (LEVELS - 1);
    return cr__tint(cr__hue(best), FAINTEST + (STRONGEST - FAINTEST) * sure);
}

/* Posteriors between four points of the grid are the mean of their corners', by distance. */
static void between(const cr_surface *s, double column, double row, double *p)
{
    const size_t c = (size_t)fmin(column, (double)s->columns - 2),
                 r = (size_t)fmin(row, (double)s->rows - 2);
    const double u = column - (double)c, v = row - (double)r;
    const double *low = s->posterior + (r * s->columns + c) * s->classes,
                 *high = low + s->columns * s->classes;

    for (size_t k = 0; k < s->classes; k++)
        p[k] = (1 - v) * ((1 - u) * low[k] + u * low[s->classes + k]) +
               v * ((1 - u) * high[k] + u * high[s->classes + k]);
}

static void put_shading(cr__chart *chart, const cr_surface *s, double *p)
{
    const double width = chart->right - chart->left, height = chart->bottom - chart->top;
    const size_t columns = (size_t)width, rows = (size_t)height; /* a point each */
    cr__colour *cell =
        cr__canvas_cells(chart->canvas, chart->left, chart->top, width, height, columns, rows);

    for (size_t row = 0; cell != NULL && row < rows; row++)
        for (size_t column = 0; column < columns; column++) {
            const double down = ((double)row + 0.5) / (double)rows;

            between(s, ((double)column + 0.5) / (double)columns * (double)(s->columns - 1),
                    (s->y_names > 0 ? down : 1 - down) * (double)(s->rows - 1), p);
            cell[row * columns + column] = shade(s, p);
        }
}

/* --- boundaries ------------------------------------------------------------------------------- */

/* By how much log P(class) exceeds that of the best other class at each point of the grid. */
static void margins(const cr_surface *s, size_t class_index, double *margin)
{
    for (size_t i = 0; i < s->columns * s->rows; i++) {
        const double *p = s->posterior + i * s->classes;
        double other = TINY;

        for (size_t c = 0; c < s->classes; c++)
            if (c != class_index)
                other = fmax(other, p[c]);
        margin[i] = winner(s, p) == s->classes ? NAN : log(fmax(p[class_index], TINY)) - log(other);
    }
}

static void put_boundaries(cr__chart *chart, const cr_surface *s, double *margin)
{
    const cr__pen pen = {.stroke = CR__BLACK, .width = 1.3};
    const cr__grid grid = {margin,        s->columns,   s->rows,      chart->x.low,
                           chart->x.high, chart->y.low, chart->y.high};
    cr__contour contour;

    for (size_t c = 0; c + 1 < s->classes; c++) {
        margins(s, c, margin);
        if (!cr__contour_at(&contour, &grid, 0))
            chart->canvas->failed = 1;
        cr__chart_segments(chart, pen, contour.point, contour.count);
        cr__contour_free(&contour);
    }
}

/* --- Gaussians and data ----------------------------------------------------------------------- */

/* Points at a distance of k standard deviations: the centre plus k times the Cholesky factor of the
 * covariance, [a 0; b d], applied to a circle. */
static void put_gaussian(cr__chart *chart, const cr_ellipse *e)
{
    const double a = sqrt(e->xx), b = a > 0 ? e->xy / a : 0, d = sqrt(fmax(e->yy - b * b, 0));
    cr__point point[CIRCLE_POINTS + 1];

    for (int k = 1; k <= 3; k++) {
        for (size_t i = 0; i <= CIRCLE_POINTS; i++) {
            const double angle = 2 * M_PI * (double)i / CIRCLE_POINTS;
            const double u = k * cos(angle), v = k * sin(angle);

            point[i] = (cr__point){e->x + a * u, e->y + b * u + d * v};
        }
        cr__chart_line(chart,
                       (cr__pen){.stroke = cr__hue(e->class_index),
                                 .width = 1.1,
                                 .dash = cr__hue_dash(e->class_index)},
                       point, CIRCLE_POINTS + 1);
    }
    cr__chart_mark(chart, (cr__pen){.stroke = cr__hue(e->class_index), .width = 1.4}, CR__PLUS,
                   e->x, e->y, 3.5);
}

static void put_data(cr__chart *chart, const cr_surface *s)
{
    for (size_t i = 0; i < s->points; i++) {
        const int known = s->class_index[i] >= 0 && (size_t)s->class_index[i] < s->classes;
        const size_t c = known ? (size_t)s->class_index[i] : 0;
        const cr__mark mark = known ? cr__hue_mark(c) : CR__RING;
        const int strokes = mark == CR__CROSS || mark == CR__PLUS;
        const cr__colour hue = known ? cr__hue(c) : 0x777777ffu;

        cr__chart_mark(chart,
                       (cr__pen){.fill = mark == CR__RING ? CR__WHITE : hue,
                                 .stroke = strokes || mark == CR__RING ? hue : CR__WHITE,
                                 .width = strokes ? 1.4 : 0.6},
                       mark, s->x[i], s->y[i], 2.6);
    }
}

cr_status cr_figure_add_surface(cr_figure *figure, const cr_axes *axes, const cr_surface *surface,
                                cr_error *err)
{
    const size_t cells = surface->columns * surface->rows;
    double *room;
    cr__chart chart;
    cr_status st;

    if (surface->columns < 2 || surface->rows < 2 || surface->columns > MOST_GRID ||
        surface->rows > MOST_GRID || surface->classes == 0 || !(axes->x.low < axes->x.high) ||
        !(axes->y.low < axes->y.high))
        return cr__fail(err, CR_EARG, "a surface of %zu by %zu points with %zu classes",
                        surface->columns, surface->rows, surface->classes);
    if ((room = cr__alloc(cells + surface->classes, sizeof *room)) == NULL)
        return cr__fail_memory(err);
    if ((st = cr__chart_begin(&chart, figure, axes->title, err)) == CR_OK) {
        cr__chart_limits(&chart.x, &axes->x, 0);
        cr__chart_limits(&chart.y, &axes->y, 0);
        chart.x_label = axes->x.label;
        chart.y_label = axes->y.label;
        chart.no_grid = 1;
        chart.x_names = (cr__names){surface->x_name, surface->x_names};
        chart.y_names = (cr__names){surface->y_name, surface->y_names};
        for (size_t c = 0; c < surface->classes; c++)
            cr__chart_key(&chart, surface->name[c], CR__LEGEND_BOTH,
                          (cr__pen){.stroke = cr__hue(c),
                                    .fill = cr__hue(c),
                                    .width = 1.1,
                                    .dash = cr__hue_dash(c)},
                          cr__hue_mark(c));
        cr__margins_room(&chart, surface);
        cr__chart_frame(&chart);
        put_shading(&chart, surface, room + cells);
        for (size_t i = 0; i < surface->ellipses; i++)
            put_gaussian(&chart, &surface->ellipse[i]);
        put_boundaries(&chart, surface, room);
        put_data(&chart, surface);
        cr__margins_put(&chart, surface);
        cr__chart_outline(&chart);
        st = cr__chart_end(&chart, err);
    }
    cr__free(room);
    return st;
}
