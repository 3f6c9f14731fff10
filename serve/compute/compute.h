/* serve/compute/compute.h - examples of lectures, computed for the numbers of a request.
 *
 * A body is a JSON object. Where a table is needed it has "table", the text of a file (CSV unless
 * "format" says otherwise), and may have "target", "weight" and "types" (["COLUMN=KIND"]).
 */
#ifndef SERVE_COMPUTE_H
#define SERVE_COMPUTE_H

#include "service.h"

/* Call f with the body as a tree. */
cr_status compute_with(call *k, cr_status (*f)(call *k, const cr_json_value *body));

/* The table of a body. Close it; the tree must outlive it. */
cr_status compute_source(call *k, const cr_json_value *body, cr_source **out);

/* A model of the table by "learner", such as "nb:smoothing=none" (or fallback); or the Bayesian
 * network whose file is the text of "network". Free it. */
cr_status compute_model(call *k, const cr_json_value *body, const char *learner, cr_model **out);

#endif
