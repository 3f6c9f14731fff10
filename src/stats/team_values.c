/* stats/team_values.c - send numbers to the first member, and cuts back. */
#include "stats/team_values.h"

#include <string.h>

#include "base/buffer.h"
#include "base/fail.h"
#include "base/memory.h"

typedef struct head {
    uint64_t count, shift, fractional;
} head;

static cr_status give(const cr_team *team, const cr__values *v, cr_error *err)
{
    const head h = {v->count, v->shift, v->fraction != NULL};
    cr__buffer out = {0};
    cr_status st;

    cr__buffer_add(&out, &h, sizeof h);
    if (v->count > 0) {
        cr__buffer_add(&out, v->key, 2 * v->count * sizeof *v->key);
        cr__buffer_add(&out, v->whole, v->count * sizeof *v->whole);
        if (v->fraction != NULL)
            cr__buffer_add(&out, v->fraction, v->count * sizeof *v->fraction);
    }
    st = cr__team_give(team, 0, out.data, out.failed ? 0 : out.size, err);
    if (out.failed)
        st = cr__fail_memory(err);
    cr__buffer_free(&out);
    return st;
}

/* The numbers of another member are added to the table. */
static cr_status take(const cr_team *team, int from, cr__value_table *table, cr_error *err)
{
    const uint32_t same = 0;
    void *bytes;
    size_t size;
    cr_status st = cr__team_take(team, from, &bytes, &size, err);
    head h = {0};

    if (st == CR_OK && size >= sizeof h) {
        uint64_t *numbers = (uint64_t *)(void *)((char *)bytes + sizeof h);

        memcpy(&h, bytes, sizeof h);
        if (h.count > 0 &&
            cr__value_table_add(
                table,
                &(cr__values){.count = h.count,
                              .shift = (unsigned)h.shift,
                              .key = numbers,
                              .whole = (int64_t *)numbers + 2 * h.count,
                              .fraction = h.fractional ? numbers + 3 * h.count : NULL},
                &same, 1) != CR_OK)
            st = cr__fail_memory(err);
    }
    cr__free(bytes);
    return st;
}

static cr_status cut(cr__value_table *table, cr__cut_rule rule, cr__cuts *out, cr_error *err)
{
    cr__values values = {0};
    cr__spread spread = {0};
    cr_status st = cr__value_table_finish(table, NULL, &values);

    if (st == CR_OK)
        st = cr__values_spread(&values, 1, &spread);
    if (st == CR_OK)
        st = cr__cut(out, &spread, rule);
    cr__spread_free(&spread);
    cr__values_free(&values);
    return st == CR_OK ? CR_OK : cr__fail(err, st, "out of memory for the cuts of columns");
}

/* The first member's cuts, to all. */
static cr_status spread_cuts(const cr_team *team, cr__cuts *cuts, cr_error *err)
{
    const uint64_t first[2] = {cuts->count, (uint64_t)cuts->whole};
    uint64_t *every = cr__alloc((size_t)team->ranks, sizeof first);
    void *bytes = cuts->cut;
    size_t size = cuts->count * sizeof *cuts->cut;
    cr_status st = every == NULL ? cr__fail_memory(err)
                                 : cr__team_share(team, first, sizeof first, every, err);

    if (st == CR_OK && every[0] > 0)
        st = cr__team_broadcast(team, &bytes, &size, err);
    if (st == CR_OK)
        *cuts = (cr__cuts){(size_t)every[0], every[0] > 0 ? bytes : cuts->cut, (int)every[1]};
    cr__free(every);
    return st;
}

cr_status cr__team_cut_values(const cr_team *team, const cr__values *own, cr__cut_rule rule,
                              cr__cuts *out, cr_error *err)
{
    const uint32_t same = 0;
    cr__value_table table = {0};
    cr_status st = CR_OK;

    if (team->rank > 0)
        st = give(team, own, err);
    else if (own->count > 0 && cr__value_table_add(&table, own, &same, 1) != CR_OK)
        st = cr__fail_memory(err);
    for (int r = 1; team->rank == 0 && r < team->ranks; r++) {
        const cr_status got = take(team, r, &table, err);

        st = st == CR_OK ? got : st;
    }
    if (st == CR_OK && team->rank == 0)
        st = cut(&table, rule, out, err);
    cr__value_table_free(&table);
    st = cr__team_agree(team, st, err);
    return st == CR_OK ? spread_cuts(team, out, err) : st;
}
