/* network/infer/junction_tree.c - messages in a junction tree, computed on demand.
 *
 * Shafer & Shenoy's scheme without division: a message depends only on what is behind it, so it
 * stays valid whatever changes in front of it. Timestamps tell what is out of date: a clique is
 * touched when one of its tables changes; a message is recomputed when one of its inputs has
 * changed since it was last checked.
 */
#include "network/infer/junction_tree.h"

#include <math.h>
#include <stdio.h>
#include <string.h>

#include "base/fail.h"
#include "base/memory.h"

enum {
    REBUILD_CELLS = 1 << 18, /* below this cost, looking for another tree does not pay */
    REBUILD_GAIN = 2         /* how much cheaper another must be */
};

typedef struct message {
    cr__factor_list list;
    uint64_t changed; /* when its factors last changed */
    uint64_t checked; /* when they were last known to be valid */
} message;

struct cr__junction_tree {
    const cr__network *net;
    cr_pool *pool;
    uint64_t memory;
    uint32_t *state;      /* [nodes] observed; UINT32_MAX: not */
    double **likelihood;  /* [nodes] soft evidence, or NULL */
    unsigned char *stale; /* [nodes] the evidence on it is not in the tables yet */
    int dirty;            /* some are */
    int pattern_changed;  /* other nodes are observed than when the costs were compared */

    int built;
    unsigned char *part; /* [nodes] as the order was made: observed or eliminated */
    cr__order order;
    cr__cliques cliques;
    cr__factor **table; /* [nodes] P(node | parents) under the evidence */
    cr__factor **soft;  /* [nodes] its likelihoods, or NULL */
    message *up, *down; /* [cliques] to the parent; from the parent */
    uint64_t *touched;  /* [cliques] when a table of it last changed */
    uint64_t *answered; /* [nodes] when the answer was found; 0: never */
    double *answer;     /* [states of all nodes] */
    uint64_t now;
    cr__scaled evidence;
    uint64_t messages;
    uint32_t *path; /* [cliques] */
};

/* --- making and freeing ----------------------------------------------------------------------- */

static void free_messages(message *m, uint32_t count)
{
    for (uint32_t c = 0; m != NULL && c < count; c++)
        cr__factor_list_free(&m[c].list);
    cr__free(m);
}

/* Everything that belongs to one order. */
static void tear_down(cr__junction_tree *t)
{
    free_messages(t->up, t->cliques.count);
    free_messages(t->down, t->cliques.count);
    t->up = t->down = NULL;
    for (uint32_t i = 0; i < t->net->nodes; i++) {
        cr__factor_drop(t->table[i]);
        cr__factor_drop(t->soft[i]);
        t->table[i] = t->soft[i] = NULL;
        t->answered[i] = 0;
    }
    cr__free(t->touched);
    cr__free(t->path);
    t->touched = NULL;
    t->path = NULL;
    cr__cliques_free(&t->cliques);
    cr__order_free(&t->order);
    t->built = 0;
}

void cr__junction_tree_free(cr__junction_tree *t)
{
    if (t == NULL)
        return;
    if (t->table != NULL && t->soft != NULL && t->answered != NULL)
        tear_down(t);
    for (uint32_t i = 0; t->likelihood != NULL && i < t->net->nodes; i++)
        cr__free(t->likelihood[i]);
    cr__free(t->likelihood);
    cr__free(t->state);
    cr__free(t->stale);
    cr__free(t->part);
    cr__free(t->table);
    cr__free(t->soft);
    cr__free(t->answered);
    cr__free(t->answer);
    cr__free(t);
}

cr_status cr__junction_tree_new(cr__junction_tree **out, const cr__network *net, uint64_t memory,
                                cr_pool *pool, cr_error *err)
{
    const size_t n = net->nodes;
    cr__junction_tree *t = cr__alloc_zero(1, sizeof *t);

    *out = NULL;
    if (t == NULL)
        return cr__fail_memory(err);
    *t = (cr__junction_tree){.net = net, .memory = memory, .pool = pool, .now = 1};
    t->state = cr__alloc(n, sizeof *t->state);
    t->likelihood = cr__alloc_zero(n, sizeof *t->likelihood);
    t->stale = cr__alloc_zero(n, 1);
    t->part = cr__alloc(n, 1);
    t->table = cr__alloc_zero(n, sizeof *t->table);
    t->soft = cr__alloc_zero(n, sizeof *t->soft);
    t->answered = cr__alloc_zero(n, sizeof *t->answered);
    t->answer = cr__alloc(net->label_at[n], sizeof *t->answer);
    if (t->state == NULL || t->likelihood == NULL || t->stale == NULL || t->part == NULL ||
        t->table == NULL || t->soft == NULL || t->answered == NULL || t->answer == NULL) {
        cr__junction_tree_free(t);
        return cr__fail_memory(err);
    }
    for (size_t i = 0; i < n; i++) /* a variable with one state is always known */
        t->state[i] = net->states[i] == 1 ? 0 : UINT32_MAX;
    *out = t;
    return CR_OK;
}

uint64_t cr__junction_tree_messages(const cr__junction_tree *t)
{
    return t->messages;
}

/* --- evidence --------------------------------------------------------------------------------- */

static void mark_stale(cr__junction_tree *t, uint32_t node)
{
    t->stale[node] = 1;
    t->dirty = 1;
}

void cr__junction_tree_observe(cr__junction_tree *t, uint32_t node, uint32_t state)
{
    if (t->net->states[node] == 1 || t->state[node] == state)
        return;
    t->pattern_changed |= (t->state[node] == UINT32_MAX) != (state == UINT32_MAX);
    t->state[node] = state;
    mark_stale(t, node);
}

cr_status cr__junction_tree_weigh(cr__junction_tree *t, uint32_t node, const double *likelihood,
                                  cr_error *err)
{
    const size_t size = t->net->states[node] * sizeof *likelihood;

    if (likelihood == NULL && t->likelihood[node] == NULL)
        return CR_OK;
    if (likelihood != NULL && t->likelihood[node] != NULL &&
        memcmp(likelihood, t->likelihood[node], size) == 0)
        return CR_OK;
    if (likelihood != NULL && t->likelihood[node] == NULL &&
        (t->likelihood[node] = cr__alloc(size, 1)) == NULL)
        return cr__fail_memory(err);
    if (likelihood != NULL) {
        memcpy(t->likelihood[node], likelihood, size);
    } else {
        cr__free(t->likelihood[node]);
        t->likelihood[node] = NULL;
    }
    mark_stale(t, node);
    return CR_OK;
}

void cr__junction_tree_forget(cr__junction_tree *t)
{
    for (uint32_t i = 0; i < t->net->nodes; i++) {
        cr__junction_tree_observe(t, i, UINT32_MAX);
        cr__junction_tree_weigh(t, i, NULL, NULL);
    }
}

/* The clique where the tables of a node are, UINT32_MAX when all of its variables are observed. */
static cr_status renew_table(cr__junction_tree *t, uint32_t node, cr_error *err)
{
    cr__factor *f;
    cr_status st = cr__factor_of_node(&f, t->net, node, t->order.rank, t->state, err);

    if (st != CR_OK)
        return st;
    cr__factor_drop(t->table[node]);
    t->table[node] = f;
    if (t->cliques.clique_of[node] != UINT32_MAX)
        t->touched[t->cliques.clique_of[node]] = t->now;
    return CR_OK;
}

static cr_status renew_soft(cr__junction_tree *t, uint32_t node, cr_error *err)
{
    const double *likelihood = t->likelihood[node];
    const uint32_t rank = t->order.rank[node];
    const int observed = t->state[node] != UINT32_MAX;
    cr__factor *f = NULL;

    if (likelihood == NULL && t->soft[node] == NULL)
        return CR_OK;
    if (likelihood != NULL) {
        if ((f = cr__factor_new(&rank, !observed, t->order.size)) == NULL)
            return cr__fail_memory(err);
        memcpy(f->cell, likelihood + (observed ? t->state[node] : 0), f->cells * sizeof *f->cell);
    }
    cr__factor_drop(t->soft[node]);
    t->soft[node] = f;
    if (t->cliques.clique_of[node] != UINT32_MAX)
        t->touched[t->cliques.clique_of[node]] = t->now;
    return CR_OK;
}

/* Apply changed evidence to the tables. */
static cr_status renew(cr__junction_tree *t, cr_error *err)
{
    cr_status st = CR_OK;

    t->now++;
    for (uint32_t i = 0; st == CR_OK && i < t->net->nodes; i++) {
        if (!t->stale[i])
            continue;
        st = renew_soft(t, i, err);
        if (st == CR_OK)
            st = renew_table(t, i, err);
        for (size_t k = t->net->child_at[i]; st == CR_OK && k < t->net->child_at[i + 1]; k++)
            st = renew_table(t, t->net->child[k], err);
        if (st == CR_OK)
            t->stale[i] = 0;
    }
    return st;
}

/* --- costs ------------------------------------------------------------------------------------ */

static double cells_of(const cr__junction_tree *t, const uint32_t *rank, size_t count)
{
    double cells = 1;

    for (size_t k = 0; k < count; k++)
        if (t->state[t->order.node[rank[k]]] == UINT32_MAX)
            cells *= t->order.size[rank[k]];
    return cells;
}

/* The cost of the current tree: cliques without observed variables; a message both ways on each
 * separator, and room for the largest intermediate result. */
static void estimate(const cr__junction_tree *t, cr__cost *cost)
{
    const cr__cliques *q = &t->cliques;

    *cost = (cr__cost){0};
    for (uint32_t c = 0; c < q->count; c++) {
        const size_t scope = q->scope_at[c + 1] - q->scope_at[c];
        const size_t shared = q->separator_at[c + 1] - q->separator_at[c];
        const double cells = cells_of(t, q->scope + q->scope_at[c], scope);

        if (scope == shared) /* a copy passes messages on and multiplies nothing */
            continue;
        cost->cells += cells;
        cost->largest = fmax(cost->largest, cells);
        cost->bytes += 2 * sizeof(double) * cells_of(t, q->separator + q->separator_at[c], shared);
    }
    cost->bytes += sizeof(double) * cost->largest;
    cost->operations = 6 * cost->cells;
}

static void human_bytes(char out[32], double bytes)
{
    static const char *const unit[] = {"bytes", "KB", "MB", "GB", "TB", "PB", "EB"};
    size_t u = 0;

    while (bytes >= 1000 && u < 6) {
        bytes /= 1000;
        u++;
    }
    snprintf(out, 32, "%.3g %s", bytes, unit[u]);
}

cr_status cr__cost_refuse(const cr__cost *cost, uint64_t memory, cr_error *err)
{
    char need[32], may[32];

    human_bytes(need, cost->bytes);
    human_bytes(may, (double)memory);
    cr__fail(err, CR_ELIMIT,
             "exact inference would take %s, and %s are allowed: its largest clique has %.3g "
             "cells, all have %.3g, about %.2g operations",
             need, may, cost->largest, cost->cells, cost->operations);
    return cr__fail_hint(err, CR_ELIMIT,
                         "allow more memory, give more evidence, or answer "
                         "approximately by weighting, gibbs or loopy");
}

/* --- building --------------------------------------------------------------------------------- */

/* Build the tree of an order; takes over the order. */
static cr_status set_up(cr__junction_tree *t, cr__order *order, cr_error *err)
{
    cr_status st;

    tear_down(t);
    t->order = *order;
    *order = (cr__order){0};
    if ((st = cr__cliques_build(&t->cliques, t->net, &t->order, err)) != CR_OK)
        return st;
    t->up = cr__alloc_zero(t->cliques.count, sizeof *t->up);
    t->down = cr__alloc_zero(t->cliques.count, sizeof *t->down);
    t->touched = cr__alloc_zero(t->cliques.count, sizeof *t->touched);
    t->path = cr__alloc(t->cliques.count, sizeof *t->path);
    if (t->up == NULL || t->down == NULL || t->touched == NULL || t->path == NULL)
        return cr__fail_memory(err);
    for (uint32_t i = 0; i < t->net->nodes; i++) {
        t->part[i] = t->order.rank[i] == UINT32_MAX ? CR__PART_OBSERVED : CR__PART_ELIMINATED;
        t->stale[i] = 1;
    }
    t->dirty = 1;
    t->built = 1;
    return CR_OK;
}

/* Whether the current tree can handle the evidence at all. */
static int serves(const cr__junction_tree *t)
{
    for (uint32_t i = 0; t->built && i < t->net->nodes; i++)
        if (t->part[i] == CR__PART_OBSERVED && t->state[i] == UINT32_MAX)
            return 0;
    return t->built;
}

/* Make sure that there is a tree for the current evidence that is not needlessly large. */
static cr_status choose_tree(cr__junction_tree *t, cr__cost *cost, cr_error *err)
{
    const int usable = serves(t);
    unsigned char *part;
    cr__order order = {0};
    cr_status st = CR_OK;

    if (usable)
        estimate(t, cost);
    if (usable && (!t->pattern_changed || cost->cells < REBUILD_CELLS))
        return CR_OK;
    if ((part = cr__alloc(t->net->nodes, 1)) == NULL)
        return cr__fail_memory(err);
    for (uint32_t i = 0; i < t->net->nodes; i++)
        part[i] = t->state[i] == UINT32_MAX ? CR__PART_ELIMINATED : CR__PART_OBSERVED;
    st = cr__order_make(&order, t->net, part, err);
    if (st == CR_OK && (!usable || order.cells * REBUILD_GAIN < cost->cells)) {
        st = set_up(t, &order, err);
        if (st != CR_OK)
            tear_down(t);
        else
            estimate(t, cost);
    }
    t->pattern_changed = st != CR_OK;
    cr__order_free(&order);
    cr__free(part);
    return st;
}

cr_status cr__junction_tree_cost(cr__junction_tree *t, cr__cost *cost, cr_error *err)
{
    cr_status st = choose_tree(t, cost, err);

    if (st == CR_OK)
        estimate(t, cost);
    return st;
}

/* --- messages --------------------------------------------------------------------------------- */

static cr__workshop workshop(const cr__junction_tree *t)
{
    return (cr__workshop){.size = t->order.size, .pool = t->pool};
}

static cr_status add_all(cr__factor_list *to, const cr__factor_list *from, cr_error *err)
{
    cr_status st = CR_OK;

    for (size_t i = 0; st == CR_OK && i < from->count; i++)
        st = cr__factor_list_add(to, from->factor[i], err);
    return st;
}

/* All factors of a clique: its own tables and the messages it received, except from `except`, which
 * is a child, or its parent when it is the clique itself. */
static cr_status gather(const cr__junction_tree *t, uint32_t c, uint32_t except,
                        cr__factor_list *list, cr_error *err)
{
    const cr__cliques *q = &t->cliques;
    cr_status st = CR_OK;

    for (size_t k = q->own_at[c]; st == CR_OK && k < q->own_at[c + 1]; k++) {
        st = cr__factor_list_add(list, t->table[q->own[k]], err);
        if (st == CR_OK && t->soft[q->own[k]] != NULL)
            st = cr__factor_list_add(list, t->soft[q->own[k]], err);
    }
    for (size_t k = q->child_at[c]; st == CR_OK && k < q->child_at[c + 1]; k++)
        if (q->child[k] != except)
            st = add_all(list, &t->up[q->child[k]].list, err);
    if (st == CR_OK && except != c && q->parent[c] != UINT32_MAX)
        st = add_all(list, &t->down[c].list, err);
    return st;
}

static int same_factors(const cr__factor_list *a, const cr__factor_list *b)
{
    if (a->count != b->count)
        return 0;
    for (size_t i = 0; i < a->count; i++)
        if (!cr__factor_same(a->factor[i], b->factor[i]))
            return 0;
    return 1;
}

/* Recompute a message: what clique c knows, except from `except`, about the separator of s. */
static cr_status send(cr__junction_tree *t, message *m, uint32_t c, uint32_t except, uint32_t s,
                      cr_error *err)
{
    const cr__cliques *q = &t->cliques;
    const uint32_t *keep = q->separator + q->separator_at[s];
    const uint32_t kept = (uint32_t)(q->separator_at[s + 1] - q->separator_at[s]);
    const cr__workshop shop = workshop(t);
    cr__factor_list list;
    cr_status st;

    cr__factor_list_begin(&list);
    st = gather(t, c, except, &list, err);
    if (st == CR_OK) {
        cr__factor_list_prune(&list, keep, kept);
        st = cr__factor_list_eliminate(&list, keep, kept, &shop, err);
    }
    if (st == CR_OK)
        st = cr__factor_list_merge(&list, &shop, err);
    if (st == CR_OK) {
        t->messages++;
        m->list.mass = list.mass;
        if (m->checked == 0 || !same_factors(&m->list, &list)) {
            const cr__factor_list old = m->list;

            m->list = list;
            list = old;
            m->changed = t->now;
        }
        m->checked = t->now;
    }
    cr__factor_list_free(&list);
    return st;
}

/* When an input of the message from clique c to `except` last changed. */
static uint64_t latest(const cr__junction_tree *t, uint32_t c, uint32_t except)
{
    const cr__cliques *q = &t->cliques;
    uint64_t time = t->touched[c];

    for (size_t k = q->child_at[c]; k < q->child_at[c + 1]; k++)
        if (q->child[k] != except && t->up[q->child[k]].changed > time)
            time = t->up[q->child[k]].changed;
    if (except != c && q->parent[c] != UINT32_MAX && t->down[c].changed > time)
        time = t->down[c].changed;
    return time;
}

/* All messages towards the roots, and P(evidence): the product of the remaining numbers. */
static cr_status collect(cr__junction_tree *t, cr_error *err)
{
    const cr__cliques *q = &t->cliques;
    cr__scaled all = cr__scaled_of(1, 0);
    cr_status st = CR_OK;

    for (uint32_t i = 0; st == CR_OK && i < q->count; i++) {
        const uint32_t c = q->order[i];
        message *m = &t->up[c];

        if (m->checked == 0 || latest(t, c, c) > m->checked)
            st = send(t, m, c, c, c, err);
        all = cr__scaled_times(all, m->list.mass);
    }
    for (uint32_t i = 0; i < t->net->nodes; i++)
        if (q->clique_of[i] == UINT32_MAX) {
            all = cr__scaled_times(all, cr__scaled_of(t->table[i]->cell[0], 0));
            if (t->soft[i] != NULL)
                all = cr__scaled_times(all, cr__scaled_of(t->soft[i]->cell[0], 0));
        }
    t->evidence = all;
    return st;
}

/* Bring everything up to date except the messages away from the roots. */
static cr_status prepare(cr__junction_tree *t, cr_error *err)
{
    cr__cost cost;
    cr_status st = CR_OK;

    if (t->built && !t->dirty)
        return CR_OK;
    if ((st = choose_tree(t, &cost, err)) != CR_OK)
        return st;
    if (t->memory != 0 && cost.bytes > (double)t->memory)
        return cr__cost_refuse(&cost, t->memory, err);
    if ((st = renew(t, err)) == CR_OK)
        st = collect(t, err);
    t->dirty = st != CR_OK;
    return st;
}

/* The message from its parent to c; those above it are already valid. */
static cr_status send_down(cr__junction_tree *t, uint32_t c, cr_error *err)
{
    const uint32_t p = t->cliques.parent[c];
    message *m = &t->down[c];

    if (m->checked == t->now || (m->checked != 0 && latest(t, p, c) <= m->checked)) {
        m->checked = t->now;
        return CR_OK;
    }
    return send(t, m, p, c, c, err);
}

/* --- answers ---------------------------------------------------------------------------------- */

cr_status cr__junction_tree_evidence(cr__junction_tree *t, double *log_evidence, cr_error *err)
{
    cr_status st = prepare(t, err);

    if (st == CR_OK)
        *log_evidence = cr__scaled_log(t->evidence);
    return st;
}

static cr_status possible(cr__junction_tree *t, cr_error *err)
{
    cr_status st = prepare(t, err);

    if (st == CR_OK && !(t->evidence.value > 0)) {
        cr__fail(err, CR_ECONFLICT,
                 "the evidence is impossible: the network gives it probability "
                 "zero");
        return CR_ECONFLICT;
    }
    return st;
}

/* The distribution of a node in its home clique, which has all its messages. */
static cr_status find_answer(cr__junction_tree *t, uint32_t node, cr_error *err)
{
    const uint32_t c = t->cliques.home[node], rank = t->order.rank[node];
    const cr__workshop shop = workshop(t);
    double *p = t->answer + t->net->label_at[node], sum = 0;
    cr__factor *f = NULL;
    cr__factor_list list;
    cr_status st;

    if (t->answered[node] != 0 && latest(t, c, UINT32_MAX) <= t->answered[node])
        return CR_OK;
    cr__factor_list_begin(&list);
    st = gather(t, c, UINT32_MAX, &list, err);
    if (st == CR_OK) {
        cr__factor_list_prune(&list, &rank, 1);
        st = cr__factor_list_eliminate(&list, &rank, 1, &shop, err);
    }
    if (st == CR_OK)
        st = cr__factor_product(&f, list.factor, list.count, &rank, 1, &shop, err);
    if (st == CR_OK) {
        for (size_t k = 0; k < f->cells; k++)
            sum += f->cell[k];
        for (size_t k = 0; k < f->cells; k++)
            p[k] = f->cell[k] / sum;
        t->answered[node] = t->now;
    }
    cr__factor_drop(f);
    cr__factor_list_free(&list);
    return st;
}

/* The posterior of a node whose home has all its messages. */
static cr_status tell(cr__junction_tree *t, uint32_t node, double *p, cr_error *err)
{
    const uint32_t states = t->net->states[node];
    cr_status st;

    if (t->state[node] != UINT32_MAX) {
        for (uint32_t k = 0; k < states; k++)
            p[k] = k == t->state[node];
        return CR_OK;
    }
    if ((st = find_answer(t, node, err)) == CR_OK)
        memcpy(p, t->answer + t->net->label_at[node], states * sizeof *p);
    return st;
}

cr_status cr__junction_tree_posterior(cr__junction_tree *t, uint32_t node, double *p, cr_error *err)
{
    const cr__cliques *q = &t->cliques;
    uint32_t length = 0;
    cr_status st = possible(t, err);

    if (st == CR_OK && t->state[node] == UINT32_MAX)
        for (uint32_t c = q->home[node]; q->parent[c] != UINT32_MAX; c = q->parent[c])
            t->path[length++] = c;
    while (st == CR_OK && length > 0)
        st = send_down(t, t->path[--length], err);
    return st == CR_OK ? tell(t, node, p, err) : st;
}

cr_status cr__junction_tree_posteriors(cr__junction_tree *t, double *p, cr_error *err)
{
    const cr__cliques *q = &t->cliques;
    cr_status st = possible(t, err);

    for (uint32_t i = q->count; st == CR_OK && i-- > 0;)
        if (q->parent[q->order[i]] != UINT32_MAX)
            st = send_down(t, q->order[i], err);
    for (uint32_t i = 0; st == CR_OK && i < t->net->nodes; i++)
        st = tell(t, i, p + t->net->label_at[i], err);
    return st;
}
