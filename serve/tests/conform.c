/* serve/tests/conform.c - is an answer what the description of the server says it is?
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

#include "json_tree.h"

static const json_node *document;

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
static const json_node *follow(const json_node *schema)
{
    const char *path = json_get_text(schema, "$ref", NULL);
    const json_node *schemas = json_get(json_get(document, "components"), "schemas");

    return path == NULL ? schema : json_get(schemas, strrchr(path, '/') + 1);
}

static int has_type(const json_node *x, const char *type)
{
    switch (x->kind) {
    case JSON_IN_OBJECT: return strcmp(type, "object") == 0;
    case JSON_IN_ARRAY: return strcmp(type, "array") == 0;
    case JSON_IN_STRING: return strcmp(type, "string") == 0;
    case JSON_IN_TRUE:
    case JSON_IN_FALSE: return strcmp(type, "boolean") == 0;
    case JSON_IN_NUMBER:
        return strcmp(type, "number") == 0 ||
               (strcmp(type, "integer") == 0 && rint(x->number) == x->number);
    default: return 0;
    }
}

static int fits(const json_node *x, const json_node *schema, const char *where, int quiet);

static int fits_object(const json_node *x, const json_node *schema, const char *where, int quiet)
{
    const json_node *properties = json_get(schema, "properties");
    const json_node *others = json_get(schema, "additionalProperties");
    const json_node *required = json_get(schema, "required");

    for (const json_node *n = required != NULL ? required->child : NULL; n != NULL; n = n->next) {
        const json_node *m = x->child;

        while (m != NULL && strcmp(m->key, n->text) != 0)
            m = m->next;
        if (m == NULL)
            return quiet ? 0 : wrong(where, "lacking:", n->text);
    }
    for (const json_node *m = x->child; m != NULL; m = m->next) {
        const json_node *of = json_get(properties, m->key);

        if (of == NULL && others != NULL && others->kind == JSON_IN_FALSE)
            return quiet ? 0 : wrong(where, "not described:", m->key);
        if (of == NULL && others != NULL && others->kind == JSON_IN_OBJECT)
            of = others;
        if (of != NULL && !fits(m, of, m->key, quiet))
            return 0;
    }
    return 1;
}

static int fits_one(const json_node *x, const json_node *choices, const char *where, int quiet)
{
    for (const json_node *n = choices->child; n != NULL; n = n->next)
        if (fits(x, n, where, 1))
            return 1;
    return quiet ? 0 : wrong(where, "none of the choices fits", "");
}

static int fits(const json_node *x, const json_node *schema, const char *where, int quiet)
{
    const json_node *s = follow(schema), *choices = json_get(s, "oneOf"), *items;
    const json_node *words = json_get(s, "enum");
    const char *type = json_get_text(s, "type", NULL);

    if (s == NULL)
        return wrong(where, "there is no such schema", "");
    if (x->kind == JSON_IN_NULL)
        return type == NULL || json_get_flag(s, "nullable") ||
               (quiet ? 0 : wrong(where, "null, but it must be", type));
    if (choices != NULL)
        return fits_one(x, choices, where, quiet);
    if (type != NULL && !has_type(x, type))
        return quiet ? 0 : wrong(where, "it must be", type);
    if (words != NULL) {
        const json_node *n = words->child;

        while (n != NULL && (x->text == NULL || strcmp(n->text, x->text) != 0))
            n = n->next;
        if (n == NULL)
            return quiet ? 0 : wrong(where, "it is none of the words:", x->text);
    }
    if (x->kind == JSON_IN_OBJECT)
        return fits_object(x, s, where, quiet);
    items = x->kind == JSON_IN_ARRAY ? json_get(s, "items") : NULL;
    for (const json_node *n = items != NULL ? x->child : NULL; n != NULL; n = n->next)
        if (!fits(n, items, where, quiet))
            return 0;
    return 1;
}

/* Whether a path fits a pattern, segment by segment. */
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

static const json_node *find_operation(const char *method, const char *path)
{
    const json_node *paths = json_get(document, "paths");
    const json_node *best = NULL;

    for (const json_node *p = paths->child; p != NULL; p = p->next)
        if (is_path(p->key, path) && json_get(p, method) != NULL &&
            (best == NULL || strchr(p->key, '{') == NULL))
            best = json_get(p, method);
    return best;
}

static const json_node *find_schema(const json_node *operation, const char *status,
                                    const char *type)
{
    const json_node *responses = json_get(operation, "responses");
    const json_node *response = json_get(responses, status), *content;
    char plain[128];

    if (response == NULL && *status >= '4')
        response = json_get(responses, "default");
    content = json_get(response, "content");
    snprintf(plain, sizeof plain, "%.*s", (int)strcspn(type, ";"), type);
    return json_get(json_get(content, plain), "schema");
}

/* 0: it is as described. */
static int judge(char **argv)
{
    const json_node *operation, *schema;
    json_tree answer;
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
    right = json_tree_read(&answer, text, size, &err) == CR_OK;
    if (!right)
        wrong(argv[3], "no JSON:", err.message);
    else
        right = fits(answer.node, schema, argv[3], 0);
    json_tree_free(&answer);
    free(text);
    return !right;
}

int main(int argc, char **argv)
{
    json_tree description = {0};
    cr_error err = {0};
    size_t size = 0;
    FILE *file = argc == 6 ? fopen(argv[1], "r") : NULL;
    char *text = file != NULL ? slurp(file, &size) : NULL;
    int code = 2;

    if (text == NULL || json_tree_read(&description, text, size, &err) != CR_OK) {
        fprintf(stderr, "conform: %s cannot be read: %s\n", argc > 1 ? argv[1] : "", err.message);
    } else {
        document = description.node;
        code = judge(argv);
    }
    json_tree_free(&description);
    free(text);
    if (file != NULL)
        fclose(file);
    return code;
}
