/* text/json_reader.c - read JSON token by token.
 *
 * The reader is a machine with a stack of open brackets: `expect` says what may come next, and
 * every call of cr_json_read() takes one token and moves on.
 */
#include "credence/json_reader.h"

#include <string.h>

#include "base/fail.h"
#include "base/memory.h"
#include "base/number.h"
#include "text/json_escape.h"
#include "text/utf8.h"

enum { VALUE = 'v', FIRST_VALUE = 'f', FIRST_KEY = 'o', KEY = 'k', AFTER = 'a', DONE = 'd' };

static const char too_deep[] = "more than 64 objects and arrays inside each other";
static const char no_memory[] = "out of memory";

void cr_json_reader_start(cr_json_reader *r, const char *bytes, size_t size)
{
    r->begin = r->p = bytes;
    r->end = bytes + size;
    r->text = NULL;
    r->size = 0;
    r->error = NULL;
    r->depth = 0;
    r->expect = VALUE;
}

void cr_json_reader_free(cr_json_reader *r)
{
    cr__free(r->unescaped);
    *r = (cr_json_reader){0};
}

static cr_json_token wrong(cr_json_reader *r, const char *error)
{
    r->error = error;
    return CR_JSON_ERROR;
}

static const char *past_blanks(const char *p, const char *end)
{
    while (p < end && (*p == ' ' || *p == '\n' || *p == '\r' || *p == '\t'))
        p++;
    return p;
}

/* --- strings ---------------------------------------------------------------------------------- */

/* The rest of a string whose first escape p is at. No escape is shorter than its UTF-8, so the
 * bytes up to the closing quote are room enough. */
static cr_json_token unescape(cr_json_reader *r, const char *from, const char *p,
                              cr_json_token kind)
{
    const char *close = p;
    size_t size = (size_t)(p - from);

    while (close < r->end && *close != '"')
        close += *close == '\\' && close + 1 < r->end ? 2 : 1;
    if (!cr__grow(&r->unescaped, &r->capacity, (size_t)(close - from) + 1, 1))
        return wrong(r, no_memory);
    memcpy(r->unescaped, from, size);
    for (; p < r->end && *p != '"'; r->p = p) {
        uint32_t point;

        if ((unsigned char)*p < 0x20)
            return wrong(r, "a control character in a string");
        if (*p != '\\') {
            r->unescaped[size++] = *p++;
            continue;
        }
        p++;
        if (!cr__json_escape(&p, r->end, &point))
            return wrong(r, "an escape that JSON does not have");
        size += cr__utf8_put(r->unescaped + size, point);
    }
    if (p == r->end)
        return wrong(r, "a string without its closing quote");
    r->text = r->unescaped;
    r->size = size;
    r->p = p + 1;
    return kind;
}

/* From behind the opening quote. A string without escapes stays where it is. */
static cr_json_token take_string(cr_json_reader *r, cr_json_token kind)
{
    const char *p = r->p;

    while (p < r->end && *p != '"' && *p != '\\' && (unsigned char)*p >= 0x20)
        p++;
    r->text = r->p;
    r->size = (size_t)(p - r->p);
    r->p = p;
    if (p == r->end)
        return wrong(r, "a string without its closing quote");
    if (*p == '\\')
        return unescape(r, r->text, p, kind);
    if (*p != '"')
        return wrong(r, "a control character in a string");
    r->p++;
    return kind;
}

/* --- numbers and words ------------------------------------------------------------------------ */

static int digits(cr_json_reader *r)
{
    const char *from = r->p;

    while (r->p < r->end && *r->p >= '0' && *r->p <= '9')
        r->p++;
    return r->p > from;
}

static cr_json_token take_number(cr_json_reader *r)
{
    const char *from = r->p, *whole;

    r->p += *r->p == '-';
    whole = r->p;
    if (!digits(r))
        return wrong(r, whole == from ? "something that is not a value" : "a sign without digits");
    if (*whole == '0' && r->p - whole > 1)
        return wrong(r, "a number that begins with 0");
    if (r->p < r->end && *r->p == '.') {
        r->p++;
        if (!digits(r))
            return wrong(r, "a number without digits after its point");
    }
    if (r->p < r->end && (*r->p | 32) == 'e') {
        r->p++;
        r->p += r->p < r->end && (*r->p == '+' || *r->p == '-');
        if (!digits(r))
            return wrong(r, "a number without digits in its exponent");
    }
    r->text = from;
    r->size = (size_t)(r->p - from);
    return CR_JSON_NUMBER;
}

static cr_json_token take_word(cr_json_reader *r, const char *word, cr_json_token kind)
{
    const size_t size = strlen(word);

    if ((size_t)(r->end - r->p) < size || memcmp(r->p, word, size) != 0)
        return wrong(r, "something that is not a value");
    r->text = r->p;
    r->size = size;
    r->p += size;
    return kind;
}

/* --- structure -------------------------------------------------------------------------------- */

static cr_json_token open_level(cr_json_reader *r, cr_json_token kind)
{
    if (r->depth == CR_JSON_READ_DEPTH)
        return wrong(r, too_deep);
    r->open[r->depth++] = *r->p++;
    r->expect = kind == CR_JSON_OBJECT ? FIRST_KEY : FIRST_VALUE;
    return kind;
}

static cr_json_token close_level(cr_json_reader *r)
{
    const char open = r->open[--r->depth];

    r->p++;
    r->expect = r->depth == 0 ? DONE : AFTER;
    return open == '{' ? CR_JSON_OBJECT_END : CR_JSON_ARRAY_END;
}

static cr_json_token take_value(cr_json_reader *r)
{
    if (*r->p == '{')
        return open_level(r, CR_JSON_OBJECT);
    if (*r->p == '[')
        return open_level(r, CR_JSON_ARRAY);
    r->expect = r->depth == 0 ? DONE : AFTER;
    switch (*r->p) {
    case '"': r->p++; return take_string(r, CR_JSON_STRING);
    case 't': return take_word(r, "true", CR_JSON_TRUE);
    case 'f': return take_word(r, "false", CR_JSON_FALSE);
    case 'n': return take_word(r, "null", CR_JSON_NULL);
    default: return take_number(r);
    }
}

static cr_json_token take_key(cr_json_reader *r)
{
    cr_json_token kind;

    if (*r->p != '"')
        return wrong(r, "a key that is not a string");
    r->p++;
    if ((kind = take_string(r, CR_JSON_KEY)) == CR_JSON_ERROR)
        return kind;
    r->p = past_blanks(r->p, r->end);
    if (r->p == r->end || *r->p != ':')
        return wrong(r, "a key without a colon after it");
    r->p++;
    r->expect = VALUE;
    return kind;
}

cr_json_token cr_json_read(cr_json_reader *r)
{
    const char open = r->depth > 0 ? r->open[r->depth - 1] : '\0';

    if (r->error != NULL)
        return CR_JSON_ERROR;
    r->p = past_blanks(r->p, r->end);
    if (r->expect == AFTER && r->p < r->end && *r->p == ',') {
        r->p = past_blanks(r->p + 1, r->end);
        r->expect = open == '{' ? KEY : VALUE;
    }
    if (r->p == r->end)
        return r->expect == DONE ? CR_JSON_END : wrong(r, "the text ends too early");
    switch (r->expect) {
    case DONE: return wrong(r, "something after the value");
    case AFTER:
        return *r->p == (open == '{' ? '}' : ']') ? close_level(r)
                                                  : wrong(r, "no comma or closing bracket");
    case FIRST_KEY: return *r->p == '}' ? close_level(r) : take_key(r);
    case FIRST_VALUE: return *r->p == ']' ? close_level(r) : take_value(r);
    case KEY: return take_key(r);
    default: return take_value(r);
    }
}

cr_json_token cr_json_skip(cr_json_reader *r, cr_json_token token)
{
    const int depth = r->depth - (token == CR_JSON_OBJECT || token == CR_JSON_ARRAY);

    while (r->depth > depth && token > CR_JSON_END)
        token = cr_json_read(r);
    return token;
}

/* --- members of a known order ----------------------------------------------------------------- */

/* Behind the colon of the member; NULL: the member is a different one. */
static const char *past_key(const cr_json_reader *r, const char *key, size_t size)
{
    const char *p = past_blanks(r->p, r->end);

    if (r->error != NULL || r->depth == 0 || r->open[r->depth - 1] != '{' ||
        (r->expect != FIRST_KEY && r->expect != AFTER))
        return NULL;
    if (r->expect == AFTER) {
        if (p == r->end || *p != ',')
            return NULL;
        p = past_blanks(p + 1, r->end);
    }
    if ((size_t)(r->end - p) < size + 3 || *p != '"' || memcmp(p + 1, key, size) != 0 ||
        p[size + 1] != '"')
        return NULL;
    p = past_blanks(p + size + 2, r->end);
    return p < r->end && *p == ':' ? past_blanks(p + 1, r->end) : NULL;
}

cr_json_token cr_json_read_member(cr_json_reader *r, const char *key, size_t size)
{
    const char *back = r->p, *p = past_key(r, key, size), *end = r->end;

    if (p == NULL || p == end)
        return CR_JSON_ERROR;
    if (*p == '"') {
        const char *from = ++p;

        while (p < end && *p != '"' && *p != '\\' && (unsigned char)*p >= 0x20)
            p++;
        if (p == end || *p != '"')
            return CR_JSON_ERROR;
        r->text = from;
        r->size = (size_t)(p - from);
        r->p = p + 1;
        r->expect = AFTER;
        return CR_JSON_STRING;
    }
    r->p = p;
    if ((*p != '-' && (*p < '0' || *p > '9')) || take_number(r) == CR_JSON_ERROR) {
        r->error = NULL;
        r->p = back;
        return CR_JSON_ERROR;
    }
    r->expect = AFTER;
    return CR_JSON_NUMBER;
}

/* --- what was read ---------------------------------------------------------------------------- */

size_t cr_json_reader_offset(const cr_json_reader *r)
{
    return (size_t)(r->p - r->begin);
}

int cr_json_reader_is(const cr_json_reader *r, const char *text)
{
    return strlen(text) == r->size && memcmp(text, r->text, r->size) == 0;
}

cr_status cr_json_reader_number(const cr_json_reader *r, double *out)
{
    return cr__parse_double(r->text, r->size, out) == CR__NUMBER_OK ? CR_OK : CR_EFORMAT;
}

cr_status cr_json_reader_error(const cr_json_reader *r, cr_error *err)
{
    const cr_status status = r->error == too_deep ? CR_ELIMIT : CR_EFORMAT;
    size_t line = 1, column = 1;

    if (r->error == NULL)
        return CR_OK;
    if (r->error == no_memory)
        return cr__fail_memory(err);
    for (const char *p = r->begin; p < r->p; p++, column++)
        if (*p == '\n') {
            line++;
            column = 0;
        }
    cr__fail(err, status, "not JSON: %s", r->error);
    return cr__fail_at(err, status, NULL, line, column);
}
