/* network/graph/arcs.c - graphs as matrices of bits: order, ancestors, lists of arcs to read. */
#include "network/graph/arcs.h"

#include <stdio.h>
#include <string.h>

#include "base/fail.h"
#include "base/memory.h"
#include "credence/spec.h"

cr_status cr__arcs_new(cr__arcs **out, uint32_t nodes, cr_error *err)
{
    cr__arcs *arcs;

    *out = NULL;
    if (nodes > CR__ARC_NODES_MAX) {
        cr__fail(err, CR_ELIMIT, "there are %u variables; arcs are learned among at most %d", nodes,
                 (int)CR__ARC_NODES_MAX);
        return cr__fail_hint(err, CR_ELIMIT,
                             "leave columns out with " CR__SET("type COLUMN=ignore"));
    }
    if ((arcs = cr__alloc_zero(1, sizeof *arcs)) == NULL)
        return cr__fail_memory(err);
    arcs->nodes = nodes;
    arcs->words = (nodes + 63) / 64;
    if ((arcs->into = cr__alloc_zero(nodes * arcs->words, sizeof *arcs->into)) == NULL) {
        cr__free(arcs);
        return cr__fail_memory(err);
    }
    *out = arcs;
    return CR_OK;
}

void cr__arcs_free(cr__arcs *arcs)
{
    if (arcs == NULL)
        return;
    cr__free(arcs->into);
    cr__free(arcs);
}

void cr__arcs_copy(cr__arcs *to, const cr__arcs *from)
{
    memcpy(to->into, from->into, from->nodes * from->words * sizeof *from->into);
}

cr_status cr__arcs_of_network(cr__arcs **out, const cr__network *net, cr_error *err)
{
    cr_status st = cr__arcs_new(out, net->nodes, err);

    for (uint32_t i = 0; st == CR_OK && i < net->nodes; i++)
        for (size_t k = net->parent_at[i]; k < net->parent_at[i + 1]; k++)
            cr__arcs_put(*out, net->parent[k], i);
    return st;
}

size_t cr__arcs_count(const cr__arcs *arcs)
{
    size_t n = 0;

    for (size_t i = 0; i < arcs->nodes * arcs->words; i++)
        n += (size_t)__builtin_popcountll(arcs->into[i]);
    return n;
}

size_t cr__arcs_parents(const cr__arcs *arcs, uint32_t node, uint32_t *list)
{
    const uint64_t *row = cr__arcs_row(arcs, node);
    size_t n = 0;

    for (size_t w = 0; w < arcs->words; w++)
        for (uint64_t left = row[w]; left != 0; left &= left - 1)
            list[n++] = (uint32_t)(w * 64) + (uint32_t)__builtin_ctzll(left);
    return n;
}

/* --- order ------------------------------------------------------------------------------------ */

/* Whether all parents of a node are in the set. */
static int is_ready(const cr__arcs *arcs, uint32_t node, const uint64_t *done)
{
    const uint64_t *row = cr__arcs_row(arcs, node);

    for (size_t w = 0; w < arcs->words; w++)
        if ((row[w] & ~done[w]) != 0)
            return 0;
    return 1;
}

size_t cr__arcs_order(const cr__arcs *arcs, uint32_t *order)
{
    uint64_t *done = cr__alloc_zero(arcs->words, sizeof *done);
    size_t listed = 0, before;

    if (done == NULL)
        return SIZE_MAX;
    do {
        before = listed;
        for (uint32_t i = 0; i < arcs->nodes; i++)
            if ((done[i / 64] >> i % 64 & 1) == 0 && is_ready(arcs, i, done)) {
                order[listed++] = i;
                done[i / 64] |= UINT64_C(1) << i % 64;
            }
    } while (listed > before && listed < arcs->nodes);
    cr__free(done);
    return listed;
}

void cr__arcs_above(const cr__arcs *arcs, const uint32_t *order, cr__arcs *above)
{
    cr__arcs_copy(above, arcs);
    for (uint32_t i = 0; i < arcs->nodes; i++) {
        uint64_t *row = cr__arcs_row(above, order[i]);
        const uint64_t *own = cr__arcs_row(arcs, order[i]);

        for (size_t w = 0; w < arcs->words; w++)
            for (uint64_t left = own[w]; left != 0; left &= left - 1) {
                const uint32_t p = (uint32_t)(w * 64) + (uint32_t)__builtin_ctzll(left);
                const uint64_t *of_parent = cr__arcs_row(above, p);

                for (size_t k = 0; k < arcs->words; k++)
                    row[k] |= of_parent[k];
            }
    }
}

/* --- cycles ----------------------------------------------------------------------------------- */

/* The first parent of a node that is not in the set. Nodes that cannot be ordered have one. */
static uint32_t stuck_parent(const cr__arcs *arcs, uint32_t node, const unsigned char *ordered)
{
    uint32_t p = 0;

    while (ordered[p] || !cr__arcs_has(arcs, p, node))
        p++;
    return p;
}

static void name_cycle(const cr__arcs *arcs, const char *const *name, unsigned char *ordered,
                       unsigned char *seen, char *text, size_t size)
{
    uint32_t node = 0, first;
    size_t used;

    while (ordered[node])
        node++;
    while (!seen[node]) {
        seen[node] = 1;
        node = stuck_parent(arcs, node, ordered);
    }
    first = node;
    used = (size_t)snprintf(text, size, "%s", name[first]);
    do {
        node = stuck_parent(arcs, node, ordered);
        if (used < size)
            used += (size_t)snprintf(text + used, size - used, " <- %s", name[node]);
    } while (node != first);
}

cr_status cr__arcs_check(const cr__arcs *arcs, const char *const *name, const char *what,
                         cr_error *err)
{
    uint32_t *order = cr__alloc(arcs->nodes, sizeof *order);
    unsigned char *ordered = cr__alloc_zero(arcs->nodes, 1), *seen = cr__alloc_zero(arcs->nodes, 1);
    size_t listed = order == NULL ? SIZE_MAX : cr__arcs_order(arcs, order);
    char text[200];
    cr_status st = CR_OK;

    if (ordered == NULL || seen == NULL || listed == SIZE_MAX) {
        st = cr__fail_memory(err);
    } else if (listed < arcs->nodes) {
        for (size_t i = 0; i < listed; i++)
            ordered[order[i]] = 1;
        name_cycle(arcs, name, ordered, seen, text, sizeof text);
        cr__fail(err, CR_EARG, "the arcs of %s form a cycle: %s", what, text);
        st = cr__fail_hint(err, CR_EARG, "leave one of these arcs out");
    }
    cr__free(order);
    cr__free(ordered);
    cr__free(seen);
    return st;
}

/* --- lists of arcs ---------------------------------------------------------------------------- */

cr_status cr__arcs_node(const cr__arcs *arcs, const char *const *name, const char *text,
                        size_t length, uint32_t *node, cr_error *err)
{
    char shown[120];
    cr_nearest near = (cr_nearest){.wanted = cr__printable(shown, sizeof shown, text, length)};

    for (uint32_t i = 0; i < arcs->nodes; i++) {
        if (strlen(name[i]) == length && memcmp(name[i], text, length) == 0) {
            *node = i;
            return CR_OK;
        }
        cr_nearest_offer(&near, name[i]);
    }
    cr__fail(err, CR_EARG, "there is no variable '%s'", shown);
    if (near.best != NULL)
        cr__fail_hint(err, CR_EARG, "did you mean '%s'?", near.best);
    return CR_EARG;
}

/* One side of an arc; an empty one means all nodes. */
static cr_status read_side(const cr__arcs *arcs, const char *const *name, const char *text,
                           size_t length, uint32_t *low, uint32_t *high, cr_error *err)
{
    cr_status st = CR_OK;

    *low = 0;
    *high = arcs->nodes;
    if (length > 0 && (st = cr__arcs_node(arcs, name, text, length, low, err)) == CR_OK)
        *high = *low + 1;
    return st;
}

static cr_status read_arc(cr__arcs *arcs, const char *item, size_t length, const char *const *name,
                          const char *what, cr_error *err)
{
    const char *mark = memchr(item, '>', length);
    uint32_t low, high, low_to, high_to;
    size_t left;
    char shown[120];
    cr_status st;

    if (mark == NULL || length == 1) {
        cr__fail(err, CR_EARG, "'%s' in %s is not an arc",
                 cr__printable(shown, sizeof shown, item, length), what);
        return cr__fail_hint(err, CR_EARG, "write FROM>TO, as in %s=a>b,a>c", what);
    }
    left = (size_t)(mark - item);
    left -= left > 0 && item[left - 1] == '-';
    st = read_side(arcs, name, item, left, &low, &high, err);
    if (st == CR_OK)
        st = read_side(arcs, name, mark + 1, length - (size_t)(mark + 1 - item), &low_to, &high_to,
                       err);
    if (st == CR_OK && high - low == 1 && high_to - low_to == 1 && low == low_to)
        return cr__fail(err, CR_EARG, "%s has an arc from '%s' to itself", what, name[low]);
    for (uint32_t a = low; st == CR_OK && a < high; a++)
        for (uint32_t b = low_to; b < high_to; b++)
            if (a != b)
                cr__arcs_put(arcs, a, b);
    return st;
}

cr_status cr__arcs_read(cr__arcs *arcs, const char *list, const char *const *name, const char *what,
                        cr_error *err)
{
    cr_status st = CR_OK;

    if (strcmp(list, "none") == 0)
        return CR_OK;
    while (st == CR_OK && *list != '\0') {
        const size_t length = strcspn(list, ",;");

        if (length > 0)
            st = read_arc(arcs, list, length, name, what, err);
        list += length + (list[length] != '\0');
    }
    return st;
}
