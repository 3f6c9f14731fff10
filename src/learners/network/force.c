/* learners/network/force.c - a network after an intervention (J. Pearl, "Causality", 2000).
 *
 * do(x = v) takes away the arcs into x and sets it to v: x no longer carries information about its
 * causes, but still about its effects.
 */
#include <math.h>
#include <string.h>

#include "base/fail.h"
#include "base/memory.h"
#include "learners/network/network_model.h"

/* A number that is set is observed as well, and its density there should be 1: choose the deviation
 * so, since a normal density at its mean is 1 / (deviation √2π). */
#define UNIT_DEVIATION 0.3989422804014327

static cr_status force(cr__builder *b, const cr__forced *f, cr_error *err)
{
    const uint32_t states = b->node[f->node].states;
    double *table;
    cr_status st = cr__builder_set_parents(b, f->node, NULL, 0, err);

    if (st != CR_OK)
        return st;
    if (b->node[f->node].gaussian) {
        if ((st = cr__builder_weights(b, f->node, &table, err)) == CR_OK) {
            table[0] = f->number;
            table[1] = UNIT_DEVIATION;
        }
        return st;
    }
    if ((st = cr__builder_table(b, f->node, &table, err)) == CR_OK)
        for (uint32_t k = 0; k < states; k++)
            table[k] = k == f->state;
    return st;
}

/* Copy the settings of inference and the soft evidence. */
static cr_status copy_settings(cr__network_model *to, const cr__network_model *from, cr_error *err)
{
    to->method = from->method;
    to->samples = from->samples;
    to->seed = from->seed;
    to->memory = from->memory;
    for (uint32_t i = 0; i < to->network->nodes; i++) {
        const size_t states = to->network->states[i];

        if (from->likelihood[i] == NULL)
            continue;
        if ((to->likelihood[i] = cr__alloc(states, sizeof *to->likelihood[i])) == NULL)
            return cr__fail_memory(err);
        memcpy(to->likelihood[i], from->likelihood[i], states * sizeof *to->likelihood[i]);
    }
    return CR_OK;
}

cr_status cr__network_model_force(cr__network_model **out, const cr__network_model *g,
                                  const cr__forced *forced, size_t count, cr_error *err)
{
    cr__builder *b = NULL;
    cr__network *net;
    cr__network_model *made = NULL;
    cr_status st = cr__builder_of(&b, g->network, err);

    *out = NULL;
    for (size_t i = 0; st == CR_OK && i < count; i++)
        st = force(b, &forced[i], err);
    if (st == CR_OK)
        st = cr__builder_finish(b, &net, err);
    if (st == CR_OK)
        st = cr__network_model_new(&made, net, g->target, err);
    if (st == CR_OK)
        st = copy_settings(made, g, err);
    cr__builder_free(b);
    if (st != CR_OK) {
        cr__network_model_free(made);
        return st;
    }
    *out = made;
    return CR_OK;
}
