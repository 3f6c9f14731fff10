/* tests/eval/test_train_default.c - what a person gets who has not said how to train. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include <stdio.h>
#include <string.h>

#include "credence/credence.h"
#include "support/model_bytes.h"

enum { ROWS = 300 };

/* Two classes that overlap, told by copies of one coin: naive Bayes is too sure of itself. */
static void write_rows(const char *path, int rows, int classes)
{
    FILE *file = fopen(path, "w");
    uint64_t state = 3;

    assert_non_null(file);
    fputs("a,b,c,d,class\n", file);
    for (int r = 0; r < rows; r++) {
        int seen;

        state = state * 6364136223846793005u + 1442695040888963407u;
        seen = (int)(state >> 33) % 10 < 7 ? r % 2 : !(r % 2);
        fprintf(file, "v%d,v%d,v%d,v%d,%s\n", seen, seen, seen, seen,
                classes == 2 && r % 2 ? "yes" : "no");
    }
    fclose(file);
}

static cr_source *open_path(const char *path)
{
    cr_source *source = NULL;

    assert_int_equal(cr_source_open(&source, &path, 1, NULL, NULL), CR_OK);
    return source;
}

static cr_status train(cr_model **out, const char *path, const char *learner, const char *param,
                       const char *method, cr_calibration_report *report, cr_error *err)
{
    cr_source *source = open_path(path);
    const cr_status status = cr_model_train_default(out, source, learner, &param, param != NULL,
                                                    method, NULL, NULL, report, err);

    cr_source_close(source);
    return status;
}

static void the_learner_follows_from_the_parameters(void **unused)
{
    const char *own[] = {"budget=1", "among=exact"}, *of_nb[] = {"budget=1", "alpha=2"};

    (void)unused;
    assert_string_equal(cr_learner_default(NULL, 0), "auto");
    assert_string_equal(cr_learner_default(own, 2), "auto");
    assert_string_equal(cr_learner_default(of_nb, 2), "nb");
}

static void without_a_name_it_is_the_choice_among_learners(void **unused)
{
    cr_source *source;
    cr_model *model, *chosen = NULL;
    cr_calibration_report report;

    (void)unused;
    write_rows("two.csv", ROWS, 2);
    assert_int_equal(train(&model, "two.csv", NULL, NULL, NULL, &report, NULL), CR_OK);
    source = open_path("two.csv");
    assert_int_equal(cr_model_train_auto(&chosen, source, NULL, 0, NULL, NULL, NULL), CR_OK);
    cr_source_close(source);
    assert_string_equal(report.method,
                        cr_model_calibration(model) == NULL ? "none" : cr_model_calibration(model));
    assert_same_model(model, chosen);
    cr_model_free(model);
    cr_model_free(chosen);
}

static void a_named_learner_is_calibrated_unless_refused(void **unused)
{
    cr_source *source;
    cr_model *model, *bare, *plain = NULL;
    cr_calibration_report report;

    (void)unused;
    write_rows("two.csv", ROWS, 2);
    assert_int_equal(train(&model, "two.csv", "nb", NULL, NULL, &report, NULL), CR_OK);
    assert_null(report.why);
    assert_string_equal(cr_model_calibration(model), report.method);
    assert_true(report.log_loss_after < report.log_loss_before);
    cr_model_free(model);
    assert_int_equal(train(&bare, "two.csv", "nb", NULL, "none", &report, NULL), CR_OK);
    assert_null(cr_model_calibration(bare));
    source = open_path("two.csv");
    assert_int_equal(cr_model_train(&plain, source, "nb", NULL, 0, NULL, NULL, NULL), CR_OK);
    cr_source_close(source);
    assert_same_model(bare, plain); /* no numbers: there is no density to choose */
    cr_model_free(bare);
    cr_model_free(plain);
}

static void rows_that_were_learned_calibrate_as_training_does(void **unused)
{
    cr_source *source;
    cr_model *model, *later = NULL;
    cr_calibration_report report;
    FILE *file;

    (void)unused;
    write_rows("two.csv", ROWS, 2);
    assert_int_equal(train(&model, "two.csv", "nb", NULL, NULL, NULL, NULL), CR_OK);
    source = open_path("two.csv");
    assert_int_equal(cr_model_train(&later, source, "nb", NULL, 0, NULL, NULL, NULL), CR_OK);
    assert_int_equal(cr_model_calibrate_learned(later, source, NULL, &report, NULL), CR_OK);
    assert_null(report.why);
    assert_true(report.rows == ROWS);
    assert_same_model(model, later);
    cr_source_close(source);
    file = fopen("two.csv", "a");
    assert_non_null(file);
    fputs("new,v0,v0,v0,yes\n", file); /* a row that was not learned cannot be taken back */
    fclose(file);
    source = open_path("two.csv");
    assert_int_equal(cr_model_calibrate_learned(later, source, NULL, &report, NULL), CR_OK);
    assert_non_null(report.why);
    assert_null(cr_model_calibration(later));
    cr_source_close(source);
    cr_model_free(model);
    cr_model_free(later);
}

/* Train, and check that a note of the source says that learners were not compared. */
static cr_model *train_noted(const char *path, const char *learner, const char *param)
{
    cr_source *source = open_path(path);
    cr_model *model = NULL;
    cr_tried tried;
    int noted = 0;

    assert_int_equal(cr_model_train_default(&model, source, learner, &param, param != NULL, NULL,
                                            NULL, NULL, NULL, NULL),
                     CR_OK);
    for (size_t i = 0; cr_source_note(source, i) != NULL; i++)
        noted += strstr(cr_source_note(source, i), "compared") != NULL;
    assert_int_equal(noted, 1);
    assert_int_equal(cr_model_tried(model, 0, &tried), CR_END);
    cr_source_close(source);
    return model;
}

/* Up to nine rows; a class of one row would get prior=map from ten rows on. */
static void a_few_rows_are_learned_by_naive_bayes_however_auto_is_asked_for(void **unused)
{
    const char *const params[] = {NULL, "among=exact", "among=live", "among=nb,tree", "budget=1"};
    cr_model *model;
    cr_tried tried;

    (void)unused;
    for (int rows = 1; rows < 10; rows++) {
        cr_model *bare;

        write_rows("few.csv", rows, 2);
        assert_int_equal(train(&bare, "few.csv", "nb", NULL, "none", NULL, NULL), CR_OK);
        for (size_t i = 0; i < sizeof params / sizeof *params; i++) {
            assert_same_model(bare, model = train_noted("few.csv", "auto", params[i]));
            cr_model_free(model);
            assert_same_model(bare, model = train_noted("few.csv", NULL, params[i]));
            cr_model_free(model);
        }
        cr_model_free(bare);
    }
    write_rows("few.csv", 10, 2);
    assert_int_equal(train(&model, "few.csv", "auto", NULL, NULL, NULL, NULL), CR_OK);
    assert_int_equal(cr_model_tried(model, 0, &tried), CR_OK);
    cr_model_free(model);
}

static void a_few_rows_are_learned_by_the_learner_that_auto_may_take(void **unused)
{
    cr_model *model, *tree;

    (void)unused;
    write_rows("few.csv", 9, 2);
    assert_int_equal(train(&tree, "few.csv", "tree", NULL, "none", NULL, NULL), CR_OK);
    assert_same_model(tree, model = train_noted("few.csv", "auto", "among=tree"));
    cr_model_free(model);
    cr_model_free(tree);
}

static void data_that_auto_refuses_are_learned_by_naive_bayes(void **unused)
{
    cr_model *model;
    cr_error err = {0};

    (void)unused;
    write_rows("one.csv", 2, 1);
    assert_int_equal(train(&model, "one.csv", NULL, NULL, NULL, NULL, &err), CR_OK);
    assert_string_equal(cr_model_learner(model), "nb");
    assert_null(cr_model_calibration(model));
    cr_model_free(model);
    /* a fault in the request stays one */
    assert_int_equal(train(&model, "one.csv", NULL, NULL, "magic", NULL, &err), CR_EARG);
    assert_non_null(strstr(err.message, "magic"));
    assert_null(model);
    assert_int_equal(train(&model, "one.csv", NULL, "budget=never", NULL, NULL, &err), CR_EARG);
    assert_null(model);
}

/* The accuracies and log losses of a curve of two sizes, one repeat, on 600 rows. */
static void draw(const cr_deal *deal, const char *param, double loss[2])
{
    const size_t sizes[] = {99, 400};
    const cr_curve_options how = {.sizes = sizes, .size_count = 2, .repeats = 1, .seed = 3};
    cr_learning_curve *curve;
    cr_source *source;
    cr_study *study;

    source = open_path("two.csv");
    assert_int_equal(cr_study_new(&study, source, deal, NULL, NULL), CR_OK);
    assert_int_equal(cr_study_curve(study, "nb", &param, param != NULL, &how, &curve, NULL), CR_OK);
    loss[0] = curve->log_loss[0];
    loss[1] = curve->log_loss[1];
    cr_learning_curve_free(curve);
    cr_study_free(study);
    cr_source_close(source);
}

/* Of four copies of a coin that tells 7 of 10 classes, one alone says all there is: the log loss is
 * 0.611 nats at best. Naive Bayes adds up their log-odds, 4 ln(7/3), and loses 0.7 · 0.033 + 0.3 ·
 * 3.42 = 1.05. 99 rows are not calibrated. */
static void a_curve_is_of_the_models_that_training_gives(void **unused)
{
    double usual[2], bare[2], none[2];

    (void)unused;
    write_rows("two.csv", 600, 2);
    draw(&(cr_deal){.folds = 2, .calibrated = 1}, NULL, usual);
    draw(&(cr_deal){.folds = 2}, NULL, bare);
    draw(&(cr_deal){.folds = 2, .calibrated = 1}, "calibrate=none", none);
    assert_true(usual[0] == bare[0] && usual[0] == none[0]);
    assert_true(bare[1] == none[1]);
    assert_true(bare[1] > 0.85);
    assert_true(usual[1] > 0.55 && usual[1] < 0.68);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(the_learner_follows_from_the_parameters),
        cmocka_unit_test(without_a_name_it_is_the_choice_among_learners),
        cmocka_unit_test(a_named_learner_is_calibrated_unless_refused),
        cmocka_unit_test(rows_that_were_learned_calibrate_as_training_does),
        cmocka_unit_test(a_few_rows_are_learned_by_naive_bayes_however_auto_is_asked_for),
        cmocka_unit_test(a_few_rows_are_learned_by_the_learner_that_auto_may_take),
        cmocka_unit_test(a_curve_is_of_the_models_that_training_gives),
        cmocka_unit_test(data_that_auto_refuses_are_learned_by_naive_bayes),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
