/* tests/data/test_dict.c - words to codes and back. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <string.h>

#include <cmocka.h>

#include "base/memory.h"
#include "data/dict.h"

static cr__dict *dict_of(const char *const *words, size_t count)
{
    cr__dict *dict;
    uint32_t code;

    assert_int_equal(cr__dict_new(&dict, 7, NULL), CR_OK);
    for (size_t i = 0; i < count; i++)
        assert_int_equal(cr__dict_intern(dict, words[i], strlen(words[i]), &code), CR_OK);
    return dict;
}

static void codes_follow_the_order_of_arrival(void **state)
{
    const char *const words[] = {"red", "green", "red", "a word longer than eight bytes", ""};
    cr__dict *dict = dict_of(words, 5);
    uint32_t code;

    (void)state;
    assert_int_equal(dict->words, 4);
    assert_int_equal(cr__dict_find(dict, "red", 3), 1);
    assert_int_equal(cr__dict_find(dict, "green", 5), 2);
    assert_int_equal(cr__dict_find(dict, "", 0), 4);
    assert_int_equal(cr__dict_find(dict, "gree", 4), CR__MISSING);
    assert_int_equal(cr__dict_intern(dict, "green", 5, &code), CR_OK);
    assert_int_equal(code, 2);
    assert_string_equal(cr__dict_word(dict, 3, NULL), "a word longer than eight bytes");
    cr__dict_free(dict);
}

/* A short word and the same word followed by zero bytes are different words. */
static void short_words_differ_by_their_length(void **state)
{
    const char bytes[8] = {'a', 0, 0, 0};
    cr__dict *dict;
    uint32_t first, second;

    (void)state;
    assert_int_equal(cr__dict_new(&dict, 1, NULL), CR_OK);
    assert_int_equal(cr__dict_intern(dict, bytes, 1, &first), CR_OK);
    assert_int_equal(cr__dict_intern(dict, bytes, 3, &second), CR_OK);
    assert_int_not_equal(first, second);
    cr__dict_free(dict);
}

static void many_words_keep_their_codes(void **state)
{
    enum { MANY = 50000 };
    cr__dict *dict;
    char word[32];
    uint32_t code;

    (void)state;
    assert_int_equal(cr__dict_new(&dict, 3, NULL), CR_OK);
    for (int round = 0; round < 2; round++)
        for (uint32_t i = 0; i < MANY; i++) {
            int n = snprintf(word, sizeof word, "w%u", i * 7919);
            assert_int_equal(cr__dict_intern(dict, word, (size_t)n, &code), CR_OK);
            assert_int_equal(code, i + 1);
        }
    assert_int_equal(dict->words, MANY);
    cr__dict_free(dict);
}

static void numbers_are_ordered_by_value_and_words_by_bytes(void **state)
{
    const char *const numbers[] = {"10", "9", "-1", "1e1"};
    const char *const words[] = {"10", "9", "b", "a"};
    const uint32_t number_order[] = {3, 2, 1, 4}, word_order[] = {1, 2, 4, 3};
    uint32_t order[4];
    cr__dict *dict = dict_of(numbers, 4);

    (void)state;
    assert_int_equal(cr__dict_order(dict, order), CR_OK);
    assert_memory_equal(order, number_order, sizeof order);
    cr__dict_free(dict);
    dict = dict_of(words, 4);
    assert_int_equal(cr__dict_order(dict, order), CR_OK);
    assert_memory_equal(order, word_order, sizeof order);
    cr__dict_free(dict);
}

static void a_cleared_dictionary_is_as_new(void **state)
{
    cr__dict *dict;
    uint32_t code;
    char word[20];

    (void)state;
    assert_int_equal(cr__dict_new(&dict, 5, NULL), CR_OK);
    cr__dict_clear(dict);
    for (int round = 0; round < 3; round++) {
        for (int i = 0; i < 100; i++) {
            snprintf(word, sizeof word, "w%d", (7 * i + 13 * round) % 100);
            assert_int_equal(cr__dict_intern(dict, word, strlen(word), &code), CR_OK);
            assert_int_equal(code, i + 1);
        }
        assert_true(cr__dict_is_sound(dict));
        cr__dict_clear(dict);
        assert_int_equal(dict->words, 0);
        assert_int_equal(cr__dict_find(dict, "w1", 2), CR__MISSING);
    }
    cr__dict_free(dict);
}

static void too_long_a_word_is_refused(void **state)
{
    cr__dict *dict;
    uint32_t code;
    char *word = cr__alloc_zero(CR__WORD_MAX + 1, 1);

    (void)state;
    assert_non_null(word);
    assert_int_equal(cr__dict_new(&dict, 3, NULL), CR_OK);
    assert_int_equal(cr__dict_intern(dict, word, CR__WORD_MAX + 1, &code), CR_ELIMIT);
    assert_int_equal(dict->words, 0);
    cr__dict_free(dict);
    cr__free(word);
}

/* Let every allocation fail in turn: the dictionary says so and stays usable. */
static void running_out_of_memory_is_survived(void **state)
{
    (void)state;
    for (long n = 0;; n++) {
        cr__dict *dict = NULL;
        char word[16];
        cr_status st;
        uint32_t code;
        int through;

        cr__memory_fail_after = n;
        st = cr__dict_new(&dict, 3, NULL);
        for (int i = 0; st == CR_OK && i < 100; i++)
            st = cr__dict_intern(dict, word, (size_t)snprintf(word, sizeof word, "%d", i), &code);
        through = cr__memory_fail_after >= 0;
        cr__memory_fail_after = -1;
        if (dict != NULL && !through) {
            assert_int_equal(st, CR_ENOMEM);
            assert_int_equal(cr__dict_intern(dict, "more", 4, &code), CR_OK);
            assert_int_equal(cr__dict_find(dict, "more", 4), code);
        }
        cr__dict_free(dict);
        if (through)
            break;
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(codes_follow_the_order_of_arrival),
        cmocka_unit_test(short_words_differ_by_their_length),
        cmocka_unit_test(many_words_keep_their_codes),
        cmocka_unit_test(numbers_are_ordered_by_value_and_words_by_bytes),
        cmocka_unit_test(a_cleared_dictionary_is_as_new),
        cmocka_unit_test(too_long_a_word_is_refused),
        cmocka_unit_test(running_out_of_memory_is_survived),
    };
    return cmocka_run_group_tests_name("dict", tests, NULL, NULL);
}
