/* learners/network/sections.c - a network in the model file.
 *
 *   NETW      u64 nodes, arcs, cells; the title
 *   NETP      u64 where each node's parents begin, [nodes + 1]; u32 parents, [arcs]
 *   NETT      f64 tables, node after node, each as in network/graph/network.h
 *
 *   NETG      of a network with Gaussian nodes: u64 weights; u32 1 for each Gaussian node, else 0,
 *             [nodes], padded with zeros to 8 bytes; f64 weights, node after node
 *
 * Names of nodes are those of the columns, names of states the words of their dictionaries.
 */
#include <string.h>

#include "base/fail.h"
#include "base/memory.h"
#include "learners/network/network_model.h"

#define TAG_NETWORK CR__TAG('N', 'E', 'T', 'W')
#define TAG_PARENTS CR__TAG('N', 'E', 'T', 'P')
#define TAG_TABLES CR__TAG('N', 'E', 'T', 'T')
#define TAG_GAUSSIAN CR__TAG('N', 'E', 'T', 'G')

typedef struct head {
    uint64_t nodes, arcs, cells;
} head;

static void save_gaussian(const cr__network *net, cr__draft *draft)
{
    const uint64_t weights = net->weight_at[net->nodes];

    cr__draft_section_begin(draft, TAG_GAUSSIAN, 0);
    cr__draft_copy(draft, &weights, sizeof weights);
    for (uint32_t i = 0; i < net->nodes + net->nodes % 2; i++) {
        const uint32_t gaussian = i < net->nodes && net->gaussian[i];

        cr__draft_copy(draft, &gaussian, sizeof gaussian);
    }
    cr__draft_borrow(draft, net->weight, (size_t)weights * sizeof *net->weight);
}

void cr__network_model_save(const void *fitted, cr__draft *draft)
{
    const cr__network *net = ((const cr__network_model *)fitted)->network;
    const head h = {net->nodes, net->parent_at[net->nodes], net->table_at[net->nodes]};

    cr__draft_section_begin(draft, TAG_NETWORK, 0);
    cr__draft_copy(draft, &h, sizeof h);
    cr__draft_borrow(draft, net->title, strlen(net->title));
    cr__draft_section_begin(draft, TAG_PARENTS, 0);
    for (size_t i = 0; i <= net->nodes; i++) {
        const uint64_t at = net->parent_at[i];

        cr__draft_copy(draft, &at, sizeof at);
    }
    cr__draft_borrow(draft, net->parent, (size_t)h.arcs * sizeof *net->parent);
    cr__draft_section_begin(draft, TAG_TABLES, 0);
    cr__draft_borrow(draft, net->table, (size_t)h.cells * sizeof *net->table);
    if (net->weight_at[net->nodes] > 0)
        save_gaussian(net, draft);
}

/* Nodes and states by the names of columns and words. */
static cr_status add_nodes(cr__builder *s, const cr__container *container, const cr_schema *schema,
                           cr_error *err)
{
    cr_status st = CR_OK;

    for (size_t i = 0; st == CR_OK && i < schema->columns; i++) {
        cr__dict *dict = NULL;
        uint32_t node;

        if (schema->column[i].kind != CR_SYMBOL && schema->column[i].kind != CR_REAL)
            return cr__container_damaged(container, err,
                                         "a node of the network is neither a symbol nor a number");
        st = cr__builder_add(s, schema->column[i].name, strlen(schema->column[i].name), &node, err);
        if (st == CR_OK && schema->column[i].kind == CR_REAL) {
            st = cr__builder_make_gaussian(s, node, err);
            continue;
        }
        if (st == CR_OK)
            st = cr__container_dict(container, CR__TAG_DICT, (uint32_t)i, &dict, err);
        for (uint32_t k = 1; st == CR_OK && k <= dict->words; k++) {
            const char *word = cr__dict_word(dict, k, NULL);

            st = cr__builder_add_state(s, node, word, strlen(word), err);
        }
        cr__dict_free(dict);
    }
    return st;
}

/* Which nodes are Gaussian, and their weights; *weight is NULL when none is. */
static cr_status read_gaussian(cr__builder *s, const cr__container *container,
                               const double **weight, size_t *weights, cr_error *err)
{
    const size_t flags = s->nodes + s->nodes % 2;
    size_t size;
    const char *bytes = cr__container_section(container, TAG_GAUSSIAN, 0, &size);
    const uint32_t *flag;
    uint64_t count;
    cr_status st = CR_OK;

    *weight = NULL;
    *weights = 0;
    if (bytes == NULL) {
        for (size_t i = 0; i < s->nodes; i++)
            if (s->node[i].gaussian)
                return cr__container_damaged(container, err,
                                             "the numbers of the network are missing");
        return CR_OK;
    }
    if (size < sizeof count + flags * sizeof *flag)
        return cr__container_damaged(container, err, "the numbers of the network are cut short");
    memcpy(&count, bytes, sizeof count);
    size -= sizeof count + flags * sizeof *flag;
    if (count != size / sizeof **weight || size % sizeof **weight != 0)
        return cr__container_damaged(container, err, "the numbers of the network make no sense");
    flag = (const uint32_t *)(const void *)(bytes + sizeof count);
    for (uint32_t i = 0; st == CR_OK && i < s->nodes; i++) {
        if (flag[i] > 1 || (s->node[i].gaussian && flag[i] == 0) ||
            (flag[i] == 1 && s->node[i].states > 1))
            return cr__container_damaged(container, err, "a node is both a number and discrete");
        if (flag[i] == 1)
            st = cr__builder_make_gaussian(s, i, err);
    }
    *weight = (const double *)(const void *)(flag + flags);
    *weights = (size_t)count;
    return st;
}

/* The weights of Gaussian nodes, whose parents are known. */
static cr_status add_weights(cr__builder *s, const cr__container *container, const double *weight,
                             size_t weights, cr_error *err)
{
    size_t used = 0;
    cr_status st = CR_OK;

    for (uint32_t i = 0; st == CR_OK && i < s->nodes; i++) {
        double *own;

        if (!s->node[i].gaussian || (st = cr__builder_weights(s, i, &own, err)) != CR_OK)
            continue;
        if (s->node[i].weights > weights - used)
            return cr__container_damaged(container, err,
                                         "the numbers of the network are cut short");
        memcpy(own, weight + used, s->node[i].weights * sizeof *own);
        used += s->node[i].weights;
    }
    if (st == CR_OK && used != weights)
        return cr__container_damaged(container, err, "the numbers of the network are too many");
    return st;
}

/* Parents and tables; the arrays are already checked against the sections' sizes. */
static cr_status add_tables(cr__builder *s, const cr__container *container, const head *h,
                            const uint64_t *at, const uint32_t *parent, const double *cell,
                            cr_error *err)
{
    size_t used = 0;
    cr_status st = CR_OK;

    for (uint32_t i = 0; st == CR_OK && i < h->nodes; i++) {
        double *table;

        if (at[i] > at[i + 1] || at[i + 1] > h->arcs)
            return cr__container_damaged(container, err, "the parents of a node make no sense");
        for (uint64_t k = at[i]; k < at[i + 1]; k++)
            if (parent[k] >= h->nodes)
                return cr__container_damaged(container, err, "a node has an invalid parent");
        st = cr__builder_set_parents(s, i, parent + at[i], (size_t)(at[i + 1] - at[i]), err);
        if (st == CR_OK)
            st = cr__builder_table(s, i, &table, err);
        if (st == CR_OK && s->node[i].cells > h->cells - used)
            return cr__container_damaged(container, err, "a table of the network is too short");
        if (st == CR_OK) {
            memcpy(table, cell + used, s->node[i].cells * sizeof *table);
            used += s->node[i].cells;
        }
    }
    if (st == CR_OK && used != h->cells)
        return cr__container_damaged(container, err, "the tables of the network are too long");
    return st;
}

cr_status cr__network_model_read(cr__builder *s, const cr__container *container, cr_error *err)
{
    const void *bytes, *parents, *tables;
    const double *weight = NULL;
    size_t size, weights = 0;
    head h;
    cr_status st = cr__container_need(container, TAG_NETWORK, 0, sizeof h, 0, &bytes, &size, err);

    if (st != CR_OK)
        return st;
    memcpy(&h, bytes, sizeof h);
    if (h.nodes != s->nodes || h.arcs > h.nodes * CR__PARENTS_MAX || h.cells > CR__CELLS_MAX ||
        memchr((const char *)bytes + sizeof h, 0, size - sizeof h))
        return cr__container_damaged(container, err, "the head of the network makes no sense");
    if ((s->title = cr__arena_copy(&s->arena, (const char *)bytes + sizeof h, size - sizeof h)) ==
        NULL)
        return cr__fail_memory(err);
    st = cr__container_need(container, TAG_PARENTS, 0,
                            (size_t)(h.nodes + 1) * sizeof(uint64_t) +
                                (size_t)h.arcs * sizeof(uint32_t),
                            1, &parents, NULL, err);
    if (st == CR_OK)
        st = cr__container_need(container, TAG_TABLES, 0, (size_t)h.cells * sizeof(double), 1,
                                &tables, NULL, err);
    s->cell_limit = (size_t)h.cells;
    if (st == CR_OK)
        st = read_gaussian(s, container, &weight, &weights, err);
    if (st == CR_OK)
        st = add_tables(s, container, &h, parents,
                        (const uint32_t *)(const void *)((const uint64_t *)parents + h.nodes + 1),
                        tables, err);
    return st == CR_OK ? add_weights(s, container, weight, weights, err) : st;
}

cr_status cr__network_model_open(void **fitted, const cr__container *container,
                                 const cr_schema *schema, const size_t *values, size_t classes,
                                 cr_error *err)
{
    cr__network_model *g = NULL;
    cr__network *net = NULL;
    cr__builder *s;
    cr_status st = cr__builder_new(&s, err);

    (void)values;
    (void)classes;
    *fitted = NULL;
    if (st == CR_OK)
        st = add_nodes(s, container, schema, err);
    if (st == CR_OK)
        st = cr__network_model_read(s, container, err);
    for (size_t i = 0; st == CR_OK && i < schema->columns; i++)
        if (s->node[i].gaussian != (schema->column[i].kind == CR_REAL))
            st = cr__container_damaged(container, err, "a node is both a number and discrete");
    if (st == CR_OK)
        st = cr__builder_finish(s, &net, err);
    cr__builder_free(s);
    if (st == CR_OK)
        st = cr__network_model_new(
            &g, net, schema->target == SIZE_MAX ? CR__NO_NODE : (uint32_t)schema->target, err);
    *fitted = g;
    return st;
}
