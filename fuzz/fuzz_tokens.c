/* fuzz/fuzz_tokens.c - any bytes as text: the first one picks a recipe.
 *
 * Tokens are valid UTF-8 with the right hashes, every version of the scanner finds the same ones,
 * and the line of a recipe reads back.
 */
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#include "text/tokenizer.h"
#include "text/utf8.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

static const char *const recipes[] = {
    "recipe=1 tokens=words",
    "recipe=1 tokens=words2",
    "recipe=1 tokens=rich",
    "recipe=1 tokens=chars",
    "recipe=1 tokens=words2 lower-case=no",
    "recipe=1 tokens=words ngrams=1..3",
    "recipe=1 tokens=words2 ngrams=2..2 skip-bigrams=7",
    "recipe=1 tokens=rich stem=en ngrams=1..2 stop=words stop-words=the,and,caf\u00e9",
    "recipe=1 tokens=words strip=headers,footers,quotes",
    "recipe=1 tokens=chars ngrams=1..8",
};

static void check(int right)
{
    if (!right)
        abort();
}

/* The sum of the hashes of all tokens, by pieces of some bytes. */
static uint64_t sum_tokens(cr__tokenizer *t, const char *text, size_t size, size_t piece)
{
    cr_status status = cr__tokenizer_begin(t, "p:", text, size, NULL);
    uint64_t sum = 0;

    t->piece = piece;
    while (status == CR_OK && (status = cr__tokenizer_next(t, NULL)) == CR_OK) {
        for (size_t i = 0; i < t->count; i++) {
            const char *token = t->text + t->tokens[i].start;
            const size_t length = t->tokens[i].length;

            check(length > 0 && cr__utf8_valid(token, length));
            check(cr__token_hash(token, length) == t->tokens[i].hash);
            sum += t->tokens[i].hash;
        }
    }
    check(status == CR_END);
    return sum;
}

/* Bytes as the line of a recipe: when they are one, writing it gives a line that reads the same. */
static void check_line(const char *bytes, size_t size)
{
    cr__buffer first = {0}, second = {0};
    cr__recipe recipe, again;

    if (cr__recipe_read(&recipe, bytes, size, NULL) == CR_OK) {
        cr__recipe_write(&recipe, &first);
        check(cr__recipe_read(&again, first.data, first.size, NULL) == CR_OK);
        cr__recipe_write(&again, &second);
        check(first.size == second.size && memcmp(first.data, second.data, first.size) == 0);
        cr__recipe_free(&again);
    }
    cr__recipe_free(&recipe);
    cr__buffer_free(&first);
    cr__buffer_free(&second);
}

/* Tokenizers are made once and kept: making them would take most of the time. */
static cr__tokenizer *tokenizer_for(size_t which)
{
    static cr__recipe recipe[sizeof recipes / sizeof *recipes];
    static cr__tokenizer *made[sizeof recipes / sizeof *recipes];

    if (made[which] == NULL) {
        check(cr__recipe_read(&recipe[which], recipes[which], strlen(recipes[which]), NULL) ==
              CR_OK);
        check(cr__tokenizer_new(&made[which], &recipe[which], NULL) == CR_OK);
    }
    return made[which];
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    const char *text = (const char *)data + (size > 0);
    cr__tokenizer *t = tokenizer_for(size > 0 ? data[0] % (sizeof recipes / sizeof *recipes) : 0);
    uint64_t plain;

    check_line((const char *)data, size);
    size -= size > 0;
    cr__ascii_level_limit = CR__ASCII_PLAIN;
    plain = sum_tokens(t, text, size, CR__PIECE_BYTES);
    cr__ascii_level_limit = CR__ASCII_SSE2;
    check(sum_tokens(t, text, size, CR__PIECE_BYTES) == plain);
    cr__ascii_level_limit = CR__ASCII_AVX2;
    check(sum_tokens(t, text, size, CR__PIECE_BYTES) == plain);
    (void)sum_tokens(t, text, size, 16); /* the seams fall anywhere */
    return 0;
}
