/* text/rich.h - the tokens of `rich` that are not words: what words leave out and spam is full of.
 *
 *     FREE                   a word of two or more capitals, besides "free"
 *     number:4               a number of four digits, besides the number
 *     shape:9p               a word of digits and letters, besides "150p"
 *     phone:11 phone:087     seven digits or more, perhaps in groups: how many, the first ones
 *     money:$ money:$3       a currency sign with an amount, and the digits of its whole part
 *     ! !! !!! ? % ... ***   '!', '?' and '%' in runs, other punctuation three times or more
 *     ★ €                    every currency sign and symbol beyond ASCII
 *     url:www.example.com    the host of a URL, the domains that it belongs to, and the words of
 *                            its path, which are not words otherwise
 *     email:jo@example.com   an address, and its host likewise
 *     length:12              the document has about 2^(12/2) bytes
 *
 * n-grams are made of the words only. In a section with a prefix, all of them except url: get the
 * prefix.
 */
#ifndef CR_TEXT_RICH_H
#define CR_TEXT_RICH_H

#include "text/tokenizer_impl.h"

/* A pass over a piece. The first failure is kept in status and stops all further work. */
typedef struct cr__rich {
    cr__tokenizer *t;
    const char *in; /* the piece, or its copy in t->blanked */
    size_t size;
    cr_status status;
    cr_error *err;
} cr__rich;

/* Add the token tag + bytes[0, n), its letters A-Z in lower case when `lower` is set. Tokens longer
 * than 64 bytes are cut. */
void cr__rich_add(cr__rich *r, const char *tag, const char *bytes, size_t n, int lower);

/* Add the tokens of URLs and e-mail addresses, and let r->in be the piece with spaces instead. */
void cr__rich_links(cr__rich *r);

#endif
