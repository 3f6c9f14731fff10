/* network/infer/junction_tree_build.c - from an elimination order to a tree of cliques.
 *
 * Each variable with its neighbours at the time of its elimination is a clique, a child of the
 * clique of the first neighbour to be eliminated. A clique that is contained in one of its children
 * is not created: its variable is eliminated there too. Where a clique has many children, copies of
 * it are put in between, with four children each, so that messages among them stay cheap.
 */
#include <math.h>
#include <string.h>

#include "base/fail.h"
#include "base/memory.h"
#include "network/infer/junction_tree.h"

enum { CHILDREN_MOST = 6, CHILDREN_EACH = 4 };

/* Cliques while they are found; those beyond the first `real` are copies. */
typedef struct forest {
    uint32_t count, real;
    size_t capacity;
    uint32_t *first; /* the first variable it eliminates; of a copy: the clique it copies */
    uint32_t *last;  /* the last one: the rest is the separator */
    uint32_t *parent;
    uint32_t *of_rank; /* [count of ranks] the clique that eliminates each */
} forest;

static void forest_free(forest *f)
{
    cr__free(f->first);
    cr__free(f->last);
    cr__free(f->parent);
    cr__free(f->of_rank);
}

static int reserve_forest(forest *f, uint32_t ranks)
{
    /* Copies: each takes three children away from a list no longer than there are cliques. */
    f->capacity = ranks + (size_t)ranks / (CHILDREN_EACH - 1) + 1;
    f->first = cr__alloc(f->capacity, sizeof *f->first);
    f->last = cr__alloc(f->capacity, sizeof *f->last);
    f->parent = cr__alloc(f->capacity, sizeof *f->parent);
    f->of_rank = cr__alloc(ranks, sizeof *f->of_rank);
    return f->first != NULL && f->last != NULL && f->parent != NULL && f->of_rank != NULL;
}

static size_t neighbours(const cr__order *o, uint32_t rank)
{
    return o->clique_at[rank + 1] - o->clique_at[rank];
}

static void find_cliques(forest *f, const cr__order *o)
{
    for (uint32_t r = 0; r < o->count; r++)
        f->of_rank[r] = UINT32_MAX;
    for (uint32_t r = 0; r < o->count; r++) {
        uint32_t at = r;

        if (f->of_rank[r] != UINT32_MAX)
            continue;
        f->of_rank[r] = f->count;
        for (;;) {
            const uint32_t next = neighbours(o, at) == 0 ? r : o->clique[o->clique_at[at]];

            if (next == r || f->of_rank[next] != UINT32_MAX ||
                neighbours(o, at) != neighbours(o, next) + 1)
                break;
            f->of_rank[next] = f->count;
            at = next;
        }
        f->first[f->count] = r;
        f->last[f->count++] = at;
    }
    f->real = f->count;
    for (uint32_t c = 0; c < f->count; c++)
        f->parent[c] = neighbours(o, f->last[c]) == 0
                           ? UINT32_MAX
                           : f->of_rank[o->clique[o->clique_at[f->last[c]]]];
}

/* The children of every clique as linked lists; both arrays have room for all cliques. */
static void link_children(const forest *f, uint32_t *head, uint32_t *next)
{
    for (uint32_t c = 0; c < f->count; c++)
        head[c] = UINT32_MAX;
    for (uint32_t c = f->count; c-- > 0;)
        if (f->parent[c] != UINT32_MAX) {
            next[c] = head[f->parent[c]];
            head[f->parent[c]] = c;
        }
}

/* Move the children of one clique to copies of it until few are left. Consumes the list. */
static void spread(forest *f, uint32_t clique, uint32_t *child, size_t count)
{
    while (count > CHILDREN_MOST) {
        size_t kept = 0;

        for (size_t i = 0; i < count; i += CHILDREN_EACH) {
            if (count - i < CHILDREN_EACH) {
                for (size_t k = i; k < count; k++)
                    child[kept++] = child[k];
                break;
            }
            f->first[f->count] = clique;
            f->last[f->count] = UINT32_MAX;
            f->parent[f->count] = clique;
            for (size_t k = 0; k < CHILDREN_EACH; k++)
                f->parent[child[i + k]] = f->count;
            child[kept++] = f->count++;
        }
        count = kept;
    }
}

static int spread_all(forest *f)
{
    uint32_t *head = cr__alloc(f->capacity, sizeof *head);
    uint32_t *next = cr__alloc(f->capacity, sizeof *next);
    uint32_t *child = cr__alloc(f->capacity, sizeof *child);
    const int room = head != NULL && next != NULL && child != NULL;

    if (room) {
        link_children(f, head, next);
        for (uint32_t c = 0; c < f->real; c++) {
            size_t count = 0;

            for (uint32_t k = head[c]; k != UINT32_MAX; k = next[k])
                child[count++] = k;
            spread(f, c, child, count);
        }
    }
    cr__free(head);
    cr__free(next);
    cr__free(child);
    return room;
}

/* --- flat arrays ------------------------------------------------------------------------------ */

void cr__cliques_free(cr__cliques *t)
{
    cr__free(t->scope_at);
    cr__free(t->scope);
    cr__free(t->separator_at);
    cr__free(t->separator);
    cr__free(t->parent);
    cr__free(t->child_at);
    cr__free(t->child);
    cr__free(t->order);
    cr__free(t->clique_of);
    cr__free(t->own_at);
    cr__free(t->own);
    cr__free(t->home);
    *t = (cr__cliques){0};
}

static int reserve(cr__cliques *t, const forest *f, const cr__network *net, const cr__order *o)
{
    const size_t n = f->count;
    size_t scope = 0;

    for (uint32_t c = 0; c < f->count; c++)
        scope += 1 + neighbours(o, f->first[c < f->real ? c : f->first[c]]);
    t->count = f->count;
    return (t->scope_at = cr__alloc(n + 1, sizeof *t->scope_at)) != NULL &&
           (t->scope = cr__alloc(scope, sizeof *t->scope)) != NULL &&
           (t->separator_at = cr__alloc(n + 1, sizeof *t->separator_at)) != NULL &&
           (t->separator = cr__alloc(scope, sizeof *t->separator)) != NULL &&
           (t->parent = cr__alloc(n, sizeof *t->parent)) != NULL &&
           (t->child_at = cr__alloc_zero(n + 2, sizeof *t->child_at)) != NULL &&
           (t->child = cr__alloc(n, sizeof *t->child)) != NULL &&
           (t->order = cr__alloc(n, sizeof *t->order)) != NULL &&
           (t->clique_of = cr__alloc(net->nodes, sizeof *t->clique_of)) != NULL &&
           (t->own_at = cr__alloc_zero(n + 2, sizeof *t->own_at)) != NULL &&
           (t->own = cr__alloc(net->nodes, sizeof *t->own)) != NULL &&
           (t->home = cr__alloc(net->nodes, sizeof *t->home)) != NULL;
}

static void copy_scopes(cr__cliques *t, const forest *f, const cr__order *o)
{
    size_t at = 0, shared = 0;

    for (uint32_t c = 0; c < t->count; c++) {
        const int copy = c >= f->real;
        const uint32_t r = f->first[copy ? f->first[c] : c];

        t->scope_at[c] = at;
        t->scope[at++] = r;
        for (size_t k = o->clique_at[r]; k < o->clique_at[r + 1]; k++)
            t->scope[at++] = o->clique[k];
        t->separator_at[c] = shared;
        for (size_t k = t->scope_at[c]; k < at; k++) /* ranks after the last eliminated here */
            if (copy || t->scope[k] > f->last[c])
                t->separator[shared++] = t->scope[k];
        t->parent[c] = f->parent[c];
    }
    t->scope_at[t->count] = at;
    t->separator_at[t->count] = shared;
}

/* Children of each, and an order in which they come before their parents: from the roots down, then
 * reversed. */
static void copy_children(cr__cliques *t)
{
    uint32_t listed = 0;

    for (uint32_t c = 0; c < t->count; c++)
        if (t->parent[c] != UINT32_MAX)
            t->child_at[t->parent[c] + 2]++;
    for (uint32_t c = 0; c < t->count; c++)
        t->child_at[c + 2] += t->child_at[c + 1];
    for (uint32_t c = 0; c < t->count; c++)
        if (t->parent[c] != UINT32_MAX)
            t->child[t->child_at[t->parent[c] + 1]++] = c;
        else
            t->order[listed++] = c;
    for (uint32_t done = 0; done < listed; done++) {
        const uint32_t c = t->order[done];

        for (size_t k = t->child_at[c]; k < t->child_at[c + 1]; k++)
            t->order[listed++] = t->child[k];
    }
    for (uint32_t i = 0; i < listed / 2; i++) {
        const uint32_t c = t->order[i];

        t->order[i] = t->order[listed - 1 - i];
        t->order[listed - 1 - i] = c;
    }
}

/* A table belongs where the first of its variables is eliminated: all others are there too. */
static void place_tables(cr__cliques *t, const forest *f, const cr__network *net,
                         const cr__order *o)
{
    for (uint32_t i = 0; i < net->nodes; i++) {
        uint32_t least = o->rank[i];

        for (size_t k = net->parent_at[i]; k < net->parent_at[i + 1]; k++)
            least = o->rank[net->parent[k]] < least ? o->rank[net->parent[k]] : least;
        t->clique_of[i] = least == UINT32_MAX ? UINT32_MAX : f->of_rank[least];
        if (least != UINT32_MAX)
            t->own_at[t->clique_of[i] + 2]++;
    }
    for (uint32_t c = 0; c < t->count; c++)
        t->own_at[c + 2] += t->own_at[c + 1];
    for (uint32_t i = 0; i < net->nodes; i++)
        if (t->clique_of[i] != UINT32_MAX)
            t->own[t->own_at[t->clique_of[i] + 1]++] = i;
}

static void find_homes(cr__cliques *t, const cr__network *net, const cr__order *o, double *least)
{
    for (uint32_t i = 0; i < net->nodes; i++) {
        t->home[i] = UINT32_MAX;
        least[i] = INFINITY;
    }
    for (uint32_t c = 0; c < t->count; c++) {
        double cells = 1;

        for (size_t k = t->scope_at[c]; k < t->scope_at[c + 1]; k++)
            cells *= o->size[t->scope[k]];
        for (size_t k = t->scope_at[c]; k < t->scope_at[c + 1]; k++) {
            const uint32_t node = o->node[t->scope[k]];

            if (t->home[node] == UINT32_MAX || cells < least[node]) {
                t->home[node] = c;
                least[node] = cells;
            }
        }
    }
}

cr_status cr__cliques_build(cr__cliques *out, const cr__network *net, const cr__order *o,
                            cr_error *err)
{
    forest f = {0};
    double *least = cr__alloc(net->nodes, sizeof *least);
    int room = least != NULL && reserve_forest(&f, o->count);

    *out = (cr__cliques){0};
    if (room) {
        find_cliques(&f, o);
        room = spread_all(&f) && reserve(out, &f, net, o);
    }
    if (room) {
        copy_scopes(out, &f, o);
        copy_children(out);
        place_tables(out, &f, net, o);
        find_homes(out, net, o, least);
    }
    forest_free(&f);
    cr__free(least);
    if (room)
        return CR_OK;
    cr__cliques_free(out);
    return cr__fail_memory(err);
}
