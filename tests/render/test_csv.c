/* tests/render/test_csv.c - models and explanations as CSV. The fractions are counts, plus one
 * each: (2 + 1) / (3 + 2) of three rows of class a, two of them red, where there are two colours.
 */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include <string.h>

#include "credence/credence.h"

enum { ROWS = 5 };

static const char *const colour[ROWS] = {"red", "red", "light, blue", "light, blue", "red"};
static const char *const label[ROWS] = {"a", "a", "a", "b", "b"};
static const char *const text[ROWS] = {"one two", "one", "two two", "\"three\"", "three"};
static const double number[ROWS] = {1, 2, 3, 7, 9};

static cr_source *rows(int numbers)
{
    const cr_array a[] = {{.name = "class", .text = label, .role = CR_ROLE_TARGET},
                          {.name = "colour", .text = colour, .kind = CR_SYMBOL},
                          {.name = "size", .real = number},
                          {.name = "text", .text = text, .kind = CR_BAG}};
    const cr_array b[] = {{.name = "size", .real = number, .role = CR_ROLE_TARGET},
                          {.name = "colour", .text = colour, .kind = CR_SYMBOL}};
    cr_source *source;

    assert_int_equal(cr_source_open_arrays(&source, numbers ? b : a, numbers ? 2 : 4, ROWS, NULL),
                     CR_OK);
    return source;
}

static cr_model *train(const char *learner, const char *knob, int numbers)
{
    cr_source *source = rows(numbers);
    cr_model *model;

    assert_int_equal(cr_model_train(&model, source, learner, &knob, knob != NULL, NULL, NULL, NULL),
                     CR_OK);
    cr_source_close(source);
    return model;
}

static cr_output *memory(void)
{
    cr_output *out;

    assert_int_equal(cr_output_new(&out, NULL, NULL, NULL), CR_OK);
    return out;
}

/* Whether the bytes have a piece, and how many lines there are. */
static void assert_has(const cr_output *out, const char *piece)
{
    size_t size;
    const char *data = cr_output_data(out, &size);

    if (memmem(data, size, piece, strlen(piece)) == NULL)
        fail_msg("'%s' is not in '%.*s'", piece, (int)size, data);
}

static size_t lines_of(const cr_output *out)
{
    size_t size, lines = 0;
    const char *data = cr_output_data(out, &size);

    for (size_t i = 0; i < size; i++)
        lines += data[i] == '\n';
    return lines;
}

static cr_status refuse(void *context, const char *bytes, size_t size)
{
    (void)context, (void)bytes, (void)size;
    return CR_EIO;
}

static void values_densities_and_words(void **state)
{
    cr_model *model = train("nb", "smoothing=laplace", 0);
    cr_output *out = memory();
    cr_error err = {0};

    (void)state;
    assert_int_equal(cr_model_csv(model, NULL, out, &err), CR_OK);
    assert_has(out, "feature,bits,value,class,count,probability,mean,variance,documents\n");
    assert_has(out, ",red,a,2,0.6,,,\n");
    assert_has(out, ",\"light, blue\",b,1,0.5,,,\n");
    assert_has(out, ",,a,3,,2,");    /* the mean of 1, 2, 3 */
    assert_has(out, ",two,a,3,0.5"); /* (3 + 1) / (5 + 3): 5 words of 3 */
    assert_int_equal(lines_of(out), 1 + 4 + 2 + 6);
    cr_output_free(out);
    out = memory();
    assert_int_equal(cr_model_csv(model, "colour", out, &err), CR_OK);
    assert_int_equal(lines_of(out), 1 + 4);
    assert_int_equal(cr_model_csv(model, "color", out, &err), CR_EARG);
    assert_non_null(strstr(err.hint, "colour"));
    cr_output_free(out);
    assert_int_equal(cr_output_new(&out, refuse, NULL, NULL), CR_OK);
    assert_int_equal(cr_model_csv(model, NULL, out, &err), CR_EIO);
    cr_output_free(out);
    cr_model_free(model);
}

static void weights(void **state)
{
    cr_model *model = train("logistic", NULL, 0), *regression = train("linear", NULL, 1);
    cr_output *out = memory();
    cr_error err = {0};

    (void)state;
    assert_int_equal(cr_model_csv(model, NULL, out, &err), CR_OK);
    assert_has(out, "feature,value,class,weight,error\n(intercept),,a,");
    assert_has(out, "\ncolour,\"light, blue\",b,");
    assert_has(out, "\nsize,,b,");
    assert_has(out, "\ntext,three,a,");
    assert_int_equal(lines_of(out), 1 + 2 * (1 + 2 + 1 + 3));
    assert_int_equal(cr_model_csv(regression, NULL, out, &err), CR_EARG);
    cr_output_free(out);
    cr_model_free(model);
    cr_model_free(regression);
}

typedef struct writing {
    const cr_model *model;
    cr_output *out;
} writing;

static cr_status write_row(void *context, const cr_explanation *e)
{
    const writing *w = context;

    cr_explanation_csv(w->model, e, w->out);
    return CR_OK;
}

static cr_status write_number(void *context, const cr_regression_explanation *e)
{
    const writing *w = context;

    cr_regression_explanation_csv(w->model, e, w->out);
    return CR_OK;
}

/* Each row: the prior, a colour, a number and a text of two classes, and the words of the text. */
static void explanations(void **state)
{
    cr_model *model = train("nb", "smoothing=laplace", 0), *regression = train("linear", NULL, 1);
    writing w = {model, memory()};
    cr_source *source = rows(0);

    (void)state;
    cr_explanation_csv_header(model, w.out);
    assert_int_equal(cr_model_explain(model, source, NULL, write_row, &w, NULL), CR_OK);
    assert_has(w.out, "line,factor,value,class,log_p,count,total,top,bottom,mean,variance,freedom,"
                      "word,times\n1,prior,,a,");
    assert_has(w.out, "\n3,colour,\"light, blue\",a,");
    assert_has(w.out, ",1,3,2,5,,,,,\n"); /* (1 + 1) / (3 + 2) */
    assert_has(w.out, ",,,,,,,,two,2\n");
    assert_int_equal(lines_of(w.out), 1 + ROWS * 2 * 4 + 2 * 6);
    cr_source_close(source);
    cr_output_free(w.out);
    w = (writing){regression, memory()};
    source = rows(1);
    cr_explanation_csv_header(regression, w.out);
    assert_int_equal(cr_model_explain_regression(regression, source, NULL, write_number, &w, NULL),
                     CR_OK);
    assert_has(w.out, "line,prediction,base,column,value,weight,mean,share\n1,4");
    assert_has(w.out, ",4.4,colour,\"light, blue\","); /* the mean of the sizes */
    assert_int_equal(lines_of(w.out), 1 + ROWS);
    cr_source_close(source);
    cr_output_free(w.out);
    cr_model_free(model);
    cr_model_free(regression);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(values_densities_and_words),
        cmocka_unit_test(weights),
        cmocka_unit_test(explanations),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
