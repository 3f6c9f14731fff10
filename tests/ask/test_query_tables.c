/* tests/ask/test_query_tables.c - tables, beliefs, states, interventions, separation and
 * information, each against sums over all combinations of a network's states. */
#include "ask/asking.h"

#include "network/graph/separation.h"
#include "network/nets.h"

enum { NODES = 7, CELLS_MOST = 16384 };

/* All combinations with their probabilities. */
typedef struct world {
    cr_model *model;
    cr__network *net;
    double p[CELLS_MOST];
    size_t cells;
} world;

static uint32_t state_in(const world *w, size_t cell, uint32_t node)
{
    for (uint32_t i = 0; i < node; i++)
        cell /= w->net->states[i];
    return (uint32_t)(cell % w->net->states[node]);
}

static void fill_world(void *context, const uint32_t *state, double p)
{
    world *w = context;
    size_t cell = 0;

    for (uint32_t i = w->net->nodes; i-- > 0;)
        cell = cell * w->net->states[i] + state[i];
    w->p[cell] = p;
}

/* A random network as a model, by way of its file, and all its worlds. */
static void begin_world(world *w, uint64_t seed)
{
    uint32_t none[NODES];
    cr__random rng;
    cr_error err = {0};

    memset(w, 0, sizeof *w);
    cr__random_seed(&rng, seed);
    w->net = net_at_random(&rng, NODES);
    assert_int_equal(cr__network_write(w->net, CR__NETWORK_BIF, "random.bif", &err), CR_OK);
    assert_int_equal(cr_network_read(&w->model, "random.bif", NULL, &err), CR_OK);
    w->cells = 1;
    for (uint32_t i = 0; i < NODES; i++) {
        none[i] = UINT32_MAX;
        w->cells *= w->net->states[i];
    }
    net_enumerate(w->net, &(cr__evidence){.state = none}, fill_world, w);
}

static void end_world(world *w)
{
    cr_model_free(w->model);
    cr__network_free(w->net);
}

/* P(all the nodes in their states); UINT32_MAX: in any. */
static double mass(const world *w, const uint32_t *state)
{
    double sum = 0;

    for (size_t cell = 0; cell < w->cells; cell++) {
        int agrees = 1;

        for (uint32_t i = 0; i < NODES && agrees; i++)
            agrees = state[i] == UINT32_MAX || state[i] == state_in(w, cell, i);
        sum += agrees ? w->p[cell] : 0;
    }
    return sum;
}

/* Some evidence on node 6, which random networks make possible. */
static double choose_evidence(const world *w, uint32_t *state)
{
    double best = 0;
    uint32_t choice = 0;

    for (uint32_t i = 0; i < NODES; i++)
        state[i] = UINT32_MAX;
    for (uint32_t k = 0; k < w->net->states[6]; k++) {
        double p;

        state[6] = k;
        if ((p = mass(w, state)) > best) {
            best = p;
            choice = k;
        }
    }
    state[6] = choice;
    return best;
}

static void joint_tables_equal_sums_over_all_worlds(void **unused)
{
    (void)unused;
    for (uint64_t seed = 1; seed <= 40; seed++) {
        uint32_t state[NODES];
        world w;
        char query[80];
        double evidence;
        cr_answer *a;

        begin_world(&w, seed);
        evidence = choose_evidence(&w, state);
        snprintf(query, sizeof query, "P(x3, x1 | x6=s%u)", state[6]);
        a = ask(w.model, query);
        assert_int_equal(a->kind, CR_QUERY_TABLE);
        assert_int_equal(a->variables, 2);
        assert_string_equal(a->about[0].name, "x3");
        assert_int_equal(a->values, w.net->states[3] * w.net->states[1]);
        assert_near("ln P(e)", a->log_condition, log(evidence), 1e-12);
        for (size_t cell = 0; cell < a->values; cell++) {
            state[3] = (uint32_t)(cell / w.net->states[1]);
            state[1] = (uint32_t)(cell % w.net->states[1]);
            assert_near(query, a->p[cell], mass(&w, state) / evidence, 1e-12);
        }
        cr_answer_free(a);
        end_world(&w);
    }
}

/* P(x3 | x1, e): a row for each state of x1, undefined where that is impossible. And P(x3=s0 | x1).
 */
static void conditional_tables_have_a_distribution_for_each_value(void **unused)
{
    (void)unused;
    for (uint64_t seed = 1; seed <= 40; seed++) {
        uint32_t state[NODES];
        world w;
        char query[80];
        cr_answer *a, *b;

        begin_world(&w, seed);
        choose_evidence(&w, state);
        snprintf(query, sizeof query, "P(x3 | x1, x6=s%u)", state[6]);
        a = ask(w.model, query);
        snprintf(query, sizeof query, "P(x3=s0 | x6=s%u, x1)", state[6]);
        b = ask(w.model, query);
        assert_int_equal(b->values, w.net->states[1]);
        assert_true(a->about[0].given && !a->about[1].given && b->about[0].given);
        for (size_t cell = 0; cell < a->values; cell++) {
            double row, want;

            state[3] = UINT32_MAX;
            state[1] = (uint32_t)(cell / w.net->states[3]);
            row = mass(&w, state);
            state[3] = (uint32_t)(cell % w.net->states[3]);
            want = mass(&w, state) / row;
            if (row > 0)
                assert_near(query, a->p[cell], want, 1e-12);
            else
                assert_true(isnan(a->p[cell]));
            if (row > 0 && state[3] == 0)
                assert_near(query, b->p[state[1]], want, 1e-12);
        }
        cr_answer_free(a);
        cr_answer_free(b);
        end_world(&w);
    }
}

static void beliefs_are_all_marginals(void **unused)
{
    (void)unused;
    for (uint64_t seed = 1; seed <= 40; seed++) {
        uint32_t state[NODES];
        world w;
        char query[80];
        double evidence;
        cr_answer *a, *b;

        begin_world(&w, seed);
        evidence = choose_evidence(&w, state);
        snprintf(query, sizeof query, "P(* | x6=s%u)", state[6]);
        a = ask(w.model, query);
        snprintf(query, sizeof query, "P(* | x6=s%u or x6=s%u)", state[6], state[6]);
        b = ask(w.model, query); /* no facts joined by and: one by one */
        assert_int_equal(a->kind, CR_QUERY_BELIEFS);
        assert_int_equal(a->variables, NODES);
        assert_int_equal(b->variables, NODES);
        assert_near("ln P(e)", a->log_condition, log(evidence), 1e-12);
        assert_true(a->about[6].given && a->about[6].state == state[6]);
        for (uint32_t i = 0; i < 6; i++)
            for (uint32_t k = 0; k < w.net->states[i]; k++) {
                state[i] = k;
                assert_near(query, a->about[i].p[k], mass(&w, state) / evidence, 1e-12);
                assert_near(query, b->about[i].p[k], mass(&w, state) / evidence, 1e-12);
                state[i] = UINT32_MAX;
            }
        cr_answer_free(a);
        cr_answer_free(b);
        end_world(&w);
    }
}

/* argmax(x0, x2, x4 | e): all others summed out before maximising. */
static void marginal_map_is_the_largest_of_the_sums(void **unused)
{
    (void)unused;
    for (uint64_t seed = 1; seed <= 60; seed++) {
        uint32_t state[NODES];
        world w;
        char query[80];
        double evidence, best = 0;
        cr_answer *a, *b;

        begin_world(&w, seed);
        evidence = choose_evidence(&w, state);
        snprintf(query, sizeof query, "argmax(x4, x0, x2 | x6=s%u)", state[6]);
        a = ask(w.model, query);
        snprintf(query, sizeof query, "argmax(x4, x0, x2 | x6=s%u or x6=s%u)", state[6], state[6]);
        b = ask(w.model, query); /* by the joint table */
        for (state[0] = 0; state[0] < w.net->states[0]; state[0]++)
            for (state[2] = 0; state[2] < w.net->states[2]; state[2]++)
                for (state[4] = 0; state[4] < w.net->states[4]; state[4]++)
                    best = fmax(best, mass(&w, state) / evidence);
        assert_int_equal(a->kind, CR_QUERY_STATES);
        assert_near("by elimination", a->probability, best, 1e-12);
        assert_near(query, b->probability, best, 1e-12);
        state[4] = (uint32_t)a->about[0].state;
        state[0] = (uint32_t)a->about[1].state;
        state[2] = (uint32_t)a->about[2].state;
        assert_near("the states have it", mass(&w, state) / evidence, best, 1e-12);
        cr_answer_free(a);
        cr_answer_free(b);
        end_world(&w);
    }
}

static void the_best_of_all_is_the_largest_world(void **unused)
{
    (void)unused;
    for (uint64_t seed = 1; seed <= 40; seed++) {
        double best = 0;
        world w;
        cr_answer *a;

        begin_world(&w, seed);
        for (size_t cell = 0; cell < w.cells; cell++)
            best = fmax(best, w.p[cell]);
        a = ask(w.model, "argmax(*)");
        assert_int_equal(a->variables, NODES);
        assert_near("argmax(*)", a->probability, best, 1e-12);
        cr_answer_free(a);
        end_world(&w);
    }
}

/* P(x | do(x3 = v)): every world where x3 is v, its probability without the factor of x3. */
static void interventions_drop_the_factor_of_what_is_set(void **unused)
{
    (void)unused;
    for (uint64_t seed = 1; seed <= 40; seed++) {
        cr_answer *a;
        world w;

        begin_world(&w, seed);
        a = ask(w.model, "P(* | do(x3=s0))");
        for (uint32_t i = 0; i < NODES; i++)
            for (uint32_t k = 0; k < w.net->states[i]; k++) {
                double sum = 0;

                for (size_t cell = 0; cell < w.cells; cell++) {
                    uint32_t state[NODES];
                    double p = 1;

                    for (uint32_t n = 0; n < NODES; n++)
                        state[n] = state_in(&w, cell, n);
                    for (uint32_t n = 0; n < NODES; n++)
                        p *= n == 3 ? state[3] == 0
                                    : w.net->table[cr__row_at(w.net, n, state) + state[n]];
                    sum += state[i] == k ? p : 0;
                }
                assert_near("do", a->about[i].p[k], sum, 1e-12);
            }
        assert_near("ln P", a->log_condition, 0, 1e-12);
        cr_answer_free(a);
        end_world(&w);
    }
}

static double bits_of(double p)
{
    return p > 0 ? -p * log2(p) : 0;
}

/* I(x2; x | e) = H(x2) + H(x) - H(x2, x). */
static void information_is_what_entropies_say(void **unused)
{
    (void)unused;
    for (uint64_t seed = 1; seed <= 30; seed++) {
        uint32_t state[NODES];
        world w;
        char query[80];
        double evidence;
        cr_answer *a;

        begin_world(&w, seed);
        evidence = choose_evidence(&w, state);
        snprintf(query, sizeof query, "inform(x2 | x6=s%u)", state[6]);
        a = ask(w.model, query);
        assert_int_equal(a->variables, NODES - (w.net->states[6] > 0 ? 2 : 1));
        for (size_t i = 0; i < a->variables; i++) {
            const uint32_t node = node_of(w.net, a->about[i].name);
            double want = 0;

            for (uint32_t k = 0; k < w.net->states[2]; k++) {
                state[2] = k;
                want += bits_of(mass(&w, state) / evidence);
                for (uint32_t m = 0; m < w.net->states[node]; m++) {
                    state[node] = m;
                    want -= bits_of(mass(&w, state) / evidence);
                    state[node] = UINT32_MAX;
                }
                state[2] = UINT32_MAX;
            }
            for (uint32_t m = 0; m < w.net->states[node]; m++) {
                state[node] = m;
                want += bits_of(mass(&w, state) / evidence);
                state[node] = UINT32_MAX;
            }
            assert_near(a->about[i].name, a->about[i].information, want, 1e-12);
            assert_true(i == 0 || a->about[i].information <= a->about[i - 1].information);
        }
        cr_answer_free(a);
        end_world(&w);
    }
}

/* Whether a moral graph of ancestors joins a and b without going through what is given: the
 * criterion of S. Lauritzen et al. (1990), which must agree. */
static int moral_separated(const cr__network *net, uint32_t a, uint32_t b, const int *given)
{
    int keep[NODES] = {0}, joined[NODES][NODES] = {{0}}, reached[NODES] = {0}, changed = 1;

    keep[a] = keep[b] = 1;
    for (uint32_t i = 0; i < NODES; i++)
        keep[i] |= given[i];
    for (uint32_t i = NODES; i-- > 0;)
        for (size_t k = net->parent_at[i]; keep[i] && k < net->parent_at[i + 1]; k++)
            keep[net->parent[k]] = 1; /* parents have smaller numbers here */
    for (uint32_t i = 0; i < NODES; i++)
        for (size_t k = net->parent_at[i]; keep[i] && k < net->parent_at[i + 1]; k++) {
            joined[i][net->parent[k]] = joined[net->parent[k]][i] = 1;
            for (size_t m = net->parent_at[i]; m < k; m++)
                joined[net->parent[m]][net->parent[k]] = joined[net->parent[k]][net->parent[m]] = 1;
        }
    for (reached[a] = 1; changed;) {
        changed = 0;
        for (uint32_t i = 0; i < NODES; i++)
            for (uint32_t m = 0; m < NODES; m++)
                if (reached[i] && joined[i][m] && !reached[m] && !given[m])
                    reached[m] = changed = 1;
    }
    return !reached[b];
}

static void separation_agrees_with_the_moral_graph_of_ancestors(void **unused)
{
    (void)unused;
    for (uint64_t seed = 1; seed <= 30; seed++) {
        world w;

        begin_world(&w, seed);
        for (uint32_t set = 0; set < 1u << NODES; set++) {
            uint32_t list[NODES], path[2 * NODES];
            int given[NODES] = {0}, separated;
            size_t n = 0, length;

            for (uint32_t i = 0; i < NODES; i++)
                if (set >> i & 1) {
                    given[i] = 1;
                    list[n++] = i;
                }
            for (uint32_t a = 0; a < NODES; a++)
                for (uint32_t b = 0; b < NODES; b++) {
                    if (a == b || given[a] || given[b])
                        continue;
                    assert_int_equal(cr__separated(w.net, (cr__node_set){&a, 1},
                                                   (cr__node_set){&b, 1}, (cr__node_set){list, n},
                                                   &separated, path, &length, NULL),
                                     CR_OK);
                    assert_int_equal(separated, moral_separated(w.net, a, b, given));
                    assert_true(separated ? length == 0 : path[0] == a && path[length - 1] == b);
                }
        }
        end_world(&w);
    }
}

/* Tables of models that are not networks: P(A, B | C) of the lecture's table, by hand. */
static void other_models_have_tables_too(void **unused)
{
    static const double joint[8] = {.30, .05, .10, .05, .05, .10, .25, .10};
    cr_model *model = abc_model();
    cr_answer *a = ask(model, "P(A, B | C)");

    (void)unused;
    assert_int_equal(a->values, 8);
    for (size_t c = 0; c < 2; c++)
        for (size_t ab = 0; ab < 4; ab++)
            assert_near("P(A, B | C)", a->p[c * 4 + ab], joint[ab * 2 + c] / (c == 0 ? .7 : .3),
                        1e-12);
    cr_answer_free(a);
    a = ask(model, "P(* | B=1)");
    assert_int_equal(a->variables, 3);
    assert_near("P(A=1 | B=1)", a->about[0].p[1], .7, 1e-12);
    assert_true(a->about[1].given == 0 || a->about[1].state == 1);
    cr_answer_free(a);
    a = ask(model, "argmax(A, B)");
    assert_near("argmax(A, B)", a->probability, .35, 1e-12); /* 00 .35, 01 .15, 10 .15, 11 .35 */
    assert_int_equal(a->about[0].state, 0);
    cr_answer_free(a);
    a = ask(model, "inform(A)");
    assert_string_equal(a->about[0].name, "B");
    assert_near("I(A; B)", a->about[0].information, 1 - (2 * bits_of(.35) + 2 * bits_of(.15) - 1),
                1e-12);
    cr_answer_free(a);
    assert_refused(model, "dsep(A, B)", CR_ECONFLICT, 0, "not a Bayesian network", "");
    assert_refused(model, "argmax(*)", CR_ECONFLICT, 0, "not a Bayesian network", "");
    assert_refused(model, "P(A | do(B=1))", CR_EARG, 10, "do() is for Bayesian networks", "");
    assert_refused(model, "P(A, A)", CR_EARG, 6, "queried twice", "");
    assert_refused(model, "P(A | A)", CR_EARG, 7, "and in the condition, too", "");
    assert_refused(model, "P(A, * | B=1)", CR_EARG, 3, "* alone", "");
    assert_refused(model, "argmax(A | B)", CR_EARG, 12, "'B' without a value", "B=VALUE");
    assert_refused(model, "dsep(A B)", CR_EARG, 8, "a comma is expected", "");
    assert_refused(model, "P(A | do(B))", CR_EARG, 11, "= is expected", "");
    assert_refused(model, "P(A | do(B=1) or C=1)", CR_EARG, 15, "a comma, | or )", "");
    assert_refused(model, "inform(A, B)", CR_EARG, 8, "the name of a variable", "");
    cr_model_free(model);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(joint_tables_equal_sums_over_all_worlds),
        cmocka_unit_test(conditional_tables_have_a_distribution_for_each_value),
        cmocka_unit_test(beliefs_are_all_marginals),
        cmocka_unit_test(marginal_map_is_the_largest_of_the_sums),
        cmocka_unit_test(the_best_of_all_is_the_largest_world),
        cmocka_unit_test(interventions_drop_the_factor_of_what_is_set),
        cmocka_unit_test(information_is_what_entropies_say),
        cmocka_unit_test(separation_agrees_with_the_moral_graph_of_ancestors),
        cmocka_unit_test(other_models_have_tables_too),
    };
    return cmocka_run_group_tests_name("tables", tests, NULL, NULL);
}
