/* tests/eval/test_regression.c - predictions for unseen rows: subtraction equals training again,
 * leave-one-out equals training on the others; their figures; tuning, curves and paired tests.
 */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#include "base/memory.h"
#include "base/random.h"
#include "credence/credence.h"
#include "data/folds.h"
#include "eval/regression.h"

enum { ROWS = 157, FOLDS = 5, REPEATS = 2 };

typedef struct data {
    double size[ROWS], age[ROWS], price[ROWS], weight[ROWS];
    const char *colour[ROWS];
} data;

static data all;

/* price = 3 size - 0.5 age + a step for the colour + noise, with gaps everywhere. */
static void fill(void)
{
    static const char *const colours[] = {"red", "green", "blue", "rare"};
    cr__random random;

    cr__random_seed(&random, 5);
    for (size_t r = 0; r < ROWS; r++) {
        const size_t c = r == 50 ? 3 : cr__random_below(&random, 3); /* one is alone */

        all.size[r] = cr__random_below(&random, 20) == 0 ? NAN : 1000 + cr__random_normal(&random);
        all.age[r] = cr__random_exponential(&random) * 20;
        all.colour[r] = cr__random_below(&random, 30) == 0 ? NULL : colours[c];
        all.price[r] = 3 * (isnan(all.size[r]) ? 1000 : all.size[r]) - 0.5 * all.age[r] +
                       (double)c * 2 + cr__random_normal(&random);
        if (cr__random_below(&random, 40) == 0)
            all.price[r] = NAN;
        all.weight[r] = 1 + (double)cr__random_below(&random, 3);
    }
}

static cr_source *open_data(int weighted)
{
    const cr_array arrays[] = {{.name = "size", .real = all.size},
                               {.name = "age", .real = all.age},
                               {.name = "colour", .text = all.colour},
                               {.name = "price", .real = all.price, .role = CR_ROLE_TARGET},
                               {.name = "weight", .real = all.weight, .role = CR_ROLE_WEIGHT}};
    cr_source *source;
    cr_error err = {0};

    fill();
    if (cr_source_open_arrays(&source, arrays, weighted ? 5 : 4, ROWS, &err) != CR_OK)
        fail_msg("%s", err.message);
    return source;
}

static cr_cv *validate(cr_study *study, const char *param)
{
    const char *const params[] = {param};
    cr_error err = {0};
    cr_cv *cv;

    if (cr_cv_run(&cv, study, "linear", params, param != NULL, &err) != CR_OK)
        fail_msg("%s", err.message);
    return cv;
}

static int near_enough(double a, double b)
{
    return fabs(a - b) <= 1e-9 * fmax(1, fabs(b));
}

static void check_answer(const cr_cv *cv, const char *what, size_t repeat, size_t row,
                         const cr_regression *want)
{
    cr_cv_answer a;
    cr_regression got;

    assert_int_equal(cr_cv_get_regression(cv, repeat, row, &a, &got), CR_OK);
    if (!near_enough(got.mean, want->mean) || !near_enough(got.scale, want->scale) ||
        got.freedom != want->freedom || got.truth != want->truth)
        fail_msg("%s row %zu: %.17g ± %.17g (%g), not %.17g ± %.17g (%g)", what, row, got.mean,
                 got.scale, got.freedom, want->mean, want->scale, want->freedom);
}

/* --- by subtraction --------------------------------------------------------------------------- */

/* Every row's answer against a model trained from nothing on the rows of the other folds. */
static void check_by_training(cr_study *study, const char *param, size_t folds, size_t repeats)
{
    const char *const params[] = {param};
    cr_cv *cv = validate(study, param);
    cr__candidate c;
    cr_cv_facts facts;

    cr_cv_get_facts(cv, &facts);
    assert_true(facts.numbers);
    assert_int_equal(facts.classes, 0);
    assert_int_equal(cr__candidate_open(&c, study, "linear", params, param != NULL, NULL), CR_OK);
    assert_true(c.adds);
    for (size_t i = 0; i < folds * repeats; i++) {
        const size_t n = c.set->rows;
        uint32_t *rest = cr__alloc(n, sizeof *rest);
        cr_regression want;
        cr_model *model;
        size_t count = 0;

        for (size_t r = 0; r < n; r++)
            if (cr__cv_fold(cv, i / folds, r) != i % folds)
                rest[count++] = c.set->row[r];
        assert_int_equal(cr__candidate_train(&c, rest, count, NULL, 1, &model, NULL), CR_OK);
        for (size_t r = 0; r < n; r++)
            if (cr__cv_fold(cv, i / folds, r) == i % folds) {
                assert_int_equal(
                    cr__regress_rows(model, c.set->table, &c.set->row[r], 1, &want, NULL), CR_OK);
                check_answer(cv, param == NULL ? "" : param, i / folds, r, &want);
            }
        cr_model_free(model);
        cr__free(rest);
    }
    cr_cv_free(cv);
}

static void the_whole_minus_a_fold_answers_as_training_again(void **state)
{
    static const char *const params[] = {NULL, "lambda=3", "lambda=evidence", "coding=effect",
                                         "noise-rows=4"};

    (void)state;
    for (int weighted = 0; weighted < 2; weighted++)
        for (size_t p = 0; p < sizeof params / sizeof *params; p++) {
            cr_source *source = open_data(weighted);
            cr_study *study;

            assert_int_equal(cr_study_new(&study, source,
                                          &(cr_deal){.folds = FOLDS, .repeats = REPEATS}, NULL,
                                          NULL),
                             CR_OK);
            check_by_training(study, params[p], FOLDS, REPEATS);
            cr_study_free(study);
            cr_source_close(source);
        }
}

static void one_left_out_is_answered_by_the_others(void **state)
{
    static const char *const params[] = {NULL, "lambda=2", "lambda=evidence"};

    (void)state;
    for (int weighted = 0; weighted < 2; weighted++)
        for (size_t p = 0; p < sizeof params / sizeof *params; p++) {
            cr_source *source = open_data(weighted);
            cr_study *study;
            cr__candidate c;

            assert_int_equal(
                cr_study_new(&study, source, &(cr_deal){.folds = CR_LEAVE_ONE_OUT}, NULL, NULL),
                CR_OK);
            assert_int_equal(cr__candidate_open(&c, study, "linear", NULL, 0, NULL), CR_OK);
            check_by_training(study, params[p], c.set->rows, 1);
            cr_study_free(study);
            cr_source_close(source);
        }
}

/* --- figures ---------------------------------------------------------------------------------- */

/* RMSE, MAE, R², coverage and the mean log density as their formulas have it, two passes. */
static void figures_are_those_of_the_answers(void **state)
{
    cr_source *source = open_data(1);
    cr_regression_metrics m;
    cr_cv_facts facts;
    cr_study *study;
    cr_cv *cv;
    double n = 0, mean = 0, square = 0, absolute = 0, spread = 0, inside = 0, density = 0;

    (void)state;
    assert_int_equal(cr_study_new(&study, source, &(cr_deal){.folds = FOLDS}, NULL, NULL), CR_OK);
    cv = validate(study, NULL);
    cr_cv_get_facts(cv, &facts);
    assert_int_equal(cr_cv_regression(cv, 2, 0.8, &m, NULL), CR_OK);
    for (int pass = 0; pass < 2; pass++)
        for (size_t r = 0; r < facts.rows; r++) {
            cr_cv_answer a;
            cr_regression f;
            double low, high;

            cr_cv_get_regression(cv, 0, r, &a, &f);
            if (a.fold != 2)
                continue;
            if (pass == 0) {
                n += a.weight;
                mean += a.weight * f.truth;
                continue;
            }
            cr_regression_interval(&f, 0.8, &low, &high);
            spread += a.weight * pow(f.truth - mean / n, 2);
            square += a.weight * pow(f.truth - f.mean, 2);
            absolute += a.weight * fabs(f.truth - f.mean);
            inside += f.truth >= low && f.truth <= high ? a.weight : 0;
            density += a.weight * cr_regression_log_density(&f, f.truth);
        }
    assert_true(m.rows == n && m.level == 0.8);
    assert_true(near_enough(m.rmse, sqrt(square / n)));
    assert_true(near_enough(m.mae, absolute / n));
    assert_true(near_enough(m.r2, 1 - square / spread));
    assert_true(near_enough(m.coverage, inside / n));
    assert_true(near_enough(m.log_density, density / n));
    cr_cv_free(cv);
    cr_study_free(study);
    cr_source_close(source);
}

/* Two answers with a truth: errors 1 and -2, weights 3 and 1. */
static void answers_at_hand_are_measured(void **state)
{
    const cr_regression answer[] = {
        {2, 1, INFINITY, 1}, {5, 1, INFINITY, NAN}, {3, 1, INFINITY, 5}};
    const double weight[] = {3, 7, 1};
    cr_regression_metrics m;
    cr_error err;

    (void)state;
    assert_int_equal(cr_regression_measure(answer, weight, 3, 0.8, &m, &err), CR_OK);
    assert_true(m.rows == 4 && m.level == 0.8);
    assert_true(near_enough(m.rmse, sqrt(7.0 / 4)));
    assert_true(near_enough(m.mae, 5.0 / 4));
    assert_true(near_enough(m.bias, 1.0 / 4));
    assert_true(near_enough(m.r2, 1 - 7.0 / 12));  /* the truths have the mean 2: 3 + 9 */
    assert_true(near_enough(m.coverage, 3.0 / 4)); /* 80 % lie within 1.28 */
    assert_int_equal(cr_regression_measure(answer, NULL, 3, 0.8, &m, &err), CR_OK);
    assert_true(m.rows == 2);
    assert_int_equal(cr_regression_measure(answer, NULL, 3, 1, &m, &err), CR_EARG);
    assert_int_equal(cr_regression_measure(answer + 1, NULL, 1, 0.8, &m, &err), CR_EFORMAT);
}

static void numbers_have_no_classes_and_classes_no_numbers(void **state)
{
    cr_source *source = open_data(0);
    cr_evaluation *e;
    cr_regression_metrics m;
    cr_regression f;
    cr_cv_answer a;
    cr_study *study;
    cr_error err;
    cr_cv *cv, *other;
    cr_model *model;
    double x, y, p;

    (void)state;
    assert_int_equal(cr_model_train(&model, source, "linear", NULL, 0, NULL, NULL, NULL), CR_OK);
    assert_int_equal(cr_model_test(model, source, NULL, NULL, &e, NULL, &err), CR_EARG);
    assert_non_null(strstr(err.message, "no classes"));
    cr_model_free(model);
    cr_source_close(source);
    source = open_data(0);
    assert_int_equal(cr_study_new(&study, source, &(cr_deal){.folds = FOLDS}, NULL, NULL), CR_OK);
    cv = validate(study, NULL);
    assert_int_equal(cr_cv_evaluate(cv, SIZE_MAX, NULL, &e, &err), CR_EARG);
    assert_non_null(strstr(err.message, "no classes"));
    assert_int_equal(cr_cv_run(&other, study, "nb", NULL, 0, NULL), CR_OK);
    assert_int_equal(cr_cv_regression(other, SIZE_MAX, 0, &m, &err), CR_EARG);
    assert_non_null(strstr(err.message, "class"));
    assert_int_equal(cr_cv_get_regression(other, 0, 0, &a, &f), CR_EARG);
    assert_int_equal(cr_compare_rows(cv, other, &x, &y, &p, &err), CR_ECONFLICT);
    assert_int_equal(cr_cv_regression(cv, SIZE_MAX, 1, &m, &err), CR_EARG);
    cr_cv_free(cv);
    cr_cv_free(other);
    cr_study_free(study);
    cr_source_close(source);
}

/* Which one is nearer to the truth in more rows, and the exact sign test: with n = a + b rows p = 2
 * P(X <= min), X binomial (n, 1/2), here summed term by term. */
static void pairs_tell_which_is_nearer(void **state)
{
    cr_source *source = open_data(0);
    cr_study *study;
    cr_cv *a, *b;
    double only_a, only_b, p, sum = 0, term;

    (void)state;
    assert_int_equal(cr_study_new(&study, source, &(cr_deal){.folds = FOLDS}, NULL, NULL), CR_OK);
    a = validate(study, NULL);
    b = validate(study, "lambda=200");
    assert_int_equal(cr_compare_rows(a, b, &only_a, &only_b, &p, NULL), CR_OK);
    assert_true(only_a > only_b);
    term = pow(0.5, only_a + only_b);
    for (double k = 0; k <= only_b; k++) {
        sum += term;
        term *= (only_a + only_b - k) / (k + 1);
    }
    assert_true(near_enough(p, fmin(1, 2 * sum)));
    cr_cv_free(a);
    cr_cv_free(b);
    cr_study_free(study);
    cr_source_close(source);
}

/* --- tuning and curves ------------------------------------------------------------------------ */

static void tuning_finds_what_cross_validation_says(void **state)
{
    static const char *const space[] = {"lambda=0,1,1000", "coding=reference,effect"};
    static const char *const goals[] = {NULL, "rmse", "mae"};
    const size_t rmse_at = 0; /* the first metric of numbers */
    cr_source *source = open_data(0);
    cr_study *study;
    cr_error err;

    (void)state;
    assert_int_equal(cr_study_new(&study, source, &(cr_deal){.folds = FOLDS}, NULL, NULL), CR_OK);
    for (size_t g = 0; g < sizeof goals / sizeof *goals; g++) {
        cr_tuning *tuning;
        cr_setting best, last, honest;
        double rmse = 0;
        cr_cv *cv;

        assert_int_equal(cr_tune(&tuning, study, "linear", space, 2,
                                 &(cr_tune_options){.by = goals[g], .nested = 1}, &err),
                         CR_OK);
        assert_int_equal(cr_tuning_setting(tuning, 0, &best), CR_OK);
        assert_int_equal(cr_tuning_setting(tuning, 5, &last), CR_OK);
        assert_true(best.numbers && best.score > last.score &&
                    best.spread[rmse_at].mean < last.spread[rmse_at].mean);
        assert_true(strcmp(last.params[0], "lambda=1000") == 0);
        assert_string_equal(cr_metric_get(1, rmse_at)->key, "rmse");
        assert_int_equal(cr_cv_run(&cv, study, "linear", best.params, 2, NULL), CR_OK);
        for (size_t i = 0; i < FOLDS; i++) {
            cr_regression_metrics m;

            assert_int_equal(cr_cv_regression(cv, i, 0, &m, NULL), CR_OK);
            rmse += m.rmse / FOLDS;
        }
        assert_true(near_enough(best.spread[rmse_at].mean, rmse));
        assert_int_equal(cr_tuning_honest(tuning, &honest), CR_OK);
        assert_true(honest.numbers && honest.spread[rmse_at].count == FOLDS);
        assert_true(g != 1 || honest.spread[rmse_at].mean >= best.spread[rmse_at].mean);
        cr_cv_free(cv);
        cr_tuning_free(tuning);
    }
    cr_study_free(study);
    cr_source_close(source);
}

static void a_goal_must_suit_what_is_predicted(void **state)
{
    static const char *const space[] = {"lambda=0,1"};
    cr_source *source = open_data(0);
    cr_tuning *tuning;
    cr_study *study;
    cr_error err;

    (void)state;
    assert_int_equal(cr_study_new(&study, source, &(cr_deal){.folds = FOLDS}, NULL, NULL), CR_OK);
    assert_int_equal(
        cr_tune(&tuning, study, "linear", space, 1, &(cr_tune_options){.by = "accuracy"}, &err),
        CR_EARG);
    assert_non_null(strstr(err.hint, "rmse"));
    assert_int_equal(cr_tune(&tuning, study, "nb", NULL, 0, &(cr_tune_options){.by = "rmse"}, &err),
                     CR_EARG);
    assert_non_null(strstr(err.hint, "accuracy"));
    cr_study_free(study);
    cr_source_close(source);
}

/* Products that grow by addition are those of one pass. */
static void a_curve_grows_as_if_learned_at_once(void **state)
{
    const size_t sizes[] = {20, 50, 90}, last[] = {90};
    cr_curve_options grown = {.sizes = sizes, .size_count = 3, .repeats = 3, .seed = 4};
    cr_curve_options at_once = {.sizes = last, .size_count = 1, .repeats = 3, .seed = 4};
    cr_source *source = open_data(0);
    cr_learning_curve *a, *b;
    cr_study *study;

    (void)state;
    assert_int_equal(cr_study_new(&study, source, NULL, NULL, NULL), CR_OK);
    assert_int_equal(cr_study_curve(study, "linear", NULL, 0, &grown, &a, NULL), CR_OK);
    assert_int_equal(cr_study_curve(study, "linear", NULL, 0, &at_once, &b, NULL), CR_OK);
    assert_true(a->numbers && a->points == 3 && a->repeats == 3);
    for (size_t i = 0; i < 3; i++) {
        assert_true(near_enough(a->rmse[2 * 3 + i], b->rmse[i]));
        assert_true(near_enough(a->r2[2 * 3 + i], b->r2[i]));
        assert_true(near_enough(a->log_density[2 * 3 + i], b->log_density[i]));
        assert_true(isnan(a->accuracy[i]));
    }
    assert_true(a->point[2].rmse.mean < a->point[0].rmse.mean);
    cr_learning_curve_free(a);
    cr_learning_curve_free(b);
    assert_int_equal(cr_study_curve(study, "linear", NULL, 0, NULL, &a, NULL), CR_OK);
    assert_int_equal(a->point[0].size, 12); /* twice two reals and four values */
    cr_learning_curve_free(a);
    cr_study_free(study);
    cr_source_close(source);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(the_whole_minus_a_fold_answers_as_training_again),
        cmocka_unit_test(one_left_out_is_answered_by_the_others),
        cmocka_unit_test(figures_are_those_of_the_answers),
        cmocka_unit_test(answers_at_hand_are_measured),
        cmocka_unit_test(numbers_have_no_classes_and_classes_no_numbers),
        cmocka_unit_test(pairs_tell_which_is_nearer),
        cmocka_unit_test(tuning_finds_what_cross_validation_says),
        cmocka_unit_test(a_goal_must_suit_what_is_predicted),
        cmocka_unit_test(a_curve_grows_as_if_learned_at_once),
    };
    return cmocka_run_group_tests_name("regression", tests, NULL, NULL);
}
