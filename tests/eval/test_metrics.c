/* tests/eval/test_metrics.c - figures of merit against scikit-learn's and R's. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <math.h>

#include <cmocka.h>

#include "credence/eval.h"

enum { ROWS = 8, K = 3 };

static const double posterior[ROWS][K] = {{.7, .2, .1},   {.1, .8, .1},   {.3, .3, .4},
                                          {.05, .9, .05}, {1, 0, 0},      {.2, .5, .3},
                                          {.6, .3, .1},   {.34, .33, .33}};
static const int32_t decision[ROWS] = {0, 1, 2, 1, 0, 1, 0, 0};
static const int32_t truth[ROWS] = {0, 1, 1, 1, 2, 2, 0, 0};
static const double weight[ROWS] = {1, 2, 1, .5, 1, 3, 1, 1.5};

static cr_evaluation *evaluate(int weighted)
{
    cr_evaluation *e;

    assert_int_equal(cr_evaluation_new(&e, K, NULL), CR_OK);
    for (int r = 0; r < ROWS; r++)
        cr_evaluation_add(e, posterior[r], decision[r], truth[r], weighted ? weight[r] : 1);
    return e;
}

static void near(double got, double wanted)
{
    if (!(fabs(got - wanted) <= 1e-12 * fmax(1, fabs(wanted))))
        fail_msg("%.17g is not %.17g", got, wanted);
}

/* scikit-learn 1.2.1: accuracy_score, log_loss(eps=2**-52), f1_score(average='macro'),
 * precision_recall_fscore_support; Brier and ECE by their definitions in NumPy; the interval is R's
 * prop.test(5, 8, correct=FALSE). */
static void figures_are_those_of_scikit_learn(void **state)
{
    cr_evaluation *e = evaluate(0);
    cr_class_metrics c;
    cr_metrics m;

    (void)state;
    cr_evaluation_metrics(e, &m);
    near(m.rows, 8);
    near(m.accuracy, 0.625);
    near(m.log_loss, 5.090801661727214);
    near(m.macro_f1, 0.5079365079365079);
    near(m.brier, 0.58105);
    near(m.ece, 0.345);
    near(m.accuracy_low, 0.305742394602627);
    near(m.accuracy_high, 0.863155714176403);
    cr_evaluation_class(e, 0, &c);
    near(c.precision, 0.75);
    near(c.recall, 1);
    near(c.f1, 6.0 / 7);
    cr_evaluation_class(e, 2, &c);
    near(c.precision, 0);
    near(c.f1, 0);
    near(cr_evaluation_confusion(e, 1, 2), 1);
    near(cr_evaluation_confusion(e, 2, 0), 1);
    near(cr_evaluation_confusion(e, 0, 0), 3);
    cr_evaluation_free(e);
}

static void weights_count_as_in_scikit_learn(void **state)
{
    cr_evaluation *e = evaluate(1);
    cr_class_metrics c;
    cr_metrics m;

    (void)state;
    cr_evaluation_metrics(e, &m);
    near(m.rows, 11);
    near(m.accuracy, 0.5454545454545454);
    near(m.log_loss, 3.985838820603713);
    near(m.macro_f1, 0.4768518518518519);
    near(m.brier, 0.5988727272727273);
    near(m.ece, 0.3854545454545455);
    cr_evaluation_class(e, 1, &c);
    near(c.precision, 5.0 / 11);
    near(c.recall, 5.0 / 7);
    cr_evaluation_free(e);
}

/* By hand: an undecided row is a uniform guess for log-loss and Brier, and wrong; a class unknown
 * to the model has P = 0, clipped to 2^-52. */
static void undecided_and_unknown_rows_are_counted(void **state)
{
    const double nothing[K] = {0};
    cr_evaluation *e;
    cr_metrics m;

    (void)state;
    assert_int_equal(cr_evaluation_new(&e, K, NULL), CR_OK);
    cr_evaluation_add(e, nothing, CR_UNDECIDED, 1, 1);
    cr_evaluation_metrics(e, &m);
    near(m.log_loss, log(3));
    near(m.brier, 2.0 / 3);
    near(m.accuracy, 0);
    near(m.undecided, 1);
    near(m.accuracy_low, 0);
    cr_evaluation_add(e, posterior[0], 0, -2, 1);
    cr_evaluation_metrics(e, &m);
    near(m.log_loss, (log(3) + 52 * log(2)) / 2);
    near(m.unknown, 1);
    cr_evaluation_free(e);
}

static void nothing_at_all_has_no_figures(void **state)
{
    cr_evaluation *e;
    cr_metrics m;

    (void)state;
    assert_int_equal(cr_evaluation_new(&e, K, NULL), CR_OK);
    cr_evaluation_metrics(e, &m);
    near(m.rows, 0);
    near(m.accuracy, 0);
    near(m.log_loss, 0);
    cr_evaluation_free(e);
}

static void a_perfect_score_has_an_upper_bound_of_one(void **state)
{
    cr_evaluation *e;
    cr_metrics m;

    (void)state;
    assert_int_equal(cr_evaluation_new(&e, K, NULL), CR_OK);
    cr_evaluation_add(e, posterior[0], 0, 0, 1);
    cr_evaluation_metrics(e, &m);
    assert_true(m.accuracy_high == 1);
    cr_evaluation_free(e);
}

/* Of n rows, all with P = 0.9, so many are decided wrongly. 10 % of 400 is 40, with a standard
 * error of 6: 58 is the most within three of them; 2 points are 8 rows. Of 10,000 rows three
 * standard errors are 90, and 2 points 200. Rows of a class that is not known do not count. */
static int surprise(size_t rows, size_t wrong, size_t unknown)
{
    static const double sure[] = {0.9, 0.1};
    cr_evaluation *e;
    cr_metrics m;

    assert_int_equal(cr_evaluation_new(&e, 2, NULL), CR_OK);
    for (size_t i = 0; i < rows + unknown; i++)
        cr_evaluation_add(e, sure, 0, i >= rows ? -2 : i < wrong, 1);
    cr_evaluation_metrics(e, &m);
    cr_evaluation_free(e);
    return cr_metrics_surprise(&m);
}

static void more_mistakes_than_expected_are_a_surprise(void **state)
{
    (void)state;
    assert_false(surprise(400, 58, 0));
    assert_true(surprise(400, 59, 0));
    assert_true(surprise(400, 59, 50));
    assert_false(surprise(400, 58, 50));
    assert_false(surprise(10000, 1200, 0));
    assert_true(surprise(10000, 1201, 0));
    assert_false(surprise(400, 0, 0));
    assert_false(surprise(99, 50, 0));
    assert_true(surprise(100, 50, 0));
    assert_false(surprise(0, 0, 0));
    assert_false(surprise(0, 0, 200));
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(figures_are_those_of_scikit_learn),
        cmocka_unit_test(weights_count_as_in_scikit_learn),
        cmocka_unit_test(undecided_and_unknown_rows_are_counted),
        cmocka_unit_test(nothing_at_all_has_no_figures),
        cmocka_unit_test(a_perfect_score_has_an_upper_bound_of_one),
        cmocka_unit_test(more_mistakes_than_expected_are_a_surprise),
    };
    return cmocka_run_group_tests_name("metrics", tests, NULL, NULL);
}
