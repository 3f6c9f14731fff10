/* tests/draw/test_draw.c - pictures of models: every kind, from the public interface alone.
 *
 * The areas in the numbers of a picture are those of the evaluation that it shows, which
 * tests/eval/test_metrics_reference.c compares with scikit-learn.
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

#include "base/memory.h"
#include "credence/credence.h"

static char path[4][600];

static const char *example(size_t i, const char *name)
{
    assert_non_null(getenv("CREDENCE_SOURCE"));
    snprintf(path[i], sizeof path[i], "%s/examples/data/%s", getenv("CREDENCE_SOURCE"), name);
    return path[i];
}

static cr_source *rows_of(const char *file, const char *types)
{
    const char *list[] = {types};
    const cr_source_options options = {.types = types != NULL ? list : NULL,
                                       .type_count = types != NULL};
    cr_source *source = NULL;
    cr_error err = {0};

    if (cr_source_open(&source, &file, 1, &options, &err) != CR_OK)
        fail_msg("%s", err.message);
    return source;
}

static cr_model *trained(const char *file, const char *learner, const char *types)
{
    cr_source *source = rows_of(file, types);
    cr_model *model = NULL;
    cr_error err = {0};

    if (cr_model_train(&model, source, learner, NULL, 0, NULL, NULL, &err) != CR_OK)
        fail_msg("%s", err.message);
    cr_source_close(source);
    return model;
}

/* Bytes, which no NUL ends, as a text to be freed. */
static char *text_of(const char *bytes, size_t size)
{
    char *text = malloc(size + 1);

    assert_non_null(text);
    memcpy(text, bytes, size);
    text[size] = '\0';
    return text;
}

/* The picture as SVG, and its numbers; both to be freed. */
static cr_status draw(const char *kind, const cr_model *model, const char *file, char **svg,
                      char **numbers, cr_error *err)
{
    cr_source *source = file != NULL ? rows_of(file, NULL) : NULL;
    cr_figure *figure = NULL;
    cr_output *out = NULL;
    cr_json j;
    const char *bytes;
    size_t size;
    cr_status st = cr_figure_new(&figure, err);

    *svg = *numbers = NULL;
    if (st == CR_OK)
        st = cr_output_new(&out, NULL, NULL, err);
    if (st == CR_OK) {
        cr_json_start(&j, out);
        cr_json_object(&j, NULL, CR_JSON_BLOCK);
        st = cr_draw(figure, kind, model, source, NULL, NULL, &j, NULL, NULL, err);
        cr_json_end(&j);
    }
    if (st == CR_OK && (st = cr_figure_draw(figure, NULL, &bytes, &size, err)) == CR_OK) {
        *svg = text_of(bytes, size);
        bytes = cr_output_data(out, &size);
        *numbers = text_of(bytes, size);
    }
    cr_output_free(out);
    cr_figure_free(figure);
    cr_source_close(source);
    return st;
}

static void check(const char *kind, const cr_model *model, const char *file, const char *key)
{
    char *svg, *numbers;
    cr_error err = {0};

    if (draw(kind, model, file, &svg, &numbers, &err) != CR_OK)
        fail_msg("%s: %s", kind, err.message);
    assert_non_null(strstr(svg, "<svg"));
    assert_non_null(strstr(svg, "</svg>"));
    assert_non_null(strstr(numbers, key));
    free(svg);
    free(numbers);
}

static void every_kind_is_drawn(void **unused)
{
    const char *iris = example(0, "iris.csv"), *houses = example(1, "houses.csv"),
               *messages = example(2, "messages.csv");
    cr_model *flowers = trained(iris, "nb", NULL), *prices = trained(houses, "linear", NULL),
             *texts = trained(messages, "nb", "text=text");

    (void)unused;
    check("roc", flowers, iris, "\"curves\"");
    check("pr", flowers, iris, "\"average_precision\"");
    check("reliability", flowers, iris, "\"calibration_error\"");
    check("confusion", flowers, iris, "\"confusion\"");
    check("predicted", prices, houses, "\"answers\"");
    check("residuals", prices, houses, "\"answers\"");
    check("errors", prices, houses, "\"answers\"");
    check("coverage", prices, houses, "\"levels\"");
    check("densities", flowers, iris, "\"histogram\"");
    check("densities", flowers, NULL, "\"density\"");
    check("surface", flowers, iris, "\"x\": \"petal_");
    check("surface", flowers, NULL, "\"gaussians\"");
    check("words", texts, NULL, "\"log_odds\"");
    cr_model_free(flowers);
    cr_model_free(prices);
    cr_model_free(texts);
    for (size_t i = 0; cr_draw_kind(i) != NULL; i++)
        assert_true(cr_draw_takes_rows(cr_draw_kind(i)) >= 0);
    assert_int_equal(cr_draw_takes_rows("nothing"), -1);
}

static void the_area_is_that_of_the_evaluation(void **unused)
{
    const char *iris = example(0, "iris.csv");
    cr_model *model = trained(iris, "nb", NULL);
    cr_source *source = rows_of(iris, NULL);
    cr_scored scored;
    cr_area area;
    char *svg, *numbers, *at;
    cr_error err = {0};

    (void)unused;
    assert_int_equal(cr_scored_read(&scored, model, source, 1, 0, NULL, &err), CR_OK);
    assert_int_equal(scored.rows, 150);
    assert_int_equal(cr_evaluation_area(scored.evaluation, 0, &area, &err), CR_OK);
    assert_int_equal(draw("roc", model, iris, &svg, &numbers, &err), CR_OK);
    assert_non_null(at = strstr(numbers, "\"area\": "));
    assert_true(strtod(at + 8, NULL) == area.roc);
    free(svg);
    free(numbers);
    cr_scored_free(&scored);
    cr_source_close(source);
    cr_model_free(model);
}

static void what_does_not_go_is_refused(void **unused)
{
    const char *iris = example(0, "iris.csv"), *houses = example(1, "houses.csv");
    cr_model *flowers = trained(iris, "nb", NULL), *prices = trained(houses, "linear", NULL);
    char *svg, *numbers;
    cr_error err = {0};

    (void)unused;
    assert_int_equal(draw("rock", flowers, iris, &svg, &numbers, &err), CR_EARG);
    assert_string_equal(err.hint, "did you mean roc?");
    assert_int_equal(draw("roc", flowers, NULL, &svg, &numbers, &err), CR_EARG);
    assert_int_equal(draw("roc", prices, houses, &svg, &numbers, &err), CR_EARG);
    assert_int_equal(draw("errors", flowers, iris, &svg, &numbers, &err), CR_EARG);
    assert_int_equal(draw("words", flowers, NULL, &svg, &numbers, &err), CR_EARG);
    assert_int_equal(draw("network", flowers, NULL, &svg, &numbers, &err), CR_EARG);
    cr_model_free(flowers);
    cr_model_free(prices);
}

/* Numbers, as a text to be freed, of a picture that is drawn of a table in memory. */
static char *table_numbers(cr_status (*draw_table)(cr_figure *, cr_source *,
                                                   const cr_draw_options *, cr_json *, cr_error *),
                           const char *table, const cr_draw_options *how, cr_status *st,
                           cr_error *err)
{
    cr_source *source = NULL;
    cr_figure *figure = NULL;
    cr_output *out = NULL;
    const char *bytes;
    size_t size;
    char *text;
    cr_json j;

    assert_int_equal(cr_source_open_memory(&source, table, strlen(table), "t.csv", NULL, err),
                     CR_OK);
    assert_int_equal(cr_figure_new(&figure, err), CR_OK);
    assert_int_equal(cr_output_new(&out, NULL, NULL, err), CR_OK);
    cr_json_start(&j, out);
    cr_json_object(&j, NULL, CR_JSON_LINE);
    *st = draw_table(figure, source, how, &j, err);
    cr_json_end(&j);
    bytes = cr_output_data(out, &size);
    text = text_of(bytes, size);
    cr_output_free(out);
    cr_figure_free(figure);
    cr_source_close(source);
    return text;
}

static void columns_of_a_table_are_lines(void **unused)
{
    const char *table = "step,a,b,kind\n1,10,5,x\n2,20,6,y\n3,,7,x\n";
    cr_error err = {0};
    cr_status st;
    char *text = table_numbers(cr_draw_lines, table, &(cr_draw_options){.y = "a,b"}, &st, &err);

    (void)unused;
    assert_int_equal(st, CR_OK);
    assert_non_null(strstr(text, "\"name\": \"a\", \"x\": [1, 2, 3], \"y\": [10, 20, null]"));
    assert_non_null(strstr(text, "\"name\": \"b\", \"x\": [1, 2, 3], \"y\": [5, 6, 7]"));
    free(text);
    text =
        table_numbers(cr_draw_lines, table, &(cr_draw_options){.y = "b", .by = "kind"}, &st, &err);
    assert_int_equal(st, CR_OK);
    assert_non_null(strstr(text, "\"name\": \"x\", \"x\": [1, 3], \"y\": [5, 7]"));
    free(text);
    free(table_numbers(cr_draw_lines, table, &(cr_draw_options){.y = "kind"}, &st, &err));
    assert_int_equal(st, CR_EFORMAT);
    free(table_numbers(cr_draw_lines, table, &(cr_draw_options){.x = "stop"}, &st, &err));
    assert_int_equal(st, CR_EARG);
    assert_string_equal(err.hint, "did you mean 'step'?");
    free(table_numbers(cr_draw_learning, table, NULL, &st, &err));
    assert_int_equal(st, CR_EARG);
    text = table_numbers(cr_draw_learning, "learner,size,accuracy\nnb,10,0.5\nnb,20,0.75\n", NULL,
                         &st, &err);
    assert_int_equal(st, CR_OK);
    assert_non_null(strstr(text, "\"accuracy\": [{\"name\": \"nb\", \"x\": [10, 20]"));
    free(text);
}

/* Beta(1, 1) is uniform, with the central 95 % from 0.025 to 0.975; a share of Dirichlet(1, 1, 2)
 * is Beta(1, 3), Beta(1, 3) and Beta(2, 2). */
static void what_is_known_of_shares_is_drawn(void **unused)
{
    cr_figure *figure = NULL;
    cr_output *out = NULL;
    cr_error err = {0};
    const char *bytes;
    size_t size;
    char *text, *at;
    cr_json j;

    (void)unused;
    assert_int_equal(cr_figure_new(&figure, &err), CR_OK);
    assert_int_equal(cr_output_new(&out, NULL, NULL, &err), CR_OK);
    cr_json_start(&j, out);
    cr_json_object(&j, NULL, CR_JSON_LINE);
    assert_int_equal(cr_draw_betas(figure, NULL, &(cr_beta_curve){"coin", 1, 1}, 1, &j, &err),
                     CR_OK);
    assert_int_equal(cr_draw_dirichlet(figure, NULL, (const char *const[]){"a", "b", "c"},
                                       (const double[]){1, 1, 2}, 3, &j, &err),
                     CR_OK);
    cr_json_end(&j);
    bytes = cr_output_data(out, &size);
    text = text_of(bytes, size);
    assert_non_null(strstr(text, "\"name\": \"coin: Beta(1, 1)\""));
    assert_non_null(at = strstr(text, "\"interval\": ["));
    assert_true(fabs(strtod(at + 13, NULL) - 0.025) < 1e-9);
    assert_non_null(at = strchr(at, ','));
    assert_true(fabs(strtod(at + 1, NULL) - 0.975) < 1e-9);
    assert_non_null(strstr(text, "\"name\": \"c: Beta(2, 2)\""));
    free(text);
    assert_int_equal(cr_draw_betas(figure, NULL, &(cr_beta_curve){NULL, 0, 1}, 1, NULL, &err),
                     CR_EARG);
    assert_int_equal(cr_draw_dirichlet(figure, NULL, (const char *const[]){"a"},
                                       (const double[]){1}, 1, NULL, &err),
                     CR_EARG);
    cr_output_free(out);
    cr_figure_free(figure);
}

/* Wherever memory runs out, the call fails and nothing leaks (the sanitizers look). */
static void memory_runs_out_anywhere(void **unused)
{
    static const char *const kinds[] = {"roc", "reliability", "confusion", "densities", "surface"};
    const char *iris = example(0, "iris.csv");
    cr_model *model = trained(iris, "nb", NULL);

    (void)unused;
    for (size_t k = 0; k < sizeof kinds / sizeof *kinds; k++)
        for (long n = 0; n < 100000; n = n < 200 ? n + 1 : n + n / 20) {
            cr_source *source = rows_of(iris, NULL);
            const cr_run run = {.threads = 1};
            cr_figure *figure = NULL;
            cr_error err = {0};
            cr_status st;

            assert_int_equal(cr_figure_new(&figure, &err), CR_OK);
            cr__memory_fail_after = n;
            st = cr_draw(figure, kinds[k], model, source, NULL, &run, NULL, NULL, NULL, &err);
            cr__memory_fail_after = -1;
            cr_figure_free(figure);
            cr_source_close(source);
            if (st == CR_OK)
                break;
            assert_true(err.message[0] != '\0');
        }
    cr_model_free(model);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(every_kind_is_drawn),
        cmocka_unit_test(the_area_is_that_of_the_evaluation),
        cmocka_unit_test(what_does_not_go_is_refused),
        cmocka_unit_test(columns_of_a_table_are_lines),
        cmocka_unit_test(what_is_known_of_shares_is_drawn),
        cmocka_unit_test(memory_runs_out_anywhere),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
