/* tests/render/test_predictions.c - predictions as CSV and JSON, rows in memory.
 *
 * Two rows of each class, one symbol: with Laplace's 1, P(x | a) = (2 + 1) / (2 + 2) = 3/4, so that
 * a row x has P(a) = 3/4.
 */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include <stdlib.h>
#include <string.h>

#include "base/memory.h"
#include "credence/credence.h"

static const char rows[] = "v,kind\nx,a\nx,a\ny,\"b,c\"\ny,\"b,c\"\n";
static const char prices[] = "size,price\n1,10\n2,20\n3,31\n4,39\n";

typedef struct job {
    cr_prediction_writer *writer;
    cr_output *out;
} job;

static cr_status render(void *context, const cr_predictions *p, cr_output *out)
{
    cr_prediction_writer_rows(((job *)context)->writer, p, out);
    return CR_OK;
}

static cr_status visit(void *context, const cr_predictions *p)
{
    job *j = context;
    size_t size;

    cr_output_data(j->out, &size);
    if (size == 0)
        cr_prediction_writer_header(j->writer, p, j->out);
    return CR_OK;
}

static cr_status write_bytes(void *context, const char *bytes, size_t size)
{
    cr_output_bytes(((job *)context)->out, bytes, size);
    return CR_OK;
}

static cr_source *open_rows(const char *text)
{
    cr_source *source = NULL;

    assert_int_equal(cr_source_open_memory(&source, text, strlen(text), "t.csv", NULL, NULL),
                     CR_OK);
    return source;
}

static cr_model *trained(const char *text, const char *learner, const char *param)
{
    cr_source *source = open_rows(text);
    cr_model *model = NULL;
    cr_error err = {0};

    if (cr_model_train(&model, source, learner, &param, param != NULL, NULL, NULL, &err) != CR_OK)
        fail_msg("%s", err.message);
    cr_source_close(source);
    return model;
}

/* What is written of a table, to be freed. */
static char *predicted(const cr_model *model, const char *text, const cr_prediction_format *how)
{
    const cr_predict_options options = {.interval = how->level};
    cr_source *source = open_rows(text);
    job j = {0};
    const cr_sink sink = {render, visit, write_bytes, &j};
    cr_error err = {0};
    const char *bytes;
    size_t size;
    char *copy;

    assert_int_equal(cr_output_new(&j.out, NULL, NULL, NULL), CR_OK);
    assert_int_equal(cr_prediction_writer_new(&j.writer, model, how, &err), CR_OK);
    if (cr_model_predict(model, source, &options, &sink, NULL, NULL, &err) != CR_OK)
        fail_msg("%s", err.message);
    bytes = cr_output_data(j.out, &size);
    copy = malloc(size + 1);
    assert_non_null(copy);
    memcpy(copy, bytes, size);
    copy[size] = '\0';
    cr_prediction_writer_free(j.writer);
    cr_output_free(j.out);
    cr_source_close(source);
    return copy;
}

static void check(const cr_model *model, const char *text, cr_prediction_format how,
                  const char *expected)
{
    char *found = predicted(model, text, &how);

    assert_string_equal(found, expected);
    free(found);
}

static void classes_are_fields_or_members(void **unused)
{
    cr_model *model = trained(rows, "nb", "smoothing=laplace");

    (void)unused;
    check(model, "v\nx\ny\n", (cr_prediction_format){0}, "prediction\na\n\"b,c\"\n");
    check(model, "v\nx\n", (cr_prediction_format){.posterior = 1, .digits = 3},
          "prediction,p(a),\"p(b,c)\"\na,0.75,0.25\n");
    check(model, "id,v\n7,x\n", (cr_prediction_format){.fields = 1, .only = "id"},
          "id,prediction\n7,a\n");
    check(model, "id,v\n7,x\n", (cr_prediction_format){.json = 1, .fields = 1, .digits = 3},
          "{\"input\": {\"id\": 7, \"v\": \"x\"}, \"prediction\": \"a\", "
          "\"posterior\": {\"a\": 0.75, \"b,c\": 0.25}}\n");
    check(model, "id,v\n\"a \"\"b\"\"\ncé\",x\n",
          (cr_prediction_format){.json = 1, .fields = 1, .only = "id", .digits = 3},
          "{\"input\": {\"id\": \"a \\\"b\\\"\\ncé\"}, \"prediction\": \"a\", "
          "\"posterior\": {\"a\": 0.75, \"b,c\": 0.25}}\n");
    cr_model_free(model);
}

static void numbers_have_a_deviation_and_an_interval(void **unused)
{
    cr_model *model = trained(prices, "linear", NULL);
    char *text = predicted(model, "size\n5\n", &(cr_prediction_format){.level = 0.9, .digits = 2});

    (void)unused;
    /* The least squares line of 10, 20, 31, 39 at 1, 2, 3, 4 is 0.5 + 9.8 x: 49.5 at 5. */
    assert_true(strncmp(text, "prediction,low,high\n49.5,", 25) == 0);
    free(text);
    text = predicted(model, "size\n5\n", &(cr_prediction_format){.json = 1, .digits = 2});
    assert_true(strncmp(text, "{\"prediction\": 49.5, \"sd\": ", 27) == 0);
    free(text);
    cr_model_free(model);
}

static void too_many_decimals_and_too_little_memory_are_refused(void **unused)
{
    cr_model *model = trained(rows, "nb", NULL);
    cr_prediction_writer *w = NULL;

    (void)unused;
    assert_int_equal(
        cr_prediction_writer_new(&w, model, &(cr_prediction_format){.digits = 17}, NULL), CR_EARG);
    for (long n = 0; n < 12; n++) {
        cr_status st;

        cr__memory_fail_after = n;
        st = cr_prediction_writer_new(&w, model, &(cr_prediction_format){.only = "v"}, NULL);
        cr__memory_fail_after = -1;
        assert_true(st == CR_OK || (st == CR_ENOMEM && w == NULL));
        cr_prediction_writer_free(w);
    }
    cr_model_free(model);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(classes_are_fields_or_members),
        cmocka_unit_test(numbers_have_a_deviation_and_an_interval),
        cmocka_unit_test(too_many_decimals_and_too_little_memory_are_refused),
    };

    return cmocka_run_group_tests_name("predictions", tests, NULL, NULL);
}
