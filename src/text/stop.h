/* text/stop.h - words too common to be informative: lists by language or from a file, and the set
 * that the tokenizer uses.
 */
#ifndef CR_TEXT_STOP_H
#define CR_TEXT_STOP_H

#include "base/buffer.h"
#include "credence/status.h"

#include <stddef.h>
#include <stdint.h>

/* The words of a language ("en" or "english"), with spaces between them; NULL when there is no
 * list. *code is its short name. */
const char *cr__stop_list(const char *language, const char **code);

/* The languages that have lists, with spaces between them. */
const char *cr__stop_languages(void);

/* Read the words of a file into words, with one space between them. In the file, words are
 * separated by white space and '#' begins a comment. CR_EIO, CR_ELIMIT, CR_ENOMEM. */
cr_status cr__stop_file(const char *path, cr__buffer *words, cr_error *err);

/* A set of words, identified by their token hashes alone: a collision is practically impossible.
 * {0} is empty. */
typedef struct cr__stop_set {
    uint64_t *places; /* a power of two of them; 0: empty */
    size_t capacity, count;
} cr__stop_set;

int cr__stop_set_add(cr__stop_set *set, uint64_t hash); /* 0: out of memory */
void cr__stop_set_free(cr__stop_set *set);

static inline int cr__stop_set_has(const cr__stop_set *set, uint64_t hash)
{
    if (set->count == 0)
        return 0;
    for (size_t i = hash & (set->capacity - 1);; i = (i + 1) & (set->capacity - 1))
        if (set->places[i] == hash || set->places[i] == 0)
            return set->places[i] == hash && hash != 0;
}

#endif
