/* plot/bars.c - densities with histograms, grouped bars, bars on both sides of zero. */
#include <math.h>
#include <stdio.h>

#include "base/fail.h"
#include "base/memory.h"
#include "plot/chart.h"
#include "plot/letters.h"
#include "plot/palette.h"

#define BAR_ALPHA 0x40u

/* --- densities -------------------------------------------------------------------------------- */

static void include_density(cr__chart *chart, const cr_density *d)
{
    for (size_t i = 0; i < d->bins; i++) {
        cr__scale_include(&chart->y, d->height[i]);
        cr__scale_include(&chart->x, d->edge[i]);
        cr__scale_include(&chart->x, d->edge[i + 1]);
    }
    for (size_t i = 0; i < d->count; i++) {
        cr__scale_include(&chart->y, d->y[i]);
        cr__scale_include(&chart->x, d->x[i]);
    }
}

/* The histogram as one stepped area. */
static void put_histogram(cr__chart *chart, const cr_density *d, size_t index)
{
    const cr__pen pen = {.fill = (cr__hue(index) & ~0xffu) | BAR_ALPHA,
                         .stroke = cr__tint(cr__hue(index), 0.6),
                         .width = 0.6};
    cr__point *step = cr__alloc(2 * d->bins + 2, sizeof *step);
    size_t count = 0;

    if (step == NULL) {
        chart->canvas->failed = 1;
        return;
    }
    step[count++] = (cr__point){d->edge[0], chart->y.low};
    for (size_t i = 0; i < d->bins; i++) {
        step[count++] = (cr__point){d->edge[i], d->height[i]};
        step[count++] = (cr__point){d->edge[i + 1], d->height[i]};
    }
    step[count++] = (cr__point){d->edge[d->bins], chart->y.low};
    cr__chart_area(chart, pen, step, count);
    cr__free(step);
}

static void put_curve(cr__chart *chart, const cr_density *d, size_t index)
{
    const cr__pen pen = {.stroke = cr__hue(index), .width = 1.6, .dash = cr__hue_dash(index)};
    cr__point *point = cr__alloc(d->count + 1, sizeof *point);

    if (point == NULL) {
        chart->canvas->failed = 1;
        return;
    }
    for (size_t i = 0; i < d->count; i++)
        point[i] = (cr__point){d->x[i], d->y[i]};
    cr__chart_line(chart, pen, point, d->count);
    cr__free(point);
}

cr_status cr_figure_add_densities(cr_figure *figure, const cr_axes *axes, const cr_density *density,
                                  size_t count, cr_error *err)
{
    cr__chart chart;
    cr_status st = cr__chart_begin(&chart, figure, axes->title, err);

    if (st != CR_OK)
        return st;
    chart.x_label = axes->x.label;
    chart.y_label = axes->y.label;
    for (size_t i = 0; i < count; i++) {
        include_density(&chart, &density[i]);
        cr__chart_key(&chart, density[i].name,
                      density[i].count > 0 ? CR__LEGEND_LINE : CR__LEGEND_AREA,
                      (cr__pen){.stroke = cr__hue(i),
                                .width = 1.6,
                                .dash = cr__hue_dash(i),
                                .fill = (cr__hue(i) & ~0xffu) | BAR_ALPHA},
                      CR__DISC);
    }
    cr__scale_include(&chart.y, 0);
    cr__chart_limits(&chart.x, &axes->x, 0);
    cr__chart_limits(&chart.y, &axes->y, 0.04);
    chart.y.low = axes->y.low < axes->y.high ? axes->y.low : 0;
    cr__chart_frame(&chart);
    for (size_t i = 0; i < count; i++)
        if (density[i].bins > 0)
            put_histogram(&chart, &density[i], i);
    for (size_t i = 0; i < count; i++)
        put_curve(&chart, &density[i], i);
    return cr__chart_end(&chart, err);
}

/* --- groups ----------------------------------------------------------------------------------- */

/* Every second set is drawn as an outline: filled, they would look alike in print. */
static cr__pen bar_pen(size_t set)
{
    return (cr__pen){.fill = cr__tint(cr__hue(set), set % 2 == 0 ? 0.85 : 0.45),
                     .stroke = cr__hue(set),
                     .width = 0.8};
}

cr_status cr_figure_add_bars(cr_figure *figure, const cr_axes *axes, const char *const *name,
                             size_t names, const char *const *set, size_t sets, const double *value,
                             cr_error *err)
{
    const double wide = 0.8 / (double)(sets > 0 ? sets : 1);
    cr__chart chart;
    cr_status st = cr__chart_begin(&chart, figure, axes->title, err);

    if (st != CR_OK)
        return st;
    chart.x_label = axes->x.label;
    chart.y_label = axes->y.label;
    chart.x_names = (cr__names){name, names};
    for (size_t i = 0; i < names * sets; i++)
        cr__scale_include(&chart.y, value[i]);
    for (size_t s = 0; s < sets; s++)
        cr__chart_key(&chart, set[s], CR__LEGEND_AREA, bar_pen(s), CR__DISC);
    cr__scale_include(&chart.y, 0);
    cr__chart_limits(&chart.y, &axes->y, 0.04);
    chart.y.low = chart.y.low < 0 && axes->y.low >= 0 ? 0 : chart.y.low;
    cr__chart_frame(&chart);
    for (size_t s = 0; s < sets; s++)
        for (size_t i = 0; i < names; i++)
            if (isfinite(value[s * names + i]))
                cr__chart_box(&chart, bar_pen(s), (double)i - 0.4 + (double)s * wide, 0,
                              (double)i - 0.4 + (double)(s + 1) * wide, value[s * names + i]);
    cr__chart_outline(&chart);
    return cr__chart_end(&chart, err);
}

/* --- on both sides ---------------------------------------------------------------------------- */

enum { BAR_HEIGHT = 15, AROUND_BARS = 92 };

static void put_bar(cr__chart *chart, size_t row, double weight)
{
    const double least = chart->x.low, most = chart->x.high;
    const double shown = weight == INFINITY ? most : weight == -INFINITY ? least : weight;
    const cr__colour hue = cr__hue(weight < 0 ? 1 : 0);
    const cr__pen pen = {
        .fill = weight < 0 ? cr__tint(hue, 0.55) : hue, .stroke = hue, .width = 0.7};
    const cr__text_style type = {.size = CR__TICK_SIZE - 1,
                                 .colour = weight == INFINITY ? CR__WHITE : CR__INK,
                                 .anchor = weight < 0 ? CR__END : CR__START};
    char text[CR__TICK_ROOM];

    cr__chart_box(chart, pen, 0, (double)row - 0.36, shown, (double)row + 0.36);
    cr__canvas_text(chart->canvas, type,
                    cr__scale_at(&chart->x, isinf(weight) ? 0 : shown) + (isinf(weight)
                                                                              ? weight < 0 ? -4 : 4
                                                                          : weight < 0 ? -3
                                                                                       : 3),
                    cr__scale_at(&chart->y, (double)row) + 2.9, cr__number_label(text, weight, 3));
}

cr_status cr_figure_add_weights(cr_figure *figure, const cr_axes *axes, const char *negative,
                                const char *positive, const char *const *name, const double *weight,
                                size_t count, cr_error *err)
{
    cr__chart chart;
    cr_status st = cr__chart_begin(&chart, figure, axes->title, err);

    if (st != CR_OK)
        return st;
    chart.canvas->height = fmax(chart.canvas->height, AROUND_BARS + BAR_HEIGHT * (double)count);
    chart.x_label = axes->x.label;
    chart.y_label = axes->y.label;
    chart.y_names = (cr__names){name, count};
    cr__scale_include(&chart.x, 0);
    for (size_t i = 0; i < count; i++)
        cr__scale_include(&chart.x, weight[i]);
    cr__chart_limits(&chart.x, &axes->x, 0.12); /* the numbers are beyond the bars */
    cr__chart_key(&chart, positive, CR__LEGEND_AREA,
                  (cr__pen){.fill = cr__hue(0), .stroke = cr__hue(0), .width = 0.7}, CR__DISC);
    cr__chart_key(&chart, negative, CR__LEGEND_AREA,
                  (cr__pen){.fill = cr__tint(cr__hue(1), 0.55), .stroke = cr__hue(1), .width = 0.7},
                  CR__DISC);
    cr__chart_frame(&chart);
    for (size_t i = 0; i < count; i++)
        if (!isnan(weight[i]))
            put_bar(&chart, i, weight[i]);
    cr__chart_line(&chart, (cr__pen){.stroke = CR__INK, .width = 0.8},
                   (cr__point[]){{0, -0.5}, {0, (double)count - 0.5}}, 2);
    return cr__chart_end(&chart, err);
}
