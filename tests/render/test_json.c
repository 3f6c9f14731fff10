/* tests/render/test_json.c - JSON as RFC 8259 has it, into memory and into a function. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include <math.h>
#include <string.h>

#include "credence/json.h"

static void assert_output(const cr_output *out, const char *expected)
{
    size_t size;
    const char *data = cr_output_data(out, &size);

    if (size != strlen(expected) || memcmp(data, expected, size) != 0)
        fail_msg("found '%.*s', expected '%s'", (int)size, data, expected);
}

static void blocks_and_lines_nest(void **state)
{
    const double x[] = {1, -0.0, 0.1, INFINITY};
    cr_output *out;
    cr_json j;

    (void)state;
    assert_int_equal(cr_output_new(&out, NULL, NULL, NULL), CR_OK);
    cr_json_start(&j, out);
    cr_json_object(&j, NULL, CR_JSON_BLOCK);
    cr_json_text(&j, "name", "a\"b\\c\n\t\x01\xff");
    cr_json_text(&j, "none", NULL);
    cr_json_bool(&j, "yes", 1);
    cr_json_numbers(&j, "x", x, 4);
    cr_json_array(&j, "empty", CR_JSON_BLOCK);
    cr_json_end(&j);
    cr_json_object(&j, "inner", CR_JSON_LINE);
    cr_json_number(&j, "y", 1e-7);
    cr_json_array(&j, "z", CR_JSON_BLOCK); /* within a line all is one line */
    cr_json_number(&j, NULL, 1e16);
    cr_json_end(&j);
    cr_json_end(&j);
    cr_json_end(&j);
    assert_int_equal(cr_output_flush(out), CR_OK);
    assert_output(out, "{\n  \"name\": \"a\\\"b\\\\c\\n\\t\\u0001\xEF\xBF\xBD\",\n"
                       "  \"none\": null,\n  \"yes\": true,\n  \"x\": [1, 0, 0.1, null],\n"
                       "  \"empty\": [],\n  \"inner\": {\"y\": 1e-07, \"z\": [1e+16]}\n}\n");
    cr_output_free(out);
}

typedef struct gathered {
    size_t bytes, calls;
} gathered;

static cr_status gather(void *context, const char *bytes, size_t size)
{
    gathered *g = context;

    (void)bytes;
    g->bytes += size;
    return ++g->calls > 1 ? CR_EIO : CR_OK;
}

/* The first failure stays, and nothing is written after it. */
static void a_failed_write_ends_the_output(void **state)
{
    gathered g = {0};
    cr_output *out;

    (void)state;
    assert_int_equal(cr_output_new(&out, gather, &g, NULL), CR_OK);
    cr_output_text(out, "abc");
    assert_int_equal(g.calls, 0);
    assert_int_equal(cr_output_flush(out), CR_OK);
    assert_true(g.bytes == 3);
    cr_output_number(out, 2.5);
    assert_int_equal(cr_output_flush(out), CR_EIO);
    cr_output_text(out, "d");
    assert_int_equal(cr_output_flush(out), CR_EIO);
    assert_true(g.bytes == 6 && g.calls == 2);
    cr_output_free(out);
}

/* Deeper than there is room: left out, and the ends still match. */
static void too_deep_is_no_crash(void **state)
{
    cr_output *out;
    cr_json j;

    (void)state;
    assert_int_equal(cr_output_new(&out, NULL, NULL, NULL), CR_OK);
    cr_json_start(&j, out);
    for (int i = 0; i < CR_JSON_DEPTH + 3; i++)
        cr_json_array(&j, NULL, CR_JSON_LINE);
    for (int i = 0; i < CR_JSON_DEPTH + 3; i++)
        cr_json_end(&j);
    assert_output(out, "[[[[[[[[[[[[[[[[]]]]]]]]]]]]]]]]\n");
    cr_output_free(out);
}

static void numbers_are_shown_as_people_read_them(void **state)
{
    static const struct {
        cr_show how;
        double x;
        const char *text;
    } list[] = {{CR_SHOW_PLAIN, 150, "150"},
                {CR_SHOW_PLAIN, 0.123456, "0.1235"},
                {CR_SHOW_PLAIN, -0.0, "0"},
                {CR_SHOW_PERCENT, 0.885, "88.5 %"},
                {CR_SHOW_PERCENT, 0.99999, ">99.99 %"},
                {CR_SHOW_PROBABILITY, 1e-9, "1.0e-09"},
                {CR_SHOW_P, 1e-9, "<0.0001"},
                {CR_SHOW_P, NAN, ""},
                {CR_SHOW_BYTES, 12345, "12.3 kB"},
                {CR_SHOW_SECONDS, 0.0123, "12.3 ms"},
                {CR_SHOW_POWER, -5000, "3.3697e-2172"},
                {CR_SHOW_INDEX, INFINITY, "inf"}};
    char buffer[CR_SHOW_SIZE];

    (void)state;
    for (size_t i = 0; i < sizeof list / sizeof *list; i++)
        assert_string_equal(cr_show_number(buffer, list[i].how, list[i].x), list[i].text);
}

int main(void)
{
    const struct CMUnitTest tests[] = {cmocka_unit_test(blocks_and_lines_nest),
                                       cmocka_unit_test(a_failed_write_ends_the_output),
                                       cmocka_unit_test(too_deep_is_no_crash),
                                       cmocka_unit_test(numbers_are_shown_as_people_read_them)};

    return cmocka_run_group_tests(tests, NULL, NULL);
}
