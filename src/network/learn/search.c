/* network/learn/search.c - hill climbing and tabu search over networks. */
#include "network/learn/search.h"

#include <math.h>
#include <string.h>

#include "base/fail.h"
#include "base/memory.h"

/* A gain that may be rounding error does not count: scores are sums of some 10^6 terms. */
#define LEAST_GAIN 1e-10

typedef struct climber {
    const cr__climb_plan *plan;
    cr__families *families;
    uint32_t nodes;
    cr__arcs *arcs, *above, *wanted;
    uint32_t *order;   /* parents before children */
    uint32_t *list;    /* scratch: parents */
    double *value;     /* scratch: scores of families */
    double *own;       /* [nodes] score of each family */
    double *gain;      /* [nodes * nodes] of a change of parent x of child c, at c * nodes + x */
    double *best_gain; /* [nodes] the greatest of a child */
    double scale;      /* what gains are compared with */
    uint64_t hash;     /* of the arcs */
    uint64_t *tabu;    /* [plan->tabu] hashes of networks, a ring */
    size_t tabu_count;
} climber;

typedef enum change { ADD, DROP, TURN } change;

typedef struct step {
    change what;
    uint32_t from, to;
    double gain;
} step;

/* --- life ------------------------------------------------------------------------------------- */

static void free_climber(climber *c)
{
    cr__arcs_free(c->above);
    cr__arcs_free(c->wanted);
    cr__free(c->order);
    cr__free(c->list);
    cr__free(c->value);
    cr__free(c->own);
    cr__free(c->gain);
    cr__free(c->best_gain);
    cr__free(c->tabu);
}

static cr_status make_climber(climber *c, cr_error *err)
{
    const size_t n = c->nodes;
    cr_status st = cr__arcs_new(&c->above, c->nodes, err);

    if (st == CR_OK)
        st = cr__arcs_new(&c->wanted, c->nodes, err);
    if (st != CR_OK)
        return st;
    c->order = cr__alloc(n, sizeof *c->order);
    c->list = cr__alloc(n, sizeof *c->list);
    c->value = cr__alloc(n, sizeof *c->value);
    c->own = cr__alloc(n, sizeof *c->own);
    c->gain = cr__alloc(n * n, sizeof *c->gain);
    c->best_gain = cr__alloc(n, sizeof *c->best_gain);
    c->tabu = cr__alloc(c->plan->tabu, sizeof *c->tabu);
    if (c->order == NULL || c->list == NULL || c->value == NULL || c->own == NULL ||
        c->gain == NULL || c->best_gain == NULL || c->tabu == NULL)
        return cr__fail_memory(err);
    return CR_OK;
}

/* The arcs that may be made. */
static void set_wanted(climber *c)
{
    const cr__climb_plan *plan = c->plan;

    for (size_t i = 0; i < c->nodes * c->wanted->words; i++) {
        uint64_t bits = plan->only == NULL ? UINT64_MAX : plan->only->into[i];

        c->wanted->into[i] = plan->never == NULL ? bits : bits & ~plan->never->into[i];
    }
}

static uint64_t arc_hash(uint32_t from, uint32_t to)
{
    uint64_t state = (uint64_t)from << 32 | to;

    return cr__splitmix64(&state);
}

static int must_stay(const climber *c, uint32_t from, uint32_t to)
{
    return c->plan->must != NULL && cr__arcs_has(c->plan->must, from, to);
}

/* --- gains ------------------------------------------------------------------------------------ */

/* The gains of all changes to one child's parents; value has their scores. */
static void set_gains(climber *c, uint32_t child, size_t parents, const double *value)
{
    const size_t n = c->nodes;
    const uint64_t *wanted = cr__arcs_row(c->wanted, child);
    const int full = c->plan->max_parents > 0 && parents >= c->plan->max_parents;
    double *gain = c->gain + child * n, best = -INFINITY;

    for (uint32_t x = 0; x < n; x++) {
        if (x == child)
            gain[x] = -INFINITY;
        else if (cr__arcs_has(c->arcs, x, child))
            gain[x] = must_stay(c, x, child) ? -INFINITY : value[x] - c->own[child];
        else
            gain[x] =
                full || (wanted[x / 64] >> x % 64 & 1) == 0 ? -INFINITY : value[x] - c->own[child];
        best = gain[x] > best ? gain[x] : best;
    }
    c->best_gain[child] = best;
}

static cr_status refresh(climber *c, uint32_t child, cr_error *err)
{
    const size_t parents = cr__arcs_parents(c->arcs, child, c->list);
    const int full = c->plan->max_parents > 0 && parents >= c->plan->max_parents;
    uint64_t *none = cr__arcs_row(c->above, child); /* the ancestors are recomputed afterwards */
    cr_status st;

    if (full)
        memset(none, 0, c->above->words * sizeof *none);
    st = cr__families_around(c->families, child, c->list, parents,
                             full ? none : cr__arcs_row(c->wanted, child), &c->own[child], c->value,
                             err);
    if (st == CR_OK)
        set_gains(c, child, parents, c->value);
    return st;
}

static cr_status find_ancestors(climber *c, cr_error *err)
{
    if (cr__arcs_order(c->arcs, c->order) != c->nodes)
        return cr__fail_memory(err);
    cr__arcs_above(c->arcs, c->order, c->above);
    return CR_OK;
}

/* All gains for the arcs there are now; pairs are counted together when nothing is known yet. */
static cr_status begin(climber *c, int first, cr_error *err)
{
    cr_status st = CR_OK;

    if (first && c->plan->only == NULL)
        st = cr__families_pairs(c->families, c->gain, err);
    for (uint32_t i = 0; st == CR_OK && i < c->nodes; i++)
        st = refresh(c, i, err);
    c->hash = 0;
    c->scale = 1;
    for (uint32_t i = 0; st == CR_OK && i < c->nodes; i++) {
        const size_t parents = cr__arcs_parents(c->arcs, i, c->list);

        c->scale += fabs(c->own[i]);
        for (size_t k = 0; k < parents; k++)
            c->hash ^= arc_hash(c->list[k], i);
    }
    return st == CR_OK ? find_ancestors(c, err) : st;
}

static double total_score(const climber *c)
{
    double sum = 0;

    for (uint32_t i = 0; i < c->nodes; i++)
        sum += c->own[i];
    return sum;
}

/* --- steps ------------------------------------------------------------------------------------ */

/* Whether turning from -> to would close a cycle: another path leads from `from` to `to`. */
static int turns_into_cycle(const climber *c, uint32_t from, uint32_t to)
{
    for (uint32_t p = 0; p < c->nodes; p++)
        if (p != from && cr__arcs_has(c->arcs, p, to) && cr__arcs_has(c->above, from, p))
            return 1;
    return 0;
}

static uint64_t hash_after(const climber *c, const step *s)
{
    uint64_t hash = c->hash ^ arc_hash(s->from, s->to);

    return s->what == TURN ? hash ^ arc_hash(s->to, s->from) : hash;
}

static int is_tabu(const climber *c, const step *s)
{
    const size_t n = c->tabu_count < c->plan->tabu ? c->tabu_count : c->plan->tabu;
    const uint64_t hash = hash_after(c, s);

    for (size_t i = 0; i < n; i++)
        if (c->tabu[i] == hash)
            return 1;
    return 0;
}

static int is_legal(const climber *c, const step *s)
{
    if (s->what == ADD && cr__arcs_has(c->above, s->to, s->from))
        return 0;
    if (s->what == TURN && turns_into_cycle(c, s->from, s->to))
        return 0;
    return c->tabu_count == 0 || !is_tabu(c, s);
}

/* Whether a step is better. A difference within rounding error is a tie, as for the two directions
 * of a first arc: then the step that was found first is kept. */
static int is_better(const climber *c, const step *s, const step *best)
{
    return s->gain > best->gain + LEAST_GAIN * c->scale && is_legal(c, s);
}

/* Additions and removals; a child without a better gain is skipped. */
static void best_change(const climber *c, step *best)
{
    for (uint32_t child = c->nodes; child-- > 0;) {
        const double *gain = c->gain + (size_t)child * c->nodes;

        if (c->best_gain[child] <= best->gain)
            continue;
        for (uint32_t x = 0; x < c->nodes; x++) {
            const step s = {gain[x] > best->gain && cr__arcs_has(c->arcs, x, child) ? DROP : ADD, x,
                            child, gain[x]};

            if (s.gain > best->gain && is_better(c, &s, best))
                *best = s;
        }
    }
}

static void best_turn(const climber *c, step *best)
{
    const size_t n = c->nodes;

    for (uint32_t child = c->nodes; child-- > 0;) {
        const size_t parents = cr__arcs_parents(c->arcs, child, c->list);

        for (size_t i = 0; i < parents; i++) {
            const uint32_t p = c->list[i];
            const step s = {TURN, p, child, c->gain[child * n + p] + c->gain[p * n + child]};

            if (s.gain > best->gain && is_better(c, &s, best))
                *best = s;
        }
    }
}

static cr_status take(climber *c, const step *s, cr_error *err)
{
    cr_status st;

    c->hash = hash_after(c, s);
    if (s->what == ADD)
        cr__arcs_put(c->arcs, s->from, s->to);
    else
        cr__arcs_drop(c->arcs, s->from, s->to);
    if (s->what == TURN)
        cr__arcs_put(c->arcs, s->to, s->from);
    st = refresh(c, s->to, err);
    if (st == CR_OK && s->what == TURN)
        st = refresh(c, s->from, err);
    return st == CR_OK ? find_ancestors(c, err) : st;
}

/* --- climbing --------------------------------------------------------------------------------- */

/* The best network so far. */
typedef struct summit {
    cr__arcs *arcs;
    double score;
} summit;

static double keep_best(const climber *c, summit *best)
{
    const double score = total_score(c);

    if (score <= best->score + LEAST_GAIN * c->scale && best->score != -INFINITY)
        return 0;
    best->score = score;
    cr__arcs_copy(best->arcs, c->arcs);
    return 1;
}

/* Climb, and with tabu search continue from there. */
static cr_status climb(climber *c, summit *best, cr__climb_report *report, cr_error *err)
{
    uint32_t since = 0; /* steps since there was a new best */
    cr_status st = CR_OK;

    c->tabu_count = 0;
    keep_best(c, best);
    for (;;) {
        const double least = c->plan->tabu > 0 ? -INFINITY : 0;
        step s = {.gain = least};

        if (c->plan->tabu > 0)
            c->tabu[c->tabu_count++ % c->plan->tabu] = c->hash;
        best_change(c, &s);
        best_turn(c, &s);
        if (!(s.gain > least))
            break;
        if ((st = take(c, &s, err)) != CR_OK)
            break;
        report->steps++;
        since = keep_best(c, best) ? 0 : since + 1;
        if (c->plan->tabu > 0 && since >= c->plan->patience)
            break;
    }
    if (st == CR_OK && c->plan->tabu == 0)
        keep_best(c, best);
    return st;
}

/* Random legal steps: an eighth of the number of arcs, but at least four. */
static cr_status stray(climber *c, cr__random *random, cr_error *err)
{
    const size_t n = c->nodes, want = cr__arcs_count(c->arcs) / 8 + 4;
    cr_status st = CR_OK;

    c->tabu_count = 0;
    for (size_t tries = 0, done = 0; st == CR_OK && done < want && tries < 1000 * want; tries++) {
        const uint32_t a = (uint32_t)cr__random_below(random, n);
        const uint32_t b = (uint32_t)cr__random_below(random, n);
        const int there = cr__arcs_has(c->arcs, a, b);
        const step s = {there ? (cr__random_below(random, 2) == 0 ? DROP : TURN) : ADD, a, b,
                        c->gain[b * n + a] + (there ? c->gain[a * n + b] : 0)};

        if (c->gain[b * n + a] == -INFINITY || (s.what == TURN && s.gain == -INFINITY) ||
            !is_legal(c, &s))
            continue;
        st = take(c, &s, err);
        done++;
    }
    return st;
}

cr_status cr__climb(cr__arcs *arcs, cr__families *families, const cr__climb_plan *plan,
                    cr__climb_report *report, cr_error *err)
{
    climber c = {.plan = plan, .families = families, .nodes = arcs->nodes, .arcs = arcs};
    summit best = {.score = -INFINITY};
    cr__random random;
    cr_status st = make_climber(&c, err);

    *report = (cr__climb_report){0};
    if (st == CR_OK)
        st = cr__arcs_new(&best.arcs, arcs->nodes, err);
    if (st == CR_OK) {
        set_wanted(&c);
        for (size_t i = 0; plan->must != NULL && i < arcs->nodes * arcs->words; i++)
            arcs->into[i] |= plan->must->into[i];
        st = begin(&c, 1, err);
    }
    if (st == CR_OK)
        st = climb(&c, &best, report, err);
    cr__random_seed(&random, plan->seed);
    for (uint32_t i = 0; st == CR_OK && i < plan->restarts; i++) {
        cr__arcs_copy(arcs, best.arcs);
        st = begin(&c, 0, err);
        if (st == CR_OK)
            st = stray(&c, &random, err);
        if (st == CR_OK)
            st = climb(&c, &best, report, err);
    }
    if (st == CR_OK)
        cr__arcs_copy(arcs, best.arcs);
    report->score = best.score;
    cr__families_tell(families, &report->counted, &report->remembered);
    cr__arcs_free(best.arcs);
    free_climber(&c);
    return st;
}

cr_status cr__arcs_score(const cr__arcs *arcs, cr__families *families, double *score, cr_error *err)
{
    uint32_t *list = cr__alloc(arcs->nodes, sizeof *list);
    cr_status st = list == NULL ? cr__fail_memory(err) : CR_OK;

    *score = 0;
    for (uint32_t i = 0; st == CR_OK && i < arcs->nodes; i++) {
        const size_t parents = cr__arcs_parents(arcs, i, list);
        double own;

        st = cr__families_score(families, i, list, parents, &own, err);
        *score += own;
    }
    cr__free(list);
    return st;
}
