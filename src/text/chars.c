/* text/chars.c - n-grams of characters. */
#include "text/tokenizer_impl.h"

#include "base/fail.h"
#include "text/utf8.h"

/* Write one character; white space as a space, and not twice. */
static void put_point(cr__buffer *text, uint32_t point)
{
    char bytes[4];

    if (!cr__point_is_space(point))
        cr__buffer_add(text, bytes, cr__utf8_put(bytes, point));
    else if (text->size > 0 && text->data[text->size - 1] != ' ')
        cr__buffer_addc(text, ' ');
}

/* Write the folded text. Characters above 0x7f are folded together with the ASCII character before
 * them, which they may compose with. */
static void fold_piece(cr__tokenizer *t, const char *in, size_t size)
{
    const char *p = in, *end = in + size;
    size_t count;

    while (p < end) {
        const char *plain = p + cr__ascii_prefix(p, (size_t)(end - p)), *high = plain;

        if (plain < end && plain > p)
            plain--;
        for (; p < plain; p++)
            put_point(
                &t->buffer,
                (unsigned char)(t->recipe->lower_case && *p >= 'A' && *p <= 'Z' ? *p | 0x20 : *p));
        while (high < end && (unsigned char)*high >= 0x80)
            high++;
        while (p < high) {
            p = cr__points_fold(p, high, t->fold, t->points, &count);
            for (size_t i = 0; i < count; i++)
                put_point(&t->buffer, (uint32_t)t->points[i]);
        }
    }
}

static size_t next_point(const cr__buffer *text, size_t at)
{
    do
        at++;
    while (at < text->size && ((unsigned char)text->data[at] & 0xc0) == 0x80);
    return at;
}

/* All n-grams of buffer[start, size) that end after `old`. */
static cr_status grams(cr__tokenizer *t, size_t start, size_t old, cr__token_list *list,
                       cr_error *err)
{
    const size_t end = t->buffer.size;
    cr_status status = CR_OK;

    for (size_t first = start; first < end; first = next_point(&t->buffer, first)) {
        size_t last = first;

        for (uint32_t n = 1; n <= t->recipe->gram_max && last < end; n++) {
            last = next_point(&t->buffer, last);
            if (n >= t->recipe->gram_min && last > old)
                status = cr__tokenizer_add(t, list, first, last, err);
            if (status != CR_OK)
                return status;
        }
    }
    return CR_OK;
}

cr_status cr__chars_piece(cr__tokenizer *t, const char *in, size_t size, cr__token_list *list,
                          cr_error *err)
{
    const size_t start = t->buffer.size;
    size_t old, keep;

    cr__buffer_add(&t->buffer, t->carry.data, t->first ? 0 : t->carry.size);
    old = t->buffer.size;
    fold_piece(t, in, size);
    if (t->buffer.failed)
        return cr__fail_memory(err);
    keep = t->buffer.size;
    for (uint32_t n = 1; n < t->recipe->gram_max && keep > start; n++)
        do
            keep--;
        while (keep > start && ((unsigned char)t->buffer.data[keep] & 0xc0) == 0x80);
    cr__buffer_clear(&t->carry);
    cr__buffer_add(&t->carry, t->buffer.data + keep, t->buffer.size - keep);
    if (t->carry.failed)
        return cr__fail_memory(err);
    return grams(t, start, old, list, err);
}
