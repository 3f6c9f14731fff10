/* sql/judge.h - test a model on rows that come one by one: classes and numbers. */
#ifndef CREDENCE_SQL_JUDGE_H
#define CREDENCE_SQL_JUDGE_H

#include "credence/credence.h"

typedef struct judge judge;

/* The model is copied. */
cr_status judge_new(judge **out, const cr_model *model, cr_error *err);
void judge_free(judge *j); /* NULL is allowed */

/* Add a row with its true value; truth NULL: it has none, and is counted as such. CR_EARG: truth is
 * not a number although the model predicts numbers. */
cr_status judge_add(judge *j, cr_row *row, const char *truth, size_t size, cr_error *err);

/* All figures, as JSON. CR_EFORMAT: no row had a true value. */
cr_status judge_report(const judge *j, cr_output *out, cr_error *err);

/* Whether a model predicts numbers, not classes. */
int judge_is_regression(const cr_model *model);

#endif
