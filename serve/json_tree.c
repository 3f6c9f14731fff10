/* serve/json_tree.c - a small JSON text as a tree. */
#include "json_tree.h"

#include <math.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#include "request.h"

/* While the tree grows, links and texts are numbers: arrays may move. */
static void *as_link(size_t index)
{
    return (void *)(uintptr_t)index; /* NOLINT */
}

static bool grow(json_tree *t)
{
    const size_t room = t->room == 0 ? 64 : 2 * t->room;
    json_node *more = t->count < t->room ? t->node : realloc(t->node, room * sizeof *more);

    if (more == NULL)
        return false;
    if (t->count == t->room)
        t->room = room;
    t->node = more;
    return true;
}

/* A text with a NUL behind; its place, from 1. */
static size_t keep(json_tree *t, const json_in *in)
{
    const size_t at = t->texts.size + 1;

    buffer_add(&t->texts, in->text, in->size);
    buffer_add(&t->texts, "", 1);
    return at;
}

typedef struct builder {
    json_tree *tree;
    json_in in;
    size_t parent[JSON_IN_DEPTH], last[JSON_IN_DEPTH]; /* indices from 1; 0: none */
    int depth;
    size_t key;
} builder;

static cr_status add(builder *b, json_piece piece, cr_error *err)
{
    json_tree *t = b->tree;
    json_node *n;
    const size_t index = t->count + 1;

    if (t->count == JSON_TREE_NODES)
        return fail(err, CR_ELIMIT, NULL, "the body has more than %d values", JSON_TREE_NODES);
    if (!grow(t))
        return fail(err, CR_ENOMEM, NULL, "out of memory");
    n = &t->node[t->count++];
    *n = (json_node){.kind = piece, .key = as_link(b->key), .number = NAN};
    b->key = 0;
    if (piece == JSON_IN_NUMBER)
        json_in_number(&b->in, &n->number);
    if (piece == JSON_IN_STRING) {
        n->text = as_link(keep(t, &b->in));
        n->size = b->in.size;
    }
    if (b->depth > 0) {
        const size_t parent = b->parent[b->depth - 1], last = b->last[b->depth - 1];

        t->node[parent - 1].count++;
        if (last == 0)
            t->node[parent - 1].child = as_link(index);
        else
            t->node[last - 1].next = as_link(index);
        b->last[b->depth - 1] = index;
    }
    if (piece == JSON_IN_OBJECT || piece == JSON_IN_ARRAY) {
        b->parent[b->depth] = index;
        b->last[b->depth++] = 0;
    }
    return CR_OK;
}

/* Numbers become addresses, now that nothing moves any more. */
static void settle(json_tree *t)
{
    for (size_t i = 0; i < t->count; i++) {
        json_node *n = &t->node[i];

        if (n->key != NULL)
            n->key = t->texts.bytes + (uintptr_t)n->key - 1;
        if (n->text != NULL)
            n->text = t->texts.bytes + (uintptr_t)n->text - 1;
        if (n->child != NULL)
            n->child = &t->node[(uintptr_t)n->child - 1];
        if (n->next != NULL)
            n->next = &t->node[(uintptr_t)n->next - 1];
    }
}

cr_status json_tree_read(json_tree *t, const char *bytes, size_t size, cr_error *err)
{
    buffer room = {0};
    builder b = {.tree = t};
    cr_status status = CR_OK;
    json_piece piece;

    *t = (json_tree){0};
    json_in_start(&b.in, bytes, size, &room);
    while (status == CR_OK && (piece = json_in_next(&b.in)) > JSON_IN_END) {
        if (piece == JSON_IN_KEY)
            b.key = keep(t, &b.in);
        else if (piece == JSON_IN_OBJECT_END || piece == JSON_IN_ARRAY_END)
            b.depth--;
        else
            status = add(&b, piece, err);
    }
    if (status == CR_OK && b.in.error != NULL) {
        status = fail(err, CR_EFORMAT, NULL, "the body is no JSON: %s", b.in.error);
        err->column = json_in_at(&b.in);
    }
    if (status == CR_OK && t->texts.failed)
        status = fail(err, CR_ENOMEM, NULL, "out of memory");
    buffer_free(&room);
    if (status == CR_OK)
        settle(t);
    else
        json_tree_free(t);
    return status;
}

void json_tree_free(json_tree *t)
{
    free(t->node);
    buffer_free(&t->texts);
    *t = (json_tree){0};
}

const json_node *json_get(const json_node *node, const char *key)
{
    if (node == NULL || node->kind != JSON_IN_OBJECT)
        return NULL;
    for (const json_node *n = node->child; n != NULL; n = n->next)
        if (strcmp(n->key, key) == 0)
            return n->kind == JSON_IN_NULL ? NULL : n;
    return NULL;
}

const char *json_get_text(const json_node *node, const char *key, const char *fallback)
{
    const json_node *n = json_get(node, key);

    return n != NULL && n->kind == JSON_IN_STRING ? n->text : fallback;
}

double json_get_number(const json_node *node, const char *key, double fallback)
{
    const json_node *n = json_get(node, key);

    return n != NULL && n->kind == JSON_IN_NUMBER ? n->number : fallback;
}

bool json_get_flag(const json_node *node, const char *key)
{
    const json_node *n = json_get(node, key);

    return n != NULL && n->kind == JSON_IN_TRUE;
}

double *json_numbers(const json_node *array, size_t *count)
{
    double *x = NULL;
    size_t i = 0;

    *count = 0;
    if (array == NULL || array->kind != JSON_IN_ARRAY ||
        (x = malloc((array->count + 1) * sizeof *x)) == NULL)
        return NULL;
    for (const json_node *n = array->child; n != NULL; n = n->next)
        x[i++] = n->number;
    *count = i;
    return x;
}

const char **json_texts(const json_node *array, size_t *count)
{
    const char **x = NULL;
    size_t i = 0;

    *count = 0;
    if (array == NULL || array->kind != JSON_IN_ARRAY ||
        (x = malloc((array->count + 1) * sizeof *x)) == NULL)
        return NULL;
    for (const json_node *n = array->child; n != NULL; n = n->next)
        x[i++] = n->text != NULL ? n->text : "";
    *count = i;
    return x;
}
