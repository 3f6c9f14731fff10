/* tests/store/test_journal.c - a database with a journal has the same content as one without,
 * whatever is written, removed, rolled back and merged; and blocks of newest values detect
 * damage. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#include "store/kv.h"
#include "store/patch.h"

enum { KEYS = 400, LESSONS = 600, LEAST = 3000 };

static uint64_t state = 5;

static unsigned draw(unsigned below) /* a linear congruential generator (Knuth, MMIX) */
{
    state = state * UINT64_C(6364136223846793005) + UINT64_C(1442695040888963407);
    return (unsigned)((state >> 33) % below);
}

static cr__bytes bytes_of(const char *s)
{
    return (cr__bytes){s, strlen(s)};
}

/* --- blocks ----------------------------------------------------------------------------------- */

static void fill(cr__patch_builder *b, unsigned keys)
{
    for (unsigned i = 0; i < 2 * keys; i++) { /* each key twice: the second value counts */
        char key[20], value[20];

        snprintf(key, sizeof key, "W%u", i % keys);
        snprintf(value, sizeof value, "%u", i);
        assert_true(cr__patch_put(b, cr__patch_hash(bytes_of(key)), bytes_of(key),
                                  bytes_of(i % 7 == 0 ? "" : value)));
    }
}

static void test_finds_what_was_put(void **s)
{
    cr__patch_builder b = {0};
    cr__buffer out = {0};
    cr__patch p;
    cr__bytes value;

    (void)s;
    fill(&b, 1000);
    cr__patch_write(&b, &out);
    assert_int_equal(cr__patch_open(&p, (cr__bytes){out.data, out.size}), CR_OK);
    assert_int_equal(p.keys, 1000);
    for (unsigned i = 0; i < 1000; i++) {
        char key[20], want[20];

        snprintf(key, sizeof key, "W%u", i);
        snprintf(want, sizeof want, "%u", 1000 + i);
        assert_int_equal(cr__patch_find(&p, cr__patch_hash(bytes_of(key)), bytes_of(key), &value),
                         1);
        assert_int_equal(value.size, (1000 + i) % 7 == 0 ? 0 : strlen(want));
        assert_memory_equal(value.at, want, value.size);
    }
    assert_int_equal(cr__patch_find(&p, cr__patch_hash(bytes_of("V")), bytes_of("V"), &value), 0);
    assert_int_equal(cr__patch_check((cr__bytes){out.data, out.size}), CR_OK);
    cr__buffer_free(&out);
    cr__patch_builder_free(&b);
}

/* Entries that are added from a block are those that putting them one by one adds. */
static void test_adds_what_is_missing(void **s)
{
    cr__patch_builder b = {0}, more = {0}, one = {0};
    cr__buffer x = {0}, y = {0};
    cr__patch p;
    cr__bytes key, value, own;
    uint32_t hash;

    (void)s;
    fill(&b, 700);
    fill(&more, 300);
    fill(&one, 300);
    p = cr__patch_of(&b);
    assert_int_equal(cr__patch_add_missing(&more, &p), 1);
    for (uint32_t i = 0; i < p.slots; i++) {
        const cr__patch have = cr__patch_of(&one);

        if (cr__patch_entry(&p, i, &hash, &key, &value) == 1 &&
            cr__patch_find(&have, hash, key, &own) == 0)
            assert_true(cr__patch_put(&one, hash, key, value));
    }
    assert_int_equal(more.keys, 700);
    cr__patch_write(&more, &x);
    cr__patch_write(&one, &y);
    assert_int_equal(x.size, y.size);
    for (uint32_t i = 0; i < p.slots; i++)
        if (cr__patch_entry(&p, i, &hash, &key, &value) == 1) {
            const cr__patch a = cr__patch_of(&more), c = cr__patch_of(&one);

            assert_int_equal(cr__patch_find(&a, hash, key, &value), 1);
            assert_int_equal(cr__patch_find(&c, hash, key, &own), 1);
            assert_int_equal(value.size, own.size);
            assert_memory_equal(value.at, own.at, own.size);
        }
    assert_int_equal(cr__patch_check((cr__bytes){x.data, x.size}), CR_OK);
    p.size = 5; /* the entries are cut off */
    assert_int_equal(cr__patch_add_missing(&one, &p), -1);
    cr__buffer_free(&x);
    cr__buffer_free(&y);
    cr__patch_builder_free(&b);
    cr__patch_builder_free(&more);
    cr__patch_builder_free(&one);
}

static void test_sorts(void **s)
{
    cr__patch_builder b = {0};
    cr__patch p;
    cr__bytes key, value, before = {"", 0};
    size_t at = 0, n = 0;

    (void)s;
    fill(&b, 1000);
    assert_true(cr__patch_sort(&b));
    p = cr__patch_of(&b);
    for (; cr__patch_next(&p, &at, &key, &value) == 1; before = key, n++) {
        cr__bytes found;
        const int order =
            memcmp(before.at, key.at, before.size < key.size ? before.size : key.size);

        assert_true(order < 0 || (order == 0 && before.size < key.size));
        assert_int_equal(cr__patch_find(&p, cr__patch_hash(key), key, &found), 1);
        assert_ptr_equal(found.at, value.at);
    }
    assert_int_equal(n, 1000);
    assert_int_equal(at, b.entries.size);
    cr__patch_builder_free(&b);
}

static void test_tells_every_changed_byte(void **s)
{
    cr__patch_builder b = {0};
    cr__buffer out = {0};

    (void)s;
    fill(&b, 30);
    cr__patch_write(&b, &out);
    for (size_t i = 0; i < out.size; i++) {
        out.data[i] ^= 0x20;
        assert_int_equal(cr__patch_check((cr__bytes){out.data, out.size}), CR_EFORMAT);
        out.data[i] ^= 0x20;
        assert_int_equal(cr__patch_check((cr__bytes){out.data, i}), CR_EFORMAT);
    }
    cr__buffer_free(&out);
    cr__patch_builder_free(&b);
}

/* --- the same as without ---------------------------------------------------------------------- */

static cr__kv *open_tree(const char *name)
{
    const cr_store_options options = {.size = sizeof options, .sync = CR_STORE_SYNC_NONE};
    char command[100];
    cr__kv *kv;

    snprintf(command, sizeof command, "rm -rf %s", name);
    assert_int_equal(system(command), 0);
    assert_int_equal(cr__kv_open_lmdb(&kv, name, 1, &options, NULL), CR_OK);
    return kv;
}

typedef struct list {
    cr__buffer bytes;
    size_t pairs;
    int journals; /* pairs of the journal itself, which are left out */
} list;

static cr_status add(void *context, cr__bytes key, cr__bytes value, cr_error *err)
{
    list *l = context;

    (void)err;
    if (*(const char *)key.at == 'J') {
        l->journals++;
        return CR_OK;
    }
    cr__buffer_printf(&l->bytes, "%.*s=%.*s\n", (int)key.size, (const char *)key.at,
                      (int)value.size, (const char *)value.at);
    l->pairs++;
    return CR_OK;
}

static int check_same(cr__kv *a, cr__kv *b, const char *prefix)
{
    list x = {0}, y = {0};

    assert_int_equal(a->kind->scan(a, bytes_of(prefix), add, &x, NULL), CR_OK);
    assert_int_equal(b->kind->scan(b, bytes_of(prefix), add, &y, NULL), CR_OK);
    assert_int_equal(x.pairs, y.pairs);
    assert_int_equal(x.bytes.size, y.bytes.size);
    if (x.bytes.size > 0)
        assert_memory_equal(x.bytes.data, y.bytes.data, x.bytes.size);
    cr__buffer_free(&x.bytes);
    cr__buffer_free(&y.bytes);
    return x.journals;
}

static void check_key(cr__kv *a, cr__kv *b, cr__bytes key)
{
    cr__bytes x, y;

    assert_int_equal(a->kind->get(a, &key, 1, &x, NULL), CR_OK);
    assert_int_equal(b->kind->get(b, &key, 1, &y, NULL), CR_OK);
    assert_int_equal(x.size, y.size);
    if (x.size > 0)
        assert_memory_equal(x.at, y.at, x.size);
}

static void teach(cr__kv *a, cr__kv *b, unsigned words)
{
    for (unsigned n = words; n > 0; n--) {
        char key[20], value[200];
        cr__bytes k, v;

        snprintf(key, sizeof key, "%c%u", draw(20) == 0 ? 'M' : 'W', draw(KEYS));
        memset(value, 'a' + (int)draw(26), sizeof value);
        k = bytes_of(key);
        v = (cr__bytes){value, draw(6) == 0 ? 0 : 1 + draw(30)};
        assert_int_equal(a->kind->put(a, &k, &v, 1, NULL), CR_OK);
        assert_int_equal(b->kind->put(b, &k, &v, 1, NULL), CR_OK);
        if (draw(10) == 0)
            check_key(a, b, k);
    }
}

static void test_holds_the_same(void **s)
{
    cr__kv *plain = open_tree("plain.kv"), *packed, *journal;
    const cr__bytes state_key = {"L", 1};
    int frozen = 0, moved = 0, most = 0, before = 0;

    (void)s;
    assert_int_equal(cr__kv_open_packed(&packed, open_tree("journal.kv"), "journal.kv", NULL),
                     CR_OK);
    assert_int_equal(cr__kv_open_journal(&journal, packed, "journal.kv", LEAST, NULL), CR_OK);
    for (int lesson = 0; lesson < LESSONS; lesson++) {
        int journals;
        cr__bytes left;

        assert_int_equal(plain->kind->begin(plain, 1, NULL), CR_OK);
        assert_int_equal(journal->kind->begin(journal, 1, NULL), CR_OK);
        teach(plain, journal, draw(50) == 0 ? 300 : 1 + draw(12));
        if (draw(20) == 0) /* what the transaction itself has written is seen */
            check_same(journal, plain, "W");
        if (draw(10) == 0) {
            plain->kind->give_up(plain);
            journal->kind->give_up(journal);
        } else {
            assert_int_equal(plain->kind->commit(plain, NULL), CR_OK);
            assert_int_equal(journal->kind->commit(journal, NULL), CR_OK);
        }
        assert_int_equal(plain->kind->begin(plain, 0, NULL), CR_OK);
        assert_int_equal(journal->kind->begin(journal, 0, NULL), CR_OK);
        check_same(journal, plain, "W");
        check_same(journal, plain, "W1");
        check_same(journal, plain, "M");
        journals = check_same(journal, plain, "J");
        assert_int_equal(journal->kind->get(journal, &state_key, 1, &left, NULL), CR_OK);
        frozen += left.size > 0;
        moved += before && left.size == 0;
        most = journals > most ? journals : most;
        before = left.size > 0;
        plain->kind->give_up(plain);
        journal->kind->give_up(journal);
    }
    assert_true(moved > 10); /* otherwise this test would test little: blocks got into the tree, */
    assert_true(frozen > 10 * moved); /* step by step */
    assert_in_range(most, 5, 45);
    plain->kind->close(plain);
    journal->kind->close(journal);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_finds_what_was_put),
        cmocka_unit_test(test_adds_what_is_missing),
        cmocka_unit_test(test_sorts),
        cmocka_unit_test(test_tells_every_changed_byte),
        cmocka_unit_test(test_holds_the_same),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
