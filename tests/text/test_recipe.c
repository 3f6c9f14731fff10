/* tests/text/test_recipe.c - recipes from knobs, to text and back. */
#include "text/tokens.h"

#include "base/memory.h"

#include <stdio.h>
#include <unistd.h>

static char *line_of(const cr__recipe *recipe)
{
    cr__buffer out = {0};

    cr__recipe_write(recipe, &out);
    cr__buffer_addc(&out, '\0');
    assert_false(out.failed);
    return out.data;
}

static void check_line(const char *knobs, const char *expected)
{
    cr__recipe recipe = recipe_of(knobs), back;
    char *line = line_of(&recipe), *again;

    assert_string_equal(line, expected);
    assert_int_equal(cr__recipe_read(&back, line, strlen(line), NULL), CR_OK);
    again = line_of(&back);
    assert_string_equal(again, expected);
    free(line);
    free(again);
    cr__recipe_free(&recipe);
    cr__recipe_free(&back);
}

static void the_usual_recipe_is_words(void **state)
{
    (void)state;
    check_line("",
               "recipe=1 tokens=words ngrams=1..1 skip-bigrams=no stop=none min-count=1 stem=none "
               "strip=none lower-case=yes html=auto");
}

static void every_knob_is_kept_in_the_line(void **state)
{
    (void)state;
    check_line(
        "tokens=rich ngrams=1..2 skip-bigrams=yes stop=common:100 min-count=3 stem=german "
        "strip=quotes,headers",
        "recipe=1 tokens=rich ngrams=1..2 skip-bigrams=5 stop=common:100 min-count=3 stem=de "
        "strip=headers,quotes lower-case=yes html=auto");
    check_line("tokens=words2 ngrams=2 skip-bigrams=10 lower-case=no html=auto",
               "recipe=1 tokens=words2 ngrams=2..2 skip-bigrams=10 stop=none min-count=1 stem=none "
               "strip=none lower-case=no html=auto");
}

static void characters_have_three_to_five_grams_unless_told(void **state)
{
    (void)state;
    check_line("tokens=chars",
               "recipe=1 tokens=chars ngrams=3..5 skip-bigrams=no stop=none min-count=1 "
               "stem=none strip=none lower-case=yes html=auto");
    check_line("ngrams=2..8 tokens=chars",
               "recipe=1 tokens=chars ngrams=2..8 skip-bigrams=no stop=none min-count=1 stem=none "
               "strip=none lower-case=yes html=auto");
}

/* The words of a language travel in the line, so that a later list cannot change a model. */
static void a_stop_list_is_kept_as_words(void **state)
{
    cr__recipe recipe = recipe_of("stop=English");
    char *line = line_of(&recipe);

    (void)state;
    assert_non_null(strstr(line, " stop=en "));
    assert_non_null(strstr(line, " stop-words=a,about,above,"));
    assert_non_null(strstr(line, ",don't,"));
    free(line);
    cr__recipe_free(&recipe);
}

static void stop_words_of_a_file_travel_with_the_recipe(void **state)
{
    cr__recipe recipe = cr__recipe_usual(), back;
    FILE *file = fopen("words.txt", "w");
    char *line;

    (void)state;
    fputs("the  of # two\n#none of these\n\tcaf\xe9 a,b 50%\n", file); /* Latin-1 */
    fclose(file);
    assert_int_equal(cr__recipe_set(&recipe, "stop", "words.txt", NULL), CR_OK);
    unlink("words.txt");
    assert_string_equal(recipe.stop_words, "the of caf\u00e9 a,b 50%");
    line = line_of(&recipe);
    assert_non_null(strstr(line, " stop=words "));
    assert_non_null(strstr(line, " stop-words=the,of,caf\u00e9,a%2cb,50%25"));
    assert_int_equal(cr__recipe_check(&recipe, NULL), CR_OK);
    free(line);
    line = line_of(&recipe);
    assert_int_equal(cr__recipe_read(&back, line, strlen(line), NULL), CR_OK);
    assert_string_equal(back.stop_words, recipe.stop_words);
    free(line);
    cr__recipe_free(&recipe);
    cr__recipe_free(&back);
}

static void check_refusal(const char *name, const char *value, cr_status expected, const char *said)
{
    cr__recipe recipe = cr__recipe_usual();
    cr_error err;
    char text[1024];

    assert_int_equal(cr__recipe_set(&recipe, name, value, &err), expected);
    cr_error_text(&err, text, sizeof text);
    if (strstr(text, said) == NULL)
        fail_msg("\"%s\" does not say \"%s\"", text, said);
    cr__recipe_free(&recipe);
}

static void wrong_values_are_refused_with_what_would_be_right(void **state)
{
    (void)state;
    check_refusal("token", "words", CR_EARG, "did you mean tokens?");
    check_refusal("tokens", "wordz", CR_EARG, "words|words2|rich|chars");
    check_refusal("ngrams", "0", CR_EARG, "such as 2 or 1..2");
    check_refusal("ngrams", "2..1", CR_EARG, "such as 2 or 1..2");
    check_refusal("ngrams", "1..9", CR_EARG, "such as 2 or 1..2");
    check_refusal("ngrams", "1..", CR_EARG, "N|MIN..MAX");
    check_refusal("ngrams", "", CR_EARG, "N|MIN..MAX");
    check_refusal("ngrams", "+1", CR_EARG, "N|MIN..MAX");
    check_refusal("skip-bigrams", "2", CR_EARG, "3 to 10");
    check_refusal("skip-bigrams", "many", CR_EARG, "3 to 10");
    check_refusal("stop", "common:", CR_EARG, "common:N");
    check_refusal("stop", "common:0", CR_EARG, "common:N");
    check_refusal("stop", "klingon", CR_EIO, "en de fr es it pt nl sv");
    check_refusal("stop", "./no/such/file", CR_EIO, "no/such/file");
    check_refusal("min-count", "0", CR_EARG, "whole number");
    check_refusal("min-count", "2.5", CR_EARG, "whole number");
    check_refusal("stem", "klingon", CR_EARG, "a language");
    check_refusal("strip", "headers,", CR_EARG, "headers,footers,quotes");
    check_refusal("strip", "heads", CR_EARG, "headers,footers,quotes");
    check_refusal("lower-case", "maybe", CR_EARG, "yes|no");
}

static void check_clash(const char *first, const char *first_value, const char *second,
                        const char *second_value)
{
    cr__recipe recipe = cr__recipe_usual();

    assert_int_equal(cr__recipe_set(&recipe, first, first_value, NULL), CR_OK);
    assert_int_equal(cr__recipe_set(&recipe, second, second_value, NULL), CR_OK);
    assert_int_equal(cr__recipe_check(&recipe, NULL), CR_EARG);
    cr__recipe_free(&recipe);
}

static void settings_that_do_not_fit_together_are_refused(void **state)
{
    (void)state;
    check_clash("tokens", "chars", "skip-bigrams", "yes");
    check_clash("tokens", "chars", "stem", "en");
    check_clash("tokens", "chars", "stop", "en");
    check_clash("tokens", "words", "ngrams", "1..6");
    check_clash("stem", "en", "lower-case", "no");
}

static void damaged_lines_are_refused(void **state)
{
    static const struct {
        const char *line;
        cr_status status;
    } cases[] = {
        {"", CR_EFORMAT},
        {"tokens=words", CR_EFORMAT},
        {"recipe=2 tokens=words", CR_EVERSION},
        {"recipe=1 tokens=wordz", CR_EFORMAT},
        {"recipe=1 tokens", CR_EFORMAT},
        {"recipe=1  tokens=words", CR_EFORMAT},
        {"recipe=1 colour=red", CR_EFORMAT},
        {"recipe=1 stop=en", CR_EFORMAT},                /* a list without words */
        {"recipe=1 stop=none stop-words=a", CR_EFORMAT}, /* words without a list */
        {"recipe=1 stop=/etc/passwd stop-words=a%2", CR_EFORMAT},
        {"recipe=1 stop=x stop-words=a%00b", CR_EFORMAT},
        {"recipe=1 stop=a-very-long-name-of-a-language stop-words=a", CR_EFORMAT},
        {"recipe=1 tokens=chars stem=en", CR_EFORMAT},
    };

    (void)state;
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        cr__recipe recipe;
        cr_error err;

        assert_int_equal(cr__recipe_read(&recipe, cases[i].line, strlen(cases[i].line), &err),
                         cases[i].status);
        assert_int_equal(err.code, cases[i].status);
        cr__recipe_free(&recipe);
    }
}

static void running_out_of_memory_is_reported(void **state)
{
    const char *line = "recipe=1 tokens=words stop=en min-count=1 stop-words=a,b";
    cr_status status = CR_ENOMEM;

    (void)state;
    for (long n = 0; status == CR_ENOMEM; n++) {
        cr__recipe recipe;

        assert_in_range(n, 0, 10);
        cr__memory_fail_after = n;
        status = cr__recipe_read(&recipe, line, strlen(line), NULL);
        cr__memory_fail_after = -1;
        cr__recipe_free(&recipe);
    }
    assert_int_equal(status, CR_OK);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(the_usual_recipe_is_words),
        cmocka_unit_test(every_knob_is_kept_in_the_line),
        cmocka_unit_test(characters_have_three_to_five_grams_unless_told),
        cmocka_unit_test(a_stop_list_is_kept_as_words),
        cmocka_unit_test(stop_words_of_a_file_travel_with_the_recipe),
        cmocka_unit_test(wrong_values_are_refused_with_what_would_be_right),
        cmocka_unit_test(settings_that_do_not_fit_together_are_refused),
        cmocka_unit_test(damaged_lines_are_refused),
        cmocka_unit_test(running_out_of_memory_is_reported),
    };
    return cmocka_run_group_tests_name("recipe", tests, NULL, NULL);
}
