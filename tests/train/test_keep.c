/* tests/train/test_keep.c - calibrations and blends continue to learn, and unlearned lessons leave
 * no trace. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "credence/credence.h"

enum { ROWS = 600, LESSONS = 1000 };

static double chance(uint64_t *state)
{
    *state = *state * 6364136223846793005u + 1442695040888963407u;
    return (double)(*state >> 11) * 0x1p-53;
}

/* Three classes; two features that say the same, so that naive Bayes is too sure, and a number. */
static void write_rows(const char *path, int rows, uint64_t seed)
{
    static const char *const name[] = {"red", "green", "blue"};
    FILE *file = fopen(path, "w");
    uint64_t state = seed;

    assert_non_null(file);
    fputs("a,b,x,class\n", file);
    for (int r = 0; r < rows; r++) {
        const int c = (int)(3 * chance(&state)), seen = chance(&state) < 0.7 ? c : (c + 1) % 3;

        fprintf(file, "%c,%c,%.3f,%s\n", "uvw"[seen], "rst"[seen],
                c + 2 * chance(&state) + chance(&state), name[c]);
    }
    fclose(file);
}

static cr_source *open_path(const char *path)
{
    cr_source *source = NULL;

    assert_int_equal(cr_source_open(&source, &path, 1, NULL, NULL), CR_OK);
    return source;
}

static cr_model *train_by(const char *learner, const char *param, const char *method)
{
    cr_source *source = open_path("rows.csv");
    cr_calibration_report report;
    cr_model *model = NULL;
    cr_error err = {0};

    if (cr_model_train_calibrated(&model, source, learner, &param, param != NULL, NULL, method,
                                  NULL, NULL, &report, &err) != CR_OK)
        fail_msg("%s: %s", learner, err.message);
    assert_string_equal(report.method, method);
    cr_source_close(source);
    return model;
}

static cr_model *train(const char *method)
{
    return train_by("nb", NULL, method);
}

static void change(cr_model *model, const char *path, int learn)
{
    cr_source *source = open_path(path);
    cr_error err = {0};

    assert_int_equal(learn ? cr_model_learn(model, source, NULL, NULL, &err)
                           : cr_model_unlearn(model, source, NULL, NULL, &err),
                     CR_OK);
    cr_source_close(source);
}

static double log_loss(const cr_model *model, const char *path)
{
    cr_source *source = open_path(path);
    cr_evaluation *e = NULL;
    cr_metrics m;

    assert_int_equal(cr_model_test(model, source, NULL, NULL, &e, NULL, NULL), CR_OK);
    cr_evaluation_metrics(e, &m);
    cr_evaluation_free(e);
    cr_source_close(source);
    return m.log_loss;
}

static void lessons_taken_back_leave_the_same_bytes(void **unused)
{
    static const char *const method[] = {"temperature", "platt", "beta", "isotonic"};

    (void)unused;
    write_rows("rows.csv", ROWS, 1);
    write_rows("lessons.csv", LESSONS, 2);
    for (size_t i = 0; i < sizeof method / sizeof *method; i++) {
        cr_model *model = train(method[i]);

        assert_int_equal(cr_model_save(model, "before.model", NULL), CR_OK);
        change(model, "lessons.csv", 1);
        assert_string_equal(cr_model_calibration(model), method[i]);
        assert_int_equal(cr_model_save(model, "between.model", NULL), CR_OK);
        assert_int_not_equal(system("cmp -s before.model between.model"), 0);
        change(model, "lessons.csv", 0);
        assert_int_equal(cr_model_save(model, "after.model", NULL), CR_OK);
        assert_int_equal(system("cmp before.model after.model"), 0);
        cr_model_free(model);
    }
}

/* A thousand lessons one by one, unlearned in reverse order. */
static void teach_and_undo(cr_model *model, const char *learner, const char *method)
{
    static const char *const a[] = {"u", "v", "w"}, *const b[] = {"r", "s", "t"},
                             *const class_name[] = {"red", "green", "blue"};
    uint64_t state;

    assert_int_equal(cr_model_save(model, "before.model", NULL), CR_OK);
    for (int way = 1; way >= -1; way -= 2) {
        for (int i = 0; i < LESSONS; i++) {
            const int which = way > 0 ? i : LESSONS - 1 - i;
            cr_row *row = NULL;
            cr_error err = {0};

            state = 77 + (uint64_t)which;
            (void)chance(&state);
            assert_int_equal(cr_row_new(&row, model, &err), CR_OK);
            assert_int_equal(cr_row_set_text(row, 0, a[(int)(3 * chance(&state))]), CR_OK);
            assert_int_equal(cr_row_set_text(row, 1, b[(int)(3 * chance(&state))]), CR_OK);
            assert_int_equal(cr_row_set_real(row, 2, 4 * chance(&state)), CR_OK);
            assert_int_equal(cr_row_set_text(row, 3, class_name[(int)(3 * chance(&state))]), CR_OK);
            if (cr_row_learn(model, row, way, &err) != CR_OK)
                fail_msg("%s, %s, lesson %d: %s", learner, method, which, err.message);
            cr_row_free(row);
        }
        assert_int_equal(cr_model_save(model, way > 0 ? "between.model" : "after.model", NULL),
                         CR_OK);
    }
    assert_int_not_equal(system("cmp -s before.model between.model"), 0);
    if (system("cmp before.model after.model") != 0)
        fail_msg("%s, %s: other bytes", learner, method);
}

/* Every learner of counts, bare and with both kinds of calibration. */
static void a_thousand_lessons_and_their_undoing(void **unused)
{
    static const struct {
        const char *learner, *param;
    } exact[] = {
        {"nb", NULL},    {"nb", "real=gaussian"}, {"nb", "real=kde"},       {"nb", "real=bins:mdl"},
        {"pairs", NULL}, {"tan", NULL},           {"aode", NULL},           {"kdb", NULL},
        {"gda", NULL},   {"gda", "pool=0.5"},     {"joint", "bins=x:1:2:3"}};
    static const char *const method[] = {"none", "temperature", "isotonic"};

    (void)unused;
    write_rows("rows.csv", ROWS, 1);
    for (size_t i = 0; i < sizeof exact / sizeof *exact; i++)
        for (size_t k = 0; k < sizeof method / sizeof *method; k++) {
            cr_model *model = train_by(exact[i].learner, exact[i].param, method[k]);

            teach_and_undo(model, exact[i].learner, method[k]);
            cr_model_free(model);
        }
}

/* Lessons of rounded products, some of them of rows that lack something, taken back in the order in
 * which they were learned, by a model that was saved and opened in between. */
static void products_are_taken_back(void **unused)
{
    static const char *const a[] = {"u", "v", "w", "new"}, *const class_name[] = {"red", "green"};
    static const struct {
        const char *learner, *target, *param;
    } rounded[] = {
        {"gda", "class", NULL}, {"linear", "x", NULL}, {"network", "class", "real=gaussian"}};

    (void)unused;
    write_rows("rows.csv", ROWS, 1);
    for (size_t k = 0; k < sizeof rounded / sizeof *rounded; k++) {
        const char *path = "rows.csv";
        cr_source_options options;
        cr_source *source;
        cr_model *model;
        cr_error err = {0};

        cr_source_options_default(&options);
        options.target = rounded[k].target;
        assert_int_equal(cr_source_open(&source, &path, 1, &options, NULL), CR_OK);
        assert_int_equal(cr_model_train(&model, source, rounded[k].learner, &rounded[k].param,
                                        rounded[k].param != NULL, NULL, NULL, NULL),
                         CR_OK);
        cr_source_close(source);
        assert_int_equal(cr_model_save(model, "before.model", NULL), CR_OK);
        for (int way = 1; way >= -1; way -= 2) {
            for (int i = 0; i < 40; i++) {
                cr_row *row = NULL;
                uint64_t state = (uint64_t)i + 99;

                chance(&state);
                assert_int_equal(cr_row_new(&row, model, NULL), CR_OK);
                assert_int_equal(cr_row_set_text(row, 0, a[(int)(4 * chance(&state))]), CR_OK);
                if (rounded[k].target[0] == 'x' && i % 3 != 0)
                    assert_int_equal(cr_row_set_text(row, 1, "r"), CR_OK);
                if (rounded[k].target[0] == 'x' || i % 5 != 0)
                    assert_int_equal(cr_row_set_real(row, 2, 1e5 * chance(&state) - 0.1), CR_OK);
                assert_int_equal(cr_row_set_text(row, 3, class_name[i % 2]), CR_OK);
                if (cr_row_learn(model, row, way, &err) != CR_OK)
                    fail_msg("%s: %s", rounded[k].learner, err.message);
                cr_row_free(row);
            }
            assert_int_equal(cr_model_save(model, way > 0 ? "between.model" : "after.model", NULL),
                             CR_OK);
            cr_model_free(model);
            if (way > 0)
                assert_int_equal(cr_model_load(&model, "between.model", 0, NULL), CR_OK);
        }
        assert_int_not_equal(system("cmp -s before.model between.model"), 0);
        if (system("cmp before.model after.model") != 0)
            fail_msg("%s: other bytes", rounded[k].learner);
    }
}

/* The calibration follows the rows: fitted on rows that the features predict well, it learns from
 * lessons that they do not. */
static void the_calibration_learns_too(void **unused)
{
    cr_model *kept, *dropped;
    FILE *file;
    uint64_t state = 5;

    (void)unused;
    write_rows("rows.csv", ROWS, 1);
    file = fopen("noise.csv", "w");
    assert_non_null(file);
    fputs("a,b,x,class\n", file);
    for (int r = 0; r < 2000; r++) {
        const int s = (int)(3 * chance(&state));

        fprintf(
            file, "%c,%c,%.3f,%s\n", "uvw"[s], "rst" [s], 4 * chance(&state),
            (const char *[]) { "red", "green", "blue" }[(int)(3 * chance(&state))]);
    }
    fclose(file);
    kept = train("temperature");
    dropped = train("temperature");
    cr_model_uncalibrate(dropped);
    change(kept, "noise.csv", 1);
    change(dropped, "noise.csv", 1);
    assert_string_equal(cr_model_calibration(kept), "temperature");
    assert_true(log_loss(kept, "noise.csv") < log_loss(dropped, "noise.csv"));
    cr_model_free(kept);
    cr_model_free(dropped);
}

static void a_blend_of_exact_learners_learns_and_forgets(void **unused)
{
    const char *params[] = {"among=exact"};
    cr_source *source;
    cr_model *model = NULL;
    FILE *file = fopen("rows.csv", "w");
    uint64_t state = 11;

    (void)unused;
    assert_non_null(file);
    fputs("a,b,u,v,w,x,class\n", file);
    for (int r = 0; r < ROWS; r++) {
        const int p = chance(&state) < 0.5, q = chance(&state) < 0.5;
        double x[4], score = p ^ q ? 1.2 : -1.2;

        for (int i = 0; i < 4; i++)
            score += 1.2 * (x[i] = chance(&state) + chance(&state) + chance(&state) - 1.5);
        fprintf(file, "%c,%c,%.4f,%.4f,%.4f,%.4f,%s\n", p ? 'u' : 'v', q ? 'u' : 'v', x[0], x[1],
                x[2], x[3], score > 0 ? "yes" : "no");
    }
    fclose(file);
    assert_int_equal(system("head -100 rows.csv > lessons.csv"), 0);
    source = open_path("rows.csv");
    assert_int_equal(cr_model_train_auto(&model, source, params, 1, NULL, NULL, NULL), CR_OK);
    cr_source_close(source);
    assert_true(cr_model_members(model) > 1);
    assert_int_equal(cr_model_save(model, "before.model", NULL), CR_OK);
    change(model, "lessons.csv", 1);
    assert_true(cr_model_members(model) > 1);
    change(model, "lessons.csv", 0);
    assert_int_equal(cr_model_save(model, "after.model", NULL), CR_OK);
    assert_int_equal(system("cmp before.model after.model"), 0);
    cr_model_free(model);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(lessons_taken_back_leave_the_same_bytes),
        cmocka_unit_test(a_thousand_lessons_and_their_undoing),
        cmocka_unit_test(products_are_taken_back),
        cmocka_unit_test(the_calibration_learns_too),
        cmocka_unit_test(a_blend_of_exact_learners_learns_and_forgets),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
