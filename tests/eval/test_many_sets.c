/* tests/eval/test_many_sets.c - learners compared by figures of one's own: paired, ranked, by
 * signed ranks; and the names of metrics, criteria and verdicts.
 *
 * Friedman's example is worked by hand below. The Wilson interval of 8 of 10 is R's
 * prop.test(8, 10, correct = FALSE): 0.4901625 0.9433178.
 */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include <math.h>
#include <string.h>

#include "support/in_memory.h"

/* Three learners on four sets, always in the same order: the ranks are 1, 2, 3, so with N = 4 and
 * k = 3 chi-square is 12 N / (k (k + 1)) · (Σ R² - k (k + 1)² / 4) = 4 · (14 - 12) = 8. */
static void the_same_order_everywhere(void **state)
{
    const double score[] = {0.9, 0.8, 0.7, 0.6, 0.5, 0.4, 0.99, 0.98, 0.97, 0.3, 0.2, 0.1};
    double rank[3];
    cr_ranking r = {.rank = rank};
    cr_error err = {0};

    (void)state;
    assert_ok(cr_compare_ranks(score, 4, 3, &r, &err), err);
    assert_true(rank[0] == 1 && rank[1] == 2 && rank[2] == 3);
    assert_true(fabs(r.chi_square - 8) < 1e-12);
    assert_true(fabs(r.p - exp(-4)) < 1e-12); /* two degrees of freedom: e^(-x / 2) */
    /* Nemenyi: q sqrt(k (k + 1) / (6 N)) with q = 2.343 (J. Demšar, 2006, table 5) */
    assert_true(fabs(r.critical - 2.343 * sqrt(12.0 / 24)) < 2e-3);
}

static void signed_ranks(void **state)
{
    const double better[] = {0.1, 0.2, 0.15, 0.3, 0.12, 0.25}, same[] = {0, 0.001, -0.001, 0, 0, 0};
    double p[3], q[3];

    (void)state;
    assert_int_equal(cr_compare_signed_rank(better, 6, 0.01, 1, &p[0], &p[1], &p[2], NULL), CR_OK);
    assert_true(p[2] > 0.95 && fabs(p[0] + p[1] + p[2] - 1) < 1e-9);
    assert_int_equal(cr_compare_signed_rank(same, 6, 0.01, 1, &q[0], &q[1], &q[2], NULL), CR_OK);
    assert_true(q[1] > 0.95);
    assert_int_equal(cr_compare_signed_rank(better, 6, 0.01, 1, &q[0], &q[1], &q[2], NULL), CR_OK);
    assert_memory_equal(p, q, sizeof p); /* the same seed, the same draws */
}

/* Differences .1 .2 .3 .2: mean .2, variance .02 / 3. With J = 4 and test / train = 1/3 the
 * variance of the mean is (1/4 + 1/3) · .02 / 3 (C. Nadeau and Y. Bengio), so t = .2 / its root. */
static void paired_folds(void **state)
{
    const double a[] = {0.9, 0.8, 0.9, 0.7}, b[] = {0.8, 0.6, 0.6, 0.5};
    cr_paired p;

    (void)state;
    cr_compare_paired(a, b, 4, 1.0 / 3, CR_ROPE, &p);
    assert_true(fabs(p.difference.mean - 0.2) < 1e-12);
    assert_true(fabs(p.t - 0.2 / sqrt((0.25 + 1.0 / 3) * 0.02 / 3)) < 1e-9);
    assert_true(p.p > 0 && p.p < 0.1 && p.better > 0.9);
    assert_true(fabs(p.worse + p.same + p.better - 1) < 1e-12);
    cr_compare_paired(a, a, 4, 1.0 / 3, CR_ROPE, &p);
    assert_true(p.difference.mean == 0 && p.same > 0.99);
}

/* The same figures as two learning curves. The last size is 6 rows, and 2 are tested: at 6
 * rows test / train is 2 / 6, at 3 rows 2 / 6 · 3 / 6. */
static void paired_curves(void **state)
{
    double a[] = {0.9, 0.8, 0.9, 0.7, 0.9, 0.8, 0.9, 0.7};
    double b[] = {0.8, 0.6, 0.6, 0.5, 0.8, 0.6, 0.6, 0.5};
    cr_learning_point point[] = {{.size = 3}, {.size = 6}};
    const cr_learning_curve classes[] = {
        {.points = 2, .repeats = 4, .tested = 2, .point = point, .accuracy = a},
        {.points = 2, .repeats = 4, .tested = 2, .point = point, .accuracy = b}};
    const cr_learning_curve numbers[] = {
        {.points = 2, .repeats = 4, .tested = 2, .point = point, .numbers = 1, .rmse = a},
        {.points = 2, .repeats = 4, .tested = 2, .point = point, .numbers = 1, .rmse = b}};
    cr_paired p;

    (void)state;
    cr_compare_curves(&classes[0], &classes[1], 1, CR_ROPE, &p);
    assert_true(fabs(p.t - 0.2 / sqrt((0.25 + 1.0 / 3) * 0.02 / 3)) < 1e-9);
    cr_compare_curves(&numbers[0], &numbers[1], 0, CR_ROPE, &p);
    assert_true(fabs(p.t - 0.2 / sqrt((0.25 + 1.0 / 6) * 0.02 / 3)) < 1e-9);
}

static void a_share_of_few(void **state)
{
    double low, high;

    (void)state;
    cr_wilson_interval(0.8, 10, &low, &high);
    assert_true(fabs(low - 0.4901625) < 1e-6 && fabs(high - 0.9433178) < 1e-6);
}

static void names(void **state)
{
    const cr_regression_metrics m = {.rows = 4, .rmse = 0.5};
    size_t classes = 0;

    (void)state;
    while (cr_metric_get(0, classes) != NULL)
        classes++;
    assert_int_equal(cr_metric_count(0), classes);
    assert_int_not_equal(cr_metric_count(1), 0);
    assert_null(cr_metric_get(1, cr_metric_count(1)));
    assert_true(cr_regression_value(&m, cr_metric_find(1, "rmse")) == 0.5);
    assert_true(isnan(cr_regression_value(&m, cr_metric_find(0, "accuracy"))));
    for (size_t i = 0; cr_criterion_get(i) != NULL; i++)
        assert_ptr_equal(cr_criterion_find(cr_criterion_get(i)->key), cr_criterion_get(i));
    assert_null(cr_criterion_find("beauty"));
    assert_string_equal(cr_drift_verdict_name(CR_DRIFT_NONE), "stable");
    assert_string_equal(cr_drift_verdict_name(CR_DRIFT_STRONG), "strong");
    assert_string_equal(cr_family_name(CR_INVERSE_GAMMA), "inverse-gamma");
    assert_string_equal(cr_mode_name(CR_MODE_BORDER), "border");
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(the_same_order_everywhere),
        cmocka_unit_test(signed_ranks),
        cmocka_unit_test(paired_folds),
        cmocka_unit_test(paired_curves),
        cmocka_unit_test(a_share_of_few),
        cmocka_unit_test(names),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
