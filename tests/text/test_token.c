/* tests/text/test_token.c - the hash of a token. */
#include <stdarg.h>
#include <stddef.h>
#include <setjmp.h>
#include <stdint.h>
#include <cmocka.h>

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "text/token.h"

/* Computed with Python's integers from the definition in text/token.h; model files rely on them. */
static void the_hash_never_changes(void **state)
{
    (void)state;
    assert_true(cr__token_hash("", 0) == UINT64_C(0x460e3faeed234650));
    assert_true(cr__token_hash("a", 1) == UINT64_C(0x99b733baf100faad));
    assert_true(cr__token_hash("the", 3) == UINT64_C(0x96e55e1819a2312f));
    assert_true(cr__token_hash("credence", 8) == UINT64_C(0x49679d55ec348d16));
    assert_true(cr__token_hash("sixteen_letters_", 16) == UINT64_C(0x3ded993412bb4817));
    assert_true(cr__token_hash("internationalisation", 20) == UINT64_C(0x4d77aff7d0a98ec0));
}

static void padded_and_plain_hash_agree_at_every_length(void **state)
{
    char text[200];

    (void)state;
    srand(1);
    for (size_t i = 0; i < sizeof text; i++)
        text[i] = (char)rand();
    for (size_t length = 0; length + CR__TOKEN_PAD <= sizeof text; length++) {
        char *exact = malloc(length + 1); /* so that a sanitizer sees a read beyond the end */
        uint64_t high, bits = 0;

        memcpy(exact, text, length);
        for (size_t i = 0; i < length; i++)
            bits |= (unsigned char)text[i] & 0x80;
        assert_true(cr__token_hash(exact, length) == cr__token_hash_padded(text, length, &high));
        assert_true((high != 0) == (bits != 0));
        free(exact);
    }
}

static int compare(const void *a, const void *b)
{
    const uint64_t x = *(const uint64_t *)a, y = *(const uint64_t *)b;

    return (x > y) - (x < y);
}

/* Decimal numbers are as alike as words get. With m hashes of k bits about m * m / 2^(k + 1) pairs
 * are equal by chance: for m = 10^6 none of 64 bits, and of 32 bits 116 +- 11. */
static void hashes_of_similar_words_do_not_meet(void **state)
{
    enum { M = 1000000 };
    uint64_t *hash = malloc(M * sizeof *hash), *part = malloc(M * sizeof *part);

    (void)state;
    for (int i = 0; i < M; i++) {
        char text[16];

        hash[i] = cr__token_hash(text, (size_t)snprintf(text, sizeof text, "%d", i));
    }
    for (int shift = 0; shift <= 32; shift += 8) {
        int same = 0;

        for (int i = 0; i < M; i++)
            part[i] = hash[i] >> shift & 0xffffffff;
        qsort(part, M, sizeof *part, compare);
        for (int i = 1; i < M; i++)
            same += part[i] == part[i - 1];
        assert_in_range(same, 60, 180);
    }
    qsort(hash, M, sizeof *hash, compare);
    for (int i = 1; i < M; i++)
        assert_true(hash[i] != hash[i - 1]);
    free(hash);
    free(part);
}

/* Changing one bit changes each bit of the hash in half of the cases: 2000 draws, six sigma. */
static void one_bit_changes_half_of_the_hash(void **state)
{
    (void)state;
    srand(2);
    for (size_t length = 1; length <= 20; length += length < 9 ? 1 : 5) {
        int flips[64] = {0};

        for (int draw = 0; draw < 2000; draw++) {
            char text[20];
            uint64_t before, after;

            for (size_t i = 0; i < length; i++)
                text[i] = (char)rand();
            before = cr__token_hash(text, length);
            text[(size_t)rand() % length] ^= (char)(1 << rand() % 8);
            after = cr__token_hash(text, length);
            for (int bit = 0; bit < 64; bit++)
                flips[bit] += (int)((before ^ after) >> bit & 1);
        }
        for (int bit = 0; bit < 64; bit++)
            assert_in_range(flips[bit], 1000 - 134, 1000 + 134);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(the_hash_never_changes),
        cmocka_unit_test(padded_and_plain_hash_agree_at_every_length),
        cmocka_unit_test(hashes_of_similar_words_do_not_meet),
        cmocka_unit_test(one_bit_changes_half_of_the_hash),
    };
    return cmocka_run_group_tests_name("token", tests, NULL, NULL);
}
