/* source/team_pass.c - divide, run, agree. */
#include "source/team_pass.h"

#include "base/fail.h"
#include "base/memory.h"
#include "base/team.h"
#include "source/format.h"

/* The column whose kind a member found too narrow. */
typedef struct widening {
    uint64_t column;
    int32_t status, to;
} widening;

/* A class that any member has met counts as met. */
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

cr_status cr__team_pass_agree(const cr_team *team, cr_status st, size_t *broken, cr_kind *to,
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

/* Discard the results of a pass in which another member has failed. */
static void drop(const cr__pass *pass, void ***states, size_t *count)
{
    for (size_t i = 0; i < *count; i++)
        pass->end((*states)[i]);
    cr__free(*states);
    *states = NULL;
    *count = 0;
}

/* Whether a member reads files of its own, whole. Rows in memory belong to all members. */
static int is_own(const cr_source *source, const cr_team *team)
{
    const uint32_t *row;
    size_t rows;

    return team->local && cr__source_table(source, &row, &rows) == NULL;
}

/* Run the pass on the member's part, or on all of its own files. */
static cr_status run_part(const cr__pass *pass, const cr_team *team, void ***states, size_t *count,
                          size_t *broken, cr_kind *to, cr_error *err)
{
    cr_source *source = pass->source;
    cr_error own = {0};
    cr_status st =
        cr__source_begin_part(source, is_own(source, team) ? 0 : (size_t)team->rank, &own);
    cr_status all;

    if (st == CR_OK)
        st = cr__pass_run(pass, states, count, broken, to, &own);
    if (st != CR_OK)
        cr__division_mend_line(source, &own);
    cr__source_end_part(source);
    if ((all = cr__team_pass_agree(team, st, broken, to, &own)) == CR_OK)
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
    if (is_own(source, team))
        st = cr__source_divide(source, 1, 0, NULL, 0, err);
    else
        st = cr__source_divide(source, (size_t)team->ranks, (size_t)team->rank, team,
                               pass->deliver != NULL, err);
    if ((st = cr__team_agree(team, st, err)) == CR_OK)
        st = run_part(pass, team, states, count, broken, to, err);
    cr__source_join(source);
    return st;
}

/* --- columns --------------------------------------------------------------------------------- */

/* The kind that one member inferred for a column. */
typedef struct column_view {
    uint64_t name; /* hashed */
    int32_t kind, role;
} column_view;

/* FNV-1a. */
static uint64_t hash_name(const char *name)
{
    uint64_t hash = UINT64_C(14695981039346656037);

    for (; *name != '\0'; name++)
        hash = (hash ^ (unsigned char)*name) * UINT64_C(1099511628211);
    return hash;
}

static int is_value(int32_t kind)
{
    return kind == CR_SYMBOL || kind == CR_REAL;
}

/* Compare column i over all members; a column of numbers that has words elsewhere becomes one of
 * words here. */
static cr_status agree_column(cr_source *source, const cr_schema *schema, size_t i,
                              const cr_team *team, const column_view *every, cr_error *err)
{
    const column_view own = every[(size_t)team->rank * schema->columns + i];
    int symbol = 0;

    for (int r = 0; r < team->ranks; r++) {
        const column_view *v = &every[(size_t)r * schema->columns + i];

        symbol |= v->kind == CR_SYMBOL;
        if (v->name == own.name && v->role == own.role &&
            (v->kind == own.kind || (is_value(v->kind) && is_value(own.kind))))
            continue;
        cr__fail(err, CR_ECONFLICT, "column %zu, '%s', is another one in the files of process %d",
                 i + 1, schema->column[i].name, r);
        return cr__fail_hint(
            err, CR_ECONFLICT,
            "all files must have the same columns; " CR__SET("type") " gives a "
                                                                     "column its kind");
    }
    return symbol && own.kind == CR_REAL ? cr__source_widen(source, i, CR_SYMBOL, err) : CR_OK;
}

/* All members must have as many columns. */
static cr_status agree_count(const cr_schema *schema, const cr_team *team, cr_error *err)
{
    const uint64_t columns = schema->columns;
    uint64_t *every = cr__alloc((size_t)team->ranks, sizeof *every);
    cr_status st = every == NULL ? cr__fail_memory(err)
                                 : cr__team_share(team, &columns, sizeof columns, every, err);

    for (int r = 0; st == CR_OK && r < team->ranks; r++)
        if (every[r] != columns)
            st = cr__fail(err, CR_ECONFLICT,
                          "the files of one process have %llu columns, those of another %llu",
                          (unsigned long long)columns, (unsigned long long)every[r]);
    cr__free(every);
    return cr__team_agree(team, st, err);
}

cr_status cr__team_agree_columns(cr_source *source, const cr_schema *schema, const cr_team *team,
                                 cr_status st, cr_error *err)
{
    column_view *own = NULL, *every = NULL;
    size_t columns;

    if ((st = cr__team_agree(team, st, err)) != CR_OK ||
        (st = agree_count(schema, team, err)) != CR_OK)
        return st;
    columns = schema->columns;
    own = cr__alloc_zero(columns + 1, sizeof *own);
    every = cr__alloc((size_t)team->ranks * (columns + 1), sizeof *every);
    if (own == NULL || every == NULL)
        st = cr__fail_memory(err);
    for (size_t i = 0; st == CR_OK && i < columns; i++)
        own[i] = (column_view){hash_name(schema->column[i].name), (int32_t)schema->column[i].kind,
                               (int32_t)schema->column[i].role};
    if ((st = cr__team_agree(team, st, err)) == CR_OK)
        st = cr__team_share(team, own, columns * sizeof *own, every, err);
    for (size_t i = 0; st == CR_OK && i < columns; i++)
        st = agree_column(source, schema, i, team, every, err);
    cr__free(own);
    cr__free(every);
    return cr__team_agree(team, st, err);
}
