/* stats/cross_team.h - cross products of rows that the members of a team have read.
 *
 * Products are rounded, so that their sums depend on the order in which they are added. A team adds
 * them in the order that one process has. Each member reads its part and keeps the rows. Then a
 * state goes from member to member, as if it went on where the last one ended: the values met so
 * far, the shifts, and the rows of blocks that are not full. With it a member deals its rows out to
 * blocks, which is quick, hands the state on, and multiplies, which all members do at the same
 * time. At last the sums go the same way, and each member adds its own.
 */
#ifndef CR_STATS_CROSS_TEAM_H
#define CR_STATS_CROSS_TEAM_H

#include "base/team.h"
#include "stats/cross_gather.h"
#include "stats/stats.h"

/* From now on a gather keeps the rows that are delivered, and does nothing else with them. Its
 * limit is one of their bytes, too. */
void cr__cross_gather_record(cr__cross_gather *gather);

/* The products of the rows that all members have recorded, in the order of ranks: into stats, which
 * are those of all rows. Called by all members. */
cr_status cr__cross_team_finish(const cr_team *team, cr__cross_gather *recorded, int threads,
                                cr__stats *stats, cr_error *err);

#endif
