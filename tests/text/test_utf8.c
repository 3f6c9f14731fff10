/* tests/text/test_utf8.c - UTF-8, and text that is not. */
#include <stdarg.h>
#include <stddef.h>
#include <setjmp.h>
#include <stdint.h>
#include <cmocka.h>

#include <stdlib.h>
#include <string.h>

#include "text/utf8.h"

/* Sequences from RFC 3629 and from Unicode 15, table 3-7 (well-formed byte sequences). */
static void valid_and_invalid_sequences_are_told_apart(void **state)
{
    static const struct {
        const char *bytes;
        int valid;
    } cases[] = {
        {"", 1},
        {"plain", 1},
        {"\xc3\xa9", 1},         /* U+00E9 */
        {"\xe2\x82\xac", 1},     /* U+20AC */
        {"\xf0\x9f\x98\x80", 1}, /* U+1F600 */
        {"\xf4\x8f\xbf\xbf", 1}, /* U+10FFFF */
        {"\xef\xbf\xbf", 1},     /* U+FFFF, a noncharacter, is valid */
        {"\x80", 0},             /* a continuation alone */
        {"\xc3", 0},             /* cut off */
        {"\xe2\x82", 0},         /* cut off */
        {"\xf0\x9f\x98", 0},     /* cut off */
        {"\xc0\xaf", 0},         /* overlong '/' */
        {"\xe0\x9f\xbf", 0},     /* overlong U+07FF */
        {"\xf0\x8f\xbf\xbf", 0}, /* overlong U+FFFF */
        {"\xed\xa0\x80", 0},     /* the surrogate U+D800 */
        {"\xf4\x90\x80\x80", 0}, /* U+110000 */
        {"\xf5\x80\x80\x80", 0}, /* no such lead byte */
        {"\xff", 0},
        {"caf\xe9 in Latin-1", 0},
    };

    (void)state;
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++)
        assert_int_equal(cr__utf8_valid(cases[i].bytes, strlen(cases[i].bytes)), cases[i].valid);
}

static void a_bad_byte_is_found_wherever_it_is(void **state)
{
    char text[300];

    (void)state;
    memset(text, 'x', sizeof text);
    for (size_t i = 0; i < sizeof text; i++) {
        text[i] = (char)0xe9;
        assert_int_equal(cr__ascii_prefix(text, sizeof text), i);
        assert_false(cr__utf8_valid(text, sizeof text));
        assert_true(cr__utf8_valid(text, i));
        text[i] = 'x';
    }
    assert_int_equal(cr__ascii_prefix(text, sizeof text), sizeof text);
}

static void every_code_point_survives_writing_and_reading(void **state)
{
    char bytes[4];
    uint32_t back;

    (void)state;
    for (uint32_t point = 0; point <= 0x10ffff; point++) {
        const size_t length = cr__utf8_put(bytes, point);
        const uint32_t expected = point >= 0xd800 && point <= 0xdfff ? 0xfffd : point;

        assert_true(cr__utf8_valid(bytes, length));
        assert_ptr_equal(cr__utf8_next(bytes, bytes + length, &back), bytes + length);
        assert_int_equal(back, expected);
        assert_ptr_equal(cr__utf8_before(bytes, bytes + length, &back), bytes);
        assert_int_equal(back, expected);
    }
}

/* Any bytes can be traversed in both directions, at least one byte per step. */
static void walking_through_random_bytes_ends(void **state)
{
    char bytes[64];
    uint32_t point;

    (void)state;
    srand(3);
    for (int i = 0; i < 20000; i++) {
        const char *p = bytes, *end = bytes + rand() % 64;

        for (size_t k = 0; k < sizeof bytes; k++)
            bytes[k] = (char)(rand() % 3 == 0 ? rand() : 0x80 | rand() % 64);
        while (p < end) {
            const char *next = cr__utf8_next(p, end, &point);
            assert_true(next > p && next <= end && point <= 0x10ffff);
            p = next;
        }
        while (p > bytes) {
            const char *before = cr__utf8_before(bytes, p, &point);
            assert_true(before < p && before >= bytes && point <= 0x10ffff);
            p = before;
        }
    }
}

/* Unicode's table CP1252.TXT: 0x80 is the euro, 0x93 and 0x94 are quotes, 0x9f is Y with dots; 0x81
 * is undefined; from 0xa0 on it is Latin-1. */
static void windows_1252_becomes_utf8(void **state)
{
    const char text[] = "a\x80"
                        "b\x93q\x94\x81\xe9\xff\x9f";
    char out[CR__UTF8_GROWTH * sizeof text];
    const size_t length = cr__utf8_from_1252(text, sizeof text - 1, out);
    const char *expected = "a\u20acb\u201cq\u201d\xc2\x81\u00e9\u00ff\u0178";

    (void)state;
    assert_int_equal(length, strlen(expected));
    assert_memory_equal(out, expected, length);
    assert_true(cr__utf8_valid(out, length));
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(valid_and_invalid_sequences_are_told_apart),
        cmocka_unit_test(a_bad_byte_is_found_wherever_it_is),
        cmocka_unit_test(every_code_point_survives_writing_and_reading),
        cmocka_unit_test(walking_through_random_bytes_ends),
        cmocka_unit_test(windows_1252_becomes_utf8),
    };
    return cmocka_run_group_tests_name("utf8", tests, NULL, NULL);
}
