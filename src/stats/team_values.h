/* stats/team_values.h - a column that is cut by the numbers of all members of a team. */
#ifndef CR_STATS_TEAM_VALUES_H
#define CR_STATS_TEAM_VALUES_H

#include "base/team.h"
#include "data/bins.h"
#include "stats/values.h"

/* own: the member's numbers, without classes. The first member gets those of all and cuts them; the
 * cuts go to all. */
cr_status cr__team_cut_values(const cr_team *team, const cr__values *own, cr__cut_rule rule,
                              cr__cuts *out, cr_error *err);

#endif
