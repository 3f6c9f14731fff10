/* store/wordlist.c - the word counts of bogofilter as a model.
 *
 * `bogoutil -d wordlist.db` gives lines "word spam good date", where spam and good are the numbers
 * of messages with the word, and .MSG_COUNT those of all messages. Messages that have such counts
 * are made up, the first k of a class having a word that k have, and learned: the statistics are
 * exactly those counts.
 */
#include "store/wordlist.h"

#include <ctype.h>
#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "base/fail.h"
#include "base/memory.h"
#include "credence/source.h"
#include "credence/store.h"

/* Sums of numbers up to this do not overflow. */
#define MESSAGES_MAX ((uint64_t)UINT32_MAX)

void cr__wordlist_free(cr__wordlist *w)
{
    cr__free(w->entry);
    cr__arena_free(&w->words);
    *w = (cr__wordlist){0};
}

int cr__wordlist_add(cr__wordlist *w, const char *word, uint64_t ham, uint64_t spam)
{
    if (!cr__grow(&w->entry, &w->room, w->entries + 1, sizeof *w->entry))
        return 0;
    w->entry[w->entries++] = (cr__counted_word){word, {ham, spam}};
    return 1;
}

/* --- reading ---------------------------------------------------------------------------------- */

cr_status cr__wordlist_lines(const char *path, cr__wordlist_line *take, void *context,
                             cr_error *err)
{
    FILE *file = fopen(path, "r");
    char *line = NULL;
    size_t room = 0, number = 0;
    cr_status st = CR_OK;

    if (file == NULL)
        return cr__fail_errno(err, "cannot open %s", path);
    while (st == CR_OK && getline(&line, &room, file) >= 0) {
        number++;
        st = take(context, line, err);
    }
    if (st == CR_OK && !feof(file))
        st = cr__fail_errno(err, "cannot read");
    free(line); /* getline's */
    fclose(file);
    return st == CR_OK ? st : cr__fail_at(err, st, path, st == CR_EFORMAT ? number : 0, 0);
}

cr_status cr__wordlist_counts(const char *const text[2], uint64_t out[2], cr_error *err)
{
    for (int i = 0; i < 2; i++) {
        char *end;

        errno = 0;
        out[i] = strtoull(text[i], &end, 10);
        if (text[i][0] >= '0' && text[i][0] <= '9' && *end == '\0' && errno == 0)
            continue;
        cr__fail(err, CR_EFORMAT, "'%s' is no number of messages", text[i]);
        return cr__fail_hint(err, CR_EFORMAT,
                             text[i][0] == '-' ? "no word is in fewer than 0: drop the line, or "
                                                 "write 0"
                                               : "a whole number from 0 on is expected");
    }
    return CR_OK;
}

/* bogofilter's words as preset=mail has them: small letters, and subject: for subj:. */
static char *translate(cr__arena *arena, const char *word)
{
    const int subject = strncmp(word, "subj:", 5) == 0;
    char *own = cr__arena_alloc(arena, strlen(word) + 4, 1);

    if (own == NULL)
        return NULL;
    strcpy(own, subject ? "subject:" : "");
    strcat(own, word + (subject ? 5 : 0));
    for (char *c = own; *c != '\0'; c++)
        *c = (char)tolower((unsigned char)*c);
    return own;
}

static cr_status read_line(void *context, const char *line, cr_error *err)
{
    cr__wordlist *w = context;
    char word[4096], spam[32], good[32];
    uint64_t count[2];
    cr_status st;

    if (strncmp(line, "v\t", 2) == 0) {
        cr__fail(err, CR_EFORMAT, "this is not what bogoutil -d writes");
        return cr__fail_hint(err, CR_EFORMAT,
                             "this is a backup of sa-learn, which has hashes instead of words");
    }
    if (sscanf(line, "%4095s %31s %31s", word, spam, good) != 3)
        return cr__fail(err, CR_EFORMAT, "this is not what bogoutil -d writes");
    if ((st = cr__wordlist_counts((const char *const[]){spam, good}, count, err)) != CR_OK)
        return st;
    if (strcmp(word, ".MSG_COUNT") == 0) {
        w->messages[CR__SPAM] = count[0];
        w->messages[CR__HAM] = count[1];
    } else if (word[0] != '.') {
        const char *own = translate(&w->words, word);

        if (own == NULL || !cr__wordlist_add(w, own, count[1], count[0]))
            return cr__fail_memory(err);
    }
    return CR_OK;
}

/* --- counts ----------------------------------------------------------------------------------- */

static int compare(const void *a, const void *b)
{
    return strcmp(((const cr__counted_word *)a)->word, ((const cr__counted_word *)b)->word);
}

static void unite(cr__wordlist *w)
{
    size_t kept = 0;

    if (w->entries > 1)
        qsort(w->entry, w->entries, sizeof *w->entry, compare);
    for (size_t i = 0; i < w->entries; i++) {
        if (kept > 0 && strcmp(w->entry[kept - 1].word, w->entry[i].word) == 0) {
            for (int side = 0; side < CR__SIDES; side++)
                w->entry[kept - 1].count[side] += w->entry[i].count[side];
        } else {
            w->entry[kept++] = w->entry[i];
        }
    }
    w->entries = kept;
    for (size_t i = 0; i < kept; i++)
        for (int side = 0; side < CR__SIDES; side++)
            if (w->entry[i].count[side] > w->messages[side]) {
                w->entry[i].count[side] = w->messages[side];
                w->clipped++;
            }
}

/* --- messages --------------------------------------------------------------------------------- */

/* Messages in compressed sparse rows: first those of spam. */
typedef struct messages {
    size_t rows;
    int64_t *start, *index;
    const char **class, **word;
} messages;

static void free_messages(messages *m)
{
    cr__free(m->start);
    cr__free(m->index);
    cr__free(m->class);
    cr__free(m->word);
}

typedef struct ranked {
    uint64_t count;
    size_t entry;
} ranked;

/* The commonest first. */
static int compare_ranked(const void *a, const void *b)
{
    const ranked *x = a, *y = b;

    return x->count != y->count ? (x->count < y->count) - (x->count > y->count)
                                : (x->entry > y->entry) - (x->entry < y->entry);
}

/* The messages of one class: the k-th has the words that more than k have, which are the first ones
 * in order of their counts. */
static size_t put_messages(messages *m, const cr__wordlist *w, ranked *order, int side, size_t row,
                           size_t at)
{
    size_t words = w->entries;

    for (size_t i = 0; i < w->entries; i++)
        order[i] = (ranked){w->entry[i].count[side], i};
    if (w->entries > 1)
        qsort(order, w->entries, sizeof *order, compare_ranked);
    for (uint64_t k = 0; k < w->messages[side]; k++, row++) {
        m->start[row] = (int64_t)at;
        m->class[row] = side == CR__SPAM ? "spam" : "ham";
        while (words > 0 && order[words - 1].count <= k)
            words--;
        for (size_t i = 0; i < words; i++)
            m->index[at++] = (int64_t)order[i].entry;
    }
    return at;
}

static int make_messages(messages *m, const cr__wordlist *w)
{
    ranked *order = cr__alloc(w->entries, sizeof *order);
    size_t all = 0;

    for (size_t i = 0; i < w->entries; i++)
        all += w->entry[i].count[CR__HAM] + w->entry[i].count[CR__SPAM];
    m->rows = w->messages[CR__HAM] + w->messages[CR__SPAM];
    m->start = cr__alloc(m->rows + 1, sizeof *m->start);
    m->index = cr__alloc(all, sizeof *m->index);
    m->class = cr__alloc(m->rows, sizeof *m->class);
    m->word = cr__alloc(w->entries, sizeof *m->word);
    if (order == NULL || m->start == NULL || m->index == NULL || m->class == NULL ||
        m->word == NULL) {
        cr__free(order);
        return 0;
    }
    all = put_messages(m, w, order, CR__SPAM, 0, 0);
    m->start[m->rows] = (int64_t)put_messages(m, w, order, CR__HAM, w->messages[CR__SPAM], all);
    for (size_t i = 0; i < w->entries; i++)
        m->word[i] = w->entry[i].word;
    cr__free(order);
    return 1;
}

static cr_status learn_messages(cr_model **out, const messages *m, size_t words, cr_error *err)
{
    static const char *const params[] = {"preset=mail", "mail=yes"};
    const cr_array names = {.text = m->word};
    const cr_array array[] = {{.name = "class", .role = CR_ROLE_TARGET, .text = m->class},
                              {.name = "text",
                               .kind = CR_BAG,
                               .start = m->start,
                               .index = m->index,
                               .index_element = CR_ELEMENT_INT64,
                               .names = &names,
                               .name_count = words}};
    cr_source *source = NULL;
    cr_status st = cr_source_open_arrays(&source, array, 2, m->rows, err);

    if (st == CR_OK)
        st = cr_model_train(out, source, "nb", params, 2, NULL, NULL, err);
    cr_source_close(source);
    return st;
}

cr_status cr__wordlist_model(cr_model **out, cr__wordlist *w, cr_error *err)
{
    messages m = {0};
    cr_status st;

    for (int side = 0; side < CR__SIDES; side++)
        if (w->messages[side] > MESSAGES_MAX)
            return cr__fail(err, CR_EFORMAT, "%llu messages are more than there can be",
                            (unsigned long long)w->messages[side]);
    unite(w);
    st = make_messages(&m, w) ? learn_messages(out, &m, w->entries, err) : cr__fail_memory(err);
    free_messages(&m);
    return st;
}

cr_status cr_wordlist_read(cr_model **out, const char *path, uint64_t *clipped, cr_error *err)
{
    cr__wordlist w = {0};
    cr_status st = cr__wordlist_lines(path, read_line, &w, err);

    *out = NULL;
    if (st == CR_OK && w.messages[CR__HAM] + w.messages[CR__SPAM] == 0)
        st = cr__fail_at(
            err, cr__fail(err, CR_EFORMAT, "there is no .MSG_COUNT with the number of messages"),
            path, 0, 0);
    if (st == CR_OK)
        st = cr__wordlist_model(out, &w, err);
    if (clipped != NULL)
        *clipped = w.clipped;
    cr__wordlist_free(&w);
    return st;
}
