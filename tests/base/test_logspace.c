/* tests/base/test_logspace.c - arithmetic with logarithms of probabilities. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include "base/logspace.h"

#include <math.h>

static void assert_close(double got, double expected)
{
    assert_true(fabs(got - expected) <= 1e-15 * fabs(expected));
}

static void log_sum_exp_adds_probabilities(void **state)
{
    (void)state;
    const double logs[] = {log(0.1), log(0.2), log(0.3)};
    assert_close(cr__log_sum_exp(logs, 3), log(0.6));
    assert_close(cr__log_sum_exp(logs, 1), log(0.1));
    assert_close(cr__log_add(log(0.25), log(0.5)), log(0.75));
}

/* log(e^a + e^a + e^a) = a + log 3, far outside the range of exp. */
static void log_sum_exp_neither_overflows_nor_underflows(void **state)
{
    (void)state;
    const double low[] = {-1e5, -1e5, -1e5}, high[] = {1e4, 1e4, 1e4};
    assert_close(cr__log_sum_exp(low, 3), -1e5 + 1.0986122886681098);
    assert_close(cr__log_sum_exp(high, 3), 1e4 + 1.0986122886681098);
    assert_close(cr__log_add(-1e5, -1e5), -1e5 + 0.6931471805599453);
}

/* log(1 + e^-40) = e^-40 - e^-80/2 + ...; mpmath, 50 digits. */
static void log_sum_exp_keeps_a_small_remainder(void **state)
{
    (void)state;
    const double logs[] = {-40, 0};
    assert_close(cr__log_sum_exp(logs, 2), 4.2483542552915889863e-18);
    assert_close(cr__log_add(0, -40), 4.2483542552915889863e-18);
}

static void probability_zero_is_minus_infinity_and_never_nan(void **state)
{
    (void)state;
    const double zeros[] = {-INFINITY, -INFINITY}, mixed[] = {-INFINITY, -3, -INFINITY};
    assert_true(cr__log_sum_exp(zeros, 2) == -INFINITY);
    assert_true(cr__log_sum_exp(NULL, 0) == -INFINITY);
    assert_true(cr__log_sum_exp(mixed, 3) == -3);
    assert_true(cr__log_add(-INFINITY, -INFINITY) == -INFINITY);
    assert_true(cr__log_add(-INFINITY, -3) == -3);
    const double extremes[] = {-INFINITY, -1.7976931348623157e308, 1.7976931348623157e308};
    assert_true(cr__log_sum_exp(extremes, 3) == 1.7976931348623157e308);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(log_sum_exp_adds_probabilities),
        cmocka_unit_test(log_sum_exp_neither_overflows_nor_underflows),
        cmocka_unit_test(log_sum_exp_keeps_a_small_remainder),
        cmocka_unit_test(probability_zero_is_minus_infinity_and_never_nan),
    };
    return cmocka_run_group_tests_name("logspace", tests, NULL, NULL);
}
