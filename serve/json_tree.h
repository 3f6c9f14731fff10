/* serve/json_tree.h - a small JSON text as a tree, for requests that are more than rows. */
#ifndef SERVE_JSON_TREE_H
#define SERVE_JSON_TREE_H

#include "credence/status.h"
#include "json_in.h"

typedef struct json_node {
    json_piece kind;  /* OBJECT, ARRAY, STRING, NUMBER, TRUE, FALSE, NULL */
    const char *key;  /* in an object; NULL in an array */
    const char *text; /* of a string */
    size_t size;      /* of the text, which may have a NUL in it */
    double number;
    size_t count;                   /* of members */
    struct json_node *child, *next; /* the first member; the next in the same parent */
} json_node;

typedef struct json_tree {
    json_node *node; /* [room]; the first is the root */
    size_t count, room;
    buffer texts;
} json_tree;

enum { JSON_TREE_NODES = 1 << 21 };

/* Read a text. To be freed. CR_EFORMAT: it is no JSON; CR_ELIMIT: too many values. */
cr_status json_tree_read(json_tree *t, const char *bytes, size_t size, cr_error *err);
void json_tree_free(json_tree *t);

/* A member of an object; NULL: none, or it is null. node may be NULL. */
const json_node *json_get(const json_node *node, const char *key);

/* A member that is a string, a number, a truth; the fallback where there is none such. */
const char *json_get_text(const json_node *node, const char *key, const char *fallback);
double json_get_number(const json_node *node, const char *key, double fallback);
bool json_get_flag(const json_node *node, const char *key);

/* The numbers of an array into an array to be freed, NaN for what is no number; NULL where node is
 * no array or memory is out. */
double *json_numbers(const json_node *array, size_t *count);

/* The strings of an array, borrowed, in an array to be freed; "" for what is no string. */
const char **json_texts(const json_node *array, size_t *count);

#endif
