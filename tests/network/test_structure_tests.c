/* tests/network/test_structure_tests.c - structures by tests of independence; classes of networks.
 */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#include "network/graph/cpdag.h"
#include "network/learn/independence.h"

static cr__arcs *arcs_new(uint32_t nodes)
{
    cr__arcs *arcs;

    assert_int_equal(cr__arcs_new(&arcs, nodes, NULL), CR_OK);
    return arcs;
}

static int same(const cr__arcs *a, const cr__arcs *b)
{
    return memcmp(a->into, b->into, a->nodes * a->words * sizeof *a->into) == 0;
}

/* --- tests ------------------------------------------------------------------------------------ */

/* Expected numbers from R 4.2: 2 * sum(o * log(o / e)) and pchisq(g, df, lower = FALSE). In the
 * first stratum of the second table one state of y never occurs, so it adds 1 degree, not 2. */
static void g_square_is_that_of_r(void **state)
{
    static const double one[] = {10, 20, 30, 40};
    static const double two[] = {10, 20, 0, 30, 40, 0, 5, 0, 7, 3, 9, 0};
    double work[3], freedom;

    (void)state;
    assert_true(fabs(cr__g_square(one, 1, 2, 2, work, &freedom) - 0.804348646096483) < 1e-12);
    assert_true(freedom == 1);
    assert_true(fabs(cr__g_square(two, 2, 2, 3, work, &freedom) -
                     (0.804348646096483 + 22.6860528563497)) < 1e-11);
    assert_true(freedom == 1 + 2);
}

static void subsets_come_once_each(void **state)
{
    uint32_t subset[4];
    int count = 1;

    (void)state;
    cr__subset_first(subset, 4);
    while (cr__subset_next(subset, 4, 9))
        count++;
    assert_int_equal(count, 126); /* 9 over 4 */
    assert_int_equal(subset[0], 5);
    cr__subset_first(subset, 0);
    assert_false(cr__subset_next(subset, 0, 5));
}

/* --- classes of networks ---------------------------------------------------------------------- */

enum { FOUR = 4, PAIRS = 6 };
static const uint32_t pair[PAIRS][2] = {{0, 1}, {0, 2}, {0, 3}, {1, 2}, {1, 3}, {2, 3}};

/* The code-th graph over four nodes, each pair apart or joined one way or the other; 0 when it
 * has a cycle. */
static int make_dag(cr__arcs *arcs, int code)
{
    uint32_t order[FOUR];

    memset(arcs->into, 0, FOUR * arcs->words * sizeof *arcs->into);
    for (int i = 0; i < PAIRS; i++, code /= 3)
        if (code % 3 == 1)
            cr__arcs_put(arcs, pair[i][0], pair[i][1]);
        else if (code % 3 == 2)
            cr__arcs_put(arcs, pair[i][1], pair[i][0]);
    return cr__arcs_order(arcs, order) == FOUR;
}

static int same_class(const cr__arcs *a, const cr__arcs *b)
{
    for (uint32_t x = 0; x < FOUR; x++)
        for (uint32_t y = 0; y < FOUR; y++) {
            if (x != y && cr__arcs_near(a, x, y) != cr__arcs_near(b, x, y))
                return 0;
            for (uint32_t z = 0; x < y && z < FOUR; z++)
                if (z != x && z != y && !cr__arcs_near(a, x, y) &&
                    (cr__arcs_has(a, x, z) && cr__arcs_has(a, y, z)) !=
                        (cr__arcs_has(b, x, z) && cr__arcs_has(b, y, z)))
                    return 0;
        }
    return 1;
}

/* All 543 networks over four nodes: the CPDAG is the union of the networks of the class (T. Verma
 * and J. Pearl: the same lines, the same colliders), and its extension is one of them. */
static void a_cpdag_is_the_union_of_its_class(void **state)
{
    cr__arcs *one = arcs_new(FOUR), *other = arcs_new(FOUR), *all = arcs_new(FOUR);
    int dags = 0, consistent;

    (void)state;
    for (int code = 0; code < 729; code++) {
        if (!make_dag(one, code))
            continue;
        dags++;
        memset(all->into, 0, FOUR * all->words * sizeof *all->into);
        for (int c = 0; c < 729; c++)
            if (make_dag(other, c) && same_class(one, other))
                for (size_t i = 0; i < FOUR * all->words; i++)
                    all->into[i] |= other->into[i];
        cr__arcs_copy(other, one);
        assert_int_equal(cr__cpdag(other, NULL), CR_OK);
        assert_true(same(other, all));
        assert_int_equal(cr__extend(other, &consistent, NULL), CR_OK);
        assert_true(consistent && same_class(one, other));
    }
    assert_int_equal(dags, 543); /* the number of labelled acyclic graphs, OEIS A003024 */
    cr__arcs_free(one);
    cr__arcs_free(other);
    cr__arcs_free(all);
}

static void a_graph_that_is_no_class_is_made_acyclic(void **state)
{
    cr__arcs *cycle = arcs_new(4);
    uint32_t order[4];
    int consistent;

    (void)state;
    for (uint32_t i = 0; i < 4; i++) { /* four lines around: any direction has a collider */
        cr__arcs_put(cycle, i, (i + 1) % 4);
        cr__arcs_put(cycle, (i + 1) % 4, i);
    }
    assert_int_equal(cr__extend(cycle, &consistent, NULL), CR_OK);
    assert_false(consistent);
    assert_int_equal(cr__arcs_order(cycle, order), 4);
    assert_int_equal(cr__arcs_count(cycle), 4);
    cr__arcs_free(cycle);
}

static void differences_are_counted_by_pair(void **state)
{
    cr__arcs *a = arcs_new(5), *b = arcs_new(5);
    cr__arcs_difference d;

    (void)state;
    cr__arcs_put(a, 0, 1);
    cr__arcs_put(b, 1, 0); /* turned */
    cr__arcs_put(a, 1, 2);
    cr__arcs_put(b, 1, 2);
    cr__arcs_put(b, 2, 1); /* an arc and a line */
    cr__arcs_put(a, 2, 3); /* missing */
    cr__arcs_put(b, 3, 4); /* extra */
    cr__arcs_put(a, 0, 4);
    cr__arcs_put(b, 0, 4);
    d = cr__arcs_compare(a, b);
    assert_true(d.turned == 2 && d.missing == 1 && d.extra == 1);
    cr__arcs_free(a);
    cr__arcs_free(b);
}

/* --- learning --------------------------------------------------------------------------------- */

enum { NODES = 7, ROWS = 20000 };

/* 0 -> 2 <- 1, 2 -> 3, 3 -> 4, 3 -> 5, 6 alone; all arcs strong, three states each. */
static cr__cases *known(cr__arcs *truth)
{
    static const uint32_t states[NODES] = {3, 3, 3, 3, 3, 3, 3};
    static const uint32_t arc[][2] = {{0, 2}, {1, 2}, {2, 3}, {3, 4}, {3, 5}};
    cr__cases *cases;
    cr__random rng;

    cr__random_seed(&rng, 11);
    for (size_t i = 0; i < 5; i++)
        cr__arcs_put(truth, arc[i][0], arc[i][1]);
    assert_int_equal(cr__cases_new(&cases, states, NODES, ROWS, NULL), CR_OK);
    for (size_t r = 0; r < ROWS; r++) {
        uint32_t v[NODES];

        for (int i = 0; i < NODES; i++)
            v[i] = (uint32_t)cr__random_below(&rng, 3);
        if (cr__random_below(&rng, 10) < 6)
            v[2] = v[0] > v[1] ? v[0] : v[1];
        for (int i = 3; i < 6; i++)
            if (cr__random_below(&rng, 10) < 6)
                v[i] = v[i == 3 ? 2 : 3];
        for (uint32_t i = 0; i < NODES; i++)
            cr__cases_put(cases, i, r, v[i]);
    }
    assert_int_equal(cr__cases_index(cases, NULL), CR_OK);
    return cases;
}

static void pc_finds_the_class_of_the_network_behind_the_rows(void **state)
{
    cr__arcs *truth = arcs_new(NODES), *first = NULL;
    cr__cases *cases = known(truth);
    size_t tests;

    (void)state;
    assert_int_equal(cr__cpdag(truth, NULL), CR_OK);
    for (int threads = 1; threads <= 3; threads++) {
        const cr__test_plan plan = {.alpha = .001, .threads = threads};
        cr__arcs *arcs = arcs_new(NODES);

        assert_int_equal(cr__pc(arcs, cases, &plan, &tests, NULL), CR_OK);
        assert_true(tests > 21);
        assert_true(same(arcs, truth));
        assert_true(first == NULL || same(arcs, first));
        cr__arcs_free(first);
        first = arcs;
    }
    cr__arcs_free(first);
    cr__arcs_free(truth);
    cr__cases_free(cases);
}

static void mmpc_finds_the_lines_of_the_network_behind_the_rows(void **state)
{
    cr__arcs *truth = arcs_new(NODES);
    cr__cases *cases = known(truth);

    (void)state;
    for (int threads = 1; threads <= 2; threads++) {
        const cr__test_plan plan = {.alpha = .001, .threads = threads};
        cr__arcs *lines = arcs_new(NODES);

        assert_int_equal(cr__mmpc(lines, cases, &plan, NULL, NULL), CR_OK);
        for (uint32_t x = 0; x < NODES; x++)
            for (uint32_t y = 0; y < NODES; y++)
                assert_int_equal(cr__arcs_has(lines, x, y), x != y && cr__arcs_near(truth, x, y));
        cr__arcs_free(lines);
    }
    cr__arcs_free(truth);
    cr__cases_free(cases);
}

static void pc_keeps_to_its_lists(void **state)
{
    cr__arcs *truth = arcs_new(NODES), *must = arcs_new(NODES), *never = arcs_new(NODES);
    cr__arcs *arcs = arcs_new(NODES);
    cr__cases *cases = known(truth);
    const cr__test_plan plan = {.alpha = .001, .must = must, .never = never, .threads = 1};

    (void)state;
    cr__arcs_put(must, 6, 0);
    cr__arcs_put(never, 3, 4); /* so 4 -> 3 */
    cr__arcs_put(never, 3, 5);
    cr__arcs_put(never, 5, 3); /* not joined */
    assert_int_equal(cr__pc(arcs, cases, &plan, NULL, NULL), CR_OK);
    assert_true(cr__arcs_has(arcs, 6, 0) && !cr__arcs_has(arcs, 0, 6));
    assert_true(cr__arcs_has(arcs, 4, 3) && !cr__arcs_has(arcs, 3, 4));
    assert_false(cr__arcs_near(arcs, 3, 5));
    cr__arcs_free(truth);
    cr__arcs_free(must);
    cr__arcs_free(never);
    cr__arcs_free(arcs);
    cr__cases_free(cases);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(g_square_is_that_of_r),
        cmocka_unit_test(subsets_come_once_each),
        cmocka_unit_test(a_cpdag_is_the_union_of_its_class),
        cmocka_unit_test(a_graph_that_is_no_class_is_made_acyclic),
        cmocka_unit_test(differences_are_counted_by_pair),
        cmocka_unit_test(pc_finds_the_class_of_the_network_behind_the_rows),
        cmocka_unit_test(mmpc_finds_the_lines_of_the_network_behind_the_rows),
        cmocka_unit_test(pc_keeps_to_its_lists),
    };

    return cmocka_run_group_tests_name("structure_tests", tests, NULL, NULL);
}
