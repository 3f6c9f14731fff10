/* text/html.h - HTML to text, in one pass, without a tree.
 *
 * Text comes out as a reader would see it: without scripts, styles and comments (nothing is left in
 * their place: "vi<!-- x -->agra" is one word), entities decoded, blocks (paragraphs, cells, line
 * breaks ...) separated by newlines. What a reader would not see is collected separately: text in
 * an element that is not displayed, has a font size of 0, or the colour of its background. So are
 * the targets of links and images, one per line, and the names of tags with the attributes that
 * shape text.
 *
 * Any bytes are accepted. Time is linear in their number; there is no recursion, and no state is
 * kept between calls.
 */
#ifndef CR_TEXT_HTML_H
#define CR_TEXT_HTML_H

#include "base/buffer.h"

#include <stddef.h>
#include <stdint.h>

typedef struct cr__html {
    cr__buffer text;   /* what a reader sees */
    cr__buffer hidden; /* text that nobody sees */
    cr__buffer links;  /* targets, each followed by a newline */
    cr__buffer markup; /* "font color ff0000 size 2 ..." */
} cr__html;

/* Append to out what is in bytes, valid UTF-8. Running out of memory is recorded in the buffers. */
void cr__html_read(cr__html *out, const char *bytes, size_t size);

/* Whether a text begins as a web page does: with its document type, or an element html, head or
 * body, after blanks, comments and an XML declaration. */
int cr__html_begins(const char *bytes, size_t size);

void cr__html_clear(cr__html *out);
void cr__html_free(cr__html *out);

/* The code point of the entity whose name or number is at p, after the '&'; *after is set behind it
 * and its semicolon. 0 when there is none. */
uint32_t cr__html_entity(const char *p, const char *end, const char **after);

#endif
