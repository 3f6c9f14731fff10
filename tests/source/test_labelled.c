/* tests/source/test_labelled.c - texts on lines, each after its label. */
#include "source/training.h"

#define KINDS "label=symbol/target text=bag/text\n"
#define LABELLED (&(cr_source_options){.format = "labelled"})

static void a_tab_parts_label_and_text(void **state)
{
    (void)state;
    expect_reading("ham\tOk lar... \"Joking\" wif u\r\n\nspam\tFree entry in 2 a comp\nham\t\n"
                   "ham\tNA",
                   LABELLED,
                   KINDS "1: \"ham\"|[Ok lar... \"Joking\" wif u]\n"
                         "3: \"spam\"|[Free entry in 2 a comp]\n"
                         "4: \"ham\"|[]\n5: \"ham\"|[NA]\n");
}

static void what_follows_the_first_tab_is_text(void **state)
{
    (void)state;
    expect_reading("a\tx\ty\n", LABELLED, KINDS "1: \"a\"|[x\ty]\n");
}

static void fasttext_lines_have_a_prefix(void **state)
{
    (void)state;
    expect_reading("__label__sports the  ball\n__label__a-much-longer-label\tgoal __label__x\n"
                   "no label at all\n__label__sports\n",
                   LABELLED,
                   KINDS "1: \"sports\"|[the  ball]\n2: \"a-much-longer-label\"|[goal __label__x]\n"
                         "3: ~|[no label at all]\n4: \"sports\"|[]\n");
}

static void lines_without_labels_are_texts(void **state)
{
    (void)state;
    expect_reading("some words\nmore\twords\n", LABELLED,
                   KINDS "1: ~|[some words]\n2: ~|[more\twords]\n");
}

static void lines_unlike_the_first_are_refused(void **state)
{
    (void)state;
    expect_error("a\tb\nc d\n", LABELLED, CR_EFORMAT, 2, 1, "no TAB");
    expect_error("__label__a x\n__label__a __label__b x\n", NULL, CR_EFORMAT, 2, 1,
                 "more than one label");
}

static void columns_may_have_other_names(void **state)
{
    (void)state;
    expect_reading("a\tb c\n", &(cr_source_options){.format = "labelled", .columns = "class,body"},
                   "class=symbol/target body=bag/text\n1: \"a\"|[b c]\n");
    expect_error("a\tb\n", &(cr_source_options){.format = "labelled", .columns = "class"}, CR_EARG,
                 0, 0, "the columns are two");
}

static void classes_are_renamed_in_any_format(void **state)
{
    const cr_source_options options = {.classes = "u=x,v=x,w="};

    (void)state;
    expect_reading("__label__u a\n__label__v b\n__label__w c\n__label__other d\n", &options,
                   KINDS "1: \"x\"|[a]\n2: \"x\"|[b]\n3: ~|[c]\n4: \"other\"|[d]\n");
    expect_reading("a,y\n1.5,u\n2.5,v\n3.5,w\n4.5,x\n", &options,
                   "a=real/numbers y=symbol/target\n2: 1.5|\"x\"\n3: 2.5|\"x\"\n4: 3.5|~\n"
                   "5: 4.5|\"x\"\n");
    expect_reading("{\"y\":\"u\",\"t\":\"u\"}\n",
                   &(cr_source_options){.classes = "u=x", .target = "y"},
                   "y=symbol/target t=symbol/words\n1: \"x\"|\"u\"\n");
    expect_reading("@relation r\n@attribute a real\n@attribute y {u,v,w}\n@data\n1,v\n", &options,
                   "a=real/declared y=symbol/declared\n5: 1|\"x\"\n");
}

/* The classes of the Adult census, of which one file has a full stop behind each. */
static void names_of_classes_may_hold_any_sign(void **state)
{
    (void)state;
    expect_reading(
        "a,y\n1.5,<=50K.\n2.5,>50K.\n3.5,\"b,c\"\n4.5,d\\e\n",
        &(cr_source_options){.classes = "<\\=50K.=<\\=50K,>50K.=>50K,b\\,c=x,d\\e=y\\\\"},
        "a=real/numbers y=symbol/target\n2: 1.5|\"<=50K\"\n3: 2.5|\">50K\"\n"
        "4: 3.5|\"x\"\n5: 4.5|\"y\\\"\n");
    expect_error("a,y\n1,u\n", &(cr_source_options){.classes = "<=50K.=<=50K"}, CR_EARG, 0, 0,
                 "write \\= and \\,");
}

static void texts_without_a_class_may_be_given_one(void **state)
{
    (void)state;
    expect_reading("one\ntwo\n", &(cr_source_options){.format = "labelled", .classes = "=x"},
                   KINDS "1: \"x\"|[one]\n2: \"x\"|[two]\n");
    expect_reading("From a\n\nb\n", &(cr_source_options){.format = "folder", .classes = "=spam"},
                   "class=symbol/target text=bag/text\n1: \"spam\"|[From a\n\nb\n]\n");
}

static void renamings_that_make_no_sense_are_refused(void **state)
{
    (void)state;
    expect_error("a,b\n1,2\n", &(cr_source_options){.classes = "u"}, CR_EARG, 0, 0, "OLD=NEW");
    expect_error("a,b\n1,2\n", &(cr_source_options){.classes = "="}, CR_EARG, 0, 0, "OLD=NEW");
    expect_error("a,b\n1,2\n", &(cr_source_options){.classes = "u=v,u=w"}, CR_EARG, 0, 0, "twice");
    expect_error("a,b\n1,2\n", &(cr_source_options){.classes = "u=v=w"}, CR_EARG, 0, 0,
                 "more than one =");
}

static int is_recognised(const char *text)
{
    return cr__format_recognise("data", text, strlen(text), 0) == &cr__format_labelled;
}

static void texts_are_told_from_tables_by_content(void **state)
{
    (void)state;
    assert_true(is_recognised("__label__a one\n"));
    assert_false(is_recognised("__label__a one\nno label\n"));
    assert_true(
        is_recognised("ham\tgo until the end\nham\tok then lar\nspam\twin the free cup now\n"
                      "ham\tyes\n"));
    assert_true(is_recognised("ham\tOk\nham\tgo until the very end\nspam\twin the free cup now\n"
                              "ham\tno more of this please\n"));
    /* The first line has names: a table. */
    assert_false(is_recognised("label\ttext\nham\tgo until the very end\nspam\twin the free cup\n"
                               "ham\tno more of this please\n"));
    /* Two columns of single words, or of numbers. */
    assert_false(is_recognised("a\tb\na\tc\na\td\n"));
    assert_false(is_recognised("1\t2\n1\t4\n1\t6\n"));
    /* Labels that never repeat are not labels. */
    assert_false(is_recognised("a\tsome words of text\nb\tsome words of text\nc\tsome words of x\n"
                               "d\tsome words of text\n"));
    /* Three columns. */
    assert_false(is_recognised("a\tsome words of text\tx\na\tsome words of text\tx\n"));
    assert_ptr_equal(cr__format_recognise("data.tsv", "ham\ta b c\nham\td e f\n", 20, 0),
                     &cr__format_tsv);
}

static void a_text_that_is_too_long_is_refused(void **state)
{
    const size_t usual = cr__source_document_limit;

    (void)state;
    cr__source_document_limit = 20;
    expect_error("a\tb\na\tone two three four five\n", LABELLED, CR_ELIMIT, 2, 0,
                 "more than 20 bytes");
    cr__source_document_limit = usual;
}

static void records_are_split_into_label_and_text(void **state)
{
    const char text[] = "__label__a  one  two\n";
    cr__fields fields = {0};
    cr_source *source;
    cr__chunk chunk;
    cr_error err;

    (void)state;
    assert_int_equal(cr_source_open_memory(&source, text, strlen(text), NULL, NULL, &err), CR_OK);
    assert_int_equal(cr__source_next(source, &chunk, &err), CR_OK);
    assert_int_equal(
        cr__source_split(&chunk, &(cr__record){chunk.bytes, chunk.size - 1, 1}, &fields, &err),
        CR_OK);
    assert_int_equal(fields.count, 2);
    assert_int_equal(fields.size[0], 1);
    assert_memory_equal(fields.bytes[0], "a", 1);
    assert_int_equal(fields.size[1], 8);
    assert_memory_equal(fields.bytes[1], "one  two", 8);
    cr__fields_free(&fields);
    cr__source_release(&chunk);
    cr_source_close(source);
}

/* An error from the consumer of the text is passed on unchanged, with the position. */
static cr_status refuse(cr__plan *plan, cr__batch *batch, size_t row, size_t column,
                        const cr__section *section, cr_error *err)
{
    (void)plan;
    (void)batch;
    (void)row;
    (void)column;
    (void)section;
    return cr__fail(err, CR_ELIMIT, "too many words");
}

static void a_text_that_is_not_taken_says_why(void **state)
{
    static const char *const texts[] = {"__label__a x\n", "t,y\nx,u\n",
                                        "{\"t\":\"x\",\"y\":\"u\"}\n"};
    const char *const types[] = {"t=text"};

    (void)state;
    for (size_t i = 0; i < 3; i++) {
        const cr_source_options options = {.types = types, .type_count = i > 0};
        cr__buffer rows = {0};
        const cr_schema *schema;
        cr_source *source;
        cr__plan plan;
        cr_error err = {0};

        assert_int_equal(
            cr_source_open_memory(&source, texts[i], strlen(texts[i]), NULL, &options, &err),
            CR_OK);
        assert_int_equal(cr__source_infer(source, CR__TARGET_CLASS, &schema, &err), CR_OK);
        assert_int_equal(reading_plan(&plan, schema, &err), CR_OK);
        plan.put_text = refuse;
        assert_int_equal(reading_pass(source, &plan, &rows, &err), CR_ELIMIT);
        assert_string_equal(err.message, "too many words");
        assert_string_equal(err.file, "memory");
        assert_int_equal(err.line, i == 1 ? 2 : 1);
        cr__buffer_free(&rows);
        reading_plan_free(&plan);
        cr_source_close(source);
    }
}

static void threads_and_chunks_make_no_difference(void **state)
{
    const char *path = "lines.txt";
    cr__buffer text = {0};

    (void)state;
    for (int i = 0; i < 2000; i++)
        cr__buffer_printf(&text, "__label__c%d word%d and word%d of line\n", i % 7, i * 31 % 97,
                          i * 17 % 89);
    write_file(path, text.data, text.size);
    cr__buffer_free(&text);
    expect_same_model(&path, 1, NULL);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(a_tab_parts_label_and_text),
        cmocka_unit_test(what_follows_the_first_tab_is_text),
        cmocka_unit_test(fasttext_lines_have_a_prefix),
        cmocka_unit_test(lines_without_labels_are_texts),
        cmocka_unit_test(lines_unlike_the_first_are_refused),
        cmocka_unit_test(columns_may_have_other_names),
        cmocka_unit_test(classes_are_renamed_in_any_format),
        cmocka_unit_test(names_of_classes_may_hold_any_sign),
        cmocka_unit_test(texts_without_a_class_may_be_given_one),
        cmocka_unit_test(renamings_that_make_no_sense_are_refused),
        cmocka_unit_test(texts_are_told_from_tables_by_content),
        cmocka_unit_test(a_text_that_is_too_long_is_refused),
        cmocka_unit_test(records_are_split_into_label_and_text),
        cmocka_unit_test(a_text_that_is_not_taken_says_why),
        cmocka_unit_test(threads_and_chunks_make_no_difference),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
