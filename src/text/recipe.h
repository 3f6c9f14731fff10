/* text/recipe.h - how text becomes tokens, as the knobs say it and as the model file keeps it.
 *
 *     tokens=words|words2|rich|chars   what a token is (see text/tokenizer.h)
 *     ngrams=N|MIN..MAX                runs of that many tokens; 1..1, for chars 3..5
 *     skip-bigrams=no|yes|WINDOW       also pairs of words with others between; yes means 5
 *     stop=none|LANG|common:N|FILE     words to leave out
 *     min-count=N                      words seen less often are left out
 *     stem=none|LANG                   words cut back to their stems
 *     strip=none|headers,footers,quotes   parts of a newsgroup post to leave out
 *     lower-case=yes|no
 *     punctuation=no|yes               marks are tokens too (text/punctuation.c)
 *     html=auto|yes|no                 web pages are read as displayed; auto: texts
 *                                      that begin as one
 *     mail=no|yes                      every text is a message (text/mail.h)
 *
 * stop=common:N and min-count=N need the counts of all words: the recipe only remembers them, the
 * model applies them. Stop words are kept in the recipe as words, so that neither a file nor a
 * later version of a list can make prediction differ from training.
 */
#ifndef CR_TEXT_RECIPE_H
#define CR_TEXT_RECIPE_H

#include "base/buffer.h"
#include "credence/status.h"

#include <stddef.h>
#include <stdint.h>

typedef enum cr__token_kind {
    CR__TOKENS_WORDS,
    CR__TOKENS_WORDS2,
    CR__TOKENS_RICH,
    CR__TOKENS_CHARS
} cr__token_kind;

enum { CR__STRIP_HEADERS = 1, CR__STRIP_FOOTERS = 2, CR__STRIP_QUOTES = 4 };

enum { CR__HTML_NO, CR__HTML_YES, CR__HTML_AUTO };

#define CR__RECIPE_LANGUAGE 24 /* bytes of a language's name with its NUL */

typedef struct cr__recipe {
    cr__token_kind tokens;
    uint32_t gram_min, gram_max; /* 0, 0: the default for the tokens */
    uint32_t skip_window;        /* words that a skip-bigram spans at most; 0: none */
    int lower_case;
    int punctuation;                /* marks are tokens too */
    int html;                       /* CR__HTML_... */
    int mail;                       /* texts are messages, taken apart before anything else */
    unsigned strip;                 /* CR__STRIP_... */
    uint64_t min_count;             /* 1: keep all */
    uint64_t stop_common;           /* leave out the N commonest; 0: none */
    char stop[CR__RECIPE_LANGUAGE]; /* "none", "common", a language, or "words" (from a file) */
    char *stop_words;               /* with one space between them; NULL: none; owned */
    char stem[CR__RECIPE_LANGUAGE]; /* "none" or a language */
} cr__recipe;

/* The names of the knobs, with the values that each takes and one line of help. */
typedef struct cr__recipe_knob {
    const char *name, *values, *usual, *help;
} cr__recipe_knob;

extern const cr__recipe_knob cr__recipe_knobs[];
extern const size_t cr__recipe_knob_count;

/* The default recipe. Nothing is allocated. */
cr__recipe cr__recipe_usual(void);

void cr__recipe_free(cr__recipe *recipe);

/* Set one knob from its text. CR_EARG for an unknown name or value; CR_EIO, CR_ELIMIT for a file
 * of stop words. The recipe is unchanged when it fails. */
cr_status cr__recipe_set(cr__recipe *recipe, const char *name, const char *value, cr_error *err);

/* Whether the settings fit together; fills in defaults. Call it once after the last cr__recipe_set.
 * CR_EARG. */
cr_status cr__recipe_check(cr__recipe *recipe, cr_error *err);

/* Append the recipe as one line of text without a newline: the same recipe gives the same text.
 * Running out of memory is recorded in the buffer. */
void cr__recipe_write(const cr__recipe *recipe, cr__buffer *out);

/* Read what cr__recipe_write wrote; *out needs cr__recipe_free, even after a failure. CR_EFORMAT,
 * CR_EVERSION, CR_ENOMEM. */
cr_status cr__recipe_read(cr__recipe *out, const char *text, size_t length, cr_error *err);

#endif
