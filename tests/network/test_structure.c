/* tests/network/test_structure.c - counting families, their scores, and climbing to a structure. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#include "base/memory.h"
#include "network/graph/cpdag.h"
#include "network/learn/search.h"

static cr__random rng;

/* Rows of variables with so many states; each depends on one before it, now and then. */
static cr__cases *random_cases(const uint32_t *states, uint32_t variables, size_t rows,
                               uint64_t seed)
{
    cr__cases *cases;

    cr__random_seed(&rng, seed);
    assert_int_equal(cr__cases_new(&cases, states, variables, rows, NULL), CR_OK);
    for (size_t r = 0; r < rows; r++)
        for (uint32_t v = 0; v < variables; v++) {
            uint32_t s = (uint32_t)cr__random_below(&rng, states[v]);

            if (v > 0 && cr__random_below(&rng, 10) < 4 + v % 3)
                s = cr__cases_get(cases, v - 1, r) % states[v];
            if (v > 2 && cr__random_below(&rng, 10) < 3)
                s = (cr__cases_get(cases, v - 3, r) + 1) % states[v];
            cr__cases_put(cases, v, r, s);
        }
    return cases;
}

static cr__families *families_of(const cr__cases *cases, const char *score, int threads)
{
    cr__families *families;
    cr__score s;

    assert_int_equal(cr__score_read(&s, score, NULL), CR_OK);
    assert_int_equal(cr__families_new(&families, cases, s, threads, NULL), CR_OK);
    return families;
}

static double score_of(cr__families *families, const cr__arcs *arcs)
{
    double score;

    assert_int_equal(cr__arcs_score(arcs, families, &score, NULL), CR_OK);
    return score;
}

static double family_score(const cr__cases *cases, const char *score, uint32_t child,
                           const uint32_t *parent, size_t parents)
{
    cr__families *families = families_of(cases, score, 1);
    double value;

    assert_int_equal(cr__families_score(families, child, parent, parents, &value, NULL), CR_OK);
    cr__families_free(families);
    return value;
}

/* --- counting --------------------------------------------------------------------------------- */

static void population_counts_with_and_without_vectors_agree(void **state)
{
    uint64_t a[400], b[400], both[400];

    (void)state;
    cr__random_seed(&rng, 5);
    for (size_t words = 0; words <= 400; words += 4) {
        for (size_t i = 0; i < words; i++) {
            a[i] = i % 7 == 0 ? UINT64_MAX : cr__random_next(&rng);
            b[i] = i % 7 == 0 ? UINT64_MAX : cr__random_next(&rng);
        }
        assert_int_equal(cr__bits_common(a, b, words), cr__bits_common_plain(a, b, words));
        assert_int_equal(cr__bits_meet(both, a, b, words), cr__bits_common_plain(a, b, words));
        for (size_t i = 0; i < words; i++)
            assert_true(both[i] == (a[i] & b[i]));
    }
}

/* Count base and extra the plain way. */
static void count_plainly(const cr__cases *cases, const uint32_t *base, size_t bases,
                          uint32_t extra, double *table)
{
    for (size_t r = 0; r < cases->rows; r++) {
        size_t at = 0;

        for (size_t i = 0; i < bases; i++)
            at = at * cases->states[base[i]] + cr__cases_get(cases, base[i], r);
        table[at * cases->states[extra] + cr__cases_get(cases, extra, r)] +=
            cases->weight == NULL ? 1 : cases->weight[r];
    }
}

static void check_counts(const cr__cases *cases)
{
    static double counted[2][1 << 16], plain[1 << 16];
    double *const table[] = {counted[0], counted[1]};
    cr__counter counter;

    assert_int_equal(cr__counter_new(&counter, cases, NULL), CR_OK);
    for (int round = 0; round < 60; round++) {
        uint32_t order[16];
        size_t bases = cr__random_below(&rng, cases->variables < 6 ? 3 : 5), cells;

        for (uint32_t i = 0; i < cases->variables; i++)
            order[i] = i;
        cr__random_shuffle(&rng, order, cases->variables);
        while ((cells = cr__cases_cells(cases, order, bases, 1 << 8)) == SIZE_MAX)
            bases--;
        assert_int_equal(cr__count_extended(&counter, order, bases, order + bases, 2, table),
                         CR_OK);
        for (size_t e = 0; e < 2; e++) {
            const size_t n = cells * cases->states[order[bases + e]];

            assert_true(n <= 1 << 16);
            memset(plain, 0, n * sizeof *plain);
            count_plainly(cases, order, bases, order[bases + e], plain);
            assert_memory_equal(plain, counted[e], n * sizeof *plain);
        }
    }
    cr__counter_free(&counter);
}

static void families_are_counted_as_one_would_by_hand(void **state)
{
    static const uint32_t states[] = {2, 3, 2, 5, 1, 70, 2, 4, 2, 2, 250, 3};
    static const size_t rows[] = {1, 63, 64, 257, 1000, 5000};

    (void)state;
    for (size_t i = 0; i < sizeof rows / sizeof *rows; i++) {
        cr__cases *cases = random_cases(states, 12, rows[i], i);

        check_counts(cases); /* without bitmaps: row by row */
        assert_int_equal(cr__cases_index(cases, NULL), CR_OK);
        check_counts(cases);
        cr__cases_free(cases);
    }
}

static void weighted_rows_and_wide_columns_are_counted(void **state)
{
    static const uint32_t states[] = {2, 3, 1000, 2};
    cr__cases *cases = random_cases(states, 4, 2000, 77);

    (void)state;
    cases->weight = cr__alloc(cases->rows, sizeof *cases->weight);
    assert_non_null(cases->weight);
    for (size_t r = 0; r < cases->rows; r++)
        cases->weight[r] = (double)cr__random_below(&rng, 1000) / 8;
    assert_int_equal(cr__cases_index(cases, NULL), CR_OK);
    check_counts(cases);
    cr__cases_free(cases);
}

/* --- scores ----------------------------------------------------------------------------------- */

/* The ten cases of G. Cooper and E. Herskovits, "A Bayesian method for the induction of
 * probabilistic networks from data", Machine Learning 9 (1992), table 1. */
static cr__cases *cooper(void)
{
    static const unsigned char row[10][3] = {{1, 0, 0}, {1, 1, 1}, {0, 0, 1}, {1, 1, 1}, {0, 0, 0},
                                             {0, 1, 1}, {1, 1, 1}, {0, 0, 0}, {1, 1, 1}, {0, 0, 0}};
    static const uint32_t states[] = {2, 2, 2};
    cr__cases *cases;

    assert_int_equal(cr__cases_new(&cases, states, 3, 10, NULL), CR_OK);
    for (size_t r = 0; r < 10; r++)
        for (uint32_t v = 0; v < 3; v++)
            cr__cases_put(cases, v, r, row[r][v]);
    assert_int_equal(cr__cases_index(cases, NULL), CR_OK);
    return cases;
}

/* g(i, parents) by hand from (r - 1)! / (N + r - 1)! Π N(k)!, as in that paper's example. */
static void k2_has_the_values_of_the_paper(void **state)
{
    static const uint32_t first[] = {0}, second[] = {1}, both[] = {0, 1};
    cr__cases *cases = cooper();

    (void)state;
    assert_true(fabs(family_score(cases, "k2", 0, NULL, 0) + log(2772)) < 1e-12);
    assert_true(fabs(family_score(cases, "k2", 1, NULL, 0) + log(2772)) < 1e-12);
    assert_true(fabs(family_score(cases, "k2", 1, first, 1) + log(900)) < 1e-12);
    assert_true(fabs(family_score(cases, "k2", 2, NULL, 0) + log(2310)) < 1e-12);
    assert_true(fabs(family_score(cases, "k2", 2, first, 1) + log(1800)) < 1e-12);
    assert_true(fabs(family_score(cases, "k2", 2, second, 1) + log(180)) < 1e-12);
    assert_true(fabs(family_score(cases, "k2", 2, both, 2) + log(400)) < 1e-12);
    cr__cases_free(cases);
}

/* By hand on the same cases: x2 given x1 has N(k, j) = 4, 1 and 1, 4. */
static void other_scores_by_hand(void **state)
{
    static const uint32_t first[] = {0};
    const double loglik = 2 * (4 * log(.8) + log(.2));
    cr__cases *cases = cooper();
    double bdeu = 0;

    (void)state;
    assert_true(fabs(family_score(cases, "loglik", 1, first, 1) - loglik) < 1e-12);
    assert_true(fabs(family_score(cases, "aic", 1, first, 1) - (loglik - 2)) < 1e-12);
    assert_true(fabs(family_score(cases, "bic", 1, first, 1) - (loglik - log(10))) < 1e-12);
    /* size 4: a = 1 for each of the 4 cells, which is k2's prior */
    assert_true(fabs(family_score(cases, "bdeu:4", 1, first, 1) + log(900)) < 1e-12);
    /* size 10, a = 2.5: twice lnΓ(5) - lnΓ(10) + lnΓ(6.5) + lnΓ(3.5) - 2 lnΓ(2.5) */
    bdeu = 2 * (lgamma(5) - lgamma(10) + lgamma(6.5) + lgamma(3.5) - 2 * lgamma(2.5));
    assert_true(fabs(family_score(cases, "bdeu:10", 1, first, 1) - bdeu) < 1e-11);
    cr__cases_free(cases);
}

static void scores_are_read(void **state)
{
    cr__score s;
    cr_error err;

    (void)state;
    assert_int_equal(cr__score_read(&s, "bdeu:2.5", NULL), CR_OK);
    assert_true(s.kind == CR__SCORE_BDEU && s.size == 2.5);
    assert_int_equal(cr__score_read(&s, "bdeu:0", &err), CR_EARG);
    assert_int_equal(cr__score_read(&s, "bdeu:x", &err), CR_EARG);
    assert_int_equal(cr__score_read(&s, "bic:1", &err), CR_EARG);
    assert_int_equal(cr__score_read(&s, "bik", &err), CR_EARG);
    assert_non_null(strstr(err.hint, "'bic'"));
}

/* Equivalent networks have equal scores, whichever way their arcs point (k2's prior aside). */
static void equivalent_networks_score_alike(void **state)
{
    static const char *const scores[] = {"loglik", "bic", "aic", "bdeu:7"};
    static const uint32_t states[] = {2, 3, 4};
    cr__cases *cases = random_cases(states, 3, 400, 3);
    cr__arcs *chain, *back;

    (void)state;
    assert_int_equal(cr__cases_index(cases, NULL), CR_OK);
    assert_int_equal(cr__arcs_new(&chain, 3, NULL), CR_OK);
    assert_int_equal(cr__arcs_new(&back, 3, NULL), CR_OK);
    cr__arcs_put(chain, 0, 1);
    cr__arcs_put(chain, 1, 2);
    cr__arcs_put(back, 2, 1);
    cr__arcs_put(back, 1, 0);
    for (size_t i = 0; i < sizeof scores / sizeof *scores; i++) {
        cr__families *families = families_of(cases, scores[i], 1);

        assert_true(fabs(score_of(families, chain) - score_of(families, back)) < 1e-8);
        cr__families_free(families);
    }
    cr__arcs_free(chain);
    cr__arcs_free(back);
    cr__cases_free(cases);
}

static void families_around_one_are_those_counted_one_by_one(void **state)
{
    static const uint32_t states[] = {2, 3, 4, 2, 2, 90, 3};
    static const uint32_t parent[] = {1, 3};
    static const char *const scores[] = {"bic", "bdeu:3"};
    const uint64_t wanted = 0x7f;
    cr__cases *cases = random_cases(states, 7, 900, 8);

    (void)state;
    assert_int_equal(cr__cases_index(cases, NULL), CR_OK);
    for (size_t i = 0; i < 2; i++) {
        cr__families *families = families_of(cases, scores[i], 1);
        double own, value[7];

        assert_int_equal(cr__families_around(families, 2, parent, 2, &wanted, &own, value, NULL),
                         CR_OK);
        assert_true(fabs(own - family_score(cases, scores[i], 2, parent, 2)) < 1e-9);
        for (uint32_t x = 0; x < 7; x++) {
            uint32_t set[3];
            size_t n = 0;

            for (uint32_t p = 0; p < 7; p++)
                if ((p == 1 || p == 3) != (p == x))
                    set[n++] = p;
            if (x != 2)
                assert_true(fabs(value[x] - family_score(cases, scores[i], 2, set, n)) < 1e-9);
        }
        cr__families_free(families);
    }
    cr__cases_free(cases);
}

/* --- climbing --------------------------------------------------------------------------------- */

enum { NODES = 8 };
static const uint32_t few_states[NODES] = {2, 3, 2, 4, 2, 3, 2, 2};

static cr__arcs *climb(const cr__cases *cases, const char *score, int threads,
                       const cr__climb_plan *plan, cr__climb_report *report)
{
    cr__families *families = families_of(cases, score, threads);
    cr__arcs *arcs;

    assert_int_equal(cr__arcs_new(&arcs, cases->variables, NULL), CR_OK);
    assert_int_equal(cr__climb(arcs, families, plan, report, NULL), CR_OK);
    assert_true(fabs(score_of(families, arcs) - report->score) < 1e-6);
    cr__families_free(families);
    return arcs;
}

static int is_acyclic(const cr__arcs *arcs)
{
    uint32_t order[64];

    return cr__arcs_order(arcs, order) == arcs->nodes;
}

/* No single change that is allowed is better: tried one by one, each network scored from
 * scratch. */
static void assert_summit(const cr__cases *cases, const char *score, cr__arcs *arcs,
                          uint32_t max_parents)
{
    cr__families *families = families_of(cases, score, 1);
    const double top = score_of(families, arcs);
    uint32_t list[64];

    for (uint32_t a = 0; a < arcs->nodes; a++)
        for (uint32_t b = 0; b < arcs->nodes; b++) {
            const int there = cr__arcs_has(arcs, a, b);

            if (a == b || (!there && cr__arcs_has(arcs, b, a)))
                continue;
            for (int turn = 0; turn <= there; turn++) {
                if (there)
                    cr__arcs_drop(arcs, a, b);
                else
                    cr__arcs_put(arcs, a, b);
                if (turn)
                    cr__arcs_put(arcs, b, a);
                if (is_acyclic(arcs) &&
                    (max_parents == 0 || (cr__arcs_parents(arcs, a, list) <= max_parents &&
                                          cr__arcs_parents(arcs, b, list) <= max_parents)))
                    assert_true(score_of(families, arcs) <= top + 1e-6);
                if (turn)
                    cr__arcs_drop(arcs, b, a);
                if (there)
                    cr__arcs_put(arcs, a, b);
                else
                    cr__arcs_drop(arcs, a, b);
            }
        }
    cr__families_free(families);
}

static void hill_climbing_ends_where_no_step_is_better(void **state)
{
    static const char *const scores[] = {"bic", "aic", "bdeu:10", "k2"};

    (void)state;
    for (uint64_t seed = 0; seed < 6; seed++) {
        cr__cases *cases = random_cases(few_states, NODES, 150 << seed, seed);

        assert_int_equal(cr__cases_index(cases, NULL), CR_OK);
        for (size_t i = 0; i < sizeof scores / sizeof *scores; i++)
            for (uint32_t most = 0; most < 3; most++) {
                const cr__climb_plan plan = {.max_parents = most};
                cr__climb_report report;
                cr__arcs *arcs = climb(cases, scores[i], 1, &plan, &report);

                assert_true(is_acyclic(arcs));
                assert_true(cr__arcs_count(arcs) > 0);
                assert_summit(cases, scores[i], arcs, most);
                cr__arcs_free(arcs);
            }
        cr__cases_free(cases);
    }
}

static void tabu_search_and_restarts_are_never_worse(void **state)
{
    int better = 0;

    (void)state;
    for (uint64_t seed = 0; seed < 10; seed++) {
        cr__cases *cases = random_cases(few_states, NODES, 300, seed + 20);
        const cr__climb_plan plain = {0}, tabu = {.tabu = 20, .patience = 20};
        const cr__climb_plan again = {.restarts = 10, .seed = seed};
        cr__climb_report a, b, c;

        assert_int_equal(cr__cases_index(cases, NULL), CR_OK);
        cr__arcs_free(climb(cases, "bdeu:1", 1, &plain, &a));
        cr__arcs_free(climb(cases, "bdeu:1", 1, &tabu, &b));
        cr__arcs_free(climb(cases, "bdeu:1", 1, &again, &c));
        assert_true(b.score >= a.score - 1e-6 && c.score >= a.score - 1e-6);
        better += b.score > a.score + 1e-6 || c.score > a.score + 1e-6;
        cr__cases_free(cases);
    }
    assert_true(better > 0); /* some of the ten climbs end too early */
}

static void any_number_of_threads_finds_the_same_arcs(void **state)
{
    uint32_t states[40];
    cr__arcs *first = NULL;
    cr__cases *cases;

    (void)state;
    for (size_t i = 0; i < 40; i++)
        states[i] = 2 + i % 3;
    cases = random_cases(states, 40, 9000, 99);
    assert_int_equal(cr__cases_index(cases, NULL), CR_OK);
    for (int threads = 1; threads <= 5; threads += 2) {
        const cr__climb_plan plan = {.restarts = 2, .seed = 7};
        cr__climb_report report;
        cr__arcs *arcs = climb(cases, "bic", threads, &plan, &report);

        if (first == NULL) {
            first = arcs;
            continue;
        }
        assert_memory_equal(first->into, arcs->into, arcs->nodes * arcs->words * sizeof(uint64_t));
        cr__arcs_free(arcs);
    }
    cr__arcs_free(first);
    cr__cases_free(cases);
}

static void lists_of_arcs_are_kept(void **state)
{
    static const char *const name[] = {"a", "b", "c", "d", "e", "f", "g", "h"};
    cr__cases *cases = random_cases(few_states, NODES, 1000, 4);
    cr__arcs *must, *never, *arcs;
    cr__climb_plan plan = {.tabu = 5, .patience = 10, .restarts = 3};
    cr__climb_report report;

    (void)state;
    assert_int_equal(cr__cases_index(cases, NULL), CR_OK);
    assert_int_equal(cr__arcs_new(&must, NODES, NULL), CR_OK);
    assert_int_equal(cr__arcs_new(&never, NODES, NULL), CR_OK);
    assert_int_equal(cr__arcs_read(must, "h>a,g->b", name, "whitelist", NULL), CR_OK);
    assert_int_equal(cr__arcs_read(never, "a>b,b>a,>h", name, "blacklist", NULL), CR_OK);
    plan.must = must;
    plan.never = never;
    arcs = climb(cases, "bic", 1, &plan, &report);
    assert_true(cr__arcs_has(arcs, 7, 0) && cr__arcs_has(arcs, 6, 1));
    assert_false(cr__arcs_near(arcs, 0, 1));
    for (uint32_t i = 0; i < NODES; i++)
        assert_false(cr__arcs_has(arcs, i, 7));
    cr__arcs_free(arcs);
    cr__arcs_free(must);
    cr__arcs_free(never);
    cr__cases_free(cases);
}

static void bad_lists_of_arcs_are_refused(void **state)
{
    static const char *const name[] = {"rain", "wet", "sprinkler"};
    cr__arcs *arcs;
    cr_error err;

    (void)state;
    assert_int_equal(cr__arcs_new(&arcs, 3, NULL), CR_OK);
    assert_int_equal(cr__arcs_read(arcs, "rain>wett", name, "whitelist", &err), CR_EARG);
    assert_non_null(strstr(err.message, "'wett'"));
    assert_non_null(strstr(err.hint, "'wet'"));
    assert_int_equal(cr__arcs_read(arcs, "rain", name, "whitelist", &err), CR_EARG);
    assert_int_equal(cr__arcs_read(arcs, "rain>rain", name, "whitelist", &err), CR_EARG);
    assert_int_equal(
        cr__arcs_read(arcs, "rain>wet,wet>sprinkler,sprinkler>rain", name, "whitelist", &err),
        CR_OK);
    assert_int_equal(cr__arcs_check(arcs, name, "whitelist", &err), CR_EARG);
    assert_non_null(strstr(err.message, "rain <- sprinkler <- wet <- rain"));
    cr__arcs_free(arcs);
}

/* Two values that depend on nothing, a single value, and more states than rows. */
static void odd_columns_do_not_disturb(void **state)
{
    static const uint32_t states[] = {1, 2, 60000, 1, 2, 300};
    cr__cases *cases = random_cases(states, 6, 40, 12);
    const cr__climb_plan plan = {0};
    cr__climb_report report;
    cr__arcs *arcs;

    (void)state;
    assert_int_equal(cr__cases_index(cases, NULL), CR_OK);
    arcs = climb(cases, "loglik", 1, &plan, &report);
    assert_true(is_acyclic(arcs));
    assert_true(isfinite(report.score));
    cr__arcs_free(arcs);
    cr__cases_free(cases);
}

/* --- other methods ---------------------------------------------------------------------------- */

/* K2 on the paper's cases in the order x1, x2, x3 finds x1 -> x2 -> x3. */
static void k2_finds_the_chain_of_the_paper(void **state)
{
    static const uint32_t order[] = {0, 1, 2};
    const cr__climb_plan plan = {.max_parents = 2};
    cr__cases *cases = cooper();
    cr__families *families = families_of(cases, "k2", 1);
    cr__arcs *arcs;

    (void)state;
    assert_int_equal(cr__arcs_new(&arcs, 3, NULL), CR_OK);
    assert_int_equal(cr__k2(arcs, families, order, &plan, NULL), CR_OK);
    assert_int_equal(cr__arcs_count(arcs), 2);
    assert_true(cr__arcs_has(arcs, 0, 1) && cr__arcs_has(arcs, 1, 2));
    /* P(structure, data) without the prior of the structure: 2.23e-9 in the paper */
    assert_true(fabs(exp(score_of(families, arcs)) - 2.23e-9) < 5e-12);
    cr__arcs_free(arcs);
    cr__families_free(families);
    cr__cases_free(cases);
}

/* The lines of the tree with a Prüfer sequence over five nodes. */
static void make_tree(cr__arcs *lines, const uint32_t *prufer)
{
    uint32_t degree[5] = {1, 1, 1, 1, 1}, last = 5;
    int used[5] = {0};

    memset(lines->into, 0, 5 * lines->words * sizeof *lines->into);
    for (int i = 0; i < 3; i++)
        degree[prufer[i]]++;
    for (int i = 0; i < 3; i++) {
        uint32_t leaf = 0;

        while (degree[leaf] != 1 || used[leaf])
            leaf++;
        cr__arcs_put(lines, leaf, prufer[i]);
        used[leaf] = 1;
        degree[prufer[i]]--;
    }
    for (uint32_t i = 0; i < 5; i++)
        if (!used[i]) {
            if (last < 5)
                cr__arcs_put(lines, last, i);
            last = i;
        }
}

/* The same tree with its arcs pointing away from node 0. */
static void point_away(cr__arcs *tree, const cr__arcs *lines)
{
    uint32_t stack[5] = {0}, n = 1;
    int seen[5] = {1};

    memset(tree->into, 0, 5 * tree->words * sizeof *tree->into);
    while (n > 0) {
        const uint32_t x = stack[--n];

        for (uint32_t y = 0; y < 5; y++)
            if (!seen[y] && cr__arcs_near(lines, x, y)) {
                cr__arcs_put(tree, x, y);
                seen[y] = 1;
                stack[n++] = y;
            }
    }
}

/* All 125 trees over five nodes: none is more probable. */
static void chow_liu_is_the_best_tree(void **state)
{
    static const uint32_t states[] = {2, 3, 2, 4, 2};
    cr__arcs *arcs, *lines;

    (void)state;
    assert_int_equal(cr__arcs_new(&lines, 5, NULL), CR_OK);
    for (uint64_t seed = 0; seed < 5; seed++) {
        cr__cases *cases = random_cases(states, 5, 200, seed + 50);
        cr__families *families;
        double best;

        assert_int_equal(cr__cases_index(cases, NULL), CR_OK);
        families = families_of(cases, "loglik", 1);
        assert_int_equal(cr__arcs_new(&arcs, 5, NULL), CR_OK);
        assert_int_equal(cr__chow_liu(arcs, cases, 2, 1, NULL, NULL), CR_OK);
        assert_int_equal(cr__arcs_count(arcs), 4);
        best = score_of(families, arcs);
        for (uint32_t code = 0; code < 125; code++) {
            const uint32_t prufer[3] = {code % 5, code / 5 % 5, code / 25};

            make_tree(lines, prufer);
            point_away(arcs, lines);
            assert_int_equal(cr__arcs_count(arcs), 4);
            assert_true(score_of(families, arcs) <= best + 1e-9);
        }
        cr__arcs_free(arcs);
        cr__families_free(families);
        cr__cases_free(cases);
    }
    cr__arcs_free(lines);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(population_counts_with_and_without_vectors_agree),
        cmocka_unit_test(families_are_counted_as_one_would_by_hand),
        cmocka_unit_test(weighted_rows_and_wide_columns_are_counted),
        cmocka_unit_test(k2_has_the_values_of_the_paper),
        cmocka_unit_test(other_scores_by_hand),
        cmocka_unit_test(scores_are_read),
        cmocka_unit_test(equivalent_networks_score_alike),
        cmocka_unit_test(families_around_one_are_those_counted_one_by_one),
        cmocka_unit_test(hill_climbing_ends_where_no_step_is_better),
        cmocka_unit_test(tabu_search_and_restarts_are_never_worse),
        cmocka_unit_test(any_number_of_threads_finds_the_same_arcs),
        cmocka_unit_test(lists_of_arcs_are_kept),
        cmocka_unit_test(bad_lists_of_arcs_are_refused),
        cmocka_unit_test(odd_columns_do_not_disturb),
        cmocka_unit_test(k2_finds_the_chain_of_the_paper),
        cmocka_unit_test(chow_liu_is_the_best_tree),
    };

    return cmocka_run_group_tests_name("structure", tests, NULL, NULL);
}
