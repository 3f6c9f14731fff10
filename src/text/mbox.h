/* text/mbox.h - the messages of a mailbox file.
 *
 * A message begins with a line "From ..." at the beginning of the file or after an empty line.
 * Inside a message, lines that begin with '>'s and "From " have one '>' more than the message had
 * (mboxrd). All functions look at the given bytes only and keep nothing: a file can be cut at any
 * message.
 */
#ifndef CR_TEXT_MBOX_H
#define CR_TEXT_MBOX_H

#include <stddef.h>

/* Whether the bytes look like a mailbox. */
int cr__mbox_is(const char *bytes, size_t size);

/* Where the first message after `from` begins (its "From " line), or size. Whatever is at `from`
 * counts as the beginning of a message. Bytes from different places of a file find the same
 * messages, except for one whose "From " line is less than seven bytes away from the beginning or
 * five from the end. */
size_t cr__mbox_next(const char *bytes, size_t size, size_t from);

/* The message without its "From " line, at *start to *end; bytes[from, to) are as cr__mbox_next
 * found them. */
void cr__mbox_message(const char *bytes, size_t from, size_t to, size_t *start, size_t *end);

/* Whether the message has quoted lines, and a copy with one '>' removed from each; out has room for
 * size bytes and may be the message itself. Returns the bytes written. */
int cr__mbox_is_quoted(const char *bytes, size_t size);
size_t cr__mbox_unquote(const char *bytes, size_t size, char *out);

#endif
