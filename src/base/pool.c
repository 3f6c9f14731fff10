/* base/pool.c - worker threads that wait for a round of work, do it, and report back. */
#include "base/pool.h"

#include <pthread.h>
#include <sched.h>
#include <unistd.h>

#include "base/fail.h"
#include "base/memory.h"
#include "base/sized.h"

typedef struct seat {
    cr_pool *pool;
    pthread_t thread;
    int worker;
} seat;

struct cr_pool {
    pthread_mutex_t lock;
    pthread_cond_t begin, finished;
    int workers;
    int threads;         /* workers with a thread of their own, from worker 1 on; -1: not started */
    int busy;            /* threads still at this round's work */
    unsigned long round; /* grows by one for each run */
    int closing;
    int taken; /* a caller's work is being done */
    void (*work)(void *context, int worker);
    void *context;
    seat *seats; /* [workers - 1] */
};

int cr__cores(void)
{
    long n;
#if defined(__linux__)
    cpu_set_t set;

    if (sched_getaffinity(0, sizeof set, &set) == 0 && CPU_COUNT(&set) > 0)
        return CPU_COUNT(&set);
#endif
    n = sysconf(_SC_NPROCESSORS_ONLN);
    return n < 1 ? 1 : n > 1024 ? 1024 : (int)n;
}

static void *thread_main(void *argument)
{
    seat *me = argument;
    cr_pool *pool = me->pool;
    unsigned long seen = 0;

    pthread_mutex_lock(&pool->lock);
    for (;;) {
        while (pool->round == seen && !pool->closing)
            pthread_cond_wait(&pool->begin, &pool->lock);
        if (pool->closing)
            break;
        seen = pool->round;
        pthread_mutex_unlock(&pool->lock);
        pool->work(pool->context, me->worker);
        pthread_mutex_lock(&pool->lock);
        if (--pool->busy == 0)
            pthread_cond_signal(&pool->finished);
    }
    pthread_mutex_unlock(&pool->lock);
    return NULL;
}

cr_status cr_pool_new(cr_pool **out, int workers, cr_error *err)
{
    cr_pool *pool = cr__alloc_zero(1, sizeof *pool);

    *out = NULL;
    if (workers <= 0)
        workers = cr__cores();
    if (pool == NULL || (pool->seats = cr__alloc_zero((size_t)workers, sizeof(seat))) == NULL) {
        cr__free(pool);
        return cr__fail_memory(err);
    }
    pthread_mutex_init(&pool->lock, NULL);
    pthread_cond_init(&pool->begin, NULL);
    pthread_cond_init(&pool->finished, NULL);
    pool->workers = workers;
    pool->threads = -1;
    *out = pool;
    return CR_OK;
}

void cr_pool_free(cr_pool *pool)
{
    if (pool == NULL)
        return;
    pthread_mutex_lock(&pool->lock);
    pool->closing = 1;
    pthread_cond_broadcast(&pool->begin);
    pthread_mutex_unlock(&pool->lock);
    for (int i = 0; i < pool->threads; i++)
        pthread_join(pool->seats[i].thread, NULL);
    pthread_cond_destroy(&pool->finished);
    pthread_cond_destroy(&pool->begin);
    pthread_mutex_destroy(&pool->lock);
    cr__free(pool->seats);
    cr__free(pool);
}

int cr_pool_threads(const cr_pool *pool)
{
    return pool->workers;
}

/* Starting threads costs more than a short query, so they start with the first work, as many as the
 * system provides. The caller holds the lock. */
static void begin_threads(cr_pool *pool)
{
    for (pool->threads = 0; pool->threads < pool->workers - 1; pool->threads++) {
        seat *s = &pool->seats[pool->threads];

        *s = (seat){.pool = pool, .worker = pool->threads + 1};
        if (pthread_create(&s->thread, NULL, thread_main, s) != 0)
            break;
    }
}

/* The caller plays the part of each worker from `one` on, one after another. */
static void run_alone(cr_pool *pool, int from, void (*work)(void *context, int worker),
                      void *context)
{
    for (int w = from; w < pool->workers; w++)
        work(context, w);
}

void cr__pool_run(cr_pool *pool, void (*work)(void *context, int worker), void *context)
{
    int taken, alone = 0; /* the first worker without a thread */

    pthread_mutex_lock(&pool->lock);
    taken = pool->taken;
    if (!taken) {
        if (pool->threads < 0)
            begin_threads(pool);
        alone = pool->threads + 1;
        pool->taken = 1;
        pool->work = work;
        pool->context = context;
        pool->busy = pool->threads;
        pool->round++;
        pthread_cond_broadcast(&pool->begin);
    }
    pthread_mutex_unlock(&pool->lock);
    if (taken) {
        run_alone(pool, 0, work, context);
        return;
    }
    work(context, 0);
    run_alone(pool, alone, work, context);
    pthread_mutex_lock(&pool->lock);
    while (pool->busy > 0)
        pthread_cond_wait(&pool->finished, &pool->lock);
    pool->taken = 0;
    pthread_mutex_unlock(&pool->lock);
}

cr_status cr__pool_enter(cr_pool **pool, int *workers, const cr_run *run, size_t most,
                         cr_error *err)
{
    const cr_run own = cr__run_of(run);
    cr_status st = CR_OK;

    *workers = cr__run_threads(run);
    if (most < (size_t)*workers)
        *workers = most > 0 ? (int)most : 1;
    *pool = own.pool;
    if (own.pool == NULL && (st = cr_pool_new(pool, *workers, err)) != CR_OK)
        return st;
    if (cr_pool_threads(*pool) < *workers)
        *workers = cr_pool_threads(*pool);
    return CR_OK;
}

void cr__pool_leave(cr_pool *pool, const cr_run *run)
{
    if (cr__run_of(run).pool == NULL)
        cr_pool_free(pool);
}
