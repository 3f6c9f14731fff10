/* text/tokenizer.c - a document split into pieces, each turned into tokens. */
#include "text/tokenizer.h"

#include "base/fail.h"
#include "base/memory.h"
#include "text/mail.h"
#include "text/news.h"
#include "text/tokenizer_impl.h"
#include "text/utf8.h"

#include <string.h>

#define RUN_LIMIT ((size_t)256 << 20)

/* --- lists of tokens ------------------------------------------------------------------------- */

int cr__token_list_enlarge(cr__token_list *list, size_t n)
{
    return n <= SIZE_MAX - list->count &&
           cr__grow(&list->items, &list->capacity, list->count + n, sizeof *list->items);
}

cr_status cr__tokenizer_full(const cr__tokenizer *t, cr_error *err)
{
    if (t->buffer.size > UINT32_MAX)
        return cr__fail(err, CR_ELIMIT, "the tokens of the document take more than 4 GiB");
    return cr__fail_memory(err);
}

/* --- construction
 * ------------------------------------------------------------------------------ */

/* The stop words are tokens too: they pass through the same recipe, so that they match the words
 * they are meant to stop. */
static cr_status learn_stop_words(cr__tokenizer *t, const cr__recipe *recipe, cr_error *err)
{
    const cr__recipe plain = {.tokens = recipe->tokens == CR__TOKENS_RICH ? CR__TOKENS_WORDS
                                                                          : recipe->tokens,
                              .gram_min = 1,
                              .gram_max = 1,
                              .lower_case = recipe->lower_case};
    cr_status status;

    if (recipe->stop_words == NULL)
        return CR_OK;
    t->recipe = &plain;
    status = cr__tokenizer_run(t, recipe->stop_words, strlen(recipe->stop_words), err);
    t->recipe = recipe;
    for (size_t i = 0; status == CR_OK && i < t->count; i++)
        if (!cr__stop_set_add(&t->stop, t->tokens[i].hash))
            status = cr__fail_memory(err);
    return status;
}

cr_status cr__tokenizer_new(cr__tokenizer **out, const cr__recipe *recipe, cr_error *err)
{
    const int words2 = recipe->tokens == CR__TOKENS_WORDS2;
    cr__tokenizer *t = cr__alloc(1, sizeof *t);
    cr_status status;

    *out = NULL;
    if (t == NULL)
        return cr__fail_memory(err);
    memset(t, 0, offsetof(cr__tokenizer, masks));
    t->rule = (cr__ascii_rule){words2 ? '_' : 'a', words2 ? 'a' : '\'', recipe->lower_case};
    t->fold = (recipe->lower_case ? CR__FOLD_CASE : 0u) |
              (recipe->tokens == CR__TOKENS_RICH ? CR__FOLD_COMPAT : 0u);
    t->shortest = words2 ? 2 : 1;
    status = learn_stop_words(t, recipe, err);
    if (status == CR_OK && strcmp(recipe->stem, "none") != 0)
        status = cr__stemmer_new(&t->stemmer, recipe->stem, err);
    if (status != CR_OK) {
        cr__tokenizer_free(t);
        return status;
    }
    t->recipe = recipe;
    if (recipe->tokens != CR__TOKENS_CHARS)
        t->reach =
            (recipe->gram_max > recipe->skip_window ? recipe->gram_max : recipe->skip_window) - 1;
    *out = t;
    return CR_OK;
}

void cr__tokenizer_free(cr__tokenizer *t)
{
    if (t == NULL)
        return;
    cr__stop_set_free(&t->stop);
    cr__stemmer_free(t->stemmer);
    cr__buffer_free(&t->buffer);
    cr__buffer_free(&t->decoded);
    cr__buffer_free(&t->stripped);
    cr__html_free(&t->page);
    cr__buffer_free(&t->blanked);
    cr__buffer_free(&t->carry);
    cr__free(t->words.items);
    cr__free(t->extras.items);
    cr__free(t->out.items);
    cr__free(t->known);
    if (t->mail != NULL)
        cr__mail_free(t->mail);
    cr__free(t->mail);
    cr__free(t);
}

/* --- a document ------------------------------------------------------------------------------ */

/* The whole document as UTF-8. */
static cr_status decode_document(cr__tokenizer *t, cr_error *err)
{
    if (!t->is_1252)
        return CR_OK;
    cr__buffer_clear(&t->decoded);
    if (t->size > SIZE_MAX / CR__UTF8_GROWTH ||
        cr__buffer_reserve(&t->decoded, CR__UTF8_GROWTH * t->size) == NULL)
        return cr__fail_memory(err);
    t->size = cr__utf8_from_1252(t->bytes, t->size, t->decoded.data);
    t->bytes = t->decoded.data;
    t->is_1252 = 0;
    return CR_OK;
}

/* The visible text of the document. */
static cr_status show_page(cr__tokenizer *t, cr_error *err)
{
    cr_status status = decode_document(t, err);

    if (status != CR_OK)
        return status;
    cr__html_clear(&t->page);
    cr__html_read(&t->page, t->bytes, t->size);
    if (t->page.text.failed || t->page.hidden.failed || t->page.links.failed ||
        t->page.markup.failed)
        return cr__fail_memory(err);
    t->bytes = t->page.text.size > 0 ? t->page.text.data : "";
    t->size = t->page.text.size;
    return CR_OK;
}

static int is_page(const cr__tokenizer *t)
{
    return t->recipe->html == CR__HTML_YES ||
           (t->recipe->html == CR__HTML_AUTO && cr__html_begins(t->bytes, t->size));
}

/* The document without the parts that the recipe strips. */
static cr_status strip_document(cr__tokenizer *t, cr_error *err)
{
    cr_status status = decode_document(t, err);

    if (status != CR_OK)
        return status;
    cr__buffer_clear(&t->stripped);
    if (!cr__news_strip(t->recipe->strip, &t->bytes, &t->size, &t->stripped))
        return cr__fail_memory(err);
    return CR_OK;
}

static void begin(cr__tokenizer *t, const char *prefix, const char *bytes, size_t size)
{
    t->bytes = bytes;
    t->prefix = prefix;
    t->size = size;
    t->at = 0;
    t->piece = CR__PIECE_BYTES;
    t->is_1252 = !cr__utf8_valid(bytes, size);
    t->first = 1;
    t->count = 0;
    t->carried = 0;
    t->buffer.failed = t->decoded.failed = t->stripped.failed = t->blanked.failed = 0;
    t->carry.failed = 0;
    t->ready = 0;
}

cr_status cr__tokenizer_begin(cr__tokenizer *t, const char *prefix, const char *bytes, size_t size,
                              cr_error *err)
{
    cr_status status = CR_OK;

    begin(t, prefix, bytes, size);
    if (is_page(t))
        status = show_page(t, err);
    return status == CR_OK && t->recipe->strip != 0 ? strip_document(t, err) : status;
}

void cr__tokenizer_section(cr__tokenizer *t, const cr__section *section)
{
    begin(t, section->prefix, section->text, section->size);
    t->ready = section->ready;
}

/* How many of the next bytes make the next piece: all, or up to the last newline of its second
 * half, or up to the last space, or, in a document without any, up to the beginning of a character.
 */
static size_t cut_piece(const cr__tokenizer *t)
{
    const char *from = t->bytes + t->at, *newline, *space;
    size_t cut = t->piece;

    if (t->size - t->at <= cut)
        return t->size - t->at;
    newline = memrchr(from + cut / 2, '\n', cut - cut / 2);
    space = newline == NULL ? memrchr(from + 1, ' ', cut - 1) : newline;
    if (space != NULL)
        return (size_t)(space - from);
    while (!t->is_1252 && cut > 1 && ((unsigned char)from[cut] & 0xc0) == 0x80)
        cut--;
    return cut;
}

/* The piece as UTF-8. */
static cr_status decode_piece(cr__tokenizer *t, const char **in, size_t *size, cr_error *err)
{
    if (!t->is_1252)
        return CR_OK;
    cr__buffer_clear(&t->decoded);
    if (cr__buffer_reserve(&t->decoded, CR__UTF8_GROWTH * *size) == NULL)
        return cr__fail_memory(err);
    *size = cr__utf8_from_1252(*in, *size, t->decoded.data);
    *in = t->decoded.data;
    return CR_OK;
}

/* Room in the buffer for the lowered piece in whole blocks, and for reading beyond it. */
static int make_room(cr__tokenizer *t, size_t size)
{
    cr__buffer_clear(&t->buffer);
    if (size > UINT32_MAX - 128 ||
        cr__buffer_reserve(&t->buffer, size + 64 + CR__TOKEN_PAD) == NULL)
        return 0;
    t->lowered = (size + 63) / 64 * 64;
    memset(t->buffer.data + t->lowered, 0, CR__TOKEN_PAD);
    t->buffer.size = t->lowered + CR__TOKEN_PAD;
    return 1;
}

/* The lines of the piece, which are tokens. */
static cr_status ready_tokens(cr__tokenizer *t, const char *in, size_t size, cr_error *err)
{
    size_t start = t->buffer.size;
    cr_status status = CR_OK;

    cr__buffer_add(&t->buffer, in, size);
    cr__buffer_addc(&t->buffer, '\n');
    if (t->buffer.failed)
        return cr__fail_memory(err);
    while (start < t->buffer.size && status == CR_OK) {
        const char *line = t->buffer.data + start;
        const size_t length =
            (size_t)((const char *)memchr(line, '\n', t->buffer.size - start) - line);

        if (length > 0)
            status = cr__tokenizer_add(t, &t->extras, start, start + length, err);
        start += length + 1;
    }
    return status;
}

/* The words of the piece, and the extras of `rich`; without the stop words, and stemmed. */
static cr_status word_tokens(cr__tokenizer *t, const char *in, size_t size, size_t carried,
                             cr_error *err)
{
    cr_status status = CR_OK;

    if (t->recipe->tokens == CR__TOKENS_RICH)
        status = cr__rich_piece(t, &in, size, err);
    if (status == CR_OK)
        status = cr__words_piece(t, in, size, err);
    if (status == CR_OK && t->recipe->punctuation)
        status = cr__punctuation_piece(t, in, size, err);
    if (status == CR_OK && (t->stop.count > 0 || t->stemmer != NULL))
        status = cr__words_sift(t, carried, err);
    return status;
}

/* The tokens of a piece; *list then has them. */
static cr_status piece_tokens(cr__tokenizer *t, const char *in, size_t size,
                              const cr__token_list **list, cr_error *err)
{
    const cr__recipe *recipe = t->recipe;
    const int prefix = t->prefix[0] != '\0', chars = recipe->tokens == CR__TOKENS_CHARS;
    const int grams = !t->ready && !chars && (recipe->gram_min > 1 || t->reach > 0);
    cr_status status = grams ? cr__warm_start_load(t, err) : CR_OK;
    const size_t carried = t->words.count;

    if (status == CR_OK && t->ready)
        status = ready_tokens(t, in, size, err);
    else if (status == CR_OK && chars)
        status = cr__chars_piece(t, in, size, prefix ? &t->extras : &t->words, err);
    else if (status == CR_OK)
        status = word_tokens(t, in, size, carried, err);
    if (status == CR_OK && grams && t->at < t->size)
        status = cr__warm_start_save(t, err);
    *list = &t->words;
    if (status == CR_OK && (grams || prefix || t->extras.count > 0)) {
        status = cr__grams_make(t, carried, err);
        *list = &t->out;
    }
    return status;
}

cr_status cr__tokenizer_next(cr__tokenizer *t, cr_error *err)
{
    const cr__token_list *list;
    const char *in = t->bytes + t->at;
    size_t size;
    cr_status status;

    t->count = 0;
    if (t->at >= t->size)
        return CR_END;
    size = cut_piece(t);
    t->at += size;
    t->words.count = t->extras.count = t->out.count = 0;
    status = decode_piece(t, &in, &size, err);
    if (status != CR_OK)
        return status;
    if (!make_room(t, size))
        return cr__fail_memory(err);
    status = piece_tokens(t, in, size, &list, err);
    t->first = 0;
    if (status == CR_OK) {
        t->text = t->buffer.data;
        t->tokens = list->items;
        t->count = list->count;
    }
    return status;
}

cr_status cr__tokenizer_run(cr__tokenizer *t, const char *bytes, size_t size, cr_error *err)
{
    cr_status status;

    if (size > RUN_LIMIT)
        return cr__fail(err, CR_ELIMIT, "a document of %zu bytes is too large to process at once",
                        size);
    status = cr__tokenizer_begin(t, "", bytes, size, err);
    t->piece = RUN_LIMIT * CR__UTF8_GROWTH;
    if (status == CR_OK)
        status = cr__tokenizer_next(t, err);
    return status == CR_END ? CR_OK : status;
}
