/* tests/plot/test_layers.c - panels of numbers that come from anywhere, drawn into memory.
 *
 * What is expected is that everything that was given is in the picture: names, and one mark for
 * each number. Bars are counted: a panel with one more bar has one more rectangle.
 */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include <math.h>
#include <string.h>

#include "support/in_memory.h"

/* One panel at a time: the picture is borrowed until the next one. */
static cr_figure *figure;

static void begin(void)
{
    cr_figure_free(figure);
    assert_int_equal(cr_figure_new(&figure, NULL), CR_OK);
}

static const char *svg(void)
{
    const char *bytes;
    size_t size;
    cr_error err = {0};

    assert_ok(cr_figure_draw(figure, NULL, &bytes, &size, &err), err);
    assert_int_equal(strlen(bytes), size);
    return bytes;
}

static size_t times(const char *text, const char *part)
{
    size_t n = 0;

    for (; (text = strstr(text, part)) != NULL; text++)
        n++;
    return n;
}

static int finish(void **state)
{
    (void)state;
    cr_figure_free(figure);
    figure = NULL;
    return 0;
}

static void forms_by_name(void **state)
{
    (void)state;
    assert_int_equal(cr_picture_form_of("a/b.svg"), CR_PICTURE_SVG);
    assert_int_equal(cr_picture_form_of("b.png"), CR_PICTURE_PNG);
    assert_int_equal(cr_picture_form_of("b.pdf"), CR_PICTURE_PDF);
    assert_int_equal(cr_picture_form_of("b.gif"), CR_PICTURE_AUTO);
    assert_int_equal(cr_picture_form_of("svg"), CR_PICTURE_AUTO);
}

static void bars_in_groups(void **state)
{
    const char *const name[] = {"sun", "rain", "snow"}, *const set[] = {"before", "after"};
    const double value[] = {0.5, 0.3, 0.2, 0.4, 0.4, 0.2}, less[] = {0.5, 0.3, 0.4, 0.4};
    const cr_axes axes = {.title = "Weather"};
    size_t all;

    (void)state;
    begin();
    assert_int_equal(cr_figure_add_bars(figure, &axes, name, 3, set, 2, value, NULL), CR_OK);
    all = times(svg(), "<rect");
    assert_has(svg(), "snow");
    assert_has(svg(), "after");
    begin();
    assert_int_equal(cr_figure_add_bars(figure, &axes, name, 2, set, 2, less, NULL), CR_OK);
    assert_int_equal(all - times(svg(), "<rect"), 2); /* a third name has a bar in either set */
    assert_null(strstr(svg(), "snow"));
}

static void weights_on_both_sides(void **state)
{
    const char *const name[] = {"pills", "noon", "cash"};
    const double weight[] = {2.5, -1.5, INFINITY};
    const cr_axes axes = {.title = "Words"};

    (void)state;
    begin();
    assert_int_equal(cr_figure_add_weights(figure, &axes, "good", "spam", name, weight, 3, NULL),
                     CR_OK);
    assert_has(svg(), "pills");
    assert_has(svg(), "noon");
    assert_has(svg(), "cash");
    assert_has(svg(), "good");
    assert_has(svg(), "spam");
}

static void densities_over_histograms(void **state)
{
    const double edge[] = {0, 1, 2}, height[] = {0.25, 0.75}, x[] = {0, 1, 2},
                 y[] = {0.1, 0.6, 0.3};
    const cr_density d[] = {{"u", edge, height, 2, x, y, 3}, {"v", NULL, NULL, 0, x, y, 3}};
    const cr_axes axes = {.title = "Length", .x.label = "cm"};

    (void)state;
    begin();
    assert_int_equal(cr_figure_add_densities(figure, &axes, d, 2, NULL), CR_OK);
    assert_has(svg(), "Length");
    assert_has(svg(), "cm");
    assert_has(svg(), ">u<");
    assert_has(svg(), ">v<");
}

static void curves_of_a_classifier(void **state)
{
    const double recall[] = {0, 0.5, 1}, precision[] = {1, 1, 0.5};
    const cr_series curve = {.name = "spam, AP 0.9", .x = recall, .y = precision, .count = 3};
    const double confidence[] = {0.55, 0.95}, share[] = {0.5, 0.9}, count[] = {10, 30};
    const cr_reliability r = {
        .bins = 2, .confidence = confidence, .share = share, .count = count, .error = 0.0475};

    (void)state;
    begin();
    assert_int_equal(cr_figure_add_precision_recall(figure, "PR", 0.25, &curve, 1, NULL), CR_OK);
    assert_has(svg(), "spam, AP 0.9");
    assert_has(svg(), "recall");
    assert_has(svg(), "precision");
    begin();
    assert_int_equal(cr_figure_add_reliability(figure, "Honest?", &r, NULL), CR_OK);
    assert_has(svg(), "Honest?");
    assert_has(svg(), ".0475"); /* the error, printed below */
}

static void named_intervals(void **state)
{
    const double x[] = {0, 1, 2}, y[] = {0, 1, 0};
    const cr_series curve = {.name = "p(x, C1)", .x = x, .y = y, .count = 3};
    const cr_strip strip[] = {{-INFINITY, 1, "R1", 0}, {1, INFINITY, "R2", SIZE_MAX}};
    const cr_axes axes = {.title = "Regions"};

    (void)state;
    begin();
    assert_int_equal(cr_figure_add_strips(figure, &axes, &curve, 1, strip, 2, NULL), CR_OK);
    assert_has(svg(), "p(x, C1)");
    assert_has(svg(), ">R1<");
    assert_has(svg(), ">R2<");
}

static void an_image(void **state)
{
    const double value[] = {0, 1, NAN, 0.5};
    const cr_image image = {.columns = 2, .rows = 2, .value = value, .low = 0, .high = 1};
    const cr_image none = {.columns = 0, .rows = 2, .value = value};

    (void)state;
    begin();
    assert_int_equal(cr_figure_add_image(figure, "Digit", &image, NULL), CR_OK);
    assert_has(svg(), "Digit");
    assert_int_equal(cr_figure_add_image(figure, "Nothing", &none, NULL), CR_EARG);
    assert_null(strstr(svg(), "Nothing"));
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(forms_by_name),
        cmocka_unit_test(bars_in_groups),
        cmocka_unit_test(weights_on_both_sides),
        cmocka_unit_test(densities_over_histograms),
        cmocka_unit_test(curves_of_a_classifier),
        cmocka_unit_test(named_intervals),
        cmocka_unit_test(an_image),
    };

    return cmocka_run_group_tests(tests, NULL, finish);
}
