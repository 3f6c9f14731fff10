/* tests/decide/test_products.c - columns that are products: a row set value by value, arrays, and
 * lessons have the answers that a file has, and none can set a product itself. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <math.h>
#include <string.h>

#include <cmocka.h>

#include "credence/credence.h"
#include "data/product.h"
#include "support/model_bytes.h"

static const char table[] = "x,y,class\n1.5,2,a\n-2,0.5,b\n0.25,-3,a\n4,1,b\n-1,-1,b\n2,2,a\n";
static const double x[] = {1.5, -2, 0.25, 4, -1, 2}, y[] = {2, 0.5, -3, 1, -1, 2};

static cr_source *opened(const char *bytes, const char *basis)
{
    cr_source_options o;
    cr_source *source;

    cr_source_options_default(&o);
    o.basis = basis;
    assert_int_equal(cr_source_open_memory(&source, bytes, strlen(bytes), "table.csv", &o, NULL),
                     CR_OK);
    return source;
}

static cr_model *trained(const char *learner, const char *bytes)
{
    cr_source *source = opened(bytes, "polynomial:3,x*y");
    cr_model *model;

    assert_int_equal(cr_model_train(&model, source, learner, NULL, 0, NULL, NULL, NULL), CR_OK);
    cr_source_close(source);
    return model;
}

static void test_rows_and_arrays(void **state)
{
    cr_model *model = trained("logistic", table);
    const cr_array arrays[] = {{.name = "x", .real = x}, {.name = "y", .real = y}};
    double by_arrays[6 * 2], by_row[2];
    cr_decision d;
    cr_row *row;

    (void)state;
    assert_int_equal(cr_schema_columns(cr_model_schema(model)), 3 + 4 + 1);
    assert_int_equal(cr_model_predict_arrays(model, arrays, 2, 6, NULL,
                                             &(cr_answers){.posterior = by_arrays}, NULL, NULL),
                     CR_OK);
    assert_int_equal(cr_row_new(&row, model, NULL), CR_OK);
    for (size_t i = 0; i < 6; i++) {
        assert_int_equal(cr_row_set_real(row, 0, x[i]), CR_OK);
        assert_int_equal(cr_row_set_real(row, 1, y[i]), CR_OK);
        assert_int_equal(cr_row_classify(row, NULL, by_row, &d), CR_OK);
        assert_memory_equal(by_row, by_arrays + 2 * i, sizeof by_row);
    }
    assert_int_equal(cr_row_set_real(row, cr_schema_find(cr_model_schema(model), "x^2"), 1),
                     CR_EARG);
    cr_row_free(row);
    cr_model_free(model);
}

/* Arrays with a basis give the model of the file with the same basis. */
static void test_arrays_with_a_basis(void **state)
{
    static const char *const class[] = {"a", "b", "a", "b", "b", "a"};
    const cr_array arrays[] = {{.name = "x", .real = x},
                               {.name = "y", .real = y},
                               {.name = "class", .text = class, .role = CR_ROLE_TARGET}};
    cr_model *expected = trained("logistic", table), *model;
    cr_source *source;
    cr_error err;

    (void)state;
    assert_int_equal(cr_source_open_arrays(&source, arrays, 3, 6, NULL), CR_OK);
    assert_int_equal(cr_source_set_basis(source, "polynomial:3,x*y", NULL), CR_OK);
    assert_int_equal(cr_model_train(&model, source, "logistic", NULL, 0, NULL, NULL, NULL), CR_OK);
    assert_same_model(model, expected);
    cr_model_free(model);
    cr_model_free(expected);
    assert_int_equal(cr_source_set_basis(source, "x*class", NULL), CR_OK);
    assert_int_equal(cr_model_train(&model, source, "logistic", NULL, 0, NULL, NULL, &err),
                     CR_EARG);
    assert_string_equal(err.message, "'class' cannot be a factor of 'x*class': it is the target");
    cr_source_close(source);
}

/* The last row learned as a lesson leaves the model that the file with it leaves. */
static void test_lessons(void **state)
{
    const size_t all = strlen(table), last = strlen("2,2,a\n");
    char most[sizeof table];
    cr_model *whole = trained("nb", table), *model;
    cr_row *row;

    (void)state;
    memcpy(most, table, all - last);
    most[all - last] = '\0';
    model = trained("nb", most);
    assert_int_equal(cr_row_new(&row, model, NULL), CR_OK);
    cr_row_set_real(row, 0, 2);
    cr_row_set_real(row, 1, 2);
    cr_row_set_text(row, 2, "a");
    assert_int_equal(cr_row_learn(model, row, 1, NULL), CR_OK);
    assert_same_model(model, whole);
    cr_row_free(row);
    cr_model_free(model);
    cr_model_free(whole);
}

/* A name that is no product of columns that are there is refused, in a model file too. */
static void test_names(void **state)
{
    static const char *const wrong[] = {"x",   "x*",    "*x",  "x^",  "x^0", "x^1",
                                        "x*q", "x^9*x", "q^2", "x^:", ""};
    cr_schema *schema;

    (void)state;
    assert_int_equal(cr__schema_new(&schema, NULL), CR_OK);
    assert_int_equal(cr__schema_add(schema, "x", 1, CR_REAL, CR_ROLE_FEATURE, CR_WHY_NUMBERS, NULL),
                     CR_OK);
    for (size_t i = 0; i < sizeof wrong / sizeof *wrong; i++)
        assert_int_equal(cr__schema_add(schema, wrong[i], strlen(wrong[i]), CR_REAL,
                                        CR_ROLE_FEATURE, CR_WHY_PRODUCT, NULL),
                         CR_EFORMAT);
    assert_int_equal(
        cr__schema_add(schema, "x^9", 3, CR_REAL, CR_ROLE_FEATURE, CR_WHY_PRODUCT, NULL), CR_OK);
    assert_int_equal(schema->column[1].factors, 9);
    assert_int_equal(cr__schema_cut(schema, 1, NULL), CR_OK);
    assert_int_equal(cr_schema_find(schema, "x^9"), SIZE_MAX);
    assert_int_equal(cr_schema_find(schema, "x"), 0);
    cr__schema_free(schema);
}

/* Missing where a factor is, or where it is too large; a factor that is no number is missing. */
static void test_values(void **state)
{
    double a[] = {3, NAN, 1e200}, product[3];
    uint32_t factor[] = {0, 0};
    cr__column column[] = {{.name = "a"}, {.name = "a^2", .factor = factor, .factors = 2}};
    cr_schema schema = {.columns = 2, .column = column};
    cr__batch_column data[] = {{.kind = CR_REAL, .real = a}, {.kind = CR_REAL, .real = product}};
    cr__batch batch = {.rows = 3, .columns = 2, .column = data};

    (void)state;
    cr__products_fill(&schema, &batch);
    assert_true(product[0] == 9 && isnan(product[1]) && isnan(product[2]));
    data[0] = (cr__batch_column){.kind = CR_IGNORE};
    cr__products_fill(&schema, &batch);
    assert_true(isnan(product[0]));
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_rows_and_arrays), cmocka_unit_test(test_arrays_with_a_basis),
        cmocka_unit_test(test_lessons),         cmocka_unit_test(test_names),
        cmocka_unit_test(test_values),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
