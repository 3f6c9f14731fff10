/* render/network_json.c - a Bayesian network as JSON: variables, arcs, the cost of exact inference.
 */
#include "base/fail.h"
#include "base/memory.h"
#include "render/model_json.h"

#define FIELDS(list) list, CR__COUNT_OF(list)
#define COST(member, key, meaning) CR__HIDDEN(cr_network_cost, member, CR__DOUBLE, key, meaning)

static const cr__field cost_fields[] = {
    COST(largest, "largest_clique", "cells of the largest clique"),
    COST(cells, "cells", "of all cliques"),
    COST(bytes, "bytes", "that they take"),
    COST(operations, "operations", "of one question"),
};

static void names_json(cr__model_view *v, const char *key, size_t node,
                       size_t (*next)(const cr_model *, size_t, size_t))
{
    size_t other;

    cr_json_array(&v->json, key, CR_JSON_LINE);
    for (size_t i = 0; (other = next(v->model, node, i)) != SIZE_MAX; i++)
        cr_json_text(&v->json, NULL, cr_structure_node(v->model, other));
    cr_json_end(&v->json);
}

/* The states of a symbol, or the weights of a Gaussian. */
static void node_json(cr__model_view *v, size_t node, int with_table)
{
    size_t cells = 0, weights = 0;
    const double *table = cr_network_table(v->model, node, &cells);
    const double *number = cr_network_weights(v->model, node, &weights);

    cr_json_text(&v->json, "name", cr_structure_node(v->model, node));
    if (number == NULL) {
        cr_json_array(&v->json, "states", CR_JSON_LINE);
        for (size_t k = 0; k < cr_structure_states(v->model, node); k++)
            cr_json_text(&v->json, NULL, cr_structure_state(v->model, node, k));
        cr_json_end(&v->json);
    }
    names_json(v, "parents", node, cr_network_parent);
    names_json(v, "children", node, cr_network_child);
    if (with_table && number == NULL)
        cr_json_numbers(&v->json, "table", table, cells);
    else if (with_table)
        cr_json_numbers(&v->json, "weights", number, weights);
}

static cr_status detail_json(cr__model_view *v, size_t node)
{
    size_t *blanket = cr__alloc(cr_network_nodes(v->model), sizeof *blanket), count;

    if (blanket == NULL)
        return CR_ENOMEM;
    count = cr_network_blanket(v->model, node, blanket);
    cr_json_object(&v->json, "node", CR_JSON_BLOCK);
    node_json(v, node, 1);
    cr_json_array(&v->json, "markov_blanket", CR_JSON_LINE);
    for (size_t i = 0; i < count; i++)
        cr_json_text(&v->json, NULL, cr_structure_node(v->model, blanket[i]));
    cr_json_end(&v->json);
    cr_json_end(&v->json);
    cr__free(blanket);
    return CR_OK;
}

static size_t count_arcs(const cr_model *model)
{
    size_t arcs = 0;

    for (size_t i = 0; i < cr_network_nodes(model); i++)
        for (size_t k = 0; cr_network_parent(model, i, k) != SIZE_MAX; k++)
            arcs++;
    return arcs;
}

static cr_status write_network(cr__model_view *v, const cr_network_cost *cost, size_t node)
{
    const size_t target = cr_structure_target(v->model), nodes = cr_network_nodes(v->model);
    cr_json *j = &v->json;
    cr_status st = CR_OK;

    cr_json_object(j, NULL, CR_JSON_BLOCK);
    cr_json_text(j, "model", v->how.name);
    cr_json_text(j, "learner", cr_model_learner(v->model));
    cr_json_text(j, "target", target == SIZE_MAX ? NULL : cr_structure_node(v->model, target));
    cr_json_number(j, "variables", (double)nodes);
    cr_json_number(j, "arcs", (double)count_arcs(v->model));
    cr_json_number(j, "parameters", v->facts.parameters);
    cr_json_object(j, "exact", CR_JSON_LINE);
    cr__fields_json(j, FIELDS(cost_fields), cost);
    cr_json_end(j);
    if (node != SIZE_MAX)
        st = detail_json(v, node);
    cr_json_array(j, "nodes", CR_JSON_BLOCK);
    for (size_t i = 0; i < nodes; i++) {
        cr_json_object(j, NULL, CR_JSON_LINE);
        node_json(v, i, 0);
        cr_json_end(j);
    }
    cr_json_end(j);
    cr_json_end(j);
    return st;
}

static cr_status unknown_node(const cr__model_view *v, cr_error *err)
{
    cr_nearest n = {.wanted = v->how.node};

    for (size_t i = 0; i < cr_network_nodes(v->model); i++)
        cr_nearest_offer(&n, cr_structure_node(v->model, i));
    cr__fail(err, CR_EARG, "the network has no variable '%s'", v->how.node);
    if (n.best != NULL)
        cr__fail_hint(err, CR_EARG, "did you mean '%s'?", n.best);
    return CR_EARG;
}

cr_status cr__network_json(cr__model_view *v, const cr_run *run, cr_error *err)
{
    const size_t node = v->how.node == NULL ? cr_structure_target(v->model)
                                            : cr_structure_find(v->model, v->how.node);
    cr_network *network = NULL;
    cr_network_cost cost;
    cr_status st;

    if (v->how.node != NULL && node == SIZE_MAX)
        return unknown_node(v, err);
    st = cr_network_open(&network, v->model, run, err);
    if (st == CR_OK)
        st = cr_network_estimate(network, &cost, err);
    cr_network_close(network);
    if (st == CR_OK && write_network(v, &cost, node) != CR_OK)
        st = cr__fail_memory(err);
    return st;
}
