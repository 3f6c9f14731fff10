/* train/assemble.h - an ensemble of models. */
#ifndef CR_TRAIN_ASSEMBLE_H
#define CR_TRAIN_ASSEMBLE_H

#include "learners/ensemble/ensemble.h"

/* An ensemble without weights; what is in models and name is copied. */
cr_status cr__ensemble_assemble(cr_model **out, const cr_model *const *model,
                                const char *const *name, size_t count, const cr__knobs *knobs,
                                cr_error *err);

#endif
