/* tests/model/test_impute.c - missing values filled in: what is learned, kept and applied. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#include "credence/credence.h"
#include "support/model_bytes.h"

#define GAP NAN

enum { ROWS = 8 };

/* b is 10 - 2 a, shape follows a; five b are there. */
static const double a[ROWS] = {1, 2, 3, 4, 5, 6, 7, GAP};
static const double b[ROWS] = {8, 6, GAP, 2, GAP, -2, GAP, 4};
static const double none[ROWS] = {GAP, GAP, GAP, GAP, GAP, GAP, GAP, GAP};
static const char *const shape[ROWS] = {"low", "low", "low", "low", "high", "high", NULL, "low"};
static const char *const class[ROWS] = {"n", "n", "n", "n", "y", "y", "y", "n"};

static cr_source *open_rows(void)
{
    const cr_array arrays[] = {{.name = "a", .real = a, .role = CR_ROLE_FEATURE},
                               {.name = "b", .real = b, .role = CR_ROLE_FEATURE},
                               {.name = "shape", .text = shape, .role = CR_ROLE_FEATURE},
                               {.name = "class", .text = class, .role = CR_ROLE_TARGET}};
    cr_source *source;
    cr_error err = {0};

    if (cr_source_open_arrays(&source, arrays, 4, ROWS, &err) != CR_OK)
        fail_msg("%s", err.message);
    return source;
}

typedef struct text {
    char bytes[4096];
    size_t size;
} text;

static cr_status take(void *context, const char *bytes, size_t size)
{
    text *t = context;

    assert_true(t->size + size < sizeof t->bytes);
    memcpy(t->bytes + t->size, bytes, size);
    t->size += size;
    t->bytes[t->size] = '\0';
    return CR_OK;
}

static void impute(const char *how, const cr_model *model, const char *expected)
{
    text out = {.size = 0};
    const cr_impute_options options = {.how = how, .model = model, .write = take, .context = &out};
    cr_source *source = open_rows();
    cr_error err = {0};

    if (cr_impute(source, &options, NULL, NULL, &err) != CR_OK)
        fail_msg("%s", err.message);
    assert_string_equal(out.bytes, expected);
    cr_source_close(source);
}

static cr_model *train(const char *learner, const char *param)
{
    const char *const params[] = {param};
    cr_source *source = open_rows();
    cr_model *model;
    cr_error err = {0};

    if (cr_model_train(&model, source, learner, params, 1, NULL, NULL, &err) != CR_OK)
        fail_msg("%s", err.message);
    cr_source_close(source);
    return model;
}

/* Means: a 28/7, b 18/5; medians: a 4, b 4; modes: the smallest of equals. Shapes: low. */
static void columns_are_filled_by_what_they_have(void **state)
{
    (void)state;
    impute("mean", NULL,
           "a,b,shape,class\n1,8,low,n\n2,6,low,n\n3,3.6,low,n\n4,2,low,n\n5,3.6,high,y\n"
           "6,-2,high,y\n7,3.6,low,y\n4,4,low,n\n");
    impute("median", NULL,
           "a,b,shape,class\n1,8,low,n\n2,6,low,n\n3,4,low,n\n4,2,low,n\n5,4,high,y\n"
           "6,-2,high,y\n7,4,low,y\n4,4,low,n\n");
    impute("mode", NULL,
           "a,b,shape,class\n1,8,low,n\n2,6,low,n\n3,-2,low,n\n4,2,low,n\n5,-2,high,y\n"
           "6,-2,high,y\n7,-2,low,y\n1,4,low,n\n");
    impute("drop", NULL, "a,b,shape,class\n1,8,low,n\n2,6,low,n\n4,2,low,n\n6,-2,high,y\n");
}

/* A table in which one column follows from another: the regression finds it. */
static void the_model_predicts_each_value_from_the_others(void **state)
{
    enum { N = 40 };
    static double x[N], y[N];
    static const char *word[N];
    const cr_array arrays[] = {{.name = "x", .real = x, .role = CR_ROLE_FEATURE},
                               {.name = "y", .real = y, .role = CR_ROLE_FEATURE},
                               {.name = "word", .text = word, .role = CR_ROLE_FEATURE}};
    text out = {.size = 0};
    const cr_impute_options options = {.how = "model", .write = take, .context = &out};
    cr_source *source;
    cr_impute_tally tally;
    const char *line;

    (void)state;
    for (size_t i = 0; i < N; i++) {
        x[i] = (double)((i * 7) % N);
        y[i] = 10 - 2 * x[i];
        word[i] = x[i] < 20 ? "small" : "large";
    }
    y[3] = x[8] = NAN; /* x[3] is 21, x[8] was 16 */
    word[5] = NULL;    /* x[5] is 35 */
    assert_int_equal(cr_source_open_arrays(&source, arrays, 3, N, NULL), CR_OK);
    assert_int_equal(cr_impute(source, &options, NULL, &tally, NULL), CR_OK);
    cr_source_close(source);
    assert_int_equal(tally.filled, 3);
    assert_int_equal(tally.left, 0);
    line = out.bytes;
    for (size_t i = 0; i < N; i++) {
        char *end;
        double first, second;

        line = strchr(line, '\n') + 1;
        first = strtod(line, &end);
        second = strtod(end + 1, &end);
        if (i == 3)
            assert_true(fabs(second - -32) < 0.05);
        if (i == 8)
            assert_true(fabs(first - 16) < 0.05);
        if (i == 5)
            assert_true(strncmp(end, ",large\n", 7) == 0);
    }
}

/* With everything learned and kept, the rows of the table are filled as in training. */
static void what_was_learned_is_kept_with_the_model(void **state)
{
    cr_model *model = train("nb", "impute=mean"), *loaded;
    cr_error err = {0};

    (void)state;
    assert_string_equal(cr_model_impute(model), "mean");
    assert_int_equal(cr_model_save(model, "impute.model", &err), CR_OK);
    if (cr_model_load(&loaded, "impute.model", 0, &err) != CR_OK)
        fail_msg("%s", err.message);
    assert_same_model(model, loaded);
    impute(NULL, loaded,
           "a,b,shape,class\n1,8,low,n\n2,6,low,n\n3,3.6,low,n\n4,2,low,n\n5,3.6,high,y\n"
           "6,-2,high,y\n7,3.6,low,y\n4,4,low,n\n");
    cr_model_free(loaded);
    cr_model_free(model);
}

static void answer(const cr_model *model, const double *x, const char *word, double *posterior)
{
    cr_row *row;
    int32_t decision;

    assert_int_equal(cr_row_new(&row, model, NULL), CR_OK);
    cr_row_set_real(row, 0, x[0]);
    cr_row_set_real(row, 1, x[1]);
    cr_row_set_text(row, 2, word);
    for (int twice = 0; twice < 2; twice++) /* an answer leaves the row as it was */
        assert_int_equal(cr_model_classify(model, row, posterior, &decision, NULL), CR_OK);
    cr_row_free(row);
}

static void a_missing_value_is_predicted_as_what_stands_for_it(void **state)
{
    cr_model *model = train("nb", "impute=mean");
    double p[2], q[2];

    (void)state;
    answer(model, (const double[]){GAP, 6}, NULL, p);
    answer(model, (const double[]){4, 6}, "low", q);
    assert_true(p[0] == q[0] && p[1] == q[1]);
    cr_model_free(model);
}

static void learning_and_unlearning_fill_in_the_same(void **state)
{
    cr_model *model = train("nb", "impute=median"), *same = train("nb", "impute=median");
    cr_source *again = open_rows(), *back = open_rows();
    cr_error err = {0};

    (void)state;
    if (cr_model_learn(model, again, NULL, NULL, &err) != CR_OK)
        fail_msg("%s", err.message);
    assert_string_equal(cr_model_impute(model), "median");
    assert_true(cr_model_class_count(model, 0) == 10);
    if (cr_model_unlearn(model, back, NULL, NULL, &err) != CR_OK)
        fail_msg("%s", err.message);
    assert_same_model(model, same);
    cr_source_close(again);
    cr_source_close(back);
    cr_model_free(model);
    cr_model_free(same);
}

static void dropped_rows_are_not_learned(void **state)
{
    cr_model *model = train("nb", "impute=drop");
    cr_model_facts facts;

    (void)state;
    cr_model_get_facts(model, &facts);
    assert_int_equal(facts.rows, 4);
    cr_model_free(model);
}

static void a_column_without_any_value_stays_empty(void **state)
{
    const cr_array arrays[] = {{.name = "a", .real = a, .role = CR_ROLE_FEATURE},
                               {.name = "none", .real = none, .role = CR_ROLE_FEATURE}};
    static const char *const how[] = {"mean", "median", "mode", "model"};

    (void)state;
    for (size_t i = 0; i < 4; i++) {
        text out = {.size = 0};
        const cr_impute_options options = {.how = how[i], .write = take, .context = &out};
        cr_source *source;
        cr_impute_tally tally;

        assert_int_equal(cr_source_open_arrays(&source, arrays, 2, ROWS, NULL), CR_OK);
        assert_int_equal(cr_impute(source, &options, NULL, &tally, NULL), CR_OK);
        assert_int_equal(tally.left, ROWS);
        assert_null(strstr(out.bytes, "nan"));
        cr_source_close(source);
    }
}

static void another_way_to_fill_in_is_refused(void **state)
{
    const char *const params[] = {"impute=guess"};
    cr_source *source = open_rows();
    cr_model *model;
    cr_error err = {0};

    (void)state;
    assert_int_equal(cr_model_train(&model, source, "nb", params, 1, NULL, NULL, &err), CR_EARG);
    assert_non_null(strstr(err.message, "mean|median|mode|model|drop"));
    cr_source_close(source);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(columns_are_filled_by_what_they_have),
        cmocka_unit_test(the_model_predicts_each_value_from_the_others),
        cmocka_unit_test(what_was_learned_is_kept_with_the_model),
        cmocka_unit_test(a_missing_value_is_predicted_as_what_stands_for_it),
        cmocka_unit_test(learning_and_unlearning_fill_in_the_same),
        cmocka_unit_test(dropped_rows_are_not_learned),
        cmocka_unit_test(a_column_without_any_value_stays_empty),
        cmocka_unit_test(another_way_to_fill_in_is_refused),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
