/* serve/json_in.h - JSON (RFC 8259) read piece by piece, without recursion and without a tree.
 *
 *     json_in in;
 *     json_in_start(&in, bytes, size, &room);
 *     while ((piece = json_in_next(&in)) > JSON_IN_END) ...
 *
 * A string or number is at in.text, in.size: in the bytes themselves, or unescaped in the room that
 * was given. It is valid until the next piece. After an error, in.error says what is wrong, and
 * json_in_at() where.
 */
#ifndef SERVE_JSON_IN_H
#define SERVE_JSON_IN_H

#include "buffer.h"

typedef enum json_piece {
    JSON_IN_ERROR = 0,
    JSON_IN_END, /* of the text */
    JSON_IN_OBJECT,
    JSON_IN_OBJECT_END,
    JSON_IN_ARRAY,
    JSON_IN_ARRAY_END,
    JSON_IN_KEY, /* of an object; its value is next */
    JSON_IN_STRING,
    JSON_IN_NUMBER, /* as it is spelled */
    JSON_IN_TRUE,
    JSON_IN_FALSE,
    JSON_IN_NULL
} json_piece;

enum { JSON_IN_DEPTH = 64 };

typedef struct json_in {
    const char *begin, *p, *end;
    buffer *room;
    const char *text;
    size_t size;
    const char *error;
    int depth;
    char open[JSON_IN_DEPTH]; /* '{' or '[' */
    char expect;              /* what may come: see json_in.c */
} json_in;

void json_in_start(json_in *in, const char *bytes, size_t size, buffer *room);
json_piece json_in_next(json_in *in);

/* The value of the next member of an object, if the member has this key, spelled as it is, and the
 * value is a number or a string without escapes: faster than piece by piece. JSON_IN_ERROR: it is
 * something else, or wrong; nothing has been read. */
json_piece json_in_member(json_in *in, const char *key, size_t size);

/* Pass over the value that begins with this piece. JSON_IN_ERROR, or the piece that ended it. */
json_piece json_in_skip(json_in *in, json_piece piece);

/* Where the reader is: the character, from 1. */
size_t json_in_at(const json_in *in);

/* Whether the string or key at hand is this text. */
bool json_in_is(const json_in *in, const char *text);

/* The number at hand as a double; a string is taken as one too. false: it is none. */
bool json_in_number(const json_in *in, double *out);

#endif
