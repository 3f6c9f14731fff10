/* tests/network/test_sampling_errors.c - errors of sampling that hold, on every network of the data
 * folder that exact inference can check.
 *
 * Evidence of 0, 4 and 8 findings is taken from a row drawn from the network. Each node that is not
 * observed is a query; it holds when all its states satisfy |p - exact| < 6 error + .001. At least
 * 99 of 100 must, for each network and method, or no error is stated. Few repetitions of few
 * samples here; CREDENCE_CAMPAIGN=N makes N repetitions with 100,000 samples (docs/networks.md has
 * them).
 */
#include "network/nets.h"

#include <time.h>

#include "network/infer/forward.h"
#include "network/infer/sample.h"

typedef cr_status (*sampler)(const cr__network *, const cr__evidence *, const cr__sample_count *,
                             uint64_t, uint64_t, cr_pool *, double *, double *, cr__sampled *,
                             cr_error *);

typedef struct tally {
    size_t queries, broken, silent, failed;
    double worst;
} tally;

static const char *const networks[] = {"asia",     "cancer", "earthquake", "survey", "sachs",
                                       "child",    "alarm",  "insurance",  "mildew", "hailfinder",
                                       "andes",    "pigs",   "munin1",     "munin4", "munin",
                                       "diabetes", "link"};

/* Exact posteriors, or NULL when they would take too much. */
static double *exact_of(const cr__network *net, const uint32_t *observed)
{
    cr__junction_tree *tree;
    double *p = malloc(net->label_at[net->nodes] * sizeof *p);
    cr_status st;

    assert_int_equal(cr__junction_tree_new(&tree, net, (uint64_t)1 << 30, NULL, NULL), CR_OK);
    for (uint32_t i = 0; i < net->nodes; i++)
        cr__junction_tree_observe(tree, i, observed[i]);
    st = cr__junction_tree_posteriors(tree, p, NULL);
    cr__junction_tree_free(tree);
    if (st == CR_OK)
        return p;
    free(p);
    return NULL;
}

static void judge(const cr__network *net, const uint32_t *observed, const double *truth,
                  const double *p, const double *error, tally *t)
{
    for (uint32_t i = 0; i < net->nodes; i++) {
        double worst = 0;
        int silent = 0;

        if (observed[i] != UINT32_MAX)
            continue;
        for (size_t k = net->label_at[i]; k < net->label_at[i + 1]; k++) {
            silent |= isnan(error[k]);
            worst = fmax(worst, fabs(p[k] - truth[k]) - 6 * error[k] - .001);
        }
        t->queries++;
        t->silent += (size_t)silent;
        t->broken += !silent && worst > 0;
        t->worst = silent ? t->worst : fmax(t->worst, worst);
    }
}

static void try_one(const cr__network *net, sampler sample, uint32_t findings, uint64_t samples,
                    uint64_t seed, tally *t)
{
    const size_t labels = net->label_at[net->nodes];
    const cr__sample_count survey = cr__sample_states(net);
    uint32_t *row = malloc(net->nodes * sizeof *row), *observed = malloc(net->nodes * sizeof *row);
    double *p = malloc(labels * sizeof *p), *error = malloc(labels * sizeof *p), *truth;
    const cr__evidence evidence = {.state = observed};
    cr__sampled about;
    cr__random random;

    cr__random_seed(&random, 1000 + seed);
    cr__network_draw(net, &random, row);
    for (uint32_t i = 0; i < net->nodes; i++)
        observed[i] = UINT32_MAX;
    for (uint32_t k = 0; k < findings && net->nodes > 2 * findings;) {
        const uint32_t node = (uint32_t)cr__random_below(&random, net->nodes);

        k += observed[node] == UINT32_MAX;
        observed[node] = row[node];
    }
    if ((truth = exact_of(net, observed)) != NULL) {
        if (sample(net, &evidence, &survey, samples, seed, NULL, p, error, &about, NULL) == CR_OK)
            judge(net, observed, truth, p, error, t);
        else
            t->failed++;
    }
    free(truth);
    free(row);
    free(observed);
    free(p);
    free(error);
}

static void campaign(const char *name, sampler sample)
{
    const char *full = getenv("CREDENCE_CAMPAIGN");
    const int repetitions = full == NULL ? 3 : atoi(full);
    const clock_t begun = clock();

    if (getenv("CREDENCE_DATA") == NULL)
        skip();
    for (size_t n = 0; n < sizeof networks / sizeof *networks; n++) {
        cr__network *net = net_of_data(networks[n]);
        const uint64_t samples = full != NULL ? 100000 : net->nodes > 100 ? 1000 : 10000;
        tally t = {0};

        for (int k = 0; k < repetitions * (full == NULL && net->nodes > 100 ? 1 : 3); k++)
            try_one(net, sample, 4 * (uint32_t)(k % 3), samples, (uint64_t)k, &t);
        print_message(
            "%s %s: %zu queries, %zu without an error, %zu broken, worst %.4f beyond, %zu "
            "runs refused\n",
            name, networks[n], t.queries, t.silent, t.broken, t.worst, t.failed);
        assert_true(100 * t.broken <= t.queries);
        cr__network_free(net);
    }
    print_message("%s: %.1f s\n", name, (double)(clock() - begun) / CLOCKS_PER_SEC);
}

/* The method for networks that are too large for a block: one state after another. */
static cr_status one_by_one(const cr__network *net, const cr__evidence *evidence,
                            const cr__sample_count *survey, uint64_t samples, uint64_t seed,
                            cr_pool *pool, double *p, double *error, cr__sampled *about,
                            cr_error *err)
{
    return cr__sample_gibbs_within(net, evidence, survey, samples, seed, 1, pool, p, error, about,
                                   err);
}

static void errors_of_single_moves_hold(void **state)
{
    (void)state;
    campaign("one by one", one_by_one);
}

/* Random networks without small numbers mix, so that there single moves must state an error, and a
 * small one: this is the test that they are drawn at all, and from the right distribution. */
static void single_moves_are_right_where_chains_mix(void **state)
{
    static const char text[] =
        "A: x y\nB: x y\nC: x y z\nD: x y\n"
        "A = .4\n"
        "B | A\n  x = .7\n  y = .2\n"
        "C | A B\n  x x = .2 .3\n  x y = .5 .2\n  y x = .3 .3\n  y y = .1 .6\n"
        "D | C\n  x = .6\n  y = .3\n  z = .8\n";
    cr__network *net = net_of_text(text);
    const cr__sample_count survey = cr__sample_states(net);
    uint32_t observed[4] = {UINT32_MAX, UINT32_MAX, UINT32_MAX, 0};
    const cr__evidence evidence = {.state = observed};
    double *truth = exact_of(net, observed), p[9], error[9], block[9], block_error[9];
    cr__sampled about;

    (void)state;
    assert_int_equal(one_by_one(net, &evidence, &survey, 200000, 7, NULL, p, error, &about, NULL),
                     CR_OK);
    assert_true(about.effective > 1000 && about.effective < 200000);
    assert_int_equal(cr__sample_gibbs(net, &evidence, &survey, 200000, 7, NULL, block, block_error,
                                      &about, NULL),
                     CR_OK);
    assert_memory_not_equal(p, block, sizeof p); /* the block was not used */
    for (size_t k = 0; k < net->label_at[3]; k++) {
        assert_true(error[k] > 0 && error[k] < 0.02);
        assert_true(fabs(p[k] - truth[k]) < 6 * error[k] + .001);
    }
    free(truth);
    cr__network_free(net);
}

static void errors_of_gibbs_hold(void **state)
{
    (void)state;
    campaign("gibbs", cr__sample_gibbs);
}

static void errors_of_weighting_hold(void **state)
{
    (void)state;
    campaign("weighting", cr__sample_weighting);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(errors_of_gibbs_hold),
        cmocka_unit_test(errors_of_weighting_hold),
        cmocka_unit_test(errors_of_single_moves_hold),
        cmocka_unit_test(single_moves_are_right_where_chains_mix),
    };
    return cmocka_run_group_tests_name("sampling errors", tests, NULL, NULL);
}
