/* network/infer/forward.c - forward sampling. */
#include "network/infer/forward.h"

#include "base/fail.h"
#include "base/memory.h"
#include "network/infer/infer.h"

void cr__network_draw(const cr__network *net, cr__random *random, uint32_t *state)
{
    for (uint32_t i = 0; i < net->nodes; i++) {
        const uint32_t node = net->order[i], states = net->states[node];
        const double *p = net->table + cr__row_at(net, node, state);
        double u = cr__random_uniform(random);
        uint32_t k = 0, last = 0; /* the last state that can be: rounding must not pass it */

        for (uint32_t s = 0; s < states; s++)
            last = p[s] > 0 ? s : last;
        while (k < last && u >= p[k])
            u -= p[k++];
        state[node] = k;
    }
}

cr_status cr__cases_draw(cr__cases **out, const cr__network *net, size_t rows, uint64_t seed,
                         cr_error *err)
{
    uint32_t *state = cr__alloc(net->nodes, sizeof *state);
    cr__random random;
    cr_status st = state == NULL ? cr__fail_memory(err)
                                 : cr__cases_new(out, net->states, net->nodes, rows, err);

    cr__random_seed(&random, seed);
    for (size_t r = 0; st == CR_OK && r < rows; r++) {
        cr__network_draw(net, &random, state);
        for (uint32_t i = 0; i < net->nodes; i++)
            cr__cases_put(*out, i, r, state[i]);
    }
    if (st == CR_OK && (st = cr__cases_index(*out, err)) != CR_OK) {
        cr__cases_free(*out);
        *out = NULL;
    }
    cr__free(state);
    return st;
}
