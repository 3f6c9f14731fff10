/* tests/learners/test_beyond_query.c - tan, kdb, pairs and aode are queried, and converted to
 * networks.
 *
 * Every figure is compared with a sum over all complete rows of what the model answers for each:
 * prediction uses tables, queries use a network, and they share no code.
 */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <math.h>
#include <stdio.h>
#include <string.h>
#include <unistd.h>

#include <cmocka.h>

#include "base/random.h"
#include "credence/credence.h"

enum { ROWS = 300, CLASSES = 3, REALS = 3 };

/* --- models ----------------------------------------------------------------------------------- */

static const char *symbol[4][ROWS]; /* p, q, r and the class */
static double real[ROWS];

static int deal(void **state)
{
    static const char *const letters[] = {"a", "b", "c", "d"};
    cr__random rng;

    (void)state;
    cr__random_seed(&rng, 11);
    for (size_t i = 0; i < ROWS; i++) {
        const uint64_t c = cr__random_below(&rng, CLASSES), u = cr__random_below(&rng, 3);
        const uint64_t v = cr__random_below(&rng, 3) == 0 ? cr__random_below(&rng, 4) : (u + c) % 4;

        symbol[0][i] = letters[u];
        symbol[1][i] = cr__random_below(&rng, 9) == 0 ? NULL : letters[v];
        symbol[2][i] = letters[cr__random_below(&rng, 3) == 0 ? v : (u * v + c) % 3];
        symbol[3][i] = letters[c];
        real[i] = cr__random_below(&rng, 20) == 0 ? NAN : cr__random_normal(&rng) + (double)v;
    }
    return 0;
}

static cr_model *train(const char *learner, const char *knob)
{
    const cr_array arrays[] = {
        {.name = "p", .text = symbol[0], .role = CR_ROLE_FEATURE},
        {.name = "q", .text = symbol[1], .role = CR_ROLE_FEATURE},
        {.name = "x", .real = real, .role = CR_ROLE_FEATURE},
        {.name = "class", .text = symbol[3], .role = CR_ROLE_TARGET},
        {.name = "r", .text = symbol[2], .role = CR_ROLE_FEATURE},
    };
    const int nb = strcmp(learner, "nb") == 0;
    const char *knobs[] = {nb ? "real=bins:width:3" : "bins=x:0:2", knob};
    cr_source *source;
    cr_model *model;
    cr_error err = {0};

    assert_int_equal(cr_source_open_arrays(&source, arrays, 5, ROWS, NULL), CR_OK);
    if (cr_model_train(&model, source, learner, knobs, knob == NULL ? 1 : 2, NULL, NULL, &err) !=
        CR_OK)
        fail_msg("%s", err.message);
    cr_source_close(source);
    return model;
}

static const char *const kinds[][2] = {
    {"tan", NULL},        {"tan", "smoothing=laplace"}, {"kdb", NULL},  {"kdb", "k=3"},
    {"pairs", "pairs=2"}, {"pairs", "order=3"},         {"aode", NULL}, {"aode", "m=7"},
};

#define KINDS (sizeof kinds / sizeof *kinds)

/* --- questions -------------------------------------------------------------------------------- */

/* A complete row; x is the number of its interval: up to 0, up to 2, above. */
typedef struct world {
    const char *p, *q, *r, *c;
    int x;
} world;

static int is(const char *a, const char *b)
{
    return strcmp(a, b) == 0;
}

static int any(const world *w)
{
    (void)w;
    return 1;
}

static int class_a(const world *w)
{
    return is(w->c, "a");
}

static int p_b(const world *w)
{
    return is(w->p, "b");
}

static int q_c_and_class_b(const world *w)
{
    return is(w->q, "c") && is(w->c, "b");
}

static int r_a_or_x_low(const world *w)
{
    return is(w->r, "a") || w->x == 0;
}

static int x_high(const world *w)
{
    return w->x == 2;
}

static int p_a_q_not_b(const world *w)
{
    return is(w->p, "a") && !is(w->q, "b");
}

static int p_q_alike_in_a(const world *w)
{
    return (is(w->p, "a") && is(w->q, "a")) || (is(w->p, "b") && is(w->q, "b") && is(w->r, "c"));
}

static const struct {
    const char *text;
    int (*question)(const world *w), (*condition)(const world *w);
} questions[] = {
    {"P(class=a)", class_a, any},
    {"P(class=a | p=b)", class_a, p_b},
    {"P(p=b | class=a)", p_b, class_a},
    {"P(q=c and class=b | r=a or x<=0)", q_c_and_class_b, r_a_or_x_low},
    {"P(x>2 | p=a and not q=b)", x_high, p_a_q_not_b},
    {"P((p=a and q=a) or (p=b and q=b and r=c) | x>2)", p_q_alike_in_a, x_high},
    {"P(r=a or x<=0)", r_a_or_x_low, any},
};

#define QUESTIONS (sizeof questions / sizeof *questions)

/* P(question | condition) as the sum over all complete rows. */
static double sum_of(const cr_model *model, size_t k)
{
    static const double inside[REALS] = {-1, 1, 3};
    double top = 0, bottom = 0, p[CLASSES], log_evidence;
    int32_t decision;
    cr_row *row;

    assert_int_equal(cr_row_new(&row, model, NULL), CR_OK);
    for (size_t i = 0; i < 3 * 4 * 4 * REALS; i++) {
        world w = {.p = cr_model_value(model, 0, i % 3),
                   .q = cr_model_value(model, 1, i / 3 % 4),
                   .r = cr_model_value(model, 4, i / 12 % 4),
                   .x = (int)(i / 48)};

        cr_row_clear(row);
        cr_row_set_text(row, 0, w.p);
        cr_row_set_text(row, 1, w.q);
        cr_row_set_real(row, 2, inside[w.x]);
        cr_row_set_text(row, 4, w.r);
        assert_int_equal(cr_model_classify(model, row, p, &decision, &log_evidence), CR_OK);
        for (size_t c = 0; c < CLASSES; c++) {
            w.c = cr_model_class(model, c);
            if (!questions[k].condition(&w))
                continue;
            bottom += p[c] * exp(log_evidence);
            top += questions[k].question(&w) ? p[c] * exp(log_evidence) : 0;
        }
    }
    cr_row_free(row);
    return top / bottom;
}

static void assert_answers(const cr_model *asked, const cr_model *summed)
{
    for (size_t k = 0; k < QUESTIONS; k++) {
        const double expected = sum_of(summed, k);
        cr_answer *answer;
        cr_error err = {0};

        if (cr_query_run(asked, questions[k].text, &answer, &err) != CR_OK)
            fail_msg("%s: %s", questions[k].text, err.message);
        if (!(fabs(answer->probability - expected) < 1e-9))
            fail_msg("%s is %.15g, summed up %.15g", questions[k].text, answer->probability,
                     expected);
        cr_answer_free(answer);
    }
}

static void questions_are_answered_as_the_sum_over_all_rows(void **state)
{
    (void)state;
    for (size_t k = 0; k < KINDS; k++) {
        cr_model *model = train(kinds[k][0], kinds[k][1]);

        assert_int_equal(cr_model_values(model, 0), 3);
        assert_int_equal(cr_model_values(model, 1), 4);
        assert_int_equal(cr_model_values(model, 4), 4);
        assert_answers(model, model);
        cr_model_free(model);
    }
}

/* All values of a variable at once: they sum to 1 and are what is asked one by one. */
static void a_variable_is_asked_for_as_a_whole(void **state)
{
    (void)state;
    for (size_t k = 0; k < KINDS; k++) {
        cr_model *model = train(kinds[k][0], kinds[k][1]);
        cr_answer *whole, *one;
        double sum = 0;

        assert_int_equal(cr_query_run(model, "P(class | p=b)", &whole, NULL), CR_OK);
        assert_int_equal(cr_query_run(model, "P(class=a | p=b)", &one, NULL), CR_OK);
        for (size_t v = 0; v < whole->values; v++) {
            sum += whole->p[v];
            if (is(whole->value[v], "a"))
                assert_true(fabs(whole->p[v] - one->probability) < 1e-12);
        }
        assert_true(fabs(sum - 1) < 1e-12);
        cr_answer_free(whole);
        cr_answer_free(one);
        cr_model_free(model);
    }
}

/* --- networks --------------------------------------------------------------------------------- */

static void a_copy_as_a_network_gives_the_same_answers(void **state)
{
    static const char *const more[][2] = {{"nb", NULL}, {"nb", "alpha=0.5"}};

    (void)state;
    for (size_t k = 0; k < KINDS + 2; k++) {
        const char *const *kind = k < KINDS ? kinds[k] : more[k - KINDS];
        cr_model *model = train(kind[0], kind[1]), *network;
        cr_answer *a, *b;
        cr_error err = {0};

        if (is(kind[0], "aode")) { /* it is many networks */
            assert_int_equal(cr_network_copy(&network, model, "class", &err), CR_EARG);
            cr_model_free(model);
            continue;
        }
        if (cr_network_copy(&network, model, "class", &err) != CR_OK)
            fail_msg("%s", err.message);
        assert_int_equal(cr_network_nodes(network), 5);
        for (size_t q = 0; q < QUESTIONS; q++) {
            if (strstr(questions[q].text, "x") != NULL) /* its intervals are words there */
                continue;
            assert_int_equal(cr_query_run(model, questions[q].text, &a, NULL), CR_OK);
            assert_int_equal(cr_query_run(network, questions[q].text, &b, NULL), CR_OK);
            assert_true(fabs(a->probability - b->probability) < 1e-12);
            cr_answer_free(a);
            cr_answer_free(b);
        }
        cr_model_free(network);
        cr_model_free(model);
    }
}

static void densities_are_no_tables(void **state)
{
    cr_model *model = train("nb", "real=gaussian"), *network;
    cr_error err = {0};

    (void)state;
    assert_int_equal(cr_network_copy(&network, model, "class", &err), CR_ECONFLICT);
    assert_non_null(strstr(err.message, "'x'"));
    assert_null(network);
    cr_model_free(model);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(questions_are_answered_as_the_sum_over_all_rows),
        cmocka_unit_test(a_variable_is_asked_for_as_a_whole),
        cmocka_unit_test(a_copy_as_a_network_gives_the_same_answers),
        cmocka_unit_test(densities_are_no_tables),
    };

    return cmocka_run_group_tests_name("beyond_query", tests, deal, NULL);
}
