/* stats/team_stats.h - the statistics of a team's members, added up. */
#ifndef CR_STATS_TEAM_STATS_H
#define CR_STATS_TEAM_STATS_H

#include "base/team.h"
#include "data/container.h"
#include "stats/stats.h"

/* Replace *stats, the member's own (NULL where its part has no rows), by the sum of all members'.
 * Sums go along a binomial tree to the first member, and from there to the others. CR_EFORMAT: no
 * member has any rows. *stats is freed and NULL after a failure. */
cr_status cr__team_sum_stats(const cr_team *team, cr__stats **stats, const cr_schema *schema,
                             cr_error *err);

/* *sum becomes the sum of both, or the one that there is (NULL: none); other is used up. */
cr_status cr__stats_add_part(cr__stats **sum, cr__stats *other, cr_error *err);

/* Statistics with the tally of their pass as sections, and back. */
void cr__stats_pack(const cr__stats *stats, const cr_tally *tally, cr__draft *draft);
cr_status cr__stats_unpack(cr__stats **out, const cr__container *container, const cr_schema *schema,
                           cr_tally *tally, cr_error *err);

#endif
