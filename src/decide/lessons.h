/* decide/lessons.h - what lessons hold, and the words of a row's texts. */
#ifndef CR_DECIDE_LESSONS_H
#define CR_DECIDE_LESSONS_H

#include "credence/decision.h"
#include "data/table.h"

/* The rows that wait to be learned and to be taken back. */
void cr__lessons_tables(const cr_lessons *lessons, const cr__table **learn,
                        const cr__table **unlearn);

#endif
