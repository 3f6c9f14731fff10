/* tests/decide/test_rule.c - decisions of least expected cost, rejection, other priors.
 *
 * Expected numbers are worked by hand in the comments, or found by trying every action.
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
#include "credence/credence.h"

enum { MOST = 6, ROWS = 400 };

static void assert_near(double found, double expected, double absolute)
{
    if (!(fabs(found - expected) <= absolute))
        fail_msg("found %.17g, expected %.17g", found, expected);
}

/* --- models to decide with -------------------------------------------------------------------- */

static const char *const names[MOST] = {"ant", "bee", "cow", "dog", "elk", "fox"};

/* Rows of so many classes; a symbol and a number tell something about the class. */
typedef struct table {
    const char *symbol[ROWS], *class[ROWS];
    double real[ROWS];
} table;

static void fill(table *t, size_t classes, uint64_t seed)
{
    static const char *const values[] = {"u", "v", "w", "x"};
    cr__random rng;

    cr__random_seed(&rng, seed);
    for (size_t r = 0; r < ROWS; r++) {
        const size_t c = r < classes ? r : cr__random_below(&rng, classes);

        t->class[r] = names[c];
        t->symbol[r] = values[(c + cr__random_below(&rng, 3)) % 4];
        t->real[r] = (double)c + 2 * cr__random_normal(&rng);
    }
}

static cr_source *source_of(const table *t, size_t rows)
{
    const cr_array arrays[] = {{.name = "s", .text = t->symbol},
                               {.name = "x", .real = t->real},
                               {.name = "class", .text = t->class, .role = CR_ROLE_TARGET}};
    cr_source *source;

    assert_int_equal(cr_source_open_arrays(&source, arrays, 3, rows, NULL), CR_OK);
    return source;
}

static cr_model *train(const table *t, size_t rows, const char *param)
{
    cr_source *source = source_of(t, rows);
    cr_model *model;
    cr_error err = {0};

    if (cr_model_train(&model, source, "nb", &param, param != NULL, NULL, NULL, &err) != CR_OK)
        fail_msg("%s", err.message);
    cr_source_close(source);
    return model;
}

static cr_model *model_of(size_t classes)
{
    static table t;

    fill(&t, classes, 3);
    return train(&t, ROWS, NULL);
}

static cr_rule *rule_of(const cr_model *model, const cr_rule_options *options)
{
    cr_rule *rule;
    cr_error err = {0};

    if (cr_rule_new(&rule, model, options, &err) != CR_OK)
        fail_msg("%s", err.message);
    return rule;
}

/* --- the least expected cost ------------------------------------------------------------------ */

/* Small whole costs and posteriors in 64ths make every sum exact, so ties are real ties. */
static void decisions_equal_brute_force(void **state)
{
    cr__random rng;
    size_t rejected = 0, ties = 0, unlike = 0;

    (void)state;
    cr__random_seed(&rng, 11);
    for (size_t K = 2; K <= MOST; K++) {
        cr_model *model = model_of(K);

        for (int trial = 0; trial < 2000; trial++) {
            const double reject = (double)cr__random_below(&rng, 40) / 4;
            double cost[MOST * MOST], p[MOST] = {0}, expected, least = INFINITY;
            int32_t decision, best = 0, likely = 0;
            cr_rule_options options = {
                .cost = cost, .may_reject = trial % 2, .reject_cost = reject};
            cr_rule *rule;
            cr_reason reason;

            for (size_t i = 0; i < K * K; i++)
                cost[i] = (double)cr__random_below(&rng, 9);
            for (int i = 0; i < 64; i++)
                p[cr__random_below(&rng, K)] += 1.0 / 64;
            for (size_t d = 0; d < K; d++) {
                double risk = 0;

                for (size_t t = 0; t < K; t++)
                    risk += p[t] * cost[t * K + d];
                ties += risk == least;
                if (risk < least) {
                    least = risk;
                    best = (int32_t)d;
                }
                likely = p[d] > p[likely] ? (int32_t)d : likely;
            }
            unlike += likely != best;
            rule = rule_of(model, &options);
            reason = cr_rule_decide(rule, p, &decision, &expected);
            if (trial % 2 && reject < least) {
                assert_int_equal(reason, CR_REJECTED);
                assert_int_equal(decision, CR_UNDECIDED);
                assert_true(expected == reject);
                rejected++;
            } else {
                assert_int_equal(reason, CR_DECIDED);
                assert_int_equal(decision, best);
                assert_true(expected == least);
            }
            cr_rule_free(rule);
        }
        cr_model_free(model);
    }
    assert_true(rejected > 500 && ties > 50 && unlike > 2000); /* the cases did occur */
}

typedef struct answers {
    double posterior[ROWS][MOST], log_evidence[ROWS], expected[ROWS], log_truth[ROWS];
    int32_t decision[ROWS];
    unsigned char reason[ROWS];
    size_t rows;
} answers;

static cr_status take(void *context, const cr_predictions *p)
{
    answers *a = context;

    for (size_t r = 0; r < p->rows; r++, a->rows++) {
        memcpy(a->posterior[a->rows], p->posterior + r * p->classes, p->classes * sizeof(double));
        a->log_evidence[a->rows] = p->log_evidence[r];
        a->decision[a->rows] = p->decision[r];
        a->reason[a->rows] = p->reason[r];
        a->expected[a->rows] = p->expected_cost == NULL ? -1 : p->expected_cost[r];
        a->log_truth[a->rows] = p->log_truth == NULL ? 1 : p->log_truth[r];
    }
    return CR_OK;
}

static answers *predict(const cr_model *model, const table *t, const cr_rule *rule)
{
    static answers all[3];
    static size_t next;
    answers *a = &all[next++ % 3];
    cr_source *source = source_of(t, ROWS);
    const cr_predict_options options = {.rule = rule};
    const cr_sink sink = {.visit = take, .context = a};
    cr_error err = {0};

    memset(a, 0, sizeof *a);
    if (cr_model_predict(model, source, &options, &sink, NULL, NULL, &err) != CR_OK)
        fail_msg("%s", err.message);
    cr_source_close(source);
    assert_int_equal(a->rows, ROWS);
    return a;
}

static void without_options_a_rule_changes_nothing(void **state)
{
    static table t;
    cr_model *model;
    cr_rule *rule;
    answers *plain, *ruled;

    (void)state;
    fill(&t, 4, 5);
    model = train(&t, 200, NULL);
    rule = rule_of(model, &(cr_rule_options){0});
    plain = predict(model, &t, NULL);
    ruled = predict(model, &t, rule);
    assert_memory_equal(plain->posterior, ruled->posterior, sizeof plain->posterior);
    assert_memory_equal(plain->log_evidence, ruled->log_evidence, sizeof plain->log_evidence);
    assert_memory_equal(plain->decision, ruled->decision, sizeof plain->decision);
    for (size_t r = 0; r < ROWS; r++) { /* a mistake costs 1: the probability of one */
        assert_near(ruled->expected[r], 1 - plain->posterior[r][plain->decision[r]], 1e-12);
        assert_true(plain->expected[r] == -1);
    }
    cr_rule_free(rule);
    cr_model_free(model);
}

/* Other priors by a rule, and the same priors by a knob: two ways to the same numbers. */
static void priors_equal_those_of_a_refitted_model(void **state)
{
    const char *knob = "prior=ant:0.1,bee:0.2,cow:0.7";
    static table t;
    cr_model *model;
    cr_rule *rule;
    answers *ruled, *refitted;

    (void)state;
    fill(&t, 3, 8);
    model = train(&t, ROWS, NULL);
    rule = rule_of(model, &(cr_rule_options){.priors = "cow:0.7,ant:0.1,bee:0.2"});
    ruled = predict(model, &t, rule);
    assert_int_equal(cr_model_refit(model, &knob, 1, NULL), CR_OK);
    refitted = predict(model, &t, NULL);
    for (size_t r = 0; r < ROWS; r++) {
        for (size_t c = 0; c < 3; c++)
            assert_near(ruled->posterior[r][c], refitted->posterior[r][c], 1e-12);
        assert_near(ruled->log_evidence[r], refitted->log_evidence[r], 1e-12);
        assert_near(ruled->log_truth[r], refitted->log_truth[r], 1e-12);
        assert_int_equal(ruled->decision[r], refitted->decision[r]);
    }
    cr_rule_free(rule);
    cr_model_free(model);
}

/* A prior of 0 rules a class out; p'(c) ∝ p(c) new(c) / old(c) with the model's priors 3/4, 1/4:
 * .6 × (.5 / .75) = .4 and .4 × (.5 / .25) = .8, so 1/3 and 2/3. */
static void a_posterior_is_moved_to_other_priors(void **state)
{
    const char *knob = "prior=ant:0.75,bee:0.25";
    cr_model *model = model_of(2);
    cr_rule *rule;
    double p[2] = {0.6, 0.4}, cost;
    int32_t decision;

    (void)state;
    assert_int_equal(cr_model_refit(model, &knob, 1, NULL), CR_OK);
    rule = rule_of(model, &(cr_rule_options){.priors = "ant:0.5,bee:0.5"});
    assert_int_equal(cr_rule_decide(rule, p, &decision, &cost), CR_DECIDED);
    assert_near(p[0], 1.0 / 3, 1e-15);
    assert_near(p[1], 2.0 / 3, 1e-15);
    assert_int_equal(decision, 1);
    assert_near(cost, 1.0 / 3, 1e-15);
    cr_rule_free(rule);
    rule = rule_of(model, &(cr_rule_options){.priors = "ant:1,bee:0"});
    p[0] = 1e-300;
    p[1] = 1;
    assert_int_equal(cr_rule_decide(rule, p, &decision, &cost), CR_DECIDED);
    assert_true(p[0] == 1 && p[1] == 0 && decision == 0 && cost == 0);
    p[0] = 0;
    p[1] = 1;
    assert_int_equal(cr_rule_decide(rule, p, &decision, &cost), CR_IMPOSSIBLE);
    assert_true(decision == CR_UNDECIDED && isnan(cost));
    cr_rule_free(rule);
    cr_model_free(model);
}

/* No class explains u: the ants' s are all w, the bees' all v. */
static void undecided_rows_have_their_reason(void **state)
{
    const char *symbol[] = {"w", "w", "v", "v", NULL, "u"};
    const char *class[] = {"ant", "ant", "bee", "bee", "ant", "u"};
    const char *const params[] = {"smoothing=none", "unseen=smooth"};
    const cr_array arrays[] = {{.name = "s", .text = symbol},
                               {.name = "class", .text = class, .role = CR_ROLE_TARGET}};
    cr_predict_options options = {0};
    static answers a;
    const cr_sink sink = {.visit = take, .context = &a};
    cr_source *source;
    cr_model *model;

    (void)state;
    memset(&a, 0, sizeof a);
    assert_int_equal(cr_source_open_arrays(&source, arrays, 2, 4, NULL), CR_OK);
    assert_int_equal(cr_model_train(&model, source, "nb", params, 2, NULL, NULL, NULL), CR_OK);
    cr_source_close(source);
    options.rule = rule_of(model, &(cr_rule_options){.may_reject = 1, .reject_cost = 0.4});
    assert_int_equal(cr_source_open_arrays(&source, arrays, 2, 6, NULL), CR_OK);
    assert_int_equal(cr_model_predict(model, source, &options, &sink, NULL, NULL, NULL), CR_OK);
    assert_int_equal(a.rows, 6);
    assert_int_equal(a.reason[0], CR_DECIDED);
    assert_int_equal(a.decision[0], 0);
    assert_true(a.expected[0] == 0 && a.log_truth[0] == 0);
    assert_int_equal(a.reason[4], CR_REJECTED); /* nothing is known: 1/2 and 1/2 */
    assert_int_equal(a.decision[4], CR_UNDECIDED);
    assert_true(a.expected[4] == 0.4 && a.posterior[4][0] == 0.5);
    assert_near(a.log_truth[4], log(0.5), 1e-15);
    assert_int_equal(a.reason[5], CR_IMPOSSIBLE);
    assert_int_equal(a.decision[5], CR_UNDECIDED);
    assert_true(isnan(a.expected[5]) && a.posterior[5][0] == 0 && isinf(a.log_truth[5]));
    cr_source_close(source);
    cr_rule_free((cr_rule *)options.rule);
    cr_model_free(model);
}

/* ln P(truth | row) is right where the posterior itself is too small for a double. */
static void the_log_of_a_tiny_posterior_is_kept(void **state)
{
    const double x[] = {0, 1, 100, 101, 4000};
    const char *class[] = {"ant", "ant", "bee", "bee", "ant"};
    const cr_array arrays[] = {{.name = "x", .real = x},
                               {.name = "class", .text = class, .role = CR_ROLE_TARGET}};
    static answers a;
    const cr_sink sink = {.visit = take, .context = &a};
    cr_gaussian ant, bee;
    cr_source *source;
    cr_model *model;

    (void)state;
    memset(&a, 0, sizeof a);
    assert_int_equal(cr_source_open_arrays(&source, arrays, 2, 4, NULL), CR_OK);
    assert_int_equal(cr_model_train(&model, source, "nb", NULL, 0, NULL, NULL, NULL), CR_OK);
    cr_source_close(source);
    cr_model_gaussian(model, 0, 0, &ant);
    cr_model_gaussian(model, 0, 1, &bee);
    assert_int_equal(cr_source_open_arrays(&source, arrays, 2, 5, NULL), CR_OK);
    assert_int_equal(cr_model_predict(model, source, NULL, &sink, NULL, NULL, NULL), CR_OK);
    assert_true(a.posterior[4][0] == 0);
    assert_near(a.log_truth[4],
                (pow(4000 - bee.fitted_mean, 2) - pow(4000 - ant.fitted_mean, 2)) / 2 /
                    ant.fitted_variance,
                1e-6);
    cr_source_close(source);
    cr_model_free(model);
}

/* --- two classes ------------------------------------------------------------------------------ */

/* Bee for ant costs 20, ant for bee 1: bee above 20/21. Rejecting at 1/2: ant below .5 / 1, bee
 * above (20 - .5) / 20. */
static void the_threshold_of_two_classes(void **state)
{
    cr_model *model = model_of(2), *three = model_of(3);
    cr_rule_options options = {.costs = "ant->bee=20, bee->ant=1"};
    cr_rule *rule = rule_of(model, &options);
    cr_threshold t;

    (void)state;
    assert_int_equal(cr_rule_threshold(rule, &t), CR_OK);
    assert_near(t.decide, 20.0 / 21, 1e-15);
    assert_true(t.low == t.decide && t.high == t.decide);
    cr_rule_free(rule);
    options.may_reject = 1;
    options.reject_cost = 0.5;
    rule = rule_of(model, &options);
    assert_int_equal(cr_rule_threshold(rule, &t), CR_OK);
    assert_near(t.low, 0.5, 1e-15);
    assert_near(t.high, 0.975, 1e-15);
    for (int i = 0; i <= 1000; i++) {
        double p[2] = {1 - i / 1000.0, i / 1000.0};
        int32_t decision;

        cr_rule_decide(rule, p, &decision, NULL);
        if (fabs(p[1] - t.low) > 1e-9 && fabs(p[1] - t.high) > 1e-9)
            assert_int_equal(decision, p[1] < t.low ? 0 : p[1] > t.high ? 1 : CR_UNDECIDED);
    }
    cr_rule_free(rule);
    options.reject_cost = 5; /* dearer than the best decision ever is: 20/21 */
    rule = rule_of(model, &options);
    assert_int_equal(cr_rule_threshold(rule, &t), CR_OK);
    assert_true(t.low == t.decide && t.high == t.decide);
    cr_rule_free(rule);
    rule = rule_of(model, &(cr_rule_options){.costs = "ant->bee=0"});
    assert_int_equal(cr_rule_threshold(rule, &t), CR_EARG);
    cr_rule_free(rule);
    rule = rule_of(three, &(cr_rule_options){0});
    assert_int_equal(cr_rule_threshold(rule, &t), CR_EARG);
    cr_rule_free(rule);
    cr_model_free(model);
    cr_model_free(three);
}

/* --- what it cost ----------------------------------------------------------------------------- */

/* Taking an ant for a bee costs 4, a bee for an ant 1, rejecting .45:
 * ant (.9 .1)  ant is expected to cost .1, bee 3.6; ant, which is right and costs 0
 * bee (.6 .4)  ant .4, bee 2.4; ant, which is wrong and costs 1
 * ant (.2 .8)  ant .8, bee .8; rejected for .45
 * bee (0 0)    impossible: charged as if it were rejected */
static void costs_are_averaged_over_the_rows(void **state)
{
    const double p[4][2] = {{0.9, 0.1}, {0.6, 0.4}, {0.2, 0.8}, {0, 0}};
    const int32_t truth[4] = {0, 1, 0, 1};
    const cr_rule_options options = {.costs = "ant->bee=4", .may_reject = 1, .reject_cost = 0.45};
    cr_model *model = model_of(2);
    cr_rule *rule = rule_of(model, &options);
    cr_evaluation *e;
    cr_metrics m;

    (void)state;
    assert_int_equal(cr_evaluation_new(&e, 2, NULL), CR_OK);
    assert_int_equal(cr_evaluation_use_rule(e, rule, NULL), CR_OK);
    for (int i = 0; i < 4; i++) {
        double posterior[2] = {p[i][0], p[i][1]};
        int32_t decision;

        cr_rule_decide(rule, posterior, &decision, NULL);
        cr_evaluation_add(e, posterior, decision, truth[i], 1);
    }
    cr_evaluation_metrics(e, &m);
    assert_near(m.cost, (0 + 1 + 0.45 + 0.45) / 4, 1e-15);
    assert_near(m.expected_cost, (0.1 + 0.4 + 0.45 + 0.45) / 4, 1e-15);
    assert_true(m.undecided == 2 && m.rejected == 1);
    assert_near(m.coverage, 0.5, 1e-15);
    assert_near(m.accuracy, 0.25, 1e-15);
    assert_near(m.decided_accuracy, 0.5, 1e-15);
    assert_near(m.mistakes, 0.25, 1e-15);
    assert_near(m.expected_correct, (0.9 + 0.6) / 4, 1e-15);
    assert_near(m.expected_mistakes, (0.1 + 0.4) / 4, 1e-15);
    /* The rejected row is judged by its posterior, the impossible one as a uniform guess. */
    assert_near(m.log_loss, -(log(0.9) + log(0.4) + log(0.2) + log(0.5)) / 4, 1e-15);
    cr_evaluation_free(e);
    assert_int_equal(cr_evaluation_new(&e, 3, NULL), CR_OK);
    assert_int_equal(cr_evaluation_use_rule(e, rule, NULL), CR_EARG);
    cr_evaluation_free(e);
    cr_rule_free(rule);
    cr_model_free(model);
}

/* Without a rule the cost is the error rate, and what is lost is what is not right. */
static void without_a_rule_a_mistake_costs_one(void **state)
{
    const double p[2] = {0.7, 0.3}, none[2] = {0, 0};
    cr_evaluation *e;
    cr_metrics m;

    (void)state;
    assert_int_equal(cr_evaluation_new(&e, 2, NULL), CR_OK);
    cr_evaluation_add(e, p, 0, 0, 2);
    cr_evaluation_add(e, p, 0, 1, 1);
    cr_evaluation_add(e, none, CR_UNDECIDED, 1, 1);
    cr_evaluation_metrics(e, &m);
    assert_near(m.cost, 0.5, 1e-15);
    assert_near(m.cost, 1 - m.accuracy, 1e-15);
    assert_near(m.expected_cost, (2 * 0.3 + 0.3 + 1) / 4, 1e-15);
    assert_near(m.mistakes, 0.25, 1e-15);
    cr_evaluation_free(e);
}

/* The cost of deciding by thresholds: below low the first class, above high the second. */
static double cost_by(const cr_rule *rule, const double *p, const int32_t *truth, size_t n,
                      double low, double high)
{
    double sum = 0;

    for (size_t i = 0; i < n; i++)
        sum += cr_rule_cost(rule, (size_t)truth[i],
                            p[i] < low    ? 0
                            : p[i] > high ? 1
                                          : CR_UNDECIDED);
    return sum / (double)n;
}

static void the_cheapest_thresholds_equal_brute_force(void **state)
{
    enum { N = 14 };
    cr_model *model = model_of(2);
    cr__random rng;

    (void)state;
    cr__random_seed(&rng, 21);
    for (int trial = 0; trial < 300; trial++) {
        const cr_rule_options options = {.costs = trial % 3 ? "ant->bee=3" : "bee->ant=1.5",
                                         .may_reject = trial % 2,
                                         .reject_cost = 0.5};
        cr_rule *rule = rule_of(model, &options);
        double p[N], cost, least = INFINITY;
        int32_t truth[N];
        cr_threshold t;
        cr_evaluation *e;

        assert_int_equal(cr_evaluation_new(&e, 2, NULL), CR_OK);
        assert_int_equal(cr_evaluation_use_rule(e, rule, NULL), CR_OK);
        for (int i = 0; i < N; i++) {
            double both[2];

            p[i] = (double)(1 + cr__random_below(&rng, 10)) / 12; /* with repeats */
            truth[i] = cr__random_uniform(&rng) < p[i];
            both[0] = 1 - p[i];
            both[1] = p[i];
            cr_evaluation_add(e, both, 0, truth[i], 1);
        }
        for (int low = 0; low <= 12; low++) /* cuts at half 12ths, and at the ends */
            for (int high = low; high <= (trial % 2 ? 12 : low); high++) {
                const double c = cost_by(rule, p, truth, N, (low + 0.5) / 12, (high + 0.5) / 12);

                least = fmin(least, c);
            }
        assert_int_equal(cr_evaluation_threshold(e, &t, &cost, NULL), CR_OK);
        assert_near(cost, least, 1e-12);
        assert_near(cost_by(rule, p, truth, N, t.low, t.high), least, 1e-12);
        cr_evaluation_free(e);
        cr_rule_free(rule);
    }
    cr_model_free(model);
}

/* --- texts and tables ------------------------------------------------------------------------- */

static void costs_are_read_by_name(void **state)
{
    cr_model *model = model_of(3);
    cr_rule *rule = rule_of(
        model, &(cr_rule_options){.costs = " *->cow = 7 ,bee->ant=.5,\n\"cow\" -> \"ant\"=2, "
                                           "ant->ant=0.25,"});
    const double expected[9] = {0.25, 1, 7, 0.5, 0, 7, 2, 1, 0};

    (void)state;
    for (size_t i = 0; i < 9; i++)
        assert_true(cr_rule_cost(rule, i / 3, (int32_t)(i % 3)) == expected[i]);
    assert_true(isinf(cr_rule_cost(rule, 0, CR_UNDECIDED)));
    cr_rule_free(rule);
    rule = rule_of(model, &(cr_rule_options){.costs = "*->*=3, bee->*=4, bee->cow=5"});
    for (size_t i = 0; i < 9; i++)
        assert_true(cr_rule_cost(rule, i / 3, (int32_t)(i % 3)) == (i / 3 == i % 3 ? 0
                                                                    : i / 3 != 1   ? 3
                                                                    : i % 3 == 2   ? 5
                                                                                   : 4));
    cr_rule_free(rule);
    cr_model_free(model);
}

static void write_file(const char *path, const char *text)
{
    FILE *f = fopen(path, "w");

    assert_non_null(f);
    fputs(text, f);
    fclose(f);
}

static void costs_are_read_from_a_table(void **state)
{
    cr_model *model = model_of(3);
    const double expected[9] = {0, 1, 9, 2, 0, 3, 1, 1, 0};
    cr_rule *rule;

    (void)state;
    write_file("costs.csv", "true, ant ,cow\nbee,2,3\nant,0,9\n"); /* no column of bee, no cow */
    rule = rule_of(model, &(cr_rule_options){.cost_file = "costs.csv"});
    for (size_t i = 0; i < 9; i++)
        assert_true(cr_rule_cost(rule, i / 3, (int32_t)(i % 3)) == expected[i]);
    cr_rule_free(rule);
    cr_model_free(model);
}

static void refused(const cr_model *model, cr_rule_options options, cr_status status,
                    const char *message, const char *hint)
{
    cr_rule *rule = (cr_rule *)(uintptr_t)1;
    cr_error err = {0};

    assert_int_equal(cr_rule_new(&rule, model, &options, &err), status);
    assert_null(rule);
    if (strstr(err.message, message) == NULL || strstr(err.hint, hint) == NULL)
        fail_msg("'%s' (%s) instead of '%s' (%s)", err.message, err.hint, message, hint);
}

static void wrong_rules_are_refused(void **state)
{
    static const struct {
        const char *costs, *message, *hint;
    } wrong[] = {
        {"ant->bea=1", "the model has no class 'bea'", "did you mean 'bee'?"},
        {"zebra->bee=1", "the model has no class 'zebra'", "its classes are 'ant', 'bee'"},
        {"ant->bee=-1", "a cost is -1; it must be at least 0", ""},
        {"ant->bee=nan", "the costs have 'nan' where a cost", "TRUE->DECIDED=COST"},
        {"ant->bee=inf", "the costs have 'inf' where a cost", ""},
        {"ant->bee=1e999", "the costs have '1e999' where a cost", ""},
        {"ant->bee=", "the costs lack a cost", ""},
        {"ant->bee", "the costs have 'bee' where a class and =", ""},
        {"ant=1", "the costs have 'ant=1' where a class and ->", ""},
        {"", "the costs lack a class and -> here", ""},
        {"ant->bee=1,,", "the costs lack a class and -> here", ""},
        {"\"ant->bee=1", "where a closing quote should be", ""},
    };
    cr_model *model = model_of(3);
    double cost[9] = {0};
    cr_rule *rule;
    cr_error err = {0};

    (void)state;
    for (size_t i = 0; i < sizeof wrong / sizeof *wrong; i++)
        refused(model, (cr_rule_options){.costs = wrong[i].costs}, CR_EARG, wrong[i].message,
                wrong[i].hint);
    assert_int_equal(
        cr_rule_new(&rule, model, &(cr_rule_options){.costs = "ant->bee=1, cow->dog=2"}, &err),
        CR_EARG);
    assert_int_equal(err.column, 18); /* of dog */
    cost[5] = NAN;
    refused(model, (cr_rule_options){.cost = cost}, CR_EARG, "class 2 for class 1 is nan", "");
    cost[5] = -2;
    refused(model, (cr_rule_options){.cost = cost}, CR_EARG, "is -2; it must be a number", "");
    refused(model, (cr_rule_options){.may_reject = 1, .reject_cost = -1}, CR_EARG,
            "the cost of rejecting is -1", "");
    refused(model, (cr_rule_options){.may_reject = 1, .reject_cost = NAN}, CR_EARG,
            "the cost of rejecting is", "");
    cr_model_free(model);
}

static void wrong_priors_are_refused(void **state)
{
    static const struct {
        const char *priors, *message, *hint;
    } wrong[] = {
        {"ant:.5,bee:.4,cow:.2", "the priors sum to 1.1, not to 1", ""},
        {"ant:.5,bee:.5", "the priors leave out the class 'cow'", "every class"},
        {"ant:.5,bee:.5,caw:0", "the model has no class 'caw'", "did you mean 'cow'?"},
        {"ant:.5,bee:.5,bee:0", "the priors name the class 'bee' twice", ""},
        {"ant:1.5,bee:-.5,cow:0", "the prior of 'ant' is 1.5", ""},
        {"ant:-0.5,bee:.5,cow:1", "the prior of 'ant' is -0.5", ""},
        {"ant:nan,bee:.5,cow:1", "they must be CLASS:P", ""},
        {"0.5,0.5", "they must be CLASS:P", ""},
        {"", "the priors leave out the class 'ant'", ""},
    };
    const char *knob = "prior=ant:1,bee:0,cow:0";
    cr_model *model = model_of(3);

    (void)state;
    for (size_t i = 0; i < sizeof wrong / sizeof *wrong; i++)
        refused(model, (cr_rule_options){.priors = wrong[i].priors}, CR_EARG, wrong[i].message,
                wrong[i].hint);
    assert_int_equal(cr_model_refit(model, &knob, 1, NULL), CR_OK);
    refused(model, (cr_rule_options){.priors = "ant:.5,bee:.5,cow:0"}, CR_ECONFLICT,
            "class 'bee' is impossible for the model", "");
    cr_model_free(model);
}

static void wrong_tables_are_refused(void **state)
{
    static const struct {
        const char *text, *message, *hint;
        size_t line, column;
    } wrong[] = {
        {"true,ant,bea\nant,0,1\n", "no class 'bea'", "did you mean 'bee'?", 1, 3},
        {"true,ant,bee\nant,0,1\ncaw,1,1\n", "no class 'caw'", "did you mean 'cow'?", 3, 1},
        {"true,ant,bee\nant,0,-1\n", "column 'bee' has '-1'", "at least 0", 2, 3},
        {"true,ant,bee\nant,nan,1\n", "column 'ant' has 'nan'", "at least 0", 2, 2},
        {"true,ant,bee\nant,,1\n", "no value in column 'ant'", "at least 0", 2, 2},
        {"true,ant,bee\n,0,1\n", "no value in column 'true'", "a true class", 2, 1},
        {"true\nant\n", "there are no costs in it", "", 0, 0},
    };
    cr_model *model = model_of(3);
    cr_rule *rule;

    (void)state;
    for (size_t i = 0; i < sizeof wrong / sizeof *wrong; i++) {
        cr_error err = {0};

        write_file("wrong.csv", wrong[i].text);
        assert_int_equal(
            cr_rule_new(&rule, model, &(cr_rule_options){.cost_file = "wrong.csv"}, &err),
            CR_EFORMAT);
        assert_null(rule);
        if (strstr(err.message, wrong[i].message) == NULL ||
            strstr(err.hint, wrong[i].hint) == NULL || err.line != wrong[i].line ||
            err.column != wrong[i].column)
            fail_msg("'%s' (%s) at %zu:%zu", err.message, err.hint, err.line, err.column);
        assert_string_equal(err.file, "wrong.csv");
    }
    refused(model, (cr_rule_options){.cost_file = "absent.csv"}, CR_EIO, "absent.csv", "");
    cr_model_free(model);
}

static void a_rule_of_other_classes_is_refused(void **state)
{
    static table t;
    cr_model *two = model_of(2), *three = model_of(3);
    cr_rule *rule = rule_of(three, &(cr_rule_options){0});
    const cr_predict_options options = {.rule = rule};
    const cr_sink sink = {0};
    cr_source *source;
    cr_error err = {0};

    (void)state;
    fill(&t, 2, 1);
    source = source_of(&t, 10);
    assert_int_equal(cr_model_predict(two, source, &options, &sink, NULL, NULL, &err), CR_EARG);
    assert_string_equal(err.message, "the rule is made for 3 classes, the model has 2");
    cr_source_close(source);
    cr_rule_free(rule);
    cr_model_free(two);
    cr_model_free(three);
}

static void memory_may_run_out_anywhere(void **state)
{
    const cr_rule_options options = {
        .cost_file = "costs.csv", .costs = "ant->bee=2", .priors = "ant:.5,bee:.25,cow:.25"};
    cr_model *model = model_of(3);
    cr_rule *rule;
    cr_status st = CR_ENOMEM;
    long limit = 0;

    (void)state;
    write_file("costs.csv", "true,ant,cow\nbee,2,3\nant,0,9\n");
    for (; st == CR_ENOMEM; limit++) {
        cr__memory_fail_after = limit;
        st = cr_rule_new(&rule, model, &options, NULL);
        cr__memory_fail_after = -1;
        assert_true(st == CR_OK || (st == CR_ENOMEM && rule == NULL));
    }
    assert_true(limit > 5);
    cr_rule_free(rule);
    cr_rule_free(NULL);
    cr_model_free(model);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(decisions_equal_brute_force),
        cmocka_unit_test(without_options_a_rule_changes_nothing),
        cmocka_unit_test(priors_equal_those_of_a_refitted_model),
        cmocka_unit_test(a_posterior_is_moved_to_other_priors),
        cmocka_unit_test(undecided_rows_have_their_reason),
        cmocka_unit_test(the_log_of_a_tiny_posterior_is_kept),
        cmocka_unit_test(the_threshold_of_two_classes),
        cmocka_unit_test(costs_are_averaged_over_the_rows),
        cmocka_unit_test(without_a_rule_a_mistake_costs_one),
        cmocka_unit_test(the_cheapest_thresholds_equal_brute_force),
        cmocka_unit_test(costs_are_read_by_name),
        cmocka_unit_test(costs_are_read_from_a_table),
        cmocka_unit_test(wrong_rules_are_refused),
        cmocka_unit_test(wrong_priors_are_refused),
        cmocka_unit_test(wrong_tables_are_refused),
        cmocka_unit_test(a_rule_of_other_classes_is_refused),
        cmocka_unit_test(memory_may_run_out_anywhere),
    };

    return cmocka_run_group_tests_name("rule", tests, NULL, NULL);
}
