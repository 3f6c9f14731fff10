/* fuzz/fuzz_json.c - any bytes as JSON.
 *
 * What must hold: the tree is built if and only if the tokens reach the end; a rejected text has an
 * error with a position; what cr_json writes for a tree reads back as a tree for which it writes
 * the same bytes (the first time, numbers and bytes that are not UTF-8 may change).
 */
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#include "credence/json.h"
#include "credence/json_reader.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

static void check(int right)
{
    if (!right)
        abort();
}

/* Begin a value; whether it has members of its own to write. */
static int write_value(cr_json *j, const cr_json_value *v)
{
    switch (v->kind) {
    case CR_JSON_OBJECT: cr_json_object(j, v->key, CR_JSON_LINE); break;
    case CR_JSON_ARRAY: cr_json_array(j, v->key, CR_JSON_LINE); break;
    case CR_JSON_STRING: cr_json_bytes(j, v->key, v->text, v->size); return 0;
    case CR_JSON_NUMBER: cr_json_number(j, v->key, v->number); return 0;
    case CR_JSON_NULL: cr_json_text(j, v->key, NULL); return 0;
    default: cr_json_bool(j, v->key, v->kind == CR_JSON_TRUE); return 0;
    }
    if (v->child == NULL)
        cr_json_end(j);
    return v->child != NULL;
}

static void write_tree(cr_output *out, const cr_json_value *root)
{
    const cr_json_value *up[CR_JSON_READ_DEPTH], *v = root;
    size_t depth = 0;
    cr_json j;

    cr_json_start(&j, out);
    for (;;) {
        if (write_value(&j, v)) {
            up[depth++] = v;
            v = v->child;
            continue;
        }
        while (depth > 0 && v->next == NULL) {
            v = up[--depth];
            cr_json_end(&j);
        }
        if (depth == 0)
            return;
        v = v->next;
    }
}

static size_t depth_of(const cr_json_value *root)
{
    const cr_json_value *up[CR_JSON_READ_DEPTH], *v = root;
    size_t depth = 0, most = 0;

    for (;;) {
        if (v->child != NULL) {
            up[depth++] = v;
            v = v->child;
            most = depth > most ? depth : most;
            continue;
        }
        while (depth > 0 && v->next == NULL)
            v = up[--depth];
        if (depth == 0)
            return most;
        v = v->next;
    }
}

/* What is written of a tree. Free the output. */
static cr_output *written(const cr_json_value *root, const char **bytes, size_t *size)
{
    cr_output *out;

    check(cr_output_new(&out, NULL, NULL, NULL) == CR_OK);
    write_tree(out, root);
    *bytes = cr_output_data(out, size);
    return out;
}

static void check_round(const cr_json_value *root)
{
    const cr_json_value *again;
    const char *first, *second;
    size_t first_size, second_size;
    cr_output *a = written(root, &first, &first_size), *b;

    check(cr_json_parse(&again, first, first_size, NULL) == CR_OK);
    check(cr_json_values(again) == cr_json_values(root));
    b = written(again, &second, &second_size);
    check(first_size == second_size && memcmp(first, second, first_size) == 0);
    cr_output_free(a);
    cr_output_free(b);
    cr_json_free(again);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    const char *bytes = (const char *)data;
    const cr_json_value *root;
    cr_json_reader r = {0};
    cr_json_token token;
    cr_error err = {0};
    cr_status status = cr_json_parse(&root, bytes, size, &err);

    cr_json_reader_start(&r, bytes, size);
    while ((token = cr_json_read(&r)) > CR_JSON_END)
        check(cr_json_reader_offset(&r) <= size);
    check((token == CR_JSON_END) == (status == CR_OK) && (root != NULL) == (status == CR_OK));
    check(cr_json_reader_error(&r, NULL) == status);
    cr_json_reader_free(&r);
    check(status == CR_OK || (err.line > 0 && err.column > 0 && err.message[0] != '\0'));
    if (root != NULL && depth_of(root) < CR_JSON_DEPTH)
        check_round(root);
    cr_json_free(root);
    return 0;
}
