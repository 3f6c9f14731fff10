/* network/learn/chow_liu.c - the tree of greatest likelihood: a maximum spanning tree. */
#include <math.h>

#include "base/fail.h"
#include "base/memory.h"
#include "network/learn/search.h"

/* N I(x; y) is the gain in log likelihood when y becomes x's parent, so it is a difference of
 * scores; information[x * n + y]. */
static cr_status measure(double *information, size_t n, cr__families *families, cr_error *err)
{
    const cr_status st = cr__families_pairs(families, information, err);

    for (size_t i = 0; st == CR_OK && i < n; i++)
        for (size_t j = 0; j < n; j++)
            if (i != j)
                information[i * n + j] -= information[i * n + i];
    return st;
}

/* Prim's algorithm. tie[x]: the tree node to which x would be joined. */
static void grow(cr__arcs *arcs, const double *information, uint32_t root, const cr__arcs *never,
                 uint32_t *tie, unsigned char *joined)
{
    const size_t n = arcs->nodes;
    uint32_t last = root;

    for (uint32_t i = 0; i < n; i++)
        tie[i] = CR__NO_NODE;
    for (;;) {
        uint32_t best = CR__NO_NODE;

        joined[last] = 1;
        for (uint32_t x = 0; x < n; x++) {
            if (joined[x])
                continue;
            if ((never == NULL || !cr__arcs_has(never, last, x)) &&
                information[x * n + last] != -INFINITY &&
                (tie[x] == CR__NO_NODE || information[x * n + last] > information[x * n + tie[x]]))
                tie[x] = last;
            if (tie[x] != CR__NO_NODE &&
                (best == CR__NO_NODE ||
                 information[x * n + tie[x]] > information[best * n + tie[best]]))
                best = x;
        }
        if (best == CR__NO_NODE) /* the rest may not be joined: it begins a new tree */
            for (uint32_t x = 0; x < n && best == CR__NO_NODE; x++)
                best = joined[x] ? CR__NO_NODE : x;
        if (best == CR__NO_NODE)
            return;
        if (tie[best] != CR__NO_NODE)
            cr__arcs_put(arcs, tie[best], best);
        last = best;
    }
}

cr_status cr__chow_liu_by(cr__arcs *arcs, cr__families *families, uint32_t root,
                          const cr__arcs *never, cr_error *err)
{
    const size_t n = arcs->nodes;
    double *information = cr__alloc(n * n, sizeof *information);
    uint32_t *tie = cr__alloc(n, sizeof *tie);
    unsigned char *joined = cr__alloc_zero(n, 1);
    cr_status st =
        information == NULL || tie == NULL || joined == NULL ? cr__fail_memory(err) : CR_OK;

    if (st == CR_OK)
        st = measure(information, n, families, err);
    if (st == CR_OK)
        grow(arcs, information, root, never, tie, joined);
    cr__free(information);
    cr__free(tie);
    cr__free(joined);
    return st;
}

cr_status cr__chow_liu(cr__arcs *arcs, const cr__cases *cases, uint32_t root, int threads,
                       const cr__arcs *never, cr_error *err)
{
    cr__families *families;
    cr_status st =
        cr__families_new(&families, cases, (cr__score){CR__SCORE_LOGLIK, 1}, threads, err);

    if (st != CR_OK)
        return st;
    st = cr__chow_liu_by(arcs, families, root, never, err);
    cr__families_free(families);
    return st;
}
