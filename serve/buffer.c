/* serve/buffer.c - a growing byte buffer. */
#include "buffer.h"

#include <stdarg.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

char *buffer_reserve(buffer *b, size_t size)
{
    size_t room = b->room < 256 ? 256 : b->room;
    char *bytes;

    if (b->bytes != NULL && size <= b->room - b->size)
        return b->bytes + b->size;
    while (room - b->size < size && room <= SIZE_MAX / 2)
        room *= 2;
    bytes = room - b->size < size ? NULL : realloc(b->bytes, room);
    if (bytes == NULL) {
        b->failed = true;
        return NULL;
    }
    b->bytes = bytes;
    b->room = room;
    return b->bytes + b->size;
}

void buffer_add(buffer *b, const void *bytes, size_t size)
{
    char *at = buffer_reserve(b, size);

    if (at == NULL || size == 0)
        return;
    memcpy(at, bytes, size);
    b->size += size;
}

void buffer_text(buffer *b, const char *text)
{
    buffer_add(b, text, strlen(text));
}

void buffer_printf(buffer *b, const char *format, ...)
{
    va_list args;
    char *at;
    int size;

    va_start(args, format);
    size = vsnprintf(NULL, 0, format, args);
    va_end(args);
    if (size < 0 || (at = buffer_reserve(b, (size_t)size + 1)) == NULL)
        return;
    va_start(args, format);
    vsnprintf(at, (size_t)size + 1, format, args);
    va_end(args);
    b->size += (size_t)size;
}

void buffer_clear(buffer *b, size_t keep)
{
    b->size = 0;
    b->failed = false;
    if (b->room > keep)
        buffer_free(b);
}

void buffer_free(buffer *b)
{
    free(b->bytes);
    *b = (buffer){0};
}

const char *buffer_string(buffer *b)
{
    char *end = buffer_reserve(b, 1);

    if (end == NULL)
        return "";
    *end = '\0';
    return b->bytes;
}
