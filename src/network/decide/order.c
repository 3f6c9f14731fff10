/* network/decide/order.c - which decision comes first, and what is known at each. */
#include <string.h>

#include "base/fail.h"
#include "base/memory.h"
#include "network/decide/solve.h"

void cr__mark_descendants(const cr__network *net, uint32_t node, unsigned char *below)
{
    memset(below, 0, net->nodes);
    for (uint32_t i = 0; i < net->nodes; i++) {
        const uint32_t at = net->order[i];

        for (size_t k = net->parent_at[at]; k < net->parent_at[at + 1]; k++)
            if (net->parent[k] == node || below[net->parent[k]])
                below[at] = 1;
    }
}

static int is_open(const cr__problem *p, uint32_t node)
{
    return p->net->kind[node] == CR__KIND_DECISION && p->state[node] == UINT32_MAX;
}

void cr__mark_known(const cr__problem *p, const uint32_t *decision, uint32_t index,
                    unsigned char *known)
{
    const cr__network *net = p->net;

    memset(known, 0, net->nodes);
    for (uint32_t i = 0; i <= index; i++) {
        const uint32_t d = decision[i];

        for (size_t k = net->parent_at[d]; k < net->parent_at[d + 1]; k++)
            known[net->parent[k]] = 1;
        if (p->decision == d)
            known[p->variable] = 1;
        if (i < index)
            known[d] = 1;
    }
    for (uint32_t i = 0; i < net->nodes; i++) /* what was known at the start is known everywhere */
        known[i] &= p->state[i] == UINT32_MAX;
}

/* What is known at the start cannot be the outcome of a decision that is still open. */
static cr_status check_evidence(const cr__problem *p, uint32_t decision, const unsigned char *below,
                                cr_error *err)
{
    const cr__network *net = p->net;

    for (uint32_t i = 0; i < net->nodes; i++)
        if (below[i] && p->state[i] != UINT32_MAX && net->kind[i] == CR__KIND_CHANCE) {
            cr__fail(err, CR_ECONFLICT, "'%s' may depend on '%s', which is still to be decided",
                     net->name[i], net->name[decision]);
            return cr__fail_hint(err, CR_ECONFLICT, "say what was decided, too: %s=...",
                                 net->name[decision]);
        }
    return CR_OK;
}

cr_status cr__decision_order(const cr__problem *p, uint32_t **out, uint32_t *count, cr_error *err)
{
    const cr__network *net = p->net;
    uint32_t *list = cr__alloc(net->nodes, sizeof *list);
    unsigned char *below = cr__alloc(net->nodes, 1);
    cr_status st = list == NULL || below == NULL ? cr__fail_memory(err) : CR_OK;

    *count = 0;
    for (uint32_t i = 0; st == CR_OK && i < net->nodes; i++)
        if (is_open(p, net->order[i]))
            list[(*count)++] = net->order[i];
    for (uint32_t i = 0; st == CR_OK && i < *count; i++) {
        cr__mark_descendants(net, list[i], below);
        st = check_evidence(p, list[i], below, err);
        if (st == CR_OK && i + 1 < *count && !below[list[i + 1]]) {
            cr__fail(err, CR_ECONFLICT, "nothing says which of '%s' and '%s' is decided first",
                     net->name[list[i]], net->name[list[i + 1]]);
            st = cr__fail_hint(err, CR_ECONFLICT, "an arc from one to the other does");
        }
    }
    cr__free(below);
    if (st != CR_OK) {
        cr__free(list);
        list = NULL;
    }
    *out = list;
    return st;
}
