/* decide/combine.h - weigh the members of an ensemble by answers that anyone has got from them. */
#ifndef CR_DECIDE_COMBINE_H
#define CR_DECIDE_COMBINE_H

#include "learners/ensemble/ensemble.h"

/* ln P(label | row, member) of rows, [rows * members], and their weights. */
typedef struct cr__member_answers {
    double *log_p, *weight;
    size_t rows, p_capacity, weight_capacity;
    uint64_t unlabelled;
    double *right; /* [members] weight of the rows that each answers correctly */
} cr__member_answers;

/* Room for so many rows more. */
int cr__member_answers_room(cr__member_answers *a, size_t more, size_t members);

/* A member's answer to a row of the truth, whose log posterior this is. */
void cr__member_answers_take(cr__member_answers *a, size_t row, size_t member, size_t members,
                             const double *log_posterior, size_t classes, size_t truth);

/* Fill in the answers of an ensemble's members. */
typedef cr_status cr__members_ask(void *context, const cr_model *ensemble, const cr_run *run,
                                  cr__member_answers *out, cr_error *err);

/* As cr_model_combine(), with answers that ask gives; NULL: there are none. */
cr_status cr__combine(cr_model **out, const cr_model *const *member, const char *const *name,
                      size_t count, cr__members_ask *ask, void *context, const char *const *params,
                      size_t param_count, const cr_run *run, cr_tally *tally, cr_error *err);

#endif
