/* text/json_escape.h - the escapes in JSON strings (RFC 8259, section 7). */
#ifndef CR_TEXT_JSON_ESCAPE_H
#define CR_TEXT_JSON_ESCAPE_H

#include <stdint.h>

/* Read one escape, from behind its backslash, and step over it. \uXXXX may be a code point or the
 * two halves of one; half of one alone gives U+FFFD. Returns 0 if it is not an escape. */
int cr__json_escape(const char **p, const char *end, uint32_t *point);

#endif
