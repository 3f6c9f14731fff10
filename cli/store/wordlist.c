/* cli/store/wordlist.c - the word counts of bogofilter as a model.
 *
 * `bogoutil -d wordlist.db` gives lines "word spam good date", where spam and good are the numbers
 * of messages with the word, and .MSG_COUNT those of all messages. Messages that have such counts
 * are made up, the first k of a class having a word that k have, and learned: the statistics are
 * exactly those counts.
 */
#include <ctype.h>
#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "out/out.h"
#include "session/reserve.h"
#include "session/session.h"
#include "store/store.h"

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
} wordlist;

/* bogofilter's words as preset=mail has them: small letters, and subject: for subj:. */
static char *translate(const char *word)
{
    const bool subject = strncmp(word, "subj:", 5) == 0;
    char *own = reserve(strlen(word) + 4, 1);

    strcpy(own, subject ? "subject:" : "");
    strcat(own, word + (subject ? 5 : 0));
    for (char *c = own; *c != '\0'; c++)
        *c = (char)tolower((unsigned char)*c);
    return own;
}

static bool read_line(wordlist *w, char *line)
{
    char word[4096];
    unsigned long long spam, good;

    if (sscanf(line, "%4095s %llu %llu", word, &spam, &good) != 3)
        return false;
    if (strcmp(word, ".MSG_COUNT") == 0) {
        w->messages[SPAM] = spam;
        w->messages[HAM] = good;
    } else if (word[0] != '.') {
        if (w->entries == w->room)
            w->entry = reserve_more(w->entry, w->room = 2 * w->room + 1024, sizeof *w->entry);
        w->entry[w->entries++] = (entry){translate(word), {good, spam}};
    }
    return true;
}

static int compare(const void *a, const void *b)
{
    return strcmp(((const entry *)a)->word, ((const entry *)b)->word);
}

/* Words that were different by their capitals are one now. */
static void unite(wordlist *w)
{
    size_t kept = 0;

    qsort(w->entry, w->entries, sizeof *w->entry, compare);
    for (size_t i = 0; i < w->entries; i++) {
        if (kept > 0 && strcmp(w->entry[kept - 1].word, w->entry[i].word) == 0) {
            for (int side = 0; side < SIDES; side++)
                w->entry[kept - 1].count[side] += w->entry[i].count[side];
            free(w->entry[i].word);
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

static int read_list(wordlist *w, const char *path)
{
    FILE *file = fopen(path, "r");
    char *line = NULL;
    size_t room = 0, number = 0;
    cr_error err = {0};
    bool sound = true;

    snprintf(err.file, sizeof err.file, "%s", path);
    if (file == NULL) {
        snprintf(err.message, sizeof err.message, "cannot be read: %s", strerror(errno));
        return complain(CR_EIO, &err);
    }
    while (sound && getline(&line, &room, file) >= 0) {
        number++;
        sound = read_line(w, line);
    }
    if (!sound && number == 1 && line[0] == 'v')
        snprintf(err.hint, sizeof err.hint,
                 "a backup of sa-learn has only hashes of words, which nobody can read: teach the "
                 "messages themselves, credence learn STORE FOLDER --as spam");
    free(line);
    fclose(file);
    err.line = number;
    snprintf(err.message, sizeof err.message, "this is not what bogoutil -d writes");
    if (!sound)
        return complain(CR_EFORMAT, &err);
    snprintf(err.message, sizeof err.message, "there is no .MSG_COUNT with the number of messages");
    return w->messages[HAM] + w->messages[SPAM] > 0 ? EXIT_DONE : complain(CR_EFORMAT, &err);
}

/* Messages with these counts, in compressed sparse rows: first those of spam. */
static cr_status train(const wordlist *w, cr_model **out, cr_error *err)
{
    static const char *const params[] = {"preset=mail", "mail=yes"};
    const size_t rows = w->messages[HAM] + w->messages[SPAM];
    int64_t *start = reserve(rows + 2, sizeof *start), *index, at = 0;
    const char **names = reserve(w->entries + 1, sizeof *names);
    const char **class_name = reserve(rows + 1, sizeof *class_name);
    cr_array words = {.text = names};
    cr_array array[2] = {{.name = "class", .role = CR_ROLE_TARGET},
                         {.name = "text", .kind = CR_BAG, .index_element = CR_ELEMENT_INT64}};
    cr_source *source = NULL;
    cr_status status;

    for (size_t i = 0; i < w->entries; i++)
        at += (int64_t)(w->entry[i].count[HAM] + w->entry[i].count[SPAM]);
    index = reserve((size_t)at + 1, sizeof *index);
    at = 0;
    for (size_t r = 0; r < rows; r++) {
        const int side = r < w->messages[SPAM] ? SPAM : HAM;
        const uint64_t number = side == SPAM ? r : r - w->messages[SPAM];

        start[r] = at;
        class_name[r] = side == SPAM ? "spam" : "ham";
        for (size_t i = 0; i < w->entries; i++)
            if (w->entry[i].count[side] > number)
                index[at++] = (int64_t)i;
    }
    start[rows] = at;
    for (size_t i = 0; i < w->entries; i++)
        names[i] = w->entry[i].word;
    array[0].text = class_name;
    array[1].start = start;
    array[1].index = index;
    array[1].names = &words;
    array[1].name_count = w->entries;
    status = cr_source_open_arrays(&source, array, 2, rows, err);
    if (status == CR_OK)
        status = cr_model_train(out, source, "nb", params, 2, NULL, NULL, err);
    cr_source_close(source);
    free(start);
    free(index);
    free(names);
    free(class_name);
    return status;
}

int wordlist_model(const char *path, cr_model **out)
{
    wordlist w = {0};
    cr_error err = {0};
    cr_status status;
    int code = read_list(&w, path);

    *out = NULL;
    if (code == EXIT_DONE) {
        unite(&w);
        if (w.clipped > 0)
            note("%llu counts were larger than the number of messages and were reduced to it",
                 (unsigned long long)w.clipped);
        if ((status = train(&w, out, &err)) != CR_OK)
            code = complain(status, &err);
    }
    for (size_t i = 0; i < w.entries; i++)
        free(w.entry[i].word);
    free(w.entry);
    return code;
}
