/* store/rewrite.c - visit every word, and change some. */
#include "base/fail.h"
#include "base/memory.h"
#include "store/edit.h"

/* The new records: nothing can be written during a scan. */
typedef struct rewriting {
    cr_store *store;
    cr__record_change *change;
    void *context;
    cr__buffer keys, values;
    size_t *key_end, *value_end;
    size_t count, key_capacity, value_capacity;
    cr__word_record record;
} rewriting;

static cr_status look_at_word(void *context, cr__bytes key, cr__bytes value, cr_error *err)
{
    rewriting *w = context;
    const cr_status st = cr__word_record_read(&w->record, value.at, value.size);

    if (st == CR_EFORMAT)
        return cr__store_damaged(w->store, err, "the counts of a word make no sense");
    if (st == CR_OK && !w->change(w->context, &w->record))
        return CR_OK;
    cr__buffer_add(&w->keys, key.at, key.size);
    cr__word_record_write(&w->record, &w->values);
    if (st != CR_OK || w->keys.failed || w->values.failed ||
        !cr__grow(&w->key_end, &w->key_capacity, w->count + 1, sizeof *w->key_end) ||
        !cr__grow(&w->value_end, &w->value_capacity, w->count + 1, sizeof *w->value_end))
        return cr__fail_memory(err);
    w->key_end[w->count] = w->keys.size;
    w->value_end[w->count++] = w->values.size;
    return CR_OK;
}

static cr_status write_words(const rewriting *w, cr_error *err)
{
    cr_status st = CR_OK;

    for (size_t i = 0; st == CR_OK && i < w->count; i++) {
        const size_t k = i == 0 ? 0 : w->key_end[i - 1], v = i == 0 ? 0 : w->value_end[i - 1];
        const size_t size = w->value_end[i] - v;

        st = cr__store_put(w->store, w->keys.data + k, w->key_end[i] - k,
                           size == 0 ? NULL : w->values.data + v, size, err);
    }
    return st;
}

cr_status cr__words_rewrite(cr_store *store, cr__record_change *change, void *context,
                            cr_error *err)
{
    rewriting w = {.store = store, .change = change, .context = context};
    cr_status st = store->kv->kind->scan(store->kv, (cr__bytes){"W", 1}, look_at_word, &w, err);

    if (st == CR_OK)
        st = write_words(&w, err);
    cr__buffer_free(&w.keys);
    cr__buffer_free(&w.values);
    cr__free(w.key_end);
    cr__free(w.value_end);
    cr__word_record_free(&w.record);
    return st;
}
