/* network/infer/factor.c - one table. */
#include "network/infer/factor.h"

#include <string.h>

#include "base/fail.h"
#include "base/memory.h"

cr__factor *cr__factor_new(const uint32_t *variable, uint32_t variables, const uint32_t *size)
{
    const size_t head = (sizeof(cr__factor) + variables * sizeof(uint32_t) + 63) & ~(size_t)63;
    size_t cells = 1;
    cr__factor *f;

    for (uint32_t i = 0; i < variables; i++) {
        if (cells > CR__CELLS_MAX / size[variable[i]])
            return NULL;
        cells *= size[variable[i]];
    }
    if ((f = cr__alloc(head + cells * sizeof(double), 1)) == NULL)
        return NULL;
    f->references = 1;
    f->variables = variables;
    f->child = UINT32_MAX;
    f->exponent = 0;
    f->cells = cells;
    f->cell = (double *)(void *)((char *)f + head);
    if (variables > 0)
        memcpy(f->variable, variable, variables * sizeof *variable);
    return f;
}

cr__factor *cr__factor_keep(cr__factor *f)
{
    f->references++;
    return f;
}

void cr__factor_drop(cr__factor *f)
{
    if (f != NULL && --f->references == 0)
        cr__free(f);
}

int cr__factor_has(const cr__factor *f, uint32_t variable)
{
    for (uint32_t i = 0; i < f->variables && f->variable[i] <= variable; i++)
        if (f->variable[i] == variable)
            return 1;
    return 0;
}

int cr__factor_same(const cr__factor *a, const cr__factor *b)
{
    if (a == b)
        return 1;
    return a->variables == b->variables && a->child == b->child && a->exponent == b->exponent &&
           memcmp(a->variable, b->variable, a->variables * sizeof *a->variable) == 0 &&
           memcmp(a->cell, b->cell, a->cells * sizeof *a->cell) == 0;
}

/* The free variables of a family in ascending rank, with their strides in the network's table;
 * *offset is the offset given by the observed ones. */
static uint32_t list_free(const cr__network *net, uint32_t node, const uint32_t *rank,
                          const uint32_t *state, uint32_t *variable, uint32_t *size, size_t *stride,
                          size_t *offset)
{
    size_t step = 1;
    uint32_t count = 0;

    *offset = net->table_at[node];
    for (size_t k = net->parent_at[node + 1] + 1; k-- > net->parent_at[node];) {
        const uint32_t member = k == net->parent_at[node + 1] ? node : net->parent[k];

        if (state[member] != UINT32_MAX) {
            *offset += state[member] * step;
        } else {
            uint32_t at = count++;

            for (; at > 0 && variable[at - 1] > rank[member]; at--) {
                variable[at] = variable[at - 1];
                stride[at] = stride[at - 1];
                size[at] = size[at - 1];
            }
            variable[at] = rank[member];
            stride[at] = step;
            size[at] = net->states[member];
        }
        step *= net->states[member];
    }
    return count;
}

cr_status cr__factor_of_node(cr__factor **out, const cr__network *net, uint32_t node,
                             const uint32_t *rank, const uint32_t *state, cr_error *err)
{
    uint32_t variable[CR__PARENTS_MAX + 1], size[CR__PARENTS_MAX + 1];
    uint32_t index[CR__PARENTS_MAX + 1] = {0}, at[CR__PARENTS_MAX + 1];
    size_t stride[CR__PARENTS_MAX + 1], offset;
    const uint32_t count = list_free(net, node, rank, state, variable, size, stride, &offset);

    for (uint32_t i = 0; i < count; i++)
        at[i] = i;
    if ((*out = cr__factor_new(at, count, size)) == NULL)
        return cr__fail_memory(err);
    memcpy((*out)->variable, variable, count * sizeof *variable);
    if (state[node] == UINT32_MAX)
        (*out)->child = rank[node];
    for (size_t cell = 0; cell < (*out)->cells; cell++) {
        (*out)->cell[cell] = net->table[offset];
        for (uint32_t i = count; i-- > 0;) {
            offset += stride[i];
            if (++index[i] < size[i])
                break;
            offset -= stride[i] * size[i];
            index[i] = 0;
        }
    }
    return CR_OK;
}
