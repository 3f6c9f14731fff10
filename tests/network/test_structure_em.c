/* tests/network/test_structure_em.c - tables from counts, EM and gradient ascent. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#include "base/memory.h"
#include "base/random.h"
#include "network/infer/infer.h"
#include "network/infer/forward.h"
#include "network/learn/parameters.h"

static cr__random rng;

/* A network with random tables; parent[i] is a bit set of earlier nodes. */
static cr__network *make_network(const uint32_t *states, const uint32_t *parent, uint32_t nodes)
{
    cr__builder *s;
    cr__network *net;

    assert_int_equal(cr__builder_new(&s, NULL), CR_OK);
    for (uint32_t i = 0; i < nodes; i++) {
        char name[16];
        uint32_t same;

        snprintf(name, sizeof name, "n%u", i);
        assert_int_equal(cr__builder_add(s, name, strlen(name), &same, NULL), CR_OK);
        for (uint32_t k = 0; k < states[i]; k++) {
            snprintf(name, sizeof name, "s%u", k);
            assert_int_equal(cr__builder_add_state(s, i, name, strlen(name), NULL), CR_OK);
        }
    }
    for (uint32_t i = 0; i < nodes; i++) {
        uint32_t list[32];
        size_t n = 0;
        double *table;

        for (uint32_t p = 0; p < i; p++)
            if (parent[i] >> p & 1)
                list[n++] = p;
        assert_int_equal(cr__builder_set_parents(s, i, list, n, NULL), CR_OK);
        assert_int_equal(cr__builder_table(s, i, &table, NULL), CR_OK);
        for (size_t r = 0; r < s->node[i].cells; r += states[i]) {
            double sum = 0;

            for (uint32_t k = 0; k < states[i]; k++)
                sum += table[r + k] = .05 + cr__random_uniform(&rng);
            for (uint32_t k = 0; k < states[i]; k++)
                table[r + k] /= sum;
        }
    }
    assert_int_equal(cr__builder_finish(s, &net, NULL), CR_OK);
    cr__builder_free(s);
    return net;
}

/* Rows as cells, in no order: code 0 is missing. */
typedef struct rows {
    cr__cells cells;
    uint32_t variable[32];
    cr__records records;
} rows;

static rows *make_rows(const cr__network *net, size_t count)
{
    rows *r = calloc(1, sizeof *r);

    assert_non_null(r);
    assert_int_equal(cr__packing_make(&r->cells.packing, net->states, net->nodes), CR_OK);
    r->cells.count = count;
    r->cells.key = cr__alloc_zero(count * r->cells.packing.words, sizeof(uint64_t));
    r->cells.whole = cr__alloc_zero(count, sizeof(int64_t));
    assert_true(r->cells.key != NULL && r->cells.whole != NULL);
    for (uint32_t i = 0; i < net->nodes; i++)
        r->variable[i] = i;
    r->records = (cr__records){&r->cells, r->variable};
    return r;
}

static void put(rows *r, size_t row, uint32_t variable, uint32_t code)
{
    cr__packing_put(&r->cells.packing, r->cells.key + row * r->cells.packing.words, variable, code);
}

static void free_rows(rows *r)
{
    cr__packing_free(&r->cells.packing);
    cr__free(r->cells.key);
    cr__free(r->cells.whole);
    free(r);
}

/* Rows drawn from a network, each value missing so often out of ten times. */
static rows *draw_rows(const cr__network *net, size_t count, uint32_t missing)
{
    rows *r = make_rows(net, count);
    uint32_t state[32];

    for (size_t i = 0; i < count; i++) {
        cr__network_draw(net, &rng, state);
        r->cells.whole[i] = 1 + (int64_t)cr__random_below(&rng, 3);
        for (uint32_t v = 0; v < net->nodes; v++)
            put(r, i, v, cr__random_below(&rng, 10) < missing ? 0 : state[v] + 1);
    }
    return r;
}

/* Σ n ln P(row) by going through all states of all nodes. */
static double log_likelihood_by_force(const cr__network *net, const rows *r)
{
    double total = 0;

    for (size_t i = 0; i < r->cells.count; i++) {
        const uint64_t *key = r->cells.key + i * r->cells.packing.words;
        uint32_t state[32] = {0};
        double sum = 0;

        for (;;) {
            uint32_t v = 0;
            int agrees = 1;

            for (uint32_t k = 0; k < net->nodes; k++) {
                const uint32_t code =
                    r->variable[k] == UINT32_MAX ? 0 : cr__packing_get(&r->cells.packing, key, k);

                agrees &= code == 0 || code - 1 == state[k];
            }
            sum += agrees ? exp(cr__log_joint(net, NULL, state)) : 0;
            while (v < net->nodes && ++state[v] == net->states[v])
                state[v++] = 0;
            if (v == net->nodes)
                break;
        }
        total += (double)r->cells.whole[i] * log(sum);
    }
    return total;
}

enum { SIX = 6 };
static const uint32_t six_states[SIX] = {2, 3, 2, 2, 3, 2};
static const uint32_t six_parents[SIX] = {0, 1, 3, 4, 6, 16};

static void priors_are_read(void **state)
{
    cr__prior prior;

    (void)state;
    assert_int_equal(cr__prior_read(&prior, "dirichlet:0.5", NULL), CR_OK);
    assert_true(prior.kind == CR__PRIOR_DIRICHLET && prior.size == .5);
    assert_int_equal(cr__prior_read(&prior, "mle", NULL), CR_OK);
    assert_int_equal(cr__prior_read(&prior, "bdeu", NULL), CR_OK);
    assert_true(prior.kind == CR__PRIOR_BDEU && prior.size == 1);
    assert_int_equal(cr__prior_read(&prior, "mle:1", NULL), CR_EARG);
    assert_int_equal(cr__prior_read(&prior, "bdeu:-1", NULL), CR_EARG);
    assert_int_equal(cr__prior_read(&prior, "laplace", NULL), CR_EARG);
}

/* Two nodes by hand: a has 3, 1; b given a=0 has 2, 1; given a=1 has 0, 1. */
static void tables_are_shares_of_counts(void **state)
{
    static const uint32_t states[] = {2, 2}, parent[] = {0, 1};
    static const uint32_t code[4][2] = {{1, 1}, {1, 1}, {1, 2}, {2, 2}};
    static const double mle[] = {.75, .25, 2 / 3.0, 1 / 3.0, 0, 1};
    static const double one[] = {4 / 6.0, 2 / 6.0, 3 / 5.0, 2 / 5.0, 1 / 3.0, 2 / 3.0};
    static const double bdeu[] = {3.5 / 5, 1.5 / 5, 2.25 / 3.5, 1.25 / 3.5, .25 / 1.5, 1.25 / 1.5};
    const cr__prior priors[] = {{CR__PRIOR_NONE, 1}, {CR__PRIOR_DIRICHLET, 1}, {CR__PRIOR_BDEU, 1}};
    const double *const want[] = {mle, one, bdeu};
    cr__network *net = make_network(states, parent, 2);
    rows *r = make_rows(net, 4);
    double counts[6];

    (void)state;
    for (size_t i = 0; i < 4; i++) {
        r->cells.whole[i] = 1;
        for (uint32_t v = 0; v < 2; v++)
            put(r, i, v, code[i][v]);
    }
    assert_int_equal(cr__count_tables(counts, net, &r->records, NULL), CR_OK);
    for (int k = 0; k < 3; k++) {
        cr__set_tables(net, counts, &priors[k]);
        for (size_t i = 0; i < 6; i++)
            assert_true(fabs(net->table[i] - want[k][i]) < 1e-15);
    }
    free_rows(r);
    cr__network_free(net);
}

/* The candies of S. Russell and P. Norvig, "Artificial Intelligence: A Modern Approach", section
 * 20.3.2 (3rd edition): bags are hidden; after one round the parameters are those of the book, and
 * the likelihood goes from about -2044 to -2021. */
static void em_has_the_values_of_the_candy_bags(void **state)
{
    static const uint32_t states[] = {2, 2, 2, 2}, parent[] = {0, 1, 1, 1};
    static const int64_t count[8] = {273, 93, 104, 90, 79, 100, 94, 167};
    static const double begin[] = {.6, .4, .6, .4, .4, .6, .6, .4, .4, .6, .6, .4, .4, .6};
    static const double after[] = {.6124, .6684, .3887, .6483, .3817, .6558, .3827};
    static const size_t at[] = {0, 2, 4, 6, 8, 10, 12};
    cr__em_plan plan = {.prior = {CR__PRIOR_NONE, 1}, .rounds = 1, .warm = 1, .threads = 1};
    cr__network *net = make_network(states, parent, 4);
    rows *r = make_rows(net, 8);
    double trace[12];
    cr__em_report report = {.trace = trace};

    (void)state;
    r->variable[0] = UINT32_MAX;
    for (uint32_t i = 0; i < 8; i++) { /* flavour, wrapper, hole */
        r->cells.whole[i] = count[i];
        put(r, i, 1, 1 + (i >> 2 & 1));
        put(r, i, 2, 1 + (i >> 1 & 1));
        put(r, i, 3, 1 + (i & 1));
    }
    memcpy(net->table, begin, sizeof begin);
    assert_int_equal(cr__em(net, &r->records, &plan, &report, NULL), CR_OK);
    for (int k = 0; k < 7; k++)
        assert_true(fabs(net->table[at[k]] - after[k]) < 5.1e-5);
    assert_true(fabs(trace[0] + 2044) < .5 && fabs(trace[1] + 2021) < .5);
    memcpy(net->table, begin, sizeof begin);
    plan.rounds = 10; /* the book: about -1982 after the tenth, better than the truth */
    assert_int_equal(cr__em(net, &r->records, &plan, &report, NULL), CR_OK);
    assert_true(report.log_likelihood > -1983 && report.log_likelihood < -1981);
    free_rows(r);
    cr__network_free(net);
}

static void without_gaps_em_is_counting(void **state)
{
    const cr__em_plan plan = {.prior = {CR__PRIOR_DIRICHLET, .5}, .rounds = 50, .threads = 1};
    cr__network *net, *other;
    cr__em_report report = {0};
    double *counts;
    rows *r;

    (void)state;
    cr__random_seed(&rng, 1);
    net = make_network(six_states, six_parents, SIX);
    other = make_network(six_states, six_parents, SIX);
    r = draw_rows(net, 300, 0);
    assert_false(cr__records_have_gaps(net, &r->records));
    assert_int_equal(cr__em(net, &r->records, &plan, &report, NULL), CR_OK);
    counts = malloc(other->table_at[SIX] * sizeof *counts);
    assert_non_null(counts);
    assert_int_equal(cr__count_tables(counts, other, &r->records, NULL), CR_OK);
    cr__set_tables(other, counts, &plan.prior);
    for (size_t i = 0; i < other->table_at[SIX]; i++)
        assert_true(net->table[i] == other->table[i]);
    assert_true(fabs(report.log_likelihood - log_likelihood_by_force(net, r)) < 1e-8);
    free(counts);
    free_rows(r);
    cr__network_free(net);
    cr__network_free(other);
}

static void em_and_gradient_ascent_never_fall(void **state)
{
    static const cr__prior priors[] = {
        {CR__PRIOR_NONE, 1}, {CR__PRIOR_BDEU, 4}, {CR__PRIOR_DIRICHLET, 1}};

    (void)state;
    for (uint64_t seed = 0; seed < 8; seed++)
        for (int gradient = 0; gradient < 2; gradient++) {
            double trace[101];
            cr__em_report report = {.trace = trace};
            const cr__em_plan plan = {.prior = priors[seed % 3],
                                      .rounds = gradient ? 40 : 100,
                                      .gradient = gradient,
                                      .seed = seed,
                                      .threads = 1};
            cr__network *net;
            rows *r;

            cr__random_seed(&rng, seed);
            net = make_network(six_states, six_parents, SIX);
            r = draw_rows(net, 120, 3);
            if (seed % 2 == 1)
                r->variable[2] = UINT32_MAX; /* hidden altogether */
            assert_true(cr__records_have_gaps(net, &r->records));
            assert_int_equal(cr__em(net, &r->records, &plan, &report, NULL), CR_OK);
            assert_true(report.rounds > 2);
            for (uint32_t k = 0; k < report.rounds; k++)
                assert_true(trace[k + 1] >= trace[k] - 1e-9 * fabs(trace[k]));
            assert_true(trace[report.rounds] > trace[0]);
            assert_true(fabs(report.log_likelihood - log_likelihood_by_force(net, r)) < 1e-7);
            free_rows(r);
            cr__network_free(net);
        }
}

/* Both climb the same hill: with a good start they meet at its top. */
static void gradient_ascent_meets_em(void **state)
{
    double top[2];

    (void)state;
    for (int gradient = 0; gradient < 2; gradient++) {
        cr__em_report report = {0};
        const cr__em_plan plan = {
            .prior = {CR__PRIOR_DIRICHLET, 1}, .rounds = 3000, .gradient = gradient, .threads = 1};
        cr__network *net;
        rows *r;

        cr__random_seed(&rng, 4);
        net = make_network(six_states, six_parents, SIX);
        r = draw_rows(net, 400, 1);
        assert_int_equal(cr__em(net, &r->records, &plan, &report, NULL), CR_OK);
        top[gradient] = report.objective;
        free_rows(r);
        cr__network_free(net);
    }
    assert_true(fabs(top[0] - top[1]) < 1e-4 * fabs(top[0]));
}

/* Rows that lack all of 14 nodes have too many combinations to be gone through here. */
static void large_gaps_are_asked_for(void **state)
{
    uint32_t states[14], parent[14];
    const cr__em_plan plan = {.prior = {CR__PRIOR_DIRICHLET, 1}, .rounds = 3, .threads = 2};
    double trace[4];
    cr__em_report report = {.trace = trace};
    cr__network *net;
    rows *r;

    (void)state;
    for (uint32_t i = 0; i < 14; i++) {
        states[i] = 2;
        parent[i] = i == 0 ? 0 : i == 5 ? 0x11 : 1u << (i - 1);
    }
    cr__random_seed(&rng, 9);
    net = make_network(states, parent, 14);
    r = draw_rows(net, 6, 9);
    memset(r->cells.key, 0, r->cells.packing.words * sizeof(uint64_t)); /* one row lacks all */
    assert_int_equal(cr__em(net, &r->records, &plan, &report, NULL), CR_OK);
    assert_true(trace[3] >= trace[0]);
    assert_true(fabs(report.log_likelihood - log_likelihood_by_force(net, r)) < 1e-8);
    free_rows(r);
    cr__network_free(net);
}

static void any_number_of_threads_gives_the_same_tables(void **state)
{
    double first[64];

    (void)state;
    for (int threads = 1; threads <= 4; threads++) {
        const cr__em_plan plan = {.rounds = 5, .threads = threads, .seed = 3};
        cr__em_report report = {0};
        cr__network *net;
        rows *r;

        cr__random_seed(&rng, 2);
        net = make_network(six_states, six_parents, SIX);
        r = draw_rows(net, 200, 4);
        assert_true(net->table_at[SIX] <= 64);
        assert_int_equal(cr__em(net, &r->records, &plan, &report, NULL), CR_OK);
        if (threads == 1)
            memcpy(first, net->table, net->table_at[SIX] * sizeof *first);
        assert_memory_equal(first, net->table, net->table_at[SIX] * sizeof *first);
        free_rows(r);
        cr__network_free(net);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(priors_are_read),
        cmocka_unit_test(tables_are_shares_of_counts),
        cmocka_unit_test(em_has_the_values_of_the_candy_bags),
        cmocka_unit_test(without_gaps_em_is_counting),
        cmocka_unit_test(em_and_gradient_ascent_never_fall),
        cmocka_unit_test(gradient_ascent_meets_em),
        cmocka_unit_test(large_gaps_are_asked_for),
        cmocka_unit_test(any_number_of_threads_gives_the_same_tables),
    };

    return cmocka_run_group_tests_name("structure_em", tests, NULL, NULL);
}
