/* tests/stats/test_values.c - numbers counted by class: exact while few, a sketch beyond. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#include "base/memory.h"
#include "base/random.h"
#include "stats/values.h"

enum { MANY = 200000 };

static void same_values(const cr__values *a, const cr__values *b)
{
    assert_int_equal(a->count, b->count);
    assert_int_equal(a->shift, b->shift);
    assert_memory_equal(a->key, b->key, a->count * 16);
    assert_memory_equal(a->whole, b->whole, a->count * 8);
}

static void keys_are_ordered_as_numbers(void **state)
{
    const double x[] = {-1e300, -2.5, -1e-320, 0, 1e-320, 0.1, 7, 1e300};

    (void)state;
    for (size_t i = 0; i < sizeof x / sizeof *x; i++) {
        assert_true(cr__values_number(cr__values_key(x[i]), 0) == x[i]);
        assert_true(i == 0 || cr__values_key(x[i - 1]) < cr__values_key(x[i]));
    }
    assert_true(cr__values_key(-0.0) == cr__values_key(0.0));
}

static void few_numbers_are_counted_exactly(void **state)
{
    const double x[] = {3, 1, NAN, 3, 1, 2};
    const uint32_t c[] = {1, 2, 1, 1, 1, 0}; /* the last has no class */
    const uint32_t place[] = {UINT32_MAX, 0, 1};
    cr__value_table table = {0};
    cr__values values;

    (void)state;
    assert_int_equal(cr__value_table_absorb(&table, x, NULL, c, 6), CR_OK);
    assert_int_equal(cr__value_table_finish(&table, place, &values), CR_OK);
    assert_int_equal(values.count, 3); /* 1 in both classes, 3 in the first */
    assert_true(cr__values_number(values.key[0], 0) == 1 && values.key[1] == 0);
    assert_true(cr__values_number(values.key[2], 0) == 1 && values.key[3] == 1);
    assert_true(cr__values_number(values.key[4], 0) == 3 && values.whole[2] == 2);
    cr__values_free(&values);
    cr__value_table_free(&table);
}

static double *random_numbers(uint64_t seed)
{
    double *x = malloc(MANY * sizeof *x);
    cr__random rng;

    assert_non_null(x);
    cr__random_seed(&rng, seed);
    for (size_t i = 0; i < MANY; i++)
        x[i] = cr__random_normal(&rng) * 3 + 1e6;
    return x;
}

static void count(cr__value_table *table, const double *x, const uint32_t *c, size_t n)
{
    assert_int_equal(cr__value_table_absorb(table, x, NULL, c, n), CR_OK);
}

/* In one pass, in two parts merged, and backwards: the same bytes, though bits were dropped. */
static void a_sketch_does_not_depend_on_order_or_parts(void **state)
{
    double *x = random_numbers(7);
    uint32_t *c = malloc(MANY * sizeof *c);
    const uint32_t same[] = {0, 1, 2};
    cr__value_table one = {0}, first = {0}, second = {0}, merged = {0};
    cr__values whole, part, together;

    (void)state;
    for (size_t i = 0; i < MANY; i++)
        c[i] = 1 + (uint32_t)(i % 2);
    count(&one, x, c, MANY);
    count(&second, x + 1000, c + 1000, MANY - 1000);
    count(&first, x, c, 1000);
    assert_int_equal(cr__value_table_finish(&one, same, &whole), CR_OK);
    assert_true(whole.shift > 0);
    assert_int_equal(cr__value_table_finish(&first, same, &part), CR_OK);
    assert_int_equal(part.shift, 0);
    assert_int_equal(cr__value_table_add(&merged, &part, same, 1), CR_OK);
    cr__values_free(&part);
    assert_int_equal(cr__value_table_finish(&second, same, &part), CR_OK);
    assert_int_equal(cr__value_table_add(&merged, &part, same, 1), CR_OK);
    assert_int_equal(cr__value_table_finish(&merged, same, &together), CR_OK);
    same_values(&whole, &together);
    cr__values_free(&part);
    cr__values_free(&together);
    cr__values_free(&whole);
    cr__value_table_free(&one);
    cr__value_table_free(&first);
    cr__value_table_free(&second);
    cr__value_table_free(&merged);
    free(c);
    free(x);
}

/* Rows of weight 1 are counted in a grid, or sorted where that has no room; rows that have a
 * weight, which is 1, one by one: the same bytes. */
static void same_as_with_weights(const double *x, const uint32_t *c, uint32_t classes)
{
    enum { BATCH = 1000 };
    uint32_t *place = malloc((classes + 1) * sizeof *place);
    double weight[BATCH];
    cr__value_table plain = {0}, weighted = {0};
    cr__values a, b;

    assert_non_null(place);
    place[0] = UINT32_MAX;
    for (uint32_t k = 1; k <= classes; k++)
        place[k] = classes - k;
    for (size_t i = 0; i < BATCH; i++)
        weight[i] = 1;
    for (size_t at = 0; at < MANY; at += BATCH) {
        count(&plain, x + at, c + at, BATCH);
        assert_int_equal(cr__value_table_absorb(&weighted, x + at, weight, c + at, BATCH), CR_OK);
    }
    assert_int_equal(cr__value_table_finish(&plain, place, &a), CR_OK);
    assert_int_equal(cr__value_table_finish(&weighted, place, &b), CR_OK);
    assert_true(a.shift > 0);
    same_values(&a, &b);
    cr__values_free(&a);
    cr__values_free(&b);
    cr__value_table_free(&plain);
    cr__value_table_free(&weighted);
    free(place);
}

static void a_grid_counts_as_sorting_does(void **state)
{
    double *x = random_numbers(9);
    uint32_t *c = malloc(MANY * sizeof *c);

    (void)state;
    for (size_t i = 0; i < MANY; i++) {
        x[i] = i % 997 == 0 ? NAN : i % 991 == 0 ? (double)(i % 5) : (x[i] - 1e6) * (i % 7);
        c[i] = i % 101 == 0 ? 0 : 1 + (uint32_t)(i % 3);
    }
    same_as_with_weights(x, c, 3);
    for (size_t i = MANY / 2; i < MANY; i++) /* classes that come late */
        c[i] = 1 + (uint32_t)(i % 40);
    same_as_with_weights(x, c, 40);
    for (size_t i = 0; i < MANY; i++) /* too many to have places of their own */
        c[i] = 1 + (uint32_t)(i % 3000);
    same_as_with_weights(x, c, 3000);
    free(c);
    free(x);
}

/* Times of one month in seconds, and numbers of every magnitude among them. */
static void scattered_numbers_are_counted_without_a_grid(void **state)
{
    double *x = random_numbers(10);
    uint32_t *c = malloc(MANY * sizeof *c);
    cr__random rng;

    (void)state;
    cr__random_seed(&rng, 11);
    for (size_t i = 0; i < MANY; i++) {
        x[i] = 1.7e9 + floor(cr__random_uniform(&rng) * 2.6e6);
        c[i] = 1 + (uint32_t)(i % 2);
    }
    same_as_with_weights(x, c, 2);
    for (size_t i = 0; i < MANY; i++)
        if (i % 3 == 0)
            x[i] = ldexp(cr__random_uniform(&rng) - 0.5, (int)(i % 2000) - 1000);
    same_as_with_weights(x, c, 2);
    free(c);
    free(x);
}

static int ascending(const void *pa, const void *pb)
{
    const double a = *(const double *)pa, b = *(const double *)pb;

    return a < b ? -1 : a > b;
}

/* Ranks are exact, and a number is off by at most half of the last bit kept: for numbers about 1e6
 * that spread over 30, less than 1e-3. */
static void a_sketch_is_as_exact_as_it_says(void **state)
{
    double *x = random_numbers(8);
    cr__value_table table = {0};
    cr__spread spread;
    cr__values values;
    size_t at = 0;

    (void)state;
    count(&table, x, NULL, MANY);
    assert_int_equal(cr__value_table_finish(&table, NULL, &values), CR_OK);
    assert_in_range(values.count, CR__VALUES_COARSE / 4, CR__VALUES_COARSE);
    assert_int_equal(cr__values_spread(&values, 1, &spread), CR_OK);
    qsort(x, MANY, sizeof *x, ascending);
    for (size_t i = 0; i < spread.entries; i++)
        for (double k = 0; k < spread.count[i]; k++)
            assert_true(fabs(x[at++] - spread.value[i]) < 1e-3);
    assert_int_equal(at, MANY);
    cr__spread_free(&spread);
    cr__values_free(&values);
    cr__value_table_free(&table);
    free(x);
}

static void what_was_never_there_cannot_be_taken_away(void **state)
{
    const double x[] = {1, 2}, y[] = {3};
    const uint32_t same[] = {0};
    cr__value_table table = {0}, other = {0};
    cr__values values, result;

    (void)state;
    count(&table, x, NULL, 2);
    count(&other, y, NULL, 1);
    assert_int_equal(cr__value_table_finish(&other, NULL, &values), CR_OK);
    assert_int_equal(cr__value_table_add(&table, &values, same, -1), CR_OK);
    assert_int_equal(cr__value_table_finish(&table, NULL, &result), CR_ECONFLICT);
    cr__values_free(&values);
    cr__value_table_free(&table);
    cr__value_table_free(&other);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(keys_are_ordered_as_numbers),
        cmocka_unit_test(few_numbers_are_counted_exactly),
        cmocka_unit_test(a_sketch_does_not_depend_on_order_or_parts),
        cmocka_unit_test(a_grid_counts_as_sorting_does),
        cmocka_unit_test(scattered_numbers_are_counted_without_a_grid),
        cmocka_unit_test(a_sketch_is_as_exact_as_it_says),
        cmocka_unit_test(what_was_never_there_cannot_be_taken_away),
    };

    return cmocka_run_group_tests_name("values", tests, NULL, NULL);
}
