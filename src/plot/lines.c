/* plot/lines.c - curves with bands: learning curves, ROC, precision and recall, densities. */
#include <math.h>
#include <stdint.h>

#include "base/fail.h"
#include "base/memory.h"
#include "plot/chart.h"
#include "plot/letters.h"
#include "plot/palette.h"

#define LINE_WIDTH 1.6
#define MARK_RADIUS 2.8
#define LOOSE_RADIUS 1.8 /* many, close together */
#define BAND_ALPHA 0x30u
#define STRIP_HEIGHT 14
#define STRIP_SHARE 0.08 /* of the height, left free for strips */

static cr__pen pen_of(const cr_series *series, size_t index)
{
    if (series->dim)
        return (cr__pen){.stroke = 0x888888ffu, .width = 1, .dash = CR__DASHED};
    return (cr__pen){.stroke = cr__hue(index), .width = LINE_WIDTH, .dash = cr__hue_dash(index)};
}

static void include(cr__chart *chart, const cr_series *s)
{
    for (size_t i = 0; i < s->count; i++) {
        cr__scale_include(&chart->x, s->x[i]);
        cr__scale_include(&chart->y, s->y[i]);
        if (s->low != NULL && s->high != NULL) {
            cr__scale_include(&chart->y, s->low[i]);
            cr__scale_include(&chart->y, s->high[i]);
        }
    }
}

/* The band as an area: forward along its upper edge and back along its lower one, once for each run
 * without a gap. */
static void put_band(cr__chart *chart, const cr_series *s, cr__pen pen, cr__point *room)
{
    const cr__pen fill = {.fill = (pen.stroke & ~0xffu) | BAND_ALPHA};
    size_t from = 0;

    while (from < s->count) {
        size_t to = from;

        while (to < s->count && isfinite(s->low[to] + s->high[to] + s->x[to]))
            to++;
        for (size_t i = from; i < to; i++) {
            room[i - from] = (cr__point){s->x[i], s->high[i]};
            room[2 * (to - from) - 1 - (i - from)] = (cr__point){s->x[i], s->low[i]};
        }
        if (to - from > 1)
            cr__chart_area(chart, fill, room, 2 * (to - from));
        from = to + 1;
    }
}

static size_t points_of(const cr_series *s, cr__point *room)
{
    size_t count = 0;

    for (size_t i = 0; i < s->count; i++) {
        if (s->steps && i > 0)
            room[count++] = (cr__point){s->x[i], s->y[i - 1]};
        room[count++] = (cr__point){s->x[i], s->y[i]};
    }
    return count;
}

/* Bands are drawn below all lines, so that no line is covered. */
typedef enum layer { KEYS, BANDS, LINES } layer;

static void put_series(cr__chart *chart, const cr_series *s, size_t index, layer what)
{
    cr__pen pen = pen_of(s, index);
    cr__point *room = cr__alloc(2 * s->count + 2, sizeof *room);

    if (room == NULL) {
        chart->canvas->failed = 1;
        return;
    }
    if (what == BANDS) {
        if (s->low != NULL && s->high != NULL)
            put_band(chart, s, pen, room);
        cr__free(room);
        return;
    }
    if (!s->loose)
        cr__chart_line(chart, pen, room, points_of(s, room));
    pen.fill = pen.stroke;
    pen.dash = CR__SOLID;
    pen.width = 1;
    if (cr__hue_mark(index) == CR__RING)
        pen.fill = CR__WHITE;
    for (size_t i = 0; (s->marks || s->loose) && i < s->count; i++)
        cr__chart_mark(chart, pen, cr__hue_mark(index), s->x[i], s->y[i],
                       s->loose ? LOOSE_RADIUS : MARK_RADIUS);
    cr__free(room);
}

/* Series that only serve to compare do not use up colours. */
static void put_all(cr__chart *chart, const cr_series *series, size_t count, layer what)
{
    for (int dim = 1; dim >= 0; dim--)
        for (size_t i = 0, index = 0; i < count; i++) {
            if ((series[i].dim != 0) == dim && what == KEYS) {
                cr__pen pen = pen_of(&series[i], index);

                pen.fill = pen.stroke;
                cr__chart_key(chart, series[i].name,
                              series[i].loose   ? CR__LEGEND_MARK
                              : series[i].marks ? CR__LEGEND_BOTH
                                                : CR__LEGEND_LINE,
                              pen, cr__hue_mark(index));
            } else if ((series[i].dim != 0) == dim) {
                put_series(chart, &series[i], index, what);
            }
            index += series[i].dim == 0;
        }
}

/* Probabilities need no room beyond 0 and 1. */
static void round_limits(cr__chart *chart, const cr_axes *axes)
{
    if (!(axes->y.low < axes->y.high) && !axes->y.log) {
        const double low = chart->y.low, high = chart->y.high;

        cr__scale_pad(&chart->y, 0.03);
        if (low >= 0 && chart->y.low < 0)
            chart->y.low = 0;
        if (high <= 1 && chart->y.high > 1)
            chart->y.high = 1;
    } else {
        cr__chart_limits(&chart->y, &axes->y, 0.05);
    }
    cr__chart_limits(&chart->x, &axes->x, chart->x.log ? 0.03 : 0);
}

/* --- strips ----------------------------------------------------------------------------------- */

/* The part within the frame, with its name in the middle where there is room. */
static void put_strip(cr__chart *chart, const cr_strip *s)
{
    const double left = fmax(cr__scale_at(&chart->x, s->low), chart->left),
                 right = fmin(cr__scale_at(&chart->x, s->high), chart->right);
    const cr__colour fill = s->colour == SIZE_MAX ? CR__GRID : cr__tint(cr__hue(s->colour), 0.4);
    char name[64];

    if (!(left < right))
        return;
    cr__canvas_rect(chart->canvas, (cr__pen){.fill = fill, .stroke = CR__INK, .width = 0.6}, left,
                    chart->top, right - left, STRIP_HEIGHT);
    cr__text_fit(name, sizeof name, s->name != NULL ? s->name : "", CR__TICK_SIZE,
                 right - left - 4);
    if (right - left > 2 * CR__TICK_SIZE)
        cr__canvas_text(chart->canvas,
                        (cr__text_style){.size = CR__TICK_SIZE,
                                         .anchor = CR__MIDDLE,
                                         .colour = cr__ink_on(fill)},
                        (left + right) / 2, chart->top + STRIP_HEIGHT - 4, name);
}

static cr_status add_lines(cr_figure *figure, const cr_axes *axes, int square,
                           const cr_series *series, size_t count, const cr_strip *strip,
                           size_t strips, cr_error *err)
{
    cr__chart chart;
    cr_status st = cr__chart_begin(&chart, figure, axes->title, err);

    if (st != CR_OK)
        return st;
    chart.x.log = axes->x.log;
    chart.y.log = axes->y.log;
    chart.x_label = axes->x.label;
    chart.y_label = axes->y.label;
    chart.square = square;
    for (size_t i = 0; i < count; i++)
        include(&chart, &series[i]);
    round_limits(&chart, axes);
    if (strips > 0)
        chart.y.high += STRIP_SHARE * (chart.y.high - chart.y.low);
    put_all(&chart, series, count, KEYS);
    cr__chart_frame(&chart);
    put_all(&chart, series, count, BANDS);
    put_all(&chart, series, count, LINES);
    for (size_t i = 0; i < strips; i++)
        put_strip(&chart, &strip[i]);
    return cr__chart_end(&chart, err);
}

cr_status cr_figure_add_lines(cr_figure *figure, const cr_axes *axes, const cr_series *series,
                              size_t count, cr_error *err)
{
    return add_lines(figure, axes, 0, series, count, NULL, 0, err);
}

cr_status cr_figure_add_strips(cr_figure *figure, const cr_axes *axes, const cr_series *series,
                               size_t count, const cr_strip *strip, size_t strips, cr_error *err)
{
    return add_lines(figure, axes, 0, series, count, strip, strips, err);
}

cr_status cr_figure_add_learning(cr_figure *figure, const char *title, const char *measure,
                                 const cr_series *series, size_t count, cr_error *err)
{
    const cr_axes axes = {title, {.label = "training rows", .log = 1}, {.label = measure}};

    return add_lines(figure, &axes, 0, series, count, NULL, 0, err);
}

/* The curves and one more to compare with. */
static cr_status add_compared(cr_figure *figure, const cr_axes *axes, const cr_series *with,
                              const cr_series *series, size_t count, cr_error *err)
{
    cr_series *all = cr__alloc(count + 1, sizeof *all);
    cr_status st;

    if (all == NULL)
        return cr__fail_memory(err);
    for (size_t i = 0; i < count; i++)
        all[i] = series[i];
    all[count] = *with;
    st = add_lines(figure, axes, 1, all, count + (with->count > 0), NULL, 0, err);
    cr__free(all);
    return st;
}

cr_status cr_figure_add_roc(cr_figure *figure, const char *title, const cr_series *series,
                            size_t count, cr_error *err)
{
    static const double diagonal[] = {0, 1};
    const cr_axes axes = {title,
                          {.label = "false positive rate", .high = 1},
                          {.label = "true positive rate", .high = 1}};
    const cr_series guess = {
        .name = "guessing", .x = diagonal, .y = diagonal, .count = 2, .dim = 1};

    return add_compared(figure, &axes, &guess, series, count, err);
}

cr_status cr_figure_add_precision_recall(cr_figure *figure, const char *title, double share,
                                         const cr_series *series, size_t count, cr_error *err)
{
    static const double ends[] = {0, 1};
    const double level[] = {share, share};
    const cr_axes axes = {title, {.label = "recall", .high = 1}, {.label = "precision", .high = 1}};
    const cr_series guess = {
        .name = "guessing", .x = ends, .y = level, .count = share > 0 ? 2 : 0, .dim = 1};

    return add_compared(figure, &axes, &guess, series, count, err);
}
