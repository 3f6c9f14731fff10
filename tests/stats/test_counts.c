/* tests/stats/test_counts.c - fixed-point counts. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <math.h>

#include <cmocka.h>

#include "base/random.h"
#include "stats/counts.h"

static void weights_are_kept_to_the_last_bit(void **state)
{
    (void)state;
    assert_true(cr__count_value(cr__count_of_weight(0.1)) == 0.1);
    assert_true(cr__count_value(cr__count_of_weight(1e15 + 0.125)) == 1e15 + 0.125);
    assert_true(cr__count_of_weight(3).whole == 3 && cr__count_of_weight(3).fraction == 0);
    assert_true(cr__count_of_weight(0.5).fraction == UINT64_C(1) << 63);
    /* 1 - 2^-53 in units of 2^-64 */
    assert_true(cr__count_of_weight(nextafter(1, 0)).fraction == (uint64_t)-2048);
    assert_true(cr__count_zero(cr__count_of_weight(0x1p-70)));
}

static void any_order_of_adding_and_subtracting_gives_the_same(void **state)
{
    cr__count sum = {0};
    double weight[200];
    cr__random rng;

    (void)state;
    cr__random_seed(&rng, 4);
    for (int i = 0; i < 200; i++) {
        weight[i] = cr__random_uniform(&rng) * 100;
        sum = cr__count_plus(sum, cr__count_of_weight(weight[i]), 1);
    }
    for (int i = 199; i >= 0; i -= 2)
        sum = cr__count_plus(sum, cr__count_of_weight(weight[i]), -1);
    for (int i = 0; i < 200; i += 2)
        sum = cr__count_plus(sum, cr__count_of_weight(weight[i]), -1);
    assert_true(cr__count_zero(sum));
    sum = cr__count_plus(sum, cr__count_of_weight(0x1p-60), -1);
    assert_true(cr__count_negative(sum));
}

static void a_table_grows_without_losing_its_counts(void **state)
{
    const uint32_t value[] = {1, 2, 1, 0}, class_code[] = {1, 1, 2, 1};
    cr__counts counts = {0};

    (void)state;
    assert_int_equal(cr__counts_fit(&counts, 3, 3), CR_OK);
    cr__counts_absorb(&counts, value, class_code, 4);
    assert_int_equal(cr__counts_fit(&counts, 50, 3), CR_OK);
    assert_int_equal(cr__counts_fit(&counts, 10, 70), CR_OK);
    assert_int_equal(cr__counts_get(&counts, 1, 1).whole, 1);
    assert_int_equal(cr__counts_get(&counts, 1, 2).whole, 1);
    assert_int_equal(cr__counts_get(&counts, 2, 1).whole, 1);
    assert_int_equal(cr__counts_get(&counts, 49, 69).whole, 0);
    assert_int_equal(cr__counts_add(&counts, 49, 69, cr__count_of_weight(0.25), 1), CR_OK);
    assert_true(cr__count_value(cr__counts_get(&counts, 49, 69)) == 0.25);
    assert_int_equal(cr__counts_fit(&counts, 300, 70), CR_OK);
    assert_true(cr__count_value(cr__counts_get(&counts, 49, 69)) == 0.25);
    assert_true(cr__count_value(cr__counts_get(&counts, 1, 1)) == 1);
    cr__counts_free(&counts);
}

static void impossible_sizes_are_refused(void **state)
{
    cr__counts counts = {0};

    (void)state;
    assert_int_equal(cr__counts_fit(&counts, SIZE_MAX / 2, SIZE_MAX / 2), CR_ENOMEM);
    assert_null(counts.whole);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(weights_are_kept_to_the_last_bit),
        cmocka_unit_test(any_order_of_adding_and_subtracting_gives_the_same),
        cmocka_unit_test(a_table_grows_without_losing_its_counts),
        cmocka_unit_test(impossible_sizes_are_refused),
    };
    return cmocka_run_group_tests_name("counts", tests, NULL, NULL);
}
