/* tests/text/test_mbox.c - mailboxes: RFC 4155 and the mboxrd way of quoting. */
#include <stdarg.h>
#include <stddef.h>
#include <setjmp.h>
#include <stdint.h>
#include <cmocka.h>

#include <stdlib.h>
#include <string.h>

#include "text/mbox.h"

static const char box[] = "From a@b Thu Jan  1 00:00:00 1970\n"
                          "Subject: one\n"
                          "\n"
                          ">From here\n"
                          "From there\n"
                          "\n"
                          "From c@d Thu Jan  1 00:00:01 1970\r\n"
                          "Subject: two\r\n"
                          "\r\n"
                          "text\r\n"
                          "\r\n"
                          "From e@f\n"
                          "\n";

static void messages_begin_after_an_empty_line(void **state)
{
    const size_t size = sizeof box - 1;
    const size_t second = (size_t)(strstr(box, "From c") - box),
                 third = (size_t)(strstr(box, "From e") - box);
    size_t start, end;

    (void)state;
    assert_true(cr__mbox_is(box, size));
    assert_false(cr__mbox_is("From: a", 7));
    assert_int_equal(cr__mbox_next(box, size, 0), second);
    assert_int_equal(cr__mbox_next(box, size, second), third);
    assert_int_equal(cr__mbox_next(box, size, third), size);
    cr__mbox_message(box, 0, second, &start, &end);
    assert_int_equal(end, second);
    assert_memory_equal(box + start, "Subject: one", 12);
    cr__mbox_message(box, third, size, &start, &end);
    assert_memory_equal(box + start, "\n", 1);
    assert_int_equal(end - start, 1);
}

/* A cutter may begin anywhere: the messages it finds are among those of the whole. */
static void every_beginning_finds_the_same_messages(void **state)
{
    const size_t size = sizeof box - 1;
    const size_t second = (size_t)(strstr(box, "From c") - box),
                 third = (size_t)(strstr(box, "From e") - box);

    (void)state;
    for (size_t from = 0; from <= size; from++) {
        const size_t expected = from + 2 <= second ? second : from + 3 <= third ? third : size;
        const size_t found = cr__mbox_next(box, size, from);

        if (from + 3 != third) /* between \r and \n the empty line cannot be seen to be one */
            assert_int_equal(found, expected);
    }
    for (size_t cut = 0; cut <= size; cut++) {
        const size_t found = cr__mbox_next(box, cut, 0);
        assert_true(found == cut || found == second || found == third);
    }
}

static void check_unquoted(const char *text, const char *expected)
{
    const size_t size = strlen(text);
    char *exact = malloc(size + 1), *out = malloc(size + 1);
    size_t length;

    memcpy(exact, text, size);
    length = cr__mbox_unquote(exact, size, out);
    assert_int_equal(length, strlen(expected));
    assert_memory_equal(out, expected, length);
    assert_int_equal(cr__mbox_is_quoted(exact, size), strcmp(text, expected) != 0);
    length = cr__mbox_unquote(exact, size, exact); /* in place */
    assert_int_equal(length, strlen(expected));
    assert_memory_equal(exact, expected, length);
    free(exact);
    free(out);
}

static void quoted_lines_lose_one_mark(void **state)
{
    (void)state;
    check_unquoted("", "");
    check_unquoted("a\n>From b\n>>From c\n", "a\nFrom b\n>From c\n");
    check_unquoted(">From a", "From a");
    check_unquoted("> From a\n>Fromage\n >From x\n>", "> From a\n>Fromage\n >From x\n>");
    check_unquoted(">>>>\n>From ", ">>>>\nFrom ");
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(messages_begin_after_an_empty_line),
        cmocka_unit_test(every_beginning_finds_the_same_messages),
        cmocka_unit_test(quoted_lines_lose_one_mark),
    };
    return cmocka_run_group_tests_name("mbox", tests, NULL, NULL);
}
