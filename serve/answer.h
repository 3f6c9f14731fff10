/* serve/answer.h - what a client gets: status, type, bytes. */
#ifndef SERVE_ANSWER_H
#define SERVE_ANSWER_H

#include "buffer.h"
#include "credence/credence.h"

enum { ANSWER_BLOCK = 1 << 20 }; /* bytes of an answer that stay in memory */

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

    /* An answer that may be long is sent while it is written, when the endpoint says that it
     * streams: then nothing that was written can be taken back. */
    bool streams;
    cr_status (*flow)(void *context, struct answer *a); /* takes the body; NULL: it is kept */
    void *flow_context;
    bool flowing;     /* some of it has been sent */
    cr_status failed; /* of flow */
} answer;

#define TYPE_JSON "application/json"
#define TYPE_JSONL "application/x-ndjson"
#define TYPE_CSV "text/csv; charset=utf-8; header=present"
#define TYPE_SVG "image/svg+xml"
#define TYPE_HTML "text/html; charset=utf-8"
#define TYPE_TEXT "text/plain; charset=utf-8"
#define TYPE_BYTES "application/octet-stream"

/* Writes into a buffer, for cr_output_new(). */
cr_status buffer_write(void *to, const char *bytes, size_t size);

cr_status answer_new(answer *a, cr_error *err);
void answer_clear(answer *a);
void answer_free(answer *a);

/* The status of HTTP that stands for one of the library. */
unsigned answer_status(cr_status status);

/* Settings that an error mentions, as parameters of a query: see cr_error_message(). */
cr_hint_words answer_hint_words;

/* End with an error an answer of which a part has been sent: clients that read lines find it in the
 * last one, and all clients miss the end. */
void answer_cut(answer *a, cr_status status, const cr_error *err);

/* Replace the answer by an error: {"error": "message", "hint": …, "file": …, "line": …, "column":
 * …}. */
void answer_fail(answer *a, cr_status status, const cr_error *err);
void answer_refuse(answer *a, unsigned http, const char *hint, const char *format, ...)
    __attribute__((format(printf, 4, 5)));

#endif
