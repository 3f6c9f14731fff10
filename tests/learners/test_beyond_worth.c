/* tests/learners/test_beyond_worth.c - which dependences tan, kdb, pairs and aode take up. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <math.h>
#include <stdio.h>
#include <string.h>

#include <cmocka.h>

#include "credence/credence.h"

enum { ROWS = 96 };

/* Every combination of p, r and the class equally often; q is p but for one row in eight. Given the
 * class, p and q depend on each other, and r on nothing: its I is 0 exactly. k is always the same
 * number. */
static const char *text[4][ROWS];
static double constant[ROWS];

static int deal(void **state)
{
    static const char *const letters[] = {"a", "b", "c"};

    (void)state;
    for (size_t i = 0; i < ROWS; i++) {
        const size_t p = i % 2;

        text[0][i] = letters[p];
        text[1][i] = letters[i / 12 == 7 ? 1 - p : p];
        text[2][i] = letters[i / 4 % 3];
        text[3][i] = letters[i / 2 % 2];
        constant[i] = 7;
    }
    return 0;
}

static cr_model *train(const char *learner, const char *knob, int with_constant)
{
    const cr_array arrays[] = {
        {.name = "p", .text = text[0], .role = CR_ROLE_FEATURE},
        {.name = "q", .text = text[1], .role = CR_ROLE_FEATURE},
        {.name = "r", .text = text[2], .role = CR_ROLE_FEATURE},
        {.name = "class", .text = text[3], .role = CR_ROLE_TARGET},
        {.name = "k", .real = constant, .role = CR_ROLE_FEATURE},
    };
    cr_source *source;
    cr_model *model;
    cr_error err = {0};

    assert_int_equal(cr_source_open_arrays(&source, arrays, with_constant ? 5 : 4, ROWS, NULL),
                     CR_OK);
    if (cr_model_train(&model, source, learner, &knob, knob != NULL, NULL, NULL, &err) != CR_OK)
        fail_msg("%s", err.message);
    cr_source_close(source);
    return model;
}

static void write_line(void *context, size_t depth, const char *line)
{
    char *out = context;

    snprintf(out + strlen(out), 200 - strlen(out), "%zu %s;", depth, line);
}

static void assert_picture(const char *learner, const char *knob, const char *expected)
{
    cr_model *model = train(learner, knob, 0);
    char picture[200] = "";

    assert_int_equal(cr_model_draw(model, write_line, picture, NULL), CR_OK);
    assert_string_equal(picture, expected);
    cr_model_free(model);
}

/* p and q: n I is far above their 2 degrees of freedom; r: 0 - 4 (with 3 values, 2 classes). */
static void a_dependence_that_is_worth_nothing_is_left_out(void **state)
{
    (void)state;
    assert_picture("tan", NULL, "0 p;1 q;0 r;");
    assert_picture("tan", "worth=bic", "0 p;1 q;0 r;");
    assert_picture("kdb", NULL, "0 p;1 q;0 r;");
    assert_picture("pairs", NULL, "0 p;1 q;0 r;");
}

/* As published: a whole tree, and for each feature as many parents as there may be. */
static void all_dependences_are_taken_up_on_request(void **state)
{
    (void)state;
    assert_picture("tan", "worth=all", "0 p;1 q;1 r;");
    assert_picture("kdb", "worth=all", "0 p;0 q <- p;0 r <- p, q;");
}

/* A column of one interval is no parent and has no model in the mean. */
static void a_constant_column_changes_no_answer(void **state)
{
    static const char *const kinds[][2] = {{"tan", NULL},   {"tan", "worth=all"},
                                           {"kdb", NULL},   {"kdb", "worth=all"},
                                           {"pairs", NULL}, {"aode", NULL}};

    (void)state;
    for (size_t k = 0; k < sizeof kinds / sizeof *kinds; k++) {
        cr_model *with = train(kinds[k][0], kinds[k][1], 1);
        cr_model *without = train(kinds[k][0], kinds[k][1], 0);
        cr_row *a, *b;

        assert_int_equal(cr_row_new(&a, with, NULL), CR_OK);
        assert_int_equal(cr_row_new(&b, without, NULL), CR_OK);
        for (size_t i = 0; i < ROWS; i++) {
            double p[2], q[2], log_p, log_q;
            int32_t decision;

            cr_row_clear(a);
            cr_row_clear(b);
            for (size_t j = 0; j < 3; j++) {
                cr_row_set_text(a, j, text[j][i]);
                cr_row_set_text(b, j, text[j][i]);
            }
            cr_row_set_real(a, 4, 7);
            assert_int_equal(cr_model_classify(with, a, p, &decision, &log_p), CR_OK);
            assert_int_equal(cr_model_classify(without, b, q, &decision, &log_q), CR_OK);
            assert_true(fabs(p[0] - q[0]) < 1e-12 && fabs(log_p - log_q) < 1e-12);
        }
        cr_row_free(a);
        cr_row_free(b);
        cr_model_free(with);
        cr_model_free(without);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(a_dependence_that_is_worth_nothing_is_left_out),
        cmocka_unit_test(all_dependences_are_taken_up_on_request),
        cmocka_unit_test(a_constant_column_changes_no_answer),
    };

    return cmocka_run_group_tests_name("beyond_worth", tests, deal, NULL);
}
