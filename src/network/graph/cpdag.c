/* network/graph/cpdag.c - equivalence classes of networks. */
#include "network/graph/cpdag.h"

#include <string.h>

#include "base/fail.h"
#include "base/memory.h"

static int is_arc(const cr__arcs *a, uint32_t from, uint32_t to)
{
    return cr__arcs_has(a, from, to) && !cr__arcs_has(a, to, from);
}

static int is_line(const cr__arcs *a, uint32_t x, uint32_t y)
{
    return cr__arcs_has(a, x, y) && cr__arcs_has(a, y, x);
}

/* Whether the line b - c must be the arc b -> c. */
static int must_point(const cr__arcs *g, uint32_t b, uint32_t c, const uint32_t *near, size_t count)
{
    for (size_t i = 0; i < count; i++) { /* near: joined to b */
        const uint32_t a = near[i];

        if (a == c)
            continue;
        if (is_arc(g, a, b) && !cr__arcs_near(g, a, c))
            return 1;
        if (is_arc(g, b, a) && is_arc(g, a, c))
            return 1;
        for (size_t k = 0; k < count; k++) {
            const uint32_t d = near[k];

            if (d == c || d == a || cr__arcs_near(g, a, d) || !is_line(g, b, a) || !is_arc(g, a, c))
                continue;
            if (is_line(g, b, d) && is_arc(g, d, c))
                return 1;
        }
        if (!is_arc(g, a, c) || !cr__arcs_near(g, b, a))
            continue;
        for (size_t k = 0; k < count; k++) /* rule 4 with near[k] -> a -> c */
            if (near[k] != c && is_line(g, b, near[k]) && is_arc(g, near[k], a) &&
                !cr__arcs_near(g, near[k], c))
                return 1;
    }
    return 0;
}

/* All nodes joined to one, ascending. */
static size_t list_near(const cr__arcs *g, uint32_t node, uint32_t *list)
{
    size_t n = 0;

    for (uint32_t x = 0; x < g->nodes; x++)
        if (x != node && cr__arcs_near(g, x, node))
            list[n++] = x;
    return n;
}

static int direct_from(cr__arcs *g, uint32_t b, uint32_t *near)
{
    const size_t count = list_near(g, b, near);
    int changed = 0;

    for (size_t i = 0; i < count; i++)
        if (is_line(g, b, near[i]) && must_point(g, b, near[i], near, count)) {
            cr__arcs_drop(g, near[i], b);
            changed = 1;
        }
    return changed;
}

/* Rounds over all nodes until one changes nothing: each directs at least one line, so they
 * terminate. */
static void meek_rounds(cr__arcs *g, uint32_t *near)
{
    int changed;

    do {
        changed = 0;
        for (uint32_t b = 0; b < g->nodes; b++)
            changed |= direct_from(g, b, near);
    } while (changed);
}

void cr__meek(cr__arcs *g)
{
    uint32_t *near = cr__alloc(g->nodes, sizeof *near);

    if (near != NULL) /* without memory lines stay undirected, which is still correct */
        meek_rounds(g, near);
    cr__free(near);
}

/* --- the class of a network ------------------------------------------------------------------- */

/* Keep the arcs of colliders, make all others undirected lines. */
static void keep_colliders(cr__arcs *out, const cr__arcs *dag, uint32_t *list)
{
    for (uint32_t c = 0; c < dag->nodes; c++) {
        const size_t n = cr__arcs_parents(dag, c, list);

        for (size_t i = 0; i < n; i++) {
            int collides = 0;

            for (size_t k = 0; k < n && !collides; k++)
                collides = k != i && !cr__arcs_near(dag, list[i], list[k]);
            if (!collides)
                cr__arcs_put(out, c, list[i]);
        }
    }
}

cr_status cr__cpdag(cr__arcs *arcs, cr_error *err)
{
    cr__arcs *dag = NULL;
    uint32_t *list = cr__alloc(arcs->nodes, sizeof *list);
    cr_status st = list == NULL ? cr__fail_memory(err) : cr__arcs_new(&dag, arcs->nodes, err);

    if (st == CR_OK) {
        cr__arcs_copy(dag, arcs);
        keep_colliders(arcs, dag, list);
        meek_rounds(arcs, list);
    }
    cr__arcs_free(dag);
    cr__free(list);
    return st;
}

/* --- a network of a class --------------------------------------------------------------------- */

/* Whether x can be the last of the remaining nodes: no arc leaves it, and every node joined to it
 * by a line is joined to all other neighbours of x. */
static int can_be_last(const cr__arcs *g, uint32_t x, const unsigned char *gone,
                       const uint32_t *near, size_t count)
{
    for (size_t i = 0; i < count; i++) {
        if (gone[near[i]])
            continue;
        if (is_arc(g, x, near[i]))
            return 0;
        for (size_t k = 0; is_line(g, x, near[i]) && k < count; k++)
            if (k != i && !gone[near[k]] && !cr__arcs_near(g, near[i], near[k]))
                return 0;
    }
    return 1;
}

/* Direct the lines of x from the remaining nodes to x. */
static void finish_node(cr__arcs *g, uint32_t x, unsigned char *gone, const uint32_t *near,
                        size_t count)
{
    for (size_t i = 0; i < count; i++)
        if (!gone[near[i]])
            cr__arcs_drop(g, x, near[i]);
    gone[x] = 1;
}

/* The remaining node with the fewest outgoing arcs: it comes last when none can properly. */
static uint32_t least_bad(const cr__arcs *g, const unsigned char *gone)
{
    uint32_t best = 0;
    size_t fewest = SIZE_MAX;

    for (uint32_t x = 0; x < g->nodes; x++) {
        size_t leaving = 0;

        for (uint32_t y = 0; !gone[x] && y < g->nodes; y++)
            leaving += !gone[y] && is_arc(g, x, y);
        if (!gone[x] && leaving < fewest) {
            fewest = leaving;
            best = x;
        }
    }
    return best;
}

/* Reverse the arcs from x to remaining nodes, so that x comes last. */
static void turn_arcs(cr__arcs *g, uint32_t x, const unsigned char *gone)
{
    for (uint32_t y = 0; y < g->nodes; y++)
        if (!gone[y] && is_arc(g, x, y)) {
            cr__arcs_drop(g, x, y);
            cr__arcs_put(g, y, x);
        }
}

cr_status cr__extend(cr__arcs *g, int *consistent, cr_error *err)
{
    unsigned char *gone = cr__alloc_zero(g->nodes, 1);
    uint32_t *near = cr__alloc(g->nodes, sizeof *near);
    cr_status st = gone == NULL || near == NULL ? cr__fail_memory(err) : CR_OK;

    *consistent = 1;
    for (uint32_t left = st == CR_OK ? g->nodes : 0; left > 0; left--) {
        uint32_t x = g->nodes;
        size_t count = 0;
        int found = 0;

        while (!found && x-- > 0)
            if (!gone[x]) {
                count = list_near(g, x, near);
                found = can_be_last(g, x, gone, near, count);
            }
        if (!found) {
            *consistent = 0;
            x = least_bad(g, gone);
            turn_arcs(g, x, gone);
            count = list_near(g, x, near);
        }
        finish_node(g, x, gone, near, count);
    }
    cr__free(gone);
    cr__free(near);
    return st;
}

cr__arcs_difference cr__arcs_compare(const cr__arcs *a, const cr__arcs *b)
{
    cr__arcs_difference d = {0};

    for (uint32_t x = 0; x < a->nodes; x++)
        for (uint32_t y = 0; y < x; y++) {
            const int first = cr__arcs_near(a, x, y), second = cr__arcs_near(b, x, y);

            d.missing += first && !second;
            d.extra += !first && second;
            d.turned += first && second &&
                        (cr__arcs_has(a, x, y) != cr__arcs_has(b, x, y) ||
                         cr__arcs_has(a, y, x) != cr__arcs_has(b, y, x));
        }
    return d;
}
