/* decide/filter_message.c - a mail message: where its head ends, and how to add a line to it.
 *
 * RFC 5322: the head is a run of fields "Name: value", each on one line and its continuation lines,
 * which begin with a blank; an empty line separates it from the body. Mail as it is found in
 * folders may begin with a line "From " of a mailbox, may have no head at all, no body, lines that
 * end in CR LF, and any bytes. Nothing but the one field is changed.
 */
#include <string.h>
#include <strings.h>

#include "credence/filter.h"
#include "decide/filter.h"

typedef struct message {
    const char *bytes;
    size_t size;
    size_t head;     /* size of its head: the lines before the empty one */
    const char *end; /* of its lines: "\n" or "\r\n" */
} message;

/* --- lines -------------------------------------------------------------------------------- */

/* Where the line that begins at `at` ends, its line feed included. */
static size_t line_end(const message *m, size_t at)
{
    const char *feed = memchr(m->bytes + at, '\n', m->size - at);

    return feed != NULL ? (size_t)(feed - m->bytes) + 1 : m->size;
}

static int is_empty(const char *line, size_t size)
{
    return size == 0 || line[0] == '\n' || (size > 1 && line[0] == '\r' && line[1] == '\n');
}

static int goes_on(const char *line)
{
    return *line == ' ' || *line == '\t';
}

/* "Name:", printable ASCII without blanks; some mailers put a blank before the colon. */
static int is_field(const char *line, size_t size)
{
    size_t i = 0;

    while (i < size && line[i] > ' ' && line[i] < 0x7F && line[i] != ':')
        i++;
    if (i == 0)
        return 0;
    while (i < size && goes_on(line + i))
        i++;
    return i < size && line[i] == ':';
}

static int is_own(const char *line, size_t size)
{
    static const char own[] = CR_FILTER_FIELD ":";

    return size >= sizeof own - 1 && strncasecmp(line, own, sizeof own - 1) == 0;
}

static int is_envelope(const char *line, size_t size)
{
    return (size >= 5 && memcmp(line, "From ", 5) == 0) ||
           (size >= 6 && memcmp(line, ">From ", 6) == 0);
}

/* The head: fields and the lines that continue them, after the line of an mbox if there is one. */
static void find_head(message *m)
{
    size_t at = 0;

    m->end = "\n";
    while (at < m->size) {
        const char *line = m->bytes + at;
        size_t next = line_end(m, at), size = next - at;

        if (is_empty(line, size) ||
            !(is_field(line, size) || (at == 0 ? is_envelope(line, size) : goes_on(line))))
            break;
        at = next;
    }
    m->head = at;
    at = at > 0 ? at : line_end(m, 0);
    if (at > 1 && m->bytes[at - 2] == '\r' && m->bytes[at - 1] == '\n')
        m->end = "\r\n";
}

typedef void (*piece_visit)(void *context, const char *bytes, size_t size);

/* Call visit with each run of bytes of the head that no filter has added. */
static void each_piece(const message *m, piece_visit visit, void *context)
{
    int own = 0;
    size_t from = 0;

    for (size_t at = 0, next; at < m->head; at = next) {
        const char *line = m->bytes + at;

        next = line_end(m, at);
        if (goes_on(line) && at > 0)
            continue; /* it belongs to the field before */
        if (!own && is_own(line, next - at))
            visit(context, m->bytes + from, at - from);
        if (own)
            from = at;
        own = is_own(line, next - at);
    }
    if (own)
        from = m->head;
    visit(context, m->bytes + from, m->head - from);
}

/* --- output ----------------------------------------------------------------------------------- */

static message message_of(const void *bytes, size_t size)
{
    message m = {.bytes = bytes, .size = size};

    find_head(&m);
    return m;
}

static void append(void *context, const char *bytes, size_t size)
{
    cr__buffer_add(context, bytes, size);
}

void cr__filter_text(const char *bytes, size_t size, cr__buffer *out)
{
    const message m = message_of(bytes, size);

    each_piece(&m, append, out);
    append(out, m.bytes + m.head, m.size - m.head);
}

typedef struct copying {
    cr_output *out;
    char last; /* byte written */
} copying;

static void copy(void *context, const char *bytes, size_t size)
{
    copying *c = context;

    cr_output_bytes(c->out, bytes, size);
    if (size > 0)
        c->last = bytes[size - 1];
}

/* A last field without a line feed gets one; a message that begins with its body gets a head. */
void cr_filter_mark(const void *bytes, size_t size, const char *line, cr_output *out)
{
    const message m = message_of(bytes, size);
    const char *body = m.bytes + m.head;
    const size_t rest = m.size - m.head;
    copying c = {out, '\n'};

    if (line == NULL) {
        cr_output_bytes(out, bytes, size);
        return;
    }
    each_piece(&m, copy, &c);
    if (c.last != '\n')
        cr_output_text(out, m.end);
    cr_output_text(out, line);
    cr_output_text(out, m.end);
    if (m.head == 0 && rest > 0 && !is_empty(body, rest))
        cr_output_text(out, m.end);
    copy(&c, body, rest);
}
