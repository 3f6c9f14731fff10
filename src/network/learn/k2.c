/* network/learn/k2.c - parents chosen greedily along an order. */
#include <math.h>

#include "base/fail.h"
#include "base/memory.h"
#include "network/learn/search.h"

/* The parents of the node at place `at` of the order. */
static cr_status choose_parents(cr__arcs *arcs, cr__families *families, const uint32_t *order,
                                uint32_t at, const cr__climb_plan *plan, uint64_t *wanted,
                                uint32_t *list, double *value, cr_error *err)
{
    const uint32_t child = order[at];
    cr_status st;

    for (size_t w = 0; w < arcs->words; w++)
        wanted[w] = 0;
    for (uint32_t i = 0; i < at; i++)
        if (plan->never == NULL || !cr__arcs_has(plan->never, order[i], child))
            wanted[order[i] / 64] |= UINT64_C(1) << order[i] % 64;
    for (;;) {
        const size_t parents = cr__arcs_parents(arcs, child, list);
        double own, best;
        uint32_t found = child;

        if (plan->max_parents > 0 && parents >= plan->max_parents)
            return CR_OK;
        if ((st = cr__families_around(families, child, list, parents, wanted, &own, value, err)) !=
            CR_OK)
            return st;
        best = own + 1e-10 * (1 + fabs(own)); /* smaller gains are rounding */
        for (uint32_t x = 0; x < arcs->nodes; x++)
            if ((wanted[x / 64] >> x % 64 & 1) != 0 && !cr__arcs_has(arcs, x, child) &&
                value[x] > best) {
                best = value[x];
                found = x;
            }
        if (found == child)
            return CR_OK;
        cr__arcs_put(arcs, found, child);
    }
}

cr_status cr__k2(cr__arcs *arcs, cr__families *families, const uint32_t *order,
                 const cr__climb_plan *plan, cr_error *err)
{
    uint64_t *wanted = cr__alloc(arcs->words, sizeof *wanted);
    uint32_t *list = cr__alloc(arcs->nodes, sizeof *list);
    double *value = cr__alloc(arcs->nodes, sizeof *value);
    cr_status st = wanted == NULL || list == NULL || value == NULL ? cr__fail_memory(err) : CR_OK;

    for (size_t i = 0; st == CR_OK && plan->must != NULL && i < arcs->nodes * arcs->words; i++)
        arcs->into[i] |= plan->must->into[i];
    for (uint32_t at = 0; st == CR_OK && at < arcs->nodes; at++)
        st = choose_parents(arcs, families, order, at, plan, wanted, list, value, err);
    cr__free(wanted);
    cr__free(list);
    cr__free(value);
    return st;
}
