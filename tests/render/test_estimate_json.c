/* tests/render/test_estimate_json.c - estimates of all kinds in one call, and as JSON.
 *
 * Worked by hand: 3 heads and 1 tail under Beta(1, 1) give Beta(4, 2), whose mean is 4/6, whose
 * mode is 3/4, and P(data) = B(4, 2) / B(1, 1) = 3! 1! / 5! = 1/20. 5 events in 2 hours under
 * Gamma(1, 1) give Gamma(6, 3), whose mean is 2.
 */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "base/memory.h"
#include "credence/credence.h"

static const char *const coin[] = {"heads", "tails"};

static char *json_of(const cr_estimate *e)
{
    cr_output *out = NULL;
    const char *bytes;
    size_t size;
    char *text;

    assert_int_equal(cr_output_new(&out, NULL, NULL, NULL), CR_OK);
    assert_int_equal(cr_estimate_json(e, out), CR_OK);
    bytes = cr_output_data(out, &size);
    text = malloc(size + 1);
    assert_non_null(text);
    memcpy(text, bytes, size);
    text[size] = '\0';
    cr_output_free(out);
    return text;
}

static void shares_of_a_coin(void **unused)
{
    const cr_prior prior = {.of = CR_PRIOR_SHARES, .each = 1};
    const cr_estimate_of question = {
        .of = CR_PRIOR_SHARES, .prior = &prior, .outcome = coin, .outcomes = 2};
    const double count[] = {3, 1};
    cr_estimate e = {0};
    char *text;

    (void)unused;
    assert_int_equal(
        cr_estimate_make(&e, &question, &(cr_measured){.value = count, .count = 2}, 1, NULL),
        CR_OK);
    assert_int_equal(e.result[0].count, 2);
    assert_string_equal(e.result[0].quantity[0].name, "P(heads)");
    assert_true(fabs(cr_distribution_mean(&e.result[0].quantity[0].posterior) - 4.0 / 6) < 1e-12);
    assert_true(fabs(e.result[0].quantity[0].map - 0.75) < 1e-12);
    assert_true(fabs(e.result[0].log_evidence - log(1.0 / 20)) < 1e-12);
    assert_true(e.question.level == 0.95);
    text = json_of(&e);
    assert_non_null(strstr(text, "\"prior\": {\"family\": \"beta\", \"parameters\": [1, 1]}"));
    assert_non_null(strstr(text, "\"posterior\": {\"family\": \"beta\", \"a\": 4, \"b\": 2}"));
    free(text);
    cr_estimate_free(&e);
}

/* An outcome that a sample never had counts 0, and two dice are compared face by face. */
static void samples_are_compared(void **unused)
{
    static const char *const face[] = {"a", "b", "c"};
    const cr_prior prior = {.of = CR_PRIOR_SHARES, .each = 1};
    const cr_estimate_of question = {
        .of = CR_PRIOR_SHARES, .prior = &prior, .outcome = face, .outcomes = 3, .level = 0.9};
    const double one[] = {3, 1}, two[] = {3, 1, 0};
    const cr_measured sample[] = {{.name = "A", .value = one, .count = 2},
                                  {.name = "B", .value = two, .count = 3}};
    cr_estimate e = {0};
    cr_sheet *sheet = NULL;
    char *text;
    double x;

    (void)unused;
    assert_int_equal(cr_estimate_make(&e, &question, sample, 2, NULL), CR_OK);
    assert_int_equal(e.compared, 3);
    for (size_t i = 0; i < 3; i++)
        assert_true(fabs(e.versus[i].greater - 0.5) < 1e-9);
    text = json_of(&e);
    assert_non_null(strstr(text, "\"versus\""));
    free(text);
    assert_int_equal(cr_estimate_sheet(&sheet, &e, NULL), CR_OK);
    assert_int_equal(cr_sheet_rows(sheet), 6);
    assert_string_equal(cr_sheet_cell(sheet, 5, 0, &x), "B");
    assert_string_equal(cr_sheet_cell(sheet, 5, 1, &x), "P(c)");
    cr_sheet_free(sheet);
    cr_estimate_free(&e);
}

static void numbers_and_their_sums_are_the_same(void **unused)
{
    const cr_prior prior = {.of = CR_PRIOR_NORMAL, .normal = cr_normal_reference()};
    const cr_estimate_of question = {.of = CR_PRIOR_NORMAL, .prior = &prior};
    const double x[] = {1, 2, 4, 7};
    cr_sample sum;
    cr_estimate a = {0}, b = {0};
    char *one, *other;

    (void)unused;
    assert_int_equal(cr_sample_of(&sum, x, 4, NULL), CR_OK);
    assert_int_equal(
        cr_estimate_make(&a, &question, &(cr_measured){.value = x, .count = 4}, 1, NULL), CR_OK);
    assert_int_equal(cr_estimate_make(&b, &question, &(cr_measured){.sum = &sum}, 1, NULL), CR_OK);
    assert_true(fabs(a.result[0].quantity[0].mle - 3.5) < 1e-12);
    one = json_of(&a);
    other = json_of(&b);
    assert_string_equal(one, other);
    free(one);
    free(other);
    cr_estimate_free(&a);
    cr_estimate_free(&b);
}

static void rates(void **unused)
{
    double parameter[] = {1, 1};
    const cr_prior prior = {.of = CR_PRIOR_RATE, .value = parameter, .count = 2};
    const cr_estimate_of question = {.of = CR_PRIOR_RATE, .prior = &prior};
    const double events[] = {2, 3};
    cr_estimate e = {0};

    (void)unused;
    assert_int_equal(
        cr_estimate_make(&e, &question, &(cr_measured){.value = events, .count = 2}, 1, NULL),
        CR_OK);
    assert_true(fabs(cr_distribution_mean(&e.result[0].quantity[0].posterior) - 2) < 1e-12);
    cr_estimate_free(&e);
}

static void what_does_not_fit_is_refused(void **unused)
{
    double parameter[] = {1, 1, 1};
    cr_prior prior = {.of = CR_PRIOR_SHARES, .value = parameter, .count = 3};
    cr_estimate_of question = {
        .of = CR_PRIOR_SHARES, .prior = &prior, .outcome = coin, .outcomes = 2};
    const double count[] = {3, 1, 1};
    cr_estimate e = {0};
    cr_error err = {0};

    (void)unused;
    assert_int_equal(
        cr_estimate_make(&e, &question, &(cr_measured){.value = count, .count = 2}, 1, &err),
        CR_EARG);
    assert_string_equal(err.message, "the prior has 3 parameters for 2 outcomes");
    prior = (cr_prior){.of = CR_PRIOR_SHARES, .each = 1};
    assert_int_equal(
        cr_estimate_make(&e, &question, &(cr_measured){.value = count, .count = 3}, 1, &err),
        CR_EARG);
    question.level = 1;
    assert_int_equal(
        cr_estimate_make(&e, &question, &(cr_measured){.value = count, .count = 2}, 1, &err),
        CR_EARG);
    question.level = 0;
    assert_int_equal(cr_estimate_make(&e, &question, NULL, 0, &err), CR_EARG);
    for (long n = 0; n < 4; n++) {
        cr__memory_fail_after = n;
        cr_estimate_make(&e, &question, &(cr_measured){.value = count, .count = 2}, 1, &err);
        cr__memory_fail_after = -1;
    }
    cr_estimate_free(&e);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(shares_of_a_coin),
        cmocka_unit_test(samples_are_compared),
        cmocka_unit_test(numbers_and_their_sums_are_the_same),
        cmocka_unit_test(rates),
        cmocka_unit_test(what_does_not_fit_is_refused),
    };

    return cmocka_run_group_tests_name("estimate_json", tests, NULL, NULL);
}
