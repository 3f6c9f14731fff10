/* store/kv_journal.c - keys and values with a journal of the newest words.
 *
 * The words of one message are on as many pages of the tree as there are words, and a lesson that
 * wrote them there would copy each of these pages. Instead it writes the new records of its words
 * as one block (store/patch.h), a few consecutive pages, in the same transaction as everything
 * else. A reader of a word searches the blocks first, the newest before the older ones, and then
 * the tree.
 *
 * Blocks are merged when they are written, so that each is at least twice as large as the next: few
 * have to be searched, and each record is rewritten as often as its block doubles. When they reach
 * a share of the whole, all of them are written into the tree, in its order: by then many records
 * of every page have changed. (This is a log-structured merge tree of O'Neil et al. 1996, whose
 * last level is the tree.) The mean cost of a lesson does not depend on the size of the store.
 *
 * The blocks have the keys J 0, J 1, …, the oldest first.
 */
#include <stdlib.h>
#include <string.h>

#include "base/fail.h"
#include "base/memory.h"
#include "store/kv.h"
#include "store/patch.h"

enum { MOST_PATCHES = 32, BATCH = 256, KEY = 2 };

#define SHARE 32                      /* of the bytes of the store that the journal may have, */
#define LARGEST ((uint64_t)512 << 20) /* but never more than these */

typedef struct journal_kv {
    cr__kv kv;
    cr__kv *under;
    char *where;
    int writing;
    int direct;             /* the journal is empty: this transaction writes into the tree */
    cr__patch_builder news; /* of this transaction */
    cr__patch patch[MOST_PATCHES];
    size_t size[MOST_PATCHES]; /* bytes of each */
    size_t patches;
    uint64_t least, limit; /* of their bytes, in any store and in this transaction */
} journal_kv;

static cr_status damaged(const journal_kv *j, cr_error *err)
{
    cr__fail(err, CR_EFORMAT, "this is not a sound store: its journal makes no sense");
    return cr__fail_at(err, CR_EFORMAT, j->where, 0, 0);
}

static int is_word(cr__bytes key)
{
    return key.size > 0 && *(const char *)key.at == 'W';
}

/* --- reading ---------------------------------------------------------------------------------- */

/* 1: the new records, or a patch from `oldest` on, have the key; 0; -1: the journal is damaged. */
static int find(const journal_kv *j, size_t oldest, uint32_t hash, cr__bytes key, cr__bytes *value)
{
    const cr__patch news = cr__patch_of(&j->news);
    int found = cr__patch_find(&news, hash, key, value);

    for (size_t i = j->patches; found == 0 && i-- > oldest;)
        found = cr__patch_find(&j->patch[i], hash, key, value);
    return found;
}

static cr_status get(cr__kv *kv, const cr__bytes *key, size_t n, cr__bytes *value, cr_error *err)
{
    journal_kv *j = (journal_kv *)kv;
    cr_status st = CR_OK;

    if (j->patches == 0 && j->news.keys == 0)
        return j->under->kind->get(j->under, key, n, value, err);
    for (size_t i = 0; st == CR_OK && i < n; i++) {
        const int found =
            is_word(key[i]) ? find(j, 0, cr__patch_hash(key[i]), key[i], &value[i]) : 0;

        if (found < 0)
            st = damaged(j, err);
        else if (!found)
            st = j->under->kind->get(j->under, &key[i], 1, &value[i], err);
    }
    return st;
}

typedef struct pair {
    cr__bytes key, value;
} pair;

static int compare_keys(cr__bytes a, cr__bytes b)
{
    const int order = memcmp(a.at, b.at, a.size < b.size ? a.size : b.size);

    return order != 0 ? order : (a.size > b.size) - (a.size < b.size);
}

static int compare_pairs(const void *a, const void *b)
{
    return compare_keys(((const pair *)a)->key, ((const pair *)b)->key);
}

/* Pairs of the journal, borrowed. */
typedef struct pairs {
    pair *pair;
    size_t count, capacity;
} pairs;

/* Those of one patch that newer ones (from `newer` on) lack. */
static cr_status collect(const journal_kv *j, const cr__patch *p, size_t newer, cr__bytes prefix,
                         pairs *out, cr_error *err)
{
    for (uint32_t i = 0; i < p->slots; i++) {
        pair e;
        cr__bytes other;
        uint32_t hash;
        int found = cr__patch_entry(p, i, &hash, &e.key, &e.value);

        if (found == 0 || (found > 0 && (e.key.size < prefix.size ||
                                         memcmp(e.key.at, prefix.at, prefix.size) != 0)))
            continue;
        if (found > 0 && newer != SIZE_MAX)
            found = 1 - find(j, newer, hash, e.key, &other);
        if (found < 0 || found > 1)
            return damaged(j, err);
        if (found == 0)
            continue;
        if (!cr__grow(&out->pair, &out->capacity, out->count + 1, sizeof *out->pair))
            return cr__fail_memory(err);
        out->pair[out->count++] = e;
    }
    return CR_OK;
}

/* All that the journal has of a prefix, in the order of the keys. Free out->pair. */
static cr_status collect_all(const journal_kv *j, cr__bytes prefix, pairs *out, cr_error *err)
{
    const cr__patch news = cr__patch_of(&j->news);
    cr_status st = collect(j, &news, SIZE_MAX, prefix, out, err);

    for (size_t i = j->patches; st == CR_OK && i-- > 0;)
        st = collect(j, &j->patch[i], i + 1, prefix, out, err);
    if (st == CR_OK && out->count > 0)
        qsort(out->pair, out->count, sizeof *out->pair, compare_pairs);
    return st;
}

/* A scan of the tree, merged with the pairs of the journal. */
typedef struct merging {
    const pairs *journal;
    size_t next;
    cr__kv_visit *visit;
    void *context;
} merging;

static cr_status visit_journal(merging *m, cr_error *err)
{
    const pair *p = &m->journal->pair[m->next++];

    return p->value.size == 0 ? CR_OK : m->visit(m->context, p->key, p->value, err);
}

static cr_status visit_tree(void *context, cr__bytes key, cr__bytes value, cr_error *err)
{
    merging *m = context;
    cr_status st = CR_OK;
    int order = 1;

    while (st == CR_OK && order > 0 && m->next < m->journal->count) {
        order = compare_keys(key, m->journal->pair[m->next].key);
        if (order >= 0)
            st = visit_journal(m, err);
        if (order == 0)
            return st;
    }
    return st == CR_OK ? m->visit(m->context, key, value, err) : st;
}

static cr_status scan(cr__kv *kv, cr__bytes prefix, cr__kv_visit *visit, void *context,
                      cr_error *err)
{
    journal_kv *j = (journal_kv *)kv;
    pairs journal = {0};
    merging m = {&journal, 0, visit, context};
    cr_status st;

    if ((j->patches == 0 && j->news.keys == 0) || !is_word(prefix))
        return j->under->kind->scan(j->under, prefix, visit, context, err);
    if ((st = collect_all(j, prefix, &journal, err)) == CR_OK)
        st = j->under->kind->scan(j->under, prefix, visit_tree, &m, err);
    while (st == CR_OK && m.next < journal.count)
        st = visit_journal(&m, err);
    cr__free(journal.pair);
    return st;
}

/* --- writing ---------------------------------------------------------------------------------- */

static cr_status put_patch(journal_kv *j, size_t i, const void *bytes, size_t size, cr_error *err)
{
    const char name[KEY] = {'J', (char)i};
    const cr__bytes key = {name, KEY}, value = {bytes, size};

    return j->under->kind->put(j->under, &key, &value, 1, err);
}

/* Drop the patches from one on. */
static cr_status drop(journal_kv *j, size_t first, cr_error *err)
{
    cr_status st = CR_OK;

    for (size_t i = first; st == CR_OK && i < j->patches; i++)
        st = put_patch(j, i, NULL, 0, err);
    if (first < j->patches)
        j->patches = first;
    return st;
}

static cr_status put_pairs(journal_kv *j, const pairs *all, cr_error *err)
{
    cr__bytes key[BATCH], value[BATCH];
    cr_status st = CR_OK;

    for (size_t i = 0, n; st == CR_OK && i < all->count; i += n) {
        for (n = 0; n < BATCH && i + n < all->count; n++) {
            key[n] = all->pair[i + n].key;
            value[n] = all->pair[i + n].value;
        }
        st = j->under->kind->put(j->under, key, value, n, err);
    }
    return st;
}

/* Write the whole journal into the tree. Pages that hold the patches stay unchanged until the
 * transaction ends: only pages that it created itself are reused. */
static cr_status fold(journal_kv *j, cr_error *err)
{
    pairs all = {0};
    cr_status st = collect_all(j, (cr__bytes){"W", 1}, &all, err);

    if (st == CR_OK)
        st = put_pairs(j, &all, err);
    if (st == CR_OK)
        st = drop(j, 0, err);
    cr__free(all.pair);
    cr__patch_builder_free(&j->news);
    j->direct = 1;
    return st;
}

/* Add the other records of a patch to the new ones. */
static cr_status absorb(journal_kv *j, const cr__patch *p, cr_error *err)
{
    for (uint32_t i = 0; i < p->slots; i++) {
        cr__bytes key, value, own;
        uint32_t hash;
        const int found = cr__patch_entry(p, i, &hash, &key, &value);
        const cr__patch news = cr__patch_of(&j->news);

        if (found < 0)
            return damaged(j, err);
        if (found > 0 && !cr__patch_find(&news, hash, key, &own) &&
            !cr__patch_put(&j->news, hash, key, value))
            return cr__fail_memory(err);
    }
    return CR_OK;
}

/* Write the new records as a patch, merged with patches that are not twice as large. */
static cr_status push(journal_kv *j, cr_error *err)
{
    size_t first = j->patches;
    size_t size = j->news.entries.size;
    cr__buffer block = {0};
    cr_status st = CR_OK;

    while (first > 0 && (j->size[first - 1] < 2 * size || first == MOST_PATCHES)) {
        size += j->size[--first];
        st = st == CR_OK ? absorb(j, &j->patch[first], err) : st;
    }
    cr__patch_write(&j->news, &block);
    if (st == CR_OK && block.failed)
        st = cr__fail_memory(err);
    if (st == CR_OK)
        st = drop(j, first + 1, err);
    if (st == CR_OK)
        st = put_patch(j, first, block.data, block.size, err);
    cr__buffer_free(&block);
    return st;
}

static uint64_t journal_size(const journal_kv *j)
{
    uint64_t size = j->news.entries.size;

    for (size_t i = 0; i < j->patches; i++)
        size += j->size[i];
    return size;
}

static cr_status put(cr__kv *kv, const cr__bytes *key, const cr__bytes *value, size_t n,
                     cr_error *err)
{
    journal_kv *j = (journal_kv *)kv;
    cr_status st = CR_OK;

    for (size_t i = 0; st == CR_OK && i < n; i++) {
        if (j->direct || !is_word(key[i]))
            st = j->under->kind->put(j->under, &key[i], &value[i], 1, err);
        else if (!cr__patch_put(&j->news, cr__patch_hash(key[i]), key[i], value[i]))
            st = cr__fail_memory(err);
        else if (j->news.entries.size > j->limit)
            st = fold(j, err);
    }
    return st;
}

/* --- transactions ----------------------------------------------------------------------------- */

static void end(journal_kv *j)
{
    cr__patch_builder_free(&j->news);
    j->patches = 0;
    j->writing = j->direct = 0;
}

static void give_up(cr__kv *kv)
{
    journal_kv *j = (journal_kv *)kv;

    j->under->kind->give_up(j->under);
    end(j);
}

static cr_status take_patch(void *context, cr__bytes key, cr__bytes value, cr_error *err)
{
    journal_kv *j = context;

    if (j->patches == MOST_PATCHES || key.size != KEY ||
        ((const unsigned char *)key.at)[1] != j->patches ||
        cr__patch_open(&j->patch[j->patches], value) != CR_OK)
        return damaged(j, err);
    j->size[j->patches++] = value.size;
    return CR_OK;
}

static cr_status begin(cr__kv *kv, int write, cr_error *err)
{
    journal_kv *j = (journal_kv *)kv;
    uint64_t bytes = 0;
    cr_status st = j->under->kind->begin(j->under, write, err);

    if (st != CR_OK)
        return st;
    end(j);
    j->writing = write;
    st = j->under->kind->scan(j->under, (cr__bytes){"J", 1}, take_patch, j, err);
    if (st == CR_OK && write)
        st = j->under->kind->measure(j->under, &bytes, err);
    j->limit = bytes / SHARE < j->least ? j->least : bytes / SHARE;
    j->limit = j->limit < LARGEST ? j->limit : LARGEST;
    if (st != CR_OK)
        give_up(kv);
    return st;
}

static cr_status commit(cr__kv *kv, cr_error *err)
{
    journal_kv *j = (journal_kv *)kv;
    cr_status st = CR_OK;

    if (j->writing && j->news.keys > 0)
        st = journal_size(j) > j->limit ? fold(j, err) : push(j, err);
    if (st != CR_OK)
        return st;
    end(j);
    return j->under->kind->commit(j->under, err);
}

/* --- the rest --------------------------------------------------------------------------------- */

static void close_kv(cr__kv *kv)
{
    journal_kv *j = (journal_kv *)kv;

    end(j);
    if (j->under != NULL)
        j->under->kind->close(j->under);
    cr__free(j->where);
    cr__free(j);
}

static cr_status measure(cr__kv *kv, uint64_t *bytes, cr_error *err)
{
    journal_kv *j = (journal_kv *)kv;

    return j->under->kind->measure(j->under, bytes, err);
}

static cr_status copy_to(cr__kv *kv, const char *where, cr_error *err)
{
    journal_kv *j = (journal_kv *)kv;

    return j->under->kind->copy_to(j->under, where, err);
}

static int grow(cr__kv *kv)
{
    journal_kv *j = (journal_kv *)kv;

    end(j);
    return j->under->kind->grow(j->under);
}

static const cr__kv_kind kind = {close_kv, begin, commit,  give_up, get,
                                 put,      scan,  measure, copy_to, grow};

cr_status cr__kv_open_journal(cr__kv **out, cr__kv *under, const char *where, uint64_t least,
                              cr_error *err)
{
    journal_kv *j = cr__alloc_zero(1, sizeof *j);

    *out = NULL;
    if (j == NULL || (j->where = cr__strndup(where, strlen(where))) == NULL) {
        cr__free(j);
        under->kind->close(under);
        return cr__fail_memory(err);
    }
    j->kv.kind = &kind;
    j->under = under;
    j->least = least;
    *out = &j->kv;
    return CR_OK;
}
