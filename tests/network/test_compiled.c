/* Elimination that is planned once: the same answers as enumeration and as the junction tree,
 * whatever rows came before. */
#include "network/infer/compiled.h"

#include "network/nets.h"

enum { NO_LIMIT = 1 << 30 };

/* What a row knows: each node with probability 1 - gaps / 100. */
static void draw_evidence(const cr__network *net, uint32_t target, uint64_t gaps,
                          cr__random *random, uint32_t *state)
{
    for (uint32_t i = 0; i < net->nodes; i++)
        state[i] = i == target || cr__random_below(random, 100) < gaps
                       ? UINT32_MAX
                       : (uint32_t)cr__random_below(random, net->states[i]);
}

static void draw_row(const cr__network *net, cr__random *random, uint32_t *state)
{
    for (uint32_t k = 0; k < net->nodes; k++) {
        const uint32_t i = net->order[k];
        const double *row = net->table + cr__row_at(net, i, state);
        double left = cr__random_uniform(random);

        for (state[i] = 0; state[i] + 1 < net->states[i] && left >= row[state[i]]; state[i]++)
            left -= row[state[i]];
    }
}

static cr__compiled_work *begin(cr__compiled **plan, const cr__network *net, uint32_t target)
{
    cr__compiled_work *work;

    assert_int_equal(cr__compiled_new(plan, net, target, NO_LIMIT, NULL), CR_OK);
    assert_non_null(*plan);
    work = cr__compiled_begin(*plan);
    assert_non_null(work);
    return work;
}

static void end(cr__compiled *plan, cr__compiled_work *work)
{
    cr__compiled_end(work);
    cr__compiled_free(plan);
}

typedef struct sums {
    uint32_t target;
    double p[4];
} sums;

static void add(void *context, const uint32_t *state, double p)
{
    sums *s = context;

    s->p[s->target == CR__NO_NODE ? 0 : state[s->target]] += p;
}

static void answers_are_those_of_enumeration(void **unused)
{
    cr__random random;

    (void)unused;
    cr__random_seed(&random, 5);
    for (int i = 0; i < 60; i++) {
        cr__network *net = net_at_random(&random, 1 + (uint32_t)(i % 8));
        const uint32_t target =
            i % 5 == 0 ? CR__NO_NODE : (uint32_t)cr__random_below(&random, net->nodes);
        const uint32_t states = target == CR__NO_NODE ? 1 : net->states[target];
        uint32_t state[8];
        const cr__evidence given = {.state = state};
        cr__compiled *plan;
        cr__compiled_work *work = begin(&plan, net, target);

        for (int row = 0; row < 20; row++) {
            sums s = {.target = target};
            double score[4];

            draw_evidence(net, target, 50, &random, state);
            net_enumerate(net, &given, add, &s);
            cr__compiled_score(work, state, score);
            for (uint32_t c = 0; c < states; c++)
                assert_true(s.p[c] == 0 ? score[c] == -INFINITY
                                        : fabs(score[c] - log(s.p[c])) < 1e-12 * 40);
        }
        end(plan, work);
        cr__network_free(net);
    }
}

/* The junction tree multiplies in another order, so the last digits may differ. */
static void answers_on_alarm_are_those_of_the_junction_tree(void **unused)
{
    cr__network *net = net_of_data("alarm");
    const uint32_t target = node_of(net, "HYPOVOLEMIA");
    uint32_t state[37];
    cr__random random;
    cr__compiled *plan;
    cr__compiled_work *work = begin(&plan, net, target);
    cr__junction_tree *tree;

    (void)unused;
    cr__random_seed(&random, 7);
    assert_int_equal(cr__junction_tree_new(&tree, net, 0, NULL, NULL), CR_OK);
    for (int row = 0; row < 200; row++) {
        double score[2], p[2], log_evidence;

        draw_row(net, &random, state);
        for (uint32_t i = 0; i < net->nodes; i++)
            if (i == target || cr__random_below(&random, 100) < (uint64_t)(row % 4) * 30)
                state[i] = UINT32_MAX;
        for (uint32_t i = 0; i < net->nodes; i++)
            cr__junction_tree_observe(tree, i, state[i]);
        assert_int_equal(cr__junction_tree_evidence(tree, &log_evidence, NULL), CR_OK);
        assert_int_equal(cr__junction_tree_posterior(tree, target, p, NULL), CR_OK);
        cr__compiled_score(work, state, score);
        for (int c = 0; c < 2; c++)
            assert_true(fabs(score[c] - (log(p[c]) + log_evidence)) < 1e-10);
    }
    cr__junction_tree_free(tree);
    end(plan, work);
    cr__network_free(net);
}

/* To the last bit: alone, after other rows, and by another thread's work. */
static void a_row_gets_the_same_bytes_whatever_came_before(void **unused)
{
    cr__random random;

    (void)unused;
    cr__random_seed(&random, 11);
    for (int i = 0; i < 20; i++) {
        cr__network *net = net_at_random(&random, 12);
        const uint32_t target = (uint32_t)cr__random_below(&random, net->nodes);
        uint32_t state[30][12];
        double first[30][4], again[4];
        cr__compiled *plan;
        cr__compiled_work *work = begin(&plan, net, target);

        for (int row = 0; row < 30; row++) {
            draw_evidence(net, target, 60, &random, state[row]);
            cr__compiled_score(work, state[row], first[row]);
        }
        for (int row = 30; row-- > 0;) {
            cr__compiled_work *fresh = cr__compiled_begin(plan);

            cr__compiled_score(work, state[row], again);
            assert_memory_equal(again, first[row], net->states[target] * sizeof *again);
            cr__compiled_score(fresh, state[row], again);
            assert_memory_equal(again, first[row], net->states[target] * sizeof *again);
            cr__compiled_end(fresh);
        }
        end(plan, work);
        cr__network_free(net);
    }
}

/* A hidden cause of 2000 children: half of them speak for it, half against it, each 9 : 1. The two
 * sums are alike, P = 2 * 1/2 * (.9 * .1)^1000, far below the range of a double. */
static void products_of_thousands_stay_in_range(void **unused)
{
    enum { CHILDREN = 2000 };
    static const double cause[] = {.5, .5}, effect[] = {.9, .1, .1, .9};
    static uint32_t state[CHILDREN + 2];
    cr__builder *s;
    cr__network *net;
    cr__compiled *plan;
    cr__compiled_work *work;
    double *table, score[2];

    (void)unused;
    assert_int_equal(cr__builder_new(&s, NULL), CR_OK);
    for (uint32_t i = 0; i < CHILDREN + 2; i++) {
        const uint32_t parent = 0;
        uint32_t node;
        char name[16];

        snprintf(name, sizeof name, "x%u", i);
        assert_int_equal(cr__builder_add(s, name, strlen(name), &node, NULL), CR_OK);
        assert_int_equal(cr__builder_add_state(s, node, "a", 1, NULL), CR_OK);
        assert_int_equal(cr__builder_add_state(s, node, "b", 1, NULL), CR_OK);
        assert_int_equal(cr__builder_set_parents(s, node, &parent, i > 0, NULL), CR_OK);
        assert_int_equal(cr__builder_table(s, node, &table, NULL), CR_OK);
        memcpy(table, i > 0 ? effect : cause, (i > 0 ? 4 : 2) * sizeof *table);
        state[i] = i % 2;
    }
    assert_int_equal(cr__builder_finish(s, &net, NULL), CR_OK);
    state[0] = state[CHILDREN + 1] = UINT32_MAX;
    work = begin(&plan, net, CHILDREN + 1);
    cr__compiled_score(work, state, score);
    for (int c = 0; c < 2; c++)
        assert_true(fabs(score[c] - (log(.5) + 1000 * log(.9 * .1))) < 1e-9);
    end(plan, work);
    cr__network_free(net);
    cr__builder_free(s);
}

static void a_plan_that_would_be_too_large_is_not_made(void **unused)
{
    cr__network *net = net_of_text(burglary_text);
    cr__compiled *plan;

    (void)unused;
    assert_int_equal(cr__compiled_new(&plan, net, 0, 100, NULL), CR_OK);
    assert_null(plan);
    assert_int_equal(cr__compiled_new(&plan, net, 0, 10000, NULL), CR_OK);
    assert_non_null(plan);
    assert_true(cr__compiled_bytes(plan) <= 10000);
    cr__compiled_free(plan);
    cr__network_free(net);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(answers_are_those_of_enumeration),
        cmocka_unit_test(answers_on_alarm_are_those_of_the_junction_tree),
        cmocka_unit_test(a_row_gets_the_same_bytes_whatever_came_before),
        cmocka_unit_test(products_of_thousands_stay_in_range),
        cmocka_unit_test(a_plan_that_would_be_too_large_is_not_made),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
