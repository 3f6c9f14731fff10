/* serve/tests/conform.c - check an answer against the description of the server.
 *
 * Usage: conform OPENAPI METHOD PATH STATUS TYPE <ANSWER
 *
 * The path must fit one that OPENAPI describes, with the method; the status must be among its
 * responses (or "default"), the type among the response's, and JSON must fit its schema. Of schemas
 * it knows type, nullable, enum, properties, required, additionalProperties, items, oneOf and
 * references.
 */
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "buffer.h"
#include "credence/json_reader.h"

static const cr_json_value *document;

static char *slurp(FILE *file, size_t *size)
{
    buffer b = {0};
    char part[4096];
    size_t n;

    while ((n = fread(part, 1, sizeof part, file)) > 0)
        buffer_add(&b, part, n);
    *size = b.size;
    return (char *)buffer_string(&b);
}

static int wrong(const char *where, const char *what, const char *which)
{
    fprintf(stderr, "conform: at %s: %s %s\n", where, what, which);
    return 0;
}

/* "#/components/schemas/Error" */
static const cr_json_value *follow(const cr_json_value *schema)
{
    const char *path = cr_json_get_text(schema, "$ref", NULL);
    const cr_json_value *schemas = cr_json_get(cr_json_get(document, "components"), "schemas");

    return path == NULL ? schema : cr_json_get(schemas, strrchr(path, '/') + 1);
}

static int has_type(const cr_json_value *x, const char *type)
{
    switch (x->kind) {
    case CR_JSON_OBJECT: return strcmp(type, "object") == 0;
    case CR_JSON_ARRAY: return strcmp(type, "array") == 0;
    case CR_JSON_STRING: return strcmp(type, "string") == 0;
    case CR_JSON_TRUE:
    case CR_JSON_FALSE: return strcmp(type, "boolean") == 0;
    case CR_JSON_NUMBER:
        return strcmp(type, "number") == 0 ||
               (strcmp(type, "integer") == 0 && rint(x->number) == x->number);
    default: return 0;
    }
}

static int fits(const cr_json_value *x, const cr_json_value *schema, const char *where, int quiet);

static int fits_object(const cr_json_value *x, const cr_json_value *schema, const char *where,
                       int quiet)
{
    const cr_json_value *properties = cr_json_get(schema, "properties");
    const cr_json_value *others = cr_json_get(schema, "additionalProperties");
    const cr_json_value *required = cr_json_get(schema, "required");

    for (const cr_json_value *n = required != NULL ? required->child : NULL; n != NULL;
         n = n->next) {
        const cr_json_value *m = x->child;

        while (m != NULL && strcmp(m->key, n->text) != 0)
            m = m->next;
        if (m == NULL)
            return quiet ? 0 : wrong(where, "lacking:", n->text);
    }
    for (const cr_json_value *m = x->child; m != NULL; m = m->next) {
        const cr_json_value *of = cr_json_get(properties, m->key);

        if (of == NULL && others != NULL && others->kind == CR_JSON_FALSE)
            return quiet ? 0 : wrong(where, "not described:", m->key);
        if (of == NULL && others != NULL && others->kind == CR_JSON_OBJECT)
            of = others;
        if (of != NULL && !fits(m, of, m->key, quiet))
            return 0;
    }
    return 1;
}

static int fits_one(const cr_json_value *x, const cr_json_value *choices, const char *where,
                    int quiet)
{
    for (const cr_json_value *n = choices->child; n != NULL; n = n->next)
        if (fits(x, n, where, 1))
            return 1;
    return quiet ? 0 : wrong(where, "none of the choices fits", "");
}

static int fits(const cr_json_value *x, const cr_json_value *schema, const char *where, int quiet)
{
    const cr_json_value *s = follow(schema), *choices = cr_json_get(s, "oneOf"), *items;
    const cr_json_value *words = cr_json_get(s, "enum");
    const char *type = cr_json_get_text(s, "type", NULL);

    if (s == NULL)
        return wrong(where, "there is no such schema", "");
    if (x->kind == CR_JSON_NULL)
        return type == NULL || cr_json_get_flag(s, "nullable") ||
               (quiet ? 0 : wrong(where, "null, but it must be", type));
    if (choices != NULL)
        return fits_one(x, choices, where, quiet);
    if (type != NULL && !has_type(x, type))
        return quiet ? 0 : wrong(where, "it must be", type);
    if (words != NULL) {
        const cr_json_value *n = words->child;

        while (n != NULL && (x->text == NULL || strcmp(n->text, x->text) != 0))
            n = n->next;
        if (n == NULL)
            return quiet ? 0 : wrong(where, "it is none of the words:", x->text);
    }
    if (x->kind == CR_JSON_OBJECT)
        return fits_object(x, s, where, quiet);
    items = x->kind == CR_JSON_ARRAY ? cr_json_get(s, "items") : NULL;
    for (const cr_json_value *n = items != NULL ? x->child : NULL; n != NULL; n = n->next)
        if (!fits(n, items, where, quiet))
            return 0;
    return 1;
}

/* Whether a path matches a pattern, segment by segment. */
static int is_path(const char *pattern, const char *path)
{
    while (*pattern == '/' && *path == '/') {
        const size_t wanted = strcspn(++pattern, "/"), size = strcspn(++path, "/?");

        if (*pattern != '{' && (wanted != size || strncmp(pattern, path, size) != 0))
            return 0;
        if (*pattern == '{' && size == 0)
            return 0;
        pattern += wanted;
        path += size;
    }
    return *pattern == '\0' && (*path == '\0' || *path == '?');
}

static const cr_json_value *find_operation(const char *method, const char *path)
{
    const cr_json_value *paths = cr_json_get(document, "paths");
    const cr_json_value *best = NULL;

    for (const cr_json_value *p = paths->child; p != NULL; p = p->next)
        if (is_path(p->key, path) && cr_json_get(p, method) != NULL &&
            (best == NULL || strchr(p->key, '{') == NULL))
            best = cr_json_get(p, method);
    return best;
}

static const cr_json_value *find_schema(const cr_json_value *operation, const char *status,
                                        const char *type)
{
    const cr_json_value *responses = cr_json_get(operation, "responses");
    const cr_json_value *response = cr_json_get(responses, status), *content;
    char plain[128];

    if (response == NULL && *status >= '4')
        response = cr_json_get(responses, "default");
    content = cr_json_get(response, "content");
    snprintf(plain, sizeof plain, "%.*s", (int)strcspn(type, ";"), type);
    return cr_json_get(cr_json_get(content, plain), "schema");
}

/* 0: it is as described. */
static int judge(char **argv)
{
    const cr_json_value *operation, *schema;
    const cr_json_value *answer;
    cr_error err = {0};
    size_t size;
    char *text;
    int right;

    if ((operation = find_operation(argv[2], argv[3])) == NULL)
        return !wrong(argv[3], "not described, with the method", argv[2]);
    if ((schema = find_schema(operation, argv[4], argv[5])) == NULL)
        return !wrong(argv[3], "its status and type are not described:", argv[4]);
    if (strncmp(argv[5], "application/json", 16) != 0)
        return 0;
    text = slurp(stdin, &size);
    right = cr_json_parse(&answer, text, size, &err) == CR_OK;
    if (!right)
        wrong(argv[3], "not JSON:", err.message);
    else
        right = fits(answer, schema, argv[3], 0);
    cr_json_free(answer);
    free(text);
    return !right;
}

int main(int argc, char **argv)
{
    cr_error err = {0};
    size_t size = 0;
    FILE *file = argc == 6 ? fopen(argv[1], "r") : NULL;
    char *text = file != NULL ? slurp(file, &size) : NULL;
    int code = 2;

    if (text == NULL || cr_json_parse(&document, text, size, &err) != CR_OK) {
        fprintf(stderr, "conform: %s cannot be read: %s\n", argc > 1 ? argv[1] : "", err.message);
    } else {
        code = judge(argv);
    }
    cr_json_free(document);
    free(text);
    if (file != NULL)
        fclose(file);
    return code;
}
