/* tests/learners/test_linear.c - linear regression against R's lm() and scikit-learn, its
 * posterior, and data that do not tell the weights.
 *
 * Expected numbers of the small table: R 4.2.2, lm(price ~ size + age + colour) with treatment
 * contrasts, and predict(..., interval = "prediction", level = 0.9). Those of the diabetes data
 * (Efron et al. 2004; needs CREDENCE_DATA): lm() and scikit-learn 1.2.1's Ridge(alpha = 1). Both
 * are printed by tests/reference/make_linear_reference.R and .py.
 */
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

enum { ROWS = 12 };

static const double size[ROWS] = {1.5, 2.0, 2.5, 3.1, 3.4, 4.0, 4.4, 5.2, 5.9, 6.3, 7.1, 7.8};
static const double age[ROWS] = {3, 5, 1, 8, 2, 7, 4, 6, 9, 2, 5, 3};
static const char *const colour[ROWS] = {"red",   "blue", "red",   "green", "blue",  "red",
                                         "green", "blue", "green", "red",   "green", "blue"};
static const double price[ROWS] = {12.1, 9.4,  17.9, 14.2, 16.8, 19.5,
                                   22.7, 20.1, 23.9, 33.2, 33.6, 34.9};

static cr_source *source_of(const cr_array *arrays, size_t count, size_t rows)
{
    cr_source *source;
    cr_error err = {0};

    if (cr_source_open_arrays(&source, arrays, count, rows, &err) != CR_OK)
        fail_msg("%s", err.message);
    return source;
}

static cr_source *small_source(size_t first, size_t rows)
{
    const cr_array arrays[] = {
        {.name = "size", .real = size + first, .role = CR_ROLE_FEATURE},
        {.name = "age", .real = age + first, .role = CR_ROLE_FEATURE},
        {.name = "colour", .text = (const char *const *)colour + first, .role = CR_ROLE_FEATURE},
        {.name = "price", .real = price + first, .role = CR_ROLE_TARGET}};

    return source_of(arrays, 4, rows);
}

static cr_model *train(cr_source *source, const char *param)
{
    const char *const params[] = {param};
    cr_model *model;
    cr_error err = {0};

    if (cr_model_train(&model, source, "linear", params, param != NULL, NULL, NULL, &err) != CR_OK)
        fail_msg("%s", err.message);
    cr_source_close(source);
    return model;
}

static double near_enough(double a, double b)
{
    return fabs(a - b) <= 1e-9 * fmax(1, fabs(b));
}

static void check_weights(const cr_model *model, const double (*expected)[2], size_t count)
{
    cr_coefficient c;

    for (size_t i = 0; i < count; i++) {
        assert_int_equal(cr_model_coefficient(model, i, 0.95, &c), CR_OK);
        assert_true(near_enough(c.weight, expected[i][0]));
        assert_true(near_enough(c.error, expected[i][1]));
    }
    assert_int_equal(cr_model_coefficient(model, count, 0.95, &c), CR_END);
}

static void weights_and_errors_are_those_of_lm(void **state)
{
    static const double expected[5][2] = {{4.789445527431424, 0.6884703292241158},
                                          {4.152517604915860, 0.0997364988881473},
                                          {-0.897756627511095, 0.0924129589950484},
                                          {3.364319826196911, 0.5105689060235782},
                                          {3.958013074405436, 0.4680431695621186}};
    cr_model *model = train(small_source(0, ROWS), NULL);
    cr_linear_facts facts;

    (void)state;
    check_weights(model, expected, 5);
    assert_int_equal(cr_model_linear_facts(model, &facts), CR_OK);
    assert_true(near_enough(facts.noise, 0.636780395684418));
    assert_true(near_enough(facts.r2, 0.996448072847034));
    assert_true(facts.freedom == 7);
    cr_model_free(model);
}

static void predictions_and_intervals_are_those_of_lm(void **state)
{
    cr_model *model = train(small_source(0, ROWS), NULL);
    cr_regression f;
    cr_row *row;
    double low, high;

    (void)state;
    assert_int_equal(cr_row_new(&row, model, NULL), CR_OK);
    cr_row_set_real(row, 0, 4.5);
    cr_row_set_real(row, 1, 5);
    cr_row_set_text(row, 2, "green");
    assert_int_equal(cr_model_regress(model, row, &f), CR_OK);
    cr_regression_interval(&f, 0.9, &low, &high);
    assert_true(near_enough(f.mean, 22.3513114381942));
    assert_true(near_enough(low, 20.9703970506701));
    assert_true(near_enough(high, 23.7322258257183));
    cr_row_free(row);
    cr_model_free(model);
}

/* contr.sum in R drops the last level where this drops the first; the intercept and the weights of
 * the levels are the same. */
static void effect_coding_is_against_the_mean_of_all(void **state)
{
    cr_model *model = train(small_source(0, ROWS), "coding=effect");
    cr_coefficient c;

    (void)state;
    cr_model_coefficient(model, 0, 0.95, &c);
    assert_true(near_enough(c.weight, 7.230223160966) && near_enough(c.error, 0.6609483318835));
    cr_model_coefficient(model, 3, 0.95, &c);
    assert_true(near_enough(c.weight, 0.923542192663) && near_enough(c.error, 0.3248848116124));
    cr_model_free(model);
}

static void merging_and_unlearning_agree_with_one_pass(void **state)
{
    cr_model *all = train(small_source(0, ROWS), "lambda=0.5"), *a, *b;
    cr_source *rest = small_source(7, ROWS - 7);
    cr_error err = {0};

    (void)state;
    a = train(small_source(0, 7), "lambda=0.5");
    b = train(small_source(7, ROWS - 7), "lambda=0.5");
    assert_int_equal(cr_model_merge(b, a, &err), CR_OK);
    for (size_t i = 0; i < 5; i++) {
        cr_coefficient one, two;

        cr_model_coefficient(all, i, 0.95, &one);
        cr_model_coefficient(b, i, 0.95, &two);
        assert_true(near_enough(one.weight, two.weight) && near_enough(one.error, two.error));
    }
    if (cr_model_unlearn(all, rest, NULL, NULL, &err) != CR_OK)
        fail_msg("%s", err.message);
    for (size_t i = 0; i < 5; i++) {
        cr_coefficient one, two;

        cr_model_coefficient(all, i, 0.95, &one);
        cr_model_coefficient(a, i, 0.95, &two);
        assert_true(near_enough(one.weight, two.weight));
    }
    cr_source_close(rest);
    cr_model_free(all);
    cr_model_free(a);
    cr_model_free(b);
}

static void a_saved_model_answers_the_same(void **state)
{
    cr_model *model = train(small_source(0, ROWS), "lambda=evidence"), *loaded;
    cr_error err = {0};

    (void)state;
    assert_int_equal(cr_model_save(model, "linear.model", &err), CR_OK);
    if (cr_model_load(&loaded, "linear.model", 0, &err) != CR_OK)
        fail_msg("%s", err.message);
    assert_same_model(model, loaded);
    cr_model_free(model);
    cr_model_free(loaded);
}

/* The evidence has its largest value at the λ that is chosen. */
static void evidence_chooses_lambda(void **state)
{
    cr_model *model = train(small_source(0, ROWS), "lambda=evidence");
    cr_linear_facts best, other;

    (void)state;
    assert_int_equal(cr_model_linear_facts(model, &best), CR_OK);
    assert_true(best.lambda > 0);
    for (int i = 0; i < 2; i++) {
        char text[64];
        const char *const params[] = {text};

        snprintf(text, sizeof text, "lambda=%.17g", best.lambda * (i == 0 ? 0.9 : 1.1));
        assert_int_equal(cr_model_refit(model, params, 1, NULL), CR_OK);
        cr_model_linear_facts(model, &other);
        assert_true(other.log_evidence < best.log_evidence);
    }
    cr_model_free(model);
}

static void tests_tell_errors_and_coverage(void **state)
{
    cr_model *model = train(small_source(0, ROWS), NULL);
    cr_source *source = small_source(0, ROWS);
    cr_regression_metrics m;
    cr_error err = {0};

    (void)state;
    if (cr_model_test_regression(model, source, NULL, 0.95, NULL, &m, NULL, &err) != CR_OK)
        fail_msg("%s", err.message);
    assert_true(near_enough(m.rmse, 0.636780395684418 * sqrt(7.0 / 12))); /* RSS = σ² · 7 */
    assert_true(near_enough(m.r2, 0.996448072847034));
    assert_true(fabs(m.bias) < 1e-12);
    assert_true(m.coverage == 1);
    cr_source_close(source);
    cr_model_free(model);
}

/* --- data that do not tell the weights ------------------------------------------------------- */

static cr_model *train_odd(const double *a, const double *b, size_t rows, const char *param,
                           cr_status expected)
{
    const cr_array arrays[] = {{.name = "a", .real = a, .role = CR_ROLE_FEATURE},
                               {.name = "b", .real = b, .role = CR_ROLE_FEATURE},
                               {.name = "y", .real = price, .role = CR_ROLE_TARGET}};
    const char *const params[] = {param};
    cr_source *source = source_of(arrays, 3, rows);
    cr_model *model = NULL;

    assert_int_equal(
        cr_model_train(&model, source, "linear", params, param != NULL, NULL, NULL, NULL),
        expected);
    cr_source_close(source);
    return model;
}

/* b = 2 a: the shortest weights share the slope, and predictions are those of a alone. */
static void collinear_columns_get_the_smallest_weights(void **state)
{
    double twice[ROWS];
    cr_linear_facts facts, alone;
    cr_coefficient a, b, slope;
    cr_model *model, *one;

    (void)state;
    for (size_t r = 0; r < ROWS; r++)
        twice[r] = 2 * size[r];
    model = train_odd(size, twice, ROWS, NULL, CR_OK);
    one = train_odd(size, (const double[ROWS]){0}, ROWS, NULL, CR_OK);
    cr_model_linear_facts(model, &facts);
    cr_model_linear_facts(one, &alone);
    assert_int_equal(facts.rank, 1);
    assert_int_equal(facts.weights, 2);
    assert_int_equal(alone.constant, 1);
    assert_true(near_enough(facts.r2, alone.r2) && near_enough(facts.noise, alone.noise));
    cr_model_coefficient(model, 1, 0.95, &a);
    cr_model_coefficient(model, 2, 0.95, &b);
    cr_model_coefficient(one, 1, 0.95, &slope);
    assert_true(near_enough(a.weight + 2 * b.weight, slope.weight));
    cr_model_free(model);
    cr_model_free(one);
}

static void rows_that_lack_a_value_are_left_out(void **state)
{
    double gaps[ROWS];
    cr_linear_facts facts;
    cr_model *model;

    (void)state;
    memcpy(gaps, age, sizeof gaps);
    gaps[3] = gaps[8] = NAN;
    model = train_odd(size, gaps, ROWS, NULL, CR_OK);
    cr_model_linear_facts(model, &facts);
    assert_true(facts.rows == ROWS - 2 && facts.incomplete == 2);
    cr_model_free(model);
}

static void too_few_rows_need_a_prior(void **state)
{
    cr_linear_facts facts;
    cr_model *model;

    (void)state;
    train_odd(size, age, 3, NULL, CR_EFORMAT);
    model = train_odd(size, age, 3, "lambda=evidence", CR_OK);
    cr_model_linear_facts(model, &facts);
    assert_true(isfinite(facts.noise) && facts.freedom == 2);
    cr_model_free(model);
}

static void a_column_without_any_value_is_refused(void **state)
{
    double none[ROWS];

    (void)state;
    for (size_t r = 0; r < ROWS; r++)
        none[r] = NAN;
    train_odd(size, none, ROWS, NULL, CR_EFORMAT);
}

static void a_model_of_numbers_has_no_classes_to_test(void **state)
{
    cr_model *model = train(small_source(0, ROWS), NULL);
    cr_regression_metrics m;
    cr_source *source = small_source(0, ROWS);

    (void)state;
    assert_int_equal(cr_model_test_regression(model, source, NULL, 1.5, NULL, &m, NULL, NULL),
                     CR_EARG);
    cr_source_close(source);
    cr_model_free(model);
}

/* --- diabetes ------------------------------------------------------------------------------- */

enum { PEOPLE = 442, MEASURES = 10 };

static int read_diabetes(double x[MEASURES][PEOPLE], double *y)
{
    const char *folder = getenv("CREDENCE_DATA");
    char command[2048];
    FILE *file;
    size_t read = 0;

    if (folder == NULL)
        return 0;
    snprintf(command, sizeof command,
             "zcat '%s/table/regression/diabetes_data_raw.csv.gz' "
             "'%s/table/regression/diabetes_target.csv.gz'",
             folder, folder);
    if ((file = popen(command, "r")) == NULL)
        return 0;
    for (size_t r = 0; r < PEOPLE; r++)
        for (size_t i = 0; i < MEASURES; i++)
            read += (size_t)(fscanf(file, "%lf", &x[i][r]) == 1);
    for (size_t r = 0; r < PEOPLE; r++)
        read += (size_t)(fscanf(file, "%lf", &y[r]) == 1);
    pclose(file);
    return read == PEOPLE * (MEASURES + 1);
}

static void diabetes_agrees_with_lm_and_ridge(void **state)
{
    static double x[MEASURES][PEOPLE], y[PEOPLE];
    static char name[MEASURES][4];
    static const double least[MEASURES + 1] = {
        -334.5671385187875, -0.03636122422362353, -22.85964809049835, 5.602962091923719,
        1.116807993318184,  -1.089996334063223,   0.7464504555142124, 0.3720047150891379,
        6.53383193599034,   68.48312496478829,    0.2801169893214981};
    static const double ridge[MEASURES + 1] = {
        -316.0771186042886, -0.03285239685543118, -22.60704543227995, 5.640405234365652,
        1.11899757004851,   -0.9146734842698867,  0.5849098252881729, 0.1778852383788083,
        6.250441778661576,  63.17908087361729,    0.2877669028997855};
    const char *const params[] = {"lambda=1", "standardize=no"};
    cr_array arrays[MEASURES + 1];
    cr_coefficient c;
    cr_model *model;

    (void)state;
    if (!read_diabetes(x, y))
        skip();
    for (size_t i = 0; i < MEASURES; i++) {
        snprintf(name[i], sizeof name[i], "x%u", (unsigned)i % 100);
        arrays[i] = (cr_array){.name = name[i], .real = x[i], .role = CR_ROLE_FEATURE};
    }
    arrays[MEASURES] = (cr_array){.name = "y", .real = y, .role = CR_ROLE_TARGET};
    model = train(source_of(arrays, MEASURES + 1, PEOPLE), NULL);
    for (size_t i = 0; i <= MEASURES; i++) {
        cr_model_coefficient(model, i, 0.95, &c);
        assert_true(near_enough(c.weight, least[i]));
    }
    assert_int_equal(cr_model_refit(model, params, 2, NULL), CR_OK);
    for (size_t i = 0; i <= MEASURES; i++) {
        cr_model_coefficient(model, i, 0.95, &c);
        assert_true(near_enough(c.weight, ridge[i]));
    }
    cr_model_free(model);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(weights_and_errors_are_those_of_lm),
        cmocka_unit_test(predictions_and_intervals_are_those_of_lm),
        cmocka_unit_test(effect_coding_is_against_the_mean_of_all),
        cmocka_unit_test(merging_and_unlearning_agree_with_one_pass),
        cmocka_unit_test(a_saved_model_answers_the_same),
        cmocka_unit_test(evidence_chooses_lambda),
        cmocka_unit_test(tests_tell_errors_and_coverage),
        cmocka_unit_test(collinear_columns_get_the_smallest_weights),
        cmocka_unit_test(rows_that_lack_a_value_are_left_out),
        cmocka_unit_test(too_few_rows_need_a_prior),
        cmocka_unit_test(a_column_without_any_value_is_refused),
        cmocka_unit_test(a_model_of_numbers_has_no_classes_to_test),
        cmocka_unit_test(diabetes_agrees_with_lm_and_ridge),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
