/* cli/session/team.h - the command as one member of a team of processes (credence/team.h).
 *
 * The environment variable CREDENCE_TEAM names the library of a transport. Only the first member
 * writes: the others' standard output and files go nowhere, and what they would tell is kept until
 * the end, when it is known whether they failed alone.
 */
#ifndef CLI_SESSION_TEAM_H
#define CLI_SESSION_TEAM_H

#include <stdbool.h>

#include "credence/credence.h"

/* Join the team, if there is one. Call it before anything else. Returns an exit status. */
int team_join(void);

/* End the command with an exit status, which is returned; if this member has failed and the others
 * have not, it ends them all. */
int team_leave(int code);

const cr_team *team_of_process(void); /* NULL: there is none */
bool team_is_first(void);             /* or this process is alone */
int team_rank(void);                  /* from 0 */

/* How the team reads: its own files, and a folder for finished parts (or NULL). */
void team_configure(bool local, const char *checkpoint);

/* The others wait until the first member arrives: it holds a lock for all of them. */
void team_wait_for_first(void);

/* Say that only the first member needs the next trained model: the others may get none. */
void team_first_only(bool first_only);

#endif
