/* sql/recent.h - collect recent rows to compare them with a model's training data. */
#ifndef CREDENCE_SQL_RECENT_H
#define CREDENCE_SQL_RECENT_H

#include "credence/credence.h"

typedef struct recent recent;

/* Rows of a model's columns; the model is copied. */
cr_status recent_new(recent **out, const cr_model *model, cr_error *err);
void recent_free(recent *r); /* NULL is allowed */

/* Set the values of the next row by columns of the model's schema; values not set are missing. A
 * text is copied; in a real column it is ignored. CR_ENOMEM. */
cr_status recent_begin_row(recent *r);
void recent_set_real(recent *r, size_t column, double x);
cr_status recent_set_text(recent *r, size_t column, const char *bytes, size_t size);

/* The changes, as JSON. */
cr_status recent_drift(const recent *r, cr_output *out, cr_error *err);

#endif
