/* text/mbox.c - the messages of a mailbox file. */
#include "text/mbox.h"

#include <string.h>

int cr__mbox_is(const char *bytes, size_t size)
{
    return size >= 5 && memcmp(bytes, "From ", 5) == 0;
}

/* Whether the newline at p ends an empty line; start is where the bytes begin. */
static int ends_empty_line(const char *start, const char *p)
{
    if (p > start && p[-1] == '\r')
        p--;
    return p > start && p[-1] == '\n';
}

size_t cr__mbox_next(const char *bytes, size_t size, size_t from)
{
    const char *end = bytes + size, *p = bytes + from;

    while (p < end && (p = memmem(p, (size_t)(end - p), "\nFrom ", 6)) != NULL) {
        if (p >= bytes + from && ends_empty_line(bytes + from, p))
            return (size_t)(p + 1 - bytes);
        p++;
    }
    return size;
}

void cr__mbox_message(const char *bytes, size_t from, size_t to, size_t *start, size_t *end)
{
    *start = from;
    *end = to;
    if (cr__mbox_is(bytes + from, to - from)) {
        const char *newline = memchr(bytes + from, '\n', to - from);

        *start = newline != NULL ? (size_t)(newline + 1 - bytes) : to;
    }
}

/* The next line from p on that begins with '>'s and "From "; NULL: none. `p` begins a line. */
static const char *next_quote(const char *p, const char *end)
{
    while (p < end) {
        const char *q = p;

        while (q < end && *q == '>')
            q++;
        if (q > p && end - q >= 5 && memcmp(q, "From ", 5) == 0)
            return p;
        p = memmem(q, (size_t)(end - q), "\n>", 2);
        if (p == NULL)
            return NULL;
        p++;
    }
    return NULL;
}

int cr__mbox_is_quoted(const char *bytes, size_t size)
{
    return next_quote(bytes, bytes + size) != NULL;
}

size_t cr__mbox_unquote(const char *bytes, size_t size, char *out)
{
    const char *p = bytes, *end = bytes + size, *quote = next_quote(p, end);
    char *to = out;

    while (quote != NULL) {
        memmove(to, p, (size_t)(quote - p));
        to += quote - p;
        p = quote + 1; /* without one '>' */
        while (quote < end && *quote == '>')
            quote++;
        quote = memchr(quote, '\n', (size_t)(end - quote));
        quote = quote != NULL ? next_quote(quote + 1, end) : NULL;
    }
    memmove(to, p, (size_t)(end - p));
    return (size_t)(to - out) + (size_t)(end - p);
}
