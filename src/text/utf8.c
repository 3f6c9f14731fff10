/* text/utf8.c - UTF-8 as bytes and as code points. */
#include "text/utf8.h"

#include <string.h>

#if defined(__SSE2__)
#include <emmintrin.h>
#endif

/* --- validation ------------------------------------------------------------------------------ */

/* 64 bytes at a time; this runs at the speed of the cache, so wider registers would not help. */
size_t cr__ascii_prefix(const char *bytes, size_t size)
{
    size_t i = 0;

#if defined(__SSE2__)
    for (; size - i >= 64; i += 64) {
        const __m128i *part = (const __m128i *)(const void *)(bytes + i);
        const __m128i low = _mm_or_si128(_mm_loadu_si128(part), _mm_loadu_si128(part + 1));
        const __m128i high = _mm_or_si128(_mm_loadu_si128(part + 2), _mm_loadu_si128(part + 3));

        if (_mm_movemask_epi8(_mm_or_si128(low, high)) != 0)
            break;
    }
#endif
    for (; size - i >= 8; i += 8) {
        uint64_t word;

        memcpy(&word, bytes + i, sizeof word);
        if ((word & UINT64_C(0x8080808080808080)) != 0)
            break;
    }
    while (i < size && (unsigned char)bytes[i] < 0x80)
        i++;
    return i;
}

/* The length of the valid sequence at p, or 0. RFC 3629, table of section 4. */
static size_t sequence(const unsigned char *p, size_t left)
{
    unsigned char low = 0x80, high = 0xbf;
    size_t length;

    if (p[0] < 0x80)
        return 1;
    if (p[0] < 0xc2 || p[0] > 0xf4)
        return 0;
    length = p[0] < 0xe0 ? 2 : p[0] < 0xf0 ? 3 : 4;
    if (length > left)
        return 0;
    if (p[0] == 0xe0)
        low = 0xa0;
    else if (p[0] == 0xed)
        high = 0x9f;
    else if (p[0] == 0xf0)
        low = 0x90;
    else if (p[0] == 0xf4)
        high = 0x8f;
    if (p[1] < low || p[1] > high)
        return 0;
    for (size_t i = 2; i < length; i++)
        if ((p[i] & 0xc0) != 0x80)
            return 0;
    return length;
}

int cr__utf8_valid(const char *bytes, size_t size)
{
    size_t i = cr__ascii_prefix(bytes, size);

    while (i < size) {
        const size_t length = sequence((const unsigned char *)bytes + i, size - i);

        if (length == 0)
            return 0;
        i += length;
        if (length == 1 && size - i >= 64) /* ASCII again, perhaps for a long run */
            i += cr__ascii_prefix(bytes + i, size - i);
    }
    return 1;
}

/* --- code points ----------------------------------------------------------------------------- */

const char *cr__utf8_next(const char *p, const char *end, uint32_t *point)
{
    const unsigned char *u = (const unsigned char *)p;
    const size_t length = sequence(u, (size_t)(end - p));

    switch (length) {
    case 1: *point = u[0]; break;
    case 2: *point = (uint32_t)(u[0] & 0x1f) << 6 | (u[1] & 0x3f); break;
    case 3:
        *point = (uint32_t)(u[0] & 0x0f) << 12 | (uint32_t)(u[1] & 0x3f) << 6 | (u[2] & 0x3f);
        break;
    case 4:
        *point = (uint32_t)(u[0] & 0x07) << 18 | (uint32_t)(u[1] & 0x3f) << 12 |
                 (uint32_t)(u[2] & 0x3f) << 6 | (u[3] & 0x3f);
        break;
    default: *point = 0xfffd; return p + 1;
    }
    return p + length;
}

const char *cr__utf8_before(const char *start, const char *p, uint32_t *point)
{
    const char *first = p - 1;

    while (first > start && p - first < 4 && ((unsigned char)*first & 0xc0) == 0x80)
        first--;
    if (cr__utf8_next(first, p, point) != p) {
        *point = 0xfffd;
        return p - 1;
    }
    return first;
}

size_t cr__utf8_put(char out[4], uint32_t point)
{
    if (point > 0x10ffff || (point >= 0xd800 && point <= 0xdfff))
        point = 0xfffd;
    if (point < 0x80) {
        out[0] = (char)point;
        return 1;
    }
    if (point < 0x800) {
        out[0] = (char)(0xc0 | point >> 6);
        out[1] = (char)(0x80 | (point & 0x3f));
        return 2;
    }
    if (point < 0x10000) {
        out[0] = (char)(0xe0 | point >> 12);
        out[1] = (char)(0x80 | (point >> 6 & 0x3f));
        out[2] = (char)(0x80 | (point & 0x3f));
        return 3;
    }
    out[0] = (char)(0xf0 | point >> 18);
    out[1] = (char)(0x80 | (point >> 12 & 0x3f));
    out[2] = (char)(0x80 | (point >> 6 & 0x3f));
    out[3] = (char)(0x80 | (point & 0x3f));
    return 4;
}

/* --- Windows-1252 ---------------------------------------------------------------------------- */

/* Bytes 0x80 to 0x9f (Unicode Consortium, mapping CP1252); undefined ones stand for themselves. */
static const uint16_t upper_controls[32] = {
    0x20ac, 0x0081, 0x201a, 0x0192, 0x201e, 0x2026, 0x2020, 0x2021, 0x02c6, 0x2030, 0x0160,
    0x2039, 0x0152, 0x008d, 0x017d, 0x008f, 0x0090, 0x2018, 0x2019, 0x201c, 0x201d, 0x2022,
    0x2013, 0x2014, 0x02dc, 0x2122, 0x0161, 0x203a, 0x0153, 0x009d, 0x017e, 0x0178,
};

uint32_t cr__point_of_1252(unsigned char byte)
{
    return byte >= 0x80 && byte < 0xa0 ? upper_controls[byte - 0x80] : byte;
}

size_t cr__utf8_from_1252(const char *bytes, size_t size, char *out)
{
    char *to = out;
    size_t i = 0;

    while (i < size) {
        const size_t plain = cr__ascii_prefix(bytes + i, size - i);

        memcpy(to, bytes + i, plain);
        to += plain;
        for (i += plain; i < size && (unsigned char)bytes[i] >= 0x80; i++)
            to += cr__utf8_put(to, cr__point_of_1252((unsigned char)bytes[i]));
    }
    return (size_t)(to - out);
}
