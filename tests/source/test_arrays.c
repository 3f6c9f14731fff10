/* tests/source/test_arrays.c - tables in memory. */
#include "source/reading.h"

#include "credence/model.h"

#define NUMBERS(title, array, part)                                                                \
    {                                                                                              \
        .name = (title), .real = (array), .role = (part)                                           \
    }
#define TEXTS(title, array, part)                                                                  \
    {                                                                                              \
        .name = (title), .text = (array), .role = (part)                                           \
    }

static reading read_arrays(const cr_array *arrays, size_t columns, size_t rows, cr__target_use use)
{
    reading r = {.use = use};
    cr_source *source = NULL;

    r.status = cr_source_open_arrays(&source, arrays, columns, rows, &r.err);
    if (r.status == CR_OK)
        reading_run(&r, source);
    cr_source_close(source);
    return r;
}

static void numbers_and_texts_become_reals_and_symbols(void **state)
{
    const double width[] = {1.5, NAN, 0};
    const char *const colour[] = {"red", NULL, "NA"};
    const char *const class[] = {"u", "v", "u"};
    const cr_array arrays[] = {NUMBERS("width", width, CR_ROLE_FEATURE),
                               TEXTS("colour", colour, CR_ROLE_FEATURE),
                               TEXTS("class", class, CR_ROLE_TARGET)};
    reading r = read_arrays(arrays, 3, 3, CR__TARGET_CLASS);

    (void)state;
    assert_string_equal(r.text.data, "width=real/numbers colour=symbol/words class=symbol/target\n"
                                     "1: 1.5|\"red\"|\"u\"\n2: ~|~|\"v\"\n3: 0|\"NA\"|\"u\"\n");
    cr__buffer_free(&r.text);
}

/* The rule of files: an empty text is missing, blanks are one. NA is a value: NULL says missing. */
static void an_empty_text_is_missing(void **state)
{
    const char *const colour[] = {"", "red", "  ", "NA"};
    const char *const class[] = {"u", "v", "u", "v"};
    const cr_array arrays[] = {TEXTS("colour", colour, CR_ROLE_FEATURE),
                               TEXTS("class", class, CR_ROLE_TARGET)};
    reading r = read_arrays(arrays, 2, 4, CR__TARGET_CLASS);

    (void)state;
    assert_string_equal(r.text.data, "colour=symbol/words class=symbol/target\n"
                                     "1: ~|\"u\"\n2: \"red\"|\"v\"\n3: ~|\"u\"\n"
                                     "4: \"NA\"|\"v\"\n");
    cr__buffer_free(&r.text);
}

static void numbers_may_be_classes_and_weights(void **state)
{
    const double x[] = {1, 2}, class[] = {0, 1.5}, w[] = {2, 0.5};
    const cr_array arrays[] = {NUMBERS("x", x, CR_ROLE_FEATURE),
                               NUMBERS("class", class, CR_ROLE_TARGET),
                               NUMBERS("w", w, CR_ROLE_WEIGHT)};
    reading r = read_arrays(arrays, 3, 2, CR__TARGET_CLASS);

    (void)state;
    assert_string_equal(r.text.data, "x=real/numbers class=symbol/target w=real/given\n"
                                     "1: 1|\"0\"|2 *2\n2: 2|\"1.5\"|0.5 *0.5\n");
    cr__buffer_free(&r.text);
}

static void many_rows_keep_their_order(void **state)
{
    const size_t rows = 50000;
    double *x = malloc(rows * sizeof *x);
    const cr_array arrays[] = {NUMBERS("x", x, CR_ROLE_FEATURE), NUMBERS("t", x, CR_ROLE_TARGET)};
    const char *line;
    reading r;

    (void)state;
    for (size_t i = 0; i < rows; i++)
        x[i] = (double)i;
    r = read_arrays(arrays, 2, rows, CR__TARGET_REAL);
    assert_int_equal(r.status, CR_OK);
    line = strchr(r.text.data, '\n') + 1;
    for (size_t i = 0; i < rows; i++) {
        char expected[64];

        snprintf(expected, sizeof expected, "%zu: %zu|%zu\n", i + 1, i, i);
        assert_memory_equal(line, expected, strlen(expected));
        line += strlen(expected);
    }
    cr__buffer_free(&r.text);
    free(x);
}

static void faults_are_told_by_row_and_column(void **state)
{
    const double x[] = {1, INFINITY};
    const char *const y[] = {"u", "v"};
    const cr_array infinite[] = {NUMBERS("x", x, CR_ROLE_FEATURE), TEXTS("y", y, CR_ROLE_TARGET)};
    const cr_array neither[] = {{.name = "x", .role = CR_ROLE_FEATURE}};
    const cr_array twice[] = {NUMBERS("x", x, CR_ROLE_TARGET), NUMBERS("z", x, CR_ROLE_TARGET)};
    const cr_array same[] = {NUMBERS("x", x, CR_ROLE_FEATURE), NUMBERS("x", x, CR_ROLE_TARGET)};
    const cr_array no_target[] = {NUMBERS("x", x, CR_ROLE_FEATURE)};
    reading r = read_arrays(infinite, 2, 2, CR__TARGET_CLASS);

    (void)state;
    assert_int_equal(r.status, CR_EFORMAT);
    assert_int_equal(r.err.line, 2);
    assert_int_equal(r.err.column, 1);
    assert_non_null(strstr(r.err.message, "not a finite number"));
    cr__buffer_free(&r.text);
    assert_int_equal(read_arrays(neither, 1, 2, CR__TARGET_CLASS).status, CR_EARG);
    assert_int_equal(read_arrays(twice, 2, 1, CR__TARGET_CLASS).status, CR_EARG);
    assert_int_equal(read_arrays(same, 2, 1, CR__TARGET_CLASS).status, CR_EFORMAT);
    assert_int_equal(read_arrays(same, 0, 1, CR__TARGET_CLASS).status, CR_EARG);
    r = read_arrays(no_target, 1, 1, CR__TARGET_CLASS);
    assert_int_equal(r.status, CR_EARG);
    cr__buffer_free(&r.text);
    r = read_arrays(infinite, 2, 0, CR__TARGET_CLASS);
    assert_int_equal(r.status, CR_EFORMAT);
    assert_non_null(strstr(r.err.message, "no rows"));
    cr__buffer_free(&r.text);
}

static void rows_split_into_texts(void **state)
{
    const double x[] = {1.5, NAN};
    const char *const y[] = {NULL, "v"};
    const cr_array arrays[] = {NUMBERS("x", x, CR_ROLE_FEATURE), TEXTS("y", y, CR_ROLE_TARGET)};
    cr_source *source;
    cr__chunk chunk;
    cr__fields fields = {0};
    cr_error err;

    (void)state;
    assert_int_equal(cr_source_open_arrays(&source, arrays, 2, 2, &err), CR_OK);
    assert_int_equal(cr__source_next(source, &chunk, &err), CR_OK);
    assert_int_equal(cr__source_split(&chunk, &(cr__record){.line = 1}, &fields, &err), CR_OK);
    assert_memory_equal(fields.bytes[0], "1.5", fields.size[0]);
    assert_null(fields.bytes[1]);
    assert_int_equal(cr__source_split(&chunk, &(cr__record){.line = 2}, &fields, &err), CR_OK);
    assert_null(fields.bytes[0]);
    assert_memory_equal(fields.bytes[1], "v", fields.size[1]);
    cr__fields_free(&fields);
    cr__source_release(&chunk);
    cr_source_close(source);
}

static void one_source_serves_several_trainings(void **state)
{
    const double x[] = {1.5, 3, 2};
    const char *const y[] = {"u", "v", "u"};
    const cr_array arrays[] = {NUMBERS("x", x, CR_ROLE_FEATURE), TEXTS("y", y, CR_ROLE_TARGET)};
    cr_source *source;
    cr_error err;

    (void)state;
    assert_int_equal(cr_source_open_arrays(&source, arrays, 2, 3, &err), CR_OK);
    for (int i = 0; i < 3; i++) {
        cr_model *model;
        cr_tally tally;

        assert_int_equal(cr_model_train(&model, source, NULL, NULL, 0, NULL, &tally, &err), CR_OK);
        assert_int_equal(tally.rows, 3);
        cr_model_free(model);
    }
    cr_source_close(source);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(numbers_and_texts_become_reals_and_symbols),
        cmocka_unit_test(an_empty_text_is_missing),
        cmocka_unit_test(numbers_may_be_classes_and_weights),
        cmocka_unit_test(many_rows_keep_their_order),
        cmocka_unit_test(faults_are_told_by_row_and_column),
        cmocka_unit_test(rows_split_into_texts),
        cmocka_unit_test(one_source_serves_several_trainings),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
