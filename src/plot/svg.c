/* plot/svg.c - a page as SVG 1.1, the same bytes on every machine.
 *
 * Coordinates are rounded to hundredths of a point, which no printer resolves and which hides
 * differences in the last digit between mathematical libraries. Text stays text, in the first
 * available font of the list. The file refers to nothing outside itself.
 */
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "base/memory.h"
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

/* Cells of a row that have one colour, and the first cell of all that has it. */
typedef struct run {
    size_t row, from, to, first;
    cr__colour colour;
} run;

static int by_cell(const run *a, const run *b)
{
    return a->row != b->row ? (a->row < b->row ? -1 : 1)
                            : (a->from > b->from) - (a->from < b->from);
}

static int by_colour(const void *pa, const void *pb)
{
    const run *a = pa, *b = pb;

    return a->colour != b->colour ? (a->colour < b->colour ? -1 : 1) : by_cell(a, b);
}

static int by_first(const void *pa, const void *pb)
{
    const run *a = pa, *b = pb;

    return a->first != b->first ? (a->first < b->first ? -1 : 1) : by_cell(a, b);
}

/* All runs that show, those of one colour together, colours in the order in which they appear. */
static run *find_runs(const cr__shape *s, const cr__colour *cell, size_t *count)
{
    run *found = cr__alloc(s->count, sizeof *found);

    *count = 0;
    for (size_t row = 0; found != NULL && row < s->rows; row++)
        for (size_t from = 0, to; from < s->columns; from = to) {
            const cr__colour *at = cell + row * s->columns;

            for (to = from + 1; to < s->columns && at[to] == at[from];)
                to++;
            if ((at[from] & 255) != 0)
                found[(*count)++] = (run){row, from, to, 0, at[from]};
        }
    if (found == NULL)
        return NULL;
    qsort(found, *count, sizeof *found, by_colour);
    for (size_t i = 0; i < *count; i++)
        found[i].first = i > 0 && found[i].colour == found[i - 1].colour
                             ? found[i - 1].first
                             : found[i].row * s->columns + found[i].from;
    qsort(found, *count, sizeof *found, by_first);
    return found;
}

/* A factor in millionths, which over a thousand cells is a tenth of a hundredth of a point. */
static void put_factor(cr__buffer *out, double x)
{
    const long millionths = lround(x * 1e6);

    cr__buffer_printf(out, "%ld.%06ld", millionths / 1000000, millionths % 1000000);
}

/* Each colour as a single path: "M x y h width v1 h -width z" for each run. A cell is a unit of the
 * group, so that all numbers are whole, and no gap shows between neighbours. */
static void put_cells(cr__buffer *out, const cr__shape *s, const cr__colour *cell)
{
    size_t count;
    run *found = find_runs(s, cell, &count);

    cr__buffer_adds(out, "<g shape-rendering=\"crispEdges\" transform=\"translate(");
    put_length(out, s->x);
    cr__buffer_addc(out, ' ');
    put_length(out, s->y);
    cr__buffer_adds(out, ") scale(");
    put_factor(out, s->w / (double)s->columns);
    cr__buffer_addc(out, ' ');
    put_factor(out, s->h / (double)s->rows);
    cr__buffer_adds(out, ")\">\n");
    for (size_t i = 0; found != NULL && i < count; i++) {
        const run *r = &found[i];
        const size_t width = r->to - r->from;

        if (i == 0 || r->first != r[-1].first)
            cr__buffer_adds(out, "<path d=\"");
        cr__buffer_printf(out, "M%zu %zuh%zuv1h-%zuz", r->from, r->row, width, width);
        if (i + 1 == count || r->first != r[1].first) {
            cr__buffer_addc(out, '"');
            put_colour(out, "fill", r->colour);
            cr__buffer_adds(out, "/>\n");
        }
    }
    cr__buffer_adds(out, "</g>\n");
    out->failed |= found == NULL;
    cr__free(found);
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
