/* source/pass.c - give chunks to workers; failures and deliveries stay in order. */
#include "source/pass.h"

#include <pthread.h>
#include <time.h>

#include "base/fail.h"
#include "base/memory.h"
#include "base/sized.h"
#include "source/division.h"
#include "source/format.h"

typedef struct run_state {
    const cr__pass *pass;
    cr_run run;
    int workers;
    pthread_mutex_t reading; /* held while a chunk is read, which may wait for a slow input; it is
                                taken before the lock of all that follows */
    pthread_mutex_t lock;
    pthread_cond_t turn;
    int no_more;           /* take no more chunks */
    uint64_t deliver_next; /* sequence of the chunk whose turn it is to be delivered */
    cr_status status;      /* the failure nearest the start of the input, */
    uint64_t failed_at;    /* its chunk, */
    cr_error error;        /* what to say, */
    size_t broken;         /* and the column, for CR__EWIDEN */
    cr_kind broken_to;
    uint64_t rows;        /* for progress, */
    uint64_t done, total; /* and how far the source was read when it was read last */
    double told;          /* time of the last progress report, in seconds */
    void **states;        /* [workers] */
} run_state;

static double now(void)
{
    struct timespec t;

    clock_gettime(CLOCK_MONOTONIC, &t);
    return (double)t.tv_sec + (double)t.tv_nsec * 1e-9;
}

/* Record a failure if it is nearer the start than the known one. The caller holds the lock. */
static void note_failure(run_state *r, uint64_t sequence, cr_status st, const cr_error *err,
                         const cr__plan *plan)
{
    r->no_more = 1;
    if (r->status == CR_OK || sequence < r->failed_at) {
        r->status = st;
        r->failed_at = sequence;
        r->error = *err;
        if (plan != NULL) {
            r->broken = plan->broken_column;
            r->broken_to = plan->broken_to;
        }
    }
    pthread_cond_broadcast(&r->turn);
}

/* Report progress, at most ten times a second. The caller holds the lock. */
static void tell_progress(run_state *r, uint64_t sequence)
{
    const cr_run *run = &r->run;
    double t;

    if (run->progress == NULL || (t = now()) - r->told < 0.1)
        return;
    r->told = t;
    if (run->progress(run->context, r->done, r->total, r->rows) != 0) {
        cr_error err = {0};
        cr__fail(&err, CR_ESTOPPED, "stopped");
        note_failure(r, sequence, CR_ESTOPPED, &err, NULL);
    }
}

/* The next chunk for a worker, or 0 when there is none to take. */
static int take_chunk(run_state *r, cr__chunk *chunk)
{
    cr_error err = {0};
    cr_status st = CR_END;
    int no_more;

    pthread_mutex_lock(&r->reading);
    pthread_mutex_lock(&r->lock);
    no_more = r->no_more;
    pthread_mutex_unlock(&r->lock);
    if (!no_more)
        st = cr__source_next(r->pass->source, chunk, &err);
    pthread_mutex_lock(&r->lock);
    if (st == CR_END)
        r->no_more = 1;
    else if (st != CR_OK) /* it comes after all chunks taken so far */
        note_failure(r, UINT64_MAX - 1, st, &err, NULL);
    cr__source_progress(r->pass->source, &r->done, &r->total);
    pthread_mutex_unlock(&r->lock);
    pthread_mutex_unlock(&r->reading);
    return st == CR_OK;
}

/* A record cannot be read: complete the rows before it. Returns whether they can be delivered. */
static int save_rows(const cr__pass *pass, const cr__chunk *chunk, void *state, cr_status st,
                     uint64_t rows)
{
    if (!pass->delivers_before_failure || rows == 0 || (st != CR_EFORMAT && st != CR_ELIMIT))
        return 0;
    return pass->complete == NULL || pass->complete(state, chunk, NULL) == CR_OK;
}

/* Parse and absorb a chunk; rows counts what it held, saved tells whether a part that came before
 * a failure is ready. */
static cr_status work_through(const cr__pass *pass, cr__chunk *chunk, void *state, cr__plan *plan,
                              cr__batch *batch, uint64_t *rows, int *saved, cr_error *err)
{
    cr_status st;

    while ((st = cr__source_parse(chunk, plan, batch, err)) == CR_OK) {
        *rows += batch->rows;
        if ((st = pass->absorb(state, chunk, batch, err)) != CR_OK)
            return st;
    }
    if (st != CR_END) {
        *saved = save_rows(pass, chunk, state, st, *rows);
        return st;
    }
    return pass->complete == NULL ? CR_OK : pass->complete(state, chunk, err);
}

/* Wait for the chunk's turn and deliver it, unless an earlier chunk has failed. */
static void deliver_in_turn(run_state *r, const cr__chunk *chunk, void *state)
{
    cr_error err = {0};
    cr_status st;

    pthread_mutex_lock(&r->lock);
    while (r->deliver_next != chunk->sequence &&
           !(r->status != CR_OK && r->failed_at < chunk->sequence))
        pthread_cond_wait(&r->turn, &r->lock);
    if (r->deliver_next == chunk->sequence) {
        pthread_mutex_unlock(&r->lock);
        st = r->pass->deliver(state, chunk, &err);
        pthread_mutex_lock(&r->lock);
        if (st != CR_OK)
            note_failure(r, chunk->sequence, st, &err, NULL);
        else if (r->status == CR_OK || r->failed_at > chunk->sequence)
            r->deliver_next++;
        pthread_cond_broadcast(&r->turn);
    }
    pthread_mutex_unlock(&r->lock);
}

static void work(void *context, int worker)
{
    run_state *r = context;
    const cr__pass *pass = r->pass;
    cr__batch *batch = NULL;
    cr__plan *plan = NULL;
    void *state = NULL;
    cr_error err = {0};
    cr__chunk chunk;
    cr_status st = CR_OK;

    if (worker >= r->workers)
        return;
    while (st == CR_OK && take_chunk(r, &chunk)) {
        uint64_t rows = 0;
        int saved = 0;

        if (state == NULL) {
            st = pass->begin(pass->job, &state, &plan, &err);
            if (st == CR_OK)
                st = cr__batch_new(&batch, pass->schema, &err);
        }
        if (st == CR_OK && (pass->wants == NULL || pass->wants(pass->job, &chunk)))
            st = work_through(pass, &chunk, state, plan, batch, &rows, &saved, &err);
        pthread_mutex_lock(&r->lock);
        r->rows += rows;
        if (st != CR_OK)
            note_failure(r, chunk.sequence, st, &err, plan);
        else
            tell_progress(r, chunk.sequence);
        pthread_mutex_unlock(&r->lock);
        if ((st == CR_OK || saved) && pass->deliver != NULL)
            deliver_in_turn(r, &chunk, state);
        cr__source_release(&chunk);
    }
    cr__batch_free(batch);
    r->states[worker] = state;
}

/* Move the states that exist to the front; end them all after a failure. */
static size_t collect_states(run_state *r, int workers)
{
    size_t count = 0;

    for (int w = 0; w < workers; w++)
        if (r->states[w] != NULL)
            r->states[count++] = r->states[w];
    for (size_t i = 0; r->status != CR_OK && i < count; i++)
        r->pass->end(r->states[i]);
    return r->status == CR_OK ? count : 0;
}

/* Select the part to read, unless a team has divided the source. Returns whether it was divided
 * here. */
static cr_status enter_part(cr_source *source, int *entered, cr_error *err)
{
    cr_status st;

    *entered = 0;
    if (source->parts < 2)
        return CR_OK;
    if (source->division != NULL)
        return cr__fail(err, CR_EARG, "a part of the data cannot be divided among processes");
    st = cr__source_divide(source, source->parts, source->part - 1, NULL, 0, err);
    *entered = st == CR_OK;
    return st == CR_OK ? cr__source_begin_part(source, source->part - 1, err) : st;
}

static cr_status run_pass(const cr__pass *pass, void ***states, size_t *count, size_t *broken,
                          cr_kind *to, cr_error *err);

cr_status cr__pass_run(const cr__pass *pass, void ***states, size_t *count, size_t *broken,
                       cr_kind *to, cr_error *err)
{
    cr_source *source = pass->source;
    int entered;
    cr_status st = enter_part(source, &entered, err);

    *states = NULL;
    *count = 0;
    if (st == CR_OK && (st = run_pass(pass, states, count, broken, to, err)) != CR_OK && entered)
        cr__division_mend_line(source, err);
    if (entered)
        cr__source_join(source);
    return st;
}

static cr_status run_pass(const cr__pass *pass, void ***states, size_t *count, size_t *broken,
                          cr_kind *to, cr_error *err)
{
    run_state r = {.pass = pass, .run = cr__run_of(pass->run)};
    cr_pool *pool;
    cr_status st = cr__run_check(pass->run, err);

    *states = NULL;
    *count = 0;
    if (st == CR_OK)
        st = cr__pool_enter(&pool, &r.workers, pass->run, cr__source_chunks(pass->source), err);
    if (st != CR_OK)
        return st;
    if ((r.states = cr__alloc_zero((size_t)r.workers, sizeof *r.states)) == NULL) {
        cr__pool_leave(pool, pass->run);
        return cr__fail_memory(err);
    }
    pthread_mutex_init(&r.reading, NULL);
    pthread_mutex_init(&r.lock, NULL);
    pthread_cond_init(&r.turn, NULL);
    cr__pool_run(pool, work, &r);
    if (r.status == CR_OK)
        r.status = cr__source_check_classes(pass->source, &r.error);
    *count = collect_states(&r, r.workers);
    pthread_cond_destroy(&r.turn);
    pthread_mutex_destroy(&r.lock);
    pthread_mutex_destroy(&r.reading);
    cr__pool_leave(pool, pass->run);
    if (r.status == CR_OK) {
        *states = r.states;
        return CR_OK;
    }
    cr__free(r.states);
    if (err != NULL)
        *err = r.error;
    *broken = r.broken;
    *to = r.broken_to;
    return r.status;
}
