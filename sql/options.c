/* sql/options.c - the options of credence_train, as a JSON object. */
#include "options.h"

#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/* A reader of the JSON that options need: objects, texts, numbers, true and false. */
typedef struct json_reader {
    const char *at;
    cr_error *err;
} json_reader;

static cr_status refuse(json_reader *j, const char *fmt, ...)
{
    va_list args;

    if (j->err != NULL) {
        *j->err = (cr_error){.code = CR_EARG};
        va_start(args, fmt);
        vsnprintf(j->err->message, sizeof j->err->message, fmt, args);
        va_end(args);
    }
    return CR_EARG;
}

static void skip_blanks(json_reader *j)
{
    j->at += strspn(j->at, " \t\r\n");
}

static int take(json_reader *j, char c)
{
    skip_blanks(j);
    if (*j->at != c)
        return 0;
    j->at++;
    return 1;
}

/* UTF-8 of a code point of the basic plane. */
static size_t put_utf8(char *out, unsigned code)
{
    if (code < 0x80) {
        out[0] = (char)code;
        return 1;
    }
    if (code < 0x800) {
        out[0] = (char)(0xc0 | code >> 6);
        out[1] = (char)(0x80 | (code & 63));
        return 2;
    }
    out[0] = (char)(0xe0 | code >> 12);
    out[1] = (char)(0x80 | (code >> 6 & 63));
    out[2] = (char)(0x80 | (code & 63));
    return 3;
}

/* What stands behind a backslash; its length in bytes, 0 when it is no escape. */
static size_t take_escape(json_reader *j, char *out)
{
    static const char names[] = "\"\\/bfnrt", values[] = "\"\\/\b\f\n\r\t";
    const char *found = *j->at == '\0' ? NULL : strchr(names, *j->at);
    unsigned code;

    if (found != NULL) {
        j->at++;
        *out = values[found - names];
        return 1;
    }
    if (*j->at != 'u' || sscanf(j->at + 1, "%4x", &code) != 1)
        return 0;
    for (int i = 0; i < 5; i++)
        if (*j->at++ == '\0')
            return 0;
    return put_utf8(out, code);
}

/* A text, to be freed. */
static cr_status read_text(json_reader *j, char **out)
{
    size_t size = 0, more;
    char *text, c;

    *out = NULL;
    if (!take(j, '"'))
        return refuse(j, "a text in double quotes is wanted at '%.20s'", j->at);
    if ((text = malloc(strlen(j->at) + 4)) == NULL)
        return CR_ENOMEM;
    while ((c = *j->at++) != '"') {
        if (c == '\0' || (c == '\\' && (more = take_escape(j, text + size)) == 0)) {
            free(text);
            return refuse(j, "a text has no end, or an escape that JSON does not know");
        }
        if (c == '\\')
            size += more;
        else
            text[size++] = c;
    }
    text[size] = '\0';
    *out = text;
    return CR_OK;
}

/* A text, a number, true or false, as text, to be freed. */
static cr_status read_scalar(json_reader *j, char **out)
{
    size_t size;

    skip_blanks(j);
    if (*j->at == '"')
        return read_text(j, out);
    size = strcspn(j->at, ",} \t\r\n");
    if (size == 0 || strchr("-0123456789tfn", *j->at) == NULL)
        return refuse(j, "a text or a number is wanted at '%.20s'", j->at);
    *out = strncmp(j->at, "true", 4) == 0    ? strdup("yes")
           : strncmp(j->at, "false", 5) == 0 ? strdup("no")
                                             : strndup(j->at, size);
    j->at += size;
    return *out == NULL ? CR_ENOMEM : CR_OK;
}

/* Add "KEY=VALUE" to a list. */
static cr_status add_pair(char ***list, size_t *count, const char *key, const char *value)
{
    const size_t size = strlen(key) + strlen(value) + 2;
    char **more = realloc(*list, (*count + 1) * sizeof *more);

    if (more == NULL)
        return CR_ENOMEM;
    *list = more;
    if ((more[*count] = malloc(size)) == NULL)
        return CR_ENOMEM;
    snprintf(more[(*count)++], size, "%s=%s", key, value);
    return CR_OK;
}

/* An object of scalars as pairs. */
static cr_status read_pairs(json_reader *j, char ***list, size_t *count)
{
    cr_status status = CR_OK;

    if (!take(j, '{'))
        return refuse(j, "an object is wanted at '%.20s'", j->at);
    if (take(j, '}'))
        return CR_OK;
    do {
        char *key = NULL, *value = NULL;

        status = read_text(j, &key);
        if (status == CR_OK && !take(j, ':'))
            status = refuse(j, "a colon is wanted behind \"%.40s\"", key);
        if (status == CR_OK)
            status = read_scalar(j, &value);
        if (status == CR_OK)
            status = add_pair(list, count, key, value);
        free(key);
        free(value);
    } while (status == CR_OK && take(j, ','));
    if (status == CR_OK && !take(j, '}'))
        status = refuse(j, "an object has no end at '%.20s'", j->at);
    return status;
}

static cr_status read_member(json_reader *j, options *o, const char *key)
{
    char **text = strcmp(key, "target") == 0    ? &o->target
                  : strcmp(key, "learner") == 0 ? &o->learner
                                                : NULL;

    if (text != NULL) {
        free(*text);
        *text = NULL;
        return read_text(j, text);
    }
    if (strcmp(key, "params") == 0)
        return read_pairs(j, &o->param, &o->params);
    if (strcmp(key, "types") == 0)
        return read_pairs(j, &o->type, &o->types);
    return refuse(j, "there is no option \"%.40s\"; the options are target, learner, params, types",
                  key);
}

static cr_status read_object(json_reader *j, options *o)
{
    cr_status status = CR_OK;

    take(j, '{');
    if (take(j, '}'))
        return CR_OK;
    do {
        char *key = NULL;

        status = read_text(j, &key);
        if (status == CR_OK && !take(j, ':'))
            status = refuse(j, "a colon is wanted behind \"%.40s\"", key);
        if (status == CR_OK)
            status = read_member(j, o, key);
        free(key);
    } while (status == CR_OK && take(j, ','));
    if (status == CR_OK && !take(j, '}'))
        status = refuse(j, "an object has no end at '%.20s'", j->at);
    return status;
}

cr_status options_read(options *o, const char *text, int only_params, cr_error *err)
{
    json_reader j = {text, err};
    cr_status status;

    if (text == NULL)
        return CR_OK;
    skip_blanks(&j);
    if (*j.at != '{' && !only_params) {
        free(o->target);
        return (o->target = strdup(text)) == NULL ? CR_ENOMEM : CR_OK;
    }
    status = only_params ? read_pairs(&j, &o->param, &o->params) : read_object(&j, o);
    skip_blanks(&j);
    if (status == CR_OK && *j.at != '\0')
        status = refuse(&j, "something stands behind the object: '%.20s'", j.at);
    return status;
}

/* The kind that a pair "COLUMN=KIND" gives a column; NULL where it is of another. */
static const char *kind_for(const char *pair, const char *column)
{
    const size_t size = strlen(column);

    return strncmp(pair, column, size) == 0 && pair[size] == '=' ? pair + size + 1 : NULL;
}

const char *options_kind_name(const options *o, const char *column)
{
    const char *kind = NULL;

    for (size_t i = 0; kind == NULL && i < o->types; i++)
        kind = kind_for(o->type[i], column);
    return kind;
}

cr_status options_kind(const options *o, const char *column, cr_kind usual, cr_kind *out,
                       cr_error *err)
{
    static const struct {
        const char *name;
        cr_kind kind;
    } kinds[] = {{"real", CR_REAL}, {"symbol", CR_SYMBOL}, {"text", CR_BAG}, {"ignore", CR_IGNORE}};
    const char *kind = options_kind_name(o, column);
    json_reader j = {"", err};

    *out = usual;
    if (kind == NULL)
        return CR_OK;
    for (size_t k = 0; k < sizeof kinds / sizeof *kinds; k++)
        if (strcmp(kinds[k].name, kind) == 0) {
            *out = kinds[k].kind;
            return CR_OK;
        }
    return refuse(&j, "there is no kind \"%.40s\"; the kinds are real, symbol, text and ignore",
                  kind);
}

cr_status options_check_types(const options *o, const trainer_column *column, size_t columns,
                              cr_error *err)
{
    json_reader j = {"", err};

    for (size_t i = 0; i < o->types; i++) {
        size_t c = 0;

        while (c < columns && kind_for(o->type[i], column[c].name) == NULL)
            c++;
        if (c == columns)
            return refuse(&j, "there is no column \"%.*s\" to have a type",
                          (int)strcspn(o->type[i], "="), o->type[i]);
    }
    return CR_OK;
}

void options_free(options *o)
{
    for (size_t i = 0; i < o->params; i++)
        free(o->param[i]);
    for (size_t i = 0; i < o->types; i++)
        free(o->type[i]);
    free(o->param);
    free(o->type);
    free(o->target);
    free(o->learner);
    *o = (options){0};
}
