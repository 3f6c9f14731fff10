/* learners/network/api.c - credence/network.h: networks for programs. */
#include "credence/network.h"

#include <math.h>
#include <string.h>

#include "base/fail.h"
#include "base/file.h"
#include "base/memory.h"
#include "base/sized.h"
#include "network/files/files.h"
#include "learners/network/network_model.h"
#include "network/infer/sample.h"

static const char *const format_names[] = {NULL, "bif", "xmlbif", "net", "hugin", "netica", "dot"};

/* --- files ------------------------------------------------------------------------------------ */

cr_status cr_network_read(cr_model **out, const char *path, const char *target, cr_error *err)
{
    cr__network *net;
    cr_status st = cr__network_read(&net, path, err);

    *out = NULL;
    return st == CR_OK ? cr__network_model_model(out, net, target, err) : st;
}

cr_status cr_network_read_bytes(cr_model **out, const void *bytes, size_t size, const char *name,
                                const char *target, cr_error *err)
{
    cr__network *net;
    cr_status st = cr__network_read_bytes(&net, name, bytes, size, err);

    *out = NULL;
    return st == CR_OK ? cr__network_model_model(out, net, target, err) : st;
}

int cr_network_recognise(const char *path)
{
    cr__map map;
    int known;

    if (cr__map_open(&map, path, NULL) != CR_OK)
        return 0;
    known = cr__network_recognise(path, map.data, map.size) != CR__NETWORK_UNKNOWN;
    cr__map_close(&map);
    return known;
}

const char *cr_network_format(const char *path)
{
    return format_names[cr__network_format_of(path)];
}

static cr_status fail_other(const cr_model *model, cr_error *err)
{
    return cr__fail(err, CR_EARG, "a model of '%s' is not a Bayesian network",
                    model->learner->name);
}

/* The network of a model, or the one that its learner can derive from it: that is *own, to be
 * freed. */
static cr_status network_of(const cr__network **out, cr__network **own, const cr_model *model,
                            cr_error *err)
{
    const cr__network_model *g = cr__network_model_of(model);
    cr_status st = CR_OK;

    *own = NULL;
    if (g == NULL)
        st = model->learner->has_joint == NULL || model->learner->has_joint->network == NULL
                 ? fail_other(model, err)
                 : model->learner->has_joint->network(own, model->share->fitted, model->schema,
                                                      model->dict, err);
    *out = g == NULL ? *own : g->network;
    return st;
}

cr_status cr_network_write(const cr_model *model, const char *path, const char *format,
                           cr_error *err)
{
    const cr__network *net;
    cr__network *own;
    cr_status st;
    cr__network_format f = format == NULL ? cr__network_format_of(path) : CR__NETWORK_UNKNOWN;

    for (int i = 1; format != NULL && i <= CR__NETWORK_DOT; i++)
        if (strcmp(format, format_names[i]) == 0)
            f = (cr__network_format)i;
    if (f == CR__NETWORK_UNKNOWN) {
        cr__fail(err, CR_EARG, "'%s' is not a network format", format == NULL ? path : format);
        return cr__fail_hint(err, CR_EARG, "they are bif, xmlbif, net, hugin, netica and dot");
    }
    if ((st = network_of(&net, &own, model, err)) == CR_OK)
        st = cr__network_write(net, f, path, err);
    cr__network_free(own);
    return st;
}

cr_status cr_network_copy(cr_model **out, const cr_model *model, const char *target, cr_error *err)
{
    const cr__network *from;
    cr__builder *builder = NULL;
    cr__network *own, *net = NULL;
    cr_status st = network_of(&from, &own, model, err);

    *out = NULL;
    if (st == CR_OK)
        st = cr__builder_of(&builder, from, err);
    if (st == CR_OK)
        st = cr__builder_finish(builder, &net, err);
    cr__builder_free(builder);
    cr__network_free(own);
    return st == CR_OK ? cr__network_model_model(out, net, target, err) : st;
}

/* --- structure -------------------------------------------------------------------------------- */

static const cr__network *inside(const cr_model *model)
{
    const cr__network_model *g = cr__network_model_of(model);

    return g == NULL ? NULL : g->network;
}

size_t cr_network_nodes(const cr_model *model)
{
    return inside(model) == NULL ? 0 : inside(model)->nodes;
}

static size_t item(const size_t *at, const uint32_t *list, size_t node, size_t index)
{
    return index < at[node + 1] - at[node] ? list[at[node] + index] : SIZE_MAX;
}

size_t cr_network_parent(const cr_model *model, size_t node, size_t index)
{
    const cr__network *net = inside(model);

    return net == NULL || node >= net->nodes ? SIZE_MAX
                                             : item(net->parent_at, net->parent, node, index);
}

size_t cr_network_child(const cr_model *model, size_t node, size_t index)
{
    const cr__network *net = inside(model);

    return net == NULL || node >= net->nodes ? SIZE_MAX
                                             : item(net->child_at, net->child, node, index);
}

const double *cr_network_table(const cr_model *model, size_t node, size_t *cells)
{
    const cr__network *net = inside(model);

    *cells = 0;
    if (net == NULL || node >= net->nodes)
        return NULL;
    *cells = net->table_at[node + 1] - net->table_at[node];
    return net->table + net->table_at[node];
}

const double *cr_network_weights(const cr_model *model, size_t node, size_t *count)
{
    const cr__network *net = inside(model);

    *count = 0;
    if (net == NULL || node >= net->nodes || !net->gaussian[node])
        return NULL;
    *count = net->weight_at[node + 1] - net->weight_at[node];
    return net->weight + net->weight_at[node];
}

size_t cr_network_blanket(const cr_model *model, size_t node, size_t *out)
{
    const cr__network *net = inside(model);

    return net == NULL || node >= net->nodes ? 0 : cr__network_blanket(net, (uint32_t)node, out);
}

/* --- inference -------------------------------------------------------------------------------- */

struct cr_network {
    const cr__network *net;
    cr__junction_tree *tree;
    cr_pool *pool;
    uint64_t memory;
    uint32_t *state; /* the evidence again, for single queries and samples */
    double **likelihood;
};

cr_status cr_network_open(cr_network **out, const cr_model *model, const cr_run *run, cr_error *err)
{
    const cr__network_model *g = cr__network_model_of(model);
    cr_network *n;
    cr_status st;

    *out = NULL;
    if (g == NULL)
        return fail_other(model, err);
    if ((n = cr__alloc_zero(1, sizeof *n)) == NULL)
        return cr__fail_memory(err);
    n->net = g->network;
    n->memory = cr__run_of(run).memory != 0 ? cr__run_of(run).memory : g->memory;
    n->state = cr__alloc(n->net->nodes, sizeof *n->state);
    n->likelihood = cr__alloc_zero(n->net->nodes, sizeof *n->likelihood);
    if (n->state == NULL || n->likelihood == NULL)
        st = cr__fail_memory(err);
    else
        st = cr_pool_new(&n->pool, cr__run_threads(run), err);
    if (st == CR_OK)
        st = cr__junction_tree_new(&n->tree, n->net, n->memory, n->pool, err);
    for (uint32_t i = 0; st == CR_OK && i < n->net->nodes; i++)
        n->state[i] = UINT32_MAX;
    if (st != CR_OK) {
        cr_network_close(n);
        return st;
    }
    *out = n;
    return CR_OK;
}

void cr_network_close(cr_network *n)
{
    if (n == NULL)
        return;
    cr__junction_tree_free(n->tree);
    cr_pool_free(n->pool);
    for (uint32_t i = 0; n->likelihood != NULL && i < n->net->nodes; i++)
        cr__free(n->likelihood[i]);
    cr__free(n->likelihood);
    cr__free(n->state);
    cr__free(n);
}

static cr_status check_node(const cr_network *n, size_t node, cr_error *err)
{
    if (node < n->net->nodes)
        return CR_OK;
    return cr__fail(err, CR_EARG, "there is no node %zu, only %u", node, n->net->nodes);
}

cr_status cr_network_observe(cr_network *n, size_t node, size_t state, cr_error *err)
{
    cr_status st = check_node(n, node, err);

    if (st != CR_OK)
        return st;
    if (state != SIZE_MAX && state >= n->net->states[node])
        return cr__fail(err, CR_EARG, "'%s' has no state %zu, only %u", n->net->name[node], state,
                        n->net->states[node]);
    n->state[node] = state == SIZE_MAX ? UINT32_MAX : (uint32_t)state;
    cr__junction_tree_observe(n->tree, (uint32_t)node, n->state[node]);
    return CR_OK;
}

cr_status cr_network_soften(cr_network *n, size_t node, const double *likelihood, cr_error *err)
{
    double *copy = NULL, sum = 0;
    cr_status st = check_node(n, node, err);

    if (st != CR_OK)
        return st;
    for (uint32_t k = 0; likelihood != NULL && k < n->net->states[node]; k++) {
        if (!(likelihood[k] >= 0 && likelihood[k] <= 1e300))
            return cr__fail(err, CR_EARG, "a likelihood is %g; it must not be negative",
                            likelihood[k]);
        sum += likelihood[k];
    }
    if (likelihood != NULL && !(sum > 0))
        return cr__fail(err, CR_EARG, "the likelihoods of '%s' are all zero", n->net->name[node]);
    if (likelihood != NULL && (copy = cr__alloc(n->net->states[node], sizeof *copy)) == NULL)
        return cr__fail_memory(err);
    if ((st = cr__junction_tree_weigh(n->tree, (uint32_t)node, likelihood, err)) != CR_OK) {
        cr__free(copy);
        return st;
    }
    if (copy != NULL)
        memcpy(copy, likelihood, n->net->states[node] * sizeof *copy);
    cr__free(n->likelihood[node]);
    n->likelihood[node] = copy;
    return CR_OK;
}

void cr_network_forget(cr_network *n)
{
    cr__junction_tree_forget(n->tree);
    for (uint32_t i = 0; i < n->net->nodes; i++) {
        n->state[i] = UINT32_MAX;
        cr__free(n->likelihood[i]);
        n->likelihood[i] = NULL;
    }
}

cr_status cr_network_estimate(cr_network *n, cr_network_cost *out, cr_error *err)
{
    cr__cost cost = {0};
    cr_status st = cr__junction_tree_cost(n->tree, &cost, err);

    *out = (cr_network_cost){cost.cells, cost.largest, cost.bytes, cost.operations};
    return st;
}

cr_status cr_network_evidence(cr_network *n, double *log_evidence, cr_error *err)
{
    return cr__junction_tree_evidence(n->tree, log_evidence, err);
}

cr_status cr_network_posterior(cr_network *n, size_t node, double *p, cr_error *err)
{
    cr_status st = check_node(n, node, err);

    return st == CR_OK ? cr__junction_tree_posterior(n->tree, (uint32_t)node, p, err) : st;
}

cr_status cr_network_posteriors(cr_network *n, double *p, cr_error *err)
{
    return cr__junction_tree_posteriors(n->tree, p, err);
}

static cr__evidence evidence_of(const cr_network *n)
{
    return (cr__evidence){.state = n->state, .likelihood = (const double *const *)n->likelihood};
}

cr_status cr_network_joint(cr_network *n, const size_t *node, size_t count, double *p,
                           cr_error *err)
{
    const cr__evidence evidence = evidence_of(n);
    uint32_t query[CR__SCOPE_MAX] = {0};
    double sum = 0;
    int64_t exponent;
    size_t cells = 1;
    cr_status st = CR_OK;

    if (count > CR__SCOPE_MAX)
        return cr__fail(err, CR_ELIMIT, "%zu nodes are too many for a joint table", count);
    for (size_t i = 0; st == CR_OK && i < count; i++) {
        if ((st = check_node(n, node[i], err)) != CR_OK)
            return st;
        query[i] = (uint32_t)node[i];
        cells *= n->net->states[node[i]];
        for (size_t k = 0; k < i; k++)
            if (query[k] == query[i])
                return cr__fail(err, CR_EARG, "'%s' is queried twice", n->net->name[query[i]]);
    }
    st = cr__ask_joint(n->net, &evidence, query, (uint32_t)count, n->memory, n->pool, p, &exponent,
                       err);
    for (size_t k = 0; st == CR_OK && k < cells; k++)
        sum += p[k];
    if (st == CR_OK && !(sum > 0))
        return cr__fail(err, CR_ECONFLICT,
                        "the evidence is impossible: the network gives it probability zero");
    for (size_t k = 0; st == CR_OK && k < cells; k++)
        p[k] /= sum;
    return st;
}

cr_status cr_network_explanation(cr_network *n, size_t *state, double *log_p, cr_error *err)
{
    const cr__evidence evidence = evidence_of(n);
    uint32_t *best = cr__alloc(n->net->nodes, sizeof *best);
    double log_joint = 0, log_evidence = 0;
    cr_status st = best == NULL ? cr__fail_memory(err)
                                : cr__ask_explanation(n->net, &evidence, n->memory, n->pool, best,
                                                      &log_joint, err);

    for (uint32_t i = 0; st == CR_OK && i < n->net->nodes; i++)
        state[i] = best[i];
    if (st == CR_OK && log_p != NULL) {
        st = cr__junction_tree_evidence(n->tree, &log_evidence, err);
        *log_p = fmin(0, log_joint - log_evidence);
    }
    cr__free(best);
    return st;
}

cr_status cr_network_sample(cr_network *n, cr_network_method method, uint64_t samples,
                            uint64_t seed, double *p, double *error, cr_network_sampled *about,
                            cr_error *err)
{
    const cr__evidence evidence = evidence_of(n);
    const cr__sample_count survey = cr__sample_states(n->net);
    double *own = NULL;
    cr__sampled found = {0};
    cr_status st = CR_OK;

    if (error == NULL && (error = own = cr__alloc(survey.outcomes, sizeof *own)) == NULL)
        return cr__fail_memory(err);
    if (method == CR_NETWORK_WEIGHTING)
        st = cr__sample_weighting(n->net, &evidence, &survey, samples, seed, n->pool, p, error,
                                  &found, err);
    else if (method == CR_NETWORK_GIBBS)
        st = cr__sample_gibbs(n->net, &evidence, &survey, samples, seed, n->pool, p, error, &found,
                              err);
    else if (method == CR_NETWORK_LOOPY)
        st = cr__loopy(n->net, &evidence, samples, p, &found, err);
    else
        st = cr__fail(err, CR_EARG, "there is no method %d", (int)method);
    for (size_t k = 0; st == CR_OK && method == CR_NETWORK_LOOPY && k < survey.outcomes; k++)
        error[k] = NAN;
    if (about != NULL)
        *about = (cr_network_sampled){found.effective, found.log_evidence, found.rounds,
                                      found.converged};
    cr__free(own);
    return st;
}
