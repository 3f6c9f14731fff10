/* serve/request.c - parse a request. */
#include "request.h"

#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <strings.h>

void error_clear(cr_error *err)
{
    err->code = CR_OK;
    err->line = err->column = err->hint_items = 0;
    err->file[0] = err->message[0] = err->hint[0] = '\0';
}

cr_status fail(cr_error *err, cr_status status, const char *hint, const char *format, ...)
{
    va_list args;

    if (err == NULL)
        return status;
    error_clear(err);
    err->code = status;
    va_start(args, format);
    vsnprintf(err->message, sizeof err->message, format, args);
    va_end(args);
    if (hint != NULL)
        snprintf(err->hint, sizeof err->hint, "%s", hint);
    return status;
}

static int hex(char c)
{
    if (c >= '0' && c <= '9')
        return c - '0';
    c |= 32;
    return c >= 'a' && c <= 'f' ? c - 'a' + 10 : -1;
}

/* Decode from p up to one of two stop characters (or the end) into words, followed by a NUL.
 * Returns where it stopped, or NULL for a wrong escape or a NUL. */
static const char *decode(char **words, const char *p, char stop, char other, bool form)
{
    for (; *p != '\0' && *p != stop && *p != other; p++) {
        char c = *p;

        if (c == '%') {
            const int high = hex(p[1]), low = high < 0 ? -1 : hex(p[2]);

            if (low < 0 || (high | low) == 0)
                return NULL;
            c = (char)(high * 16 + low);
            p += 2;
        } else if (c == '+' && form) {
            c = ' ';
        }
        *(*words)++ = c;
    }
    *(*words)++ = '\0';
    return p;
}

static const char *parse_path(request *r, char **words, const char *p)
{
    while (*p == '/') {
        if (p[1] == '\0' || p[1] == '?')
            return p + 1; /* a trailing slash has no meaning */
        if (r->segments == REQUEST_SEGMENTS)
            return NULL;
        r->segment[r->segments++] = *words;
        if ((p = decode(words, p + 1, '/', '?', false)) == NULL)
            return NULL;
    }
    return p;
}

static const char *parse_query(request *r, char **words, const char *p)
{
    while (*p == '?' || *p == '&') {
        parameter *q = &r->parameter[r->parameters];

        if (p[1] == '\0' || r->parameters == REQUEST_PARAMETERS)
            return p[1] == '\0' ? p + 1 : NULL;
        q->name = *words;
        if ((p = decode(words, p + 1, '=', '&', true)) == NULL)
            return NULL;
        q->value = *words - 1;
        if (*p == '=') {
            q->value = *words;
            if ((p = decode(words, p + 1, '&', '&', true)) == NULL)
                return NULL;
        }
        r->parameters++;
    }
    return p;
}

cr_status request_parse(request *r, request_method method, const char *target, cr_error *err)
{
    const size_t size = strlen(target);
    const char *p = target;
    char *words;

    request_clear(r);
    r->method = method;
    if ((words = buffer_reserve(&r->words, 2 * size + 2)) == NULL)
        return fail(err, CR_ENOMEM, NULL, "out of memory");
    if (*p != '/' || (p = parse_path(r, &words, p)) == NULL ||
        (p = parse_query(r, &words, p)) == NULL || *p != '\0') {
        r->segments = r->parameters = 0;
        return fail(err, CR_EARG, "GET /openapi.json tells what there is",
                    "the request's target cannot be read: %.200s", target);
    }
    return CR_OK;
}

void request_clear(request *r)
{
    r->segments = r->parameters = 0;
    r->type = r->accept = MEDIA_NONE;
    r->key = r->match = r->who = r->body = NULL;
    r->size = 0;
    r->head = 0;
    r->large = NULL;
    buffer_clear(&r->words, 1 << 14);
}

void request_free(request *r)
{
    buffer_free(&r->words);
}

const char *request_text(const request *r, const char *name)
{
    for (size_t i = 0; i < r->parameters; i++)
        if (strcmp(r->parameter[i].name, name) == 0)
            return r->parameter[i].value;
    return NULL;
}

bool request_flag(const request *r, const char *name)
{
    const char *value = request_text(r, name);

    return value != NULL && strcmp(value, "0") != 0 && strcasecmp(value, "false") != 0 &&
           strcasecmp(value, "no") != 0;
}

cr_status request_number(const request *r, const char *name, double fallback, double *out,
                         cr_error *err)
{
    const char *text = request_text(r, name);
    char *end;

    *out = fallback;
    if (text == NULL)
        return CR_OK;
    *out = strtod(text, &end);
    if (*text != '\0' && *end == '\0')
        return CR_OK;
    return fail(err, CR_EARG, NULL, "%s takes a number, not '%.100s'", name, text);
}

cr_status request_count(const request *r, const char *name, size_t low, size_t high, size_t *out,
                        cr_error *err)
{
    double x;
    const cr_status status = request_number(r, name, (double)low, &x, err);

    if (status != CR_OK || request_text(r, name) == NULL)
        return status;
    if (!(x >= (double)low && x <= (double)high) || (double)(size_t)x != x)
        return fail(err, CR_EARG, NULL, "%s takes a whole number from %zu to %zu, not '%.100s'",
                    name, low, high, request_text(r, name));
    *out = (size_t)x;
    return CR_OK;
}

media media_of(const char *header)
{
    static const struct {
        const char *name;
        size_t size;
        media type;
    } names[] = {
        {"application/json", 16, MEDIA_JSON},
        {"*/*", 3, MEDIA_NONE},
        {"text/csv", 8, MEDIA_CSV},
        {"application/x-ndjson", 20, MEDIA_JSONL},
        {"application/ndjson", 18, MEDIA_JSONL},
        {"application/jsonl", 17, MEDIA_JSONL},
        {"application/x-jsonlines", 23, MEDIA_JSONL},
        {"message/rfc822", 14, MEDIA_MAIL},
        {"application/x-www-form-urlencoded", 33, MEDIA_NONE}, /* the default of curl -d */
    };
    size_t size;

    if (header == NULL)
        return MEDIA_NONE;
    size = strcspn(header, ";, ");
    for (size_t i = 0; i < sizeof names / sizeof *names; i++)
        if (names[i].size == size && strncasecmp(names[i].name, header, size) == 0)
            return names[i].type;
    return MEDIA_OTHER;
}
