/* tests/base/test_shown.c - text for terminals, CSV and JSON: widths, quotes, control characters.
 *
 * Widths are those of Unicode (a Chinese character takes two columns, a combining accent none);
 * quotes are those of RFC 4180 and RFC 8259.
 */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include <string.h>

#include "support/in_memory.h"

static void widths(void **state)
{
    (void)state;
    assert_int_equal(cr_show_width("naive"), 5);
    assert_int_equal(cr_show_width("na\u00efve"), 5);
    assert_int_equal(cr_show_width("\u4e2d\u6587"), 4);
    assert_int_equal(cr_show_width("e\u0301"), 1);
    assert_int_equal(cr_show_width("\033[1mbold\033[0m"), 4);
    assert_int_equal(cr_show_width("\xff"), 1);
}

static void text_for_a_terminal(void **state)
{
    char buffer[CR_SHOW_TEXT_SIZE(20)];

    (void)state;
    assert_string_equal(cr_show_text(buffer, "plain", 5, 0), "plain");
    assert_string_equal(cr_show_text(buffer, "a\033b", 3, 0), "a\uFFFDb");
    assert_string_equal(cr_show_text(buffer, "a long name", 11, 6), "a lon\u2026");
}

static void fields_and_strings(void **state)
{
    cr_output *out = new_output();
    cr_json j;

    (void)state;
    cr_csv_field(out, "plain", 5);
    cr_output_text(out, ",");
    cr_csv_field(out, "say \"no\"", 8);
    cr_output_text(out, ",");
    cr_csv_field(out, " a,b", 4);
    cr_output_text(out, "\n");
    cr_json_quote(out, "a\"b\n\x01", 5);
    cr_output_text(out, "\n");
    cr_json_start(&j, out);
    cr_json_object(&j, NULL, CR_JSON_LINE);
    cr_json_bytes(&j, "name", "cut here", 3);
    cr_json_end(&j);
    assert_string_equal(text_of(out), "plain,\"say \"\"no\"\"\",\" a,b\"\n"
                                      "\"a\\\"b\\n\\u0001\"\n"
                                      "{\"name\": \"cut\"}\n");
    cr_output_free(out);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(widths),
        cmocka_unit_test(text_for_a_terminal),
        cmocka_unit_test(fields_and_strings),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
