/* text/utf8.h - UTF-8 as bytes and as code points, and what to do with text that is not UTF-8.
 *
 * A document is either valid UTF-8 (RFC 3629: no surrogates, no overlong forms, at most U+10FFFF)
 * as a whole, or every byte of it is a character of Windows-1252; the five bytes it leaves
 * undefined are read as Latin-1. So every document is text, and none is dropped. Nothing here
 * allocates or keeps state.
 */
#ifndef CR_TEXT_UTF8_H
#define CR_TEXT_UTF8_H

#include <stddef.h>
#include <stdint.h>

/* How many bytes at the beginning are ASCII. */
size_t cr__ascii_prefix(const char *bytes, size_t size);

/* Whether the bytes are valid UTF-8. */
int cr__utf8_valid(const char *bytes, size_t size);

/* The code point at p (p < end) and where the next one begins. Bytes that are not valid UTF-8 give
 * U+FFFD and one step, so that any bytes can be traversed. */
const char *cr__utf8_next(const char *p, const char *end, uint32_t *point);

/* Where the code point before p (start < p) begins; for valid text. */
const char *cr__utf8_before(const char *start, const char *p, uint32_t *point);

/* Write the code point (U+FFFD when it is invalid) as 1 to 4 bytes; returns how many. */
size_t cr__utf8_put(char out[4], uint32_t point);

/* Room that cr__utf8_from_1252 needs in the worst case. */
#define CR__UTF8_GROWTH 3

/* Decode Windows-1252; out has room for CR__UTF8_GROWTH * size bytes. Returns the bytes written. */
size_t cr__utf8_from_1252(const char *bytes, size_t size, char *out);

/* The code point of one byte of Windows-1252. */
uint32_t cr__point_of_1252(unsigned char byte);

#endif
