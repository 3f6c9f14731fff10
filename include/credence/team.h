/* credence/team.h - several processes that train and judge as one.
 *
 * The members of a team run the same program on the same arguments. Each reads its share of the
 * data, and the counts are added up exactly, so the result has the same bytes as that of one
 * process. The library itself does no communication: a transport, such as MPI, fills in a cr_team,
 * which goes into the cr_run of every call. All members must make the calls that take such a run in
 * the same order, each from one thread.
 *
 * What is divided: the passes that gather statistics (cr_model_train, cr_model_learn,
 * cr_model_unlearn), prediction, and the folds and candidates of cross-validation, tuning and
 * comparison. Everything else is done by every member, with the same result.
 */
#ifndef CREDENCE_TEAM_H
#define CREDENCE_TEAM_H

#include "credence/status.h"

#ifdef __cplusplus
extern "C" {
#endif

typedef struct cr_team {
    size_t size;            /* sizeof(cr_team), or 0: see run.h */
    int rank;               /* this member: 0 … ranks - 1 */
    int ranks;              /* how many there are */
    int local;              /* each member has files of its own: they are read whole, not divided */
    const char *checkpoint; /* a folder that keeps the statistics of finished parts, so that a
                             * second run reads only the rest; NULL: none */

    /* Send bytes to another member, or receive exactly `size` bytes from one, in the order in which
     * they were sent. Both may wait for the other side. A failure ends the work. */
    cr_status (*send)(void *context, int to, const void *bytes, size_t size, cr_error *err);
    cr_status (*receive)(void *context, int from, void *bytes, size_t size, cr_error *err);
    void *context;

    int first_only; /* only the first member needs the model: where possible, cr_model_train() gives
                     * the others CR_OK and NULL, and less is sent */
} cr_team;

#define CR_TEAM_INIT                                                                               \
    {                                                                                              \
        sizeof(cr_team), 0, 1, 0, NULL, NULL, NULL, NULL, 0                                        \
    }

/* A transport is a shared library with these three functions; the command opens the one that the
 * environment variable CREDENCE_TEAM names. credence_team_join() fills in the team. At the end each
 * member calls credence_team_leave() with its exit status: it returns 1 if all members ended with
 * the same status, otherwise 0. A member that failed while others did not then calls
 * credence_team_abort(), which ends all of them. */
cr_status credence_team_join(cr_team *team, cr_error *err);
int credence_team_leave(int status);
void credence_team_abort(int status);

#ifdef __cplusplus
}
#endif
#endif
