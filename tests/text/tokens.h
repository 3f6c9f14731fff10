/* tests/text/tokens.h - shared by the tests of text: a tokenizer from knobs, and its tokens as one
 * string with '|' between them.
 */
#ifndef CR_TESTS_TEXT_TOKENS_H
#define CR_TESTS_TEXT_TOKENS_H

#include <stdarg.h>
#include <stddef.h>
#include <setjmp.h>
#include <stdint.h>
#include <cmocka.h>

#include <stdlib.h>
#include <string.h>

#include "base/buffer.h"
#include "text/tokenizer.h"

/* A recipe from "name=value name=value". */
static inline cr__recipe recipe_of(const char *knobs)
{
    cr__recipe recipe = cr__recipe_usual();
    char *copy = strdup(knobs), *rest = copy, *knob;

    while ((knob = strsep(&rest, " ")) != NULL && *knob != '\0') {
        char *value = strchr(knob, '=');

        *value++ = '\0';
        assert_int_equal(cr__recipe_set(&recipe, knob, value, NULL), CR_OK);
    }
    free(copy);
    assert_int_equal(cr__recipe_check(&recipe, NULL), CR_OK);
    return recipe;
}

static inline void join_tokens(const cr__tokenizer *t, cr__buffer *out)
{
    for (size_t i = 0; i < t->count; i++) {
        const cr__token *token = &t->tokens[i];

        assert_true(token->hash == cr__token_hash(t->text + token->start, token->length));
        if (out->size > 0)
            cr__buffer_addc(out, '|');
        cr__buffer_add(out, t->text + token->start, token->length);
    }
}

/* The tokens of a section; the caller frees the string. */
static inline char *tokens_of_bytes(const char *knobs, const char *prefix, const char *bytes,
                                    size_t size)
{
    cr__recipe recipe = recipe_of(knobs);
    cr__buffer out = {0};
    cr__tokenizer *t;
    cr_status status;

    assert_int_equal(cr__tokenizer_new(&t, &recipe, NULL), CR_OK);
    status = cr__tokenizer_begin(t, prefix, bytes, size, NULL);
    while (status == CR_OK && (status = cr__tokenizer_next(t, NULL)) == CR_OK)
        join_tokens(t, &out);
    assert_int_equal(status, CR_END);
    cr__tokenizer_free(t);
    cr__recipe_free(&recipe);
    cr__buffer_addc(&out, '\0');
    return out.data;
}

static inline void check_tokens(const char *knobs, const char *text, const char *expected)
{
    char *got = tokens_of_bytes(knobs, "", text, strlen(text));

    assert_string_equal(got, expected);
    free(got);
}

#endif
