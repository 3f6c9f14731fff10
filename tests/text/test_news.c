/* tests/text/test_news.c - what is left of a newsgroup post; rules of scikit-learn's remove=. */
#include "text/tokens.h"

#include "text/news.h"

static void check_left(unsigned strip, const char *post, const char *expected)
{
    const char *left = post;
    size_t size = strlen(post);
    cr__buffer scratch = {0};

    assert_int_equal(cr__news_strip(strip, &left, &size, &scratch), 1);
    assert_int_equal(size, strlen(expected));
    assert_memory_equal(left, expected, size);
    cr__buffer_free(&scratch);
}

/* Each result as strip_newsgroup_header gives it (scikit-learn 1.2.1). */
static void headers_end_at_the_first_empty_line(void **state)
{
    (void)state;
    check_left(CR__STRIP_HEADERS, "From: a\nTo: b\n\nText\n\nmore", "Text\n\nmore");
    check_left(CR__STRIP_HEADERS, "From: a\nTo: b\n", "");
    check_left(CR__STRIP_HEADERS, "\n\nText", "Text");
    check_left(CR__STRIP_HEADERS, "", "");
}

/* As strip_newsgroup_footer (scikit-learn 1.2.1). */
static void footers_follow_the_last_empty_or_ruled_line(void **state)
{
    (void)state;
    check_left(CR__STRIP_FOOTERS, "Text\n\n--\nJo\nPhone\n", "Text\n");
    check_left(CR__STRIP_FOOTERS, "\n Text\nmore\n  \t\nJo", "Text\nmore");
    check_left(CR__STRIP_FOOTERS, "Text\n-----\nJo\n\n\n", "Text");
    check_left(CR__STRIP_FOOTERS, "one line\nanother\n", "one line\nanother\n");
    check_left(CR__STRIP_FOOTERS, "--\nJo", "--\nJo");  /* the rule is the first line */
    check_left(CR__STRIP_FOOTERS, "a\n\u00a0\nb", "a"); /* Unicode's white space counts */
    check_left(CR__STRIP_FOOTERS, "\n\n", "\n\n");
}

/* As strip_newsgroup_quoting (scikit-learn 1.2.1). */
static void quoted_lines_go(void **state)
{
    (void)state;
    check_left(CR__STRIP_QUOTES, "Jo writes:\n> old\n| older\nnew\n", "new\n");
    check_left(CR__STRIP_QUOTES, "In article <1@x> you\nQuoted from y\n In article\nend",
               " In article\nend");
    check_left(CR__STRIP_QUOTES, "he said: x\nsays:\nwrote:\nJo writes in a\nsay:\nwrites",
               "say:\nwrites");
    check_left(CR__STRIP_QUOTES, "a : said:\nb", "b");
    check_left(CR__STRIP_QUOTES, "\n>x\n\n", "\n\n");
    check_left(CR__STRIP_QUOTES, ">x", "");
}

static void all_three_go_in_order(void **state)
{
    const unsigned all = CR__STRIP_HEADERS | CR__STRIP_FOOTERS | CR__STRIP_QUOTES;

    (void)state;
    check_left(all, "Subject: s\n\nJo wrote:\n> old\n\nnew\n\n--\nme\n", "\nnew\n");
    check_left(0, "Subject: s\n\nnew", "Subject: s\n\nnew");
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(headers_end_at_the_first_empty_line),
        cmocka_unit_test(footers_follow_the_last_empty_or_ruled_line),
        cmocka_unit_test(quoted_lines_go),
        cmocka_unit_test(all_three_go_in_order),
    };
    return cmocka_run_group_tests_name("news", tests, NULL, NULL);
}
