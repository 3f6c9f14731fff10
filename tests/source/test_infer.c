/* tests/source/test_infer.c - guessed kinds, how they are corrected, and existing schemas.
 */
#include "source/reading.h"

/* A table whose first `plain` rows have the value `usual` in its column, and then one `odd`. */
static reading read_with_odd(const char *usual, const char *odd, size_t plain)
{
    cr__buffer text = {0};
    reading r;

    cr__buffer_adds(&text, "a,y\n");
    for (size_t i = 0; i < plain; i++)
        cr__buffer_printf(&text, "%s,u\n", usual);
    cr__buffer_printf(&text, "%s,v\n", odd);
    r = read_memory_n(text.data, text.size, NULL);
    cr__buffer_free(&text);
    return r;
}

#define BEYOND 300000 /* rows: more than the sample sees */

static void expect_kind(const char *usual, const char *odd, const char *kinds, int passes)
{
    reading r = read_with_odd(usual, odd, BEYOND);
    char *line_end;

    if (r.status != CR_OK)
        fail_msg("%s: %s", odd, r.err.message);
    line_end = strchr(r.text.data, '\n');
    *line_end = 0;
    assert_string_equal(r.text.data, kinds);
    assert_int_equal(r.passes, passes);
    cr__buffer_free(&r.text);
}

static void guesses_that_break_late_are_widened(void **state)
{
    (void)state;
    expect_kind("1", "0", "a=symbol/binary y=symbol/target", 1);
    expect_kind("1", "2", "a=real/numbers y=symbol/target", 2);
    expect_kind("1", "x", "a=symbol/words y=symbol/target", 2);
    expect_kind("1.5", "x", "a=symbol/words y=symbol/target", 2);
    expect_kind("1.5", "", "a=real/numbers y=symbol/target", 1);
    expect_kind("?", "0", "a=symbol/binary y=symbol/target", 2);
    expect_kind("?", "7", "a=real/numbers y=symbol/target", 2);
    expect_kind("?", "x", "a=symbol/words y=symbol/target", 2);
    expect_kind("?", "?", "a=real/empty y=symbol/target", 1);
    expect_kind("x", "7", "a=symbol/words y=symbol/target", 1);
}

/* However many columns break, there are at most three passes: one more to correct the first, one
 * more after all rows have been surveyed. */
static void many_broken_guesses_cost_few_passes(void **state)
{
    cr__buffer text = {0};
    reading r;

    (void)state;
    cr__buffer_adds(&text, "a,b,c,d,e,f,y\n");
    for (int i = 0; i < 90000; i++)
        cr__buffer_adds(&text, "0,1,2,?,1,0,u\n");
    cr__buffer_adds(&text, "2,1,2,?,1,0,u\n0,x,2,?,1,0,u\n0,1,x,?,1,0,u\n0,1,2,x,1,0,u\n"
                           "0,1,2,?,9,0,u\nx,1,2,?,1,0,u\n0,1,2,?,1,0,\n");
    r = read_memory_n(text.data, text.size, NULL);
    assert_int_equal(r.status, CR_OK);
    *strchr(r.text.data, '\n') = 0;
    assert_string_equal(r.text.data, "a=symbol/words b=symbol/words c=symbol/words d=symbol/words "
                                     "e=real/numbers f=symbol/binary y=symbol/target");
    assert_true(r.passes <= 3);
    cr__buffer_free(&r.text);
    cr__buffer_free(&text);
}

static void given_types_hold(void **state)
{
    const char *const types[] = {"a=symbol", "b=ignore", "c=real"};
    const char *const real[] = {"a=real"};

    (void)state;
    expect_reading("a,b,c,y\n1.5,x,0,u\n2,y,1,v\n", CSV_OPTIONS(.types = types, .type_count = 3),
                   "a=symbol/given b=ignore/given c=real/given y=symbol/target\n"
                   "2: \"1.5\"||0|\"u\"\n3: \"2\"||1|\"v\"\n");
    expect_error("a,y\n1,u\nx,v\n", CSV_OPTIONS(.types = real, .type_count = 1), CR_EFORMAT, 3, 1,
                 "'x' in column 'a' is not a number (type a=symbol");
}

static void wrong_types_are_refused(void **state)
{
    const char *const unknown[] = {"widt=real"};
    const char *const odd[] = {"a=number"}, *const no_equals[] = {"a"},
                      *const ignored[] = {"y=ignore"};
    const char *const twice[] = {"a=real", "a=symbol"};

    (void)state;
    expect_error("width,y\n1,u\n", CSV_OPTIONS(.types = unknown, .type_count = 1), CR_EARG, 0, 0,
                 "did you mean 'width'?");
    expect_error("a,y\n1,u\n", CSV_OPTIONS(.types = odd, .type_count = 1), CR_EARG, 0, 0,
                 "'number'");
    expect_error("a,y\n1,u\n", CSV_OPTIONS(.types = no_equals, .type_count = 1), CR_EARG, 0, 0,
                 "COLUMN=TYPE");
    expect_error("a,y\n1,u\n", CSV_OPTIONS(.types = ignored, .type_count = 1), CR_EARG, 0, 0,
                 "is the target and must be symbol");
    expect_error("a,y\n1,u\n", CSV_OPTIONS(.types = twice, .type_count = 2), CR_EARG, 0, 0,
                 "two types");
}

static void the_target_is_the_last_column_or_as_told(void **state)
{
    (void)state;
    expect_reading("a,b\n1,2.5\n", NULL, "a=symbol/binary b=symbol/target\n2: \"1\"|\"2.5\"\n");
    expect_reading("a,b\n1,2.5\n", CSV_OPTIONS(.target = "a"),
                   "a=symbol/target b=real/numbers\n2: \"1\"|2.5\n");
    expect_reading("a,b\n1,2.5\n", CSV_OPTIONS(.target = "1"),
                   "a=symbol/target b=real/numbers\n2: \"1\"|2.5\n");
    expect_reading("2,b\n1,2.5\n", CSV_OPTIONS(.target = "2"),
                   "2=symbol/target b=real/numbers\n2: \"1\"|2.5\n");
    expect_error("class,b\n1,2\n", CSV_OPTIONS(.target = "clas"), CR_EARG, 0, 0,
                 "there is no column 'clas' to learn (did you mean 'class'?)");
    expect_error("a,b\n1,2\n", CSV_OPTIONS(.target = "3"), CR_EARG, 0, 0, "'3'");
}

static void a_real_target_must_be_a_number(void **state)
{
    reading r = {.use = CR__TARGET_REAL};
    cr_source *source;

    (void)state;
    assert_int_equal(cr_source_open_memory(&source, "a,y\nu,1\nv,x\n", 12, NULL, NULL, &r.err),
                     CR_OK);
    reading_run(&r, source);
    assert_int_equal(r.status, CR_EFORMAT);
    assert_int_equal(r.err.line, 3);
    assert_non_null(strstr(r.err.message, "not a number"));
    cr_source_close(source);
    cr__buffer_free(&r.text);

    r = (reading){.use = CR__TARGET_REAL};
    assert_int_equal(cr_source_open_memory(&source, "a,y\nu,1\nv,0\n", 12, NULL, NULL, &r.err),
                     CR_OK);
    reading_run(&r, source);
    assert_string_equal(r.text.data, "a=symbol/words y=real/numbers\n2: \"u\"|1\n3: \"v\"|0\n");
    cr_source_close(source);
    cr__buffer_free(&r.text);
}

static void without_a_target_all_columns_are_alike(void **state)
{
    reading r = {.use = CR__TARGET_NONE};
    cr_source *source;

    (void)state;
    assert_int_equal(cr_source_open_memory(&source, "a,y\n1.5,1\n2,0\n", 14, NULL, NULL, &r.err),
                     CR_OK);
    reading_run(&r, source);
    assert_string_equal(r.text.data, "a=real/numbers y=symbol/binary\n2: 1.5|\"1\"\n3: 2|\"0\"\n");
    cr_source_close(source);
    cr__buffer_free(&r.text);
}

static void weights_come_from_their_column(void **state)
{
    (void)state;
    expect_reading("a,w,y\nx,2,u\nz,0.5,v\n", CSV_OPTIONS(.weight = "w"),
                   "a=symbol/words w=real/given y=symbol/target\n"
                   "2: \"x\"|2|\"u\" *2\n3: \"z\"|0.5|\"v\" *0.5\n");
    expect_error("a,w,y\nx,-1,u\n", CSV_OPTIONS(.weight = "w"), CR_EFORMAT, 2, 0, "negative");
    expect_error("a,w,y\nx,,u\n", CSV_OPTIONS(.weight = "w"), CR_EFORMAT, 2, 0, "missing");
    expect_error("a,w\nx,1\n", CSV_OPTIONS(.weight = "w"), CR_EARG, 0, 0, "name a target");
    expect_error("a,w\nx,1\n", CSV_OPTIONS(.weight = "a", .target = "a"), CR_EARG, 0, 0, "both");
}

/* --- a model's schema ---------------------------------------------------------------------- */

typedef struct bound {
    cr_schema *schema;
    cr__plan plan;
} bound;

/* Columns: a real, b symbol {x, y}, t target {u, v}. */
static void make_bound(bound *m)
{
    cr_error err;
    uint32_t code;

    assert_int_equal(cr__schema_new(&m->schema, &err), CR_OK);
    cr__schema_add(m->schema, "a", 1, CR_REAL, CR_ROLE_FEATURE, CR_WHY_NUMBERS, &err);
    cr__schema_add(m->schema, "b", 1, CR_SYMBOL, CR_ROLE_FEATURE, CR_WHY_WORDS, &err);
    cr__schema_add(m->schema, "t", 1, CR_SYMBOL, CR_ROLE_TARGET, CR_WHY_TARGET, &err);
    assert_int_equal(reading_plan(&m->plan, m->schema, &err), CR_OK);
    cr__dict_intern(m->plan.dict[1], "x", 1, &code);
    cr__dict_intern(m->plan.dict[1], "y", 1, &code);
    cr__dict_intern(m->plan.dict[2], "u", 1, &code);
    m->plan.grow = 0;
}

static reading read_bound(bound *m, const char *text, int need_target, int allow_absent,
                          const cr_source_options *options)
{
    reading r = {0};
    cr_source *source;

    r.status = cr_source_open_memory(&source, text, strlen(text), NULL, options, &r.err);
    if (r.status == CR_OK)
        r.status = cr__source_bind(source, m->schema, need_target, allow_absent, &r.err);
    if (r.status == CR_OK)
        r.status = reading_pass(source, &m->plan, &r.text, &r.err);
    cr__buffer_addc(&r.text, 0);
    cr_source_close(source);
    return r;
}

static void columns_are_matched_by_name(void **state)
{
    bound m;
    reading r;

    (void)state;
    make_bound(&m);
    r = read_bound(&m, "t,extra,b,a\nu,9,y,1.5\nw,9,z,\n", 1, 0, NULL);
    assert_string_equal(r.text.data, "2: 1.5|\"y\"|\"u\"\n3: ~|!|!\n");
    cr__buffer_free(&r.text);
    r = read_bound(&m, "b,a\ny,1.5\n", 0, 0, NULL);
    assert_string_equal(r.text.data, "2: 1.5|\"y\"|~\n");
    cr__buffer_free(&r.text);
    r = read_bound(&m, "a\n1.5\n", 0, 1, NULL);
    assert_string_equal(r.text.data, "2: 1.5|~|~\n");
    cr__buffer_free(&r.text);
    r = read_bound(&m, "b,a\ny,1.5\n", 1, 0, NULL);
    assert_int_equal(r.status, CR_ECONFLICT);
    assert_non_null(strstr(r.err.message, "no column 't'"));
    cr__buffer_free(&r.text);
    r = read_bound(&m, "aa,b\n1,y\n", 0, 0, NULL);
    assert_int_equal(r.status, CR_ECONFLICT);
    assert_string_equal(r.err.hint, "the nearest is 'aa'");
    cr__buffer_free(&r.text);
    r = read_bound(&m, "a,b\n1,y\nx,y\n", 0, 0, NULL);
    assert_int_equal(r.status, CR_EFORMAT);
    assert_int_equal(r.err.line, 3);
    cr__buffer_free(&r.text);
    reading_plan_free(&m.plan);
    cr__schema_free(m.schema);
}

/* Every allocation may fail; nothing leaks and nothing crashes. */
/* Three blanks on average make sentences of words, when most of them differ. */
static void sentences_are_texts(void **state)
{
    const char *const types[] = {"a=symbol"};

    (void)state;
    expect_reading("a,y\nthe cat sat there,u\nanother one of those,v\n?,u\n", NULL,
                   "a=bag/text y=symbol/target\n2: [the cat sat there]|\"u\"\n"
                   "3: [another one of those]|\"v\"\n4: ~|\"u\"\n");
    expect_reading("a,y\nthe cat sat there,u\nanother one of those,v\n",
                   &(cr_source_options){.types = types, .type_count = 1},
                   "a=symbol/given y=symbol/target\n2: \"the cat sat there\"|\"u\"\n"
                   "3: \"another one of those\"|\"v\"\n");
    expect_reading("a,y\nnew york city,u\nlos angeles,v\n", NULL,
                   "a=symbol/words y=symbol/target\n2: \"new york city\"|\"u\"\n"
                   "3: \"los angeles\"|\"v\"\n");
    expect_reading("y,a\n1,i do agree fully\n2,i do not agree\n", NULL,
                   "y=real/numbers a=symbol/target\n2: 1|\"i do agree fully\"\n"
                   "3: 2|\"i do not agree\"\n");
}

static void answers_that_come_again_are_no_texts(void **state)
{
    cr__buffer text = {0};
    reading r;

    (void)state;
    cr__buffer_adds(&text, "a,b,y\n");
    for (int i = 0; i < 3000; i++)
        cr__buffer_printf(&text, "%s,i have said it %d times,u\n",
                          i % 3 == 0 ? "i do agree fully" : "i do not agree at all", i % 2000);
    r = read_memory_n(text.data, text.size, NULL);
    assert_int_equal(r.status, CR_OK);
    *strchr(r.text.data, '\n') = 0;
    assert_string_equal(r.text.data, "a=symbol/words b=bag/text y=symbol/target");
    cr__buffer_free(&r.text);
    cr__buffer_free(&text);
}

static void a_broken_guess_is_noted_with_its_place(void **state)
{
    cr__buffer text = {0};

    (void)state;
    cr__buffer_adds(&text, "a,b,y\n");
    for (int i = 0; i < 200000; i++)
        cr__buffer_adds(&text, "1.5,0,u\n");
    cr__buffer_adds(&text, "oops,0,u\n");
    expect_note(text.data, text.size, NULL,
                "memory:200002: 'oops' in column 'a' is not a number: the column is read as "
                "symbol");
    cr__buffer_clear(&text);
    cr__buffer_adds(&text, "a,b,y\n");
    for (int i = 0; i < 200000; i++)
        cr__buffer_adds(&text, ",0,u\n");
    cr__buffer_adds(&text, "7,2,u\n");
    expect_note(text.data, text.size, NULL,
                "column 'b' has other values after the first rows: it is read as real");
    cr__buffer_clear(&text);
    cr__buffer_adds(&text, "b,y\n");
    for (int i = 0; i < 300000; i++)
        cr__buffer_adds(&text, "0,u\n");
    cr__buffer_adds(&text, "2,u\n");
    expect_note(text.data, text.size, NULL,
                "memory:300002: '2' in column 'b' is neither 0 nor 1: the column is read as real");
    cr__buffer_free(&text);
}

static void decimal_commas_are_noted(void **state)
{
    const char commas[] = "a;b;y\n1,5;1,5;u\n-2,25;x;v\n", points[] = "a;y\n1.5;u\n2;v\n";

    (void)state;
    expect_note(commas, strlen(commas), NULL, "column 'a' look like numbers with a decimal comma");
    expect_note(points, strlen(points), NULL, NULL);
}

static void memory_may_run_out_anywhere(void **state)
{
    static const char *const texts[] = {
        "a,b,c,y\n1.5,red,0,u\n2,\"bl\"\"ue\",1,v\n?,?,x,u\n",
        "@relation r\n@attribute a real\n@attribute 'b' {x,'y z'}\n@data\n1,'y z'\n{1 x},{2}\n",
        "{\"a\":1.5,\"b\":{\"c\":\"x\\ny\"},\"y\":\"u\"}\n{\"d\":0,\"y\":\"v\"}\n",
        "+1 1:0.5 3:1\n-1 2:7 9:1\n",
        "a,y\nthe cat sat there,u\nanother one of those,v\n",
        "__label__a one\n__label__b two\n",
    };

    (void)state;
    for (size_t i = 0; i < sizeof texts / sizeof *texts; i++) {
        reading r;
        long n = 0;

        for (;; n++) {
            cr__memory_fail_after = n;
            r = read_memory(texts[i], &(cr_source_options){.classes = "u=x"});
            cr__memory_fail_after = -1;
            if (r.status == CR_OK && !r.text.failed)
                break;
            assert_true(r.status == CR_ENOMEM || r.text.failed);
            cr__buffer_free(&r.text);
        }
        cr__buffer_free(&r.text);
        assert_true(n > 20);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(guesses_that_break_late_are_widened),
        cmocka_unit_test(many_broken_guesses_cost_few_passes),
        cmocka_unit_test(given_types_hold),
        cmocka_unit_test(wrong_types_are_refused),
        cmocka_unit_test(the_target_is_the_last_column_or_as_told),
        cmocka_unit_test(a_real_target_must_be_a_number),
        cmocka_unit_test(without_a_target_all_columns_are_alike),
        cmocka_unit_test(weights_come_from_their_column),
        cmocka_unit_test(columns_are_matched_by_name),
        cmocka_unit_test(sentences_are_texts),
        cmocka_unit_test(answers_that_come_again_are_no_texts),
        cmocka_unit_test(a_broken_guess_is_noted_with_its_place),
        cmocka_unit_test(decimal_commas_are_noted),
        cmocka_unit_test(memory_may_run_out_anywhere),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
