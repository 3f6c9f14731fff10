/* tests/store/test_packed.c - a database that packs words has the same content as one that does
 * not, whatever is written, removed and rolled back; one that has words with keys of their own
 * packs them; and packs that are damaged lead nowhere. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#include "store/kv.h"
#include "store/pack.h"

enum { WORDS = 3000, LESSONS = 150, MOST = 1200, ROOM = CR__KV_KEY_MOST + 1 };

static uint64_t state = 7;

static unsigned draw(unsigned below) /* a linear congruential generator (Knuth, MMIX) */
{
    state = state * UINT64_C(6364136223846793005) + UINT64_C(1442695040888963407);
    return (unsigned)((state >> 33) % below);
}

static cr__bytes bytes_of(const char *s)
{
    return (cr__bytes){s, strlen(s)};
}

/* --- packs ------------------------------------------------------------------------------------ */

/* Keys in order, some of which begin with another one, and some of which are long. */
static size_t key_number(char *key, unsigned i)
{
    const size_t size = (size_t)sprintf(key, "key%04u", i / 3);

    memset(key + size, 'x', ROOM - size);
    return i % 3 == 0 ? size : i % 3 == 1 ? size + 5 : i % 90 == 2 ? CR__KV_KEY_MOST : size + 150;
}

/* The keys of even numbers, and those of odd ones as values; some values are long. */
static void make_pack(cr__buffer *out, unsigned keys)
{
    char key[ROOM], last[ROOM] = "", value[ROOM];
    size_t before = 0;

    for (unsigned i = 0; i < keys; i += 2) {
        const size_t size = key_number(key, i), n = key_number(value, i + 1);
        size_t shared = 0;

        while (shared < size && shared < before && key[shared] == last[shared])
            shared++;
        cr__pack_add(out, shared, (cr__bytes){key, size}, (cr__bytes){value, n});
        memcpy(last, key, size);
        before = size;
    }
}

static void test_finds_what_was_added(void **s)
{
    cr__buffer out = {0};
    char key[ROOM], want[ROOM], own[CR__KV_KEY_MOST];
    size_t at = 0, size = 0, n = 0;
    cr__bytes pack, value;
    cr__pack_pair pair;

    (void)s;
    make_pack(&out, 200);
    pack = (cr__bytes){out.data, out.size};
    for (unsigned i = 0; i < 201; i++) {
        const cr__bytes k = {key, key_number(key, i)};

        assert_int_equal(cr__pack_find(pack, k, &value), i % 2 == 0 && i < 200);
        if (i % 2 == 1 || i == 200)
            continue;
        assert_int_equal(value.size, key_number(want, i + 1));
        assert_memory_equal(value.at, want, value.size);
        assert_int_equal(cr__pack_next(pack, &at, &pair), 1);
        assert_int_equal(cr__pack_key(&pair, own, &size), 1);
        assert_int_equal(size, k.size);
        assert_memory_equal(own, key, size);
        n++;
    }
    assert_int_equal(n, 100);
    assert_int_equal(cr__pack_next(pack, &at, &pair), 0);
    assert_int_equal(cr__pack_find(pack, bytes_of(""), &value), 0);
    assert_int_equal(cr__pack_find(pack, bytes_of("a"), &value), 0);
    assert_int_equal(cr__pack_find(pack, bytes_of("z"), &value), 0);
    assert_int_equal(cr__pack_find((cr__bytes){NULL, 0}, bytes_of("key"), &value), 0);
    cr__buffer_free(&out);
}

/* Under the sanitizers, reading outside the bytes ends the test. */
static void test_damage_leads_nowhere(void **s)
{
    cr__buffer out = {0};
    char key[ROOM], own[CR__KV_KEY_MOST];

    (void)s;
    make_pack(&out, 12);
    for (size_t n = 0; n < out.size; n++)
        for (int change = 0; change < 256; change += change < 4 ? 1 : 36) {
            char *copy = malloc(n + 1);
            const cr__bytes pack = {copy, n + 1};
            size_t at = 0, size = 0;
            cr__bytes value;
            cr__pack_pair pair;

            assert_non_null(copy);
            memcpy(copy, out.data, n + 1);
            copy[n] ^= (char)change;
            for (unsigned i = 0; i < 13; i++)
                if (cr__pack_find(pack, (cr__bytes){key, key_number(key, i)}, &value) == 1)
                    assert_true((const char *)value.at >= copy &&
                                (const char *)value.at + value.size <= copy + n + 1);
            while (cr__pack_next(pack, &at, &pair) == 1 && cr__pack_key(&pair, own, &size))
                assert_in_range(size, 0, CR__KV_KEY_MOST);
            free(copy);
        }
    cr__buffer_free(&out);
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

static cr__kv *packed_over(cr__kv *tree)
{
    cr__kv *packed;

    assert_int_equal(cr__kv_open_packed(&packed, tree, "packed.kv", NULL), CR_OK);
    return packed;
}

static cr_status list(void *context, cr__bytes key, cr__bytes value, cr_error *err)
{
    (void)err;
    cr__buffer_add(context, key.at, key.size);
    cr__buffer_addc(context, '=');
    cr__buffer_add(context, value.at, value.size);
    cr__buffer_addc(context, '\n');
    return CR_OK;
}

static size_t check_same(cr__kv *a, cr__kv *b, const char *prefix)
{
    cr__buffer x = {0}, y = {0};
    size_t size;

    assert_int_equal(a->kind->scan(a, bytes_of(prefix), list, &x, NULL), CR_OK);
    assert_int_equal(b->kind->scan(b, bytes_of(prefix), list, &y, NULL), CR_OK);
    assert_int_equal(x.size, y.size);
    if ((size = x.size) > 0)
        assert_memory_equal(x.data, y.data, size);
    cr__buffer_free(&x);
    cr__buffer_free(&y);
    return size;
}

/* A batch of words in any order, some of them twice, some removed, and in half of the batches
 * others than words. */
typedef struct batch {
    char key[MOST][ROOM], value[MOST][ROOM];
    cr__bytes k[MOST], v[MOST];
    size_t n;
} batch;

static void draw_batch(batch *b, unsigned most, unsigned removed)
{
    const unsigned others = draw(2) == 0 ? 0 : 20;

    b->n = 1 + draw(most);
    for (size_t i = 0; i < b->n; i++) {
        const unsigned word = draw(WORDS);
        const int is_word = others == 0 || draw(others) > 0;
        size_t size = (size_t)sprintf(b->key[i], "%s%03u", is_word ? "W" : "M", word / 7);

        for (unsigned k = 0; k < word % 7 && is_word; k++)
            size += (size_t)sprintf(b->key[i] + size, "-%u", word * (k + 1) % 11);
        if (word % 500 == 0 && is_word) { /* as long as a key may be */
            memset(b->key[i] + size, 'y', CR__KV_KEY_MOST - size);
            size = CR__KV_KEY_MOST;
        }
        memset(b->value[i], 'a' + (int)draw(26), ROOM);
        b->k[i] = (cr__bytes){b->key[i], size};
        b->v[i] = (cr__bytes){b->value[i], draw(100) < removed ? 0
                                           : draw(50) == 0     ? 200 + draw(200)
                                                               : 1 + draw(8)};
    }
}

static void put_batch(cr__kv *kv, const batch *b)
{
    assert_int_equal(kv->kind->put(kv, b->k, b->v, b->n, NULL), CR_OK);
}

static void get_batch(cr__kv *a, cr__kv *b, const batch *asked)
{
    static cr__bytes x[MOST], y[MOST];

    assert_int_equal(a->kind->get(a, asked->k, asked->n, x, NULL), CR_OK);
    assert_int_equal(b->kind->get(b, asked->k, asked->n, y, NULL), CR_OK);
    for (size_t i = 0; i < asked->n; i++) {
        assert_int_equal(x[i].size, y[i].size);
        if (x[i].size > 0)
            assert_memory_equal(x[i].at, y[i].at, x[i].size);
    }
}

static void begin(cr__kv *a, cr__kv *b, int write)
{
    assert_int_equal(a->kind->begin(a, write, NULL), CR_OK);
    assert_int_equal(b->kind->begin(b, write, NULL), CR_OK);
}

static cr_status count(void *context, cr__bytes key, cr__bytes value, cr_error *err)
{
    (void)value;
    (void)err;
    ++((size_t *)context)[*(const char *)key.at == 'B'];
    return CR_OK;
}

/* How many packs there are, and that no word has a key of its own. */
static size_t packs_of(cr__kv *tree)
{
    size_t n[2] = {0, 0};

    assert_int_equal(tree->kind->scan(tree, bytes_of("W"), count, n, NULL), CR_OK);
    assert_int_equal(n[0], 0);
    assert_int_equal(tree->kind->scan(tree, bytes_of("B"), count, n, NULL), CR_OK);
    return n[1];
}

static void test_holds_the_same(void **s)
{
    static batch b;
    cr__kv *plain = open_tree("plain.kv"), *tree = open_tree("packed.kv"),
           *packed = packed_over(tree);
    size_t most = 0;

    (void)s;
    for (int lesson = 0; lesson < LESSONS; lesson++) {
        begin(plain, packed, 1);
        for (unsigned i = draw(4); i < 4; i++) { /* at last almost all words are removed */
            draw_batch(&b, draw(5) == 0 ? MOST : 5, lesson < LESSONS * 3 / 4 ? 15 : 95);
            put_batch(plain, &b);
            put_batch(packed, &b);
            draw_batch(&b, 20, 0);
            get_batch(plain, packed, &b);
        }
        check_same(plain, packed, "W");
        if (draw(8) == 0) {
            plain->kind->give_up(plain);
            packed->kind->give_up(packed);
        } else {
            assert_int_equal(plain->kind->commit(plain, NULL), CR_OK);
            assert_int_equal(packed->kind->commit(packed, NULL), CR_OK);
        }
        begin(plain, packed, 0);
        check_same(plain, packed, "W");
        check_same(plain, packed, "W1");
        check_same(plain, packed, "W217-");
        check_same(plain, packed, "W9");
        check_same(plain, packed, "M");
        draw_batch(&b, MOST, 0);
        get_batch(plain, packed, &b);
        most = packs_of(tree) > most ? packs_of(tree) : most;
        plain->kind->give_up(plain);
        packed->kind->give_up(packed);
    }
    assert_in_range(most, 20, WORDS / 10); /* otherwise this test would test little */
    plain->kind->close(plain);
    packed->kind->close(packed);
}

/* Words of stores that had no packs are read as they are, and packed when one is written. */
static void test_packs_what_is_not_packed(void **s)
{
    static batch b;
    cr__kv *plain = open_tree("plain.kv"), *tree = open_tree("packed.kv");
    cr__kv *packed;

    (void)s;
    begin(plain, tree, 1);
    for (int i = 0; i < 20; i++) {
        draw_batch(&b, MOST, 0);
        put_batch(plain, &b);
        put_batch(tree, &b);
    }
    assert_int_equal(plain->kind->commit(plain, NULL), CR_OK);
    assert_int_equal(tree->kind->commit(tree, NULL), CR_OK);
    packed = packed_over(tree);
    begin(plain, packed, 1);
    assert_true(check_same(plain, packed, "W") > 10000);
    draw_batch(&b, MOST, 50);
    get_batch(plain, packed, &b);
    put_batch(plain, &b);
    put_batch(packed, &b);
    assert_true(packs_of(tree) > 20);
    check_same(plain, packed, "W");
    get_batch(plain, packed, &b);
    plain->kind->give_up(plain);
    packed->kind->give_up(packed);
    plain->kind->close(plain);
    packed->kind->close(packed);
}

/* A pack whose words are not in order, or outside of it, is no part of a sound store. */
static void test_finds_damage(void **s)
{
    static const struct {
        const char *key, *word[2];
        int sound;
    } cases[] = {{"B", {"a", "b"}, 1},  {"B", {"b", "a"}, 0},  {"B", {"a", "a"}, 0},
                 {"Bb", {"a", "b"}, 0}, {"Bb", {"b", "n"}, 1}, {"Bb", {"n", "z"}, 0}};
    const cr__bytes last = bytes_of("Bx");

    (void)s;
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        cr__kv *tree = open_tree("packed.kv"), *packed = packed_over(tree);
        const cr__bytes key = bytes_of(cases[i].key);
        cr__buffer pack = {0}, words = {0};

        for (int w = 0; w < 2; w++)
            cr__pack_add(&pack, 0, bytes_of(cases[i].word[w]), bytes_of("1"));
        assert_int_equal(tree->kind->begin(tree, 1, NULL), CR_OK);
        assert_int_equal(tree->kind->put(tree, &key, &(cr__bytes){pack.data, pack.size}, 1, NULL),
                         CR_OK);
        cr__buffer_clear(&pack);
        cr__pack_add(&pack, 0, bytes_of("x"), bytes_of("1"));
        assert_int_equal(tree->kind->put(tree, &last, &(cr__bytes){pack.data, pack.size}, 1, NULL),
                         CR_OK);
        assert_int_equal(packed->kind->scan(packed, bytes_of("W"), list, &words, NULL),
                         cases[i].sound ? CR_OK : CR_EFORMAT);
        packed->kind->give_up(packed);
        packed->kind->close(packed);
        cr__buffer_free(&pack);
        cr__buffer_free(&words);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_finds_what_was_added),
        cmocka_unit_test(test_damage_leads_nowhere),
        cmocka_unit_test(test_holds_the_same),
        cmocka_unit_test(test_packs_what_is_not_packed),
        cmocka_unit_test(test_finds_damage),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
