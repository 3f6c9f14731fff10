/* base/team.c - gathering, agreeing, broadcasting and adding along trees of members. */
#include "base/team.h"

#include <string.h>

#include "base/fail.h"
#include "base/memory.h"
#include "base/sized.h"

const cr_team *cr__team_of(const cr_run *run)
{
    const cr_team *team = cr__run_of(run).team;

    return team != NULL && (team->ranks > 1 || team->checkpoint != NULL) ? team : NULL;
}

cr__tree_turn cr__tree_turn_at(const cr_team *team, int step, int *other)
{
    if (team->rank % (2 * step) == step) {
        *other = team->rank - step;
        return CR__TREE_GIVE;
    }
    *other = team->rank + step;
    return team->rank % (2 * step) == 0 && *other < team->ranks ? CR__TREE_TAKE : CR__TREE_REST;
}

static int last_step(const cr_team *team)
{
    int step = 1;

    while (2 * step < team->ranks)
        step *= 2;
    return step;
}

/* From the first member to all: the tree of sums, walked from its root. */
static cr_status spread(const cr_team *team, void *bytes, size_t size, cr_error *err)
{
    cr_status st = CR_OK;

    for (int step = last_step(team), other; st == CR_OK && step > 0; step /= 2)
        switch (cr__tree_turn_at(team, step, &other)) {
        case CR__TREE_GIVE: st = team->receive(team->context, other, bytes, size, err); break;
        case CR__TREE_TAKE: st = team->send(team->context, other, bytes, size, err); break;
        case CR__TREE_REST: break;
        }
    return st;
}

cr_status cr__team_share(const cr_team *team, const void *mine, size_t size, void *every,
                         cr_error *err)
{
    char *all = every;
    cr_status st = CR_OK;

    memcpy(all + (size_t)team->rank * size, mine, size);
    if (team->rank > 0)
        st = team->send(team->context, 0, mine, size, err);
    for (int r = 1; st == CR_OK && team->rank == 0 && r < team->ranks; r++)
        st = team->receive(team->context, r, all + (size_t)r * size, size, err);
    return st == CR_OK ? spread(team, every, (size_t)team->ranks * size, err) : st;
}

cr_status cr__team_agree(const cr_team *team, cr_status st, cr_error *err)
{
    int32_t mine = (int32_t)st, *every;
    cr_error *first;
    cr_status own = CR_OK;
    int r = 0;

    if (team == NULL)
        return st;
    if ((every = cr__alloc((size_t)team->ranks, sizeof *every)) == NULL)
        return cr__fail_memory(err);
    own = cr__team_share(team, &mine, sizeof mine, every, err);
    while (own == CR_OK && r < team->ranks && every[r] == CR_OK)
        r++;
    if (own == CR_OK && r < team->ranks) {
        own = (cr_status)every[r];
        if ((first = cr__alloc_zero((size_t)team->ranks, sizeof *first)) == NULL) {
            cr__free(every);
            return cr__fail_memory(err);
        }
        if (cr__team_share(team, err != NULL ? err : &(cr_error){.code = st}, sizeof *first, first,
                           NULL) == CR_OK &&
            err != NULL)
            *err = first[r];
        cr__free(first);
    }
    cr__free(every);
    return own;
}

cr_status cr__team_broadcast(const cr_team *team, void **bytes, size_t *size, cr_error *err)
{
    uint64_t length = *size;
    cr_status st = spread(team, &length, sizeof length, err);

    *size = (size_t)length;
    if (st == CR_OK && team->rank > 0 && (*bytes = cr__alloc(length > 0 ? *size : 1, 1)) == NULL)
        return cr__fail_memory(err);
    return st == CR_OK ? spread(team, *bytes, *size, err) : st;
}

cr_status cr__team_give(const cr_team *team, int to, const void *bytes, size_t size, cr_error *err)
{
    const uint64_t length = size;
    cr_status st = team->send(team->context, to, &length, sizeof length, err);

    return st == CR_OK && size > 0 ? team->send(team->context, to, bytes, size, err) : st;
}

cr_status cr__team_take(const cr_team *team, int from, void **bytes, size_t *size, cr_error *err)
{
    uint64_t length = 0;
    cr_status st = team->receive(team->context, from, &length, sizeof length, err);

    *bytes = NULL;
    *size = (size_t)length;
    if (st == CR_OK && (*bytes = cr__alloc(length > 0 ? *size : 1, 1)) == NULL)
        st = cr__fail_memory(err);
    if (st == CR_OK && length > 0)
        st = team->receive(team->context, from, *bytes, *size, err);
    if (st != CR_OK) {
        cr__free(*bytes);
        *bytes = NULL;
    }
    return st;
}

cr_status cr__team_add(const cr_team *team, uint64_t *numbers, size_t count, cr_error *err)
{
    uint64_t *others;
    cr_status st = CR_OK;

    if (team == NULL || count == 0)
        return CR_OK;
    if ((others = cr__alloc(count, sizeof *others)) == NULL)
        return cr__fail_memory(err);
    for (int step = 1, other; st == CR_OK && step < team->ranks; step *= 2) {
        const cr__tree_turn turn = cr__tree_turn_at(team, step, &other);

        if (turn == CR__TREE_GIVE)
            st = team->send(team->context, other, numbers, count * sizeof *numbers, err);
        if (turn == CR__TREE_TAKE)
            st = team->receive(team->context, other, others, count * sizeof *others, err);
        for (size_t i = 0; st == CR_OK && turn == CR__TREE_TAKE && i < count; i++)
            numbers[i] += others[i];
        if (turn == CR__TREE_GIVE)
            break;
    }
    cr__free(others);
    return st == CR_OK ? spread(team, numbers, count * sizeof *numbers, err) : st;
}
