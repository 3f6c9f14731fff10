/* plot/matrix.c - confusion matrices and reliability diagrams. */
#include <math.h>
#include <stdio.h>

#include "base/fail.h"
#include "plot/chart.h"
#include "base/memory.h"
#include "plot/letters.h"
#include "plot/palette.h"

/* --- confusion -------------------------------------------------------------------------------- */

enum { MOST_NUMBERED = 40, MOST_CLASSES = 1000 };

/* The number of a cell, without commas: 11477 beside 2529. */
static char *cell_label(char *out, double weight)
{
    char *to = out;

    cr__number_label(out, weight, 4);
    for (const char *from = out; *from != '\0'; from++)
        if (*from != ',')
            *to++ = *from;
    *to = '\0';
    return out;
}

static void put_cell(cr__chart *chart, size_t row, size_t column, double weight, double share,
                     double size)
{
    const cr__colour ground = cr__ramp(share);
    const double x = cr__scale_at(&chart->x, (double)column),
                 y = cr__scale_at(&chart->y, (double)row);
    const cr__text_style type = {.size = size, .anchor = CR__MIDDLE, .colour = cr__ink_on(ground)};
    char text[CR__TICK_ROOM];

    cr__chart_box(chart, (cr__pen){.fill = ground, .stroke = CR__GRID, .width = 0.4},
                  (double)column - 0.5, (double)row - 0.5, (double)column + 0.5, (double)row + 0.5);
    if (size > 0 && weight > 0)
        cr__canvas_text(chart->canvas, type, x, y + size * 0.36, cell_label(text, weight));
}

/* The size of letters for which the longest number fits a cell; 0 when none does. */
static double number_size(const cr__chart *chart, size_t classes, size_t columns,
                          const double *weight)
{
    const double width = fabs(chart->x.to - chart->x.from) / (double)columns - 4;
    const double height = fabs(chart->y.to - chart->y.from) / (double)classes - 3;
    double widest = 0.6, size;
    char text[CR__TICK_ROOM];

    for (size_t i = 0; i < classes * columns; i++)
        widest = fmax(widest, cr__text_width(cell_label(text, weight[i]), 1, 0));
    size = fmin(fmin(width / widest, height), CR__LABEL_SIZE);
    return size < 4 ? 0 : size;
}

static void put_matrix(cr__chart *chart, size_t classes, size_t columns, const double *weight)
{
    const double size = number_size(chart, classes, columns, weight);

    for (size_t t = 0; t < classes; t++) {
        double total = 0;

        for (size_t d = 0; d < columns; d++)
            total += weight[t * columns + d];
        for (size_t d = 0; d < columns; d++)
            put_cell(chart, t, d, weight[t * columns + d],
                     total > 0 ? weight[t * columns + d] / total : 0, size);
    }
    cr__chart_outline(chart);
}

/* Many classes need more room than other panels. */
static void resize(cr__chart *chart, size_t columns)
{
    const double least = 150 + 17 * (double)(columns < MOST_NUMBERED ? columns : MOST_NUMBERED);

    chart->canvas->width = fmax(chart->canvas->width, least);
    chart->canvas->height = fmax(chart->canvas->height, least * 0.95);
}

cr_status cr_figure_add_confusion(cr_figure *figure, const char *title, const char *const *name,
                                  size_t classes, size_t columns, const double *weight,
                                  cr_error *err)
{
    cr__chart chart;
    const char **decided;
    cr_status st;

    if (classes == 0 || classes > MOST_CLASSES || columns < classes || columns > classes + 1)
        return cr__fail(err, CR_EARG, "a confusion matrix of %zu by %zu", classes, columns);
    if ((decided = cr__alloc(columns, sizeof *decided)) == NULL)
        return cr__fail_memory(err);
    for (size_t i = 0; i < columns; i++)
        decided[i] = i < classes ? name[i] : "undecided";
    if ((st = cr__chart_begin(&chart, figure, title, err)) == CR_OK) {
        resize(&chart, columns);
        chart.x_label = "decided";
        chart.y_label = "true class";
        chart.x_names = (cr__names){decided, columns};
        chart.y_names = (cr__names){name, classes};
        chart.y.log = 0;
        cr__chart_frame(&chart);
        put_matrix(&chart, classes, columns, weight);
        st = cr__chart_end(&chart, err);
    }
    cr__free(decided);
    return st;
}

/* --- reliability ------------------------------------------------------------------------------ */

enum { COUNTS_ROOM = 62 };

/* The numbers of rows, below the diagram and along the same axis. */
static void put_counts(cr__chart *chart, const cr_reliability *r)
{
    const double low = chart->canvas->height - 14, high = low - COUNTS_ROOM + 22;
    const cr__text_style type = {.size = CR__TICK_SIZE - 1, .colour = CR__DIM};
    const double range = chart->x.high - chart->x.low;
    const double half = (chart->right - chart->left) / range / (double)r->bins / 2 - 1;
    double most = 0;
    char text[CR__TICK_ROOM], said[CR__TICK_ROOM + 32];

    for (size_t i = 0; i < r->bins; i++)
        most = fmax(most, r->count[i]);
    for (size_t i = 0; i < r->bins; i++)
        if (r->count[i] > 0) {
            const double x = cr__scale_at(&chart->x, ((double)i + 0.5) / (double)r->bins);
            const double height = fmax((low - high) * r->count[i] / most, 0.7);

            const double left = fmax(x - half, chart->left), right = fmin(x + half, chart->right);

            cr__canvas_rect(chart->canvas, (cr__pen){.fill = 0x999999ffu}, left, low - height,
                            right - left, height);
        }
    cr__canvas_line(chart->canvas, (cr__pen){.stroke = CR__INK, .width = 0.8}, chart->left, low,
                    chart->right, low);
    snprintf(said, sizeof said, "rows in each bin, at most %s", cr__number_label(text, most, 4));
    cr__canvas_text(chart->canvas, type, chart->left, low + 10, said);
}

/* Bins of fewer rows are marks without a line, which would only follow noise.
 */
#define LINE_LEAST 5

static void put_bins(cr__chart *chart, const cr_reliability *r, cr__point *line)
{
    const cr__pen whisker = {.stroke = cr__hue(0), .width = 0.9};
    const cr__pen pen = {.stroke = cr__hue(0), .fill = cr__hue(0), .width = 1.2},
                  line_pen = {.stroke = cr__hue(0), .width = 1.2},
                  hollow = {.stroke = cr__hue(0), .fill = 0xffffffffu, .width = 1.2};
    size_t count = 0;

    for (size_t i = 0; i < r->bins; i++)
        if (r->count[i] > 0) {
            const int few = r->count[i] < LINE_LEAST;

            if (!few)
                line[count++] = (cr__point){r->confidence[i], r->share[i]};
            cr__chart_mark(chart, few ? hollow : pen, CR__DISC, r->confidence[i], r->share[i], 3);
            if (r->low != NULL && r->high != NULL)
                cr__chart_line(
                    chart, whisker,
                    (cr__point[]){{r->confidence[i], r->low[i]}, {r->confidence[i], r->high[i]}},
                    2);
        }
    if (count > 1)
        cr__chart_line(chart, line_pen, line, count);
    for (size_t i = 0; i < count; i++)
        cr__chart_mark(chart, pen, CR__DISC, line[i].x, line[i].y, 3);
}

/* Where the horizontal axis begins: at 0.5 where no row is below it, as for a decision between two
 * classes. */
static double first_confidence(const cr_reliability *r)
{
    for (size_t i = 0; i < r->bins; i++)
        if (r->count[i] > 0)
            return r->confidence[i] < 0.5 ? 0 : 0.5;
    return 0;
}

cr_status cr_figure_add_reliability(cr_figure *figure, const char *title,
                                    const cr_reliability *reliability, cr_error *err)
{
    const double first = first_confidence(reliability);
    const cr__point diagonal[] = {{first, first}, {1, 1}};
    const cr__pen ideal = {.stroke = 0x888888ffu, .width = 1, .dash = CR__DASHED};
    cr__point *line = cr__alloc(reliability->bins + 1, sizeof *line);
    char text[CR__TICK_ROOM], label[CR__TICK_ROOM + 64], of[120], share[120];
    cr__chart chart;
    cr_status st;

    if (line == NULL)
        return cr__fail_memory(err);
    if ((st = cr__chart_begin(&chart, figure, title, err)) == CR_OK) {
        snprintf(label, sizeof label,
                 isnan(reliability->error) ? "this model" : "this model (calibration error %s)",
                 cr__number_label(text, reliability->error, 3));
        chart.x.low = first_confidence(reliability);
        chart.y.low = 0;
        chart.x.high = chart.y.high = 1;
        snprintf(of, sizeof of, "P(%.80s), as the model has it",
                 reliability->of == NULL ? "" : reliability->of);
        snprintf(share, sizeof share, "share that was %.80s",
                 reliability->of == NULL ? "right" : reliability->of);
        chart.x_label =
            reliability->of == NULL ? "probability of the decision, as the model has it" : of;
        chart.y_label = share;
        chart.bottom_room = COUNTS_ROOM;
        cr__chart_key(&chart, label, CR__LEGEND_BOTH,
                      (cr__pen){.stroke = cr__hue(0), .fill = cr__hue(0), .width = 1.2}, CR__DISC);
        cr__chart_key(&chart, "calibrated", CR__LEGEND_LINE, ideal, CR__DISC);
        cr__chart_frame(&chart);
        cr__chart_line(&chart, ideal, diagonal, 2);
        put_bins(&chart, reliability, line);
        put_counts(&chart, reliability);
        st = cr__chart_end(&chart, err);
    }
    cr__free(line);
    return st;
}
