/* model/scorer.h - what a worker needs to score batches with a model of any kind. */
#ifndef CR_MODEL_SCORER_H
#define CR_MODEL_SCORER_H

#include "model/model.h"
#include "stats/text_plan.h"

/* It must not be moved after it is opened: the plan points into it. */
typedef struct cr__scorer {
    const cr_model *model;
    cr__plan plan; /* to fill batches through */
    cr__text_plan text;
    void *state; /* the learner's, or NULL */
} cr__scorer;    /* {0} is empty */

/* A plan with a model's columns, dictionaries, vocabularies and recipe. */
cr_status cr__model_plan(cr__text_plan *text, cr__plan *plan, const cr_model *model, cr_error *err);

cr_status cr__scorer_open(cr__scorer *s, const cr_model *model, cr_error *err);
void cr__scorer_close(cr__scorer *s);

/* score[row * classes + class] = log P(class, row). The words of the batch's texts are sorted. */
cr_status cr__scorer_score(cr__scorer *s, cr__batch *batch, double *score, cr_error *err);

/* The target of each row, for a regression. */
cr_status cr__scorer_regress(cr__scorer *s, cr__batch *batch, cr_regression *out, cr_error *err);

#endif
