/* train/average.c - the network that resampled rows agree on: arcs by their strength, then a
 * refit. */
#include <string.h>

#include "base/buffer.h"
#include "base/fail.h"
#include "base/memory.h"
#include "credence/structure.h"
#include "learners/network/network_model.h"
#include "network/graph/arcs.h"

/* Arcs that are strong enough, as a list for the knob whitelist. */
typedef struct average {
    const cr_model *model;
    const cr__network *net;
    cr__arcs *arcs;
    uint32_t *order; /* [nodes] room */
    double threshold;
    cr__buffer list;
    size_t count;
    cr_error *err;
} average;

/* Put an arc unless it closes a cycle; returns whether it was added. */
static int put_arc(average *a, uint32_t from, uint32_t to)
{
    cr__arcs_put(a->arcs, from, to);
    if (cr__arcs_order(a->arcs, a->order) == a->arcs->nodes)
        return 1;
    cr__arcs_drop(a->arcs, from, to);
    return 0;
}

static cr_status take_arc(void *context, const cr_structure_arc *arc)
{
    average *a = context;
    uint32_t from = cr__network_find(a->net, arc->from, strlen(arc->from)),
             to = cr__network_find(a->net, arc->to, strlen(arc->to));

    if (arc->strength < a->threshold || from == CR__NO_NODE || to == CR__NO_NODE)
        return CR_OK;
    if (strpbrk(arc->from, ",>") != NULL || strpbrk(arc->to, ",>") != NULL)
        return cr__fail(a->err, CR_EARG, "names with , or > cannot be averaged: '%s', '%s'",
                        arc->from, arc->to);
    if (!put_arc(a, from, to)) {
        const uint32_t other = from;

        from = to;
        to = other;
        if (!put_arc(a, from, to)) /* cannot happen: one of the two directions is free */
            return CR_OK;
    }
    cr__buffer_printf(&a->list, "%s%s>%s", a->count++ > 0 ? "," : "", a->net->name[from],
                      a->net->name[to]);
    return CR_OK;
}

/* The model with these arcs and no others. */
static cr_status fit_average(cr_model **out, average *a, cr_error *err)
{
    cr__buffer whitelist = {0};
    const char *params[] = {"structure=none", NULL, "blacklist=none"};
    cr_status st = cr_model_copy(out, a->model, err);

    cr__buffer_adds(&whitelist, "whitelist=");
    if (a->count == 0)
        cr__buffer_adds(&whitelist, "none");
    else
        cr__buffer_add(&whitelist, a->list.data, a->list.size);
    cr__buffer_addc(&whitelist, '\0');
    params[1] = whitelist.data;
    if (st == CR_OK)
        st = whitelist.failed || a->list.failed ? cr__fail_memory(err)
                                                : cr_model_refit(*out, params, 3, err);
    cr__buffer_free(&whitelist);
    if (st != CR_OK) {
        cr_model_free(*out);
        *out = NULL;
    }
    return st;
}

cr_status cr_structure_average(cr_model **out, const cr_model *model, unsigned rounds,
                               double threshold, const cr_run *run, cr_error *err)
{
    const cr__network_model *g = cr__network_model_of(model);
    average a = {.model = model, .threshold = threshold, .err = err};
    cr_status st;

    *out = NULL;
    if (g == NULL || !cr__is_learned_network(model))
        return cr__fail(err, CR_EARG, "a model of '%s' has no rows to learn structures from",
                        model->learner->name);
    a.net = g->network;
    if ((a.order = cr__alloc(a.net->nodes, sizeof *a.order)) == NULL)
        return cr__fail_memory(err);
    st = cr__arcs_new(&a.arcs, a.net->nodes, err);
    if (st == CR_OK)
        st = cr_structure_strengths(model, rounds, run, take_arc, &a, err);
    if (st == CR_OK)
        st = fit_average(out, &a, err);
    cr__arcs_free(a.arcs);
    cr__free(a.order);
    cr__buffer_free(&a.list);
    return st;
}
