/* text/grams.c - n-grams and skip-bigrams of words, prefixes, and words carried from piece to
 * piece. */
#include "text/tokenizer_impl.h"

#include "base/fail.h"

#include <string.h>

/* Write a word at `to`. Both ends of the copy are padded, so that it goes by whole blocks. */
static char *put_word(const cr__tokenizer *t, char *to, const cr__token *word)
{
    const char *from = t->buffer.data + word->start;
    char block[CR__TOKEN_PAD];

    for (size_t i = 0; i < word->length; i += sizeof block) {
        memcpy(block, from + i, sizeof block);
        memcpy(to + i, block, sizeof block);
    }
    return to + word->length;
}

/* The prefix, with room for n bytes after it; NULL when out of memory. */
static char *begin_token(cr__tokenizer *t, size_t n)
{
    const size_t length = strlen(t->prefix);
    char *to = cr__buffer_reserve(&t->buffer, length + n + CR__TOKEN_PAD);

    return to != NULL ? (char *)memcpy(to, t->prefix, length) + length : NULL;
}

static cr_status end_token(cr__tokenizer *t, const char *end, cr_error *err)
{
    const size_t start = t->buffer.size;

    t->buffer.size = (size_t)(end - t->buffer.data);
    return cr__tokenizer_add(t, &t->out, start, t->buffer.size, err);
}

/* Whether only a single space lies between the two words, so that they are one text already. */
static int adjacent(const cr__tokenizer *t, const cr__token *a, const cr__token *b)
{
    return a->start + a->length + 1 == b->start && t->buffer.data[b->start - 1] == ' ';
}

/* The words from first to last as one token; `whole`: the text already contains them in this
 * form. */
static cr_status add_gram(cr__tokenizer *t, const cr__token *first, const cr__token *last,
                          int whole, cr_error *err)
{
    size_t length = 0;
    char *to;

    if (first == last && t->prefix[0] == '\0' && cr__token_list_reserve(&t->out, 1)) {
        t->out.items[t->out.count++] = *first;
        return CR_OK;
    }
    if (whole && t->prefix[0] == '\0')
        return cr__tokenizer_add(t, &t->out, first->start, last->start + last->length, err);
    for (const cr__token *word = first; word <= last; word++)
        length += word->length + 1;
    if ((to = begin_token(t, length)) == NULL)
        return cr__fail_memory(err);
    to = put_word(t, to, first);
    for (const cr__token *word = first + 1; word <= last; word++) {
        *to++ = ' ';
        to = put_word(t, to, word);
    }
    return end_token(t, to, err);
}

/* All n-grams that begin with word i and end with a word of this piece. */
static cr_status grams_from(cr__tokenizer *t, size_t i, size_t carried, cr_error *err)
{
    const cr__token *word = t->words.items + i;
    cr_status status = CR_OK;
    int whole = 1;

    for (size_t n = 1; n <= t->recipe->gram_max && i + n <= t->words.count; n++) {
        if (n > 1)
            whole = whole && adjacent(t, &word[n - 2], &word[n - 1]);
        if (n >= t->recipe->gram_min && i + n > carried)
            status = add_gram(t, word, &word[n - 1], whole, err);
        if (status != CR_OK)
            return status;
    }
    return CR_OK;
}

static cr_status skips_from(cr__tokenizer *t, size_t i, size_t carried, cr_error *err)
{
    const cr__token *first = &t->words.items[i], *last;
    cr_status status = CR_OK;

    for (size_t d = 2; d < t->recipe->skip_window && i + d < t->words.count && status == CR_OK;
         d++) {
        char *to;

        if (i + d < carried)
            continue;
        last = first + d;
        if ((to = begin_token(t, first->length + 2 * d + last->length)) == NULL)
            return cr__fail_memory(err);
        to = put_word(t, to, first);
        for (size_t k = 1; k < d; k++, to += 2)
            memcpy(to, " _", 2);
        *to++ = ' ';
        status = end_token(t, put_word(t, to, last), err);
    }
    return status;
}

/* An extra token keeps a tag of its own ("url:...") and has the section's prefix otherwise. */
static cr_status add_extra(cr__tokenizer *t, const cr__token *extra, cr_error *err)
{
    char *to;

    if (t->prefix[0] == '\0' ||
        (extra->length > 4 && memcmp(t->buffer.data + extra->start, "url:", 4) == 0)) {
        if (!cr__token_list_reserve(&t->out, 1))
            return cr__fail_memory(err);
        t->out.items[t->out.count++] = *extra;
        return CR_OK;
    }
    if ((to = begin_token(t, extra->length)) == NULL)
        return cr__fail_memory(err);
    return end_token(t, put_word(t, to, extra), err);
}

/* The words as they are. */
static cr_status take_words(cr__tokenizer *t, cr_error *err)
{
    const size_t count = t->words.count;

    if (!cr__token_list_reserve(&t->out, count))
        return cr__fail_memory(err);
    if (count > 0)
        memcpy(t->out.items + t->out.count, t->words.items, count * sizeof *t->out.items);
    t->out.count += count;
    return CR_OK;
}

cr_status cr__grams_make(cr__tokenizer *t, size_t carried, cr_error *err)
{
    const cr__recipe *recipe = t->recipe;
    const int plain =
        recipe->gram_max == 1 && recipe->skip_window == 0 && carried == 0 && t->prefix[0] == '\0';
    cr_status status = plain ? take_words(t, err) : CR_OK;

    for (size_t i = 0; i < t->words.count && !plain && status == CR_OK; i++) {
        status = grams_from(t, i, carried, err);
        if (status == CR_OK && t->recipe->skip_window > 0)
            status = skips_from(t, i, carried, err);
    }
    for (size_t i = 0; i < t->extras.count && status == CR_OK; i++)
        status = add_extra(t, &t->extras.items[i], err);
    return status;
}

/* --- across pieces --------------------------------------------------------------------- */

cr_status cr__warm_start_save(cr__tokenizer *t, cr_error *err)
{
    const size_t count = t->words.count < t->reach ? t->words.count : t->reach;

    cr__buffer_clear(&t->carry);
    t->carried = 0;
    for (size_t i = t->words.count - count; i < t->words.count; i++) {
        const cr__token *word = &t->words.items[i];

        cr__buffer_add(&t->carry, t->buffer.data + word->start, word->length);
        cr__buffer_addc(&t->carry, ' ');
        t->carry_length[t->carried++] = word->length;
    }
    return t->carry.failed ? cr__fail_memory(err) : CR_OK;
}

cr_status cr__warm_start_load(cr__tokenizer *t, cr_error *err)
{
    size_t start = t->buffer.size;
    cr_status status = CR_OK;

    if (t->carried > 0)
        cr__buffer_add(&t->buffer, t->carry.data, t->carry.size);
    for (uint32_t i = 0; i < t->carried && status == CR_OK; i++) {
        status = cr__tokenizer_add(t, &t->words, start, start + t->carry_length[i], err);
        start += t->carry_length[i] + 1;
    }
    return status;
}
