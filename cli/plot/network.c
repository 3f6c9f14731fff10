/* cli/plot/network.c - credence plot network: nodes and arcs, thicker where they matter more. */
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "credence/network.h"
#include "out/out.h"
#include "plot/plot.h"
#include "session/reserve.h"
#include "session/session.h"

/* A model file, or a network in a format of its own. */
static int open_network(plot *p, cr_model **model)
{
    const char *path = p->r->operands[1];
    cr_error err = {0};
    cr_status status;

    if (!cr_network_recognise(path))
        return open_model(model, p->r, 1);
    status = cr_network_read(model, path, NULL, &err);
    return status == CR_OK ? EXIT_DONE : complain(status, &err);
}

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

static cr_arc *find_arcs(const cr_model *model, size_t nodes, size_t *count)
{
    cr_arc *arc = NULL;
    size_t room = 0, parent;

    *count = 0;
    for (size_t n = 0; n < nodes; n++)
        for (size_t i = 0; (parent = cr_network_parent(model, n, i)) != SIZE_MAX; i++) {
            if (*count == room)
                arc = reserve_more(arc, room = room != 0 ? 2 * room : 64, sizeof *arc);
            arc[(*count)++] = (cr_arc){parent, n, influence(model, n, i), NULL};
        }
    return arc;
}

static void json_network(json *j, const char **name, size_t nodes, const cr_arc *arc, size_t arcs)
{
    json_array(j, "nodes", JSON_BLOCK);
    for (size_t i = 0; i < nodes; i++)
        json_text(j, NULL, name[i]);
    json_end(j);
    json_array(j, "arcs", JSON_BLOCK);
    for (size_t i = 0; i < arcs; i++) {
        json_object(j, NULL, JSON_LINE);
        json_text(j, "from", name[arc[i].from]);
        json_text(j, "to", name[arc[i].to]);
        json_number(j, "influence", arc[i].strength);
        json_end(j);
    }
    json_end(j);
}

int plot_network(plot *p)
{
    cr_model *model = NULL;
    int code = open_network(p, &model);
    size_t nodes = code == EXIT_DONE ? cr_network_nodes(model) : 0, arcs = 0;
    const char **name = reserve(nodes + 1, sizeof *name);
    cr_arc *arc = NULL;
    char *title;
    cr_error err = {0};

    if (code == EXIT_DONE && nodes == 0)
        code = misuse("learners of networks, and .bif files, have one", "%s is no network",
                      p->r->operands[1]);
    if (code == EXIT_DONE) {
        for (size_t i = 0; i < nodes; i++)
            name[i] = cr_structure_node(model, i);
        arc = find_arcs(model, nodes, &arcs);
        title = plot_title(p->r, "%s", p->r->operands[1]);
        code = panel_added(cr_figure_add_network(p->figure, title,
                                                 &(cr_network_picture){name, nodes, arc, arcs,
                                                                       cr_structure_target(model)},
                                                 &err),
                           &err);
        free(title);
    }
    if (code == EXIT_DONE && p->r->json)
        json_network(&p->j, name, nodes, arc, arcs);
    free(arc);
    free(name);
    cr_model_free(model);
    return code;
}
