/* tests/base/test_library.c - libraries that are opened when they are first needed. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>

#include <cmocka.h>

#include "base/library.h"
#include "base/pool.h"

#define TWO(X) X(cos) X(sin)
#define NONE(X) X(cos) X(this_is_no_function)

typedef struct table {
    double (*cos)(double), (*sin)(double);
} table;

static void functions_of_a_library_are_called_through_its_table(void **state)
{
    table math = {0};
    cr__library library = {"libm.so.6", "libc6", "", CR__NAMES(TWO), &math, 0};

    (void)state;
    assert_int_equal(cr__library_open(&library, NULL), CR_OK);
    assert_true(math.cos(0) == 1);
    assert_true(math.sin(0) == 0);
    assert_int_equal(cr__library_open(&library, NULL), CR_OK);
}

static void names_have_a_prefix_in_common(void **state)
{
    double (*log1p)(double) = NULL;
    const char *const names[] = {"1p", NULL};
    cr__library library = {"libm.so.6", "libc6", "log", names, &log1p, 0};

    (void)state;
    assert_int_equal(cr__library_open(&library, NULL), CR_OK);
    assert_true(log1p(0) == 0);
}

static void a_library_that_is_not_there_is_named_with_its_package(void **state)
{
    table nothing = {0};
    cr__library library = {"libnowhere.so.7", "libnowhere7", "", CR__NAMES(TWO), &nothing, 0};
    cr_error err;

    (void)state;
    assert_int_equal(cr__library_open(&library, &err), CR_EIO);
    assert_non_null(strstr(err.message, "libnowhere.so.7"));
    assert_non_null(strstr(err.hint, "libnowhere7"));
    assert_int_equal(cr__library_open(&library, NULL), CR_EIO);
}

static void a_library_without_a_function_is_not_used(void **state)
{
    table math = {0};
    cr__library library = {"libm.so.6", "libc6", "", CR__NAMES(NONE), &math, 0};
    cr_error err;

    (void)state;
    assert_int_equal(cr__library_open(&library, &err), CR_EIO);
    assert_non_null(strstr(err.message, "this_is_no_function"));
    assert_int_equal(library.open, 0);
}

typedef struct race {
    table math;
    cr__library math_library;
    atomic_int right;
} race;

static void open_and_call(void *context, int worker)
{
    race *r = context;

    (void)worker;
    if (cr__library_open(&r->math_library, NULL) == CR_OK && r->math.cos(0) == 1 &&
        r->math.sin(0) == 0)
        atomic_fetch_add(&r->right, 1);
}

static void threads_may_open_a_library_at_once(void **state)
{
    enum { WORKERS = 8, ROUNDS = 50 };
    cr_pool *pool;

    (void)state;
    assert_int_equal(cr_pool_new(&pool, WORKERS, NULL), CR_OK);
    for (int round = 0; round < ROUNDS; round++) {
        race r = {.math_library = {"libm.so.6", "libc6", "", CR__NAMES(TWO), NULL, 0}};

        r.math_library.table = &r.math;
        cr__pool_run(pool, open_and_call, &r);
        assert_int_equal(r.right, WORKERS);
    }
    cr_pool_free(pool);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(functions_of_a_library_are_called_through_its_table),
        cmocka_unit_test(names_have_a_prefix_in_common),
        cmocka_unit_test(a_library_that_is_not_there_is_named_with_its_package),
        cmocka_unit_test(a_library_without_a_function_is_not_used),
        cmocka_unit_test(threads_may_open_a_library_at_once),
    };
    return cmocka_run_group_tests_name("library", tests, NULL, NULL);
}
