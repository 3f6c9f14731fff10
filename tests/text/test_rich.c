/* tests/text/test_rich.c - the tokens of `rich` that are not words, as text/rich.h describes them.
 */
#include "text/tokens.h"

/* The extra tokens of a text: those after the length of the document. */
static void check_extras(const char *text, const char *expected)
{
    char *got = tokens_of_bytes("tokens=rich", "", text, strlen(text));
    const char *length = strstr(got, "length:"),
               *extras = length != NULL ? strchr(length, '|') : NULL;

    assert_non_null(length);
    assert_string_equal(extras != NULL ? extras + 1 : "", expected);
    free(got);
}

static void capitals_numbers_and_shapes(void **state)
{
    (void)state;
    check_extras("WIN a FREE Prize, I said", "WIN|FREE");
    check_extras("MP3 4U 150p", "shape:mp9|MP3|shape:9u|shape:9p");
    check_extras("\u00dcBER \u0421\u041a\u0418\u0414\u041a\u0410 Stra\u00dfe",
                 "\u00dcBER|\u0421\u041a\u0418\u0414\u041a\u0410");
    check_extras("in 1999 and 7", "number:4|number:1");
}

static void telephone_numbers_by_length_and_beginning(void **state)
{
    (void)state;
    check_extras("call 08718729755 now", "phone:11|phone:087");
    check_extras("call (0871) 872-9755 now", "phone:11|phone:087");
    check_extras("on 12-05-99", "number:2|number:2|number:2");
}

static void money_by_sign_and_size(void **state)
{
    (void)state;
    check_extras("\u00a31,000.50 or $ 5 or 100\u20ac",
                 "money:\u00a3|money:\u00a34|money:$|money:$1|number:3|money:\u20ac|money:\u20ac3");
    check_extras("$$$ make $", "$$$");
    check_extras("\u20b9", "\u20b9");
}

static void punctuation_in_runs_and_symbols(void **state)
{
    (void)state;
    check_extras("what?! no!!!!!! ... *** -- 50%", "?|!|!!!!|...|***|number:2|%");
    check_extras("\u2605 win \U0001f381", "\u2605|\U0001f381");
}

static void urls_by_host_domain_and_path(void **state)
{
    (void)state;
    check_extras("see http://www.Example.COM/a-b/c?d=1.",
                 "url:www.example.com|url:example.com|url:a|url:b|url:c|url:d");
    check_extras("<a href='https://x.io'>", "url:x.io");
    check_extras("www.foo.co.uk", "url:www.foo.co.uk|url:foo.co.uk|url:co.uk");
    check_extras("http://bank.com@10.0.0.1/", "url:@|url:10.0.0.1");
    check_extras("http://localhost:8080/x", "url:localhost|url:x");
    check_extras("a:// b", "");
}

static void addresses_whole_and_by_host(void **state)
{
    (void)state;
    check_extras("to Jo.Doe@Mail.Example.org!",
                 "email:jo.doe@mail.example.org|email:mail.example.org|email:example.org|!");
    check_extras("a@b @home x@", "");
}

/* The parts of a URL or an address are not words as well. */
static void words_of_urls_and_addresses_are_no_words(void **state)
{
    (void)state;
    check_tokens("tokens=rich ngrams=2", "go to http://a.bc/x now jo@d.ef bye",
                 "go to|to now|now bye|length:10|url:a.bc|url:x|email:jo@d.ef|email:d.ef");
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(capitals_numbers_and_shapes),
        cmocka_unit_test(telephone_numbers_by_length_and_beginning),
        cmocka_unit_test(money_by_sign_and_size),
        cmocka_unit_test(punctuation_in_runs_and_symbols),
        cmocka_unit_test(urls_by_host_domain_and_path),
        cmocka_unit_test(addresses_whole_and_by_host),
        cmocka_unit_test(words_of_urls_and_addresses_are_no_words),
    };
    return cmocka_run_group_tests_name("rich", tests, NULL, NULL);
}
