/* stats/table_read.c - workers parse chunks, each with codes of its own; the rows join the table in
 * order. */
#include "stats/table_read.h"

#include <pthread.h>
#include <string.h>

#include "base/fail.h"
#include "base/memory.h"
#include "base/sized.h"
#include "source/team_pass.h"
#include "stats/gather.h"
#include "stats/team_table.h"

#define TABLE_SEED UINT64_C(0x7461626c65)

enum { FIRST_ROWS = 1024 }; /* initial room; it grows as needed */

typedef struct job {
    const cr_schema *schema;
    const cr__recipe *recipe;
    uint64_t limit; /* bytes of the table; 0: none */
    cr__table *table;
    int packed; /* codes in bytes */
    int alone;  /* one worker, without texts: its codes are the table's, and its rows go there */
    uint64_t wanted, chunks; /* so many of the chunks are read; all where there are 0 */
    pthread_rwlock_t grown;  /* held for writing while the table grows */
} job;

typedef struct worker {
    job *job;
    cr__gather *words; /* its dictionaries and vocabularies: nothing is counted in it */
    cr__table *part;   /* the chunk's rows, */
    int placed;        /* which have a place in the table, */
    size_t first;      /* from here on */
    uint32_t **map;    /* [columns], [known] each: its codes to the table's */
    size_t *known, *map_capacity;
} worker;

static void end(void *state)
{
    worker *w = state;

    for (size_t i = 0; w->map != NULL && i < w->job->schema->columns; i++)
        cr__free(w->map[i]);
    cr__free(w->map);
    cr__free(w->known);
    cr__free(w->map_capacity);
    cr__table_free(w->part);
    cr__gather_free(w->words);
    cr__free(w);
}

static cr_status begin(void *context, void **state, cr__plan **plan, cr_error *err)
{
    job *j = context;
    const size_t columns = j->schema->columns;
    worker *w = cr__alloc_zero(1, sizeof *w);
    cr_status st;

    if (w == NULL)
        return cr__fail_memory(err);
    w->job = j;
    st = cr__gather_new(&w->words, j->schema, j->recipe, 0, err);
    if (st == CR_OK)
        st = cr__table_new(&w->part, j->schema, err);
    w->map = cr__alloc_zero(columns, sizeof *w->map);
    w->known = cr__alloc_zero(columns, sizeof *w->known);
    w->map_capacity = cr__alloc_zero(columns, sizeof *w->map_capacity);
    if (st == CR_OK && (w->map == NULL || w->known == NULL || w->map_capacity == NULL))
        st = cr__fail_memory(err);
    if (st != CR_OK) {
        end(w);
        return st;
    }
    *state = w;
    *plan = &w->words->plan;
    return CR_OK;
}

/* Put the last chunk's rows where their place is: all workers at the same time. */
static void settle(worker *w)
{
    job *j = w->job;

    if (!w->placed)
        return;
    pthread_rwlock_rdlock(&j->grown);
    cr__table_put(j->table, w->first, w->part, NULL, w->part->rows, w->map);
    pthread_rwlock_unlock(&j->grown);
    cr__table_clear(w->part);
    w->placed = 0;
}

static cr_status absorb(void *state, const cr__chunk *chunk, cr__batch *batch, cr_error *err)
{
    worker *w = state;
    cr_status st;

    settle(w);
    st = cr__table_append(w->job->alone ? w->job->table : w->part, batch);
    (void)chunk;
    return st == CR_OK ? CR_OK : cr__fail(err, st, "the rows do not fit into memory");
}

/* The word of a worker's code: symbols have codes from 1, words of texts from 0. */
static const char *word_of(const worker *w, size_t column, size_t code, size_t *length)
{
    const cr__gather_column *own = &w->words->column[column];
    const cr__word_key *key;

    if (own->dict != NULL)
        return cr__dict_word(own->dict, (uint32_t)code, length);
    key = &own->vocabulary.key[code];
    *length = key->length;
    return own->vocabulary.text + key->start;
}

/* Learn the table's codes of the words that the worker has met since its last chunk. */
static cr_status map_column(worker *w, size_t i)
{
    const cr__gather_column *own = &w->words->column[i];
    cr__dict *dict = w->job->table->column[i].dict;
    const size_t codes = own->dict != NULL ? (size_t)own->dict->words + 1 : own->vocabulary.words;
    cr_status st = CR_OK;

    if (dict == NULL)
        return CR_OK;
    if (!cr__grow(&w->map[i], &w->map_capacity[i], codes, sizeof **w->map))
        return CR_ENOMEM;
    if (own->dict != NULL && w->known[i] == 0)
        w->map[i][w->known[i]++] = CR__MISSING;
    for (; st == CR_OK && w->known[i] < codes; w->known[i]++) {
        size_t length;
        const char *word = word_of(w, i, w->known[i], &length);

        st = cr__dict_intern(dict, word, length, &w->map[i][w->known[i]]);
    }
    return st;
}

static cr_status deliver(void *state, const cr__chunk *chunk, cr_error *err)
{
    worker *w = state;
    job *j = w->job;
    cr_status st = CR_OK;

    (void)chunk;
    settle(w); /* not so after a chunk without rows */
    for (size_t i = 0; st == CR_OK && i < j->schema->columns; i++)
        st = map_column(w, i);
    pthread_rwlock_wrlock(&j->grown);
    w->first = j->table->rows;
    for (size_t i = 0; st == CR_OK && i < j->schema->columns; i++)
        if (j->table->column[i].dict != NULL)
            st = cr__table_widen(j->table, i, j->table->column[i].dict->words);
    if (st == CR_OK)
        st = cr__table_reserve(j->table, w->part, NULL, w->part->rows);
    pthread_rwlock_unlock(&j->grown);
    w->placed = st == CR_OK;
    if (st != CR_OK)
        return cr__fail(err, st, "the rows do not fit into memory");
    if (j->limit != 0 && cr__table_bytes(j->table) > (double)j->limit) {
        cr__fail(err, CR_ELIMIT, "the rows take more than the %s of memory they may have",
                 cr__size_of((double)j->limit).text);
        return cr__fail_hint(err, CR_ELIMIT, CR__SET("memory") " raises the limit");
    }
    return CR_OK;
}

static cr_status make_table(cr__table **out, const cr_source *source, const cr_schema *schema,
                            int packed, cr_error *err)
{
    const char *missing = cr__source_missing(source);
    cr_status st = cr__table_new(out, schema, err);

    if (st == CR_OK && ((*out)->missing = cr__strndup(missing, strlen(missing))) == NULL)
        st = cr__fail_memory(err);
    if (st == CR_OK && cr__table_expect(*out, FIRST_ROWS, 64e6) != CR_OK)
        st = cr__fail_memory(err);
    if (st == CR_OK && packed && cr__table_pack(*out) != CR_OK)
        st = cr__fail_memory(err);
    for (size_t i = 0; st == CR_OK && i < schema->columns; i++)
        if (schema->column[i].kind == CR_SYMBOL || schema->column[i].kind == CR_BAG)
            st = cr__dict_new(&(*out)->column[i].dict, TABLE_SEED + i, err);
    if (st != CR_OK) {
        cr__table_free(*out);
        *out = NULL;
    }
    return st;
}

static int is_alone(const cr_schema *schema, const cr_run *run)
{
    for (size_t i = 0; i < schema->columns; i++)
        if (schema->column[i].kind == CR_BAG)
            return 0;
    return cr__run_threads(run) == 1;
}

/* A team whose members each read a part, when the parts are contiguous. */
static const cr_team *team_for(cr_source *source, const cr_run *run)
{
    const cr_team *team = cr__team_of(run);

    return team != NULL && team->ranks > 1 && (team->local || cr__source_is_ordered(source)) ? team
                                                                                             : NULL;
}

/* A share of the chunks, evenly. */
static int wants(const void *context, const cr__chunk *chunk)
{
    const job *j = context;
    const uint64_t i = chunk->sequence;

    return j->chunks == 0 || i * j->wanted / j->chunks != (i + 1) * j->wanted / j->chunks;
}

static cr_status read_table(cr__table **out, cr_source *source, const cr_schema *schema,
                            const cr__recipe *recipe, const cr_run *run, int packed,
                            uint64_t wanted, uint64_t chunks, cr_error *err)
{
    const cr_team *team = team_for(source, run);
    job j = {.schema = schema,
             .recipe = recipe,
             .limit = cr__run_of(run).memory,
             .packed = packed && team == NULL,
             .wanted = wanted,
             .chunks = chunks};
    cr__pass pass = {.source = source,
                     .schema = schema,
                     .run = run,
                     .job = &j,
                     .begin = begin,
                     .wants = wants,
                     .absorb = absorb,
                     .deliver = deliver,
                     .end = end};
    void **states = NULL;
    size_t count = 0, broken = 0;
    cr_kind to = CR_SYMBOL;
    cr_status st;

    pthread_rwlock_init(&j.grown, NULL);
    do {
        cr__table_free(j.table);
        j.table = NULL;
        if ((st = make_table(&j.table, source, schema, j.packed, err)) != CR_OK)
            break;
        j.alone = is_alone(schema, run); /* kinds may change */
        st = cr__team_pass_run(&pass, team, &states, &count, &broken, &to, err);
    } while (st == CR__EWIDEN && (st = cr__source_widen(source, broken, to, err)) == CR_OK &&
             (st = cr__source_rewind(source, err)) == CR_OK);
    for (size_t i = 0; i < count; i++) {
        settle(states[i]);
        end(states[i]);
    }
    cr__free(states);
    pthread_rwlock_destroy(&j.grown);
    if (st == CR_OK && team != NULL)
        st = cr__team_join_tables(team, &j.table, j.limit, err);
    if (st != CR_OK) {
        cr__table_free(j.table);
        return st;
    }
    cr__table_trim(j.table);
    *out = j.table;
    return CR_OK;
}

cr_status cr__table_read(cr__table **out, cr_source *source, const cr_schema *schema,
                         const cr__recipe *recipe, const cr_run *run, cr_error *err)
{
    return read_table(out, source, schema, recipe, run, 0, 0, 0, err);
}

cr_status cr__table_read_packed(cr__table **out, cr_source *source, const cr_schema *schema,
                                const cr__recipe *recipe, const cr_run *run, cr_error *err)
{
    return read_table(out, source, schema, recipe, run, 1, 0, 0, err);
}

cr_status cr__table_read_some(cr__table **out, cr_source *source, const cr_schema *schema,
                              const cr__recipe *recipe, const cr_run *run, uint64_t wanted,
                              uint64_t chunks, cr_error *err)
{
    return read_table(out, source, schema, recipe, run, 0, wanted, chunks, err);
}
