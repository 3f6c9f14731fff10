/* tests/plot/test_plot.c - figures from arrays: ticks, forms, gaps, hostile names, no memory. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include <math.h>
#include <string.h>

#include "base/memory.h"
#include "credence/plot.h"
#include "plot/contour.h"
#include "plot/letters.h"
#include "plot/scale.h"

static const double X[] = {1, 10, 100, 1000}, Y[] = {0.2, 0.5, NAN, 0.9};
static const double LOW[] = {0.1, 0.4, NAN, 0.8}, HIGH[] = {0.3, 0.6, NAN, 1.0};

static cr_figure *figure(void)
{
    cr_figure *f;

    assert_int_equal(cr_figure_new(&f, NULL), CR_OK);
    return f;
}

static const char *svg_of(cr_figure *f)
{
    const char *bytes;
    size_t size;

    assert_int_equal(cr_figure_draw(f, NULL, &bytes, &size, NULL), CR_OK);
    assert_int_equal(strlen(bytes), size);
    return bytes;
}

static size_t occurrences(const char *text, const char *of)
{
    size_t count = 0;

    for (const char *p = text; (p = strstr(p, of)) != NULL; p += strlen(of))
        count++;
    return count;
}

/* --- scales ----------------------------------------------------------------------------------- */

static void ticks_are_round_numbers(void **state)
{
    cr__scale s = {.low = 0.13, .high = 0.97};

    (void)state;
    cr__scale_ticks(&s, 5);
    assert_int_equal(s.ticks, 4); /* 0.2 0.4 0.6 0.8 */
    assert_string_equal(s.label[0], "0.2");
    assert_string_equal(s.label[3], "0.8");
    s = (cr__scale){.low = -3000, .high = 12000};
    cr__scale_ticks(&s, 4);
    assert_string_equal(s.label[0], "0");
    assert_string_equal(s.label[1], "5000");
    assert_string_equal(s.label[2], "10,000");
    s = (cr__scale){.low = 10, .high = 20000, .log = 1};
    cr__scale_ticks(&s, 6);
    assert_string_equal(s.label[0], "10");
    assert_string_equal(s.label[1], ""); /* 20: a minor tick */
    assert_string_equal(s.label[3], "100");
}

static void numbers_are_short_and_exact(void **state)
{
    char text[CR__TICK_ROOM];

    (void)state;
    assert_string_equal(cr__number_label(text, 0.05, 3), "0.05");
    assert_string_equal(cr__number_label(text, 1234567, 4), "1,234,567");
    assert_string_equal(cr__number_label(text, -0.499, 3), "\u22120.499");
    assert_string_equal(cr__number_label(text, 9.9996, 3), "10");
    assert_string_equal(cr__number_label(text, 3.2e-9, 3), "3.2e-9");
    assert_string_equal(cr__number_label(text, INFINITY, 3), "\u221e");
}

static void an_axis_without_extent_gets_some(void **state)
{
    cr__scale s = cr__scale_empty(0);

    (void)state;
    cr__scale_include(&s, NAN);
    cr__scale_include(&s, 4);
    cr__scale_pad(&s, 0.05);
    assert_true(s.low == 2 && s.high == 6);
    s = cr__scale_empty(1);
    cr__scale_include(&s, 0); /* has no logarithm */
    cr__scale_pad(&s, 0.05);
    assert_true(s.low > 0 && s.low < s.high);
}

static void text_is_cut_where_it_is_too_wide(void **state)
{
    char text[64];

    (void)state;
    assert_string_equal(cr__text_fit(text, sizeof text, "abc", 10, 100), "abc");
    assert_string_equal(cr__text_fit(text, sizeof text, "iiiiiiiiiiii", 10, 20), "iiii\u2026");
    assert_string_equal(cr__text_fit(text, sizeof text, "a\x01\xff", 10, 100), "a \ufffd");
}

/* x + y = 1 crosses the unit square from corner to corner. */
static void a_contour_lies_where_the_value_is(void **state)
{
    double value[21 * 21];
    const cr__grid grid = {value, 21, 21, 0, 1, 0, 1};
    cr__contour c;

    (void)state;
    for (size_t i = 0; i < 21 * 21; i++)
        value[i] = (double)(i % 21) / 20 + (double)(i / 21) / 20;
    assert_true(cr__contour_at(&c, &grid, 0.97));
    assert_true(c.count >= 38 && c.count % 2 == 0);
    for (size_t i = 0; i < c.count; i++)
        assert_true(fabs(c.point[i].x + c.point[i].y - 0.97) < 1e-12);
    cr__contour_free(&c);
}

/* --- figures ---------------------------------------------------------------------------------- */

static void the_same_numbers_give_the_same_bytes(void **state)
{
    const cr_series s = {
        .name = "nb", .x = X, .y = Y, .low = LOW, .high = HIGH, .count = 4, .marks = 1};
    cr_figure *a = figure(), *b = figure();

    (void)state;
    assert_int_equal(cr_figure_add_learning(a, "curve", "accuracy", &s, 1, NULL), CR_OK);
    assert_int_equal(cr_figure_add_learning(b, "curve", "accuracy", &s, 1, NULL), CR_OK);
    assert_string_equal(svg_of(a), svg_of(b));
    cr_figure_free(a);
    cr_figure_free(b);
}

static void a_number_that_is_none_is_a_gap(void **state)
{
    const cr_series s = {
        .name = "nb", .x = X, .y = Y, .low = LOW, .high = HIGH, .count = 4, .marks = 1};
    cr_figure *f = figure();
    const char *svg;

    (void)state;
    assert_int_equal(cr_figure_add_learning(f, NULL, "accuracy", &s, 1, NULL), CR_OK);
    svg = svg_of(f);
    assert_null(strstr(svg, "nan"));
    assert_null(strstr(svg, "inf"));
    assert_int_equal(occurrences(svg, "<ellipse"), 4); /* three points and the legend */
    cr_figure_free(f);
}

static void names_cannot_become_markup(void **state)
{
    const char *const name[] = {"<b>&\"", "x\x01\xff"};
    const double weight[] = {1, 2, 3, 4};
    cr_figure *f = figure();
    const char *svg;

    (void)state;
    assert_int_equal(cr_figure_add_confusion(f, "]]><script>", name, 2, 2, weight, NULL), CR_OK);
    svg = svg_of(f);
    assert_null(strstr(svg, "<script>"));
    assert_null(strstr(svg, "<b>"));
    assert_non_null(strstr(svg, "&lt;b&gt;&amp;&quot;"));
    assert_null(strchr(svg, 1));
    cr_figure_free(f);
}

static void panels_stand_side_by_side(void **state)
{
    const cr_series s = {.name = "nb", .x = X, .y = Y, .count = 4, .steps = 1};
    const cr_axes axes = {"steps", {.label = "x", .log = 1}, {.label = "y"}};
    cr_figure *f = figure();

    (void)state;
    assert_int_equal(cr_figure_layout(f, 200, 150, 0, NULL), CR_OK);
    for (int i = 0; i < 4; i++)
        assert_int_equal(cr_figure_add_lines(f, &axes, &s, 1, NULL), CR_OK);
    assert_non_null(strstr(svg_of(f), "width=\"412\" height=\"312\"")); /* 2 by 2 and a gap of 12 */
    assert_int_equal(cr_figure_layout(f, 50, 150, 0, NULL), CR_EARG);
    cr_figure_free(f);
}

static void wrong_arguments_are_refused(void **state)
{
    const double p[3] = {1, 0, 2};
    const char *const name[3] = {"a", "b", "c"};
    const cr_axes axes = {0};
    const cr_surface none = {.columns = 1, .rows = 5, .classes = 2};
    cr_figure *f = figure();
    const char *bytes;
    size_t size;
    cr_error err = {0};

    (void)state;
    assert_int_equal(cr_figure_draw(f, NULL, &bytes, &size, &err), CR_EARG);
    assert_int_equal(cr_figure_add_dirichlet(f, NULL, name, p, &err), CR_EARG);
    assert_int_equal(cr_figure_add_surface(f, &axes, &none, &err), CR_EARG);
    assert_int_equal(cr_figure_add_confusion(f, NULL, name, 3, 5, p, &err), CR_EARG);
    assert_int_equal(cr_figure_save(f, "picture.jpeg", NULL, &err), CR_EARG);
    assert_non_null(strstr(err.hint, ".svg"));
    cr_figure_free(f);
}

/* Two classes with p(a) = 1 left of the middle: the boundary is the line x = 0.5. */
static void a_surface_has_its_boundary(void **state)
{
    const char *const name[] = {"a", "b"};
    const double px[] = {0.2, 0.8}, py[] = {0.5, 0.5};
    const int32_t class_index[] = {0, 1};
    const cr_ellipse ellipse = {0, 0.3, 0.5, 0.01, 0.002, 0.02};
    const cr_axes axes = {"surface", {"x", 0, 1, 0}, {"y", 0, 1, 0}};
    double posterior[11 * 11 * 2];
    const cr_surface s = {.columns = 11,
                          .rows = 11,
                          .classes = 2,
                          .posterior = posterior,
                          .name = name,
                          .x = px,
                          .y = py,
                          .class_index = class_index,
                          .points = 2,
                          .ellipse = &ellipse,
                          .ellipses = 1};
    cr_figure *f = figure();

    (void)state;
    for (size_t i = 0; i < 11 * 11; i++) {
        const double p = 1 / (1 + exp(20 * ((double)(i % 11) / 10 - 0.45)));

        posterior[2 * i] = p;
        posterior[2 * i + 1] = 1 - p;
    }
    assert_int_equal(cr_figure_add_surface(f, &axes, &s, NULL), CR_OK);
    assert_non_null(strstr(svg_of(f), "stroke=\"#000000\" stroke-width=\"1.3\""));
    cr_figure_free(f);
}

static void the_terminal_gets_lines_of_its_width(void **state)
{
    const cr_series s = {
        .name = "nb", .x = X, .y = Y, .low = LOW, .high = HIGH, .count = 4, .marks = 1};
    const cr_picture how = {.form = CR_PICTURE_TERMINAL, .columns = 50};
    const cr_picture coloured = {.form = CR_PICTURE_TERMINAL, .columns = 50, .colours = 256};
    cr_figure *f = figure();
    const char *bytes;
    size_t size;

    (void)state;
    assert_int_equal(cr_figure_add_learning(f, "curve", "accuracy", &s, 1, NULL), CR_OK);
    assert_int_equal(cr_figure_draw(f, &how, &bytes, &size, NULL), CR_OK);
    assert_non_null(strstr(bytes, "curve"));
    assert_non_null(strstr(bytes, "training rows"));
    assert_null(strchr(bytes, 27));
    assert_int_equal(occurrences(bytes, "\n"), 19); /* 330 / (420 / 50 * 2.1), rounded up */
    assert_int_equal(cr_figure_draw(f, &coloured, &bytes, &size, NULL), CR_OK);
    assert_non_null(strchr(bytes, 27));
    cr_figure_free(f);
}

#ifdef CREDENCE_HAVE_CAIRO
static void png_has_the_size_asked_for(void **state)
{
    const cr_series s = {.name = "nb", .x = X, .y = Y, .count = 4};
    const cr_picture how = {.form = CR_PICTURE_PNG, .scale = 1};
    cr_figure *f = figure();
    const char *bytes;
    size_t size;

    (void)state;
    assert_int_equal(cr_figure_add_roc(f, "roc", &s, 1, NULL), CR_OK);
    assert_int_equal(cr_figure_draw(f, &how, &bytes, &size, NULL), CR_OK);
    assert_memory_equal(bytes, "\x89PNG\r\n\x1a\n", 8);
    assert_memory_equal(bytes + 16, "\0\0\1\xa4\0\0\1\x4a", 8); /* 420 by 330 */
    cr_figure_free(f);
}
#endif

#ifdef CREDENCE_HAVE_LIBGVC
/* Names may repeat, arcs may not lead nowhere. */
static void a_network_is_laid_out_in_layers(void **state)
{
    const char *const name[] = {"first", "second", "second"};
    const cr_arc arcs[] = {{0, 1, 1, "0.9"}, {1, 2, 0, NULL}}, wrong = {0, 3, 0, NULL};
    const cr_network_picture n = {name, 3, arcs, 2, 0, NULL};
    const cr_network_picture bad = {name, 3, &wrong, 1, SIZE_MAX, NULL};
    cr_figure *f = figure();
    const char *svg;

    (void)state;
    assert_int_equal(cr_figure_add_network(f, "chain", &bad, NULL), CR_EARG);
    assert_int_equal(cr_figure_add_network(f, "chain", &n, NULL), CR_OK);
    svg = svg_of(f);
    assert_int_equal(occurrences(svg, ">second<"), 2);
    assert_int_equal(occurrences(svg, "<rect"), 4); /* and the ground */
    assert_non_null(strstr(svg, ">0.9<"));
    cr_figure_free(f);
}
#endif

/* --- no memory -------------------------------------------------------------------------------- */

/* Fail the n-th allocation, for each n until there are enough. */
static void without_memory_there_is_an_error(void **state)
{
    const cr_series s = {
        .name = "nb", .x = X, .y = Y, .low = LOW, .high = HIGH, .count = 4, .marks = 1};
    const cr_picture forms[] = {{.form = CR_PICTURE_SVG}, {.form = CR_PICTURE_TERMINAL}};
    int failures = 0;

    (void)state;
    for (long n = 0; n < 2000; n++) {
        cr_figure *f = NULL;
        const char *bytes;
        size_t size;
        cr_status st;

        cr__memory_fail_after = n;
        st = cr_figure_new(&f, NULL);
        if (st == CR_OK)
            st = cr_figure_add_learning(f, "curve", "accuracy", &s, 1, NULL);
        for (int i = 0; st == CR_OK && i < 2; i++)
            st = cr_figure_draw(f, &forms[i], &bytes, &size, NULL);
        cr__memory_fail_after = -1;
        cr_figure_free(f);
        if (st == CR_OK)
            break;
        assert_int_equal(st, CR_ENOMEM);
        failures++;
    }
    assert_true(failures > 5 && failures < 2000);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(ticks_are_round_numbers),
        cmocka_unit_test(numbers_are_short_and_exact),
        cmocka_unit_test(an_axis_without_extent_gets_some),
        cmocka_unit_test(text_is_cut_where_it_is_too_wide),
        cmocka_unit_test(a_contour_lies_where_the_value_is),
        cmocka_unit_test(the_same_numbers_give_the_same_bytes),
        cmocka_unit_test(a_number_that_is_none_is_a_gap),
        cmocka_unit_test(names_cannot_become_markup),
        cmocka_unit_test(panels_stand_side_by_side),
        cmocka_unit_test(wrong_arguments_are_refused),
        cmocka_unit_test(a_surface_has_its_boundary),
        cmocka_unit_test(the_terminal_gets_lines_of_its_width),
#ifdef CREDENCE_HAVE_CAIRO
        cmocka_unit_test(png_has_the_size_asked_for),
#endif
#ifdef CREDENCE_HAVE_LIBGVC
        cmocka_unit_test(a_network_is_laid_out_in_layers),
#endif
        cmocka_unit_test(without_memory_there_is_an_error),
    };

    return cmocka_run_group_tests_name("plot", tests, NULL, NULL);
}
