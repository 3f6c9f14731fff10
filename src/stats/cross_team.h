/* stats/cross_team.h - cross products of rows that the members of a team have read.
 *
 * Products are rounded, so their sums depend on the order of addition. A team adds them in the same
 * order as a single process. Each member reads its part and keeps the rows. Then a state is passed
 * from member to member, each continuing where the previous one ended: the values met so far, the
 * shifts, and the rows of blocks that are not full. With it a member distributes its rows over
 * blocks, which is quick, passes the state on, and multiplies, which all members do at the same
 * time. Finally the sums are passed along in the same way, and each member adds its own.
 */
#ifndef CR_STATS_CROSS_TEAM_H
#define CR_STATS_CROSS_TEAM_H

#include "base/team.h"
#include "stats/cross_gather.h"
#include "stats/stats.h"

/* From now on a gather keeps the rows that are delivered, and does nothing else with them. Its
 * limit applies to their bytes, too. */
void cr__cross_gather_record(cr__cross_gather *gather);

/* The products of the rows that all members have recorded, in the order of ranks: into stats, which
 * are those of all rows. Called by all members. */
cr_status cr__cross_team_finish(const cr_team *team, cr__cross_gather *recorded, int threads,
                                cr__stats *stats, cr_error *err);

#endif
