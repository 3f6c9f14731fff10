/* eval/compare_impl.h - what both ways to compare learners share. */
#ifndef CR_EVAL_COMPARE_IMPL_H
#define CR_EVAL_COMPARE_IMPL_H

#include "credence/compare.h"

/* CR_EARG: there is no such learner, or it has no such knob. */
cr_status cr__compare_check(const cr_spec *spec, cr_error *err);

/* Whether the learner is at fault for this table, and not the file or the machine. */
int cr__compare_unable(cr_status st);

/* Name who failed, where no file is to blame; the status. */
cr_status cr__compare_blame(const char *name, cr_status st, cr_error *err);

#endif
