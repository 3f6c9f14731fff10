/* sql/recent.h - recent rows, gathered to be compared with what a model has learned. */
#ifndef CREDENCE_SQL_RECENT_H
#define CREDENCE_SQL_RECENT_H

#include "credence/credence.h"

typedef struct recent recent;

/* Rows of a model's columns; the model is copied. */
cr_status recent_new(recent **out, const cr_model *model, cr_error *err);
void recent_free(recent *r); /* NULL is allowed */

/* The values of the next row by columns of the model's schema; what is not set is missing. A text
 * is copied; in a real column it is left out. CR_ENOMEM. */
cr_status recent_begin_row(recent *r);
void recent_set_real(recent *r, size_t column, double x);
cr_status recent_set_text(recent *r, size_t column, const char *bytes, size_t size);

/* What has changed, as JSON. */
cr_status recent_drift(const recent *r, cr_output *out, cr_error *err);

#endif
