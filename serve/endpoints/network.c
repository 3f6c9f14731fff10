/* serve/endpoints/network.c - GET and POST /models/NAME/network…: Bayesian networks by their nodes.
 */
#include <math.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#include "endpoints/endpoints.h"
#include "json_list.h"

static cr_status need_network(call *k)
{
    const cr_model *model = view_model(k->view);

    if (cr_network_nodes(model) > 0)
        return CR_OK;
    return fail(k->err, CR_ECONFLICT, NULL, "a model of '%s' is not a Bayesian network",
                cr_model_learner(model));
}

/* --- the network ------------------------------------------------------------------------------ */

static void put_links(cr_json *j, const char *key, const cr_model *model, size_t node,
                      size_t (*link)(const cr_model *, size_t, size_t))
{
    size_t other;

    cr_json_array(j, key, CR_JSON_LINE);
    for (size_t i = 0; (other = link(model, node, i)) != SIZE_MAX; i++)
        cr_json_text(j, NULL, cr_structure_node(model, other));
    cr_json_end(j);
}

static void put_node(cr_json *j, const cr_model *model, size_t node)
{
    size_t cells = 0, weights = 0;
    const double *table = cr_network_table(model, node, &cells);
    const double *weight = cr_network_weights(model, node, &weights);

    cr_json_object(j, NULL, CR_JSON_BLOCK);
    cr_json_text(j, "name", cr_structure_node(model, node));
    cr_json_array(j, "states", CR_JSON_LINE);
    for (size_t s = 0; s < cr_structure_states(model, node); s++)
        cr_json_text(j, NULL, cr_structure_state(model, node, s));
    cr_json_end(j);
    put_links(j, "parents", model, node, cr_network_parent);
    put_links(j, "children", model, node, cr_network_child);
    if (table != NULL && weight == NULL)
        cr_json_numbers(j, "table", table, cells);
    if (weight != NULL)
        cr_json_numbers(j, "weights", weight, weights);
    cr_json_end(j);
}

cr_status show_network(call *k)
{
    const cr_model *model = view_model(k->view);
    const cr_status status = need_network(k);
    cr_json j;

    if (status != CR_OK)
        return status;
    cr_json_start(&j, k->answer->out);
    cr_json_object(&j, NULL, CR_JSON_BLOCK);
    cr_json_text(&j, "name", k->view->slot->name);
    cr_json_text(&j, "target",
                 cr_structure_target(model) == SIZE_MAX
                     ? NULL
                     : cr_structure_node(model, cr_structure_target(model)));
    cr_json_array(&j, "nodes", CR_JSON_BLOCK);
    for (size_t i = 0; i < cr_network_nodes(model); i++)
        put_node(&j, model, i);
    cr_json_end(&j);
    cr_json_end(&j);
    return CR_OK;
}

/* --- evidence --------------------------------------------------------------------------------- */

static cr_status find_node(call *k, const char *name, size_t *out)
{
    const cr_model *model = view_model(k->view);
    cr_nearest n = {.wanted = name};

    if ((*out = cr_structure_find(model, name)) != SIZE_MAX)
        return CR_OK;
    for (size_t i = 0; i < cr_network_nodes(model); i++)
        cr_nearest_offer(&n, cr_structure_node(model, i));
    return fail(k->err, CR_EARG, n.best, "the network has no node '%.100s'", name);
}

static cr_status find_state(call *k, size_t node, const char *name, size_t *out)
{
    const cr_model *model = view_model(k->view);

    for (*out = 0; *out < cr_structure_states(model, node); ++*out)
        if (strcmp(cr_structure_state(model, node, *out), name) == 0)
            return CR_OK;
    return fail(k->err, CR_EARG, NULL, "the node '%s' has no state '%.100s'",
                cr_structure_node(model, node), name);
}

/* {"node": "state"}, or [likelihood, …] of each state: soft evidence. */
static cr_status observe(call *k, cr_network *network, const cr_json_value *evidence)
{
    cr_status status = CR_OK;

    for (const cr_json_value *n = evidence != NULL ? evidence->child : NULL;
         n != NULL && status == CR_OK; n = n->next) {
        size_t node, state, count;
        double *likelihood;

        if (n->key == NULL)
            return fail(k->err, CR_EARG, NULL, "evidence is an object: {\"node\": \"state\"}");
        if (n->kind == CR_JSON_NULL)
            continue;
        if ((status = find_node(k, n->key, &node)) != CR_OK)
            return status;
        if (n->kind == CR_JSON_ARRAY) {
            likelihood = json_numbers(n, &count);
            status = likelihood == NULL || count != cr_structure_states(view_model(k->view), node)
                         ? fail(k->err, CR_EARG, NULL,
                                "'%.100s' needs a likelihood for each of its states", n->key)
                         : cr_network_soften(network, node, likelihood, k->err);
            free(likelihood);
        } else if (n->kind == CR_JSON_STRING) {
            if ((status = find_state(k, node, n->text, &state)) == CR_OK)
                status = cr_network_observe(network, node, state, k->err);
        } else {
            return fail(k->err, CR_EARG, NULL, "the state of '%.100s' must be a string", n->key);
        }
    }
    return status;
}

/* The body as a tree, and the network with its evidence. Free both. */
static cr_status open_question(call *k, const cr_json_value **body, cr_network **network)
{
    static const char none[] = "{}";
    const request *r = k->request;
    cr_status status = need_network(k);

    *network = NULL;
    *body = NULL;
    if (status == CR_OK)
        status =
            cr_json_parse(body, r->size > 0 ? r->body : none, r->size > 0 ? r->size : 2, k->err);
    if (status == CR_OK)
        status = cr_network_open(network, view_model(k->view), NULL, k->err);
    if (status == CR_OK)
        status = observe(k, *network, cr_json_get(*body, "evidence"));
    return status;
}

/* --- beliefs ---------------------------------------------------------------------------------- */

static void put_beliefs(cr_json *j, const cr_model *model, const double *p)
{
    cr_json_object(j, "beliefs", CR_JSON_BLOCK);
    for (size_t i = 0; i < cr_network_nodes(model); i++) {
        cr_json_object(j, cr_structure_node(model, i), CR_JSON_LINE);
        for (size_t s = 0; s < cr_structure_states(model, i); s++)
            cr_json_number(j, cr_structure_state(model, i, s), *p++);
        cr_json_end(j);
    }
    cr_json_end(j);
}

static size_t all_states(const cr_model *model)
{
    size_t all = 0;

    for (size_t i = 0; i < cr_network_nodes(model); i++)
        all += cr_structure_states(model, i);
    return all;
}

cr_status network_beliefs(call *k)
{
    const cr_model *model = view_model(k->view);
    double *p = calloc(all_states(model) + 1, sizeof *p), log_evidence = 0;
    cr_network *network;
    const cr_json_value *body;
    cr_status status = open_question(k, &body, &network);
    cr_json j;

    if (status == CR_OK && p == NULL)
        status = fail(k->err, CR_ENOMEM, NULL, "out of memory");
    if (status == CR_OK && (status = cr_network_evidence(network, &log_evidence, k->err)) == CR_OK)
        status = cr_network_posteriors(network, p, k->err);
    if (status == CR_OK) {
        cr_json_start(&j, k->answer->out);
        cr_json_object(&j, NULL, CR_JSON_BLOCK);
        cr_json_number(&j, "log_evidence", log_evidence);
        cr_json_number(&j, "evidence", exp(log_evidence));
        put_beliefs(&j, model, p);
        cr_json_end(&j);
    }
    free(p);
    cr_network_close(network);
    cr_json_free(body);
    return status;
}

/* The most probable joint states of all nodes. */
cr_status network_explanation(call *k)
{
    const cr_model *model = view_model(k->view);
    size_t *state = calloc(cr_network_nodes(model) + 1, sizeof *state);
    cr_network *network;
    const cr_json_value *body;
    double log_p = 0;
    cr_status status = open_question(k, &body, &network);
    cr_json j;

    if (status == CR_OK && state == NULL)
        status = fail(k->err, CR_ENOMEM, NULL, "out of memory");
    if (status == CR_OK)
        status = cr_network_explanation(network, state, &log_p, k->err);
    if (status == CR_OK) {
        cr_json_start(&j, k->answer->out);
        cr_json_object(&j, NULL, CR_JSON_BLOCK);
        cr_json_number(&j, "probability", exp(log_p));
        cr_json_number(&j, "log_probability", log_p);
        cr_json_object(&j, "states", CR_JSON_BLOCK);
        for (size_t i = 0; i < cr_network_nodes(model); i++)
            cr_json_text(&j, cr_structure_node(model, i), cr_structure_state(model, i, state[i]));
        cr_json_end(&j);
        cr_json_end(&j);
    }
    free(state);
    cr_network_close(network);
    cr_json_free(body);
    return status;
}
