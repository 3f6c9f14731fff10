/* tests/base/test_pool.c - threads that work together, and the nearest name. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdatomic.h>

#include <cmocka.h>

#include "base/nearest.h"
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
        cr__pool *pool;
        tally t = {0};

        assert_int_equal(cr__pool_new(&pool, workers, NULL), CR_OK);
        assert_int_equal(cr__pool_workers(pool), workers);
        for (int round = 1; round <= 50; round++) {
            cr__pool_run(pool, count, &t);
            assert_int_equal(atomic_load(&t.calls), round * workers);
        }
        assert_int_equal(atomic_load(&t.seen), (1 << workers) - 1);
        cr__pool_free(pool);
    }
}

static void without_a_number_there_is_one_worker_per_core(void **state)
{
    cr__pool *pool;

    (void)state;
    assert_int_equal(cr__pool_new(&pool, 0, NULL), CR_OK);
    assert_int_equal(cr__pool_workers(pool), cr__cores());
    cr__pool_free(pool);
}

static void distances_count_edits(void **state)
{
    (void)state;
    assert_int_equal(cr__edit_distance("kitten", "sitting"), 3); /* Levenshtein's own example */
    assert_int_equal(cr__edit_distance("", "abc"), 3);
    assert_int_equal(cr__edit_distance("Alpha", "alpha"), 0);
}

static void the_nearest_name_is_near_or_none(void **state)
{
    cr__nearest near = cr__nearest_begin("smothing");

    (void)state;
    cr__nearest_offer(&near, "alpha");
    assert_null(near.best);
    cr__nearest_offer(&near, "smoothing");
    cr__nearest_offer(&near, "nothing");
    assert_string_equal(near.best, "smoothing");
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(every_worker_runs_once_in_every_round),
        cmocka_unit_test(without_a_number_there_is_one_worker_per_core),
        cmocka_unit_test(distances_count_edits),
        cmocka_unit_test(the_nearest_name_is_near_or_none),
    };
    return cmocka_run_group_tests_name("pool", tests, NULL, NULL);
}
