/* plot/image.c - numbers in rows and columns as an image, from light to dark. */
#include <math.h>
#include <stdio.h>

#include "base/fail.h"
#include "plot/chart.h"
#include "plot/letters.h"
#include "plot/palette.h"

enum { MOST_SIDE = 2000, KEY_STEPS = 60 };

#define MARGIN 10
#define TITLE_ROOM 24
#define KEY_ROOM 26
#define KEY_HEIGHT 7

static cr__colour colour_of(const cr_image *image, double x)
{
    const double range = image->high - image->low;

    if (!isfinite(x))
        return CR__WHITE;
    return cr__ramp(range > 0 ? fmin(fmax((x - image->low) / range, 0), 1) : 0);
}

static void put_pixels(cr__canvas *canvas, const cr_image *image, double size)
{
    const double width = size * (double)image->columns, height = size * (double)image->rows;
    cr__colour *cell =
        cr__canvas_cells(canvas, MARGIN, TITLE_ROOM, width, height, image->columns, image->rows);

    for (size_t i = 0; cell != NULL && i < image->columns * image->rows; i++)
        cell[i] = colour_of(image, image->value[i]);
    cr__canvas_rect(canvas, (cr__pen){.stroke = CR__INK, .width = 0.6}, MARGIN, TITLE_ROOM, width,
                    height);
}

/* The legend of light and dark. */
static void put_key(cr__canvas *canvas, const cr_image *image, double top, double width)
{
    const double middle = top + KEY_HEIGHT - 0.5;
    cr__text_style type = {.size = CR__TICK_SIZE, .anchor = CR__START, .colour = CR__DIM};
    char low[CR__TICK_ROOM], high[CR__TICK_ROOM];
    double from, to;
    cr__colour *cell;

    cr__number_label(low, image->low, 4);
    cr__number_label(high, image->high, 4);
    from = MARGIN + cr__text_width(low, CR__TICK_SIZE, 0) + 4;
    to = MARGIN + width - cr__text_width(high, CR__TICK_SIZE, 0) - 4;
    cr__canvas_text(canvas, type, MARGIN, middle, low);
    type.anchor = CR__END;
    cr__canvas_text(canvas, type, MARGIN + width, middle, high);
    if (to - from < KEY_HEIGHT)
        return;
    cell = cr__canvas_cells(canvas, from, top, to - from, KEY_HEIGHT, KEY_STEPS, 1);
    for (size_t i = 0; cell != NULL && i < KEY_STEPS; i++)
        cell[i] = cr__ramp((double)i / (KEY_STEPS - 1));
}

/* Pixels are square. An image takes half of the width of other panels, or less. */
cr_status cr_figure_add_image(cr_figure *figure, const char *title, const cr_image *image,
                              cr_error *err)
{
    const double room = fmax(figure->width / 2, 100) - 2 * MARGIN;
    cr__canvas *canvas;
    double size, width;
    char fit[200];

    if (image->columns == 0 || image->rows == 0 || image->columns > MOST_SIDE ||
        image->rows > MOST_SIDE)
        return cr__fail(err, CR_EARG, "an image of %zu by %zu numbers", image->columns,
                        image->rows);
    size = fmin(room / (double)image->columns, figure->height / (double)image->rows);
    width = size * (double)image->columns;
    canvas = cr__panel_begin(figure, fmax(width + 2 * MARGIN, 100),
                             TITLE_ROOM + size * (double)image->rows + KEY_ROOM, title);
    if (canvas == NULL)
        return cr__fail_memory(err);
    cr__text_fit(fit, sizeof fit, title != NULL ? title : "", CR__TITLE_SIZE, canvas->width - 12);
    cr__canvas_text(canvas, (cr__text_style){.size = CR__TITLE_SIZE, .bold = 1, .colour = CR__INK},
                    MARGIN, TITLE_ROOM - 8, fit);
    put_pixels(canvas, image, size);
    put_key(canvas, image, TITLE_ROOM + size * (double)image->rows + 8, width);
    return cr__panel_end(figure, canvas, err);
}
