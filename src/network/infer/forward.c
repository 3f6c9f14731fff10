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
        uint32_t k = 0, last = 0; /* the last possible state: rounding must not go past it */

        for (uint32_t s = 0; s < states; s++)
            last = p[s] > 0 ? s : last;
        while (k < last && u >= p[k])
            u -= p[k++];
        state[node] = k;
    }
}
