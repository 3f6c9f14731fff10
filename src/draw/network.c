/* draw/network.c - nodes and arcs of a network, thicker where they matter more. */
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "base/fail.h"
#include "base/memory.h"
#include "credence/network.h"
#include "draw/draw.h"

/* Half the sum of |P(state | one) - P(state | other)|: how far two rows of a table are apart. */
static double distance(const double *one, const double *other, size_t states)
{
    double sum = 0;

    for (size_t s = 0; s < states; s++)
        sum += fabs(one[s] - other[s]);
    return sum / 2;
}

/* What a parent means to a node: the largest distance of the node's distributions for two of the
 * parent's states, averaged over the states of the other parents (J. Koiter's strength of
 * influence, 2006). Rows are ordered with the last parent's states fastest. */
static double influence(const cr_model *model, size_t node, size_t index)
{
    const size_t states = cr_structure_states(model, node);
    const size_t own = cr_structure_states(model, cr_network_parent(model, node, index));
    size_t cells = 0, step = 1, others, parent;
    const double *table = cr_network_table(model, node, &cells);
    double sum = 0;

    for (size_t i = index + 1; (parent = cr_network_parent(model, node, i)) != SIZE_MAX; i++)
        step *= cr_structure_states(model, parent);
    if (table == NULL || states == 0 || own == 0 || cells % (states * own) != 0)
        return 0;
    others = cells / states / own;
    for (size_t k = 0; k < others; k++) {
        const size_t base = k / step * step * own + k % step;
        double most = 0;

        for (size_t a = 0; a < own; a++)
            for (size_t b = a + 1; b < own; b++)
                most = fmax(most, distance(table + (base + a * step) * states,
                                           table + (base + b * step) * states, states));
        sum += most;
    }
    return sum / (double)others;
}

/* A network's names and arcs. */
typedef struct graph {
    const char **name; /* [nodes] */
    cr_arc *arc;       /* [arcs] */
    size_t nodes, arcs;
} graph;

static void graph_free(graph *g)
{
    cr__free(g->name);
    cr__free(g->arc);
}

/* To be freed after a failure too. */
static cr_status graph_of(graph *g, const cr_model *model, cr_error *err)
{
    size_t room = 0, parent;

    *g = (graph){.nodes = cr_network_nodes(model)};
    if (g->nodes == 0)
        return cr__fail(err, CR_EARG, "the model is no network");
    if ((g->name = cr__alloc(g->nodes, sizeof *g->name)) == NULL)
        return cr__fail_memory(err);
    for (size_t n = 0; n < g->nodes; n++) {
        g->name[n] = cr_structure_node(model, n);
        for (size_t i = 0; (parent = cr_network_parent(model, n, i)) != SIZE_MAX; i++) {
            if (!cr__grow(&g->arc, &room, g->arcs + 1, sizeof *g->arc))
                return cr__fail_memory(err);
            g->arc[g->arcs++] = (cr_arc){parent, n, influence(model, n, i), NULL};
        }
    }
    return CR_OK;
}

cr_status cr_draw_network(cr_figure *f, const char *title, const cr_model *model, cr_error *err)
{
    graph g;
    cr_status st = graph_of(&g, model, err);

    if (st == CR_OK)
        st = cr_figure_add_network(
            f, title,
            &(cr_network_picture){g.name, g.nodes, g.arc, g.arcs, cr_structure_target(model)}, err);
    graph_free(&g);
    return st;
}

cr_status cr__network_numbers(cr_json *j, const cr_model *model, cr_error *err)
{
    graph g;
    cr_status st = graph_of(&g, model, err);

    if (st == CR_OK) {
        cr_json_array(j, "nodes", CR_JSON_BLOCK);
        for (size_t i = 0; i < g.nodes; i++)
            cr_json_text(j, NULL, g.name[i]);
        cr_json_end(j);
        cr_json_array(j, "arcs", CR_JSON_BLOCK);
        for (size_t i = 0; i < g.arcs; i++) {
            cr_json_object(j, NULL, CR_JSON_LINE);
            cr_json_text(j, "from", g.name[g.arc[i].from]);
            cr_json_text(j, "to", g.name[g.arc[i].to]);
            cr_json_number(j, "influence", g.arc[i].strength);
            cr_json_end(j);
        }
        cr_json_end(j);
    }
    graph_free(&g);
    return st;
}
