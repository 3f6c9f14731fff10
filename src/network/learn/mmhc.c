/* network/learn/mmhc.c - max-min parents and children of each node. */
#include <math.h>
#include <string.h>

#include "base/fail.h"
#include "base/memory.h"
#include "network/learn/independence.h"

typedef struct study {
    const cr__cases *cases;
    const cr__test_plan *plan;
    cr__testers testers;
    uint32_t nodes;
    cr__arcs *found; /* row t: the neighbours that t found */
} study;

/* One target. A candidate's association is the least over all subsets tried: the greatest p, and
 * of equal ones the least G² beyond its degrees of freedom. */
typedef struct hunt {
    uint32_t target;
    uint32_t *near, *open; /* neighbours so far; candidates that are still dependent */
    size_t nears, opens;
    double *p, *g; /* [nodes] association of candidates */
    uint32_t *subset, *given;
} hunt;

static void weaken(hunt *h, uint32_t x, double p, double g)
{
    if (p > h->p[x] || (p == h->p[x] && g < h->g[x])) {
        h->p[x] = p;
        h->g[x] = g;
    }
}

/* Test all open candidates given one subset, and close those that are independent. */
static cr_status test_open(const study *s, cr__tester *t, hunt *h, size_t givens)
{
    size_t kept = 0;

    if (h->opens == 0)
        return CR_OK;
    if (cr__test(t, h->target, h->open, h->opens, h->given, givens) != CR_OK)
        return CR_ENOMEM;
    for (size_t i = 0; i < h->opens; i++) {
        weaken(h, h->open[i], t->p[i], t->g[i]);
        if (t->p[i] <= s->plan->alpha)
            h->open[kept++] = h->open[i];
    }
    h->opens = kept;
    return CR_OK;
}

/* Subsets of the neighbours that contain the newest one: the others were tried before. */
static cr_status test_newest(const study *s, cr__tester *t, hunt *h)
{
    const size_t older = h->nears - 1;
    const size_t most =
        s->plan->depth == 0 || older < s->plan->depth ? older : s->plan->depth - (size_t)1;

    for (size_t k = 0; k <= most; k++) {
        cr__subset_first(h->subset, k);
        do {
            for (size_t i = 0; i < k; i++)
                h->given[i] = h->near[h->subset[i]];
            h->given[k] = h->near[older];
            if (test_open(s, t, h, k + 1) != CR_OK)
                return CR_ENOMEM;
        } while (h->opens > 0 && cr__subset_next(h->subset, k, older));
    }
    return CR_OK;
}

/* The candidate with the greatest of the least associations; SIZE_MAX: none is left. */
static size_t strongest(const hunt *h)
{
    size_t best = SIZE_MAX;

    for (size_t i = 0; i < h->opens; i++) {
        const uint32_t x = h->open[i], b = best == SIZE_MAX ? 0 : h->open[best];

        if (best == SIZE_MAX || h->p[x] < h->p[b] || (h->p[x] == h->p[b] && h->g[x] > h->g[b]))
            best = i;
    }
    return best;
}

static cr_status grow(const study *s, cr__tester *t, hunt *h)
{
    cr_status st = test_open(s, t, h, 0);
    size_t best;

    while (st == CR_OK && (best = strongest(h)) != SIZE_MAX) {
        h->near[h->nears++] = h->open[best];
        memmove(h->open + best, h->open + best + 1, (h->opens - best - 1) * sizeof *h->open);
        h->opens--;
        st = test_newest(s, t, h);
    }
    return st;
}

/* Whether some subset of the other neighbours makes near[at] independent. */
static cr_status can_be_parted(const study *s, cr__tester *t, hunt *h, size_t at, int *parted)
{
    const uint32_t x = h->near[at];
    const size_t others = h->nears - 1;
    const size_t most = s->plan->depth == 0 || others < s->plan->depth ? others : s->plan->depth;

    *parted = 0;
    for (size_t k = 0; k <= most && !*parted; k++) {
        cr__subset_first(h->subset, k);
        do {
            for (size_t i = 0; i < k; i++)
                h->given[i] = h->near[h->subset[i] + (h->subset[i] >= at)];
            if (cr__test(t, h->target, &x, 1, h->given, k) != CR_OK)
                return CR_ENOMEM;
            *parted = t->p[0] > s->plan->alpha;
        } while (!*parted && cr__subset_next(h->subset, k, others));
    }
    return CR_OK;
}

/* Later additions may have made an earlier neighbour redundant. */
static cr_status shrink(const study *s, cr__tester *t, hunt *h)
{
    for (size_t at = 0; at < h->nears;) {
        int parted;

        if (at + 1 == h->nears) /* the last was tested against all subsets of the others */
            return CR_OK;
        if (can_be_parted(s, t, h, at, &parted) != CR_OK)
            return CR_ENOMEM;
        if (parted)
            memmove(h->near + at, h->near + at + 1, (--h->nears - at) * sizeof *h->near);
        else
            at++;
    }
    return CR_OK;
}

static int may_join(const study *s, uint32_t x, uint32_t y)
{
    const cr__arcs *never = s->plan->never;

    return never == NULL || !cr__arcs_has(never, x, y) || !cr__arcs_has(never, y, x);
}

static cr_status hunt_for(study *s, cr__tester *t, hunt *h, uint32_t target)
{
    cr_status st;

    h->target = target;
    h->nears = h->opens = 0;
    for (uint32_t x = 0; x < s->nodes; x++) {
        h->p[x] = -1;
        h->g[x] = INFINITY;
        if (x != target && may_join(s, x, target))
            h->open[h->opens++] = x;
    }
    if ((st = grow(s, t, h)) == CR_OK)
        st = shrink(s, t, h);
    for (size_t i = 0; st == CR_OK && i < h->nears; i++)
        cr__arcs_put(s->found, h->near[i], target);
    return st;
}

static void work_targets(void *context, int worker)
{
    study *s = context;
    cr__tester *t = &s->testers.tester[worker];
    const size_t n = s->nodes;
    uint32_t *lists = cr__alloc(n * 4 + 1, sizeof *lists);
    double *numbers = cr__alloc(n * 2, sizeof *numbers);

    t->status = lists == NULL || numbers == NULL ? CR_ENOMEM : CR_OK;
    if (t->status == CR_OK) {
        hunt h = {.near = lists,
                  .open = lists + n,
                  .subset = lists + 2 * n,
                  .given = lists + 3 * n,
                  .p = numbers,
                  .g = numbers + n};

        for (uint32_t x = (uint32_t)worker; x < n && t->status == CR_OK;
             x += (uint32_t)s->testers.workers)
            t->status = hunt_for(s, t, &h, x);
    }
    cr__free(lists);
    cr__free(numbers);
}

cr_status cr__mmpc(cr__arcs *lines, const cr__cases *cases, const cr__test_plan *plan,
                   size_t *tests, cr_error *err)
{
    study s = {.cases = cases, .plan = plan, .nodes = lines->nodes};
    cr_status st = cr__arcs_new(&s.found, lines->nodes, err);

    if (st == CR_OK)
        st = cr__testers_new(&s.testers, cases, plan->by, plan->threads, err);
    if (st == CR_OK)
        st = cr__testers_run(&s.testers, work_targets, &s, err);
    for (uint32_t x = 0; st == CR_OK && x < s.nodes; x++)
        for (uint32_t y = 0; y < s.nodes; y++)
            if (cr__arcs_has(s.found, x, y) && cr__arcs_has(s.found, y, x))
                cr__arcs_put(lines, x, y);
    if (tests != NULL)
        *tests = st == CR_OK ? cr__testers_tests(&s.testers) : 0;
    cr__testers_free(&s.testers);
    cr__arcs_free(s.found);
    return st;
}
