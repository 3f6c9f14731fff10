/* serve/answer.h - what a client gets: status, type, bytes. */
#ifndef SERVE_ANSWER_H
#define SERVE_ANSWER_H

#include "buffer.h"
#include "credence/credence.h"

typedef struct answer {
    unsigned status;   /* of HTTP */
    const char *type;  /* of the content; static */
    buffer body;       /* the bytes, unless */
    const void *fixed; /* they are these, which stay */
    size_t fixed_size;
    const char *etag; /* static, or NULL */
    buffer name;      /* of a file to be stored, for a header; empty: none */
    buffer notes;     /* on what was asked, for a header */
    cr_output *out;   /* writes into the body */
} answer;

#define TYPE_JSON "application/json"
#define TYPE_JSONL "application/x-ndjson"
#define TYPE_CSV "text/csv; charset=utf-8; header=present"
#define TYPE_SVG "image/svg+xml"
#define TYPE_HTML "text/html; charset=utf-8"
#define TYPE_TEXT "text/plain; charset=utf-8"
#define TYPE_BYTES "application/octet-stream"

cr_status answer_new(answer *a, cr_error *err);
void answer_clear(answer *a);
void answer_free(answer *a);

/* The status of HTTP that stands for one of the library. */
unsigned answer_status(cr_status status);

/* Settings that an error speaks of, as parameters of a query: see cr_error_message(). */
cr_hint_words answer_hint_words;

/* Begin anew with an error: {"error": "message", "hint": …, "file": …, "line": …, "column": …}. */
void answer_fail(answer *a, cr_status status, const cr_error *err);
void answer_refuse(answer *a, unsigned http, const char *hint, const char *format, ...)
    __attribute__((format(printf, 4, 5)));

#endif
