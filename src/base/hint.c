/* base/hint.c - settings that an error mentions, for front ends to word in their own way.
 *
 * Inside the library a text marks a setting, CR__SET("type age=ignore"): the name of the setting
 * and its argument. The marks are taken out when the text is stored, and the position of each
 * setting is recorded.
 */
#include <stdio.h>
#include <string.h>

#include "base/fail.h"

typedef struct kind {
    const char *name;
    cr_hint code;
    int named; /* the plain text has the name before the value */
} kind;

static const kind kinds[] = {
#define CR_X(code, name, named) {name, CR_HINT_##code, named},
    CR_HINT_MAP(CR_X)
#undef CR_X
};

enum { KINDS = sizeof kinds / sizeof *kinds };

static const kind *find_kind(const char *text, size_t length)
{
    for (size_t i = 0; i < KINDS; i++)
        if (strlen(kinds[i].name) == length && memcmp(kinds[i].name, text, length) == 0)
            return &kinds[i];
    return NULL;
}

/* Copy as much of the text as fits. */
static void copy_part(char *out, size_t size, const char *text, size_t length)
{
    if (length >= size)
        length = size - 1;
    memcpy(out, text, length);
    out[length] = '\0';
}

/* What follows the name: COLUMN=VALUE for a type, a value for all else. */
static void read_value(cr_hint_item *item, const char *text, size_t length)
{
    const char *equals = item->code == CR_HINT_TYPE ? memrchr(text, '=', length) : NULL;

    if (equals != NULL) {
        copy_part(item->column, sizeof item->column, text, (size_t)(equals - text));
        length -= (size_t)(equals + 1 - text);
        text = equals + 1;
    }
    copy_part(item->value, sizeof item->value, text, length);
}

/* Read what is between two marks into an item; returns its plain text, with its length.
 */
static const char *read_mark(cr_hint_item *item, const char *text, size_t *length)
{
    const char *space = memchr(text, ' ', *length);
    const size_t name = space == NULL ? *length : (size_t)(space - text);
    const size_t rest = space == NULL ? *length : name + 1;
    const kind *k = find_kind(text, name);

    if (k == NULL)
        return text;
    item->code = k->code;
    read_value(item, text + rest, *length - rest);
    if (k->named)
        return text;
    *length -= rest;
    return text + rest;
}

void cr__hint_settle(cr_error *err, char *text, int in_message)
{
    char *to = text;

    for (const char *from = text; *from != '\0';) {
        const char *end = *from == CR__SET_BEGIN ? strchr(from, CR__SET_END) : NULL;
        cr_hint_item item = {.in_message = in_message, .at = (size_t)(to - text)};
        const char *plain;
        size_t length;

        if (end == NULL) {
            if (*from != CR__SET_BEGIN)
                *to++ = *from;
            from++;
            continue;
        }
        length = (size_t)(end - from) - 1;
        plain = read_mark(&item, from + 1, &length);
        item.length = length;
        if (item.code != CR_HINT_NONE && err->hint_items < CR_HINT_ITEMS)
            err->hint_item[err->hint_items++] = item;
        memmove(to, plain, length);
        to += length;
        from = end + 1;
    }
    *to = '\0';
}

void cr__hint_drop(cr_error *err, int of_message)
{
    size_t kept = 0;

    for (size_t i = 0; i < err->hint_items && i < CR_HINT_ITEMS; i++)
        if (err->hint_item[i].in_message != of_message)
            err->hint_item[kept++] = err->hint_item[i];
    err->hint_items = kept;
}

/* --- reading ---------------------------------------------------------------------------------- */

typedef struct writer {
    char *buffer;
    size_t size, used;
} writer;

static void put(writer *w, const char *text, size_t length)
{
    if (length > w->size - 1 - w->used)
        length = w->size - 1 - w->used;
    memcpy(w->buffer + w->used, text, length);
    w->used += length;
}

/* Whether the plain words are still at the same place: the text may have been overwritten since. */
static int stands(const cr_hint_item *item, const char *text, size_t length)
{
    const char *first = item->value;

    if (item->at > length || item->length > length - item->at)
        return 0;
    for (size_t i = 0; i < KINDS; i++)
        if (kinds[i].code == item->code && kinds[i].named)
            first = kinds[i].name;
    return strncmp(text + item->at, first, strlen(first)) == 0;
}

static char *word(const cr_error *err, int of_message, cr_hint_words *words, void *context,
                  char *buffer, size_t size)
{
    const char *text = of_message ? err->message : err->hint;
    const size_t length = strlen(text);
    writer w = {.buffer = buffer, .size = size};
    size_t at = 0;

    if (size == 0)
        return buffer;
    for (size_t i = 0; i < err->hint_items && i < CR_HINT_ITEMS; i++) {
        const cr_hint_item *item = &err->hint_item[i];
        char own[300];

        if (item->in_message != of_message || item->at < at || !stands(item, text, length) ||
            !words(context, item, own, sizeof own))
            continue;
        put(&w, text + at, item->at - at);
        put(&w, own, strlen(own));
        at = item->at + item->length;
    }
    put(&w, text + at, length - at);
    buffer[w.used] = '\0';
    return buffer;
}

char *cr_error_message(const cr_error *err, cr_hint_words *words, void *context, char *buffer,
                       size_t size)
{
    return word(err, 1, words, context, buffer, size);
}

char *cr_error_hint(const cr_error *err, cr_hint_words *words, void *context, char *buffer,
                    size_t size)
{
    return word(err, 0, words, context, buffer, size);
}

int cr_error_about(const cr_error *err, cr_hint code)
{
    for (size_t i = 0; i < err->hint_items && i < CR_HINT_ITEMS; i++)
        if (err->hint_item[i].code == code)
            return 1;
    return 0;
}
