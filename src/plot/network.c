/* plot/network.c - directed graphs, laid out by Graphviz's dot and drawn here.
 *
 * Only positions come from the library (S. North, E. Gansner et al., "A technique for drawing
 * directed graphs", 1993): the nodes' sizes are ours and the splines are flattened here, so a graph
 * looks like every other picture and needs no fonts.
 */
#include "plot/figure.h"

#include "base/fail.h"

#ifndef CREDENCE_HAVE_LIBGVC

cr_status cr_figure_add_network(cr_figure *figure, const char *title,
                                const cr_network_picture *network, cr_error *err)
{
    (void)figure, (void)title, (void)network;
    cr__fail(err, CR_EARG, "this build draws no network graphs");
    return cr__fail_hint(err, CR_EARG, "build with Graphviz (Debian: libgraphviz-dev)");
}

#else

#include <graphviz/gvc.h>
#include <math.h>
#include <pthread.h>
#include <stdio.h>

#include "base/library.h"
#include "base/memory.h"
#include "plot/letters.h"
#include "plot/palette.h"

enum { BEZIER_STEPS = 10, MOST_NODES = 5000, MARGIN = 14, TITLE_ROOM = 24 };

#define NAME_SIZE 10
#define NODE_HEIGHT 22
#define LINE_HEIGHT 13
#define LINE_SIZE 8.5
#define LINE_TEXT 90 /* at most */
#define BAR_WIDTH 60
#define SHARE_WIDTH 32

#define FUNCTIONS(X)                                                                               \
    X(agclose)                                                                                     \
    X(agedge)                                                                                      \
    X(agnode)                                                                                      \
    X(agopen) X(agsafeset) X(gvContext) X(gvFreeContext) X(gvFreeLayout) X(gvLayout) X(Agdirected)

#define POINTER(name) __typeof__(name) *name;

static struct {
    FUNCTIONS(POINTER)
} graphviz;

static cr__library library = {CREDENCE_LIBGVC, "", CR__NAMES(FUNCTIONS), &graphviz, 0};

/* The library keeps global state. */
static pthread_mutex_t one_at_a_time = PTHREAD_MUTEX_INITIALIZER;

typedef struct drawing {
    Agraph_t *graph;
    Agnode_t **node;
    Agedge_t **edge;
    const cr_network_picture *network;
} drawing;

static void set(void *object, const char *key, const char *value)
{
    graphviz.agsafeset(object, (char *)key, (char *)value, (char *)"");
}

/* The lines below the name of a node, or NULL. */
static const cr_node_lines *lines_of(const cr_network_picture *network, size_t node)
{
    return network->lines != NULL && network->lines[node].lines > 0 ? &network->lines[node] : NULL;
}

/* How wide the texts of the lines are. */
static double text_width(const cr_node_lines *l)
{
    char text[TITLE_ROOM * 4];
    double most = 0;

    for (size_t i = 0; i < l->lines; i++)
        most = fmax(most, cr__text_width(cr__text_fit(text, sizeof text, l->text[i], LINE_SIZE,
                                                      isnan(l->share[i]) ? 150 : LINE_TEXT),
                                         LINE_SIZE, 0));
    return most;
}

/* The room of bars and numbers; none where no line has one. */
static double bars_width(const cr_node_lines *l)
{
    for (size_t i = 0; i < l->lines; i++)
        if (!isnan(l->share[i]))
            return 6 + BAR_WIDTH + SHARE_WIDTH;
    return 0;
}

static double node_width(const cr_network_picture *network, size_t node)
{
    const cr_node_lines *l = lines_of(network, node);
    char text[TITLE_ROOM * 4];
    const double name = fmax(
        34,
        16 + cr__text_width(cr__text_fit(text, sizeof text, network->name[node], NAME_SIZE, 150),
                            NAME_SIZE, 0));

    return l == NULL ? name : fmax(name, text_width(l) + bars_width(l) + 14);
}

static double node_height(const cr_network_picture *network, size_t node)
{
    const cr_node_lines *l = lines_of(network, node);

    return l == NULL ? NODE_HEIGHT : NODE_HEIGHT + 4 + LINE_HEIGHT * (double)l->lines;
}

/* Numbers for the library are inches; they are written without the locale. */
static void set_inches(void *object, const char *key, double points)
{
    const long thousandths = lround(points * 1000 / POINTS_PER_INCH);
    char text[32];

    snprintf(text, sizeof text, "%ld.%03ld", thousandths / 1000, thousandths % 1000);
    set(object, key, text);
}

/* Graphviz keeps nodes by name, and names may repeat or be empty: numbers do not. */
static int build(drawing *d)
{
    char id[32];

    for (size_t i = 0; i < d->network->nodes; i++) {
        snprintf(id, sizeof id, "n%zu", i);
        if ((d->node[i] = graphviz.agnode(d->graph, id, 1)) == NULL)
            return 0;
        set(d->node[i], "label", "");
        set(d->node[i], "shape", "box");
        set(d->node[i], "fixedsize", "true");
        set_inches(d->node[i], "width", node_width(d->network, i));
        set_inches(d->node[i], "height", node_height(d->network, i));
    }
    for (size_t i = 0; i < d->network->arcs; i++) {
        snprintf(id, sizeof id, "e%zu", i);
        d->edge[i] = graphviz.agedge(d->graph, d->node[d->network->arc[i].from],
                                     d->node[d->network->arc[i].to], id, 1);
        if (d->edge[i] == NULL)
            return 0;
    }
    return 1;
}

/* --- drawing ---------------------------------------------------------------------------------- */

/* Convert the library's coordinates, which grow upwards, to the page's. */
static cr__point place(const drawing *d, const cr__canvas *canvas, pointf p)
{
    const boxf box = GD_bb(d->graph);

    return (cr__point){p.x - box.LL.x + (canvas->width - (box.UR.x - box.LL.x)) / 2,
                       box.UR.y - p.y + MARGIN + TITLE_ROOM};
}

static cr__point on_curve(const cr__point p[4], double t)
{
    const double s = 1 - t, a = s * s * s, b = 3 * s * s * t, c = 3 * s * t * t, e = t * t * t;

    return (cr__point){a * p[0].x + b * p[1].x + c * p[2].x + e * p[3].x,
                       a * p[0].y + b * p[1].y + c * p[2].y + e * p[3].y};
}

/* An arrowhead that begins where the line ends. */
static void put_head(cr__canvas *canvas, cr__colour colour, cr__point from, cr__point to)
{
    const double length = hypot(to.x - from.x, to.y - from.y), size = 10.5;
    const double ux = length > 0 ? (to.x - from.x) / length : 0,
                 uy = length > 0 ? (to.y - from.y) / length : 1;
    const cr__point head[] = {
        to,
        {to.x - size * ux + size * 0.36 * uy, to.y - size * uy - size * 0.36 * ux},
        {to.x - size * ux - size * 0.36 * uy, to.y - size * uy + size * 0.36 * ux}};

    cr__canvas_path(canvas, (cr__pen){.fill = colour}, head, 3, 1);
}

static void put_arc(const drawing *d, cr__canvas *canvas, size_t index)
{
    const cr_arc *arc = &d->network->arc[index];
    const double strength = fmin(fmax(arc->strength, 0), 1);
    const cr__pen pen = {.stroke = 0x555555ffu, .width = 0.9 + 2.6 * strength};
    const splines *spline = ED_spl(d->edge[index]);
    const bezier *curve = spline != NULL && spline->size > 0 ? &spline->list[0] : NULL;
    const size_t points = curve != NULL ? (size_t)curve->size : 0;
    cr__point piece[4], line[BEZIER_STEPS + 1], last;

    for (size_t i = 0; i + 3 < points; i += 3) {
        for (size_t j = 0; j < 4; j++)
            piece[j] = place(d, canvas, curve->list[i + j]);
        for (size_t j = 0; j <= BEZIER_STEPS; j++)
            line[j] = on_curve(piece, (double)j / BEZIER_STEPS);
        cr__canvas_path(canvas, pen, line, BEZIER_STEPS + 1, 0);
        last = piece[3];
        if (i + 6 >= points)
            put_head(canvas, pen.stroke, piece[2],
                     curve->eflag ? place(d, canvas, curve->ep) : last);
    }
    if (curve != NULL && arc->label != NULL) {
        const cr__point middle = place(d, canvas, curve->list[curve->size / 2]);
        const int falls = last.x > middle.x; /* to the right: the label is above the line */

        cr__canvas_text(canvas, (cr__text_style){.size = 8.5, .colour = CR__DIM},
                        middle.x + (falls ? 8 : 4), middle.y + (falls ? -1 : 3), arc->label);
    }
}

/* One value of a node: its name, the bar and the number. */
static void put_line(cr__canvas *canvas, const cr_node_lines *l, size_t i, double x, double y,
                     double names)
{
    const cr__text_style style = {.size = LINE_SIZE, .colour = CR__INK, .bold = i == l->marked};
    const cr__colour colour = l->first_hue == SIZE_MAX ? cr__tint(cr__hue(0), 0.75)
                                                       : cr__tint(cr__hue(l->first_hue + i), 0.75);
    cr__text_style number = style;
    char text[TITLE_ROOM * 4];

    cr__canvas_text(canvas, style, x, y + 9.5,
                    cr__text_fit(text, sizeof text, l->text[i], LINE_SIZE,
                                 isnan(l->share[i]) ? 150 : LINE_TEXT));
    if (isnan(l->share[i]))
        return;
    cr__canvas_rect(canvas, (cr__pen){.fill = 0xe4e4e4ffu}, x + names + 6, y + 2, BAR_WIDTH, 9);
    if (l->share[i] > 0)
        cr__canvas_rect(canvas, (cr__pen){.fill = i == l->marked ? CR__INK : colour}, x + names + 6,
                        y + 2, BAR_WIDTH * fmin(l->share[i], 1), 9);
    snprintf(text, sizeof text, "%.1f", 100 * l->share[i]);
    number.anchor = CR__END;
    cr__canvas_text(canvas, number, x + names + 6 + BAR_WIDTH + SHARE_WIDTH, y + 9.5, text);
}

static void put_node(const drawing *d, cr__canvas *canvas, size_t index)
{
    const cr__point at = place(d, canvas, ND_coord(d->node[index]));
    const cr_node_lines *l = lines_of(d->network, index);
    const double width = node_width(d->network, index), height = node_height(d->network, index);
    const double left = at.x - width / 2, top = at.y - height / 2;
    const int marked = index == d->network->marked || (l != NULL && l->marked != SIZE_MAX);
    const cr__pen pen = {.fill = marked ? cr__tint(cr__hue(0), 0.3) : 0xf6f6f6ffu,
                         .stroke = marked ? cr__hue(0) : CR__INK,
                         .width = marked ? 1.6 : 0.9};
    char text[TITLE_ROOM * 4];

    cr__canvas_rect(canvas, pen, left, top, width, height);
    cr__canvas_text(canvas,
                    (cr__text_style){.size = NAME_SIZE,
                                     .anchor = CR__MIDDLE,
                                     .colour = CR__INK,
                                     .bold = marked || l != NULL},
                    at.x, top + NODE_HEIGHT / 2.0 + 3.5,
                    cr__text_fit(text, sizeof text, d->network->name[index], NAME_SIZE, 150));
    for (size_t i = 0; l != NULL && i < l->lines; i++)
        put_line(canvas, l, i, left + 7, top + NODE_HEIGHT + LINE_HEIGHT * (double)i,
                 text_width(l));
}

static cr_status put_all(drawing *d, cr_figure *figure, const char *title, cr_error *err)
{
    const boxf box = GD_bb(d->graph);
    char text[256];
    cr__canvas *canvas =
        cr__panel_begin(figure, fmax(figure->width, box.UR.x - box.LL.x + 2 * MARGIN),
                        fmax(100, box.UR.y - box.LL.y + 2 * MARGIN + TITLE_ROOM), title);

    if (canvas == NULL)
        return cr__fail_memory(err);
    if (title != NULL)
        cr__canvas_text(canvas, (cr__text_style){.size = 11.5, .bold = 1, .colour = CR__INK}, 10,
                        19, cr__text_fit(text, sizeof text, title, 12.2, canvas->width - 20));
    for (size_t i = 0; i < d->network->arcs; i++)
        put_arc(d, canvas, i);
    for (size_t i = 0; i < d->network->nodes; i++)
        put_node(d, canvas, i);
    return cr__panel_end(figure, canvas, err);
}

static cr_status lay_out(drawing *d, cr_figure *figure, const char *title, cr_error *err)
{
    GVC_t *context = graphviz.gvContext();
    cr_status st = CR_ENOMEM;

    if (context != NULL)
        d->graph = graphviz.agopen((char *)"g", *graphviz.Agdirected, NULL);
    if (d->graph != NULL) {
        set(d->graph, "ranksep", "0.45");
        set(d->graph, "nodesep", "0.3");
        if (!build(d))
            st = cr__fail_memory(err);
        else if (graphviz.gvLayout(context, d->graph, "dot") != 0)
            st = cr__fail(err, CR_EIO, "the graph cannot be laid out");
        else
            st = put_all(d, figure, title, err);
        graphviz.gvFreeLayout(context, d->graph);
        graphviz.agclose(d->graph);
    }
    if (context != NULL)
        graphviz.gvFreeContext(context);
    return st == CR_ENOMEM ? cr__fail_memory(err) : st;
}

cr_status cr_figure_add_network(cr_figure *figure, const char *title,
                                const cr_network_picture *network, cr_error *err)
{
    drawing d = {.network = network};
    cr_status st;

    if (network->nodes == 0 || network->nodes > MOST_NODES)
        return cr__fail(err, CR_EARG, "a network of %zu nodes; 1 to %d can be drawn",
                        network->nodes, MOST_NODES);
    for (size_t i = 0; i < network->arcs; i++)
        if (network->arc[i].from >= network->nodes || network->arc[i].to >= network->nodes)
            return cr__fail(err, CR_EARG, "an arc leads to node %zu of %zu", network->arc[i].to,
                            network->nodes);
    if ((st = cr__library_open(&library, err)) != CR_OK)
        return st;
    d.node = cr__alloc(network->nodes, sizeof *d.node);
    d.edge = cr__alloc(network->arcs, sizeof *d.edge);
    if (d.node == NULL || d.edge == NULL) {
        st = cr__fail_memory(err);
    } else {
        pthread_mutex_lock(&one_at_a_time);
        st = lay_out(&d, figure, title, err);
        pthread_mutex_unlock(&one_at_a_time);
    }
    cr__free(d.node);
    cr__free(d.edge);
    return st;
}

#endif
