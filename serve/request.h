/* serve/request.h - a request, independent of the transport: method, path, parameters, body.
 *
 * A request is parsed from the raw target ("/models/iris/predict?proba&reject=0.2") here and
 * not by the HTTP library, so that all of it can be tested and fuzzed without a socket.
 */
#ifndef SERVE_REQUEST_H
#define SERVE_REQUEST_H

#include "buffer.h"
#include "credence/credence.h"

enum { REQUEST_SEGMENTS = 8, REQUEST_PARAMETERS = 64 };

typedef enum request_method { METHOD_GET, METHOD_HEAD, METHOD_POST, METHOD_OTHER } request_method;

/* The type of a body or of an answer. */
typedef enum media {
    MEDIA_NONE,  /* not given */
    MEDIA_JSON,  /* application/json: one object, or an array of them */
    MEDIA_JSONL, /* application/x-ndjson, application/jsonl */
    MEDIA_CSV,   /* text/csv */
    MEDIA_MAIL,  /* message/rfc822 */
    MEDIA_OTHER  /* any other file, whose format is found by its content */
} media;

typedef struct parameter {
    const char *name, *value; /* decoded; the value is "" if there is no = */
} parameter;

typedef struct request {
    request_method method;
    size_t segments; /* of the path, decoded */
    const char *segment[REQUEST_SEGMENTS];
    size_t parameters;
    parameter parameter[REQUEST_PARAMETERS];
    buffer words; /* their texts */

    media type, accept;
    const char *key;   /* Idempotency-Key, or NULL */
    const char *match; /* If-None-Match, or NULL */
    const char *who;   /* the name of its token, or its address */
    const char *body;  /* valid while it is answered */
    size_t size;
    size_t head;               /* bytes of JSON before binary tensors; 0: all of them */
    const struct spool *large; /* the file of the body; NULL: in memory */
} request;

/* Parse the target. CR_EARG, CR_ELIMIT: it is not a path, or too long, or has too many parts. */
cr_status request_parse(request *r, request_method method, const char *target, cr_error *err);
void request_clear(request *r); /* for reuse */
void request_free(request *r);

/* A parameter's value; NULL if absent. A flag is set if it is given, except as 0, false or no. A
 * number is `fallback` if absent; CR_EARG: it is not a number. */
const char *request_text(const request *r, const char *name);
bool request_flag(const request *r, const char *name);
cr_status request_number(const request *r, const char *name, double fallback, double *out,
                         cr_error *err);

/* A whole number from low to high; *out is unchanged if the parameter is absent. */
cr_status request_count(const request *r, const char *name, size_t low, size_t high, size_t *out,
                        cr_error *err);

/* The type in a Content-Type or an Accept header; NULL is MEDIA_NONE. */
media media_of(const char *header);

/* Clear an error without clearing all of its texts, which are large. */
void error_clear(cr_error *err);

/* Set an error of the server. Returns the status. */
cr_status fail(cr_error *err, cr_status status, const char *hint, const char *format, ...)
    __attribute__((format(printf, 4, 5)));

#endif
