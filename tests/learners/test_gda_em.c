/* tests/learners/test_gda_em.c - Gaussian discriminants of rows that lack numbers: EM against an
 * independent one (tests/reference/make_gda_em_reference.py), and properties that must always
 * hold. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#include "base/random.h"
#include "credence/credence.h"
#include "learners/gda/gda.h"
#include "model/model.h"
#include "support/gda.h"
#include "support/model_bytes.h"

enum { REALS = 4, CLASSES = 3, MOST = 600 };

static const size_t first_four[REALS] = {0, 1, 2, 3};

/* --- against NumPy -------------------------------------------------------------------------- */

static cr_source *open_gaps(int weighted)
{
    static const char *const types[] = {"weight=ignore"};
    char path[1024];
    const char *paths[] = {path};
    cr_source_options options;
    cr_source *source;
    cr_error err = {0};

    cr_source_options_default(&options);
    options.target = "kind";
    options.weight = weighted ? "weight" : NULL;
    options.types = types;
    options.type_count = weighted ? 0 : 1;
    snprintf(path, sizeof path, "%s/tests/reference/em-gaps.csv", getenv("CREDENCE_SOURCE"));
    if (cr_source_open(&source, paths, 1, &options, &err) != CR_OK)
        fail_msg("%s", err.message);
    return source;
}

static const cr__gda_em *em_of(const cr_model *model)
{
    return &((const cr__gda *)model->share->fitted)->em;
}

/* The means and covariances of a class in the file, in standard deviations of the model's own. */
static void compare_class(FILE *file, const cr_model *model, size_t c)
{
    double mean[REALS], s[REALS * REALS], expected;

    assert_int_equal(cr_model_normal(model, c, first_four, REALS, mean, s, NULL, NULL), CR_OK);
    for (size_t i = 0; i < REALS; i++) {
        assert_int_equal(fscanf(file, "%lf", &expected), 1);
        assert_true(fabs(mean[i] - expected) < 1e-8 * sqrt(s[i * REALS + i]));
    }
    for (size_t i = 0; i < REALS * REALS; i++) {
        const double scale = sqrt(s[i / REALS * (REALS + 1)] * s[i % REALS * (REALS + 1)]);

        assert_int_equal(fscanf(file, "%lf", &expected), 1);
        assert_true(fabs(s[i] - expected) < 1e-8 * scale);
    }
}

static void means_and_covariances_are_those_of_numpy(void **state)
{
    char path[1024], form[16], knob[32];
    const char *params[] = {"incomplete=em", "variance-estimate=mle", knob};
    double log_likelihood;
    int weighted, cases = 0;
    FILE *file;

    (void)state;
    snprintf(path, sizeof path, "%s/tests/reference/em-gaps.txt", getenv("CREDENCE_SOURCE"));
    assert_non_null(file = fopen(path, "r"));
    assert_int_equal(fscanf(file, "%*[^\n]"), 0);
    while (fscanf(file, "%15s %d %lf", form, &weighted, &log_likelihood) == 3) {
        cr_model *model;

        snprintf(knob, sizeof knob, "covariance=%s", form);
        model = train_gda(open_gaps(weighted), params, 3, 1);
        assert_true(em_of(model)->settled);
        assert_true(fabs(em_of(model)->log_likelihood - log_likelihood) < 1e-8);
        for (size_t c = 0; c < CLASSES; c++)
            compare_class(file, model, c);
        cr_model_free(model);
        cases++;
    }
    fclose(file);
    assert_int_equal(cases, 8);
}

/* --- properties ----------------------------------------------------------------------------- */

/* Correlated reals; class "a" lacks nothing, of the others some numbers are missing. */
typedef struct table {
    double x[REALS][MOST];
    const char *class[MOST];
} table;

static table *make_table(uint64_t seed, unsigned one_in)
{
    static const char *const classes[CLASSES] = {"a", "b", "c"};
    cr__random rng;
    table *t = calloc(1, sizeof *t);

    assert_non_null(t);
    cr__random_seed(&rng, seed);
    for (size_t r = 0; r < MOST; r++) {
        const size_t c = cr__random_below(&rng, CLASSES);
        const double common = cr__random_normal(&rng);

        t->class[r] = classes[c];
        for (size_t i = 0; i < REALS; i++) {
            t->x[i][r] = 1e3 + (double)(c * i) + common * (double)(1 + c) + cr__random_normal(&rng);
            if (one_in > 0 && c > 0 && cr__random_below(&rng, one_in) == 0)
                t->x[i][r] = NAN;
        }
    }
    return t;
}

static cr_source *source_of(const table *t, size_t first, size_t count)
{
    static const char *const name[REALS] = {"x0", "x1", "x2", "x3"};
    cr_array arrays[REALS + 1];
    cr_source *source;

    for (size_t i = 0; i < REALS; i++)
        arrays[i] = (cr_array){.name = name[i], .real = t->x[i] + first, .role = CR_ROLE_FEATURE};
    arrays[REALS] = (cr_array){.name = "class", .text = t->class + first, .role = CR_ROLE_TARGET};
    assert_int_equal(cr_source_open_arrays(&source, arrays, REALS + 1, count, NULL), CR_OK);
    return source;
}

static void the_likelihood_never_decreases(void **state)
{
    static const char *const forms[] = {"covariance=full", "covariance=shared",
                                        "covariance=diagonal", "covariance=spherical"};

    (void)state;
    for (uint64_t seed = 0; seed < 5; seed++)
        for (size_t f = 0; f < 4; f++) {
            table *t = make_table(seed, 2 + (unsigned)seed);
            double before = -INFINITY;
            int settled = 0;

            for (int steps = 1; !settled && steps < 40; steps++) {
                char knob[32];
                const char *params[] = {"incomplete=em", forms[f], knob};
                cr_model *model;

                snprintf(knob, sizeof knob, "em-steps=%d", steps);
                model = train_gda(source_of(t, 0, 200), params, 3, 1);
                assert_true(em_of(model)->log_likelihood >= before - 1e-9);
                assert_int_equal(em_of(model)->steps, steps);
                before = em_of(model)->log_likelihood;
                settled = em_of(model)->settled != 0;
                cr_model_free(model);
            }
            free(t);
        }
}

static double farthest_class(const cr_model *a, const cr_model *b, size_t c)
{
    double m[REALS], n[REALS], s[REALS * REALS], q[REALS * REALS], worst = 0;

    assert_int_equal(cr_model_normal(a, c, first_four, REALS, m, s, NULL, NULL), CR_OK);
    assert_int_equal(cr_model_normal(b, c, first_four, REALS, n, q, NULL, NULL), CR_OK);
    for (size_t i = 0; i < REALS; i++)
        worst = fmax(worst, fabs(m[i] - n[i]));
    for (size_t i = 0; i < REALS * REALS; i++)
        worst = fmax(worst, fabs(s[i] - q[i]));
    return worst;
}

static void a_class_that_lacks_nothing_has_the_closed_form(void **state)
{
    static const char *const em[] = {"incomplete=em"};
    table *t = make_table(7, 5);
    cr_model *by_steps = train_gda(source_of(t, 0, MOST), em, 1, 1);
    cr_model *closed = train_gda(source_of(t, 0, MOST), NULL, 0, 1);

    (void)state;
    assert_true(em_of(by_steps)->steps > 1);
    assert_true(farthest_class(by_steps, closed, 0) < 1e-9);
    assert_true(farthest_class(by_steps, closed, 1) > 1e-4);
    cr_model_free(by_steps);
    cr_model_free(closed);
    free(t);
}

static void complete_rows_need_no_steps_and_keep_all_that_statistics_can(void **state)
{
    static const char *const em[] = {"incomplete=em"};
    table *t = make_table(8, 0);
    cr_model *whole = train_gda(source_of(t, 0, MOST), em, 1, 1);
    cr_model *closed = train_gda(source_of(t, 0, MOST), NULL, 0, 1);
    cr_source *rest = source_of(t, 400, MOST - 400);

    (void)state;
    assert_null(em_of(whole)->rows);
    for (size_t c = 0; c < CLASSES; c++)
        assert_true(farthest_class(whole, closed, c) == 0);
    assert_int_equal(cr_model_unlearn(whole, rest, NULL, NULL, NULL), CR_OK);
    cr_source_close(rest);
    rest = source_of(t, 400, MOST - 400);
    assert_int_equal(cr_model_learn(whole, rest, NULL, NULL, NULL), CR_OK);
    cr_source_close(rest);
    for (size_t c = 0; c < CLASSES; c++)
        assert_true(farthest_class(whole, closed, c) < 1e-8);
    cr_model_free(whole);
    cr_model_free(closed);
    free(t);
}

static void what_needs_the_rows_again_is_refused(void **state)
{
    static const char *const em[] = {"incomplete=em"};
    static const char *const other[] = {"covariance=shared"};
    table *t = make_table(9, 6);
    cr_model *model = train_gda(source_of(t, 0, 400), em, 1, 1);
    cr_model *same = train_gda(source_of(t, 0, 400), em, 1, 1);
    cr_source *more = source_of(t, 400, 100);
    cr_error err = {0};

    (void)state;
    assert_int_equal(cr_model_learn(model, more, NULL, NULL, &err), CR_EARG);
    assert_non_null(strstr(err.message, "found from the rows, which are not kept"));
    cr_source_close(more);
    more = source_of(t, 0, 100);
    assert_int_equal(cr_model_unlearn(model, more, NULL, NULL, NULL), CR_EARG);
    cr_source_close(more);
    assert_int_equal(cr_model_merge(model, same, NULL), CR_EARG);
    assert_int_equal(cr_model_refit(model, other, 1, NULL), CR_EARG);
    assert_same_model(model, same);
    cr_model_free(model);
    cr_model_free(same);
    free(t);
}

static void other_knobs_turn_without_the_rows_and_from_a_file(void **state)
{
    static const char *const params[] = {"incomplete=em", "ridge=0.5", "pool=0.2"};
    table *t = make_table(10, 6);
    cr_model *at_once = train_gda(source_of(t, 0, MOST), params, 3, 1);
    cr_model *first = train_gda(source_of(t, 0, MOST), params, 1, 1), *later;

    (void)state;
    assert_int_equal(cr_model_save(first, "gda-em.model", NULL), CR_OK);
    assert_int_equal(cr_model_load(&later, "gda-em.model", 0, NULL), CR_OK);
    assert_same_model(first, later);
    assert_int_equal(cr_model_refit(later, params + 1, 2, NULL), CR_OK);
    assert_same_model(later, at_once);
    cr_model_free(at_once);
    cr_model_free(first);
    cr_model_free(later);
    free(t);
}

static void any_number_of_threads_gives_the_same_bytes(void **state)
{
    static const char *const em[] = {"incomplete=em", "covariance=shared"};
    table *t = make_table(11, 4);
    cr_model *one = train_gda(source_of(t, 0, MOST), em, 2, 1);
    cr_model *four = train_gda(source_of(t, 0, MOST), em, 2, 4);

    (void)state;
    assert_same_model(one, four);
    cr_model_free(one);
    cr_model_free(four);
    free(t);
}

/* Five rows a class, four features, collinear and full of holes: repaired, finite, reported. */
static void too_few_rows_are_mended(void **state)
{
    static const char *const em[] = {"incomplete=em"};
    table *t = make_table(12, 3);
    char remark[300];
    int steps_told = 0;
    cr_model *model;

    (void)state;
    for (size_t r = 0; r < 12; r++)
        t->x[2][r] = 2 * t->x[0][r];
    model = train_gda(source_of(t, 0, 12), em, 1, 1);
    for (size_t c = 0; c < cr_model_classes(model); c++) {
        double mean[REALS], s[REALS * REALS];

        assert_int_equal(cr_model_normal(model, c, first_four, REALS, mean, s, NULL, NULL), CR_OK);
        for (size_t i = 0; i < REALS * REALS; i++)
            assert_true(isfinite(s[i]) && isfinite(mean[i % REALS]));
    }
    for (size_t i = 0; cr_model_remark(model, i, remark, sizeof remark) == CR_OK; i++)
        steps_told += strstr(remark, "EM over rows that lack numbers") != NULL;
    assert_int_equal(steps_told, 1);
    cr_model_free(model);
    free(t);
}

/* Few rows of many patterns: every size trains, and what comes out is finite. */
static void any_number_of_rows_trains(void **state)
{
    static const char *const forms[] = {"covariance=full", "covariance=shared"};

    (void)state;
    for (uint64_t seed = 0; seed < 6; seed++)
        for (size_t rows = 1; rows < 40; rows += 3) {
            const char *const params[] = {"incomplete=em", forms[seed % 2], "em-steps=200"};
            table *t = make_table(400 + seed, 2);
            cr_model *model = train_gda(source_of(t, 0, rows), params, 3, 1);

            for (size_t c = 0; c < cr_model_classes(model); c++) {
                double mean[1], s[1];

                assert_int_equal(cr_model_normal(model, c, first_four, 1, mean, s, NULL, NULL),
                                 CR_OK);
                assert_true(isfinite(mean[0]) && isfinite(s[0]));
            }
            cr_model_free(model);
            free(t);
        }
}

/* --- the getter ----------------------------------------------------------------------------- */

/* The sub-block of some columns, in any order; naive Bayes has no covariances. */
static void a_normal_of_some_columns_is_the_sub_block(void **state)
{
    const size_t two[] = {3, 1};
    table *t = make_table(13, 0);
    cr_source *source = source_of(t, 0, MOST);
    cr_model *gda = train_gda(source_of(t, 0, MOST), NULL, 0, 1), *nb;
    double m[REALS], s[REALS * REALS], m2[2], s2[4], freedom = 1;
    cr_gaussian g;

    (void)state;
    assert_int_equal(cr_model_train(&nb, source, "nb", NULL, 0, NULL, NULL, NULL), CR_OK);
    cr_source_close(source);
    assert_int_equal(cr_model_normal(gda, 1, first_four, REALS, m, s, NULL, NULL), CR_OK);
    assert_int_equal(cr_model_normal(gda, 1, two, 2, m2, s2, &freedom, NULL), CR_OK);
    assert_true(freedom == 0 && m2[0] == m[3] && m2[1] == m[1]);
    assert_true(s2[0] == s[15] && s2[1] == s[3 * REALS + 1] && s2[2] == s2[1] && s2[3] == s[5]);
    assert_int_equal(cr_model_gaussian(gda, 3, 1, &g), CR_OK);
    assert_true(fabs(s2[0] - g.variance_unbiased) < 1e-9);
    assert_int_equal(cr_model_normal(nb, 1, two, 2, m2, s2, NULL, NULL), CR_OK);
    assert_int_equal(cr_model_gaussian(nb, 3, 1, &g), CR_OK);
    assert_true(s2[0] == g.fitted_variance && s2[1] == 0);
    assert_int_equal(cr_model_normal(nb, 9, two, 2, m2, s2, NULL, NULL), CR_EARG);
    assert_int_equal(cr_model_normal(nb, 0, (size_t[]){4}, 1, m2, s2, NULL, NULL), CR_EARG);
    cr_model_free(gda);
    cr_model_free(nb);
    free(t);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(means_and_covariances_are_those_of_numpy),
        cmocka_unit_test(the_likelihood_never_decreases),
        cmocka_unit_test(a_class_that_lacks_nothing_has_the_closed_form),
        cmocka_unit_test(complete_rows_need_no_steps_and_keep_all_that_statistics_can),
        cmocka_unit_test(what_needs_the_rows_again_is_refused),
        cmocka_unit_test(other_knobs_turn_without_the_rows_and_from_a_file),
        cmocka_unit_test(any_number_of_threads_gives_the_same_bytes),
        cmocka_unit_test(too_few_rows_are_mended),
        cmocka_unit_test(any_number_of_rows_trains),
        cmocka_unit_test(a_normal_of_some_columns_is_the_sub_block),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
