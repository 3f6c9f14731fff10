/* learners/pairs/network.c - tan, kdb, pairs and aode as Bayesian networks, and queried as such.
 *
 * The first three are already networks. aode is the mean of networks in each of which all features
 * depend on one of them. For a row the mean is over the features whose value was seen often enough;
 * a distribution must have the same models for all rows, so here it is over all features of more
 * than one value:
 *
 *     P(c, x) = 1/n Σ_i P(c) P(xi | c) Π_{j≠i} P(xj | xi, c)
 */
#include "learners/pairs/network.h"

#include <math.h>
#include <stdio.h>
#include <string.h>

#include "base/fail.h"
#include "base/memory.h"
#include "learners/network/network_model.h"
#include "learners/network/learn.h"
#include "learners/pairs/aode.h"

/* --- a network table by table ----------------------------------------------------------------- */

static int takes_part(const cr_schema *schema, size_t column)
{
    return column == schema->target || cr__stats_is_feature(schema, column);
}

/* A node with numbers for states; one where there are no values. */
static cr_status add_numbered(cr__builder *builder, const char *name, size_t values, cr_error *err)
{
    char label[24];
    uint32_t node;
    cr_status st = cr__builder_add(builder, name, strlen(name), &node, err);

    for (size_t v = 0; st == CR_OK && v < (values > 0 ? values : 1); v++) {
        snprintf(label, sizeof label, "%zu", v);
        st = cr__builder_add_state(builder, node, label, strlen(label), err);
    }
    return st;
}

cr_status cr__class_net_begin(cr__class_net *net, const cr_schema *schema,
                              const cr__dict *const *dict, const size_t *values,
                              const double *log_prior, size_t classes, cr_error *err)
{
    double *table;
    uint32_t nodes = 0;
    cr_status st = cr__builder_new(&net->builder, err);

    net->classes = classes;
    if (st == CR_OK && (net->node_of = cr__alloc(schema->columns, sizeof *net->node_of)) == NULL)
        st = cr__fail_memory(err);
    for (size_t i = 0; st == CR_OK && i < schema->columns; i++) {
        const char *name = schema->column[i].name;

        net->node_of[i] = takes_part(schema, i) ? nodes++ : CR__NO_NODE;
        if (net->node_of[i] != CR__NO_NODE)
            st = dict != NULL ? cr__builder_add_column(net->builder, name, dict[i], err)
                              : add_numbered(net->builder, name,
                                             i == schema->target ? classes : values[i], err);
    }
    if (st != CR_OK)
        return st;
    net->target = net->node_of[schema->target];
    st = cr__builder_set_parents(net->builder, net->target, NULL, 0, err);
    if (st == CR_OK)
        st = cr__builder_table(net->builder, net->target, &table, err);
    for (size_t c = 0; st == CR_OK && c < classes; c++)
        table[c] = exp(log_prior[c]);
    return st;
}

/* A column that never had a value is a node of one state. */
cr_status cr__class_net_add(cr__class_net *net, size_t column, const size_t *parent, size_t parents,
                            const double *log_p, size_t step, cr_error *err)
{
    const uint32_t node = net->node_of[column];
    const size_t V = net->builder->node[node].states, K = net->classes;
    uint32_t nodes[CR__PARENTS_MOST + 1];
    double *table;
    cr_status st;

    for (size_t k = 0; k < parents; k++)
        nodes[k] = net->node_of[parent[k]];
    nodes[parents] = net->target;
    st = cr__builder_set_parents(net->builder, node, nodes, parents + 1, err);
    if (st == CR_OK)
        st = cr__builder_table(net->builder, node, &table, err);
    if (st != CR_OK)
        return st;
    for (size_t row = 0; row < net->builder->node[node].cells / V / K; row++, log_p += step)
        for (size_t c = 0; c < K; c++)
            for (size_t v = 0; v < V; v++)
                *table++ = step == 0 ? 1 : exp(log_p[v * K + c]);
    return CR_OK;
}

cr_status cr__class_net_end(cr__class_net *net, cr__network **out, cr_error *err)
{
    cr_status st = out == NULL ? CR_OK : cr__builder_finish(net->builder, out, err);

    cr__builder_free(net->builder);
    cr__free(net->node_of);
    *net = (cr__class_net){0};
    return st;
}

cr_status cr__class_net_measure(cr__network *network, const cr_schema *schema,
                                const cr__question *question, cr__scaled *mass, cr_error *err)
{
    cr__network_model *model;
    cr__question own = *question;
    cr_status st = cr__network_model_new(&model, network, CR__NO_NODE, err);

    if (st != CR_OK)
        return st;
    own.variable = cr__alloc(question->variables, sizeof *own.variable);
    for (size_t i = 0; own.variable != NULL && i < question->variables; i++) {
        size_t node = 0;

        for (size_t k = 0; k < question->variable[i].column; k++)
            node += (size_t)takes_part(schema, k);
        own.variable[i] = question->variable[i];
        own.variable[i].column = node;
    }
    st = own.variable == NULL ? cr__fail_memory(err)
                              : cr__network_model_measure(model, NULL, NULL, &own, mass, err);
    cr__free(own.variable);
    cr__network_model_free(model);
    return st;
}

/* --- tan, kdb, pairs -------------------------------------------------------------------------- */

/* The number of values of each column, for the nodes of a network. */
static cr_status begin_net(cr__class_net *net, const cr__dependent *d, const double *log_prior,
                           const cr_schema *schema, cr__dict *const *dict, cr_error *err)
{
    size_t *values = cr__alloc_zero(d->columns, sizeof *values);
    cr_status st;

    if (values == NULL)
        return cr__fail_memory(err);
    for (size_t i = 0; i < d->features; i++)
        values[d->column[i]] = d->values[i];
    st = cr__class_net_begin(net, schema, (const cr__dict *const *)dict, values, log_prior,
                             d->classes, err);
    cr__free(values);
    return st;
}

cr_status cr__dependent_network(cr__network **out, const void *fitted, const cr_schema *schema,
                                cr__dict *const *dict, cr_error *err)
{
    const cr__dependent *d = fitted;
    cr__class_net net = {0};
    cr_status st = begin_net(&net, d, d->log_prior, schema, dict, err), ended;

    for (size_t i = 0; st == CR_OK && i < d->features; i++) {
        const uint32_t *on = d->structure.parent + i * CR__PARENTS_MOST;
        size_t parent[CR__PARENTS_MOST], depth = 0;

        /* Nothing depends on a feature without values; a file may claim it anyway. */
        for (; depth < d->structure.depth[i] && d->values[on[depth]] > 0; depth++)
            parent[depth] = d->column[on[depth]];
        st = cr__class_net_add(&net, d->column[i], parent, depth,
                               d->log_p + d->table_at[i * (CR__PARENTS_MOST + 1) + depth],
                               d->values[i] * d->classes, err);
    }
    ended = cr__class_net_end(&net, st == CR_OK ? out : NULL, err);
    return st == CR_OK ? ended : st;
}

cr_status cr__dependent_measure(const void *fitted, const cr__knobs *knobs, const cr_schema *schema,
                                const cr__question *question, cr__scaled *mass, cr_error *err)
{
    cr__network *network;
    cr_status st = cr__dependent_network(&network, fitted, schema, NULL, err);

    (void)knobs;
    return st == CR_OK ? cr__class_net_measure(network, schema, question, mass, err) : st;
}

/* --- aode ------------------------------------------------------------------------------------- */

/* The model in which all features depend on feature s; SIZE_MAX: on none. */
static cr_status one_network(cr__network **out, const cr__aode *a, size_t s,
                             const cr_schema *schema, cr_error *err)
{
    const cr__dependent *d = &a->places;
    const size_t K = d->classes, all = a->first[d->features];
    cr__class_net net = {0};
    cr_status st = begin_net(&net, d, a->log_prior, schema, NULL, err), ended;

    for (size_t j = 0; st == CR_OK && j < d->features; j++) {
        const int depends = s != SIZE_MAX && j != s && d->values[j] > 0;

        st = depends
                 ? cr__class_net_add(&net, d->column[j], &d->column[s], 1,
                                     a->log_p + (a->first[s] * all + a->first[j]) * K, all * K, err)
                 : cr__class_net_add(&net, d->column[j], NULL, 0, a->log_value + a->first[j] * K,
                                     d->values[j] * K, err);
    }
    ended = cr__class_net_end(&net, st == CR_OK ? out : NULL, err);
    return st == CR_OK ? ended : st;
}

cr_status cr__aode_measure(const void *fitted, const cr__knobs *knobs, const cr_schema *schema,
                           const cr__question *question, cr__scaled *mass, cr_error *err)
{
    const cr__aode *a = fitted;
    cr__scaled *one = cr__alloc(question->outcomes, sizeof *one);
    size_t models = 0;
    cr_status st = one == NULL ? cr__fail_memory(err) : CR_OK;

    (void)knobs;
    for (size_t k = 0; k < question->outcomes; k++)
        mass[k] = (cr__scaled){0, 0};
    for (size_t i = 0; st == CR_OK && i <= a->places.features; i++) {
        const int last = i == a->places.features;
        cr__network *network;

        if (last ? models > 0 : !cr__aode_votes(a, i))
            continue;
        models++;
        memset(one, 0, question->outcomes * sizeof *one);
        st = one_network(&network, a, last ? SIZE_MAX : i, schema, err);
        if (st == CR_OK)
            st = cr__class_net_measure(network, schema, question, one, err);
        for (size_t k = 0; st == CR_OK && k < question->outcomes; k++)
            mass[k] = cr__scaled_add(mass[k], one[k]);
    }
    for (size_t k = 0; st == CR_OK && k < question->outcomes; k++)
        mass[k] = cr__scaled_of(mass[k].value / (double)models, mass[k].exponent);
    cr__free(one);
    return st;
}
