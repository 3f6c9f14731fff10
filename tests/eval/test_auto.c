/* tests/eval/test_auto.c - the choice among learners, its calibration and its blend. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "credence/credence.h"

enum { ROWS = 400 };

/* A generator whose numbers do not depend on the machine. */
static double chance(uint64_t *state)
{
    *state = *state * 6364136223846793005u + 1442695040888963407u;
    return (double)(*state >> 11) * 0x1p-53;
}

/* Exclusive or of two symbols, with a tenth of the classes turned: naive Bayes finds nothing in it,
 * a tree of dependences everything. */
static void write_xor(const char *path)
{
    FILE *file = fopen(path, "w");
    uint64_t state = 7;

    assert_non_null(file);
    fputs("a,b,c,class\n", file);
    for (int r = 0; r < ROWS; r++) {
        const int a = chance(&state) < 0.5, b = chance(&state) < 0.5, c = chance(&state) < 0.5;
        const int turned = chance(&state) < 0.1;

        fprintf(file, "%c,%c,%c,%s\n", a ? 'x' : 'y', b ? 'x' : 'y', c ? 'x' : 'y',
                (a ^ b ^ turned) ? "yes" : "no");
    }
    fclose(file);
}

static cr_source *open_path(const char *path)
{
    cr_source *source = NULL;
    cr_error err = {0};

    assert_int_equal(cr_source_open(&source, &path, 1, NULL, &err), CR_OK);
    return source;
}

static cr_model *train(const char *path, const char *const *params, size_t count, int threads)
{
    cr_source *source = open_path(path);
    cr_run run = {.threads = threads};
    cr_model *model = NULL;
    cr_error err = {0};
    cr_tally tally = {0};

    assert_int_equal(cr_model_train_auto(&model, source, params, count, &run, &tally, &err), CR_OK);
    assert_int_equal(tally.rows, ROWS);
    cr_source_close(source);
    return model;
}

static void the_winner_sees_what_naive_bayes_cannot(void **unused)
{
    cr_model *model;
    cr_tried first, t;
    int seen_nb = 0;

    (void)unused;
    write_xor("xor.csv");
    model = train("xor.csv", NULL, 0, 0);
    assert_int_equal(cr_model_tried(model, 0, &first), CR_OK);
    assert_true(first.chosen);
    /* The entropy of a tenth turned is 0.325 nats; the best answer known to the data is near. */
    assert_true(first.log_loss > 0.28 && first.log_loss < 0.40);
    assert_true(first.accuracy > 0.85);
    for (size_t i = 1; cr_model_tried(model, i, &t) == CR_OK; i++) {
        assert_false(t.chosen);
        if (strcmp(t.name, "nb") == 0) {
            seen_nb = 1;
            assert_true(t.log_loss > 0.65); /* ln 2 is 0.693 */
            assert_true(t.exact);
        }
    }
    assert_true(seen_nb);
    cr_model_free(model);
}

static void the_choice_is_the_same_for_any_number_of_threads(void **unused)
{
    cr_model *one, *three;

    (void)unused;
    write_xor("xor.csv");
    one = train("xor.csv", NULL, 0, 1);
    three = train("xor.csv", NULL, 0, 3);
    assert_int_equal(cr_model_save(one, "one.model", NULL), CR_OK);
    assert_int_equal(cr_model_save(three, "three.model", NULL), CR_OK);
    assert_int_equal(system("cmp one.model three.model"), 0);
    cr_model_free(one);
    cr_model_free(three);
}

static void among_exact_leaves_only_learners_that_add_up(void **unused)
{
    const char *params[] = {"among=exact", "blend=no"};
    cr_model *model;
    cr_tried t;

    (void)unused;
    write_xor("xor.csv");
    model = train("xor.csv", params, 2, 0);
    for (size_t i = 0; cr_model_tried(model, i, &t) == CR_OK; i++)
        assert_true(t.exact);
    assert_int_equal(cr_model_members(model), 0);
    cr_model_free(model);
}

static void among_names_leaves_only_these_learners(void **unused)
{
    const char *params[] = {"among=logistic,tree"};
    const char *none[] = {"among=linear"}; /* for numbers, and the target has classes */
    cr_source *source;
    cr_model *model;
    cr_error err = {0};
    cr_tried t;
    size_t i;

    (void)unused;
    write_xor("xor.csv");
    model = train("xor.csv", params, 1, 0);
    for (i = 0; cr_model_tried(model, i, &t) == CR_OK; i++)
        assert_true(strncmp(t.name, "logistic", 8) == 0 || strncmp(t.name, "tree", 4) == 0 ||
                    strcmp(t.name, "blend") == 0);
    assert_true(i >= 2);
    cr_model_free(model);
    source = open_path("xor.csv");
    assert_int_equal(cr_model_train_auto(&model, source, none, 1, NULL, NULL, &err), CR_EARG);
    assert_non_null(strstr(err.message, "none of 'linear' is a candidate"));
    cr_source_close(source);
}

/* The class of points within a circle is a matter of squares and products. */
static void write_circle(const char *path, int rows)
{
    FILE *file = fopen(path, "w");
    uint64_t state = 11;

    assert_non_null(file);
    fputs("x,y,z,class\n", file);
    for (int r = 0; r < rows; r++) {
        const double x = 2 * chance(&state) - 1, y = 2 * chance(&state) - 1, z = chance(&state);

        fprintf(file, "%.6f,%.6f,%.6f,%s\n", x, y, z,
                x * x + x * y + y * y + 0.2 * chance(&state) < 0.5 ? "in" : "out");
    }
    fclose(file);
}

static void products_are_tried_from_a_hundred_rows_on(void **unused)
{
    static const char *const params[] = {"blend=no"};
    cr_tried t;

    (void)unused;
    for (int rows = 99; rows <= 500; rows += rows == 99 ? 1 : 400) {
        cr_source *source;
        cr_model *model = NULL;
        cr_error err = {0};
        size_t with = 0;

        write_circle("circle.csv", rows);
        source = open_path("circle.csv");
        assert_int_equal(cr_model_train_auto(&model, source, params, 1, NULL, NULL, &err), CR_OK);
        cr_source_close(source);
        for (size_t i = 0; cr_model_tried(model, i, &t) == CR_OK; i++) {
            with += strstr(t.name, "interactions=yes") != NULL;
            if (i == 0 && rows == 500)
                assert_non_null(strstr(t.name, "logistic:interactions=yes"));
        }
        assert_int_equal(with, rows < 100 ? 0 : 3);
        cr_model_free(model);
    }
}

static void what_was_tried_is_kept_in_the_file(void **unused)
{
    cr_model *model, *loaded = NULL;
    cr_tried a, b;
    size_t i;

    (void)unused;
    write_xor("xor.csv");
    model = train("xor.csv", NULL, 0, 0);
    assert_int_equal(cr_model_save(model, "kept.model", NULL), CR_OK);
    assert_int_equal(cr_model_load(&loaded, "kept.model", 0, NULL), CR_OK);
    for (i = 0; cr_model_tried(model, i, &a) == CR_OK; i++) {
        assert_int_equal(cr_model_tried(loaded, i, &b), CR_OK);
        assert_string_equal(a.name, b.name);
        assert_string_equal(a.reason, b.reason);
        assert_true(a.log_loss == b.log_loss || (isnan(a.log_loss) && isnan(b.log_loss)));
        assert_int_equal(a.chosen, b.chosen);
    }
    assert_true(i > 3);
    assert_int_equal(cr_model_tried(loaded, i, &b), CR_END);
    cr_model_free(model);
    cr_model_free(loaded);
}

static double log_loss_of(const cr_cv *cv)
{
    cr_evaluation *e = NULL;
    cr_metrics m;

    assert_int_equal(cr_cv_evaluate(cv, SIZE_MAX, NULL, &e, NULL), CR_OK);
    cr_evaluation_metrics(e, &m);
    cr_evaluation_free(e);
    return m.log_loss;
}

/* Naive Bayes of one feature twelve times over is far too confident; calibrated within each fold it
 * is as confident as the feature warrants, 0.325 nats. */
static void a_calibrated_learner_can_be_cross_validated(void **unused)
{
    const char *params[] = {"calibrate=auto"};
    cr_source *source;
    cr_study *study = NULL;
    cr_cv *bare = NULL, *honest = NULL;
    FILE *file = fopen("twelve.csv", "w");
    uint64_t state = 3;

    (void)unused;
    assert_non_null(file);
    for (int k = 0; k < 12; k++)
        fprintf(file, "f%d,", k);
    fputs("class\n", file);
    for (int r = 0; r < ROWS; r++) {
        const int a = chance(&state) < 0.5, turned = chance(&state) < 0.1;

        for (int k = 0; k < 12; k++)
            fputs(a ? "x," : "y,", file);
        fputs((a ^ turned) ? "yes\n" : "no\n", file);
    }
    fclose(file);
    source = open_path("twelve.csv");
    assert_int_equal(cr_study_new(&study, source, NULL, NULL, NULL), CR_OK);
    assert_int_equal(cr_cv_run(&bare, study, "nb", NULL, 0, NULL), CR_OK);
    assert_int_equal(cr_cv_run(&honest, study, "nb", params, 1, NULL), CR_OK);
    assert_true(log_loss_of(bare) > 1);
    assert_true(log_loss_of(honest) < 0.40);
    cr_cv_free(bare);
    cr_cv_free(honest);
    cr_study_free(study);
    cr_source_close(source);
}

static void unknown_values_of_its_knobs_are_refused(void **unused)
{
    const char *params[] = {"among=some"};
    cr_source *source;
    cr_model *model = NULL;
    cr_error err = {0};

    (void)unused;
    write_xor("xor.csv");
    source = open_path("xor.csv");
    assert_int_equal(cr_model_train_auto(&model, source, params, 1, NULL, NULL, &err), CR_EARG);
    assert_non_null(strstr(err.message, "all, exact, live or names of learners"));
    cr_source_close(source);
}

/* A product of members: what it answers must not depend on whether it was saved. */
static void a_blend_answers_the_same_from_its_file(void **unused)
{
    cr_model *model, *loaded = NULL;
    cr_source *source;
    cr_evaluation *a = NULL, *b = NULL;
    cr_metrics m, n;
    FILE *file = fopen("blend.csv", "w");
    uint64_t state = 11;

    (void)unused;
    assert_non_null(file);
    fputs("a,b,u,v,w,x,class\n", file);
    for (int r = 0; r < ROWS; r++) { /* half of it for dependence, half for weights */
        const int p = chance(&state) < 0.5, q = chance(&state) < 0.5;
        double x[4], score = p ^ q ? 1.2 : -1.2;

        for (int i = 0; i < 4; i++) {
            x[i] = chance(&state) + chance(&state) + chance(&state) - 1.5;
            score += 1.2 * x[i];
        }
        fprintf(file, "%c,%c,%.4f,%.4f,%.4f,%.4f,%s\n", p ? 'u' : 'v', q ? 'u' : 'v', x[0], x[1],
                x[2], x[3], score > 0 ? "yes" : "no");
    }
    fclose(file);
    model = train("blend.csv", NULL, 0, 0);
    assert_true(cr_model_members(model) > 1);
    assert_int_equal(cr_model_save(model, "blend.model", NULL), CR_OK);
    assert_int_equal(cr_model_load(&loaded, "blend.model", 0, NULL), CR_OK);
    source = open_path("blend.csv");
    assert_int_equal(cr_model_test(model, source, NULL, NULL, &a, NULL, NULL), CR_OK);
    cr_source_close(source);
    source = open_path("blend.csv");
    assert_int_equal(cr_model_test(loaded, source, NULL, NULL, &b, NULL, NULL), CR_OK);
    cr_source_close(source);
    cr_evaluation_metrics(a, &m);
    cr_evaluation_metrics(b, &n);
    assert_true(m.log_loss == n.log_loss && m.log_loss < 0.5);
    cr_evaluation_free(a);
    cr_evaluation_free(b);
    cr_model_free(model);
    cr_model_free(loaded);
}

static cr_model *train_plain(const char *path)
{
    cr_source *source = open_path(path);
    cr_model *model = NULL;

    assert_int_equal(cr_model_train(&model, source, "nb", NULL, 0, NULL, NULL, NULL), CR_OK);
    cr_source_close(source);
    return model;
}

/* All members of a blend have learned all rows, so what one of them counted holds for the whole. */
static void a_blend_tells_the_counts_of_its_rows(void **unused)
{
    cr_model *blend, *plain;
    double mean, deviation, own_mean, own_deviation;
    cr_member m;

    (void)unused;
    blend = train("blend.csv", NULL, 0, 0);
    plain = train_plain("blend.csv");
    assert_true(cr_model_members(blend) > 1);
    for (size_t c = 0; c < 2; c++)
        assert_true(cr_model_class_count(blend, c) == cr_model_class_count(plain, c));
    for (size_t i = 0; i < 6; i++) {
        assert_true(cr_model_present(blend, i) == ROWS);
        if (i < 2)
            continue;
        assert_int_equal(cr_model_moments(blend, i, &mean, &deviation), CR_OK);
        assert_int_equal(cr_model_moments(plain, i, &own_mean, &own_deviation), CR_OK);
        assert_true(mean == own_mean && deviation == own_deviation);
    }
    for (size_t i = 0; cr_model_member(blend, i, &m) == CR_OK; i++) {
        assert_true(m.accuracy > 0.5 && m.accuracy < 1);
        assert_true(m.log_likelihood < 0 && m.log_likelihood > ROWS * log(0.5));
    }
    cr_model_free(blend);
    cr_model_free(plain);
}

/* Six numbers with the sign of a common cause, so that answers are far too sure. */
static void write_many(const char *path, int rows)
{
    FILE *file = fopen(path, "w");
    uint64_t state = 5;

    assert_non_null(file);
    fputs("a,b,c,d,e,f,class\n", file);
    for (int r = 0; r < rows; r++) {
        const double cause = chance(&state) - 0.5;

        for (int i = 0; i < 6; i++)
            fprintf(file, "%.3f,", cause + 0.3 * (chance(&state) - 0.5));
        fputs(cause + 0.6 * (chance(&state) - 0.5) > 0 ? "yes\n" : "no\n", file);
    }
    fclose(file);
}

/* What was judged on a sample is calibrated as if it had been named: by the model of all rows, from
 * which rows are taken back. Both deal the same rows in the same way, so they agree to the last
 * digit; the answers of models of the sample are others. */
static void a_winner_of_a_sample_is_calibrated_by_the_whole(void **unused)
{
    const char *learners[][2] = {{"aode", "among=aode"}, {"tan", "among=tan"}};
    const char *params[] = {NULL, "budget=0.001", "blend=no"};
    double of[2];
    cr_metrics m;
    cr_tried t;

    (void)unused;
    write_many("many.csv", 8000);
    for (size_t l = 0; l < 2; l++) {
        for (size_t named = 0; named < 2; named++) {
            cr_source *source = open_path("many.csv");
            cr_evaluation *e = NULL;
            cr_model *model;

            params[0] = learners[l][1];
            assert_int_equal(cr_model_train_default(&model, source, named ? learners[l][0] : NULL,
                                                    params, named ? 0 : 3, NULL, NULL, NULL, NULL,
                                                    NULL),
                             CR_OK);
            if (!named) {
                assert_int_equal(cr_model_tried(model, 0, &t), CR_OK);
                assert_true(t.rows < 8000);
                assert_string_equal(t.name, learners[l][0]);
            }
            assert_non_null(cr_model_calibration(model));
            cr_source_close(source);
            source = open_path("many.csv");
            assert_int_equal(cr_model_test(model, source, NULL, NULL, &e, NULL, NULL), CR_OK);
            cr_evaluation_metrics(e, &m);
            of[named] = m.log_loss;
            cr_evaluation_free(e);
            cr_model_free(model);
            cr_source_close(source);
        }
        assert_true(of[0] == of[1]);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(the_winner_sees_what_naive_bayes_cannot),
        cmocka_unit_test(the_choice_is_the_same_for_any_number_of_threads),
        cmocka_unit_test(among_exact_leaves_only_learners_that_add_up),
        cmocka_unit_test(among_names_leaves_only_these_learners),
        cmocka_unit_test(products_are_tried_from_a_hundred_rows_on),
        cmocka_unit_test(what_was_tried_is_kept_in_the_file),
        cmocka_unit_test(a_calibrated_learner_can_be_cross_validated),
        cmocka_unit_test(unknown_values_of_its_knobs_are_refused),
        cmocka_unit_test(a_blend_answers_the_same_from_its_file),
        cmocka_unit_test(a_blend_tells_the_counts_of_its_rows),
        cmocka_unit_test(a_winner_of_a_sample_is_calibrated_by_the_whole),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
