/* serve/answer.h - the answer to a client: status, type, bytes. */
#ifndef SERVE_ANSWER_H
#define SERVE_ANSWER_H

#include "buffer.h"
#include "credence/credence.h"

enum { ANSWER_BLOCK = 1 << 20 }; /* bytes of an answer that are kept in memory */

typedef struct answer {
    unsigned status;   /* HTTP status */
    const char *type;  /* content type; static */
    buffer body;       /* the bytes, unless */
    const void *fixed; /* they are these, which are static */
    size_t fixed_size;
    const char *etag; /* static, or NULL */
    buffer name;      /* file name for a download header; empty: none */
    buffer notes;     /* notes on the request, for a header */
    cr_output *out;   /* writes into the body */

    /* A long answer is sent while it is written, if the endpoint sets streams: nothing that was
     * written can then be taken back. */
    bool streams;
    cr_status (*flow)(void *context, struct answer *a); /* sends the body; NULL: it is kept */
    void *flow_context;
    bool flowing;     /* some of it has been sent */
    cr_status failed; /* status of flow */
} answer;

#define TYPE_JSON "application/json"
#define TYPE_JSONL "application/x-ndjson"
#define TYPE_CSV "text/csv; charset=utf-8; header=present"
#define TYPE_SVG "image/svg+xml"
#define TYPE_HTML "text/html; charset=utf-8"
#define TYPE_TEXT "text/plain; charset=utf-8"
#define TYPE_BYTES "application/octet-stream"

/* Write into a buffer, for cr_output_new(). */
cr_status buffer_write(void *to, const char *bytes, size_t size);

cr_status answer_new(answer *a, cr_error *err);
void answer_clear(answer *a);
void answer_free(answer *a);

/* The HTTP status for a status of the library. */
unsigned answer_status(cr_status status);

/* Settings in an error message, as query parameters: see cr_error_message(). */
cr_hint_words answer_hint_words;

/* End a partly sent answer with an error. Clients that read lines find it in the last line, and all
 * clients see that the answer is incomplete. */
void answer_cut(answer *a, cr_status status, const cr_error *err);

/* Replace the answer by an error: {"error": "message", "hint": …, "file": …, "line": …, "column":
 * …}. */
void answer_fail(answer *a, cr_status status, const cr_error *err);
void answer_refuse(answer *a, unsigned http, const char *hint, const char *format, ...)
    __attribute__((format(printf, 4, 5)));

#endif
