/* tests/learners/test_choose_real.c - real=auto: forms are judged as leaving one out with a model
 * for each row judges them, and two humps are found. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#include "base/random.h"
#include "credence/credence.h"
#include "learners/naive_bayes/naive_bayes.h"
#include "learners/registry.h"
#include "model/model.h"

enum { ROWS = 120 };

static double number[ROWS];
static const char *class[ROWS];

/* Two humps of class a around 5, where class b lies; or one Gaussian each. */
static void make_rows(uint64_t seed, int humps)
{
    cr__random rng;

    cr__random_seed(&rng, seed);
    for (size_t r = 0; r < ROWS; r++) {
        const int b = cr__random_below(&rng, 3) == 0;
        const double middle = b ? 5 : humps ? (cr__random_below(&rng, 2) ? 0 : 10) : 6;

        class[r] = b ? "b" : "a";
        number[r] = middle + cr__random_normal(&rng);
    }
}

static cr_source *open_rows(void)
{
    const cr_array arrays[] = {{.name = "x", .real = number, .role = CR_ROLE_FEATURE},
                               {.name = "class", .text = class, .role = CR_ROLE_TARGET}};
    cr_source *source;

    assert_int_equal(cr_source_open_arrays(&source, arrays, 2, ROWS, NULL), CR_OK);
    return source;
}

static cr_model *train(const char *const *params, size_t count)
{
    cr_source *source = open_rows();
    cr_model *model;
    cr_error err = {0};

    if (cr_model_train(&model, source, "nb", params, count, NULL, NULL, &err) != CR_OK)
        fail_msg("%s", err.message);
    cr_source_close(source);
    return model;
}

/* -Σ ln P(class) with a model trained without each row. */
static double by_models(const char *const *params, size_t count)
{
    const cr_deal deal = {.folds = CR_LEAVE_ONE_OUT};
    cr_source *source = open_rows();
    cr_study *study;
    cr_cv *cv;
    cr_cv_metrics *metrics;
    double loss = NAN;

    assert_int_equal(cr_study_new(&study, source, &deal, NULL, NULL), CR_OK);
    assert_int_equal(cr_cv_run(&cv, study, "nb", params, count, NULL), CR_OK);
    assert_int_equal(cr_cv_measure(&metrics, cv, NULL, NULL), CR_OK);
    for (size_t m = 0; m < metrics->metrics; m++)
        if (strcmp(cr_metric_get(0, m)->key, "log_loss") == 0)
            loss = metrics->all[m] * ROWS;
    cr_cv_metrics_free(metrics);
    cr_cv_free(cv);
    cr_study_free(study);
    cr_source_close(source);
    return loss;
}

static double by_choice(const char *const *params, size_t count, cr__nb_form form)
{
    cr_model *model = train(params, count);
    const cr__values *values = model->stats->column[0].values;
    double sum;

    assert_non_null(values);
    assert_int_equal(cr__nb_judge_forms(&sum, &form, 1, values, 2, &model->knobs), CR_OK);
    cr_model_free(model);
    return -sum;
}

static void forms_are_judged_as_by_a_model_without_each_row(void **state)
{
    const char *const shared[] = {"values=keep"};
    const char *const own[] = {"values=keep", "variance=class-feature"};
    const char *const kernels[] = {"real=kde", "bandwidth=0.4", "kde-rows=0"};

    (void)state;
    for (uint64_t seed = 1; seed < 5; seed++) {
        make_rows(seed, seed % 2 == 0);
        assert_true(
            fabs(by_choice(shared, 1, (cr__nb_form){CR__NB_GAUSSIAN, 0, CR__NB_BY_KNOB, 1}) -
                 by_models(shared, 1)) < 1e-5);
        assert_true(fabs(by_choice(own, 2, (cr__nb_form){CR__NB_GAUSSIAN, 1, CR__NB_BY_KNOB, 1}) -
                         by_models(own, 2)) < 1e-5);
        assert_true(fabs(by_choice(kernels, 3, (cr__nb_form){CR__NB_KDE, 0, CR__NB_BY_KNOB, 1}) -
                         by_models(kernels, 3)) < 0.05); /* grids */
    }
}

/* Of eight tables each; chance may make a Gaussian look otherwise. */
static void two_humps_get_kernels_or_intervals_and_one_a_gaussian(void **state)
{
    const char *const params[] = {"real=auto"};
    int plain[2] = {0};

    (void)state;
    for (uint64_t seed = 1; seed < 9; seed++)
        for (int humps = 0; humps < 2; humps++) {
            cr_model *model;
            const cr__nb_column *column;

            make_rows(seed, humps);
            model = train(params, 1);
            column = &((const cr__nb *)model->share->fitted)->column[0];
            plain[humps] += !column->cut && column->kde == NULL;
            cr_model_free(model);
        }
    assert_true(plain[0] >= 6);
    assert_int_equal(plain[1], 0);
}

/* A row without another of its class is answered with e^-50 by each form: its class has no density
 * without it. */
static void the_only_row_of_its_class_is_answered_alike_by_all_forms(void **state)
{
    static const double x[] = {1, 2.5, 2.5, 4, 8, 9};
    static const char *const own[] = {"a", "b", "c", "d", "e", "f"};
    static const cr__nb_form all[] = {{CR__NB_GAUSSIAN, 0, CR__NB_BY_KNOB, 1},
                                      {CR__NB_GAUSSIAN, 1, CR__NB_BY_KNOB, 1},
                                      {CR__NB_KDE, 0, CR__NB_SILVERMAN, 0.5},
                                      {CR__NB_KDE, 0, CR__NB_RANGE, 1},
                                      {CR__NB_BINS, 0, CR__NB_BY_KNOB, 1}};
    const cr_array arrays[] = {{.name = "x", .real = x},
                               {.name = "class", .text = own, .role = CR_ROLE_TARGET}};
    const char *const keep[] = {"values=keep"};
    cr_source *source;
    cr_model *model;
    double sum[5];

    (void)state;
    assert_int_equal(cr_source_open_arrays(&source, arrays, 2, 6, NULL), CR_OK);
    assert_int_equal(cr_model_train(&model, source, "nb", keep, 1, NULL, NULL, NULL), CR_OK);
    assert_int_equal(
        cr__nb_judge_forms(sum, all, 5, model->stats->column[0].values, 6, &model->knobs), CR_OK);
    for (size_t f = 0; f < 5; f++)
        if (sum[f] != -300)
            fail_msg("form %zu: %.17g", f, sum[f]);
    cr_model_free(model);
    cr_source_close(source);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(forms_are_judged_as_by_a_model_without_each_row),
        cmocka_unit_test(the_only_row_of_its_class_is_answered_alike_by_all_forms),
        cmocka_unit_test(two_humps_get_kernels_or_intervals_and_one_a_gaussian),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
