/* stats/text_plan.h - put texts into batches by a vocabulary that does not grow. */
#ifndef CR_STATS_TEXT_PLAN_H
#define CR_STATS_TEXT_PLAN_H

#include "data/batch.h"
#include "stats/bag.h"
#include "text/tokenizer.h"

/* The vocabulary of a bag column. */
typedef const cr__words *cr__words_of(const void *context, size_t column);

typedef struct cr__text_plan {
    cr__words_of *words;
    const void *context;
    cr__tokenizer *tokenizer;
} cr__text_plan; /* {0} is empty */

/* Prepare a worker's plan: dictionaries, and words when there are texts to read. Words that are not
 * in the vocabulary are skipped. */
cr_status cr__text_plan_begin(cr__text_plan *text, cr__plan *plan, const cr_schema *schema,
                              cr__dict **dict, const cr__recipe *recipe, cr__words_of *words,
                              const void *context, cr_error *err);

void cr__text_plan_close(cr__text_plan *text);

/* Sort the words of every text of the batch, as scoring requires. */
void cr__text_plan_sort(cr__batch *batch);

#endif
