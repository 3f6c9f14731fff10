/* plot/triangle.c - the density of a Dirichlet distribution over the triangle of three shares. */
#include <math.h>
#include <stdio.h>

#include "base/fail.h"
#include "base/special.h"
#include "plot/figure.h"
#include "plot/letters.h"
#include "plot/palette.h"
#include "plot/scale.h"

enum { STEPS = 24, CELL = 2, TITLE_ROOM = 256 };

#define LABEL_SIZE 10
#define TICK_SIZE 8.5

typedef struct triangle {
    cr__canvas *canvas;
    cr__point corner[3]; /* on the page: left, right, top */
    double parameter[3], log_beta;
} triangle;

static cr__point at(const triangle *t, double a, double b, double c)
{
    return (cr__point){a * t->corner[0].x + b * t->corner[1].x + c * t->corner[2].x,
                       a * t->corner[0].y + b * t->corner[1].y + c * t->corner[2].y};
}

/* ln p(x) = Σ (α_i - 1) ln x_i - ln B(α). */
static double log_density(const triangle *t, const double share[3])
{
    double sum = -t->log_beta;

    for (int i = 0; i < 3; i++)
        sum += t->parameter[i] == 1 ? 0 : (t->parameter[i] - 1) * log(share[i]);
    return sum;
}

/* The shares that a place on the page stands for; 0 outside the triangle. */
static int shares_at(const triangle *t, double x, double y, double share[3])
{
    const double height = t->corner[0].y - t->corner[2].y, width = t->corner[1].x - t->corner[0].x;

    share[2] = (t->corner[0].y - y) / height;
    share[1] = (x - t->corner[0].x) / width - share[2] / 2;
    share[0] = 1 - share[1] - share[2];
    return share[0] > 0 && share[1] > 0 && share[2] > 0;
}

/* Shaded relative to the highest cell: where the density is unbounded, the edge would hide
 * everything else. */
static double put_shading(const triangle *t)
{
    const double x = t->corner[0].x, y = t->corner[2].y, width = t->corner[1].x - x,
                 height = t->corner[0].y - y;
    const size_t columns = (size_t)(width / CELL), rows = (size_t)(height / CELL);
    cr__colour *cell = cr__canvas_cells(t->canvas, x, y, width, height, columns, rows);
    double most = -INFINITY, share[3];

    for (int pass = 0; cell != NULL && pass < 2; pass++)
        for (size_t i = 0; i < columns * rows; i++)
            if (shares_at(t, x + ((double)(i % columns) + 0.5) * width / (double)columns,
                          y + ((double)(i / columns) + 0.5) * height / (double)rows, share)) {
                const double log_p = log_density(t, share);

                if (pass == 0)
                    most = fmax(most, log_p);
                else
                    cell[i] = cr__ramp(round(exp(log_p - most) * STEPS) / STEPS * 0.95);
            }
    return most;
}

/* Lines of equal shares, and how much each is. */
static void put_grid(const triangle *t)
{
    const cr__pen grid = {.stroke = 0x00000030u, .width = 0.5};
    const cr__text_style type = {.size = TICK_SIZE, .colour = CR__DIM};
    char text[CR__TICK_ROOM];

    for (int i = 1; i < 5; i++) {
        const double s = i / 5.0;
        const cr__point a1 = at(t, s, 1 - s, 0), a2 = at(t, s, 0, 1 - s), b1 = at(t, 0, s, 1 - s),
                        b2 = at(t, 1 - s, s, 0), c1 = at(t, 1 - s, 0, s), c2 = at(t, 0, 1 - s, s);

        cr__canvas_line(t->canvas, grid, a1.x, a1.y, a2.x, a2.y);
        cr__canvas_line(t->canvas, grid, b1.x, b1.y, b2.x, b2.y);
        cr__canvas_line(t->canvas, grid, c1.x, c1.y, c2.x, c2.y);
        cr__number_label(text, s, 1);
        cr__canvas_text(t->canvas, (cr__text_style){type.size, CR__MIDDLE, 0, 0, type.colour}, b2.x,
                        b2.y + 11, text);
        cr__canvas_text(t->canvas, (cr__text_style){type.size, CR__START, 0, 0, type.colour},
                        c2.x + 5, c2.y + 3, text);
        cr__canvas_text(t->canvas, (cr__text_style){type.size, CR__END, 0, 0, type.colour},
                        a2.x - 5, a2.y + 3, text);
    }
    cr__canvas_path(t->canvas, (cr__pen){.stroke = CR__INK, .width = 0.9}, t->corner, 3, 1);
}

static void put_names(const triangle *t, const char *const name[3], const char *title)
{
    cr__text_style type = {.size = 11.5, .bold = 1, .colour = CR__INK};
    char text[TITLE_ROOM];

    if (title != NULL)
        cr__canvas_text(
            t->canvas, type, 10, 19,
            cr__text_fit(text, sizeof text, title, type.size * 1.06, t->canvas->width - 20));
    type = (cr__text_style){.size = LABEL_SIZE, .colour = CR__INK};
    for (int i = 0; i < 3; i++) {
        type.anchor = i == 0 ? CR__START : i == 1 ? CR__END : CR__MIDDLE;
        cr__canvas_text(t->canvas, type,
                        t->corner[i].x + (i == 0   ? -24
                                          : i == 1 ? 24
                                                   : 0),
                        i == 2 ? t->corner[i].y - 6 : t->corner[i].y + 25,
                        cr__text_fit(text, sizeof text, name[i], LABEL_SIZE, 150));
    }
}

/* The mean as a cross, and what the darkest shade stands for. */
static void put_mean(const triangle *t, double most)
{
    const double sum = t->parameter[0] + t->parameter[1] + t->parameter[2];
    const cr__point mean =
        at(t, t->parameter[0] / sum, t->parameter[1] / sum, t->parameter[2] / sum);
    const cr__text_style type = {.size = TICK_SIZE, .colour = CR__DIM, .anchor = CR__MIDDLE};
    char text[CR__TICK_ROOM], said[CR__TICK_ROOM + 64];

    cr__canvas_mark(t->canvas, (cr__pen){.stroke = CR__WHITE, .width = 3.4}, CR__PLUS, mean.x,
                    mean.y, 5);
    cr__canvas_mark(t->canvas, (cr__pen){.stroke = cr__hue(1), .width = 1.6}, CR__PLUS, mean.x,
                    mean.y, 5);
    snprintf(said, sizeof said, "darkest: density %s; the cross is the mean",
             cr__number_label(text, exp(most), 3));
    cr__canvas_text(t->canvas, type, t->canvas->width / 2, t->canvas->height - 8, said);
}

cr_status cr_figure_add_dirichlet(cr_figure *figure, const char *title, const char *const name[3],
                                  const double parameter[3], cr_error *err)
{
    triangle t = {.parameter = {parameter[0], parameter[1], parameter[2]}};
    double side, x, low;

    for (int i = 0; i < 3; i++)
        if (!(parameter[i] > 0) || !isfinite(parameter[i]))
            return cr__fail(err, CR_EARG, "a Dirichlet parameter of %g; it must be above 0",
                            parameter[i]);
    t.log_beta = cr__log_gamma(parameter[0]) + cr__log_gamma(parameter[1]) +
                 cr__log_gamma(parameter[2]) -
                 cr__log_gamma(parameter[0] + parameter[1] + parameter[2]);
    t.canvas = cr__panel_begin(figure, figure->width, figure->height, title);
    if (t.canvas == NULL)
        return cr__fail_memory(err);
    side = fmin(t.canvas->width - 90, (t.canvas->height - 90) * 2 / sqrt(3));
    x = (t.canvas->width - side) / 2;
    low = t.canvas->height - 46;
    t.corner[0] = (cr__point){x, low};
    t.corner[1] = (cr__point){x + side, low};
    t.corner[2] = (cr__point){x + side / 2, low - side * sqrt(3) / 2};
    const double most = put_shading(&t);
    put_grid(&t);
    put_names(&t, name, title);
    put_mean(&t, most);
    return cr__panel_end(figure, t.canvas, err);
}
