/* serve/compute/compute.h - what the lectures show, computed for numbers that come with a request.
 *
 * A body is a JSON object. Where a table is needed it has "table", the text of a file (CSV unless
 * "format" says otherwise), and may have "target", "weight" and "types" (["COLUMN=KIND"]).
 */
#ifndef SERVE_COMPUTE_H
#define SERVE_COMPUTE_H

#include "service.h"

/* Run f with the body as a tree. */
cr_status compute_with(call *k, cr_status (*f)(call *k, const cr_json_value *body));

/* The table of a body. To be closed; the tree must live as long. */
cr_status compute_source(call *k, const cr_json_value *body, cr_source **out);

/* A model of the table by "learner", such as "nb:smoothing=none" (or fallback); or the Bayesian
 * network whose file is the text of "network". To be freed. */
cr_status compute_model(call *k, const cr_json_value *body, const char *learner, cr_model **out);

#endif
