/* stats/team_stats.h - the statistics of a team's members, added up. */
#ifndef CR_STATS_TEAM_STATS_H
#define CR_STATS_TEAM_STATS_H

#include "base/team.h"
#include "data/container.h"
#include "stats/stats.h"

/* Replace *stats, the member's own (NULL where its part has no rows), by the sum of all members'.
 * Words are added up by shares of the vocabulary (team_bags.h), all else along a binomial tree; the
 * first member has the sum, which goes to the others unless first_only is set: then they get NULL.
 * What was sent and how long it took is added to the tally. CR_EFORMAT: no member has any rows;
 * CR_ELIMIT: the words of all take more memory than the run may have. *stats is freed and NULL
 * after a failure. */
cr_status cr__team_sum_stats(const cr_team *team, const cr_run *run, int first_only,
                             cr__stats **stats, const cr_schema *schema, cr_tally *tally,
                             cr_error *err);

/* *sum becomes the sum of both, or the only one there is (NULL: none); other is consumed. */
cr_status cr__stats_add_part(cr__stats **sum, cr__stats *other, cr_error *err);

/* Statistics with the tally of their pass as sections, and back. */
void cr__stats_pack(const cr__stats *stats, const cr_tally *tally, cr__draft *draft);
cr_status cr__stats_unpack(cr__stats **out, const cr__container *container, const cr_schema *schema,
                           cr_tally *tally, cr_error *err);

#endif
