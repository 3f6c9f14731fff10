/* sql/bytes.c - values one after another as bytes. */
#include "bytes.h"

#include <stdlib.h>
#include <string.h>

void put(writer *w, const void *bytes, size_t size)
{
    if (!w->failed && w->room - w->size < size) {
        const size_t room = (w->size + size) * 2 + 64;
        unsigned char *more = realloc(w->bytes, room);

        if (more == NULL) {
            w->failed = 1;
            return;
        }
        w->bytes = more;
        w->room = room;
    }
    if (!w->failed && size > 0) {
        memcpy(w->bytes + w->size, bytes, size);
        w->size += size;
    }
}

void put_number(writer *w, uint64_t x)
{
    put(w, &x, sizeof x);
}

void put_bytes(writer *w, const void *bytes, size_t size)
{
    put_number(w, size);
    put(w, bytes, size);
}

void put_text(writer *w, const char *text)
{
    put_bytes(w, text, text == NULL ? 0 : strlen(text));
}

uint64_t take_number(reader *r)
{
    uint64_t x = 0;

    if (r->left < sizeof x)
        r->bad = 1;
    if (r->bad)
        return 0;
    memcpy(&x, r->at, sizeof x);
    r->at += sizeof x;
    r->left -= sizeof x;
    return x;
}

const void *take_bytes(reader *r, size_t *size)
{
    const void *bytes = NULL;

    *size = take_number(r);
    if (*size > r->left)
        r->bad = 1;
    if (r->bad) {
        *size = 0;
        return "";
    }
    bytes = r->at;
    r->at += *size;
    r->left -= *size;
    return bytes;
}

char *take_text(reader *r)
{
    size_t size;
    const char *bytes = take_bytes(r, &size);

    return strndup(bytes, size);
}
