/* tests/source/test_jsonl.c - JSON Lines, rule by rule. */
#include "source/json_strip.h"
#include "source/reading.h"

static void keys_become_columns_in_the_order_they_are_met(void **state)
{
    (void)state;
    expect_reading("{\"a\":1.5,\"b\":\"red\",\"y\":\"u\"}\n\n"
                   "  { \"y\" : \"v\" , \"b\" : null , \"a\" : -2e3 }  \r\n{}\n",
                   NULL,
                   "a=real/numbers b=symbol/words y=symbol/target\n"
                   "1: 1.5|\"red\"|\"u\"\n3: -2000|~|\"v\"\n4: ~|~|~\n");
}

static void nested_keys_are_joined(void **state)
{
    (void)state;
    expect_reading("{\"a\":{\"b\":1.5,\"c\":{\"d\":\"x\",\"e\":{}}},\"y\":\"u\"}\n"
                   "{\"y\":\"v\",\"a\":{\"c\":{\"d\":\"z\"},\"b\":2}}\n{\"a\":{},\"y\":\"u\"}\n",
                   NULL,
                   "a.b=real/numbers a.c.d=symbol/words y=symbol/target\n"
                   "1: 1.5|\"x\"|\"u\"\n2: 2|\"z\"|\"v\"\n3: ~|~|\"u\"\n");
}

static void strings_are_words_and_so_are_true_and_false(void **state)
{
    (void)state;
    expect_reading("{\"a\":\"1\",\"b\":true,\"c\":0,\"d\":1,\"y\":1}\n"
                   "{\"a\":\"2.5\",\"b\":false,\"c\":1,\"d\":\"1\",\"y\":\"1\"}\n"
                   "{\"a\":\"\",\"b\":\"NA\",\"c\":null}\n",
                   NULL,
                   "a=symbol/words b=symbol/words c=symbol/binary d=symbol/words y=symbol/target\n"
                   "1: \"1\"|\"true\"|\"0\"|\"1\"|\"1\"\n2: \"2.5\"|\"false\"|\"1\"|\"1\"|\"1\"\n"
                   "3: ~|~|~|~|~\n");
}

static void escapes_are_decoded(void **state)
{
    (void)state;
    expect_reading("{\"k\\u00e9y\":\"a\\\"b\\\\c\\/d\\n\\t\\u20ac \\ud83d\\ude00 \\ud83d.\","
                   "\"y\":\"\\b\\f\\r\\u0041\"}\n",
                   NULL,
                   "k\xc3\xa9y=symbol/words y=symbol/target\n"
                   "1: \"a\"b\\c/d\n\t\xe2\x82\xac \xf0\x9f\x98\x80 \xef\xbf\xbd.\"|\"\b\f\rA\"\n");
}

/* The bytes before a value are guessed to be those of the record before. */
static void more_blanks_before_a_value_change_nothing(void **state)
{
    (void)state;
    expect_reading("{\"a\": 1, \"y\": \"p\"}\n"
                   "{\"a\":  2, \"y\":\t\"q\"}\n"
                   "{\"a\": \t3.5, \"y\":  \"q\"}\n",
                   NULL, "a=real/numbers y=symbol/target\n1: 1|\"p\"\n2: 2|\"q\"\n3: 3.5|\"q\"\n");
}

/* A row spelled in one of six ways: the last value a number or a word; as most programs write it,
 * with a blank before the brace, or with escaped keys. */
static void add_row(cr__buffer *text, int way, int row)
{
    const char *const end = way % 3 == 1 ? " }\n" : "}\n";
    const char *const a = way % 3 == 2 ? "\"\\u0061\" :" : "\"a\": ";
    const char *const b = way % 3 == 2 ? "\"\\u0062\":" : "\"b\": ";
    const int number = row % 5, word = row % 7;

    cr__buffer_printf(text, "{%s%d.25, ", a, row);
    if (way < 3)
        cr__buffer_printf(text, "%s\"a word %d\", \"c\": %d.5%s", b, word, number, end);
    else
        cr__buffer_printf(text, "\"c\": %d.5, %s\"a word %d\"%s", number, b, word, end);
}

/* Rows whose keys and values can be guessed take a short way. A blank before the brace, or a key
 * that is spelled with an escape, closes it: the same rows must come out. */
static void the_short_way_reads_what_the_long_one_reads(void **state)
{
    reading r[6];

    (void)state;
    for (int i = 0; i < 6; i++) {
        cr__buffer text = {0};

        for (int row = 0; row < 500; row++)
            add_row(&text, i, row);
        r[i] = read_memory_n(text.data, text.size, NULL);
        assert_int_equal(r[i].status, CR_OK);
        cr__buffer_free(&text);
    }
    for (int i = 0; i < 6; i++) {
        assert_int_equal(r[i].text.size, r[i / 3 * 3].text.size);
        assert_memory_equal(r[i].text.data, r[i / 3 * 3].text.data, r[i].text.size);
    }
    /* the row of 498 = 71 * 7 + 1 = 99 * 5 + 3 */
    assert_non_null(strstr(r[0].text.data, "499: 498.25|\"a word 1\"|\"3.5\"\n"));
    assert_non_null(strstr(r[3].text.data, "499: 498.25|3.5|\"a word 1\"\n"));
    for (int i = 0; i < 6; i++)
        cr__buffer_free(&r[i].text);
}

/* A record of some keys in some order, with many kinds of values; its commas after a blank or not.
 */
static void add_record(cr__buffer *text, uint64_t *seed, const char *comma)
{
    static const char *const values[] = {"1.5",         "-2",
                                         "0.000123",    "12345678901234567890",
                                         "1e5",         "null",
                                         "+7",          "\"red\"",
                                         "\"a b\"",     "\"longer words than most\"",
                                         "\"q,q\"",     "\"\\u0041\\\"\"",
                                         "\"\"",        "\"NA\"",
                                         "true",        "false",
                                         "17",          "\"17\"",
                                         "{\"in\": 3}", "{}"};
    const char *end = "}";
    unsigned pick, taken = 0;

#define PICK(n) (*seed = *seed * 6364136223846793005u + 1442695040888963407u, (*seed >> 33) % (n))
    cr__buffer_adds(text, "{");
    for (int k = 0; k < 6; k++) { /* real, binary, words, a key with a colon, a long one, target */
        static const char *const keys[] = {"n",  "01", "words", "co:lon", "a key of many letters",
                                           "yes"};
        const unsigned key = PICK(4) > 0 ? (unsigned)k : (unsigned)PICK(6);

        if (taken >> key & 1)
            continue;
        pick = (unsigned)PICK(20);
        cr__buffer_printf(text, "%s\"%s\": %s", taken == 0 ? "" : comma, keys[key],
                          key == 0   ? values[pick % 6]
                          : key == 1 ? (pick % 2 ? "0" : "1")
                                     : values[PICK(8) > 0 ? pick % 10 : pick]);
        taken |= 1u << key;
    }
    pick = (unsigned)PICK(8);
    end = pick == 0 ? "}\r" : pick == 1 ? " }\n" : end;
    cr__buffer_printf(text, "%s\n", end);
#undef PICK
}

/* Records are read in strips, column by column. A blank before a comma closes that way: the same
 * rows must come out of the reader of single records. */
static void strips_read_what_single_records_read(void **state)
{
    (void)state;
    for (uint64_t round = 0; round < 100; round++) {
        reading r[4];

        for (int i = 0; i < 4; i++) {
            uint64_t seed = round;
            cr__buffer text = {0};

            cr__buffer_adds(&text, "{\"n\": 1.5, \"01\": 0, \"words\": \"w\", \"co:lon\": \"c\", "
                                   "\"a key of many letters\": \"k\", \"yes\": \"u\"}\n");
            for (int row = 0; row < 300; row++)
                add_record(&text, &seed, i == 3 ? " , " : ", ");
            cr__scan_level_limit = i;
            r[i] = read_memory_n(text.data, text.size, NULL);
            assert_int_equal(r[i].status, CR_OK);
            cr__buffer_free(&text);
        }
        for (int i = 0; i < 3; i++)
            assert_string_equal(r[i].text.data, r[3].text.data);
        for (int i = 0; i < 4; i++)
            cr__buffer_free(&r[i].text);
    }
    cr__scan_level_limit = CR__SCAN_AVX2;
}

/* A value for the key "w" or "t", or one that is skipped. */
static const char *pick_value(uint64_t *seed, int real)
{
    static const char *const reals[] = {"1.5", "-2", "0.25", "null", "1e3", "17"};
    static const char *const words[] = {
        "\"red\"", "\"a, b\"", "\"{x}\"", "\"q\\\", b\"",          "\"\\u00e9, \\n\"",
        "\"\"",    "true",     "null",    "\"longer, than, most\""};

    *seed = *seed * 6364136223846793005u + 1442695040888963407u;
    return real ? reals[(*seed >> 33) % 6] : words[(*seed >> 33) % 9];
}

/* Rows of the same five values spelled in many ways: with their keys in order or shuffled, with
 * escapes in these, with objects and arrays to be ignored, in objects of their own. */
static void add_spelled(cr__buffer *text, uint64_t *seed, int row)
{
    static const char *const skipped[] = {
        "{\"id\": 7, \"tags\": [\"a}\", \"b,\"], \"deep\": {\"x\": [[], {}]}}", "[1, \"]\", 2]",
        "{}",
        "{\"long\": \"0123456789 0123456789 0123456789 0123456789 0123456789 } ] \\\" "
        "0123456789\"}",
        "null"};
    static const char *const key[2][5] = {
        {"\"x\"", "\"w\"", "\"meta\"", "\"a key of many letters\"", "\"y\""},
        {"\"\\u0078\"", "\"\\u0077\"", "\"m\\u0065ta\"", "\"a key of many l\\u0065tters\"",
         "\"\\u0079\""}};
    const char *value[5];
    size_t order[5] = {0, 1, 2, 3, 4};
    const int way = row / 40 % 6;

#define PICK(n) (*seed = *seed * 6364136223846793005u + 1442695040888963407u, (*seed >> 33) % (n))
    for (size_t i = 0; i < 5; i++)
        value[i] = i == 2 ? skipped[PICK(5)] : pick_value(seed, i == 0);
    value[4] = row % 2 ? "\"p\"" : "\"q\"";
    for (size_t i = 4; way % 2 == 1 && i > 0; i--) {
        const size_t other = (size_t)PICK(i + 1), kept = order[i];

        order[i] = order[other];
        order[other] = kept;
    }
    cr__buffer_adds(text, "{");
    for (size_t i = 0; i < 5; i++) {
        if (order[i] == 2 && PICK(3) == 0)
            continue;
        cr__buffer_printf(text, "%s%s:%s%s", text->data[text->size - 1] == '{' ? "" : ", ",
                          key[way == 4][order[i]], way == 2 ? "" : " ", value[order[i]]);
    }
    cr__buffer_printf(text, ", \"in\": {\"a\": %d.5, \"deep\": {\"b\": \"v%d, }\"}}}\n", row % 9,
                      row % 4);
#undef PICK
}

/* The reader of single records, with which the others are compared, is checked by the rules above.
 */
static void every_spelling_is_read_by_columns_as_by_itself(void **state)
{
    static const char *const types[] = {"meta=ignore"};
    const size_t sample = cr__source_sample_size, places = cr__json_places_limit;
    cr_source_options options;

    (void)state;
    cr_source_options_default(&options);
    options.types = types;
    options.type_count = 1;
    cr__source_sample_size = 100;
    for (uint64_t round = 0; round < 30; round++) {
        cr__buffer text = {0};
        uint64_t seed = round;
        reading r[4];

        cr__buffer_adds(&text,
                        "{\"x\": 1.5, \"w\": \"z\", \"a key of many letters\": \"k\", \"in\": "
                        "{\"a\": 2.5, \"deep\": {\"b\": \"v\"}}, \"y\": \"p\"}\n");
        for (int row = 0; row < 600; row++)
            add_spelled(&text, &seed, row);
        for (int i = 0; i < 4; i++) {
            cr__scan_level_limit = i < 3 ? i : CR__SCAN_AVX2;
            cr__json_places_limit = i < 3 ? places : 0;
            r[i] = read_memory_n(text.data, text.size, &options);
            assert_int_equal(r[i].status, CR_OK);
        }
        for (int i = 0; i < 3; i++)
            assert_string_equal(r[i].text.data, r[3].text.data);
        for (int i = 0; i < 4; i++)
            cr__buffer_free(&r[i].text);
        cr__buffer_free(&text);
    }
    cr__scan_level_limit = CR__SCAN_AVX2;
    cr__json_places_limit = places;
    cr__source_sample_size = sample;
}

/* One byte changed, left out or put in: the same rows, or the same error at the same line. */
static void a_broken_record_is_told_as_by_itself(void **state)
{
    static const char signs[] = "{}[]\",:\\ \n1a";
    static const char *const types[] = {"meta=ignore"};
    const size_t sample = cr__source_sample_size, places = cr__json_places_limit;
    cr_source_options options;
    uint64_t seed = 1;

    (void)state;
    cr_source_options_default(&options);
    options.types = types;
    options.type_count = 1;
    cr__source_sample_size = 100;
#define PICK(n) (seed = seed * 6364136223846793005u + 1442695040888963407u, (seed >> 33) % (n))
    for (int round = 0; round < 3000; round++) {
        cr__buffer text = {0};
        reading r[2];
        size_t begin, at;

        cr__buffer_adds(&text,
                        "{\"x\": 1.5, \"w\": \"z\", \"a key of many letters\": \"k\", \"in\": "
                        "{\"a\": 2.5, \"deep\": {\"b\": \"v\"}}, \"y\": \"p\"}\n");
        begin = text.size;
        for (int row = 0; row < 12; row++)
            add_spelled(&text, &seed, round % 6 * 40 + row);
        at = begin + (size_t)PICK(text.size - begin);
        switch (PICK(3)) {
        case 0: text.data[at] = signs[PICK(sizeof signs - 1)]; break;
        case 1: memmove(text.data + at, text.data + at + 1, --text.size - at); break;
        default:
            cr__buffer_addc(&text, 0);
            memmove(text.data + at + 1, text.data + at, text.size - at - 1);
            text.data[at] = signs[PICK(sizeof signs - 1)];
        }
        for (int i = 0; i < 2; i++) {
            cr__json_places_limit = i == 0 ? places : 0;
            r[i] = read_memory_n(text.data, text.size, &options);
        }
        assert_int_equal(r[0].status, r[1].status);
        assert_int_equal(r[0].err.line, r[1].err.line);
        assert_int_equal(r[0].err.column, r[1].err.column);
        assert_string_equal(r[0].err.message, r[1].err.message);
        if (r[0].status == CR_OK)
            assert_string_equal(r[0].text.data, r[1].text.data);
        for (int i = 0; i < 2; i++)
            cr__buffer_free(&r[i].text);
        cr__buffer_free(&text);
    }
#undef PICK
    cr__json_places_limit = places;
    cr__source_sample_size = sample;
}

/* Two short records have together as many commas and line ends as one of the others, and begin like
 * them: they are two nevertheless, whatever was expected and given up before. */
static void two_records_are_not_one(void **state)
{
    static const char *const types[] = {"meta=ignore"};
    const size_t sample = cr__source_sample_size, places = cr__json_places_limit;
    cr_source_options options;
    cr__buffer text = {0};
    reading r[2];

    (void)state;
    cr_source_options_default(&options);
    options.types = types;
    options.type_count = 1;
    for (int run = 0; run < 300; run++) {
        for (int i = 0; i < 1 + run % 37; i++)
            cr__buffer_printf(
                &text,
                i % 2 ? "{\"x\": %d.5, \"w\": \"b\", \"meta\": {\"a\": 1}, \"y\": \"p\"}\n"
                      : "{\"x\": %d.5, \"meta\": {\"a\": 1}, \"w\": \"a\", \"y\": \"p\"}\n",
                run);
        cr__buffer_printf(&text, "{\"x\": %d.25, \"meta\": {\"a\": 1}, \"w\": \"c\"}\n", run);
        cr__buffer_adds(&text, "{\"y\": \"q\"}\n");
    }
    cr__source_sample_size = 100;
    for (int i = 0; i < 2; i++) {
        cr__json_places_limit = i == 0 ? 0 : places;
        r[i] = read_memory_n(text.data, text.size, &options);
        assert_int_equal(r[i].status, CR_OK);
    }
    assert_true(strcmp(r[0].text.data, r[1].text.data) == 0);
    for (int i = 0; i < 2; i++)
        cr__buffer_free(&r[i].text);
    cr__buffer_free(&text);
    cr__source_sample_size = sample;
    cr__json_places_limit = places;
}

/* What a record is read as, or the line of the error: it stands among others with the same keys in
 * the same order, beyond what opening looks at. */
static void expect_among_plain(const char *record, const char *expected)
{
    static const char *const types[] = {"meta=ignore"};
    const size_t sample = cr__source_sample_size, places = cr__json_places_limit;
    cr_source_options options;
    cr__buffer text = {0};

    cr_source_options_default(&options);
    options.types = types;
    options.type_count = 1;
    cr__buffer_adds(
        &text, "{\"w\": \"a\", \"x\": 1.5, \"in\": {\"a\": \"u\"}, \"meta\": 0, \"y\": \"p\"}\n");
    for (int row = 2; row <= 300; row++)
        cr__buffer_printf(&text, "%s\n",
                          row == 250 ? record
                                     : "{\"meta\": null, \"w\": \"a\", \"x\": 2.5, \"y\": \"q\"}");
    cr__source_sample_size = 100;
    for (int i = 0; i < 2; i++) {
        char line[8], wanted[200];
        reading r;

        cr__json_places_limit = i == 0 ? 0 : places;
        r = read_memory_n(text.data, text.size, &options);
        snprintf(wanted, sizeof wanted, "\n250: %s\n251: \"a\"|2.5|~||\"q\"\n", expected);
        snprintf(line, sizeof line, "%zu", r.err.line);
        if (*expected == 'l')
            assert_string_equal(line, expected + 5);
        else if (r.status != CR_OK || strstr(r.text.data, wanted) == NULL)
            fail_msg("%s %s", r.err.message, r.status == CR_OK ? r.text.data : "");
        cr__buffer_free(&r.text);
    }
    cr__source_sample_size = sample;
    cr__json_places_limit = places;
    cr__buffer_free(&text);
}

/* What is inside an object is no value of the record, even where its keys follow one another as
 * those of records do; and a record that cannot be cut leaves nothing that the next is taken for.
 */
static void a_record_may_look_like_another(void **state)
{
    (void)state;
    expect_among_plain("{\"meta\": {\"id\": 1, \"w\": \"v\", \"x\": 3, \"y\": \"q\"}}", "~|~|~||~");
    expect_among_plain("{\"meta\": [1, \"w\", 2, 3]}", "~|~|~||~");
    expect_among_plain("{\"meta\":  {\"id\": 1, \"w\": \"v\", \"x\": 3, \"y\": \"q\"}}",
                       "~|~|~||~");
    expect_among_plain("{\"meta\": \t[1, {\"w\": 2, \"x\": 3}]}", "~|~|~||~");
    expect_among_plain("{\"w\":  \"v\", \"in\":  {  \"a\":  \"u\"}, \"meta\":\t{\"w\": \"z\"}}",
                       "\"v\"|~|\"u\"||~");
    expect_among_plain("{\"meta\": {\"id\": 1}, \"in\": {}, \"w\": \"v\"}", "\"v\"|~|~||~");
    expect_among_plain("{\"meta\": \", \"w\": \"a\", \"x\": 2.5, \"y\": \"q\"}", "line 250");
    expect_among_plain("{\"meta\": null, \"w\": \", \"x\": 2.5, \"y\": \"q\"}", "line 250");
    expect_among_plain("{\"meta\": null, \"w\": \"a\", \"x\": \", \"y\": \"q\"}", "line 250");
}

static void faults_among_good_records_are_found(void **state)
{
    static const char *const bad[] = {
        "{\"a\": 1, \"b\": \"x\" \"y\": \"u\"}",
        "{\"a\": 1, \"b\": x, \"y\": \"u\"}",
        "{\"a\": 1, \"b\": \"x, \"y\": \"u\"}",
        "{\"a\": 1, \"b\": x\", \"y\": \"u\"}",
        "{\"a\": 1, :\"x\", \"y\": \"u\"}",
        "{\"a\": 1, \"a\": 1, \"y\": \"u\"}",
        "{\"a\": 1, \"b\": \"x\", \"y\": \"u\",}",
        "{\"a\": 1, \"b\": \"x\", \"y\": \"u\"",
        "{\"a\": 1, \"b\": \"x\"}, {\"y\": \"u\"}",
        "{\"a\": 1, \"b\": \"x\"} {\"y\": \"u\"}",
        "{\"a\": 1,\n \"b\": \"x\", \"y\": \"u\"}",
        "{\"a\": , \"b\": \"x\", \"y\": \"u\"}",
        "{\"a\": 1-2, \"b\": \"x\", \"y\": \"u\"}",
        "{\"a\": 1, \"b\": \"x\", \"y\": }",
        "{\"a\": 1, \"b\": \"x\\\", \"y\": \"u\"}",
        "\"a\": 1, \"b\": \"x\", \"y\": \"u\"}",
        "{\"a\": 1, \"b\": [\"x\", \"y\"], \"y\": \"u\"}",
        "{:1.5, \"b\": \"x\", \"y\": \"u\"}",
    };
    const size_t sample = cr__source_sample_size;

    (void)state;
    cr__source_sample_size = 100;
    for (size_t i = 0; i < sizeof bad / sizeof *bad; i++) {
        cr__buffer text = {0};
        reading r;

        for (int row = 0; row < 4000; row++) /* the fault is beyond what opening looks at */
            cr__buffer_printf(&text, "%s\n",
                              row == 3500 ? bad[i] : "{\"a\": 1.5, \"b\": \"x\", \"y\": \"u\"}");
        r = read_memory_n(text.data, text.size, NULL);
        assert_int_equal(r.status, CR_EFORMAT);
        assert_int_equal(r.err.line, 3501);
        cr__buffer_free(&r.text);
        cr__buffer_free(&text);
    }
    cr__source_sample_size = sample;
}

static void keys_met_late_are_taken_in(void **state)
{
    const size_t sample = cr__source_sample_size;
    cr__buffer text = {0};
    reading r;

    (void)state;
    cr__buffer_adds(&text, "{\"a\":1,\"y\":\"u\"}\n");
    for (int i = 0; i < 9000; i++) /* beyond what opening looks at */
        cr__buffer_adds(&text, "{\"a\":1,\"y\":\"u\"}\n");
    cr__buffer_adds(&text, "{\"new\":\"x\",\"y\":\"u\"}\n{\"newer\":1.5,\"a\":0,\"new\":null}\n");
    cr__source_sample_size = 100;
    r = read_memory_n(text.data, text.size, NULL);
    cr__source_sample_size = sample;
    assert_int_equal(r.status, CR_OK);
    assert_ptr_equal(strstr(r.text.data,
                            "a=symbol/binary y=symbol/target new=symbol/words newer=real/numbers\n"
                            "1: \"1\"|\"u\"|~|~\n"),
                     r.text.data);
    assert_non_null(strstr(r.text.data, "9002: ~|\"u\"|\"x\"|~\n9003: \"0\"|~|~|1.5\n"));
    assert_int_equal(r.passes, 2);
    cr__buffer_free(&r.text);
    cr__buffer_free(&text);
}

static void an_escaped_nul_does_not_end_a_word(void **state)
{
    (void)state;
    expect_reading("{\"a\":\"x\\u0000y\",\"y\":\"u\"}\n", NULL,
                   "a=symbol/words y=symbol/target\n1: \"x\xef\xbf\xbdy\"|\"u\"\n");
}

static void the_target_is_the_last_key_of_the_first_record(void **state)
{
    (void)state;
    expect_reading("{\"a\":1,\"y\":\"u\"}\n{\"b\":2,\"y\":\"v\",\"a\":0}\n", NULL,
                   "a=symbol/binary y=symbol/target b=real/numbers\n"
                   "1: \"1\"|\"u\"|~\n2: \"0\"|\"v\"|2\n");
}

static void arrays_are_refused_unless_ignored(void **state)
{
    const char *const types[] = {"t=ignore", "o=ignore"};

    (void)state;
    expect_error("{\"a\":1,\"t\":[1,2],\"y\":\"u\"}\n", NULL, CR_EFORMAT, 1, 2,
                 "the key 't' holds an array (type t=ignore leaves it out)");
    expect_reading("{\"a\":1.5,\"t\":[1,\"]\",[{}]],\"o\":{\"x\":[\"}\\\"\"]},\"y\":\"u\"}\n",
                   &(cr_source_options){.types = types, .type_count = 2},
                   "a=real/numbers y=symbol/target\n1: 1.5|\"u\"\n");
}

static void faults_are_told(void **state)
{
    char deep[400] = "";

    (void)state;
    expect_error("{\"a\":1,\"y\":2}\n{\"a\":1,\"a\":2}\n", NULL, CR_EFORMAT, 2, 1,
                 "the key 'a' occurs twice");
    expect_error("{\"a\":{\"b\":1},\"a.b\":2}\n", NULL, CR_EFORMAT, 1, 1, "occurs twice");
    expect_error("{\"a\":1\n", NULL, CR_EFORMAT, 1, 0, "not closed");
    expect_error("{\"a\":1 \"b\":2}\n", NULL, CR_EFORMAT, 1, 0, "a comma or brace is expected");
    expect_error("{\"a\" 1}\n", NULL, CR_EFORMAT, 1, 0, "a colon is expected");
    expect_error("{\"a\":}\n", NULL, CR_EFORMAT, 1, 0, "an invalid value");
    expect_error("{\"a\":nul}\n", NULL, CR_EFORMAT, 1, 0, "an invalid value");
    expect_error("{\"a\":1x}\n", NULL, CR_EFORMAT, 1, 0, "an invalid value");
    expect_error("{\"a\":1,}\n", NULL, CR_EFORMAT, 1, 0, "a key is expected");
    expect_error("{a:1}\n", NULL, CR_EFORMAT, 1, 0, "a key is expected");
    expect_error("{\"a\":1} x\n", NULL, CR_EFORMAT, 1, 0, "text after the object");
    expect_error("{\"a\":\"x}\n", NULL, CR_EFORMAT, 1, 0, "a string that is not closed");
    expect_error("{\"a\":\"\\x\"}\n", NULL, CR_EFORMAT, 1, 0, "bad escape");
    expect_error("{\"a\":\"\\u12\"}\n", NULL, CR_EFORMAT, 1, 0, "bad escape");
    expect_error("{\"a\":1.5}\n{\"a\":1e999}\n", &(cr_source_options){.target = "a"}, CR_OK, 0, 0,
                 "");
    expect_error("{\"a\":1.5,\"y\":1}\n{\"a\":1e999}\n", NULL, CR_EFORMAT, 2, 1,
                 "beyond the range");
    expect_error("[1]\n", &(cr_source_options){.format = "jsonl"}, CR_EFORMAT, 1, 0,
                 "every line must be one JSON object");
    expect_error("[1]\n", &(cr_source_options){.format = "jsonl"}, CR_EFORMAT, 1, 0,
                 "jq -c '.[]' those of an array");
    for (int i = 0; i < 70; i++)
        strcat(deep, "{\"a\":");
    strcat(deep, "\n");
    expect_error(deep, NULL, CR_EFORMAT, 1, 0, "nested more than 64 deep");
}

static void records_split_by_column(void **state)
{
    static const char text[] =
        "{\"a\":1.50,\"b\":\"x\\ty\",\"c\":[\"\\n\"],\"y\":null}\n{\"y\":true}\n";
    const char *const types[] = {"c=ignore"};
    const cr_source_options options = {.types = types, .type_count = 1};
    cr_source *source;
    const cr_schema *schema;
    cr__plan plan;
    cr__batch *batch;
    cr__chunk chunk;
    cr__fields fields = {0};
    cr_error err;

    (void)state;
    assert_int_equal(cr_source_open_memory(&source, text, sizeof text - 1, NULL, &options, &err),
                     CR_OK);
    assert_int_equal(cr__source_infer(source, CR__TARGET_CLASS, &schema, &err), CR_OK);
    assert_int_equal(reading_plan(&plan, schema, &err), CR_OK);
    assert_int_equal(cr__batch_new(&batch, schema, &err), CR_OK);
    assert_int_equal(cr__source_next(source, &chunk, &err), CR_OK);
    assert_int_equal(cr__source_parse(&chunk, &plan, batch, &err), CR_OK);
    assert_int_equal(cr__source_split(&chunk, &batch->record[0], &fields, &err), CR_OK);
    assert_int_equal(fields.count, 3);
    assert_memory_equal(fields.bytes[0], "1.50", fields.size[0]);
    assert_memory_equal(fields.bytes[1], "x\ty", fields.size[1]);
    assert_null(fields.bytes[2]);
    assert_int_equal(cr__source_split(&chunk, &batch->record[1], &fields, &err), CR_OK);
    assert_null(fields.bytes[0]);
    assert_memory_equal(fields.bytes[2], "true", fields.size[2]);
    cr__fields_free(&fields);
    cr__source_release(&chunk);
    cr__batch_free(batch);
    reading_plan_free(&plan);
    cr_source_close(source);
}

/* A model's column may be absent from the first records, and even from all. */
static void a_models_columns_need_not_be_met(void **state)
{
    static const char text[] = "{\"b\":\"x\",\"other\":[1]}\n{\"a\":2.5,\"t\":\"u\"}\n";
    cr_schema *schema;
    cr__plan plan;
    cr_source *source;
    cr__buffer out = {0};
    cr_error err;

    (void)state;
    cr__schema_new(&schema, &err);
    cr__schema_add(schema, "a", 1, CR_REAL, CR_ROLE_FEATURE, CR_WHY_NUMBERS, &err);
    cr__schema_add(schema, "b", 1, CR_SYMBOL, CR_ROLE_FEATURE, CR_WHY_WORDS, &err);
    cr__schema_add(schema, "z", 1, CR_REAL, CR_ROLE_FEATURE, CR_WHY_NUMBERS, &err);
    cr__schema_add(schema, "t", 1, CR_SYMBOL, CR_ROLE_TARGET, CR_WHY_TARGET, &err);
    assert_int_equal(reading_plan(&plan, schema, &err), CR_OK);
    assert_int_equal(cr_source_open_memory(&source, "{\"b\":\"x\"}\n", 10, NULL, NULL, &err),
                     CR_OK);
    assert_int_equal(cr__source_bind(source, schema, 0, 0, &err), CR_OK);
    assert_int_equal(cr__source_fields(source), 1);
    cr_source_close(source);
    assert_int_equal(cr_source_open_memory(&source, text, strlen(text), NULL, NULL, &err), CR_OK);
    assert_int_equal(cr__source_bind(source, schema, 1, 0, &err), CR_OK);
    assert_int_equal(reading_pass(source, &plan, &out, &err), CR_OK);
    cr__buffer_addc(&out, 0);
    assert_string_equal(out.data, "1: ~|\"x\"|~|~\n2: 2.5|~|~|\"u\"\n");
    cr__buffer_free(&out);
    cr_source_close(source);
    reading_plan_free(&plan);
    cr__schema_free(schema);
}

/* A key that is misspelt would otherwise go unnoticed: it is simply absent. */
static void a_key_that_the_model_does_not_know_is_noted_once(void **state)
{
    static const char *const texts[] = {
        "{\"heihgt\":1,\"other\":2}\n",
        "{\"height\":1}\n{\"heihgt\":1,\"other\":2}\n",
    };
    cr_schema *schema;
    cr_error err;

    (void)state;
    cr__schema_new(&schema, &err);
    cr__schema_add(schema, "height", 6, CR_REAL, CR_ROLE_FEATURE, CR_WHY_NUMBERS, &err);
    cr__schema_add(schema, "t", 1, CR_SYMBOL, CR_ROLE_TARGET, CR_WHY_TARGET, &err);
    for (size_t i = 0; i < 2; i++) {
        cr__buffer out = {0};
        cr_source *source;
        cr__plan plan;

        assert_int_equal(reading_plan(&plan, schema, &err), CR_OK);
        assert_int_equal(
            cr_source_open_memory(&source, texts[i], strlen(texts[i]), NULL, NULL, &err), CR_OK);
        assert_int_equal(cr__source_bind(source, schema, 0, 0, &err), CR_OK);
        assert_int_equal(reading_pass(source, &plan, &out, &err), CR_OK);
        assert_string_equal(cr_source_note(source, 0),
                            "the model does not know the key 'heihgt'; did you mean 'height'?");
        assert_null(cr_source_note(source, 1));
        cr__buffer_free(&out);
        cr_source_close(source);
        reading_plan_free(&plan);
    }
    cr__schema_free(schema);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(keys_become_columns_in_the_order_they_are_met),
        cmocka_unit_test(nested_keys_are_joined),
        cmocka_unit_test(strings_are_words_and_so_are_true_and_false),
        cmocka_unit_test(escapes_are_decoded),
        cmocka_unit_test(more_blanks_before_a_value_change_nothing),
        cmocka_unit_test(the_short_way_reads_what_the_long_one_reads),
        cmocka_unit_test(strips_read_what_single_records_read),
        cmocka_unit_test(every_spelling_is_read_by_columns_as_by_itself),
        cmocka_unit_test(a_broken_record_is_told_as_by_itself),
        cmocka_unit_test(two_records_are_not_one),
        cmocka_unit_test(a_record_may_look_like_another),
        cmocka_unit_test(faults_among_good_records_are_found),
        cmocka_unit_test(keys_met_late_are_taken_in),
        cmocka_unit_test(the_target_is_the_last_key_of_the_first_record),
        cmocka_unit_test(an_escaped_nul_does_not_end_a_word),
        cmocka_unit_test(arrays_are_refused_unless_ignored),
        cmocka_unit_test(faults_are_told),
        cmocka_unit_test(records_split_by_column),
        cmocka_unit_test(a_models_columns_need_not_be_met),
        cmocka_unit_test(a_key_that_the_model_does_not_know_is_noted_once),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
