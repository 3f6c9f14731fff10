/* tests/store/test_exchange.c - stores that learned separately become the same model, to the byte,
 * in whatever order they are synchronised; and it is the model of all rows. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include <cmocka.h>

#include "credence/credence.h"
#include "support/live_rows.h"

enum { STORES = 3, ROWS = 300, WORDS = 40, OPERATIONS = 400 };

static live_rows data = {.state = 11};

static const char *const labels[] = {"ham", "spam", "other", "fourth"};

static void make_rows(void)
{
    make_live_rows(&data, ROWS, 10, WORDS, labels, 4);
    data.label[0] = "ham";
    data.label[1] = "spam";
    memset(data.text[30], 'y', LIVE_TEXT - 1); /* too long for a key */
    data.text_at[30] = data.text[30];
}

static cr_source *source_of(size_t first, size_t rows)
{
    return live_source(&data, data.label + first, first, rows);
}

static cr_model *train(size_t first, size_t rows, const char *const *params, size_t count)
{
    cr_source *source = source_of(first, rows);
    cr_model *model;

    assert_int_equal(cr_model_train(&model, source, "nb", params, count, NULL, NULL, NULL), CR_OK);
    cr_source_close(source);
    return model;
}

static const char *folder(int store)
{
    static char path[STORES + 1][40];
    char command[100];

    snprintf(path[store], sizeof path[store], "exchange%d.store", store);
    snprintf(command, sizeof command, "rm -rf %s", path[store]);
    assert_int_equal(system(command), 0);
    return path[store];
}

static cr_store *make_store(int number, const cr_model *model, const cr_store_options *options)
{
    const char *path = folder(number);
    cr_store *store;

    assert_int_equal(cr_store_create(path, model, options, NULL), CR_OK);
    assert_int_equal(cr_store_open(&store, path, options, NULL), CR_OK);
    return store;
}

static cr_status teach(cr_store *store, size_t first, size_t rows, int sign)
{
    cr_source *source = source_of(first, rows);
    const cr_status st =
        cr_store_learn(store, source, sign, CR_STORE_NEW_CLASSES, NULL, NULL, NULL);

    cr_source_close(source);
    return st;
}

static void assert_same(cr_store *a, const cr_model *b)
{
    cr_model *model;
    void *x, *y;
    size_t n, m;

    assert_int_equal(cr_store_model(a, &model, NULL), CR_OK);
    assert_int_equal(cr_model_save_bytes(model, &x, &n, NULL), CR_OK);
    assert_int_equal(cr_model_save_bytes(b, &y, &m, NULL), CR_OK);
    assert_int_equal(n, m);
    assert_memory_equal(x, y, n);
    cr_bytes_free(x);
    cr_bytes_free(y);
    cr_model_free(model);
}

static void assert_equal_stores(cr_store *a, cr_store *b)
{
    cr_store_facts fa, fb;
    cr_model *model;

    assert_int_equal(cr_store_model(b, &model, NULL), CR_OK);
    assert_same(a, model);
    cr_model_free(model);
    assert_int_equal(cr_store_get_facts(a, &fa, NULL), CR_OK);
    assert_int_equal(cr_store_get_facts(b, &fb, NULL), CR_OK);
    assert_int_equal(fa.rows, fb.rows);
    assert_int_equal(fa.words, fb.words);
    assert_int_equal(fa.judged, fb.judged);
    assert_int_equal(fa.right, fb.right);
}

static void meet(cr_store *a, cr_store *b)
{
    cr_error err = {0};

    assert_int_equal(cr_store_exchange(a, b, &err), CR_OK);
    assert_equal_stores(a, b);
}

/* What may be in which store: rows that were learned here or came from others, how often. */
static int seen[STORES][ROWS], learned[ROWS];

static void share_knowledge(int a, int b)
{
    for (int r = 0; r < ROWS; r++)
        seen[a][r] = seen[b][r] = seen[a][r] || seen[b][r];
}

/* Random lessons and meetings. A row is unlearned once, wherever it is known, even where another
 * store learned it. */
static void random_meetings(const cr_store_options *options, const char *const *params,
                            size_t param_count, int compare)
{
    cr_store *store[STORES];
    cr_model *start[STORES], *all, *other;
    int gone[ROWS] = {0};

    memset(seen, 0, sizeof seen);
    memset(learned, 0, sizeof learned);
    make_rows();
    for (int s = 0; s < STORES; s++) { /* each begins with rows of its own */
        start[s] = train((size_t)(2 * s), 2, params, param_count);
        store[s] = make_store(s, start[s], options);
        learned[2 * s] = learned[2 * s + 1] = seen[s][2 * s] = seen[s][2 * s + 1] = 1;
    }
    for (int n = 0; n < OPERATIONS; n++) {
        const int s = (int)live_draw(&data, STORES), t = (int)live_draw(&data, STORES);
        const size_t r = 6 + live_draw(&data, ROWS - 6);

        if (live_draw(&data, 12) == 0 && s != t) {
            meet(store[s], store[t]);
            share_knowledge(s, t);
        } else if (learned[r] == 0 && live_draw(&data, 4) > 0) {
            assert_int_equal(teach(store[s], r, 1, 1), CR_OK);
            learned[r] = seen[s][r] = 1;
        } else if (learned[r] == 1 && !gone[r] && seen[s][r]) {
            assert_int_equal(teach(store[s], r, 1, -1), CR_OK);
            gone[r] = 1;
        }
    }
    for (int s = 0; s + 1 < STORES; s++)
        meet(store[s], store[s + 1]);
    for (int s = 0; s + 1 < STORES; s++)
        meet(store[s], store[STORES - 1]);
    for (int s = 0; s < STORES; s++)
        assert_int_equal(cr_store_check(store[s], NULL), CR_OK);
    all = start[0];
    assert_int_equal(cr_model_merge(all, start[1], NULL), CR_OK);
    assert_int_equal(cr_model_merge(all, start[2], NULL), CR_OK);
    for (size_t r = 6; r < ROWS; r++)
        if (learned[r] && !gone[r]) {
            other = train(r, 1, params, param_count);
            assert_int_equal(cr_model_merge(all, other, NULL), CR_OK);
            cr_model_free(other);
        }
    if (compare)
        assert_same(store[0], all);
    for (int s = 0; s < STORES; s++) {
        cr_model_free(start[s]);
        cr_store_close(store[s]);
    }
}

static void random_lessons_and_meetings(void **unused)
{
    const cr_store_options options = {.sync = CR_STORE_SYNC_NONE, .map = 1 << 16};

    (void)unused;
    for (int i = 0; i < 3; i++)
        random_meetings(&options, NULL, 0, 1);
}

static void calibrations_meet_too(void **unused)
{
    const cr_store_options temperature = {.sync = CR_STORE_SYNC_NONE, .calibrate = "temperature"},
                           platt = {.sync = CR_STORE_SYNC_NONE, .calibrate = "platt"};

    (void)unused;
    random_meetings(&temperature, NULL, 0, 0);
    random_meetings(&platt, NULL, 0, 0);
}

static void stores_that_are_kept_whole_meet(void **unused)
{
    static const char *const params[] = {"event=bernoulli"};
    const cr_store_options options = {.sync = CR_STORE_SYNC_NONE};

    (void)unused;
    random_meetings(&options, params, 1, 1);
}

static int64_t clock_of(void *days)
{
    return *(int64_t *)days * 86400 + 5;
}

/* Three days are kept. What one store learned is forgotten in the other at the same time. */
static void old_days_are_forgotten_in_all_stores(void **unused)
{
    int64_t day = 20000;
    const cr_store_options options = {.sync = CR_STORE_SYNC_NONE,
                                      .period = CR_STORE_PERIOD_DAY,
                                      .keep = 3,
                                      .now = clock_of,
                                      .now_context = &day};
    cr_store *a, *b;
    cr_model *model;

    (void)unused;
    make_rows();
    model = train(0, 10, NULL, 0);
    a = make_store(0, model, &options);
    cr_model_free(model);
    model = train(10, 10, NULL, 0);
    b = make_store(1, model, &options);
    cr_model_free(model);
    for (day = 20001; day < 20009; day++) { /* day d: rows 20 + 20 (d - 20001) … in turns */
        const size_t first = 20 + 20 * (size_t)(day - 20001);

        assert_int_equal(teach(a, first, 10, 1), CR_OK);
        if (day % 3 == 0)
            meet(a, b);
        assert_int_equal(teach(b, first + 10, 10, 1), CR_OK);
    }
    day--;
    assert_int_equal(cr_store_forget(a, NULL), CR_OK);
    meet(a, b);
    assert_int_equal(teach(b, 20 + 20 * 7, 10, -1), CR_OK); /* a's, of today */
    meet(b, a);
    model = train(20 + 20 * 5, 40, NULL, 0); /* the last three days, but for those */
    {
        cr_model *rest = train(20 + 20 * 7 + 10, 10, NULL, 0);

        assert_int_equal(cr_model_merge(model, rest, NULL), CR_OK);
        cr_model_free(rest);
    }
    assert_same(a, model);
    cr_model_free(model);
    assert_int_equal(cr_store_check(a, NULL), CR_OK);
    cr_store_close(a);
    cr_store_close(b);
}

/* A new store begins with what another sends; a stream that is lost, late or twice does no harm. */
static void streams_in_any_order(void **unused)
{
    const cr_store_options options = {.sync = CR_STORE_SYNC_NONE};
    cr_store *a, *b;
    cr_model *model;
    cr_error err = {0};
    void *first, *second, *third, *known;
    size_t n, m, k, size;

    (void)unused;
    make_rows();
    model = train(0, 20, NULL, 0);
    a = make_store(0, model, &options);
    cr_model_free(model);
    assert_int_equal(cr_store_send(a, NULL, 0, &first, &n, NULL), CR_OK);
    assert_int_equal(cr_store_create_from(folder(1), first, n, &options, NULL), CR_OK);
    assert_int_equal(cr_store_open(&b, "exchange1.store", &options, NULL), CR_OK);
    assert_equal_stores(a, b);
    assert_int_equal(teach(a, 20, 10, 1), CR_OK);
    assert_int_equal(cr_store_state(b, &known, &size, NULL), CR_OK);
    assert_int_equal(cr_store_send(a, known, size, &second, &m, NULL), CR_OK);
    cr_bytes_free(known);
    assert_int_equal(teach(a, 30, 10, 1), CR_OK);
    assert_int_equal(cr_store_state(a, &known, &size, NULL), CR_OK);
    assert_int_equal(teach(a, 40, 10, 1), CR_OK);
    assert_int_equal(cr_store_send(a, known, size, &third, &k, NULL), CR_OK);
    assert_int_equal(cr_store_receive(b, third, k, &err), CR_ECONFLICT); /* the second is missing */
    assert_int_equal(cr_store_receive(b, second, m, NULL), CR_OK);
    assert_int_equal(cr_store_receive(b, second, m, NULL), CR_OK);
    assert_int_equal(cr_store_receive(b, first, n, NULL), CR_OK);
    assert_int_equal(cr_store_receive(b, second, m - 1, &err), CR_EFORMAT);
    ((char *)second)[m / 2] ^= 1;
    assert_int_equal(cr_store_receive(b, second, m, &err), CR_EFORMAT);
    meet(b, a);
    meet(a, b);
    cr_bytes_free(first);
    cr_bytes_free(second);
    cr_bytes_free(third);
    cr_bytes_free(known);
    cr_store_close(a);
    cr_store_close(b);
}

/* A row that both unlearned would have a negative count: neither store changes. */
static void what_cannot_be_is_refused(void **unused)
{
    static const char *const params[] = {"alpha=2"};
    const cr_store_options options = {.sync = CR_STORE_SYNC_NONE};
    cr_store *a, *b;
    cr_model *model, *before;
    cr_error err = {0};

    (void)unused;
    make_rows();
    data.text_at[5] = "found in no other row";
    model = train(0, 20, NULL, 0);
    a = make_store(0, model, &options);
    cr_model_free(model);
    model = train(100, 20, NULL, 0);
    b = make_store(1, model, &options);
    cr_model_free(model);
    meet(a, b);
    assert_int_equal(teach(a, 5, 1, -1), CR_OK);
    assert_int_equal(teach(b, 5, 1, -1), CR_OK);
    assert_int_equal(cr_store_model(b, &before, NULL), CR_OK);
    assert_int_equal(cr_store_exchange(a, b, &err), CR_ECONFLICT);
    assert_true(strlen(err.message) > 0);
    assert_same(b, before);
    assert_int_equal(teach(a, 5, 1, 1), CR_OK); /* as the hint says */
    meet(a, b);
    assert_int_equal(cr_store_refit(a, params, 1, NULL), CR_OK);
    assert_int_equal(cr_store_exchange(a, b, &err), CR_ECONFLICT);
    assert_non_null(strstr(err.message, "alpha"));
    cr_model_free(before);
    cr_store_close(a);
    cr_store_close(b);
}

/* --- by their places, here and over a wire ---------------------------------------------------- */

static void assert_met(const char *first, const char *second)
{
    cr_store *a, *b;

    assert_int_equal(cr_store_open(&a, first, NULL, NULL), CR_OK);
    assert_int_equal(cr_store_open(&b, second, NULL, NULL), CR_OK);
    assert_equal_stores(a, b);
    cr_store_close(a);
    cr_store_close(b);
}

/* The process at the other end is this program again: see main(). */
static void stores_meet_by_their_places(void **unused)
{
    const cr_store_options options = {.sync = CR_STORE_SYNC_NONE};
    const char *const first = folder(0), *const second = folder(1), *const third = folder(2);
    char there[60], script[300], path[200];
    const ssize_t length = readlink("/proc/self/exe", path, sizeof path - 1);
    cr_model *model;
    cr_store *a;
    cr_error err = {0};

    (void)unused;
    assert_true(length > 0);
    path[length] = '\0';
    snprintf(script, sizeof script, "'%s'", path);
    assert_int_equal(cr_store_meet(first, second, NULL, &options, &err), CR_EARG);
    assert_non_null(strstr(err.message, "no store"));
    snprintf(there, sizeof there, "honest:%s", second);
    assert_int_equal(cr_store_meet(first, there, script, &options, &err), CR_EARG);
    make_rows();
    model = train(0, 20, NULL, 0);
    a = make_store(0, model, &options);
    cr_model_free(model);
    cr_store_close(a);
    assert_int_equal(cr_store_meet(first, first, NULL, &options, &err), CR_EARG);
    assert_int_equal(cr_store_meet("x:y", there, NULL, &options, &err), CR_EARG);
    assert_int_equal(cr_store_meet(first, there, script, &options, &err), CR_OK); /* it is made */
    assert_met(first, second);
    assert_int_equal(cr_store_open(&a, second, &options, NULL), CR_OK);
    assert_int_equal(teach(a, 100, 30, 1), CR_OK);
    cr_store_close(a);
    assert_int_equal(cr_store_meet(there, first, script, &options, &err), CR_OK); /* both ways */
    assert_met(first, second);
    assert_int_equal(cr_store_meet(third, first, NULL, &options, &err), CR_OK); /* it is made */
    assert_met(third, first);
    for (int liar = 0; liar < 2; liar++) {
        snprintf(there, sizeof there, "%s:%s", liar ? "liar" : "mute", second);
        assert_int_equal(cr_store_meet(first, there, script, &options, &err), CR_EIO);
        assert_string_equal(err.file, there);
    }
    assert_met(third, first);
}

/* COMMAND HOST credence store answer 'PATH', as cr_store_meet() starts it. */
static int answer(const char *host, char *path)
{
    static const char lie[] = {127, 0, 0, 0, 0, 0, 0, 0, 'x'}; /* a frame of 2^62 bytes and more */

    if (strcmp(host, "liar") == 0)
        return write(STDOUT_FILENO, lie, sizeof lie) == sizeof lie ? 0 : 1;
    if (strcmp(host, "mute") == 0)
        return 0;
    path[strlen(path) - 1] = '\0';
    return cr_store_answer(path + 1, STDIN_FILENO, STDOUT_FILENO, NULL, NULL) == CR_OK ? 0 : 1;
}

int main(int argc, char **argv)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(random_lessons_and_meetings),
        cmocka_unit_test(calibrations_meet_too),
        cmocka_unit_test(stores_that_are_kept_whole_meet),
        cmocka_unit_test(old_days_are_forgotten_in_all_stores),
        cmocka_unit_test(streams_in_any_order),
        cmocka_unit_test(what_cannot_be_is_refused),
        cmocka_unit_test(stores_meet_by_their_places),
    };

    if (argc == 6)
        return answer(argv[1], argv[5]);
    return cmocka_run_group_tests(tests, NULL, NULL);
}
