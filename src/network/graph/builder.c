/* network/graph/builder.c - a network under construction. */
#include <math.h>
#include <stdio.h>
#include <string.h>

#include "base/fail.h"
#include "base/memory.h"
#include "network/graph/network.h"

cr_status cr__builder_new(cr__builder **out, cr_error *err)
{
    cr__builder *s = cr__alloc_zero(1, sizeof *s);
    cr_status st = s == NULL ? cr__fail_memory(err) : cr__dict_new(&s->names, 1, err);

    *out = NULL;
    if (st == CR_OK)
        st = cr__dict_new(&s->labels, 2, err);
    if (st != CR_OK) {
        cr__builder_free(s);
        return st;
    }
    s->title = "";
    s->cell_limit = CR__CELLS_MAX;
    *out = s;
    return CR_OK;
}

void cr__builder_free(cr__builder *s)
{
    if (s == NULL)
        return;
    for (size_t i = 0; i < s->nodes; i++) {
        cr__free(s->node[i].label);
        cr__free(s->node[i].parent);
        cr__free(s->node[i].table);
        cr__free(s->node[i].weight);
    }
    cr__free(s->node);
    cr__dict_free(s->names);
    cr__dict_free(s->labels);
    cr__free(s->state_of);
    cr__arena_free(&s->arena);
    cr__free(s);
}

uint32_t cr__builder_find(const cr__builder *s, const char *name, size_t length)
{
    return cr__dict_find(s->names, name, length) - 1; /* missing is 0, which is no node */
}

static cr_status fail_twice(cr_error *err, const char *what, const char *name, size_t length)
{
    char shown[120];

    return cr__fail(err, CR_ECONFLICT, "there are two %s '%s'", what,
                    cr__printable(shown, sizeof shown, name, length));
}

cr_status cr__builder_add(cr__builder *s, const char *name, size_t length, uint32_t *node,
                          cr_error *err)
{
    const char *copy;
    uint32_t code;

    if (length == 0)
        return cr__fail(err, CR_EFORMAT, "a variable has an empty name");
    if (cr__builder_find(s, name, length) != CR__NO_NODE)
        return fail_twice(err, "variables", name, length);
    if (s->nodes >= CR__NODES_MAX)
        return cr__fail(err, CR_ELIMIT, "there are more than %d variables", (int)CR__NODES_MAX);
    if (length > CR__WORD_MAX)
        return cr__fail(err, CR_ELIMIT, "a name has %zu bytes", length);
    if (!cr__grow(&s->node, &s->capacity, s->nodes + 1, sizeof *s->node) ||
        (copy = cr__arena_copy(&s->arena, name, length)) == NULL ||
        cr__dict_intern(s->names, name, length, &code) != CR_OK)
        return cr__fail_memory(err);
    *node = (uint32_t)s->nodes;
    s->node[s->nodes++] = (cr__builder_node){.name = copy};
    return CR_OK;
}

/* --- states ----------------------------------------------------------------------------------- */

enum { KEY_ROOM = 256 };

/* The node's number and the label as one word; NULL when out of memory. The caller frees *own. */
static const char *label_key(char room[KEY_ROOM], char **own, uint32_t node, const char *label,
                             size_t length)
{
    char *key = room;

    *own = NULL;
    if (length > CR__WORD_MAX || (length + sizeof node > KEY_ROOM &&
                                  (key = *own = cr__alloc(length + sizeof node, 1)) == NULL))
        return NULL;
    memcpy(key, &node, sizeof node);
    if (length > 0)
        memcpy(key + sizeof node, label, length);
    return key;
}

uint32_t cr__builder_state(const cr__builder *s, uint32_t node, const char *label, size_t length)
{
    char room[KEY_ROOM], *own;
    const char *key = label_key(room, &own, node, label, length);
    const uint32_t code =
        key == NULL ? CR__MISSING : cr__dict_find(s->labels, key, length + sizeof node);

    cr__free(own);
    return code == CR__MISSING ? UINT32_MAX : s->state_of[code - 1];
}

cr_status cr__builder_add_state(cr__builder *s, uint32_t node, const char *label, size_t length,
                                cr_error *err)
{
    cr__builder_node *n = &s->node[node];
    char room[KEY_ROOM], *own;
    const char *key, *copy;
    size_t capacity = n->label_capacity;
    uint32_t code;
    int done;

    if (cr__builder_state(s, node, label, length) != UINT32_MAX)
        return fail_twice(err, "states", label, length);
    if (n->states >= CR__STATES_MAX || length > CR__WORD_MAX)
        return cr__fail(err, CR_ELIMIT, "'%s' has too many states", n->name);
    if (n->table != NULL)
        return cr__fail(err, CR_ECONFLICT, "'%s' has a table already", n->name);
    if ((key = label_key(room, &own, node, label, length)) == NULL)
        return cr__fail_memory(err);
    done = cr__dict_intern(s->labels, key, length + sizeof node, &code) == CR_OK &&
           cr__grow(&s->state_of, &s->state_capacity, code, sizeof *s->state_of) &&
           cr__grow(&n->label, &capacity, n->states + (size_t)1, sizeof *n->label) &&
           (copy = cr__arena_copy(&s->arena, label, length)) != NULL;
    n->label_capacity = (uint32_t)capacity;
    cr__free(own);
    if (!done)
        return cr__fail_memory(err);
    s->state_of[code - 1] = n->states;
    n->label[n->states++] = copy;
    return CR_OK;
}

/* --- parents and tables ----------------------------------------------------------------------- */

static void drop_table(cr__builder *s, cr__builder_node *n)
{
    s->cells -= n->cells;
    cr__free(n->table);
    cr__free(n->weight);
    n->table = n->weight = NULL;
    n->cells = n->weights = 0;
}

cr_status cr__builder_set_parents(cr__builder *s, uint32_t node, const uint32_t *parent,
                                  size_t count, cr_error *err)
{
    cr__builder_node *n = &s->node[node];
    uint32_t *copy;

    if (count > CR__PARENTS_MAX)
        return cr__fail(err, CR_ELIMIT, "'%s' has %zu parents; %d are the most", n->name, count,
                        (int)CR__PARENTS_MAX);
    for (size_t i = 0; i < count; i++) {
        if (parent[i] == node)
            return cr__fail(err, CR_EFORMAT, "there is a cycle: %s -> %s", n->name, n->name);
        for (size_t j = 0; j < i; j++)
            if (parent[i] == parent[j])
                return cr__fail(err, CR_EFORMAT, "'%s' has the parent '%s' twice", n->name,
                                s->node[parent[i]].name);
    }
    if ((copy = cr__alloc(count, sizeof *copy)) == NULL)
        return cr__fail_memory(err);
    if (count > 0)
        memcpy(copy, parent, count * sizeof *copy);
    cr__free(n->parent);
    drop_table(s, n);
    n->parent = copy;
    n->parents = (uint32_t)count;
    n->defined = 1;
    return CR_OK;
}

/* How many cells a node's table has; CR_ELIMIT when they are too many. */
static cr_status count_cells(const cr__builder *s, const cr__builder_node *n, size_t *out,
                             cr_error *err)
{
    const size_t most = s->cell_limit - s->cells;
    size_t cells = n->states;

    if (n->states == 0)
        return cr__fail(err, CR_EFORMAT, "'%s' has no states", n->name);
    for (uint32_t i = 0; i < n->parents; i++) {
        const cr__builder_node *p = &s->node[n->parent[i]];

        if (p->states == 0)
            return cr__fail(err, CR_EFORMAT, "'%s' has no states", p->name);
        if (cells > most / p->states)
            cells = SIZE_MAX;
        else
            cells *= p->states;
        if (cells > most)
            return cr__fail(err, CR_ELIMIT, "the table of '%s' has more than %zu cells", n->name,
                            most);
    }
    if (cells > most)
        return cr__fail(err, CR_ELIMIT, "the table of '%s' has more than %zu cells", n->name, most);
    *out = cells;
    return CR_OK;
}

cr_status cr__builder_table(cr__builder *s, uint32_t node, double **table, cr_error *err)
{
    cr__builder_node *n = &s->node[node];
    size_t cells = 0;
    cr_status st;

    *table = n->table;
    if (n->table != NULL)
        return CR_OK;
    if ((st = count_cells(s, n, &cells, err)) != CR_OK)
        return st;
    if ((n->table = cr__alloc(cells, sizeof *n->table)) == NULL)
        return cr__fail_memory(err);
    for (size_t i = 0; i < cells; i++)
        n->table[i] = NAN;
    n->cells = cells;
    s->cells += cells;
    *table = n->table;
    return CR_OK;
}

/* --- Gaussian nodes --------------------------------------------------------------------------- */

cr_status cr__builder_make_gaussian(cr__builder *s, uint32_t node, cr_error *err)
{
    static const char label[] = "number";

    if (s->node[node].states > 1 || s->node[node].table != NULL)
        return cr__fail(err, CR_ECONFLICT, "'%s' has states, so it is not a number",
                        s->node[node].name);
    s->node[node].gaussian = 1;
    return s->node[node].states == 1 ? CR_OK
                                     : cr__builder_add_state(s, node, label, strlen(label), err);
}

cr_status cr__builder_make_utility(cr__builder *s, uint32_t node, cr_error *err)
{
    static const char label[] = "utility";

    s->node[node].kind = CR__KIND_UTILITY;
    if (s->node[node].states > 0)
        return cr__fail(err, CR_EFORMAT, "'%s' has states, so it is not a utility",
                        s->node[node].name);
    return cr__builder_add_state(s, node, label, strlen(label), err);
}

cr_status cr__builder_complete_decisions(cr__builder *s, cr_error *err)
{
    cr_status st = CR_OK;

    for (uint32_t i = 0; st == CR_OK && i < s->nodes; i++) {
        double *table;

        if (s->node[i].kind != CR__KIND_DECISION || s->node[i].table != NULL)
            continue;
        if (!s->node[i].defined)
            st = cr__builder_set_parents(s, i, NULL, 0, err);
        if (st == CR_OK && (st = cr__builder_table(s, i, &table, err)) != CR_OK)
            return cr__fail_at(err, st, NULL, s->node[i].line, s->node[i].column);
        for (size_t k = 0; st == CR_OK && k < s->node[i].cells; k++)
            table[k] = 1.0 / s->node[i].states;
    }
    return st;
}

size_t cr__builder_stride(const cr__builder *s, uint32_t node)
{
    size_t stride = 2;

    if (s->node[node].kind == CR__KIND_UTILITY)
        return 1;
    for (uint32_t k = 0; k < s->node[node].parents; k++)
        stride += s->node[s->node[node].parent[k]].gaussian != 0;
    return stride;
}

cr_status cr__builder_weights(cr__builder *s, uint32_t node, double **weight, cr_error *err)
{
    cr__builder_node *n = &s->node[node];
    double *table;
    cr_status st = cr__builder_table(s, node, &table, err);

    *weight = n->weight;
    if (st != CR_OK || n->weight != NULL)
        return st;
    n->weights = n->cells * cr__builder_stride(s, node);
    if ((*weight = n->weight = cr__alloc(n->weights, sizeof *n->weight)) == NULL)
        return cr__fail_memory(err);
    for (size_t k = 0; k < n->cells; k++)
        table[k] = 1;
    for (size_t k = 0; k < n->weights; k++)
        n->weight[k] = NAN;
    return CR_OK;
}

cr_status cr__row_normalise(double *row, size_t states, cr_error *err)
{
    double sum = 0;

    for (size_t k = 0; k < states; k++) {
        if (!(row[k] >= 0 && row[k] <= 1 + CR__ROW_TOLERANCE))
            return cr__fail(err, CR_EFORMAT, "%.9g is not a probability", row[k]);
        sum += row[k];
    }
    if (!(fabs(sum - 1) <= CR__ROW_TOLERANCE))
        return cr__fail(err, CR_EFORMAT, "the probabilities sum to %.9g, not to 1", sum);
    if (fabs(sum - 1) > (double)states * 0x1p-52)
        for (size_t k = 0; k < states; k++)
            row[k] /= sum;
    return CR_OK;
}

cr_status cr__builder_of(cr__builder **out, const cr__network *net, cr_error *err)
{
    cr__builder *s;
    cr_status st = cr__builder_new(&s, err);
    uint32_t same;
    double *table;

    *out = NULL;
    if (st == CR_OK &&
        (s->title = cr__arena_copy(&s->arena, net->title, strlen(net->title))) == NULL)
        st = cr__fail_memory(err);
    for (uint32_t i = 0; st == CR_OK && i < net->nodes; i++) {
        st = cr__builder_add(s, net->name[i], strlen(net->name[i]), &same, err);
        for (size_t k = net->label_at[i]; st == CR_OK && k < net->label_at[i + 1]; k++)
            st = cr__builder_add_state(s, i, net->label[k], strlen(net->label[k]), err);
        if (st == CR_OK && net->gaussian[i])
            st = cr__builder_make_gaussian(s, i, err);
    }
    for (uint32_t i = 0; st == CR_OK && i < net->nodes; i++) {
        st = cr__builder_set_parents(s, i, net->parent + net->parent_at[i],
                                     net->parent_at[i + 1] - net->parent_at[i], err);
        if (st == CR_OK && (st = cr__builder_table(s, i, &table, err)) == CR_OK)
            memcpy(table, net->table + net->table_at[i], s->node[i].cells * sizeof *table);
        if (st == CR_OK && net->gaussian[i] &&
            (st = cr__builder_weights(s, i, &table, err)) == CR_OK)
            memcpy(table, net->weight + net->weight_at[i], s->node[i].weights * sizeof *table);
    }
    if (st != CR_OK) {
        cr__builder_free(s);
        return st;
    }
    *out = s;
    return CR_OK;
}
