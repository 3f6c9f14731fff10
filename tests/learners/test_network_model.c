/* tests/learners/test_network_model.c - a network as a model: saved, asked, scored, explained. */
#include "network/nets.h"

#include "base/memory.h"
#include "credence/credence.h"
#include "learners/network/network_model.h"

static cr_model *model_of(const char *text, const char *target)
{
    cr_model *model = NULL;
    cr_error err = {0};

    if (cr__network_model_model(&model, net_of_text(text), target, &err) != CR_OK)
        fail_msg("%s", err.message);
    return model;
}

static double ask(const cr_model *model, const char *query)
{
    cr_answer *answer = NULL;
    cr_error err = {0};
    double p;

    if (cr_query_run(model, query, &answer, &err) != CR_OK)
        fail_msg("%s: %s", query, err.message);
    p = answer->probability;
    cr_answer_free(answer);
    return p;
}

static void near(double found, double expected)
{
    if (!(fabs(found - expected) < 1e-12))
        fail_msg("%.17g is not %.17g", found, expected);
}

/* By hand from the tables: P(A) etc. are in AIMA, 13.3. */
static void the_language_of_queries_works(void **state)
{
    cr_model *model = model_of(burglary_text, NULL);

    (void)state;
    near(ask(model, "P(B=true | J=true, M=true)"), .2841718353643929);
    near(ask(model, "P(B=true or E=true)"), 1 - .999 * .998);
    near(ask(model, "P(not (B=true or E=true) | B=false)"), .998);
    near(ask(model, "P(A=true | B=true and E=true)"), .95);
    near(ask(model, "P(J=true, M=true | A in {true})"), .63);
    near(ask(model, "P(J=true | (A=true or A=false), A=true)"), .9);
    /* P(A) = .001*.002*.95 + .001*.998*.94 + .999*.002*.29 + .999*.998*.001 */
    near(ask(model, "P(A=true)"),
         .001 * .002 * .95 + .001 * .998 * .94 + .999 * .002 * .29 + .999 * .998 * .001);
    /* A condition that is more than facts: P(J | B or E). */
    {
        const double be = .001 * .002, b = .001 * .998, e = .999 * .002;
        const double a = be * .95 + b * .94 + e * .29, all = be + b + e;

        near(ask(model, "P(J=true | B=true or E=true)"), (a * .9 + (all - a) * .05) / all);
    }
    cr_model_free(model);
}

static void impossible_conditions_are_refused(void **state)
{
    cr_model *model = model_of("a: y n\nb: y n\na = 1 0\nb | a\n y = .5\n n = .5\n", NULL);
    cr_answer *answer;
    cr_error err = {0};

    (void)state;
    assert_int_equal(cr_query_run(model, "P(b=y | a=n)", &answer, &err), CR_ECONFLICT);
    assert_int_equal(cr_query_run(model, "P(b=y | a=n, a=y)", &answer, &err), CR_ECONFLICT);
    cr_model_free(model);
}

static void knobs_choose_the_method_and_soft_evidence(void **state)
{
    static const char *const weighting[] = {"method=weighting", "samples=200000", "seed=3"};
    static const char *const gibbs[] = {"method=gibbs"};
    static const char *const soft[] = {"method=exact", "soft=A=true:.8,false:.2;E=true:1"};
    static const char *const wrong[] = {"soft=A=maybe:1"};
    cr_model *model = model_of(burglary_text, NULL);
    cr_answer *answer;
    cr_error err = {0};
    double on, off;

    (void)state;
    assert_int_equal(cr_model_refit(model, weighting, 3, &err), CR_OK);
    assert_int_equal(cr_query_run(model, "P(A=true | J=true)", &answer, &err), CR_OK);
    assert_string_equal(answer->method, "weighting");
    assert_true(answer->error > 0 && answer->error < .01 && answer->samples >= 200000);
    assert_true(fabs(answer->probability - .0434) < 5 * answer->error);
    cr_answer_free(answer);
    assert_int_equal(cr_model_refit(model, gibbs, 1, &err), CR_OK);
    assert_int_equal(cr_query_run(model, "P(A | J=true, M=true)", &answer, &err), CR_OK);
    assert_true(fabs(answer->p[0] - .7607) < 6 * answer->errors[0] &&
                !isnan(answer->log_condition));
    cr_answer_free(answer);
    assert_int_equal(cr_model_refit(model, soft, 2, &err), CR_OK);
    /* E is true: P(B) is in proportion to P(b) sum P(a | b, e) L(a). */
    on = .001 * (.95 * .8 + .05 * .2);
    off = .999 * (.29 * .8 + .71 * .2);
    near(ask(model, "P(B=true)"), on / (on + off));
    assert_int_equal(cr_model_refit(model, wrong, 1, &err), CR_EARG);
    near(ask(model, "P(B=true)"), on / (on + off)); /* unchanged */
    cr_model_free(model);
}

static void the_best_explanation_obeys_its_condition(void **state)
{
    cr_model *model = model_of(burglary_text, NULL);
    cr_states *s = NULL;
    cr_error err = {0};

    (void)state;
    assert_int_equal(cr_query_best(model, "J=true and M=true", &s, &err), CR_OK);
    /* no burglary, no earthquake, alarm: .999*.998*.001*.9*.7, over P(j, m) = .002084100239 */
    near(exp(s->log_probability), .999 * .998 * .001 * .63 / exp(s->log_condition));
    assert_true(fabs(exp(s->log_condition) - .002084100239) < 1e-12);
    assert_int_equal(s->value[2], 0);
    assert_int_equal(s->given[3], 1);
    cr_states_free(s);
    assert_int_equal(cr_query_best(model, "J=true or M=true", &s, &err), CR_EARG);
    assert_int_equal(cr_query_best(model, "J=tru", &s, &err), CR_EARG);
    assert_int_equal(err.column, 3);
    cr_model_free(model);
}

/* Bytes of a model file of the network. */
static void saved_and_opened_it_is_the_same(void **state)
{
    cr__random random;

    (void)state;
    cr__random_seed(&random, 8);
    for (int i = 0; i < 20; i++) {
        cr__network *net = net_at_random(&random, 1 + (uint32_t)(i % 9));
        cr_model *model = NULL, *back = NULL;
        const double *a, *b;
        size_t cells, other;
        cr_error err = {0};

        assert_int_equal(cr__network_model_model(&model, net, net->name[0], &err), CR_OK);
        assert_int_equal(cr_model_save(model, "net.cred", &err), CR_OK);
        if (cr_model_load(&back, "net.cred", 0, &err) != CR_OK)
            fail_msg("%s", err.message);
        assert_int_equal(cr_network_nodes(back), cr_network_nodes(model));
        for (size_t n = 0; n < cr_network_nodes(model); n++) {
            a = cr_network_table(model, n, &cells);
            b = cr_network_table(back, n, &other);
            assert_int_equal(cells, other);
            assert_memory_equal(a, b, cells * sizeof *a);
            assert_true(cr_network_parent(model, n, 0) == cr_network_parent(back, n, 0));
        }
        assert_int_equal(cr_model_target(back), 0);
        cr_model_free(model);
        cr_model_free(back);
    }
    remove("net.cred");
}

/* --- rows ------------------------------------------------------------------------------------- */

typedef struct tally {
    uint32_t target;
    double p[8];
} tally;

static void add(void *context, const uint32_t *state, double p)
{
    tally *t = context;

    t->p[state[t->target]] += p;
}

/* Rows with gaps, complete rows, and values never seen: all as enumeration says. */
static void scores_are_those_of_enumeration(void **state)
{
    cr__random random;

    (void)state;
    cr__random_seed(&random, 21);
    for (int i = 0; i < 30; i++) {
        cr__network *net = net_at_random(&random, 2 + (uint32_t)(i % 7));
        const uint32_t nodes = net->nodes, target = (uint32_t)cr__random_below(&random, nodes);
        uint32_t *observed = malloc(nodes * sizeof *observed);
        const cr__evidence given = {.state = observed};
        cr_schema *schema = NULL;
        cr_model *model = NULL;
        cr__batch *batch = NULL;
        double score[8];
        void *scorer = NULL;

        assert_int_equal(cr__network_model_model(&model, net, net->name[target], NULL), CR_OK);
        assert_int_equal(cr__network_model_begin(&scorer, model->share->fitted, NULL), CR_OK);
        assert_int_equal(cr__schema_copy(&schema, model->schema, NULL), CR_OK);
        assert_int_equal(cr__batch_new(&batch, schema, NULL), CR_OK);
        batch->rows = 1;
        for (int row = 0; row < 20; row++) {
            tally t = {.target = target};

            for (uint32_t n = 0; n < nodes; n++) {
                const uint64_t what = cr__random_below(&random, 5);

                observed[n] = UINT32_MAX;
                batch->column[n].code[0] = what == 0 ? 0 : net->states[n] + 1;
                if (n != target && (what > 1 || row < 5)) {
                    observed[n] = (uint32_t)cr__random_below(&random, net->states[n]);
                    batch->column[n].code[0] = observed[n] + 1;
                }
            }
            net_enumerate(net, &given, add, &t);
            assert_int_equal(
                cr__network_model_score(model->share->fitted, scorer, batch, score, NULL), CR_OK);
            for (uint32_t c = 0; c < net->states[target]; c++)
                assert_true(t.p[c] == 0 ? score[c] == -INFINITY
                                        : fabs(score[c] - log(t.p[c])) < 1e-11);
        }
        cr__network_model_end(scorer);
        cr__batch_free(batch);
        cr__schema_free(schema);
        cr_model_free(model);
        free(observed);
    }
}

/* --- the handle ------------------------------------------------------------------------------- */

static void programs_observe_ask_and_forget(void **state)
{
    cr_model *model = model_of(burglary_text, NULL);
    const size_t both[2] = {0, 1};
    double p[2], joint[4], all[10], log_p, error[10];
    size_t best[5];
    cr_network *n = NULL;
    cr_network_cost cost;
    cr_network_sampled about;
    cr_error err = {0};

    (void)state;
    assert_int_equal(cr_network_open(&n, model, NULL, &err), CR_OK);
    assert_int_equal(cr_network_observe(n, 3, 0, &err), CR_OK);
    assert_int_equal(cr_network_observe(n, 4, 0, &err), CR_OK);
    assert_int_equal(cr_network_observe(n, 4, 2, &err), CR_EARG);
    assert_int_equal(cr_network_observe(n, 5, 0, &err), CR_EARG);
    assert_int_equal(cr_network_posterior(n, 0, p, &err), CR_OK);
    near(p[0], .2841718353643929);
    assert_int_equal(cr_network_joint(n, both, 2, joint, &err), CR_OK);
    near(joint[0] + joint[1], .2841718353643929);
    assert_int_equal(cr_network_explanation(n, best, &log_p, &err), CR_OK);
    assert_int_equal(best[2], 0);
    assert_int_equal(cr_network_estimate(n, &cost, &err), CR_OK);
    assert_true(cost.largest > 0 && cost.bytes > 0);
    assert_int_equal(cr_network_sample(n, CR_NETWORK_GIBBS, 50000, 1, all, error, &about, &err),
                     CR_OK);
    assert_true(fabs(all[0] - p[0]) < 6 * error[0]);
    cr_network_forget(n);
    assert_int_equal(cr_network_posteriors(n, all, &err), CR_OK);
    near(all[0], .001);
    assert_int_equal(cr_network_soften(n, 0, (const double[]){2, 1}, &err), CR_OK);
    assert_int_equal(cr_network_posterior(n, 0, p, &err), CR_OK);
    near(p[0], .002 / (.002 + .999));
    assert_int_equal(cr_network_soften(n, 0, (const double[]){0, 0}, &err), CR_EARG);
    cr_network_close(n);
    cr_model_free(model);
}

/* Wherever memory runs out, the answer is CR_ENOMEM and nothing leaks (which ASan would see). */
static void memory_may_run_out_anywhere(void **state)
{
    int through = 0;

    (void)state;
    for (long n = 0; !through; n++) {
        cr__network *net = NULL;
        cr_model *model = NULL;
        cr_answer *answer = NULL;
        cr_status st;

        cr__memory_fail_after = n;
        st = cr__network_parse(&net, CR__NETWORK_PLAIN, NULL, burglary_text, strlen(burglary_text),
                               NULL);
        if (st == CR_OK)
            st = cr__network_model_model(&model, net, "B", NULL);
        if (st == CR_OK)
            st = cr_query_run(model, "P(B=true | J=true or M=true, E=false)", &answer, NULL);
        through = cr__memory_fail_after >= 0;
        cr__memory_fail_after = -1;
        assert_true(through ? st == CR_OK : st == CR_OK || st == CR_ENOMEM);
        cr_answer_free(answer);
        cr_model_free(model);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(the_language_of_queries_works),
        cmocka_unit_test(impossible_conditions_are_refused),
        cmocka_unit_test(knobs_choose_the_method_and_soft_evidence),
        cmocka_unit_test(the_best_explanation_obeys_its_condition),
        cmocka_unit_test(saved_and_opened_it_is_the_same),
        cmocka_unit_test(scores_are_those_of_enumeration),
        cmocka_unit_test(programs_observe_ask_and_forget),
        cmocka_unit_test(memory_may_run_out_anywhere),
    };

    return cmocka_run_group_tests_name("networks as models", tests, NULL, NULL);
}
