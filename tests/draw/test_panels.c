/* tests/draw/test_panels.c - single panels, for pages of one's own.
 *
 * cr_draw() makes the same panels by the names of their kinds; with the same title both pictures
 * are the same bytes. Numbers are worked by hand, as said beside them.
 */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "support/in_memory.h"

static const char flowers[] = "length,width,class\n"
                              "1,2,u\n2,1,v\n3,5,u\n4,3.5,v\n5,2,u\n6,7,v\n7,4.5,u\n8,1,v\n";
static const char houses[] = "size,age,price\n"
                             "1,2,3.5\n2,1,4.25\n3,5,9\n4,3,8.5\n5,2,9.25\n6,7,15\n7,4,13.5\n";
static const char weather[] = "sky,wind,play\n"
                              "sun,weak,yes\nsun,strong,no\nrain,weak,no\nrain,strong,no\n"
                              "sun,weak,yes\nrain,weak,yes\nsun,strong,yes\nrain,strong,no\n";
static const char letters[] = "text,class\n"
                              "buy cheap pills,spam\nmeet me at noon,good\n"
                              "cheap pills today,spam\nlunch at noon today,good\n";

/* --- the figure --------------------------------------------------------------------------------
 */

static cr_figure *new_figure(void)
{
    cr_figure *figure = NULL;

    assert_int_equal(cr_figure_new(&figure, NULL), CR_OK);
    return figure;
}

/* The picture as SVG; the caller frees it. The figure is freed. */
static char *drawn(cr_figure *figure)
{
    const char *bytes;
    size_t size;
    cr_error err = {0};
    char *copy;

    assert_ok(cr_figure_draw(figure, NULL, &bytes, &size, &err), err);
    copy = strdup(bytes);
    assert_non_null(copy);
    cr_figure_free(figure);
    return copy;
}

/* The panel is the picture of its kind. */
static void assert_kind(cr_figure *figure, const char *kind, const cr_model *model, const char *csv,
                        const cr_draw_options *more)
{
    cr_draw_options options = more != NULL ? *more : (cr_draw_options){0};
    cr_figure *whole = new_figure();
    cr_source *source = csv != NULL ? rows_of(csv) : NULL;
    cr_error err = {0};
    char *one, *other;

    options.title = "A title";
    assert_ok(cr_draw(whole, kind, model, source, &options, NULL, NULL, NULL, NULL, &err), err);
    one = drawn(figure);
    other = drawn(whole);
    assert_has(one, "A title");
    assert_string_equal(one, other);
    free(one);
    free(other);
    cr_source_close(source);
}

/* --- answers of a classifier -------------------------------------------------------------------
 */

static void answers_of_a_classifier(void **state)
{
    cr_model *model = model_of(flowers, "nb", NULL);
    cr_source *source = rows_of(flowers);
    cr_scored scored = {0};
    cr_error err = {0};
    cr_figure *f[4] = {new_figure(), new_figure(), new_figure(), new_figure()};
    size_t classes = 0;

    (void)state;
    assert_ok(cr_scored_read(&scored, model, source, 0, 0, NULL, &err), err);
    assert_ok(cr_draw_roc(f[0], "A title", model, scored.evaluation, SIZE_MAX, &classes, &err),
              err);
    assert_int_equal(classes, 2);
    assert_kind(f[0], "roc", model, flowers, NULL);
    assert_ok(
        cr_draw_precision_recall(f[1], "A title", model, scored.evaluation, SIZE_MAX, NULL, &err),
        err);
    assert_kind(f[1], "pr", model, flowers, NULL);
    assert_ok(cr_draw_reliability(f[2], "A title", model, scored.evaluation, SIZE_MAX, &err), err);
    assert_kind(f[2], "reliability", model, flowers, NULL);
    assert_ok(cr_draw_confusion(f[3], "A title", model, scored.evaluation, &err), err);
    assert_kind(f[3], "confusion", model, flowers, NULL);
    cr_scored_free(&scored);
    cr_source_close(source);
    cr_model_free(model);
}

/* --- answers of a regression -------------------------------------------------------------------
 */

typedef cr_status panel(cr_figure *figure, const char *title, const cr_scored *scored,
                        cr_error *err);

static void answers_of_a_regression(void **state)
{
    static const struct {
        panel *draw;
        const char *kind;
    } panels[] = {{cr_draw_predicted, "predicted"},
                  {cr_draw_residuals, "residuals"},
                  {cr_draw_errors, "errors"}};
    cr_model *model = model_of(houses, "linear", NULL);
    cr_source *source = rows_of(houses);
    cr_scored scored = {0};
    cr_error err = {0};
    double size[7] = {1, 2, 3, 4, 5, 6, 7};
    cr_figure *figure;
    char *svg;

    (void)state;
    assert_ok(cr_scored_read(&scored, model, source, 1, 0, NULL, &err), err);
    assert_int_equal(scored.rows, 7);
    assert_true(scored.answer[2].truth == 9);
    for (size_t i = 0; i < sizeof panels / sizeof *panels; i++) {
        figure = new_figure();
        assert_ok(panels[i].draw(figure, "A title", &scored, &err), err);
        assert_kind(figure, panels[i].kind, model, houses, NULL);
    }
    figure = new_figure();
    assert_ok(cr_draw_coverage(figure, "A title", &scored, &err), err);
    assert_ok(cr_draw_places(figure, "A title", &scored, &err), err);
    assert_kind(figure, "coverage", model, houses, NULL);
    figure = new_figure();
    assert_ok(cr_draw_residuals_along(figure, "Along", &scored, size, "square feet", &err), err);
    svg = drawn(figure);
    assert_has(svg, "square feet");
    free(svg);
    cr_scored_free(&scored);
    cr_source_close(source);
    cr_model_free(model);
}

/* Answers need not come from a model: a standard Gaussian whose truth is 0 or 1.96. P(x <= 0) is
 * 1/2, and P(x <= 1.96) is .975002 (tables). */
static void answers_of_another_program(void **state)
{
    const cr_regression at_mean = {.mean = 0, .scale = 1, .freedom = INFINITY, .truth = 0};
    const cr_regression far = {.mean = 10, .scale = 2, .freedom = INFINITY, .truth = 13.92};
    const cr_regression sure = {.mean = 10, .scale = 0, .freedom = INFINITY, .truth = 11};
    cr_scored scored = {0};
    cr_figure *figure = new_figure();
    char *svg;

    (void)state;
    assert_true(fabs(cr_regression_place(&at_mean) - 0.5) < 1e-15);
    assert_true(fabs(cr_regression_place(&far) - 0.975002) < 1e-6);
    assert_true(fabs(cr_regression_distance(&far) - 1.96) < 1e-12);
    assert_true(isinf(cr_regression_distance(&sure)));
    assert_int_equal(cr_scored_add(&scored, &at_mean, 1, 2), CR_OK);
    assert_int_equal(cr_scored_add(&scored, &far, 1, 3), CR_OK);
    assert_int_equal(scored.rows, 2);
    assert_true(scored.line[1] == 3 && scored.answer[1].truth == 13.92);
    assert_int_equal(cr_draw_predicted(figure, "Another", &scored, NULL), CR_OK);
    svg = drawn(figure);
    assert_has(svg, "Another");
    free(svg);
    cr_scored_free(&scored);
}

/* --- features ----------------------------------------------------------------------------------
 */

static void columns_by_class(void **state)
{
    cr_model *model = model_of(flowers, "gda", NULL);
    cr_source *source = rows_of(flowers);
    const size_t column[] = {1, 0};
    cr_values values = {0};
    cr_error err = {0};
    cr_figure *figure = new_figure();
    const cr_draw_options of_length = {.feature = "length"};
    int is = 0;

    (void)state;
    assert_ok(cr_values_read(&values, model, source, column, 2, NULL, &err), err);
    assert_int_equal(values.rows, 8);
    assert_true(values.value[2 * 2] == 5 && values.value[2 * 2 + 1] == 3); /* the row 3,5,u */
    assert_int_equal(values.class_index[2], 0);
    assert_int_equal(values.class_index[3], 1);
    assert_ok(cr_draw_feature(figure, "A title", model, 0, &values, 1, 0, &is, &err), err);
    assert_true(is);
    assert_kind(figure, "densities", model, flowers, &of_length);
    cr_values_free(&values);
    cr_source_close(source);
    cr_model_free(model);
}

/* u lies around 0 and around 10, v around 5. With one covariance, both have the mean 5 and cannot
 * be told apart; two Gaussians for u are enough. */
static void two_humps(void **state)
{
    char csv[8192] = "x,class\n";
    size_t used = strlen(csv);
    const size_t column = 0;
    cr_values values = {0};
    cr_humps humps;
    cr_error err = {0};
    cr_source *source;
    cr_model *model;
    int found = 0;

    (void)state;
    for (int i = 0; i < 200; i++) {
        const double off = (i * 37 % 100 - 50) / 50.0;

        used += (size_t)snprintf(csv + used, sizeof csv - used, "%g,u\n%g,v\n", (i % 2) * 10 + off,
                                 5 + off);
    }
    model = model_of(csv, "gda", "covariance=shared");
    source = rows_of(csv);
    assert_ok(cr_values_read(&values, model, source, &column, 1, NULL, &err), err);
    assert_ok(cr_values_humps(&values, 0, model, 0, &humps, &found, &err), err);
    assert_true(found);
    assert_int_equal(humps.class_index, 0);
    assert_true(fabs(humps.low) < 0.3 && fabs(humps.high - 10) < 0.3);
    assert_true(humps.right_with_two > humps.right_with_one + 0.05);
    cr_values_free(&values);
    cr_source_close(source);
    cr_model_free(model);
}

static void means_and_mistakes(void **state)
{
    cr_model *model = model_of(flowers, "gda", NULL);
    cr_figure *means = new_figure(), *mistake = new_figure();
    const cr_draw_options size = {.width = 2, .height = 1}, feature = {.feature = "length"};
    cr_mistake *m = NULL;
    cr_error err = {0};
    size_t classes = 0;

    (void)state;
    assert_ok(cr_draw_means(means, "A title", model, SIZE_MAX, 2, 1, &classes, &err), err);
    assert_int_equal(classes, 2);
    assert_kind(means, "means", model, NULL, &size);
    assert_ok(cr_model_mistake(&m, model, 0, NULL, &err), err);
    assert_ok(cr_draw_mistake(mistake, "A title", model, m, &err), err);
    assert_kind(mistake, "mistake", model, NULL, &feature);
    cr_mistake_free(m);
    cr_model_free(model);
}

static void words_for_a_class(void **state)
{
    cr_model *model = model_with(letters, "nb", NULL, "text=text");
    cr_figure *figure = new_figure();
    const cr_draw_options of = {.class_name = "spam", .top = 4};
    size_t spam;
    cr_error err = {0};

    (void)state;
    assert_ok(cr_model_find_class(&spam, model, "spam", &err), err);
    assert_ok(cr_draw_words(figure, "A title", model, 0, spam, 4, &err), err);
    assert_kind(figure, "words", model, NULL, &of);
    cr_model_free(model);
}

/* --- graphs ------------------------------------------------------------------------------------
 */

static void graphs(void **state)
{
    cr_model *network = model_of(weather, "network", NULL);
    cr_model *tree = model_of(weather, "tree", NULL);
    cr_figure *f[3] = {new_figure(), new_figure(), new_figure()};
    const cr_draw_options given = {.condition = "sky=rain"};
    cr_error err = {0};
    cr_status st = cr_draw_network(f[0], "A title", network, &err);

    (void)state;
    assert_ok(cr_draw_tree(f[2], "A title", tree, &err), err);
    assert_kind(f[2], "tree", tree, NULL, NULL);
    if (st == CR_OK) { /* there is Graphviz */
        assert_kind(f[0], "network", network, NULL, NULL);
        assert_ok(cr_draw_beliefs(f[1], "A title", network, "sky=rain", &err), err);
        assert_kind(f[1], "network", network, NULL, &given);
    } else {
        assert_int_equal(st, CR_EARG);
        cr_figure_free(f[0]);
        cr_figure_free(f[1]);
    }
    cr_model_free(network);
    cr_model_free(tree);
}

/* --- surfaces and curves -----------------------------------------------------------------------
 */

/* One model's surface is the picture "surface"; two stand side by side under their names. */
static void surfaces(void **state)
{
    cr_model *both[] = {model_of(flowers, "nb", NULL), model_of(flowers, "gda", NULL)};
    const char *const name[] = {"naive", "full"};
    const cr_draw_options options = {.title = "A title", .x = "length", .y = "width"};
    cr_figure *one = new_figure(), *two = new_figure();
    cr_error err = {0};
    char *svg;

    (void)state;
    assert_ok(cr_draw_surfaces(one, both, NULL, 1, NULL, &options, NULL, NULL, NULL, &err), err);
    assert_kind(one, "surface", both[0], NULL, &options);
    assert_ok(cr_draw_surfaces(two, both, name, 2, NULL, NULL, NULL, NULL, NULL, &err), err);
    svg = drawn(two);
    assert_has(svg, "naive");
    assert_has(svg, "full");
    free(svg);
    cr_model_free(both[0]);
    cr_model_free(both[1]);
}

static void learning_curves(void **state)
{
    cr_source *source = rows_of(flowers);
    const size_t sizes[] = {2, 4};
    const cr_curve_options options = {.sizes = sizes, .size_count = 2, .repeats = 2};
    const char *const name = "naive Bayes";
    cr_study *study = NULL;
    cr_learning_curve *curve = NULL;
    cr_figure *figure = new_figure();
    cr_error err = {0};
    char *svg;

    (void)state;
    assert_ok(cr_study_new(&study, source, &(cr_deal){.folds = 2}, NULL, &err), err);
    assert_ok(cr_study_curve(study, "nb", NULL, 0, &options, &curve, &err), err);
    assert_ok(
        cr_draw_curves(figure, "flowers", (const cr_learning_curve *const *)&curve, &name, 1, &err),
        err);
    svg = drawn(figure);
    assert_has(svg, "flowers");
    assert_has(svg, "accuracy");
    assert_has(svg, "log loss");
    free(svg);
    cr_learning_curve_free(curve);
    cr_study_free(study);
    cr_source_close(source);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(answers_of_a_classifier),
        cmocka_unit_test(answers_of_a_regression),
        cmocka_unit_test(answers_of_another_program),
        cmocka_unit_test(columns_by_class),
        cmocka_unit_test(two_humps),
        cmocka_unit_test(means_and_mistakes),
        cmocka_unit_test(words_for_a_class),
        cmocka_unit_test(graphs),
        cmocka_unit_test(surfaces),
        cmocka_unit_test(learning_curves),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
