/* tests/eval/test_metrics_reference.c - all figures against scikit-learn's, on cases with ties,
 * with one class only, with classes that have no row
 * (tests/reference/make_metrics_reference.py). */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "credence/cv.h"

enum { MOST = 8 };

static double figure_of(const cr_evaluation *e, const cr_metrics *m, const char *name)
{
    static const struct {
        const char *name;
        size_t at;
    } plain[] = {
        {"accuracy", offsetof(cr_metrics, accuracy)},
        {"balanced_accuracy", offsetof(cr_metrics, balanced_accuracy)},
        {"macro_f1", offsetof(cr_metrics, macro_f1)},
        {"micro_f1", offsetof(cr_metrics, micro_f1)},
        {"weighted_f1", offsetof(cr_metrics, weighted_f1)},
        {"mcc", offsetof(cr_metrics, mcc)},
        {"kappa", offsetof(cr_metrics, kappa)},
        {"log_loss", offsetof(cr_metrics, log_loss)},
        {"brier", offsetof(cr_metrics, brier)},
        {"ece", offsetof(cr_metrics, ece)},
        {"mce", offsetof(cr_metrics, mce)},
        {"reliability", offsetof(cr_metrics, reliability)},
        {"resolution", offsetof(cr_metrics, resolution)},
        {"uncertainty", offsetof(cr_metrics, uncertainty)},
        {"top1", offsetof(cr_metrics, top[0])},
        {"top2", offsetof(cr_metrics, top[1])},
        {"top3", offsetof(cr_metrics, top[2])},
    };
    const size_t class_index = (size_t)(name[strlen(name) - 1] - '0');
    cr_area area;
    double x;

    for (size_t i = 0; i < sizeof plain / sizeof *plain; i++)
        if (strcmp(name, plain[i].name) == 0) {
            memcpy(&x, (const char *)m + plain[i].at, sizeof x);
            return x;
        }
    assert_int_equal(cr_evaluation_area(e, class_index, &area, NULL), CR_OK);
    return name[0] == 'd' ? area.deviation : name[0] == 'p' ? area.pr : area.roc;
}

static void compare(const cr_evaluation *e, const char *name, double wanted, size_t which)
{
    cr_metrics m;
    double got;

    cr_evaluation_metrics(e, &m);
    got = figure_of(e, &m, name);
    if (isnan(wanted) ? !isnan(got) : !(fabs(got - wanted) <= 1e-12 * fmax(1, fabs(wanted))))
        fail_msg("case %zu: %s is %.17g, not %.17g", which, name, got, wanted);
}

static void read_rows(FILE *file, cr_evaluation *e, size_t rows, size_t classes)
{
    for (size_t r = 0; r < rows; r++) {
        double posterior[MOST], weight;
        int truth, decision, part;

        assert_int_equal(fscanf(file, "%d %d %lf", &truth, &decision, &weight), 3);
        for (size_t c = 0; c < classes; c++) {
            assert_int_equal(fscanf(file, "%d", &part), 1);
            posterior[c] = part / 16.0;
        }
        cr_evaluation_add(e, posterior, decision, truth, weight);
    }
}

static void every_figure_is_that_of_scikit_learn(void **state)
{
    char path[512], name[64], value[64];
    size_t rows, classes, cases = 0, figures = 0;
    FILE *file;

    (void)state;
    assert_non_null(getenv("CREDENCE_SOURCE"));
    snprintf(path, sizeof path, "%s/tests/reference/metrics.txt", getenv("CREDENCE_SOURCE"));
    assert_non_null(file = fopen(path, "r"));
    while (fscanf(file, "%63s %zu %zu", name, &rows, &classes) == 3) {
        cr_evaluation *e;

        assert_string_equal(name, "case");
        assert_int_equal(cr_evaluation_new(&e, classes, NULL), CR_OK);
        read_rows(file, e, rows, classes);
        while (fscanf(file, "%63s", name) == 1 && strcmp(name, "end") != 0) {
            assert_int_equal(fscanf(file, "%63s", value), 1);
            compare(e, name, strtod(value, NULL), cases);
            figures++;
        }
        cr_evaluation_free(e);
        cases++;
    }
    fclose(file);
    assert_int_equal(cases, 30);
    assert_true(figures > 600);
}

/* Four rows, scores .9 .6 .6 .2, classes 1 1 0 0: the area is (1 + 1 + ½ + 1) / 4; precision is 1
 * at recall ½ and 2/3 at recall 1. */
static void curves_have_one_point_for_equal_posteriors(void **state)
{
    static const double p[] = {.9, .6, .6, .2};
    static const int32_t truth[] = {1, 1, 0, 0};
    cr_evaluation *e;
    cr_point *points;
    cr_area area;
    size_t n;

    (void)state;
    assert_int_equal(cr_evaluation_new(&e, 2, NULL), CR_OK);
    for (size_t r = 0; r < 4; r++)
        cr_evaluation_add(e, (double[]){1 - p[r], p[r]}, p[r] > .5, truth[r], 1);
    assert_int_equal(cr_evaluation_area(e, SIZE_MAX, &area, NULL), CR_OK);
    assert_true(fabs(area.roc - 3.5 / 4) < 1e-15);
    assert_true(fabs(area.pr - (.5 + .5 * 2 / 3)) < 1e-15);
    assert_int_equal(cr_evaluation_curve(e, CR_CURVE_ROC, 1, &points, &n, NULL), CR_OK);
    assert_int_equal(n, 4);
    assert_true(points[0].x == 0 && points[0].y == 0 && points[1].x == 0 && points[1].y == .5);
    assert_true(points[2].x == .5 && points[2].y == 1 && points[2].threshold == .6);
    assert_true(points[3].x == 1 && points[3].y == 1);
    cr_points_free(points);
    assert_int_equal(cr_evaluation_curve(e, CR_CURVE_PR, 1, &points, &n, NULL), CR_OK);
    assert_int_equal(n, 4);
    assert_true(points[0].x == 0 && points[0].y == 1 && isinf(points[0].threshold));
    assert_true(points[1].y == 1 && fabs(points[2].y - 2.0 / 3) < 1e-15 && points[3].y == .5);
    cr_points_free(points);
    assert_int_equal(cr_evaluation_curve(e, CR_CURVE_COVERAGE, SIZE_MAX, &points, &n, NULL), CR_OK);
    assert_int_equal(n, 3); /* confidences .9, .8, .6, .6 */
    assert_true(points[1].x == .5 && points[1].y == 1 && points[2].y == .75);
    cr_points_free(points);
    assert_int_equal(cr_evaluation_curve(e, CR_CURVE_RELIABILITY, 1, &points, &n, NULL), CR_OK);
    assert_int_equal(n, 3);
    assert_true(points[1].x == .6 && points[1].y == .5 && points[1].weight == 2);
    cr_points_free(points);
    assert_int_equal(cr_evaluation_curve(e, CR_CURVE_ROC, 2, &points, &n, NULL), CR_EARG);
    cr_evaluation_free(e);
}

/* Posteriors that round to 1 are told apart by how little is left. */
static void saturated_posteriors_keep_their_order(void **state)
{
    static const double rest[] = {1e-20, 1e-30, 1e-25, 1e-40};
    static const int32_t truth[] = {0, 1, 0, 1};
    cr_evaluation *e;
    cr_area area;

    (void)state;
    assert_int_equal(cr_evaluation_new(&e, 2, NULL), CR_OK);
    for (size_t r = 0; r < 4; r++)
        cr_evaluation_add(e, (double[]){rest[r], 1}, 1, truth[r], 1);
    assert_int_equal(cr_evaluation_area(e, 1, &area, NULL), CR_OK);
    assert_true(area.roc == 1);
    cr_evaluation_free(e);
}

static void no_rows_have_no_areas(void **state)
{
    cr_evaluation *e;
    cr_area area;

    (void)state;
    assert_int_equal(cr_evaluation_new(&e, 3, NULL), CR_OK);
    assert_int_equal(cr_evaluation_area(e, SIZE_MAX, &area, NULL), CR_ELIMIT);
    assert_true(isnan(area.roc));
    cr_evaluation_free(e);
}

/* Posteriors of 0 and 1 whose logarithms are known: rows are still in order. Of the four pairs two
 * are right, both above -2000; without the logarithms those two tie and count half. */
static void logarithms_order_what_has_no_posterior(void **state)
{
    const double odds[] = {-2000, -900, 1500, -1200}, plain[] = {0, 0, 1, 0};
    const int32_t truth[] = {0, 1, 0, 1};
    cr_evaluation *e;
    cr_area area[2], other;
    cr_point *points;
    size_t n;

    (void)state;
    for (int logs = 0; logs < 2; logs++) {
        assert_int_equal(cr_evaluation_new(&e, 2, NULL), CR_OK);
        for (size_t r = 0; r < 4; r++) {
            const double log_posterior[] = {fmin(0, -odds[r]), fmin(0, odds[r])};

            cr_evaluation_add_logs(e, (double[]){1 - plain[r], plain[r]},
                                   logs ? log_posterior : NULL, plain[r] > .5, truth[r], 1);
        }
        assert_int_equal(cr_evaluation_area(e, 1, &area[logs], NULL), CR_OK);
        assert_int_equal(cr_evaluation_area(e, 0, &other, NULL), CR_OK);
        assert_true(other.roc == area[logs].roc); /* of the first class by the rest */
        assert_int_equal(cr_evaluation_curve(e, CR_CURVE_ROC, 1, &points, &n, NULL), CR_OK);
        assert_int_equal(n, logs ? 5 : 3);
        cr_points_free(points);
        cr_evaluation_free(e);
    }
    assert_true(area[0].roc == .25 && area[1].roc == .5);
}

static double metric(const cr_evaluation *e, const char *key)
{
    const cr_metric *m = cr_metric_find(0, key);

    assert_non_null(m);
    return cr_evaluation_value(e, m);
}

/* The table gives what the structs have, and each key once. */
static void metrics_are_found_by_key(void **state)
{
    const double p[] = {.9, .6, .6, .2};
    const int32_t truth[] = {1, 0, 1, 0};
    cr_evaluation *e;
    cr_metrics m;
    const cr_metric *one;

    (void)state;
    assert_int_equal(cr_evaluation_new(&e, 2, NULL), CR_OK);
    for (size_t r = 0; r < 4; r++)
        cr_evaluation_add(e, (double[]){1 - p[r], p[r]}, p[r] > .5, truth[r], 1);
    cr_evaluation_metrics(e, &m);
    assert_true(metric(e, "accuracy") == m.accuracy && metric(e, "log-loss") == m.log_loss);
    assert_true(metric(e, "mcc") == m.mcc && metric(e, "brier_resolution") == m.resolution);
    assert_true(fabs(metric(e, "roc_area") - 3.5 / 4) < 1e-15);
    assert_true(fabs(metric(e, "roc_loss_percent") - 12.5) < 1e-12);
    /* The shares are half and half, so H = ln 2. */
    assert_true(fabs(metric(e, "d2_log_loss") - (1 - m.log_loss / log(2))) < 1e-15);
    assert_null(cr_metric_find(0, "rmse"));
    assert_null(cr_metric_find(0, "log_los"));
    assert_true(isnan(cr_evaluation_value(e, cr_metric_find(1, "rmse"))));
    for (int numbers = 0; numbers < 2; numbers++)
        for (size_t i = 0; (one = cr_metric_get(numbers, i)) != NULL; i++) {
            assert_ptr_equal(cr_metric_find(numbers, one->key), one);
            assert_true(one->title != NULL && one->meaning != NULL && one->least < one->most);
        }
    cr_evaluation_free(e);
}

/* The second class has the bins (2/15, 3/15], (8/15, 9/15] and (13/15, 14/15]. */
static void bins_have_wilson_intervals(void **state)
{
    const double p[] = {.9, .6, .6, .2};
    const int32_t truth[] = {1, 0, 1, 0};
    cr_reliability_bins bins;
    cr_evaluation *e;

    (void)state;
    assert_int_equal(cr_evaluation_new(&e, 2, NULL), CR_OK);
    for (size_t r = 0; r < 4; r++)
        cr_evaluation_add(e, (double[]){1 - p[r], p[r]}, p[r] > .5, truth[r], 1);
    assert_int_equal(cr_evaluation_reliability(e, 1, &bins, NULL), CR_OK);
    assert_true(bins.weight[8] == 2 && bins.share[8] == .5 && bins.confidence[8] == .6);
    assert_true(bins.weight[0] == 0 && isnan(bins.share[0]));
    assert_true(fabs(bins.error - (.2 + .2 + .1) / 4) < 1e-15);
    /* 1 of 2 by Wilson's formula */
    assert_true(fabs(bins.low[8] - 0.09453120573) < 1e-10);
    assert_true(fabs(bins.high[8] - 0.90546879427) < 1e-10);
    assert_int_equal(cr_evaluation_reliability(e, 2, &bins, NULL), CR_EARG);
    cr_evaluation_free(e);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(every_figure_is_that_of_scikit_learn),
        cmocka_unit_test(curves_have_one_point_for_equal_posteriors),
        cmocka_unit_test(saturated_posteriors_keep_their_order),
        cmocka_unit_test(no_rows_have_no_areas),
        cmocka_unit_test(logarithms_order_what_has_no_posterior),
        cmocka_unit_test(metrics_are_found_by_key),
        cmocka_unit_test(bins_have_wilson_intervals),
    };
    return cmocka_run_group_tests_name("metrics_reference", tests, NULL, NULL);
}
