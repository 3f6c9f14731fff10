/* text/punctuation.c - the marks between words, as tokens.
 *
 * A run of one mark is one token: "!", "!!!", "...". An apostrophe inside a word is part of the
 * word, not a mark.
 */
#include "text/tokenizer_impl.h"

#include "base/fail.h"
#include "text/utf8.h"

static int is_letter(uint32_t point)
{
    return cr__point_classify(point) == CR__POINT_LETTER;
}

static cr_status add_run(cr__tokenizer *t, const char *from, const char *to, cr_error *err)
{
    enum { LONGEST = 64 }; /* bytes: lines of dashes are the same token whatever their length */
    const size_t start = t->buffer.size;
    size_t length = (size_t)(to - from);

    if (length > LONGEST)
        length = LONGEST - LONGEST % 12; /* whole characters of 1, 2, 3 or 4 bytes */
    cr__buffer_add(&t->buffer, from, length);
    if (t->buffer.failed)
        return cr__fail_memory(err);
    return cr__tokenizer_add(t, &t->extras, start, t->buffer.size, err);
}

cr_status cr__punctuation_piece(cr__tokenizer *t, const char *in, size_t size, cr_error *err)
{
    const char *end = in + size, *next;
    uint32_t point, before = 0, after;
    cr_status status = CR_OK;

    for (const char *p = in; p < end && status == CR_OK; p = next) {
        next = cr__utf8_next(p, end, &point);
        if (cr__point_is_mark(point)) {
            const char *run = next, *then = run;

            while (run < end && (then = cr__utf8_next(run, end, &after), after == point))
                run = then;
            if (run == end)
                after = 0;
            if (!((point == '\'' || point == 0x2019) && run == next && is_letter(before) &&
                  is_letter(after)))
                status = add_run(t, p, run, err);
            next = run;
        }
        before = point;
    }
    return status;
}
