/* text/mime.c - the encodings inside a message. */
#include "text/mime.h"

#include <stdint.h>
#include <string.h>
#include <strings.h>

/* The longest encoded word accepted; RFC 2047 allows 75, but some mailers exceed that. */
enum { SET_BYTES = 64, WORD_BYTES = 2048 };

static int hex(char c)
{
    if (c >= '0' && c <= '9')
        return c - '0';
    return (c | 0x20) >= 'a' && (c | 0x20) <= 'f' ? (c | 0x20) - 'a' + 10 : -1;
}

static int is_blank(char c)
{
    return c == ' ' || c == '\t' || c == '\r' || c == '\n';
}

/* --- base64 and quoted-printable ------------------------------------------------------------- */

/* By byte: the value plus one; 0 for bytes outside of the alphabet. */
static const unsigned char base64_values[256] = {
    ['A'] = 1,  ['B'] = 2,  ['C'] = 3,  ['D'] = 4,  ['E'] = 5,  ['F'] = 6,  ['G'] = 7,  ['H'] = 8,
    ['I'] = 9,  ['J'] = 10, ['K'] = 11, ['L'] = 12, ['M'] = 13, ['N'] = 14, ['O'] = 15, ['P'] = 16,
    ['Q'] = 17, ['R'] = 18, ['S'] = 19, ['T'] = 20, ['U'] = 21, ['V'] = 22, ['W'] = 23, ['X'] = 24,
    ['Y'] = 25, ['Z'] = 26, ['a'] = 27, ['b'] = 28, ['c'] = 29, ['d'] = 30, ['e'] = 31, ['f'] = 32,
    ['g'] = 33, ['h'] = 34, ['i'] = 35, ['j'] = 36, ['k'] = 37, ['l'] = 38, ['m'] = 39, ['n'] = 40,
    ['o'] = 41, ['p'] = 42, ['q'] = 43, ['r'] = 44, ['s'] = 45, ['t'] = 46, ['u'] = 47, ['v'] = 48,
    ['w'] = 49, ['x'] = 50, ['y'] = 51, ['z'] = 52, ['0'] = 53, ['1'] = 54, ['2'] = 55, ['3'] = 56,
    ['4'] = 57, ['5'] = 58, ['6'] = 59, ['7'] = 60, ['8'] = 61, ['9'] = 62, ['+'] = 63, ['/'] = 64,
};

void cr__mime_base64(const char *bytes, size_t size, cr__buffer *out)
{
    char *to = cr__buffer_reserve(out, size / 4 * 3 + 3);
    char *const start = to;
    uint32_t bits = 0;
    int count = 0; /* of sextets in bits */

    if (to == NULL)
        return;
    for (size_t i = 0; i < size && bytes[i] != '='; i++) {
        const unsigned value = base64_values[(unsigned char)bytes[i]];

        if (value == 0)
            continue;
        bits = bits << 6 | (value - 1);
        if (++count == 4) {
            *to++ = (char)(bits >> 16);
            *to++ = (char)(bits >> 8);
            *to++ = (char)bits;
            count = 0;
        }
    }
    if (count >= 2)
        *to++ = (char)(bits >> (count == 2 ? 4 : 10));
    if (count == 3)
        *to++ = (char)(bits >> 2);
    out->size += (size_t)(to - start);
}

/* After '=' at bytes[i]: the place after a soft line break, or i when there is none. */
static size_t soft_break(const char *bytes, size_t size, size_t i)
{
    size_t at = i + 1;

    while (at < size && (bytes[at] == ' ' || bytes[at] == '\t' || bytes[at] == '\r'))
        at++;
    return at == size || bytes[at] == '\n' ? at + (at < size) : i;
}

void cr__mime_quoted(const char *bytes, size_t size, int words, cr__buffer *out)
{
    char *to = cr__buffer_reserve(out, size);
    char *const start = to;
    size_t i = 0;

    if (to == NULL)
        return;
    while (i < size) {
        const char c = bytes[i];
        int high, low;
        size_t next;

        if (c != '=') {
            *to++ = (char)(words && c == '_' ? ' ' : c);
            i++;
        } else if (i + 2 < size && (high = hex(bytes[i + 1])) >= 0 &&
                   (low = hex(bytes[i + 2])) >= 0) {
            *to++ = (char)(high * 16 + low);
            i += 3;
        } else if ((next = soft_break(bytes, size, i)) > i) {
            i = next;
        } else {
            *to++ = c;
            i++;
        }
    }
    out->size += (size_t)(to - start);
}

/* --- headers --------------------------------------------------------------------------------- */

/* Encoded words of one set that follow each other, decoded but not yet converted. */
typedef struct pending {
    const char *label;
    size_t length;
} pending;

static void flush(cr__charsets *sets, pending *word, cr__buffer *scratch, cr__buffer *out)
{
    if (word->label != NULL)
        cr__charset_decode(sets, word->label, word->length, scratch->data, scratch->size, out);
    word->label = NULL;
    cr__buffer_clear(scratch);
}

/* "=?charset?B?text?=" at p: decode it into scratch and return the place after it; NULL: none
 * there. A language may follow the set after '*' (RFC 2231). */
static const char *encoded_word(cr__charsets *sets, const char *p, const char *end, pending *word,
                                cr__buffer *scratch, cr__buffer *out)
{
    const char *set = p + 2, *how, *text, *stop;
    size_t length;

    if (end - p < 8 || p[1] != '?')
        return NULL;
    if (end - p > WORD_BYTES)
        end = p + WORD_BYTES;
    length = end - set < SET_BYTES ? (size_t)(end - set) : SET_BYTES;
    if ((how = memchr(set, '?', length)) == NULL || end - how < 4 || how[2] != '?')
        return NULL;
    text = how + 3;
    if ((stop = memmem(text, (size_t)(end - text), "?=", 2)) == NULL)
        return NULL;
    for (length = 0; set + length < how && set[length] != '*';)
        length++;
    if (word->label != NULL &&
        (word->length != length || strncasecmp(word->label, set, length) != 0))
        flush(sets, word, scratch, out);
    *word = (pending){set, length};
    if ((how[1] | 0x20) == 'b')
        cr__mime_base64(text, (size_t)(stop - text), scratch);
    else if ((how[1] | 0x20) == 'q')
        cr__mime_quoted(text, (size_t)(stop - text), 1, scratch);
    return stop + 2;
}

/* Text without encoded words: folded lines joined, bytes above 0x7f taken as western. */
static void add_plain(cr__charsets *sets, const char *p, const char *end, cr__buffer *out)
{
    while (p < end) {
        const char *line = p;

        while (p < end && *p != '\n' && *p != '\r')
            p++;
        cr__charset_decode(sets, "", 0, line, (size_t)(p - line), out);
        if (p < end)
            cr__buffer_addc(out, ' ');
        while (p < end && is_blank(*p))
            p++;
    }
}

void cr__mime_header(cr__charsets *sets, const char *value, size_t size, cr__buffer *scratch,
                     cr__buffer *out)
{
    const char *p = value, *end = value + size, *plain = value;
    pending word = {NULL, 0};

    cr__buffer_clear(scratch);
    while (p < end && (p = memchr(p, '=', (size_t)(end - p))) != NULL) {
        const char *text = plain;
        const char *after;

        while (text < p && is_blank(*text))
            text++;
        if (text < p || word.label == NULL) { /* white space between encoded words does not count */
            flush(sets, &word, scratch, out);
            add_plain(sets, plain, p, out);
            plain = p;
        }
        after = encoded_word(sets, p, end, &word, scratch, out);
        if (after == NULL) {
            p++;
        } else {
            p = plain = after;
        }
    }
    flush(sets, &word, scratch, out);
    add_plain(sets, plain, end, out);
    if (scratch->failed)
        out->failed = 1;
}

/* --- parameters ------------------------------------------------------------------------------ */

typedef struct parameter {
    const char *name, *name_end, *value, *value_end;
    int quoted;
} parameter;

/* The next "; name=value" from p on; returns the place after it, NULL when there are no more. */
static const char *next_parameter(const char *p, const char *end, parameter *out)
{
    p = memchr(p, ';', (size_t)(end - p));
    if (p == NULL)
        return NULL;
    for (p++; p < end && is_blank(*p);)
        p++;
    for (out->name = p; p < end && *p != '=' && *p != ';' && !is_blank(*p);)
        p++;
    out->name_end = out->value = out->value_end = p;
    out->quoted = 0;
    while (p < end && is_blank(*p))
        p++;
    if (p == end || *p != '=')
        return p;
    for (p++; p < end && is_blank(*p);)
        p++;
    out->quoted = p < end && *p == '"';
    out->value = p += out->quoted;
    while (p < end && (out->quoted ? *p != '"' : *p != ';' && !is_blank(*p)))
        p += out->quoted && *p == '\\' && p + 1 < end ? 2 : 1;
    out->value_end = p;
    return p;
}

/* Whether the name is `wanted`, or a part of it as RFC 2231 writes them: wanted*, wanted*0,
 * wanted*1*. 0: no; 1: plain; 2: with %XX. */
static int matches(const parameter *p, const char *wanted)
{
    const size_t length = strlen(wanted), given = (size_t)(p->name_end - p->name);

    if (given < length || strncasecmp(p->name, wanted, length) != 0)
        return 0;
    if (given == length)
        return 1;
    return p->name[length] != '*' ? 0 : p->name_end[-1] == '*' ? 2 : 1;
}

static void add_quoted(const parameter *p, cr__buffer *out)
{
    for (const char *q = p->value; q < p->value_end; q++) {
        if (p->quoted && *q == '\\' && q + 1 < p->value_end)
            q++;
        cr__buffer_addc(out, *q);
    }
}

static void add_percent(const char *p, const char *end, cr__buffer *out)
{
    for (; p < end; p++) {
        int high, low;

        if (*p == '%' && end - p > 2 && (high = hex(p[1])) >= 0 && (low = hex(p[2])) >= 0) {
            cr__buffer_addc(out, (char)(high * 16 + low));
            p += 2;
        } else {
            cr__buffer_addc(out, *p);
        }
    }
}

int cr__mime_parameter(cr__charsets *sets, const char *value, size_t size, const char *name,
                       cr__buffer *scratch, cr__buffer *out)
{
    const char *p = value, *end = value + size, *label = "";
    size_t label_length = 0;
    int found = 0, percent = 0;
    parameter part;

    cr__buffer_clear(scratch);
    cr__buffer_clear(out);
    while ((p = next_parameter(p, end, &part)) != NULL) {
        const int kind = matches(&part, name);
        const char *quote = kind == 2 && !percent
                                ? memchr(part.value, '\'', (size_t)(part.value_end - part.value))
                                : NULL;

        if (kind == 0)
            continue;
        if (quote != NULL) { /* charset'language'text */
            const char *second = memchr(quote + 1, '\'', (size_t)(part.value_end - quote - 1));

            label = part.value;
            label_length = (size_t)(quote - part.value);
            part.value = second != NULL ? second + 1 : quote + 1;
        }
        percent |= kind == 2;
        if (kind == 2)
            add_percent(part.value, part.value_end, scratch);
        else
            add_quoted(&part, scratch);
        found = 1;
    }
    if (percent) {
        cr__charset_decode(sets, label, label_length, scratch->data, scratch->size, out);
    } else if (scratch->size < 2 || memmem(scratch->data, scratch->size, "=?", 2) == NULL) {
        cr__charset_decode(sets, "", 0, scratch->data, scratch->size, out);
    } else { /* many write an encoded word here */
        cr__buffer copy = *scratch;

        *scratch = (cr__buffer){0};
        cr__mime_header(sets, copy.data, copy.size, scratch, out);
        cr__buffer_free(scratch);
        *scratch = copy;
    }
    return found;
}
