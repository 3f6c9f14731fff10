/* plot/chart.c - what surrounds a panel: title, legend, axes with ticks and words. */
#include "plot/chart.h"

#include <math.h>
#include <string.h>

#include "base/fail.h"
#include "plot/letters.h"
#include "plot/palette.h"

enum {
    MARGIN = 10,    /* to the edge of the panel */
    KEY_WIDTH = 22, /* of the sample in the legend */
    KEY_GAP = 14,   /* between two entries */
    KEY_HEIGHT = 14,
    MOST_KEY_ROWS = 4,
    TEXT_ROOM = 256
};

#define TICK_LENGTH 3.5
#define NAME_SHARE 0.34 /* share of the panel for the names along the vertical axis */

cr_status cr__chart_begin(cr__chart *chart, cr_figure *figure, const char *title, cr_error *err)
{
    *chart = (cr__chart){
        .figure = figure, .title = title, .x = cr__scale_empty(0), .y = cr__scale_empty(0)};
    chart->canvas = cr__panel_begin(figure, figure->width, figure->height, title);
    return chart->canvas != NULL ? CR_OK : cr__fail_memory(err);
}

cr_status cr__chart_end(cr__chart *chart, cr_error *err)
{
    return cr__panel_end(chart->figure, chart->canvas, err);
}

void cr__chart_key(cr__chart *chart, const char *name, cr__legend_kind kind, cr__pen pen,
                   cr__mark mark)
{
    if (name == NULL)
        return;
    if (chart->keys == CR__KEYS) {
        chart->keys_more++;
        return;
    }
    chart->key[chart->keys++] = (cr__legend_entry){name, kind, pen, mark};
}

void cr__chart_limits(cr__scale *scale, const cr_axis *axis, double pad)
{
    if (axis->low < axis->high && (!scale->log || axis->low > 0)) {
        scale->low = axis->low;
        scale->high = axis->high;
    } else {
        cr__scale_pad(scale, pad);
    }
}

/* --- the legend ------------------------------------------------------------------------------- */

static void put_sample(cr__canvas *canvas, const cr__legend_entry *key, double x, double y)
{
    cr__pen pen = key->pen;

    if (key->kind == CR__LEGEND_AREA)
        cr__canvas_rect(canvas, pen, x + 4, y - 7.5, 14, 8);
    if (key->kind == CR__LEGEND_LINE || key->kind == CR__LEGEND_BOTH) {
        pen.fill = CR__NO_COLOUR;
        cr__canvas_line(canvas, pen, x, y - 3.5, x + KEY_WIDTH - 2, y - 3.5);
    }
    if (key->kind == CR__LEGEND_MARK || key->kind == CR__LEGEND_BOTH) {
        pen = key->pen;
        pen.dash = CR__SOLID;
        cr__canvas_mark(canvas, pen, key->mark, x + KEY_WIDTH / 2.0 - 1, y - 3.5, 3);
    }
}

/* Entries in rows of a width below y; returns where the last one ends. Without a canvas it only
 * measures. */
static double put_keys(const cr__chart *chart, cr__canvas *canvas, double y)
{
    const double width = chart->canvas->width - 2 * MARGIN;
    const cr__text_style type = {.size = CR__TICK_SIZE, .colour = CR__INK};
    double x = MARGIN;
    char text[TEXT_ROOM];
    int row = 1;

    for (size_t i = 0; i < chart->keys; i++) {
        double used;

        cr__text_fit(text, sizeof text, chart->key[i].name, type.size, width / 2 - KEY_WIDTH);
        used = KEY_WIDTH + 3 + cr__text_width(text, type.size, 0);
        if (x > MARGIN && x + used > MARGIN + width) {
            if (row++ == MOST_KEY_ROWS)
                break;
            x = MARGIN;
            y += KEY_HEIGHT;
        }
        if (canvas != NULL) {
            put_sample(canvas, &chart->key[i], x, y + KEY_HEIGHT - 4);
            cr__canvas_text(canvas, type, x + KEY_WIDTH + 3, y + KEY_HEIGHT - 4, text);
        }
        x += used + KEY_GAP;
    }
    return chart->keys > 0 ? y + KEY_HEIGHT : y;
}

/* --- room for words --------------------------------------------------------------------------- */

static double widest_label(const cr__scale *scale, const cr__names *names, double most)
{
    double widest = 0;
    char text[TEXT_ROOM];

    for (size_t i = 0; i < names->count; i++)
        widest = fmax(widest, cr__text_width(cr__text_fit(text, sizeof text, names->name[i],
                                                          CR__TICK_SIZE, most),
                                             CR__TICK_SIZE, 0));
    for (size_t i = 0; names->count == 0 && i < scale->ticks; i++)
        widest = fmax(widest, cr__text_width(scale->label[i], CR__TICK_SIZE, 0));
    return widest;
}

static double extent(const cr__scale *scale)
{
    return fabs(scale->to - scale->from);
}

/* Whether there is no room for the names side by side. */
static int must_slant(const cr__chart *chart)
{
    return chart->x_names.count > 0 && widest_label(&chart->x, &chart->x_names, 1e9) + 4 >
                                           extent(&chart->x) / (double)chart->x_names.count;
}

/* How far names below the axis reach down when they run upwards. */
static double upright_room(const cr__chart *chart)
{
    return widest_label(&chart->x, &chart->x_names, chart->canvas->height * NAME_SHARE);
}

static void ticks_of(cr__scale *scale, const cr__names *names, double from, double to,
                     double spacing)
{
    const double steps = fabs(to - from) / spacing;

    scale->from = from;
    scale->to = to;
    if (names->count > 0) {
        scale->low = -0.5;
        scale->high = (double)names->count - 0.5;
        return;
    }
    cr__scale_ticks(scale, (size_t)fmax(2, steps));
}

/* Long numbers need more room: use fewer ticks. */
static void thin_out(cr__scale *scale, const cr__names *names, double from, double to)
{
    double spacing = 55;

    ticks_of(scale, names, from, to, spacing);
    while (names->count == 0 && !scale->log && spacing < 200 && scale->ticks > 1 &&
           widest_label(scale, names, 1e9) + 8 > fabs(to - from) / (double)scale->ticks) {
        spacing *= 1.3;
        ticks_of(scale, names, from, to, spacing);
    }
}

/* Names run from the top down, numbers from the bottom up. */
static void upright_ticks(cr__chart *chart)
{
    const int down = chart->y_names.count > 0;

    ticks_of(&chart->y, &chart->y_names, down ? chart->top : chart->bottom,
             down ? chart->bottom : chart->top, 40);
}

/* Both axes as long as the shorter one, in the middle. */
static void make_square(cr__chart *chart)
{
    const double w = chart->right - chart->left, h = chart->bottom - chart->top;

    if (w > h) {
        chart->left += (w - h) / 2;
        chart->right -= (w - h) / 2;
    } else {
        chart->bottom = chart->top + w;
    }
}

static void lay_out(cr__chart *chart)
{
    const double width = chart->canvas->width, height = chart->canvas->height;

    chart->top = MARGIN + (chart->title != NULL ? 16 : 0);
    chart->top = put_keys(chart, NULL, chart->top) + 7 + chart->top_room;
    chart->bottom = height - MARGIN - chart->bottom_room - CR__TICK_SIZE - 6 -
                    (chart->x_label != NULL ? CR__LABEL_SIZE + 5 : 0);
    chart->right = width - MARGIN - 6 - chart->right_room;
    for (int round = 0; round < 2; round++) { /* the room for names depends on the other axis */
        upright_ticks(chart);
        chart->left = MARGIN + (chart->y_label != NULL ? CR__LABEL_SIZE + 7 : 0) + TICK_LENGTH + 3 +
                      widest_label(&chart->y, &chart->y_names, width * NAME_SHARE);
        chart->x.from = chart->left;
        chart->x.to = chart->right;
        if (round == 0 && must_slant(chart))
            chart->bottom -= upright_room(chart) - CR__TICK_SIZE;
    }
    if (chart->square)
        make_square(chart);
    upright_ticks(chart);
    thin_out(&chart->x, &chart->x_names, chart->left, chart->right);
}

/* --- drawing ---------------------------------------------------------------------------------- */

static void put_x_names(const cr__chart *chart)
{
    const int slant = must_slant(chart);
    const size_t count = chart->x_names.count;
    const size_t every = 1 + (size_t)((double)count * (CR__TICK_SIZE + 2) / extent(&chart->x));
    const cr__text_style type = {.size = CR__TICK_SIZE,
                                 .colour = CR__INK,
                                 .anchor = slant ? CR__END : CR__MIDDLE,
                                 .upright = slant};
    char text[TEXT_ROOM];

    for (size_t i = 0; i < count; i += slant ? every : 1) {
        const double x = cr__scale_at(&chart->x, (double)i);

        cr__text_fit(text, sizeof text, chart->x_names.name[i], type.size,
                     slant ? chart->canvas->height * NAME_SHARE : 1e9);
        cr__canvas_text(chart->canvas, type, slant ? x + 3 : x,
                        chart->bottom + (slant ? 5 : CR__TICK_SIZE + 5), text);
    }
}

static void put_x_axis(const cr__chart *chart)
{
    const cr__pen grid = {.stroke = CR__GRID, .width = 0.6},
                  pen = {.stroke = CR__INK, .width = 0.8};
    const cr__text_style type = {.size = CR__TICK_SIZE, .anchor = CR__MIDDLE, .colour = CR__INK};

    for (size_t i = 0; chart->x_names.count == 0 && i < chart->x.ticks; i++) {
        const double x = cr__scale_at(&chart->x, chart->x.tick[i]);

        if (!chart->no_grid && chart->x.label[i][0] != '\0')
            cr__canvas_line(chart->canvas, grid, x, chart->top, x, chart->bottom);
        cr__canvas_line(chart->canvas, pen, x, chart->bottom, x, chart->bottom + TICK_LENGTH);
        cr__canvas_text(chart->canvas, type, x, chart->bottom + TICK_LENGTH + CR__TICK_SIZE + 1,
                        chart->x.label[i]);
    }
    put_x_names(chart);
}

static void put_y_axis(const cr__chart *chart)
{
    const cr__pen grid = {.stroke = CR__GRID, .width = 0.6},
                  pen = {.stroke = CR__INK, .width = 0.8};
    const cr__text_style type = {.size = CR__TICK_SIZE, .anchor = CR__END, .colour = CR__INK};
    const size_t count = chart->y_names.count;
    const size_t every = 1 + (size_t)((double)count * (CR__TICK_SIZE + 0.5) / extent(&chart->y));
    char text[TEXT_ROOM];

    for (size_t i = 0; count == 0 && i < chart->y.ticks; i++) {
        const double y = cr__scale_at(&chart->y, chart->y.tick[i]);

        if (!chart->no_grid && chart->y.label[i][0] != '\0')
            cr__canvas_line(chart->canvas, grid, chart->left, y, chart->right, y);
        cr__canvas_line(chart->canvas, pen, chart->left - TICK_LENGTH, y, chart->left, y);
        cr__canvas_text(chart->canvas, type, chart->left - TICK_LENGTH - 3, y + 3.2,
                        chart->y.label[i]);
    }
    for (size_t i = 0; i < count; i += every)
        cr__canvas_text(chart->canvas, type, chart->left - TICK_LENGTH - 3,
                        cr__scale_at(&chart->y, (double)i) + 3.2,
                        cr__text_fit(text, sizeof text, chart->y_names.name[i], type.size,
                                     chart->canvas->width * NAME_SHARE));
}

static void put_words(const cr__chart *chart)
{
    const double width = chart->canvas->width;
    cr__text_style type = {.size = CR__TITLE_SIZE, .bold = 1, .colour = CR__INK};
    char text[TEXT_ROOM];

    if (chart->title != NULL)
        cr__canvas_text(
            chart->canvas, type, MARGIN, MARGIN + 9,
            cr__text_fit(text, sizeof text, chart->title, type.size * 1.06, width - 2 * MARGIN));
    type = (cr__text_style){.size = CR__LABEL_SIZE, .anchor = CR__MIDDLE, .colour = CR__INK};
    if (chart->x_label != NULL)
        cr__canvas_text(
            chart->canvas, type, (chart->left + chart->right) / 2,
            chart->bottom +
                (must_slant(chart) ? upright_room(chart) + 5 : CR__TICK_SIZE + TICK_LENGTH) +
                CR__LABEL_SIZE + 6,
            cr__text_fit(text, sizeof text, chart->x_label, type.size, chart->right - chart->left));
    type.upright = 1;
    if (chart->y_label != NULL)
        cr__canvas_text(
            chart->canvas, type,
            chart->square ? chart->left - 12 - TICK_LENGTH -
                                widest_label(&chart->y, &chart->y_names, width * NAME_SHARE)
                          : MARGIN + 8,
            (chart->top + chart->bottom) / 2,
            cr__text_fit(text, sizeof text, chart->y_label, type.size, chart->bottom - chart->top));
}

void cr__chart_outline(cr__chart *chart)
{
    cr__canvas_rect(chart->canvas, (cr__pen){.stroke = CR__INK, .width = 0.8}, chart->left,
                    chart->top, chart->right - chart->left, chart->bottom - chart->top);
}

void cr__chart_frame(cr__chart *chart)
{
    lay_out(chart);
    put_words(chart);
    put_keys(chart, chart->canvas, MARGIN + (chart->title != NULL ? 16 : 0));
    put_x_axis(chart);
    put_y_axis(chart);
    cr__chart_outline(chart);
}
