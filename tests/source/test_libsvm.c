/* tests/source/test_libsvm.c - libsvm lines, rule by rule. */
#include "source/reading.h"

static void what_is_left_out_is_zero(void **state)
{
    (void)state;
    expect_reading("+1 1:0.5 3:1\n-1 2:7 # a comment\n# another\n+1\n-1 3:0 \n", NULL,
                   "label=symbol/target 1=real/numbers 2=real/numbers 3=symbol/binary\n"
                   "1: \"+1\"|0.5|0|\"1\"\n2: \"-1\"|0|7|\"0\"\n4: \"+1\"|0|0|\"0\"\n"
                   "5: \"-1\"|0|0|\"0\"\n");
}

static void indices_may_begin_at_zero_when_told(void **state)
{
    (void)state;
    expect_reading("a 0:0.5 2:1.5\nb 1:1\n", &(cr_source_options){.zero_based = 1},
                   "label=symbol/target 0=real/numbers 1=symbol/binary 2=real/numbers\n"
                   "1: \"a\"|0.5|\"0\"|1.5\n2: \"b\"|0|\"1\"|0\n");
    expect_error("1 1:1\n1 0:0.5\n", NULL, CR_EFORMAT, 2, 0, "use index-base 0");
}

static void columns_met_late_are_taken_in(void **state)
{
    const size_t sample = cr__source_sample_size;
    cr__buffer text = {0};
    reading r;

    (void)state;
    for (int i = 0; i < 20000; i++)
        cr__buffer_adds(&text, "1 1:1\n");
    cr__buffer_adds(&text, "0 1:0 4:2.5\n1 6:1\n");
    cr__source_sample_size = 100;
    r = read_memory_n(text.data, text.size, NULL);
    cr__source_sample_size = sample;
    assert_int_equal(r.status, CR_OK);
    assert_int_equal(r.passes, 2);
    *strchr(r.text.data, '\n') = 0;
    assert_string_equal(r.text.data,
                        "label=symbol/target 1=symbol/binary 2=symbol/binary 3=symbol/binary "
                        "4=real/numbers 5=symbol/binary 6=symbol/binary");
    assert_non_null(strstr(r.text.data + strlen(r.text.data) + 1,
                           "20001: \"0\"|\"0\"|\"0\"|\"0\"|2.5|\"0\"|\"0\"\n"
                           "20002: \"1\"|\"0\"|\"0\"|\"0\"|0|\"0\"|\"1\"\n"));
    cr__buffer_free(&r.text);
    cr__buffer_free(&text);
}

static void qid_is_ignored_with_a_note(void **state)
{
    reading r = {0};
    cr_source *source;

    (void)state;
    assert_int_equal(cr_source_open_memory(&source, "3 qid:1 1:0.5\n", 14, NULL, NULL, &r.err),
                     CR_OK);
    reading_run(&r, source);
    assert_string_equal(r.text.data, "label=symbol/target 1=real/numbers\n1: \"3\"|0.5\n");
    assert_string_equal(cr_source_note(source, 0), "qid: in memory is ignored");
    assert_null(cr_source_note(source, 1));
    cr_source_close(source);
    cr__buffer_free(&r.text);
}

static void faults_are_told(void **state)
{
    const cr_source_options options = {.format = "libsvm"};

    (void)state;
    expect_error("1 1:1\n1 2:1 2:3\n", &options, CR_EFORMAT, 2, 0, "index 2 does not ascend");
    expect_error("1 1:1\n1,2 1:1\n", &options, CR_EFORMAT, 2, 1, "several labels: '1,2'");
    expect_error("1 1:1\n1:1\n", &options, CR_EFORMAT, 2, 1, "does not begin with a label");
    expect_error("1 1:1\n1 x:1\n", &options, CR_EFORMAT, 2, 0, "not of the form index:value");
    expect_error("1 1:1\n1 5\n", &options, CR_EFORMAT, 2, 0, "not of the form index:value");
    expect_error("1 1:1\n1 1:x\n", &options, CR_EFORMAT, 2, 2, "'x' is not a number");
    expect_error("1 1:1\n1 1:\n", &options, CR_EFORMAT, 2, 2, "'' is not a number");
    expect_error("1 1:2\n1 1:1e999\n", &options, CR_EFORMAT, 2, 2, "beyond the range");
    expect_error("1 1:2\n1 99999999999:1\n", &options, CR_EFORMAT, 2, 0, "is beyond");
}

static void a_models_columns_keep_their_indices(void **state)
{
    cr_schema *schema;
    cr__plan plan;
    cr_source *source;
    cr__buffer out = {0};
    cr_error err;

    (void)state;
    cr__schema_new(&schema, &err);
    cr__schema_add(schema, "label", 5, CR_SYMBOL, CR_ROLE_TARGET, CR_WHY_TARGET, &err);
    cr__schema_add(schema, "3", 1, CR_REAL, CR_ROLE_FEATURE, CR_WHY_NUMBERS, &err);
    cr__schema_add(schema, "9", 1, CR_SYMBOL, CR_ROLE_FEATURE, CR_WHY_BINARY, &err);
    assert_int_equal(reading_plan(&plan, schema, &err), CR_OK);
    assert_int_equal(
        cr_source_open_memory(&source, "0 1:5 3:2.5\n0 9:1 12:3\n", 23, NULL, NULL, &err), CR_OK);
    assert_int_equal(cr__source_bind(source, schema, 0, 0, &err), CR_OK);
    assert_int_equal(reading_pass(source, &plan, &out, &err), CR_OK);
    cr__buffer_addc(&out, 0);
    assert_string_equal(out.data, "1: \"0\"|2.5|\"0\"\n2: \"0\"|0|\"1\"\n");
    cr__buffer_free(&out);
    cr_source_close(source);
    reading_plan_free(&plan);
    cr__schema_free(schema);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(what_is_left_out_is_zero),
        cmocka_unit_test(indices_may_begin_at_zero_when_told),
        cmocka_unit_test(columns_met_late_are_taken_in),
        cmocka_unit_test(qid_is_ignored_with_a_note),
        cmocka_unit_test(faults_are_told),
        cmocka_unit_test(a_models_columns_keep_their_indices),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
