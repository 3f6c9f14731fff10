/* text/mail_header.c - the headers of a message and of its parts. */
#include "text/mail.h"

#include "text/mail_impl.h"
#include "text/mime.h"
#include "text/utf8.h"

#include <stdlib.h>
#include <string.h>
#include <strings.h>

enum { NAME_BYTES = 40, VALUE_BYTES = 32 };

/* What is done with a header. */
typedef enum action {
    SKIP,  /* not even its name: about the mailbox, or another filter's opinion */
    NAME,  /* only its name: ids and signatures */
    VALUE, /* its name and, when it is short, its value */
    TEXT,
    RECEIVED,
    MESSAGE_ID,
    DATE,
    CONTENT_TYPE,
    CODING,
    DISPOSITION
} action;

static const struct header {
    const char *name, *prefix;
    action what;
} headers[] = {
    /* in the order of strcmp */
    {"arc-authentication-results", "", NAME},
    {"arc-message-signature", "", NAME},
    {"arc-seal", "", NAME},
    {"authentication-results", "", NAME},
    {"bcc", "to:", TEXT},
    {"cc", "to:", TEXT},
    {"content-disposition", "", DISPOSITION},
    {"content-id", "", NAME},
    {"content-length", "", SKIP},
    {"content-transfer-encoding", "", CODING},
    {"content-type", "", CONTENT_TYPE},
    {"date", "", DATE},
    {"dkim-signature", "", NAME},
    {"domainkey-signature", "", NAME},
    {"from", "from:", TEXT},
    {"in-reply-to", "", NAME},
    {"lines", "", SKIP},
    {"list-archive", "list:", TEXT},
    {"list-help", "list:", TEXT},
    {"list-id", "list:", TEXT},
    {"list-post", "list:", TEXT},
    {"list-subscribe", "list:", TEXT},
    {"list-unsubscribe", "list:", TEXT},
    {"message-id", "", MESSAGE_ID},
    {"received", "", RECEIVED},
    {"references", "", NAME},
    {"reply-to", "reply-to:", TEXT},
    {"return-path", "return-path:", TEXT},
    {"sender", "return-path:", TEXT},
    {"status", "", SKIP},
    {"subject", "subject:", TEXT},
    {"to", "to:", TEXT},
    {"user-agent", "mailer:", TEXT},
    {"x-bogosity", "", SKIP},
    {"x-imap", "", SKIP},
    {"x-keywords", "", SKIP},
    {"x-mailer", "mailer:", TEXT},
    {"x-mozilla-keys", "", SKIP},
    {"x-mozilla-status", "", SKIP},
    {"x-mozilla-status2", "", SKIP},
    {"x-spambayes-classification", "", SKIP},
    {"x-spamprobe", "", SKIP},
    {"x-status", "", SKIP},
    {"x-uid", "", SKIP},
};

static int compare_header(const void *name, const void *header)
{
    return strcmp(name, ((const struct header *)header)->name);
}

static struct header find_header(const char *name)
{
    static const char *const filters[] = {"x-spam", "x-credence", "x-crm114", "x-dspam", "x-rspam"};
    const struct header *found =
        bsearch(name, headers, sizeof headers / sizeof *headers, sizeof *headers, compare_header);

    if (found != NULL)
        return *found;
    for (size_t i = 0; i < sizeof filters / sizeof *filters; i++)
        if (strncmp(name, filters[i], strlen(filters[i])) == 0)
            return (struct header){name, "", SKIP};
    return (struct header){name, "", VALUE};
}

int cr__mail_is_head(const char *token, size_t length)
{
#define PREFIX(name)                                                                               \
    {                                                                                              \
        name, sizeof name - 1                                                                      \
    }
    static const struct {
        const char *name;
        size_t length;
    } prefixes[] = {PREFIX("header:"),   PREFIX("received:"),   PREFIX("subject:"),
                    PREFIX("from:"),     PREFIX("to:"),         PREFIX("return-path:"),
                    PREFIX("reply-to:"), PREFIX("message-id:"), PREFIX("mime:"),
                    PREFIX("date:"),     PREFIX("list:"),       PREFIX("mailer:"),
                    PREFIX("file:")};
#undef PREFIX

    for (size_t i = 0; i < sizeof prefixes / sizeof *prefixes; i++)
        if (length > prefixes[i].length && *token == *prefixes[i].name &&
            memcmp(token, prefixes[i].name, prefixes[i].length) == 0)
            return 1;
    return 0;
}

/* --- headers that become tokens at once ------------------------------------------------------ */

static int is_host(char c)
{
    return (c >= '0' && c <= '9') || (unsigned char)((c | 0x20) - 'a') < 26 || c == '.' || c == '-';
}

/* Whether four numbers up to 255 with dots between are an address; versions often look like one. */
static int is_address(const char *p, size_t length)
{
    unsigned part = 0, parts = 1;

    for (size_t i = 0; i < length; i++) {
        part = p[i] == '.' ? 0 : part * 10 + (unsigned)(p[i] - '0');
        parts += p[i] == '.';
        if (part > 255)
            return 0;
    }
    return parts == 4;
}

/* A host and the domain it belongs to; an address, and the networks of its first three and two
 * numbers. */
static void add_host(cr__mail *mail, int list, const char *host, size_t length)
{
    size_t letters = 0, dot = 0, before = 0; /* the last two dots */

    for (size_t i = 0; i < length; i++) {
        if (host[i] == '.') {
            before = dot;
            dot = i;
        } else {
            letters += host[i] < '0' || host[i] > '9';
        }
    }
    if (dot == 0 || dot == length - 1 || (letters == 0 && !is_address(host, length)) ||
        (letters > 0 && host[length - 1] >= '0' && host[length - 1] <= '9'))
        return;
    cr__mail_ready(mail, list, host, length);
    if (letters == 0) {
        cr__mail_ready(mail, list, host, dot);
        cr__mail_ready(mail, list, host, before);
    } else if (before > 0) {
        cr__mail_ready(mail, list, host + before + 1, length - before - 1);
    }
}

/* Only letters, as in "from unknown (HELO ...) with ESMTP"; ids have digits. */
static int is_word(const char *p, const char *end)
{
    if (p == end || end - p > 12)
        return 0;
    while (p < end && (unsigned char)((*p | 0x20) - 'a') < 26)
        p++;
    return p == end;
}

/* Every host up to the semicolon before the date. */
static void add_received(cr__mail *mail, const char *p, const char *end)
{
    const char *date = memchr(p, ';', (size_t)(end - p));

    if (date != NULL)
        end = date;
    while (p < end) {
        const char *start = p, *stop;

        while (p < end && is_host(*p))
            p++;
        for (stop = p; stop > start && stop[-1] == '.';)
            stop--;
        if (memchr(start, '.', (size_t)(stop - start)) != NULL)
            add_host(mail, CR__MAIL_RECEIVED, start, (size_t)(stop - start));
        else if (is_word(start, stop))
            cr__mail_ready(mail, CR__MAIL_RECEIVED, start, (size_t)(stop - start));
        if (p == start)
            p++;
    }
}

static void add_message_id(cr__mail *mail, const char *p, const char *end)
{
    const char *at = memchr(p, '@', (size_t)(end - p)), *stop;

    if (at == NULL)
        return;
    for (stop = at + 1; stop < end && is_host(*stop);)
        stop++;
    add_host(mail, CR__MAIL_ID, at + 1, (size_t)(stop - at - 1));
}

/* "precedence=bulk", "x-priority=3"; long values are practically random. */
static void add_value(cr__mail *mail, const char *name, const char *p, const char *end)
{
    char token[NAME_BYTES + VALUE_BYTES + 1];
    const size_t length = strlen(name);

    if (p == end || end - p > VALUE_BYTES ||
        cr__ascii_prefix(p, (size_t)(end - p)) < (size_t)(end - p))
        return;
    memcpy(token, name, length);
    token[length] = '=';
    memcpy(token + length + 1, p, (size_t)(end - p));
    cr__mail_ready(mail, CR__MAIL_HEADER, token, length + 1 + (size_t)(end - p));
}

/* The time zone is the last word before a comment. */
static void add_date(cr__mail *mail, const char *p, const char *end)
{
    const char *comment = memchr(p, '(', (size_t)(end - p)), *start;

    if (comment != NULL)
        end = comment;
    while (end > p && (unsigned char)end[-1] <= ' ')
        end--;
    for (start = end; start > p && (unsigned char)start[-1] > ' ';)
        start--;
    if (end - start <= 8)
        cr__mail_ready(mail, CR__MAIL_DATE, start, (size_t)(end - start));
}

/* --- headers that describe a body ------------------------------------------------------------ */

/* The name of a file, and what is after its last dot. */
static void add_file(cr__mail *mail)
{
    const cr__buffer *name = &mail->value;
    const char *dot;

    if (name->failed || name->size == 0)
        return;
    cr__mail_ready(mail, CR__MAIL_FILE, name->data, name->size);
    dot = memrchr(name->data, '.', name->size);
    if (dot != NULL && name->data + name->size - dot <= 12)
        cr__mail_ready(mail, CR__MAIL_FILE, dot, (size_t)(name->data + name->size - dot));
}

static int parameter(cr__mail *mail, const char *p, const char *end, const char *name)
{
    return cr__mime_parameter(&mail->sets, p, (size_t)(end - p), name, &mail->scratch,
                              &mail->value);
}

/* mail->value as a string, when it fits. */
static void keep_value(const cr__mail *mail, char *to, size_t room)
{
    const size_t length = mail->value.size;

    if (!mail->value.failed && length > 0 && length < room) {
        memcpy(to, mail->value.data, length);
        to[length] = '\0';
    }
}

/* The length of the first word of a value. */
static size_t first_word(const char *p, const char *end)
{
    const char *stop = p;

    while (stop < end && (unsigned char)*stop > ' ' && *stop != ';')
        stop++;
    return (size_t)(stop - p);
}

static int begins(const char *p, size_t length, const char *word)
{
    return length >= strlen(word) && strncasecmp(p, word, strlen(word)) == 0;
}

static void read_content_type(cr__mail *mail, const char *p, const char *end, cr__entity *entity)
{
    const size_t length = first_word(p, end);
    char label[sizeof entity->charset + 8] = "charset=";

    cr__mail_ready(mail, CR__MAIL_MIME, p, length);
    if (begins(p, length, "text/html") || begins(p, length, "application/xhtml"))
        entity->kind = CR__BODY_HTML;
    else if (begins(p, length, "multipart/"))
        entity->kind = CR__BODY_MULTIPART;
    else if (begins(p, length, "message/rfc822"))
        entity->kind = CR__BODY_MESSAGE;
    else if (memchr(p, '/', length) != NULL && !begins(p, length, "text/") &&
             !begins(p, length, "message/"))
        entity->kind = CR__BODY_OTHER;
    if (entity->kind == CR__BODY_MULTIPART && parameter(mail, p, end, "boundary")) {
        memcpy(entity->boundary, "--", 2);
        keep_value(mail, entity->boundary + 2, sizeof entity->boundary - 2);
        if (entity->boundary[2] == '\0')
            entity->boundary[0] = '\0';
    } else if (parameter(mail, p, end, "charset")) {
        keep_value(mail, entity->charset, sizeof entity->charset);
        memcpy(label + 8, entity->charset, sizeof entity->charset);
        cr__mail_ready(mail, CR__MAIL_MIME, label, strlen(label));
    }
    if (parameter(mail, p, end, "name"))
        add_file(mail);
}

static void read_coding(cr__mail *mail, const char *p, const char *end, cr__entity *entity)
{
    const size_t length = first_word(p, end);

    cr__mail_ready(mail, CR__MAIL_MIME, p, length);
    if (begins(p, length, "base64"))
        entity->coded = CR__CODED_BASE64;
    else if (begins(p, length, "quoted-printable"))
        entity->coded = CR__CODED_QUOTED;
}

static void read_disposition(cr__mail *mail, const char *p, const char *end)
{
    const size_t length = first_word(p, end);

    cr__mail_ready(mail, CR__MAIL_MIME, p, length);
    if (parameter(mail, p, end, "filename"))
        add_file(mail);
}

/* --- all headers ----------------------------------------------------------------------------- */

static void add_text(cr__mail *mail, const char *prefix, const char *p, const char *end)
{
    const size_t start = mail->store.size;

    cr__mime_header(&mail->sets, p, (size_t)(end - p), &mail->scratch, &mail->store);
    cr__mail_section(mail, prefix, start);
}

static void read_header(cr__mail *mail, const char *name, const char *p, const char *end, int top,
                        cr__entity *entity)
{
    const struct header header = find_header(name);

    if (header.what == SKIP)
        return;
    while (p < end && (unsigned char)*p <= ' ')
        p++;
    while (end > p && (unsigned char)end[-1] <= ' ')
        end--;
    if (top)
        cr__mail_ready(mail, CR__MAIL_HEADER, name, strlen(name));
    if (header.what == CONTENT_TYPE)
        read_content_type(mail, p, end, entity);
    else if (header.what == CODING)
        read_coding(mail, p, end, entity);
    else if (header.what == DISPOSITION)
        read_disposition(mail, p, end);
    else if (top && header.what == VALUE)
        add_value(mail, name, p, end);
    else if (top && header.what == TEXT)
        add_text(mail, header.prefix, p, end);
    else if (top && header.what == RECEIVED)
        add_received(mail, p, end);
    else if (top && header.what == MESSAGE_ID)
        add_message_id(mail, p, end);
    else if (top && header.what == DATE)
        add_date(mail, p, end);
}

/* The name of the header at p in lower case, cut to its room; returns its colon, or NULL when the
 * line is not a header. */
static const char *header_name(const char *p, const char *end, char name[NAME_BYTES])
{
    size_t n = 0;

    for (; p<end && * p> ' ' && *p < 0x7f && *p != ':'; p++)
        if (n + 1 < NAME_BYTES)
            name[n++] = (char)(*p >= 'A' && *p <= 'Z' ? *p | 0x20 : *p);
    name[n] = '\0';
    while (p < end && (*p == ' ' || *p == '\t'))
        p++;
    return n > 0 && p < end && *p == ':' ? p : NULL;
}

/* The end of the header that begins at p: the newline that no white space follows. */
static const char *header_end(const char *p, const char *end)
{
    while ((p = memchr(p, '\n', (size_t)(end - p))) != NULL) {
        if (p + 1 == end || (p[1] != ' ' && p[1] != '\t'))
            return p;
        p++;
    }
    return end;
}

/* Whether the line at p is what a mailbox has before each message. */
static int is_from_line(const char *p, const char *end)
{
    return (end - p >= 5 && memcmp(p, "From ", 5) == 0) ||
           (end - p >= 6 && memcmp(p, ">From ", 6) == 0);
}

size_t cr__mail_headers(cr__mail *mail, const char *bytes, size_t size, size_t at, int top,
                        cr__entity *entity)
{
    const char *p = bytes + at, *end = bytes + size, *start = p;
    char name[NAME_BYTES];

    memset(entity, 0, sizeof *entity);
    while (p < end) {
        const char *stop, *colon;

        if (*p == '\n' || (*p == '\r' && p + 1 < end && p[1] == '\n'))
            return (size_t)(p - bytes) + (*p == '\r' ? 2 : 1);
        stop = header_end(p, end);
        colon = header_name(p, stop, name);
        if (colon == NULL && !is_from_line(p, end))
            return (size_t)(p - bytes); /* not a header: the empty line is missing */
        if (stop - start > CR__MAIL_HEADER_BYTES)
            mail->cut = 1;
        else if (colon != NULL)
            read_header(mail, name, colon + 1, stop, top, entity);
        p = stop < end ? stop + 1 : end;
    }
    return size;
}
