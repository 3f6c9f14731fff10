/* network/learn/pc.c - PC-stable: lines by tests of independence, directions by colliders. */
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "base/fail.h"
#include "base/memory.h"
#include "network/graph/cpdag.h"
#include "network/learn/independence.h"

/* What a node found in a round: the nodes it was separated from, and the separating sets. */
typedef struct findings {
    uint32_t *other; /* [count] */
    double *p;       /* [count] */
    uint32_t *given; /* [count * size] */
    size_t count, capacity, p_capacity, given_capacity;
} findings;

typedef struct parting {
    uint32_t *given; /* the separating set of a pair; to be freed */
    uint32_t size;
    double p; /* NaN: the pair was never separated */
} parting;

typedef struct study {
    const cr__cases *cases;
    const cr__test_plan *plan;
    cr__testers testers;
    cr__arcs *lines;      /* both ways */
    uint32_t nodes, size; /* how many are given in this round */
    int later;       /* test against later nodes in this half of the round, else earlier ones */
    findings *found; /* [nodes] */
    parting *parted; /* [nodes * nodes] for x < y at x * nodes + y */
} study;

static parting *parting_of(const study *s, uint32_t x, uint32_t y)
{
    return &s->parted[x < y ? (size_t)x * s->nodes + y : (size_t)y * s->nodes + x];
}

static int is_fixed(const study *s, uint32_t x, uint32_t y)
{
    return s->plan->must != NULL && cr__arcs_near(s->plan->must, x, y);
}

/* --- lines ------------------------------------------------------------------------------------ */

static int note(findings *f, uint32_t other, double p, const uint32_t *given, uint32_t size)
{
    if (!cr__grow(&f->other, &f->capacity, f->count + 1, sizeof *f->other) ||
        !cr__grow(&f->p, &f->p_capacity, f->count + 1, sizeof *f->p) ||
        !cr__grow(&f->given, &f->given_capacity, (f->count + 1) * (size_t)(size + 1),
                  sizeof *f->given))
        return 0;
    f->other[f->count] = other;
    f->p[f->count] = p;
    if (size > 0)
        memcpy(f->given + f->count * size, given, size * sizeof *given);
    f->count++;
    return 1;
}

static int was_found(const findings *f, uint32_t other)
{
    for (size_t i = 0; i < f->count; i++)
        if (f->other[i] == other)
            return 1;
    return 0;
}

static int is_in(uint32_t x, const uint32_t *list, size_t n)
{
    for (size_t i = 0; i < n; i++)
        if (list[i] == x)
            return 1;
    return 0;
}

/* One node: each subset of its neighbours against all others of them that are still joined. */
static cr_status test_node(const study *s, cr__tester *t, uint32_t x, uint32_t *scratch)
{
    const size_t n = s->nodes;
    uint32_t *near = scratch, *subset = near + n, *given = subset + n, *y = given + n;
    const size_t count = cr__arcs_parents(s->lines, x, near);
    findings *found = &s->found[x];

    if (count < (size_t)s->size + 1)
        return CR_OK;
    cr__subset_first(subset, s->size);
    do {
        size_t ys = 0;

        for (size_t i = 0; i < s->size; i++)
            given[i] = near[subset[i]];
        for (size_t i = 0; i < count; i++)
            if ((near[i] > x) == s->later && !is_fixed(s, x, near[i]) &&
                !is_in(near[i], given, s->size) && !was_found(found, near[i]))
                y[ys++] = near[i];
        if (ys > 0 && cr__test(t, x, y, ys, given, s->size) != CR_OK)
            return CR_ENOMEM;
        for (size_t i = 0; i < ys; i++)
            if (t->p[i] > s->plan->alpha && !note(found, y[i], t->p[i], given, s->size))
                return CR_ENOMEM;
    } while (cr__subset_next(subset, s->size, count));
    return CR_OK;
}

static void work_round(void *context, int worker)
{
    study *s = context;
    cr__tester *t = &s->testers.tester[worker];
    uint32_t *scratch = cr__alloc((size_t)s->nodes * 4, sizeof *scratch);

    t->status = scratch == NULL ? CR_ENOMEM : CR_OK;
    for (uint32_t x = (uint32_t)worker; x < s->nodes && t->status == CR_OK;
         x += (uint32_t)s->testers.workers)
        t->status = test_node(s, t, x, scratch);
    cr__free(scratch);
}

/* Separate the independent pairs, once all nodes are done. */
static cr_status part(study *s, cr_error *err)
{
    for (uint32_t x = 0; x < s->nodes; x++) {
        findings *f = &s->found[x];

        for (size_t i = 0; i < f->count; i++) {
            parting *p = parting_of(s, x, f->other[i]);

            if (p->given != NULL)
                continue; /* the other end already has it */
            if ((p->given = cr__alloc(s->size + (size_t)1, sizeof *p->given)) == NULL)
                return cr__fail_memory(err);
            if (s->size > 0)
                memcpy(p->given, f->given + i * s->size, s->size * sizeof *p->given);
            p->size = s->size;
            p->p = f->p[i];
        }
    }
    return CR_OK;
}

/* Lines are removed only after both halves of a round, so that the whole round sees the same
 * neighbours; but a pair that the first half has separated is not tested again in the second. */
static void drop_lines(study *s)
{
    for (uint32_t x = 0; x < s->nodes; x++) {
        for (size_t i = 0; i < s->found[x].count; i++) {
            cr__arcs_drop(s->lines, x, s->found[x].other[i]);
            cr__arcs_drop(s->lines, s->found[x].other[i], x);
        }
        s->found[x].count = 0;
    }
}

/* Copy the results of the first half to the other end of each pair. */
static cr_status share(study *s, cr_error *err)
{
    for (uint32_t x = 0; x < s->nodes; x++)
        for (size_t i = 0; i < s->found[x].count; i++)
            if (s->found[x].other[i] > x) {
                findings *f = &s->found[s->found[x].other[i]];

                if (!note(f, x, s->found[x].p[i], s->found[x].given + i * s->size, s->size))
                    return cr__fail_memory(err);
            }
    return CR_OK;
}

static int can_go_on(const study *s, uint32_t *list)
{
    for (uint32_t x = 0; x < s->nodes; x++)
        if (cr__arcs_parents(s->lines, x, list) > (size_t)s->size + 1)
            return 1;
    return 0;
}

static cr_status find_lines(study *s, uint32_t *list, cr_error *err)
{
    cr_status st = CR_OK;

    for (s->size = 0; st == CR_OK; s->size++) {
        s->later = 1;
        st = cr__testers_run(&s->testers, work_round, s, err);
        if (st == CR_OK && s->size > 0) {
            if ((st = share(s, err)) == CR_OK) {
                s->later = 0;
                st = cr__testers_run(&s->testers, work_round, s, err);
            }
        }
        if (st == CR_OK && (st = part(s, err)) == CR_OK)
            drop_lines(s);
        if (st == CR_OK &&
            ((s->plan->depth > 0 && s->size >= s->plan->depth) || !can_go_on(s, list)))
            break;
    }
    return st;
}

/* --- directions ------------------------------------------------------------------------------- */

typedef struct collider {
    uint32_t x, z, y; /* x -> z <- y */
    double p;         /* with which x and y were separated */
} collider;

static int by_certainty(const void *a, const void *b)
{
    const collider *one = a, *two = b;

    if (one->p != two->p)
        return one->p > two->p ? -1 : 1;
    if (one->z != two->z)
        return one->z < two->z ? -1 : 1;
    if (one->x != two->x)
        return one->x < two->x ? -1 : 1;
    return (one->y > two->y) - (one->y < two->y);
}

static cr_status list_colliders(const study *s, collider **out, size_t *count, uint32_t *near,
                                cr_error *err)
{
    size_t capacity = 0;

    *count = 0;
    for (uint32_t z = 0; z < s->nodes; z++) {
        const size_t n = cr__arcs_parents(s->lines, z, near);

        for (size_t i = 0; i < n; i++)
            for (size_t k = i + 1; k < n; k++) {
                const parting *p = parting_of(s, near[i], near[k]);

                if (cr__arcs_near(s->lines, near[i], near[k]) || p->given == NULL ||
                    is_in(z, p->given, p->size))
                    continue;
                if (!cr__grow(out, &capacity, *count + 1, sizeof **out))
                    return cr__fail_memory(err);
                (*out)[(*count)++] = (collider){near[i], z, near[k], p->p};
            }
    }
    return CR_OK;
}

/* Point x -> z unless it has the other direction or is forbidden. */
static int may_point(const study *s, uint32_t x, uint32_t z)
{
    return cr__arcs_has(s->lines, x, z) &&
           (s->plan->never == NULL || !cr__arcs_has(s->plan->never, x, z));
}

/* Lists of arcs take precedence. */
static void direct_listed(study *s)
{
    for (uint32_t x = 0; x < s->nodes; x++)
        for (uint32_t y = 0; y < s->nodes; y++) {
            const int must = s->plan->must != NULL && cr__arcs_has(s->plan->must, x, y);
            const int turned = s->plan->never != NULL && cr__arcs_has(s->plan->never, y, x) &&
                               cr__arcs_has(s->lines, x, y);

            if (must || turned)
                cr__arcs_drop(s->lines, y, x);
            if (must)
                cr__arcs_put(s->lines, x, y);
        }
}

static cr_status direct(study *s, uint32_t *list, cr_error *err)
{
    collider *c = NULL;
    size_t count;
    cr_status st = list_colliders(s, &c, &count, list, err);

    if (st == CR_OK) {
        direct_listed(s);
        if (count > 0)
            qsort(c, count, sizeof *c, by_certainty);
        for (size_t i = 0; i < count; i++)
            if (may_point(s, c[i].x, c[i].z) && may_point(s, c[i].y, c[i].z)) {
                cr__arcs_drop(s->lines, c[i].z, c[i].x);
                cr__arcs_drop(s->lines, c[i].z, c[i].y);
            }
        cr__meek(s->lines);
    }
    cr__free(c);
    return st;
}

/* --- all of it -------------------------------------------------------------------------------- */

static void join_all(study *s)
{
    const cr__arcs *never = s->plan->never;

    for (uint32_t x = 0; x < s->nodes; x++)
        for (uint32_t y = 0; y < s->nodes; y++)
            if (x != y && (is_fixed(s, x, y) || never == NULL || !cr__arcs_has(never, x, y) ||
                           !cr__arcs_has(never, y, x)))
                cr__arcs_put(s->lines, x, y);
}

static void free_study(study *s)
{
    for (size_t i = 0; s->parted != NULL && i < (size_t)s->nodes * s->nodes; i++)
        cr__free(s->parted[i].given);
    for (uint32_t i = 0; s->found != NULL && i < s->nodes; i++) {
        cr__free(s->found[i].other);
        cr__free(s->found[i].p);
        cr__free(s->found[i].given);
    }
    cr__free(s->parted);
    cr__free(s->found);
    cr__testers_free(&s->testers);
}

cr_status cr__pc(cr__arcs *arcs, const cr__cases *cases, const cr__test_plan *plan, size_t *tests,
                 cr_error *err)
{
    study s = {.cases = cases, .plan = plan, .lines = arcs, .nodes = arcs->nodes};
    uint32_t *list = cr__alloc(arcs->nodes, sizeof *list);
    cr_status st = cr__testers_new(&s.testers, cases, plan->by, plan->threads, err);

    s.found = cr__alloc_zero(s.nodes, sizeof *s.found);
    s.parted = cr__alloc_zero((size_t)s.nodes * s.nodes, sizeof *s.parted);
    if (st == CR_OK && (list == NULL || s.found == NULL || s.parted == NULL))
        st = cr__fail_memory(err);
    if (st == CR_OK) {
        join_all(&s);
        st = find_lines(&s, list, err);
    }
    if (st == CR_OK)
        st = direct(&s, list, err);
    if (tests != NULL)
        *tests = st == CR_OK ? cr__testers_tests(&s.testers) : 0;
    free_study(&s);
    cr__free(list);
    return st;
}
