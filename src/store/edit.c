/* store/edit.c - change the records of many words, and their totals with them. */
#include "store/edit.h"

#include <stdlib.h>
#include <string.h>

#include "base/fail.h"
#include "base/memory.h"

enum { GROUP = 4096, MANY = 4 * GROUP }; /* words that are read and written together */

/* A word of the edits. */
typedef struct place {
    uint64_t start; /* of the word, as a number: most comparisons need no more */
    size_t at;
} place;

typedef struct group {
    cr__bytes *key, *value;      /* [most] */
    size_t *key_end, *value_end; /* [most] */
    cr__buffer keys, values;
    cr__word_record record;
} group;

/* Room for some words; 0: out of memory. */
static int open_group(group *g, size_t most)
{
    *g = (group){.key = cr__alloc(most, sizeof *g->key),
                 .value = cr__alloc(most, sizeof *g->value),
                 .key_end = cr__alloc(most, sizeof *g->key_end),
                 .value_end = cr__alloc(most, sizeof *g->value_end)};
    return g->key != NULL && g->value != NULL && g->key_end != NULL && g->value_end != NULL;
}

static void close_group(group *g)
{
    cr__free(g->key);
    cr__free(g->value);
    cr__free(g->key_end);
    cr__free(g->value_end);
    cr__buffer_free(&g->keys);
    cr__buffer_free(&g->values);
    cr__word_record_free(&g->record);
}

/* Change one record and its part in the totals; the new one is added to g->values. */
static cr_status edit_record(cr_store *store, group *g, size_t i, const cr__edits *e, size_t word,
                             double least, cr__word_totals *t, cr_error *err)
{
    const size_t start = g->values.size;
    size_t length;
    const char *text = e->word(e->context, word, &length);
    cr_status st = cr__word_record_read(&g->record, g->value[i].at, g->value[i].size);

    if (st == CR_EFORMAT)
        return cr__store_damaged(store, err, "the counts of a word make no sense");
    t->digest -= cr__word_digest(g->key[i], g->value[i]);
    if (st == CR_OK)
        st = cr__word_totals_count(t, &g->record, least, -1);
    if (g->value[i].size == 0 && cr__record_word(g->key[i], &g->record).size != length) {
        g->record.word = text;
        g->record.length = length;
    }
    g->record.grouped |= store->meta.grouped;
    if (st == CR_OK)
        st = e->edit(e->context, word, &g->record);
    if (st == CR_ECONFLICT)
        return cr__fail(err, st, "more of '%.*s' was unlearned than learned",
                        (int)(length < 60 ? length : 60), text);
    if (st == CR_OK)
        st = cr__word_totals_count(t, &g->record, least, 1);
    cr__word_record_write(&g->record, &g->values);
    if (st != CR_OK || g->values.failed)
        return cr__fail_memory(err);
    t->digest +=
        cr__word_digest(g->key[i], (cr__bytes){g->values.data + start, g->values.size - start});
    return CR_OK;
}

/* Turn the ends of pieces of a buffer into the pieces. */
static void cut(const cr__buffer *buffer, const size_t *end, size_t n, cr__bytes *out)
{
    for (size_t i = 0; i < n; i++) {
        const size_t start = i == 0 ? 0 : end[i - 1];

        out[i] = (cr__bytes){end[i] == start ? NULL : buffer->data + start, end[i] - start};
    }
}

static cr_status edit_group(cr_store *store, group *g, size_t column, const cr__edits *e,
                            const place *order, size_t first, size_t n, double least,
                            cr__word_totals *t, cr_error *err)
{
    cr_status st;

    cr__buffer_clear(&g->keys);
    cr__buffer_clear(&g->values);
    for (size_t i = 0; i < n; i++) {
        size_t length;
        const char *word =
            e->word(e->context, order == NULL ? first + i : order[first + i].at, &length);

        cr__record_key(&g->keys, column, word, length);
        g->key_end[i] = g->keys.size;
    }
    if (g->keys.failed)
        return cr__fail_memory(err);
    cut(&g->keys, g->key_end, n, g->key);
    st = store->kv->kind->get(store->kv, g->key, n, g->value, err);
    for (size_t i = 0; st == CR_OK && i < n; i++) {
        st = edit_record(store, g, i, e, order == NULL ? first + i : order[first + i].at, least, t,
                         err);
        g->value_end[i] = g->values.size;
    }
    if (st != CR_OK)
        return st;
    cut(&g->values, g->value_end, n, g->value);
    return store->kv->kind->put(store->kv, g->key, g->value, n, err);
}

static int compare_places(const void *pa, const void *pb, void *context)
{
    const place *a = pa, *b = pb;
    const cr__edits *e = context;
    const char *x, *y;
    size_t m, n;
    int order;

    if (a->start != b->start)
        return a->start < b->start ? -1 : 1;
    x = e->word(e->context, a->at, &m);
    y = e->word(e->context, b->at, &n);
    order = memcmp(x, y, m < n ? m : n);
    return order != 0 ? order : (m > n) - (m < n);
}

/* The order of the words, to be freed; NULL: there is no memory. */
static place *in_order(const cr__edits *e)
{
    place *order = cr__alloc(e->count, sizeof *order);

    for (size_t i = 0; order != NULL && i < e->count; i++) {
        size_t length;
        const char *word = e->word(e->context, i, &length);

        order[i] = (place){0, i};
        for (size_t k = 0; k < sizeof order[i].start; k++)
            order[i].start = order[i].start << 8 | (k < length ? (unsigned char)word[k] : 0);
    }
    if (order != NULL)
        qsort_r(order, e->count, sizeof *order, compare_places, (void *)e);
    return order;
}

/* Many words are edited in their order, so that neighbours in the database are in the same group.
 */
cr_status cr__words_edit(cr_store *store, size_t column, const cr__edits *e, double least,
                         cr_error *err)
{
    group g = {.key = NULL};
    place *order = e->count > MANY ? in_order(e) : NULL;
    cr__word_totals t = {0};
    cr_status st =
        (e->count <= MANY || order != NULL) && open_group(&g, e->count < GROUP ? e->count : GROUP)
            ? cr__word_totals_read(store, column, &t, err)
            : cr__fail_memory(err);

    for (size_t i = 0; st == CR_OK && i < e->count; i += GROUP)
        st = edit_group(store, &g, column, e, order, i, e->count - i < GROUP ? e->count - i : GROUP,
                        least, &t, err);
    if (st == CR_OK)
        st = cr__word_totals_write(store, column, &t, err);
    cr__word_totals_free(&t);
    close_group(&g);
    cr__free(order);
    return st;
}
