/* text/charset.h - the character sets of mail to UTF-8.
 *
 * Text that is valid UTF-8 is taken as such when its label says ASCII, Latin-1, Windows-1252, UTF-8
 * or nothing that is known; else it is Windows-1252. Other sets that mail is written in go through
 * iconv. Only names on a list reach it, because a label is untrusted input.
 */
#ifndef CR_TEXT_CHARSET_H
#define CR_TEXT_CHARSET_H

#include "base/buffer.h"

#include <stddef.h>

enum { CR__CHARSET_OPEN = 4 };

/* Converters that were used last. {0} is empty; belongs to one thread. */
typedef struct cr__charsets {
    const char *name[CR__CHARSET_OPEN]; /* as iconv calls it; NULL: empty */
    void *converter[CR__CHARSET_OPEN];  /* iconv_t */
    unsigned next;                      /* which to replace next */
} cr__charsets;

/* Append the text to out as valid UTF-8. What cannot be decoded becomes U+FFFD. */
void cr__charset_decode(cr__charsets *sets, const char *label, size_t label_length,
                        const char *bytes, size_t size, cr__buffer *out);

void cr__charsets_close(cr__charsets *sets);

#endif
