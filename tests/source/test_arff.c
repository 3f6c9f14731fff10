/* tests/source/test_arff.c - ARFF, rule by rule. */
#include "source/reading.h"

#define HEAD                                                                                       \
    "% a comment\n@RELATION 'my flowers'\n\n@attribute 'sepal length' REAL\n"                      \
    "@Attribute colour {red, 'dark blue', \"it''s\"}\n@attribute n integer\n"                      \
    "@attribute class {yes,no}\n@DATA\n"
#define KINDS                                                                                      \
    "sepal length=real/declared colour=symbol/declared n=real/declared class=symbol/declared\n"

static void headers_declare_names_kinds_and_values(void **state)
{
    cr_source *source;
    const cr_schema *schema;
    cr_error err;
    size_t length;

    (void)state;
    expect_reading(
        HEAD "5.1,red,3,yes\n% in between\n\n ?, 'dark blue' ,?,no\n1e2,\"it''s\",-1,?\n", NULL,
        KINDS "9: 5.1|\"red\"|3|\"yes\"\n12: ~|\"dark blue\"|~|\"no\"\n"
              "13: 100|\"it''s\"|-1|~\n");
    assert_int_equal(
        cr_source_open_memory(&source, HEAD "1,red,2,no\n", sizeof HEAD + 10, NULL, NULL, &err),
        CR_OK);
    assert_int_equal(cr__source_infer(source, CR__TARGET_CLASS, &schema, &err), CR_OK);
    assert_int_equal(schema->column[1].declared->words, 3);
    assert_memory_equal(cr__dict_word(schema->column[1].declared, 2, &length), "dark blue", 9);
    cr_source_close(source);
}

static void plain_rows_take_the_fast_road(void **state)
{
    (void)state;
    expect_reading(HEAD "5.1,red,3,yes\r\n\r\n?,red,?,no\r\n", NULL,
                   KINDS "9: 5.1|\"red\"|3|\"yes\"\n11: ~|\"red\"|~|\"no\"\n");
}

static void a_question_mark_is_missing_whatever_the_list(void **state)
{
    (void)state;
    expect_reading(HEAD "?,red,3,yes\n", &(cr_source_options){.missing = "none"},
                   KINDS "9: ~|\"red\"|3|\"yes\"\n");
}

static void declared_values_win_over_missing_texts(void **state)
{
    (void)state;
    expect_reading("@relation r\n@attribute a {NA,x}\n@attribute b {u}\n@data\nNA,u\nx,NA\n", NULL,
                   "a=symbol/declared b=symbol/declared\n5: \"NA\"|\"u\"\n6: \"x\"|~\n");
}

static void sparse_rows_leave_out_zeros_and_first_values(void **state)
{
    (void)state;
    expect_reading(HEAD "{0 5.5, 1 'dark blue', 3 no}\n{}\n{ 2 7 }\n{1 ?}\n", NULL,
                   KINDS "9: 5.5|\"dark blue\"|0|\"no\"\n10: 0|\"red\"|0|\"yes\"\n"
                         "11: 0|\"red\"|7|\"yes\"\n12: 0|~|0|\"yes\"\n");
}

static void rows_may_have_weights(void **state)
{
    reading r =
        read_memory(HEAD "1,red,2,no\n1,red,2,no,{2.5}\n{0 1}, {3}\n{0 1} {4}\n1,red,2,no\n", NULL);

    (void)state;
    assert_int_equal(r.status, CR_OK);
    assert_string_equal(r.text.data,
                        KINDS "9: 1|\"red\"|2|\"no\" *1\n10: 1|\"red\"|2|\"no\" *2.5\n"
                              "11: 1|\"red\"|0|\"yes\" *3\n12: 1|\"red\"|0|\"yes\" *4\n"
                              "13: 1|\"red\"|2|\"no\" *1\n");
    cr__buffer_free(&r.text);
}

/* The value is empty, which is missing, in rows with quotes as in plain ones. */
static void a_carriage_return_ends_a_row(void **state)
{
    (void)state;
    expect_reading("@relation r\n@attribute w string\n@attribute y {p,q}\n@data\n"
                   "'a',p\r\nb,\r\n\tb ,q \r\n{0 c} \r\n",
                   NULL,
                   "w=symbol/declared y=symbol/declared\n"
                   "5: \"a\"|\"p\"\n6: \"b\"|~\n7: \"b\"|\"q\"\n8: \"c\"|\"p\"\n");
}

static void strings_and_dates_are_words(void **state)
{
    static const char text[] = "@relation r\n@attribute s string\n@attribute d date 'yyyy'\n"
                               "@attribute y {u,v}\n@data\n'a \\'b\\' \\n',2004,u\n5,2005,v\n";
    cr_source *source;
    cr_error err;

    (void)state;
    expect_reading(text, NULL,
                   "s=symbol/declared d=symbol/declared y=symbol/declared\n"
                   "6: \"a 'b' \n\"|\"2004\"|\"u\"\n7: \"5\"|\"2005\"|\"v\"\n");
    assert_int_equal(cr_source_open_memory(&source, text, strlen(text), NULL, NULL, &err), CR_OK);
    assert_string_equal(cr_source_note(source, 0),
                        "the dates in column 2 of memory are read as words");
    cr_source_close(source);
}

static void faults_are_told(void **state)
{
    (void)state;
    expect_error(HEAD "1,green,2,no\n", NULL, CR_EFORMAT, 9, 2,
                 "'green' is not among the values that the header declares for 'colour' "
                 "(allowed: red, dark blue, it''s)");
    expect_error(HEAD "1,'green',2,no\n", NULL, CR_EFORMAT, 9, 2, "'green' is not among");
    expect_error(HEAD "x,red,2,no\n", NULL, CR_EFORMAT, 9, 1, "not a number");
    expect_error(HEAD "1,red,2\n", NULL, CR_EFORMAT, 9, 3, "3 fields, but 4 are expected");
    expect_error(HEAD "1,'red',2\n", NULL, CR_EFORMAT, 9, 3, "3 values, but there are 4");
    expect_error(HEAD "1,'red',2,no,5\n", NULL, CR_EFORMAT, 9, 5, "5 values, but there are 4");
    expect_error(HEAD "1,'red,2,no\n", NULL, CR_EFORMAT, 9, 2, "a quote is not closed");
    expect_error(HEAD "1,'red'x,2,no\n", NULL, CR_EFORMAT, 9, 2, "follows the closing quote");
    expect_error(HEAD "1,red,2,no,{x}\n", NULL, CR_EFORMAT, 9, 0, "weight");
    expect_error(HEAD "{0 1, 0 2}\n", NULL, CR_EFORMAT, 9, 0,
                 "index 0 of a sparse row does not ascend");
    expect_error("@relation r\n@attribute a real\n@attribute y {}\n@data\n1,x\n", NULL, CR_EFORMAT,
                 5, 2, "(allowed: none)");
    expect_error(HEAD "{9 1}\n", NULL, CR_EFORMAT, 9, 0, "no attribute");
    expect_error(HEAD "{0 1\n", NULL, CR_EFORMAT, 9, 0, "end with }");
    expect_error(HEAD "{0 1} x\n", NULL, CR_EFORMAT, 9, 0, "text follows");
    expect_error(HEAD, NULL, CR_EFORMAT, 0, 0, "no rows");
    expect_error("@relation r\n@attribute a real\n1\n", NULL, CR_EFORMAT, 0, 0, "no @data");
    expect_error("@relation r\n@data\n1\n", NULL, CR_EFORMAT, 0, 0, "no @attribute");
    expect_error("@relation r\n@attribute a complex\n@data\n1\n", NULL, CR_EFORMAT, 2, 0, "type");
    expect_error("@relation r\n@attribute a\n@data\n1\n", NULL, CR_EFORMAT, 2, 0,
                 "name and a type");
    expect_error("@relation r\n@attribute a {x,x}\n@data\n1\n", NULL, CR_EFORMAT, 2, 0, "twice");
    expect_error("@relation r\n@attribute a {x\n@data\n1\n", NULL, CR_EFORMAT, 2, 0, "end with }");
    expect_error("@relation r\n@attribute 'a real\n@data\n1\n", NULL, CR_EFORMAT, 2, 0, "quote");
    expect_error("@relation r\n@attribute a real\n@attribute a real\n@data\n1,2\n", NULL,
                 CR_EFORMAT, 3, 0, "name 'a'");
    expect_error("@relation r\nnonsense\n@data\n1\n", NULL, CR_EFORMAT, 2, 0, "not a declaration");
    expect_error("@relation r\n@other x\n@data\n1\n", NULL, CR_EFORMAT, 2, 0, "only");
}

static void types_can_be_given(void **state)
{
    const char *const types[] = {"n=symbol", "colour=ignore"};

    (void)state;
    expect_reading(HEAD "5.1,red,3,yes\n", &(cr_source_options){.types = types, .type_count = 2},
                   "sepal length=real/declared colour=ignore/given n=symbol/given "
                   "class=symbol/declared\n9: 5.1||\"3\"|\"yes\"\n");
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(headers_declare_names_kinds_and_values),
        cmocka_unit_test(plain_rows_take_the_fast_road),
        cmocka_unit_test(a_question_mark_is_missing_whatever_the_list),
        cmocka_unit_test(declared_values_win_over_missing_texts),
        cmocka_unit_test(sparse_rows_leave_out_zeros_and_first_values),
        cmocka_unit_test(rows_may_have_weights),
        cmocka_unit_test(a_carriage_return_ends_a_row),
        cmocka_unit_test(strings_and_dates_are_words),
        cmocka_unit_test(faults_are_told),
        cmocka_unit_test(types_can_be_given),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
