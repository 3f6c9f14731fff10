/* plot/svg.c - a page as SVG 1.1, the same bytes on every machine.
 *
 * Coordinates are rounded to hundredths of a point, which no printer resolves and which hides
 * differences in the last digit between mathematical libraries. Text stays text, in the first
 * available font of the list. The file refers to nothing outside itself.
 */
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "plot/letters.h"
#include "plot/page.h"
#include "text/utf8.h"

/* A length with at most two decimals and no locale. */
static void put_length(cr__buffer *out, double x)
{
    const long hundredths = lround(fmin(fmax(x, -1e9), 1e9) * 100);
    const long whole = labs(hundredths) / 100, rest = labs(hundredths) % 100;

    cr__buffer_printf(out, "%s%ld", hundredths < 0 ? "-" : "", whole);
    if (rest != 0)
        cr__buffer_printf(out, rest % 10 == 0 ? ".%ld" : ".%02ld",
                          rest % 10 == 0 ? rest / 10 : rest);
}

static void put_attribute(cr__buffer *out, const char *name, double x)
{
    cr__buffer_printf(out, " %s=\"", name);
    put_length(out, x);
    cr__buffer_addc(out, '"');
}

/* A length in points: without a unit it would be pixels, and letters a quarter too small. */
static void put_points(cr__buffer *out, const char *name, double x)
{
    cr__buffer_printf(out, " %s=\"", name);
    put_length(out, x);
    cr__buffer_adds(out, "pt\"");
}

/* Characters that XML does not allow become U+FFFD. */
static void put_text(cr__buffer *out, const char *text)
{
    const char *end = text + strlen(text);
    char bytes[4];
    uint32_t point;

    while (text < end) {
        text = cr__utf8_next(text, end, &point);
        if (point < 32 || point == 127 || point == 0xfffe || point == 0xffff)
            point = 0xfffd;
        if (point == '&' || point == '<' || point == '>' || point == '"')
            cr__buffer_adds(out, point == '&'   ? "&amp;"
                                 : point == '<' ? "&lt;"
                                 : point == '>' ? "&gt;"
                                                : "&quot;");
        else
            cr__buffer_add(out, bytes, cr__utf8_put(bytes, point));
    }
}

static void put_colour(cr__buffer *out, const char *name, cr__colour colour)
{
    const unsigned alpha = colour & 255;

    if (alpha == 0) {
        cr__buffer_printf(out, " %s=\"none\"", name);
        return;
    }
    cr__buffer_printf(out, " %s=\"#%06x\"", name, colour >> 8);
    if (alpha < 255) {
        cr__buffer_printf(out, " %s-opacity=\"", name);
        put_length(out, alpha / 255.0);
        cr__buffer_addc(out, '"');
    }
}

static void put_pen(cr__buffer *out, const cr__pen *pen)
{
    size_t count;
    const double *length = cr__dash_lengths(pen->dash, &count);

    put_colour(out, "fill", pen->fill);
    if ((pen->stroke & 255) == 0)
        return;
    put_colour(out, "stroke", pen->stroke);
    put_attribute(out, "stroke-width", pen->width);
    for (size_t i = 0; i < count; i++) {
        cr__buffer_adds(out, i == 0 ? " stroke-dasharray=\"" : " ");
        put_length(out, length[i] * pen->width);
    }
    if (count > 0)
        cr__buffer_addc(out, '"');
}

static void put_point(cr__buffer *out, char command, double x, double y)
{
    cr__buffer_addc(out, command);
    put_length(out, x);
    cr__buffer_addc(out, ' ');
    put_length(out, y);
}

static void put_path(cr__buffer *out, const cr__shape *s, const cr__point *point)
{
    cr__buffer_adds(out, "<path d=\"");
    for (size_t i = 0; i < s->count; i++) {
        const int begins = s->kind == CR__SEGMENTS ? i % 2 == 0 : i == 0;

        put_point(out, begins ? 'M' : 'L', point[i].x, point[i].y);
    }
    cr__buffer_adds(out, s->closed ? "Z\"" : "\"");
    put_pen(out, &s->pen);
    cr__buffer_adds(out, "/>\n");
}

static void put_rect(cr__buffer *out, const cr__shape *s)
{
    cr__buffer_adds(out, "<rect");
    put_attribute(out, "x", s->x);
    put_attribute(out, "y", s->y);
    put_attribute(out, "width", s->w);
    put_attribute(out, "height", s->h);
    put_pen(out, &s->pen);
    cr__buffer_adds(out, "/>\n");
}

static void put_ellipse(cr__buffer *out, const cr__shape *s)
{
    cr__buffer_adds(out, "<ellipse");
    put_attribute(out, "cx", s->x);
    put_attribute(out, "cy", s->y);
    put_attribute(out, "rx", s->w);
    put_attribute(out, "ry", s->h);
    put_pen(out, &s->pen);
    cr__buffer_adds(out, "/>\n");
}

static void put_mark(cr__buffer *out, const cr__shape *s)
{
    cr__point outline[8];
    int segments;
    const size_t count = cr__mark_outline(s->mark, outline, &segments);
    cr__shape drawn = *s;

    drawn.kind = segments ? CR__SEGMENTS : CR__PATH;
    drawn.count = count;
    drawn.closed = !segments;
    for (size_t i = 0; i < count; i++)
        outline[i] = (cr__point){s->x + outline[i].x * s->h, s->y + outline[i].y * s->h};
    if (count == 0)
        put_ellipse(out, s);
    else
        put_path(out, &drawn, outline);
}

static void put_words(cr__buffer *out, const cr__shape *s)
{
    static const char *const anchor[] = {"", " text-anchor=\"middle\"", " text-anchor=\"end\""};

    cr__buffer_adds(out, "<text");
    put_attribute(out, "x", s->x);
    put_attribute(out, "y", s->y);
    put_attribute(out, "font-size", s->h);
    cr__buffer_adds(out, anchor[s->anchor]);
    if (s->bold)
        cr__buffer_adds(out, " font-weight=\"bold\"");
    put_colour(out, "fill", s->pen.fill);
    if (s->upright) {
        cr__buffer_adds(out, " transform=\"rotate(-90 ");
        put_length(out, s->x);
        cr__buffer_addc(out, ' ');
        put_length(out, s->y);
        cr__buffer_adds(out, ")\"");
    }
    cr__buffer_addc(out, '>');
    put_text(out, s->text);
    cr__buffer_adds(out, "</text>\n");
}

static void put_to(cr__buffer *out, char command, double x)
{
    cr__buffer_addc(out, command);
    put_length(out, x);
}

/* The runs of one colour as a single path: "M x y H right V below H x z" each. The next run begins
 * where this one ends, rounded in the same way, so that no gap shows. */
static void put_cells_of(cr__buffer *out, const cr__shape *s, const cr__colour *cell,
                         cr__colour colour)
{
    const double w = s->w / (double)s->columns, h = s->h / (double)s->rows;

    cr__buffer_adds(out, "<path d=\"");
    for (size_t row = 0; row < s->rows; row++)
        for (size_t from = 0, to; from < s->columns; from = to) {
            for (to = from + 1;
                 to < s->columns && cell[row * s->columns + to] == cell[row * s->columns + from];)
                to++;
            if (cell[row * s->columns + from] != colour)
                continue;
            put_point(out, 'M', s->x + (double)from * w, s->y + (double)row * h);
            put_to(out, 'H', s->x + (double)to * w);
            put_to(out, 'V', s->y + (double)(row + 1) * h);
            put_to(out, 'H', s->x + (double)from * w);
            cr__buffer_addc(out, 'z');
        }
    cr__buffer_addc(out, '"');
    put_colour(out, "fill", colour);
    cr__buffer_adds(out, "/>\n");
}

static void put_cells(cr__buffer *out, const cr__shape *s, const cr__colour *cell)
{
    cr__buffer_adds(out, "<g shape-rendering=\"crispEdges\">\n");
    for (size_t i = 0; i < s->count; i++) {
        size_t before = 0;

        while (before < i && cell[before] != cell[i])
            before++;
        if (before == i && (cell[i] & 255) != 0)
            put_cells_of(out, s, cell, cell[i]);
    }
    cr__buffer_adds(out, "</g>\n");
}

static void put_shape(cr__buffer *out, const cr__canvas *canvas, const cr__shape *s)
{
    switch (s->kind) {
    case CR__PATH:
    case CR__SEGMENTS: put_path(out, s, canvas->point + s->first); break;
    case CR__RECT: put_rect(out, s); break;
    case CR__ELLIPSE: put_ellipse(out, s); break;
    case CR__SIGN: put_mark(out, s); break;
    case CR__TEXT: put_words(out, s); break;
    case CR__CELLS: put_cells(out, s, canvas->colour + s->first); break;
    }
}

static void put_panel(cr__buffer *out, const cr__placed *panel)
{
    cr__buffer_adds(out, "<g transform=\"translate(");
    put_length(out, panel->x);
    cr__buffer_addc(out, ' ');
    put_length(out, panel->y);
    cr__buffer_adds(out, ")\">\n");
    for (size_t i = 0; i < panel->canvas->shapes; i++)
        put_shape(out, panel->canvas, &panel->canvas->shape[i]);
    cr__buffer_adds(out, "</g>\n");
}

void cr__page_svg(const cr__page *page, cr__buffer *out)
{
    cr__buffer_adds(out, "<svg xmlns=\"http://www.w3.org/2000/svg\"");
    put_points(out, "width", page->width);
    put_points(out, "height", page->height);
    cr__buffer_adds(out, " viewBox=\"0 0 ");
    put_length(out, page->width);
    cr__buffer_addc(out, ' ');
    put_length(out, page->height);
    cr__buffer_adds(out, "\" role=\"img\" font-family=\"" CR__FONTS "\""
                         " stroke-linecap=\"round\" stroke-linejoin=\"round\">\n");
    if (page->title != NULL) {
        cr__buffer_adds(out, "<title>");
        put_text(out, page->title);
        cr__buffer_adds(out, "</title>\n");
    }
    put_rect(out, &(cr__shape){.pen = {.fill = CR__WHITE}, .w = page->width, .h = page->height});
    for (size_t i = 0; i < page->panels; i++)
        put_panel(out, &page->panel[i]);
    cr__buffer_adds(out, "</svg>\n");
}
