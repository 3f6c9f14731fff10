/* tests/network/test_session.c - many queries of one network, by whichever way is cheaper. */
#include "network/nets.h"

#include "base/memory.h"
#include "credence/credence.h"
#include "learners/network/network_model.h"
#include "network/infer/session.h"

enum { NODES = 40, QUERIES = 300, EVIDENCE = 4, MOST_STATES = 8 };

static void observe_at_random(cr__random *random, const cr__network *net, uint32_t *state)
{
    const uint32_t node = (uint32_t)cr__random_below(random, net->nodes);

    state[node] = cr__random_below(random, 3) == 0
                      ? UINT32_MAX
                      : (uint32_t)cr__random_below(random, net->states[node]);
}

/* P(node, evidence) by a session and by a single elimination, as logarithms. */
static void compare(cr__inference_session *s, const cr__network *net, const cr__evidence *given,
                    uint32_t node)
{
    double p[MOST_STATES], want[MOST_STATES];
    int64_t exponent, exponent_want;
    cr_error err = {0};

    if (cr__inference_session_joint(s, given, &node, 1, p, &exponent, &err) != CR_OK ||
        cr__ask_joint(net, given, &node, 1, 0, NULL, want, &exponent_want, &err) != CR_OK)
        fail_msg("%s", err.message);
    for (uint32_t k = 0; k < net->states[node]; k++) {
        const double got = ldexp(p[k], (int)(exponent - exponent_want));

        if (!(fabs(got - want[k]) <= 1e-12 * fmax(want[k], 1e-6)))
            fail_msg("state %u of node %u is %.17g, not %.17g", k, node, got, want[k]);
    }
}

/* In a third of the networks the evidence stays as it is, in the others it changes with some or all
 * queries. Where it stays, the tree must have answered most of the queries. */
static void sessions_give_the_answers_of_single_queries(void **state)
{
    cr__random random;

    (void)state;
    cr__random_seed(&random, 20);
    for (int round = 0; round < 9; round++) {
        cr__network *net = net_at_random(&random, NODES);
        uint32_t known[NODES];
        double likelihood[MOST_STATES], *soft[NODES] = {0};
        const cr__evidence given = {known, (const double *const *)soft};
        cr__inference_session *s;

        for (uint32_t i = 0; i < NODES; i++)
            known[i] = UINT32_MAX;
        for (int i = 0; i < EVIDENCE; i++)
            observe_at_random(&random, net, known);
        for (uint32_t k = 0; k < MOST_STATES; k++)
            likelihood[k] = 0.1 + cr__random_uniform(&random);
        assert_int_equal(cr__inference_session_new(&s, net, 0, NULL), CR_OK);
        for (int q = 0; q < QUERIES; q++) {
            if (round % 3 > 0 && q % (round % 3 == 1 ? 10 : 1) == 0)
                observe_at_random(&random, net, known);
            if (round % 3 == 2 && q % 50 == 0)
                soft[cr__random_below(&random, NODES)] = likelihood;
            compare(s, net, &given, (uint32_t)cr__random_below(&random, NODES));
        }
        if (round % 3 == 0)
            assert_true(cr__inference_session_propagations(s) > QUERIES / 2);
        cr__inference_session_free(s);
        cr__network_free(net);
    }
}

/* A tree that would take too much memory is not built, and the queries are answered without it. */
static void little_memory_leaves_eliminations(void **state)
{
    cr__random random;
    cr__network *net;
    uint32_t known[NODES];
    const cr__evidence given = {known, NULL};
    cr__inference_session *s;

    (void)state;
    cr__random_seed(&random, 21);
    net = net_at_random(&random, NODES);
    for (uint32_t i = 0; i < NODES; i++)
        known[i] = UINT32_MAX;
    assert_int_equal(cr__inference_session_new(&s, net, 1000, NULL), CR_OK);
    for (int q = 0; q < QUERIES; q++)
        compare(s, net, &given, 0); /* a root: nothing is above it */
    assert_int_equal(cr__inference_session_propagations(s), 0);
    cr__inference_session_free(s);
    cr__network_free(net);
}

/* AIMA's burglary: every kind of query, in a session of its own and alone. */
static void the_language_of_queries_has_sessions(void **state)
{
    static const char *const query[] = {"P(B=true | J=true, M=true)",
                                        "P(A | J=true)",
                                        "P(* | M=true)",
                                        "P(J | do(A=true))",
                                        "argmax(B, E | J=true)",
                                        "inform(B | J=true)",
                                        "P(B, E | A=true)",
                                        "P(B=true or E=true | J=true)"};
    cr_model *model = NULL;
    cr_query_session *session;
    cr_answer *a, *b;
    cr_error err = {0};

    (void)state;
    if (cr__network_model_model(&model, net_of_text(burglary_text), NULL, &err) != CR_OK ||
        cr_query_session_new(&session, model, &err) != CR_OK)
        fail_msg("%s", err.message);
    for (size_t i = 0; i < 400; i++) {
        const char *text = query[i % 8];

        if (cr_query_session_run(session, text, &a, &err) != CR_OK ||
            cr_query_run(model, text, &b, &err) != CR_OK)
            fail_msg("%s: %s", text, err.message);
        assert_int_equal(a->kind, b->kind);
        assert_true(fabs(a->probability - b->probability) < 1e-12);
        assert_true(fabs(a->log_condition - b->log_condition) < 1e-12);
        assert_int_equal(a->variables, b->variables);
        cr_answer_free(a);
        cr_answer_free(b);
    }
    assert_int_equal(cr_query_session_run(session, "P(B | A=true, A=false)", &a, &err),
                     CR_ECONFLICT);
    assert_int_equal(cr_query_session_run(session, "P(nobody)", &a, &err), CR_EARG);
    cr_query_session_free(session);
    cr_model_free(model);
}

/* Memory that runs out anywhere in a session is an error, and the next query is right. */
static void running_out_of_memory_is_survived(void **state)
{
    cr_model *model = NULL;
    cr_query_session *session = NULL;
    cr_answer *answer;
    cr_status st = CR_ENOMEM;
    long n;

    (void)state;
    assert_int_equal(cr__network_model_model(&model, net_of_text(burglary_text), NULL, NULL),
                     CR_OK);
    for (n = 0; st != CR_OK && n < 1000; n++) {
        cr__memory_fail_after = n;
        st = cr_query_session_new(&session, model, NULL);
        cr__memory_fail_after = -1;
    }
    assert_true(st == CR_OK && n > 1);
    for (n = 0; n < 600; n++) {
        cr__memory_fail_after = n % 60;
        st =
            cr_query_session_run(session, n % 2 ? "P(A | J=true)" : "P(* | J=true)", &answer, NULL);
        cr__memory_fail_after = -1;
        assert_true(st == CR_OK || st == CR_ENOMEM);
        cr_answer_free(answer);
        assert_int_equal(cr_query_session_run(session, "P(B=true | J=true, M=true)", &answer, NULL),
                         CR_OK);
        /* 0.284 in AIMA, 13.3; by hand from the tables */
        assert_true(fabs(answer->probability - 0.28417183536439294) < 1e-12);
        cr_answer_free(answer);
    }
    cr_query_session_free(session);
    cr_model_free(model);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(sessions_give_the_answers_of_single_queries),
        cmocka_unit_test(little_memory_leaves_eliminations),
        cmocka_unit_test(the_language_of_queries_has_sessions),
        cmocka_unit_test(running_out_of_memory_is_survived),
    };
    return cmocka_run_group_tests_name("session", tests, NULL, NULL);
}
