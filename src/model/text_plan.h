/* model/text_plan.h - put texts into batches by a model's own vocabulary. */
#ifndef CR_MODEL_TEXT_PLAN_H
#define CR_MODEL_TEXT_PLAN_H

#include "model/model.h"
#include "text/tokenizer.h"

typedef struct cr__text_plan {
    const cr_model *model;
    cr__tokenizer *tokenizer;
} cr__text_plan; /* {0} is empty */

/* Prepare a worker's plan for the model: its dictionaries, and its words when it reads texts. */
cr_status cr__text_plan_open(cr__text_plan *text, cr__plan *plan, const cr_model *model,
                             cr_error *err);
void cr__text_plan_close(cr__text_plan *text);

/* Sort the words of every text of the batch, as scoring wants them. */
void cr__text_plan_sort(cr__batch *batch);

#endif
