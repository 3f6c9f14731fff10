/* eval/taken_back.h - a model's answers to rows it has learned, each without the row's fold. */
#ifndef CR_EVAL_TAKEN_BACK_H
#define CR_EVAL_TAKEN_BACK_H

#include "data/table.h"
#include "model/model.h"

typedef struct cr__taken_back {
    const cr_model *model;
    const cr__table *table;
    const uint32_t *all; /* [labelled] rows of the table that were learned, ascending */
    size_t labelled;
    const uint32_t *row;  /* [rows] of them, ascending: those that are answered */
    const uint32_t *fold; /* [rows] */
    size_t rows, folds;
    double *score; /* [rows * classes] log P(class, row), not calibrated */
    int again;     /* train again also where rows could be taken back */
} cr__taken_back;

/* Whether a model cannot take rows back: one without a fold is trained again on all other rows. */
int cr__trains_again(const cr_model *model);

/* The scores, folds side by side; the same for any number of threads. CR_ECONFLICT: rows that were
 * not learned cannot be taken back. */
cr_status cr__taken_back_answer(const cr__taken_back *t, const cr_run *run, cr_error *err);

#endif
