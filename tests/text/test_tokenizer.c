/* tests/text/test_tokenizer.c - what must hold for any text: pieces, memory, hostile bytes. */
#include "text/tokens.h"

#include "base/memory.h"
#include "text/utf8.h"

static const char *const recipes[] = {
    "tokens=words",
    "tokens=words2",
    "tokens=rich",
    "tokens=chars ngrams=1..3",
    "tokens=words2 lower-case=no",
    "tokens=words ngrams=1..3",
    "tokens=words ngrams=2 skip-bigrams=7",
    "tokens=rich stop=en stem=en ngrams=1..2",
    "tokens=words2 strip=headers,footers,quotes",
};

static const char *const parts[] = {
    "word",
    "Word",
    "don't",
    " ",
    "  ",
    "\n",
    ". ",
    "_",
    "caf\u00e9",
    "\u0301",
    "\u6771",
    "\u4eac",
    "\u0e01\u0e34",
    "\u1112\u1161",
    "\u03a3",
    "\u0130",
    "FREE",
    "\u00a3100",
    "!!!",
    "http://a.b/c",
    "x@y.zz",
    "\u2019",
    "0871 872 9755",
    "\u00df",
    "\u200b",
    "'",
    "-",
    "12",
    "\xf0\x9f\x8e\x81",
    "stra\u00dfe",
    "\u00dcBER",
    "...",
};

/* Text made of such parts; `whole` leaves out white space. */
static size_t random_text(char *out, size_t room, int whole)
{
    size_t n = 0;

    while (n + 32 < room) {
        const char *part = parts[(size_t)rand() % (sizeof parts / sizeof *parts)];

        if (whole && strpbrk(part, " \n") != NULL)
            continue;
        memcpy(out + n, part, strlen(part));
        n += strlen(part);
    }
    return n;
}

static int compare_tokens(const void *a, const void *b)
{
    const cr__token *x = a, *y = b;

    return (x->hash > y->hash) - (x->hash < y->hash);
}

/* The hashes of a document in order of size: by run, or by pieces of the given size. */
static cr__token *all_tokens(cr__tokenizer *t, const char *text, size_t size, size_t piece,
                             size_t *n)
{
    cr__token *tokens = NULL;
    cr_status status = cr__tokenizer_begin(t, "", text, size, NULL);

    *n = 0;
    t->piece = piece;
    while (status == CR_OK && (status = cr__tokenizer_next(t, NULL)) == CR_OK) {
        tokens = realloc(tokens, (*n + t->count + 1) * sizeof *tokens);
        memcpy(tokens + *n, t->tokens, t->count * sizeof *tokens);
        *n += t->count;
    }
    assert_int_equal(status, CR_END);
    if (*n > 0)
        qsort(tokens, *n, sizeof *tokens, compare_tokens);
    return tokens;
}

/* n-grams reach over the seams, which fall on white space. (A telephone number in two lines is
 * none, and newlines come first, so that `rich` passes too.) */
static void pieces_give_the_tokens_of_the_whole(void **state)
{
    char text[12000];

    (void)state;
    srand(5);
    for (size_t r = 0; r < sizeof recipes / sizeof *recipes; r++) {
        cr__recipe recipe = recipe_of(recipes[r]);
        cr__tokenizer *t;

        assert_int_equal(cr__tokenizer_new(&t, &recipe, NULL), CR_OK);
        for (int i = 0; i < 40; i++) {
            const size_t size = random_text(text, sizeof text, 0);
            size_t n, m;
            cr__token *whole, *pieces;

            whole = all_tokens(t, text, size, SIZE_MAX / 4, &n);
            pieces = all_tokens(t, text, size, 3000 + (size_t)rand() % 3000, &m);
            assert_int_equal(n, m);
            for (size_t k = 0; k < n; k++)
                assert_true(whole[k].hash == pieces[k].hash);
            assert_int_equal(cr__tokenizer_run(t, text, size, NULL), CR_OK);
            assert_int_equal(t->count, n);
            free(whole);
            free(pieces);
        }
        cr__tokenizer_free(t);
        cr__recipe_free(&recipe);
    }
}

/* A soft hyphen after every letter sends ASCII words the long way; it is invisible, so the words
 * are the same. */
static void the_fast_and_the_long_way_find_the_same_words(void **state)
{
    const char *alphabet = "abcXYZ019'' '.-_\n,";
    char plain[400], hyphens[1300];

    (void)state;
    srand(6);
    for (int i = 0; i < 3000; i++) {
        size_t n = (size_t)rand() % sizeof plain, m = 0;
        char *fast, *slow;

        for (size_t k = 0; k < n; k++) {
            plain[k] = alphabet[(size_t)rand() % strlen(alphabet)];
            hyphens[m++] = plain[k];
            if (((plain[k] | 0x20) >= 'a' && (plain[k] | 0x20) <= 'z') || plain[k] == '\'') {
                memcpy(hyphens + m, "\u00ad", 2);
                m += 2;
            }
        }
        fast = tokens_of_bytes("", "", plain, n);
        slow = tokens_of_bytes("", "", hyphens, m);
        assert_string_equal(fast, slow);
        free(fast);
        free(slow);
    }
}

static void every_processor_gives_the_same_tokens(void **state)
{
    char text[2000];

    (void)state;
    srand(7);
    for (int i = 0; i < 200; i++) {
        const size_t size = random_text(text, sizeof text, i % 2);
        char *got[3];

        for (int level = CR__ASCII_PLAIN; level <= CR__ASCII_AVX2; level++) {
            cr__ascii_level_limit = level;
            got[level] = tokens_of_bytes(recipes[(size_t)i % 8], "", text, size);
        }
        assert_string_equal(got[0], got[1]);
        assert_string_equal(got[0], got[2]);
        for (int level = 0; level < 3; level++)
            free(got[level]);
    }
}

/* Any bytes give tokens that lie in the text and are valid UTF-8 of at least one byte. */
static void random_bytes_are_text_too(void **state)
{
    (void)state;
    srand(8);
    for (size_t r = 0; r < sizeof recipes / sizeof *recipes; r++) {
        cr__recipe recipe = recipe_of(recipes[r]);
        cr__tokenizer *t;

        assert_int_equal(cr__tokenizer_new(&t, &recipe, NULL), CR_OK);
        for (int i = 0; i < 400; i++) {
            const size_t size = (size_t)(rand() % 600);
            char *bytes = malloc(size + 1);

            for (size_t k = 0; k < size; k++)
                bytes[k] = (char)(i % 2 == 0 ? rand() : 0xc0 | rand());
            assert_int_equal(cr__tokenizer_run(t, bytes, size, NULL), CR_OK);
            for (size_t k = 0; k < t->count; k++) {
                assert_true(t->tokens[k].length > 0);
                assert_true(cr__utf8_valid(t->text + t->tokens[k].start, t->tokens[k].length));
            }
            free(bytes);
        }
        cr__tokenizer_free(t);
        cr__recipe_free(&recipe);
    }
}

/* 200,000 combining marks in the wrong order, and a word of 300,000 letters: both end soon, and a
 * word is cut at 64 KiB. */
static void monstrous_words_do_not_hang(void **state)
{
    const size_t size = 400000;
    char *text = malloc(size);
    char *got;

    (void)state;
    text[0] = 'a';
    text[1] = 'b';
    for (size_t i = 2; i < size; i += 2)
        memcpy(text + i, i % 4 == 0 ? "\u0301" : "\u0316", 2);
    got = tokens_of_bytes("", "", text, size);
    assert_true(strlen(got) > 0);
    free(got);
    memset(text, 'x', size);
    got = tokens_of_bytes("", "", text, 300000);
    assert_int_equal(strcspn(got, "|"), CR__PIECE_BYTES);
    assert_int_equal(strlen(got), 300000 + 4);
    free(got);
    free(text);
}

static void character_n_grams_cover_the_folded_text(void **state)
{
    (void)state;
    check_tokens("tokens=chars ngrams=2", "a B\t\n c", "a | b|b | c");
    check_tokens("tokens=chars ngrams=1..2", "x\u00c9", "x|x\u00e9|\u00e9");
    check_tokens("tokens=chars ngrams=2", "e\u0301e\u0301", "\u00e9\u00e9");
    check_tokens("tokens=chars", "word", "wor|word|ord");
    check_tokens("tokens=chars", "ab", "");
}

static void running_out_of_memory_is_reported(void **state)
{
    char text[2000];
    const size_t size = random_text(text, sizeof text, 0);

    (void)state;
    for (size_t r = 0; r < sizeof recipes / sizeof *recipes; r++) {
        cr__recipe recipe = recipe_of(recipes[r]);
        cr_status status = CR_ENOMEM;

        for (long n = 0; status == CR_ENOMEM; n++) {
            cr__tokenizer *t = NULL;

            assert_in_range(n, 0, 1000);
            cr__memory_fail_after = n;
            status = cr__tokenizer_new(&t, &recipe, NULL);
            if (status == CR_OK)
                status = cr__tokenizer_run(t, text, size, NULL);
            cr__memory_fail_after = -1;
            cr__tokenizer_free(t);
        }
        assert_int_equal(status, CR_OK);
        cr__recipe_free(&recipe);
    }
}

static void a_tokenizer_goes_on_after_it_ran_out_of_memory(void **state)
{
    cr__recipe recipe = recipe_of("ngrams=1..2");
    cr__tokenizer *t;

    (void)state;
    assert_int_equal(cr__tokenizer_new(&t, &recipe, NULL), CR_OK);
    cr__memory_fail_after = 0;
    assert_int_equal(cr__tokenizer_run(t, "one two", 7, NULL), CR_ENOMEM);
    cr__memory_fail_after = -1;
    assert_int_equal(cr__tokenizer_run(t, "one two", 7, NULL), CR_OK);
    assert_int_equal(t->count, 3);
    cr__tokenizer_free(t);
    cr__recipe_free(&recipe);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(pieces_give_the_tokens_of_the_whole),
        cmocka_unit_test(the_fast_and_the_long_way_find_the_same_words),
        cmocka_unit_test(every_processor_gives_the_same_tokens),
        cmocka_unit_test(random_bytes_are_text_too),
        cmocka_unit_test(monstrous_words_do_not_hang),
        cmocka_unit_test(character_n_grams_cover_the_folded_text),
        cmocka_unit_test(running_out_of_memory_is_reported),
        cmocka_unit_test(a_tokenizer_goes_on_after_it_ran_out_of_memory),
    };
    return cmocka_run_group_tests_name("tokenizer", tests, NULL, NULL);
}
