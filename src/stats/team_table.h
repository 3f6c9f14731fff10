/* stats/team_table.h - the rows that the members of a team have read, combined. */
#ifndef CR_STATS_TEAM_TABLE_H
#define CR_STATS_TEAM_TABLE_H

#include "base/team.h"
#include "data/table.h"

/* Replace *table, the member's own rows, by those of all members in the order of ranks, with codes
 * in order of first arrival. limit: bytes that the table may take; 0: any. *table is freed and NULL
 * after a failure. */
cr_status cr__team_join_tables(const cr_team *team, cr__table **table, uint64_t limit,
                               cr_error *err);

#endif
