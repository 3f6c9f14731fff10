/* tests/model/test_model_copy.c - copies share what they can, but nothing that one of them changes;
 * models as bytes. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <math.h>
#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#include "base/memory.h"
#include "credence/credence.h"
#include "model/model.h"
#include "support/model_bytes.h"

static const double x[] = {1, 2.5, -3, 4, NAN, 1e-3, 7, 2};
static const char *const colour[] = {"red", "blue", "red", "green", NULL, "red", "blue", "mauve"};
static const char *const label[] = {"a", "b", "a", "b", "a", "b", "b", "c"};
static const char *const words[] = {"a very close game", "the election was over",
                                    "very clean match",  "a clean but forgettable game",
                                    "it was close",      "an election",
                                    "the game",          "a new word"};

/* Rows [first, first + rows) of the little table. */
static cr_source *rows_of(size_t first, size_t rows)
{
    const cr_array table[] = {
        {.name = "x", .real = x + first},
        {.name = "colour", .text = colour + first},
        {.name = "words", .text = words + first, .kind = CR_BAG},
        {.name = "class", .text = label + first, .role = CR_ROLE_TARGET},
    };
    cr_source *source;

    assert_int_equal(cr_source_open_arrays(&source, table, 4, rows, NULL), CR_OK);
    return source;
}

static cr_model *trained(const char *learner, const char *const *params, size_t count)
{
    cr_source *source = rows_of(0, 6);
    cr_model *model;
    cr_error err = {0};

    if (cr_model_train(&model, source, learner, params, count, NULL, NULL, &err) != CR_OK)
        fail_msg("%s: %s", learner, err.message);
    cr_source_close(source);
    return model;
}

static cr_model *through_bytes(const cr_model *model)
{
    cr_model *loaded;
    void *bytes;
    size_t size;

    assert_int_equal(cr_model_save_bytes(model, &bytes, &size, NULL), CR_OK);
    assert_int_equal(cr_model_load_bytes(&loaded, bytes, size, 0, NULL), CR_OK);
    cr_bytes_free(bytes);
    return loaded;
}

/* --- bytes ------------------------------------------------------------------------------------ */

static void the_bytes_are_those_of_the_file(void **state)
{
    cr_model *model = trained("nb", NULL, 0);
    size_t size, file_size;
    char *file = model_bytes(model, &file_size);
    void *bytes;

    (void)state;
    assert_int_equal(cr_model_save_bytes(model, &bytes, &size, NULL), CR_OK);
    assert_int_equal(size, file_size);
    assert_memory_equal(bytes, file, size);
    cr_bytes_free(bytes);
    free(file);
    cr_model_free(model);
}

static void bytes_may_lie_anywhere(void **state)
{
    cr_model *model = trained("nb", NULL, 0);
    void *bytes, *room;
    size_t size;

    (void)state;
    assert_int_equal(cr_model_save_bytes(model, &bytes, &size, NULL), CR_OK);
    assert_int_equal(posix_memalign(&room, 64, size + 64), 0);
    for (unsigned flags = 0; flags <= CR_LOAD_TRUST + CR_LOAD_BORROW; flags++)
        for (size_t shift = 0; shift < 64; shift += 1 + shift) {
            cr_model *loaded;

            memcpy((char *)room + shift, bytes, size);
            assert_int_equal(cr_model_load_bytes(&loaded, (char *)room + shift, size, flags, NULL),
                             CR_OK);
            if (!(flags & CR_LOAD_BORROW))
                memset(room, 0, size + 64); /* they were copied */
            assert_same_model(model, loaded);
            cr_model_free(loaded);
        }
    free(room);
    cr_bytes_free(bytes);
    cr_model_free(model);
}

static void other_bytes_are_refused(void **state)
{
    cr_model *model = trained("nb", NULL, 0), *loaded;
    cr_error err = {0};
    void *bytes;
    size_t size;

    (void)state;
    assert_int_equal(cr_model_save_bytes(model, &bytes, &size, NULL), CR_OK);
    for (size_t n = 0; n < size; n += 97) {
        assert_int_equal(cr_model_load_bytes(&loaded, bytes, n, 0, &err), CR_EFORMAT);
        assert_null(loaded);
    }
    ((unsigned char *)bytes)[size / 2] ^= 1;
    assert_int_equal(cr_model_load_bytes(&loaded, bytes, size, 0, &err), CR_EFORMAT);
    assert_int_equal(cr_model_load_bytes(&loaded, NULL, 0, 0, &err), CR_EFORMAT);
    cr_bytes_free(bytes);
    cr_model_free(model);
}

/* --- copies ----------------------------------------------------------------------------------- */

typedef void change(cr_model *model);

static void learn(cr_model *model)
{
    cr_source *more = rows_of(6, 2);

    assert_int_equal(cr_model_learn(model, more, NULL, NULL, NULL), CR_OK);
    cr_source_close(more);
}

static void unlearn(cr_model *model)
{
    cr_source *less = rows_of(1, 2);

    assert_int_equal(cr_model_unlearn(model, less, NULL, NULL, NULL), CR_OK);
    cr_source_close(less);
}

static void refit(cr_model *model)
{
    const char *knob = "prior=uniform";

    assert_int_equal(cr_model_refit(model, &knob, 1, NULL), CR_OK);
}

static void merge(cr_model *model)
{
    assert_int_equal(cr_model_merge(model, model, NULL), CR_OK);
}

static void calibrate(cr_model *model)
{
    cr_source *source = rows_of(0, 6);

    assert_int_equal(cr_model_calibrate_on(model, source, "temperature", NULL, NULL, NULL), CR_OK);
    cr_source_close(source);
}

static void convert(cr_model *model)
{
    const char *knob = "variance=shared";

    assert_int_equal(cr_model_refit(model, &knob, 1, NULL), CR_OK);
    if (cr_model_to_logistic(model, NULL) != CR_OK)
        assert_string_equal(cr_model_learner(model), "nb");
}

static change *const changes[] = {learn, unlearn, refit, merge, calibrate, convert};

/* A change of either of two copies is the change of a model without copies, and leaves the other.
 */
static void check_change(const cr_model *model, change *do_change, int loaded, int of_copy)
{
    cr_model *first = loaded ? through_bytes(model) : NULL, *second, *alone;

    if (first == NULL)
        assert_int_equal(cr_model_copy(&first, model, NULL), CR_OK);
    alone = through_bytes(model);
    do_change(alone);
    assert_int_equal(cr_model_copy(&second, first, NULL), CR_OK);
    assert_same_model(first, second);
    do_change(of_copy ? second : first);
    assert_same_model(of_copy ? first : second, model);
    assert_same_model(of_copy ? second : first, alone);
    cr_model_free(of_copy ? first : second);
    do_change(of_copy ? second : first); /* and once more, alone now */
    do_change(alone);
    assert_same_model(of_copy ? second : first, alone);
    cr_model_free(of_copy ? second : first);
    cr_model_free(alone);
}

static void a_change_leaves_the_other_copies(void **state)
{
    cr_model *model = trained("nb", NULL, 0);

    (void)state;
    for (size_t i = 0; i < sizeof changes / sizeof *changes; i++) {
        if (changes[i] == unlearn || changes[i] == convert)
            continue; /* not twice */
        for (int how = 0; how < 4; how++)
            check_change(model, changes[i], how / 2, how % 2);
    }
    cr_model_free(model);
}

static void what_cannot_be_done_twice_leaves_them_too(void **state)
{
    cr_model *model = trained("nb", NULL, 0), *copy, *same = through_bytes(model);

    (void)state;
    assert_int_equal(cr_model_copy(&copy, model, NULL), CR_OK);
    unlearn(copy);
    assert_same_model(model, same);
    cr_model_free(copy);
    assert_int_equal(cr_model_copy(&copy, model, NULL), CR_OK);
    convert(copy);
    assert_same_model(model, same);
    cr_model_free(copy);
    cr_model_free(same);
    cr_model_free(model);
}

static void copies_share_statistics_and_parameters(void **state)
{
    cr_model *model = trained("nb", NULL, 0), *copy;
    const cr__stats *mine, *theirs;

    (void)state;
    assert_int_equal(cr_model_copy(&copy, model, NULL), CR_OK);
    assert_ptr_equal(copy->share->fitted, model->share->fitted);
    refit(copy);
    assert_ptr_not_equal(copy->share->fitted, model->share->fitted);
    assert_int_equal(cr__model_stats(model, &mine, NULL), CR_OK);
    assert_int_equal(cr__model_stats(copy, &theirs, NULL), CR_OK);
    assert_ptr_equal(mine, theirs);
    cr_model_free(model);
    refit(copy);
    cr_model_free(copy);
}

static void statistics_are_read_once_for_all_copies(void **state)
{
    cr_model *model = trained("nb", NULL, 0), *loaded = through_bytes(model), *copy;
    const cr__stats *mine, *theirs;

    (void)state;
    assert_int_equal(cr_model_copy(&copy, loaded, NULL), CR_OK);
    assert_int_equal(cr__model_stats(copy, &theirs, NULL), CR_OK);
    assert_int_equal(cr__model_stats(loaded, &mine, NULL), CR_OK);
    assert_ptr_equal(mine, theirs);
    cr_model_free(copy);
    assert_same_model(loaded, model);
    cr_model_free(loaded);
    cr_model_free(model);
}

static void every_learner_can_be_copied_and_changed(void **state)
{
    static const char *const learner[] = {"nb", "gda", "tan", "aode", "kdb", "joint", "logistic"};

    (void)state;
    for (size_t i = 0; i < sizeof learner / sizeof *learner; i++) {
        const char *impute = "impute=mean";
        const cr_array table[] = {
            {.name = "x", .real = x},
            {.name = "colour", .text = colour},
            {.name = "class", .text = label, .role = CR_ROLE_TARGET},
        };
        const char *bins = "bins=x:1:3";
        const char *params[] = {impute, bins};
        const int joint = strcmp(learner[i], "joint") == 0;
        cr_source *source;
        cr_model *model, *copy, *same;
        cr_error err = {0};

        assert_int_equal(cr_source_open_arrays(&source, table, 3, 8, NULL), CR_OK);
        if (cr_model_train(&model, source, learner[i], params, joint ? 2 : 1, NULL, NULL, &err) !=
            CR_OK)
            fail_msg("%s: %s", learner[i], err.message);
        same = through_bytes(model);
        assert_int_equal(cr_model_copy(&copy, model, NULL), CR_OK);
        if (cr_model_learn(copy, source, NULL, NULL, &err) != CR_OK)
            fail_msg("%s: %s", learner[i], err.message);
        cr_source_close(source);
        assert_same_model(model, same);
        assert_int_equal(cr_model_refit(model, NULL, 0, NULL), CR_OK);
        cr_model_free(model);
        cr_model_free(copy);
        cr_model_free(same);
    }
}

static void a_given_network_is_copied_before_a_knob_is_turned(void **state)
{
    const char *knob = "soft=B=b:0.8,no_b:0.1";
    FILE *f = fopen("copied.net", "w");
    cr_model *model, *copy, *same;
    cr_error err = {0};

    (void)state;
    assert_non_null(f);
    fputs("network two\nA: a no_a\nB: b no_b\nA = .3\nB | A\n  a = .1\n  no_a = .5\n", f);
    fclose(f);
    if (cr_network_read(&model, "copied.net", "A", &err) != CR_OK)
        fail_msg("%s", err.message);
    same = through_bytes(model);
    assert_int_equal(cr_model_copy(&copy, model, NULL), CR_OK);
    if (cr_model_refit(copy, &knob, 1, &err) != CR_OK)
        fail_msg("%s", err.message);
    assert_ptr_not_equal(copy->share->fitted, model->share->fitted);
    assert_same_model(model, same);
    cr_model_free(copy);
    cr_model_free(same);
    cr_model_free(model);
    remove("copied.net");
}

/* --- threads ---------------------------------------------------------------------------------- */

typedef struct shelf {
    pthread_mutex_t lock;
    cr_model *model; /* the current one */
    int done;
} shelf;

static cr_model *take(shelf *s, int *done)
{
    cr_model *copy = NULL;

    pthread_mutex_lock(&s->lock);
    if (cr_model_copy(&copy, s->model, NULL) != CR_OK)
        abort();
    *done = s->done;
    pthread_mutex_unlock(&s->lock);
    return copy;
}

/* A reader answers from whatever model is current, and each is whole: priors add up to 1. */
static void *reader(void *context)
{
    for (int done = 0; !done;) {
        cr_model *model = take(context, &done);
        double sum = 0;

        for (size_t c = 0; c < cr_model_classes(model); c++)
            sum += cr_model_prior(model, c);
        if (fabs(sum - 1) > 1e-12 || isnan(cr_model_class_count(model, 0)))
            abort();
        cr_model_free(model);
    }
    return NULL;
}

static void others_read_while_a_copy_learns(void **state)
{
    shelf s = {.lock = PTHREAD_MUTEX_INITIALIZER};
    cr_model *trained_once = trained("nb", NULL, 0);
    pthread_t thread[3];
    int done;

    (void)state;
    s.model = through_bytes(trained_once);
    for (size_t i = 0; i < 3; i++)
        assert_int_equal(pthread_create(&thread[i], NULL, reader, &s), 0);
    for (int i = 0; i < 40; i++) {
        cr_model *next = take(&s, &done), *old;

        learn(next);
        pthread_mutex_lock(&s.lock);
        old = s.model;
        s.model = next;
        s.done = i == 39;
        pthread_mutex_unlock(&s.lock);
        cr_model_free(old);
    }
    for (size_t i = 0; i < 3; i++)
        pthread_join(thread[i], NULL);
    for (int i = 0; i < 40; i++)
        learn(trained_once);
    assert_same_model(s.model, trained_once);
    cr_model_free(s.model);
    cr_model_free(trained_once);
}

/* --- memory ----------------------------------------------------------------------------------- */

static void memory_may_run_out_anywhere(void **state)
{
    cr_model *model = trained("nb", NULL, 0), *same = through_bytes(model);
    const char *knob = "prior=uniform";
    long n = 0;
    cr_status st;

    (void)state;
    do {
        cr_model *copy = NULL, *loaded = NULL;
        void *bytes = NULL;
        size_t size;

        cr__memory_fail_after = n++;
        st = cr_model_copy(&copy, model, NULL);
        if (st == CR_OK)
            st = cr_model_refit(copy, &knob, 1, NULL);
        if (st == CR_OK)
            st = cr_model_save_bytes(copy, &bytes, &size, NULL);
        if (st == CR_OK)
            st = cr_model_load_bytes(&loaded, bytes, size, 0, NULL);
        cr__memory_fail_after = -1;
        assert_true(st == CR_OK || st == CR_ENOMEM);
        cr_bytes_free(bytes);
        cr_model_free(loaded);
        cr_model_free(copy);
    } while (st != CR_OK);
    assert_true(n > 20);
    assert_same_model(model, same);
    cr_model_free(model);
    cr_model_free(same);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(the_bytes_are_those_of_the_file),
        cmocka_unit_test(bytes_may_lie_anywhere),
        cmocka_unit_test(other_bytes_are_refused),
        cmocka_unit_test(a_change_leaves_the_other_copies),
        cmocka_unit_test(what_cannot_be_done_twice_leaves_them_too),
        cmocka_unit_test(copies_share_statistics_and_parameters),
        cmocka_unit_test(statistics_are_read_once_for_all_copies),
        cmocka_unit_test(every_learner_can_be_copied_and_changed),
        cmocka_unit_test(a_given_network_is_copied_before_a_knob_is_turned),
        cmocka_unit_test(others_read_while_a_copy_learns),
        cmocka_unit_test(memory_may_run_out_anywhere),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
