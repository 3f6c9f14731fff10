/* serve/buffer.h - a growing byte buffer that keeps its memory when emptied. */
#ifndef SERVE_BUFFER_H
#define SERVE_BUFFER_H

#include <stdbool.h>
#include <stddef.h>

typedef struct buffer {
    char *bytes;
    size_t size, room;
    bool failed; /* memory ran out: some bytes are missing */
} buffer;

void buffer_add(buffer *b, const void *bytes, size_t size);
void buffer_text(buffer *b, const char *text);
void buffer_printf(buffer *b, const char *format, ...) __attribute__((format(printf, 2, 3)));

/* Room for this many more bytes; NULL if memory runs out. */
char *buffer_reserve(buffer *b, size_t size);

/* Empty it; memory beyond `keep` bytes is freed. */
void buffer_clear(buffer *b, size_t keep);
void buffer_free(buffer *b);

/* The bytes followed by a NUL; "" when memory runs out. */
const char *buffer_string(buffer *b);

#endif
