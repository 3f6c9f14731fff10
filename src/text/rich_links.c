/* text/rich_links.c - URLs and e-mail addresses as tokens of their own. */
#include "text/rich.h"

#include "base/fail.h"

#include <string.h>

enum { LABELS = 8, PATH_WORDS = 24, SCHEME_BYTES = 12, USER_BYTES = 64 };

static int is_alnum(char c)
{
    return (c >= '0' && c <= '9') || (unsigned char)((c | 0x20) - 'a') < 26;
}

static int is_host(char c)
{
    return is_alnum(c) || c == '.' || c == '-' || c == '_' || (unsigned char)c >= 0x80;
}

/* Spaces instead of in[start, end), in a copy of the piece that is made when first needed. */
static void blank(cr__rich *r, size_t start, size_t end)
{
    cr__buffer *copy = &r->t->blanked;

    if (r->status == CR_OK && r->in != copy->data) {
        cr__buffer_clear(copy);
        cr__buffer_add(copy, r->in, r->size);
        if (copy->failed)
            r->status = cr__fail_memory(r->err);
        else
            r->in = copy->data;
    }
    if (r->status == CR_OK)
        memset(copy->data + start, ' ', end - start);
}

static int is_numeric(const char *bytes, size_t n)
{
    while (n > 0 && ((bytes[n - 1] >= '0' && bytes[n - 1] <= '9') || bytes[n - 1] == '.'))
        n--;
    return n == 0;
}

/* The host and the domains that it belongs to: a.b.example.com, b.example.com, example.com. */
static void add_host(cr__rich *r, const char *tag, size_t start, size_t end)
{
    size_t at = start;

    while (end > start && r->in[end - 1] == '.')
        end--;
    for (int i = 0; i < LABELS && at < end; i++) {
        const char *dot = memchr(r->in + at, '.', end - at);

        if (dot == NULL && i > 0)
            return;
        cr__rich_add(r, tag, r->in + at, end - at, 1);
        if (dot == NULL || is_numeric(r->in + at, end - at))
            return; /* a name without a dot, or an address of digits */
        at = (size_t)(dot + 1 - r->in);
    }
}

/* The words of the path; those with digits are mostly identifiers. */
static void add_path(cr__rich *r, size_t at, size_t end)
{
    for (int i = 0; i < PATH_WORDS && at < end; i++) {
        size_t start;
        int digits = 0;

        while (at < end && !is_alnum(r->in[at]))
            at++;
        for (start = at; at < end && is_alnum(r->in[at]); at++)
            digits |= r->in[at] <= '9';
        if (at > start && !digits)
            cr__rich_add(r, "url:", r->in + start, at - start, 1);
    }
}

/* What cannot be in a URL. */
static int is_outside(char c)
{
    switch (c) {
    case '<':
    case '>':
    case '"':
    case '\'':
    case '(':
    case ')':
    case '[':
    case ']':
    case '{':
    case '}':
    case '|':
    case '\\':
    case '^':
    case '`': return 1;
    default: return (unsigned char)c <= ' ';
    }
}

/* A URL that begins at start and whose host, or user name, begins at host. Returns its end. */
static size_t take_url(cr__rich *r, size_t start, size_t host)
{
    size_t end = host, path, at;

    while (end < r->size && !is_outside(r->in[end]))
        end++;
    while (end > host && strchr(".,;:!?", r->in[end - 1]) != NULL)
        end--;
    path = host;
    while (path < end && r->in[path] != '/' && r->in[path] != '?' && r->in[path] != '#')
        path++;
    for (at = path; at > host && r->in[at - 1] != '@';)
        at--;
    if (at > host) {
        cr__rich_add(r, "url:", "@", 1, 0); /* a user name placed before the host to hide it */
        host = at;
    }
    for (at = host; at < path && is_host(r->in[at]);)
        at++;
    add_host(r, "url:", host, at);
    add_path(r, path, end);
    blank(r, start, end);
    return end;
}

static void take_schemes(cr__rich *r)
{
    const char *found;
    size_t at = 0;

    while (r->status == CR_OK && (found = memchr(r->in + at, ':', r->size - at)) != NULL) {
        const size_t colon = (size_t)(found - r->in);
        size_t start = colon;

        if (r->size - colon < 3 || found[1] != '/' || found[2] != '/') {
            at = colon + 1;
            continue;
        }
        while (start > at && colon - start < SCHEME_BYTES && is_alnum(r->in[start - 1]))
            start--;
        at = start < colon ? take_url(r, start, colon + 3) : colon + 3;
    }
}

/* Search for the dot, which is rarer than the letters. */
static void take_www(cr__rich *r, const char *www)
{
    const char *point;
    size_t at = 0;

    while (r->status == CR_OK && at < r->size &&
           (point = memchr(r->in + at, '.', r->size - at)) != NULL) {
        const size_t start = (size_t)(point - r->in) - 3;

        at = (size_t)(point - r->in) + 1;
        if (at < 4 || memcmp(point - 3, www, 3) != 0)
            continue;
        if ((start == 0 || !is_alnum(r->in[start - 1])) && at < r->size && is_alnum(r->in[at]))
            at = take_url(r, start, start);
    }
}

static void take_addresses(cr__rich *r)
{
    const char *found;
    size_t at = 0;

    while (r->status == CR_OK && (found = memchr(r->in + at, '@', r->size - at)) != NULL) {
        const size_t sign = (size_t)(found - r->in);
        size_t start = sign, end = sign + 1;

        while (start > at && sign - start < USER_BYTES &&
               (is_alnum(r->in[start - 1]) || strchr("._%+-=", r->in[start - 1]) != NULL) &&
               r->in[start - 1] != '\0')
            start--;
        while (end < r->size && is_host(r->in[end]))
            end++;
        at = sign + 1;
        if (start < sign && memchr(r->in + sign, '.', end - sign) != NULL &&
            is_alnum(r->in[sign + 1])) {
            cr__rich_add(r, "email:", r->in + start, end - start, 1);
            add_host(r, "email:", sign + 1, end);
            blank(r, start, end);
            at = end;
        }
    }
}

void cr__rich_links(cr__rich *r)
{
    take_schemes(r);
    take_www(r, "www.");
    take_www(r, "WWW.");
    take_addresses(r);
}
