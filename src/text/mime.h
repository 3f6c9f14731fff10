/* text/mime.h - the encodings inside a message.
 *
 * Everything is lenient: what a mailer got wrong is skipped, nothing fails. Nothing beyond the
 * given bytes is read; time is linear.
 */
#ifndef CR_TEXT_MIME_H
#define CR_TEXT_MIME_H

#include "base/buffer.h"
#include "text/charset.h"

#include <stddef.h>

/* Decode base64 (RFC 4648), skipping bytes outside its alphabet, up to the padding. */
void cr__mime_base64(const char *bytes, size_t size, cr__buffer *out);

/* Decode quoted-printable (RFC 2045). With `words`, as in encoded words, '_' is a space. */
void cr__mime_quoted(const char *bytes, size_t size, int words, cr__buffer *out);

/* The value of a header as UTF-8: unfolded, and its encoded words (RFC 2047) decoded. `scratch` is
 * for the bytes of encoded words. */
void cr__mime_header(cr__charsets *sets, const char *value, size_t size, cr__buffer *scratch,
                     cr__buffer *out);

/* The parameter `name` of a header like Content-Type, into out (which is cleared): in quotes or
 * not, and as RFC 2231 has it (name*=, name*0=, name*1*= ...). 0 when it is not there. */
int cr__mime_parameter(cr__charsets *sets, const char *value, size_t size, const char *name,
                       cr__buffer *scratch, cr__buffer *out);

#endif
