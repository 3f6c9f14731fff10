/* tests/decide/test_density.c - the density in use, whatever it is. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include <math.h>
#include <string.h>

#include "credence/credence.h"

enum { ROWS = 12, POINTS = 2001 };

/* Class a has two humps, at 0 and at 10; b one at 5. */
static const double number[ROWS] = {0, .1, .2, 9.8, 9.9, 10, 4.8, 4.9, 5, 5, 5.1, 5.2};
static const char *const label[ROWS] = {"a", "a", "a", "a", "a", "a", "b", "b", "b", "b", "b", "b"};

static cr_model *train(const char *learner, const char *param)
{
    const cr_array arrays[] = {{.name = "x", .real = number},
                               {.name = "class", .text = label, .role = CR_ROLE_TARGET}};
    cr_source *source;
    cr_model *model;
    cr_error err = {0};
    const char *params[] = {param, "bandwidth=rows"};
    const size_t count = param == NULL ? 0 : strcmp(param, "real=kde") == 0 ? 2 : 1;

    assert_int_equal(cr_source_open_arrays(&source, arrays, 2, ROWS, NULL), CR_OK);
    if (cr_model_train(&model, source, learner, params, count, NULL, NULL, &err) != CR_OK)
        fail_msg("%s", err.message);
    cr_source_close(source);
    return model;
}

/* Every density has the area 1. */
static void check_density(const char *learner, const char *param, double y[2 * POINTS])
{
    cr_model *model = train(learner, param);
    double x[POINTS], area[2] = {0};

    for (size_t i = 0; i < POINTS; i++)
        x[i] = -45 + (double)i * .05;
    assert_true(cr_model_is_generative(model));
    assert_int_equal(cr_model_density(model, 0, x, POINTS, y, NULL), CR_OK);
    for (size_t i = 0; i < 2 * POINTS; i++)
        area[i / POINTS] += y[i] * .05;
    assert_true(fabs(area[0] - 1) < 1e-3 && fabs(area[1] - 1) < 1e-3);
    cr_model_free(model);
}

static void gaussians_are_the_fitted_ones(void **state)
{
    cr_model *model = train("nb", "variance=class-feature");
    const double x[] = {3, 5};
    double y[4];
    cr_gaussian g;

    (void)state;
    assert_int_equal(cr_model_density(model, 0, x, 2, y, NULL), CR_OK);
    for (size_t i = 0; i < 4; i++) {
        assert_int_equal(cr_model_gaussian(model, 0, i / 2, &g), CR_OK);
        const double z = (x[i % 2] - g.fitted_mean) / sqrt(g.fitted_variance);
        const double p = exp(-z * z / 2) / sqrt(2 * M_PI * g.fitted_variance);

        assert_true(fabs(y[i] - p) <= 1e-12 * p);
    }
    cr_model_free(model);
}

static void kernels_keep_their_humps(void **state)
{
    static double y[2 * POINTS];

    (void)state;
    check_density("nb", "real=kde", y);
    /* The one Gaussian of class a has its top in the middle, at 5. */
    assert_true(y[901] > y[1000] && y[1099] > y[1000]); /* 0.05, 9.95 and 5 */
    check_density("gda", NULL, y);
    check_density("nb", "gaussian=predictive", y);
}

static void others_have_none(void **state)
{
    static const char *const learner[] = {"tree", "logistic"};
    double x = 1, y[2];

    (void)state;
    for (size_t i = 0; i < 2; i++) {
        cr_model *model = train(learner[i], NULL);

        assert_false(cr_model_is_generative(model));
        assert_int_equal(cr_model_density(model, 0, &x, 1, y, NULL), CR_EARG);
        cr_model_free(model);
    }
    cr_model *cut = train("nb", "real=bins:width:3");

    assert_int_equal(cr_model_density(cut, 0, &x, 1, y, NULL), CR_EARG); /* intervals */
    assert_int_equal(cr_model_density(cut, 7, &x, 1, y, NULL), CR_EARG);
    cr_model_free(cut);
}

int main(void)
{
    const struct CMUnitTest tests[] = {cmocka_unit_test(gaussians_are_the_fitted_ones),
                                       cmocka_unit_test(kernels_keep_their_humps),
                                       cmocka_unit_test(others_have_none)};

    return cmocka_run_group_tests_name("density", tests, NULL, NULL);
}
