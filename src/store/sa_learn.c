/* store/sa_learn.c - the token counts of SpamAssassin as a model.
 *
 * `sa-learn --backup` gives, in version 3, lines with tabs:
 *
 *     v  3  db_version        v  N  num_spam        v  N  num_nonspam
 *     t  SPAM  HAM  TIME  HASH         messages with a token, and the last 5 bytes of its SHA-1
 *     s  CLASS  ID                     a message that was learned
 *
 * No word can be read back from a hash, but words can be found: those of mail that is still there,
 * as SpamAssassin spells its tokens (Mail::SpamAssassin::Plugin::Bayes describes them), have the
 * same hashes. A word may have several spellings, which often occur in the same messages, so it has
 * the largest of their counts.
 */
#include <stdlib.h>
#include <string.h>

#include "base/fail.h"
#include "base/memory.h"
#include "base/sha1.h"
#include "credence/filter.h"
#include "credence/store.h"
#include "store/wordlist.h"

enum { HASH_BYTES = 5, LONGEST = 15, KEPT_OF_LONGER = 7, SPELLING_BYTES = 160 };

typedef struct token {
    uint64_t hash;
    uint64_t count[CR__SIDES];
    int found;
} token;

typedef struct backup {
    token *token;
    size_t tokens, room;
    uint64_t messages[CR__SIDES], version;
} backup;

/* --- reading ---------------------------------------------------------------------------------- */

static cr_status read_value(backup *b, const char *line, cr_error *err)
{
    char number[32], name[32];
    uint64_t value[2];
    cr_status st;

    if (sscanf(line, "v %31s %31s", number, name) != 2)
        return cr__fail(err, CR_EFORMAT, "this is no backup of sa-learn");
    if ((st = cr__wordlist_counts((const char *const[]){number, "0"}, value, err)) != CR_OK)
        return st;
    if (strcmp(name, "num_spam") == 0)
        b->messages[CR__SPAM] = value[0];
    else if (strcmp(name, "num_nonspam") == 0)
        b->messages[CR__HAM] = value[0];
    else if (strcmp(name, "db_version") == 0)
        b->version = value[0];
    return CR_OK;
}

static cr_status read_line(void *context, const char *line, cr_error *err)
{
    backup *b = context;
    char spam[32], ham[32];
    unsigned long long hash;
    uint64_t count[2];
    cr_status st;

    if (line[0] == 'v')
        return read_value(b, line, err);
    if (b->version != 3)
        return cr__fail(err, CR_EFORMAT, "this is no backup of sa-learn of version 3");
    if (line[0] == 's')
        return CR_OK;
    if (sscanf(line, "t %31s %31s %*s %10llx", spam, ham, &hash) != 3)
        return cr__fail(err, CR_EFORMAT, "this is no backup of sa-learn");
    if ((st = cr__wordlist_counts((const char *const[]){spam, ham}, count, err)) != CR_OK)
        return st;
    if (!cr__grow(&b->token, &b->room, b->tokens + 1, sizeof *b->token))
        return cr__fail_memory(err);
    b->token[b->tokens++] =
        (token){.hash = hash, .count = {[CR__HAM] = count[1], [CR__SPAM] = count[0]}};
    return CR_OK;
}

static int compare(const void *a, const void *b)
{
    const token *x = a, *y = b;

    return (x->hash > y->hash) - (x->hash < y->hash);
}

/* --- spellings -------------------------------------------------------------------------------- */

/* A word and what is known of it. */
typedef struct search {
    backup *backup;
    uint64_t count[CR__SIDES];
} search;

static void look_up(search *s, const char *text, size_t size)
{
    unsigned char sum[CR__SHA1_BYTES];
    token key = {0}, *t;

    cr__sha1(text, size, sum);
    for (int i = CR__SHA1_BYTES - HASH_BYTES; i < CR__SHA1_BYTES; i++)
        key.hash = key.hash << 8 | sum[i];
    if (s->backup->tokens == 0 || (t = bsearch(&key, s->backup->token, s->backup->tokens,
                                               sizeof *s->backup->token, compare)) == NULL)
        return;
    t->found = 1;
    for (int side = 0; side < CR__SIDES; side++)
        if (t->count[side] > s->count[side])
            s->count[side] = t->count[side];
}

/* Look up two parts joined, as the recipe has them. */
static void look_up_both(search *s, const char *prefix, const char *rest, size_t size)
{
    const size_t length = strlen(prefix);
    char text[SPELLING_BYTES];

    if (length + size > sizeof text)
        return;
    memcpy(text, prefix, length);
    memcpy(text + length, rest, size);
    look_up(s, text, length + size);
}

static char upper(char c)
{
    return (char)(c >= 'a' && c <= 'z' ? c - 'a' + 'A' : c);
}

/* Headers keep their capitals there: a word, Word, Word-Word and WORD. */
static void look_up_capitals(search *s, const char *prefix, const char *word, size_t size)
{
    char text[SPELLING_BYTES];

    if (size == 0 || size > sizeof text)
        return;
    memcpy(text, word, size);
    look_up_both(s, prefix, text, size);
    text[0] = upper(text[0]);
    look_up_both(s, prefix, text, size);
    for (size_t i = 1; i < size; i++)
        text[i] = text[i - 1] == '-' ? upper(text[i]) : text[i];
    look_up_both(s, prefix, text, size);
    for (size_t i = 1; i < size; i++)
        text[i] = upper(text[i]);
    look_up_both(s, prefix, text, size);
}

/* The user of an address, or a host: U*jo, D*example.com. */
static void look_up_address(search *s, const char *prefix, const char *address, size_t size)
{
    const char *at = memchr(address, '@', size);
    char text[SPELLING_BYTES];

    snprintf(text, sizeof text, "%s%s", prefix, at == NULL ? "D*" : "U*");
    look_up_both(s, text, address, at == NULL ? size : (size_t)(at - address));
}

/* A word of a text. Of a longer one the first letters are kept. */
static void look_up_word(search *s, const char *prefix, const char *word, size_t size)
{
    char text[SPELLING_BYTES];

    look_up_both(s, prefix, word, size);
    if (size <= LONGEST)
        return;
    for (size_t i = 0; i < KEPT_OF_LONGER; i++)
        if ((unsigned char)word[i] >= 0x80)
            return;
    snprintf(text, sizeof text, "%ssk:", prefix);
    look_up_both(s, text, word, KEPT_OF_LONGER);
}

/* Whether text begins with a word; then *rest is what follows. */
static int after(const char *text, size_t size, const char *word, const char **rest, size_t *left)
{
    const size_t length = strlen(word);

    if (size < length || memcmp(text, word, length) != 0)
        return 0;
    *rest = text + length;
    *left = size - length;
    return 1;
}

static void look_up_header(search *s, const char *const *prefix, const char *text, size_t size)
{
    const char *rest;
    size_t left;

    for (; *prefix != NULL; prefix++)
        if (after(text, size, "email:", &rest, &left) || after(text, size, "url:", &rest, &left))
            look_up_address(s, *prefix, rest, left);
        else
            look_up_capitals(s, *prefix, text, size);
}

/* A token of preset=mail in all spellings that SpamAssassin may have for it. */
static void look_up_token(search *s, const char *text, size_t size)
{
    static const struct {
        const char *own, *other[4];
    } headers[] = {{"from:", {"H*F:", "H*Ad:"}},
                   {"to:", {"HTo:", "HCc:", "H*Ad:"}},
                   {"reply-to:", {"H*R:"}},
                   {"return-path:", {"H*p:", "H*rp:"}},
                   {"received:", {"H*RU:", "H*RT:", "H*r:"}},
                   {"mailer:", {"H*x:", "H*u:", "H*UA:"}},
                   {"message-id:", {"H*m:", "H*M:", "H*MI:"}},
                   {"mime:", {"H*ct:", "H*ce:", "H*cd:"}}};
    const char *rest;
    size_t left;

    for (size_t i = 0; i < sizeof headers / sizeof *headers; i++)
        if (after(text, size, headers[i].own, &rest, &left)) {
            look_up_header(s, headers[i].other, rest, left);
            return;
        }
    if (after(text, size, "url:", &rest, &left) || after(text, size, "email:", &rest, &left)) {
        look_up_address(s, "", rest, left);
        look_up_both(s, "UD:", rest, left);
    } else if (after(text, size, "hidden:", &rest, &left)) {
        look_up_word(s, "I*:", rest, left);
    } else if (memchr(text, ':', size) == NULL) {
        look_up_word(s, "", text, size);
    }
}

/* --- matching --------------------------------------------------------------------------------- */

/* The words of the mail that have counts. */
static cr_status match(cr__wordlist *w, backup *b, const cr_model *mail, cr_error *err)
{
    size_t column;
    cr_status st = cr_filter_column(mail, &column, err);

    for (size_t i = 0; st == CR_OK && i < cr_model_words(mail, column); i++) {
        search s = {.backup = b};
        cr_word word;
        const char *own;

        if ((st = cr_model_word(mail, column, i, 0, &word)) != CR_OK)
            break;
        look_up_token(&s, word.bytes, word.length);
        if (s.count[CR__HAM] + s.count[CR__SPAM] == 0)
            continue;
        own = cr__arena_copy(&w->words, word.bytes, word.length);
        if (own == NULL || !cr__wordlist_add(w, own, s.count[CR__HAM], s.count[CR__SPAM]))
            st = cr__fail_memory(err);
    }
    return st;
}

static cr_wordlist_found summary(const backup *b, size_t words)
{
    cr_wordlist_found f = {.tokens = b->tokens, .words = words};

    for (size_t i = 0; i < b->tokens; i++) {
        const token *t = &b->token[i];
        const uint64_t count = t->count[CR__HAM] + t->count[CR__SPAM];

        f.found += (uint64_t)t->found;
        f.counts += count;
        f.counts_found += t->found ? count : 0;
    }
    return f;
}

cr_status cr_wordlist_match(cr_model **out, const char *path, const cr_model *mail,
                            cr_wordlist_found *found, cr_error *err)
{
    backup b = {0};
    cr__wordlist w = {0};
    cr_status st = cr__wordlist_lines(path, read_line, &b, err);

    *out = NULL;
    if (st == CR_OK && b.messages[CR__HAM] + b.messages[CR__SPAM] == 0)
        st = cr__fail_at(err, cr__fail(err, CR_EFORMAT, "the backup has learned no message"), path,
                         0, 0);
    if (st == CR_OK && b.tokens > 1)
        qsort(b.token, b.tokens, sizeof *b.token, compare);
    if (st == CR_OK)
        st = match(&w, &b, mail, err);
    memcpy(w.messages, b.messages, sizeof w.messages);
    if (st == CR_OK)
        st = cr__wordlist_model(out, &w, err);
    if (st == CR_OK && found != NULL) {
        *found = summary(&b, w.entries);
        found->clipped = w.clipped;
    }
    cr__free(b.token);
    cr__wordlist_free(&w);
    return st;
}
