/* tests/learners/test_logistic_text_features.c - words as features of logistic regression. */
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <setjmp.h>

#include <cmocka.h>

#include <math.h>

#include "learners/logistic/logistic.h"
#include "text/mail.h"

/* The vocabulary: subject:win, win, url:x.org, received:host. */
static const char bytes[] = "subject:winwinurl:x.orgreceived:host";
static const uint32_t end[] = {11, 14, 23, 36};
static const double ratio[] = {3, 0.5, 1.2, 4};
static const uint32_t words[] = {0, 1, 1, 2, 3};

static cr__lr_text_features message(void)
{
    return (cr__lr_text_features){.weight = CR__WEIGHT_BINARY,
                                  .unit_length = 1,
                                  .apart = 1,
                                  .ratio = ratio,
                                  .end = end,
                                  .bytes = bytes};
}

static void close_to(double found, double wanted)
{
    assert_true(fabs(found - wanted) < 1e-15);
}

/* Headers 3 and 4 have length 5, the body's 0.5 and 1.2 length 1.3. */
static void headers_and_body_of_a_message_have_length_one_each(void **state)
{
    const cr__lr_text_features how = message();
    uint32_t index[4];
    double value[4];

    (void)state;
    assert_int_equal(cr__lr_weigh_text(&how, words, 5, 10, index, value), 4);
    close_to(value[0], 3 / 5.0);
    close_to(value[1], 0.5 / 1.3);
    close_to(value[2], 1.2 / 1.3);
    close_to(value[3], 4 / 5.0);
    assert_int_equal(index[3], 13);
}

/* All four together: 9 + 0.25 + 1.44 + 16 = 26.69. */
static void another_text_has_length_one_as_a_whole(void **state)
{
    cr__lr_text_features how = message();
    uint32_t index[4];
    double value[4];

    (void)state;
    how.apart = 0;
    assert_int_equal(cr__lr_weigh_text(&how, words, 5, 0, index, value), 4);
    close_to(value[0], 3 / sqrt(26.69));
    close_to(value[1], 0.5 / sqrt(26.69));
}

/* Words that were not chosen are no features, but part of the length. */
static void words_left_out_count_in_the_length(void **state)
{
    static const unsigned char chosen[] = {1, 0, 1, 0};
    cr__lr_text_features how = message();
    uint32_t index[4];
    double value[4];

    (void)state;
    how.chosen = chosen;
    assert_int_equal(cr__lr_weigh_text(&how, words, 5, 0, NULL, NULL), 2);
    assert_int_equal(cr__lr_weigh_text(&how, words, 5, 0, index, value), 2);
    assert_int_equal(index[1], 2);
    close_to(value[0], 3 / 5.0);
    close_to(value[1], 1.2 / 1.3);
}

static void headers_are_known_by_their_prefix(void **state)
{
    (void)state;
    assert_true(cr__mail_is_head("subject:a", 9));
    assert_true(cr__mail_is_head("file:.exe", 9));
    assert_false(cr__mail_is_head("subject:", 8));
    assert_false(cr__mail_is_head("subject", 7));
    assert_false(cr__mail_is_head("html:font", 9));
    assert_false(cr__mail_is_head("", 0));
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(headers_and_body_of_a_message_have_length_one_each),
        cmocka_unit_test(another_text_has_length_one_as_a_whole),
        cmocka_unit_test(words_left_out_count_in_the_length),
        cmocka_unit_test(headers_are_known_by_their_prefix),
    };
    return cmocka_run_group_tests_name("logistic wording", tests, NULL, NULL);
}
