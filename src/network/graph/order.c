/* network/graph/order.c - elimination orders by min-fill and min-weight.
 *
 * The number of arcs that each elimination would add is kept up to date as arcs are added and nodes
 * eliminated, so that thousands of nodes take milliseconds.
 */
#include "network/graph/order.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "base/fail.h"
#include "base/memory.h"
#include "base/random.h"

typedef struct vertex {
    uint32_t *neighbour;
    uint32_t listed, capacity; /* in neighbour, including eliminated ones */
    uint32_t degree;           /* not eliminated */
    int64_t fill;              /* pairs of neighbours that are not joined */
    double weight;             /* log2 of the cells of its clique */
    uint32_t heap_at;          /* UINT32_MAX: not in the heap */
    int gone;
    int later; /* eliminated after the others */
} vertex;

typedef struct graph {
    uint32_t vertices;
    vertex *v;
    const uint32_t *size;
    uint64_t *edge;      /* a hash table; 0 is empty, as no edge joins vertex 0 with itself */
    size_t edges, slots; /* slots are a power of two */
    uint32_t *heap;
    uint32_t heaped;
    int by_weight;    /* the weight counts first, then the fill */
    uint32_t *record; /* the cliques, concatenated */
    size_t recorded, record_capacity;
    uint32_t *around; /* the neighbours of the eliminated one */
    size_t around_capacity;
} graph;

/* --- edges ------------------------------------------------------------------------------------ */

static uint64_t edge_key(uint32_t a, uint32_t b)
{
    return a < b ? (uint64_t)a << 32 | b : (uint64_t)b << 32 | a;
}

static size_t edge_slot(const graph *g, uint64_t key)
{
    uint64_t state = key;
    size_t slot = cr__splitmix64(&state) & (g->slots - 1);

    while (g->edge[slot] != 0 && g->edge[slot] != key)
        slot = (slot + 1) & (g->slots - 1);
    return slot;
}

static int joined(const graph *g, uint32_t a, uint32_t b)
{
    return g->edge[edge_slot(g, edge_key(a, b))] != 0;
}

static int grow_edges(graph *g)
{
    uint64_t *old = g->edge;
    const size_t slots = g->slots;

    if ((g->edge = cr__alloc_zero(slots * 2, sizeof *g->edge)) == NULL) {
        g->edge = old;
        return 0;
    }
    g->slots = slots * 2;
    for (size_t i = 0; i < slots; i++)
        if (old[i] != 0)
            g->edge[edge_slot(g, old[i])] = old[i];
    cr__free(old);
    return 1;
}

static int list(vertex *v, uint32_t neighbour)
{
    size_t capacity = v->capacity;

    if (!cr__grow(&v->neighbour, &capacity, v->listed + (size_t)1, sizeof *v->neighbour))
        return 0;
    v->capacity = (uint32_t)capacity;
    v->neighbour[v->listed++] = neighbour;
    v->degree++;
    return 1;
}

/* 0 when out of memory. An existing edge is kept. */
static int connect(graph *g, uint32_t a, uint32_t b)
{
    size_t slot;

    if (2 * (g->edges + 1) > g->slots && !grow_edges(g))
        return 0;
    slot = edge_slot(g, edge_key(a, b));
    if (g->edge[slot] != 0)
        return 1;
    g->edge[slot] = edge_key(a, b);
    g->edges++;
    g->v[a].weight += log2(g->size[b]);
    g->v[b].weight += log2(g->size[a]);
    return list(&g->v[a], b) && list(&g->v[b], a);
}

/* Drop eliminated neighbours, when there are many or an exact list is needed. */
static void tidy(graph *g, vertex *v)
{
    uint32_t kept = 0;

    for (uint32_t i = 0; i < v->listed; i++)
        if (!g->v[v->neighbour[i]].gone)
            v->neighbour[kept++] = v->neighbour[i];
    v->listed = kept;
}

/* --- the heap: the best vertex on top --------------------------------------------------------- */

static int better(const graph *g, uint32_t a, uint32_t b)
{
    const vertex *x = &g->v[a], *y = &g->v[b];

    if (x->later != y->later)
        return x->later < y->later;
    if (g->by_weight && x->weight != y->weight)
        return x->weight < y->weight;
    if (x->fill != y->fill)
        return x->fill < y->fill;
    if (x->weight != y->weight)
        return x->weight < y->weight;
    return a < b;
}

static void put(graph *g, uint32_t at, uint32_t vertex_index)
{
    g->heap[at] = vertex_index;
    g->v[vertex_index].heap_at = at;
}

/* Move the vertex at a place to where it belongs. */
static void settle(graph *g, uint32_t at)
{
    const uint32_t moved = g->heap[at];

    while (at > 0 && better(g, moved, g->heap[(at - 1) / 2])) {
        put(g, at, g->heap[(at - 1) / 2]);
        at = (at - 1) / 2;
    }
    for (;;) {
        uint32_t child = 2 * at + 1;

        if (child >= g->heaped)
            break;
        child += child + 1 < g->heaped && better(g, g->heap[child + 1], g->heap[child]);
        if (!better(g, g->heap[child], moved))
            break;
        put(g, at, g->heap[child]);
        at = child;
    }
    put(g, at, moved);
}

static void changed(graph *g, uint32_t v)
{
    if (g->v[v].heap_at != UINT32_MAX)
        settle(g, g->v[v].heap_at);
}

static uint32_t pop(graph *g)
{
    const uint32_t top = g->heap[0], last = g->heap[--g->heaped];

    g->v[top].heap_at = UINT32_MAX;
    if (g->heaped > 0) {
        put(g, 0, last);
        settle(g, 0);
    }
    return top;
}

/* --- fill ------------------------------------------------------------------------------------- */

/* Pairs of neighbours that are not joined, from scratch: by checking the pairs, or, for a vertex
 * with very many neighbours, their neighbour lists. */
static int64_t count_fill(const graph *g, const vertex *v, unsigned char *mark)
{
    const int64_t degree = v->degree;
    int64_t apart = 0, beyond = 0;

    if (degree <= 64) {
        for (uint32_t i = 0; i < v->listed; i++)
            for (uint32_t j = 0; j < i; j++)
                apart += !joined(g, v->neighbour[i], v->neighbour[j]);
        return apart;
    }
    for (uint32_t i = 0; i < v->listed; i++)
        mark[v->neighbour[i]] = 1;
    for (uint32_t i = 0; i < v->listed; i++) {
        const vertex *w = &g->v[v->neighbour[i]];

        for (uint32_t k = 0; k < w->listed; k++)
            beyond += mark[w->neighbour[k]];
    }
    for (uint32_t i = 0; i < v->listed; i++)
        mark[v->neighbour[i]] = 0;
    return degree * (degree - 1) / 2 - beyond / 2;
}

/* Join a and b, which are not joined. Each common neighbour has one pair less to join; a gains a
 * pair (b, x) for each of its neighbours x that is not a neighbour of b. */
static int add_fill(graph *g, uint32_t a, uint32_t b)
{
    const uint32_t few = g->v[a].degree < g->v[b].degree ? a : b, other = few == a ? b : a;
    vertex *v = &g->v[few];
    int64_t common = 0;

    if (v->listed > 2 * v->degree)
        tidy(g, v);
    for (uint32_t i = 0; i < v->listed; i++) {
        const uint32_t c = v->neighbour[i];

        if (g->v[c].gone || !joined(g, c, other))
            continue;
        common++;
        g->v[c].fill--;
        changed(g, c);
    }
    g->v[a].fill += g->v[a].degree - common;
    g->v[b].fill += g->v[b].degree - common;
    return connect(g, a, b);
}

/* Eliminate a vertex: its neighbours become a clique. 0 when out of memory. */
static int eliminate(graph *g, uint32_t index)
{
    vertex *v = &g->v[index];
    uint32_t n;

    tidy(g, v);
    n = v->listed;
    if (!cr__grow(&g->around, &g->around_capacity, n, sizeof *g->around) ||
        !cr__grow(&g->record, &g->record_capacity, g->recorded + n, sizeof *g->record))
        return 0;
    if (n > 0) {
        memcpy(g->around, v->neighbour, n * sizeof *g->around);
        memcpy(g->record + g->recorded, v->neighbour, n * sizeof *g->around);
    }
    g->recorded += n;
    for (uint32_t i = 0; i < n && v->fill > 0; i++)
        for (uint32_t j = 0; j < i; j++)
            if (!joined(g, g->around[i], g->around[j]) && !add_fill(g, g->around[j], g->around[i]))
                return 0;
    v->gone = 1;
    for (uint32_t i = 0; i < n; i++) {
        vertex *u = &g->v[g->around[i]];

        u->fill -= (int64_t)u->degree - (int64_t)n;
        u->degree--;
        u->weight -= log2(g->size[index]);
        if (u->listed > 2 * u->degree + 8)
            tidy(g, u);
    }
    for (uint32_t i = 0; i < n; i++)
        changed(g, g->around[i]);
    cr__free(v->neighbour);
    v->neighbour = NULL;
    v->listed = v->capacity = 0;
    return 1;
}

/* --- from a network --------------------------------------------------------------------------- */

static void graph_free(graph *g)
{
    for (uint32_t i = 0; g->v != NULL && i < g->vertices; i++)
        cr__free(g->v[i].neighbour);
    cr__free(g->v);
    cr__free(g->edge);
    cr__free(g->heap);
    cr__free(g->record);
    cr__free(g->around);
}

/* Join the members of a family that are in the graph. */
static int marry(graph *g, const cr__network *net, uint32_t node, const unsigned char *part)
{
    for (size_t i = net->parent_at[node]; i <= net->parent_at[node + 1]; i++) {
        const uint32_t a = i == net->parent_at[node + 1] ? node : net->parent[i];

        for (size_t j = net->parent_at[node]; j < i; j++)
            if (part[a] >= CR__PART_ELIMINATED && part[net->parent[j]] >= CR__PART_ELIMINATED &&
                !connect(g, a, net->parent[j]))
                return 0;
    }
    return 1;
}

static int make_graph(graph *g, const cr__network *net, const unsigned char *part,
                      unsigned char *mark)
{
    uint32_t last = UINT32_MAX;

    *g = (graph){
        .vertices = net->nodes, .size = net->states, .slots = 64, .by_weight = g->by_weight};
    while (g->slots < 4 * net->parent_at[net->nodes])
        g->slots *= 2;
    g->v = cr__alloc_zero(net->nodes, sizeof *g->v);
    g->heap = cr__alloc(net->nodes, sizeof *g->heap);
    g->edge = cr__alloc_zero(g->slots, sizeof *g->edge);
    if (g->v == NULL || g->heap == NULL || g->edge == NULL)
        return 0;
    for (uint32_t i = 0; i < net->nodes; i++)
        g->v[i].weight = log2(net->states[i]);
    for (uint32_t i = 0; i < net->nodes; i++)
        if (part[i] != CR__PART_NONE && !marry(g, net, i, part))
            return 0;
    for (uint32_t i = 0; i < net->nodes; i++) { /* the kept ones form a clique */
        if (part[i] == CR__PART_KEPT)
            for (uint32_t j = last; j != UINT32_MAX; j = g->v[j].heap_at)
                if (!connect(g, i, j))
                    return 0;
        g->v[i].heap_at = part[i] == CR__PART_KEPT ? last : UINT32_MAX;
        last = part[i] == CR__PART_KEPT ? i : last;
    }
    for (uint32_t i = 0; i < net->nodes; i++)
        g->v[i].heap_at = UINT32_MAX;
    for (uint32_t i = 0; i < net->nodes; i++)
        if (part[i] == CR__PART_ELIMINATED || part[i] == CR__PART_LATER) {
            g->v[i].later = part[i] == CR__PART_LATER;
            g->v[i].fill = count_fill(g, &g->v[i], mark);
            put(g, g->heaped++, i);
            settle(g, g->heaped - 1);
        }
    return 1;
}

/* --- the order -------------------------------------------------------------------------------- */

void cr__order_free(cr__order *o)
{
    cr__free(o->node);
    cr__free(o->rank);
    cr__free(o->size);
    cr__free(o->clique_at);
    cr__free(o->clique);
    *o = (cr__order){0};
}

static int ascending(const void *a, const void *b)
{
    const uint32_t x = *(const uint32_t *)a, y = *(const uint32_t *)b;

    return x < y ? -1 : x > y;
}

static int reserve(cr__order *o, const cr__network *net, const unsigned char *part)
{
    for (uint32_t i = 0; i < net->nodes; i++) {
        o->count += part[i] >= CR__PART_ELIMINATED;
        o->eliminated += part[i] == CR__PART_ELIMINATED || part[i] == CR__PART_LATER;
    }
    o->node = cr__alloc(o->count, sizeof *o->node);
    o->size = cr__alloc(o->count, sizeof *o->size);
    o->rank = cr__alloc(net->nodes, sizeof *o->rank);
    o->clique_at = cr__alloc(o->eliminated + (size_t)1, sizeof *o->clique_at);
    return o->node != NULL && o->size != NULL && o->rank != NULL && o->clique_at != NULL;
}

/* Ranks are known now: convert the cliques to ranks, and compute their cost. */
static void finish(cr__order *o, const cr__network *net)
{
    for (uint32_t r = 0; r < o->count; r++)
        o->size[r] = net->states[o->node[r]];
    for (uint32_t r = 0; r < o->eliminated; r++) {
        double cells = o->size[r];

        for (size_t k = o->clique_at[r]; k < o->clique_at[r + 1]; k++) {
            o->clique[k] = o->rank[o->clique[k]];
            cells *= o->size[o->clique[k]];
        }
        if (o->clique_at[r + 1] > o->clique_at[r])
            qsort(o->clique + o->clique_at[r], o->clique_at[r + 1] - o->clique_at[r],
                  sizeof *o->clique, ascending);
        o->cells += cells;
        o->largest = fmax(o->largest, cells);
    }
}

static cr_status make(cr__order *o, const cr__network *net, const unsigned char *part,
                      int by_weight, unsigned char *mark, cr_error *err)
{
    graph g = {.by_weight = by_weight};
    uint32_t rank = 0;
    int room;

    *o = (cr__order){0};
    room = reserve(o, net, part) && make_graph(&g, net, part, mark);
    for (uint32_t i = 0; room && i < net->nodes; i++)
        o->rank[i] = UINT32_MAX;
    while (room && g.heaped > 0) {
        const uint32_t v = pop(&g);

        o->clique_at[rank] = g.recorded;
        o->node[rank] = v;
        o->rank[v] = rank++;
        room = eliminate(&g, v);
    }
    if (room) {
        o->clique_at[rank] = g.recorded;
        for (uint32_t i = 0; i < net->nodes; i++)
            if (part[i] == CR__PART_KEPT) {
                o->node[rank] = i;
                o->rank[i] = rank++;
            }
        o->clique = g.record;
        g.record = NULL;
        finish(o, net);
    }
    graph_free(&g);
    if (room)
        return CR_OK;
    cr__order_free(o);
    return cr__fail_memory(err);
}

cr_status cr__order_make(cr__order *out, const cr__network *net, const unsigned char *part,
                         cr_error *err)
{
    unsigned char *mark = cr__alloc_zero(net->nodes, 1);
    cr__order other;
    cr_status st = mark == NULL ? cr__fail_memory(err) : make(out, net, part, 0, mark, err);

    /* With cliques of a few cells there is nothing to gain. */
    if (st == CR_OK && out->largest > 64) {
        st = make(&other, net, part, 1, mark, err);
        if (st == CR_OK && other.cells < out->cells) {
            cr__order_free(out);
            *out = other;
        } else if (st == CR_OK) {
            cr__order_free(&other);
        } else {
            cr__order_free(out);
        }
    }
    cr__free(mark);
    return st;
}
