/* cli/filter/message.c - a mail message: where its head ends, and how to add a line to it.
 *
 * RFC 5322: the head is a run of fields "Name: value", each on one line and on those that follow
 * it and begin with a blank; an empty line parts it from the body. Mail as it is found in folders
 * may begin with a line "From " of an mbox, may have no head at all, no body, lines that end in CR
 * LF, and any bytes. Nothing of it is changed but for the one field.
 */
#include <errno.h>
#include <stdlib.h>
#include <string.h>
#include <strings.h>

#include "filter/filter.h"
#include "out/out.h"
#include "session/reserve.h"

enum { FIRST_ROOM = 1 << 16 };

/* --- lines -------------------------------------------------------------------------------- */

/* Where the line that begins at `at` ends, its line feed included. */
static size_t line_end(const message *m, size_t at)
{
    const char *feed = memchr(m->bytes + at, '\n', m->size - at);

    return feed != NULL ? (size_t)(feed - m->bytes) + 1 : m->size;
}

static bool is_empty(const char *line, size_t size)
{
    return size == 0 || line[0] == '\n' || (size > 1 && line[0] == '\r' && line[1] == '\n');
}

static bool goes_on(const char *line)
{
    return *line == ' ' || *line == '\t';
}

/* "Name:", printable ASCII without blanks; some mailers put a blank before the colon. */
static bool is_field(const char *line, size_t size)
{
    size_t i = 0;

    while (i < size && line[i] > ' ' && line[i] < 0x7F && line[i] != ':')
        i++;
    if (i == 0)
        return false;
    while (i < size && goes_on(line + i))
        i++;
    return i < size && line[i] == ':';
}

static bool is_own(const char *line, size_t size)
{
    static const char own[] = FILTER_FIELD ":";

    return size >= sizeof own - 1 && strncasecmp(line, own, sizeof own - 1) == 0;
}

static bool is_envelope(const char *line, size_t size)
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
    bool own = false;
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

/* --- reading ------------------------------------------------------------------------------ */

static int cannot_read(const char *path, int why)
{
    cr_error err = {0};

    snprintf(err.file, sizeof err.file, "%s", strcmp(path, "-") == 0 ? "standard input" : path);
    snprintf(err.message, sizeof err.message, "cannot be read: %s", strerror(why));
    return complain(CR_EIO, &err);
}

int message_read(message *m, const char *path)
{
    FILE *file = strcmp(path, "-") == 0 ? stdin : fopen(path, "rb");
    size_t room = FIRST_ROOM, read;
    int failed;

    *m = (message){.bytes = NULL};
    if (file == NULL)
        return cannot_read(path, errno);
    m->bytes = reserve(room, 1);
    errno = 0;
    while ((read = fread(m->bytes + m->size, 1, room - m->size, file)) > 0) {
        m->size += read;
        if (m->size == room)
            m->bytes = reserve_more(m->bytes, room *= 2, 1);
    }
    failed = ferror(file) ? (errno != 0 ? errno : EIO) : 0;
    if (file != stdin)
        fclose(file);
    find_head(m);
    return failed != 0 ? cannot_read(path, failed) : EXIT_DONE;
}

void message_free(message *m)
{
    free(m->bytes);
}

/* --- what becomes of it ------------------------------------------------------------------- */

static void append(void *context, const char *bytes, size_t size)
{
    char **end = context;

    *end = mempcpy(*end, bytes, size);
}

char *message_text(const message *m)
{
    char *text = reserve(m->size + 1, 1), *end = text;

    each_piece(m, append, &end);
    append(&end, m->bytes + m->head, m->size - m->head);
    for (char *at = text; (at = memchr(at, '\0', (size_t)(end - at))) != NULL;)
        *at = ' ';
    return text;
}

typedef struct copying {
    FILE *file;
    char last; /* byte written */
} copying;

static void copy(void *context, const char *bytes, size_t size)
{
    copying *c = context;

    fwrite(bytes, 1, size, c->file);
    if (size > 0)
        c->last = bytes[size - 1];
}

/* A last field without a line feed gets one; a message that begins with its body gets a head. */
void message_write(const message *m, const char *line, FILE *file)
{
    const char *body = m->bytes + m->head;
    size_t rest = m->size - m->head;
    copying c = {file, '\n'};

    if (line == NULL) {
        copy(&c, m->bytes, m->size);
        return;
    }
    each_piece(m, copy, &c);
    if (c.last != '\n')
        fputs(m->end, file);
    fprintf(file, "%s%s", line, m->end);
    if (m->head == 0 && rest > 0 && !is_empty(body, rest))
        fputs(m->end, file);
    copy(&c, body, rest);
}
