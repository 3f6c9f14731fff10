/* source/team_pass.c - divide, run, agree. */
#include "source/team_pass.h"

#include "base/fail.h"
#include "base/memory.h"
#include "base/team.h"
#include "source/format.h"

/* Which column a member found too narrow. */
typedef struct widening {
    uint64_t column;
    int32_t status, to;
} widening;

/* Every class that some member has met counts as met. */
static cr_status agree_on_classes(cr_source *source, const cr_team *team, cr_error *err)
{
    cr__classes *classes = &source->classes;
    const size_t words = classes->from == NULL ? 0 : classes->from->words;
    uint64_t *met = cr__alloc_zero(words + 1, sizeof *met);
    cr_status st;

    if (met == NULL)
        return cr__fail_memory(err);
    for (size_t i = 0; i < words; i++)
        met[i] = atomic_load(&classes->met[i]) != 0;
    st = cr__team_add(team, met, words, err);
    for (size_t i = 0; st == CR_OK && i < words; i++)
        atomic_store(&classes->met[i], met[i] > 0);
    cr__free(met);
    return st == CR_OK ? cr__source_check_classes(source, err) : st;
}

/* The same status, and column, for all. Internal statuses go through the same exchange. */
static cr_status agree(const cr_team *team, cr_status st, size_t *broken, cr_kind *to,
                       cr_error *err)
{
    const widening mine = {*broken, (int32_t)st, (int32_t)*to};
    widening *every = cr__alloc((size_t)team->ranks, sizeof *every);
    cr_status all;
    int r = 0;

    if (every == NULL)
        return cr__fail_memory(err);
    all = cr__team_share(team, &mine, sizeof mine, every, err);
    if (all == CR_OK)
        all = cr__team_agree(team, st, err);
    while (all == CR__EWIDEN && every[r].status == CR_OK)
        r++;
    if (all == CR__EWIDEN) {
        *broken = (size_t)every[r].column;
        *to = (cr_kind)every[r].to;
    }
    cr__free(every);
    return all;
}

/* Nothing is left of a pass where another member has failed. */
static void drop(const cr__pass *pass, void ***states, size_t *count)
{
    for (size_t i = 0; i < *count; i++)
        pass->end((*states)[i]);
    cr__free(*states);
    *states = NULL;
    *count = 0;
}

/* Run the pass on the member's part, or on all of its own files. */
static cr_status run_part(const cr__pass *pass, const cr_team *team, void ***states, size_t *count,
                          size_t *broken, cr_kind *to, cr_error *err)
{
    cr_source *source = pass->source;
    cr_error own = {0};
    cr_status st = cr__source_begin_part(source, team->local ? 0 : (size_t)team->rank, &own), all;

    if (st == CR_OK)
        st = cr__pass_run(pass, states, count, broken, to, &own);
    if (st != CR_OK)
        cr__division_mend_line(source, &own);
    cr__source_end_part(source);
    if ((all = agree(team, st, broken, to, &own)) == CR_OK)
        all = agree_on_classes(source, team, &own);
    if (all != CR_OK && err != NULL)
        *err = own;
    if (all != CR_OK && st == CR_OK)
        drop(pass, states, count);
    return all;
}

cr_status cr__team_pass_run(const cr__pass *pass, const cr_team *team, void ***states,
                            size_t *count, size_t *broken, cr_kind *to, cr_error *err)
{
    cr_source *source = pass->source;
    cr_status st;

    *states = NULL;
    *count = 0;
    if (team == NULL)
        return cr__pass_run(pass, states, count, broken, to, err);
    if (team->local)
        st = cr__source_divide(source, 1, 0, NULL, 0, err);
    else
        st = cr__source_divide(source, (size_t)team->ranks, (size_t)team->rank, team,
                               pass->deliver != NULL, err);
    if ((st = cr__team_agree(team, st, err)) == CR_OK)
        st = run_part(pass, team, states, count, broken, to, err);
    cr__source_join(source);
    return st;
}
