/* learners/network/mixed_structure.c - arcs between numbers, found in their scatter matrices. */
#include <math.h>
#include <string.h>

#include "base/fail.h"
#include "base/memory.h"
#include "network/graph/cpdag.h"
#include "learners/network/learn.h"
#include "network/learn/normals_learn.h"
#include "network/learn/search.h"

/* A search over the numbers and, last, the class if there is one. */
typedef struct hunt {
    const cr__numbers *numbers;
    const cr__numbers_wish *wish;
    uint32_t nodes;
    cr__arcs *arcs, *must, *never;
    cr__families *families;
    cr__numbers_score score;
    double *found; /* the score */
} hunt;

static uint32_t variable_of(const hunt *h, uint32_t node)
{
    return node < h->numbers->count ? h->wish->variable[node] : h->wish->target;
}

static int has_class(const hunt *h)
{
    return h->nodes > h->numbers->count;
}

/* --- the methods ------------------------------------------------------------------------------ */

static cr_status climb(hunt *h, const cr__arcs *only, int tabu, cr_error *err)
{
    const cr__knobs *knobs = h->wish->knobs;
    const uint32_t memory = cr__knobs_whole(knobs, "tabu");
    const cr__climb_plan plan = {.max_parents = cr__knobs_whole(knobs, "max-parents"),
                                 .must = h->must,
                                 .never = h->never,
                                 .only = only,
                                 .tabu = tabu ? memory : 0,
                                 .patience = memory,
                                 .restarts = cr__knobs_whole(knobs, "restarts"),
                                 .seed = h->wish->seed};
    cr__climb_report report;
    const cr_status st = cr__climb(h->arcs, h->families, &plan, &report, err);

    *h->found = report.score;
    return st;
}

static cr_status by_hc(hunt *h, cr_error *err)
{
    return climb(h, NULL, 0, err);
}

static cr_status by_tabu(hunt *h, cr_error *err)
{
    return climb(h, NULL, 1, err);
}

/* The order of all variables, as far as they are here; the class comes first. */
static cr_status by_k2(hunt *h, cr_error *err)
{
    const cr__climb_plan plan = {.max_parents = cr__knobs_whole(h->wish->knobs, "max-parents"),
                                 .must = h->must,
                                 .never = h->never};
    uint32_t *order = cr__alloc(h->nodes, sizeof *order), count = 0;
    cr_status st = order == NULL ? cr__fail_memory(err) : CR_OK;

    if (st == CR_OK && has_class(h))
        order[count++] = h->numbers->count;
    for (size_t at = 0; st == CR_OK && count < h->nodes; at++)
        for (uint32_t i = 0; i < h->numbers->count; i++)
            if (variable_of(h, i) == h->wish->order[at])
                order[count++] = i;
    if (st == CR_OK)
        st = cr__k2(h->arcs, h->families, order, &plan, err);
    if (st == CR_OK)
        st = cr__arcs_score(h->arcs, h->families, h->found, err);
    cr__free(order);
    return st;
}

/* The class as a parent of all, except for forbidden arcs. */
static void put_class(hunt *h)
{
    for (uint32_t i = 0; has_class(h) && i < h->numbers->count; i++)
        if (!cr__arcs_has(h->never, h->numbers->count, i))
            cr__arcs_put(h->arcs, h->numbers->count, i);
}

/* Log likelihoods of pairs of numbers within classes. */
typedef struct pair_score {
    cr__numbers view; /* everything is within classes */
    cr__numbers_score score;
} pair_score;

static cr_status by_chow_liu(hunt *h, cr_error *err)
{
    pair_score p = {.view = {.count = h->numbers->count, .all = h->numbers->within}};
    uint32_t root = 0;
    cr__families *families = NULL;
    cr__arcs *arcs = NULL, *never = NULL;
    cr_status st =
        cr__families_new_by(&families, h->numbers->count, cr__numbers_family, &p.score, err);

    p.score = (cr__numbers_score){&p.view, CR__SCORE_LOGLIK};
    if (st == CR_OK)
        st = cr__arcs_new(&arcs, h->numbers->count, err);
    if (st == CR_OK)
        st = cr__arcs_new(&never, h->numbers->count, err);
    for (uint32_t i = 0; st == CR_OK && i < h->numbers->count; i++) {
        root = variable_of(h, i) == h->wish->target ? i : root;
        for (uint32_t k = 0; k < h->numbers->count; k++)
            if (cr__arcs_has(h->never, k, i))
                cr__arcs_put(never, k, i);
    }
    if (st == CR_OK)
        st = cr__chow_liu_by(arcs, families, root, never, err);
    for (uint32_t i = 0; st == CR_OK && i < h->numbers->count; i++)
        for (uint32_t k = 0; k < h->numbers->count; k++)
            if (cr__arcs_has(arcs, k, i))
                cr__arcs_put(h->arcs, k, i);
    put_class(h);
    cr__arcs_free(arcs);
    cr__arcs_free(never);
    cr__families_free(families);
    return st;
}

/* Lines among the numbers by tests: those of PC, directed, or of MMPC. */
static cr_status by_tests(hunt *h, int mmpc, cr__arcs *lines, cr_error *err)
{
    const size_t n = h->numbers->count;
    const cr__test_by by = {cr__numbers_test, h->numbers, h->numbers->count, (n + 2) * (n + 2)};
    const cr__test_plan plan = {
        .alpha = cr__knobs_number(h->wish->knobs, "alpha"), .by = &by, .threads = 1};
    int consistent;
    cr_status st =
        mmpc ? cr__mmpc(lines, NULL, &plan, NULL, err) : cr__pc(lines, NULL, &plan, NULL, err);

    return st == CR_OK && !mmpc ? cr__extend(lines, &consistent, err) : st;
}

static cr_status by_pc(hunt *h, cr_error *err)
{
    cr__arcs *lines;
    cr_status st = cr__arcs_new(&lines, h->numbers->count, err);

    if (st == CR_OK)
        st = by_tests(h, 0, lines, err);
    for (uint32_t i = 0; st == CR_OK && i < h->numbers->count; i++)
        for (uint32_t k = 0; k < h->numbers->count; k++)
            if (cr__arcs_has(lines, k, i) && !cr__arcs_has(h->never, k, i))
                cr__arcs_put(h->arcs, k, i);
    put_class(h);
    cr__arcs_free(lines);
    return st;
}

static cr_status by_mmhc(hunt *h, cr_error *err)
{
    cr__arcs *lines, *only = NULL;
    cr_status st = cr__arcs_new(&lines, h->numbers->count, err);

    if (st == CR_OK)
        st = by_tests(h, 1, lines, err);
    if (st == CR_OK)
        st = cr__arcs_new(&only, h->nodes, err);
    for (uint32_t i = 0; st == CR_OK && i < h->numbers->count; i++) {
        for (uint32_t k = 0; k < h->numbers->count; k++)
            if (cr__arcs_has(lines, k, i))
                cr__arcs_put(only, k, i);
        if (has_class(h))
            cr__arcs_put(only, h->numbers->count, i);
    }
    if (st == CR_OK)
        st = climb(h, only, 0, err);
    cr__arcs_free(lines);
    cr__arcs_free(only);
    return st;
}

static cr_status by_naive(hunt *h, cr_error *err)
{
    (void)err;
    put_class(h);
    for (uint32_t t = 0; t < h->numbers->count; t++)
        for (uint32_t i = 0; variable_of(h, t) == h->wish->target && i < h->numbers->count; i++)
            if (i != t && !cr__arcs_has(h->never, t, i))
                cr__arcs_put(h->arcs, t, i);
    return CR_OK;
}

static cr_status by_nothing(hunt *h, cr_error *err)
{
    (void)err;
    cr__arcs_copy(h->arcs, h->must);
    return CR_OK;
}

static const struct {
    const char *name;
    cr_status (*find)(hunt *h, cr_error *err);
} ways[] = {{"hc", by_hc}, {"tabu", by_tabu}, {"k2", by_k2},       {"chow-liu", by_chow_liu},
            {"pc", by_pc}, {"mmhc", by_mmhc}, {"naive", by_naive}, {"none", by_nothing}};

/* --- the whole -------------------------------------------------------------------------------- */

static cr_status read_score(hunt *h, cr_error *err)
{
    cr__score score;
    const cr_status st =
        cr__score_read(&score, cr__network_score_name(h->wish->knobs, h->wish->target), err);

    if (st != CR_OK)
        return st;
    if (score.kind == CR__SCORE_BDEU || score.kind == CR__SCORE_K2) {
        cr__fail(err, CR_EARG, "score=%s is for discrete variables, and there are numbers",
                 cr__network_score_name(h->wish->knobs, h->wish->target));
        return cr__fail_hint(err, CR_EARG, "numbers have bic, aic and loglik");
    }
    h->score = (cr__numbers_score){h->numbers, score.kind};
    return cr__families_new_by(&h->families, h->nodes, cr__numbers_family, &h->score, err);
}

/* The part of the lists that concerns these nodes; no arc leads to the class. */
static void take_lists(hunt *h)
{
    for (uint32_t i = 0; i < h->nodes; i++)
        for (uint32_t k = 0; k < h->nodes; k++) {
            if (cr__arcs_has(h->wish->must, variable_of(h, k), variable_of(h, i)) && i != k)
                cr__arcs_put(h->must, k, i);
            if (i == h->numbers->count ||
                cr__arcs_has(h->wish->never, variable_of(h, k), variable_of(h, i)))
                cr__arcs_put(h->never, k, i);
        }
}

cr_status cr__numbers_structure(cr__arcs *arcs, const cr__numbers *numbers,
                                const cr__numbers_wish *wish, double *score, cr_error *err)
{
    hunt h = {.numbers = numbers,
              .wish = wish,
              .nodes = numbers->count + (numbers->classes > 0),
              .found = score};
    cr_status st = cr__arcs_new(&h.arcs, h.nodes, err);

    *score = NAN;
    if (st == CR_OK)
        st = cr__arcs_new(&h.must, h.nodes, err);
    if (st == CR_OK)
        st = cr__arcs_new(&h.never, h.nodes, err);
    if (st == CR_OK)
        st = read_score(&h, err);
    if (st == CR_OK)
        take_lists(&h);
    for (size_t i = 0; st == CR_OK && i < sizeof ways / sizeof *ways; i++)
        if (strcmp(ways[i].name, wish->way) == 0)
            st = ways[i].find(&h, err);
    for (uint32_t i = 0; st == CR_OK && i < h.nodes; i++)
        for (uint32_t k = 0; k < h.nodes; k++)
            if (cr__arcs_has(h.arcs, k, i))
                cr__arcs_put(arcs, variable_of(&h, k), variable_of(&h, i));
    cr__families_free(h.families);
    cr__arcs_free(h.arcs);
    cr__arcs_free(h.must);
    cr__arcs_free(h.never);
    return st;
}
