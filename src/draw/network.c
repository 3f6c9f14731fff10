/* draw/network.c - nodes and arcs of a network, thicker where they matter more. */
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/buffer.h"
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

/* Free it even after a failure. */
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

/* --- beliefs ---------------------------------------------------------------------------------- */

enum { LINES_MOST = 8, LINE_ROOM = 64 };

/* The lines of all nodes, in one block. */
typedef struct beliefs {
    cr_answer *answer;
    cr_node_lines *lines; /* [nodes] */
    const char **text;    /* [LINES_MOST] of each */
    double *share;
    char *number; /* [LINE_ROOM] of each, for texts that are made */
} beliefs;

static void beliefs_free(beliefs *b)
{
    cr_answer_free(b->answer);
    cr__free(b->lines);
    cr__free(b->text);
    cr__free(b->share);
    cr__free(b->number);
}

/* The values of a variable, the last line saying how many more there are; of a number, mean and
 * deviation. */
static void fill_lines(beliefs *b, size_t node, const cr_query_variable *v)
{
    const size_t shown = v->values <= LINES_MOST ? v->values : LINES_MOST - 1;
    const char **text = b->text + node * LINES_MOST;
    double *share = b->share + node * LINES_MOST;
    char *made = b->number + node * LINE_ROOM;
    size_t lines = shown;

    for (size_t i = 0; i < shown; i++) {
        text[i] = v->value[i];
        share[i] = v->p[i];
    }
    if (v->values == 0)
        snprintf(made, LINE_ROOM, isnan(v->mean) ? "a number" : "%.4g ± %.3g", v->mean,
                 v->deviation);
    else if (shown < v->values)
        snprintf(made, LINE_ROOM, "%zu more values", v->values - shown);
    if (shown < v->values || v->values == 0) {
        text[lines] = made;
        share[lines++] = NAN;
    }
    b->lines[node] = (cr_node_lines){.lines = lines,
                                     .text = text,
                                     .share = share,
                                     .marked = v->given && v->state < shown ? v->state : SIZE_MAX,
                                     .first_hue = SIZE_MAX};
}

/* P(* | condition) for the nodes of a network. Free it even after a failure. */
static cr_status beliefs_of(beliefs *b, const graph *g, const cr_model *model,
                            const char *condition, cr_error *err)
{
    const size_t shift = strlen("P(* | ");
    cr__buffer text = {0};
    cr_status st;

    *b = (beliefs){0};
    cr__buffer_printf(&text, condition[0] == '\0' ? "P(*%s)" : "P(* | %s)", condition);
    cr__buffer_addc(&text, '\0');
    st = text.failed ? cr__fail_memory(err) : cr_query_run(model, text.data, &b->answer, err);
    cr__buffer_free(&text);
    if (st != CR_OK) {
        if (err != NULL)
            err->column = err->column > shift ? err->column - shift : 0;
        return st;
    }
    if ((b->lines = cr__alloc_zero(g->nodes, sizeof *b->lines)) == NULL ||
        (b->text = cr__alloc_zero(g->nodes * LINES_MOST, sizeof *b->text)) == NULL ||
        (b->share = cr__alloc_zero(g->nodes * LINES_MOST, sizeof *b->share)) == NULL ||
        (b->number = cr__alloc_zero(g->nodes, LINE_ROOM)) == NULL)
        return cr__fail_memory(err);
    for (size_t i = 0; i < b->answer->variables; i++)
        for (size_t n = 0; n < g->nodes; n++)
            if (b->lines[n].lines == 0 && strcmp(g->name[n], b->answer->about[i].name) == 0) {
                fill_lines(b, n, &b->answer->about[i]);
                break;
            }
    return CR_OK;
}

cr_status cr_draw_beliefs(cr_figure *f, const char *title, const cr_model *model,
                          const char *condition, cr_error *err)
{
    beliefs b = {0};
    graph g;
    cr_status st = graph_of(&g, model, err);

    if (st == CR_OK && condition != NULL)
        st = beliefs_of(&b, &g, model, condition, err);
    if (st == CR_OK)
        st = cr_figure_add_network(f, title,
                                   &(cr_network_picture){g.name, g.nodes, g.arc, g.arcs,
                                                         cr_structure_target(model), b.lines},
                                   err);
    beliefs_free(&b);
    graph_free(&g);
    return st;
}

cr_status cr_draw_network(cr_figure *f, const char *title, const cr_model *model, cr_error *err)
{
    return cr_draw_beliefs(f, title, model, NULL, err);
}

/* What the bars show: the probability of each value of each node. */
static void beliefs_json(cr_json *j, const cr_answer *a)
{
    cr_json_array(j, "beliefs", CR_JSON_BLOCK);
    for (size_t i = 0; i < a->variables; i++) {
        const cr_query_variable *v = &a->about[i];

        cr_json_object(j, NULL, CR_JSON_LINE);
        cr_json_text(j, "node", v->name);
        if (v->values == 0) {
            cr_json_number(j, "mean", v->mean);
            cr_json_number(j, "deviation", v->deviation);
        } else {
            cr_json_object(j, "distribution", CR_JSON_LINE);
            for (size_t k = 0; k < v->values; k++)
                cr_json_number(j, v->value[k], v->p[k]);
            cr_json_end(j);
        }
        cr_json_end(j);
    }
    cr_json_end(j);
}

cr_status cr__network_numbers(cr_json *j, const cr_model *model, const char *condition,
                              cr_error *err)
{
    beliefs b = {0};
    graph g;
    cr_status st = graph_of(&g, model, err);

    if (st == CR_OK && condition != NULL)
        st = beliefs_of(&b, &g, model, condition, err);
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
        if (condition != NULL)
            beliefs_json(j, b.answer);
    }
    beliefs_free(&b);
    graph_free(&g);
    return st;
}
