/* network/graph/network.c - from a builder to a network: checks, order, flat arrays. */
#include "network/graph/network.h"

#include <math.h>
#include <stdio.h>
#include <string.h>

#include "base/fail.h"
#include "base/memory.h"

void cr__network_free(cr__network *net)
{
    if (net == NULL)
        return;
    cr__dict_free(net->names);
    cr__arena_free(&net->arena);
    cr__free(net);
}

uint32_t cr__network_find(const cr__network *net, const char *name, size_t length)
{
    return cr__dict_find(net->names, name, length) - 1;
}

uint32_t cr__network_state(const cr__network *net, uint32_t node, const char *label)
{
    for (uint32_t k = 0; k < net->states[node]; k++)
        if (strcmp(net->label[net->label_at[node] + k], label) == 0)
            return k;
    return UINT32_MAX;
}

double cr__network_parameters(const cr__network *net)
{
    double sum = 0;

    for (uint32_t i = 0; i < net->nodes; i++) {
        const size_t cells = net->table_at[i + 1] - net->table_at[i];

        sum += (double)(cells - cells / net->states[i]) +
               (double)(net->weight_at[i + 1] - net->weight_at[i]);
    }
    return sum;
}

size_t cr__network_blanket(const cr__network *net, uint32_t node, size_t *out)
{
    size_t count = 0;

    for (size_t i = 0; i < net->nodes; i++) /* first whether it is in; so no memory is needed */
        out[i] = 0;
    for (size_t i = net->parent_at[node]; i < net->parent_at[node + 1]; i++)
        out[net->parent[i]] = 1;
    for (size_t i = net->child_at[node]; i < net->child_at[node + 1]; i++) {
        const uint32_t c = net->child[i];

        out[c] = 1;
        for (size_t j = net->parent_at[c]; j < net->parent_at[c + 1]; j++)
            out[net->parent[j]] = 1;
    }
    out[node] = 0;
    for (size_t i = 0; i < net->nodes; i++)
        if (out[i])
            out[count++] = i;
    return count;
}

/* --- from a builder ----------------------------------------------------------------------------
 */

static int reserve(cr__network *net, const cr__builder *s)
{
    const size_t n = s->nodes;
    size_t labels = 0, arcs = 0, cells = 0, weights = 0;

    for (size_t i = 0; i < n; i++) {
        labels += s->node[i].states;
        arcs += s->node[i].parents;
        cells += s->node[i].cells;
        weights += s->node[i].weights;
    }
    net->nodes = (uint32_t)n;
    return (net->title = cr__arena_copy(&net->arena, s->title, strlen(s->title))) != NULL &&
           (net->name = cr__arena_alloc(&net->arena, n, sizeof *net->name)) != NULL &&
           (net->states = cr__arena_alloc(&net->arena, n, sizeof *net->states)) != NULL &&
           (net->label_at = cr__arena_alloc(&net->arena, n + 1, sizeof(size_t))) != NULL &&
           (net->label = cr__arena_alloc(&net->arena, labels, sizeof *net->label)) != NULL &&
           (net->parent_at = cr__arena_alloc(&net->arena, n + 1, sizeof(size_t))) != NULL &&
           (net->parent = cr__arena_alloc(&net->arena, arcs, sizeof *net->parent)) != NULL &&
           (net->child_at = cr__arena_alloc(&net->arena, n + 1, sizeof(size_t))) != NULL &&
           (net->child = cr__arena_alloc(&net->arena, arcs, sizeof *net->child)) != NULL &&
           (net->order = cr__arena_alloc(&net->arena, n, sizeof *net->order)) != NULL &&
           (net->table_at = cr__arena_alloc(&net->arena, n + 1, sizeof(size_t))) != NULL &&
           (net->table = cr__arena_alloc(&net->arena, cells, sizeof *net->table)) != NULL &&
           (net->kind = cr__arena_alloc(&net->arena, n, 1)) != NULL &&
           (net->gaussian = cr__arena_alloc(&net->arena, n, 1)) != NULL &&
           (net->weight_at = cr__arena_alloc(&net->arena, n + 1, sizeof(size_t))) != NULL &&
           (net->weight = cr__arena_alloc(&net->arena, weights, sizeof *net->weight)) != NULL;
}

static cr_status copy_names(cr__network *net, const cr__builder *s, cr_error *err)
{
    cr_status st = cr__dict_new(&net->names, 1, err);
    size_t label = 0;
    uint32_t code;

    for (uint32_t i = 0; st == CR_OK && i < net->nodes; i++) {
        const cr__builder_node *n = &s->node[i];
        const size_t length = strlen(n->name);

        if ((net->name[i] = cr__arena_copy(&net->arena, n->name, length)) == NULL ||
            cr__dict_intern(net->names, n->name, length, &code) != CR_OK)
            return cr__fail_memory(err);
        net->states[i] = n->states;
        net->label_at[i] = label;
        for (uint32_t k = 0; k < n->states; k++)
            if ((net->label[label++] =
                     cr__arena_copy(&net->arena, n->label[k], strlen(n->label[k]))) == NULL)
                return cr__fail_memory(err);
    }
    net->label_at[net->nodes] = label;
    return st;
}

static void copy_arcs(cr__network *net, const cr__builder *s)
{
    size_t arcs = 0;

    memset(net->child_at, 0, (net->nodes + (size_t)1) * sizeof *net->child_at);
    for (uint32_t i = 0; i < net->nodes; i++) {
        net->parent_at[i] = arcs;
        for (uint32_t k = 0; k < s->node[i].parents; k++) {
            net->parent[arcs++] = s->node[i].parent[k];
            net->child_at[s->node[i].parent[k] + 1]++;
        }
    }
    net->parent_at[net->nodes] = arcs;
    for (uint32_t i = 0; i < net->nodes; i++)
        net->child_at[i + 1] += net->child_at[i];
    for (uint32_t i = 0; i < net->nodes; i++) /* child_at runs ahead and is set back below */
        for (size_t k = net->parent_at[i]; k < net->parent_at[i + 1]; k++)
            net->child[net->child_at[net->parent[k]]++] = i;
    memmove(net->child_at + 1, net->child_at, net->nodes * sizeof *net->child_at);
    net->child_at[0] = 0;
}

/* A parent that could not be ordered, either. */
static uint32_t waiting_parent(const cr__network *net, const uint32_t *waits, uint32_t node)
{
    size_t k = net->parent_at[node];

    while (waits[net->parent[k]] == 0)
        k++;
    return net->parent[k];
}

/* Walk from parent to parent among the nodes that could not be ordered until one repeats. */
static cr_status name_cycle(const cr__network *net, const cr__builder *s, uint32_t *waits,
                            cr_error *err)
{
    const uint32_t seen = UINT32_MAX;
    char text[400] = "";
    uint32_t node = 0, first, length = 0;
    size_t used = 0;

    while (waits[node] == 0)
        node++;
    while (waits[node] != seen) {
        waits[node] = seen;
        node = waiting_parent(net, waits, node);
    }
    first = node;
    do {
        length++;
        used += (size_t)snprintf(text + used, sizeof text - used, "%s <- ", net->name[node]);
        used = used < sizeof text ? used : sizeof text - 1;
        node = waiting_parent(net, waits, node);
    } while (node != first);
    cr__fail(err, CR_EFORMAT, "the arcs form a cycle of %u variables: %s%s", length, text,
             used < sizeof text - 1 ? net->name[first] : "...");
    cr__fail_hint(err, CR_EFORMAT, "remove or turn one of these arcs");
    return cr__fail_at(err, CR_EFORMAT, NULL, s->node[first].line, s->node[first].column);
}

/* Kahn's algorithm: a node follows once all its parents have been listed. */
static cr_status sort(cr__network *net, const cr__builder *s, cr_error *err)
{
    uint32_t *waits = cr__alloc(net->nodes, sizeof *waits); /* parents not listed yet */
    uint32_t listed = 0;
    cr_status st = CR_OK;

    if (waits == NULL)
        return cr__fail_memory(err);
    for (uint32_t i = 0; i < net->nodes; i++)
        if ((waits[i] = (uint32_t)(net->parent_at[i + 1] - net->parent_at[i])) == 0)
            net->order[listed++] = i;
    for (uint32_t done = 0; done < listed; done++) {
        const uint32_t node = net->order[done];

        for (size_t k = net->child_at[node]; k < net->child_at[node + 1]; k++)
            if (--waits[net->child[k]] == 0)
                net->order[listed++] = net->child[k];
    }
    if (listed < net->nodes)
        st = name_cycle(net, s, waits, err);
    cr__free(waits);
    return st;
}

/* "P(node | a=x, b=y)": the row's name, for messages. */
static void row_name(const cr__builder *s, const cr__builder_node *n, size_t row, char *out,
                     size_t size)
{
    size_t used = (size_t)snprintf(out, size, "P(%.80s%s", n->name, n->parents > 0 ? " | " : "");
    size_t rows = n->cells / n->states;

    for (uint32_t k = 0; k < n->parents && used < size; k++) {
        const cr__builder_node *p = &s->node[n->parent[k]];

        rows /= p->states;
        used += (size_t)snprintf(out + used, size - used, "%s%.80s=%.80s", k > 0 ? ", " : "",
                                 p->name, p->label[row / rows]);
        row %= rows;
    }
    if (used < size)
        snprintf(out + used, size - used, ")");
}

static cr_status copy_table(cr__network *net, const cr__builder *s, uint32_t i, size_t *at,
                            cr_error *err)
{
    const cr__builder_node *n = &s->node[i];
    double *table = net->table + *at;
    cr_status st = CR_OK;

    net->table_at[i] = *at;
    if (!n->defined || n->table == NULL) {
        cr__fail(err, CR_EFORMAT, "the variable '%s' has no probabilities", n->name);
        return cr__fail_at(err, CR_EFORMAT, NULL, n->line, n->column);
    }
    memcpy(table, n->table, n->cells * sizeof *table);
    for (size_t r = 0; st == CR_OK && r < n->cells; r += n->states) {
        char name[300];
        cr_error why = {0};

        if (isnan(table[r])) {
            row_name(s, n, r / n->states, name, sizeof name);
            st = cr__fail(err, CR_EFORMAT, "%s is not given", name);
        } else if (cr__row_normalise(table + r, n->states, &why) != CR_OK) {
            row_name(s, n, r / n->states, name, sizeof name);
            st = cr__fail(err, CR_EFORMAT, "%s: %s", name, why.message);
        }
        if (st != CR_OK)
            cr__fail_at(err, st, NULL, n->line, n->column);
    }
    *at += n->cells;
    return st;
}

size_t cr__network_stride(const cr__network *net, uint32_t node)
{
    size_t stride = 2;

    for (size_t k = net->parent_at[node]; k < net->parent_at[node + 1]; k++)
        stride += net->gaussian[net->parent[k]];
    return stride;
}

/* Numbers may depend on discrete variables, never the reverse, and nothing depends on a utility. */
static cr_status check_parents(const cr__builder *s, const cr__builder_node *n, cr_error *err)
{
    for (uint32_t k = 0; k < n->parents; k++)
        if (s->node[n->parent[k]].kind == CR__KIND_UTILITY) {
            cr__fail(err, CR_EFORMAT,
                     "the arc %s -> %s leads from a utility; nothing depends on one",
                     s->node[n->parent[k]].name, n->name);
            return cr__fail_at(err, CR_EFORMAT, NULL, n->line, n->column);
        }
    for (uint32_t k = 0; !n->gaussian && k < n->parents; k++)
        if (s->node[n->parent[k]].gaussian) {
            cr__fail(err, CR_EFORMAT, "the arc %s -> %s leads from a number to a discrete variable",
                     s->node[n->parent[k]].name, n->name);
            cr__fail_hint(err, CR_EFORMAT, "turn it around, or cut '%s' into intervals",
                          s->node[n->parent[k]].name);
            return cr__fail_at(err, CR_EFORMAT, NULL, n->line, n->column);
        }
    return CR_OK;
}

static cr_status copy_weights(cr__network *net, const cr__builder *s, uint32_t i, size_t *at,
                              cr_error *err)
{
    const cr__builder_node *n = &s->node[i];
    const size_t stride = cr__builder_stride(s, i);
    cr_status st = check_parents(s, n, err);

    net->kind[i] = (unsigned char)n->kind;
    net->gaussian[i] = n->gaussian != 0;
    net->weight_at[i] = *at;
    for (size_t k = 0; st == CR_OK && k < n->weights; k++) {
        const double w = n->weight[k];
        char name[300];

        row_name(s, n, k / stride, name, sizeof name);
        if (isnan(w))
            st = cr__fail(err, CR_EFORMAT, "%s is not given", name);
        else if (!(fabs(w) <= CR__WEIGHT_MOST))
            st = cr__fail(err, CR_EFORMAT, "%s: %g is too large a number", name, w);
        else if (n->gaussian && k % stride == stride - 1 && !(w >= 1 / CR__WEIGHT_MOST))
            st = cr__fail(err, CR_EFORMAT, "%s: a standard deviation is above 0, not %g", name, w);
        if (st != CR_OK)
            cr__fail_at(err, st, NULL, n->line, n->column);
        net->weight[(*at)++] = w;
    }
    if (st == CR_OK && n->gaussian && n->weight == NULL) {
        cr__fail(err, CR_EFORMAT, "the variable '%s' has no mean and no deviation", n->name);
        return cr__fail_at(err, CR_EFORMAT, NULL, n->line, n->column);
    }
    if (st == CR_OK && n->kind == CR__KIND_UTILITY && n->weight == NULL) {
        cr__fail(err, CR_EFORMAT, "the utility '%s' has no numbers", n->name);
        return cr__fail_at(err, CR_EFORMAT, NULL, n->line, n->column);
    }
    return st;
}

cr_status cr__builder_finish(const cr__builder *s, cr__network **out, cr_error *err)
{
    cr__network *net = cr__alloc_zero(1, sizeof *net);
    cr_status st = CR_OK;
    size_t at = 0, weight_at = 0;

    *out = NULL;
    if (s->nodes == 0)
        st = cr__fail(err, CR_EFORMAT, "there are no variables");
    else if (net == NULL || !reserve(net, s))
        st = cr__fail_memory(err);
    if (st == CR_OK)
        st = copy_names(net, s, err);
    if (st == CR_OK) {
        copy_arcs(net, s);
        st = sort(net, s, err);
    }
    for (uint32_t i = 0; st == CR_OK && i < net->nodes; i++)
        if ((st = copy_weights(net, s, i, &weight_at, err)) == CR_OK)
            st = copy_table(net, s, i, &at, err);
    if (st != CR_OK) {
        cr__network_free(net);
        return st;
    }
    net->table_at[net->nodes] = at;
    net->weight_at[net->nodes] = weight_at;
    *out = net;
    return CR_OK;
}
