/* tests/train/test_calibration_tally.c - calibrations that are updated, and rows taken back that
 * are answered otherwise than when they were learned. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include <math.h>

#include "train/calibration.h"

static cr__calibration *begin(void)
{
    cr__calibration *c;

    assert_int_equal(cr__calibration_begin(&c, CR__CALIBRATION_TEMPERATURE, 2, NULL, NULL), CR_OK);
    return c;
}

/* rows answers of so many log-odds for the truth. */
static void count(cr__calibration *c, double log_odds, int rows, int sign)
{
    const double score[] = {log_odds, 0};

    for (int i = 0; i < rows; i++)
        cr__calibration_count(c, score, 0, 1, sign);
}

static double temperature(cr__calibration *c)
{
    assert_int_equal(cr__calibration_settle(c, NULL), CR_OK);
    return c->number[0];
}

/* Of rows that are all answered with log-odds of 2 and of which nine in ten are right, the odds
 * should be 9: the temperature is 2 / ln 9 = 0.910, and the prior, worth one row in 1000, does
 * not show. */
static void temperature_of_answers(void **state)
{
    cr__calibration *c = begin();

    (void)state;
    count(c, 2, 900, 1);
    count(c, -2, 100, 1);
    assert_float_equal(temperature(c), 2 / log(9), 0.005);
    count(c, -40, 3, 1);
    assert_true(temperature(c) > 1);
    count(c, -40, 3, -1);
    assert_float_equal(temperature(c), 2 / log(9), 0.005);
    cr__calibration_free(c);
}

/* Learned when they were answered rightly, taken back when they would be answered wrongly by far:
 * the sums of losses become negative. That is no reason to be 30 times as sure. */
static void rows_that_are_answered_otherwise(void **state)
{
    cr__calibration *c = begin();
    double alone;

    (void)state;
    count(c, 3, 40, 1);
    count(c, -1, 4, 1);
    alone = temperature(c);
    count(c, 3, 5, 1);
    count(c, -80, 5, -1);
    assert_true(temperature(c) > 0.5 * alone);
    assert_true(temperature(c) < 2 * alone);
    cr__calibration_free(c);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(temperature_of_answers),
        cmocka_unit_test(rows_that_are_answered_otherwise),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
