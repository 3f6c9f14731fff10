/* tests/support/team.h - a team whose members are threads of the test. */
#ifndef TESTS_SUPPORT_TEAM_H
#define TESTS_SUPPORT_TEAM_H

#include "credence/team.h"

/* Run work(context, team) once for each of this many members, all at the same time. */
void run_team(int members, void (*work)(void *context, const cr_team *team), void *context);

#endif
