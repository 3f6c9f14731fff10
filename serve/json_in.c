/* serve/json_in.c - JSON read piece by piece. */
#include "json_in.h"

#include <stdint.h>
#include <stdlib.h>
#include <string.h>

/* What may come next. */
enum { VALUE = 'v', FIRST_VALUE = 'f', FIRST_KEY = 'o', KEY = 'k', AFTER = 'a', DONE = 'd' };

void json_in_start(json_in *in, const char *bytes, size_t size, buffer *room)
{
    in->begin = in->p = bytes;
    in->end = bytes + size;
    in->room = room;
    in->text = NULL;
    in->size = 0;
    in->error = NULL;
    in->depth = 0;
    in->expect = VALUE;
}

static json_piece wrong(json_in *in, const char *error)
{
    in->error = error;
    return JSON_IN_ERROR;
}

static void skip_blanks(json_in *in)
{
    while (in->p < in->end && (*in->p == ' ' || *in->p == '\n' || *in->p == '\r' || *in->p == '\t'))
        in->p++;
}

/* --- strings ---------------------------------------------------------------------------------- */

static int hex(char c)
{
    if (c >= '0' && c <= '9')
        return c - '0';
    c |= 32;
    return c >= 'a' && c <= 'f' ? c - 'a' + 10 : -1;
}

/* Four hexadecimal digits; -1: they are not. */
static int32_t unit(json_in *in)
{
    int32_t u = 0;

    if (in->end - in->p < 4)
        return -1;
    for (int i = 0; i < 4; i++) {
        int digit = hex(in->p[i]);

        if (digit < 0)
            return -1;
        u = u * 16 + digit;
    }
    in->p += 4;
    return u;
}

static void add_character(buffer *b, uint32_t c)
{
    char utf8[4];
    size_t size = c < 0x80 ? 1 : c < 0x800 ? 2 : c < 0x10000 ? 3 : 4;

    for (size_t i = size; i-- > 1; c >>= 6)
        utf8[i] = (char)(0x80 | (c & 0x3F));
    utf8[0] = (char)(size == 1 ? c : (0xF00 >> size & 0xFF) | c);
    buffer_add(b, utf8, size);
}

/* \uXXXX, and the second half of a pair; a half alone becomes U+FFFD. */
static bool escaped_unit(json_in *in)
{
    int32_t high = unit(in), low;

    if (high < 0)
        return false;
    if (high >= 0xD800 && high < 0xDC00 && in->end - in->p >= 6 && in->p[0] == '\\' &&
        in->p[1] == 'u') {
        const char *back = in->p;

        in->p += 2;
        if ((low = unit(in)) < 0)
            return false;
        if (low >= 0xDC00 && low < 0xE000) {
            add_character(in->room,
                          0x10000u + ((uint32_t)(high - 0xD800) << 10) + (uint32_t)(low - 0xDC00));
            return true;
        }
        in->p = back;
    }
    add_character(in->room, high >= 0xD800 && high < 0xE000 ? 0xFFFDu : (uint32_t)high);
    return true;
}

static bool escape(json_in *in)
{
    static const char from[] = "\"\\/bfnrt", to[] = "\"\\/\b\f\n\r\t";
    const char *at;

    if (++in->p == in->end)
        return false;
    if (*in->p == 'u') {
        in->p++;
        return escaped_unit(in);
    }
    at = *in->p == '\0' ? NULL : strchr(from, *in->p);
    if (at == NULL)
        return false;
    buffer_add(in->room, &to[at - from], 1);
    in->p++;
    return true;
}

/* Behind the opening quote. Strings without an escape stay where they are. */
static json_piece string(json_in *in, json_piece piece)
{
    const char *run = in->p;
    bool copied = false;

    for (;; in->p++) {
        if (in->p == in->end)
            return wrong(in, "a string without its closing quote");
        if (*in->p == '"')
            break;
        if ((unsigned char)*in->p < 0x20)
            return wrong(in, "a control character in a string");
        if (*in->p != '\\')
            continue;
        if (!copied)
            buffer_clear(in->room, SIZE_MAX);
        copied = true;
        buffer_add(in->room, run, (size_t)(in->p - run));
        if (!escape(in))
            return wrong(in, "an escape that JSON does not have");
        run = in->p--;
    }
    if (copied)
        buffer_add(in->room, run, (size_t)(in->p - run));
    in->text = copied ? in->room->bytes : run;
    in->size = copied ? in->room->size : (size_t)(in->p - run);
    in->p++;
    if (copied && in->room->failed)
        return wrong(in, "out of memory");
    return piece;
}

/* --- numbers and words ------------------------------------------------------------------------ */

static bool digits(json_in *in)
{
    const char *from = in->p;

    while (in->p < in->end && *in->p >= '0' && *in->p <= '9')
        in->p++;
    return in->p > from;
}

static json_piece number(json_in *in)
{
    const char *from = in->p, *whole;

    in->p += *in->p == '-';
    whole = in->p;
    if (!digits(in) || (*whole == '0' && in->p - whole > 1))
        return wrong(in, "a number that JSON does not have");
    if (in->p < in->end && *in->p == '.') {
        in->p++;
        if (!digits(in))
            return wrong(in, "a number without digits behind its point");
    }
    if (in->p < in->end && (*in->p | 32) == 'e') {
        in->p++;
        in->p += in->p < in->end && (*in->p == '+' || *in->p == '-');
        if (!digits(in))
            return wrong(in, "a number without digits in its exponent");
    }
    in->text = from;
    in->size = (size_t)(in->p - from);
    return JSON_IN_NUMBER;
}

static json_piece word(json_in *in, const char *word, json_piece piece)
{
    const size_t size = strlen(word);

    if ((size_t)(in->end - in->p) < size || memcmp(in->p, word, size) != 0)
        return wrong(in, "something that is no JSON value");
    in->text = in->p;
    in->size = size;
    in->p += size;
    return piece;
}

/* --- structure -------------------------------------------------------------------------------- */

static json_piece open_level(json_in *in, json_piece piece)
{
    if (in->depth == JSON_IN_DEPTH)
        return wrong(in, "more than 64 objects and arrays in each other");
    in->open[in->depth++] = *in->p++;
    in->expect = piece == JSON_IN_OBJECT ? FIRST_KEY : FIRST_VALUE;
    return piece;
}

static json_piece close_level(json_in *in)
{
    const char open = in->open[--in->depth];

    in->p++;
    in->expect = in->depth == 0 ? DONE : AFTER;
    return open == '{' ? JSON_IN_OBJECT_END : JSON_IN_ARRAY_END;
}

static json_piece value(json_in *in)
{
    if (*in->p == '{')
        return open_level(in, JSON_IN_OBJECT);
    if (*in->p == '[')
        return open_level(in, JSON_IN_ARRAY);
    in->expect = in->depth == 0 ? DONE : AFTER;
    switch (*in->p) {
    case '"': in->p++; return string(in, JSON_IN_STRING);
    case 't': return word(in, "true", JSON_IN_TRUE);
    case 'f': return word(in, "false", JSON_IN_FALSE);
    case 'n': return word(in, "null", JSON_IN_NULL);
    default: return number(in);
    }
}

static json_piece key(json_in *in)
{
    json_piece piece;

    if (*in->p != '"')
        return wrong(in, "a key must be a string");
    in->p++;
    if ((piece = string(in, JSON_IN_KEY)) == JSON_IN_ERROR)
        return piece;
    skip_blanks(in);
    if (in->p == in->end || *in->p != ':')
        return wrong(in, "a key without a colon behind it");
    in->p++;
    in->expect = VALUE;
    return piece;
}

json_piece json_in_next(json_in *in)
{
    if (in->error != NULL)
        return JSON_IN_ERROR;
    skip_blanks(in);
    if (in->p == in->end)
        return in->expect == DONE ? JSON_IN_END : wrong(in, "the text ends too early");
    if (in->expect == DONE)
        return wrong(in, "something behind the value");
    if (in->expect == AFTER) {
        const char open = in->open[in->depth - 1];

        if (*in->p == (open == '{' ? '}' : ']'))
            return close_level(in);
        if (*in->p != ',')
            return wrong(in, "a comma or the closing bracket is lacking");
        in->p++;
        in->expect = open == '{' ? KEY : VALUE;
        return json_in_next(in);
    }
    if ((in->expect == FIRST_KEY && *in->p == '}') || (in->expect == FIRST_VALUE && *in->p == ']'))
        return close_level(in);
    return in->expect == KEY || in->expect == FIRST_KEY ? key(in) : value(in);
}

json_piece json_in_skip(json_in *in, json_piece piece)
{
    const int depth = in->depth - (piece == JSON_IN_OBJECT || piece == JSON_IN_ARRAY);

    while (in->depth > depth && piece > JSON_IN_END)
        piece = json_in_next(in);
    return piece;
}

size_t json_in_at(const json_in *in)
{
    return (size_t)(in->p - in->begin) + 1;
}

bool json_in_is(const json_in *in, const char *text)
{
    return strlen(text) == in->size && memcmp(text, in->text, in->size) == 0;
}

bool json_in_number(const json_in *in, double *out)
{
    char text[64], *end;

    if (in->size == 0 || in->size >= sizeof text)
        return false;
    memcpy(text, in->text, in->size);
    text[in->size] = '\0';
    *out = strtod(text, &end);
    return *end == '\0';
}

static const char *past_blanks(const char *p, const char *end)
{
    while (p < end && (*p == ' ' || *p == '\n' || *p == '\r' || *p == '\t'))
        p++;
    return p;
}

/* Behind the colon of the member; NULL: it is another one. */
static const char *past_key(const json_in *in, const char *key, size_t size)
{
    const char *p = past_blanks(in->p, in->end);

    if (in->depth == 0 || in->open[in->depth - 1] != '{' ||
        (in->expect != FIRST_KEY && in->expect != AFTER))
        return NULL;
    if (in->expect == AFTER) {
        if (p == in->end || *p != ',')
            return NULL;
        p = past_blanks(p + 1, in->end);
    }
    if ((size_t)(in->end - p) < size + 3 || *p != '"' || memcmp(p + 1, key, size) != 0 ||
        p[size + 1] != '"')
        return NULL;
    p = past_blanks(p + size + 2, in->end);
    return p < in->end && *p == ':' ? past_blanks(p + 1, in->end) : NULL;
}

json_piece json_in_member(json_in *in, const char *key, size_t size)
{
    const char *back = in->p, *p = past_key(in, key, size), *end = in->end;

    if (p == NULL || p == end)
        return JSON_IN_ERROR;
    if (*p == '"') {
        in->text = ++p;
        while (p < end && *p != '"' && *p != '\\' && (unsigned char)*p >= 0x20)
            p++;
        if (p == end || *p != '"')
            return JSON_IN_ERROR;
        in->size = (size_t)(p - in->text);
        in->p = p + 1;
        in->expect = AFTER;
        return JSON_IN_STRING;
    }
    in->p = p;
    if ((*p != '-' && (*p < '0' || *p > '9')) || number(in) == JSON_IN_ERROR) {
        in->error = NULL;
        in->p = back;
        return JSON_IN_ERROR;
    }
    in->expect = AFTER;
    return JSON_IN_NUMBER;
}
