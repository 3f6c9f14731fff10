/* text/tokenizer_impl.h - shared by the files of the tokenizer.
 *
 * Each returns CR_OK, CR_ENOMEM or CR_ELIMIT. `in` is a piece of valid UTF-8; the buffer of t
 * begins with room for its lowered form and grows behind it.
 */
#ifndef CR_TEXT_TOKENIZER_IMPL_H
#define CR_TEXT_TOKENIZER_IMPL_H

#include "text/tokenizer.h"

/* Room for n more tokens; 0 when out of memory. */
int cr__token_list_enlarge(cr__token_list *list, size_t n);

static inline int cr__token_list_reserve(cr__token_list *list, size_t n)
{
    return list->capacity - list->count >= n || cr__token_list_enlarge(list, n);
}

/* Why a token cannot be added: CR_ENOMEM or CR_ELIMIT. */
cr_status cr__tokenizer_full(const cr__tokenizer *t, cr_error *err);

/* Add the token buffer[start, end). */
static inline cr_status cr__tokenizer_add(cr__tokenizer *t, cr__token_list *list, size_t start,
                                          size_t end, cr_error *err)
{
    cr__buffer *buffer = &t->buffer;
    uint64_t high;

    if ((buffer->capacity - buffer->size < CR__TOKEN_PAD &&
         cr__buffer_reserve(buffer, CR__TOKEN_PAD) == NULL) ||
        buffer->failed || !cr__token_list_reserve(list, 1) || end > UINT32_MAX)
        return cr__tokenizer_full(t, err);
    list->items[list->count++] =
        (cr__token){cr__token_hash_padded(buffer->data + start, end - start, &high),
                    (uint32_t)start, (uint32_t)(end - start)};
    return CR_OK;
}

/* The words of a piece. */
cr_status cr__words_piece(cr__tokenizer *t, const char *in, size_t size, cr_error *err);

/* The tokens of `rich` that are not words, and the piece without the text they replace. */
cr_status cr__rich_piece(cr__tokenizer *t, const char **in, size_t size, cr_error *err);

/* The marks of a piece, into the extras. */
cr_status cr__punctuation_piece(cr__tokenizer *t, const char *in, size_t size, cr_error *err);

/* The n-grams of characters of a piece, into the list. */
cr_status cr__chars_piece(cr__tokenizer *t, const char *in, size_t size, cr__token_list *list,
                          cr_error *err);

/* Remove stop words and stem the others, from the given word on. */
cr_status cr__words_sift(cr__tokenizer *t, size_t from, cr_error *err);

/* Append the words and extras to out, with n-grams and prefix. */
cr_status cr__grams_make(cr__tokenizer *t, size_t carried, cr_error *err);

/* Save the last words for the next piece, and put them before its words. */
cr_status cr__warm_start_save(cr__tokenizer *t, cr_error *err);
cr_status cr__warm_start_load(cr__tokenizer *t, cr_error *err);

#endif
