/* stats/team_bags.h - the words of a team's members, added up by shares of the vocabulary.
 *
 * Words are in the order of their hashes. Each member is sent the words of one range of hashes by
 * all others and adds them up; then the ranges, which follow one another, go to the first member. A
 * member sends at most as much as it has counted, and needs room for its share of the sum, until
 * the first one gets it all. With two members the first takes the whole range, which minimises what
 * is sent.
 */
#ifndef CR_STATS_TEAM_BAGS_H
#define CR_STATS_TEAM_BAGS_H

#include "base/team.h"
#include "stats/bag.h"

/* own: what the member has counted, or NULL; its class c is map[c] of so many classes. The first
 * member gets the sum in out, the others {0}. What this member sends is added to *sent. CR_ELIMIT:
 * the sum takes more memory than the run may have; then no member has it. */
cr_status cr__team_sum_bags(const cr_team *team, const cr__bag *own, const uint32_t *map,
                            size_t classes, const cr_run *run, cr__bag *out, uint64_t *sent,
                            cr_error *err);

#endif
