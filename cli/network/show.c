/* cli/network/show.c - show a Bayesian network: nodes, arcs, the cost of exact inference. */
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "network/network.h"
#include "out/out.h"
#include "out/json.h"
#include "out/table.h"
#include "out/text.h"
#include "session/reserve.h"
#include "session/session.h"
#include "show/show.h"

enum { NODES_SHOWN = 40, ROWS_SHOWN = 64 };

/* What there is to show. */
typedef struct view {
    const request *r;
    const cr_model *model;
    size_t nodes, arcs;
    cr_model_facts facts;
    cr_network_cost cost;
    size_t *blanket; /* of the node that is shown; */
    size_t in_blanket;
    size_t node; /* SIZE_MAX: none */
} view;

/* The names of the nodes that next() lists. Free them. */
static char *name_list(const view *v, size_t node, size_t (*next)(const cr_model *, size_t, size_t))
{
    char *list = reserve(1, 1);
    size_t used = 0, other;

    list[0] = '\0';
    for (size_t i = 0; (other = next(v->model, node, i)) != SIZE_MAX; i++) {
        const char *name = cr_structure_node(v->model, other);
        const size_t length = strlen(name);

        list = reserve_more(list, used + length + 3, 1);
        used += (size_t)snprintf(list + used, length + 3, "%s%s", i > 0 ? ", " : "", name);
    }
    return list;
}

/* --- for people ------------------------------------------------------------------------------ */

static table *node_table(const view *v, size_t most)
{
    table *t = table_new();

    table_column(t, "variable", TABLE_WHOLE);
    table_column(t, "states", TABLE_RIGHT);
    table_column(t, "parents", TABLE_LEFT);
    for (size_t i = 0; i < v->nodes && i < most; i++) {
        char *parents = name_list(v, i, cr_network_parent);

        table_text(t, cr_structure_node(v->model, i));
        if (cr_network_weights(v->model, i, &(size_t){0}) != NULL)
            table_text(t, "number");
        else
            table_number(t, number_plain, (double)cr_structure_states(v->model, i));
        table_text(t, parents);
        free(parents);
    }
    return t;
}

static void show_facts(const view *v)
{
    char a[NUMBER_ROOM], b[NUMBER_ROOM], c[NUMBER_ROOM], d[NUMBER_ROOM];

    printf("%s: %s\n", v->r->operands[0], cr_model_title(v->model));
    printf("%zu variable%s, %zu arc%s, %s parameters\n", v->nodes, plural(v->nodes), v->arcs,
           plural(v->arcs), number_plain(a, v->facts.parameters));
    printf("Exact inference without evidence: the largest clique has %s cells, all have %s; "
           "%s, about %s operations\n",
           number_short(a, v->cost.largest), number_short(b, v->cost.cells),
           number_bytes(c, (uint64_t)fmin(v->cost.bytes, 1e18)),
           number_short(d, v->cost.operations));
}

static bool is_number(const view *v, size_t node)
{
    return cr_network_weights(v->model, node, &(size_t){0}) != NULL;
}

/* Headings of a table: the discrete parents; then the states, or the columns of a numeric node. */
static size_t table_head(const view *v, table *t)
{
    const size_t states = cr_structure_states(v->model, v->node);
    size_t parents = 0, parent;

    for (; (parent = cr_network_parent(v->model, v->node, parents)) != SIZE_MAX; parents++)
        if (!is_number(v, parent))
            table_column(t, cr_structure_node(v->model, parent), TABLE_LEFT);
    if (!is_number(v, v->node)) {
        for (size_t k = 0; k < states; k++)
            table_column(t, cr_structure_state(v->model, v->node, k), TABLE_RIGHT);
        return parents;
    }
    table_column(t, "intercept", TABLE_RIGHT);
    for (size_t i = 0; i < parents; i++) {
        char *name;

        parent = cr_network_parent(v->model, v->node, i);
        if (!is_number(v, parent))
            continue;
        name = reserve(strlen(cr_structure_node(v->model, parent)) + 8, 1);
        sprintf(name, "× %s", cr_structure_node(v->model, parent));
        table_column(t, name, TABLE_RIGHT);
        free(name);
    }
    table_column(t, "deviation", TABLE_RIGHT);
    return parents;
}

/* The rows of a node's table: the parents' states, and P of each state or the numeric columns. */
static void show_table(const view *v, size_t most)
{
    size_t cells, weights, *state;
    const double *p = cr_network_table(v->model, v->node, &cells);
    const double *line = cr_network_weights(v->model, v->node, &weights);
    const size_t rows = cells / cr_structure_states(v->model, v->node);
    const size_t numbers = (line != NULL ? weights : cells) / rows;
    table *t = table_new();
    const size_t parents = table_head(v, t);

    state = reserve(parents + 1, sizeof *state);
    memset(state, 0, (parents + 1) * sizeof *state);
    for (size_t row = 0; row < rows && row < most; row++) {
        for (size_t i = 0; i < parents; i++) {
            const size_t parent = cr_network_parent(v->model, v->node, i);

            if (!is_number(v, parent))
                table_text(t, cr_structure_state(v->model, parent, state[i]));
        }
        for (size_t k = 0; k < numbers; k++)
            table_number(t, line != NULL ? number_plain : number_probability,
                         (line != NULL ? line : p)[row * numbers + k]);
        for (size_t i = parents; i-- > 0;) {
            if (++state[i] < cr_structure_states(v->model, cr_network_parent(v->model, v->node, i)))
                break;
            state[i] = 0;
        }
    }
    if (v->r->csv)
        table_csv(t);
    else
        table_print(t, 2, true);
    if (rows > most && !v->r->csv)
        printf("  ... %zu rows more; --all shows them\n", rows - most);
    table_free(t);
    free(state);
}

static void show_node(const view *v)
{
    char *parents = name_list(v, v->node, cr_network_parent);
    char *children = name_list(v, v->node, cr_network_child);

    printf("\n%s\n", cr_structure_node(v->model, v->node));
    out_line("  parents: %s", parents[0] != '\0' ? parents : "none");
    out_line("  children: %s", children[0] != '\0' ? children : "none");
    printf("  Markov blanket:");
    for (size_t i = 0; i < v->in_blanket; i++)
        printf("%s %s", i > 0 ? "," : "", cr_structure_node(v->model, v->blanket[i]));
    puts("");
    show_table(v, option_given(v->r, "all") ? SIZE_MAX : ROWS_SHOWN);
    free(parents);
    free(children);
}

static void show_people(const view *v)
{
    const size_t most = option_given(v->r, "all") ? SIZE_MAX : NODES_SHOWN;

    show_facts(v);
    if (v->node == SIZE_MAX || !option_given(v->r, "node")) {
        table *t = node_table(v, most);

        puts("");
        table_print(t, 0, true);
        table_free(t);
        if (v->nodes > most)
            printf("... %zu more; --all shows them\n", v->nodes - most);
    }
    if (v->node != SIZE_MAX)
        show_node(v);
}

/* --- the verb's part -------------------------------------------------------------------------- */

static int find_node(view *v)
{
    const char *name = option_text(v->r, "node");
    cr_nearest n = {.wanted = name};
    char hint[300];

    v->node = name == NULL ? cr_structure_target(v->model) : cr_structure_find(v->model, name);
    if (name == NULL || v->node != SIZE_MAX)
        return EXIT_DONE;
    for (size_t i = 0; i < v->nodes; i++)
        cr_nearest_offer(&n, cr_structure_node(v->model, i));
    snprintf(hint, sizeof hint, "did you mean '%s'?", n.best == NULL ? "" : n.best);
    return misuse(n.best == NULL ? NULL : hint, "the network has no variable '%s'", name);
}

int network_show(const request *r, const cr_model *model)
{
    view v = {.r = r, .model = model, .nodes = cr_network_nodes(model)};
    cr_network *network = NULL;
    cr_error err = {0};
    cr_status status;
    int code = r->json ? show_json(r, model, 0) : find_node(&v);

    if (code != EXIT_DONE || r->json)
        return code;
    status = cr_network_open(&network, model, &r->run, &err);
    if (status == CR_OK)
        status = cr_network_estimate(network, &v.cost, &err);
    cr_network_close(network);
    if (status != CR_OK)
        return complain(status, &err);
    cr_model_get_facts(model, &v.facts);
    for (size_t i = 0; i < v.nodes; i++)
        for (size_t k = 0; cr_network_parent(model, i, k) != SIZE_MAX; k++)
            v.arcs++;
    v.blanket = reserve(v.nodes, sizeof *v.blanket);
    if (v.node != SIZE_MAX)
        v.in_blanket = cr_network_blanket(model, v.node, v.blanket);
    if (r->csv && option_given(r, "node")) {
        show_table(&v, SIZE_MAX);
    } else if (r->csv) {
        table *t = node_table(&v, SIZE_MAX);

        table_csv(t);
        table_free(t);
    } else {
        show_people(&v);
    }
    free(v.blanket);
    return EXIT_DONE;
}
