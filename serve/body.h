/* serve/body.h - the rows of a request: one by one from JSON, or as a source of the library. */
#ifndef SERVE_BODY_H
#define SERVE_BODY_H

#include "service.h"

typedef enum body_row {
    BODY_ROW,  /* the view's row is filled */
    BODY_ODD,  /* it needs the library's reader */
    BODY_WRONG /* it is not JSON */
} body_row;

/* Fill the view's row from the object whose first token has been read. Absent keys and null are
 * missing values. */
body_row body_fill(call *k, cr_json_reader *in);

/* The type of the body: its Content-Type, or else guessed from its first character. */
media body_type(const request *r);

/* Whether a JSON body is an array: the answer is then one too. */
bool body_is_array(const request *r);

/* The type of the answer: the one the client accepts, or that of the body. */
media body_answer(const request *r);

/* The body as a source, with the parameters of the request: format, delimiter, type, target… JSON
 * objects and arrays become lines first. model defines what is missing; it may be NULL. */
cr_status body_source(call *k, const cr_model *model, cr_source **out);

/* The library's notes about the source, for the answer's header Credence-Note. */
void body_notes(call *k, const cr_source *source);

/* The objects of a JSON body, one on each line, in memory or in the worker's file. */
cr_status body_lines(call *k, const char **bytes, size_t *size);

/* Call it regularly while a large body is read, so that its pages need not stay in memory. */
void body_rest(call *k);

/* The fields of an answered row, as members of an object. */
void body_fields(const cr_predictions *p, size_t row, cr_output *out);

/* Set *out to the class that a parameter names; unchanged if the parameter is absent. */
cr_status body_class(call *k, const char *name, int32_t *out);

/* The rule from cost, reject and priors of the request; *out is NULL without any. Free it. */
cr_status body_rule(call *k, cr_rule **out);

#endif
