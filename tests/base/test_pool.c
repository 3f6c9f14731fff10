/* tests/base/test_pool.c - threads that work together, and the nearest name. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <pthread.h>
#include <stdatomic.h>

#include <cmocka.h>

#include "base/pool.h"

typedef struct tally {
    atomic_int calls;
    atomic_int seen; /* one bit per worker */
} tally;

static void count(void *context, int worker)
{
    tally *t = context;

    atomic_fetch_add(&t->calls, 1);
    atomic_fetch_or(&t->seen, 1 << worker);
}

static void every_worker_runs_once_in_every_round(void **state)
{
    (void)state;
    for (int workers = 1; workers <= 8; workers++) {
        cr_pool *pool;
        tally t = {0};

        assert_int_equal(cr_pool_new(&pool, workers, NULL), CR_OK);
        assert_int_equal(cr_pool_threads(pool), workers);
        for (int round = 1; round <= 50; round++) {
            cr__pool_run(pool, count, &t);
            assert_int_equal(atomic_load(&t.calls), round * workers);
        }
        assert_int_equal(atomic_load(&t.seen), (1 << workers) - 1);
        cr_pool_free(pool);
    }
}

#if defined(__GLIBC__)
/* No thread starts, since none can get its stack: the caller acts as every worker. */
static void workers_without_threads_are_the_callers(void **state)
{
    pthread_attr_t usual, vast;
    cr_pool *pool;
    tally t = {0};

    (void)state;
    assert_int_equal(pthread_getattr_default_np(&usual), 0);
    assert_int_equal(pthread_attr_init(&vast), 0);
    assert_int_equal(pthread_attr_setstacksize(&vast, (size_t)1 << 48), 0);
    assert_int_equal(cr_pool_new(&pool, 4, NULL), CR_OK);
    assert_int_equal(pthread_setattr_default_np(&vast), 0);
    cr__pool_run(pool, count, &t);
    assert_int_equal(pthread_setattr_default_np(&usual), 0);
    cr__pool_run(pool, count, &t);
    assert_int_equal(atomic_load(&t.calls), 8);
    assert_int_equal(atomic_load(&t.seen), 15);
    cr_pool_free(pool);
    pthread_attr_destroy(&vast);
    pthread_attr_destroy(&usual);
}
#endif

static void without_a_number_there_is_one_worker_per_core(void **state)
{
    cr_pool *pool;

    (void)state;
    assert_int_equal(cr_pool_new(&pool, 0, NULL), CR_OK);
    assert_int_equal(cr_pool_threads(pool), cr__cores());
    cr_pool_free(pool);
}

typedef struct nest {
    cr_pool *pool;
    tally inner, alone;
} nest;

/* Each worker asks the pool for more while it is busy. */
static void ask_for_more(void *context, int worker)
{
    nest *n = context;

    (void)worker;
    cr__pool_run(n->pool, count, &n->inner);
}

static void a_busy_pool_lets_the_caller_do_the_work_alone(void **state)
{
    nest n = {0};

    (void)state;
    assert_int_equal(cr_pool_new(&n.pool, 3, NULL), CR_OK);
    for (int round = 1; round <= 20; round++) {
        cr__pool_run(n.pool, ask_for_more, &n);
        assert_int_equal(atomic_load(&n.inner.calls), round * 3 * 3);
        assert_int_equal(atomic_load(&n.inner.seen), 7);
        cr__pool_run(n.pool, count, &n.alone);
        assert_int_equal(atomic_load(&n.alone.calls), round * 3);
    }
    cr_pool_free(n.pool);
}

static void a_run_uses_its_pool_and_no_more_threads_than_it_may(void **state)
{
    cr_run run = CR_RUN_INIT;
    cr_pool *pool;
    int workers;

    (void)state;
    assert_int_equal(cr_pool_new(&run.pool, 3, NULL), CR_OK);
    assert_int_equal(cr__pool_enter(&pool, &workers, &run, SIZE_MAX, NULL), CR_OK);
    assert_ptr_equal(pool, run.pool);
    assert_int_equal(workers, 3);
    cr__pool_leave(pool, &run);
    run.threads = 2;
    assert_int_equal(cr__pool_enter(&pool, &workers, &run, SIZE_MAX, NULL), CR_OK);
    assert_int_equal(workers, 2);
    cr__pool_leave(pool, &run);
    assert_int_equal(cr__pool_enter(&pool, &workers, &run, 1, NULL), CR_OK);
    assert_int_equal(workers, 1);
    cr__pool_leave(pool, &run);
    cr_pool_free(run.pool);
    run.pool = NULL;
    assert_int_equal(cr__pool_enter(&pool, &workers, &run, SIZE_MAX, NULL), CR_OK);
    assert_int_equal(cr_pool_threads(pool), 2);
    cr__pool_leave(pool, &run);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(every_worker_runs_once_in_every_round),
#if defined(__GLIBC__)
        cmocka_unit_test(workers_without_threads_are_the_callers),
#endif
        cmocka_unit_test(without_a_number_there_is_one_worker_per_core),
        cmocka_unit_test(a_busy_pool_lets_the_caller_do_the_work_alone),
        cmocka_unit_test(a_run_uses_its_pool_and_no_more_threads_than_it_may),
    };
    return cmocka_run_group_tests_name("pool", tests, NULL, NULL);
}
