/* decide/lessons.h - the content of lessons, and the words of a row's texts. */
#ifndef CR_DECIDE_LESSONS_H
#define CR_DECIDE_LESSONS_H

#include "credence/decision.h"
#include "data/table.h"

/* The rows waiting to be learned and to be unlearned. */
void cr__lessons_tables(const cr_lessons *lessons, const cr__table **learn,
                        const cr__table **unlearn);

#endif
