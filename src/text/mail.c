/* text/mail.c - the parts of a message.
 *
 * A multipart body is read line by line: a stack holds the boundaries of the open multiparts, and
 * the next boundary of any of them ends everything inside it. So nesting needs no recursion and a
 * missing boundary does no harm.
 */
#include "text/mail.h"

#include "base/fail.h"
#include "base/memory.h"
#include "text/mail_impl.h"
#include "text/mime.h"
#include "text/utf8.h"

#include <string.h>

typedef struct walk {
    cr__mail *mail;
    const char *bytes;
    size_t size, at;
    char boundary[CR__MAIL_DEPTH][sizeof((cr__entity *)0)->boundary];
    unsigned depth, parts;
} walk;

/* --- sections -------------------------------------------------------------------------------- */

void cr__mail_section(cr__mail *mail, const char *prefix, size_t start)
{
    if (mail->store.failed || mail->store.size == start)
        return;
    if (!cr__grow(&mail->sections, &mail->capacity, mail->count + 1, sizeof *mail->sections)) {
        mail->store.failed = 1;
        return;
    }
    mail->sections[mail->count++] = (cr__section){.prefix = prefix, .size = start};
}

void cr__mail_ready(cr__mail *mail, int list, const char *bytes, size_t n)
{
    const int valid = cr__utf8_valid(bytes, n);
    char *to;

    if (n == 0 || n > 128 || (to = cr__buffer_reserve(&mail->ready[list], n + 1)) == NULL)
        return;
    for (size_t i = 0; i < n; i++) {
        const char c = bytes[i];

        to[i] = (char)(c >= 'A' && c <= 'Z' ? c | 0x20 : (unsigned char)c < ' ' ? ' ' : c);
        if (!valid && (unsigned char)c >= 0x80)
            to[i] = '?';
    }
    to[n] = '\n';
    mail->ready[list].size += n + 1;
}

/* The lists of ready tokens become sections; then all sections get the address of their text, which
 * no longer moves. Until here `size` was where a section begins in the store. */
static void finish_sections(cr__mail *mail)
{
    static const char *const prefixes[] = {
        "header:", "received:", "message-id:", "date:", "mime:", "file:"};
    size_t texts = mail->count;
    size_t end = mail->store.size;

    for (size_t i = 0; i < sizeof prefixes / sizeof *prefixes; i++) {
        const size_t start = mail->store.size;

        cr__buffer_add(&mail->store, mail->ready[i].data, mail->ready[i].size);
        mail->store.failed |= mail->ready[i].failed;
        cr__mail_section(mail, prefixes[i], start);
    }
    if (mail->store.failed)
        return;
    end = mail->store.size;
    for (size_t i = mail->count; i-- > 0;) {
        cr__section *section = &mail->sections[i];
        const size_t start = section->size;

        section->text = mail->store.data + start;
        section->size = end - start;
        section->ready = i >= texts;
        end = start;
    }
}

/* --- a leaf ---------------------------------------------------------------------------------- */

/* How much more text may be stored. */
static size_t room(const cr__mail *mail)
{
    return mail->store.size < CR__MAIL_TEXT_BYTES ? CR__MAIL_TEXT_BYTES - mail->store.size : 0;
}

static void add_html(cr__mail *mail, size_t start)
{
    cr__html *html = &mail->html;
    const struct {
        const cr__buffer *text;
        const char *prefix;
    } streams[] = {{&html->text, ""},
                   {&html->links, "url:"},
                   {&html->hidden, "hidden:"},
                   {&html->markup, "html:"}};

    cr__html_clear(html);
    cr__html_read(html, mail->store.data + start, mail->store.size - start);
    mail->store.size = start;
    for (size_t i = 0; i < sizeof streams / sizeof *streams; i++) {
        const size_t from = mail->store.size;

        cr__buffer_add(&mail->store, streams[i].text->data, streams[i].text->size);
        mail->store.failed |= streams[i].text->failed;
        cr__mail_section(mail, streams[i].prefix, from);
    }
}

/* A text part: its transfer encoding decoded, in UTF-8, and HTML as text, also where only the text
 * itself says that it is a web page: programs that send spam often forget its type. */
static void add_text(cr__mail *mail, const cr__entity *entity, const char *bytes, size_t size)
{
    const size_t start = mail->store.size;

    if (size > room(mail)) {
        size = room(mail);
        mail->cut = 1;
    }
    cr__buffer_clear(&mail->decoded);
    if (entity->coded == CR__CODED_BASE64)
        cr__mime_base64(bytes, size, &mail->decoded);
    else if (entity->coded == CR__CODED_QUOTED)
        cr__mime_quoted(bytes, size, 0, &mail->decoded);
    if (entity->coded != CR__CODED_PLAIN) {
        bytes = mail->decoded.data;
        size = mail->decoded.size;
        mail->store.failed |= mail->decoded.failed;
    }
    cr__charset_decode(&mail->sets, entity->charset, strlen(entity->charset), bytes, size,
                       &mail->store);
    if (mail->store.failed || mail->store.size == start)
        return;
    if (entity->kind == CR__BODY_HTML ||
        cr__html_begins(mail->store.data + start, mail->store.size - start))
        add_html(mail, start);
    else
        cr__mail_section(mail, "", start);
}

/* --- the walk -------------------------------------------------------------------------------- */

/* Whether the line at `at` is the boundary; *last says that it is the end of the multipart. */
static int is_boundary(const walk *w, size_t at, const char *boundary, int *last)
{
    const size_t length = strlen(boundary);
    const char *after = w->bytes + at + length;

    if (w->size - at < length || memcmp(w->bytes + at, boundary, length) != 0)
        return 0;
    *last = w->size - at >= length + 2 && memcmp(after, "--", 2) == 0;
    return *last || w->size - at == length || *after == '\n' || *after == '\r' || *after == ' ' ||
           *after == '\t';
}

/* The open multipart, the innermost first, whose boundary the line is; -1: none. */
static int boundary_at(const walk *w, size_t at, int *last)
{
    for (unsigned i = w->depth; i-- > 0;)
        if (is_boundary(w, at, w->boundary[i], last))
            return (int)i;
    return -1;
}

/* Advance to the next boundary: *end is where the text before it ends. Multiparts that end there
 * are closed, and what follows them up to the next boundary is ignored. w->at is then where an
 * entity begins, or w->size. Returns whether there was any boundary. */
static int next_part(walk *w, size_t *end)
{
    size_t line = w->at;
    int found = 0, last = 1, level;

    *end = w->size;
    while (w->depth > 0 && line < w->size) {
        const char *next;

        if ((level = boundary_at(w, line, &last)) >= 0) {
            *end = found ? *end : line;
            found = 1;
            w->depth = (unsigned)level + !last;
        }
        if (level >= 0 && !last) {
            next = memchr(w->bytes + line, '\n', w->size - line);
            w->at = next != NULL ? (size_t)(next + 1 - w->bytes) : w->size;
            return 1;
        }
        next = memmem(w->bytes + line, w->size - line, "\n--", 3);
        line = next != NULL ? (size_t)(next + 1 - w->bytes) : w->size;
    }
    w->at = w->size;
    return found;
}

/* One entity at w->at: a container is opened, a leaf read. */
static void read_entity(walk *w, int top)
{
    cr__entity entity;
    size_t start, end;

    w->at = start = cr__mail_headers(w->mail, w->bytes, w->size, w->at, top, &entity);
    if (entity.kind == CR__BODY_MESSAGE && entity.coded == CR__CODED_PLAIN)
        return; /* its headers are next */
    if (entity.kind == CR__BODY_MULTIPART && w->depth == CR__MAIL_DEPTH) {
        w->mail->cut = 1;
    } else if (entity.kind == CR__BODY_MULTIPART && entity.boundary[0] != '\0') {
        memcpy(w->boundary[w->depth++], entity.boundary, sizeof entity.boundary);
        if (next_part(w, &end))
            return;
        w->depth--; /* a multipart without any part is text, or HTML if it looks like it */
        w->at = start;
        if (memmem(w->bytes + start, w->size - start, "</", 2) != NULL)
            entity.kind = CR__BODY_HTML;
    }
    (void)next_part(w, &end);
    if (entity.kind != CR__BODY_OTHER)
        add_text(w->mail, &entity, w->bytes + start, end - start);
}

static void clear(cr__mail *mail)
{
    mail->count = 0;
    mail->cut = 0;
    cr__buffer_clear(&mail->store);
    mail->store.failed = mail->decoded.failed = mail->scratch.failed = mail->value.failed = 0;
    for (size_t i = 0; i < sizeof mail->ready / sizeof *mail->ready; i++) {
        cr__buffer_clear(&mail->ready[i]);
        mail->ready[i].failed = 0;
    }
}

cr_status cr__mail_read(cr__mail *mail, const char *bytes, size_t size, cr_error *err)
{
    walk w = {.mail = mail, .bytes = bytes, .size = size};

    clear(mail);
    do {
        w.parts++;
        read_entity(&w, w.parts == 1);
    } while (w.at < w.size && w.parts < CR__MAIL_PARTS && !mail->store.failed);
    mail->cut |= w.at < w.size;
    finish_sections(mail);
    return mail->store.failed ? cr__fail_memory(err) : CR_OK;
}

void cr__mail_free(cr__mail *mail)
{
    cr__free(mail->sections);
    cr__buffer_free(&mail->store);
    for (size_t i = 0; i < sizeof mail->ready / sizeof *mail->ready; i++)
        cr__buffer_free(&mail->ready[i]);
    cr__buffer_free(&mail->decoded);
    cr__buffer_free(&mail->scratch);
    cr__buffer_free(&mail->value);
    cr__html_free(&mail->html);
    cr__charsets_close(&mail->sets);
    *mail = (cr__mail){0};
}
