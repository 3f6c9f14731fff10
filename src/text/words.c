/* text/words.c - the words of a piece of text.
 *
 * The bytes are classified 64 at a time; a run of word characters and of bytes above 0x7f is a word
 * when it is pure ASCII, which the hash detects as a by-product. Otherwise the run is processed
 * code point by code point, and the result is written behind the lowered text.
 */
#include "text/tokenizer_impl.h"

#include "base/fail.h"
#include "base/memory.h"
#include "text/utf8.h"

#include <string.h>

enum { STRIP_BYTES = 4096, WORDS_OF_BLOCK = 34 }; /* at most 33 words end in a block of 64 bytes */

static void put_point(cr__buffer *text, uint32_t point)
{
    char *to = cr__buffer_reserve(text, 4);

    if (to != NULL)
        text->size += cr__utf8_put(to, point);
}

/* --- what is known of a code point ----------------------------------------------------------- */

/* Most code points are independent: whatever their neighbours are, they become one code point. That
 * code point, its class and this fact are cached, which avoids calls of utf8proc. */
#define KNOWN 0x80000000u
#define ALONE 0x40000000u
#define CLASS_OF(fact) ((cr__point_class)((fact) >> 24 & 7))
#define POINT_OF(fact) ((fact)&0x1fffffu)

/* words, rich: a mark or a part of a Hangul syllable may compose with what is before it. */
static uint32_t find_fact(cr__tokenizer *t, uint32_t point)
{
    const int jamo = (point >= 0x1100 && point <= 0x11ff) || (point >= 0xa960 && point <= 0xa97f) ||
                     (point >= 0xd7b0 && point <= 0xd7ff);
    char bytes[4];
    const size_t length = cr__utf8_put(bytes, point);
    size_t count;

    if (jamo || cr__point_classify(point) == CR__POINT_MARK)
        return KNOWN;
    (void)cr__points_fold(bytes, bytes + length, t->fold, t->points, &count);
    if (count != 1)
        return KNOWN;
    point = (uint32_t)t->points[0];
    return KNOWN | ALONE | (uint32_t)cr__point_classify(point) << 24 | point;
}

/* words2: only a capital sigma depends on its context, and a capital i with a dot becomes two. */
static uint32_t find_fact2(cr__tokenizer *t, uint32_t point)
{
    uint32_t lower[2] = {point, 0};

    if (t->recipe->lower_case && (point == 0x03a3 || point == 0x0130))
        return KNOWN;
    if (t->recipe->lower_case)
        (void)cr__point_lower(NULL, 0, NULL, point, lower);
    return KNOWN | ALONE | (uint32_t)cr__point_is_word(lower[0]) << 24 | lower[0];
}

static uint32_t fact_of(cr__tokenizer *t, uint32_t point)
{
    uint32_t fact = t->known != NULL && point < 0x10000 ? t->known[point] : 0;

    if (fact == 0) {
        fact = t->recipe->tokens == CR__TOKENS_WORDS2 ? find_fact2(t, point) : find_fact(t, point);
        if (t->known != NULL && point < 0x10000)
            t->known[point] = fact;
    }
    return fact;
}

/* --- runs with non-ASCII characters: words2
 * ------------------------------------------------------ */

/* The word that was written from begin on, when it is long enough. */
static cr_status close_words2(cr__tokenizer *t, size_t *begin, size_t *points, cr_error *err)
{
    cr_status status = CR_OK;

    if (*points >= t->shortest)
        status = cr__tokenizer_add(t, &t->words, *begin, t->buffer.size, err);
    *begin = t->buffer.size;
    *points = 0;
    return status;
}

/* The run is in[start, end). */
static cr_status run_words2(cr__tokenizer *t, const char *in, size_t size, size_t start, size_t end,
                            cr_error *err)
{
    size_t begin = t->buffer.size, points = 0;
    const char *next;
    uint32_t lower[2];
    cr_status status = CR_OK;

    for (const char *p = in + start; p < in + end; p = next) {
        uint32_t fact;
        int n = 1;

        next = cr__utf8_next(p, in + end, &lower[0]);
        if (((fact = fact_of(t, lower[0])) & ALONE) == 0)
            n = cr__point_lower(in, size, p, lower[0], lower);
        else
            lower[0] = POINT_OF(fact);
        for (int i = 0; i < n; i++) {
            if ((fact & ALONE) != 0 ? CLASS_OF(fact) != 0 : cr__point_is_word(lower[i])) {
                put_point(&t->buffer, lower[i]);
                points++;
            } else if ((status = close_words2(t, &begin, &points, err)) != CR_OK) {
                return status;
            }
        }
    }
    return close_words2(t, &begin, &points, err);
}

/* --- runs with non-ASCII characters: words, rich
 * ------------------------------------------------- */

/* What is being built from one code point after another. A word has begun when word < buffer.size.
 * An unsegmented run has as many units (a letter with its marks) as `units` says, the last of which
 * begins at unit, the one before at previous. */
typedef struct builder {
    cr__tokenizer *t;
    size_t word, unit, previous;
    size_t units;
    int letter;     /* the word ends in a letter */
    int apostrophe; /* after which an apostrophe came */
} builder;

/* The pair of the last two units, or the only unit when the run ends with it. */
static cr_status close_unit(builder *b, int at_end, cr_error *err)
{
    cr__tokenizer *t = b->t;

    if (b->units >= 2)
        return cr__tokenizer_add(t, &t->words, b->previous, t->buffer.size, err);
    if (b->units == 1 && at_end)
        return cr__tokenizer_add(t, &t->words, b->unit, t->buffer.size, err);
    return CR_OK;
}

static cr_status close_all(builder *b, cr_error *err)
{
    cr__tokenizer *t = b->t;
    cr_status status = CR_OK;

    if (b->units > 0)
        status = close_unit(b, 1, err);
    else if (b->word < t->buffer.size)
        status = cr__tokenizer_add(t, &t->words, b->word, t->buffer.size, err);
    b->word = t->buffer.size;
    b->units = 0;
    b->letter = b->apostrophe = 0;
    return status;
}

static cr_status build(builder *b, uint32_t point, cr__point_class class, cr_error *err)
{
    cr__buffer *text = &b->t->buffer;
    cr_status status = CR_OK;

    if (b->apostrophe && class == CR__POINT_LETTER)
        put_point(text, '\'');
    else if (b->apostrophe)
        status = close_all(b, err);
    b->apostrophe = 0;
    if (class == CR__POINT_MARK && b->word == text->size)
        return status; /* a mark on nothing */
    if (class == CR__POINT_UNSEGMENTED) {
        if (status == CR_OK)
            status = b->units > 0 ? close_unit(b, 0, err) : close_all(b, err);
        b->previous = b->unit;
        b->unit = text->size;
        b->units++;
    } else if (class == CR__POINT_LETTER || class == CR__POINT_NUMBER) {
        if (b->units > 0 && status == CR_OK)
            status = close_all(b, err);
        b->letter = class == CR__POINT_LETTER;
    } else if (class != CR__POINT_MARK) {
        b->apostrophe = (point == '\'' || point == 0x2019) && b->letter;
        return b->apostrophe || status != CR_OK ? status : close_all(b, err);
    }
    put_point(text, point);
    return status;
}

/* Whether no code point of the run depends on its neighbours. */
static int all_alone(cr__tokenizer *t, const char *p, const char *end)
{
    uint32_t point, fact = ALONE;

    while (p < end && (fact & ALONE) != 0) {
        p = cr__utf8_next(p, end, &point);
        fact = fact_of(t, point);
    }
    return (fact & ALONE) != 0;
}

static cr_status run_words(cr__tokenizer *t, const char *p, const char *end, cr_error *err)
{
    builder b = {.t = t, .word = t->buffer.size};
    cr_status status = CR_OK;
    uint32_t point;
    size_t count;

    if (all_alone(t, p, end)) {
        while (p < end && status == CR_OK) {
            p = cr__utf8_next(p, end, &point);
            const uint32_t fact = fact_of(t, point);
            status = build(&b, POINT_OF(fact), CLASS_OF(fact), err);
        }
    }
    while (p < end && status == CR_OK) {
        p = cr__points_fold(p, end, t->fold, t->points, &count);
        for (size_t i = 0; i < count && status == CR_OK; i++) {
            point = (uint32_t)t->points[i];
            status = build(&b, point, cr__point_classify(point), err);
        }
    }
    return status == CR_OK ? close_all(&b, err) : status;
}

/* --- the piece ------------------------------------------------------------------------------- */

static int is_letter(char c)
{
    return (unsigned char)c >= 0x80 || (unsigned char)((c | 0x20) - 'a') < 26;
}

/* Let the joiners between two letters be word characters. */
static void join_words(cr__ascii_masks *masks, size_t blocks, int letter_before, int letter_after)
{
    uint64_t before = letter_before != 0;

    for (size_t i = 0; i < blocks; i++) {
        const uint64_t letter = masks[i].letter;
        const uint64_t after = i + 1 < blocks ? masks[i + 1].letter & 1 : letter_after != 0;

        masks[i].word |= masks[i].joiner & (letter << 1 | before) & (letter >> 1 | after << 63);
        before = letter >> 63;
    }
}

/* A run with non-ASCII characters. The list has room for a block's words again afterwards. */
static cr_status take_run(cr__tokenizer *t, const char *in, size_t size, size_t start, size_t end,
                          cr_error *err)
{
    cr_status status;

    if (t->known == NULL) /* without it everything works, but slowly */
        t->known = cr__alloc_zero(0x10000, sizeof *t->known);
    status = t->recipe->tokens == CR__TOKENS_WORDS2 ? run_words2(t, in, size, start, end, err)
                                                    : run_words(t, in + start, in + end, err);

    if (status == CR_OK && !cr__token_list_reserve(&t->words, WORDS_OF_BLOCK))
        status = cr__fail_memory(err);
    return status;
}

/* The runs of set bits of a block are words, of which the first may have begun before, at *start;
 * *open says so, and on return whether the last one continues. Most of the time is spent here. */
static cr_status take_block(cr__tokenizer *t, const char *in, size_t size, uint64_t word,
                            uint32_t base, uint64_t *open, uint32_t *start, cr_error *err)
{
    const uint32_t shortest = t->shortest;
    cr__token *out = t->words.items + t->words.count;
    uint64_t edges = word ^ (word << 1 | *open), high;
    uint32_t from = *start;

    if (*open == 0 && edges != 0) {
        from = base + (uint32_t)__builtin_ctzll(edges);
        edges &= edges - 1;
    }
    while (edges != 0) {
        const uint32_t end = base + (uint32_t)__builtin_ctzll(edges);
        const uint64_t hash = cr__token_hash_padded(t->buffer.data + from, end - from, &high);

        *out = (cr__token){hash, from, end - from};
        out += end - from >= shortest;
        if (__builtin_expect(high != 0, 0)) {
            cr_status status;

            t->words.count = (size_t)(out - t->words.items) - (end - from >= shortest);
            if ((status = take_run(t, in, size, from, end, err)) != CR_OK)
                return status;
            out = t->words.items + t->words.count;
        }
        edges &= edges - 1;
        from = base + (edges != 0 ? (uint32_t)__builtin_ctzll(edges) : 64);
        edges &= edges - 1;
    }
    t->words.count = (size_t)(out - t->words.items);
    *start = from;
    *open = word >> 63;
    return CR_OK;
}

cr_status cr__words_piece(cr__tokenizer *t, const char *in, size_t size, cr_error *err)
{
    cr_status status = CR_OK;
    uint32_t start = 0;
    uint64_t open = 0;

    for (size_t from = 0; from < size && status == CR_OK; from += STRIP_BYTES) {
        const size_t n = size - from < STRIP_BYTES ? size - from : STRIP_BYTES;
        const size_t blocks = (n + 63) / 64;

        cr__ascii_scan(&t->rule, in + from, n, t->buffer.data + from, t->masks);
        if (t->rule.joiner == '\'')
            join_words(t->masks, blocks, from > 0 && is_letter(in[from - 1]),
                       from + n < size && is_letter(in[from + n]));
        for (size_t i = 0; i < blocks && status == CR_OK; i++) {
            if (!cr__token_list_reserve(&t->words, WORDS_OF_BLOCK))
                return cr__fail_memory(err);
            status = take_block(t, in, size, t->masks[i].word, (uint32_t)(from + 64 * i), &open,
                                &start, err);
        }
    }
    if (open && status == CR_OK) /* the last block was full: the word ends with the text */
        status = take_block(t, in, size, 0, (uint32_t)size, &open, &start, err);
    return status;
}

/* --- stop words and stems -------------------------------------------------------------------- */

/* The stem in place of the word: over it when the word is part of the lowered text (no other token
 * shares those bytes), else behind all text. */
static cr_status replace_word(cr__tokenizer *t, cr__token *word, const char *stem, size_t length,
                              cr_error *err)
{
    if (length == word->length && memcmp(t->buffer.data + word->start, stem, length) == 0)
        return CR_OK;
    if (length <= word->length && word->start < t->lowered) {
        memcpy(t->buffer.data + word->start, stem, length);
    } else {
        if (t->buffer.size > UINT32_MAX - length)
            return cr__fail(err, CR_ELIMIT, "the tokens of the document take more than 4 GiB");
        word->start = (uint32_t)t->buffer.size;
        cr__buffer_add(&t->buffer, stem, length);
        if (t->buffer.failed)
            return cr__fail_memory(err);
    }
    word->length = (uint32_t)length;
    word->hash = cr__token_hash(stem, length);
    return CR_OK;
}

cr_status cr__words_sift(cr__tokenizer *t, size_t from, cr_error *err)
{
    size_t kept = from;

    for (size_t i = from; i < t->words.count; i++) {
        cr__token *word = &t->words.items[i];
        const char *text = t->buffer.data + word->start;
        size_t length = word->length;

        if (cr__stop_set_has(&t->stop, word->hash))
            continue;
        if (t->stemmer != NULL) {
            const char *stem = cr__stem(t->stemmer, text, &length, word->hash);
            const cr_status status =
                stem == NULL ? cr__fail_memory(err) : replace_word(t, word, stem, length, err);

            if (status != CR_OK)
                return status;
        }
        t->words.items[kept++] = *word;
    }
    t->words.count = kept;
    return CR_OK;
}
