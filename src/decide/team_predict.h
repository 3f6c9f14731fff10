/* decide/team_predict.h - the answers of a team's members, put in the order of the rows.
 *
 * Each member answers the rows of its part and keeps the answers in a temporary file, its spool.
 * When all are done, the spools are read in the order of the ranks: every member visits all
 * answers, as if it had given them itself, and the first one also writes their bytes.
 */
#ifndef CR_DECIDE_TEAM_PREDICT_H
#define CR_DECIDE_TEAM_PREDICT_H

#include <stdio.h>

#include "base/team.h"
#include "credence/decision.h"

typedef struct cr__spool {
    FILE *file;
    uint64_t frames;
} cr__spool;

cr_status cr__spool_open(cr__spool *spool, cr_error *err);
void cr__spool_close(cr__spool *spool);

/* Keep answers and the bytes that they were turned into. */
cr_status cr__spool_add(cr__spool *spool, const cr_predictions *p, const void *bytes, size_t size,
                        cr_error *err);

/* Pass the answers of all members to the sink, except the first member's own on that member, where
 * they were already delivered. `inside` replaces the origin of the rows. *rows is how many the
 * others have. */
cr_status cr__spool_replay(cr__spool *spool, const cr_team *team, const cr_sink *sink,
                           const struct cr__answers *inside, uint64_t *rows, cr_error *err);

#endif
