/* tests/text/test_ascii.c - words by 64 bytes at a time: every version like the plain one. */
#include <stdarg.h>
#include <stddef.h>
#include <setjmp.h>
#include <stdint.h>
#include <cmocka.h>

#include <stdlib.h>
#include <string.h>

#include "text/ascii.h"

static const cr__ascii_rule rules[] = {
    {'_', 'a', 1}, {'a', '\'', 1}, {'a', '\'', 0}, {'_', 'a', 0}};

static void the_plain_version_does_what_the_header_says(void **state)
{
    cr__ascii_masks masks[1];
    char text[64];

    (void)state;
    cr__ascii_level_limit = CR__ASCII_PLAIN;
    cr__ascii_scan(&rules[1], "Don't x_9 \xc3\xa9!", 13, text, masks);
    assert_memory_equal(text, "don't x 9 \xc3\xa9 ", 13);
    assert_int_equal(masks[0].word, 0xd57);
    assert_int_equal(masks[0].letter, 0xc57);
    assert_int_equal(masks[0].joiner, 0x8); /* bit 3: the apostrophe */
    cr__ascii_level_limit = CR__ASCII_AVX2;
}

static void check_level(cr__ascii_level level, const cr__ascii_rule *rule, const char *bytes,
                        size_t size)
{
    cr__ascii_masks plain[8], fast[8];
    char plain_text[512], fast_text[512];

    memset(plain, 0, sizeof plain);
    memset(fast, 0, sizeof fast);
    memset(plain_text, 0, sizeof plain_text);
    memset(fast_text, 0, sizeof fast_text);
    cr__ascii_level_limit = CR__ASCII_PLAIN;
    cr__ascii_scan(rule, bytes, size, plain_text, plain);
    cr__ascii_level_limit = (int)level;
    cr__ascii_scan(rule, bytes, size, fast_text, fast);
    cr__ascii_level_limit = CR__ASCII_AVX2;
    assert_memory_equal(plain, fast, sizeof plain);
    assert_memory_equal(plain_text, fast_text, sizeof plain_text);
}

static void sse2_and_avx2_agree_with_plain_c_on_random_bytes(void **state)
{
    (void)state;
    srand(4);
    for (int i = 0; i < 20000; i++) {
        const size_t size = (size_t)(rand() % 500);
        char *bytes = malloc(size + 1); /* exact, for the sanitizer */

        for (size_t k = 0; k < size; k++)
            bytes[k] = (char)(i % 2 == 0 ? rand() : ' ' + rand() % 96);
        for (size_t r = 0; r < sizeof rules / sizeof *rules; r++) {
            check_level(CR__ASCII_SSE2, &rules[r], bytes, size);
            check_level(CR__ASCII_AVX2, &rules[r], bytes, size);
        }
        free(bytes);
    }
}

static void every_byte_has_the_same_class_in_every_version(void **state)
{
    char bytes[256];

    (void)state;
    for (int i = 0; i < 256; i++)
        bytes[i] = (char)i;
    for (size_t r = 0; r < sizeof rules / sizeof *rules; r++) {
        check_level(CR__ASCII_SSE2, &rules[r], bytes, sizeof bytes);
        check_level(CR__ASCII_AVX2, &rules[r], bytes, sizeof bytes);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(the_plain_version_does_what_the_header_says),
        cmocka_unit_test(sse2_and_avx2_agree_with_plain_c_on_random_bytes),
        cmocka_unit_test(every_byte_has_the_same_class_in_every_version),
    };
    return cmocka_run_group_tests_name("ascii", tests, NULL, NULL);
}
