/* base/parallel.c - workers take the next task number until none is left. */
#include "base/parallel.h"

#include <pthread.h>
#include <string.h>

#include "base/fail.h"
#include "base/pool.h"
#include "base/sized.h"
#include "base/team.h"

typedef struct queue {
    pthread_mutex_t lock;
    cr_run run;
    int workers;
    size_t next, count, done, failed_at;
    cr_status status;
    cr_error error;
    cr_status (*work)(void *context, size_t i, cr_error *err);
    void *context;
} queue;

/* The caller holds the lock. */
static void note(queue *q, size_t i, cr_status st, const cr_error *err)
{
    if (st != CR_OK && (q->status == CR_OK || i < q->failed_at)) {
        q->status = st;
        q->failed_at = i;
        q->error = *err;
    }
}

/* The caller holds the lock. */
static void tell(queue *q, size_t i)
{
    cr_error err = {0};

    q->done++;
    if (q->run.progress != NULL && q->status == CR_OK &&
        q->run.progress(q->run.context, q->done, q->count, 0) != 0)
        note(q, i, cr__fail(&err, CR_ESTOPPED, "stopped"), &err);
}

static void drain(void *context, int worker)
{
    queue *q = context;

    if (worker >= q->workers)
        return;
    pthread_mutex_lock(&q->lock);
    while (q->status == CR_OK && q->next < q->count) {
        const size_t i = q->next++;
        cr_error err = {0};
        cr_status st;

        pthread_mutex_unlock(&q->lock);
        st = q->work(q->context, i, &err);
        pthread_mutex_lock(&q->lock);
        note(q, i, st, &err);
        tell(q, i);
    }
    pthread_mutex_unlock(&q->lock);
}

cr_status cr__parallel_for(const cr_run *run, size_t count,
                           cr_status (*work)(void *context, size_t i, cr_error *err), void *context,
                           cr_error *err)
{
    queue q = {.run = cr__run_of(run), .count = count, .work = work, .context = context};
    cr_pool *pool;
    cr_status st = cr__run_check(run, err);

    if (st == CR_OK)
        st = cr__pool_enter(&pool, &q.workers, run, count, err);
    if (st != CR_OK)
        return st;
    pthread_mutex_init(&q.lock, NULL);
    cr__pool_run(pool, drain, &q);
    pthread_mutex_destroy(&q.lock);
    cr__pool_leave(pool, run);
    if (q.status != CR_OK && err != NULL)
        *err = q.error;
    return q.status;
}

/* --- distributed over a team ----------------------------------------------------------------- */

typedef struct dealt {
    const cr_team *team;
    cr_status (*work)(void *context, size_t i, cr_error *err);
    void *context;
} dealt;

/* Task i of this member: members take every ranks-th task. */
static cr_status work_own(void *context, size_t i, cr_error *err)
{
    const dealt *d = context;

    return d->work(d->context, i * (size_t)d->team->ranks + (size_t)d->team->rank, err);
}

cr_status cr__parallel_deal(const cr_run *run, size_t count,
                            cr_status (*work)(void *context, size_t i, cr_error *err),
                            void *context, void *results, size_t words, cr_error *err)
{
    dealt d = {cr__team_of(run), work, context};
    size_t own;
    cr_status st;

    if (d.team == NULL)
        return cr__parallel_for(run, count, work, context, err);
    own = (count + (size_t)(d.team->ranks - 1 - d.team->rank)) / (size_t)d.team->ranks;
    memset(results, 0, words * sizeof(uint64_t));
    st = own == 0 ? CR_OK : cr__parallel_for(run, own, work_own, &d, err);
    st = cr__team_agree(d.team, st, err);
    /* Each word has been written by one member only; for all others it is 0. */
    return st == CR_OK ? cr__team_add(d.team, results, words, err) : st;
}
