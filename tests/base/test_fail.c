/* tests/base/test_fail.c - error text. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include "base/fail.h"

#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static void every_status_has_its_own_words(void **state)
{
    (void)state;
    assert_string_equal(cr_status_text(CR_OK), "success");
    assert_string_equal(cr_status_text(CR_ENOMEM), "out of memory");
    assert_string_equal(cr_status_text(CR_ESTOPPED), "stopped by the caller");
    assert_string_equal(cr_status_text((cr_status)99), "unknown status");
}

static void fail_fills_code_and_message_and_clears_the_rest(void **state)
{
    (void)state;
    cr_error err = {
        .code = CR_EIO, .line = 7, .column = 8, .file = "old", .message = "old", .hint = "old"};
    assert_int_equal(cr__fail(&err, CR_EARG, "alpha is %g", 0.5), CR_EARG);
    assert_int_equal(err.code, CR_EARG);
    assert_string_equal(err.message, "alpha is 0.5");
    assert_int_equal(err.line + err.column, 0);
    assert_string_equal(err.file, "");
    assert_string_equal(err.hint, "");
}

static void a_null_error_is_allowed_everywhere(void **state)
{
    (void)state;
    assert_int_equal(cr__fail(NULL, CR_ELIMIT, "x"), CR_ELIMIT);
    assert_int_equal(cr__fail_memory(NULL), CR_ENOMEM);
    assert_int_equal(cr__fail_errno(NULL, "x"), CR_EIO);
    assert_int_equal(cr__fail_at(NULL, CR_EFORMAT, "f", 1, 2), CR_EFORMAT);
    assert_int_equal(cr__fail_hint(NULL, CR_EFORMAT, "x"), CR_EFORMAT);
}

static void a_message_may_quote_the_message_it_replaces(void **state)
{
    (void)state;
    cr_error err;
    cr__fail(&err, CR_EFORMAT, "no header");
    cr__fail(&err, CR_EFORMAT, "model.bin: %s", err.message);
    assert_string_equal(err.message, "model.bin: no header");
}

static void a_long_message_is_cut_between_characters(void **state)
{
    (void)state;
    char text[1200] = "a";
    for (size_t i = 1; i + 2 < sizeof text; i += 2)
        memcpy(text + i, "\xC3\xA4", 3); /* two-byte characters at odd places */
    cr_error err;
    cr__fail(&err, CR_EARG, "%s", text);
    size_t length = strlen(err.message);
    assert_in_range(length, 509, 511);
    assert_string_equal(err.message + length - 3, "...");
    assert_int_equal((unsigned char)err.message[length - 4], 0xA4);
}

static void errno_text_survives_a_long_name_before_it(void **state)
{
    (void)state;
    char name[2000];
    memset(name, 'x', sizeof name - 1);
    name[sizeof name - 1] = '\0';
    cr_error err;
    errno = ENOENT;
    assert_int_equal(cr__fail_errno(&err, "cannot open %s", name), CR_EIO);
    assert_int_equal(errno, ENOENT);
    assert_non_null(strstr(err.message, "xxx...: No such file or directory"));
    errno = EACCES;
    cr__fail_errno(&err, "cannot open %s", "y");
    assert_string_equal(err.message, "cannot open y: Permission denied");
}

static void error_text_shows_the_parts_that_are_known(void **state)
{
    (void)state;
    cr_error err;
    char text[1200];

    cr__fail(&err, CR_EFORMAT, "\"abc\" is not a number");
    assert_string_equal(cr_error_text(&err, text, sizeof text), "\"abc\" is not a number");
    cr__fail_at(&err, CR_EFORMAT, NULL, 3, 0);
    assert_string_equal(cr_error_text(&err, text, sizeof text), "line 3: \"abc\" is not a number");
    assert_int_equal(cr__fail_at(&err, CR_EIO, "a.csv", 3, 5), CR_EFORMAT);
    cr__fail_hint(&err, CR_EFORMAT, "use --type %s=symbol", "x");
    assert_string_equal(cr_error_text(&err, text, sizeof text),
                        "a.csv:3:5: \"abc\" is not a number (use --type x=symbol)");
    cr__fail_at(&err, CR_EFORMAT, NULL, 4, 0);
    assert_string_equal(cr_error_text(&err, text, sizeof text),
                        "a.csv:4: \"abc\" is not a number (use --type x=symbol)");
    assert_string_equal(cr_error_text(&err, text, 6), "a.csv");
    text[0] = '!';
    cr_error_text(&err, text, 0);
    assert_int_equal(text[0], '!');
    assert_string_equal(cr_error_text(NULL, text, sizeof text), "");
    err = (cr_error){.code = CR_EIO};
    assert_string_equal(cr_error_text(&err, text, sizeof text), "input or output failed");
}

static void sizes_are_told_in_the_unit_that_fits(void **state)
{
    (void)state;
    assert_string_equal(cr__size_of(0).text, "0 bytes");
    assert_string_equal(cr__size_of(999).text, "999 bytes");
    assert_string_equal(cr__size_of(1000).text, "1.0 KB");
    assert_string_equal(cr__size_of(64e3).text, "64 KB");
    assert_string_equal(cr__size_of(1.54e9).text, "1.5 GB");
    assert_string_equal(cr__size_of(3e18).text, "3000 PB");
}

static void printable_escapes_what_a_terminal_would_obey(void **state)
{
    (void)state;
    char out[100];
    assert_string_equal(cr__printable(out, sizeof out, "a\x1B[2J\0b", 7), "a\\x1B[2J\\x00b");
    assert_string_equal(cr__printable(out, sizeof out, "\x7F\xC2\x9B", 3), "\\x7F\\xC2\\x9B");
    assert_string_equal(cr__printable(out, sizeof out, "", 0), "");
}

/* Sequences from the Unicode Standard, table 3-7 (well-formed UTF-8) and its complement. */
static void printable_keeps_valid_utf8_and_escapes_the_rest(void **state)
{
    (void)state;
    static const char *const kept[] = {"\xC3\xA9",     "\xE0\xA0\x80",     "\xED\x9F\xBF",
                                       "\xEF\xBF\xBD", "\xF0\x90\x80\x80", "\xF4\x8F\xBF\xBF"};
    static const char *const bad[] = {"\x80",
                                      "\xC0\xAF",
                                      "\xE0\x9F\xBF",
                                      "\xED\xA0\x80",
                                      "\xF0\x8F\xBF\xBF",
                                      "\xF4\x90\x80\x80",
                                      "\xF5\x80\x80\x80",
                                      "\xC3",
                                      "\xE2\x82",
                                      "\xC3\x28"};
    char out[100];
    for (size_t i = 0; i < sizeof kept / sizeof *kept; i++)
        assert_string_equal(cr__printable(out, sizeof out, kept[i], strlen(kept[i])), kept[i]);
    for (size_t i = 0; i < sizeof bad / sizeof *bad; i++)
        assert_memory_equal(cr__printable(out, sizeof out, bad[i], strlen(bad[i])), "\\x", 2);
}

static void printable_shortens_at_every_size_without_overrun(void **state)
{
    (void)state;
    static const char text[] = "ab\x01\xE2\x82\xAC"
                               "cdefg";
    char whole[100];
    cr__printable(whole, sizeof whole, text, sizeof text - 1);
    for (size_t size = 1; size <= strlen(whole) + 1; size++) {
        char *out = malloc(size); /* exact size, so that AddressSanitizer sees an overrun */
        assert_non_null(out);
        cr__printable(out, size, text, sizeof text - 1);
        size_t length = strlen(out);
        assert_true(length < size);
        if (size <= strlen(whole) && size >= 4) {
            assert_string_equal(out + length - 3, "...");
            assert_memory_equal(out, whole, length - 3);
        }
        free(out);
    }
    assert_string_equal(cr__printable(whole, 8, "abcdefgh", 8), "abcd...");
    assert_string_equal(cr__printable(whole, 9, "abcdefgh", 8), "abcdefgh");
}

/* --- settings that an error mentions ----------------------------------------------------------
 */

/* As a program with another grammar would word them. */
static int as_json(void *context, const cr_hint_item *item, char *buffer, size_t size)
{
    ++*(int *)context;
    if (item->code == CR_HINT_TYPE)
        snprintf(buffer, size, "{\"types\": {\"%s\": \"%s\"}}", item->column, item->value);
    else if (item->code == CR_HINT_MEMORY)
        snprintf(buffer, size, "a larger limit");
    else
        return 0;
    return 1;
}

static void hints_name_settings_that_front_ends_word(void **state)
{
    char text[300];
    cr_error err;
    int asked = 0;

    (void)state;
    cr__fail(&err, CR_ELIMIT, "too large");
    cr__fail_hint(&err, CR_ELIMIT,
                  CR__SET("type %s=ignore") " leaves it out, " CR__SET("memory") " helps, " CR__SET(
                      "knob alpha=%d") " too",
                  "a=b c", 2);
    assert_string_equal(err.hint, "type a=b c=ignore leaves it out, memory helps, alpha=2 too");
    assert_int_equal(err.hint_items, 3);
    assert_int_equal(err.hint_item[0].code, CR_HINT_TYPE);
    assert_string_equal(err.hint_item[0].column, "a=b c");
    assert_string_equal(err.hint_item[0].value, "ignore");
    assert_int_equal(err.hint_item[2].code, CR_HINT_KNOB);
    assert_string_equal(err.hint_item[2].value, "alpha=2");
    assert_true(cr_error_about(&err, CR_HINT_MEMORY));
    assert_false(cr_error_about(&err, CR_HINT_TARGET));
    assert_string_equal(cr_error_hint(&err, as_json, &asked, text, sizeof text),
                        "{\"types\": {\"a=b c\": \"ignore\"}} leaves it out, a larger limit "
                        "helps, alpha=2 too");
    assert_int_equal(asked, 3);
    assert_string_equal(cr_error_message(&err, as_json, &asked, text, sizeof text), "too large");
    assert_string_equal(cr_error_hint(&err, as_json, &asked, text, 8), "{\"types");
    assert_string_equal(cr_error_text(&err, text, sizeof text),
                        "too large (type a=b c=ignore leaves it out, memory helps, alpha=2 too)");
}

static void messages_may_name_settings_too(void **state)
{
    char text[100];
    cr_error err;
    int asked = 0;

    (void)state;
    cr__fail(&err, CR_ELIMIT, "%d of them; " CR__SET("memory") " limits it", 7);
    cr__fail_hint(&err, CR_ELIMIT, "see " CR__SET("type x=real"));
    cr__fail_hint(&err, CR_ELIMIT, "or " CR__SET("type y=real")); /* instead of the first */
    assert_string_equal(err.message, "7 of them; memory limits it");
    assert_int_equal(err.hint_items, 2);
    assert_string_equal(err.hint_item[1].column, "y");
    assert_string_equal(cr_error_message(&err, as_json, &asked, text, sizeof text),
                        "7 of them; a larger limit limits it");
    cr__fail(&err, CR_EFORMAT, "the file is empty" CR__SET("empty"));
    assert_string_equal(err.message, "the file is empty");
    assert_int_equal(err.hint_items, 1);
    assert_true(cr_error_about(&err, CR_HINT_EMPTY));
    assert_string_equal(cr_error_message(&err, as_json, &asked, text, sizeof text),
                        "the file is empty");
}

static void a_hint_that_was_replaced_or_cut_stays_whole(void **state)
{
    char text[400], name[400];
    cr_error err;
    int asked = 0;

    (void)state;
    cr__fail(&err, CR_EARG, "x");
    cr__fail_hint(&err, CR_EARG, "use " CR__SET("memory"));
    strcpy(err.hint, "another hint");
    assert_string_equal(cr_error_hint(&err, as_json, &asked, text, sizeof text), "another hint");
    memset(name, 'n', sizeof name - 1);
    name[sizeof name - 1] = '\0';
    cr__fail_hint(&err, CR_EARG, "use " CR__SET("type %s=ignore") " or not", name);
    assert_int_equal(err.hint_items, 0); /* its end did not fit */
    assert_null(strchr(err.hint, CR__SET_BEGIN));
    cr__fail_hint(&err, CR_EARG, /* more than are kept */
                  CR__SET("memory") CR__SET("memory") CR__SET("memory") CR__SET("memory")
                      CR__SET("memory") CR__SET("unknown thing"));
    assert_int_equal(err.hint_items, CR_HINT_ITEMS);
    assert_string_equal(err.hint, "memorymemorymemorymemorymemoryunknown thing");
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(every_status_has_its_own_words),
        cmocka_unit_test(fail_fills_code_and_message_and_clears_the_rest),
        cmocka_unit_test(a_null_error_is_allowed_everywhere),
        cmocka_unit_test(a_message_may_quote_the_message_it_replaces),
        cmocka_unit_test(a_long_message_is_cut_between_characters),
        cmocka_unit_test(errno_text_survives_a_long_name_before_it),
        cmocka_unit_test(error_text_shows_the_parts_that_are_known),
        cmocka_unit_test(sizes_are_told_in_the_unit_that_fits),
        cmocka_unit_test(hints_name_settings_that_front_ends_word),
        cmocka_unit_test(messages_may_name_settings_too),
        cmocka_unit_test(a_hint_that_was_replaced_or_cut_stays_whole),
        cmocka_unit_test(printable_escapes_what_a_terminal_would_obey),
        cmocka_unit_test(printable_keeps_valid_utf8_and_escapes_the_rest),
        cmocka_unit_test(printable_shortens_at_every_size_without_overrun),
    };
    return cmocka_run_group_tests_name("fail", tests, NULL, NULL);
}
