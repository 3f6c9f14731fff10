/* plot/cairo.c - a page as PNG or PDF, drawn by the cairo library.
 *
 * Letters may be wider in the machine's font than in the table used for the layout; such a text is
 * narrowed to the room it was given.
 */
#include "plot/page.h"

#ifndef CREDENCE_HAVE_CAIRO

static cr_status absent(cr_error *err)
{
    cr__fail(err, CR_EARG, "this build draws neither PNG nor PDF");
    return cr__fail_hint(err, CR_EARG, "write .svg, or build with cairo (Debian: libcairo2-dev)");
}

cr_status cr__page_png(const cr__page *page, double scale, cr__buffer *out, cr_error *err)
{
    (void)page, (void)scale, (void)out;
    return absent(err);
}

cr_status cr__page_pdf(const cr__page *page, cr__buffer *out, cr_error *err)
{
    (void)page, (void)out;
    return absent(err);
}

#else

#include <cairo-pdf.h>
#include <cairo.h>
#include <math.h>

#include "base/library.h"
#include "plot/letters.h"

#define MOST_PIXELS 30000

#define FUNCTIONS(X)                                                                               \
    X(arc)                                                                                         \
    X(close_path)                                                                                  \
    X(create)                                                                                      \
    X(destroy)                                                                                     \
    X(fill)                                                                                        \
    X(fill_preserve)                                                                               \
    X(image_surface_create)                                                                        \
    X(line_to) X(move_to) X(new_path) X(new_sub_path) X(paint) X(pdf_surface_create_for_stream)    \
        X(pdf_surface_set_metadata) X(rectangle) X(restore) X(rotate) X(save) X(scale)             \
            X(select_font_face) X(set_antialias) X(set_dash) X(set_font_size) X(set_line_cap)      \
                X(set_line_join) X(set_line_width) X(set_source_rgba) X(show_page) X(show_text)    \
                    X(status) X(status_to_string) X(stroke_preserve) X(surface_destroy)            \
                        X(surface_finish) X(surface_status) X(surface_write_to_png_stream)         \
                            X(text_extents) X(translate)

#define POINTER(name) __typeof__(cairo_##name) *name;

static struct {
    FUNCTIONS(POINTER)
} cairo;

static cr__library library = {CREDENCE_CAIRO, "cairo_", CR__NAMES(FUNCTIONS), &cairo, 0};

static void set_colour(cairo_t *c, cr__colour colour)
{
    cairo.set_source_rgba(c, (colour >> 24 & 255) / 255.0, (colour >> 16 & 255) / 255.0,
                          (colour >> 8 & 255) / 255.0, (colour & 255) / 255.0);
}

/* Fill and stroke the current path. */
static void ink(cairo_t *c, const cr__pen *pen)
{
    double length[8];
    size_t count;
    const double *dash = cr__dash_lengths(pen->dash, &count);

    if ((pen->fill & 255) != 0) {
        set_colour(c, pen->fill);
        cairo.fill_preserve(c);
    }
    if ((pen->stroke & 255) != 0) {
        for (size_t i = 0; i < count; i++)
            length[i] = dash[i] * pen->width;
        cairo.set_dash(c, length, (int)count, 0);
        cairo.set_line_width(c, pen->width);
        set_colour(c, pen->stroke);
        cairo.stroke_preserve(c);
    }
    cairo.new_path(c);
}

static void trace(cairo_t *c, const cr__point *point, size_t count, int segments, int closed)
{
    for (size_t i = 0; i < count; i++)
        if (segments ? i % 2 == 0 : i == 0)
            cairo.move_to(c, point[i].x, point[i].y);
        else
            cairo.line_to(c, point[i].x, point[i].y);
    if (closed)
        cairo.close_path(c);
}

static void trace_ellipse(cairo_t *c, double x, double y, double rx, double ry)
{
    cairo.save(c);
    cairo.translate(c, x, y);
    cairo.scale(c, fmax(rx, 1e-3), fmax(ry, 1e-3));
    cairo.new_sub_path(c);
    cairo.arc(c, 0, 0, 1, 0, 2 * M_PI);
    cairo.restore(c);
}

static void trace_mark(cairo_t *c, const cr__shape *s)
{
    cr__point outline[8];
    int segments;
    const size_t count = cr__mark_outline(s->mark, outline, &segments);

    for (size_t i = 0; i < count; i++)
        outline[i] = (cr__point){s->x + outline[i].x * s->h, s->y + outline[i].y * s->h};
    if (count == 0)
        trace_ellipse(c, s->x, s->y, s->h, s->h);
    else
        trace(c, outline, count, segments, !segments);
}

static void put_text(cairo_t *c, const cr__shape *s)
{
    static const double shift[] = {0, -0.5, -1};
    const double room = cr__text_width(s->text, s->h, s->bold);
    cairo_text_extents_t extents;

    cairo.save(c);
    cairo.select_font_face(c, "Helvetica", CAIRO_FONT_SLANT_NORMAL,
                           s->bold ? CAIRO_FONT_WEIGHT_BOLD : CAIRO_FONT_WEIGHT_NORMAL);
    cairo.set_font_size(c, s->h);
    cairo.text_extents(c, s->text, &extents);
    cairo.translate(c, s->x, s->y);
    if (s->upright)
        cairo.rotate(c, -M_PI / 2);
    if (extents.x_advance > room && room > 0)
        cairo.scale(c, room / extents.x_advance, 1);
    cairo.move_to(c, shift[s->anchor] * extents.x_advance, 0);
    set_colour(c, s->pen.fill);
    cairo.show_text(c, s->text);
    cairo.restore(c);
    cairo.new_path(c);
}

/* Edges are not antialiased, or gaps would show between neighbours. */
static void put_cells(cairo_t *c, const cr__shape *s, const cr__colour *cell)
{
    const double w = s->w / (double)s->columns, h = s->h / (double)s->rows;

    cairo.save(c);
    cairo.set_antialias(c, CAIRO_ANTIALIAS_NONE);
    for (size_t row = 0; row < s->rows; row++)
        for (size_t from = 0, to; from < s->columns; from = to) {
            const cr__colour colour = cell[row * s->columns + from];

            for (to = from + 1; to < s->columns && cell[row * s->columns + to] == colour;)
                to++;
            set_colour(c, colour);
            cairo.move_to(c, s->x + (double)from * w, s->y + (double)row * h);
            cairo.line_to(c, s->x + (double)to * w, s->y + (double)row * h);
            cairo.line_to(c, s->x + (double)to * w, s->y + (double)(row + 1) * h);
            cairo.line_to(c, s->x + (double)from * w, s->y + (double)(row + 1) * h);
            cairo.close_path(c);
            cairo.fill(c);
        }
    cairo.restore(c);
}

static void put_shape(cairo_t *c, const cr__canvas *canvas, const cr__shape *s)
{
    switch (s->kind) {
    case CR__PATH:
    case CR__SEGMENTS:
        trace(c, canvas->point + s->first, s->count, s->kind == CR__SEGMENTS, s->closed);
        break;
    case CR__RECT: cairo.rectangle(c, s->x, s->y, s->w, s->h); break;
    case CR__ELLIPSE: trace_ellipse(c, s->x, s->y, s->w, s->h); break;
    case CR__SIGN: trace_mark(c, s); break;
    case CR__TEXT: put_text(c, s); return;
    case CR__CELLS: put_cells(c, s, canvas->colour + s->first); return;
    }
    ink(c, &s->pen);
}

static void put_page(cairo_t *c, const cr__page *page)
{
    set_colour(c, CR__WHITE);
    cairo.paint(c);
    cairo.set_line_cap(c, CAIRO_LINE_CAP_ROUND);
    cairo.set_line_join(c, CAIRO_LINE_JOIN_ROUND);
    for (size_t i = 0; i < page->panels; i++) {
        const cr__canvas *canvas = page->panel[i].canvas;

        cairo.save(c);
        cairo.translate(c, page->panel[i].x, page->panel[i].y);
        for (size_t j = 0; j < canvas->shapes; j++)
            put_shape(c, canvas, &canvas->shape[j]);
        cairo.restore(c);
    }
}

static cairo_status_t take(void *context, const unsigned char *bytes, unsigned size)
{
    cr__buffer *out = context;

    cr__buffer_add(out, bytes, size);
    return out->failed ? CAIRO_STATUS_NO_MEMORY : CAIRO_STATUS_SUCCESS;
}

static cr_status status_of(cairo_status_t status, cr_error *err)
{
    if (status == CAIRO_STATUS_SUCCESS)
        return CR_OK;
    if (status == CAIRO_STATUS_NO_MEMORY)
        return cr__fail_memory(err);
    return cr__fail(err, CR_EIO, "the picture cannot be drawn: %s", cairo.status_to_string(status));
}

cr_status cr__page_png(const cr__page *page, double scale, cr__buffer *out, cr_error *err)
{
    const double width = ceil(page->width * scale), height = ceil(page->height * scale);
    cairo_surface_t *surface;
    cairo_t *c;
    cairo_status_t status;
    cr_status st;

    if (!(width >= 1 && width <= MOST_PIXELS && height >= 1 && height <= MOST_PIXELS)) {
        cr__fail(err, CR_ELIMIT, "a picture of %.0f by %.0f pixels; at most %d", width, height,
                 MOST_PIXELS);
        return cr__fail_hint(err, CR_ELIMIT, "SVG has no such limit");
    }
    if ((st = cr__library_open(&library, err)) != CR_OK)
        return st;
    surface = cairo.image_surface_create(CAIRO_FORMAT_RGB24, (int)width, (int)height);
    c = cairo.create(surface);
    cairo.scale(c, scale, scale);
    put_page(c, page);
    status = cairo.status(c);
    cairo.destroy(c);
    if (status == CAIRO_STATUS_SUCCESS)
        status = cairo.surface_write_to_png_stream(surface, take, out);
    cairo.surface_destroy(surface);
    return status_of(status, err);
}

cr_status cr__page_pdf(const cr__page *page, cr__buffer *out, cr_error *err)
{
    const cr_status st = cr__library_open(&library, err);
    cairo_surface_t *surface;
    cairo_t *c;
    cairo_status_t status;

    if (st != CR_OK)
        return st;
    surface = cairo.pdf_surface_create_for_stream(take, out, page->width, page->height);
    c = cairo.create(surface);
    if (page->title != NULL)
        cairo.pdf_surface_set_metadata(surface, CAIRO_PDF_METADATA_TITLE, page->title);
    put_page(c, page);
    cairo.show_page(c);
    status = cairo.status(c);
    cairo.destroy(c);
    cairo.surface_finish(surface);
    if (status == CAIRO_STATUS_SUCCESS)
        status = cairo.surface_status(surface);
    cairo.surface_destroy(surface);
    return status_of(status, err);
}

#endif
