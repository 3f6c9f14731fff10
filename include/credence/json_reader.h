/* credence/json_reader.h - read JSON (RFC 8259), token by token or as a tree.
 *
 *     cr_json_reader r = {0};
 *     cr_json_token token;
 *
 *     cr_json_reader_start(&r, bytes, size);
 *     while ((token = cr_json_read(&r)) > CR_JSON_END)
 *         ...
 *     status = cr_json_reader_error(&r, &err);
 *     cr_json_reader_free(&r);
 *
 * Objects and arrays nest up to CR_JSON_READ_DEPTH levels; nothing here recurses. Strings become
 * UTF-8; half of a surrogate pair becomes U+FFFD. A reader belongs to one thread at a time; a tree
 * does not change, so any number of threads may use it.
 */
#ifndef CREDENCE_JSON_READER_H
#define CREDENCE_JSON_READER_H

#include "credence/status.h"

#ifdef __cplusplus
extern "C" {
#endif

typedef enum cr_json_token {
    CR_JSON_ERROR = 0,
    CR_JSON_END, /* of the text */
    CR_JSON_OBJECT,
    CR_JSON_OBJECT_END,
    CR_JSON_ARRAY,
    CR_JSON_ARRAY_END,
    CR_JSON_KEY, /* of an object; its value is next */
    CR_JSON_STRING,
    CR_JSON_NUMBER,
    CR_JSON_TRUE,
    CR_JSON_FALSE,
    CR_JSON_NULL
} cr_json_token;

enum { CR_JSON_READ_DEPTH = 64, CR_JSON_VALUES_MAX = 1 << 21 };

/* --- token by token ---------------------------------------------------------------------------
 *
 * {0} is an idle reader. It may be started again and again, and keeps its memory meanwhile. text
 * and size are those of the string, key or number that was read last (a number as it is spelled),
 * valid until the next call; there is no NUL behind them. The other members are private. */
typedef struct cr_json_reader {
    const char *text;
    size_t size;
    const char *begin, *p, *end;
    const char *error;
    char *unescaped;
    size_t capacity;
    int depth, expect;
    char open[CR_JSON_READ_DEPTH];
} cr_json_reader;

/* Begin with the first token of size bytes, which must stay valid while they are read. */
void cr_json_reader_start(cr_json_reader *r, const char *bytes, size_t size);

/* Free the memory for unescaped strings; the reader is idle again. */
void cr_json_reader_free(cr_json_reader *r);

/* The next token. After CR_JSON_ERROR or CR_JSON_END it stays the same. */
cr_json_token cr_json_read(cr_json_reader *r);

/* The value of the next member of an object, if the member has this key, spelled without escapes,
 * and its value is a number or a string without escapes: faster than token by token. CR_JSON_ERROR
 * means that the member is a different one; then nothing was read. */
cr_json_token cr_json_read_member(cr_json_reader *r, const char *key, size_t size);

/* Pass over the rest of the value that begins with this token. Returns the token that ended it, or
 * CR_JSON_ERROR. */
cr_json_token cr_json_skip(cr_json_reader *r, cr_json_token token);

/* How many bytes have been read: the last token ends there. */
size_t cr_json_reader_offset(const cr_json_reader *r);

/* Whether the string, key or number read last is this text. */
int cr_json_reader_is(const cr_json_reader *r, const char *text);

/* The number read last, or a string that spells one. CR_EFORMAT: it is not a finite number. */
cr_status cr_json_reader_number(const cr_json_reader *r, double *out);

/* What is wrong, with its line and column. CR_OK: nothing; CR_EFORMAT: the text is not JSON;
 * CR_ELIMIT: it is nested too deeply; CR_ENOMEM. */
cr_status cr_json_reader_error(const cr_json_reader *r, cr_error *err);

/* --- as a tree -------------------------------------------------------------------------------- */

typedef struct cr_json_value {
    cr_json_token kind; /* OBJECT, ARRAY, STRING, NUMBER, TRUE, FALSE or NULL */
    const char *key;    /* in an object; NULL elsewhere */
    const char *text;   /* of a string, ends in NUL; NULL for other values */
    size_t size;        /* of the text, which may contain NULs */
    double number;      /* NaN for other values, and for numbers too large for a double */
    size_t count;       /* of members */
    const struct cr_json_value *child, *next; /* first member; next one in the same parent */
} cr_json_value;

/* Read a whole text; the tree refers to nothing of it. CR_EFORMAT and CR_ELIMIT (also for more than
 * CR_JSON_VALUES_MAX values) name the line and column. Free the root with cr_json_free(). */
cr_status cr_json_parse(const cr_json_value **root, const char *bytes, size_t size, cr_error *err);
void cr_json_free(const cr_json_value *root); /* NULL is allowed */

/* How many values a tree has in all. root may be NULL. */
size_t cr_json_values(const cr_json_value *root);

/* The member of an object with this key, the first if there are several. NULL if there is none, or
 * if it is null, or if value is NULL or not an object. */
const cr_json_value *cr_json_get(const cr_json_value *value, const char *key);

/* A member that is a string or a number; `fallback` if there is no such member. Whether a member
 * is true. */
const char *cr_json_get_text(const cr_json_value *value, const char *key, const char *fallback);
double cr_json_get_number(const cr_json_value *value, const char *key, double fallback);
int cr_json_get_flag(const cr_json_value *value, const char *key);

#ifdef __cplusplus
}
#endif
#endif
