/* source/team_pass.h - a pass divided among the members of a team. */
#ifndef CR_SOURCE_TEAM_PASS_H
#define CR_SOURCE_TEAM_PASS_H

#include "source/division.h"
#include "source/pass.h"

/* As cr__pass_run(), by all members of the team: each reads its part of the source, and all get
 * the same status, that of the failure nearest the start of the input. A member whose part has no
 * rows gets no states. Without a team it is cr__pass_run(). */
cr_status cr__team_pass_run(const cr__pass *pass, const cr_team *team, void ***states,
                            size_t *count, size_t *broken, cr_kind *to, cr_error *err);

/* The end of a pass by all members: the same status, and with CR__EWIDEN the same column, for all
 * of them. */
cr_status cr__team_pass_agree(const cr_team *team, cr_status st, size_t *broken, cr_kind *to,
                              cr_error *err);

/* The columns of members that have files of their own, whose inference ended with st: a column that
 * is a symbol for one of them is a symbol for all. CR_ECONFLICT: they differ otherwise. */
cr_status cr__team_agree_columns(cr_source *source, const cr_schema *schema, const cr_team *team,
                                 cr_status st, cr_error *err);

#endif
