/* store/view.c - models from a store: the head, some words, everything.
 *
 * A view has the head's statistics and, for each text, the requested words with their exact counts;
 * the sums over all other words are in the bag's totals. The learner fits it like any statistics,
 * so its answers are those of the whole model, bit for bit.
 */
#include <stdlib.h>
#include <string.h>

#include "base/fail.h"
#include "base/memory.h"
#include "store/store.h"
#include "text/token.h"

cr_status cr__store_head(cr_store *store, cr_model **out, cr_error *err)
{
    const uint64_t version = store->meta.origin[0].version;
    cr__bytes value;
    cr_status st = CR_OK;

    if (store->head == NULL || store->head_version != version) {
        cr_model_free(store->head);
        store->head = NULL;
        if ((st = cr__store_get(store, "M", 1, &value, err)) == CR_OK)
            st = cr_model_load_bytes(&store->head, value.at, value.size, 0, err);
        if (st == CR_EFORMAT)
            st = cr__fail_at(err, st, store->where, 0, 0);
        store->head_version = version;
    }
    *out = store->head;
    return st;
}

/* --- a bag of some words ---------------------------------------------------------------------- */

enum { AHEAD = 8 }; /* values that are fetched from memory before they are read */

typedef struct entry {
    uint64_t hash;
    size_t word, length; /* where its bytes begin */
    size_t first, cells;
} entry;

/* Words and their counts as they come, in any order. */
typedef struct builder {
    const cr_store *store;
    const uint32_t *place; /* of class ids */
    size_t classes;
    cr__buffer bytes;
    entry *entry;
    size_t entries, entry_capacity;
    cr__bag_cell *cell;
    size_t cells, cell_capacity;
    int64_t *terms, *documents; /* [classes] of one word; 0 between words */
    cr__word_record record;
} builder;

static cr_status begin_builder(builder *b, const cr_store *store, const uint32_t *place,
                               size_t classes, cr_error *err)
{
    *b = (builder){.store = store, .place = place, .classes = classes};
    b->terms = cr__alloc_zero(classes, sizeof *b->terms);
    b->documents = cr__alloc_zero(classes, sizeof *b->documents);
    return b->terms == NULL || b->documents == NULL ? cr__fail_memory(err) : CR_OK;
}

static void end_builder(builder *b)
{
    cr__buffer_free(&b->bytes);
    cr__free(b->entry);
    cr__free(b->cell);
    cr__free(b->terms);
    cr__free(b->documents);
    cr__word_record_free(&b->record);
}

/* The sums of the record's groups by class. 0: a count is negative, or its class no longer
 * exists. */
static int sum_groups(builder *b)
{
    int sound = 1;

    for (size_t i = 0; i < b->record.cells; i++) {
        const cr__word_cell *cell = &b->record.cell[i];
        const uint32_t c =
            cell->class_id < b->store->meta.classes ? b->place[cell->class_id] : UINT32_MAX;

        if (c != UINT32_MAX) {
            b->terms[c] += cell->terms;
            b->documents[c] += cell->documents;
        }
    }
    for (size_t c = 0; c < b->classes; c++)
        sound &=
            b->terms[c] >= b->documents[c] && b->documents[c] >= 0 && b->documents[c] <= UINT32_MAX;
    return sound;
}

static int add_cells(builder *b, entry *e)
{
    e->first = b->cells;
    for (size_t c = 0; c < b->classes; c++) {
        if (b->terms[c] > 0) {
            if (!cr__grow(&b->cell, &b->cell_capacity, b->cells + 1, sizeof *b->cell))
                return 0;
            b->cell[b->cells++] =
                (cr__bag_cell){(uint32_t)c, (uint32_t)b->documents[c], (uint64_t)b->terms[c]};
        }
        b->terms[c] = b->documents[c] = 0;
    }
    e->cells = b->cells - e->first;
    return 1;
}

static cr_status add_word(builder *b, cr__bytes key, cr__bytes value, cr_error *err)
{
    cr_status st = cr__word_record_read(&b->record, value.at, value.size);
    const cr__bytes word = cr__record_word(key, &b->record);
    entry e = {
        .hash = cr__token_hash(word.at, word.size), .word = b->bytes.size, .length = word.size};

    if (st == CR_EFORMAT || (st == CR_OK && !sum_groups(b)))
        return cr__store_damaged(b->store, err, "the counts of a word make no sense");
    if (st != CR_OK || !add_cells(b, &e) ||
        (e.cells > 0 && !cr__grow(&b->entry, &b->entry_capacity, b->entries + 1, sizeof *b->entry)))
        return cr__fail_memory(err);
    if (e.cells > 0) {
        cr__buffer_add(&b->bytes, word.at, word.size);
        b->entry[b->entries++] = e;
    }
    return b->bytes.failed ? cr__fail_memory(err) : CR_OK;
}

static int compare_entries(const void *pa, const void *pb, void *bytes)
{
    const entry *a = pa, *b = pb;

    if (a->hash != b->hash)
        return a->hash < b->hash ? -1 : 1;
    return cr__word_compare((const char *)bytes + a->word, a->length, (const char *)bytes + b->word,
                            b->length);
}

/* Words and cells in canonical order into the bag, which has documents only. */
static cr_status finish_bag(builder *b, cr__bag *bag, cr_error *err)
{
    size_t bytes = 0, cells = 0;

    if (b->entries > 0)
        qsort_r(b->entry, b->entries, sizeof *b->entry, compare_entries, b->bytes.data);
    bag->hash = cr__alloc(b->entries, sizeof *bag->hash);
    bag->end = cr__alloc(b->entries, sizeof *bag->end);
    bag->bytes = cr__alloc(b->bytes.size, 1);
    bag->row = cr__alloc(b->entries + 1, sizeof *bag->row);
    bag->cell = cr__alloc(b->cells, sizeof *bag->cell);
    if (bag->hash == NULL || bag->end == NULL || bag->bytes == NULL || bag->row == NULL ||
        bag->cell == NULL)
        return cr__fail_memory(err);
    if (b->bytes.size > UINT32_MAX)
        return cr__fail(err, CR_ELIMIT, "the words of a text take more than 4 GB");
    for (size_t w = 0; w < b->entries; w++) {
        const entry *e = &b->entry[w];

        memcpy(bag->bytes + bytes, b->bytes.data + e->word, e->length);
        memcpy(bag->cell + cells, b->cell + e->first, e->cells * sizeof *bag->cell);
        bag->row[w] = cells;
        bag->hash[w] = e->hash;
        bag->end[w] = (uint32_t)(bytes += e->length);
        cells += e->cells;
    }
    bag->row[b->entries] = cells;
    bag->words = b->entries;
    bag->cells = cells;
    return CR_OK;
}

/* --- which words ------------------------------------------------------------------------------ */

/* The records of a dictionary's words, in one query to the database. */
static cr_status fetch(cr_store *store, size_t column, const cr__dict *dict, builder *b,
                       cr_error *err)
{
    const size_t n = dict->words;
    cr__bytes *key = cr__alloc(n, sizeof *key), *value = cr__alloc(n, sizeof *value);
    size_t *end = cr__alloc(n, sizeof *end);
    cr__buffer bytes = {0};
    cr_status st = CR_OK;

    if (key == NULL || value == NULL || end == NULL)
        st = cr__fail_memory(err);
    for (size_t i = 0; st == CR_OK && i < n; i++) {
        size_t length;
        const char *word = cr__dict_word(dict, (uint32_t)i + 1, &length);

        cr__record_key(&bytes, column, word, length);
        end[i] = bytes.size;
    }
    if (st == CR_OK && bytes.failed)
        st = cr__fail_memory(err);
    for (size_t i = 0; st == CR_OK && i < n; i++) {
        const size_t start = i == 0 ? 0 : end[i - 1];
        key[i] = (cr__bytes){bytes.data + start, end[i] - start};
    }
    if (st == CR_OK)
        st = store->kv->kind->get(store->kv, key, n, value, err);
    for (size_t i = 0; st == CR_OK && i < n; i++) {
        if (i + AHEAD < n)
            __builtin_prefetch(value[i + AHEAD].at);
        if (value[i].size > 0)
            st = add_word(b, key[i], value[i], err);
    }
    cr__buffer_free(&bytes);
    cr__free(key);
    cr__free(value);
    cr__free(end);
    return st;
}

static cr_status visit(void *context, cr__bytes key, cr__bytes value, cr_error *err)
{
    return add_word(context, key, value, err);
}

static cr_status fetch_all(cr_store *store, size_t column, builder *b, cr_error *err)
{
    cr__buffer prefix = {0};
    cr_status st;

    cr__record_key(&prefix, column, "", 0);
    st = prefix.failed ? cr__fail_memory(err)
                       : store->kv->kind->scan(store->kv, (cr__bytes){prefix.data, prefix.size},
                                               visit, b, err);
    cr__buffer_free(&prefix);
    return st;
}

static cr_status add_totals(cr_store *store, size_t column, const uint32_t *place, cr__bag *bag,
                            cr_error *err)
{
    cr__word_totals t = {0};
    cr_status st = cr__word_totals_read(store, column, &t, err);

    if (st == CR_OK && (bag->totals = cr__bag_totals_new(bag->classes)) == NULL)
        st = cr__fail_memory(err);
    if (st == CR_OK)
        bag->totals->words = t.chosen;
    for (size_t c = 0; st == CR_OK && c < t.classes; c++)
        if (place[c] != UINT32_MAX) {
            bag->totals->terms[place[c]] = (uint64_t)t.sum[c].chosen_terms;
            bag->totals->documents[place[c]] = (uint64_t)t.sum[c].chosen_documents;
        }
    cr__word_totals_free(&t);
    return st;
}

static cr_status fill_bag(cr_store *store, size_t column, cr__dict *const *words,
                          const uint32_t *place, cr__bag *bag, cr_error *err)
{
    builder b;
    cr_status st = begin_builder(&b, store, place, bag->classes, err);

    if (st == CR_OK && words == NULL)
        st = fetch_all(store, column, &b, err);
    else if (st == CR_OK && words[column] != NULL)
        st = fetch(store, column, words[column], &b, err);
    if (st == CR_OK)
        st = finish_bag(&b, bag, err);
    if (st == CR_OK && words != NULL)
        st = add_totals(store, column, place, bag, err);
    end_builder(&b);
    return st;
}

/* --- models ----------------------------------------------------------------------------------- */

/* The head with other statistics, which are taken over. */
static cr_status model_of(const cr_model *head, cr__stats *stats, cr_model **out, cr_error *err)
{
    cr_model *model;
    cr_status st = cr_model_copy(&model, head, err);

    if (st != CR_OK) {
        cr__stats_free(stats);
        return st;
    }
    if ((st = cr__model_become(model, stats, NULL, err)) != CR_OK) {
        cr_model_free(model);
        return st;
    }
    model->calibration = cr__calibration_share(head->calibration);
    *out = model;
    return CR_OK;
}

cr_status cr__store_view(cr_store *store, cr__dict *const *words, cr_model **out, cr_error *err)
{
    const cr__stats *have;
    cr__stats *stats = NULL;
    uint32_t *place = NULL;
    cr_model *head;
    cr_status st = cr__store_head(store, &head, err);

    *out = NULL;
    if (st == CR_OK && !store->meta.apart)
        return cr_model_copy(out, head, err);
    if (st == CR_OK)
        st = cr__model_stats(head, &have, err);
    if (st == CR_OK)
        st = cr__stats_view(&stats, have, err);
    if (st == CR_OK && (place = cr__store_class_places(&store->meta, head)) == NULL)
        st = cr__fail_memory(err);
    for (size_t i = 0; st == CR_OK && i < head->schema->columns; i++)
        if (stats->column[i].bag != NULL)
            st = fill_bag(store, i, words, place, stats->column[i].bag, err);
    cr__free(place);
    if (st == CR_OK)
        return model_of(head, stats, out, err);
    cr__stats_free(stats);
    return st;
}
