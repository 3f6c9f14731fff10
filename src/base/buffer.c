/* base/buffer.c - bytes that grow, by doubling. */
#include "base/buffer.h"

#include "base/memory.h"

#include <stdarg.h>
#include <stdint.h>
#include <stdio.h>
#include <string.h>

char *cr__buffer_reserve(cr__buffer *buffer, size_t n)
{
    if (buffer->failed)
        return NULL;
    /* At least one byte, so that NULL always means failure. */
    size_t room = n > 0 ? n : 1;
    if (room > SIZE_MAX - buffer->size ||
        !cr__grow(&buffer->data, &buffer->capacity, buffer->size + room, 1)) {
        buffer->failed = 1;
        return NULL;
    }
    return buffer->data + buffer->size;
}

void cr__buffer_add(cr__buffer *buffer, const void *bytes, size_t n)
{
    char *end;

    if (n == 0)
        return;
    if (!buffer->failed && n <= buffer->capacity - buffer->size) /* nearly always */
        end = buffer->data + buffer->size;
    else if ((end = cr__buffer_reserve(buffer, n)) == NULL)
        return;
    memcpy(end, bytes, n);
    buffer->size += n;
}

void cr__buffer_addc(cr__buffer *buffer, char c)
{
    cr__buffer_add(buffer, &c, 1);
}

void cr__buffer_adds(cr__buffer *buffer, const char *string)
{
    cr__buffer_add(buffer, string, strlen(string));
}

void cr__buffer_printf(cr__buffer *buffer, const char *fmt, ...)
{
    size_t room = 128; /* most lines fit at the first try; the second try knows the length */

    for (int tries = 0; tries < 2; tries++) {
        char *end = cr__buffer_reserve(buffer, room);
        if (end == NULL)
            return;
        va_list args;
        va_start(args, fmt);
        int length = vsnprintf(end, room, fmt, args);
        va_end(args);
        if (length < 0)
            break;
        if ((size_t)length < room) {
            buffer->size += (size_t)length;
            return;
        }
        room = (size_t)length + 1;
    }
    buffer->failed = 1;
}

void cr__buffer_clear(cr__buffer *buffer)
{
    buffer->size = 0;
}

void cr__buffer_free(cr__buffer *buffer)
{
    cr__free(buffer->data);
    *buffer = (cr__buffer){0};
}
