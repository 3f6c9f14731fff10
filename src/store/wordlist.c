/* store/wordlist.c - the word counts of bogofilter as a model.
 *
 * `bogoutil -d wordlist.db` gives lines "word spam good date", where spam and good are the numbers
 * of messages with the word, and .MSG_COUNT those of all messages. Messages that have such counts
 * are made up, the first k of a class having a word that k have, and learned: the statistics are
 * exactly those counts.
 */
#include <ctype.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/arena.h"
#include "base/fail.h"
#include "base/memory.h"
#include "credence/model.h"
#include "credence/source.h"
#include "credence/store.h"

enum { HAM, SPAM, SIDES };

typedef struct entry {
    char *word;
    uint64_t count[SIDES];
} entry;

typedef struct wordlist {
    entry *entry;
    size_t entries, room;
    uint64_t messages[SIDES];
    uint64_t clipped; /* words that more messages have than there are */
    cr__arena words;
} wordlist;

/* --- reading ---------------------------------------------------------------------------------- */

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

static cr_status read_line(wordlist *w, const char *line, cr_error *err)
{
    char word[4096];
    unsigned long long spam, good;

    if (sscanf(line, "%4095s %llu %llu", word, &spam, &good) != 3)
        return cr__fail(err, CR_EFORMAT, "this is not what bogoutil -d writes");
    if (strcmp(word, ".MSG_COUNT") == 0) {
        w->messages[SPAM] = spam;
        w->messages[HAM] = good;
    } else if (word[0] != '.') {
        entry *e;

        if (!cr__grow(&w->entry, &w->room, w->entries + 1, sizeof *w->entry))
            return cr__fail_memory(err);
        e = &w->entry[w->entries];
        *e = (entry){translate(&w->words, word), {good, spam}};
        if (e->word == NULL)
            return cr__fail_memory(err);
        w->entries++;
    }
    return CR_OK;
}

static cr_status read_list(wordlist *w, const char *path, cr_error *err)
{
    FILE *file = fopen(path, "r");
    char *line = NULL;
    size_t room = 0, number = 0;
    cr_status st = CR_OK;

    if (file == NULL)
        return cr__fail_errno(err, "cannot open %s", path);
    while (st == CR_OK && getline(&line, &room, file) >= 0) {
        number++;
        st = read_line(w, line, err);
    }
    if (st == CR_EFORMAT && number == 1 && line[0] == 'v')
        cr__fail_hint(err, st,
                      "a backup of sa-learn has only hashes of words, which nobody can read: teach "
                      "the messages themselves");
    free(line); /* getline's */
    fclose(file);
    if (st == CR_OK && w->messages[HAM] + w->messages[SPAM] == 0)
        st = cr__fail(err, CR_EFORMAT, "there is no .MSG_COUNT with the number of messages");
    return st == CR_OK ? st : cr__fail_at(err, st, path, st == CR_EFORMAT ? number : 0, 0);
}

/* --- counts ----------------------------------------------------------------------------------- */

static int compare(const void *a, const void *b)
{
    return strcmp(((const entry *)a)->word, ((const entry *)b)->word);
}

/* Words that differed only in capitals are one; no word is in more messages than there are. */
static void unite(wordlist *w)
{
    size_t kept = 0;

    if (w->entries > 1)
        qsort(w->entry, w->entries, sizeof *w->entry, compare);
    for (size_t i = 0; i < w->entries; i++) {
        if (kept > 0 && strcmp(w->entry[kept - 1].word, w->entry[i].word) == 0) {
            for (int side = 0; side < SIDES; side++)
                w->entry[kept - 1].count[side] += w->entry[i].count[side];
        } else {
            w->entry[kept++] = w->entry[i];
        }
    }
    w->entries = kept;
    for (size_t i = 0; i < kept; i++)
        for (int side = 0; side < SIDES; side++)
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

static int make_messages(messages *m, const wordlist *w)
{
    size_t all = 0, at = 0;

    for (size_t i = 0; i < w->entries; i++)
        all += w->entry[i].count[HAM] + w->entry[i].count[SPAM];
    m->rows = w->messages[HAM] + w->messages[SPAM];
    m->start = cr__alloc(m->rows + 1, sizeof *m->start);
    m->index = cr__alloc(all, sizeof *m->index);
    m->class = cr__alloc(m->rows, sizeof *m->class);
    m->word = cr__alloc(w->entries, sizeof *m->word);
    if (m->start == NULL || m->index == NULL || m->class == NULL || m->word == NULL)
        return 0;
    for (size_t r = 0; r < m->rows; r++) {
        const int side = r < w->messages[SPAM] ? SPAM : HAM;
        const uint64_t number = side == SPAM ? r : r - w->messages[SPAM];

        m->start[r] = (int64_t)at;
        m->class[r] = side == SPAM ? "spam" : "ham";
        for (size_t i = 0; i < w->entries; i++)
            if (w->entry[i].count[side] > number)
                m->index[at++] = (int64_t)i;
    }
    m->start[m->rows] = (int64_t)at;
    for (size_t i = 0; i < w->entries; i++)
        m->word[i] = w->entry[i].word;
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

cr_status cr_wordlist_read(cr_model **out, const char *path, uint64_t *clipped, cr_error *err)
{
    wordlist w = {0};
    messages m = {0};
    cr_status st = read_list(&w, path, err);

    *out = NULL;
    if (st == CR_OK) {
        unite(&w);
        st = make_messages(&m, &w) ? learn_messages(out, &m, w.entries, err) : cr__fail_memory(err);
    }
    if (clipped != NULL)
        *clipped = w.clipped;
    cr__free(m.start);
    cr__free(m.index);
    cr__free(m.class);
    cr__free(m.word);
    cr__free(w.entry);
    cr__arena_free(&w.words);
    return st;
}
