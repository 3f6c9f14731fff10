/* text/tokenizer.h - text to tokens, as a recipe says.
 *
 * A tokenizer belongs to one thread and is used for one document after another:
 *
 *     st = cr__tokenizer_begin(t, "", bytes, size, err);
 *     while (st == CR_OK && (st = cr__tokenizer_next(t, err)) == CR_OK)
 *         for (size_t i = 0; i < t->count; i++)
 *             use(t->text + t->tokens[i].start, t->tokens[i].length, t->tokens[i].hash);
 *
 * A document may have any size: cr__tokenizer_next gives the tokens of some tens of kilobytes at a
 * time, most documents at once. Text that is not valid UTF-8 is read as Windows-1252.
 *
 * The kinds of tokens:
 *
 * words   A word is a letter or number with the letters, marks and numbers that follow (Unicode's
 *         categories L, N and M), normalised to NFC and case-folded, without invisible characters.
 *         An apostrophe (' or U+2019) between two letters is part of the word and written as '. A
 *         run of letters of a script that does not put spaces between words (Han, kana, Thai, Lao,
 *         Khmer, Myanmar) gives all pairs of neighbouring characters, or itself when it is one.
 * words2  What scikit-learn does: Python's str.lower(), then every match of \b\w\w+\b.
 * rich    words, normalised to NFKC, and tokens for other signs of spam: see text/rich.h.
 * chars   n-grams of characters of the folded text (NFC), where white space is one space.
 *
 * With punctuation=yes runs of one mark, "!!!" or ",", are tokens too, but not part of n-grams.
 * A web page is read as html=auto says: without tags, scripts and what nobody sees.
 *
 * n-grams of words are joined by a space. A skip-bigram is two words with a '_' for each word
 * between them: "buy _ now"; no word is a '_'. A word or a run of letters longer than 64 KiB is
 * cut. Each token of a section with a prefix has the prefix before it: "subject:hello".
 */
#ifndef CR_TEXT_TOKENIZER_H
#define CR_TEXT_TOKENIZER_H

#include "base/buffer.h"
#include "data/section.h"
#include "text/ascii.h"
#include "text/html.h"
#include "text/recipe.h"
#include "text/stem.h"
#include "text/stop.h"
#include "text/token.h"
#include "text/unicode.h"

#define CR__PIECE_BYTES 65536 /* of a document that are processed at once */
#define CR__CARRY_WORDS 10    /* words of the previous piece that n-grams can reach back to */

typedef struct cr__token_list {
    cr__token *items;
    size_t count, capacity;
} cr__token_list;

typedef struct cr__tokenizer {
    /* The result of the last call; valid until the next one. */
    const char *text; /* what the tokens point into */
    const cr__token *tokens;
    size_t count;

    /* Inside: the recipe. */
    const cr__recipe *recipe;
    cr__ascii_rule rule;
    unsigned fold;     /* CR__FOLD_... */
    uint32_t shortest; /* least characters of a word */
    uint32_t reach;    /* words before the current one that an n-gram may use */
    cr__stop_set stop;
    cr__stemmer *stemmer; /* NULL: none */

    /* Inside: the document. */
    const char *bytes, *prefix;
    size_t size, at; /* at: where the next piece begins */
    size_t piece;    /* most bytes of a piece */
    int is_1252;     /* not UTF-8: every piece is decoded first */
    int first;       /* nothing has been returned yet */
    int ready;       /* the lines are tokens */

    /* Inside: the piece. */
    cr__buffer buffer;     /* text: the lowered piece, then tokens that had to be rewritten */
    size_t lowered;        /* where the lowered piece ends in it */
    cr__buffer decoded;    /* Windows-1252 as UTF-8 */
    cr__buffer stripped;   /* a post without its quotes */
    cr__html page;         /* what a reader sees of a web page */
    cr__buffer blanked;    /* rich: the piece without URLs and addresses */
    cr__token_list words;  /* in order */
    cr__token_list extras; /* rich: tokens that are not part of n-grams */
    cr__token_list out;    /* n-grams and prefixed tokens */
    cr__buffer carry;      /* the last words of the piece before, with spaces between */
    uint32_t carry_length[CR__CARRY_WORDS], carried;
    struct cr__mail *mail; /* splits messages; NULL until there is one */
    uint32_t *known;       /* cache of words.c for code points below U+10000 */

    /* Inside: room, large and not set before it is used. */
    cr__ascii_masks masks[64];
    int32_t points[CR__FOLD_POINTS];
} cr__tokenizer;

/* A tokenizer for a recipe that cr__recipe_check accepted and that outlives it. CR_EARG,
 * CR_ENOMEM. */
cr_status cr__tokenizer_new(cr__tokenizer **out, const cr__recipe *recipe, cr_error *err);
void cr__tokenizer_free(cr__tokenizer *t); /* NULL is allowed */

/* Begin a document or a section of one; bytes and prefix must stay valid until the last call of
 * next. What the recipe strips is left out. CR_ENOMEM. */
cr_status cr__tokenizer_begin(cr__tokenizer *t, const char *prefix, const char *bytes, size_t size,
                              cr_error *err);

/* The same for a section; nothing is stripped, and nothing can fail. */
void cr__tokenizer_section(cr__tokenizer *t, const cr__section *section);

/* The next tokens, perhaps none; CR_END when there are no more. CR_ENOMEM. */
cr_status cr__tokenizer_next(cr__tokenizer *t, cr_error *err);

/* All tokens of a document at once. CR_ELIMIT for more than 256 MiB, CR_ENOMEM. */
cr_status cr__tokenizer_run(cr__tokenizer *t, const char *bytes, size_t size, cr_error *err);

#endif
