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

/* Numbers of 0 to 99 with classes from 0 on, of which `classes` occur. */
static void draw(cr__value_table *table, uint64_t seed, size_t rows, uint32_t classes,
                 unsigned scale)
{
    cr__random rng;

    cr__random_seed(&rng, seed);
    for (size_t i = 0; i < rows; i++) {
        const double x =
            scale == 0 ? (double)cr__random_below(&rng, 100) : cr__random_normal(&rng) * scale;
        const uint32_t c = 1 + (uint32_t)cr__random_below(&rng, classes);
        const double weight = i % 3 == 0 ? 0.5 : 1;

        assert_int_equal(cr__value_table_absorb(table, &x, seed % 2 ? &weight : NULL, &c, 1),
                         CR_OK);
    }
}

static void expect_combined(const cr__values *a, const uint32_t *of_a, const cr__values *b,
                            const uint32_t *of_b, int sign)
{
    cr__value_table table = {0};
    cr__values wanted, got;

    assert_int_equal(cr__value_table_add(&table, a, of_a, 1), CR_OK);
    assert_int_equal(cr__value_table_add(&table, b, of_b, sign), CR_OK);
    assert_int_equal(cr__value_table_finish(&table, NULL, &wanted), CR_OK);
    assert_int_equal(
        cr__values_combine((cr__values_of){a, of_a}, (cr__values_of){b, of_b}, sign, 3, &got),
        CR_OK);
    same_values(&wanted, &got);
    assert_int_equal(wanted.fraction != NULL, got.fraction != NULL);
    cr__values_free(&wanted);
    cr__values_free(&got);
    cr__value_table_free(&table);
}

/* The sum and the difference are those of a table to which both were added, with classes under
 * other numbers, weights, and so many numbers that bits are dropped from some. */
static void sums_and_differences_are_those_of_a_table(void **state)
{
    static const uint32_t place[] = {UINT32_MAX, 0, 1, 2}, same[] = {0, 1, 2}, other[] = {2, 0, 1},
                          two[] = {0, 2}, beyond[] = {0, 1, 7};

    (void)state;
    for (uint64_t seed = 0; seed < 8; seed++) {
        const unsigned scale = seed < 4 ? 0 : 100;
        const size_t rows = seed < 6 ? 3000 : 70000;
        cr__value_table a = {0}, b = {0};
        cr__values all, part, sum, left;

        draw(&a, seed, rows, 3, scale);
        draw(&b, seed + 100, rows / 10, seed % 4 < 2 ? 3 : 2, scale);
        assert_int_equal(cr__value_table_finish(&a, place, &all), CR_OK);
        assert_int_equal(cr__value_table_finish(&b, place, &part), CR_OK);
        assert_true(seed < 6 || all.shift > part.shift);
        expect_combined(&all, same, &part, same, 1);
        expect_combined(&all, other, &part, other, 1);
        expect_combined(&all, same, &part, seed % 4 < 2 ? other : two, 1);
        expect_combined(&part, same, &all, same, 1);
        assert_int_equal(cr__values_combine((cr__values_of){&all, same},
                                            (cr__values_of){&part, same}, 1, 3, &sum),
                         CR_OK);
        expect_combined(&sum, same, &part, same, -1);
        expect_combined(&sum, other, &part, other, -1);
        assert_int_equal(cr__values_combine((cr__values_of){&all, same},
                                            (cr__values_of){&all, same}, -1, 0, &left),
                         CR_OK);
        assert_int_equal(left.count, 0);
        cr__values_free(&left);
        assert_int_equal(cr__values_combine((cr__values_of){&part, same},
                                            (cr__values_of){&sum, same}, -1, 3, &left),
                         CR_ECONFLICT);
        assert_int_equal(cr__values_combine((cr__values_of){&sum, beyond},
                                            (cr__values_of){&part, same}, 1, 3, &left),
                         CR_ECONFLICT);
        cr__values_free(&all);
        cr__values_free(&part);
        cr__values_free(&sum);
        cr__value_table_free(&a);
        cr__value_table_free(&b);
    }
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
        cmocka_unit_test(sums_and_differences_are_those_of_a_table),
        cmocka_unit_test(what_was_never_there_cannot_be_taken_away),
    };

    return cmocka_run_group_tests_name("values", tests, NULL, NULL);
}
