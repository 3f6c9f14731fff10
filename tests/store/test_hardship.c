/* tests/store/test_hardship.c - sleeping readers, stores of other versions, and out of memory at
 * every allocation. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/wait.h>
#include <unistd.h>

#include <cmocka.h>

#include "base/memory.h"
#include "credence/credence.h"
#include "store/patch.h"
#include "store/store.h"

static const char seed[] = "text,colour,class\n"
                           "a dog barks at night,red,ham\nthe cat sleeps all day,green,spam\n"
                           "a dog sleeps at night,red,ham\nthe cat barks all day,blue,spam\n";
static const char lesson[] = "text,colour,class\n"
                             "the bird sings all day,blue,ham\na cat sleeps at noon,red,spam\n";

static cr_source *source_of(const char *csv, cr_error *err)
{
    static const char *const types[] = {"text=text"};
    const cr_source_options options = {
        .format = "csv", .target = "class", .types = types, .type_count = 1};
    cr_source *source = NULL;

    return cr_source_open_memory(&source, csv, strlen(csv), NULL, &options, err) == CR_OK ? source
                                                                                          : NULL;
}

static void remove_store(const char *path)
{
    char command[100];

    snprintf(command, sizeof command, "rm -rf %s", path);
    assert_int_equal(system(command), 0);
}

static void make_store(const char *path, const cr_store_options *options)
{
    cr_source *source = source_of(seed, NULL);
    cr_model *model;

    remove_store(path);
    assert_non_null(source);
    assert_int_equal(cr_model_train(&model, source, "nb", NULL, 0, NULL, NULL, NULL), CR_OK);
    assert_int_equal(cr_store_create(path, model, options, NULL), CR_OK);
    cr_source_close(source);
    cr_model_free(model);
}

static cr_status teach(cr_store *store, const char *csv, int sign, cr_error *err)
{
    const cr_run one = {.threads = 1};
    cr_source *source = source_of(csv, err);
    cr_status st = source == NULL ? CR_ENOMEM : CR_OK;

    if (st == CR_OK)
        st = cr_store_learn(store, source, sign, CR_STORE_NEW_CLASSES, &one, NULL, err);
    cr_source_close(source);
    return st;
}

/* --- a reader that sleeps ----------------------------------------------------------------------
 */

static uint64_t rows_in_transaction(cr_store *store)
{
    cr_model *model;
    uint64_t rows;

    assert_int_equal(cr__store_view(store, NULL, &model, NULL), CR_OK);
    rows = model->rows;
    cr_model_free(model);
    return rows;
}

/* Holds one state while the parent teaches, and sees it to the end. Returns an exit status. */
static int sleep_and_look(const char *path, int ready, int go)
{
    cr_store *store;
    char byte = 0;
    uint64_t first, second;

    if (cr_store_open(&store, path, &(cr_store_options){.read_only = 1, .map = 1 << 16}, NULL) !=
            CR_OK ||
        cr__store_begin(store, 0, NULL) != CR_OK)
        return 1;
    first = rows_in_transaction(store);
    if (write(ready, &byte, 1) != 1 || read(go, &byte, 1) != 1)
        return 2;
    second = rows_in_transaction(store);
    cr__store_give_up(store);
    if (first != 4 || second != 4)
        return 3;
    if (cr__store_begin(store, 0, NULL) != CR_OK)
        return 4;
    second = rows_in_transaction(store);
    cr_store_close(store);
    return second == 304 ? 0 : 5;
}

static void a_reader_sleeps_while_the_store_grows(void **unused)
{
    const cr_store_options options = {.sync = CR_STORE_SYNC_NONE, .map = 1 << 16};
    const char *path = "sleeper.store";
    int ready[2], go[2], status;
    cr_store *store;
    pid_t child;
    char byte = 0;

    (void)unused;
    make_store(path, &options);
    assert_int_equal(pipe(ready), 0);
    assert_int_equal(pipe(go), 0);
    if ((child = fork()) == 0)
        _exit(sleep_and_look(path, ready[1], go[0]));
    assert_int_equal(read(ready[0], &byte, 1), 1);
    assert_int_equal(cr_store_open(&store, path, &options, NULL), CR_OK);
    for (int i = 0; i < 300; i++) { /* no page that the reader sees can be used again */
        char csv[200];

        snprintf(csv, sizeof csv, "text,colour,class\nword%d other%d third%d,red,ham\n", i, 7 * i,
                 i % 11);
        assert_int_equal(teach(store, csv, 1, NULL), CR_OK);
    }
    assert_int_equal(cr_store_check(store, NULL), CR_OK);
    assert_int_equal(write(go[1], &byte, 1), 1);
    assert_int_equal(waitpid(child, &status, 0), child);
    assert_int_equal(status, 0);
    cr_store_close(store);
}

/* --- another version ---------------------------------------------------------------------------
 */

/* Change one byte of the meta record: that of the format. */
static cr_status set_format(cr_store *store, void *format, cr_error *err)
{
    cr__bytes value;
    char copy[4096];
    cr_status st = cr__store_get(store, "H", 1, &value, err);

    assert_int_equal(st, CR_OK);
    assert_true(value.size < sizeof copy);
    memcpy(copy, value.at, value.size);
    copy[sizeof "credence store"] = *(char *)format;
    return cr__store_put(store, "H", 1, copy, value.size, err);
}

static void a_store_of_another_version_is_refused(void **unused)
{
    static const struct {
        char format;
        cr_status status;
        const char *says;
    } cases[] = {{CR__STORE_FORMAT + 1, CR_EVERSION, "later version"},
                 {0, CR_EFORMAT, "not a sound store"}};

    (void)unused;
    for (size_t i = 0; i < 2; i++) {
        cr_store *store;
        cr_error err = {0};

        make_store("version.store", NULL);
        assert_int_equal(cr_store_open(&store, "version.store", NULL, NULL), CR_OK);
        assert_int_equal(store->kv->kind->begin(store->kv, 1, NULL), CR_OK);
        assert_int_equal(set_format(store, (void *)&cases[i].format, NULL), CR_OK);
        assert_int_equal(store->kv->kind->commit(store->kv, NULL), CR_OK);
        cr_store_close(store);
        assert_int_equal(cr_store_open(&store, "version.store", NULL, &err), cases[i].status);
        assert_null(store);
        assert_non_null(strstr(err.message, cases[i].says));
        assert_string_equal(err.file, "version.store");
    }
}

/* The journal of a small store, which is one block: as a version made it, in the tree (1) or under
 * a shorter name (2). */
static void write_as(cr__kv *tree, char format)
{
    const cr__bytes name = {"J\0\0\0", 5}, old_name = {"J", 2}, none = {NULL, 0};
    cr__bytes found, block, key, value;
    char copy[65536];
    cr__patch patch;
    uint32_t hash;

    assert_int_equal(tree->kind->get(tree, &name, 1, &found, NULL), CR_OK);
    assert_true(found.size > 0 && found.size <= sizeof copy);
    memcpy(copy, found.at, found.size);
    block = (cr__bytes){copy, found.size};
    assert_int_equal(tree->kind->put(tree, &name, &none, 1, NULL), CR_OK);
    if (format == 2)
        assert_int_equal(tree->kind->put(tree, &old_name, &block, 1, NULL), CR_OK);
    assert_int_equal(cr__patch_open(&patch, block), CR_OK);
    for (uint32_t i = 0; format == 1 && i < patch.slots; i++)
        if (cr__patch_entry(&patch, i, &hash, &key, &value) == 1)
            assert_int_equal(tree->kind->put(tree, &key, &value, 1, NULL), CR_OK);
}

/* Stores of earlier versions are read and taught: the first had no journal, the second one with
 * other names. */
static void a_store_of_an_earlier_version_is_read(void **unused)
{
    const cr_store_options options = {.size = sizeof options};

    (void)unused;
    for (char format = 1; format <= 2; format++) {
        cr_store *store, bare = {0};
        cr_store_facts facts;

        make_store("first.store", NULL);
        assert_int_equal(cr__kv_open_lmdb(&bare.kv, "first.store", 0, &options, NULL), CR_OK);
        assert_int_equal(bare.kv->kind->begin(bare.kv, 1, NULL), CR_OK);
        write_as(bare.kv, format);
        assert_int_equal(set_format(&bare, &format, NULL), CR_OK);
        assert_int_equal(bare.kv->kind->commit(bare.kv, NULL), CR_OK);
        bare.kv->kind->close(bare.kv);
        assert_int_equal(cr_store_open(&store, "first.store", NULL, NULL), CR_OK);
        assert_int_equal(cr_store_check(store, NULL), CR_OK);
        assert_int_equal(teach(store, lesson, 1, NULL), CR_OK);
        assert_int_equal(cr_store_check(store, NULL), CR_OK);
        assert_int_equal(teach(store, lesson, 1, NULL), CR_OK);
        assert_int_equal(cr_store_check(store, NULL), CR_OK);
        assert_int_equal(cr_store_get_facts(store, &facts, NULL), CR_OK);
        assert_int_equal(facts.rows, 8); /* four, and two lessons of two */
        assert_int_equal(teach(store, lesson, -1, NULL), CR_OK);
        assert_int_equal(teach(store, seed, -1, NULL), CR_OK);
        assert_int_equal(cr_store_check(store, NULL), CR_OK);
        cr_store_close(store);
    }
}

/* How far blocks are in the tree must be possible, or nothing is believed. */
static void a_journal_that_makes_no_sense_is_refused(void **unused)
{
    static const cr__bytes wrong[] = {
        {"\x05\x00\x00\x00\x00\x00", 6}, /* more blocks than there are */
        {"\x01", 1},                     /* cut off */
        {"\x01\xff\xff\xff\x7f", 5},     /* beyond the block */
        {"\x01\x00\x00", 3}};            /* and something after it */
    const cr_store_options options = {.size = sizeof options};
    const cr__bytes key = {"L", 1};

    (void)unused;
    for (size_t i = 0; i < sizeof wrong / sizeof *wrong; i++) {
        cr__kv *kv;
        cr_store *store;
        cr_error err = {0};

        make_store("journal.store", NULL);
        assert_int_equal(cr__kv_open_lmdb(&kv, "journal.store", 0, &options, NULL), CR_OK);
        assert_int_equal(kv->kind->begin(kv, 1, NULL), CR_OK);
        assert_int_equal(kv->kind->put(kv, &key, &wrong[i], 1, NULL), CR_OK);
        assert_int_equal(kv->kind->commit(kv, NULL), CR_OK);
        kv->kind->close(kv);
        assert_int_equal(cr_store_open(&store, "journal.store", NULL, &err), CR_EFORMAT);
        assert_non_null(strstr(err.message, "journal"));
    }
}

/* --- memory that runs out ----------------------------------------------------------------------
 */

static cr_status learn(cr_store *store, cr_error *err)
{
    return teach(store, lesson, 1, err);
}

static cr_status unlearn(cr_store *store, cr_error *err)
{
    return teach(store, lesson, -1, err);
}

static cr_status prune(cr_store *store, cr_error *err)
{
    return cr_store_prune(store, &(cr_store_prune_options){.below = 2}, NULL, err);
}

static cr_status refit(cr_store *store, cr_error *err)
{
    static const char *const params[] = {"min-count=2"};

    return cr_store_refit(store, params, 1, err);
}

static cr_status ask(cr_store *store, cr_error *err)
{
    cr_store_facts facts;
    cr_model *model = NULL;
    cr_status st = cr_store_get_facts(store, &facts, err);

    if (st == CR_OK)
        st = cr_store_view_mail(store, "Subject: a dog\n\nbarks\n", 22, &model, err);
    cr_model_free(model);
    return st == CR_OK ? cr_store_check(store, err) : st;
}

/* To itself: everything is read, sent and checked. */
static cr_status send(cr_store *store, cr_error *err)
{
    void *bytes = NULL;
    size_t size = 0;
    cr_status st = cr_store_send(store, NULL, 0, &bytes, &size, err);

    if (st == CR_OK)
        st = cr_store_receive(store, bytes, size, err);
    cr_bytes_free(bytes);
    return st;
}

/* From a store that has learned something else. */
static cr_status meet(cr_store *store, cr_error *err)
{
    cr_store *other = NULL;
    cr_status st = cr_store_open(&other, "other.store", NULL, err);

    if (st == CR_OK)
        st = cr_store_exchange(store, other, err);
    cr_store_close(other);
    return st;
}

static void *bytes_of(cr_store *store, size_t *size)
{
    cr_model *model;
    void *bytes;

    assert_int_equal(cr_store_model(store, &model, NULL), CR_OK);
    assert_int_equal(cr_model_save_bytes(model, &bytes, size, NULL), CR_OK);
    cr_model_free(model);
    return bytes;
}

/* Let the n-th allocation fail, until one run has no failure. A store that failed is valid and
 * unchanged; the final result is that of a run without failures. */
static void sweep(const char *name, cr_status (*work)(cr_store *store, cr_error *err), int learns)
{
    const cr_store_options options = {
        .sync = CR_STORE_SYNC_NONE, .period = CR_STORE_PERIOD_DAY, .calibrate = "platt"};
    const char *path = "sweep.store";
    cr_status st = CR_ENOMEM;
    size_t size, now_size;
    void *before, *now;
    cr_store *store;
    long n = 0;

    make_store(path, &options);
    make_store("other.store", &options);
    assert_int_equal(cr_store_open(&store, path, &options, NULL), CR_OK);
    if (learns)
        assert_int_equal(learn(store, NULL), CR_OK);
    before = bytes_of(store, &size);
    for (; st != CR_OK; n += 1 + n / 40) {
        cr_error err = {0};

        cr__memory_fail_after = n;
        st = work(store, &err);
        cr__memory_fail_after = -1;
        if (st == CR_OK)
            break;
        if (st != CR_ENOMEM)
            fail_msg("%s: %d after %ld allocations: %s", name, (int)st, n, err.message);
        now = bytes_of(store, &now_size);
        if (work != meet) { /* of two transactions the first may have been made */
            assert_int_equal(now_size, size);
            assert_memory_equal(now, before, size);
        }
        cr_bytes_free(now);
    }
    assert_true(n > 10);
    assert_int_equal(cr_store_check(store, NULL), CR_OK);
    cr_bytes_free(before);
    cr_store_close(store);
}

static void every_allocation_may_fail(void **unused)
{
    (void)unused;
    sweep("learn", learn, 0);
    sweep("unlearn", unlearn, 1);
    sweep("prune", prune, 0);
    sweep("refit", refit, 0);
    sweep("ask", ask, 0);
    sweep("send", send, 0);
    sweep("meet", meet, 1);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(a_reader_sleeps_while_the_store_grows),
        cmocka_unit_test(a_store_of_another_version_is_refused),
        cmocka_unit_test(a_store_of_an_earlier_version_is_read),
        cmocka_unit_test(a_journal_that_makes_no_sense_is_refused),
        cmocka_unit_test(every_allocation_may_fail),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
