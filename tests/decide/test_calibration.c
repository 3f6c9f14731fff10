/* tests/decide/test_calibration.c - functions that make posteriors honest. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include <math.h>
#include <string.h>

#include "base/random.h"
#include "credence/credence.h"
#include "train/calibration.h"
#include "belief/posterior.h"

enum { ROWS = 20000 };

static double score[ROWS * 3];
static int32_t truth[ROWS];
static uint32_t row[ROWS];

/* Classes drawn from posteriors whose logs are then made `heat` times as large. */
static cr__answers_seen draw(size_t classes, double heat)
{
    cr__random random;

    cr__random_seed(&random, 3);
    for (size_t r = 0; r < ROWS; r++) {
        double *s = score + r * classes, p[3], u = cr__random_uniform(&random);

        for (size_t c = 0; c < classes; c++)
            s[c] = 2 * cr__random_normal(&random);
        cr__posterior(s, classes, p, NULL);
        truth[r] = (int32_t)classes - 1;
        for (size_t c = 0; c < classes; c++)
            if ((u -= p[c]) < 0) {
                truth[r] = (int32_t)c;
                break;
            }
        for (size_t c = 0; c < classes; c++)
            s[c] *= heat;
        row[r] = (uint32_t)r;
    }
    return (cr__answers_seen){
        .classes = classes, .score = score, .truth = truth, .row = row, .rows = ROWS};
}

static void the_temperature_is_what_the_scores_were_heated_by(void **state)
{
    const cr__answers_seen seen = draw(3, 5);
    cr__calibration *c;

    (void)state;
    assert_int_equal(cr__calibration_fit(&c, CR__CALIBRATION_TEMPERATURE, &seen, NULL), CR_OK);
    assert_true(fabs(c->number[0] - 5) < 0.15); /* 20,000 rows: an error of a few percent */
    cr__calibration_free(c);
}

/* The same heat, found by another rule; then the mean confidence is the accuracy, exactly. */
static void confidence_is_made_the_accuracy(void **state)
{
    const cr__answers_seen seen = draw(3, 5);
    cr__calibration *c;
    double sure = 0, right = 0;

    (void)state;
    assert_int_equal(cr__calibration_fit(&c, CR__CALIBRATION_CONFIDENCE, &seen, NULL), CR_OK);
    assert_true(fabs(c->number[0] - 5) < 0.3);
    for (size_t r = 0; r < ROWS; r++) {
        double p[3];
        int32_t most = 0;

        memcpy(p, score + 3 * r, sizeof p);
        cr__calibrate(c, p);
        cr__posterior(p, 3, p, NULL);
        for (int32_t k = 1; k < 3; k++)
            most = p[k] > p[most] ? k : most;
        sure += p[most];
        right += most == truth[r];
    }
    assert_true(fabs(sure - right) < 1e-6 * right);
    cr__calibration_free(c);
}

/* Logs of two classes heated by 4: Platt's slope is 1/4, beta's a and b are too. */
static void curves_undo_the_heat(void **state)
{
    const cr__answers_seen seen = draw(2, 4);
    cr__calibration *c;

    (void)state;
    assert_int_equal(cr__calibration_fit(&c, CR__CALIBRATION_PLATT, &seen, NULL), CR_OK);
    assert_true(fabs(c->number[0] - 0.25) < 0.01 && fabs(c->number[1]) < 0.06);
    cr__calibration_free(c);
    assert_int_equal(cr__calibration_fit(&c, CR__CALIBRATION_BETA, &seen, NULL), CR_OK);
    assert_true(c->number[0] > 0 && c->number[1] > 0);
    assert_true(fabs(c->number[0] + c->number[1] - 0.5) < 0.06);
    cr__calibration_free(c);
}

static void every_kind_makes_the_classes_likelier_and_posteriors_sum_to_one(void **state)
{
    (void)state;
    for (size_t classes = 2; classes <= 3; classes++) {
        const cr__answers_seen seen = draw(classes, 6);
        double scratch[3], weight = 0;
        const double before = cr__calibration_loss(NULL, &seen, scratch, &weight);

        for (int k = CR__CALIBRATION_TEMPERATURE; k <= CR__CALIBRATION_CONFIDENCE; k++) {
            cr__calibration *c;

            assert_int_equal(cr__calibration_fit(&c, (cr__calibration_kind)k, &seen, NULL), CR_OK);
            assert_true(cr__calibration_loss(c, &seen, scratch, &weight) < 0.8 * before);
            for (size_t r = 0; r < 100; r++) {
                double all = 0, was = 0;

                memcpy(scratch, score + r * classes, classes * sizeof *scratch);
                for (size_t i = 0; i < classes; i++)
                    was += exp(scratch[i]);
                cr__calibrate(c, scratch);
                for (size_t i = 0; i < classes; i++)
                    all += exp(scratch[i]);
                assert_true(fabs(all / was - 1) < 1e-9); /* P(row) stays */
            }
            cr__calibration_free(c);
        }
    }
}

/* Four rows, log-odds -2 -1 1 2, classes 0 1 0 1: the middle ones violate and are pooled to 1/2;
 * with one row of doubt worth 1/2 the values are .25, .5 and .75. */
static void violators_are_pooled(void **state)
{
    static const double odds[] = {-2, -1, 1, 2}, wanted[] = {.25, .5, .5, .75};
    cr__answers_seen seen;
    cr__calibration *c;
    double s[2];

    (void)state;
    for (size_t r = 0; r < 4; r++) {
        score[2 * r] = 0;
        score[2 * r + 1] = odds[r];
        truth[r] = r % 2 == 1;
        row[r] = (uint32_t)r;
    }
    seen = (cr__answers_seen){.classes = 2, .score = score, .truth = truth, .row = row, .rows = 4};
    assert_int_equal(cr__calibration_fit(&c, CR__CALIBRATION_ISOTONIC, &seen, NULL), CR_OK);
    for (size_t r = 0; r < 4; r++) {
        memcpy(s, score + 2 * r, sizeof s);
        cr__calibrate(c, s);
        cr__posterior(s, 2, s, NULL);
        assert_true(fabs(s[1] - wanted[r]) < 1e-12);
    }
    cr__calibration_free(c);
}

static void what_is_impossible_stays_so(void **state)
{
    const cr__answers_seen seen = draw(3, 2);
    double none[] = {-INFINITY, -INFINITY, -INFINITY};
    cr__calibration *c;

    (void)state;
    for (int k = CR__CALIBRATION_TEMPERATURE; k <= CR__CALIBRATION_CONFIDENCE; k++) {
        double s[] = {-1, -INFINITY, -2};

        assert_int_equal(cr__calibration_fit(&c, (cr__calibration_kind)k, &seen, NULL), CR_OK);
        cr__calibrate(c, s);
        assert_true(s[1] == -INFINITY && isfinite(s[0]) && isfinite(s[2]));
        cr__calibrate(c, none);
        assert_true(none[0] == -INFINITY);
        cr__calibration_free(c);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(the_temperature_is_what_the_scores_were_heated_by),
        cmocka_unit_test(confidence_is_made_the_accuracy),
        cmocka_unit_test(curves_undo_the_heat),
        cmocka_unit_test(every_kind_makes_the_classes_likelier_and_posteriors_sum_to_one),
        cmocka_unit_test(violators_are_pooled),
        cmocka_unit_test(what_is_impossible_stays_so),
    };
    return cmocka_run_group_tests_name("calibration", tests, NULL, NULL);
}
