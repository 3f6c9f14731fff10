/* tests/base/test_random.c - the generator's reference outputs, and moments of distributions.
 *
 * The seeds are fixed, so the statistical tests always give the same answer; their bounds are
 * five standard errors or the chi-square quantile of one in a million.
 */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include "base/random.h"

#include <math.h>
#include <string.h>

enum { DRAWS = 200000 };

/* Outputs of Vigna's splitmix64.c for the seed 1234567. */
static void splitmix64_gives_the_reference_outputs(void **state)
{
    (void)state;
    static const uint64_t expected[] = {
        UINT64_C(6457827717110365317), UINT64_C(3203168211198807973), UINT64_C(9817491932198370423),
        UINT64_C(4593380528125082431), UINT64_C(16408922859458223821)};
    uint64_t s = 1234567;
    for (size_t i = 0; i < 5; i++)
        assert_true(cr__splitmix64(&s) == expected[i]);
}

/* Outputs of Blackman and Vigna's xoshiro256starstar.c for the state {1, 2, 3, 4}. */
static void xoshiro_gives_the_reference_outputs(void **state)
{
    (void)state;
    static const uint64_t expected[] = {UINT64_C(11520),
                                        UINT64_C(0),
                                        UINT64_C(1509978240),
                                        UINT64_C(1215971899390074240),
                                        UINT64_C(1216172134540287360),
                                        UINT64_C(607988272756665600),
                                        UINT64_C(16172922978634559625),
                                        UINT64_C(8476171486693032832),
                                        UINT64_C(10595114339597558777),
                                        UINT64_C(2904607092377533576)};
    cr__random r = {{1, 2, 3, 4}};
    for (size_t i = 0; i < 10; i++)
        assert_true(cr__random_next(&r) == expected[i]);
}

/* The state {1, 2, 3, 4} times the 256 x 256 bit matrix of one step, squared 128 times. */
static void jump_is_2_to_the_128_steps(void **state)
{
    (void)state;
    static const uint64_t expected[4] = {UINT64_C(0x8C7A153956B5F3D1), UINT64_C(0x701F1A713401D85E),
                                         UINT64_C(0x6527F66A65469085),
                                         UINT64_C(0x8386B786C4408050)};
    cr__random r = {{1, 2, 3, 4}};
    cr__random_jump(&r);
    assert_memory_equal(r.s, expected, sizeof expected);
}

static void a_seed_repeats_and_another_differs(void **state)
{
    (void)state;
    cr__random a, b, c;
    uint64_t mixer = 7;
    cr__random_seed(&a, 7);
    cr__random_seed(&b, 7);
    cr__random_seed(&c, 8);
    assert_true(a.s[0] == cr__splitmix64(&mixer));
    assert_memory_equal(&a, &b, sizeof a);
    assert_true(cr__random_next(&a) != cr__random_next(&c));
}

/* 37 cells have 36 degrees of freedom; P(chi-square > 94) is about 5e-7. */
static void below_is_uniform(void **state)
{
    (void)state;
    enum { CELLS = 37 };
    cr__random r;
    double counts[CELLS] = {0}, chi_square = 0;
    cr__random_seed(&r, 1);
    for (int i = 0; i < DRAWS; i++) {
        uint64_t k = cr__random_below(&r, CELLS);
        assert_true(k < CELLS);
        counts[k]++;
    }
    for (int k = 0; k < CELLS; k++)
        chi_square += pow(counts[k] - (double)DRAWS / CELLS, 2) * CELLS / DRAWS;
    assert_true(chi_square < 94 && chi_square > 10);
    assert_true(cr__random_below(&r, 0) == 0);
    assert_true(cr__random_below(&r, 1) == 0);
}

/* With n = 3 * 2^62 the plain product would give one residue mod 3 half of the draws. */
static void below_is_unbiased_for_large_n(void **state)
{
    (void)state;
    cr__random r;
    double counts[3] = {0};
    cr__random_seed(&r, 2);
    for (int i = 0; i < DRAWS; i++)
        counts[cr__random_below(&r, UINT64_C(3) << 62) % 3]++;
    for (int k = 0; k < 3; k++)
        assert_true(fabs(counts[k] / DRAWS - 1.0 / 3) < 5 * sqrt(2.0 / 9 / DRAWS));
}

/* Check the mean and variance of a sample against theirs, given the fourth central moment. */
static void assert_moments(const double *x, double mean, double variance, double fourth)
{
    double sum = 0, squares = 0;
    for (int i = 0; i < DRAWS; i++)
        sum += x[i];
    for (int i = 0; i < DRAWS; i++)
        squares += (x[i] - mean) * (x[i] - mean);
    assert_true(fabs(sum / DRAWS - mean) < 5 * sqrt(variance / DRAWS));
    assert_true(fabs(squares / DRAWS - variance) <
                5 * sqrt((fourth - variance * variance) / DRAWS));
}

static double sample[DRAWS];

/* Uniform: 1/2, 1/12, 1/80; normal: 0, 1, 3; exponential: 1, 1, 9. */
static void uniform_normal_and_exponential_have_their_moments(void **state)
{
    (void)state;
    cr__random r;
    cr__random_seed(&r, 3);
    for (int i = 0; i < DRAWS; i++) {
        sample[i] = cr__random_uniform(&r);
        assert_true(sample[i] >= 0 && sample[i] < 1);
    }
    assert_moments(sample, 0.5, 1.0 / 12, 1.0 / 80);
    for (int i = 0; i < DRAWS; i++)
        sample[i] = cr__random_normal(&r);
    assert_moments(sample, 0, 1, 3);
    int beyond = 0;
    for (int i = 0; i < DRAWS; i++)
        beyond += sample[i] > 1.959963984540054; /* the 0.975 quantile */
    assert_true(fabs(beyond / (double)DRAWS - 0.025) < 5 * sqrt(0.025 * 0.975 / DRAWS));
    for (int i = 0; i < DRAWS; i++)
        sample[i] = cr__random_exponential(&r);
    assert_moments(sample, 1, 1, 9);
}

/* Gamma(k): mean k, variance k, fourth central moment 3k^2 + 6k. */
static void gamma_has_its_moments(void **state)
{
    (void)state;
    static const double shapes[] = {0.3, 1, 2.5, 100};
    cr__random r;
    cr__random_seed(&r, 4);
    for (size_t s = 0; s < sizeof shapes / sizeof *shapes; s++) {
        double k = shapes[s];
        for (int i = 0; i < DRAWS; i++)
            sample[i] = cr__random_gamma(&r, k);
        assert_moments(sample, k, k, 3 * k * k + 6 * k);
    }
    assert_true(isnan(cr__random_gamma(&r, 0)));
    assert_true(isnan(cr__random_gamma(&r, -1)));
    assert_true(isinf(cr__random_gamma(&r, INFINITY)));
}

/* 4 items have 24 orders; P(chi-square with 23 degrees of freedom > 74) is about 3e-7. */
static void shuffle_makes_every_order_equally_likely(void **state)
{
    (void)state;
    cr__random r;
    double counts[256] = {0}, chi_square = 0;
    int orders = 0;
    cr__random_seed(&r, 5);
    for (int i = 0; i < DRAWS; i++) {
        uint32_t items[4] = {0, 1, 2, 3};
        cr__random_shuffle(&r, items, 4);
        counts[items[0] << 6 | items[1] << 4 | items[2] << 2 | items[3]]++;
    }
    for (int k = 0; k < 256; k++)
        if (counts[k] > 0) {
            orders++;
            chi_square += pow(counts[k] - DRAWS / 24.0, 2) * 24 / DRAWS;
        }
    assert_int_equal(orders, 24);
    assert_true(chi_square < 74 && chi_square > 4);
    cr__random_shuffle(&r, NULL, 0);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(splitmix64_gives_the_reference_outputs),
        cmocka_unit_test(xoshiro_gives_the_reference_outputs),
        cmocka_unit_test(jump_is_2_to_the_128_steps),
        cmocka_unit_test(a_seed_repeats_and_another_differs),
        cmocka_unit_test(below_is_uniform),
        cmocka_unit_test(below_is_unbiased_for_large_n),
        cmocka_unit_test(uniform_normal_and_exponential_have_their_moments),
        cmocka_unit_test(gamma_has_its_moments),
        cmocka_unit_test(shuffle_makes_every_order_equally_likely),
    };
    return cmocka_run_group_tests_name("random", tests, NULL, NULL);
}
