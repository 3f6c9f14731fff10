/* tests/source/test_csv.c - delimited text, rule by rule. */
#include "source/reading.h"

static void kinds_are_guessed_and_blanks_trimmed(void **state)
{
    (void)state;
    expect_reading("a,b,c,y\n1.5, red ,0,yes\n-2e3,blue,1,no\n", NULL,
                   "a=real/numbers b=symbol/words c=symbol/binary y=symbol/target\n"
                   "2: 1.5|\"red\"|\"0\"|\"yes\"\n"
                   "3: -2000|\"blue\"|\"1\"|\"no\"\n");
}

static void missing_texts_are_empty_question_mark_na_and_nan(void **state)
{
    (void)state;
    expect_reading("a,b,y\n1.5,?,x\n,u,x\nNA,NA,?\n NaN ,\"\",\nnan,na,x\n",
                   CSV_OPTIONS(.missing = ",?,NA,NaN,nan"),
                   "a=real/numbers b=symbol/words y=symbol/target\n"
                   "2: 1.5|~|\"x\"\n3: ~|\"u\"|\"x\"\n4: ~|~|~\n5: ~|~|~\n6: ~|\"na\"|\"x\"\n");
}

static void given_missing_texts_replace_the_default_and_may_be_numbers(void **state)
{
    (void)state;
    expect_reading("a,y\n-999,u\n,v\n", CSV_OPTIONS(.missing = "-999"),
                   "a=real/empty y=symbol/target\n2: ~|\"u\"\n3: ~|\"v\"\n");
    expect_reading("a,b,y\n-999,x,1\n2.5,?,-999\n", CSV_OPTIONS(.missing = "-999,x"),
                   "a=real/numbers b=symbol/words y=symbol/target\n"
                   "2: ~|~|\"1\"\n3: 2.5|\"?\"|~\n");
}

static void quotes_hold_delimiters_line_ends_and_doubled_quotes(void **state)
{
    (void)state;
    expect_reading("\"a,a\",\"b\"\"b\",y\n\"x,1\",\"two\nlines\",p\n\"say \"\"hi\"\"\", \"q\" ,r\n"
                   "\"5\",6\" pipe,r\n",
                   NULL,
                   "a,a=symbol/words b\"b=symbol/words y=symbol/target\n"
                   "2: \"x,1\"|\"two\nlines\"|\"p\"\n"
                   "4: \"say \"hi\"\"|\"q\"|\"r\"\n"
                   "5: \"5\"|\"6\" pipe\"|\"r\"\n");
}

static void quoted_numbers_are_numbers(void **state)
{
    (void)state;
    expect_reading("a,y\n\"1.5\",u\n\"2\",v\n", NULL,
                   "a=real/numbers y=symbol/target\n2: 1.5|\"u\"\n3: 2|\"v\"\n");
}

static void crlf_bom_empty_lines_and_a_last_line_without_end(void **state)
{
    (void)state;
    expect_reading("\xef\xbb\xbf"
                   "a,b\r\n\r\n1.25,x\r\n  \r\n\r\n3,y",
                   NULL, "a=real/numbers b=symbol/target\n3: 1.25|\"x\"\n6: 3|\"y\"\n");
}

static void a_last_empty_field_before_crlf_is_missing(void **state)
{
    (void)state;
    expect_reading("a,b,c\r\nu,1,\r\nv,2,2.5\r\n", CSV_OPTIONS(.target = "a"),
                   "a=symbol/target b=real/numbers c=real/numbers\n"
                   "2: \"u\"|1|~\n3: \"v\"|2|2.5\n");
}

static void delimiters_are_found(void **state)
{
    static const char *const texts[] = {"a;b;y\n1,5;x;u\n2,5;y;v\n",
                                        "a\tb\ty\n1,5\tx\tu\n2,5\ty\tv\n",
                                        "a|b|y\n1,5|x|u\n2,5|y|v\n"};
    (void)state;
    for (size_t i = 0; i < 3; i++)
        expect_reading(texts[i], NULL,
                       "a=symbol/words b=symbol/words y=symbol/target\n"
                       "2: \"1,5\"|\"x\"|\"u\"\n3: \"2,5\"|\"y\"|\"v\"\n");
}

static void any_delimiter_can_be_given(void **state)
{
    (void)state;
    expect_reading("a b y\n1.5 x u\n", CSV_OPTIONS(.delimiter = ' '),
                   "a=real/numbers b=symbol/words y=symbol/target\n2: 1.5|\"x\"|\"u\"\n");
    expect_reading("a:b:y\n1.5:x:u\n", CSV_OPTIONS(.delimiter = ':'),
                   "a=real/numbers b=symbol/words y=symbol/target\n2: 1.5|\"x\"|\"u\"\n");
    expect_error("aeb\n", CSV_OPTIONS(.delimiter = 'e'), CR_EARG, 0, 0, "delimiter");
}

static void tsv_is_a_format_of_its_own(void **state)
{
    (void)state;
    expect_reading("a,b\ty\n1.5\tu\n", &(cr_source_options){.format = "tsv"},
                   "a,b=real/numbers y=symbol/target\n2: 1.5|\"u\"\n");
}

static void without_a_header_columns_are_numbered_or_named(void **state)
{
    (void)state;
    expect_reading("1.5,u\n2.5,v\n", CSV_OPTIONS(.no_header = 1),
                   "c1=real/numbers c2=symbol/target\n1: 1.5|\"u\"\n2: 2.5|\"v\"\n");
    expect_reading("1.5,u\n2.5,v\n", CSV_OPTIONS(.no_header = 1, .columns = "width,kind"),
                   "width=real/numbers kind=symbol/target\n1: 1.5|\"u\"\n2: 2.5|\"v\"\n");
    expect_reading("a,b\n1.5,u\n2.5,v\n", CSV_OPTIONS(.columns = "width,kind"),
                   "width=real/numbers kind=symbol/target\n2: 1.5|\"u\"\n3: 2.5|\"v\"\n");
    expect_error("a,b\n1,2\n", CSV_OPTIONS(.columns = "x,y,z"), CR_EARG, 0, 0,
                 "3 column names are given for 2 columns");
}

static void comment_lines_are_skipped_with_quotes_in_them(void **state)
{
    (void)state;
    expect_reading(
        "# \"about, this\na,y\n#x\n1.5,u\n# don't \"worry, be happy\n#,\n2.5,\"v,#\n\"\n",
        CSV_OPTIONS(.comment = '#'),
        "a=real/numbers y=symbol/target\n4: 1.5|\"u\"\n7: 2.5|\"v,#\n\"\n");
}

static void one_column_tables_work(void **state)
{
    (void)state;
    expect_reading("y\nu\n\nv\n", NULL, "y=symbol/target\n2: \"u\"\n4: \"v\"\n");
}

static void ragged_rows_are_refused(void **state)
{
    (void)state;
    expect_error("a,b,c\n1,2,3\n\n4,5\n", NULL, CR_EFORMAT, 4, 2,
                 "has 2 fields, but 3 are expected");
    expect_error("a,b,c\n1,2,3,4\n", NULL, CR_EFORMAT, 2, 4, "has 4 fields, but 3 are expected");
    /* Two wrong rows that would make right ones together. */
    expect_error("a,b,c\n1,2\n3,4,5,6\n", NULL, CR_EFORMAT, 2, 2, "has 2 fields");
}

static void open_quotes_are_told_by_the_line_where_they_open(void **state)
{
    (void)state;
    expect_error("a,y\n\"1\",u\n\"x\ny\",v\n3,\"open\n4,w\n5,x\n", NULL, CR_EFORMAT, 5, 0,
                 "never closed");
    expect_error("a,\"y\n1,2\n", NULL, CR_EFORMAT, 1, 0, "never closed");
    expect_error("a,y\n\"u\"v,2\n", NULL, CR_EFORMAT, 2, 1, "text follows the closing quote");
}

static void nul_bytes_are_refused(void **state)
{
    (void)state;
    expect_error_n("a,y\n1,u\n2,\0\n", 12, NULL, CR_EFORMAT, 3, 0, "NUL");
    expect_error_n("a,\0y\n1,u\n", 10, NULL, CR_EFORMAT, 0, 0, "NUL");
    expect_error_n("\xff\xfe"
                   "a\0,\0",
                   6, NULL, CR_EFORMAT, 0, 0, "UTF-16");
    expect_error_n("\xff\xfe\0\0a\0\0\0", 8, NULL, CR_EFORMAT, 0, 0, "UTF-32");
}

static void lines_that_end_in_cr_alone_are_told(void **state)
{
    (void)state;
    expect_error("a,y\r1,u\r2,v\r", NULL, CR_EFORMAT, 0, 0, "the lines end in CR alone");
    expect_error("1 1:2\r0 1:3\r", &(cr_source_options){.format = "libsvm"}, CR_EFORMAT, 0, 0,
                 "the lines end in CR alone");
    expect_reading("a,y\r\n\"1\r2\",u\r\n", NULL,
                   "a=symbol/words y=symbol/target\n2: \"1\r2\"|\"u\"\n");
}

static void bytes_that_are_not_utf8_are_kept(void **state)
{
    (void)state;
    expect_reading("a,y\ncaf\xe9,u\n", NULL,
                   "a=symbol/words y=symbol/target\n2: \"caf\xe9\"|\"u\"\n");
}

static void equal_names_are_refused(void **state)
{
    (void)state;
    expect_error("a,b,a\n1,2,3\n", NULL, CR_EFORMAT, 1, 3,
                 "column 3 has the name 'a', which column 1");
}

static void names_may_be_empty(void **state)
{
    cr_source *source;
    cr_error err;

    (void)state;
    expect_reading(",x,y\n1.5,2.5,u\n", NULL,
                   "c1=real/numbers x=real/numbers y=symbol/target\n2: 1.5|2.5|\"u\"\n");
    assert_int_equal(cr_source_open_memory(&source, ",y\n1,u\n", 7, NULL, NULL, &err), CR_OK);
    assert_string_equal(cr_source_note(source, 0),
                        "column 1 of memory has no name and is called c1; if it numbers the rows, "
                        "type c1=ignore leaves it out");
    assert_null(cr_source_note(source, 1));
    cr_source_close(source);
}

static void a_single_column_with_another_delimiter_in_it_is_noted(void **state)
{
    const char blanks[] = "a b y\n1 2 u\n3 4 v\n", words[] = "y\nan apple\na\nthe pear tree\n";
    const char colons[] = "a:y\n1:u\n";

    (void)state;
    expect_note(blanks, strlen(blanks), NULL, "would have 3 fields with -d ' '");
    expect_note(colons, strlen(colons), CSV_OPTIONS(.delimiter = ','),
                "would have 2 fields with -d ':'");
    expect_note(words, strlen(words), NULL, NULL);
}

static void a_header_that_looks_like_data_is_noted(void **state)
{
    cr_source *source;
    cr_error err;

    (void)state;
    assert_int_equal(cr_source_open_memory(&source, "5.1,u\n1,u\n", 10, NULL, NULL, &err), CR_OK);
    assert_non_null(strstr(cr_source_note(source, 0), "looks like data"));
    cr_source_close(source);
}

static void nothing_to_read_is_an_error(void **state)
{
    (void)state;
    expect_error("", NULL, CR_EFORMAT, 0, 0, "empty");
    expect_error("\n \n", NULL, CR_EFORMAT, 0, 0, "no records");
    expect_error("a,b\n", NULL, CR_EFORMAT, 0, 0, "no rows");
    expect_error("a,b", NULL, CR_EFORMAT, 0, 0, "no rows");
    expect_error("a,b\n\n\n", NULL, CR_EFORMAT, 0, 0, "no rows");
}

static void numbers_out_of_range_are_told(void **state)
{
    (void)state;
    expect_error("a,y\n1.5,u\n1e999,v\n", NULL, CR_EFORMAT, 3, 1, "beyond the range");
    expect_error("a,y\n1.5,u\ninf,v\n", NULL, CR_EFORMAT, 3, 1, "not a finite number");
    expect_error("a,y\n1.5,u\n-Infinity,v\n", NULL, CR_EFORMAT, 3, 1, "not a finite number");
}

static void numbers_are_read_exactly(void **state)
{
    /* Each must be the double nearest to the text, written shortest. */
    (void)state;
    expect_reading("a,y\n0.1,u\n-0,u\n+5,u\n.5,u\n5.,u\n9007199254740993,u\n123456789012345,u\n"
                   "-0.00012345678901,u\n3.141592653589793238,u\n1e-320,u\n999999999999999,u\n"
                   "-99999999999.9999,u\n",
                   NULL,
                   "a=real/numbers y=symbol/target\n2: 0.1|\"u\"\n3: -0|\"u\"\n4: 5|\"u\"\n"
                   "5: 0.5|\"u\"\n6: 5|\"u\"\n7: 9007199254740992|\"u\"\n"
                   "8: 123456789012345|\"u\"\n9: -0.00012345678901|\"u\"\n"
                   "10: 3.141592653589793|\"u\"\n11: 1e-320|\"u\"\n12: 999999999999999|\"u\"\n"
                   "13: -99999999999.9999|\"u\"\n");
}

static void things_that_are_almost_numbers_are_words(void **state)
{
    static const char *const words[] = {".",  "-",    "-.",  "1-2",   "1.2.3", "--1",
                                        "1,", "0x10", "1e",  "12:30", "1_000", "1 2",
                                        "/",  ":",    "1/2", "e5"};
    (void)state;
    for (size_t i = 0; i < sizeof words / sizeof *words; i++) {
        char text[64], expected[128];

        snprintf(text, sizeof text, "a;y\n1.5;u\n%s;v\n", words[i]);
        snprintf(expected, sizeof expected,
                 "a=symbol/words y=symbol/target\n2: \"1.5\"|\"u\"\n3: \"%s\"|\"v\"\n", words[i]);
        expect_reading(text, CSV_OPTIONS(.delimiter = ';'), expected);
    }
}

/* Wide rows go over the strips of the parser, long ones over the chunks. */
static void wide_and_long_records_are_read(void **state)
{
    const size_t columns = 20000;
    cr__buffer text = {0};
    cr_source *source;
    const cr_schema *schema;
    cr__plan plan;
    cr__batch *batch;
    cr__chunk chunk;
    cr_error err;
    size_t rows = 0;

    (void)state;
    for (size_t i = 0; i < columns; i++)
        cr__buffer_printf(&text, "%cname%zu", i == 0 ? ' ' : ',', i);
    for (size_t r = 0; r < 3; r++)
        for (size_t i = 0; i < columns; i++)
            cr__buffer_printf(&text, "%c%zu.5", i == 0 ? '\n' : ',', i + r);
    assert_int_equal(cr_source_open_memory(&source, text.data, text.size, NULL, NULL, &err), CR_OK);
    assert_int_equal(cr__source_infer(source, CR__TARGET_REAL, &schema, &err), CR_OK);
    assert_int_equal(reading_plan(&plan, schema, &err), CR_OK);
    assert_int_equal(cr__batch_new(&batch, schema, &err), CR_OK);
    while (cr__source_next(source, &chunk, &err) == CR_OK) {
        while (cr__source_parse(&chunk, &plan, batch, &err) == CR_OK)
            for (size_t r = 0; r < batch->rows; r++, rows++)
                for (size_t i = 0; i < columns; i++)
                    assert_true(batch->column[i].real[r] == (double)(i + rows) + 0.5);
        cr__source_release(&chunk);
    }
    assert_int_equal(rows, 3);
    cr__batch_free(batch);
    reading_plan_free(&plan);
    cr_source_close(source);
    cr__buffer_free(&text);
}

static void a_word_longer_than_the_limit_is_refused(void **state)
{
    const size_t size = CR__WORD_MAX + 20;
    char *text = malloc(size + 1);
    reading r;

    (void)state;
    memset(text, 'x', size);
    memcpy(text, "a,y\n", 4);
    memcpy(text + size - 3, ",u\n", 3);
    r = read_memory_n(text, size, NULL);
    assert_int_equal(r.status, CR_ELIMIT);
    assert_int_equal(r.err.line, 2);
    assert_int_equal(r.err.column, 1);
    assert_non_null(strstr(r.err.message, "bytes in column 'a'"));
    cr__buffer_free(&r.text);
    free(text);
}

static void a_record_beyond_the_limit_is_refused(void **state)
{
    const size_t limit = cr__source_record_limit, usual = cr__source_chunk_size;
    const size_t sample = cr__source_sample_size;
    char text[400] = "a,y\n1,2\n\"open\n";
    reading r;

    (void)state;
    memset(text + strlen(text), '.', 300);
    cr__source_record_limit = 100;
    cr__source_chunk_size = cr__source_sample_size = 16;
    r = read_memory(text, NULL);
    cr__source_record_limit = limit;
    cr__source_chunk_size = usual;
    cr__source_sample_size = sample;
    assert_int_equal(r.status, CR_ELIMIT);
    assert_int_equal(r.err.line, 3);
    assert_non_null(strstr(r.err.hint, "quote is not closed"));
    cr__buffer_free(&r.text);
}

static void records_split_into_their_fields(void **state)
{
    static const char text[] = "a,b,y\n 1.50 ,\"say \"\"hi\"\"\",u\r\n,?,\"\"\n";
    static const char *const expected[2][3] = {{"1.50", "say \"hi\"", "u"}, {"", "?", ""}};
    cr_source *source;
    const cr_schema *schema;
    cr__plan plan;
    cr__batch *batch;
    cr__chunk chunk;
    cr__fields fields = {0};
    cr_error err;

    (void)state;
    assert_int_equal(cr_source_open_memory(&source, text, sizeof text - 1, NULL, NULL, &err),
                     CR_OK);
    assert_int_equal(cr__source_infer(source, CR__TARGET_CLASS, &schema, &err), CR_OK);
    assert_int_equal(cr__source_fields(source), 3);
    assert_string_equal(cr__source_field_name(source, 1), "b");
    assert_int_equal(reading_plan(&plan, schema, &err), CR_OK);
    assert_int_equal(cr__batch_new(&batch, schema, &err), CR_OK);
    assert_int_equal(cr__source_next(source, &chunk, &err), CR_OK);
    assert_int_equal(cr__source_parse(&chunk, &plan, batch, &err), CR_OK);
    assert_int_equal(batch->rows, 2);
    for (size_t r = 0; r < 2; r++) {
        assert_int_equal(cr__source_split(&chunk, &batch->record[r], &fields, &err), CR_OK);
        assert_int_equal(fields.count, 3);
        for (size_t f = 0; f < 3; f++) {
            assert_int_equal(fields.size[f], strlen(expected[r][f]));
            assert_memory_equal(fields.bytes[f], expected[r][f], fields.size[f]);
        }
    }
    cr__fields_free(&fields);
    cr__source_release(&chunk);
    cr__batch_free(batch);
    reading_plan_free(&plan);
    cr_source_close(source);
}

/* Random tables, with and without quotes, read the same by all versions of the scanner. */
static void all_processors_read_alike(void **state)
{
    uint64_t seed = 1;

    (void)state;
    for (int round = 0; round < 200; round++) {
        cr__buffer text = {0};
        reading r[3];

        cr__buffer_adds(&text, "a,b,c\n");
        for (int row = 0; row < 50; row++)
            for (int f = 0; f < 3; f++) {
                static const char *const fields[] = {
                    "1.5",     "-2",         "0.000123",     "12345678901234567890",
                    "",        "NA",         "word",         " x ",
                    "\"q,q\"", "\"a\"\"b\"", "\"l\nl\"",     "1e5",
                    "+7",      "-0.5",       "longer words", "\"\""};
                seed = seed * 6364136223846793005u + 1442695040888963407u;
                cr__buffer_adds(&text, fields[(seed >> 33) % (round % 2 ? 16 : 8)]);
                cr__buffer_addc(&text, f < 2 ? ',' : '\n');
            }
        for (int level = 0; level < 3; level++) {
            cr__scan_level_limit = level;
            r[level] = read_memory_n(text.data, text.size, NULL);
            assert_int_equal(r[level].status, CR_OK);
        }
        assert_string_equal(r[0].text.data, r[1].text.data);
        assert_string_equal(r[0].text.data, r[2].text.data);
        for (int level = 0; level < 3; level++)
            cr__buffer_free(&r[level].text);
        cr__buffer_free(&text);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(kinds_are_guessed_and_blanks_trimmed),
        cmocka_unit_test(missing_texts_are_empty_question_mark_na_and_nan),
        cmocka_unit_test(given_missing_texts_replace_the_default_and_may_be_numbers),
        cmocka_unit_test(quotes_hold_delimiters_line_ends_and_doubled_quotes),
        cmocka_unit_test(quoted_numbers_are_numbers),
        cmocka_unit_test(crlf_bom_empty_lines_and_a_last_line_without_end),
        cmocka_unit_test(a_last_empty_field_before_crlf_is_missing),
        cmocka_unit_test(delimiters_are_found),
        cmocka_unit_test(any_delimiter_can_be_given),
        cmocka_unit_test(tsv_is_a_format_of_its_own),
        cmocka_unit_test(without_a_header_columns_are_numbered_or_named),
        cmocka_unit_test(comment_lines_are_skipped_with_quotes_in_them),
        cmocka_unit_test(one_column_tables_work),
        cmocka_unit_test(ragged_rows_are_refused),
        cmocka_unit_test(open_quotes_are_told_by_the_line_where_they_open),
        cmocka_unit_test(nul_bytes_are_refused),
        cmocka_unit_test(lines_that_end_in_cr_alone_are_told),
        cmocka_unit_test(bytes_that_are_not_utf8_are_kept),
        cmocka_unit_test(equal_names_are_refused),
        cmocka_unit_test(names_may_be_empty),
        cmocka_unit_test(a_single_column_with_another_delimiter_in_it_is_noted),
        cmocka_unit_test(a_header_that_looks_like_data_is_noted),
        cmocka_unit_test(nothing_to_read_is_an_error),
        cmocka_unit_test(numbers_out_of_range_are_told),
        cmocka_unit_test(numbers_are_read_exactly),
        cmocka_unit_test(things_that_are_almost_numbers_are_words),
        cmocka_unit_test(wide_and_long_records_are_read),
        cmocka_unit_test(a_word_longer_than_the_limit_is_refused),
        cmocka_unit_test(a_record_beyond_the_limit_is_refused),
        cmocka_unit_test(records_split_into_their_fields),
        cmocka_unit_test(all_processors_read_alike),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
