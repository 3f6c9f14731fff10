/* text/mail_impl.h - shared by mail.c (the parts) and mail_header.c (the headers). */
#ifndef CR_TEXT_MAIL_IMPL_H
#define CR_TEXT_MAIL_IMPL_H

#include "text/mail.h"

/* The lists of ready tokens. */
enum {
    CR__MAIL_HEADER,
    CR__MAIL_RECEIVED,
    CR__MAIL_ID,
    CR__MAIL_DATE,
    CR__MAIL_MIME,
    CR__MAIL_FILE
};

/* What the headers of an entity say about its body. */
typedef struct cr__entity {
    enum {
        CR__BODY_TEXT,
        CR__BODY_HTML,
        CR__BODY_MULTIPART,
        CR__BODY_MESSAGE,
        CR__BODY_OTHER
    } kind;
    enum { CR__CODED_PLAIN, CR__CODED_BASE64, CR__CODED_QUOTED } coded;
    char charset[64];
    char boundary[128]; /* with "--" before it; empty: none */
} cr__entity;

/* Read the headers from bytes[at, size) on: fill the entity, and add the sections of a message's
 * headers when `top` is set. Returns where the body begins. */
size_t cr__mail_headers(cr__mail *mail, const char *bytes, size_t size, size_t at, int top,
                        cr__entity *entity);

/* Add a section that the store holds from start on; nothing when that is empty. */
void cr__mail_section(cr__mail *mail, const char *prefix, size_t start);

/* Add a token to a list: its letters A-Z in lower case, and made valid UTF-8. */
void cr__mail_ready(cr__mail *mail, int list, const char *bytes, size_t n);

#endif
