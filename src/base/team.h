/* base/team.h - collective operations of a team's members, on top of sending and receiving.
 *
 * Each of these is called by all members, in the same order.
 */
#ifndef CR_BASE_TEAM_H
#define CR_BASE_TEAM_H

#include "credence/run.h"

/* The team of a run, or NULL when there is none, or it has a single member that keeps no parts. */
const cr_team *cr__team_of(const cr_run *run);

/* Collect `size` bytes of each member, in the order of ranks, on all members: every[ranks][size].
 */
cr_status cr__team_share(const cr_team *team, const void *mine, size_t size, void *every,
                         cr_error *err);

/* The same status for all: that of the first member whose status is not CR_OK, with its error. */
cr_status cr__team_agree(const cr_team *team, cr_status st, cr_error *err);

/* Send bytes of the first member to all others, along a binomial tree. *bytes is what the first
 * member has; the others receive a block, which they free. */
cr_status cr__team_broadcast(const cr_team *team, void **bytes, size_t *size, cr_error *err);

/* Send a block of bytes with its size from one member to another; the receiver frees it. */
cr_status cr__team_give(const cr_team *team, int to, const void *bytes, size_t size, cr_error *err);
cr_status cr__team_take(const cr_team *team, int from, void **bytes, size_t *size, cr_error *err);

/* Add up 64-bit integers, which wrap, element by element, so that every member has the sums. */
cr_status cr__team_add(const cr_team *team, uint64_t *numbers, size_t count, cr_error *err);

/* Where the binomial tree of sums has a member at a step of 1, 2, 4 …: it sends to, or receives
 * from, *other, or does neither. */
typedef enum cr__tree_turn { CR__TREE_GIVE, CR__TREE_TAKE, CR__TREE_REST } cr__tree_turn;
cr__tree_turn cr__tree_turn_at(const cr_team *team, int step, int *other);

#endif
