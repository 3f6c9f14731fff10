/* store/kv_journal.c - keys and values with a journal of the newest words.
 *
 * The words of one message are on as many pages of the tree as there are words, and a lesson that
 * wrote them there would copy each of these pages. Instead it writes the new records of its words
 * as one block (store/patch.h), a few consecutive pages, in the same transaction as everything
 * else. A reader of a word searches the blocks first, the newest before the older ones, and then
 * the tree. (This is a log-structured merge tree of O'Neil et al. 1996, whose last level is the
 * tree.)
 *
 * Blocks are merged when they are written, so that each is at least twice as large as the next,
 * until they are full: few have to be searched, and no lesson merges much. A full block has its
 * entries in the order of their keys. When all together reach a share of the store, they are
 * frozen: they get no more records, and each of the next lessons also writes some of theirs into
 * the tree, from the first key to the last, so that neighbours share pages. By the time that the
 * blocks after them have grown to the same size, the frozen ones are in the tree, and are dropped.
 * So a lesson costs about as much as any other, whatever the size of the store.
 *
 *     J number     a block; the oldest has the smallest number (4 bytes, the highest first)
 *     L            while blocks are frozen: how many, their bytes, how many of these are in the
 *                  tree, and for each block how many bytes of its entries
 *
 * In stores of format 2 numbers have one byte, and the blocks are not in order: the next lesson
 * writes all of them into the tree.
 */
#include <stdlib.h>
#include <string.h>

#include "base/fail.h"
#include "base/memory.h"
#include "store/kv.h"
#include "store/patch.h"
#include "store/varint.h"

enum {
    MOST_PATCHES = 64,
    BATCH = 256,
    GROUP = 64,
    KEY = 5,
    OLD_KEY = 2,
    SHARE = 6,   /* of the bytes of the store that blocks have when they are frozen, */
    MOST = 16,   /* but not more than so many times the least */
    MOVED = 512, /* records that a lesson writes into the tree, or as many as it has itself, */
    MOST_MOVED = 1024,  /* but no more, unless that has left an eighth of them behind */
    MOST_KEPT = 1 << 16 /* words that are remembered */
};

/* Words that were read, with their values, one after another. */
typedef struct answer {
    cr__buffer bytes;
    size_t *end; /* of each key, of each value */
    size_t words, next, room;
} answer; /* {0} is empty */

typedef struct journal_kv {
    cr__kv kv;
    cr__kv *under;
    char *where;
    int writing;
    int direct;             /* the journal is empty: this transaction writes into the tree */
    int old;                /* the blocks are those of format 2 */
    cr__patch_builder news; /* of this transaction */
    answer last;            /* if this transaction writes */
    cr__patch patch[MOST_PATCHES];
    size_t size[MOST_PATCHES]; /* bytes of each */
    uint32_t number[MOST_PATCHES];
    size_t patches;
    size_t frozen;              /* the oldest ones, */
    size_t moved[MOST_PATCHES]; /* of whose entries so many bytes are in the tree */
    uint64_t least, limit; /* of their bytes, in any store and in this transaction; the least is
                              also what a full block has */
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

/* A lesson reads its words twice, to classify the row and to change their records, in the same
 * order. So the last answer is remembered until words are written. 1: the next words of it are
 * these. */
static int recall(journal_kv *j, const cr__bytes *key, size_t n, cr__bytes *value)
{
    const answer *a = &j->last;

    if (n > a->words - a->next)
        return 0;
    for (size_t i = 0; i < n; i++) {
        const size_t w = 2 * (a->next + i), start = w == 0 ? 0 : a->end[w - 1];

        if (key[i].size != a->end[w] - start ||
            memcmp(key[i].at, a->bytes.data + start, key[i].size) != 0)
            return 0;
        value[i] = (cr__bytes){a->bytes.data + a->end[w], a->end[w + 1] - a->end[w]};
    }
    j->last.next += n;
    return 1;
}

static void forget(journal_kv *j)
{
    cr__buffer_clear(&j->last.bytes);
    j->last.words = j->last.next = 0;
}

static cr_status remember(journal_kv *j, const cr__bytes *key, const cr__bytes *value, size_t n,
                          cr_error *err)
{
    answer *a = &j->last;
    size_t size = 0;

    for (size_t i = 0; i < n; i++)
        size += key[i].size + value[i].size;
    cr__buffer_reserve(&a->bytes, size);
    if (!cr__grow(&a->end, &a->room, 2 * (a->words + n), sizeof *a->end))
        return cr__fail_memory(err);
    for (size_t i = 0; i < n; i++, a->words++) {
        cr__buffer_add(&a->bytes, key[i].at, key[i].size);
        a->end[2 * a->words] = a->bytes.size;
        cr__buffer_add(&a->bytes, value[i].at, value[i].size);
        a->end[2 * a->words + 1] = a->bytes.size;
    }
    return a->bytes.failed ? cr__fail_memory(err) : CR_OK;
}

/* Words that the blocks lack, at `place` among all. */
static cr_status get_from_tree(journal_kv *j, const cr__bytes *key, cr__bytes *value,
                               const size_t *place, size_t n, cr_error *err)
{
    cr__bytes some[2 * GROUP];
    cr__bytes *wanted = n <= GROUP ? some : cr__alloc(n, 2 * sizeof *wanted);
    cr_status st = CR_OK;

    if (wanted == NULL)
        return cr__fail_memory(err);
    for (size_t k = 0; k < n; k++)
        wanted[k] = key[place[k]];
    if (n > 0)
        st = j->under->kind->get(j->under, wanted, n, wanted + n, err);
    for (size_t k = 0; st == CR_OK && k < n; k++)
        value[place[k]] = wanted[n + k];
    if (wanted != some)
        cr__free(wanted);
    return st;
}

/* Up to GROUP words, from number `first` on. Where a block has a word is somewhere in memory: so
 * they are searched block by block, and all of them, and then their entries, are fetched before the
 * first is looked at. The numbers of those that are in no block are put to `left`. */
static cr_status get_from_blocks(journal_kv *j, const cr__bytes *key, size_t first, size_t n,
                                 cr__bytes *value, size_t *left, size_t *rest, cr_error *err)
{
    const cr__patch news = cr__patch_of(&j->news);
    uint32_t hash[GROUP];
    size_t count = 0;

    for (size_t i = 0; i < n; i++) {
        hash[i] = cr__patch_hash(key[first + i]);
        if (cr__patch_find(&news, hash[i], key[first + i], &value[first + i]) == 0)
            left[count++] = first + i;
    }
    for (size_t b = j->patches; count > 0 && b-- > 0;) {
        const size_t searched = count;
        unsigned char maybe[GROUP];

        for (size_t k = 0; k < searched; k++)
            cr__patch_expect(&j->patch[b], hash[left[k] - first]);
        for (size_t k = 0; k < searched; k++)
            maybe[k] = (unsigned char)cr__patch_expect_entry(&j->patch[b], hash[left[k] - first]);
        count = 0;
        for (size_t k = 0; k < searched; k++) {
            const size_t i = left[k];
            const int found =
                maybe[k] ? cr__patch_find(&j->patch[b], hash[i - first], key[i], &value[i]) : 0;

            if (found < 0)
                return damaged(j, err);
            if (found == 0)
                left[count++] = i;
        }
    }
    *rest = count;
    return CR_OK;
}

/* Those that the blocks lack are requested from the tree together. */
static cr_status get_words(journal_kv *j, const cr__bytes *key, size_t n, cr__bytes *value,
                           cr_error *err)
{
    size_t some[GROUP], count = 0;
    size_t *left = n <= GROUP ? some : cr__alloc(n, sizeof *left);
    cr_status st = left == NULL ? cr__fail_memory(err) : CR_OK;

    for (size_t i = 0, rest = 0; st == CR_OK && i < n; i += GROUP) {
        st = get_from_blocks(j, key, i, n - i < GROUP ? n - i : GROUP, value, left + count, &rest,
                             err);
        count += rest;
    }
    if (st == CR_OK)
        st = get_from_tree(j, key, value, left, count, err);
    if (left != some)
        cr__free(left);
    return st;
}

/* Some words that are neighbours in a request. */
static cr_status get_run(journal_kv *j, const cr__bytes *key, size_t n, cr__bytes *value,
                         cr_error *err)
{
    cr_status st;

    if (recall(j, key, n, value))
        return CR_OK;
    forget(j);
    st = get_words(j, key, n, value, err);
    if (st == CR_OK && j->writing && !j->direct)
        st = remember(j, key, value, n < MOST_KEPT ? n : MOST_KEPT, err);
    return st;
}

static cr_status get(cr__kv *kv, const cr__bytes *key, size_t n, cr__bytes *value, cr_error *err)
{
    journal_kv *j = (journal_kv *)kv;
    cr_status st = CR_OK;

    for (size_t i = 0, words; st == CR_OK && i<n; i += words> 0 ? words : 1) {
        for (words = 0; i + words < n && is_word(key[i + words]);)
            words++;
        st = words > 0 ? get_run(j, key + i, words, value + i, err)
                       : j->under->kind->get(j->under, &key[i], 1, &value[i], err);
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

/* --- blocks ----------------------------------------------------------------------------------- */

/* Write a block under a number; without bytes, remove it. */
static cr_status put_patch(journal_kv *j, uint32_t number, const void *bytes, size_t size,
                           cr_error *err)
{
    const char name[KEY] = {'J', (char)(number >> 24), (char)(number >> 16), (char)(number >> 8),
                            (char)number};
    const char old_name[OLD_KEY] = {'J', (char)number};
    const cr__bytes key = j->old ? (cr__bytes){old_name, OLD_KEY} : (cr__bytes){name, KEY};

    return j->under->kind->put(j->under, &key, &(cr__bytes){bytes, size}, 1, err);
}

/* Drop the blocks from one to another. */
static cr_status drop(journal_kv *j, size_t first, size_t end, cr_error *err)
{
    cr_status st = CR_OK;

    for (size_t i = first; st == CR_OK && i < end; i++)
        st = put_patch(j, j->number[i], NULL, 0, err);
    for (size_t i = end; i < j->patches; i++) {
        j->patch[first + i - end] = j->patch[i];
        j->size[first + i - end] = j->size[i];
        j->number[first + i - end] = j->number[i];
    }
    j->patches -= end - first;
    return st;
}

/* Remember how far the frozen blocks are in the tree. */
static cr_status put_frozen(journal_kv *j, cr_error *err)
{
    cr__buffer out = {0};
    cr_status st;

    if (j->frozen > 0)
        cr__put_number(&out, j->frozen);
    for (size_t i = 0; i < j->frozen; i++)
        cr__put_number(&out, j->moved[i]);
    st = out.failed ? cr__fail_memory(err)
                    : j->under->kind->put(j->under, &(cr__bytes){"L", 1},
                                          &(cr__bytes){out.data, out.size}, 1, err);
    cr__buffer_free(&out);
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
        st = drop(j, 0, j->patches, err);
    if (st == CR_OK && j->frozen > 0) {
        j->frozen = 0;
        st = put_frozen(j, err);
    }
    cr__free(all.pair);
    cr__patch_builder_free(&j->news);
    j->direct = 1;
    return st;
}

/* Add the other records of a patch to the new ones. */
static cr_status absorb(journal_kv *j, const cr__patch *p, cr_error *err)
{
    const int added = cr__patch_add_missing(&j->news, p);

    return added > 0 ? CR_OK : added < 0 ? damaged(j, err) : cr__fail_memory(err);
}

/* Write the new records and those of the blocks from one on as one block. */
static cr_status write_block(journal_kv *j, size_t first, int in_order, cr_error *err)
{
    const uint32_t number = first < j->patches ? j->number[first]
                            : first == 0       ? 0
                                               : j->number[first - 1] + 1;
    cr__buffer block = {0};
    cr_status st = CR_OK;

    for (size_t i = j->patches; st == CR_OK && i-- > first;)
        st = absorb(j, &j->patch[i], err);
    if (st == CR_OK && (in_order || cr__patch_size(&j->news) >= j->least) &&
        !cr__patch_sort(&j->news))
        st = cr__fail_memory(err);
    cr__patch_write(&j->news, &block);
    if (st == CR_OK && block.failed)
        st = cr__fail_memory(err);
    if (st == CR_OK && first + 1 < j->patches)
        st = drop(j, first + 1, j->patches, err);
    if (st == CR_OK)
        st = put_patch(j, number, block.data, block.size, err);
    j->size[first] = block.size;
    j->patches = first + 1;
    cr__buffer_free(&block);
    return st;
}

/* Write the new records as a block, merged with blocks that are not full and not twice as large. */
static cr_status push(journal_kv *j, cr_error *err)
{
    size_t first = j->patches;
    size_t size = j->news.entries.size;

    while (first > j->frozen && j->size[first - 1] < j->least &&
           (j->size[first - 1] < 2 * size || first == MOST_PATCHES))
        size += j->size[--first];
    return write_block(j, first, 0, err);
}

/* From now on, lessons write the blocks into the tree. Those that are not full become one. */
static cr_status freeze(journal_kv *j, cr_error *err)
{
    size_t first = j->patches;
    cr_status st;

    while (first > 0 && j->size[first - 1] < j->least)
        first--;
    if ((st = write_block(j, first, 1, err)) != CR_OK)
        return st;
    j->frozen = j->patches;
    memset(j->moved, 0, sizeof j->moved);
    return put_frozen(j, err);
}

/* Bytes of the new records and of the blocks from one on. */
static uint64_t journal_size(const journal_kv *j, size_t first)
{
    uint64_t size = j->news.entries.size;

    for (size_t i = first; i < j->patches; i++)
        size += j->size[i];
    return size;
}

/* --- frozen blocks ---------------------------------------------------------------------------- */

/* The next entry of each frozen block. */
typedef struct moving {
    pair next[MOST_PATCHES];
    int left[MOST_PATCHES]; /* it has one */
    size_t after[MOST_PATCHES];
    size_t entries; /* passed so far, */
    uint64_t bytes; /* and their bytes, with those of earlier lessons */
} moving;

static cr_status step(journal_kv *j, moving *m, size_t i, cr_error *err)
{
    m->after[i] = j->moved[i];
    m->left[i] = cr__patch_next(&j->patch[i], &m->after[i], &m->next[i].key, &m->next[i].value);
    return m->left[i] < 0 ? damaged(j, err) : CR_OK;
}

/* The next of all by key, the newest where there are several; all of that key are passed. 0: there
 * is none. */
static int next_pair(journal_kv *j, moving *m, pair *out, cr_status *st, cr_error *err)
{
    size_t newest = SIZE_MAX;

    for (size_t i = j->frozen; i-- > 0;)
        if (m->left[i] > 0 &&
            (newest == SIZE_MAX || compare_keys(m->next[i].key, m->next[newest].key) < 0))
            newest = i;
    if (newest == SIZE_MAX)
        return 0;
    *out = m->next[newest];
    for (size_t i = 0; *st == CR_OK && i <= newest; i++)
        if (m->left[i] > 0 && compare_keys(m->next[i].key, out->key) == 0) {
            m->bytes += m->after[i] - j->moved[i];
            j->moved[i] = m->after[i];
            m->entries++;
            *st = step(j, m, i, err);
        }
    return *st == CR_OK;
}

/* Write records into the tree until so many entries, or bytes of them, are passed. */
static cr_status move_some(journal_kv *j, size_t entries, uint64_t bytes, cr_error *err)
{
    moving m = {.entries = 0};
    pairs some = {0};
    pair p;
    cr_status st = CR_OK;

    for (size_t i = 0; st == CR_OK && i < j->frozen; i++) {
        m.bytes += j->moved[i];
        st = step(j, &m, i, err);
    }
    while (st == CR_OK && m.entries < entries && m.bytes < bytes &&
           next_pair(j, &m, &p, &st, err)) {
        if (some.count > 0 && compare_keys(some.pair[some.count - 1].key, p.key) >= 0)
            st = damaged(j, err);
        else if (!cr__grow(&some.pair, &some.capacity, some.count + 1, sizeof *some.pair))
            st = cr__fail_memory(err);
        else
            some.pair[some.count++] = p;
    }
    if (st == CR_OK)
        st = put_pairs(j, &some, err);
    cr__free(some.pair);
    return st;
}

static uint64_t frozen_bytes(const journal_kv *j, int moved)
{
    uint64_t bytes = 0;

    for (size_t i = 0; i < j->frozen; i++)
        bytes += moved ? j->moved[i] : j->patch[i].size;
    return bytes;
}

/* The share of a lesson, which is about to be written: as much of the frozen blocks is in the tree
 * as the blocks after them have of their limit, and a bit more. */
static cr_status move_share(journal_kv *j, cr_error *err)
{
    const uint64_t all = frozen_bytes(j, 0), size = journal_size(j, j->frozen);
    const double part = 1.125 * (double)size / (double)j->limit;
    size_t own = j->news.keys;
    cr_status st;

    if (j->frozen == 0)
        return CR_OK;
    if (own > MOST_MOVED && part * (double)all < (double)(frozen_bytes(j, 1) + all / 8))
        own = MOST_MOVED;
    st = size > j->limit
             ? move_some(j, SIZE_MAX, UINT64_MAX, err)
             : move_some(j, own > MOVED ? own : MOVED, (uint64_t)(part * (double)all), err);
    if (st == CR_OK && frozen_bytes(j, 1) == all) {
        st = drop(j, 0, j->frozen, err);
        j->frozen = 0;
    }
    return st == CR_OK ? put_frozen(j, err) : st;
}

/* --- writing ---------------------------------------------------------------------------------- */

static cr_status put(cr__kv *kv, const cr__bytes *key, const cr__bytes *value, size_t n,
                     cr_error *err)
{
    journal_kv *j = (journal_kv *)kv;
    cr_status st = CR_OK;

    if (n > 1 || is_word(key[0]))
        forget(j);
    for (size_t i = 0; st == CR_OK && i < n; i++) {
        if (j->direct)
            return j->under->kind->put(j->under, key + i, value + i, n - i, err);
        if (!is_word(key[i]))
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
    cr__buffer_free(&j->last.bytes);
    cr__free(j->last.end);
    j->last = (answer){.words = 0};
    j->patches = j->frozen = 0;
    j->writing = j->direct = j->old = 0;
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
    const unsigned char *at = key.at;
    uint32_t number = 0;

    j->old |= key.size == OLD_KEY;
    if (j->patches == MOST_PATCHES || key.size != (j->old ? OLD_KEY : KEY) ||
        cr__patch_open(&j->patch[j->patches], value) != CR_OK)
        return damaged(j, err);
    for (size_t i = 1; i < key.size; i++)
        number = number << 8 | at[i];
    j->number[j->patches] = number;
    j->size[j->patches++] = value.size;
    return CR_OK;
}

static cr_status take_frozen(journal_kv *j, cr_error *err)
{
    const cr__bytes key = {"L", 1};
    cr__bytes value;
    cr__reader in;
    cr_status st = j->under->kind->get(j->under, &key, 1, &value, err);

    if (st != CR_OK || value.size == 0)
        return st;
    in = cr__reader_of(value.at, value.size);
    j->frozen = (size_t)cr__read_number(&in);
    if (in.failed || j->frozen > j->patches)
        return damaged(j, err);
    for (size_t i = 0; i < j->frozen; i++)
        if ((j->moved[i] = (size_t)cr__read_number(&in)) > j->patch[i].size || in.failed)
            return damaged(j, err);
    return in.at == in.end ? CR_OK : damaged(j, err);
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
    if (st == CR_OK)
        st = take_frozen(j, err);
    if (st == CR_OK && write)
        st = j->under->kind->measure(j->under, &bytes, err);
    j->limit = bytes / SHARE < j->least ? j->least : bytes / SHARE;
    j->limit = j->limit < MOST * j->least ? j->limit : MOST * j->least;
    if (st != CR_OK)
        give_up(kv);
    return st;
}

/* Write what is new, and the share of what is not. */
static cr_status settle(journal_kv *j, cr_error *err)
{
    cr_status st;

    if (j->old || j->patches == MOST_PATCHES)
        return fold(j, err);
    if ((st = move_share(j, err)) != CR_OK)
        return st;
    return j->frozen == 0 && journal_size(j, 0) > j->limit ? freeze(j, err) : push(j, err);
}

static cr_status commit(cr__kv *kv, cr_error *err)
{
    journal_kv *j = (journal_kv *)kv;
    cr_status st = CR_OK;

    if (j->writing && j->news.keys > 0)
        st = settle(j, err);
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

static const cr__kv_kind kind = {close_kv, begin,   commit,  give_up, get, put,
                                 scan,     measure, copy_to, grow,    NULL};

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
