/* tests/text/test_words.c - the words of text, Unicode and all. */
#include "text/tokens.h"

static void words_are_letters_marks_and_digits_in_lower_case(void **state)
{
    (void)state;
    check_tokens("", "", "");
    check_tokens("", " .,;! ", "");
    check_tokens("", "A very close GAME", "a|very|close|game");
    check_tokens("", "e4-e5 3.14 snake_case x", "e4|e5|3|14|snake|case|x");
    check_tokens("", "C3PO's R2-D2", "c3po's|r2|d2");
    check_tokens("lower-case=no", "A very close GAME", "A|very|close|GAME");
}

/* Decided for Credence: an apostrophe between letters belongs to the word. */
static void an_apostrophe_between_letters_is_part_of_the_word(void **state)
{
    (void)state;
    check_tokens("", "Don't can't o'clock", "don't|can't|o'clock");
    check_tokens("", "Don\u2019t l\u2019\u00e9t\u00e9 l'\u00c9T\u00c9",
                 "don't|l'\u00e9t\u00e9|l'\u00e9t\u00e9");
    check_tokens("", "'quoted' dogs' 'tis rock'n'roll", "quoted|dogs|tis|rock'n'roll");
    check_tokens("", "5'10 it''s \u2019x\u2019", "5|10|it|s|x");
    check_tokens("", "\u00e9'5 5'\u00e9 \u00e9''\u00e9", "\u00e9|5|5|\u00e9|\u00e9|\u00e9");
}

/* Unicode's CaseFolding.txt (ß to ss, final sigma to sigma, the Kelvin sign to k) and NFC. */
static void words_are_folded_and_normalised(void **state)
{
    (void)state;
    check_tokens("", "STRASSE Stra\u00dfe", "strasse|strasse");
    check_tokens("", "\u039f\u0394\u039f\u03a3 \u03bf\u03b4\u03cc\u03c2",
                 "\u03bf\u03b4\u03bf\u03c3|\u03bf\u03b4\u03cc\u03c3");
    check_tokens("", "cafe\u0301 CAFE\u0301 caf\u00e9", "caf\u00e9|caf\u00e9|caf\u00e9");
    check_tokens("", "\u212a \u212bngstr\u00f6m", "k|\u00e5ngstr\u00f6m");
    check_tokens("", "\u041f\u0440\u0438\u0432\u0435\u0442, \u041c\u0418\u0420!",
                 "\u043f\u0440\u0438\u0432\u0435\u0442|\u043c\u0438\u0440");
    check_tokens("", "vi\u00adagra zero\u200bwidth", "viagra|zerowidth");
    check_tokens("", "\u0301abc \u00bf", "abc"); /* a mark on nothing */
    check_tokens("", "na\u00efve\u2014then", "na\u00efve|then");
    check_tokens("lower-case=no", "CAFE\u0301", "CAF\u00c9");
    check_tokens("", "\U0001d405\U0001d411\U0001d404\U0001d404",
                 "\U0001d405\U0001d411\U0001d404\U0001d404");
    check_tokens(
        "tokens=rich ngrams=2", "\U0001d405\U0001d411\U0001d404\U0001d404 \uff22\uff35\uff39 now",
        "free buy|buy "
        "now|length:9|\U0001d405\U0001d411\U0001d404\U0001d404|\uff22\uff35\uff39"); /* NFKC
                                                                                      */
}

/* The pairs of neighbouring characters; a vowel sign stays with its letter. */
static void scripts_without_spaces_give_pairs_of_characters(void **state)
{
    (void)state;
    check_tokens("", "\u6771\u4eac\u90fd", "\u6771\u4eac|\u4eac\u90fd");
    check_tokens("", "\u5317\u4eac2008\u5e74iPhone\u624b\u673a",
                 "\u5317\u4eac|2008|\u5e74|iphone|\u624b\u673a");
    check_tokens("", "\u98df\u3079\u7269\u3001\u30ab\u30e1\u30e9", /* Han, hiragana; katakana */
                 "\u98df\u3079|\u3079\u7269|\u30ab\u30e1|\u30e1\u30e9");
    check_tokens("", "\u304b\u3099\u304d", "\u304c\u304d"); /* composed first */
    check_tokens("", "\u0e01\u0e34\u0e19\u0e19\u0e49\u0e33",
                 "\u0e01\u0e34\u0e19|\u0e19\u0e19\u0e49|\u0e19\u0e49\u0e33");
    check_tokens("", "\uc548\ub155 \u1112\u1161\u11ab\u1100\u1173\u11af",
                 "\uc548\ub155|\ud55c\uae00"); /* Hangul has spaces */
}

/* Windows-1252 for the whole document as soon as one byte is not UTF-8. */
static void text_that_is_not_utf8_is_windows_1252(void **state)
{
    const char text[] = "Caf\xe9 don\x92t \x80 na\xc3\xafve";
    char *got = tokens_of_bytes("", "", text, sizeof text - 1);

    (void)state;
    assert_string_equal(got, "caf\u00e9|don't|na\u00e3|ve");
    free(got);
    got = tokens_of_bytes("tokens=words2", "", "\xff\xfe\x00\x01zz", 6);
    assert_string_equal(got, "\u00ff\u00fe|zz");
    free(got);
}

static void stop_words_are_left_out_before_n_grams_are_made(void **state)
{
    (void)state;
    check_tokens("stop=en", "The cat isn't on THE mat", "cat|mat");
    check_tokens("stop=de ngrams=1..2", "Der Hund \u00dcber die Stra\u00dfe",
                 "hund|hund strasse|strasse");
    check_tokens("tokens=words2 stop=en", "don't go",
                 "go"); /* "don" is a stop word as words2 sees it */
}

/* Porter's second English stemmer and the German one, as their authors' sample vocabularies have
 * it. */
static void words_are_cut_back_to_their_stems(void **state)
{
    (void)state;
    check_tokens("stem=en", "The generously running ponies' consistency",
                 "the|generous|run|poni|consist");
    check_tokens("stem=de", "aufeinanderfolgenden H\u00e4user", "aufeinanderfolg|haus");
    check_tokens("stem=en ngrams=2", "running happily", "run happili");
    check_tokens("stem=en stop=en", "there were running dogs", "run|dog");
    check_tokens("stem=fr", "continuation continuellement", "continu|continuel");
}

static void n_grams_and_skip_bigrams_are_joined_readably(void **state)
{
    (void)state;
    check_tokens("ngrams=1..3", "one two, three", "one|one two|one two three|two|two three|three");
    check_tokens("ngrams=2", "one", "");
    check_tokens("ngrams=2", "One\ntwo\u2014three caf\u00e9", "one two|two three|three caf\u00e9");
    check_tokens("skip-bigrams=4", "a b c d e", "a|a _ c|a _ _ d|b|b _ d|b _ _ e|c|c _ e|d|e");
    check_tokens("skip-bigrams=3 ngrams=2", "a b c", "a b|a _ c|b c");
    check_tokens("tokens=words2 skip-bigrams=yes", "buy _ __ now", "buy|buy _ now|__|now");
}

static void a_prefix_stands_before_every_token(void **state)
{
    char *got = tokens_of_bytes("ngrams=1..2", "subject:", "Hello big world", 15);

    (void)state;
    assert_string_equal(
        got, "subject:hello|subject:hello big|subject:big|subject:big world|subject:world");
    free(got);
    got = tokens_of_bytes("tokens=rich", "subject:", "FREE! http://a.bc/", 18);
    assert_string_equal(got, "subject:free|subject:length:8|url:a.bc|subject:FREE|subject:!");
    free(got);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(words_are_letters_marks_and_digits_in_lower_case),
        cmocka_unit_test(an_apostrophe_between_letters_is_part_of_the_word),
        cmocka_unit_test(words_are_folded_and_normalised),
        cmocka_unit_test(scripts_without_spaces_give_pairs_of_characters),
        cmocka_unit_test(text_that_is_not_utf8_is_windows_1252),
        cmocka_unit_test(stop_words_are_left_out_before_n_grams_are_made),
        cmocka_unit_test(words_are_cut_back_to_their_stems),
        cmocka_unit_test(n_grams_and_skip_bigrams_are_joined_readably),
        cmocka_unit_test(a_prefix_stands_before_every_token),
    };
    return cmocka_run_group_tests_name("words", tests, NULL, NULL);
}
