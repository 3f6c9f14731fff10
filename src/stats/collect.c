/* stats/collect.c - the statistics of a source: one pass, many workers, one result. */
#include "stats/collect.h"

#include "base/fail.h"
#include "base/memory.h"
#include "base/sized.h"
#include "source/team_pass.h"
#include "source/record_cuts.h"
#include "stats/checkpoint.h"
#include "stats/cross_gather.h"
#include "stats/cross_team.h"
#include "stats/gather_cells.h"
#include "stats/gather_tuples.h"
#include "stats/team_stats.h"

typedef struct job {
    const cr__collect *what;
    uint64_t limit;          /* bytes each worker may use */
    cr__cross_gather *cross; /* shared by all, or NULL */
    const cr_team *team;     /* that reads the source together, or NULL */
    const cr_run *run;
    _Atomic uint64_t values_seen; /* rows of all workers, while their numbers are kept */
} job;

cr_status cr__gather_count_bins(cr__gather *gather, int tuples, const cr__bins *bins, cr_error *err)
{
    cr__tuple *triple;
    size_t features = 0, count;
    cr_status st;

    if (tuples == 0)
        return cr__gather_count_cells(gather, bins, err);
    if ((st = cr__gather_afford_tuples(gather, tuples, err)) != CR_OK)
        return st;
    for (size_t i = 0; i < gather->schema->columns; i++)
        features += (size_t)cr__stats_is_feature(gather->schema, i);
    if ((triple = cr__tuples_triples(tuples < 3 ? 0 : features, &count)) == NULL)
        return cr__fail_memory(err);
    st = cr__gather_count_tuples(gather, bins, triple, count, err);
    cr__free(triple);
    return st;
}

static cr_status count_bins(cr__gather *gather, const cr__collect *what, cr_error *err)
{
    const cr_status st = cr__gather_count_bins(gather, what->tuples, what->bins, err);

    if (st == CR_OK && what->tuples > 2 && what->limited)
        cr__gather_limit_triples(gather, CR__TRIPLES_CELLS);
    return st;
}

static cr_status begin(void *context, void **state, cr__plan **plan, cr_error *err)
{
    job *j = context;
    cr__gather *gather;
    cr_status st = cr__gather_new(&gather, j->what->schema, j->what->recipe, j->limit, err);

    if (st != CR_OK)
        return st;
    if (j->what->bins != NULL && (st = count_bins(gather, j->what, err)) != CR_OK) {
        cr__gather_free(gather);
        return st;
    }
    gather->keep_values = j->what->values;
    gather->values_most = j->what->values_most;
    gather->values_seen = j->what->values_most > 0 ? &j->values_seen : NULL;
    if (j->cross != NULL && (st = cr__cross_part_new(&gather->cross, j->cross, err)) != CR_OK) {
        cr__gather_free(gather);
        return st;
    }
    *state = gather;
    *plan = &gather->plan;
    return CR_OK;
}

static cr_status absorb(void *state, const cr__chunk *chunk, cr__batch *batch, cr_error *err)
{
    cr__gather *gather = state;
    cr_status st = cr__gather_absorb(gather, batch, err);

    (void)chunk;
    if (st == CR_OK && gather->cross != NULL)
        st = cr__cross_part_absorb(gather->cross, batch, err);
    return st;
}

/* Products are computed between chunks, in any order. */
static cr_status complete(void *state, const cr__chunk *chunk, cr_error *err)
{
    (void)chunk;
    return cr__cross_part_work(((cr__gather *)state)->cross, err);
}

static cr_status deliver(void *state, const cr__chunk *chunk, cr_error *err)
{
    cr__gather *gather = state;

    (void)chunk;
    return cr__cross_part_deliver(gather->cross, gather->plan.dict, err);
}

static void end(void *state)
{
    cr__gather_free(state);
}

static void tally_gather(cr_tally *tally, const cr__gather *gather)
{
    tally->unlabelled += gather->unlabelled;
    for (size_t i = 0; i < gather->schema->columns; i++) {
        const cr__vocabulary *v = &gather->column[i].vocabulary;

        tally->pruned_words += v->pruned;
        tally->pruned_occurrences += v->pruned_terms;
        if (v->pruned_most > tally->pruned_most)
            tally->pruned_most = v->pruned_most;
    }
}

/* Workers' cells are put into one table as they are. */
static cr_status join_cells(cr__gather *total, void **states, size_t count, const job *j,
                            cr__stats **out, cr_error *err)
{
    cr_status st;

    total->workers = (int)count;
    total->limit = j->limit * count; /* what is left when they have been joined */
    st = count_bins(total, j->what, err);
    for (size_t i = 0; st == CR_OK && i < count; i++)
        st = cr__gather_join_cells(total, states[i], err);
    if (st == CR_OK)
        st = cr__gather_finish(total, out, err);
    cr__gather_free(total);
    return st;
}

/* Join what the workers collected. */
static cr_status join(void **states, size_t count, const job *j, cr__stats **out, cr_tally *tally,
                      cr_error *err)
{
    cr__gather *total = NULL;
    cr_status st = CR_OK;

    *out = NULL;
    for (size_t i = 0; i < count; i++)
        tally_gather(tally, states[i]);
    if (j->what->values_most > 0 && j->values_seen > j->what->values_most)
        for (size_t i = 0; i < count; i++)
            cr__gather_drop_values(states[i]);
    if (count == 1)
        return cr__gather_finish(states[0], out, err);
    st = cr__gather_new(&total, j->what->schema, NULL, 0, err);
    if (st == CR_OK && count > 0 && ((cr__gather *)states[0])->cells != NULL)
        return join_cells(total, states, count, j, out, err);
    for (size_t i = 0; st == CR_OK && i < count; i++)
        st = cr__gather_adopt_words(total, states[i], err);
    for (size_t i = 0; st == CR_OK && i < count; i++) {
        cr__stats *part = NULL;
        st = cr__gather_finish(states[i], &part, err);
        total->keep_values = ((cr__gather *)states[i])->keep_values;
        total->workers = (int)count;
        if (st == CR_OK && i == 0 && j->what->bins != NULL)
            st = count_bins(total, j->what, err);
        if (st == CR_OK)
            st = cr__gather_add(total, part, 1, err);
        cr__stats_free(part);
    }
    if (st == CR_OK)
        st = cr__gather_finish(total, out, err);
    cr__gather_free(total);
    return st;
}

static uint64_t memory_limit(const cr_run *run, int workers)
{
    return cr__run_memory(run) / (uint64_t)(workers < 1 ? 1 : workers);
}

/* The products that the workers, or the members of a team, have collected. */
static cr_status join_cross(cr__stats *stats, cr__cross_gather *cross, const cr_team *team,
                            const cr_run *run, cr_error *err)
{
    cr__dict **dict;
    cr_status st;

    if (team != NULL)
        return cr__cross_team_finish(team, cross, cr__run_threads(run), stats, err);
    if ((dict = cr__alloc_zero(stats->schema->columns, sizeof *dict)) == NULL)
        return cr__fail_memory(err);
    for (size_t i = 0; i < stats->schema->columns; i++)
        dict[i] = stats->column[i].dict;
    st = cr__cross_gather_finish(cross, cr__run_threads(run), dict, stats->classes, &stats->cross,
                                 err);
    cr__free(dict);
    return st;
}

static cr__pass pass_of(cr_source *source, job *j, const cr_run *run)
{
    return (cr__pass){.source = source,
                      .schema = j->what->schema,
                      .run = run,
                      .job = j,
                      .begin = begin,
                      .absorb = absorb,
                      .end = end};
}

static cr_status run_pass(cr_source *source, job *j, const cr_run *run, void ***states,
                          size_t *count, size_t *broken, cr_kind *to, cr_error *err)
{
    cr__pass pass = pass_of(source, j, run);
    cr_status st = CR_OK;

    cr__cross_gather_free(j->cross);
    j->cross = NULL;
    if (j->what->cross != CR__CROSS_NONE) {
        pass.complete = complete;
        pass.deliver = deliver;
        st = cr__cross_gather_new(&j->cross, j->what->schema, j->what->cross, memory_limit(run, 1),
                                  err);
        if (st == CR_OK && j->team != NULL)
            cr__cross_gather_record(j->cross);
    }
    return st == CR_OK ? cr__team_pass_run(&pass, j->team, states, count, broken, to, err) : st;
}

/* Products are rounded as they are added, in the order of the rows: parts must follow that
 * order. */
static const cr_team *team_for(const cr__collect *what, cr_source *source, const cr_run *run)
{
    const cr_team *team = cr__team_of(run);
    const uint32_t *row;
    size_t rows;

    if (team == NULL || what->cross == CR__CROSS_NONE)
        return team;
    if (team->ranks == 1 || cr__source_table(source, &row, &rows) != NULL)
        return NULL; /* all members have rows that are in memory */
    return team->local || cr__source_is_ordered(source) ? team : NULL;
}

/* The tallies of all members: what they left out is added up. */
static cr_status join_tallies(const cr_team *team, cr_tally *tally, cr_error *err)
{
    uint64_t sums[] = {tally->unlabelled, tally->pruned_words, tally->pruned_occurrences};
    uint64_t *most = cr__alloc((size_t)team->ranks, sizeof *most);
    cr_status st = most == NULL ? cr__fail_memory(err)
                                : cr__team_add(team, sums, sizeof sums / sizeof *sums, err);

    if (st == CR_OK)
        st = cr__team_share(team, &tally->pruned_most, sizeof *most, most, err);
    for (int r = 0; st == CR_OK && r < team->ranks; r++)
        if (most[r] > tally->pruned_most)
            tally->pruned_most = most[r];
    cr__free(most);
    tally->unlabelled = sums[0];
    tally->pruned_words = sums[1];
    tally->pruned_occurrences = sums[2];
    return st;
}

/* Join what this process has collected, and then all members of its team. */
static cr_status join_all(void **states, size_t count, const job *j, cr__stats **out,
                          cr_tally *tally, cr_error *err)
{
    cr_status st = CR_OK;

    if (count > 0 || j->team == NULL)
        st = join(states, count, j, out, tally, err);
    if (j->team == NULL)
        return st;
    if ((st = cr__team_agree(j->team, st, err)) != CR_OK) {
        cr__stats_free(*out);
        *out = NULL;
        return st;
    }
    st = cr__team_sum_stats(j->team, j->run, j->what->first_only, out, j->what->schema, tally, err);
    return st == CR_OK ? join_tallies(j->team, tally, err) : st;
}

/* --- pieces that are kept -------------------------------------------------------------------- */

/* One piece: found, or read and kept. */
static cr_status gather_piece(const cr__checkpoint *c, size_t piece, const cr__pass *pass, job *j,
                              cr__stats **out, cr_tally *tally, size_t *broken, cr_kind *to,
                              cr_error *err)
{
    void **states = NULL;
    size_t count = 0;
    cr_status st = cr__checkpoint_find(c, piece, j->what->schema, out, tally, err);

    if (st != CR_END)
        return st;
    *tally = (cr_tally){0};
    if ((st = cr__source_begin_part(pass->source, piece, err)) == CR_OK &&
        (st = cr__pass_run(pass, &states, &count, broken, to, err)) != CR_OK)
        cr__division_mend_line(pass->source, err);
    cr__source_end_part(pass->source);
    if (st == CR_OK && count > 0)
        st = join(states, count, j, out, tally, err);
    if (st == CR_OK)
        st = cr__checkpoint_keep(c, piece, *out, tally, err);
    for (size_t i = 0; i < count; i++)
        end(states[i]);
    cr__free(states);
    return st;
}

static void add_tally(cr_tally *sum, const cr_tally *more)
{
    sum->unlabelled += more->unlabelled;
    sum->pruned_words += more->pruned_words;
    sum->pruned_occurrences += more->pruned_occurrences;
    sum->pruned_most = more->pruned_most > sum->pruned_most ? more->pruned_most : sum->pruned_most;
}

/* All pieces of this member. */
static cr_status gather_pieces(const cr__checkpoint *c, const cr__pass *pass, job *j,
                               cr__stats **out, cr_tally *tally, size_t *broken, cr_kind *to,
                               cr_error *err)
{
    const size_t members = (size_t)j->team->ranks;
    cr_status st = CR_OK;

    for (size_t piece = 0; st == CR_OK && piece < c->pieces; piece++) {
        cr__stats *part = NULL;
        cr_tally own;

        if (cr__part_owner(piece, c->pieces, members) != (size_t)j->team->rank)
            continue;
        st = gather_piece(c, piece, pass, j, &part, &own, broken, to, err);
        if (st == CR_OK) {
            add_tally(tally, &own);
            st = cr__stats_add_part(out, part, err);
        } else {
            cr__stats_free(part);
        }
    }
    return st;
}

/* Pieces belong to files, which are identified by name: rows in memory have none. */
static int by_pieces(const job *j, const cr_source *source)
{
    const uint32_t *row;
    size_t rows;

    return j->team != NULL && j->team->checkpoint != NULL && !j->team->local &&
           j->what->cross == CR__CROSS_NONE && cr__source_table(source, &row, &rows) == NULL;
}

/* The pass by pieces; as run_pass() and join_all() together. */
static cr_status run_pieces(cr_source *source, job *j, const cr_run *run, cr__stats **out,
                            cr_tally *tally, size_t *broken, cr_kind *to, cr_error *err)
{
    const cr__pass pass = pass_of(source, j, run);
    cr__checkpoint c = {0};
    cr_status st = cr__checkpoint_open(&c, j->team->checkpoint, source, j->what, err);

    st = cr__team_agree(j->team, st, err);
    if (st == CR_OK)
        st = cr__source_divide(source, c.pieces, c.pieces, j->team, 0, err);
    if ((st = cr__team_agree(j->team, st, err)) == CR_OK)
        st = cr__team_pass_agree(j->team, gather_pieces(&c, &pass, j, out, tally, broken, to, err),
                                 broken, to, err);
    cr__source_join(source);
    if (st != CR_OK) {
        cr__stats_free(*out);
        *out = NULL;
        return st;
    }
    st = cr__team_sum_stats(j->team, j->run, j->what->first_only, out, j->what->schema, tally, err);
    return st == CR_OK ? join_tallies(j->team, tally, err) : st;
}

/* One pass over the source, repeated when the guessed kind of a column turns out too narrow. */
cr_status cr__stats_collect(cr__stats **out, cr_source *source, const cr__collect *what,
                            const cr_run *run, cr_tally *tally, cr_error *err)
{
    job j = {.what = what,
             .limit = memory_limit(run, cr__run_threads(run)),
             .team = team_for(what, source, run),
             .run = run};
    void **states = NULL;
    size_t count = 0, broken = 0;
    cr_kind to = CR_SYMBOL;
    cr_status st;

    *tally = (cr_tally){0};
    *out = NULL;
    for (;;) {
        tally->passes++;
        j.values_seen = 0;
        st = by_pieces(&j, source) ? run_pieces(source, &j, run, out, tally, &broken, &to, err)
                                   : run_pass(source, &j, run, &states, &count, &broken, &to, err);
        if (st != CR__EWIDEN)
            break;
        if ((st = cr__source_widen(source, broken, to, err)) != CR_OK ||
            (st = cr__source_rewind(source, err)) != CR_OK)
            break;
    }
    if (st == CR_OK && !by_pieces(&j, source))
        st = join_all(states, count, &j, out, tally, err);
    if (st == CR_OK && j.cross != NULL &&
        (st = join_cross(*out, j.cross, j.team, run, err)) != CR_OK) {
        cr__stats_free(*out);
        *out = NULL;
    }
    for (size_t i = 0; i < count; i++)
        end(states[i]);
    cr__free(states);
    cr__cross_gather_free(j.cross);
    if (st == CR_OK && *out != NULL)
        tally->rows = (*out)->rows;
    return st;
}
