/* tests/network/test_exact.c - exact answers: published, enumerated, incremental. */
#include "network/nets.h"

/* P(node=label | evidence) by elimination and by the tree. */
static double posterior(const cr__network *net, const char *what, const char *evidence)
{
    uint32_t *state = malloc(net->nodes * sizeof *state);
    char name[64], label[64];
    uint32_t node, wanted;
    double *p, *q, sum = 0, answer;
    int64_t exponent;
    cr__junction_tree *tree;
    cr_error err = {0};

    assert_int_equal(sscanf(what, "%63[^=]=%63s", name, label), 2);
    node = node_of(net, name);
    wanted = cr__network_state(net, node, label);
    assert_true(wanted != UINT32_MAX);
    given_of(net, evidence, state);
    p = malloc(net->states[node] * sizeof *p);
    q = malloc(net->states[node] * sizeof *q);
    assert_int_equal(
        cr__ask_joint(net, &(cr__evidence){.state = state}, &node, 1, 0, NULL, p, &exponent, &err),
        CR_OK);
    for (uint32_t k = 0; k < net->states[node]; k++)
        sum += p[k];
    assert_int_equal(cr__junction_tree_new(&tree, net, 0, NULL, &err), CR_OK);
    for (uint32_t i = 0; i < net->nodes; i++)
        cr__junction_tree_observe(tree, i, state[i]);
    assert_int_equal(cr__junction_tree_posterior(tree, node, q, &err), CR_OK);
    answer = q[wanted];
    assert_true(fabs(p[wanted] / sum - answer) < 1e-14);
    cr__junction_tree_free(tree);
    free(state);
    free(p);
    free(q);
    return answer;
}

static void check(const cr__network *net, const char *what, const char *evidence, double expected)
{
    const double found = posterior(net, what, evidence);

    if (!(fabs(found - expected) < 1e-9))
        fail_msg("P(%s | %s) = %.15g, not %.15g", what, evidence, found, expected);
}

/* pgmpy, dlib, OpenMarkov and TensorInference.jl agree on these. */
static void asia(void **state)
{
    cr__network *net = net_of_data("asia");

    (void)state;
    check(net, "tub=yes", "", .0104);
    check(net, "lung=yes", "", .055);
    check(net, "bronc=yes", "", .45);
    check(net, "either=yes", "", .064828);
    check(net, "xray=yes", "", .11029004);
    check(net, "dysp=yes", "", .4359706);
    check(net, "dysp=yes", "smoke=yes", .552808);
    check(net, "smoke=yes", "dysp=yes", .633996879606);
    check(net, "smoke=yes", "dysp=yes asia=yes", .625919857821);
    check(net, "tub=yes", "asia=yes xray=yes", .337715595224);
    check(net, "lung=yes", "asia=yes dysp=yes", .0995251450946);
    check(net, "lung=yes", "smoke=yes xray=yes", .645991425453);
    check(net, "lung=yes", "dysp=yes xray=yes", .621252796678);
    check(net, "bronc=yes", "dysp=yes", .83396733633);
    check(net, "either=yes", "xray=yes", .576039685905);
    check(net, "tub=yes", "asia=yes dysp=yes smoke=no xray=yes", .632329456552);
    cr__network_free(net);
}

static void evidence_of_asia_has_its_published_probability(void **state)
{
    cr__network *net = net_of_data("asia");
    uint32_t given[8];
    double p = 0;
    int64_t exponent = 0;

    (void)state;
    given_of(net, "asia=yes dysp=yes smoke=no xray=yes", given);
    assert_int_equal(
        cr__ask_joint(net, &(cr__evidence){.state = given}, NULL, 0, 0, NULL, &p, &exponent, NULL),
        CR_OK);
    assert_true(fabs(ldexp(p, (int)exponent) - .00029446675) < 1e-11);
    cr__network_free(net);
}

/* aima-java's tests. */
static void aima_burglary_from_plain_text(void **state)
{
    cr__network *net = net_of_text(burglary_text);

    (void)state;
    assert_true(fabs(posterior(net, "B=true", "J=true M=true") - .2841718353643929) < 1e-15);
    cr__network_free(net);
}

/* Computed by enumeration in double precision elsewhere; sprinkler also in Murphy's tutorial. */
static void earthquake_cancer_survey_and_sprinkler(void **state)
{
    cr__network *net = net_of_data("earthquake");

    (void)state;
    check(net, "Burglary=True", "JohnCalls=True MaryCalls=True", .556522062157);
    check(net, "Earthquake=True", "JohnCalls=True MaryCalls=True", .35176936129);
    check(net, "Alarm=True", "", .0161142);
    cr__network_free(net);
    net = net_of_data("cancer");
    check(net, "Cancer=True", "", .01163);
    check(net, "Xray=positive", "", .208141);
    check(net, "Dyspnoea=True", "", .3040705);
    check(net, "Cancer=True", "Xray=positive Dyspnoea=True", .102919186304);
    cr__network_free(net);
    net = net_of_data("survey");
    check(net, "T=car", "", .561833976);
    check(net, "E=high", "T=train", .752413898858);
    cr__network_free(net);
    net = net_of_text("C: t f\nS: t f\nR: t f\nW: t f\nC = .5\nS | C\n t = .1\n f = .5\n"
                      "R | C\n t = .8\n f = .2\nW | S R\n t t = .99\n t f = .9\n f t = .9\n"
                      " f f = 0\n");
    check(net, "W=t", "", .6471);
    check(net, "S=t", "W=t", .429763560501);
    check(net, "R=t", "W=t", .70792767733);
    check(net, "S=t", "W=t R=t", .194499017682);
    cr__network_free(net);
    /* Wikipedia, "Bayesian network": rain given wet grass. */
    net = net_of_text("R: t f\nS: t f\nG: t f\nR = .2\nS | R\n t = .01\n f = .4\n"
                      "G | S R\n t t = .99\n t f = .9\n f t = .8\n f f = 0\n");
    check(net, "R=t", "G=t", .357687675632);
    cr__network_free(net);
}

static void alarm(void **state)
{
    cr__network *net = net_of_data("alarm");

    (void)state;
    check(net, "HRBP=LOW", "", .1760260596);
    check(net, "HRBP=NORMAL", "", .06057554478);
    check(net, "HRBP=HIGH", "", .7633983956);
    check(net, "EXPCO2=ZERO", "", .04322734207);
    check(net, "EXPCO2=LOW", "", .8647676936);
    check(net, "VENTLUNG=ZERO", "", .7426392623);
    check(net, "BP=LOW", "", .3899930877);
    check(net, "BP=HIGH", "", .4052991498);
    check(net, "CO=NORMAL", "", .1844673596);
    check(net, "LVFAILURE=TRUE", "BP=LOW CVP=HIGH", .00789004399772);
    check(net, "HYPOVOLEMIA=TRUE", "BP=LOW CVP=LOW", .151689504988);
    check(net, "PULMEMBOLUS=TRUE", "PAP=HIGH", .139130434783);
    check(net, "ANAPHYLAXIS=TRUE", "BP=LOW HRBP=HIGH TPR=LOW", .0319426336375);
    check(net, "KINKEDTUBE=TRUE", "PRESS=HIGH EXPCO2=LOW", .0290760196356);
    cr__network_free(net);
}

/* --- against enumeration ---------------------------------------------------------------------- */

typedef struct truth {
    const cr__network *net;
    double *p; /* [states of all nodes] */
    double all, best;
    uint32_t pair[2];
    double joint[16];
} truth;

static void add_truth(void *context, const uint32_t *state, double p)
{
    truth *t = context;

    t->all += p;
    t->best = fmax(t->best, p);
    t->joint[state[t->pair[0]] * t->net->states[t->pair[1]] + state[t->pair[1]]] += p;
    for (uint32_t i = 0; i < t->net->nodes; i++)
        t->p[t->net->label_at[i] + state[i]] += p;
}

/* Hard evidence on some nodes, soft on others. */
static void draw_evidence(cr__random *random, const cr__network *net, uint32_t *state,
                          double **likelihood)
{
    for (uint32_t i = 0; i < net->nodes; i++) {
        const uint64_t what = cr__random_below(random, 10);

        state[i] = what < 2 ? (uint32_t)cr__random_below(random, net->states[i]) : UINT32_MAX;
        free(likelihood[i]);
        likelihood[i] = NULL;
        if (what == 2 || what == 1) {
            likelihood[i] = malloc(net->states[i] * sizeof **likelihood);
            for (uint32_t k = 0; k < net->states[i]; k++)
                likelihood[i][k] = 3 * cr__random_uniform(random);
        }
    }
}

static void compare_tree(const cr__network *net, cr__junction_tree *tree, const cr__evidence *given,
                         const truth *t)
{
    const size_t labels = net->label_at[net->nodes];
    double *p = malloc(labels * sizeof *p), log_evidence;
    cr_error err = {0};

    for (uint32_t i = 0; i < net->nodes; i++) {
        cr__junction_tree_observe(tree, i, given->state[i]);
        assert_int_equal(cr__junction_tree_weigh(tree, i, given->likelihood[i], &err), CR_OK);
    }
    assert_int_equal(cr__junction_tree_evidence(tree, &log_evidence, &err), CR_OK);
    if (t->all == 0) {
        assert_true(log_evidence == -INFINITY);
        assert_int_equal(cr__junction_tree_posteriors(tree, p, &err), CR_ECONFLICT);
        assert_non_null(strstr(err.message, "impossible"));
    } else {
        assert_true(fabs(log_evidence - log(t->all)) < 1e-12 * fmax(1, fabs(log(t->all))));
        assert_int_equal(cr__junction_tree_posteriors(tree, p, &err), CR_OK);
        for (size_t k = 0; k < labels; k++)
            assert_true(fabs(p[k] - t->p[k] / t->all) < 1e-12);
    }
    free(p);
}

static void compare_questions(const cr__network *net, const cr__evidence *given, const truth *t)
{
    uint32_t *best = malloc(net->nodes * sizeof *best);
    double joint[16], log_p;
    int64_t exponent;
    cr_error err = {0};
    cr_status st;

    if (t->pair[0] != t->pair[1]) {
        assert_int_equal(cr__ask_joint(net, given, t->pair, 2, 0, NULL, joint, &exponent, &err),
                         CR_OK);
        for (uint32_t k = 0; k < net->states[t->pair[0]] * net->states[t->pair[1]]; k++)
            assert_true(fabs(ldexp(joint[k], (int)exponent) - t->joint[k]) <= 1e-12 * t->all);
    }
    st = cr__ask_explanation(net, given, 0, NULL, best, &log_p, &err);
    if (t->all == 0)
        assert_int_equal(st, CR_ECONFLICT);
    else
        assert_true(st == CR_OK && fabs(exp(log_p) / t->best - 1) < 1e-12);
    free(best);
}

/* One tree serves all evidence of a network in turn, so this tests what is recomputed too. */
static void random_networks_agree_with_enumeration(void **state)
{
    cr__random random;

    (void)state;
    cr__random_seed(&random, 5);
    for (int n = 0; n < 60; n++) {
        cr__network *net = net_at_random(&random, 2 + (uint32_t)(n % 10));
        uint32_t *given_state = malloc(net->nodes * sizeof *given_state);
        double **likelihood = calloc(net->nodes, sizeof *likelihood);
        const cr__evidence given = {given_state, (const double *const *)likelihood};
        cr__junction_tree *tree;

        assert_int_equal(cr__junction_tree_new(&tree, net, 0, NULL, NULL), CR_OK);
        for (int round = 0; round < 8; round++) {
            truth t = {.net = net,
                       .p = calloc(net->label_at[net->nodes], sizeof(double)),
                       .pair = {(uint32_t)cr__random_below(&random, net->nodes),
                                (uint32_t)cr__random_below(&random, net->nodes)}};

            draw_evidence(&random, net, given_state, likelihood);
            net_enumerate(net, &given, add_truth, &t);
            compare_tree(net, tree, &given, &t);
            compare_questions(net, &given, &t);
            free(t.p);
        }
        for (uint32_t i = 0; i < net->nodes; i++)
            free(likelihood[i]);
        free(likelihood);
        free(given_state);
        cr__junction_tree_free(tree);
        cr__network_free(net);
    }
}

/* --- size, threads, limits -------------------------------------------------------------------- */

/* 100,000 nodes in a row: x(i+1) = x(i) with probability .9. There must be no recursion along
 * it. */
static void a_chain_of_a_hundred_thousand_nodes_is_answered(void **state)
{
    enum { LENGTH = 100000 };
    cr__buffer text = {0};
    cr__network *net;
    cr__junction_tree *tree;
    cr_error err = {0};
    double p[2], *all, log_p;
    uint32_t *best;

    (void)state;
    for (int i = 0; i < LENGTH; i++)
        cr__buffer_printf(&text, "x%d: a b\n", i);
    cr__buffer_adds(&text, "x0 = .5\n");
    for (int i = 1; i < LENGTH; i++)
        cr__buffer_printf(&text, "x%d | x%d\n a = .9\n b = .1\n", i, i - 1);
    cr__buffer_addc(&text, '\0');
    net = net_of_text(text.data);
    assert_int_equal(cr__junction_tree_new(&tree, net, 0, NULL, &err), CR_OK);
    cr__junction_tree_observe(tree, 0, 0);
    assert_int_equal(cr__junction_tree_posterior(tree, 1, p, &err), CR_OK);
    assert_true(fabs(p[0] - .9) < 1e-12);
    assert_int_equal(cr__junction_tree_posterior(tree, LENGTH - 1, p, &err), CR_OK);
    assert_true(fabs(p[0] - .5) < 1e-9);
    for (uint32_t i = 0; i < LENGTH; i += 2) /* far below what a double can hold */
        cr__junction_tree_observe(tree, i, i / 2 % 2);
    assert_int_equal(cr__junction_tree_evidence(tree, &log_p, &err), CR_OK);
    /* Each step of two changes sides: .9 * .1 twice; the first is .5. */
    assert_true(fabs(log_p - (log(.5) + (LENGTH / 2 - 1) * log(.18))) < 1e-6);
    all = malloc(2 * LENGTH * sizeof *all);
    assert_int_equal(cr__junction_tree_posteriors(tree, all, &err), CR_OK);
    assert_true(fabs(all[2] - .5) < 1e-12);
    free(all);
    best = malloc(LENGTH * sizeof *best);
    for (uint32_t i = 0; i < LENGTH; i++)
        best[i] = i == 0 ? 0 : UINT32_MAX;
    uint32_t *found = malloc(LENGTH * sizeof *found);
    assert_int_equal(
        cr__ask_explanation(net, &(cr__evidence){.state = best}, 0, NULL, found, &log_p, &err),
        CR_OK);
    assert_int_equal(found[LENGTH - 1], 0);
    free(found);
    free(best);
    cr__junction_tree_free(tree);
    cr__network_free(net);
    cr__buffer_free(&text);
}

/* Naive Bayes as a network: 20,000 observed children of one class. */
static void a_star_of_many_children_neither_underflows_nor_takes_long(void **state)
{
    enum { CHILDREN = 20000 };
    cr__buffer text = {0};
    cr__network *net;
    cr__junction_tree *tree;
    cr_error err = {0};
    double p[2], log_p;

    (void)state;
    cr__buffer_adds(&text, "class: a b\nclass = .5\n");
    for (int i = 0; i < CHILDREN; i++)
        cr__buffer_printf(&text, "x%d: y n\nx%d | class\n a = .2\n b = .1\n", i, i);
    cr__buffer_addc(&text, '\0');
    net = net_of_text(text.data);
    assert_int_equal(cr__junction_tree_new(&tree, net, 0, NULL, &err), CR_OK);
    assert_int_equal(cr__junction_tree_evidence(tree, &log_p, &err),
                     CR_OK); /* built without evidence */
    for (uint32_t i = 1; i <= CHILDREN; i++)
        cr__junction_tree_observe(tree, i, i % 3 == 0);
    assert_int_equal(cr__junction_tree_posterior(tree, 0, p, &err), CR_OK);
    /* 13,334 y and 6,666 n: the odds of a are 2^13334 (8/9)^6666. */
    assert_true(fabs(log(p[1]) + (13334 * log(2) + 6666 * log(8. / 9))) < 1e-6 || p[1] == 0);
    assert_int_equal(cr__junction_tree_evidence(tree, &log_p, &err), CR_OK);
    assert_true(fabs(log_p - (log(.5) + 13334 * log(.2) + 6666 * log(.8))) < 1e-6);
    cr__junction_tree_free(tree);
    cr__network_free(net);
    cr__buffer_free(&text);
}

static void answers_are_the_same_bytes_for_any_number_of_threads(void **state)
{
    cr__network *net = net_of_data("mildew");
    const size_t labels = net->label_at[net->nodes];
    double *p[2];

    (void)state;
    for (int i = 0; i < 2; i++) {
        cr_pool *pool;
        cr__junction_tree *tree;

        p[i] = malloc(labels * sizeof *p[i]);
        assert_int_equal(cr_pool_new(&pool, i == 0 ? 1 : 3, NULL), CR_OK);
        assert_int_equal(cr__junction_tree_new(&tree, net, 0, pool, NULL), CR_OK);
        cr__junction_tree_observe(tree, 3, 1);
        assert_int_equal(cr__junction_tree_posteriors(tree, p[i], NULL), CR_OK);
        cr__junction_tree_free(tree);
        cr_pool_free(pool);
    }
    assert_memory_equal(p[0], p[1], labels * sizeof *p[0]);
    free(p[0]);
    free(p[1]);
    cr__network_free(net);
}

static void only_messages_that_changed_evidence_reaches_are_made_anew(void **state)
{
    cr__network *net = net_of_data("alarm");
    double *p = malloc(net->label_at[net->nodes] * sizeof *p);
    uint64_t first, before;
    cr__junction_tree *tree;

    (void)state;
    assert_int_equal(cr__junction_tree_new(&tree, net, 0, NULL, NULL), CR_OK);
    assert_int_equal(cr__junction_tree_posteriors(tree, p, NULL), CR_OK);
    first = before = cr__junction_tree_messages(tree);
    assert_int_equal(cr__junction_tree_posteriors(tree, p, NULL), CR_OK);
    assert_int_equal(cr__junction_tree_messages(tree), before);  /* nothing changed */
    cr__junction_tree_observe(tree, node_of(net, "HISTORY"), 0); /* a leaf */
    assert_int_equal(cr__junction_tree_posteriors(tree, p, NULL), CR_OK);
    assert_true(cr__junction_tree_messages(tree) - before < first);
    cr__junction_tree_free(tree);
    free(p);
    cr__network_free(net);
}

static void a_query_beyond_the_memory_is_refused_with_the_numbers(void **state)
{
    cr__network *net = net_of_data("andes");
    cr_error err = {0};
    cr__junction_tree *tree;
    double p[8];
    uint32_t *given = malloc(net->nodes * sizeof *given);
    int64_t exponent;
    uint32_t query[40];
    double joint;

    (void)state;
    assert_int_equal(cr__junction_tree_new(&tree, net, 100000, NULL, &err), CR_OK);
    assert_int_equal(cr__junction_tree_posterior(tree, 0, p, &err), CR_ELIMIT);
    assert_non_null(strstr(err.message, "would take"));
    assert_non_null(strstr(err.message, "largest clique has"));
    given_of(net, "", given);
    for (uint32_t i = 0; i < 40; i++)
        query[i] = i;
    assert_int_equal(cr__ask_joint(net, &(cr__evidence){.state = given}, query, 40, 1 << 30, NULL,
                                   &joint, &exponent, &err),
                     CR_ELIMIT);
    free(given);
    cr__junction_tree_free(tree);
    cr__network_free(net);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(asia),
        cmocka_unit_test(evidence_of_asia_has_its_published_probability),
        cmocka_unit_test(aima_burglary_from_plain_text),
        cmocka_unit_test(earthquake_cancer_survey_and_sprinkler),
        cmocka_unit_test(alarm),
        cmocka_unit_test(random_networks_agree_with_enumeration),
        cmocka_unit_test(a_chain_of_a_hundred_thousand_nodes_is_answered),
        cmocka_unit_test(a_star_of_many_children_neither_underflows_nor_takes_long),
        cmocka_unit_test(answers_are_the_same_bytes_for_any_number_of_threads),
        cmocka_unit_test(only_messages_that_changed_evidence_reaches_are_made_anew),
        cmocka_unit_test(a_query_beyond_the_memory_is_refused_with_the_numbers),
    };

    return cmocka_run_group_tests_name("exact inference in networks", tests, NULL, NULL);
}
