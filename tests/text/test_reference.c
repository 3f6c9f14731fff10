/* tests/text/test_reference.c - words2 against scikit-learn: see reference/make_text_reference.py.
 */
#include "text/reference.h"

#include "text/utf8.h"

/* \n, \r and \t in place of what they stand for. */
static void unescape(char *text)
{
    char *to = text;

    for (; *text != '\0'; text++) {
        if (*text == '\\') {
            text++;
            *to++ = *text == 'n' ? '\n' : *text == 'r' ? '\r' : '\t';
        } else {
            *to++ = *text;
        }
    }
    *to = '\0';
}

static void difficult_texts_have_the_tokens_of_scikit_learn(void **state)
{
    FILE *file = open_reference("text-words2.tsv");
    char *line = NULL;
    size_t room = 0;
    int cases = 0;

    (void)state;
    while (getline(&line, &room, file) > 0) {
        char *tab = strchr(line, '\t');

        if (line[0] == '#')
            continue;
        assert_non_null(tab);
        *tab = '\0';
        tab[1 + strcspn(tab + 1, "\n")] = '\0';
        for (char *p = tab + 1; *p != '\0'; p++)
            if (*p == ' ')
                *p = '|';
        unescape(line);
        check_tokens("tokens=words2", line, tab + 1);
        cases++;
    }
    assert_true(cases > 20);
    free(line);
    fclose(file);
}

/* The texts of a range: the form with each code point, newlines between. */
static void write_range(cr__buffer *text, const char *form, uint32_t first, uint32_t last)
{
    char bytes[4];

    cr__buffer_clear(text);
    for (uint32_t point = first; point <= last; point++) {
        if (point > first)
            cr__buffer_addc(text, '\n');
        for (const char *p = form; *p != '\0'; p++) {
            if (p[0] == '%' && p[1] == 's') {
                cr__buffer_add(text, bytes, cr__utf8_put(bytes, point));
                p++;
            } else {
                cr__buffer_addc(text, *p);
            }
        }
    }
    assert_false(text->failed);
}

/* Every code point that Unicode 14 assigns, alone, in words and around a capital sigma. */
static void every_code_point_is_treated_as_scikit_learn_does(void **state)
{
    static const char *const forms[] = {"x%syz", "a\u03a3%sb", "b%s\u03a3 c", "%s%s"};
    FILE *file = open_reference("text-points.tsv");
    cr__recipe recipe = recipe_of("tokens=words2");
    cr__buffer text = {0};
    cr__tokenizer *t;
    char line[256];
    size_t points = 0;

    (void)state;
    assert_int_equal(cr__tokenizer_new(&t, &recipe, NULL), CR_OK);
    while (fgets(line, sizeof line, file) != NULL) {
        char *p = line;
        uint32_t first, last;

        if (line[0] == '#')
            continue;
        first = (uint32_t)strtoul(p, &p, 16);
        last = (uint32_t)strtoul(p, &p, 16);
        for (size_t i = 0; i < 4; i++) {
            const uint64_t expected = strtoull(p, &p, 16);

            write_range(&text, forms[i], first, last);
            assert_int_equal(cr__tokenizer_run(t, text.data, text.size, NULL), CR_OK);
            if (digest_tokens(t, 0, 1) != expected)
                fail_msg("U+%04X to U+%04X in \"%s\"", first, last, forms[i]);
        }
        points += last - first + 1;
    }
    assert_true(points > 280000); /* Unicode 14: 144,697 characters and 137,468 for private use */
    cr__tokenizer_free(t);
    cr__recipe_free(&recipe);
    cr__buffer_free(&text);
    fclose(file);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(difficult_texts_have_the_tokens_of_scikit_learn),
        cmocka_unit_test(every_code_point_is_treated_as_scikit_learn_does),
    };
    return cmocka_run_group_tests_name("reference", tests, NULL, NULL);
}
