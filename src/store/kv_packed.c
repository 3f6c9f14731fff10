/* store/kv_packed.c - keys and values with many words in one value.
 *
 * Neighbouring words share most of their letters, and what is kept of a word is a few bytes. So the
 * records of words (keys W...) are packed, some dozens in one value (store/pack.h). The key of a
 * pack is B and then bytes that are above the last word of the pack before and not above its own
 * first word, both without their W; that of the first pack is B alone. A store so takes a fraction
 * of the pages, each of which has to be mapped and fetched from memory by an answer.
 *
 * A database has packs, or words with keys of their own as in stores of format 3, which are packed
 * when the next word is written.
 */
#include <stdlib.h>
#include <string.h>

#include "base/fail.h"
#include "base/memory.h"
#include "store/kv.h"
#include "store/pack.h"

enum {
    MOST = 768, /* bytes of a pack, unless it has one word */
    GROUP = 64,
    MANY = 512, /* words that are looked up in their order */
    BATCH = 256
};

typedef struct packed_kv {
    cr__kv kv;
    cr__kv *under;
    char *where;
} packed_kv;

static cr_status damaged(const packed_kv *p, cr_error *err)
{
    cr__fail(err, CR_EFORMAT, "this is not a sound store: its words make no sense");
    return cr__fail_at(err, CR_EFORMAT, p->where, 0, 0);
}

static int begins(cr__bytes key, char kind)
{
    return key.size > 0 && *(const char *)key.at == kind;
}

/* The key of a word as it is in packs, and that of a pack. */
static cr__bytes tail_of(cr__bytes key)
{
    return (cr__bytes){(const char *)key.at + 1, key.size - 1};
}

static int compare_keys(cr__bytes a, cr__bytes b)
{
    const int order = memcmp(a.at, b.at, a.size < b.size ? a.size : b.size);

    return order != 0 ? order : (a.size > b.size) - (a.size < b.size);
}

/* --- reading ---------------------------------------------------------------------------------- */

typedef struct pack {
    cr__bytes key, value; /* key.size 0: there is none */
    cr__bytes next;       /* key of the next one, likewise */
} pack;

/* The pack where a word is, or would be; tail is its key without the W. */
static cr_status find_pack(packed_kv *p, cr__bytes tail, int with_next, pack *out, cr_error *err)
{
    char key[CR__KV_KEY_MOST];
    cr_status st;

    key[0] = 'B';
    memcpy(key + 1, tail.at, tail.size);
    st = p->under->kind->around(p->under, (cr__bytes){key, tail.size + 1}, &out->key, &out->value,
                                with_next ? &out->next : NULL, err);
    if (st != CR_OK || !begins(out->key, 'B'))
        out->key = out->value = (cr__bytes){NULL, 0};
    if (st != CR_OK || !with_next || !begins(out->next, 'B'))
        out->next = (cr__bytes){NULL, 0};
    return st;
}

/* Up to GROUP words. All of their packs are on the way from memory when the first is read. */
static cr_status get_words(packed_kv *p, const cr__bytes *key, size_t n, cr__bytes *value,
                           cr_error *err)
{
    pack at[GROUP];
    cr_status st = CR_OK;

    for (size_t i = 0; st == CR_OK && i < n; i++) {
        st = find_pack(p, tail_of(key[i]), 0, &at[i], err);
        for (size_t line = 0; line < at[i].value.size; line += 64)
            __builtin_prefetch((const char *)at[i].value.at + line);
    }
    for (size_t i = 0; st == CR_OK && i < n; i++) {
        const int found = cr__pack_find(at[i].value, tail_of(key[i]), &value[i]);

        if (found < 0)
            return damaged(p, err);
        if (found == 0)
            value[i] = (cr__bytes){NULL, 0};
        if (at[i].key.size == 0)
            st = p->under->kind->get(p->under, &key[i], 1, &value[i], err);
    }
    return st;
}

/* A word that is looked up. */
typedef struct request {
    uint64_t start; /* of its key, as a number: most comparisons need no more */
    const cr__bytes *key;
} request;

static int compare_requests(const void *pa, const void *pb)
{
    const request *a = pa, *b = pb;

    return a->start != b->start ? (a->start < b->start ? -1 : 1) : compare_keys(*a->key, *b->key);
}

/* Neighbours are in the same pack, or the same page: so many words are looked up in their order. */
static cr_status get_many(packed_kv *p, const cr__bytes *key, size_t n, cr__bytes *value,
                          cr_error *err)
{
    request *order = cr__alloc(n, sizeof *order);
    int sorted = 1;
    cr_status st = order == NULL ? cr__fail_memory(err) : CR_OK;

    for (size_t i = 0; st == CR_OK && i < n; i++) {
        const unsigned char *at = key[i].at;

        order[i] = (request){0, &key[i]};
        for (size_t k = 0; k < sizeof order[i].start; k++)
            order[i].start = order[i].start << 8 | (1 + k < key[i].size ? at[1 + k] : 0);
        sorted = sorted && (i == 0 || compare_requests(&order[i - 1], &order[i]) <= 0);
    }
    if (st == CR_OK && !sorted)
        qsort(order, n, sizeof *order, compare_requests);
    for (size_t i = 0, some; st == CR_OK && i < n; i += some) {
        cr__bytes wanted[GROUP], found[GROUP];

        some = n - i < GROUP ? n - i : GROUP;
        for (size_t k = 0; k < some; k++)
            wanted[k] = *order[i + k].key;
        st = get_words(p, wanted, some, found, err);
        for (size_t k = 0; st == CR_OK && k < some; k++)
            value[order[i + k].key - key] = found[k];
    }
    cr__free(order);
    return st;
}

static cr_status get(cr__kv *kv, const cr__bytes *key, size_t n, cr__bytes *value, cr_error *err)
{
    packed_kv *p = (packed_kv *)kv;
    cr_status st = CR_OK;

    for (size_t i = 0, words; st == CR_OK && i<n; i += words> 0 ? words : 1) {
        for (words = 0; i + words < n && begins(key[i + words], 'W');)
            words++;
        if (words == 0)
            st = p->under->kind->get(p->under, &key[i], 1, &value[i], err);
        else if (words >= MANY)
            st = get_many(p, key + i, words, value + i, err);
        else
            st = get_words(p, key + i, words = words < GROUP ? words : GROUP, value + i, err);
    }
    return st;
}

/* A scan of packs: the words that begin with a prefix. */
typedef struct scanning {
    cr__bytes prefix; /* without the W */
    cr__kv_visit *visit;
    void *context;
    char key[1 + CR__KV_KEY_MOST]; /* of a word, with the W */
    size_t size;                   /* without it */
} scanning;

/* The words of a pack are in order, and between its key and the next one. */
static cr_status scan_pack(packed_kv *p, scanning *s, const pack *at, cr_error *err)
{
    size_t place = 0;
    cr__pack_pair pair;
    int found, first = 1;
    cr_status st = CR_OK;

    s->size = 0;
    for (; st == CR_OK && (found = cr__pack_next(at->value, &place, &pair)) != 0; first = 0) {
        if (found < 0 || !cr__pack_key(&pair, s->key + 1, &s->size) ||
            (first && compare_keys((cr__bytes){s->key + 1, s->size}, tail_of(at->key)) < 0))
            return damaged(p, err);
        if (s->size >= s->prefix.size && memcmp(s->key + 1, s->prefix.at, s->prefix.size) == 0)
            st = s->visit(s->context, (cr__bytes){s->key, s->size + 1}, pair.value, err);
    }
    if (st == CR_OK && at->next.size > 0 &&
        compare_keys((cr__bytes){s->key + 1, s->size}, tail_of(at->next)) >= 0)
        return damaged(p, err);
    return st;
}

/* Whether words are packed. */
static cr_status has_packs(packed_kv *p, int *out, cr_error *err)
{
    cr__bytes key, value;
    const cr_status st =
        p->under->kind->around(p->under, (cr__bytes){"C", 1}, &key, &value, NULL, err);

    *out = st == CR_OK && begins(key, 'B');
    return st;
}

/* From the pack where the prefix would be, as long as packs may have words that begin with it. */
static cr_status scan(cr__kv *kv, cr__bytes prefix, cr__kv_visit *visit, void *context,
                      cr_error *err)
{
    packed_kv *p = (packed_kv *)kv;
    scanning s = {.visit = visit, .context = context};
    int packs = 0;
    pack at;
    cr_status st = begins(prefix, 'W') ? has_packs(p, &packs, err) : CR_OK;

    if (st != CR_OK || !packs)
        return st == CR_OK ? p->under->kind->scan(p->under, prefix, visit, context, err) : st;
    s.prefix = tail_of(prefix);
    s.key[0] = 'W';
    st = find_pack(p, s.prefix, 1, &at, err);
    while (st == CR_OK && (at.key.size > 0 || at.next.size > 0)) {
        if (at.key.size > 0)
            st = scan_pack(p, &s, &at, err);
        if (st != CR_OK || at.next.size == 0 ||
            memcmp((const char *)at.next.at + 1, s.prefix.at,
                   at.next.size - 1 < s.prefix.size ? at.next.size - 1 : s.prefix.size) > 0)
            return st;
        st = find_pack(p, tail_of(at.next), 1, &at, err);
    }
    return st;
}

/* --- writing ---------------------------------------------------------------------------------- */

typedef struct pair {
    cr__bytes key, value; /* of a word; the key without the W */
    size_t place;         /* in the batch */
} pair;

/* By key; of several with the same key the one that was put last comes first. */
static int compare_pairs(const void *pa, const void *pb)
{
    const pair *a = pa, *b = pb;
    const int order = compare_keys(a->key, b->key);

    return order != 0 ? order : (a->place < b->place) - (a->place > b->place);
}

/* What becomes of a pack: its words and new ones, in order. */
typedef struct merged {
    cr__buffer keys; /* those of the old pack, one after another */
    struct item {
        size_t key, size, shared; /* the key is in `keys`, or: */
        const char *other;
        cr__bytes value;
    } * item;
    size_t items, capacity, bytes; /* that they take */
} merged;

static cr__bytes key_of(const merged *m, const struct item *i)
{
    return (cr__bytes){i->other != NULL ? i->other : m->keys.data + i->key, i->size};
}

/* Add a word, unless it has no value. 0: out of memory. */
static int add(merged *m, struct item item)
{
    cr__bytes key, last;

    if (item.value.size == 0)
        return 1;
    if (!cr__grow(&m->item, &m->capacity, m->items + 1, sizeof *m->item))
        return 0;
    key = key_of(m, &item);
    if (m->items > 0) {
        last = key_of(m, &m->item[m->items - 1]);
        while (item.shared < last.size && item.shared < key.size &&
               ((const char *)last.at)[item.shared] == ((const char *)key.at)[item.shared])
            item.shared++;
    }
    m->item[m->items++] = item;
    m->bytes += key.size - item.shared + item.value.size + 3;
    return 1;
}

/* Merge the words of a pack with n pairs in order. */
static cr_status merge(packed_kv *p, merged *m, cr__bytes old, const pair *new, size_t n,
                       cr_error *err)
{
    char key[CR__KV_KEY_MOST];
    size_t size = 0, place = 0, i = 0;
    cr__pack_pair own;
    int found, enough = 1;

    while (enough && (found = cr__pack_next(old, &place, &own)) != 0) {
        struct item item = {.key = m->keys.size, .value = own.value};
        int order = 1;

        if (found < 0 || !cr__pack_key(&own, key, &size))
            return damaged(p, err);
        for (; enough && i < n && (order = compare_keys(new[i].key, (cr__bytes){key, size})) < 0;
             i++)
            enough =
                add(m, (struct item){
                           .other = new[i].key.at, .size = new[i].key.size, .value = new[i].value});
        if (i < n && order == 0)
            continue; /* it has a new value, and comes with the next one */
        item.size = size;
        cr__buffer_add(&m->keys, key, size);
        enough = enough && !m->keys.failed && add(m, item);
    }
    for (; enough && i < n; i++)
        enough = add(
            m,
            (struct item){.other = new[i].key.at, .size = new[i].key.size, .value = new[i].value});
    return enough ? CR_OK : cr__fail_memory(err);
}

/* The pieces of what is written: keys and values, one after another. */
typedef struct pieces {
    cr__buffer bytes;
    size_t *end; /* of each key, of each value */
    size_t count, capacity;
} pieces;

static int end_piece(pieces *out)
{
    if (!cr__grow(&out->end, &out->capacity, out->count + 1, sizeof *out->end))
        return 0;
    out->end[out->count++] = out->bytes.size;
    return !out->bytes.failed;
}

/* Cut the words into packs of about the same size. The first keeps its key; those of the others are
 * as short as they can be. */
static int cut(const merged *m, cr__bytes first, pieces *out)
{
    const size_t most = m->bytes / (m->bytes / MOST + 1) + 1;
    size_t start = 0;
    int enough = 1;

    cr__buffer_add(&out->bytes, first.at, first.size);
    enough = end_piece(out);
    start = out->bytes.size;
    for (size_t i = 0; enough && i < m->items; i++) {
        const struct item *item = &m->item[i];
        const cr__bytes key = key_of(m, item);
        size_t shared = item->shared;

        if (out->bytes.size - start >= most) {
            enough = end_piece(out);
            cr__buffer_addc(&out->bytes, 'B');
            cr__buffer_add(&out->bytes, key.at, item->shared + 1);
            enough = enough && end_piece(out);
            start = out->bytes.size;
            shared = 0;
        }
        cr__pack_add(&out->bytes, out->bytes.size == start ? 0 : shared, key, item->value);
    }
    return enough && end_piece(out);
}

/* Write n pairs that belong to a pack. */
static cr_status write_pack(packed_kv *p, const pack *at, const pair *new, size_t n, cr_error *err)
{
    merged m = {.items = 0};
    pieces out = {.count = 0};
    cr_status st = merge(p, &m, at->value, new, n, err);

    if (st == CR_OK && !cut(&m, at->key.size > 0 ? at->key : (cr__bytes){"B", 1}, &out))
        st = cr__fail_memory(err);
    for (size_t i = 0, from = 0; st == CR_OK && i < out.count; from = out.end[i + 1], i += 2) {
        const cr__bytes key = {out.bytes.data + from, out.end[i] - from};
        const cr__bytes value = {out.bytes.data + out.end[i], out.end[i + 1] - out.end[i]};

        st = p->under->kind->put(p->under, &key, &value, 1, err);
    }
    cr__buffer_free(&m.keys);
    cr__free(m.item);
    cr__buffer_free(&out.bytes);
    cr__free(out.end);
    return st;
}

static cr_status put_sorted(packed_kv *p, const pair *new, size_t n, cr_error *err)
{
    cr_status st = CR_OK;

    for (size_t i = 0, end; st == CR_OK && i < n; i = end) {
        pack at;

        end = i + 1;
        if ((st = find_pack(p, new[i].key, 1, &at, err)) != CR_OK)
            break;
        while (end < n && (at.next.size == 0 || compare_keys(new[end].key, tail_of(at.next)) < 0))
            end++;
        st = write_pack(p, &at, new + i, end - i, err);
    }
    return st;
}

/* --- words with keys of their own ------------------------------------------------------------- */

typedef struct old_words {
    cr__buffer bytes;
    size_t *end; /* of each key, of each value */
    size_t count, capacity;
} old_words;

static cr_status take_word(void *context, cr__bytes key, cr__bytes value, cr_error *err)
{
    old_words *w = context;

    if (!cr__grow(&w->end, &w->capacity, w->count + 2, sizeof *w->end))
        return cr__fail_memory(err);
    cr__buffer_add(&w->bytes, key.at, key.size);
    w->end[w->count++] = w->bytes.size;
    cr__buffer_add(&w->bytes, value.at, value.size);
    w->end[w->count++] = w->bytes.size;
    return w->bytes.failed ? cr__fail_memory(err) : CR_OK;
}

/* Remove some of them, and put them into packs. */
static cr_status pack_some(packed_kv *p, const old_words *w, size_t first, size_t n, cr_error *err)
{
    pair some[BATCH];
    cr_status st = CR_OK;

    for (size_t i = 0; st == CR_OK && i < n; i++) {
        const size_t at = first + 2 * i, start = at == 0 ? 0 : w->end[at - 1];
        const cr__bytes key = {w->bytes.data + start, w->end[at] - start};

        some[i] =
            (pair){tail_of(key), {w->bytes.data + w->end[at], w->end[at + 1] - w->end[at]}, i};
        st = p->under->kind->put(p->under, &key, &(cr__bytes){NULL, 0}, 1, err);
    }
    return st == CR_OK ? put_sorted(p, some, n, err) : st;
}

/* Pack the words of a database that has no packs. */
static cr_status pack_all(packed_kv *p, cr_error *err)
{
    old_words w = {.count = 0};
    cr_status st = p->under->kind->scan(p->under, (cr__bytes){"W", 1}, take_word, &w, err);

    for (size_t i = 0; st == CR_OK && i < w.count; i += 2 * BATCH)
        st = pack_some(p, &w, i, w.count - i < 2 * BATCH ? (w.count - i) / 2 : BATCH, err);
    cr__buffer_free(&w.bytes);
    cr__free(w.end);
    return st;
}

/* --- the rest --------------------------------------------------------------------------------- */

/* Put words, in any order. */
static cr_status put_words(packed_kv *p, const cr__bytes *key, const cr__bytes *value, size_t n,
                           cr_error *err)
{
    pair *new = cr__alloc(n, sizeof *new);
    size_t kept = 0;
    int packs = 0;
    cr_status st = new == NULL ? cr__fail_memory(err) : has_packs(p, &packs, err);

    if (st == CR_OK && !packs)
        st = pack_all(p, err);
    for (size_t i = 0; st == CR_OK && i < n; i++)
        new[i] = (pair){tail_of(key[i]), value[i], i};
    if (st == CR_OK && n > 1)
        qsort(new, n, sizeof *new, compare_pairs);
    for (size_t i = 0; st == CR_OK && i < n; i++)
        if (kept == 0 || compare_keys(new[kept - 1].key, new[i].key) != 0)
            new[kept++] = new[i];
    if (st == CR_OK)
        st = put_sorted(p, new, kept, err);
    cr__free(new);
    return st;
}

static cr_status put(cr__kv *kv, const cr__bytes *key, const cr__bytes *value, size_t n,
                     cr_error *err)
{
    packed_kv *p = (packed_kv *)kv;
    cr_status st = CR_OK;

    for (size_t i = 0, words; st == CR_OK && i<n; i += words> 0 ? words : 1) {
        for (words = 0; i + words < n && begins(key[i + words], 'W');)
            words++;
        st = words > 0 ? put_words(p, key + i, value + i, words, err)
                       : p->under->kind->put(p->under, &key[i], &value[i], 1, err);
    }
    return st;
}

static cr_status begin(cr__kv *kv, int write, cr_error *err)
{
    packed_kv *p = (packed_kv *)kv;

    return p->under->kind->begin(p->under, write, err);
}

static cr_status commit(cr__kv *kv, cr_error *err)
{
    packed_kv *p = (packed_kv *)kv;

    return p->under->kind->commit(p->under, err);
}

static void give_up(cr__kv *kv)
{
    packed_kv *p = (packed_kv *)kv;

    p->under->kind->give_up(p->under);
}

static void close_kv(cr__kv *kv)
{
    packed_kv *p = (packed_kv *)kv;

    if (p->under != NULL)
        p->under->kind->close(p->under);
    cr__free(p->where);
    cr__free(p);
}

static cr_status measure(cr__kv *kv, uint64_t *bytes, cr_error *err)
{
    packed_kv *p = (packed_kv *)kv;

    return p->under->kind->measure(p->under, bytes, err);
}

static cr_status copy_to(cr__kv *kv, const char *where, cr_error *err)
{
    packed_kv *p = (packed_kv *)kv;

    return p->under->kind->copy_to(p->under, where, err);
}

static int grow(cr__kv *kv)
{
    packed_kv *p = (packed_kv *)kv;

    return p->under->kind->grow(p->under);
}

static const cr__kv_kind kind = {close_kv, begin,   commit,  give_up, get, put,
                                 scan,     measure, copy_to, grow,    NULL};

cr_status cr__kv_open_packed(cr__kv **out, cr__kv *under, const char *where, cr_error *err)
{
    packed_kv *p = cr__alloc_zero(1, sizeof *p);

    *out = NULL;
    if (p == NULL || (p->where = cr__strndup(where, strlen(where))) == NULL) {
        cr__free(p);
        under->kind->close(under);
        return cr__fail_memory(err);
    }
    p->kv.kind = &kind;
    p->under = under;
    *out = &p->kv;
    return CR_OK;
}
