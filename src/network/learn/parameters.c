/* network/learn/parameters.c - counts of complete families, and tables from counts. */
#include "network/learn/parameters.h"

#include <string.h>

#include "base/fail.h"
#include "base/memory.h"
#include "base/number.h"
#include "network/infer/infer.h"
#include "network/learn/records.h"

cr_status cr__prior_read(cr__prior *out, const char *text, cr_error *err)
{
    static const char *const name[] = {"mle", "bdeu", "dirichlet"};
    const size_t length = strcspn(text, ":");

    for (int i = 0; i < 3; i++) {
        if (strlen(name[i]) != length || memcmp(name[i], text, length) != 0)
            continue;
        *out = (cr__prior){(cr__prior_kind)i, 1};
        if (text[length] == '\0')
            return CR_OK;
        if (i > 0 &&
            cr__parse_double(text + length + 1, strlen(text + length + 1), &out->size) ==
                CR__NUMBER_OK &&
            out->size >= 0)
            return CR_OK;
    }
    cr__fail(err, CR_EARG, "parameters=%s is not a way to estimate tables", text);
    return cr__fail_hint(err, CR_EARG, "mle, bdeu:ROWS or dirichlet:COUNT, none of them negative");
}

int cr__record_states(const cr__network *net, const cr__records *records, size_t row,
                      uint32_t *state)
{
    const cr__cells *cells = records->cells;
    const uint64_t *key = cells->key + row * cells->packing.words;
    int gaps = 0;

    for (uint32_t i = 0; i < net->nodes; i++) {
        const uint32_t v = records->variable[i];

        state[i] = v == UINT32_MAX ? UINT32_MAX : cr__packing_get(&cells->packing, key, v) - 1;
        gaps |= state[i] == UINT32_MAX;
    }
    return gaps;
}

int cr__record_has_family(const cr__network *net, uint32_t node, const uint32_t *state)
{
    if (state[node] == UINT32_MAX)
        return 0;
    for (size_t k = net->parent_at[node]; k < net->parent_at[node + 1]; k++)
        if (state[net->parent[k]] == UINT32_MAX)
            return 0;
    return 1;
}

cr_status cr__count_tables(double *counts, const cr__network *net, const cr__records *records,
                           cr_error *err)
{
    uint32_t *state = cr__alloc(net->nodes, sizeof *state);

    if (state == NULL)
        return cr__fail_memory(err);
    memset(counts, 0, net->table_at[net->nodes] * sizeof *counts);
    for (size_t r = 0; r < records->cells->count; r++) {
        const double n = cr__count_value(cr__cells_at(records->cells, r));
        const int gaps = cr__record_states(net, records, r, state);

        for (uint32_t i = 0; i < net->nodes; i++)
            if (!gaps || cr__record_has_family(net, i, state))
                counts[cr__row_at(net, i, state) + state[i]] += n;
    }
    cr__free(state);
    return CR_OK;
}

double cr__prior_pseudo(const cr__prior *prior, const cr__network *net, uint32_t node)
{
    const size_t cells = net->table_at[node + 1] - net->table_at[node];

    switch (prior->kind) {
    case CR__PRIOR_BDEU: return prior->size / (double)cells;
    case CR__PRIOR_DIRICHLET: return prior->size;
    default: return 0;
    }
}

void cr__set_tables(cr__network *net, const double *counts, const cr__prior *prior)
{
    for (uint32_t i = 0; i < net->nodes; i++) {
        const double a = cr__prior_pseudo(prior, net, i);
        const uint32_t states = net->states[i];

        for (size_t at = net->table_at[i]; at < net->table_at[i + 1]; at += states) {
            double total = 0;

            for (uint32_t k = 0; k < states; k++)
                total += counts[at + k] + a;
            for (uint32_t k = 0; k < states; k++)
                net->table[at + k] = total > 0 ? (counts[at + k] + a) / total : 1.0 / states;
        }
    }
}

int cr__records_have_gaps(const cr__network *net, const cr__records *records)
{
    for (uint32_t i = 0; i < net->nodes; i++)
        if (records->variable[i] == UINT32_MAX)
            return 1;
    for (size_t r = 0; r < records->cells->count; r++)
        if (!cr__cells_complete(records->cells, r))
            return 1;
    return 0;
}
