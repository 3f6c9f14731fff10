/* sql/answer.h - answers of a model as texts: JSON, derivations, explanations. */
#ifndef CREDENCE_SQL_ANSWER_H
#define CREDENCE_SQL_ANSWER_H

#include "credence/credence.h"

/* {"CLASS": p, ...}. The caller owns the output. */
void answer_proba(const cr_model *model, const double *posterior, cr_output *out);

/* The answer to a question, as JSON; for a probability the number itself. */
cr_status answer_query(const cr_model *model, const char *question, cr_output *out, cr_error *err);

/* The derivation for a row, as text. */
cr_status answer_work(cr_row *row, const cr_model *model, cr_output *out, cr_error *err);

/* One factor of an explanation: what it adds to the log-odds of the decision against the second
 * best class. */
typedef struct answer_factor {
    char *factor, *value;
    double log_odds;
} answer_factor;

/* The factors of a row. Free them. */
cr_status answer_explain(cr_row *row, answer_factor **out, size_t *count, cr_error *err);
void answer_factors_free(answer_factor *factor, size_t count);

#endif
