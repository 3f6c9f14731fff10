/* tests/source/test_texts.c - columns of text: every format hands them over row by row. */
#include "source/reading.h"

/* Instead of a tokenizer: write down what comes. */
static cr_status note_text(cr__plan *plan, cr__batch *batch, size_t row, size_t column,
                           const cr__section *section, cr_error *err)
{
    (void)batch;
    (void)err;
    cr__buffer_printf(plan->text, "%zu/%zu: %s", row, column, section->prefix);
    cr__buffer_add(plan->text, section->text, section->size);
    cr__buffer_addc(plan->text, '\n');
    return CR_OK;
}

static void expect_texts(const char *text, const char *expected)
{
    const char *const types[] = {"t=text"};
    const cr_source_options options = {.types = types, .type_count = 1};
    cr__buffer noted = {0}, rows = {0};
    const cr_schema *schema;
    cr_source *source;
    cr__plan plan;
    cr_error err;

    assert_int_equal(cr_source_open_memory(&source, text, strlen(text), NULL, &options, &err),
                     CR_OK);
    assert_int_equal(cr__source_infer(source, CR__TARGET_CLASS, &schema, &err), CR_OK);
    assert_int_equal(schema->column[0].kind, CR_BAG);
    assert_int_equal(reading_plan(&plan, schema, &err), CR_OK);
    plan.put_text = note_text;
    plan.text = &noted;
    assert_int_equal(reading_pass(source, &plan, &rows, &err), CR_OK);
    cr__buffer_addc(&noted, 0);
    assert_string_equal(noted.data, expected);
    cr__buffer_free(&noted);
    cr__buffer_free(&rows);
    reading_plan_free(&plan);
    cr_source_close(source);
}

static void every_format_hands_texts_over(void **state)
{
    (void)state;
    expect_texts("t,y\nhello world,u\n,v\n\"a \"\"b\"\"\n12\",u\n",
                 "0/0: hello world\n2/0: a \"b\"\n12\n");
    expect_texts("t,y\nhello world,u\n?,v\n12,u\n", "0/0: hello world\n2/0: 12\n");
    expect_texts("{\"t\":\"hello \\u0041\",\"y\":\"u\"}\n{\"y\":\"v\"}\n{\"t\":\"12\"}\n",
                 "0/0: hello A\n2/0: 12\n");
    expect_texts(
        "@relation r\n@attribute t string\n@attribute y {u,v}\n@data\n'hello world',u\n?,v\n"
        "12,u\n",
        "0/0: hello world\n2/0: 12\n");
}

int main(void)
{
    const struct CMUnitTest tests[] = {cmocka_unit_test(every_format_hands_texts_over)};

    return cmocka_run_group_tests(tests, NULL, NULL);
}
