/* tests/base/test_sha1.c - SHA-1. Expected are the examples of FIPS 180-2, appendix A, and what
 * `head -c N /dev/zero | sha1sum` prints for lengths around the ends of blocks. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#include "base/sha1.h"

static void check(const void *bytes, size_t size, const char *expected)
{
    unsigned char sum[CR__SHA1_BYTES];
    char text[2 * CR__SHA1_BYTES + 1];

    cr__sha1(bytes, size, sum);
    for (size_t i = 0; i < CR__SHA1_BYTES; i++)
        snprintf(text + 2 * i, 3, "%02x", sum[i]);
    assert_string_equal(text, expected);
}

static void published_examples(void **state)
{
    const char *longer = "abcdbcdecdefdefgefghfghighijhijkijkljklmklmnlmnomnopnopq";
    char *million = malloc(1000000);

    (void)state;
    assert_non_null(million);
    memset(million, 'a', 1000000);
    check("abc", 3, "a9993e364706816aba3e25717850c26c9cd0d89d");
    check(longer, strlen(longer), "84983e441c3bd26ebaae4aa1f95129e5e54670f1");
    check(million, 1000000, "34aa973cd4c4daa4f61eeb2bdbad27316534016f");
    check(NULL, 0, "da39a3ee5e6b4b0d3255bfef95601890afd80709");
    free(million);
}

static void lengths_around_a_block(void **state)
{
    static const unsigned char zero[128];

    (void)state;
    check(zero, 55, "8e8832c642a6a38c74c17fc92ccedc266c108e6c");
    check(zero, 56, "9438e360f578e12c0e0e8ed28e2c125c1cefee16");
    check(zero, 63, "0b8bf9fc37ad802cefa6733ec62b09d5f43a1b75");
    check(zero, 64, "c8d7d0ef0eedfa82d2ea1aa592845b9a6d4b02b7");
    check(zero, 65, "f0fa45906bd0f4c3668fcd0d8f68d4b298b30e5b");
    check(zero, 128, "0ae4f711ef5d6e9d26c611fd2c8c8ac45ecbf9e7");
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(published_examples),
        cmocka_unit_test(lengths_around_a_block),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
