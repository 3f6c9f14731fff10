/* tests/learners/test_evidence.c - how probable a model makes its data: by the chain rule of
 * predictions, and by estimates of the samples.
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

static void assert_near(double got, double want, double tolerance)
{
    if (!(fabs(got - want) <= tolerance * fmax(1, fabs(want))))
        fail_msg("%.17g, not %.17g", got, want);
}

/* By the chain rule of predictive probabilities: each row's probability given the ones before it.
 * Symbols with Laplace's rule, class by class; values and classes are known from the start. */
static void evidence_of_symbols_is_a_product_of_predictions(void **state)
{
    static const char *const x[] = {"a", "b", "a", "a", NULL, "b"};
    static const char *const class[] = {"p", "p", "q", "q", "q", "p"};
    const cr_array arrays[] = {{.name = "x", .text = x},
                               {.name = "class", .text = class, .role = CR_ROLE_TARGET}};
    double got, want = 0, n[2][2] = {{0}}, rows[2] = {0};
    cr_source *source;
    cr_model *model;

    (void)state;
    assert_int_equal(cr_source_open_arrays(&source, arrays, 2, 6, NULL), CR_OK);
    assert_int_equal(cr_model_train(&model, source, "nb", NULL, 0, NULL, NULL, NULL), CR_OK);
    for (size_t r = 0; r < 6; r++) {
        const size_t c = class[r][0] == 'q';

        want += log((rows[c] + 1) / (rows[0] + rows[1] + 2));
        rows[c]++;
        if (x[r] == NULL)
            continue;
        want += log((n[c][x[r][0] == 'b'] + 1) / (n[c][0] + n[c][1] + 2));
        n[c][x[r][0] == 'b']++;
    }
    assert_int_equal(cr_model_evidence(model, &got, NULL), CR_OK);
    assert_near(got, want, 1e-13);
    cr_source_close(source);
    cr_model_free(model);
}

/* With a variance for each class, each class is a sample of its own: cr_normal_estimate() gives the
 * same. */
static void evidence_of_numbers_is_that_of_the_samples(void **state)
{
    static const double x[] = {1, 3.5, 2, 4, 7, NAN};
    static const char *const class[] = {"a", "a", "b", "b", "b", "a"};
    const cr_array arrays[] = {{.name = "x", .real = x},
                               {.name = "class", .text = class, .role = CR_ROLE_TARGET}};
    const char *const own[] = {"variance=class-feature", "variance-estimate=mle", "mean-rows=0.5",
                               "variance-rows=3",        "variance-floor=0",      "prior=uniform"};
    const char *const tied[] = {"variance=feature"};
    const double within =
        (2 * 1.25 * 1.25 + 2 * 2 * 2 + 1.0 / 3 * 1.0 / 3 * 0 + (2 - 13.0 / 3) * (2 - 13.0 / 3) +
         (4 - 13.0 / 3) * (4 - 13.0 / 3) + (7 - 13.0 / 3) * (7 - 13.0 / 3) - 8) /
        5;
    const cr_normal_prior prior = {17.5 / 5, 0.5, 1.5, 1.5 * within};
    double got, want = 6 * log(0.5);
    cr_source *source;
    cr_model *model;
    cr_sample sample;
    cr_normal normal;

    (void)state;
    assert_int_equal(cr_source_open_arrays(&source, arrays, 2, 6, NULL), CR_OK);
    assert_int_equal(cr_model_train(&model, source, "nb", own, 6, NULL, NULL, NULL), CR_OK);
    assert_int_equal(cr_sample_of(&sample, x, 2, NULL), CR_OK);
    assert_int_equal(cr_normal_estimate(&normal, &sample, &prior, NULL), CR_OK);
    want += normal.log_evidence;
    assert_int_equal(cr_sample_of(&sample, x + 2, 3, NULL), CR_OK);
    assert_int_equal(cr_normal_estimate(&normal, &sample, &prior, NULL), CR_OK);
    want += normal.log_evidence;
    assert_int_equal(cr_model_evidence(model, &got, NULL), CR_OK);
    assert_near(got, want, 1e-12);
    /* one variance for both: another number, and no NaN */
    assert_int_equal(cr_model_refit(model, tied, 1, NULL), CR_OK);
    assert_int_equal(cr_model_evidence(model, &got, NULL), CR_OK);
    assert_true(isfinite(got) && fabs(got - want) > 1e-3);
    cr_source_close(source);
    cr_model_free(model);
}
int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(evidence_of_symbols_is_a_product_of_predictions),
        cmocka_unit_test(evidence_of_numbers_is_that_of_the_samples),
    };
    return cmocka_run_group_tests_name("evidence", tests, NULL, NULL);
}
