/* sql/options.c - the options of credence_train, as a JSON object. */
#include "options.h"

#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static cr_status refuse(cr_error *err, const char *fmt, ...)
{
    va_list args;

    if (err != NULL) {
        *err = (cr_error){.code = CR_EARG};
        va_start(args, fmt);
        vsnprintf(err->message, sizeof err->message, fmt, args);
        va_end(args);
    }
    return CR_EARG;
}

/* The token is unexpected: either the text is not JSON, or it is other JSON. */
static cr_status unexpected(const cr_json_reader *r, const char *wanted, cr_error *err)
{
    const cr_status status = cr_json_reader_error(r, err);

    if (status != CR_OK)
        return status;
    return refuse(err, "%s is expected at character %zu of the options", wanted,
                  cr_json_reader_offset(r));
}

/* The string, key or number that was read last. Free it. */
static cr_status copy_text(const cr_json_reader *r, char **out)
{
    free(*out);
    *out = strndup(r->text, r->size);
    return *out == NULL ? CR_ENOMEM : CR_OK;
}

/* The value of a parameter as text: true is yes, false is no. Free it. */
static cr_status read_scalar(cr_json_reader *r, char **out, cr_error *err)
{
    const cr_json_token token = cr_json_read(r);

    if (token == CR_JSON_STRING || token == CR_JSON_NUMBER)
        return copy_text(r, out);
    if (token != CR_JSON_TRUE && token != CR_JSON_FALSE)
        return unexpected(r, "a text, a number, true or false", err);
    *out = strdup(token == CR_JSON_TRUE ? "yes" : "no");
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
static cr_status read_pairs(cr_json_reader *r, char ***list, size_t *count, cr_error *err)
{
    cr_status status = CR_OK;
    cr_json_token token;

    if (cr_json_read(r) != CR_JSON_OBJECT)
        return unexpected(r, "an object", err);
    while (status == CR_OK && (token = cr_json_read(r)) == CR_JSON_KEY) {
        char *key = NULL, *value = NULL;

        status = copy_text(r, &key);
        if (status == CR_OK)
            status = read_scalar(r, &value, err);
        if (status == CR_OK)
            status = add_pair(list, count, key, value);
        free(key);
        free(value);
    }
    if (status == CR_OK && token != CR_JSON_OBJECT_END)
        status = unexpected(r, "a key", err);
    return status;
}

/* Read the member whose key was read last. */
static cr_status read_member(cr_json_reader *r, options *o, cr_error *err)
{
    char **text = cr_json_reader_is(r, "target")      ? &o->target
                  : cr_json_reader_is(r, "learner")   ? &o->learner
                  : cr_json_reader_is(r, "basis")     ? &o->basis
                  : cr_json_reader_is(r, "calibrate") ? &o->calibrate
                                                      : NULL;

    if (text != NULL)
        return cr_json_read(r) == CR_JSON_STRING ? copy_text(r, text)
                                                 : unexpected(r, "a text", err);
    if (cr_json_reader_is(r, "params"))
        return read_pairs(r, &o->param, &o->params, err);
    if (cr_json_reader_is(r, "types"))
        return read_pairs(r, &o->type, &o->types, err);
    return refuse(err,
                  "there is no option \"%.*s\"; the options are target, learner, params, types, "
                  "basis, calibrate",
                  r->size < 40 ? (int)r->size : 40, r->text);
}

static cr_status read_object(cr_json_reader *r, options *o, cr_error *err)
{
    cr_status status = CR_OK;
    cr_json_token token = cr_json_read(r);

    while (status == CR_OK && (token = cr_json_read(r)) == CR_JSON_KEY)
        status = read_member(r, o, err);
    if (status == CR_OK && token != CR_JSON_OBJECT_END)
        status = unexpected(r, "a key", err);
    if (status == CR_OK && o->calibrate != NULL && strcmp(o->calibrate, "auto") != 0 &&
        strcmp(o->calibrate, "none") != 0)
        return refuse(err, "calibrate is \"auto\" or \"none\", not \"%.40s\"", o->calibrate);
    return status;
}

cr_status options_read(options *o, const char *text, int only_params, cr_error *err)
{
    cr_json_reader r = {0};
    cr_status status;

    if (text == NULL)
        return CR_OK;
    if (text[strspn(text, " \t\r\n")] != '{' && !only_params) {
        free(o->target);
        return (o->target = strdup(text)) == NULL ? CR_ENOMEM : CR_OK;
    }
    cr_json_reader_start(&r, text, strlen(text));
    status = only_params ? read_pairs(&r, &o->param, &o->params, err) : read_object(&r, o, err);
    if (status == CR_OK && cr_json_read(&r) != CR_JSON_END)
        status = unexpected(&r, "the end", err);
    cr_json_reader_free(&r);
    return status;
}

trainer_settings options_settings(const options *o)
{
    return (trainer_settings){.learner = o->learner,
                              .basis = o->basis,
                              .calibrate = o->calibrate,
                              .params = (const char *const *)o->param,
                              .param_count = o->params};
}

/* The kind in a pair "COLUMN=KIND"; NULL if it is about another column. */
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

    *out = usual;
    if (kind == NULL)
        return CR_OK;
    for (size_t k = 0; k < sizeof kinds / sizeof *kinds; k++)
        if (strcmp(kinds[k].name, kind) == 0) {
            *out = kinds[k].kind;
            return CR_OK;
        }
    return refuse(err, "there is no kind \"%.40s\"; the kinds are real, symbol, text and ignore",
                  kind);
}

cr_status options_check_types(const options *o, const trainer_column *column, size_t columns,
                              cr_error *err)
{
    for (size_t i = 0; i < o->types; i++) {
        size_t c = 0;

        while (c < columns && kind_for(o->type[i], column[c].name) == NULL)
            c++;
        if (c == columns)
            return refuse(err, "there is no column \"%.*s\" to have a type",
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
    free(o->basis);
    free(o->calibrate);
    *o = (options){0};
}
