/* tests/file/test_update.c - a model file changed by several processes at once: nothing is lost or
 * half done. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#include "credence/credence.h"
#include "support/model_bytes.h"

enum { THREADS = 4, LESSONS = 25 };

static const char *const colour[] = {"red", "blue", "red", "green"};
static const char *const label[] = {"a", "b", "a", "b"};

static cr_source *rows(size_t first, size_t count)
{
    const cr_array table[] = {{.name = "colour", .text = colour + first},
                              {.name = "class", .text = label + first, .role = CR_ROLE_TARGET}};
    cr_source *source;

    assert_int_equal(cr_source_open_arrays(&source, table, 2, count, NULL), CR_OK);
    return source;
}

static cr_model *trained(void)
{
    cr_source *source = rows(0, 4);
    cr_model *model;

    assert_int_equal(cr_model_train(&model, source, NULL, NULL, 0, NULL, NULL, NULL), CR_OK);
    cr_source_close(source);
    return model;
}

static cr_model *loaded(const char *path)
{
    cr_model *model;

    assert_int_equal(cr_model_load(&model, path, 0, NULL), CR_OK);
    return model;
}

/* Learn one row. */
static cr_status teach(void *context, cr_model *model, cr_error *err)
{
    cr_row *row;
    cr_status st = cr_row_new(&row, model, err);

    (void)context;
    if (st == CR_OK)
        st = cr_row_set_named(row, "colour", "mauve", err);
    if (st == CR_OK)
        st = cr_row_set_named(row, "class", "b", err);
    if (st == CR_OK)
        st = cr_row_learn(model, row, 1, err);
    cr_row_free(row);
    return st;
}

static void *teach_often(void *path)
{
    for (int i = 0; i < LESSONS; i++)
        if (cr_model_update(path, teach, NULL, NULL) != CR_OK)
            return path;
    return NULL;
}

static void no_lesson_is_lost(void **state)
{
    cr_model *model = trained(), *changed;
    pthread_t thread[THREADS];
    cr_error err = {0};
    void *failed;

    (void)state;
    assert_int_equal(cr_model_save(model, "shared.model", NULL), CR_OK);
    for (int i = 0; i < THREADS; i++)
        assert_int_equal(pthread_create(&thread[i], NULL, teach_often, "shared.model"), 0);
    for (int i = 0; i < THREADS; i++) {
        pthread_join(thread[i], &failed);
        assert_null(failed);
    }
    for (int i = 0; i < THREADS * LESSONS; i++)
        assert_int_equal(teach(NULL, model, &err), CR_OK);
    changed = loaded("shared.model");
    assert_same_model(model, changed);
    cr_model_free(model);
    cr_model_free(changed);
    remove("shared.model");
}

static cr_status spoil(void *context, cr_model *model, cr_error *err)
{
    assert_int_equal(teach(NULL, model, err), CR_OK);
    return *(cr_status *)context;
}

static void a_change_that_fails_leaves_the_file(void **state)
{
    cr_model *model = trained(), *same;
    cr_status st = CR_ESTOPPED;
    cr_error err = {0};

    (void)state;
    assert_int_equal(cr_model_save(model, "kept.model", NULL), CR_OK);
    assert_int_equal(cr_model_update("kept.model", spoil, &st, NULL), CR_ESTOPPED);
    same = loaded("kept.model");
    assert_same_model(model, same);
    cr_model_free(model);
    cr_model_free(same);
    remove("kept.model");
    assert_int_equal(cr_model_update("kept.model", spoil, &st, &err), CR_EIO);
    assert_non_null(strstr(err.message, "kept.model"));
}

static void count(void *context)
{
    ++*(int *)context;
}

typedef struct waiter {
    int waited, done;
} waiter;

static void *wait_for_lock(void *context)
{
    waiter *w = context;
    cr_lock *lock;

    if (cr_model_lock(&lock, "locked.model", count, &w->waited, NULL) == CR_OK)
        w->done = 1;
    cr_model_unlock(lock);
    return NULL;
}

static void a_lock_is_waited_for_and_said_so(void **state)
{
    cr_model *model = trained();
    waiter w = {0};
    pthread_t thread;
    cr_lock *lock, *none;

    (void)state;
    assert_int_equal(cr_model_lock(&none, "nothing.model", NULL, NULL, NULL), CR_OK);
    cr_model_unlock(none);
    cr_model_unlock(NULL);
    assert_int_equal(cr_model_save(model, "locked.model", NULL), CR_OK);
    assert_int_equal(cr_model_lock(&lock, "locked.model", count, &w.waited, NULL), CR_OK);
    assert_int_equal(w.waited, 0);
    assert_int_equal(pthread_create(&thread, NULL, wait_for_lock, &w), 0);
    assert_int_equal(cr_model_save(model, "locked.model", NULL), CR_OK); /* another file now */
    cr_model_unlock(lock);
    pthread_join(thread, NULL);
    assert_int_equal(w.done, 1);
    assert_true(w.waited <= 1);
    cr_model_free(model);
    remove("locked.model");
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(no_lesson_is_lost),
        cmocka_unit_test(a_change_that_fails_leaves_the_file),
        cmocka_unit_test(a_lock_is_waited_for_and_said_so),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
