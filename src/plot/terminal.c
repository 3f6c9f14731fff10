/* plot/terminal.c - a page in characters: Braille dots for lines, blocks for areas.
 *
 * Each character is 2 by 4 dots. A cell stores its dots, its background, and a letter, which hides
 * the dots. Panels are sized so that their letters are about as wide as a character when the panel
 * is 80 characters wide: the display list needs no other layout.
 */
#include <math.h>
#include <string.h>

#include "base/memory.h"
#include "plot/page.h"
#include "text/utf8.h"

enum { USUAL_COLUMNS = 80, MOST_COLUMNS = 1000, MOST_ROWS = 2000, ACROSS = 2, DOWN = 4 };

#define SHAPE_OF_CELL 2.1 /* height of a character divided by its width */

typedef struct cell {
    uint32_t letter;          /* 0: none */
    unsigned char dots, area; /* of lines; of areas that cover the cell in part */
    cr__colour ink, ground;   /* of both; an alpha of 0: the terminal's own */
} cell;

typedef struct screen {
    cell *cells;
    size_t columns, rows;
    double wide, high; /* of a cell in points */
    int colours;
} screen;

/* Braille dots are numbered down the left column, then the right, and the lowest two come last. */
static unsigned char dot_bit(size_t x, size_t y)
{
    static const unsigned char bit[DOWN][ACROSS] = {{1, 8}, {2, 16}, {4, 32}, {64, 128}};

    return bit[y % DOWN][x % ACROSS];
}

static cell *cell_at(const screen *s, double x, double y)
{
    const double column = floor(x / s->wide), row = floor(y / s->high);

    if (!(column >= 0 && column < (double)s->columns && row >= 0 && row < (double)s->rows))
        return NULL;
    return &s->cells[(size_t)row * s->columns + (size_t)column];
}

static void put_dot(screen *s, double x, double y, cr__colour ink)
{
    cell *at = cell_at(s, x, y);

    if (at == NULL)
        return;
    at->dots |= dot_bit((size_t)(x / s->wide * ACROSS), (size_t)(y / s->high * DOWN));
    at->ink = ink;
}

/* Grid lines would hide more than they show. */
static int faint(cr__colour colour)
{
    return (colour & 255) < 64 ||
           (colour >> 24 & 255) + (colour >> 16 & 255) + (colour >> 8 & 255) > 600;
}

/* Whether a place on a dashed line is drawn. */
static int inked(const cr__pen *pen, double along)
{
    size_t count;
    const double *length = cr__dash_lengths(pen->dash, &count);
    double period = 0;

    for (size_t i = 0; i < count; i++)
        period += length[i] * pen->width;
    if (count == 0)
        return 1;
    along = fmod(along, period);
    for (size_t i = 0; i < count; i++)
        if ((along -= length[i] * pen->width) < 0)
            return i % 2 == 0;
    return 1;
}

/* *along is how long the line already is, for its dashes. */
static void put_line(screen *s, const cr__pen *pen, cr__point a, cr__point b, double *along)
{
    const double length = hypot(b.x - a.x, b.y - a.y);
    const double step = fmin(s->wide / ACROSS, s->high / DOWN) / 2;
    const double count = fmin(ceil(length / step), 1e6);

    for (double i = 0; i <= count; i++) {
        const double share = count > 0 ? i / count : 0;

        if (inked(pen, *along + share * length))
            put_dot(s, a.x + share * (b.x - a.x), a.y + share * (b.y - a.y), pen->stroke);
    }
    *along += length;
}

/* --- areas ------------------------------------------------------------------------------------ */

typedef int (*inside)(const cr__shape *s, const cr__point *point, double x, double y);

static int inside_rect(const cr__shape *s, const cr__point *point, double x, double y)
{
    (void)point;
    return x >= s->x && x < s->x + s->w && y >= s->y && y < s->y + s->h;
}

static int inside_ellipse(const cr__shape *s, const cr__point *point, double x, double y)
{
    const double u = (x - s->x) / s->w, v = (y - s->y) / s->h;

    (void)point;
    return u * u + v * v < 1;
}

/* Even-odd rule: how many edges a ray to the right crosses. */
static int inside_path(const cr__shape *s, const cr__point *point, double x, double y)
{
    int in = 0;

    for (size_t i = 0, j = s->count - 1; i < s->count; j = i++)
        if ((point[i].y > y) != (point[j].y > y) &&
            x < (point[j].x - point[i].x) * (y - point[i].y) / (point[j].y - point[i].y) +
                    point[i].x)
            in = !in;
    return in;
}

/* A covered cell has a background; one covered in part keeps its dots. */
static void fill_cell(const screen *s, cell *at, size_t column, size_t row, inside in,
                      const cr__shape *shape, const cr__point *point)
{
    unsigned char covered = 0;

    for (size_t y = 0; y < DOWN; y++)
        for (size_t x = 0; x < ACROSS; x++)
            if (in(shape, point, ((double)(column * ACROSS + x) + 0.5) * s->wide / ACROSS,
                   ((double)(row * DOWN + y) + 0.5) * s->high / DOWN))
                covered |= dot_bit(x, y);
    if (covered == 0)
        return;
    if ((covered | at->area) == 255) { /* alone, or with the neighbour it touches here */
        const double share = (shape->pen.fill & 255) / 255.0;

        at->ground = cr__colour_mix((at->ground & 255) != 0 ? at->ground : CR__WHITE,
                                    shape->pen.fill | 255, share);
        at->area = at->dots = 0;
    } else {
        at->area |= covered;
        if (at->dots == 0)
            at->ink = shape->pen.fill | 255;
    }
}

static void put_area(screen *s, inside in, const cr__shape *shape, const cr__point *point,
                     const double box[4])
{
    const double left = fmax(floor(box[0] / s->wide), 0), top = fmax(floor(box[1] / s->high), 0);

    if ((shape->pen.fill & 255) == 0 || shape->pen.fill == CR__WHITE)
        return;
    for (size_t row = (size_t)top; row < s->rows && (double)row * s->high <= box[3]; row++)
        for (size_t column = (size_t)left;
             column < s->columns && (double)column * s->wide <= box[2]; column++)
            fill_cell(s, &s->cells[row * s->columns + column], column, row, in, shape, point);
}

/* --- shapes ----------------------------------------------------------------------------------- */

static void put_path(screen *s, const cr__shape *shape, const cr__point *point)
{
    double box[4] = {INFINITY, INFINITY, -INFINITY, -INFINITY}, along = 0;

    for (size_t i = 0; i < shape->count; i++) {
        box[0] = fmin(box[0], point[i].x);
        box[1] = fmin(box[1], point[i].y);
        box[2] = fmax(box[2], point[i].x);
        box[3] = fmax(box[3], point[i].y);
    }
    if (shape->closed)
        put_area(s, inside_path, shape, point, box);
    if (faint(shape->pen.stroke))
        return;
    for (size_t i = 0; i + 1 < shape->count; i += shape->kind == CR__SEGMENTS ? 2 : 1)
        put_line(s, &shape->pen, point[i], point[i + 1], &along);
    if (shape->closed)
        put_line(s, &shape->pen, point[shape->count - 1], point[0], &along);
}

static void put_rect(screen *s, const cr__shape *shape)
{
    const double right = shape->x + shape->w, low = shape->y + shape->h;
    const cr__point corner[] = {
        {shape->x, shape->y}, {right, shape->y}, {right, low}, {shape->x, low}};
    cr__shape outline = *shape;

    put_area(s, inside_rect, shape, NULL, (double[]){shape->x, shape->y, right, low});
    outline.count = 4;
    outline.closed = 1;
    outline.kind = CR__PATH;
    outline.pen.fill = CR__NO_COLOUR;
    put_path(s, &outline, corner);
}

static void put_ellipse(screen *s, const cr__shape *shape)
{
    enum { POINTS = 48 };
    cr__point point[POINTS];
    cr__shape outline = *shape;

    put_area(s, inside_ellipse, shape, NULL,
             (double[]){shape->x - shape->w, shape->y - shape->h, shape->x + shape->w,
                        shape->y + shape->h});
    for (size_t i = 0; i < POINTS; i++) {
        const double angle = 2 * M_PI * (double)i / POINTS;

        point[i] = (cr__point){shape->x + shape->w * cos(angle), shape->y + shape->h * sin(angle)};
    }
    outline.kind = CR__PATH;
    outline.count = POINTS;
    outline.closed = 1;
    outline.pen.fill = CR__NO_COLOUR;
    put_path(s, &outline, point);
}

static void put_mark(screen *s, const cr__shape *shape)
{
    static const uint32_t sign[CR__MARKS] = {0x25cf, 0x25b2, 0x25a0, 0x25c6,
                                             0x00d7, '+',    0x25cb, 0x25bc};
    cell *at = cell_at(s, shape->x, shape->y);

    if (at == NULL)
        return;
    at->letter = sign[shape->mark];
    at->ink = (shape->pen.stroke & 255) != 0 && shape->pen.stroke != CR__WHITE ? shape->pen.stroke
                                                                               : shape->pen.fill;
}

/* Letters in a row, or one below the other for text that runs upwards. A text that would hide
 * another one is left out. */
static void put_text(screen *s, const cr__shape *shape)
{
    const char *end = shape->text + strlen(shape->text);
    size_t letters = 0, i = 0;
    uint32_t point;
    double x = shape->x, y = shape->y - 0.35 * shape->h;

    for (const char *p = shape->text; p < end; p = cr__utf8_next(p, end, &point))
        letters++;
    if (shape->upright) {
        x -= 0.35 * shape->h;
        y = shape->y + (shape->anchor == CR__MIDDLE ? -(double)letters / 2 + 0.5 : 0.5) * s->high;
    } else {
        x = (floor(x / s->wide) + 0.5 -
             (shape->anchor == CR__MIDDLE ? floor((double)letters / 2)
              : shape->anchor == CR__END  ? (double)letters
                                          : 0)) *
            s->wide;
        x = fmax(x, 0.5 * s->wide); /* the beginning of a name is more useful than its end */
    }
    for (int wet = 0; wet <= 1; wet++, i = 0)
        for (const char *p = shape->text; p < end; i++) {
            cell *at = cell_at(s, x + (shape->upright ? 0 : (double)i * s->wide),
                               y + (shape->upright ? (double)i * s->high : 0));

            p = cr__utf8_next(p, end, &point);
            if (at != NULL && !wet && at->letter != 0 && at->letter != ' ')
                return;
            if (at == NULL || !wet)
                continue;
            at->letter = point < 32 || (point >= 127 && point < 160) ? 0xfffd : point;
            at->ink = shape->pen.fill == CR__WHITE ? CR__WHITE : CR__NO_COLOUR;
        }
}

static void put_cells(screen *s, const cr__shape *shape, const cr__colour *colour)
{
    for (size_t row = 0; row < s->rows; row++)
        for (size_t column = 0; column < s->columns; column++) {
            const double x = (((double)column + 0.5) * s->wide - shape->x) / shape->w,
                         y = (((double)row + 0.5) * s->high - shape->y) / shape->h;
            cell *at = &s->cells[row * s->columns + column];

            if (x >= 0 && x < 1 && y >= 0 && y < 1) {
                at->ground = colour[(size_t)(y * (double)shape->rows) * shape->columns +
                                    (size_t)(x * (double)shape->columns)];
                at->dots = at->area = 0;
            }
        }
}

static void put_shape(screen *s, const cr__canvas *canvas, const cr__shape *shape)
{
    switch (shape->kind) {
    case CR__PATH:
    case CR__SEGMENTS: put_path(s, shape, canvas->point + shape->first); break;
    case CR__RECT: put_rect(s, shape); break;
    case CR__ELLIPSE: put_ellipse(s, shape); break;
    case CR__SIGN: put_mark(s, shape); break;
    case CR__TEXT: put_text(s, shape); break;
    case CR__CELLS: put_cells(s, shape, canvas->colour + shape->first); break;
    }
}

/* --- out -------------------------------------------------------------------------------------- */

/* The nearest of the 6 by 6 by 6 colours of a terminal with 256. */
static int cube(cr__colour colour)
{
    int index = 16;

    for (int i = 0, weight = 36; i < 3; i++, weight /= 6) {
        const int level = (int)(colour >> (24 - 8 * i) & 255);

        index += weight * (level < 48 ? 0 : level < 115 ? 1 : (level - 35) / 40);
    }
    return index;
}

static void put_colour(cr__buffer *out, const screen *s, int ground, cr__colour colour)
{
    if ((colour & 255) == 0)
        cr__buffer_printf(out, "\033[%d9m", ground ? 4 : 3);
    else if (s->colours > 256)
        cr__buffer_printf(out, "\033[%d8;2;%u;%u;%um", ground ? 4 : 3, colour >> 24 & 255,
                          colour >> 16 & 255, colour >> 8 & 255);
    else
        cr__buffer_printf(out, "\033[%d8;5;%dm", ground ? 4 : 3, cube(colour));
}

/* Without colours the background is a shade. */
static uint32_t shade(cr__colour ground)
{
    static const uint32_t block[] = {' ', 0x2591, 0x2592, 0x2593, 0x2588};
    const double dark =
        1 - (0.2126 * (double)(ground >> 24 & 255) + 0.7152 * (double)(ground >> 16 & 255) +
             0.0722 * (double)(ground >> 8 & 255)) /
                255;

    return (ground & 255) == 0 ? ' '
                               : block[dark < 0.06   ? 0
                                       : dark < 0.3  ? 1
                                       : dark < 0.5  ? 2
                                       : dark < 0.75 ? 3
                                                     : 4];
}

static uint32_t letter_of(const screen *s, const cell *at)
{
    if (at->letter != 0)
        return at->letter;
    if (at->dots != 0)
        return 0x2800u + at->dots;
    if (at->area != 0 && (at->ground & 255) == 0)
        return 0x2800u + at->area;
    return s->colours > 0 ? ' ' : shade(at->ground);
}

/* Nothing visible is to the right of the last letter. */
static size_t used_columns(const screen *s, const cell *row)
{
    size_t used = s->columns;

    while (used > 0 && letter_of(s, &row[used - 1]) == ' ' &&
           (s->colours == 0 || (row[used - 1].ground & 255) == 0))
        used--;
    return used;
}

static void put_row(cr__buffer *out, const screen *s, const cell *row)
{
    const size_t used = used_columns(s, row);
    cr__colour ink = CR__NO_COLOUR, ground = CR__NO_COLOUR;
    char bytes[4];

    for (size_t i = 0; i < used; i++) {
        cr__colour wanted = row[i].ink;

        if ((row[i].ground & 255) != 0 && (wanted & 255) == 0)
            wanted = CR__BLACK;
        else if ((row[i].ground & 255) == 0 && (wanted >> 8) < 0x333333 && !(wanted >> 8 & 0xff))
            wanted = CR__NO_COLOUR; /* black on what may be a black terminal */
        if (s->colours > 0 && wanted != ink)
            put_colour(out, s, 0, ink = wanted);
        if (s->colours > 0 && row[i].ground != ground)
            put_colour(out, s, 1, ground = row[i].ground);
        cr__buffer_add(out, bytes, cr__utf8_put(bytes, letter_of(s, &row[i])));
    }
    cr__buffer_adds(out, s->colours > 0 && used > 0 ? "\033[0m\n" : "\n");
}

static cr_status put_panel(const cr__canvas *canvas, const cr_picture *how, cr__buffer *out,
                           cr_error *err)
{
    screen s = {.columns = how->columns > 0 ? how->columns : USUAL_COLUMNS,
                .colours = how->colours};

    s.columns = s.columns < MOST_COLUMNS ? s.columns : MOST_COLUMNS;
    s.wide = canvas->width / (double)s.columns;
    s.high = s.wide * SHAPE_OF_CELL;
    s.rows = (size_t)fmin(ceil(canvas->height / s.high), MOST_ROWS);
    if ((s.cells = cr__alloc_zero(s.columns * s.rows, sizeof *s.cells)) == NULL)
        return cr__fail_memory(err);
    for (size_t i = 0; i < canvas->shapes; i++)
        put_shape(&s, canvas, &canvas->shape[i]);
    for (size_t row = 0; row < s.rows; row++)
        put_row(out, &s, s.cells + row * s.columns);
    cr__free(s.cells);
    return CR_OK;
}

cr_status cr__page_terminal(const cr__page *page, const cr_picture *how, cr__buffer *out,
                            cr_error *err)
{
    cr_status st = CR_OK;

    for (size_t i = 0; st == CR_OK && i < page->panels; i++)
        st = put_panel(page->panel[i].canvas, how, out, err);
    return st;
}
