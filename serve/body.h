/* serve/body.h - the rows of a request: one by one from JSON, or as a source of the library.
 *
 * Plain JSON goes straight from the bytes of the body into the columns of a row. Whatever is not
 * plain (a nested object, a string for a number, a column that is lacking) is left to the library's
 * reader of JSON Lines, which knows all of it and has the words for what is wrong.
 */
#ifndef SERVE_BODY_H
#define SERVE_BODY_H

#include "service.h"

typedef enum body_row {
    BODY_ROW,  /* the row of the view is filled */
    BODY_ODD,  /* it needs the library's reader */
    BODY_WRONG /* it is not JSON */
} body_row;

/* Fill the view's row from the object whose first token has been read. A key that is absent, or
 * null, is missing. */
body_row body_fill(call *k, cr_json_reader *in);

/* What the body is: what its type says, or its first character. */
media body_type(const request *r);

/* Whether a JSON body is an array: then the answer is one too. */
bool body_is_array(const request *r);

/* The type of the answer: the one the client accepts, or that of the body. */
media body_answer(const request *r);

/* The body as a source, with the parameters of the request: format, delimiter, type, target…
 * JSON objects and arrays of them become lines first. model tells what is missing; NULL: none. */
cr_status body_source(call *k, const cr_model *model, cr_source **out);

/* What the library noted about the source, for the answer's header Credence-Note. */
void body_notes(call *k, const cr_source *source);

/* The objects of a JSON body, one on each line, in memory or in the worker's file. */
cr_status body_lines(call *k, const char **bytes, size_t *size);

/* Call it now and then while a large body is read, so that its pages need not stay in memory. */
void body_rest(call *k);

/* The fields of a row that was answered, as members of an object. */
void body_fields(const cr_predictions *p, size_t row, cr_output *out);

/* The class that a parameter names into *out, which stays where it is not given. */
cr_status body_class(call *k, const char *name, int32_t *out);

/* cost, reject and priors of the request; *out is NULL without any of them. To be freed. */
cr_status body_rule(call *k, cr_rule **out);

#endif
