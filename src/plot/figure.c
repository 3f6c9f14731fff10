/* plot/figure.c - panels on a page, drawn by one backend or another. */
#include "plot/figure.h"

#include <string.h>
#include <strings.h>

#include "base/file.h"
#include "base/memory.h"
#include "plot/page.h"

enum { GAP = 12 };

#define USUAL_WIDTH 420
#define USUAL_HEIGHT 330
#define LEAST_SIZE 100
#define MOST_SIZE 5000

cr_status cr_figure_new(cr_figure **out, cr_error *err)
{
    if ((*out = cr__alloc_zero(1, sizeof **out)) == NULL)
        return cr__fail_memory(err);
    (*out)->width = USUAL_WIDTH;
    (*out)->height = USUAL_HEIGHT;
    return CR_OK;
}

void cr_figure_free(cr_figure *figure)
{
    if (figure == NULL)
        return;
    for (size_t i = 0; i < figure->panels; i++) {
        cr__canvas_free(figure->panel[i]);
        cr__free(figure->panel[i]);
    }
    cr__free(figure->panel);
    cr__free(figure->title);
    cr__buffer_free(&figure->drawn);
    cr__free(figure);
}

cr_status cr_figure_layout(cr_figure *figure, double width, double height, size_t columns,
                           cr_error *err)
{
    if (!(width >= LEAST_SIZE && width <= MOST_SIZE && height >= LEAST_SIZE && height <= MOST_SIZE))
        return cr__fail(err, CR_EARG, "a panel of %g by %g points; it must be between %d and %d",
                        width, height, LEAST_SIZE, MOST_SIZE);
    figure->width = width;
    figure->height = height;
    figure->columns = columns;
    return CR_OK;
}

cr__canvas *cr__panel_begin(cr_figure *figure, double width, double height, const char *title)
{
    cr__canvas *canvas = cr__alloc_zero(1, sizeof *canvas);

    if (canvas == NULL ||
        !cr__grow(&figure->panel, &figure->capacity, figure->panels + 1, sizeof *figure->panel)) {
        cr__free(canvas);
        return NULL;
    }
    canvas->width = width;
    canvas->height = height;
    if (figure->title == NULL && title != NULL &&
        (figure->title = cr__strndup(title, strlen(title))) == NULL)
        canvas->failed = 1;
    return canvas;
}

cr_status cr__panel_end(cr_figure *figure, cr__canvas *canvas, cr_error *err)
{
    if (canvas == NULL || canvas->failed) {
        if (canvas != NULL)
            cr__canvas_free(canvas);
        cr__free(canvas);
        return cr__fail_memory(err);
    }
    figure->panel[figure->panels++] = canvas;
    return CR_OK;
}

/* --- layout --------------------------------------------------------------------------------- */

/* Up to three in a row; four, or more than six, make a square. */
static size_t columns_of(const cr_figure *figure)
{
    size_t columns = 1;

    if (figure->columns > 0)
        return figure->columns < figure->panels ? figure->columns : figure->panels;
    if (figure->panels <= 3 || figure->panels == 5 || figure->panels == 6)
        return figure->panels <= 3 ? figure->panels : 3;
    while (columns * columns < figure->panels)
        columns++;
    return columns;
}

/* Each column is as wide as its widest panel and each row as high as its highest. */
static void place(const cr_figure *figure, cr__placed *placed, cr__page *page)
{
    const size_t columns = columns_of(figure);
    double x = 0, y = 0;

    for (size_t i = 0; i < figure->panels; i++)
        placed[i] = (cr__placed){.canvas = figure->panel[i]};
    for (size_t c = 0; c < columns; c++) {
        double widest = 0;

        for (size_t i = c; i < figure->panels; i += columns) {
            placed[i].x = x;
            widest = widest > figure->panel[i]->width ? widest : figure->panel[i]->width;
        }
        page->width = x + widest;
        x = page->width + GAP;
    }
    for (size_t first = 0; first < figure->panels; first += columns) {
        double highest = 0;

        for (size_t i = first; i < first + columns && i < figure->panels; i++) {
            placed[i].y = y;
            highest = highest > figure->panel[i]->height ? highest : figure->panel[i]->height;
        }
        page->height = y + highest;
        y = page->height + GAP;
    }
}

/* --- out -------------------------------------------------------------------------------------- */

cr_picture_form cr_picture_form_of(const char *path)
{
    static const struct {
        const char *suffix;
        cr_picture_form form;
    } forms[] = {{".svg", CR_PICTURE_SVG},
                 {".png", CR_PICTURE_PNG},
                 {".pdf", CR_PICTURE_PDF},
                 {".txt", CR_PICTURE_TERMINAL}};
    const size_t length = strlen(path);

    if (strcmp(path, "-") == 0)
        return CR_PICTURE_TERMINAL;
    for (size_t i = 0; i < sizeof forms / sizeof *forms; i++)
        if (length > 4 && strcasecmp(path + length - 4, forms[i].suffix) == 0)
            return forms[i].form;
    return CR_PICTURE_AUTO;
}

static cr_status draw(const cr__page *page, const cr_picture *how, cr__buffer *out, cr_error *err)
{
    switch (how->form) {
    case CR_PICTURE_PNG: return cr__page_png(page, how->scale > 0 ? how->scale : 2, out, err);
    case CR_PICTURE_PDF: return cr__page_pdf(page, out, err);
    case CR_PICTURE_TERMINAL: return cr__page_terminal(page, how, out, err);
    default: cr__page_svg(page, out); return CR_OK;
    }
}

cr_status cr_figure_draw(cr_figure *figure, const cr_picture *how, const char **bytes, size_t *size,
                         cr_error *err)
{
    const cr_picture svg = {.form = CR_PICTURE_SVG};
    cr__page page = {.title = figure->title, .panels = figure->panels};
    cr__placed *placed;
    cr_status st;

    *bytes = NULL;
    *size = 0;
    if (figure->panels == 0)
        return cr__fail(err, CR_EARG, "the figure has no panel");
    if ((placed = cr__alloc(figure->panels, sizeof *placed)) == NULL)
        return cr__fail_memory(err);
    place(figure, placed, &page);
    page.panel = placed;
    cr__buffer_free(&figure->drawn);
    st = draw(&page, how == NULL ? &svg : how, &figure->drawn, err);
    cr__free(placed);
    cr__buffer_addc(&figure->drawn, '\0');
    if (st == CR_OK && figure->drawn.failed)
        st = cr__fail_memory(err);
    if (st == CR_OK) {
        *bytes = figure->drawn.data;
        *size = figure->drawn.size - 1;
    }
    return st;
}

cr_status cr_figure_save(cr_figure *figure, const char *path, const cr_picture *how, cr_error *err)
{
    cr_picture chosen = how == NULL ? (cr_picture){0} : *how;
    cr__writer *writer = NULL;
    const char *bytes;
    size_t size;
    cr_status st;

    if (chosen.form == CR_PICTURE_AUTO)
        chosen.form = cr_picture_form_of(path);
    if (chosen.form == CR_PICTURE_AUTO) {
        cr__fail(err, CR_EARG, "%s: what kind of picture is that?", path);
        return cr__fail_hint(err, CR_EARG, "the name ends in .svg, .png, .pdf or .txt");
    }
    if ((st = cr_figure_draw(figure, &chosen, &bytes, &size, err)) != CR_OK ||
        (st = cr__writer_open(&writer, path, err)) != CR_OK)
        return st;
    if ((st = cr__writer_write(writer, bytes, size, err)) == CR_OK)
        return cr__writer_commit(writer, err);
    cr__writer_abandon(writer);
    return st;
}
