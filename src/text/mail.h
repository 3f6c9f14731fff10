/* text/mail.h - a message (RFC 5322, MIME) split into sections for the tokenizer.
 *
 * Each section is text with a prefix for its tokens, or a list of tokens that are ready:
 *
 *     ""              the text of every text part, HTML as its reader sees it
 *     subject:        and from: to: reply-to: return-path: list: mailer: as the header has them
 *     header:         the name of every header, and name=value when the value is short (ready)
 *     received:       hosts and networks that a Received header names (ready)
 *     message-id:     the host of the Message-ID (ready)
 *     date:           the time zone (ready)
 *     mime:           types, character sets, encodings and dispositions (ready)
 *     file:           names of attachments and their endings (ready)
 *     url:            targets of links and images in HTML
 *     hidden:         text in HTML that its reader does not see
 *     html:           tags and the attributes that shape text
 *
 * Headers that another filter has written (X-Spam-Status and the like) and those about the mailbox
 * (Status, Content-Length) are left out. All text is valid UTF-8.
 *
 * Any bytes are accepted as a message: only running out of memory is an error. Beyond 32 levels,
 * 1000 parts, 256 KiB of headers or 16 MiB of decoded text a message is cut, and `cut` says so.
 * There is no recursion; time is linear.
 */
#ifndef CR_TEXT_MAIL_H
#define CR_TEXT_MAIL_H

#include "base/buffer.h"
#include "text/charset.h"
#include "text/html.h"
#include "text/tokenizer.h"

#include <stddef.h>

enum {
    CR__MAIL_DEPTH = 32,
    CR__MAIL_PARTS = 1000,
    CR__MAIL_HEADER_BYTES = 256 << 10,
    CR__MAIL_TEXT_BYTES = 16 << 20
};

/* Belongs to one thread; {0} is ready for use. */
typedef struct cr__mail {
    /* The result of the last message; valid until the next one. */
    cr__section *sections;
    size_t count;
    int cut; /* the message went beyond a limit; what came before is here */

    /* Inside. */
    size_t capacity;
    cr__buffer store;    /* the text of all sections */
    cr__buffer ready[6]; /* lists of ready tokens while they grow */
    cr__buffer decoded;  /* a part without its transfer encoding */
    cr__buffer scratch, value;
    cr__html html;
    cr__charsets sets;
} cr__mail;

/* Whether a token is from a message's headers: it begins with their prefix. */
int cr__mail_is_head(const char *token, size_t length);

/* Split a message into sections. CR_ENOMEM. */
cr_status cr__mail_read(cr__mail *mail, const char *bytes, size_t size, cr_error *err);

void cr__mail_free(cr__mail *mail); /* back to {0} */

#endif
