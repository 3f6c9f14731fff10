/* tests/belief/test_hypotheses.c - posteriors over hypotheses, votes, and tables of them.
 *
 * The figures are those of the lectures on Bayesian learning; each can be checked by hand.
 */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include <math.h>
#include <stdio.h>
#include <string.h>

#include "base/memory.h"
#include "base/random.h"
#include "credence/hypothesis.h"

static void assert_near(double found, double expected, double absolute)
{
    if (!(fabs(found - expected) <= absolute))
        fail_msg("found %.17g, expected %.17g", found, expected);
}

static const char *const h123[] = {"h1", "h2", "h3"};
static const char *const ab[] = {"A", "B"};

/* Likelihoods .6 .9 .7, priors .3 .2 .5. */
static cr_hypotheses *lecture(void)
{
    const double prior[] = {0.3, 0.2, 0.5}, log_likelihood[] = {log(0.6), log(0.9), log(0.7)};
    cr_hypotheses *h;

    assert_int_equal(cr_hypotheses_new(&h, h123, prior, 3, 0, NULL), CR_OK);
    assert_int_equal(cr_hypotheses_observe(h, "data", log_likelihood, NULL), CR_OK);
    return h;
}

/* --- posteriors --------------------------------------------------------------------------- */

/* Priors .8 and .2, likelihoods .3 and .4: relative .24 and .08, so Good with .75. */
static void good_and_bad(void **state)
{
    const char *const name[] = {"Good", "Bad"};
    const double prior[] = {0.8, 0.2}, log_likelihood[] = {log(0.3), log(0.4)};
    cr_hypotheses *h;
    cr_hypothesis good, bad;
    size_t best[2];

    (void)state;
    assert_int_equal(cr_hypotheses_new(&h, name, prior, 2, 0, NULL), CR_OK);
    assert_int_equal(cr_hypotheses_observe(h, "x", log_likelihood, NULL), CR_OK);
    cr_hypotheses_get(h, 0, &good);
    cr_hypotheses_get(h, 1, &bad);
    assert_near(exp(good.log_relative), 0.24, 1e-15);
    assert_near(exp(bad.log_relative), 0.08, 1e-15);
    assert_near(good.posterior, 0.75, 1e-15);
    assert_near(exp(cr_hypotheses_log_evidence(h)), 0.32, 1e-15);
    assert_int_equal(cr_hypotheses_best(h, CR_CHOICE_MAP, best), 1);
    assert_int_equal(best[0], 0);
    assert_int_equal(cr_hypotheses_best(h, CR_CHOICE_ML, best), 1);
    assert_int_equal(best[0], 1);
    cr_hypotheses_free(h);
}

/* Relative posteriors .18 .18 .35, true ones .2535 .2535 .4930; MAP is h3, ML is h2. */
static void relative_and_true_posteriors(void **state)
{
    static const double relative[] = {0.18, 0.18, 0.35};
    cr_hypotheses *h = lecture();
    cr_hypothesis one;
    size_t best[3];

    (void)state;
    for (size_t i = 0; i < 3; i++) {
        cr_hypotheses_get(h, i, &one);
        assert_string_equal(one.name, h123[i]);
        assert_near(exp(one.log_relative), relative[i], 1e-15);
        assert_near(one.posterior, relative[i] / 0.71, 1e-15);
    }
    assert_near(one.posterior, 0.4930, 5e-5);
    assert_int_equal(cr_hypotheses_best(h, CR_CHOICE_MAP, best), 1);
    assert_int_equal(best[0], 2);
    assert_int_equal(cr_hypotheses_best(h, CR_CHOICE_ML, best), 1);
    assert_int_equal(best[0], 1);
    cr_hypotheses_free(h);
}

/* -log2 .5 = 1 bit and -log2 .25 = 2 bits; the shortest description is the MAP hypothesis. */
static void description_lengths_are_in_bits(void **state)
{
    const double prior[] = {0.5, 0.25, 0.25}, log_likelihood[] = {log(0.25), log(0.125), log(1)};
    cr_hypotheses *h;
    cr_hypothesis one;
    size_t best[3];

    (void)state;
    assert_int_equal(cr_hypotheses_new(&h, h123, prior, 3, 0, NULL), CR_OK);
    assert_int_equal(cr_hypotheses_observe(h, "data", log_likelihood, NULL), CR_OK);
    cr_hypotheses_get(h, 0, &one);
    assert_near(one.prior_bits, 1, 1e-15);
    assert_near(one.data_bits, 2, 1e-15);
    cr_hypotheses_get(h, 2, &one);
    assert_near(one.prior_bits, 2, 1e-15);
    assert_true(one.data_bits == 0 && !signbit(one.data_bits));
    assert_int_equal(cr_hypotheses_best(h, CR_CHOICE_MAP, best), 1);
    assert_int_equal(best[0], 2);
    cr_hypotheses_free(h);
}

/* .6 * .3 and .9 * .2 differ as doubles, but are equal on paper. */
static void equal_products_tie(void **state)
{
    const double prior[] = {0.3, 0.2, 0.5}, log_likelihood[] = {log(0.6), log(0.9), log(0.1)};
    cr_hypotheses *h;
    size_t best[3];

    (void)state;
    assert_int_equal(cr_hypotheses_new(&h, h123, prior, 3, 0, NULL), CR_OK);
    assert_int_equal(cr_hypotheses_observe(h, "data", log_likelihood, NULL), CR_OK);
    assert_int_equal(cr_hypotheses_best(h, CR_CHOICE_MAP, best), 2);
    assert_true(best[0] == 0 && best[1] == 1);
    cr_hypotheses_free(h);
}

/* Three coins, flips one by one: the order does not matter, and each step is kept. */
static void evidence_arrives_in_steps(void **state)
{
    const double prior[] = {0.25, 0.5, 0.25};
    const double heads[] = {log(0.2), log(0.5), log(0.8)}, tails[] = {log(0.8), log(0.5), log(0.2)};
    cr_hypotheses *h;

    (void)state;
    assert_int_equal(cr_hypotheses_new(&h, h123, prior, 3, 0, NULL), CR_OK);
    assert_int_equal(cr_hypotheses_steps(h), 0);
    assert_int_equal(cr_hypotheses_observe(h, "heads", heads, NULL), CR_OK);
    assert_int_equal(cr_hypotheses_observe(h, "tails", tails, NULL), CR_OK);
    assert_int_equal(cr_hypotheses_steps(h), 2);
    assert_string_equal(cr_hypotheses_evidence(h, 1), "tails");
    assert_near(cr_hypotheses_posterior(h, 0)[2], 0.4, 1e-15); /* .2 / (.05 + .25 + .2) */
    assert_near(cr_hypotheses_posterior(h, 1)[0], 0.04 / 0.205, 1e-15);
    assert_near(cr_hypotheses_posterior(h, 1)[2], 0.04 / 0.205, 1e-15);
    assert_near(exp(cr_hypotheses_log_evidence(h)), 0.205, 1e-15);
    cr_hypotheses_free(h);
}

/* exp(-100000) has no double; its ratio to another has. */
static void tiny_likelihoods_are_no_problem(void **state)
{
    const double log_likelihood[] = {-100000, -100001, -INFINITY};
    cr_hypotheses *h;

    (void)state;
    assert_int_equal(cr_hypotheses_new(&h, h123, NULL, 3, CR_HYPOTHESES_UNIFORM, NULL), CR_OK);
    assert_int_equal(cr_hypotheses_observe(h, "data", log_likelihood, NULL), CR_OK);
    assert_near(cr_hypotheses_posterior(h, 0)[0], 1 / (1 + exp(-1)), 1e-11);
    assert_true(cr_hypotheses_posterior(h, 0)[2] == 0);
    cr_hypotheses_free(h);
}

/* --- votes -------------------------------------------------------------------------------- */

/* h1 and h2 vote B, h3 votes A: A .35, B .36, so B, although h_MAP says A. */
static void deterministic_votes(void **state)
{
    const double says[] = {0, 1, 0, 1, 1, 0};
    cr_hypotheses *h = lecture();
    cr_verdict v;

    (void)state;
    assert_int_equal(cr_hypotheses_vote(h, ab, 2, says, 0, NULL), CR_OK);
    assert_near(cr_hypotheses_predictive(h, 0) * 0.71, 0.35, 1e-15);
    assert_near(cr_hypotheses_predictive(h, 1) * 0.71, 0.36, 1e-15);
    assert_int_equal(cr_hypotheses_classify(h, &v, NULL), CR_OK);
    assert_true(v.best == 1 && v.ties == 1 && v.map_class == 0);
    assert_near(v.optimal_error, 0.35 / 0.71, 1e-15);
    assert_near(v.map_error, 0.36 / 0.71, 1e-15);
    assert_near(v.gibbs_error, 2 * 0.35 * 0.36 / (0.71 * 0.71), 1e-15);
    cr_hypotheses_free(h);
}

/* P(A | h) .3 .4 .9: A .441, B .269, so A. */
static void probabilistic_votes(void **state)
{
    const double says[] = {0.3, 0.7, 0.4, 0.6, 0.9, 0.1};
    cr_hypotheses *h = lecture();
    cr_verdict v;

    (void)state;
    assert_int_equal(cr_hypotheses_vote(h, ab, 2, says, 0, NULL), CR_OK);
    assert_near(cr_hypotheses_predictive(h, 0) * 0.71, 0.441, 1e-15);
    assert_near(cr_hypotheses_predictive(h, 1) * 0.71, 0.269, 1e-15);
    assert_int_equal(cr_hypotheses_classify(h, &v, NULL), CR_OK);
    assert_true(v.best == 0 && v.map_class == 0);
    cr_hypotheses_free(h);
}

/* Posteriors .4 .3 .3, votes + - -: + .4, - .6, so -, while h_MAP says +. */
static void the_optimal_class_is_not_that_of_the_map_hypothesis(void **state)
{
    const double posterior[] = {0.4, 0.3, 0.3}, says[] = {1, 0, 0, 1, 0, 1};
    const char *const sign[] = {"+", "-"};
    cr_hypotheses *h;
    cr_verdict v;

    (void)state;
    assert_int_equal(cr_hypotheses_new(&h, h123, posterior, 3, 0, NULL), CR_OK);
    assert_int_equal(cr_hypotheses_vote(h, sign, 2, says, 0, NULL), CR_OK);
    assert_int_equal(cr_hypotheses_classify(h, &v, NULL), CR_OK);
    assert_near(cr_hypotheses_predictive(h, 0), 0.4, 1e-15);
    assert_near(cr_hypotheses_predictive(h, 1), 0.6, 1e-15);
    assert_true(v.best == 1 && v.map_class == 0);
    assert_near(v.gibbs_error, 0.48, 1e-15);
    cr_hypotheses_free(h);
}

static void classes_can_tie(void **state)
{
    const double prior[] = {0.1, 0.2, 0.7},
                 says[] = {1, 0, 0, 0, 0.5, 0.5, 1.0 / 7, 2.0 / 7, 4.0 / 7};
    const double even[] = {0, 0.5, 0.5, 0, 0.5, 0.5, 0, 0.5, 0.5};
    const char *const abc[] = {"A", "B", "C"};
    cr_hypotheses *h;
    cr_verdict v;

    (void)state;
    assert_int_equal(cr_hypotheses_new(&h, h123, prior, 3, 0, NULL), CR_OK);
    assert_int_equal(cr_hypotheses_classify(h, &v, NULL), CR_EARG);
    assert_int_equal(cr_hypotheses_vote(h, abc, 3, says, 0, NULL), CR_OK);
    assert_int_equal(cr_hypotheses_classify(h, &v, NULL), CR_OK);
    assert_true(v.best == 2 && v.ties == 1);
    assert_int_equal(cr_hypotheses_vote(h, abc, 3, even, 0, NULL), CR_OK);
    assert_int_equal(cr_hypotheses_classify(h, &v, NULL), CR_OK);
    assert_true(v.best == 1 && v.ties == 2);
    cr_hypotheses_free(h);
}

/* --- the Gibbs classifier ----------------------------------------------------------------- */

enum { HYPOTHESES = 12, INSTANCES = 10, CLASSES = 3, TRIALS = 4000 };

/* A world: what each hypothesis says about each instance, exactly or with noise. */
typedef struct world {
    double prior[HYPOTHESES];
    int label[HYPOTHESES][INSTANCES];
    double noise;
} world;

static double says(const world *w, size_t h, size_t x, int c)
{
    return w->label[h][x] == c ? 1 - w->noise : w->noise / (CLASSES - 1);
}

static size_t draw(cr__random *random, const double *p, size_t n)
{
    double u = cr__random_uniform(random);
    size_t i = 0;

    while (i + 1 < n && u >= p[i])
        u -= p[i++];
    return i;
}

static int answer(cr__random *random, const world *w, size_t h, size_t x)
{
    double p[CLASSES];

    for (int c = 0; c < CLASSES; c++)
        p[c] = says(w, h, x, c);
    return (int)draw(random, p, CLASSES);
}

static void make_world(world *w, cr__random *random, double noise)
{
    double sum = 0;

    w->noise = noise;
    for (size_t h = 0; h < HYPOTHESES; h++) {
        sum += w->prior[h] = cr__random_gamma(random, 0.7);
        for (size_t x = 0; x < INSTANCES; x++)
            w->label[h][x] = (int)cr__random_below(random, CLASSES);
    }
    for (size_t h = 0; h < HYPOTHESES; h++)
        w->prior[h] /= sum;
}

typedef struct errors {
    double optimal, gibbs, expected_optimal, expected_gibbs;
} errors;

/* The target is drawn from the prior, some examples are seen, one more instance is classified. */
static void trial(const world *w, cr__random *random, errors *e)
{
    const char *const class_name[CLASSES] = {"a", "b", "c"};
    const char *name[HYPOTHESES];
    double likelihood[HYPOTHESES], vote[HYPOTHESES * CLASSES];
    const size_t target = draw(random, w->prior, HYPOTHESES),
                 examples = cr__random_below(random, 3);
    cr_hypotheses *h;
    cr_verdict v;

    for (size_t i = 0; i < HYPOTHESES; i++)
        name[i] = "h";
    assert_int_equal(
        cr_hypotheses_new(&h, name, w->prior, HYPOTHESES, CR_HYPOTHESES_NORMALISE, NULL), CR_OK);
    for (size_t i = 0; i < examples; i++) {
        const size_t x = cr__random_below(random, INSTANCES);
        const int label = answer(random, w, target, x);

        for (size_t k = 0; k < HYPOTHESES; k++)
            likelihood[k] = log(says(w, k, x, label));
        assert_int_equal(cr_hypotheses_observe(h, "example", likelihood, NULL), CR_OK);
    }
    const size_t x = cr__random_below(random, INSTANCES);
    const int truth = answer(random, w, target, x);
    const double *posterior = examples > 0 ? cr_hypotheses_posterior(h, examples - 1) : w->prior;

    for (size_t k = 0; k < HYPOTHESES * CLASSES; k++)
        vote[k] = says(w, k / CLASSES, x, (int)(k % CLASSES));
    assert_int_equal(cr_hypotheses_vote(h, class_name, CLASSES, vote, 0, NULL), CR_OK);
    assert_int_equal(cr_hypotheses_classify(h, &v, NULL), CR_OK);
    e->optimal += (int)v.best != truth;
    e->gibbs += answer(random, w, draw(random, posterior, HYPOTHESES), x) != truth;
    e->expected_optimal += v.optimal_error;
    e->expected_gibbs += v.gibbs_error;
    assert_true(v.gibbs_error <= 2 * v.optimal_error + 1e-12);
    cr_hypotheses_free(h);
}

/* E[error Gibbs] <= 2 E[error optimal]; and both are what the verdicts foretell, within five
 * standard errors of TRIALS Bernoulli trials (at most 0.04). */
static void gibbs_errs_at_most_twice_as_often_as_the_optimum(void **state)
{
    static const double noise[] = {0, 0.2};
    cr__random random;

    (void)state;
    cr__random_seed(&random, 1994);
    for (size_t i = 0; i < 2; i++) {
        errors e = {0};
        world w;

        for (int t = 0; t < TRIALS; t++) {
            if (t % 20 == 0)
                make_world(&w, &random, noise[i]);
            trial(&w, &random, &e);
        }
        assert_true(e.gibbs <= 2 * e.optimal);
        assert_true(e.gibbs > 1.1 * e.optimal);
        assert_near(e.optimal / TRIALS, e.expected_optimal / TRIALS, 0.04);
        assert_near(e.gibbs / TRIALS, e.expected_gibbs / TRIALS, 0.04);
    }
}

/* --- what is refused ---------------------------------------------------------------------- */

static void refuse_priors(const double *prior, unsigned flags, const char *message)
{
    cr_hypotheses *h = (cr_hypotheses *)&h;
    cr_error err;

    assert_int_equal(cr_hypotheses_new(&h, h123, prior, 3, flags, &err), CR_EARG);
    assert_null(h);
    assert_string_equal(err.message, message);
}

static void bad_priors_are_refused(void **state)
{
    const double sum[] = {0.3, 0.2, 0.4}, negative[] = {0.5, -0.5, 1}, nan[] = {0.5, NAN, 0.5},
                 zero[] = {0, 0, 0}, weights[] = {3, 2, 5};
    cr_hypotheses *h;
    cr_hypothesis one;

    (void)state;
    refuse_priors(sum, 0, "the priors add up to 0.9, not to 1");
    refuse_priors(negative, 0, "the prior of 'h2' is -0.5; it must be 0 or more");
    refuse_priors(nan, CR_HYPOTHESES_NORMALISE, "the prior of 'h2' is nan; it must be 0 or more");
    refuse_priors(zero, CR_HYPOTHESES_NORMALISE, "the priors add up to 0");
    assert_int_equal(cr_hypotheses_new(&h, h123, weights, 0, 0, NULL), CR_EARG);
    assert_int_equal(cr_hypotheses_new(&h, h123, weights, 3, CR_HYPOTHESES_NORMALISE, NULL), CR_OK);
    cr_hypotheses_get(h, 2, &one);
    assert_near(one.prior, 0.5, 1e-15);
    cr_hypotheses_free(h);
}

static void impossible_evidence_is_refused_and_changes_nothing(void **state)
{
    const double prior[] = {0.5, 0.5, 0}, impossible[] = {-INFINITY, -INFINITY, 0},
                 nan[] = {0, NAN, 0}, infinite[] = {0, INFINITY, 0};
    cr_hypotheses *h;
    cr_hypothesis one;
    cr_error err;

    (void)state;
    assert_int_equal(cr_hypotheses_new(&h, h123, prior, 3, 0, NULL), CR_OK);
    assert_int_equal(cr_hypotheses_observe(h, "rain", impossible, &err), CR_ECONFLICT);
    assert_string_equal(err.message, "every posterior is zero: no hypothesis with a prior above 0 "
                                     "allows 'rain'");
    assert_int_equal(cr_hypotheses_observe(h, "rain", nan, &err), CR_EARG);
    assert_int_equal(cr_hypotheses_observe(h, "rain", infinite, &err), CR_EARG);
    assert_int_equal(cr_hypotheses_steps(h), 0);
    cr_hypotheses_get(h, 0, &one);
    assert_true(one.posterior == 0.5 && one.log_likelihood == 0);
    cr_hypotheses_free(h);
}

static void bad_votes_are_refused(void **state)
{
    const double sum[] = {0.3, 0.7, 0.4, 0.5, 1, 0}, negative[] = {1, 0, 1.5, -0.5, 1, 0};
    cr_hypotheses *h = lecture();
    cr_error err;

    (void)state;
    assert_int_equal(cr_hypotheses_vote(h, ab, 2, sum, 0, &err), CR_EARG);
    assert_string_equal(err.message, "the classes of 'h2' add up to 0.9, not to 1");
    assert_int_equal(cr_hypotheses_vote(h, ab, 2, negative, 0, &err), CR_EARG);
    assert_int_equal(cr_hypotheses_classes(h), 0);
    assert_int_equal(cr_hypotheses_vote(h, ab, 2, sum, CR_HYPOTHESES_NORMALISE, &err), CR_OK);
    assert_near(cr_hypotheses_says(h, 1, 0), 4.0 / 9, 1e-15);
    cr_hypotheses_free(h);
}

/* --- tables ------------------------------------------------------------------------------- */

static cr_status read_table(cr_hypotheses **h, const char *text,
                            const cr_hypotheses_options *options, cr_error *err)
{
    FILE *file = fopen("table.csv", "w");

    assert_non_null(file);
    assert_true(fputs(text, file) >= 0);
    assert_int_equal(fclose(file), 0);
    return cr_hypotheses_read(h, "table.csv", options, err);
}

static void table_of_the_lecture(void **state)
{
    static const char *const tables[] = {
        "hypothesis,prior,likelihood,A,B\nh1,.3,.6,.3,.7\nh2,.2,.9,.4,.6\nh3,.5,.7,.9,.1\n",
        "P(A|h);Hypothesis;Likelihood;Prior\n3/10;h1;6/10;3/10\n2/5;h2;0.9;1/5\n0.9;h3;.7;1/2\n",
        ("hypothesis,prior,log_likelihood,P(A),P(B)\nh1,.3,-0.5108256237659907,.3,.7\n"
         "h2,.2,-0.10536051565782628,.4,.6\nh3,.5,-0.35667494393873245,.9,.1\n")};
    cr_hypotheses *h;
    cr_error err;

    (void)state;
    for (size_t i = 0; i < 3; i++) {
        if (read_table(&h, tables[i], NULL, &err) != CR_OK)
            fail_msg("%s", err.message);
        assert_near(cr_hypotheses_predictive(h, 0) * 0.71, 0.441, 1e-14);
        assert_string_equal(cr_hypotheses_class(h, 0), "A");
        assert_string_equal(cr_hypotheses_class(h, 1), i == 1 ? "not A" : "B");
        cr_hypotheses_free(h);
    }
}

static void table_with_votes_and_posteriors(void **state)
{
    cr_hypotheses *h;
    cr_verdict v;

    (void)state;
    assert_int_equal(
        read_table(&h, "hypothesis,posterior,vote\nh1,.4,+\nh2,.3,-\nh3,.3,-\n", NULL, NULL),
        CR_OK);
    assert_int_equal(cr_hypotheses_steps(h), 0);
    assert_int_equal(cr_hypotheses_classify(h, &v, NULL), CR_OK);
    assert_string_equal(cr_hypotheses_class(h, v.best), "-");
    assert_near(v.optimal_error, 0.4, 1e-15);
    cr_hypotheses_free(h);
}

static void table_with_evidence(void **state)
{
    const cr_hypotheses_options options = {.flags = CR_HYPOTHESES_UNIFORM,
                                           .evidence = "heads,tails,log_heads",
                                           .classes = "heads,tails"};
    cr_hypotheses *h;

    (void)state;
    assert_int_equal(read_table(&h,
                                "hypothesis,heads,tails,log_heads\nfair,.5,.5,-0.6931471805599453\n"
                                "two-headed,1,0,0\n",
                                &options, NULL),
                     CR_OK);
    assert_int_equal(cr_hypotheses_steps(h), 3);
    assert_string_equal(cr_hypotheses_evidence(h, 2), "log_heads");
    assert_near(cr_hypotheses_posterior(h, 0)[0], 1.0 / 3, 1e-15);
    assert_true(cr_hypotheses_posterior(h, 2)[0] == 1);
    assert_near(cr_hypotheses_predictive(h, 0), 0.5, 1e-15);
    cr_hypotheses_free(h);
}

static void faults_of_a_table_are_located(void **state)
{
    static const struct {
        const char *table;
        cr_hypotheses_options options;
        cr_status status;
        size_t line, column;
        const char *message;
    } cases[] = {
        /* clang-format off */
        {"name,prior,likelihood\na,1,1\n", {0}, CR_EFORMAT, 0, 0,
         "there is no column 'hypothesis' with the names"},
        {"hypothesis,prior,likelihood\n", {0}, CR_EFORMAT, 0, 0, "there is no hypothesis"},
        {"hypothesis,prior,likelihood\n\n\n", {0}, CR_EFORMAT, 0, 0, "there is no hypothesis"},
        {"hypothesis,p,likelihood\na,1,1\n", {0}, CR_EFORMAT, 0, 0,
         "there is no column 'prior' with P(h)"},
        {"hypothesis,prior,likelyhood\na,1,1\n", {0}, CR_EFORMAT, 0, 0,
         "there is no column 'likelihood' with P(data | h), nor log_likelihood"},
        {"hypothesis,prior,likelihood\na,.5,1\nb,.4,1\n", {0}, CR_EFORMAT, 0, 0,
         "the priors add up to 0.9, not to 1"},
        {"hypothesis,prior,likelihood\na,.5,1\nb,-.5,1\n", {0}, CR_EFORMAT, 3, 2,
         "column 'prior' has '-.5'"},
        {"hypothesis,prior,likelihood\na,.5,1\nb,NaN,1\n", {0}, CR_EFORMAT, 3, 2,
         "column 'prior' has 'NaN'"},
        {"hypothesis,prior,likelihood\na,.5,x\nb,.5,1\n", {0}, CR_EFORMAT, 2, 3,
         "column 'likelihood' has 'x'"},
        {"hypothesis,prior,likelihood\na,.5,1/0\nb,.5,1\n", {0}, CR_EFORMAT, 2, 3,
         "column 'likelihood' has '1/0'"},
        {"hypothesis,prior,likelihood\na,.5,-1\nb,.5,1\n", {0}, CR_EFORMAT, 2, 3,
         "column 'likelihood' has '-1'"},
        {"hypothesis,prior,log_likelihood\na,.5,inf\nb,.5,1\n", {0}, CR_EFORMAT, 2, 3,
         "column 'log_likelihood' has 'inf'"},
        {"hypothesis,prior,likelihood\na,.5,0\nb,.5,0\n", {0}, CR_ECONFLICT, 0, 0,
         "every posterior is zero: no hypothesis with a prior above 0 allows 'likelihood'"},
        {"hypothesis,prior,likelihood,A,B\na,.5,1,.5,.5\nb,.5,1,.5,.4\n", {0}, CR_EFORMAT, 0, 0,
         "the classes of 'b' add up to 0.9, not to 1"},
        {"hypothesis,prior,likelihood,A,B\na,.5,1,.5,.5\nb,.5,1,.5,1.5\n", {0}, CR_EFORMAT, 3, 5,
         "column 'B' has '1.5'"},
        {"hypothesis,prior,likelihood,vote\na,.5,1,A\nb,.5,1,\n", {0}, CR_EFORMAT, 3, 4,
         "there is no value in column 'vote'"},
        {"hypothesis,prior,rain\na,1,1\n", {.evidence = "rain,ran"}, CR_EARG, 0, 0,
         "there is no column 'ran' of evidence"},
        {"hypothesis,prior,likelihood,A\na,1,1,1\n", {.classes = "C"}, CR_EARG, 0, 0,
         "there is no column 'C' of a class"},
        {"hypothesis,prior,likelihood\na,.5,1\n,.5,1\n", {0}, CR_EFORMAT, 3, 1,
         "there is no value in column 'hypothesis'"},
        /* clang-format on */
    };
    cr_hypotheses *h;
    cr_error err;

    (void)state;
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        assert_int_equal(read_table(&h, cases[i].table, &cases[i].options, &err), cases[i].status);
        assert_null(h);
        assert_string_equal(err.message, cases[i].message);
        assert_string_equal(err.file, "table.csv");
        assert_int_equal(err.line, cases[i].line);
        assert_int_equal(err.column, cases[i].column);
    }
    assert_int_equal(cr_hypotheses_read(&h, "absent.csv", NULL, &err), CR_EIO);
}

/* Every allocation fails once; nothing leaks (checked by the sanitizers) and nothing is half
 * done. */
static void memory_may_run_out_anywhere(void **state)
{
    static const char *const tables[] = {
        "hypothesis,prior,likelihood,A\nh1,.3,.6,.3\nh2,.2,.9,.4\nh3,.5,.7,.9\n",
        "hypothesis,prior,likelihood,vote\nh1,.3,.6,A\nh2,.2,.9,B\nh3,.5,.7,A\n"};
    cr_hypotheses *h;

    (void)state;
    for (size_t i = 0; i < 2; i++) {
        cr_status st = CR_ENOMEM;
        long limit;

        assert_int_equal(read_table(&h, tables[i], NULL, NULL), CR_OK);
        cr_hypotheses_free(h);
        for (limit = 0; st == CR_ENOMEM && limit < 1000; limit++) {
            cr__memory_fail_after = limit;
            st = cr_hypotheses_read(&h, "table.csv", NULL, NULL);
            cr__memory_fail_after = -1;
            assert_true(st == CR_OK || h == NULL);
        }
        assert_int_equal(st, CR_OK);
        assert_true(limit > 10);
        cr_hypotheses_free(h);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(good_and_bad),
        cmocka_unit_test(relative_and_true_posteriors),
        cmocka_unit_test(description_lengths_are_in_bits),
        cmocka_unit_test(equal_products_tie),
        cmocka_unit_test(evidence_arrives_in_steps),
        cmocka_unit_test(tiny_likelihoods_are_no_problem),
        cmocka_unit_test(deterministic_votes),
        cmocka_unit_test(probabilistic_votes),
        cmocka_unit_test(the_optimal_class_is_not_that_of_the_map_hypothesis),
        cmocka_unit_test(classes_can_tie),
        cmocka_unit_test(gibbs_errs_at_most_twice_as_often_as_the_optimum),
        cmocka_unit_test(bad_priors_are_refused),
        cmocka_unit_test(impossible_evidence_is_refused_and_changes_nothing),
        cmocka_unit_test(bad_votes_are_refused),
        cmocka_unit_test(table_of_the_lecture),
        cmocka_unit_test(table_with_votes_and_posteriors),
        cmocka_unit_test(table_with_evidence),
        cmocka_unit_test(faults_of_a_table_are_located),
        cmocka_unit_test(memory_may_run_out_anywhere),
    };
    return cmocka_run_group_tests_name("hypotheses", tests, NULL, NULL);
}
