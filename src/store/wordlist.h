/* store/wordlist.h - the word counts of another mail filter, which become a model. */
#ifndef CR_STORE_WORDLIST_H
#define CR_STORE_WORDLIST_H

#include <stddef.h>
#include <stdint.h>
#include <stdio.h>

#include "base/arena.h"
#include "credence/model.h"

enum { CR__HAM, CR__SPAM, CR__SIDES };

typedef struct cr__counted_word {
    const char *word;
    uint64_t count[CR__SIDES]; /* of messages with the word */
} cr__counted_word;

typedef struct cr__wordlist {
    cr__counted_word *entry;
    size_t entries, room;
    uint64_t messages[CR__SIDES];
    uint64_t clipped; /* counts above the number of messages */
    cr__arena words;
} cr__wordlist; /* {0} is empty */

void cr__wordlist_free(cr__wordlist *w);

/* Add a word, which must live as long as the list. 0: out of memory. */
int cr__wordlist_add(cr__wordlist *w, const char *word, uint64_t ham, uint64_t spam);

/* Call a function for every line of a file, until it fails; its CR_EFORMAT gets the place. */
typedef cr_status cr__wordlist_line(void *context, const char *line, cr_error *err);
cr_status cr__wordlist_lines(const char *path, cr__wordlist_line *take, void *context,
                             cr_error *err);

/* Two numbers of messages, as they are written there. CR_EFORMAT: one of them is none, or negative.
 */
cr_status cr__wordlist_counts(const char *const text[2], uint64_t out[2], cr_error *err);

/* The list as a model of mail. Words that occur twice are one, and no word is in more messages than
 * there are. */
cr_status cr__wordlist_model(cr_model **out, cr__wordlist *w, cr_error *err);

#endif
