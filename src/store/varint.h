/* store/varint.h - numbers of few bytes: seven bits each, the lowest first, the last without bit 7.
 *
 * A reader never looks beyond its end: what is cut short, or has more than 64 bits, sets `failed`,
 * and everything after it is 0.
 */
#ifndef CR_STORE_VARINT_H
#define CR_STORE_VARINT_H

#include <stdint.h>

#include "base/buffer.h"

typedef struct cr__reader {
    const unsigned char *at, *end;
    int failed;
} cr__reader;

static inline cr__reader cr__reader_of(const void *bytes, size_t size)
{
    const unsigned char *at = bytes;

    return (cr__reader){at, size == 0 ? at : at + size, 0};
}

static inline void cr__put_number(cr__buffer *out, uint64_t x)
{
    unsigned char bytes[10];
    size_t n = 0;

    if (x < 0x80 && out->size < out->capacity && !out->failed) {
        out->data[out->size++] = (char)x; /* as almost always */
        return;
    }
    for (; x >= 0x80; x >>= 7)
        bytes[n++] = (unsigned char)(x | 0x80);
    bytes[n++] = (unsigned char)x;
    cr__buffer_add(out, bytes, n);
}

static inline uint64_t cr__read_number(cr__reader *in)
{
    uint64_t x = 0;

    for (unsigned shift = 0; shift < 64 && in->at < in->end; shift += 7) {
        const unsigned char byte = *in->at++;

        if (shift == 63 && byte > 1)
            break;
        x |= (uint64_t)(byte & 0x7f) << shift;
        if (byte < 0x80)
            return x;
    }
    in->failed = 1;
    in->at = in->end;
    return 0;
}

/* Signed ones: 0, -1, 1, -2, … as 0, 1, 2, 3, … */
static inline void cr__put_signed(cr__buffer *out, int64_t x)
{
    cr__put_number(out, (uint64_t)x << 1 ^ (x < 0 ? UINT64_MAX : 0));
}

static inline int64_t cr__read_signed(cr__reader *in)
{
    const uint64_t x = cr__read_number(in);

    return (int64_t)(x >> 1 ^ (x & 1 ? UINT64_MAX : 0));
}

/* Bytes with their number in front; those read are borrowed. */
static inline void cr__put_bytes(cr__buffer *out, const void *bytes, size_t size)
{
    cr__put_number(out, size);
    cr__buffer_add(out, bytes, size);
}

static inline const char *cr__read_bytes(cr__reader *in, size_t *size)
{
    const uint64_t n = cr__read_number(in);
    const unsigned char *at = in->at;

    *size = 0;
    if (n > (size_t)(in->end - in->at)) {
        in->failed = 1;
        in->at = in->end;
        return (const char *)in->at;
    }
    in->at += n;
    *size = (size_t)n;
    return (const char *)at;
}

#endif
