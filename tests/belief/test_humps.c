/* tests/belief/test_humps.c - one hump or two: rarely a false claim, and none in clear cases. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include <math.h>
#include <stdlib.h>

#include "base/random.h"
#include "belief/humps.h"

enum { ROWS = 400, TRIALS = 200 };

static int ascending(const void *a, const void *b)
{
    const double x = *(const double *)a, y = *(const double *)b;

    return x < y ? -1 : x > y;
}

/* How often two humps are seen in TRIALS samples. */
static size_t seen(double (*draw)(cr__random *), size_t rows, cr__humps *last)
{
    double x[ROWS];
    cr__random random;
    size_t count = 0;

    cr__random_seed(&random, 5);
    for (size_t t = 0; t < TRIALS; t++) {
        for (size_t i = 0; i < rows; i++)
            x[i] = draw(&random);
        qsort(x, rows, sizeof *x, ascending);
        count += (size_t)cr__two_humps(x, rows, 20, last);
    }
    return count;
}

static double normal(cr__random *r)
{
    return 5 + 2 * cr__random_normal(r);
}

static double uniform(cr__random *r)
{
    return cr__random_uniform(r);
}

static double exponential(cr__random *r)
{
    return -log(1 - cr__random_uniform(r));
}

static double heavy(cr__random *r) /* Cauchy */
{
    return cr__random_normal(r) / cr__random_normal(r);
}

static double zeros(cr__random *r) /* half of them, then a hump */
{
    return cr__random_uniform(r) < 0.5 ? 0 : 5 + cr__random_normal(r);
}

static double apart(cr__random *r)
{
    return (cr__random_uniform(r) < 0.4 ? -3 : 3) + cr__random_normal(r);
}

static void one_hump_is_left_alone(void **state)
{
    cr__humps h;

    (void)state;
    assert_int_equal(seen(normal, ROWS, &h), 0);
    assert_int_equal(seen(uniform, ROWS, &h), 0);
    assert_int_equal(seen(exponential, ROWS, &h), 0);
    assert_true(seen(heavy, ROWS, &h) <= 2); /* outliers, at times a tenth of the rows */
    assert_int_equal(seen(zeros, ROWS, &h), 0);
    assert_int_equal(seen(normal, 20, &h), 0);
}

static void two_humps_are_found(void **state)
{
    cr__humps h;

    (void)state;
    assert_int_equal(seen(apart, ROWS, &h), TRIALS);
    assert_true(fabs(h.mean[0] + 3) < 0.4 && fabs(h.mean[1] - 3) < 0.4);
    assert_true(fabs(h.share[0] - 0.4) < 0.1);
    assert_true(seen(apart, 60, &h) > TRIALS * 9 / 10);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(one_hump_is_left_alone),
        cmocka_unit_test(two_humps_are_found),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
