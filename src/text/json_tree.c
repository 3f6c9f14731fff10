/* text/json_tree.c - JSON as a tree, built from tokens.
 *
 * The root is the first member of the document that owns the tree, so that the root alone is
 * handed out.
 */
#include <math.h>
#include <string.h>

#include "base/arena.h"
#include "base/fail.h"
#include "base/memory.h"
#include "credence/json_reader.h"

typedef struct document {
    cr_json_value root;
    cr__arena arena;
    size_t count; /* of values */
} document;

typedef struct builder {
    document *document;
    cr_json_reader reader;
    cr_json_value *parent[CR_JSON_READ_DEPTH], *last[CR_JSON_READ_DEPTH];
    int depth;
    const char *key; /* of the next value */
} builder;

static cr_status keep_key(builder *b, cr_error *err)
{
    b->key = cr__arena_copy(&b->document->arena, b->reader.text, b->reader.size);
    return b->key == NULL ? cr__fail_memory(err) : CR_OK;
}

/* Space for one more value: the root is there already. */
static cr_status new_value(builder *b, cr_json_value **out, cr_error *err)
{
    document *d = b->document;

    if (d->count == CR_JSON_VALUES_MAX)
        return cr__fail(err, CR_ELIMIT, "more than %d values", CR_JSON_VALUES_MAX);
    *out = d->count == 0 ? &d->root : cr__arena_alloc(&d->arena, 1, sizeof **out);
    if (*out == NULL)
        return cr__fail_memory(err);
    d->count++;
    return CR_OK;
}

static cr_status add_value(builder *b, cr_json_token token, cr_error *err)
{
    cr_json_value *v = NULL;
    cr_status status = new_value(b, &v, err);

    if (status != CR_OK)
        return status;
    *v = (cr_json_value){.kind = token, .key = b->key, .number = NAN};
    b->key = NULL;
    if (token == CR_JSON_NUMBER)
        cr_json_reader_number(&b->reader, &v->number);
    if (token == CR_JSON_STRING) {
        v->size = b->reader.size;
        v->text = cr__arena_copy(&b->document->arena, b->reader.text, v->size);
        if (v->text == NULL)
            return cr__fail_memory(err);
    }
    if (b->depth > 0) {
        cr_json_value *parent = b->parent[b->depth - 1], *last = b->last[b->depth - 1];

        parent->count++;
        if (last == NULL)
            parent->child = v;
        else
            last->next = v;
        b->last[b->depth - 1] = v;
    }
    if (token == CR_JSON_OBJECT || token == CR_JSON_ARRAY) {
        b->parent[b->depth] = v;
        b->last[b->depth++] = NULL;
    }
    return CR_OK;
}

cr_status cr_json_parse(const cr_json_value **root, const char *bytes, size_t size, cr_error *err)
{
    builder b = {.document = cr__alloc_zero(1, sizeof(document))};
    cr_json_token token;
    cr_status status = CR_OK;

    *root = NULL;
    if (b.document == NULL)
        return cr__fail_memory(err);
    cr_json_reader_start(&b.reader, bytes, size);
    while (status == CR_OK && (token = cr_json_read(&b.reader)) > CR_JSON_END) {
        if (token == CR_JSON_KEY)
            status = keep_key(&b, err);
        else if (token == CR_JSON_OBJECT_END || token == CR_JSON_ARRAY_END)
            b.depth--;
        else
            status = add_value(&b, token, err);
    }
    if (status == CR_OK)
        status = cr_json_reader_error(&b.reader, err);
    cr_json_reader_free(&b.reader);
    if (status == CR_OK)
        *root = &b.document->root;
    else
        cr_json_free(&b.document->root);
    return status;
}

void cr_json_free(const cr_json_value *root)
{
    document *d = (document *)(void *)root;

    if (d == NULL)
        return;
    cr__arena_free(&d->arena);
    cr__free(d);
}

size_t cr_json_values(const cr_json_value *root)
{
    return root == NULL ? 0 : ((const document *)(const void *)root)->count;
}

const cr_json_value *cr_json_get(const cr_json_value *value, const char *key)
{
    if (value == NULL || value->kind != CR_JSON_OBJECT)
        return NULL;
    for (const cr_json_value *v = value->child; v != NULL; v = v->next)
        if (strcmp(v->key, key) == 0)
            return v->kind == CR_JSON_NULL ? NULL : v;
    return NULL;
}

const char *cr_json_get_text(const cr_json_value *value, const char *key, const char *fallback)
{
    const cr_json_value *v = cr_json_get(value, key);

    return v != NULL && v->kind == CR_JSON_STRING ? v->text : fallback;
}

double cr_json_get_number(const cr_json_value *value, const char *key, double fallback)
{
    const cr_json_value *v = cr_json_get(value, key);

    return v != NULL && v->kind == CR_JSON_NUMBER ? v->number : fallback;
}

int cr_json_get_flag(const cr_json_value *value, const char *key)
{
    const cr_json_value *v = cr_json_get(value, key);

    return v != NULL && v->kind == CR_JSON_TRUE;
}
