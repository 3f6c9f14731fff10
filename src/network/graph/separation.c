/* network/graph/separation.c - d-separation by reachability (D. Geiger, T. Verma and J. Pearl,
 * 1989; "Bayes ball": R. Shachter, 1998).
 *
 * A place is a node and how it was reached: from a child (up) or from a parent (down). Going up, a
 * node that is not given leads on to its parents and children; going down, to its children; going
 * down, a node that is given or has a given descendant leads to its parents. Places are visited
 * breadth first, each once, so the time is linear in nodes and arcs.
 */
#include "network/graph/separation.h"

#include "base/fail.h"
#include "base/memory.h"

enum { UP = 0, DOWN = 1 };

typedef struct walk {
    const cr__network *net;
    unsigned char *given; /* [nodes] */
    unsigned char *opens; /* [nodes] given, or a descendant is */
    unsigned char *goal;  /* [nodes] */
    uint32_t *from;       /* [2 * nodes] the place before, UINT32_MAX: not reached, itself: start */
    uint32_t *queue;      /* [2 * nodes] places: 2 * node + how */
    size_t head, tail;
} walk;

static void reach(walk *w, uint32_t node, uint32_t how, uint32_t before)
{
    const uint32_t place = 2 * node + how;

    if (w->from[place] != UINT32_MAX)
        return;
    w->from[place] = before == UINT32_MAX ? place : before;
    w->queue[w->tail++] = place;
}

static void go_on(walk *w, uint32_t place)
{
    const cr__network *net = w->net;
    const uint32_t node = place / 2;
    const int up = place % 2 == UP;

    if (up ? !w->given[node] : w->opens[node])
        for (size_t k = net->parent_at[node]; k < net->parent_at[node + 1]; k++)
            reach(w, net->parent[k], UP, place);
    if (!w->given[node])
        for (size_t k = net->child_at[node]; k < net->child_at[node + 1]; k++)
            reach(w, net->child[k], DOWN, place);
}

/* Given nodes and all their ancestors open colliders. */
static void mark(walk *w, cr__node_set b, cr__node_set given)
{
    const cr__network *net = w->net;

    for (size_t i = 0; i < b.count; i++)
        w->goal[b.node[i]] = 1;
    for (size_t i = 0; i < given.count; i++)
        w->given[given.node[i]] = w->opens[given.node[i]] = 1;
    for (uint32_t i = net->nodes; i-- > 0;) {
        const uint32_t node = net->order[i];

        for (size_t k = net->parent_at[node]; w->opens[node] && k < net->parent_at[node + 1]; k++)
            w->opens[net->parent[k]] = 1;
    }
    for (size_t k = 0; k < 2 * (size_t)net->nodes; k++)
        w->from[k] = UINT32_MAX;
}

/* The path to a place, found by walking back. */
static void trace(const walk *w, uint32_t place, uint32_t *path, size_t *length)
{
    size_t n = 0;

    for (;; place = w->from[place]) {
        path[n++] = place / 2;
        if (w->from[place] == place)
            break;
    }
    for (size_t i = 0; i < n / 2; i++) {
        const uint32_t other = path[i];

        path[i] = path[n - 1 - i];
        path[n - 1 - i] = other;
    }
    *length = n;
}

cr_status cr__separated(const cr__network *net, cr__node_set a, cr__node_set b, cr__node_set given,
                        int *separated, uint32_t *path, size_t *length, cr_error *err)
{
    const size_t places = 2 * (size_t)net->nodes;
    walk w = {.net = net,
              .given = cr__alloc_zero(net->nodes, 1),
              .opens = cr__alloc_zero(net->nodes, 1),
              .goal = cr__alloc_zero(net->nodes, 1),
              .from = cr__alloc(places, sizeof *w.from),
              .queue = cr__alloc(places, sizeof *w.queue)};
    cr_status st = CR_OK;

    *separated = 1;
    *length = 0;
    if (w.given == NULL || w.opens == NULL || w.goal == NULL || w.from == NULL || w.queue == NULL)
        st = cr__fail_memory(err);
    if (st == CR_OK)
        mark(&w, b, given);
    for (size_t i = 0; st == CR_OK && i < a.count; i++)
        if (!w.given[a.node[i]])
            reach(&w, a.node[i], UP, UINT32_MAX);
    while (st == CR_OK && w.head < w.tail) {
        const uint32_t place = w.queue[w.head++];

        if (w.goal[place / 2] && !w.given[place / 2]) {
            *separated = 0;
            trace(&w, place, path, length);
            break;
        }
        go_on(&w, place);
    }
    cr__free(w.given);
    cr__free(w.opens);
    cr__free(w.goal);
    cr__free(w.from);
    cr__free(w.queue);
    return st;
}
