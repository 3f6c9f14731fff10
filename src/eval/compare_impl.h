/* eval/compare_impl.h - shared by both ways to compare learners. */
#ifndef CR_EVAL_COMPARE_IMPL_H
#define CR_EVAL_COMPARE_IMPL_H

#include "credence/compare.h"

/* CR_EARG: there is no such learner, or it has no such knob. */
cr_status cr__compare_check(const cr_spec *spec, cr_error *err);

/* Whether the error is due to the learner and this table, not to the file or the machine. */
int cr__compare_unable(cr_status st);

/* Add the name of the learner that failed, unless a file is at fault; returns the status. */
cr_status cr__compare_blame(const char *name, cr_status st, cr_error *err);

#endif
