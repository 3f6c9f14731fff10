/* learners/network/learn_api.c - credence/structure.h. */
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "base/fail.h"
#include "base/memory.h"
#include "credence/structure.h"
#include "network/graph/cpdag.h"
#include "network/infer/forward.h"
#include "learners/network/network_model.h"
#include "learners/network/learn.h"

static cr_status network_of(const cr_model *model, const cr__network **out, cr_error *err)
{
    const cr__network_model *g = cr__network_model_of(model);

    *out = g == NULL ? NULL : g->network;
    return g != NULL ? CR_OK
                     : cr__fail(err, CR_EARG, "a model of '%s' is not a Bayesian network",
                                model->learner->name);
}

const char *cr_structure_node(const cr_model *model, size_t node)
{
    const cr__network *net;

    return network_of(model, &net, NULL) == CR_OK && node < net->nodes ? net->name[node] : NULL;
}

const char *cr_structure_state(const cr_model *model, size_t node, size_t state)
{
    const cr__network *net;

    if (network_of(model, &net, NULL) != CR_OK || node >= net->nodes || state >= net->states[node])
        return NULL;
    return net->label[net->label_at[node] + state];
}

size_t cr_structure_states(const cr_model *model, size_t node)
{
    const cr__network *net;

    return network_of(model, &net, NULL) == CR_OK && node < net->nodes ? net->states[node] : 0;
}

size_t cr_structure_find(const cr_model *model, const char *name)
{
    const cr__network *net;
    uint32_t node = CR__NO_NODE;

    if (network_of(model, &net, NULL) == CR_OK)
        node = cr__network_find(net, name, strlen(name));
    return node == CR__NO_NODE ? SIZE_MAX : node;
}

size_t cr_structure_target(const cr_model *model)
{
    const cr__network_model *g = cr__network_model_of(model);

    return g == NULL || g->target == CR__NO_NODE ? SIZE_MAX : g->target;
}

/* --- two networks ----------------------------------------------------------------------------- */

/* The arcs of the second network by the numbers of the first. */
static cr_status arcs_as(cr__arcs **out, const cr__network *net, const cr__network *as,
                         cr_error *err)
{
    uint32_t *node = cr__alloc(net->nodes, sizeof *node);
    cr_status st = node == NULL ? cr__fail_memory(err) : cr__arcs_new(out, as->nodes, err);

    for (uint32_t i = 0; st == CR_OK && i < net->nodes; i++) {
        node[i] = cr__network_find(as, net->name[i], strlen(net->name[i]));
        if (node[i] == CR__NO_NODE)
            st =
                cr__fail(err, CR_EARG, "only the second network has a variable '%s'", net->name[i]);
    }
    for (uint32_t i = 0; st == CR_OK && i < as->nodes; i++)
        if (cr__network_find(net, as->name[i], strlen(as->name[i])) == CR__NO_NODE)
            st = cr__fail(err, CR_EARG, "only the first network has a variable '%s'", as->name[i]);
    for (uint32_t i = 0; st == CR_OK && i < net->nodes; i++)
        for (size_t k = net->parent_at[i]; k < net->parent_at[i + 1]; k++)
            cr__arcs_put(*out, node[net->parent[k]], node[i]);
    cr__free(node);
    return st;
}

static cr_structure_difference difference(const cr__arcs *a, const cr__arcs *b)
{
    const cr__arcs_difference d = cr__arcs_compare(a, b);

    return (cr_structure_difference){d.missing, d.extra, d.turned, d.missing + d.extra + d.turned};
}

/* Arcs of a class that have a direction. */
static size_t count_directed(const cr__arcs *class)
{
    size_t n = 0;

    for (uint32_t a = 0; a < class->nodes; a++)
        for (uint32_t b = 0; b < class->nodes; b++)
            n += cr__arcs_has(class, a, b) && !cr__arcs_has(class, b, a);
    return n;
}

cr_status cr_structure_compare(const cr_model *first, const cr_model *second,
                               cr_structure_comparison *out, cr_error *err)
{
    const cr__network *one, *two;
    cr__arcs *a = NULL, *b = NULL;
    cr_status st = network_of(first, &one, err);

    *out = (cr_structure_comparison){0};
    if (st == CR_OK)
        st = network_of(second, &two, err);
    if (st == CR_OK)
        st = cr__arcs_of_network(&a, one, err);
    if (st == CR_OK)
        st = arcs_as(&b, two, one, err);
    if (st == CR_OK) {
        out->arcs = difference(a, b);
        out->first = (cr_structure_size){one->nodes, cr__arcs_count(a), 0};
        out->second = (cr_structure_size){two->nodes, cr__arcs_count(b), 0};
        if ((st = cr__cpdag(a, err)) == CR_OK)
            st = cr__cpdag(b, err);
    }
    if (st == CR_OK) {
        out->classes = difference(a, b);
        out->first.directed = count_directed(a);
        out->second.directed = count_directed(b);
    }
    cr__arcs_free(a);
    cr__arcs_free(b);
    return st;
}

cr_status cr_structure_class(const cr_model *model, cr_structure_visit *visit, void *context,
                             cr_error *err)
{
    const cr__network *net;
    cr__arcs *arcs = NULL;
    cr_status st = network_of(model, &net, err);

    if (st == CR_OK)
        st = cr__arcs_of_network(&arcs, net, err);
    if (st == CR_OK)
        st = cr__cpdag(arcs, err);
    for (uint32_t b = 0; st == CR_OK && b < net->nodes; b++)
        for (uint32_t a = 0; st == CR_OK && a < net->nodes; a++) {
            const int line = cr__arcs_has(arcs, b, a);
            const cr_structure_arc arc = {net->name[a], net->name[b], !line, 1, line ? .5 : 1};

            if (cr__arcs_has(arcs, a, b) && (!line || a < b))
                st = visit(context, &arc);
        }
    cr__arcs_free(arcs);
    return st;
}

/* --- strengths -------------------------------------------------------------------------------- */

static int by_strength(const void *a, const void *b)
{
    const cr_structure_arc *x = a, *y = b;
    int order;

    if (x->strength != y->strength)
        return x->strength > y->strength ? -1 : 1;
    order = strcmp(x->from, y->from);
    return order != 0 ? order : strcmp(x->to, y->to);
}

static cr_status visit_strengths(const double *strength, const double *direction, uint32_t n,
                                 const char *const *name, cr_structure_visit *visit, void *context,
                                 cr_error *err)
{
    cr_structure_arc *arc = NULL;
    size_t count = 0, capacity = 0;
    cr_status st = CR_OK;

    for (uint32_t a = 0; st == CR_OK && a < n; a++)
        for (uint32_t b = 0; st == CR_OK && b < a; b++) {
            const size_t there = (size_t)a * n + b, back = (size_t)b * n + a;
            const int turn = direction[back] > direction[there];

            if (!(strength[there] > 0))
                continue;
            if (!cr__grow(&arc, &capacity, count + 1, sizeof *arc))
                st = cr__fail_memory(err);
            else
                arc[count++] = (cr_structure_arc){name[turn ? b : a], name[turn ? a : b],
                                                  direction[turn ? back : there] > .5,
                                                  strength[there], direction[turn ? back : there]};
        }
    if (st == CR_OK && count > 0)
        qsort(arc, count, sizeof *arc, by_strength);
    for (size_t i = 0; st == CR_OK && i < count; i++)
        st = visit(context, &arc[i]);
    cr__free(arc);
    return st;
}

cr_status cr_structure_strengths(const cr_model *model, unsigned rounds, const cr_run *run,
                                 cr_structure_visit *visit, void *context, cr_error *err)
{
    const cr__stats *stats;
    const char **name = NULL;
    double *strength = NULL, *direction = NULL;
    cr__cases *cases = NULL;
    cr_status st = CR_OK;
    uint32_t target;

    if (!cr__is_learned_network(model)) {
        cr__fail(err, CR_EARG, "a model of '%s' has no rows to learn a structure from",
                 model->learner->name);
        return cr__fail_hint(err, CR_EARG, CR__SET("learner network") " keeps them");
    }
    if ((st = cr__model_stats(model, &stats, err)) == CR_OK && stats->cross != NULL) {
        cr__fail(err, CR_EARG, "rows with numbers are not kept, so they cannot be resampled");
        st = cr__fail_hint(err, CR_EARG,
                           "train with " CR__SET("knob real=bins") " to see how sure arcs are");
    }
    if (st == CR_OK)
        st = cr__cases_of_stats(&cases, stats, &name, err);
    if (st == CR_OK) {
        const size_t all = (size_t)cases->variables * cases->variables;

        target = stats->schema->target == SIZE_MAX ? UINT32_MAX : cases->variables - 1;
        strength = cr__alloc(all, sizeof *strength);
        direction = cr__alloc(all, sizeof *direction);
        if (strength == NULL || direction == NULL)
            st = cr__fail_memory(err);
    }
    if (st == CR_OK)
        st = cr__arc_strengths(strength, direction, cases, &model->knobs, name, target, rounds, run,
                               err);
    if (st == CR_OK)
        st = visit_strengths(strength, direction, cases->variables, name, visit, context, err);
    cr__free(strength);
    cr__free(direction);
    cr__free(name);
    cr__cases_free(cases);
    return st;
}

/* --- rows ------------------------------------------------------------------------------------- */

cr_status cr_structure_draw(const cr_model *model, uint64_t rows, uint64_t seed,
                            cr_structure_row *visit, void *context, cr_error *err)
{
    const cr__network_model *g = cr__network_model_of(model);
    const cr__network *net;
    uint32_t *drawn = NULL;
    size_t *state = NULL;
    double *x = NULL, *number = NULL;
    cr__random random;
    cr_status st = network_of(model, &net, err);

    if (st == CR_OK) {
        drawn = cr__alloc(net->nodes, sizeof *drawn);
        state = cr__alloc(net->nodes, sizeof *state);
        number = cr__alloc(net->nodes, sizeof *number);
        x = cr__alloc(net->nodes, sizeof *x);
        if (drawn == NULL || state == NULL || number == NULL || x == NULL)
            st = cr__fail_memory(err);
    }
    cr__random_seed(&random, seed);
    for (uint64_t r = 0; st == CR_OK && r < rows; r++) {
        cr__network_draw(net, &random, drawn);
        if (g->normals != NULL)
            cr__normals_draw(g->normals, &random, drawn, x);
        for (uint32_t i = 0; i < net->nodes; i++) {
            state[i] = drawn[i];
            number[i] = net->gaussian[i] ? x[g->normals->place[i]] : NAN;
        }
        st = visit(context, state, number);
    }
    cr__free(drawn);
    cr__free(state);
    cr__free(number);
    cr__free(x);
    return st;
}
