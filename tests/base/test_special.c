/* tests/base/test_special.c - special functions against published and high-precision values.
 *
 * A&S is Abramowitz & Stegun, Handbook of Mathematical Functions, 1964; DLMF is the NIST Digital
 * Library of Mathematical Functions. The tables of special_values.h say where they come from.
 */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include "base/special.h"
#include "base/special_impl.h"
#include "special_values.h"

#include <math.h>
#include <stdio.h>

#define COUNT(table) (sizeof(table) / sizeof *(table))

static const double pi = 3.141592653589793238463;
static const double euler = 0.5772156649015328606065;

static void near(const char *what, double got, double expected, double tolerance)
{
    if (!(fabs(got - expected) <= tolerance * fabs(expected)))
        fail_msg("%s: got %.17g, expected %.17g", what, got, expected);
}

/* Relative error 1e-12. */
#define assert_near(got, expected) near(#got, got, expected, 1e-12)

static void log_gamma_matches_the_table(void **state)
{
    (void)state;
    for (size_t i = 0; i < COUNT(gamma_values); i++) {
        double x = gamma_values[i].x;
        assert_near(cr__log_gamma(x), gamma_values[i].log_gamma);
    }
}

/* A&S 6.1.8; DLMF 5.4.12, 5.4.13 and 5.15; A&S table 6.1 has gamma(1.25) to ten places. */
static void gamma_functions_have_their_known_values(void **state)
{
    (void)state;
    assert_near(cr__log_gamma(0.5), 0.5 * log(pi));
    assert_true(cr__log_gamma(1) == 0);
    assert_true(cr__log_gamma(2) == 0);
    assert_near(cr__log_gamma(21), log(2432902008176640000.0)); /* 20! */
    near("A&S", exp(cr__log_gamma(1.25)), 0.9064024771, 1e-10);
    assert_near(cr__log_gamma_1p(1e-20), -euler * 1e-20);
}

static void log_beta_and_the_gamma_ratio_match_the_table(void **state)
{
    (void)state;
    for (size_t i = 0; i < COUNT(beta_function_values); i++) {
        double a = beta_function_values[i].a, b = beta_function_values[i].b;
        assert_near(cr__log_beta(a, b), beta_function_values[i].log_beta);
        assert_true(cr__log_beta(a, b) == cr__log_beta(b, a));
        assert_near(cr__log_gamma_ratio(a, b), beta_function_values[i].log_ratio);
    }
    assert_near(cr__log_beta(0.5, 0.5), log(pi)); /* DLMF 5.12.2 */
    assert_near(cr__log_beta(3, 4), -log(60));    /* 2! 3! / 6! */
}

static void incomplete_gamma_matches_the_table_in_both_tails(void **state)
{
    (void)state;
    for (size_t i = 0; i < COUNT(incomplete_gamma_values); i++) {
        double a = incomplete_gamma_values[i].a, x = incomplete_gamma_values[i].x;
        assert_near(cr__gamma_lower(a, x), incomplete_gamma_values[i].lower);
        assert_near(cr__gamma_upper(a, x), incomplete_gamma_values[i].upper);
    }
}

/* P(1/2, x) = erf(sqrt x) (DLMF 8.4.1), Q(1, x) = e^-x (8.4.8); chi-square points from A&S table
 * 26.8, given there to six figures. */
static void incomplete_gamma_has_its_known_values(void **state)
{
    (void)state;
    for (double x = 0.01; x < 20; x *= 1.7) {
        assert_near(cr__gamma_lower(0.5, x), erf(sqrt(x)));
        assert_near(cr__gamma_upper(0.5, x), erfc(sqrt(x)));
        assert_near(cr__gamma_upper(1, x), exp(-x));
        assert_near(cr__chi_square_upper(2, x), exp(-x / 2));
    }
    near("A&S", cr__chi_square_upper(1, 3.84146), 0.05, 2e-5);
    near("A&S", cr__chi_square_upper(10, 18.3070), 0.05, 2e-5);
    near("A&S", 2 * cr__gamma_upper_inverse(5, 0.001), 29.588, 2e-5);
    near("A&S", 2 * cr__gamma_upper_inverse(50, 0.95), 77.9295, 1e-6);
}

static void incomplete_beta_matches_the_table_in_both_tails(void **state)
{
    (void)state;
    for (size_t i = 0; i < COUNT(incomplete_beta_values); i++) {
        double a = incomplete_beta_values[i].a, b = incomplete_beta_values[i].b;
        double x = incomplete_beta_values[i].x;
        assert_near(cr__beta_lower(a, b, x), incomplete_beta_values[i].lower);
        assert_near(cr__beta_upper(a, b, x), incomplete_beta_values[i].upper);
    }
}

/* I_x(a, 1) = x^a, I_x(1, b) = 1 - (1 - x)^b, I_1/2(a, a) = 1/2, and for whole a, b the binomial
 * sum (DLMF 8.17.5): I_x(2, 3) = 6 x^2 - 8 x^3 + 3 x^4. */
static void incomplete_beta_has_its_known_values(void **state)
{
    (void)state;
    for (double x = 1.0 / 64; x < 1; x += 1.0 / 16) {
        assert_near(cr__beta_lower(3.5, 1, x), pow(x, 3.5));
        assert_near(cr__beta_upper(1, 0.1, x), pow(1 - x, 0.1));
        assert_near(cr__beta_lower(2, 3, x), x * x * (6 + x * (3 * x - 8)));
    }
    for (double a = 1e-3; a < 2e6; a *= 10)
        assert_near(cr__beta_lower(a, a, 0.5), 0.5);
}

static void normal_matches_the_table(void **state)
{
    (void)state;
    for (size_t i = 0; i < COUNT(normal_values); i++) {
        double x = normal_values[i].x, lower = normal_values[i].lower;
        assert_near(cr__normal_pdf(x), normal_values[i].pdf);
        assert_near(cr__normal_lower(x), lower);
        /* Rounding p to a double moves x by up to eps p / pdf. */
        double blur = 2e-16 * lower / normal_values[i].pdf;
        assert_true(fabs(cr__normal_quantile(lower) - x) <= 1e-12 * fabs(x) + blur);
    }
}

/* A&S table 26.1 to fifteen places; quantiles from A&S table 26.5. */
static void normal_has_its_known_values(void **state)
{
    (void)state;
    near("A&S", cr__normal_lower(1), 0.841344746068543, 1e-15);
    near("A&S", cr__normal_lower(2), 0.977249868051821, 1e-15);
    near("A&S", cr__normal_quantile(0.975), 1.95996, 3e-6);
    near("A&S", cr__normal_quantile(0.995), 2.57583, 3e-6);
    assert_true(cr__normal_quantile(0.5) == 0);
    assert_near(cr__normal_quantile(0.5 + 0x1p-40), 0x1p-40 * sqrt(2 * pi));
    assert_near(cr__normal_quantile(1 - 0x1p-40), -cr__normal_quantile(0x1p-40));
    assert_true(cr__normal_quantile(0) == -INFINITY && cr__normal_quantile(1) == INFINITY);
}

static void student_matches_the_table(void **state)
{
    (void)state;
    for (size_t i = 0; i < COUNT(student_values); i++) {
        double df = student_values[i].df, t = student_values[i].t;
        double lower = student_values[i].lower;
        assert_near(cr__student_log_pdf(df, t), student_values[i].log_pdf);
        assert_near(cr__student_lower(df, t), lower);
        double blur = 2e-16 * lower / exp(student_values[i].log_pdf);
        assert_true(fabs(cr__student_quantile(df, lower) - t) <= 1e-12 * fabs(t) + blur);
    }
}

/* df = 1 is Cauchy's, 1/2 + atan(t)/pi; df = 2 is 1/2 + t / (2 sqrt(2 + t^2)) (A&S 26.7.3 and
 * 26.7.4); quantiles from A&S table 26.10. */
static void student_has_its_known_values(void **state)
{
    (void)state;
    for (double t = -9; t < 9; t += 0.75) {
        assert_near(cr__student_lower(1, t), 0.5 + atan(t) / pi);
        assert_near(cr__student_lower(2, t), 0.5 + t / (2 * sqrt(2 + t * t)));
        assert_near(cr__student_lower(INFINITY, t), cr__normal_lower(t));
    }
    near("A&S", cr__student_quantile(10, 0.975), 2.228, 3e-4);
    near("A&S", cr__student_quantile(1, 0.975), 12.706, 3e-5);
    near("A&S", cr__student_quantile(30, 0.995), 2.750, 3e-4);
    assert_true(cr__student_quantile(7, 0.5) == 0);
    assert_near(cr__student_lower(1, -1e300), 1 / pi / 1e300);
    assert_near(cr__student_quantile(1, 1e-300), -1e300 / pi);
    assert_near(cr__student_log_pdf(1, 1e300), -log(pi) - 2 * log(1e300));
}

/* Going through the tail and back multiplies an error by tail / (x density), at most 1 / a here;
 * the smaller tail is used, as it is the one with digits. */
static void gamma_inverse_undoes_both_tails(void **state)
{
    (void)state;
    for (size_t i = 0; i < COUNT(incomplete_gamma_values); i++) {
        double a = incomplete_gamma_values[i].a, x = incomplete_gamma_values[i].x;
        double lower = incomplete_gamma_values[i].lower, upper = incomplete_gamma_values[i].upper;
        double tolerance = 1e-12 + 3e-16 / a;
        if (lower <= upper)
            near("lower inverse", cr__gamma_lower_inverse(a, lower), x, tolerance);
        else
            near("upper inverse", cr__gamma_upper_inverse(a, upper), x, tolerance);
    }
    assert_true(cr__gamma_lower_inverse(2, 0) == 0 && isinf(cr__gamma_lower_inverse(2, 1)));
    assert_true(cr__gamma_upper_inverse(2, 1) == 0 && isinf(cr__gamma_upper_inverse(2, 0)));
    assert_near(cr__gamma_lower_inverse(1, 0.5), log(2));
}

static void beta_inverse_undoes_both_tails(void **state)
{
    (void)state;
    for (size_t i = 0; i < COUNT(incomplete_beta_values); i++) {
        double a = incomplete_beta_values[i].a, b = incomplete_beta_values[i].b;
        double x = incomplete_beta_values[i].x;
        double lower = incomplete_beta_values[i].lower, upper = incomplete_beta_values[i].upper;
        double tolerance = 1e-12 + 3e-16 / (a < b ? a : b);
        if (lower <= upper)
            near("lower inverse", cr__beta_lower_inverse(a, b, lower), x, tolerance);
        else
            near("upper inverse", cr__beta_upper_inverse(a, b, upper), x, tolerance);
    }
    assert_true(cr__beta_lower_inverse(2, 3, 0) == 0 && cr__beta_lower_inverse(2, 3, 1) == 1);
    assert_true(cr__beta_upper_inverse(2, 3, 1) == 0 && cr__beta_upper_inverse(2, 3, 0) == 1);
    assert_near(cr__beta_lower_inverse(2, 1, 0.25), 0.5);
    assert_near(cr__beta_lower_inverse(1, 1, 1e-300), 1e-300);
}

/* Lower tails rise and stay between 0 and 1 where one method hands over to the next. */
static void tails_are_monotone_across_methods(void **state)
{
    (void)state;
    static const double shapes[] = {1e-3, 0.5, 0.999, 1, 7, 19.99, 20, 300};
    for (size_t i = 0; i < COUNT(shapes); i++)
        for (size_t k = 0; k < COUNT(shapes); k++) {
            double a = shapes[i], b = shapes[k], gamma_before = 0, beta_before = 0;
            for (double x = 0; x <= 1; x += 1.0 / 512) {
                double g = cr__gamma_lower(a, 4 * a * x), c = cr__beta_lower(a, b, x);
                assert_true(g >= gamma_before * (1 - 1e-14) && g <= 1);
                assert_true(c >= beta_before * (1 - 1e-14) && c <= 1);
                gamma_before = g;
                beta_before = c;
            }
        }
}

static void arguments_outside_the_domain_give_nan(void **state)
{
    (void)state;
    assert_true(isnan(cr__log_gamma(-1)) && isnan(cr__log_gamma(NAN)));
    assert_true(isinf(cr__log_gamma(0)));
    assert_true(isnan(cr__log_beta(0, 1)) && isnan(cr__log_beta(1, NAN)));
    assert_true(isnan(cr__log_gamma_ratio(0, 1)) && isnan(cr__log_gamma_ratio(1, 0)));
    assert_true(isnan(cr__gamma_lower(0, 1)) && isnan(cr__gamma_upper(1, -1)));
    assert_true(isnan(cr__gamma_lower_inverse(1, 1.5)) && isnan(cr__gamma_lower_inverse(1, NAN)));
    assert_true(isnan(cr__beta_lower(1, 1, 1.1)) && isnan(cr__beta_upper(-1, 1, 0.5)));
    assert_true(isnan(cr__beta_lower_inverse(1, 1, -0.1)) && isnan(cr__beta_lower(1, 1, NAN)));
    assert_true(isnan(cr__normal_quantile(-0.1)) && isnan(cr__normal_quantile(NAN)));
    assert_true(isnan(cr__student_lower(0, 1)) && isnan(cr__student_log_pdf(1, NAN)));
    assert_true(isnan(cr__student_quantile(1, 2)));
    assert_true(cr__student_lower(3, -INFINITY) == 0 && cr__student_lower(3, INFINITY) == 1);
    assert_true(cr__gamma_lower(3, INFINITY) == 1 && cr__beta_lower(2, 3, 1) == 1);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(log_gamma_matches_the_table),
        cmocka_unit_test(gamma_functions_have_their_known_values),
        cmocka_unit_test(log_beta_and_the_gamma_ratio_match_the_table),
        cmocka_unit_test(incomplete_gamma_matches_the_table_in_both_tails),
        cmocka_unit_test(incomplete_gamma_has_its_known_values),
        cmocka_unit_test(incomplete_beta_matches_the_table_in_both_tails),
        cmocka_unit_test(incomplete_beta_has_its_known_values),
        cmocka_unit_test(normal_matches_the_table),
        cmocka_unit_test(normal_has_its_known_values),
        cmocka_unit_test(student_matches_the_table),
        cmocka_unit_test(student_has_its_known_values),
        cmocka_unit_test(gamma_inverse_undoes_both_tails),
        cmocka_unit_test(beta_inverse_undoes_both_tails),
        cmocka_unit_test(tails_are_monotone_across_methods),
        cmocka_unit_test(arguments_outside_the_domain_give_nan),
    };
    return cmocka_run_group_tests_name("special", tests, NULL, NULL);
}
