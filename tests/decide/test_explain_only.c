/* tests/decide/test_explain_only.c - some rows explained are those rows of all explained. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include <string.h>

#include "credence/credence.h"

enum { ROWS = 5000 }; /* more than a batch */

static double x[ROWS];
static const char *label[ROWS];

static cr_source *source_of_rows(void)
{
    const cr_array arrays[] = {{.name = "x", .real = x},
                               {.name = "class", .text = label, .role = CR_ROLE_TARGET}};
    cr_source *source;

    for (size_t i = 0; i < ROWS; i++) {
        x[i] = (double)(i * 7919 % 1009) / 100;
        label[i] = (i * 31 % 17) / 9 + x[i] > 5 ? "yes" : "no";
    }
    assert_int_equal(cr_source_open_arrays(&source, arrays, 2, ROWS, NULL), CR_OK);
    return source;
}

static cr_model *train(const char *learner)
{
    cr_source *source = source_of_rows();
    cr_model *model;

    assert_int_equal(cr_model_train(&model, source, learner, NULL, 0, NULL, NULL, NULL), CR_OK);
    cr_source_close(source);
    return model;
}

typedef struct seen {
    double posterior[ROWS];
    size_t rows;
} seen;

static cr_status see(void *context, const cr_explanation *e)
{
    seen *s = context;

    s->posterior[s->rows++] = e->posterior[0];
    return CR_OK;
}

static void check(const cr_model *model)
{
    static seen all, some;
    static const size_t only[] = {0, 1, 17, 4095, 4096, 4999};
    const cr_predict_options options = {.only = only, .only_count = sizeof only / sizeof *only};
    cr_source *source = source_of_rows();

    all.rows = some.rows = 0;
    assert_int_equal(cr_model_explain(model, source, NULL, see, &all, NULL), CR_OK);
    assert_int_equal(all.rows, ROWS);
    cr_source_close(source);
    source = source_of_rows();
    assert_int_equal(cr_model_explain(model, source, &options, see, &some, NULL), CR_OK);
    assert_int_equal(some.rows, options.only_count);
    for (size_t i = 0; i < some.rows; i++)
        assert_memory_equal(&some.posterior[i], &all.posterior[only[i]], sizeof *all.posterior);
    cr_source_close(source);
}

static void some_rows_of_a_model(void **state)
{
    cr_model *model = train("nb");

    (void)state;
    check(model);
    cr_model_free(model);
}

static void some_rows_of_an_ensemble(void **state)
{
    cr_model *member[2] = {train("nb"), train("tree")}, *model;
    const char *params[] = {"weights=equal"};

    (void)state;
    assert_int_equal(cr_model_combine(&model, (const cr_model *const *)member, NULL, 2, NULL,
                                      params, 1, NULL, NULL, NULL),
                     CR_OK);
    check(model);
    cr_model_free(model);
    cr_model_free(member[0]);
    cr_model_free(member[1]);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(some_rows_of_a_model),
        cmocka_unit_test(some_rows_of_an_ensemble),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
